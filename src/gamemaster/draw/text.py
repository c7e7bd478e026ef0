"""State -> text: grids with their rows and columns named, what the symbols mean, then the other facts.

        1 2 3
      1 · · ·
      2 · x ·
      3 · o ·

    control(x)

Cells that somebody wants to point out stand in brackets, those beside each other in one pair. A state without a grid is
its facts in columns. Colour says whose a piece is, and so does its symbol: nothing is lost without colour. The palette
is Okabe and Ito's, which people see apart whatever their colour vision.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, TypeAlias

from gamemaster.draw.grids import Grid, Grids, grids_of
from gamemaster.draw.symbols import EMPTY, is_blank, owner_of, symbols_of
from gamemaster.language.terms import Term
from gamemaster.machine.game import State

if TYPE_CHECKING:
    from rich.text import Text

__all__ = ["draw_colour", "draw_text", "in_columns"]

WIDTH = 80
GAP = "   "
"""Between grids that stand side by side."""

BETWEEN = "  "
"""Between facts."""

PLAIN, FAINT, TITLE = "", "dim", "bold"
PALETTE = ("bold #d55e00", "bold #3a8fd0", "bold #009e73", "bold #cc79a7", "bold #e69f00", "bold #56b4e9")

Line: TypeAlias = list[tuple[str, str]]
"""Pieces of text, each with its style."""


def draw_text(state: State, width: int = WIDTH, marked: Collection[Term] = ()) -> str:
    """The state as lines of plain text without trailing blanks, the cells of marked facts in brackets."""
    lines = ("".join(text for text, _ in line).rstrip() for line in _lines(state, width, marked))
    return "\n".join(lines)


def draw_colour(state: State, width: int = WIDTH, marked: Collection[Term] = ()) -> Text:
    """The same text as `draw_text`, in colour, for rich to print."""
    from rich.text import Text

    lines = [Text.assemble(*line) for line in _lines(state, width, marked)]
    for line in lines:
        line.rstrip()
    return Text("\n").join(lines)


def _lines(state: State, width: int, marked: Collection[Term]) -> Iterator[Line]:
    board = grids_of(state, marked)
    if not board.grids:
        yield from _fact_columns(board, width)
        return
    pens = _Pens(board, state.game.roles)
    blocks = [_TextBlock(grid, pens, has_title=len(board.grids) > 1) for grid in board.grids]
    for position, line_of_blocks in enumerate(_side_by_side(blocks, width)):
        if position:
            yield []
        yield from _joined(line_of_blocks)
    if legend := pens.legend():
        yield []
        yield from _flow(legend, width)
    if board.others:
        yield []
        yield from _flow([[(str(fact), PLAIN)] for fact in board.others], width)


class _Pens:
    """The symbol and the style of each content on a board."""

    def __init__(self, board: Grids, roles: Sequence[str]) -> None:
        possible = [content for grid in board.grids for content in grid.contents]
        self.present = dict.fromkeys(
            content for grid in board.grids for contents in grid.cells.values() for content in contents
        )
        self.blanks = {c for grid in board.grids for c in grid.contents if is_blank(c, grid.common)}
        self.symbols = symbols_of([*possible, *self.present], self.blanks, roles)
        self.styles = self._styles(roles)

    def _styles(self, roles: Sequence[str]) -> dict[str, str]:
        """A colour for each role's things, then for those that are nobody's."""
        owners = {content: owner_of(content, roles) or content for content in self.symbols}
        order = list(dict.fromkeys([*roles, *(o for c, o in owners.items() if c not in self.blanks)]))
        return {
            content: FAINT if content in self.blanks else PALETTE[order.index(owner) % len(PALETTE)]
            for content, owner in owners.items()
        }

    def cell(self, contents: Sequence[str], *, empty: str) -> Line:
        """What is written into a cell."""
        return [(self.symbols[content], self.styles[content]) for content in contents] or [(empty, FAINT)]

    def legend(self) -> list[Line]:
        """The symbols on the board that do not say themselves what they mean."""
        return [
            [(symbol, self.styles[content]), (f" {content}", PLAIN)]
            for content, symbol in self.symbols.items()
            if content in self.present and content != symbol and content not in self.blanks
        ]


class _TextBlock:
    """A grid as lines of the same width."""

    def __init__(self, grid: Grid, pens: _Pens, *, has_title: bool) -> None:
        self.line = grid.title.split()[0], grid.index[:-1]
        written = {content for contents in grid.cells.values() for content in contents}
        empty = " " if pens.blanks & written else EMPTY
        cells = {place: pens.cell(contents, empty=empty) for place, contents in grid.cells.items()}
        size = max(map(_width, cells.values()))
        sizes = [max(size, len(column)) for column in grid.columns]
        margin = max(map(len, grid.rows))
        names = _row(" " * margin, [[(column, FAINT)] for column in grid.columns], sizes)
        body = [
            _row(
                row.rjust(margin),
                [cells.get((row, column), []) for column in grid.columns],
                sizes,
                marks=[(row, column) in grid.marked for column in grid.columns],
            )
            for row in grid.rows
        ]
        self.lines = [*body, names] if grid.counts_up else [names, *body]
        if has_title:
            self.lines.insert(0, [(grid.title, TITLE)])
        self.width = max(map(_width, self.lines))


def _row(label: str, cells: Sequence[Line], sizes: Sequence[int], marks: Sequence[bool] = ()) -> Line:
    """Cells with a blank before each, or a bracket where those that are marked begin or end."""
    line: Line = [(label, FAINT)]
    before = False
    for cell, size, is_marked in zip(cells, sizes, marks or [False] * len(cells), strict=True):
        edge = (" ", PLAIN) if is_marked == before else ("[" if is_marked else "]", TITLE)
        line += [edge, *cell, (" " * (size - _width(cell)), PLAIN)]
        before = is_marked
    return [*line, ("]", TITLE)] if before else line


def _width(line: Line) -> int:
    return sum(len(text) for text, _ in line)


def _side_by_side(blocks: Sequence[_TextBlock], width: int) -> Iterator[list[_TextBlock]]:
    """The blocks in lines that fit the width; where there are two indexes, a line for each first one."""
    for _, several in groupby(blocks, key=lambda block: block.line if block.line[1] else None):
        line: list[_TextBlock] = []
        for block in several:
            if line and sum(b.width + len(GAP) for b in line) + block.width > width:
                yield line
                line = []
            line.append(block)
        yield line


def _joined(blocks: Sequence[_TextBlock]) -> Iterator[Line]:
    """The lines of blocks that stand side by side, all as wide as their block."""
    for number in range(max(len(block.lines) for block in blocks)):
        line: Line = []
        for block in blocks:
            piece = block.lines[number] if number < len(block.lines) else []
            line += [*piece, (" " * (block.width - _width(piece)) + GAP, PLAIN)]
        yield line


def _flow(pieces: Sequence[Line], width: int) -> Iterator[Line]:
    """The pieces one after the other, in as many lines as they need."""
    line: Line = []
    for piece in pieces:
        if line and _width(line) + len(BETWEEN) + _width(piece) > width:
            yield line
            line = []
        line += [*([(BETWEEN, PLAIN)] if line else []), *piece]
    yield line


def _fact_columns(board: Grids, width: int) -> Iterator[Line]:
    """All facts in columns."""
    texts = [str(fact) for fact in board.others] or ["(no facts)"]
    return ([(line, PLAIN)] for line in in_columns(texts, width))


def in_columns(texts: Sequence[str], width: int = WIDTH) -> list[str]:
    """The texts in as many columns of equal width as fit, each column read downwards."""
    size = max(map(len, texts), default=0) + len(BETWEEN)
    height = -(-len(texts) // max(1, (width + len(BETWEEN)) // size))
    return ["".join(text.ljust(size) for text in texts[row::height]).rstrip() for row in range(height)]
