"""`gamemaster learn`: what features and facts of a game are worth, found out by random games."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from gamemaster.errors import ParameterError, Unsuitable
from gamemaster.machine.game import RANDOM, Game
from gamemaster.search.evaluation import Weighted, learn_weights
from gamemaster.terminal.loading import load
from gamemaster.terminal.pictures import PictureOrder
from gamemaster.terminal.progress import get_ready
from gamemaster.terminal.report import report_text
from gamemaster.terminal.self_play import kept_insight, show_kept, told_of

__all__ = ["learn_game"]

FEWEST_GAMES = 30
"""From fewer games nothing is learnt: there are four features and a constant."""


def learn_game(
    name: str, *, seconds: float, seed: int, orders: Sequence[PictureOrder] = (), as_json: bool
) -> None:
    """Print a table of features for each role, the facts that count most, and what is kept of self-play; draw that."""
    game = load(name)
    kept = kept_insight(game, name)
    if orders and kept is None:
        raise ParameterError(
            f"pictures are of what self-play has taught, and nothing of {name} is kept: "
            f"learn it first, with --minutes or --games"
        )
    roles = [role for role in game.roles if role != RANDOM]
    features = {role: learn_weights(game, role, seconds / 2 / len(roles), seed) for role in roles}
    facts = _facts(game, seconds / 2, seed)
    if as_json:
        told = {"game": name, "features": _as_json(features), "facts": _facts_json(facts)}
        print(json.dumps({**told, "judgement": None if kept is None else told_of(kept)}))
    else:
        _show(features, facts)
    if kept is not None:
        if not as_json:
            print()
            show_kept(kept)
        kept.draw(orders, is_told=not as_json)


def _show(features: dict[str, Weighted], facts: Any) -> None:
    for role, weighted in features.items():
        print(_shown(role, weighted))
        print()
    if facts is not None:
        print(facts)


def _shown(role: str, weighted: Weighted) -> str:
    """What features are worth; where they are learnt from too few games, only that: the numbers would mean nothing."""
    games = f"{weighted.games:,} random game{'s' * (weighted.games != 1)}"
    if weighted.games < FEWEST_GAMES:
        return f"{role}: {games} are too few to learn what features are worth; more --seconds give more"
    return f"{role}: features of {weighted.samples:,} states of {games}\n{weighted}"


def _facts(game: Game, seconds: float, seed: int) -> Any:
    """What was learnt of facts; None where that cannot be done, which is told."""
    from gamemaster.search.native.engine import engine_of
    from gamemaster.search.native.learning import learn

    try:
        compiled = game.compiled
        if compiled is None:
            raise Unsuitable(f"facts can be learnt of compiled games only, and {game.name} is not")
        get_ready(game, ["learning"])
        engine = engine_of(compiled)
        engine.wait(seconds)
        return learn(engine, game.initial_state(), seconds, seed)
    except Unsuitable as error:
        report_text(f"{error}")
        return None


def _as_json(features: dict[str, Weighted]) -> dict[str, Any]:
    return {
        role: {
            "games": weighted.games,
            "samples": weighted.samples,
            "constant": weighted.bias,
            "weights": {part.name: part.weight for part in weighted.parts},
        }
        for role, weighted in features.items()
    }


def _facts_json(facts: Any) -> dict[str, Any] | None:
    if facts is None:
        return None
    return {
        "games": facts.games,
        "explained": dict(zip(facts.roles, facts.explained, strict=True)),
        "weights": {
            role: {str(fact): round(weight, 3) for fact, weight in facts.telling(role, len(facts.facts))}
            for role in facts.roles
        },
    }
