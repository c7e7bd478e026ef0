"""Facts that are lines -> where they begin and end: walls along cells, links between them, edges between corners."""

from __future__ import annotations

from collections.abc import Sequence

from gamemaster.draw.boards.geometry import centre_of, outline_of
from gamemaster.draw.boards.shape import Row
from gamemaster.draw.finding.compass import SIDE_WORDS
from gamemaster.draw.model import Point
from gamemaster.draw.styles.style import BoardStyle, LineLayer, text_at
from gamemaster.language.terms import Term

__all__ = ["line_of"]

SIDES = ("top", "right", "bottom", "left")
"""In the order of the edges of a square."""


def line_of(
    layer: LineLayer, fact: Term, board: BoardStyle, shifts: Sequence[float]
) -> tuple[Point, Point] | None:
    """The ends of the line of a fact, where rows begin so far right; None where it names no place of the board."""
    start = _point(layer, [text_at(fact, argument) for argument in layer.at], board, shifts)
    if start is None:
        return None
    if layer.to:
        end = _point(layer, [text_at(fact, argument) for argument in layer.to], board, shifts)
        return None if end is None else (start, end)
    word = text_at(fact, layer.turned) if layer.turned is not None else None
    side = layer.side or SIDE_WORDS.get(word or "")
    if side is None or board.kind != "square":
        return None
    outline = outline_of("square", start)
    number = SIDES.index(side)
    return outline[number], outline[(number + 1) % 4]


def _point(
    layer: LineLayer, texts: Sequence[str | None], board: BoardStyle, shifts: Sequence[float]
) -> Point | None:
    """The middle of the cell with these coordinates, or the corner; one beside the board may be named too."""
    if board.row is None or board.column is None:
        return None
    rows, columns = layer.corners or (board.rows, board.columns)
    row, column = _place(rows, texts[board.row]), _place(columns, texts[board.column])
    if row is None or column is None:
        return None
    row = len(rows) - 1 - row if board.counts_up else row
    if layer.corners:
        return (column - 0.5, row - 0.5)
    return centre_of(board.kind, row, column, shifts[row] if 0 <= row < len(shifts) else 0.0)


def _place(axis: Row, text: str | None) -> int | None:
    """Which of the values of an axis it is, from 0; one before or behind them too, where they are numbers."""
    if text is None:
        return None
    if text in axis:
        return axis.index(text)
    if not (axis and text.isdecimal() and axis[0].isdecimal() and len(text) < 10):
        return None
    place = int(text) - int(axis[0])
    return place if -1 <= place <= len(axis) else None
