"""Board -> where on it the arguments of facts and moves are.

A term is taken apart into its form (`move(piece(_,_),cell(_,_))`) and the row of its leaves. A place is a tuple of
leaves that is the key of a cell, as `1,2` of `cell(1,2,x)`; the two last parts of a key may be one name, as `a1`.
Panels whose keys differ share a map of places, those with equal keys have one each. Which leaves of a fact are its
place is learned from the facts that are drawn on the board, so that facts of other states find their cells too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice, product
from typing import TypeAlias

from gamemaster.draw.board import Board, Cell
from gamemaster.draw.shape import SQUARE, Row
from gamemaster.language.terms import Term

__all__ = ["Contents", "Form", "PlaceMap", "Places", "take_apart"]

MOST_LEAVES = 24
"""A term with more leaves names no place that people would find."""
MOST_GUESSES = 1000
"""So many ways to find a place in a fact are tried."""
KEPT = 20_000
"""So many terms that were taken apart are remembered: facts and moves come again in every state."""


@dataclass(frozen=True)
class Form:
    """What terms have in common that differ in their leaves only."""

    functors: tuple[str, ...]
    """In reading order, each with the number of its arguments; `_` for a leaf."""
    parents: tuple[int, ...]
    """For each leaf, which of the functors it is an argument of."""

    @property
    def name(self) -> str:
        """The outermost functor; nothing for a symbol."""
        return self.functors[0].rpartition("/")[0]


Contents: TypeAlias = Mapping[str, frozenset[tuple[Form, Row]]]
"""What lies on each cell by its id: facts without their place."""

FactPlace: TypeAlias = tuple[int, tuple[int, ...]]
"""The map of places of a form of facts, and which leaves are the place."""


@lru_cache(KEPT)
def take_apart(term: Term) -> tuple[Form, Row]:
    """The form of a term, and its leaves in reading order; nothing of a term that has too many."""
    functors: list[str] = []
    parents: list[int] = []
    row: list[str] = []
    todo: list[tuple[object, int]] = [(term, 0)]
    while todo:
        part, parent = todo.pop()
        if isinstance(part, tuple):
            todo += [(each, len(functors)) for each in part[:0:-1]]
            functors.append(f"{part[0]!s}/{len(part) - 1}")
        else:
            functors.append("_")
            parents.append(parent)
            row.append(str.__str__(part) if isinstance(part, str) else str(part))
    is_small = len(row) <= MOST_LEAVES
    return (Form(tuple(functors), tuple(parents)), tuple(row)) if is_small else (Form(("_",), ()), ())


class PlaceMap:
    """Cells by their keys, no two alike; and those that agree in one coordinate."""

    def __init__(self) -> None:
        self.cells: dict[Row, str] = {}
        self.lines: dict[tuple[int, str], list[str]] = {}
        """By which coordinate, and its value."""

    def takes(self, cells: Sequence[Cell]) -> bool:
        """Whether all of these cells have keys that are as long as those here, and new."""
        length = max((axis + 1 for axis, _ in self.lines), default=len(cells[0].key) if cells else 0)
        return all(len(cell.key) == length and cell.key not in self.cells for cell in cells)

    def add(self, cell: Cell) -> None:
        """Take up a cell, under its key and under the name that its last two parts make."""
        self.cells[cell.key] = cell.id
        for axis, value in enumerate(cell.key):
            self.lines.setdefault((axis, value), []).append(cell.id)
        if len(cell.key) > 1 and SQUARE.match(joined := "".join(cell.key[-2:])):
            self.cells.setdefault((*cell.key[:-2], joined), cell.id)

    @cached_property
    def lengths(self) -> tuple[int, ...]:
        """How many leaves name a cell, the most first."""
        return tuple(sorted({len(key) for key in self.cells}, reverse=True))


class Places:
    """The cells of a board by what names them in facts and moves."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.maps: list[PlaceMap] = []
        self.map_of: dict[str, int] = {}
        for panel in board.panels:
            self._add(sorted(panel.cells, key=lambda cell: (*cell.centre[::-1], cell.id)))
        self.fact_places: dict[Form, FactPlace | None] = self._learned()
        beside = [*board.others, *(fact for counter in board.counters for fact in counter.facts)]
        for fact in beside:
            self.fact_places.setdefault(take_apart(fact)[0], None)

    def _add(self, cells: Sequence[Cell]) -> None:
        home = next((number for number, each in enumerate(self.maps) if each.takes(cells)), len(self.maps))
        if home == len(self.maps):
            self.maps.append(PlaceMap())
        for cell in cells:
            self.maps[home].add(cell)
            self.map_of[cell.id] = home

    @property
    def signature(self) -> tuple[object, ...]:
        """What boards have in common on which the same terms are at the same places."""
        return frozenset(self.map_of), frozenset(self.fact_places.items())

    def contents(self, facts: Iterable[Term]) -> Contents:
        """What these facts put on which cell."""
        found: dict[str, set[tuple[Form, Row]]] = {}
        for fact in facts:
            form, row = take_apart(fact)
            place = self._fact_place(form, row)
            cell = place and self.maps[place[0]].cells.get(tuple(row[column] for column in place[1]))
            if place and cell:
                rest = tuple(leaf for column, leaf in enumerate(row) if column not in place[1])
                found.setdefault(cell, set()).add((form, rest))
        return {cell: frozenset(contents) for cell, contents in found.items()}

    def _fact_place(self, form: Form, row: Row) -> FactPlace | None:
        """Where the place of a fact is: as learned, else the first leaves that are one."""
        if form in self.fact_places:
            return self.fact_places[form]
        return next(
            (
                (number, tuple(range(start, start + length)))
                for number, each in enumerate(self.maps)
                for length in each.lengths
                for start in range(len(row) - length + 1)
                if row[start : start + length] in each.cells
            ),
            None,
        )

    def _learned(self) -> dict[Form, FactPlace | None]:
        examples: dict[tuple[Form, int], list[tuple[Row, Row]]] = {}
        for id_, number in self.map_of.items():
            cell = self.board.cell_of[id_]
            for fact in cell.facts:
                form, row = take_apart(fact)
                examples.setdefault((form, number), []).append((row, cell.key))
        learned: dict[Form, FactPlace | None] = {}
        for (form, number), pairs in examples.items():
            columns = _columns(pairs) or _columns([(row, _joined(key)) for row, key in pairs])
            if columns:
                learned.setdefault(form, (number, columns))
        return learned


def _joined(key: Row) -> Row:
    return (*key[:-2], "".join(key[-2:]))


def _columns(pairs: Sequence[tuple[Row, Row]]) -> tuple[int, ...] | None:
    """The leaves that are the key in all of these rows: beside each other if possible."""
    width, length = len(pairs[0][0]), len(pairs[0][1])
    if any(len(key) != length for _, key in pairs):
        return None
    fitting = [
        [column for column in range(width) if all(row[column] == key[part] for row, key in pairs)]
        for part in range(length)
    ]
    ways = [way for way in islice(product(*fitting), MOST_GUESSES) if len(set(way)) == length]
    beside = (way for way in ways if way == tuple(range(way[0], way[0] + length)))
    return next(beside, ways[0] if ways else None)
