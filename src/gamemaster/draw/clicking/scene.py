"""State and role -> what lies where, and what a move would change there.

Successors are only computed when asked for, never more than a fixed number, and not at all where roles see percepts
instead of states: what a move changes is then not for the role to know. The others make their first legal move
meanwhile.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property

from gamemaster.draw.boards.shape import Row
from gamemaster.draw.clicking.places import Contents, Places
from gamemaster.errors import GamemasterError
from gamemaster.language.terms import Term
from gamemaster.machine.game import State

__all__ = ["Effort", "Scene", "ends", "spread"]

MOST_SUCCESSORS = 240
"""So many moves of a state are tried to see what they change; the others are told by their arguments alone."""
MOST_LOOKED_UP = 500_000
"""So often it is looked up which cell a move names: about a second. Moves of forms that come later are in a list."""
NOTHING: frozenset[object] = frozenset()


class Effort:
    """How much may still be looked up to read moves; what is counted is the same on every machine."""

    def __init__(self, left: int = MOST_LOOKED_UP) -> None:
        self.left = left

    def spend(self, count: int) -> bool:
        """Whether so much is left; it is spent then."""
        self.left -= count
        return self.left >= 0


class Scene:
    """A state as a role sees it on a board."""

    def __init__(
        self,
        places: Places,
        state: State,
        role: str,
        effort: Effort | None = None,
        legal: Sequence[Term] | None = None,
    ) -> None:
        """`legal` are the moves of the role, where the state is only what it knows and cannot tell."""
        self.places = places
        self.effort = effort or Effort()
        self.state = state
        self.role = role
        if legal is None:
            legal = () if state.is_terminal else state.legal_moves(role)
        self.moves = tuple(legal)
        self.is_hidden = state.game.has_percepts
        self._changed: dict[Term, frozenset[str] | None] = {}
        self._after: dict[tuple[Term, int], Contents | None] = {}

    @cached_property
    def before(self) -> Contents:
        """What lies where."""
        return self.places.contents(self.state.ordered_facts)

    @cached_property
    def things(self) -> dict[Row, str]:
        """Where the things are that lie on one cell only, by the leaves that name them."""
        found: dict[Row, set[str]] = {}
        for cell, contents in self.before.items():
            for _, row in contents:
                for start in range(len(row)):
                    for end in range(start + 1, len(row) + 1):
                        found.setdefault(row[start:end], set()).add(cell)
        return {name: cells.pop() for name, cells in found.items() if len(cells) == 1}

    def after(self, move: Term, others: int = 0) -> Contents | None:
        """What lies where after a move; None where that is hidden, fails or has been asked too often.

        The others make their first legal move in the order of the alphabet, or the one at another place.
        """
        if (move, others) not in self._after:
            is_open = bool(self.places.map_of) and not self.is_hidden and len(self._after) < MOST_SUCCESSORS
            self._after[move, others] = self._computed(move, others) if is_open else None
        return self._after[move, others]

    def _computed(self, move: Term, others: int) -> Contents | None:
        joint = {role: legal[others] for role, legal in self._others.items()}
        try:
            return self.places.contents(self.state.next({**joint, self.role: move}).ordered_facts)
        except GamemasterError:
            return None

    @cached_property
    def _others(self) -> dict[str, list[Term]]:
        """The legal moves of the others, in an order that is the same on every machine."""
        others = (role for role in self.state.game.roles if role != self.role)
        return {role: sorted(legal, key=str) for role in others if (legal := self.state.legal_moves(role))}

    def changed(self, move: Term) -> frozenset[str] | None:
        """The cells that a move changes; None where that is not known."""
        if move not in self._changed:
            after = self.after(move)
            self._changed[move] = None if after is None else frozenset(_different(self.before, after))
        return self._changed[move]

    def own_changes(self, moves: Sequence[Term]) -> dict[Term, tuple[str, ...]]:
        """The cells that tell each of these moves apart from the others of them, by what it changes.

        A cell that is the same after most of the moves, changed or not, says nothing about those. Of a single move
        it is not known whether the others changed what changes, unless it has arguments and they have no choice.
        """
        others_choose = not self.is_hidden and bool(set(self.state.choosers) - {self.role})
        if len(moves) == 1 and (others_choose or not isinstance(moves[0], tuple)):
            return {}
        found = self._own_changes(moves, 0)
        if others_choose and not all(found.values()):  # what others do there may hide what a move does
            found = {
                **self._own_changes(moves, -1),
                **{move: cells for move, cells in found.items() if cells},
            }
        return found

    def _own_changes(self, moves: Sequence[Term], others: int) -> dict[Term, tuple[str, ...]]:
        known = {move: after for move in moves if (after := self.after(move, others)) is not None}
        usual = self._usual(list(known.values()))
        return {
            move: tuple(cell for cell in usual if after.get(cell, NOTHING) != usual[cell])
            for move, after in known.items()
        }

    def route(self, move: Term, own: tuple[str, ...]) -> tuple[str, ...]:
        """Two cells that a move changes in the order in which something goes from one to the other; else nothing."""
        after = self.after(move) if len(own) == 2 else None
        if after is None:
            return ()
        cells = self.places.board.cell_of
        for start, end in (own, own[::-1]):
            comes = self.before.get(start, NOTHING) & after.get(end, NOTHING) - self.before.get(end, NOTHING)
            if comes and cells[start].things:
                return (start, end)
        return ()

    def _usual(self, afters: Sequence[Contents]) -> dict[str, object]:
        """What lies after most moves on each cell that some change."""
        cells = {cell for after in afters for cell in _different(self.before, after)}
        return {
            cell: _most(self.before.get(cell, NOTHING), [after.get(cell, NOTHING) for after in afters])
            for cell in self.places.map_of
            if cell in cells
        }


def _most(before: frozenset[object], afters: Sequence[frozenset[object]]) -> object:
    """What is there most often: of several as before, else the least; nothing that compares where that is not clear."""
    counts = Counter(afters)
    top = [contents for contents, count in counts.items() if count == max(counts.values())]
    if len(afters) == 1 or before in top:
        return before
    least = [contents for contents in top if len(contents) == min(map(len, top))]
    return least[0] if len(least) == 1 else None


def ends(own: Mapping[Term, tuple[str, ...]]) -> dict[Term, tuple[str, ...]]:
    """The cells that moves change without those that all of them change, as where all begin, if others are left."""
    told = [set(cells) for cells in own.values() if cells]
    shared = set.intersection(*told) if len(told) > 1 else set()
    if any(cells <= shared for cells in told):
        return dict(own)
    return {move: tuple(cell for cell in cells if cell not in shared) for move, cells in own.items()}


def _different(before: Contents, after: Contents) -> list[str]:
    return [
        cell for cell in before.keys() | after.keys() if before.get(cell, NOTHING) != after.get(cell, NOTHING)
    ]


def spread(moves: Sequence[Term], count: int) -> list[Term]:
    """So many of the moves, from all over the list."""
    if len(moves) <= count:
        return list(moves)
    return [moves[index * len(moves) // count] for index in range(count)]
