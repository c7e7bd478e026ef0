"""What a role can tell of a game: the sequence of its own moves, what it saw after each, and which moves it has then.

An `InformationBook` has all such sequences of a role, layer by layer: those after no step, after one, ... Each is a
number within its layer. What was *seen* is told apart by what was known before, the move made there, and the percepts;
what is *known* then also by the moves that the role has. So nobody ever forgets anything: perfect recall.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from gamemaster.errors import StrategyError
from gamemaster.language.terms import Term
from gamemaster.solving.equilibrium.walking import NO_MOVE, Ints, Percepts

__all__ = ["NO_STATE", "InformationBook", "Memory", "Page", "Sighting"]

NO_STATE = -1
"""Where a role has no choice."""

Sighting = tuple[Term | None, frozenset[Term]]
"""A role's own move in a step, None where it had none, and what it saw."""


@dataclass(eq=False)
class Page:
    """What a role can know after so many steps: sorted keys, whose places are the numbers."""

    percepts: tuple[frozenset[Term], ...] = (frozenset(),)
    moves: int = 0
    """How many moves the keys count with."""

    seen: Ints = field(default_factory=lambda: np.zeros(1, np.int64))
    """(known before * (moves + 1) + move + 1) * percepts + percept."""

    legal: tuple[tuple[int, ...], ...] = ()
    known: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    """Seen * legal + which of `legal`."""

    states: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    """The information state of each of `known`, NO_STATE where there is no choice."""

    _common: dict[int, frozenset[Term]] = field(default_factory=dict)

    def common(self, rest: int) -> frozenset[Term]:
        """What is seen in any case by who knew and did the same, as a key of `seen` counts both."""
        if rest not in self._common:
            size = len(self.percepts)
            first, last = np.searchsorted(self.seen, [rest * size, (rest + 1) * size])
            sets = [self.percepts[key % size] for key in self.seen[first:last].tolist()]
            self._common[rest] = frozenset.intersection(*sets)
        return self._common[rest]


@dataclass(eq=False)
class InformationBook:
    """All that a role can know, layer by layer. Its information states are numbered as they are found."""

    role: str
    moves: Sequence[Term]
    layers: list[Page] = field(default_factory=lambda: [Page()])

    def see(self, before: Ints, made: Ints, percepts: Percepts) -> Ints:
        """Begin another layer with what is seen in cases; the number of each."""
        moves = len(self.moves)
        keys = (before * (moves + 1) + made + 1) * len(percepts.sets) + percepts.numbers
        found, numbers = np.unique(keys, return_inverse=True)
        self.layers.append(Page(percepts.sets, moves, found))
        return np.asarray(numbers, np.int64)

    def story(self, layer: int, known: int) -> list[Sighting]:
        """How a role comes to know that: its moves, and what it saw, step by step."""
        told: list[Sighting] = []
        for page in self.layers[layer:0:-1]:
            seen = int(page.known[known]) // len(page.legal)
            rest, percept = divmod(int(page.seen[seen]), len(page.percepts))
            known, made = divmod(rest, page.moves + 1)
            told.append((self.moves[made - 1] if made else None, page.percepts[percept]))
        return told[::-1]

    def news(self, layer: int, known: int) -> list[Sighting]:
        """The same, without what goes without saying: a move that was the only one, what is seen whatever happened."""
        told: list[Sighting] = []
        for number in range(layer, 0, -1):
            page, before = self.layers[number], self.layers[number - 1]
            seen = int(page.known[known]) // len(page.legal)
            rest, percept = divmod(int(page.seen[seen]), len(page.percepts))
            known, made = divmod(rest, page.moves + 1)
            is_choice = before.states[known] != NO_STATE
            own = self.moves[made - 1] if made and is_choice else None
            told.append((own, page.percepts[percept] - page.common(rest)))
        return told[::-1]

    def legals(self, layer: int, known: int) -> list[tuple[Term, ...]]:
        """Which moves a role has that knows that, in each step until then and now."""
        told = []
        for page in self.layers[layer::-1]:
            seen, legal = divmod(int(page.known[known]), len(page.legal))
            told.append(tuple(self.moves[move] for move in page.legal[legal]))
            known = int(page.seen[seen]) // len(page.percepts) // (page.moves + 1)
        return told[::-1]

    def places(self) -> list[tuple[int, int]]:
        """Where each information state stands: its layer, and its number among what is known there."""
        found: dict[int, tuple[int, int]] = {}
        for layer, page in enumerate(self.layers):
            for known in np.flatnonzero(page.states != NO_STATE).tolist():
                found[int(page.states[known])] = layer, known
        return [found[state] for state in range(len(found))]


@dataclass
class Memory:
    """A role in play: `hear` which moves it has, make one, `see` what came of it, and so on."""

    book: InformationBook
    layer: int = 0
    seen: int = 0
    known: int = 0

    def hear(self, legal: Iterable[Term]) -> int:
        """The information state with these legal moves, NO_STATE without a choice. StrategyError where it cannot be."""
        page, all_moves = self.book.layers[self.layer], list(self.book.moves)
        moves = tuple(legal)
        try:
            numbers = tuple(sorted(all_moves.index(move) for move in moves))
            self.known = _place(page.known, self.seen * len(page.legal) + page.legal.index(numbers))
        except ValueError:
            raise self._impossible(f"with the moves {_listed(moves)}") from None
        return int(page.states[self.known])

    def see(self, own: Term | None, percepts: Iterable[Term]) -> None:
        """Go a step on. StrategyError for what cannot be: no play leads there."""
        seen = frozenset(percepts)
        try:
            page = self.book.layers[self.layer + 1]
            made = NO_MOVE if own is None else list(self.book.moves).index(own)
            key = (self.known * (page.moves + 1) + made + 1) * len(page.percepts)
            self.seen = _place(page.seen, key + page.percepts.index(seen))
        except (ValueError, IndexError):
            raise self._impossible(f"making {own} and seeing {_listed(seen)}") from None
        self.layer += 1

    def _impossible(self, what: str) -> StrategyError:
        return StrategyError(
            f"{self.book.role} cannot be in step {self.layer + 1} {what}: no play leads there"
        )


def _place(keys: Ints, key: int) -> int:
    """Where a key stands; ValueError where it does not."""
    place = int(np.searchsorted(keys, key))
    if place == len(keys) or keys[place] != key:
        raise ValueError(key)
    return place


def _listed(terms: Collection[Term]) -> str:
    return ", ".join(sorted(map(str, terms)))[:200] or "nothing"
