"""Weights of moves, for random games in which not all legal moves are equally likely.

{role: {move: weight}}, or for a role a weight for each of its moves in the order of `game.layout.moves`. A move that is
not named weighs 1, and so do all moves of a role that is not named. Where all legal moves of a role weigh nothing,
they are equally likely.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Mapping
from numbers import Real
from typing import TYPE_CHECKING, Any, TypeAlias

from gamemaster.errors import ParameterError
from gamemaster.language.terms import Term
from gamemaster.machine.arguments import shown
from gamemaster.machine.mistakes import dead_end

if TYPE_CHECKING:
    from gamemaster.machine.game import Game, State

__all__ = ["GivenWeights", "Weights", "checked_weights", "weighed_moves"]

GivenWeights: TypeAlias = Mapping[
    str, Mapping[Term, float] | Mapping[str, float] | Mapping[Term | str, float] | Iterable[float]
]
"""As callers give them."""

Weights: TypeAlias = Mapping[str, Mapping[Term, float]]
"""For each role the moves that were named, by their terms."""


def checked_weights(game: Game, given: GivenWeights | None) -> Weights | None:
    """Weights as terms and numbers; ParameterError for what are none, UnknownRole for whom there is not."""
    if given is None:
        return None
    if not isinstance(given, Mapping):
        raise ParameterError(f"weights must be {{role: {{move: weight}}}}, not {shown(given)}")
    found: dict[str, dict[Term, float]] = {}
    for role, own in given.items():
        game.check_role(role)
        pairs: Iterable[tuple[Any, object]]
        pairs = own.items() if isinstance(own, Mapping) else _in_line(game, role, own)
        found[role] = {game.move_of(move): _weight(role, move, weight) for move, weight in pairs}
        _check_moves(game, role, found[role])
    return found


def _in_line(game: Game, role: str, own: object) -> Iterable[tuple[Term, object]]:
    """The moves of a role with their weights, where those come as an array."""
    weights = list(own) if isinstance(own, Iterable) and not isinstance(own, str | bytes) else None
    if game.compiled is None or weights is None:
        raise ParameterError(f"weights of {role} must be {{move: weight}}, not {shown(own)}")
    moves = game.compiled.layout.moves[game.roles.index(role)]
    if len(weights) != len(moves):
        raise ParameterError(
            f"weights of {role} must be {len(moves):,} in the order of game.layout.moves, not {len(weights):,}"
        )
    return zip(moves, weights, strict=True)


def _weight(role: str, move: object, weight: object) -> float:
    is_number = isinstance(weight, Real) and not isinstance(weight, bool)
    try:
        number = float(weight) if is_number else math.nan  # type: ignore[arg-type]
    except OverflowError:
        number = math.inf
    if not 0 <= number < math.inf:
        raise ParameterError(
            f"the weight of {shown(str(move))} of {role} must be a finite number, 0 or more, not {shown(weight)}"
        )
    return number


def _check_moves(game: Game, role: str, weights: Mapping[Term, float]) -> None:
    """ParameterError for a move that a role can never make, where the machine knows that."""
    if game.compiled is not None:
        known = set(game.compiled.layout.moves[game.roles.index(role)])
        for move in weights:
            if move not in known:
                raise ParameterError(f"move {shown(str(move))} can never be made by {role} in {game.name}")


def weighed_moves(state: State, generator: random.Random, weights: Weights) -> dict[str, Term]:
    """A legal move for every role that has one, by weights; GameIllDefined where nobody has one."""
    moves = {}
    for role in state.movers:
        legal = state.legal_moves(role)
        own = [weights.get(role, {}).get(move, 1.0) for move in legal]
        largest = max(own)  # the sum of very large ones may be infinite, that of their shares is not
        moves[role] = generator.choices(legal, [weight / largest for weight in own] if largest else None)[0]
    if not moves:
        raise dead_end(state)
    return moves
