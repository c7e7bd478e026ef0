"""State -> text: boards with their rows and columns named, what the symbols mean, counters, then the other facts.

        1 2 3
      1 · · ·
      2 · x ·
      3 · o ·

    control(x)

Cells that somebody wants to point out stand in brackets, those beside each other in one pair. Rows of hexagons are
shifted, heaps are rows of tokens, and the places of a graph are a list with what lines lead to. A state without a board
is its facts in columns. Colour says whose a piece is, and so does its symbol: nothing is lost without colour. The
palette is Okabe and Ito's, which people see apart whatever their colour vision.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Protocol, TypeAlias

from gamemaster.draw.board import board_of
from gamemaster.draw.boards.symbols import EMPTY, told_apart
from gamemaster.draw.model import Board, BoardLine, Cell, Counter, Panel, Thing
from gamemaster.language.terms import Term
from gamemaster.machine.game import State

if TYPE_CHECKING:
    from rich.text import Text

__all__ = [
    "FAINT",
    "PLAIN",
    "Line",
    "TextBlock",
    "TextPens",
    "blocks_in_lines",
    "draw_colour",
    "draw_text",
    "in_columns",
    "text_block",
]

WIDTH = 80
GAP = "   "
"""Between grids that stand side by side."""

HALF = 0.5
MOST_FACTS = 300
"""So many facts are told."""
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
    board = board_of(state, {"last": frozenset(marked)})
    if not board.panels and not board.counters:
        yield from _fact_columns(board, width)
        return
    pens = _Pens(board)
    blocks = [text_block(panel, pens, has_title=len(board.panels) > 1) for panel in board.panels]
    yield from blocks_in_lines(blocks, width)
    counters = [pens.counter(counter) for counter in board.counters]
    facts = (*board.others, *board.lined)
    others: list[Line] = [[(text, PLAIN)] for text in (*map(str, facts[:MOST_FACTS]), *_more(facts))]
    is_first = not board.panels
    for pieces in (pens.legend(), counters, others):
        if pieces:
            yield from () if is_first else ([],)
            yield from _flow(pieces, width)
            is_first = False


class TextPens(Protocol):
    """What is written of the things of a panel."""

    def thing(self, thing: Thing) -> tuple[str, str]:
        """The symbol of a thing, and its style."""

    def cell(self, cell: Cell, *, empty: str) -> Line:
        """What is written into a cell; `empty` where no fact speaks of it."""


class _Pens:
    """The styles of the things of a board, and what is written of them."""

    def __init__(self, board: Board) -> None:
        self.board = board
        colours = dict.fromkeys(f"role {number + 1}" for number in range(len(board.roles)))
        colours |= dict.fromkeys(_colour(thing) for thing in board.legend)
        self.styles = {colour: PALETTE[n % len(PALETTE)] for n, colour in enumerate(colours)}
        chosen = {thing.name: thing.symbol for thing in board.legend}
        apart = told_apart(chosen, board.roles)
        self.symbols = {(name, symbol): apart[name] for name, symbol in chosen.items()}

    def thing(self, thing: Thing) -> tuple[str, str]:
        """The symbol of a thing in its colour: its role's, or its own where it is nobody's."""
        symbol = self.symbols.get((thing.name, thing.symbol), thing.symbol)
        return symbol, self.styles.get(_colour(thing), PLAIN)

    def cell(self, cell: Cell, *, empty: str) -> Line:
        """What is written into a cell; `empty` where no fact speaks of it."""
        if cell.things:
            return [self.thing(thing) for thing in cell.things]
        if cell.outline and cell.ground == "none":  # a gap in the board
            return [(" ", PLAIN)]
        return [(EMPTY if cell.facts else empty, FAINT)]

    def legend(self) -> list[Line]:
        """The symbols on the board that do not say themselves what they mean."""
        cells = [cell for panel in self.board.panels if panel.kind != "heaps" for cell in panel.cells]
        present = {thing.content for cell in cells for thing in cell.things}
        shown = [thing for thing in self.board.legend if thing.content in present]
        entries = {}
        for thing in shown:
            symbol, pen = self.thing(thing)
            entries[_explained(thing, symbol)] = pen
        return [
            [(symbol, pen), (f" {name}", PLAIN)]
            for (symbol, name), pen in entries.items()
            if symbol not in (name, EMPTY)
        ]

    def counter(self, counter: Counter) -> Line:
        """What stands beside the board: `score red 3`."""
        things = [piece for thing in counter.things for piece in ((" ", PLAIN), self.thing(thing))]
        value = [(f" {counter.value}", TITLE)] if counter.value else []
        return [(counter.name, self.styles.get(counter.colour, PLAIN)), *value, *things]


def _explained(thing: Thing, symbol: str) -> tuple[str, str]:
    """A symbol and its meaning; of those that begin with the same number as their name, what comes behind it."""
    if thing.sign and symbol.startswith(thing.sign) and thing.name.startswith(f"{thing.sign} "):
        return symbol[len(thing.sign) :], thing.name[len(thing.sign) + 1 :]
    return symbol, thing.name


def _colour(thing: Thing) -> str:
    return thing.content if thing.colour == "plain" else thing.colour


class TextBlock:
    """A panel as lines of the same width."""

    def __init__(self, panel: Panel, lines: list[Line], *, has_title: bool) -> None:
        self.line = panel.board, panel.index[:-1]
        self.lines = [[(panel.title, TITLE)], *lines] if has_title else lines
        self.width = max(map(_width, self.lines), default=0)


def text_block(panel: Panel, pens: TextPens, *, has_title: bool) -> TextBlock:
    """Rows and columns where a panel has them; heaps as rows of tokens; else its places one below the other."""
    if panel.kind == "heaps":
        return TextBlock(panel, list(_heap_lines(panel, pens)), has_title=has_title)
    lines = list(_grid_lines(panel, pens)) if panel.rows else list(_place_lines(panel, pens))
    return TextBlock(panel, lines, has_title=has_title)


def _grid_lines(panel: Panel, pens: TextPens) -> list[Line]:
    """The rows of a grid with their names, and the names of the columns; rows of hexagons are shifted."""
    has_blanks = any(cell.facts and not cell.things for cell in panel.cells)
    cells = {(cell.row, cell.column): cell for cell in panel.cells}
    texts = {place: pens.cell(cell, empty=" " if has_blanks else EMPTY) for place, cell in cells.items()}
    size = max(map(_width, texts.values()), default=1)
    sizes = [max(size, len(column)) for column in panel.columns]
    widest = max(sizes, default=size)
    margin = max(map(len, panel.rows))
    steps = _shifts(panel)
    body = [
        _row(
            row.rjust(margin) + " " * round(step * (widest + 1)),
            [texts.get((row, column), []) for column in panel.columns],
            sizes,
            marks=[(row, column) in cells and bool(cells[row, column].marks) for column in panel.columns],
        )
        for row, step in zip(panel.rows, steps, strict=True)
    ]
    if not any(panel.columns) or not _are_in_line(steps):
        return body
    step = steps[-1 if panel.counts_up else 0]
    blanks = " " * (margin + round(step * (widest + 1)))
    names = _row(blanks, [[(column, FAINT)] for column in panel.columns], sizes)
    return [*body, names] if panel.counts_up else [names, *body]


def _shifts(panel: Panel) -> list[float]:
    """How far right each row begins, in cells: not all the same for hexagons, or where rows are centred."""
    if panel.kind == "triangle":
        return [0.0] * len(panel.rows)
    column = {name: number for number, name in enumerate(panel.columns)}
    begins = {cell.row: cell.centre[0] - column[cell.column] for cell in panel.cells}
    least = min(begins.values(), default=0.0)
    return [begins.get(row, least) - least for row in panel.rows]


def _are_in_line(steps: Sequence[float]) -> bool:
    """Whether columns go on from row to row: each row is shifted by as much, or by half a cell at most."""
    changes = {round(second - first, 3) for first, second in pairwise(steps)}
    return len(changes) <= 1 or max(steps) - min(steps) <= HALF


def _heap_lines(panel: Panel, pens: TextPens) -> Iterator[Line]:
    """The name of a heap, its tokens, and how many they are."""
    margin = max(map(len, panel.rows), default=0)
    counts = {label.at[1]: label.text for label in panel.labels if label.at[0] > 0}
    for row, cells in groupby(panel.cells, key=lambda cell: cell.row):
        several = list(cells)
        tokens = [
            piece for cell in several for thing in cell.things for piece in ((" ", PLAIN), pens.thing(thing))
        ]
        yield [(row.rjust(margin), FAINT), *tokens, (f" {counts.get(several[0].centre[1], '')}", PLAIN)]


def _place_lines(panel: Panel, pens: TextPens) -> Iterator[Line]:
    """Each place with what is there, and the places that lines lead to."""
    names = {cell.centre: cell.name for cell in panel.cells}
    margin = max((len(cell.name) for cell in panel.cells), default=0)
    texts = [pens.cell(cell, empty=EMPTY) for cell in panel.cells]
    size = max(map(_width, texts), default=0)
    for cell, text in zip(panel.cells, texts, strict=True):
        ends = [
            line.end if line.start == cell.centre else line.start
            for line in panel.lines
            if _touches(line, cell)
        ]
        near = " ".join(names[end] for end in ends if end in names)
        line = _row(cell.name.rjust(margin), [text], [size], marks=[bool(cell.marks)])
        yield [*line, (f"  {near}", FAINT)] if near else line


def _touches(line: BoardLine, cell: Cell) -> bool:
    return cell.centre in (line.start, line.end)


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


def blocks_in_lines(blocks: Sequence[TextBlock], width: int) -> Iterator[Line]:
    """Panels side by side as far as they fit the width, an empty line between those that are below each other."""
    for position, line_of_blocks in enumerate(_side_by_side(blocks, width)):
        if position:
            yield []
        yield from _joined(line_of_blocks)


def _side_by_side(blocks: Sequence[TextBlock], width: int) -> Iterator[list[TextBlock]]:
    """The blocks in lines that fit the width; where there are two indexes, a line for each first one."""
    for _, several in groupby(blocks, key=lambda block: block.line if block.line[1] else None):
        line: list[TextBlock] = []
        for block in several:
            if line and sum(b.width + len(GAP) for b in line) + block.width > width:
                yield line
                line = []
            line.append(block)
        yield line


def _joined(blocks: Sequence[TextBlock]) -> Iterator[Line]:
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


def _fact_columns(board: Board, width: int) -> Iterator[Line]:
    """All facts in columns."""
    texts = [str(fact) for fact in board.others[:MOST_FACTS]] or ["(no facts)"]
    lines = [*in_columns(texts, width), *_more(board.others)]
    return ([(line, PLAIN)] for line in lines)


def _more(facts: Sequence[Term]) -> list[str]:
    """How many facts are not told, where there are more than anybody reads."""
    return [f"and {len(facts) - MOST_FACTS} more"] if len(facts) > MOST_FACTS else []


def in_columns(texts: Sequence[str], width: int = WIDTH) -> list[str]:
    """The texts in as many columns of equal width as fit, each column read downwards."""
    size = max(map(len, texts), default=0) + len(BETWEEN)
    height = -(-len(texts) // max(1, (width + len(BETWEEN)) // size))
    return ["".join(text.ljust(size) for text in texts[row::height]).rstrip() for row in range(height)]
