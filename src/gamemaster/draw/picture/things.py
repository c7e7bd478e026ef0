"""What lies on a cell, laid out in it: one thing as large as fits, several side by side."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from gamemaster.draw.model import Cell, Point, Thing
from gamemaster.draw.picture.boxes import moved
from gamemaster.draw.picture.cards import CARDS, COIN_SIDES
from gamemaster.draw.picture.colours import Coat, Ink, coat_of
from gamemaster.draw.picture.cut import FILLING, cut_glyph
from gamemaster.draw.picture.glyphs import GLYPHS, badge, glyph, token, written
from gamemaster.draw.picture.looks import Look
from gamemaster.draw.picture.markup import tag

__all__ = ["Brush", "room_for_name", "spread"]

MOST_THINGS = 9
"""More things than these on a cell are counted, not drawn."""

HIDING = frozenset({"disc", "stone", "man", "king", "coin", "tile", "square", "wall", *CARDS, *COIN_SIDES})
"""Glyphs that hide what is written in the middle of their cell."""
WHOLE = 1.3
FRAMING = {"ring": 0.7, "patch": WHOLE}
"""Glyphs that leave what is written there to be seen, if it is no wider than so much of half the cell."""

SQUARE = 4
CORNER, IN_CORNER = 0.68, 0.72
"""How far from the middle a dot in the corner of a square is, and how large."""

ROOM = 29
"""Of a number on a thing: what is drawn there is not seen."""

HALF = 50
"""Half of the box that glyphs are drawn in."""


class Brush:
    """How things look on one board: their glyphs in the coats of their colours."""

    def __init__(self, ink: Ink, roles: Sequence[str], plain: Coat | None = None) -> None:
        self.ink, self.roles, self.plain = ink, roles, plain

    def coat(self, colour: str) -> Coat:
        """The coat of a colour on this board."""
        return self.plain if self.plain and colour == "plain" else coat_of(colour, self.roles)

    def draw(self, thing: Thing) -> str:
        """A thing in its box; one that is only written and somebody's is written on a disc of that colour."""
        symbol, coat = thing.sign or thing.symbol or thing.content, self.coat(thing.colour)
        is_token = thing.glyph not in GLYPHS and thing.colour.startswith("role ")
        drawn = token(self.ink, symbol, coat) if is_token else glyph(self.ink, thing.glyph, coat, symbol)
        return drawn + badge(self.ink, thing.badge, coat) if thing.badge else drawn

    def fill(self, thing: Thing, size: float, shape: Sequence[Point]) -> str:
        """A thing that fills its cell, in the shape of the cell."""
        if shape:
            return cut_glyph(self.ink, thing.glyph, self.coat(thing.colour), shape)
        return moved(0, 0, self.draw(thing), scale=round(size, 3))

    def numbered(self, thing: Thing, number: int) -> str:
        """A thing with a number on it: so many are there."""
        coat = self.coat(thing.colour)
        room = tag("circle", r=ROOM, fill=self.ink(coat.fill))
        return (
            self.draw(thing)
            + room
            + written(self.ink, str(number), Coat(coat.detail, coat.edge, coat.fill), 58)
        )

    def count(self, number: int) -> str:
        """How many more there are."""
        return written(self.ink, f"+{number}", self.coat("plain"))


def room_for_name(things: Sequence[Thing]) -> float:
    """How wide a name in the middle of a cell may be, of half the cell; 0 where things would half hide it."""
    if not things:
        return WHOLE
    first, *others = things
    is_token = first.glyph not in GLYPHS and first.colour.startswith("role ")
    if others or not (is_token or first.glyph in (*HIDING, *FRAMING)):
        return 0
    return FRAMING.get(first.glyph, WHOLE)


def spread(brush: Brush, cell: Cell, half: float, look: Look, shape: Sequence[Point] = ()) -> str:
    """The things of a cell around (0,0), side by side, upon one that fills it; `shape` is that of a cell that is no
    square."""
    size = half / HALF
    lowest = next((thing for thing in cell.things if thing.glyph in FILLING), None)
    others = [thing for thing in cell.things if thing is not lowest]
    below = brush.fill(lowest, size, shape) if lowest else ""
    corner = _of_corner(cell, others) if not look.has_holes else None
    if corner:
        others.remove(corner)
        far = CORNER * half
        below += moved(far, far, brush.draw(corner), scale=round(size * IN_CORNER, 3))
    return below + "".join(_side_by_side(brush, others, size * (1.08 if look.has_holes else 1)))


def _of_corner(cell: Cell, things: Sequence[Thing]) -> Thing | None:
    """The dot that is to be seen beside what else lies on a square: in its corner."""
    dots = [thing for thing in things if thing.glyph == "dot"]
    is_beside = len(things) > len(dots) == 1 and len(cell.outline) == SQUARE
    return dots[0] if is_beside else None


def _side_by_side(brush: Brush, things: Sequence[Thing], size: float) -> Iterator[str]:
    shown = list(things) if len(things) <= MOST_THINGS else list(things[: MOST_THINGS - 1])
    drawn = [brush.draw(thing) for thing in shown]
    if len(things) > len(shown):
        drawn.append(brush.count(len(things) - len(shown)))
    columns = max(1, math.ceil(math.sqrt(len(drawn))))
    rows = max(1, math.ceil(len(drawn) / columns))
    step = 2 * HALF * size * 0.92 / columns if columns > 1 else 0.0
    for number, markup in enumerate(drawn):
        row, column = divmod(number, columns)
        in_row = min(columns, len(drawn) - row * columns)
        x, y = (column - (in_row - 1) / 2) * step, (row - (rows - 1) / 2) * step
        yield moved(x, y, markup, scale=round(size / columns, 3))
