"""The cells of a board in a style: found by their coordinates, placed in the plane, joined by lines."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from math import isfinite
from typing import Any, get_args

from gamemaster.draw.boards.filling import filled
from gamemaster.draw.boards.shape import Row
from gamemaster.draw.model import Point, Way
from gamemaster.draw.styles.style import BoardStyle, text_at
from gamemaster.draw.styles.tables import StyleTable
from gamemaster.language.terms import Term
from gamemaster.machine.arguments import shown

__all__ = ["ANY", "CellKeys", "pattern_lines", "place_of", "texts_of"]

FURTHEST = 1000.0
"""How far from the middle a place may be."""

ANY = "*"


class CellKeys:
    """The cells of a board, found by their coordinates."""

    def __init__(self, board: BoardStyle) -> None:
        self.size = len(board.indexes[0]) if board.indexes else 0
        self.by_coordinates: dict[Row, list[Row]] = {}
        for key in filled(board, ()).keys:
            self.by_coordinates.setdefault(key[self.size :], []).append(key)

    def matching(self, wanted: Row) -> list[Row]:
        """The cells that are meant; `*` is any value."""
        if ANY not in wanted:
            return self.by_coordinates.get(wanted, [])
        several = (keys for here, keys in self.by_coordinates.items() if _fits(wanted, here))
        return [key for keys in several for key in keys]


def _fits(wanted: Row, here: Row) -> bool:
    return len(wanted) == len(here) and all(a in (ANY, b) for a, b in zip(wanted, here, strict=True))


def place_of(table: StyleTable, key: str, value: Any) -> tuple[Point, Way | None]:
    """Where a place is, and which way things are stacked there, if they are."""
    *numbers, last = value if isinstance(value, list) and len(value) == 3 else [None]
    way = next((way for way in get_args(Way) if way == last), None)
    return _point(table, key, numbers if way else value), way


def _point(table: StyleTable, key: str, value: Any) -> Point:
    """Where a place is; an error for what is no point, or far out."""
    numbers = value if isinstance(value, list) else []
    if len(numbers) != 2 or not all(
        isinstance(each, int | float) and not isinstance(each, bool) for each in numbers
    ):
        hint = 'write [x, y], y downwards; for a stack [x, y, "up"], "down" or "both"'
        raise table.error(f"the place of {shown(key)} is {shown(value)}", hint, key)
    if not all(abs(each) <= FURTHEST and isfinite(each) for each in numbers):
        hint = f"neighbours are 1 apart, and nothing is further out than {FURTHEST:.0f}"
        raise table.error(f"the place of {shown(key)} is {shown(value)}", hint, key)
    return float(numbers[0]), float(numbers[1])


def pattern_lines(board: BoardStyle, *, has_diagonals: bool) -> Iterable[tuple[Row, Row]]:
    """Lines along rows and columns; those of alquerque cross every other point."""
    if board.row is None or board.column is None:
        return
    steps = [(0, 1), (1, 0), *([(1, 1), (1, -1)] if has_diagonals else [])]
    for (y, row), (x, column) in product(enumerate(board.rows), enumerate(board.columns)):
        for down, right in steps:
            if down and right and (x + y) % 2:
                continue
            if 0 <= y + down < len(board.rows) and 0 <= x + right < len(board.columns):
                other = (board.rows[y + down], board.columns[x + right])
                yield _key(board, row, column), _key(board, *other)


def _key(board: BoardStyle, row: str, column: str) -> Row:
    return (row, column) if (board.row or 0) < (board.column or 0) else (column, row)


def texts_of(fact: Term, arity: int) -> Row:
    """The first arguments of a fact."""
    return tuple(text_at(fact, (number,)) or "" for number in range(arity))
