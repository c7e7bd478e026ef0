"""A board with what is on it -> Panels: cells with places, things and marks, the lines between them, their labels."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from gamemaster.draw.boards.filling import MOST_TOKENS, FilledBoard
from gamemaster.draw.boards.geometry import (
    beyond,
    centre_of,
    is_upright,
    letters,
    lifted,
    outline_of,
    shifts_of,
    side_edges,
    stack_outline,
)
from gamemaster.draw.boards.pieces import Pieces
from gamemaster.draw.boards.shape import Row
from gamemaster.draw.boards.strokes import line_of
from gamemaster.draw.model import BoardLine, Cell, Label, Mark, Panel, Point, Thing, short_id
from gamemaster.draw.styles.style import BoardStyle, Side, text_at
from gamemaster.language.terms import Term

__all__ = ["Marks", "panels_of"]

Marks = Mapping[Mark, Collection[Term]]

HALF = 0.5
ODD = re.compile(
    r"[%\-\s\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\uf8ff\ufeff\ufffe\uffff]"
)
"""Characters that an id has another word for: its own, and what is not seen or not written everywhere."""
ABOVE, BELOW, BEFORE = (0.0, -1.0), (0.0, 1.0), (-1.0, 0.0)


def panels_of(number: int, what: FilledBoard, pieces: Pieces, marks: Marks) -> Iterator[Panel]:
    """The panels of a style's board: one for each index."""
    for index in what.board.indexes:
        maker = _Heaps if what.board.kind == "heaps" else _Panel
        yield maker(number, what, pieces, marks, index).panel()


