"""Upright rectangles, and markup in other places."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from gamemaster.draw.model import Point
from gamemaster.draw.picture.markup import short, tag

__all__ = ["Box", "box_around", "moved"]


@dataclass(frozen=True)
class Box:
    """An upright rectangle."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def width(self) -> float:
        """From left to right."""
        return self.right - self.left

    @property
    def height(self) -> float:
        """From top to bottom."""
        return self.bottom - self.top

    def grown(self, by: float) -> Box:
        """With so much more on all sides."""
        return Box(self.left - by, self.top - by, self.right + by, self.bottom + by)

    def around(self, points: Collection[Point]) -> Box:
        """Large enough for these points, too."""
        return box_around([(self.left, self.top), (self.right, self.bottom), *points])


def box_around(points: Collection[Point]) -> Box:
    """The least box that has all points in it."""
    xs, ys = [x for x, _ in points] or [0.0], [y for _, y in points] or [0.0]
    return Box(min(xs), min(ys), max(xs), max(ys))


def moved(x: float, y: float, *children: str, scale: float = 1) -> str:
    """Markup in another place, and of another size."""
    where = f"translate({short(x)} {short(y)})" if x or y else ""
    size = f"scale({short(scale)})" if scale != 1 else ""
    return tag("g", *children, transform=where + size) if where + size else "".join(children)
