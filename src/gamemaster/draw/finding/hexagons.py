"""Which boards are hexagonal, or points on lines.

Neighbours say so: a cell of a slanting hexagonal board has six, in the same row, and two each above and below. Where
the rules have no neighbours, the rows do: those of a hexagonal board are a cell longer or shorter than the next, or
three, or five, so that they lie half a cell apart when all are centred.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

from gamemaster.draw.boards.shape import Row
from gamemaster.draw.finding.neighbours import neighbour_relations
from gamemaster.draw.finding.statics import StaticRows
from gamemaster.draw.styles.style import BoardStyle, Slant

__all__ = ["hexagonal"]

FEWEST_ROWS = 3
LEVEL_OR_UPRIGHT = {(0, 1), (0, -1), (1, 0), (-1, 0)}


def hexagonal(board: BoardStyle, statics: StaticRows) -> BoardStyle:
    """The board with hexagons, or points on lines, where its cells are such; else as it is."""
    if board.row is None or board.column is None:
        return board
    for turned in (board, _transposed(board)):
        if _is_centred(turned):
            return replace(turned, kind="hex", slant="centred")
    for _, pairs in neighbour_relations(board, statics):
        ways = [_way(board, *pair) for pair in pairs]
        if slants := _slants(set(ways)):
            return replace(board, kind="hex", slant=slants)
        if _is_uneven(board, ways):
            return replace(board, kind="points", lines=_once(pairs))
    return board


def _transposed(board: BoardStyle) -> BoardStyle:
    return replace(
        board, row=board.column, column=board.row, rows=board.columns, columns=board.rows, counts_up=False
    )


def _is_centred(board: BoardStyle) -> bool:
    """Whether rows lie half a cell apart when all are centred."""
    if board.cells is None or len(board.rows) < FEWEST_ROWS:
        return False
    cells = {key[-2:] for key in board.cells}
    places = {row: _columns(board, cells, row) for row in board.rows}
    if any(not found or found[-1] - found[0] >= len(found) for found in places.values()):
        return False
    return all((len(places[a]) - len(places[b])) % 2 for a, b in pairwise(board.rows))


def _columns(board: BoardStyle, cells: Collection[Row], row: str) -> list[int]:
    """The columns in which a row has cells, counted from 0."""
    assert board.row is not None
    return [at for at, column in enumerate(board.columns) if _key(board, row, column) in cells]


def _key(board: BoardStyle, row: str, column: str) -> Row:
    return (row, column) if board.row == 0 else (column, row)


def _way(board: BoardStyle, start: Row, end: Row) -> tuple[int, int]:
    """How many rows down and columns right the second of two cells is from the first."""
    assert board.row is not None
    assert board.column is not None
    down = board.rows.index(end[board.row]) - board.rows.index(start[board.row])
    right = board.columns.index(end[board.column]) - board.columns.index(start[board.column])
    return (-down if board.counts_up else down), right


def _slants(ways: Collection[tuple[int, int]]) -> Slant | None:
    """How a board slants on which these are the ways to neighbours; None where they are not six, or other ones."""
    both = {*ways, *((-down, -right) for down, right in ways)}
    if both == LEVEL_OR_UPRIGHT | {(1, -1), (-1, 1)}:
        return "right"
    return "left" if both == LEVEL_OR_UPRIGHT | {(1, 1), (-1, -1)} else None


def _is_uneven(board: BoardStyle, ways: Sequence[tuple[int, int]]) -> bool:
    """Whether cells have neighbours along lines that only some of them are on, as the diagonals of alquerque."""
    if any(max(abs(down), abs(right)) > 1 for down, right in ways) or not ways:
        return False
    size = len(board.cells) if board.cells is not None else len(board.rows) * len(board.columns)
    counts = {way: ways.count(way) for way in set(ways)}
    diagonals = [count for (down, right), count in counts.items() if down and right]
    straight = [count for (down, right), count in counts.items() if not (down and right)]
    return bool(diagonals and straight) and max(diagonals) < 0.7 * max(straight) and len(ways) >= size


def _once(pairs: Iterable[tuple[Row, Row]]) -> tuple[tuple[Row, Row], ...]:
    """Each pair in one direction only."""
    found: dict[tuple[Row, Row], None] = {}
    for start, end in pairs:
        if (end, start) not in found and start != end:
            found[start, end] = None
    return tuple(found)
