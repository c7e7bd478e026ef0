"""Relations whose rows have names of their own for their cells -> a board: `cell(1,3,x)`, but `cell(2,c,x)`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from gamemaster.draw.boards.geometry import centre_of
from gamemaster.draw.boards.shape import Row, axis_of
from gamemaster.draw.boards.symbols import blanks_of, most_common
from gamemaster.draw.finding.facts import RelationFacts, natural
from gamemaster.draw.model import Point
from gamemaster.draw.styles.style import BoardStyle, Layer

__all__ = ["ragged_board"]

FEWEST_ROWS, FEWEST_CELLS, LONGEST_ROW = 3, 9, 30


def ragged_board(facts: Sequence[RelationFacts], roles: Sequence[str]) -> BoardStyle | None:
    """The board of a relation with rows that differ; hexagons where each is half a cell beside the next."""
    for each in facts:
        rows = _rows(each)
        if rows and len(each.initial) >= FEWEST_CELLS:
            return _board(each, rows, roles)
    return None


def _rows(each: RelationFacts) -> dict[str, Row]:
    """The cells of each row in order, where there is one fact for each cell at the start."""
    if each.relation[1] != 3 or not each.is_function:
        return {}
    names = axis_of({row[0] for row in each.initial})
    rows = {name: [row[1] for row in each.initial if row[0] == name] for name in names}
    if len(rows) < FEWEST_ROWS or any(not 1 < len(cells) <= LONGEST_ROW for cells in rows.values()):
        return {}
    return {name: tuple(sorted(cells, key=natural)) for name, cells in rows.items()}


def _board(each: RelationFacts, rows: dict[str, Row], roles: Sequence[str]) -> BoardStyle:
    sizes = [len(cells) for cells in rows.values()]
    is_hex = all((a - b) % 2 for a, b in pairwise(sizes))
    places: dict[Row, Point] = {
        (name, cell): (
            column + ((max(sizes) - len(cells)) / 2 if is_hex else 0.0),
            centre_of("hex" if is_hex else "square", number, 0, 0.0)[1],
        )
        for number, (name, cells) in enumerate(rows.items())
        for column, cell in enumerate(cells)
    }
    contents = each.values[2]
    return BoardStyle(
        layers=(Layer(each.relation, at=((0,), (1,)), content=((2,),)),),
        kind="hex" if is_hex else "square",
        title=each.relation[0],
        row=None,
        column=None,
        places=places,
        contents=contents,
        blanks=frozenset(blanks_of(contents, most_common(row[2] for row in each.initial), roles)),
        grows=False,
    )
