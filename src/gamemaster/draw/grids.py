"""State -> Grids: its facts as grids of cells, and those that are in no grid.

Relations that say what a place has (`cell(1,1,x)`) have a grid each. Those that say where things are
(`leaf(1,2)`, `position(red,3,4)`) share one, or use that of the places if their cells are empty there. A grid
without facts is left out, unless all are.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from gamemaster.draw.layout import GridLayout, layouts_of
from gamemaster.draw.possible import possible_facts
from gamemaster.draw.shape import Row
from gamemaster.language.rules import relation_of
from gamemaster.language.terms import Term
from gamemaster.machine.game import State

__all__ = ["Grid", "Grids", "grids_of"]

FEW = 3
"""So few things at places are told as facts, where there is another grid."""


@dataclass(frozen=True)
class Grid:
    """Cells in rows from top to bottom and columns from left to right."""

    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: dict[tuple[str, str], tuple[str, ...]]
    """The contents of each cell that there is, by row and column; none for an empty one."""
    contents: tuple[str, ...]
    """All that can be in a cell."""
    common: str | None
    """The content that more cells have at the start than any other."""
    counts_up: bool
    """Whether rows are counted from the bottom."""
    index: Row = ()
    """Which of several grids of its relation this is."""
    is_row_first: bool = True
    """Whether the row is the first of the two coordinates in the rules."""
    facts: Mapping[tuple[str, str], tuple[Term, ...]] = field(default_factory=dict)
    """The facts that say what is in a cell, by row and column."""
    marked: frozenset[tuple[str, str]] = frozenset()
    """The cells of facts that somebody wants to point out."""


@dataclass(frozen=True)
class Grids:
    """A state as grids, the most important first, and the facts that are in none of them."""

    grids: tuple[Grid, ...]
    others: tuple[Term, ...]


def grids_of(state: State, marked: Collection[Term] = ()) -> Grids:
    """The grids of a state, and its other facts in the same order in every state; cells of marked facts are marked."""
    layouts = layouts_of(state)
    filled = [_Filled(layout, state, marked) for layout in layouts]
    groups = _groups([each for each in filled if each.facts] or filled[:1])
    drawn = [group for group in groups if group is groups[0] or not _is_small(group)]
    inside = {fact for group in drawn for each in group for fact in each.facts}
    grids = [grid for group in drawn for grid in _grids(group)]
    return Grids(tuple(grids), _in_reading_order(state, state.facts - inside))


class _Filled:
    """A layout with the facts of a state that it has cells for, and what they put there."""

    def __init__(self, layout: GridLayout, state: State, marked: Collection[Term]) -> None:
        self.layout = layout
        self.facts: list[Term] = []
        self.contents: dict[Row, list[str]] = {}
        self.facts_at: dict[Row, list[Term]] = {}
        self.marked: set[Row] = set()
        for fact in state.ordered_facts:
            if (row := layout.row_of(fact)) is not None:
                self.facts.append(fact)
                self.contents.setdefault(layout.cell_of(row), []).append(layout.content_of(row))
                self.facts_at.setdefault(layout.cell_of(row), []).append(fact)
                if fact in marked:
                    self.marked.add(layout.cell_of(row))

    def fits(self, other: _Filled) -> bool:
        """Whether all cells of the other are on this grid; and free, if it is a grid of places."""
        mine, its = self.layout, other.layout
        if (
            its.is_of_places
            or mine.index
            or not all(set(b) <= set(a) for a, b in zip(mine.axes, its.axes, strict=True))
        ):
            return False
        return not mine.is_of_places or self.contents.keys().isdisjoint(other.contents)


def _groups(filled: Iterable[_Filled]) -> list[list[_Filled]]:
    """Those that share a grid, the one that it is named and oriented by first."""
    groups: list[list[_Filled]] = []
    for each in filled:
        home = next((group for group in groups if all(member.fits(each) for member in group[:1])), None)
        if home is None:
            groups.append([each])
        else:
            home.append(each)
    return groups


def _is_small(group: Sequence[_Filled]) -> bool:
    return not group[0].layout.is_of_places and sum(len(each.facts) for each in group) <= FEW


def _grids(group: Sequence[_Filled]) -> Iterator[Grid]:
    """The grids of layouts that share them: one for each index."""
    first = group[0].layout
    row, column = first.orientation.row, 1 - first.orientation.row
    cells: dict[Row, list[str]] = {cell: [] for cell in first.cells}
    for each in group:
        for cell, contents in each.contents.items():
            cells.setdefault(cell, []).extend(contents)
    facts: dict[Row, list[Term]] = {}
    for each in group:
        for cell, found in each.facts_at.items():
            facts.setdefault(cell, []).extend(found)
    marked = {cell for each in group for cell in each.marked}
    name = ", ".join(each.layout.shape.relation[0] for each in group)
    for index in sorted({cell[:-2] for cell in cells}):
        yield Grid(
            title=" ".join((name, *index)),
            rows=first.axes[row][:: -1 if first.orientation.counts_up else 1],
            columns=first.axes[column],
            cells={
                (c[-2:][row], c[-2:][column]): tuple(found) for c, found in cells.items() if c[:-2] == index
            },
            contents=tuple(dict.fromkeys(content for each in group for content in each.layout.contents)),
            common=first.common,
            counts_up=first.orientation.counts_up,
            index=index,
            is_row_first=row == 0,
            facts={
                (c[-2:][row], c[-2:][column]): tuple(told) for c, told in facts.items() if c[:-2] == index
            },
            marked=frozenset((c[-2:][row], c[-2:][column]) for c in marked if c[:-2] == index),
        )


def _in_reading_order(state: State, facts: Iterable[Term]) -> tuple[Term, ...]:
    """Facts by relation, in the order in which the rules speak of them, and by their values: 2 before 10."""
    order = {relation: position for position, relation in enumerate(possible_facts(state.game).relations)}

    def key(fact: Term) -> tuple[int, list[tuple[int, str]]]:
        pieces = re.findall(r"([0-9]+)|([^0-9]+)", str(fact))
        natural = [
            (len(number), number or word) for number, word in pieces
        ]  # numbers by length, then by digits
        return order.get(relation_of(fact), len(order)), natural

    return tuple(sorted(facts, key=key))
