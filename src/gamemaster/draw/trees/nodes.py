"""What a node of a tree looks like: a triangle up for max, down for min, a circle for chance, a box for a leaf.

Its value is inside, its name beside it, alpha and beta below, and below them its board, where it has one that is small
enough to be seen. What is told by colour is told by shape, too: dashes and a cross for what stays unvisited, a thick
line for the principal line, a frame around where the search is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from gamemaster.draw.board import board_of
from gamemaster.draw.picture.boxes import moved
from gamemaster.draw.picture.colours import INK, PAPER, QUIET, Ink, Tone
from gamemaster.draw.picture.markup import escape, short, tag, text_width
from gamemaster.draw.picture.panels import PanelDrawing
from gamemaster.machine.game import State
from gamemaster.search.tracing.tree import Kind

__all__ = [
    "LEAF",
    "LETTERS",
    "SHAPE",
    "SMALL",
    "WRONG",
    "NodeBoard",
    "NodeText",
    "draw_node",
    "line_of_text",
    "placed_board",
    "rows_board",
    "state_board",
    "width_of",
]

SHAPE = 44.0
"""How high a triangle and a circle are."""

LEAF = 28.0
LETTERS, SMALL = 14.0, 11.5
ROOM = 0.6
"""How much of its width a triangle has where its value stands."""

CELL, BOARD = 15.0, 60.0
"""How large a cell of a board is that is written down, and a board of a game."""

MOST_CELLS = 144
FILLS: dict[Kind, Tone] = {
    "max": ("#d8e9f6", "#15384f"),
    "min": ("#fbe4d5", "#4a2c16"),
    "chance": ("#d8f0e6", "#133c30"),
    "leaf": ("#ffffff", "#2b2e33"),
}
EDGES: dict[Kind, Tone] = {
    "max": ("#0072b2", "#56b4e9"),
    "min": ("#b84e00", "#e69f00"),
    "chance": ("#00735a", "#3ec79d"),
    "leaf": ("#6b6f75", "#9da2a9"),
}
WRONG: Tone = ("#a3341f", "#f0917c")
HERE: Tone = ("#7b4fa6", "#c9a5ec")


@dataclass(frozen=True)
class NodeBoard:
    """A small board, in its own coordinates from 0 on."""

    markup: str
    width: float
    height: float


@dataclass(frozen=True)
class NodeText:
    """What is written at a node, and how it looks."""

    kind: Kind
    value: str = ""
    name: str = ""
    window: str = ""
    is_faint: bool = False
    is_unvisited: bool = False
    is_on_line: bool = False
    is_here: bool = False
    width: float = 52.0
    """Of its shape."""

    above: float = 0.0
    below: float = 0.0
    """How far what is written there reaches above the top of its shape, and below it."""


def line_of_text(
    ink: Ink, text: str, x: float, y: float, size: float = SMALL, tone: Tone = INK, **more: str
) -> str:
    """A text around x, whose letters stand on y."""
    more = {"text_anchor": "middle", **more}
    return tag("text", escape(text), x=x, y=y, font_size=size, fill=ink(tone), **more)


def draw_node(ink: Ink, told: NodeText, x: float, y: float) -> str:
    """A node whose middle is at x and whose top is at y, without its board."""
    cross = _cross(ink, told, x, y) if told.is_unvisited and told.kind == "leaf" else ""
    parts = [_shape(ink, told, x, y), cross, _value(ink, told, x, y), _name(ink, told, x, y)]
    if told.window:
        parts.append(line_of_text(ink, told.window, x, y + SHAPE + 13, tone=QUIET))
    if told.is_here:
        parts.append(_frame(ink, told, x, y))
    return "".join(parts)


def _cross(ink: Ink, told: NodeText, x: float, y: float) -> str:
    half, high = told.width / 2 + 3, LEAF + 3
    strokes = f"M{short(x - half)} {short(y - 3)}L{short(x + half)} {short(y + high)}"
    strokes += f"M{short(x + half)} {short(y - 3)}L{short(x - half)} {short(y + high)}"
    return tag("path", d=strokes, stroke=ink(WRONG), stroke_width=2, fill="none")


def _shape(ink: Ink, told: NodeText, x: float, y: float) -> str:
    look = {
        "fill": "none" if told.is_unvisited else ink(FILLS[told.kind]),
        "stroke": ink(QUIET if told.is_unvisited else EDGES[told.kind]),
        "stroke_width": short(3.6 if told.is_on_line else 1.6),
        "stroke_linejoin": "round",
        "stroke_dasharray": "4 3" if told.is_unvisited else None,
    }
    half = told.width / 2
    if told.kind == "leaf":
        return tag("rect", x=x - half, y=y, width=told.width, height=LEAF, rx=5, **look)
    if told.kind == "chance":
        return tag("ellipse", cx=x, cy=y + SHAPE / 2, rx=max(half - 2, SHAPE / 2), ry=SHAPE / 2, **look)
    top, bottom = (0.0, half) if told.kind == "max" else (half, 0.0)
    points = [(x - top, y), (x + top, y), (x + bottom, y + SHAPE), (x - bottom, y + SHAPE)]
    return tag("path", d="M" + "L".join(f"{short(a)} {short(b)}" for a, b in points) + "Z", **look)


def _value(ink: Ink, told: NodeText, x: float, y: float) -> str:
    if not told.value:
        return ""
    below = {"max": SHAPE - 8, "min": 17.0, "chance": SHAPE / 2 + 5, "leaf": LEAF / 2 + 5}[told.kind]
    tone = QUIET if told.is_unvisited else INK
    halo = {"stroke": ink(PAPER), "stroke_width": "5", "paint_order": "stroke"} if told.is_unvisited else {}
    room = told.width * (ROOM if told.kind in ("max", "min") else 1.0)
    size = LETTERS * min(1.0, room / width_of(told.value))
    return line_of_text(ink, told.value, x, y + below, size, tone, font_weight="600", **halo)


def _name(ink: Ink, told: NodeText, x: float, y: float) -> str:
    """A name where its shape leaves room: beside the point of a triangle, below a leaf."""
    if not told.name:
        return ""
    if told.kind == "leaf":
        return line_of_text(ink, told.name, x, y + LEAF + 13, SMALL, QUIET)
    below = {"max": 13.0, "min": SHAPE - 4, "chance": 6.0}[told.kind]
    aside = told.width / 2 - 4 if told.kind == "chance" else max(11.0, 13.0 * told.width / (2 * SHAPE) + 3)
    at = x - aside
    return line_of_text(ink, told.name, at, y + below, SMALL + 1, INK, text_anchor="end")


def _frame(ink: Ink, told: NodeText, x: float, y: float) -> str:
    half = max(told.width, width_of(told.window, SMALL)) / 2 + 6
    frame = {"x": x - half, "y": y - told.above - 4, "width": 2 * half, "height": told.above + told.below + 8}
    return tag("rect", **frame, rx=9, fill="none", stroke=ink(HERE), stroke_width=2.6, stroke_dasharray="7 3")


def width_of(told: str, size: float = LETTERS) -> float:
    """How wide a text is, about."""
    return text_width(told) * size


# Boards


def rows_board(ink: Ink, rows: tuple[str, ...]) -> NodeBoard:
    """A board that is written down: a cell for each letter, empty for a dot."""
    width, height = CELL * max(map(len, rows)), CELL * len(rows)
    parts = [tag("rect", width=width, height=height, fill=ink(PAPER), stroke=ink(QUIET), stroke_width=1.2)]
    lines = [f"M0 {short(CELL * n)}H{short(width)}" for n in range(1, len(rows))]
    lines += [f"M{short(CELL * n)} 0V{short(height)}" for n in range(1, max(map(len, rows)))]
    parts.append(tag("path", d="".join(lines) or "M0 0", stroke=ink(QUIET), stroke_width=0.8, fill="none"))
    for row, letters in enumerate(rows):
        for column, letter in enumerate(letters):
            if letter != ".":
                middle, foot = CELL * (column + 0.5), CELL * (row + 0.5) + 4
                parts.append(line_of_text(ink, letter, middle, foot, 12.0, font_weight="600"))
    return NodeBoard("".join(parts), width, height)


def state_board(ink: Ink, state: State) -> NodeBoard | None:
    """The first board of a state, if it has one of few cells."""
    board = board_of(state)
    if not board.panels or len(board.panels[0].cells) > MOST_CELLS:
        return None
    panel = replace(board.panels[0], labels=(), rows=(), columns=())
    drawing = PanelDrawing(ink, panel, "", board.roles)
    scale = BOARD / max(drawing.box.width, drawing.box.height)
    inner = "".join(markup for _, markup in drawing.pieces("board", (0, 0)))
    markup = tag("g", inner, transform=f"scale({scale:.4f})")
    return NodeBoard(markup, drawing.box.width * scale, drawing.box.height * scale)


def placed_board(board: NodeBoard, x: float, y: float) -> str:
    """A board whose middle is at x and whose top is at y."""
    return moved(x - board.width / 2, y, board.markup)
