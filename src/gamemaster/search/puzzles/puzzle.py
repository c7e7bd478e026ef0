"""What the searches for puzzles share: one role only, a line of moves to its best end."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from math import inf

from gamemaster.errors import Unsuitable
from gamemaster.language.terms import Term
from gamemaster.machine.game import State
from gamemaster.search.budget import Budget, Meter
from gamemaster.search.playouts.batches import worth
from gamemaster.search.result import NOT_SEARCHED, SearchResult

__all__ = ["DEFAULT", "Best", "check_puzzle", "key_of", "limited"]

DEFAULT = Budget(seconds=10.0)
"""What a search for a solution may spend where the budget says nothing: puzzles have no clock that others wait for."""


def limited(budget: Budget) -> Budget:
    """The budget, or the default where it has no limit at all."""
    return DEFAULT if budget == Budget() else budget


def check_puzzle(algorithm: str, state: State, role: str) -> None:
    """Nothing, where the role is alone; else Unsuitable, which says what to take instead."""
    game = state.game
    game.check_role(role)
    if game.kind.roles > 1:
        raise Unsuitable(
            f"{algorithm} is for puzzles with one role; {game.name} has {len(game.roles)} "
            f"({', '.join(game.roles)}): take uct, or decoupled where roles choose at once"
        )


def key_of(state: State) -> Hashable:
    """What a state is found by in a memo: its bits where it has any, which hash many times faster than its facts."""
    return state.key


@dataclass
class Best:
    """The best end found so far, over all and by first move; a state that is over itself has an empty line."""

    state: State
    role: str
    value: float = -inf
    line: tuple[Term, ...] = ()
    values: dict[Term, float] = field(default_factory=dict)
    visits: dict[Term, int] = field(default_factory=dict)
    lines: dict[Term, tuple[Term, ...]] = field(default_factory=dict)

    def offer(self, value: float, line: Sequence[Term]) -> None:
        """Take note of an end; of equally good ones the first counts."""
        if line and value > self.values.get(line[0], -inf):
            self.values[line[0]], self.lines[line[0]] = value, tuple(line)
        if value > self.value:
            self.value, self.line = value, tuple(line)

    def count(self, move: Term) -> None:
        """Take note that something was tried after this first move."""
        self.visits[move] = self.visits.get(move, 0) + 1

    def result(self, algorithm: str, meter: Meter, *, is_proven: bool) -> SearchResult:
        """The first move of the best line; the first legal move where no end was found."""
        legal = () if self.state.is_terminal else self.state.legal_moves(self.role)
        line = self.line or legal[:1]
        value = self.value if self.value > -inf else worth(self.state, self.role)
        return SearchResult(
            algorithm,
            self.role,
            line[0] if line else None,
            value,
            values={move: self.values.get(move, 0.0) for move in legal},
            visits={move: self.visits.get(move, 0) for move in legal},
            line=line,
            depth=len(line),
            nodes=meter.nodes,
            playouts=meter.playouts,
            seconds=meter.seconds,
            is_proven=is_proven,
            lines=dict(self.lines),
            notes=NOT_SEARCHED if len(legal) > 1 and not self.values and meter.is_spent() else "",
        )
