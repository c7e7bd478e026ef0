"""The star points of a board, as boards of go have them: the middle, and points not far from corners and edges."""

from __future__ import annotations

from itertools import product

from gamemaster.draw.boards.shape import Row
from gamemaster.draw.styles.style import BoardStyle

__all__ = ["star_points"]

SMALL, MIDDLING, LARGE = 5, 7, 13
"""A board of fewer lines has no stars, or only the middle; from so many on they are on the fourth line."""


def star_points(board: BoardStyle) -> dict[Row, str]:
    """The grounds of all points: dark for stars, none for the others; nothing without rows and columns."""
    if board.row is None or board.column is None:
        return {}
    places = set(product(_stars(len(board.rows)), _stars(len(board.columns))))
    middle = (len(board.rows) // 2, len(board.columns) // 2)
    if max(len(board.rows), len(board.columns)) < LARGE:  # no stars between those near the corners
        places = {place for place in places if (place[0] == middle[0]) == (place[1] == middle[1])}
    found: dict[Row, str] = {}
    for (y, row), (x, column) in product(enumerate(board.rows), enumerate(board.columns)):
        coordinates = (row, column) if board.row < board.column else (column, row)
        found |= {(*index, *coordinates): "dark" if (y, x) in places else "none" for index in board.indexes}
    return found


def _stars(lines: int) -> set[int]:
    """Which lines have stars, from 0; an even number of lines has no middle."""
    if lines < SMALL:
        return set()
    middle = {lines // 2} if lines % 2 else set()
    if lines <= MIDDLING:
        return middle
    near = 3 if lines >= LARGE else 2
    return {near, lines - 1 - near} | middle
