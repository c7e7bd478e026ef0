"""What lies on a cell, laid out in it: one thing as large as fits, several side by side."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from gamemaster.draw.model import Cell, Thing
from gamemaster.draw.picture.boxes import moved
from gamemaster.draw.picture.colours import Coat, Ink, coat_of
from gamemaster.draw.picture.glyphs import GLYPHS, glyph, token, written
from gamemaster.draw.picture.looks import Look

__all__ = ["Brush", "spread"]

MOST_THINGS = 9
"""More things than these on a cell are counted, not drawn."""

BELOW = frozenset({"wall", "dot", "patch"})
"""Glyphs that other things on a cell stand upon."""

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
        symbol = thing.sign or thing.symbol or thing.content
        if thing.glyph not in GLYPHS and thing.colour.startswith("role "):
            return token(self.ink, symbol, self.coat(thing.colour))
        return glyph(self.ink, thing.glyph, self.coat(thing.colour), symbol)

    def count(self, number: int) -> str:
        """How many more there are."""
        return written(self.ink, f"+{number}", self.coat("plain"))


def spread(brush: Brush, cell: Cell, half: float, look: Look) -> str:
    """The things of a cell around (0,0), side by side."""
    others = [thing for thing in cell.things if thing.glyph not in BELOW] or list(cell.things)
    lower = [thing for thing in cell.things if thing not in others]
    size = half / HALF
    below = "".join(moved(0, 0, brush.draw(thing), scale=round(size, 3)) for thing in lower[:1])
    return below + "".join(_side_by_side(brush, others, size * (1.08 if look.has_holes else 1)))


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