@dataclass(frozen=True)
class _Panel:
    """What the parts of a panel are made from."""

    number: int
    what: FilledBoard
    pieces: Pieces
    marks: Marks
    index: Row

    @property
    def board(self) -> BoardStyle:
        return self.what.board

    def panel(self) -> Panel:
        cells = tuple(self.cells())
        return Panel(
            title=" ".join((self.board.title, *self.index)),
            kind=self.board.kind,
            cells=cells,
            lines=(*self.lines(), *self.sides(cells)),
            labels=tuple(self.labels()),
            rows=self.rows,
            columns=self.columns,
            counts_up=self.board.counts_up,
            look=self.board.look,
            index=self.index,
            board=self.number,
        )

    # Rows and columns

    @property
    def has_places(self) -> bool:
        """Whether cells have places of their own rather than rows and columns."""
        return self.board.row is None and self.board.column is None

    @cached_property
    def rows(self) -> Row:
        """From top to bottom; one without a name where there are only columns."""
        if self.has_places:
            return ()
        rows = self.board.rows if self.board.row is not None else ("",)
        return rows[:: -1 if self.board.counts_up else 1]

    @cached_property
    def columns(self) -> Row:
        if self.has_places:
            return ()
        return self.board.columns if self.board.column is not None else ("",)

    def grid_place(self, coordinates: Row) -> tuple[int, int]:
        """Row and column of a cell, from the top left."""
        row, column = self.board.row, self.board.column
        return (
            0 if row is None else self.rows.index(coordinates[row]),
            0 if column is None else self.columns.index(coordinates[column]),
        )

    def centre(self, coordinates: Row) -> Point:
        if self.has_places:
            return self.board.places[coordinates]
        return self.at(*self.grid_place(coordinates))

    def at(self, row: int, column: int) -> Point:
        """The middle of a cell; of one that is not there, too."""
        centre = centre_of(self.board.kind, row, column, self.shifts[row])
        is_high = self.board.kind == "triangle" and not is_upright(row, column, self.board.slant)
        return lifted(centre) if is_high else centre

    @cached_property
    def shifts(self) -> list[float]:
        """How far right each row begins."""
        rows: list[list[int]] = [[] for _ in self.rows]
        for key in self.keys():
            row, column = self.grid_place(key[len(self.index) :])
            rows[row].append(column)
        return shifts_of(self.board.kind, self.board.slant, rows)

    # Cells

    def keys(self) -> Iterator[Row]:
        """The cells of this panel."""
        size = len(self.index)
        return (key for key in self.what.keys if key[:size] == self.index)

    def cells(self) -> Iterator[Cell]:
        for key in self.keys():
            yield self.cell(key, key[len(self.index) :])

    def cell(self, key: Row, coordinates: Row) -> Cell:
        row, column = (0, 0) if self.has_places else self.grid_place(coordinates)
        centre, facts = self.centre(coordinates), tuple(self.what.facts.get(key, ()))
        upright, way = is_upright(row, column, self.board.slant), self.board.stacks.get(coordinates)
        outline = outline_of(self.board.kind, centre, upright=upright)
        return Cell(
            id=_id(self.number, key),
            name=self.name(coordinates),
            key=key,
            centre=centre,
            outline=stack_outline(way, centre) if way else outline,
            ground=self.ground(key, row, column),
            things=self.things(key),
            facts=facts,
            marks=self.marks_of(facts),
            row=self.rows[row] if self.rows else "",
            column=self.columns[column] if self.columns else "",
            label=self.name(coordinates) if self.has_named_nodes else "",
            stack=way,
        )

    @property
    def has_named_nodes(self) -> bool:
        """Whether the name of a cell is written into it: where no label beside the board says it."""
        return self.board.kind == "graph" and self.has_places and self.board.labels != "none"

    def things(self, key: Row) -> tuple[Thing, ...]:
        told = [each for each in self.what.contents.get(key, ()) if each not in self.board.blanks]
        return tuple(map(self.pieces.thing, told or filter(None, (self.board.empty,))))

    def ground(self, key: Row, row: int, column: int) -> str:
        if key in self.board.ground:
            return self.board.ground[key]
        if (turn := self.turns.get(key[len(self.index) :])) is not None:
            return "middle" if self.board.is_checkered and turn % 2 else "dark"
        if not self.board.is_checkered:
            return "light"
        if self.board.kind == "hex":
            return ("light", "middle", "dark")[(column - row) % 3]
        return "dark" if (len(self.rows) - row + column) % 2 else "light"

    @cached_property
    def turns(self) -> dict[Row, int]:
        """The places with stacks, numbered in their order."""
        return {place: number for number, place in enumerate(self.board.stacks)}

    def marks_of(self, facts: Collection[Term]) -> frozenset[Mark]:
        return frozenset(mark for mark, under in self.marks.items() if any(fact in under for fact in facts))

    def name(self, coordinates: Row) -> str:
        """What people call a cell: as its labels say."""
        if self.has_places or self.board.labels in ("rules", "none"):
            return ",".join((*self.index, *self.joined(coordinates)))
        row, column = self.grid_place(coordinates)
        names = [self.column_label(column), self.row_label(row)]
        return ("" if self.board.labels == "letters" else ",").join(filter(None, names))

    def joined(self, coordinates: Row) -> Row:
        """What is one name in the rules, such as b7, or one number stays one."""
        ends = [argument[-1] for argument in self.board.layers[0].at]
        if ends == ["tens", "units"]:
            return (str(int("".join(coordinates))),)
        return ("".join(coordinates),) if ends == ["letter", "number"] else coordinates

    # Lines and labels

    def lines(self) -> Iterator[BoardLine]:
        known = {key[len(self.index) :] for key in self.keys()}
        for start, end in self.board.lines:
            if start in known and end in known:
                yield BoardLine(self.centre(start), self.centre(end))
        yield from self.blocks()
        for layer, fact in self.what.lines:
            ends = line_of(layer, fact, self.board, self.shifts)
            if ends and not self.index:
                whose = text_at(fact, layer.owner) if layer.owner is not None else None
                yield BoardLine(*ends, self.pieces.colour_of_line(whose), is_above=True)

    def blocks(self) -> Iterator[BoardLine]:
        """The thick lines around blocks of rows and columns."""
        step, height, width = self.board.blocks, len(self.rows), len(self.columns)
        if not step or self.board.kind != "square":
            return
        for y in (*range(0, height, step), height):
            yield BoardLine((-HALF, y - HALF), (width - HALF, y - HALF), "plain", is_above=True)
        for x in (*range(0, width, step), width):
            yield BoardLine((x - HALF, -HALF), (x - HALF, height - HALF), "plain", is_above=True)

    def sides(self, cells: Collection[Cell]) -> Iterator[BoardLine]:
        """The edges of the board that have a colour."""
        for side, colour in self.board.sides:
            for cell in cells:
                at = self.sides_at(cell)
                if side in at:
                    edges = side_edges(cell.outline, at, side, self.board.slant)
                    yield from (BoardLine(start, end, colour) for start, end in edges)

    def sides_at(self, cell: Cell) -> list[Side]:
        """The sides of the board that a cell is at."""
        ends: dict[Side, bool] = {
            "top": cell.row == self.rows[0],
            "bottom": cell.row == self.rows[-1],
            "left": cell.column == self.columns[0],
            "right": cell.column == self.columns[-1],
        }
        return [side for side, is_there in ends.items() if is_there]

    def labels(self) -> Iterator[Label]:
        """The names of rows before them, those of columns above them, or below where rows are counted from there."""
        if self.board.labels == "none" or self.has_places:
            return
        for row, text in enumerate(map(self.row_label, range(len(self.rows)))):
            if text:
                first = min((column for each, column in self.outline if each == row), default=0)
                yield Label(text, beyond(self.at(row, first), None, BEFORE))
        if self.board.slant != "centred":
            yield from self.column_labels()

    def column_labels(self) -> Iterator[Label]:
        """Over the ends of columns; beside the rows of a hexagonal board they go on as columns slant."""
        outer, step, way = (max, -1, BELOW) if self.has_labels_below else (min, 1, ABOVE)
        for column, text in enumerate(map(self.column_label, range(len(self.columns)))):
            ends = [row for row, each in self.outline if each == column]
            if text and ends:
                row = outer(ends)
                is_inside = self.board.kind == "hex" and 0 <= row - step < len(self.rows)
                has_one = 0 <= row + step < len(self.rows)
                before = self.at(row + step, column) if is_inside and has_one else None
                yield Label(text, beyond(self.at(row, column), before, way, self.board.kind))

    @cached_property
    def outline(self) -> list[tuple[int, int]]:
        """The cells that labels stand at. Hexagonal boards have any outline; beside squares labels are in line."""
        if self.board.kind == "hex":
            return [self.grid_place(key[len(self.index) :]) for key in self.keys()]
        return list(product(range(len(self.rows)), range(len(self.columns))))

    @property
    def has_labels_below(self) -> bool:
        """Whether the names of columns are below: where rows are counted from there; on a hexagonal board whose outline
        is not that of its columns, where they do not meet the names of rows."""
        tops = [
            min((row for row, each in self.outline if each == n), default=0) for n in range(len(self.columns))
        ]
        if self.board.kind == "hex" and any(tops):
            return self.board.slant == "right"
        return self.board.counts_up

    def row_label(self, row: int) -> str:
        counted = len(self.rows) - row if self.board.counts_up else row + 1
        return "" if self.board.row is None else self._label(self.rows[row], str(counted))

    def column_label(self, column: int) -> str:
        counted = letters(column) if self.board.labels == "letters" else str(column + 1)
        return "" if self.board.column is None else self._label(self.columns[column], counted)

    def _label(self, name: str, counted: str) -> str:
        return name if self.board.labels == "rules" else counted


