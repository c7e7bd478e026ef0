"""Game -> Layouts: which of its relations are grids, and what each of their columns means.

A relation is a grid where two neighbouring columns are coordinates with cells for many of their pairs. What
comes after the coordinates is the content of the cell, as in `cell(1,1,x)`. Numbers before them tell several
grids apart, as the levels of `cell(2,1,1,x)`. Where nothing comes after them the fact says that something is
at a place: `leaf(1,2)`, `position(red,3,4)`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod
from typing import TypeAlias

from gamemaster.draw.boards.shape import Row, Shape, axis_of, fact_relation, shape_of
from gamemaster.draw.boards.symbols import is_blank, most_common
from gamemaster.draw.finding.facts import kept_relations
from gamemaster.draw.finding.orientation import (
    BOARD_WORDS,
    LINE_WORDS,
    Orientation,
    column_words,
    find_orientation,
)
from gamemaster.draw.finding.possible import PossibleFacts, possible_facts
from gamemaster.language.rules import Relation
from gamemaster.language.terms import Term
from gamemaster.machine.game import Game

__all__ = ["GridLayout", "layouts_of"]

MAX_GRIDS = 9
"""More than this are no levels of a board."""
DENSE = 0.4
"""The part of all row and column pairs that must be cells."""
CROWDED = 1.5
"""At most so many contents for each cell, on average, at the start."""
MAX_CONTENT = 3
"""More columns than this are no content of a cell."""
ALL_NUMBERS = 4
"""A relation with so many columns, all of them coordinates, relates places to each other."""
SMALLEST_SET = 4
"""A relation of coordinates alone and without facts is a grid if it is a square of at least this size."""

Axis: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, eq=False)
class GridLayout:
    """How the facts of a relation are a grid, or several.

    Columns are either index (which grid), coordinates or content; `cells` holds index and coordinates of each
    cell.
    """

    shape: Shape
    index: tuple[int, ...]
    coordinates: tuple[int, int]
    content: tuple[int, ...]
    axes: tuple[Axis, Axis]
    cells: frozenset[Row]
    contents: tuple[str, ...]
    common: str | None
    """The content that more cells have at the start than any other."""
    orientation: Orientation

    @property
    def is_of_places(self) -> bool:
        """Whether facts say what a place has, rather than where a thing is."""
        return bool(self.content) and self.content[-1] > self.coordinates[1]


def layouts_of(game: Game) -> tuple[GridLayout, ...]:
    """The layouts of a game: of places first, then by size."""
    possible = possible_facts(game)
    facts: dict[Relation, list[Term]] = {relation: [] for relation in possible.relations}
    for fact in dict.fromkeys((*possible.declared, *possible.initial)):
        if relation := fact_relation(fact):
            facts.setdefault(relation, []).append(fact)
    found = {relation: _layout(game, possible, relation, known) for relation, known in facts.items()}
    layouts = sorted(
        (layout for layout in found.values() if layout is not None),
        key=lambda each: (not each.is_of_places, -len(each.cells), len(each.contents)),
    )
    things = (
        _GridSearch(game, possible, relation, facts[relation]).on(layouts[0])
        for relation, layout in found.items()
        if layout is None and layouts and layouts[0].is_of_places
    )
    return (*layouts, *(layout for layout in things if layout is not None))


def _layout(
    game: Game, possible: PossibleFacts, relation: Relation, facts: Collection[Term]
) -> GridLayout | None:
    """The layout of a relation; by its facts at the start alone where what is declared is too much to be a grid."""
    layout = _GridSearch(game, possible, relation, facts).layout()
    initial = possible.initial_of(relation)
    if layout is None and len(initial) < len(facts):
        return _GridSearch(game, possible, relation, initial, is_start=True).layout() if initial else None
    return layout


class _GridSearch:
    """What is known of a relation's facts, from which its layout follows."""

    def __init__(
        self,
        game: Game,
        possible: PossibleFacts,
        relation: Relation,
        facts: Collection[Term],
        *,
        is_start: bool = False,
    ) -> None:
        self.game = game
        self.shape = shape_of(relation, facts)
        self.rows = list(self.shape.rows(facts))
        self.initial = list(self.shape.rows(possible.initial_of(relation)))
        self.is_declared = not is_start and possible.declares(relation)
        self.values = [set(column) for column in zip(*self.rows, strict=True)]
        self.values = self.values or [set() for _ in self.shape.paths]
        if not self.is_declared and not is_start and not self.shape.squares:
            self._add_domains(possible)
        self.axes = [axis_of(values) if not values & set(game.roles) else () for values in self.values]

    def _add_domains(self, possible: PossibleFacts) -> None:
        """Add the values that the rules allow, but for those that would spoil coordinates."""
        for values, (argument, part) in zip(self.values, self.shape.paths, strict=True):
            name, arity = self.shape.inner[argument] or self.shape.relation
            allowed = possible.domains.get((name, arity, argument if part is None else part), set())
            if not axis_of(values) or axis_of(values | allowed):
                values |= allowed

    def layout(self) -> GridLayout | None:
        """The layout, or None where the relation is no grid."""
        coordinates = self._first_of_three() or _coordinates(self.axes, self.initial)
        if coordinates is None or (len(self.axes) >= ALL_NUMBERS and all(self.axes)):
            return None
        first, second = coordinates
        index = self._index(first, second)
        content = tuple(c for c in range(len(self.axes)) if c not in (*index, first, second))
        cells = self._cells((*index, first, second), content)
        if not cells or len(content) > MAX_CONTENT or not (content or self._is_set()):
            return None
        axes = (self.axes[first], self.axes[second])
        start = [((row[first], row[second]), _text(row, content)) for row in self.initial]
        return GridLayout(
            shape=self.shape,
            index=index,
            coordinates=coordinates,
            content=content,
            axes=axes,
            cells=cells,
            contents=self._contents(content),
            common=most_common(self._texts(content)),
            orientation=find_orientation(self.game, self.shape, coordinates, axes, start),
        )

    def on(self, grid: GridLayout) -> GridLayout | None:
        """The layout of facts that name a cell of a grid that is known, as `pos(c3,r6)` or `at(red,2,3)`."""
        size = len(self.values)
        if grid.index or not 2 <= size <= 3 or not all(self.values):
            return None
        coordinates = (size - 2, size - 1)
        axes = [set(axis) for axis in grid.axes]
        if any(not self.values[column] <= axis for column, axis in zip(coordinates, axes, strict=True)):
            return None
        content = tuple(range(size - 2))
        return replace(
            grid,
            shape=self.shape,
            coordinates=coordinates,
            content=content,
            contents=self._contents(content),
            common=None,
        )

    def _first_of_three(self) -> tuple[int, int] | None:
        """The first two of three columns that can have the same values, as in `mark(row,column,digit)`: where neither
        facts at the start nor words for the last two say that it is these."""
        if len(self.axes) != 3 or self.initial or not all(self.axes) or len(set(self.axes)) != 1:
            return None
        words = column_words(self.game, self.shape)
        is_line = [bool(LINE_WORDS & each) for each in words]
        return None if is_line == [False, True, True] else (0, 1)

    def _index(self, first: int, second: int) -> tuple[int, ...]:
        """The columns before the coordinates that tell several grids apart, or one behind them; none where no content
        follows.

        Numbers do, and names too where a cell would have several contents without them.
        """
        if second + 1 == len(self.axes):
            return ()
        if first == 0 and (self._is_height(2) or self._is_board(2)):
            return (2,)
        index = tuple(column for column in range(first) if self.axes[column])
        if not self._is_function((*index, first, second)):
            index = tuple(range(first))
        return index if prod(len(self.values[column]) for column in index) <= MAX_GRIDS else ()

    def _is_height(self, column: int) -> bool:
        """Whether a column is a third coordinate, as in `cube(x,y,z,red)`: all begins at one height."""
        if len(self.axes) <= column + 1 or self.axes[0] != self.axes[1]:
            return False
        levels = {row[column] for row in self.initial}
        if len(levels) != 1 or not set(self.axes[0]) <= self.values[column]:
            return False
        self.axes[column] = self.axes[0]
        return True

    def _is_board(self, column: int) -> bool:
        """Whether a column behind the coordinates says on which board a cell is, as in `cell(x,y,board,red)`: at the
        start cells would have several contents without it, or it is called a board."""
        if len(self.axes) <= column + 1 or not 2 <= len(self.axes[column]) <= MAX_GRIDS:
            return False
        if self.initial:
            return not self._is_function((0, 1)) and self._is_function((0, 1, column))
        return bool(BOARD_WORDS & column_words(self.game, self.shape)[column])

    def _is_function(self, columns: Sequence[int]) -> bool:
        """Whether a cell has one content at the start, but for a few."""
        cells = {tuple(row[column] for column in columns) for row in self.initial}
        return len(self.initial) <= CROWDED * len(cells)

    def _cells(self, columns: Sequence[int], content: Sequence[int]) -> frozenset[Row]:
        """The cells: those declared or, where empty cells have facts too, of known facts; else all pairs."""
        known = frozenset(tuple(row[column] for column in columns) for row in self.rows)
        every = frozenset(product(*(self.axes[column] or self.values[column] for column in columns)))
        if not content:
            return every
        if not self._is_function(columns):
            return frozenset()
        texts = self._texts(content)
        common = most_common(texts)
        if not self.is_declared and not any(is_blank(text, common) for text in texts):
            return every
        return known if len(known) >= DENSE * len(every) else frozenset()

    def _texts(self, content: Sequence[int]) -> list[str]:
        return [_text(row, content) for row in self.initial]

    def _is_set(self) -> bool:
        """Whether facts of coordinates alone are a set of cells: not a function, as `heap(a,5)`."""
        if self.shape.squares:
            return False
        if self.initial:
            return all(len(set(column)) < len(column) for column in zip(*self.initial, strict=True))
        first, second = self.axes
        is_kept = self.shape.relation in kept_relations(self.game)
        return is_kept and first == second and len(first) >= SMALLEST_SET and not first[0].isalpha()

    def _contents(self, columns: Sequence[int]) -> tuple[str, ...]:
        """What can be in a cell, in the order in which it is known."""
        found = [_text(row, columns) for row in self.rows]
        if len(columns) == 1:
            found += sorted(self.values[columns[0]])
        return tuple(dict.fromkeys(found)) if columns else (self.shape.relation[0],)


def _text(row: Row, columns: Sequence[int]) -> str:
    return " ".join(row[column] for column in columns)


def _coordinates(axes: Sequence[Axis], initial: Sequence[Row]) -> tuple[int, int] | None:
    """Two neighbouring columns that are coordinates.

    Of several pairs: the only one with equal values, as in `hole(quadrant,x,y,peg)`; else the first, if no
    two facts at the start agree in it, as in `cell(1,2,5)`; else the largest and the last, as in
    `cell(level,row,column,x)`.
    """
    pairs = [(c, c + 1) for c in range(len(axes) - 1) if axes[c] and axes[c + 1]]
    if len(pairs) < 2:
        return pairs[0] if pairs else None
    square = [pair for pair in pairs if axes[pair[0]] == axes[pair[1]]]
    if len(square) == 1:
        return square[0]
    first, second = pairs[0]
    if initial and len({(row[first], row[second]) for row in initial}) == len(initial):
        return pairs[0]
    return max(pairs, key=lambda pair: (len(axes[pair[0]]) * len(axes[pair[1]]), pair))
