"""Where cells are in the plane, what their corners are, which of their edges lie on a side of the board.

Everything is in units of the distance between neighbouring cells, x to the right and y downwards. Rows and columns are
numbers from 0 here, from the top and from the left. Hexagons stand on a corner, triangles on a side or on a corner in
turn.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import pairwise
from math import cos, pi, sin, sqrt

from gamemaster.draw.model import PanelKind, Point, Way
from gamemaster.draw.styles.style import Side, Slant

__all__ = [
    "around",
    "beyond",
    "centre_of",
    "is_upright",
    "letters",
    "lifted",
    "outline_of",
    "shift_of",
    "shifts_of",
    "side_edges",
    "stack_outline",
]

HALF = sqrt(3) / 2
"""The height of a row of hexagons, and half the side of a triangle."""
RADIUS = 1 / sqrt(3)
"""From the centre of a hexagon to its corners."""
HEXAGON = 6
TRIANGLE = 1.5
"""The height of a triangle whose neighbours are one away."""
STACK = 5.0
"""How long a place is that things are stacked on."""
BESIDE, ON_A_SLANT = 0.85, 1.0
"""How far from the centre of the last cell a label is; and where it is beyond a hexagon."""

SQUARE_SIDES: tuple[Side, ...] = ("top", "right", "bottom", "left")
"""The sides that the edges of a square are on, in the order of its corners."""
HEX_SIDES: dict[Side, tuple[int, ...]] = {"top": (5, 0), "right": (1,), "bottom": (2, 3), "left": (4,)}
"""Which edges of a hexagon, clockwise from the top, are on which side of the board."""
SLANTING: dict[tuple[Slant, Side], tuple[int, ...]] = {
    ("right", "left"): (3,),
    ("right", "right"): (0,),
    ("left", "left"): (5,),
    ("left", "right"): (2,),
}
"""Those that are on a side too, because rows slant away from it."""

Segment = tuple[Point, Point]


def centre_of(kind: PanelKind, row: int, column: int, shift: float) -> Point:
    """The middle of a cell in a row that begins `shift` cells further right; that of an upright triangle."""
    if kind == "hex":
        return (column + shift, row * HALF)
    if kind == "triangle":
        return (column * HALF + shift * 2 * HALF, row * TRIANGLE)
    return (column + shift, float(row))


def shifts_of(kind: PanelKind, slant: Slant, rows: Sequence[Sequence[int]]) -> list[float]:
    """How far right each row begins, where `rows` are the columns that each has cells in."""
    if slant == "centred":
        scale = 4 if kind == "triangle" else 2
        return [-(min(columns) + max(columns)) / scale if columns else 0.0 for columns in rows]
    return [shift_of(kind, slant, row) for row in range(len(rows))]


def shift_of(kind: PanelKind, slant: Slant, row: int) -> float:
    """How far right a row begins, where that does not depend on how long it is."""
    shifts: dict[Slant, float] = {
        "right": row / 2,
        "left": -row / 2,
        "odd": (row % 2) / 2,
        "even": ((row + 1) % 2) / 2,
    }
    return shifts.get(slant, 0.0) if kind in ("hex", "triangle") else 0.0


def is_upright(row: int, column: int, slant: Slant) -> bool:
    """Whether a triangle stands on its side: every other one in a row, and in a column where rows are straight."""
    return (row + column) % 2 == 0 if slant == "straight" else column % 2 == 0


def lifted(centre: Point) -> Point:
    """The middle of a triangle that stands on a corner is higher."""
    return (centre[0], centre[1] - TRIANGLE / 3)


def outline_of(kind: PanelKind, centre: Point, *, upright: bool = True) -> tuple[Point, ...]:
    """The corners of a cell, from the top left of a square, or the top, clockwise; a point has none."""
    x, y = centre
    if kind == "square":
        return ((x - 0.5, y - 0.5), (x + 0.5, y - 0.5), (x + 0.5, y + 0.5), (x - 0.5, y + 0.5))
    if kind == "hex":
        return around(centre, HEXAGON, RADIUS)
    if kind == "triangle":
        return around(centre, 3, 1.0, turned=0.0 if upright else pi)
    return ()


def stack_outline(way: Way, centre: Point) -> tuple[Point, ...]:
    """The corners of a place that things are stacked on, from the top left, clockwise; its base is at the centre."""
    x, y = centre
    top = y - 0.5 - {"up": STACK - 1, "down": 0.0, "both": STACK}[way]
    bottom = y + 0.5 + {"up": 0.0, "down": STACK - 1, "both": STACK}[way]
    return ((x - 0.5, top), (x + 0.5, top), (x + 0.5, bottom), (x - 0.5, bottom))


def around(centre: Point, count: int, radius: float, turned: float = 0.0) -> tuple[Point, ...]:
    """So many points on a circle, clockwise, from the top."""
    angles = (turned + 2 * pi * number / count - pi / 2 for number in range(count))
    x, y = centre
    return tuple((round(x + radius * cos(angle), 6), round(y + radius * sin(angle), 6)) for angle in angles)


def side_edges(
    outline: tuple[Point, ...], sides: Collection[Side], side: Side, slant: Slant
) -> list[Segment]:
    """The edges of a cell that lie on a side of the board; `sides` are all that the cell is at.

    At the acute corners of a slanting board an edge would be on two sides: it is that of the top or the bottom.
    """
    edges = list(pairwise((*outline, outline[0]))) if outline else []
    if len(edges) == len(SQUARE_SIDES):
        return [edges[SQUARE_SIDES.index(side)]]
    if len(edges) != HEXAGON:
        return []
    taken = [edge for other in ("top", "bottom") if other in sides for edge in HEX_SIDES[other]]
    own = (
        HEX_SIDES[side] if side in ("top", "bottom") else (*HEX_SIDES[side], *SLANTING.get((slant, side), ()))
    )
    return [edges[number] for number in own if side in ("top", "bottom") or number not in taken]


def beyond(last: Point, before: Point | None, default: Point, kind: PanelKind = "square") -> Point:
    """Where a label goes: on from the cell before the last over the last; where there is one cell, a default way."""
    way = (last[0] - before[0], last[1] - before[1]) if before else default
    far = (ON_A_SLANT if before or kind == "hex" else BESIDE) / (sqrt(way[0] ** 2 + way[1] ** 2) or 1.0)
    return (round(last[0] + far * way[0], 6), round(last[1] + far * way[1], 6))


def letters(number: int) -> str:
    """a for 0, b for 1, aa after z."""
    text = ""
    while number >= 0:
        number, rest = divmod(number, 26)
        text, number = chr(ord("a") + rest) + text, number - 1
    return text