class _Heaps(_Panel):
    """A heap is a row of tokens, counted from the left; a cell is there for each that there can be."""

    @cached_property
    def piles(self) -> list[Row]:
        return list(self.keys())

    @cached_property
    def rows(self) -> Row:
        return tuple(" ".join(key[len(self.index) :]) for key in self.piles)

    @cached_property
    def columns(self) -> Row:
        return tuple(str(level) for level in range(1, self.board.most + 1))

    def cells(self) -> Iterator[Cell]:
        for row, key in enumerate(self.piles):
            for level in range(self.board.most):
                yield self.token_cell(key, row, level)

    def token_cell(self, key: Row, row: int, level: int) -> Cell:
        own = (*key, str(level + 1))
        is_there = level < min(MOST_TOKENS, self.what.counts.get(key, 0))
        facts = tuple(self.what.facts.get(key, ())) if is_there or level == 0 else ()
        content = next(iter(self.what.contents.get(key, ())), "")
        return Cell(
            id=_id(self.number, own),
            name=" ".join(own),
            key=own,
            centre=(float(level), float(row)),
            ground="none",
            things=(self.pieces.token(content),) if is_there else (),
            facts=facts,
            marks=self.marks_of(facts),
            row=self.rows[row],
            column=str(level + 1),
        )

    def lines(self) -> Iterator[BoardLine]:
        return iter(())

    def sides(self, cells: Collection[Cell]) -> Iterator[BoardLine]:
        return iter(())

    def labels(self) -> Iterator[Label]:
        """The name of each heap before it, and how many it has behind it."""
        for row, key in enumerate(self.piles):
            if self.board.labels != "none" and self.rows[row]:
                yield Label(self.rows[row], (-1.0, float(row)))
            yield Label(str(self.what.counts.get(key, 0)), (float(self.board.most), float(row)))


def _id(number: int, key: Row) -> str:
    """A name that no other cell has, whatever its coordinates are called."""
    return short_id(f"{number}-{'-'.join(ODD.sub(_coded, part) for part in key)}")


def _coded(odd: re.Match[str]) -> str:
    return f"%{ord(odd[0]):02X}" if odd[0] in "%-" else f"%u{ord(odd[0]):X}."
