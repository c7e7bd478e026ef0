"""`gamemaster learn --minutes`: judgement of a game by self-play, kept for egghead."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gamemaster.codegen.cache import cache_folder
from gamemaster.errors import GamemasterError, Unsuitable
from gamemaster.machine.game import RANDOM, Game
from gamemaster.machine.interrupts import interrupt_sets
from gamemaster.search.suitable import JUDGING
from gamemaster.terminal.judgement import insight_of
from gamemaster.terminal.loading import load
from gamemaster.terminal.pictures import PictureOrder
from gamemaster.terminal.progress import get_ready, waiting
from gamemaster.terminal.report import report_text

if TYPE_CHECKING:
    from gamemaster.search.native.engine import Engine
    from gamemaster.search.native.judgement import Judgement
    from gamemaster.terminal.judgement import Insight

__all__ = ["kept_insight", "show_kept", "study_game", "told_of"]

SAMPLE = 8
MACHINE_CODE_SECONDS, TRIAL_SECONDS = 60.0, 15.0
MORE_IS_KEPT = "not kept: what is kept was learnt from more games, and stays"


def study_game(
    name: str,
    *,
    seconds: float | None,
    games: int | None,
    seed: int,
    is_anew: bool,
    orders: Sequence[PictureOrder] = (),
    as_json: bool,
) -> None:
    """Learn for so long, or from so many games; keep what was learnt, and show what is worth what, how well it
    foretells results, and pictures of that."""
    from gamemaster.search.budget import Halt
    from gamemaster.search.native.engine import engine_of
    from gamemaster.search.native.knowledge import kept_judgement
    from gamemaster.search.native.self_play import learn_by_play

    game = load(name)
    _check(game, seed)
    get_ready(game, [JUDGING])
    assert game.compiled is not None  # or it would not be suitable
    engine = engine_of(game.compiled)
    engine.wait(MACHINE_CODE_SECONDS)
    found = kept_judgement(engine)
    known, leave = None if is_anew else found, Halt()
    before = 0 if known is None else known.games
    with interrupt_sets(
        leave
    ):  # what was learnt until then is kept, and the command ends as interrupted ones do
        with waiting(f"learning {name}", seconds, is_shown=not as_json):
            judgement = learn_by_play(
                engine, game.initial_state(), seconds, seed, games=games, known=known, until=leave
            )
        if leave.is_set():
            report_text(_left(engine, judgement, before))
            return
        judgement = _tried(engine, judgement, seed, is_shown=not as_json)
        is_kept = _keep(engine, judgement, found)
    insight = insight_of(name, engine, judgement)
    if as_json:
        print(json.dumps({"game": name, **told_of(insight), "games_before": before, "is_kept": is_kept}))
    else:
        print(_summary(name, judgement, before))
        insight.show()
        print(_trial(judgement, is_kept=is_kept))
    insight.draw(orders, is_told=not as_json)


def _tried(engine: Engine, judgement: Judgement, seed: int, *, is_shown: bool) -> Judgement:
    """The judgement with how it did against a tree."""
    from gamemaster.players.judged import try_out
    from gamemaster.search.native.judging import Judging
    from gamemaster.search.native.tuning import settings_for

    tree = settings_for(engine.game)[0].tree(engine, seed)
    with waiting("trying it", TRIAL_SECONDS, is_shown=is_shown):
        return try_out(Judging(engine, judgement), tree, TRIAL_SECONDS, seed)


def _keep(engine: Engine, judgement: Judgement, found: Judgement | None) -> bool:
    """Keep it, unless more than this has been kept since `found` was; GamemasterError where nothing can be written."""
    from gamemaster.search.native.knowledge import keep_judgement, kept_judgement

    now = kept_judgement(engine)
    is_other = now is not None and (found is None or now.games != found.games)
    if now is not None and is_other and now.games > judgement.games:
        return False
    if not keep_judgement(engine, judgement):
        raise GamemasterError(
            f"what was learnt from {judgement.games:,} games could not be kept: "
            f"{str(cache_folder())!r} cannot be written, or the disk is full; $GAMEMASTER_CACHE names another folder"
        )
    return True


def _left(engine: Engine, judgement: Judgement, before: int) -> str:
    """Keep what was learnt until an interrupt, unless more is kept; what became of it."""
    if judgement.games == before:
        return "interrupted before anything was learnt"
    if not _keep(engine, judgement, None):
        return MORE_IS_KEPT
    return f"interrupted: what was learnt from {judgement.games:,} games is kept, and has yet to be tried"


def kept_insight(game: Game, name: str) -> Insight | None:
    """What can be told of what was learnt before, if that was kept."""
    from gamemaster.search.native.engine import engine_of
    from gamemaster.search.native.knowledge import kept_judgement
    from gamemaster.search.suitable import is_native

    if game.compiled is None or not is_native(game):
        return None
    engine = engine_of(game.compiled)
    judgement = kept_judgement(engine)
    if judgement is None:
        return None
    get_ready(game, [JUDGING])
    engine.wait(MACHINE_CODE_SECONDS)
    return insight_of(name, engine, judgement)


def show_kept(insight: Insight) -> None:
    """Print what was learnt before."""
    print(_summary(insight.name, insight.judgement, 0))
    insight.show()
    print(_trial(insight.judgement))


def _check(game: Game, seed: int) -> None:
    """Unsuitable where it cannot be learnt by self-play."""
    from gamemaster.search.suitable import is_native, needs

    if not is_native(game):
        raise Unsuitable(f"learning by self-play {needs(game)}")
    if game.kind.turns == "simultaneous":
        raise Unsuitable(
            f"learning by self-play is for roles that take turns; those of {game.name} choose at once"
        )
    generator = random.Random(seed)
    roles = [role for role in game.roles if role != RANDOM]
    ends = [game.random_game(generator) for _ in range(SAMPLE)]
    sums = {sum(end.goal(role) or 0 for role in roles) for end in ends}
    if len(roles) != 2 or len(sums) > 1:
        raise Unsuitable(
            f"learning by self-play is for two roles that are against each other, and those of {game.name} are not; "
            "without --minutes and --games it is learnt from random games"
        )


def _summary(name: str, judgement: Judgement, before: int) -> str:
    """How much was learnt."""
    learnt = f"{name}: learnt from {judgement.games:,} games against itself, {judgement.states:,} states"
    return (
        f"{learnt}\n{before:,} of the games were played before, and what they taught was kept"
        if before
        else learnt
    )


def _trial(judgement: Judgement, *, is_kept: bool = True) -> str:
    """How it did against a tree, and what egghead makes of that."""
    from gamemaster.players.judged import has_won

    points, games = judgement.trial
    told = "plays by it" if has_won(judgement) else "does not play by it, but by its trees"
    if not games:
        told = "has yet to try it"
    kept = f"kept for egghead, which {told}" if is_kept else MORE_IS_KEPT
    won = f"alpha-beta with it won {points:g} of {games} quick games against a tree\n" if games else ""
    return f"{won}{kept}"


def told_of(insight: Insight) -> dict[str, Any]:
    """What was learnt, as plain data."""
    judgement = insight.judgement
    return {
        "games": judgement.games,
        "states": judgement.states,
        "trial": {"points": judgement.trial[0], "games": judgement.trial[1]},
        "curve": [{"games": lesson.games, "explained": lesson.explained} for lesson in judgement.curve],
        **insight.to_dict(),
    }
