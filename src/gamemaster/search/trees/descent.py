"""What depth-first searches share that look at every move: the descent, the tally of the root's moves, a memory.

A search says what a position is worth at once, what a move leads to, which of two outcomes the mover prefers, and when
it needs to look no further; `value` and `run` do the rest. What was found exactly stays for deeper searches.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping
from typing import Generic, NamedTuple, TypeVar

from gamemaster.language.terms import Term
from gamemaster.search.budget import Meter
from gamemaster.search.position import MOST_ENTRIES, Position, shuffled
from gamemaster.search.tally import Line, Outcome, Tally

__all__ = ["Descent", "Shares", "prefers_value"]


class Shares(NamedTuple):
    """What a position is worth to every role, where an Outcome says it for one."""

    values: Mapping[str, float]
    line: Line
    is_exact: bool


Found = TypeVar("Found", Outcome, Shares)


class Descent(ABC, Generic[Found]):
    """Depth-first search to a depth."""

    def __init__(self, role: str, meter: Meter) -> None:
        self.role = role
        self.meter = meter
        self.memo: dict[Hashable, tuple[int, Found]] = {}

    @abstractmethod
    def at_once(self, position: Position, depth: int) -> Found | None:
        """What a position is worth without a look at its moves: an end, or the horizon; None where it has to look."""

    @abstractmethod
    def after(self, position: Position, move: Term, depth: int) -> Found:
        """What a move leads to."""

    @abstractmethod
    def dead_end(self) -> Found:
        """What a position is worth where nobody can move."""

    @abstractmethod
    def prefers(self, position: Position, one: Found, other: Found) -> bool:
        """Whether the one who chooses would rather have one outcome than the other."""

    @abstractmethod
    def suffices(self, position: Position, found: Found) -> bool:
        """Whether the one who chooses needs to look no further."""

    def suffices_at_root(self, root: Position, found: Found) -> bool:
        """The same at the root, where no more may be needed."""
        return self.suffices(root, found)

    @abstractmethod
    def note(self, tally: Tally, move: Term, found: Found, *, is_best: bool) -> None:
        """Take down what a move of the root is worth to the role."""

    def run(self, root: Position, depth: int, tally: Tally, seed: int = 0) -> None:
        """Tally the root's moves."""
        self.meter.node()
        if root.is_terminal:
            return
        best, is_exact = None, True
        for move in shuffled(root.moves, seed):
            found = self.after(root, move, depth - 1)
            is_best = best is None or self.prefers(root, found, best)
            best = found if is_best else best
            self.note(tally, move, found, is_best=is_best)
            is_exact = is_exact and found.is_exact
            if self.suffices_at_root(root, found):
                is_exact = found.is_exact
                break
        tally.is_exact = is_exact

    def value(self, position: Position, depth: int) -> Found:
        """What a position is worth."""
        found = self.at_once(position, depth)
        if found is not None:
            return found
        searched, known = self.memo.get(position.key, (0, None))
        if known is not None and (known.is_exact or searched == depth):
            return known
        found = self.best(position, depth)
        if len(self.memo) < MOST_ENTRIES or known is not None:
            self.memo[position.key] = (depth, found)
        return found

    def best(self, position: Position, depth: int) -> Found:
        """The outcome that the one who chooses takes."""
        best, is_exact = None, True
        for move in position.moves:
            found = self.after(position, move, depth - 1)
            if best is None or self.prefers(position, found, best):
                best = found._replace(line=(move, found.line))
            is_exact = is_exact and found.is_exact
            if self.suffices(position, found):
                return best
        return self.dead_end() if best is None else best._replace(is_exact=is_exact)


def prefers_value(is_own: bool, one: Outcome, other: Outcome) -> bool:
    """Whether one outcome is better for the role, or worse where somebody else chooses: all others are enemies."""
    return one.value > other.value if is_own else one.value < other.value
