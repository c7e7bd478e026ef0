"""Board or State -> one SVG that stands alone: beautiful, light and dark, told in words, and safe to put into a page.

It has no script, no font and no address of anything else; its ids and its one class begin with a prefix made from what
it shows, so that several drawings on a page do not disturb each other. Each cell is a group with the attribute
`data-cell`, its id in the board, which a page can listen to.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby
from typing import cast, get_args

from gamemaster.draw.board import board_of
from gamemaster.draw.model import Board, Mark, Panel
from gamemaster.draw.picture.beside import Caption, beside, caption_of, fact_table, is_control
from gamemaster.draw.picture.boxes import moved
from gamemaster.draw.picture.colours import PAPER, Ink, Theme
from gamemaster.draw.picture.markup import MARKER, clip, escape, short, tag
from gamemaster.draw.picture.panels import UNIT, PanelDrawing, Piece
from gamemaster.draw.picture.things import Brush
from gamemaster.draw.picture.words import board_in_words
from gamemaster.errors import ParameterError
from gamemaster.language.terms import Term
from gamemaster.machine.game import State

__all__ = ["Composition", "checked_size", "checked_theme", "compose", "draw_svg", "finished"]

FONT = "system-ui,'Segoe UI',Roboto,Helvetica,Arial,'DejaVu Sans',sans-serif"
MARGIN, GAP = 24, 60
NARROWEST = 340
"""A drawing is so wide at least: what is told below a small board needs room."""

WIDEST_PAIR = 3
"""Two boards stand side by side unless they are wider than so many times their height."""

CELL_PIXELS, MOST_PIXELS = 60, 520
"""How large a cell, and a drawing, are shown where nobody says."""

MOST_CELLS = 20_000
"""With more cells and lines, a panel is left out."""

LEAST_SIZE, GREATEST_SIZE = 16, 8192
ACTIVE: frozenset[Mark] = frozenset({"source", "target", "chosen"})


@dataclass(frozen=True)
class Composition:
    """A drawing in pieces, what lies below first, and how large it is."""

    pieces: tuple[Piece, ...]
    width: float
    height: float


def draw_svg(
    what: Board | State,
    *,
    marks: Mapping[Mark, Collection[Term]] | None = None,
    theme: Theme | None = None,
    size: int | None = None,
    caption: Caption | None = None,
    is_live: bool = False,
    live: Collection[str] | None = None,
    prefix: str = "",
) -> str:
    """The drawing of a board, or of a state with what its caption says, whose facts under a mark are marked.

    `theme`: light or dark; None follows the reader's choice. `size`: its longer side in pixels. `is_live`: cells with
    the ids `live` (None: those marked as source, target or chosen) are buttons to a keyboard and a screen reader.
    `prefix`: of its ids, where the same drawing is twice on a page.
    """
    checked_theme(theme)
    board = board_of(what, marks=marks) if isinstance(what, State) else what
    said = caption or (caption_of(what) if isinstance(what, State) else Caption())
    buttons = _buttons(board, live) if is_live else frozenset()
    ink = Ink(theme)
    frame = compose(ink, board, said, buttons)
    inner = "".join(markup for _, markup in frame.pieces)
    words = clip(said.title) or "board", board_in_words(board, said.status)
    return finished(ink, frame, inner, words=words, size=size, is_live=is_live, prefix=prefix)


def _buttons(board: Board, live: Collection[str] | None) -> frozenset[str]:
    if live is not None:
        return frozenset(live)
    return frozenset(cell.id for panel in board.panels for cell in panel.cells if cell.marks & ACTIVE)


def checked_theme(theme: str | None) -> Theme | None:
    """A theme that there is; ParameterError for any other."""
    for known in (None, *get_args(Theme)):
        if theme == known:
            return cast("Theme | None", known)
    raise ParameterError(f"{clip(str(theme), 40)!r} is no theme; there are light and dark")


def checked_size(size: int) -> int:
    """A size that a picture can have; ParameterError for any other."""
    if LEAST_SIZE <= size <= GREATEST_SIZE:
        return size
    raise ParameterError(f"no picture of {size} pixels: from {LEAST_SIZE} to {GREATEST_SIZE:,}")


def compose(ink: Ink, board: Board, caption: Caption, buttons: Collection[str] = ()) -> Composition:
    """A board and what stands below it, in pieces."""
    panels = _few_enough(board.panels)
    titles = [panel.title if len(panels) > 1 else "" for panel in panels]
    drawings = [PanelDrawing(ink, *pair, board.roles) for pair in zip(panels, titles, strict=True)]
    rows = list(_in_rows(drawings))
    facts = [fact for fact in board.others if not (caption.status and is_control(fact))]
    table = None if drawings or (board.counters and not facts) else fact_table(ink, facts)
    width = max([NARROWEST, *(_width(row) for row in rows), table.width if table else 0])
    pieces, y = _placed(rows, width, buttons)
    below = beside(Brush(ink, board.roles), board, caption, width)
    for name, block in (("facts", table), ("beside", below)):
        if block and block.markup:
            pieces.append((name, moved(MARGIN, y, block.markup)))
            y += block.height + GAP / 2
    return Composition(tuple(pieces), max(width, below.width) + 2 * MARGIN, y - GAP / 2 + MARGIN)


def _placed(
    rows: Sequence[Sequence[PanelDrawing]], width: float, buttons: Collection[str]
) -> tuple[list[Piece], float]:
    """The pieces of panels in rows, each row in the middle, and where the next row would begin."""
    pieces: list[Piece] = []
    y, number = float(MARGIN), 0
    for row in rows:
        x = MARGIN + (width - _width(row)) / 2
        for drawing in row:
            pieces += drawing.pieces(f"panel {number}", (x, y), buttons)
            x += drawing.box.width + GAP
            number += 1
        y += max(drawing.box.height for drawing in row) + GAP / 2
    return pieces, y


def _few_enough(panels: Sequence[Panel]) -> list[Panel]:
    """The first panels, as many as have so many cells together that a drawing of them is of use."""
    counts = accumulate(len(panel.cells) + len(panel.lines) for panel in panels)
    return [panel for panel, count in zip(panels, counts, strict=True) if count <= MOST_CELLS]


def _width(row: Sequence[PanelDrawing]) -> float:
    return sum(drawing.box.width for drawing in row) + GAP * (len(row) - 1)


def _in_rows(drawings: Sequence[PanelDrawing]) -> Iterator[list[PanelDrawing]]:
    """Panels as their indexes say, and those that have none in rows of about the same width."""
    loose: list[PanelDrawing] = []
    for _, several in groupby(drawings, key=lambda drawing: drawing.panel.board):
        group = list(several)
        lines = _by_index(group)
        if not lines:
            loose += group
            continue
        yield from _flow(loose)
        yield from lines
        loose = []
    yield from _flow(loose)


def _by_index(group: Sequence[PanelDrawing]) -> list[list[PanelDrawing]]:
    """Boards alike: a line for each first of two indexes; four or nine in a square; else none."""
    side = math.isqrt(len(group))
    if len(group) > 1 and len(group[0].panel.index) == 2:
        return [list(line) for _, line in groupby(group, key=lambda drawing: drawing.panel.index[0])]
    if side < 2 or side * side != len(group):
        return []
    return [list(group[start : start + side]) for start in range(0, len(group), side)]


def _flow(drawings: Sequence[PanelDrawing]) -> Iterator[list[PanelDrawing]]:
    """Panels side by side, in rows that make the whole about as wide as it is high."""
    area = sum((d.box.width + GAP) * (d.box.height + GAP) for d in drawings)
    most = max([math.sqrt(area) * 1.35, *(d.box.width for d in drawings)], default=0)
    if len(drawings) == 2 and _width(drawings) <= WIDEST_PAIR * max(d.box.height for d in drawings):
        most = _width(drawings)
    row: list[PanelDrawing] = []
    for drawing in drawings:
        if row and _width([*row, drawing]) > most:
            yield row
            row = []
        row.append(drawing)
    if row:
        yield row


def finished(
    ink: Ink,
    frame: Composition,
    inner: str,
    *,
    words: tuple[str, str],
    size: int | None = None,
    is_live: bool = False,
    prefix: str = "",
    style: str = "",
) -> str:
    """The whole text of a drawing: its frame's size, its name and its description, its colours, then what is in it."""
    wide, tall = frame.width, frame.height
    scale = (
        checked_size(size) / max(wide, tall)
        if size is not None
        else min(CELL_PIXELS / UNIT, MOST_PIXELS / max(wide, tall))
    )
    paper = tag("rect", width=wide, height=tall, rx=14, fill=ink(PAPER))
    rules = ink.style() + (_button_style() if is_live else "") + style
    text = tag(
        "svg",
        tag("title", escape(words[0]), id=f"{MARKER}-t"),
        tag("desc", escape(words[1]), id=f"{MARKER}-d"),
        tag("style", rules) if rules else "",
        ink.definitions(),
        paper,
        inner,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {short(wide)} {short(tall)}",
        width=round(wide * scale),
        height=round(tall * scale),
        role="group" if is_live else "img",
        aria_labelledby=f"{MARKER}-t",
        aria_describedby=f"{MARKER}-d",
        class_=MARKER,
        font_family=FONT,
    )
    return text.replace(MARKER, _prefix(prefix, text))


def _button_style() -> str:
    """A button has a frame, which is seen where it is reached by keyboard or pointer."""
    button, frame = f".{MARKER} [role=button]", f".{MARKER}-f"
    return (
        f"{button}{{cursor:pointer;outline:none}}{button}:focus-visible {frame}{{visibility:visible}}"
        f"{button}:hover {frame}{{visibility:visible;opacity:.6}}"
    )


def _prefix(prefix: str, text: str) -> str:
    """The prefix of ids: what is asked for, as far as an id can have it, or one made of the drawing."""
    kept = "".join(c for c in prefix if c.isascii() and (c.isalnum() or c in "-_"))[:40]
    return f"gm-{kept}" if kept else f"gm-{hashlib.sha256(text.encode()).hexdigest()[:8]}"
