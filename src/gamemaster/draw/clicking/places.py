"""Board -> where on it the arguments of facts and moves are.

A term is taken apart into its form (`move(piece(_,_),cell(_,_))`) and the row of its leaves. A place is a tuple of
leaves that is the key of a cell, as `1,2` of `cell(1,2,x)`; the two last parts of a key may be one name, as `a1`.
Panels whose keys differ share a map of places, those with equal keys have one each. Which leaves of a fact are its
place is learned from the facts that are drawn on the board, so that facts of other states find their cells too.
Heaps have a place each, named without the number of the token; how many tokens a fact makes is learned as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice, product
from typing import TypeAlias

from gamemaster.draw.boards.shape import NUMBER, SQUARE, Row
from gamemaster.draw.model import Board, Cell
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


@dataclass(frozen=True)
class FactPlace:
    """Where in facts of one form their place is."""

    map: int
    """Which of the maps of places it is looked up in."""
    columns: tuple[int, ...]
    """The leaves that are the place."""
    count: int | None = None
    """The leaf that says how many tokens a heap has."""


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
        self.heaps: dict[Row, list[str]] = {}
        """The cells of tokens, the first that would be there first; a place is then the first of its heap."""

    def takes(self, cells: Sequence[Cell]) -> bool:
        """Whether all of these cells have keys that are as long as those here, and new. Heaps stay by themselves."""
        if self.heaps:
            return False
        length = max((axis + 1 for axis, _ in self.lines), default=len(cells[0].key) if cells else 0)
        return all(len(cell.key) == length and cell.key not in self.cells for cell in cells)

    def add(self, cell: Cell) -> None:
        """Take up a cell, under its key and under the name that its last two parts make."""
        self.cells[cell.key] = cell.id
        for axis, value in enumerate(cell.key):
            self.lines.setdefault((axis, value), []).append(cell.id)
        if len(cell.key) > 1 and SQUARE.match(joined := "".join(cell.key[-2:])):
            self.cells.setdefault((*cell.key[:-2], joined), cell.id)

    def add_token(self, cell: Cell) -> None:
        """Take up a cell of a heap."""
        self.cells.setdefault(cell.key[:-1], cell.id)
        self.heaps.setdefault(cell.key[:-1], []).append(cell.id)

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
        for panel in (panel for panel in board.panels if panel.cells):
            cells = sorted(panel.cells, key=lambda cell: (*cell.centre[::-1], cell.id))
            self._add(cells, is_heaps=panel.kind == "heaps")
        self.fact_places: dict[Form, FactPlace | None] = self._learned()
        self._orders: dict[tuple[int, int], list[tuple[int, ...]]] = {}
        self._learn_beside([*board.others, *(fact for counter in board.counters for fact in counter.facts)])

    def _add(self, cells: Sequence[Cell], *, is_heaps: bool) -> None:
        fitting = (number for number, each in enumerate(self.maps) if not is_heaps and each.takes(cells))
        home = next(fitting, len(self.maps))
        if home == len(self.maps):
            self.maps.append(PlaceMap())
        for cell in cells:
            if is_heaps:
                self.maps[home].add_token(cell)
            else:
                self.maps[home].add(cell)
            self.map_of[cell.id] = home

    @property
    def signature(self) -> tuple[object, ...]:
        """What boards have in common on which the same terms are at the same places."""
        return frozenset(self.map_of), frozenset(self.fact_places.items())

    def orders(self, number: int, length: int) -> list[tuple[int, ...]]:
        """In which orders moves may have the leaves of a key: that of the facts, that of the key; of two the other.

        Each says for each part of the key which of the leaves it is.
        """
        if (number, length) not in self._orders:
            self._orders[number, length] = self._found_orders(number, length)
        return self._orders[number, length]

    def _found_orders(self, number: int, length: int) -> list[tuple[int, ...]]:
        ways = [
            place.columns
            for place in self.fact_places.values()
            if place and place.map == number and len(place.columns) == length
        ]
        told = sorted({tuple(sorted(columns).index(column) for column in columns) for columns in ways})
        plain = tuple(range(length))
        return list(dict.fromkeys((*told, plain, *([(1, 0)] if length == 2 else []))))

    def contents(self, facts: Iterable[Term]) -> Contents:
        """What these facts put on which cell."""
        found: dict[str, set[tuple[Form, Row]]] = {}
        for fact in facts:
            form, row = take_apart(fact)
            if place := self._fact_place(form, row):
                rest = tuple(
                    leaf for column, leaf in enumerate(row) if column not in (*place.columns, place.count)
                )
                for cell in self._cells(place, row):
                    found.setdefault(cell, set()).add((form, rest))
        return {cell: frozenset(contents) for cell, contents in found.items()}

    def _cells(self, place: FactPlace, row: Row) -> Sequence[str]:
        """The cells of a fact: one, or as many as it has tokens."""
        home, key = self.maps[place.map], tuple(row[column] for column in place.columns)
        if place.count is not None:
            return home.heaps.get(key, [])[: _number(row[place.count])]
        return [home.cells[key]] if key in home.cells else []

    def _fact_place(self, form: Form, row: Row) -> FactPlace | None:
        """Where the place of a fact is: as learned, else the first leaves that are one."""
        if form in self.fact_places:
            return self.fact_places[form]
        return next(
            (
                FactPlace(number, tuple(range(start, start + length)))
                for number, each in enumerate(self.maps)
                for length in each.lengths
                for start in range(len(row) - length + 1)
                if not each.heaps and row[start : start + length] in each.cells
            ),
            None,
        )

    def _learn_beside(self, facts: Iterable[Term]) -> None:
        """Facts that are not drawn have no place, unless they end in coordinates, and nothing else is a number."""
        rows: dict[Form, list[Row]] = {}
        for fact in facts:
            form, row = take_apart(fact)
            rows.setdefault(form, []).append(row)
        for form, those in rows.items():
            if form not in self.fact_places:
                self.fact_places[form] = self._last_place(those)

    def _last_place(self, rows: Sequence[Row]) -> FactPlace | None:
        for number, each in enumerate(self.maps):
            length = each.lengths[0] if each.lengths else 0
            if (
                length > 1
                and not each.heaps
                and all(
                    row[-length:] in each.cells and not any(map(NUMBER.match, row[:-length])) for row in rows
                )
            ):
                return FactPlace(number, tuple(range(len(rows[0]) - length, len(rows[0]))))
        return None

    def _learned(self) -> dict[Form, FactPlace | None]:
        examples: dict[tuple[Form, int], list[tuple[Row, Row]]] = {}
        for id_, number in self.map_of.items():
            cell, is_heap = self.board.cell_of[id_], bool(self.maps[number].heaps)
            for fact in cell.facts:
                form, row = take_apart(fact)
                key = cell.key[:-1] if is_heap else cell.key
                examples.setdefault((form, number), []).append((row, key))
        learned: dict[Form, FactPlace | None] = {}
        for (form, number), pairs in examples.items():
            columns = _columns(pairs)
            if columns is None:
                columns = _columns([(row, _joined(key)) for row, key in pairs])
            if columns is not None:
                learned.setdefault(form, FactPlace(number, columns, self._count(number, columns, pairs)))
        return learned

    def _count(self, number: int, columns: tuple[int, ...], pairs: Sequence[tuple[Row, Row]]) -> int | None:
        """The leaf that is the number of tokens there, or more than are drawn."""
        heaps = self.maps[number].heaps
        cells = self.board.cell_of
        sizes = {key: sum(bool(cells[token].things) for token in heaps.get(key, ())) for _, key in pairs}
        fitting = (
            column
            for column in range(len(pairs[0][0]))
            if column not in columns
            and all(sizes[key] == min(_number(row[column]), len(heaps[key])) for row, key in pairs)
        )
        return next(fitting, None) if heaps else None


def _number(leaf: str) -> int:
    return int(leaf) if NUMBER.match(leaf) else 0


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
    beside = (way for way in ways if way[1:] == tuple(column + 1 for column in way[:-1]))
    return next(beside, ways[0] if ways else None)
