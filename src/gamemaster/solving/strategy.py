"""Strategy: what a role plays in every position that can come of it, what that is sure to get, and why.

However a strategy was found (labels of all positions, a tree that is proven, a symmetry), it is a value of this kind:
it can be checked against every reply (`checking.py`), explained, kept in a file, and played by the player `perfect`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from gamemaster.language.terms import Term
from gamemaster.machine.game import Game, State

__all__ = ["Counsel", "Strategy", "after_choice", "goal_at_end"]


@dataclass(frozen=True, slots=True)
class Counsel:
    """What to play in a state, and why.

    `value` is the goal that the role is sure to get from there; `distance` the steps that it takes against the best
    replies, where that is known: who replies worse may take longer to get less. `move` is None where the role has
    nothing to choose.
    """

    move: Term | None
    value: int
    why: str
    distance: int | None = None


class Strategy(Protocol):
    """What a role plays, from the initial state on, whatever the others do."""

    @property
    def game(self) -> Game:
        """The game it is for."""

    @property
    def role(self) -> str:
        """Who plays by it."""

    @property
    def value(self) -> int:
        """The goal that the role is sure to get from the initial state."""

    def advise(self, state: State) -> Counsel:
        """What to play in a state; StrategyError where the strategy never leads there and says nothing of it."""

    def explain(self) -> str:
        """The strategy in words, for a person: what it is, and why it works."""

    def to_json(self) -> dict[str, Any]:
        """The strategy as plain data; `kind` says which class reads it again."""


def after_choice(state: State, move: Term) -> State:
    """The state after a move of who chooses, or has the first move where nobody has a choice."""
    joint = {role: state.legal_moves(role)[0] for role in state.movers}
    return state.next({**joint, str(state.chooser): move})


def goal_at_end(state: State, role: str) -> int:
    """What a role gets where no step follows: its goal, nothing at a dead end, whatever goal the rules give there."""
    return (state.goal(role) or 0) if state.is_terminal else 0
