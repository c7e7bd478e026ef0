"""Heat maps and curves -> lines of text, for screens of any kind: the number and its sign say all that colour says.

white                    black
       1   2   3              1   2   3
  1   +5 +12  +5         1   -4  -9  -4
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from gamemaster.draw.judgement.maps import Heat, HeatMap, in_points, tint_of
from gamemaster.draw.model import Cell, Panel, Thing
from gamemaster.draw.text import FAINT, PLAIN, Line, blocks_in_lines, text_block

if TYPE_CHECKING:
    from rich.text import Text

    from gamemaster.search.native.judgement import Lesson

__all__ = ["curve_lines", "heat_colour", "heat_text"]

WIDTH = 80
MOST_MAPS = 24
NOT_SEEN = "·"
BLOCKS = " ▁▂▃▄▅▆▇█"
MUCH = 0.25
"""Of the greatest worth: what is coloured where there are few colours."""

CURVE_WIDTH, CURVE_HEIGHT = 60, 4
LEAST_TOP = 0.1
"""A curve goes up to a tenth at least, or what is next to nothing would look like much."""


def heat_text(heat: Heat, width: int = WIDTH) -> str:
    """The maps as plain text, side by side as far as they fit."""
    return "\n".join("".join(text for text, _ in line).rstrip() for line in _lines(heat, width))


def heat_colour(heat: Heat, width: int = WIDTH, *, has_tints: bool = True) -> Text:
    """The same text in colour, for rich to print; `has_tints`: whether the screen has more than sixteen colours."""
    from rich.text import Text

    return Text("\n").join([Text.assemble(*line) for line in _lines(heat, width, has_tints=has_tints)])


def _lines(heat: Heat, width: int, *, has_tints: bool = True) -> Iterator[Line]:
    maps = heat.maps[:MOST_MAPS]
    size = max(
        (len(in_points(each.points, heat.most)) for one in maps for each in one.worths.values()), default=1
    )
    paint = partial(_tint if has_tints else _bold_colour, most=heat.most)
    blocks = [
        text_block(_widened(each, size), _HeatPens(each, heat.most, size, paint), has_title=True)
        for each in maps
    ]
    yield from blocks_in_lines(blocks, width)
    if len(heat.maps) > len(maps):
        yield []
        yield [(f"and {len(heat.maps) - len(maps)} more kinds of pieces", PLAIN)]


def _tint(points: float, most: float) -> str:
    """The style of a number: its tint."""
    ground, letters = tint_of(points, most)
    return f"{letters} on {ground}"


def _bold_colour(points: float, most: float) -> str:
    """The style of a number where there are few colours: only what is worth much has one."""
    if abs(points) < MUCH * most:
        return PLAIN
    return "bright_white on blue" if points > 0 else "black on yellow"


class _HeatPens:
    """The numbers of a map, all as wide."""

    def __init__(self, heat_map: HeatMap, most: float, size: int, paint: Callable[[float], str]) -> None:
        self.map, self.most, self.size, self.paint = heat_map, most, size, paint

    def thing(self, thing: Thing) -> tuple[str, str]:
        """Boards of heat maps have no things."""
        return thing.symbol, PLAIN

    def cell(self, cell: Cell, *, empty: str) -> Line:
        """What the piece is worth there; a dot where it has not been seen."""
        worth = self.map.worths.get(cell.id)
        if worth is None:
            gap = cell.outline and cell.ground == "none"
            return [((" " if gap else NOT_SEEN).rjust(self.size), FAINT)]
        return [(in_points(worth.points, self.most).rjust(self.size), self.paint(worth.points))]


def _widened(heat_map: HeatMap, size: int) -> Panel:
    """The panel with names of columns that stand over numbers so wide, and its title."""
    panel = heat_map.panel
    return replace(
        panel,
        title=heat_map.title,
        columns=tuple(name.rjust(size) for name in panel.columns),
        cells=tuple(replace(cell, column=cell.column.rjust(size)) for cell in panel.cells),
        index=(),
    )


# The curve


def curve_lines(curve: Sequence[Lesson], width: int = CURVE_WIDTH) -> list[str]:
    """How well results were foretold while games were learnt, as a small picture: games to the right."""
    if len(curve) < 2:
        return []
    top = max(LEAST_TOP, math.ceil(max(each.explained for each in curve) * 20 - 1e-9) / 20)
    columns = _columns(curve, width)
    heights = [round(value / top * CURVE_HEIGHT * (len(BLOCKS) - 1)) for value in columns]
    lines = []
    for level in reversed(range(CURVE_HEIGHT)):
        full = len(BLOCKS) - 1
        blocks = "".join(BLOCKS[min(full, max(0, height - level * full))] for height in heights)
        label = f"{top:.0%}" if level == CURVE_HEIGHT - 1 else ""
        lines.append(f"{label:>6} ┤{blocks}".rstrip())
    lines.append(f"{'0%':>6} └{'─' * width}")
    first, last = f"{curve[0].games:,}", f"{curve[-1].games:,} games"
    lines.append(" " * 8 + first + last.rjust(width - len(first)))
    return lines


def _columns(curve: Sequence[Lesson], width: int) -> list[float]:
    """The height of the curve at as many places, from its first point to its last."""
    games, values = [each.games for each in curve], [each.explained for each in curve]
    step = (games[-1] - games[0]) / max(1, width - 1)
    found, place = [], 0
    for number in range(width):
        at = games[0] + number * step
        while place < len(games) - 2 and games[place + 1] < at:
            place += 1
        span = games[place + 1] - games[place]
        part = min(1.0, max(0.0, (at - games[place]) / span)) if span else 1.0
        found.append(values[place] + (values[place + 1] - values[place]) * part)
    return found
