"""`gamemaster learn --minutes`: judgement of a game by self-play, kept for egghead."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

from gamemaster.errors import Unsuitable
from gamemaster.machine.game import RANDOM, Game
from gamemaster.terminal.loading import load
from gamemaster.terminal.progress import get_ready, waiting

if TYPE_CHECKING:
    from gamemaster.search.native.judgement import Judgement

__all__ = ["study_game"]

SAMPLE = 8
SHOWN = 12
"""So many points of the curve, about, are printed."""

MACHINE_CODE_SECONDS, TRIAL_SECONDS = 60.0, 15.0


def study_game(
    name: str, *, seconds: float | None, games: int | None, seed: int, is_anew: bool, as_json: bool
) -> None:
    """Learn for so long, or from so many games; keep what was learnt, and print how well it foretells results."""
    from gamemaster.players.judged import try_out
    from gamemaster.search.native.engine import engine_of
    from gamemaster.search.native.judging import Judging
    from gamemaster.search.native.knowledge import keep_judgement, kept_judgement
    from gamemaster.search.native.self_play import learn_by_play
    from gamemaster.search.native.tuning import settings_for

    game = load(name)
    _check(game, seed)
    get_ready(game, ["judging"])
    assert game.compiled is not None  # or it would not be suitable
    engine = engine_of(game.compiled)
    engine.wait(MACHINE_CODE_SECONDS)
    known = None if is_anew else kept_judgement(engine)
    before = 0 if known is None else known.games
    with waiting(f"learning {name}", seconds, is_shown=not as_json):
        judgement = learn_by_play(engine, game.initial_state(), seconds, seed, games=games, known=known)
    judging = Judging(engine, judgement)
    tree = settings_for(game)[0].tree(engine, seed)
    with waiting("trying it", TRIAL_SECONDS, is_shown=not as_json):
        judgement = try_out(judging, tree, TRIAL_SECONDS, seed)
    keep_judgement(engine, judgement)
    print(json.dumps(_as_json(name, judgement, before)) if as_json else _shown(name, judgement, before))


def _check(game: Game, seed: int) -> None:
    """Unsuitable where it cannot be learnt by self-play."""
    from gamemaster.search.suitable import is_native, needs

    if not is_native(game):
        raise Unsuitable(f"learning by self-play {needs(game)}")
    generator = random.Random(seed)
    roles = [role for role in game.roles if role != RANDOM]
    ends = [game.random_game(generator) for _ in range(SAMPLE)]
    sums = {sum(end.goal(role) or 0 for role in roles) for end in ends}
    if len(roles) != 2 or len(sums) > 1:
        raise Unsuitable(
            f"learning by self-play is for two roles that are against each other, and those of {game.name} are not; "
            "without --minutes and --games it is learnt from random games"
        )


def _shown(name: str, judgement: Judgement, before: int) -> str:
    """How much was learnt, and a curve of what was foretold."""
    lines = [f"{name}: learnt from {judgement.games:,} games against itself, {judgement.states:,} states"]
    if before:
        lines.append(f"{before:,} of the games were played before, and what they taught was kept")
    if judgement.curve:
        lines.append(
            "what it foretold of the differences between results, of games before it learnt from them:"
        )
    step = max(1, len(judgement.curve) // SHOWN)
    for lesson in judgement.curve[(len(judgement.curve) - 1) % step :: step]:
        bar = "#" * round(40 * max(0.0, lesson.explained))
        lines.append(f"{lesson.games:>12,} games  {lesson.explained:>5.0%}  {bar}".rstrip())
    points, games = judgement.trial
    lines.append(f"alpha-beta with it won {points:g} of {games} quick games against a tree")
    told = "plays by it" if points > games / 2 else "does not play by it, but by its trees"
    return "\n".join([*lines, f"kept for egghead, which {told}"])


def _as_json(name: str, judgement: Judgement, before: int) -> dict[str, Any]:
    return {
        "game": name,
        "games": judgement.games,
        "games_before": before,
        "states": judgement.states,
        "trial": {"points": judgement.trial[0], "games": judgement.trial[1]},
        "curve": [{"games": lesson.games, "explained": lesson.explained} for lesson in judgement.curve],
    }
