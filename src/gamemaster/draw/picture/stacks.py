"""Places that things are stacked on: a spike or a bar, and the things one behind the other from its base.

A spike is a long triangle. Of more things than it has room for the last has a number, which is how many there are. On a
bar the things of the first role are stacked upwards from the middle, where its name is, and all others downwards.
"""

from __future__ import annotations

from collections.abc import Sequence

from gamemaster.draw.boards.geometry import stack_outline
from gamemaster.draw.model import Cell, Thing, Way
from gamemaster.draw.picture.boxes import moved
from gamemaster.draw.picture.markup import short, tag
from gamemaster.draw.picture.things import Brush

__all__ = ["name_place", "spike", "stacked", "top_of"]

MOST = 5
"""So many things are drawn; more are counted."""
STEP = 0.96
"""From one thing to the next, and how wide one is."""
SIZE = 1.27
"""How much larger than in a cell things are: so large that they touch each other."""
WIDE = 0.47
"""Half of the base of a spike."""
BESIDE = 0.78
"""How far from the first thing the name of a place is."""

Pile = tuple[list[Thing], int, int]
"""Things, which way they go on, downwards being 1, and how many steps from the base the first is."""


def spike(way: Way, unit: float) -> str:
    """The path of what things are stacked on, around the middle of its base."""
    (_, top), *_, (_, bottom) = ((x * unit, y * unit) for x, y in stack_outline(way, (0.0, 0.0)))
    wide = WIDE * unit
    if way == "both":
        return f"M{short(-wide)} {short(top)}H{short(wide)}V{short(bottom)}H{short(-wide)}Z"
    base, tip = (bottom, top) if way == "up" else (top, bottom)
    return f"M{short(-wide)} {short(base)}H{short(wide)}L0 {short(tip)}Z"


def name_place(way: Way, unit: float) -> float:
    """How far below the base the name of a place is; on a bar it is in the middle."""
    return {"up": BESIDE, "down": -BESIDE, "both": 0.0}[way] * unit


def stacked(brush: Brush, cell: Cell, unit: float) -> str:
    """The things of a cell, one behind the other."""
    return "".join(_drawn(brush, pile, unit) for pile in _piles(cell, brush.roles))


def top_of(cell: Cell, roles: Sequence[str], unit: float) -> float:
    """How far below the base the last thing of a cell is, where a mark is best seen."""
    tops = [_height(pile, min(len(pile[0]), MOST) - 1, unit) for pile in _piles(cell, roles) if pile[0]]
    return tops[0] if tops else 0.0


def _piles(cell: Cell, roles: Sequence[str]) -> list[Pile]:
    if cell.stack is None:
        return []
    if cell.stack != "both":
        return [(list(cell.things), 1 if cell.stack == "down" else -1, 0)]
    first = [thing for thing in cell.things if _is_first(thing, roles)]
    return [(first, -1, 1), ([thing for thing in cell.things if thing not in first], 1, 1)]


def _is_first(thing: Thing, roles: Sequence[str]) -> bool:
    """Whether a thing is of the first role: as its colour says, or its content."""
    return thing.colour == "role 1" or thing.content.split()[:1] == [*roles[:1]]


def _drawn(brush: Brush, pile: Pile, unit: float) -> str:
    things, _, _ = pile
    drawn = [brush.draw(thing) for thing in things[:MOST]]
    if len(things) > MOST:
        drawn[-1] = brush.numbered(things[MOST - 1], len(things))
    *lower, top = drawn or [""]
    below = [moved(0, _height(pile, number, unit), each, scale=SIZE) for number, each in enumerate(lower)]
    return "".join(below) + (_lifted(top, _height(pile, len(lower), unit)) if top else "")


def _lifted(markup: str, y: float) -> str:
    """The last thing of a pile: the one that a page lets people drag, and that is told by `data-top`."""
    where = f"translate(0 {short(y)})" if y else None
    return tag("g", moved(0, 0, markup, scale=SIZE), transform=where, data_top="")


def _height(pile: Pile, number: int, unit: float) -> float:
    _, way, start = pile
    return way * (start + number) * STEP * unit
