"""Walls and patches in the shape of a cell that is no square: what would stick out of it is cut off."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TypeAlias

from gamemaster.draw.model import Cell, Point
from gamemaster.draw.picture.colours import Coat, Ink
from gamemaster.draw.picture.markup import short, tag

__all__ = ["FILLING", "circle", "corners_of", "cut_glyph"]

FILLING = frozenset({"wall", "patch"})
"""Glyphs that fill their cell."""
SQUARE = 4
ROUND = 32
"""So many corners make a circle."""
COURSE, BRICK = 25.0, 42.0
"""How high a course of bricks is, and how long a brick."""
JOINT = 3
Segment: TypeAlias = tuple[Point, Point]


def corners_of(cell: Cell, unit: float) -> tuple[Point, ...]:
    """The corners of a cell around its centre; none where it is a square, or a point."""
    if len(cell.outline) == SQUARE:
        return ()
    return tuple(((x - cell.centre[0]) * unit, (y - cell.centre[1]) * unit) for x, y in cell.outline)


def circle(radius: float) -> tuple[Point, ...]:
    """A circle as a shape with corners, clockwise."""
    angles = (2 * math.pi * number / ROUND for number in range(ROUND))
    return tuple((radius * math.cos(angle), radius * math.sin(angle)) for angle in angles)


def cut_glyph(ink: Ink, name: str, coat: Coat, corners: Sequence[Point]) -> str:
    """A glyph that fills a cell, within these corners: a patch of colour, or bricks."""
    outline = f"M{'L'.join(f'{short(x)} {short(y)}' for x, y in corners)}Z"
    if name == "patch":
        return tag("path", d=outline, fill=ink(coat.fill), fill_opacity=0.5)
    joints = "".join(f"M{short(a[0])} {short(a[1])}L{short(b[0])} {short(b[1])}" for a, b in _joints(corners))
    bricks = tag("path", d=joints, fill="none", stroke=ink(coat.edge), stroke_width=JOINT) if joints else ""
    return tag("path", d=outline, fill=ink(coat.fill)) + bricks


def _joints(corners: Sequence[Point]) -> Iterator[Segment]:
    """The lines between bricks, as far as they are within the corners; each course begins half a brick further on."""
    reach = max(math.hypot(x, y) for x, y in corners)
    courses = math.ceil(reach / COURSE)
    for course in range(-courses, courses):
        y, shift = course * COURSE, BRICK / 2 if course % 2 else 0.0
        across = math.ceil(reach / BRICK)
        level = ((-reach, y), (reach, y))
        upright = [
            ((x, y), (x, y + COURSE)) for x in (n * BRICK + shift for n in range(-across - 1, across + 1))
        ]
        yield from (part for each in (level, *upright) if (part := _within(each, corners)))


def _within(segment: Segment, corners: Sequence[Point]) -> Segment | None:
    """The part of a line that lies within corners, which go clockwise around an area without dents."""
    (x, y), (to_x, to_y) = segment
    first, last = 0.0, 1.0
    for a, b in pairwise((*corners, corners[0])):
        start = (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0])
        end = (b[0] - a[0]) * (to_y - a[1]) - (b[1] - a[1]) * (to_x - a[0])
        if start < 0 > end:
            return None
        if (start < 0) != (end < 0):
            at = start / (start - end)
            first, last = (max(first, at), last) if start < 0 else (first, min(last, at))
    if last - first < 0.02:
        return None
    wide, tall = to_x - x, to_y - y
    return (x + first * wide, y + first * tall), (x + last * wide, y + last * tall)
