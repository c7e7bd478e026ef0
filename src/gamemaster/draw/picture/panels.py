"""Panel -> pieces of a drawing: its frame, its lines, its labels and one group for each cell.

A cell is a group that names its id and has a title, so that a page can make it a button. What lies on it is as large as
the cell allows: things.py lays it out.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from typing import TypeAlias

from gamemaster.draw.model import BoardLine, Cell, Panel, Point, Way, short_id
from gamemaster.draw.picture.boxes import Box, box_around, moved
from gamemaster.draw.picture.colours import HEX, QUIET, Ink, Tone, coat_of, mixed
from gamemaster.draw.picture.cut import circle, corners_of
from gamemaster.draw.picture.labels import LABEL, placed_labels
from gamemaster.draw.picture.looks import look_of
from gamemaster.draw.picture.marking import draw_focus, draw_marks, tint
from gamemaster.draw.picture.markup import Value, clip, escape, seen, short, tag, text_width
from gamemaster.draw.picture.stacks import name_place, spike, stacked, top_of
from gamemaster.draw.picture.things import Brush, room_for_name, spread
from gamemaster.draw.picture.words import cell_in_words

__all__ = ["UNIT", "PanelDrawing", "Piece"]

UNIT = 100
"""How large a cell is in a drawing."""

MOST_LETTERS = 12
"""Of a name that is written into a node."""
BELOW_THINGS, ABOVE_NAME, BESIDE_NAME = 0.48, 0.18, 0.66
"""Of half a node: how far below its middle a name is that is not alone, how far above it things are, and their size."""
NODE, HOLE = 0.8, 0.84
"""How much of a place the circle of a node is, and a hole."""
TITLE = 34
RIM, PLATE = 12, 62
"""How far a frame stands out around cells, and a plate around points."""

LINE, WALL, SIDE = 4, 10, 26
"""How wide lines are, walls, and edges that are somebody's; a cell covers one half of those."""

SEAM = 3
"""How wide the line between cells is that are not told apart by their grounds."""

COMPARED = 300
"""So many cells are compared with all others to know how near they are to each other."""

Piece: TypeAlias = tuple[str, str]
"""A part of a drawing: what it is of, and its markup."""


class PanelDrawing:
    """A panel as it is drawn: in its own coordinates, UNIT for each cell."""

    def __init__(self, ink: Ink, panel: Panel, title: str = "", roles: Sequence[str] = ()) -> None:
        self.ink, self.panel, self.roles, self.title = ink, panel, roles, clip(title, 40)
        self.look = look_of(panel)
        self.has_plate = panel.kind == "points" or any(cell.stack for cell in panel.cells)
        self.brush = Brush(ink, roles, self.look.plain)
        self.room = _half_way(panel.cells)
        self.body = self._body()
        self.labels = tuple(placed_labels(panel, self.body, UNIT))
        self.box = self._box()

    def pieces(self, name: str, origin: Point, live: Collection[str] = ()) -> Iterator[Piece]:
        """All of it, its box beginning at the origin; what lies below comes first."""
        x, y = origin[0] - self.box.left, origin[1] - self.box.top
        lines = [line for line in self.panel.lines if line.ground == "line" and not line.is_above]
        is_below = self.panel.kind in ("points", "graph")
        drawn = self._stroke(lines, self.look.line, LINE)
        below = self._frame() + self._sides() + (drawn if is_below else "")
        if below:
            yield f"{name} frame", moved(x, y, below)
        for cell in sorted(self.panel.cells, key=_reading_order):
            yield f"cell {cell.id}", self._cell(cell, (x, y), cell.id in live)
        above = "".join(self._labels()) + ("" if is_below else drawn) + self._walls()
        if above:
            yield f"{name} labels", moved(x, y, above)

    # Where things are

    def _body(self) -> Box:
        """What the cells take, or the plate that points are on, their labels included."""
        corners = [point for cell in self.panel.cells for point in (cell.outline or (cell.centre,))]
        corners += [point for line in self.panel.lines for point in (line.start, line.end)]
        labels = [label.at for label in self.panel.labels] if self.has_plate else []
        box = box_around([(x * UNIT, y * UNIT) for x, y in corners + labels])
        if self.has_plate:
            return box.grown(min(PLATE, self.room + RIM))
        return box if all(cell.outline for cell in self.panel.cells) else box.grown(self.room)

    def _box(self) -> Box:
        box = self.body.grown(RIM if self.look.frame else 4)
        for label in self.labels:
            box = box.around(label.corners)
        if self._owned():
            wider = self.body.grown(SIDE)
            box = box.around([(wider.left, wider.top), (wider.right, wider.bottom)])
        if not self.title:
            return box
        return Box(
            box.left,
            box.top - 1.5 * TITLE,
            max(box.right, box.left + text_width(self.title) * TITLE),
            box.bottom,
        )

    # What is drawn

    def _frame(self) -> str:
        is_plate = self.has_plate
        if not self.look.frame or (self.panel.kind in ("graph", "hex", "triangle") and not is_plate):
            return ""
        box = self.body if is_plate else self.body.grown(RIM)
        return tag(
            "rect",
            x=box.left,
            y=box.top,
            width=box.width,
            height=box.height,
            rx=22 if self.look.has_holes else 8,
            fill=self.ink(self.look.light if is_plate else self.look.frame),
            stroke=self.ink(self.look.frame) if is_plate else None,
            stroke_width=6 if is_plate else None,
        )

    def _sides(self) -> str:
        """The edges of the board that are somebody's, in the colours of their owners; the seams are not seen."""
        coats = {line.ground: coat_of(line.ground, self.roles) for line in self._owned()}
        strokes = [(name, coat.edge, SIDE + 6) for name, coat in coats.items()]
        strokes += [(name, coat.fill, SIDE) for name, coat in coats.items()]
        return "".join(
            self._stroke([line for line in self._owned() if line.ground == name], tone, wide)
            for name, tone, wide in strokes
        )

    def _owned(self) -> list[BoardLine]:
        return [line for line in self.panel.lines if line.ground != "line" and not line.is_above]

    def _walls(self) -> str:
        """The lines that lie on the cells, each with an edge that is seen on any ground."""
        lines = [line for line in self.panel.lines if line.is_above]
        coats = {line.ground: coat_of(line.ground, self.roles) for line in lines}
        strokes = [(name, coat.edge, WALL + 4) for name, coat in coats.items()]
        strokes += [(name, coat.fill, WALL) for name, coat in coats.items()]
        return "".join(
            self._stroke([line for line in lines if line.ground == name], tone, wide)
            for name, tone, wide in strokes
        )

    def _stroke(self, lines: Sequence[BoardLine], tone: Tone, wide: float) -> str:
        if not lines:
            return ""
        ends = (
            f"M{short(line.start[0] * UNIT)} {short(line.start[1] * UNIT)}"
            f"L{short(line.end[0] * UNIT)} {short(line.end[1] * UNIT)}"
            for line in lines
        )
        return tag(
            "path",
            d="".join(ends),
            fill="none",
            stroke=self.ink(tone),
            stroke_width=wide,
            stroke_linecap="round",
        )

    def _labels(self) -> Iterator[str]:
        tone = self.look.line if self.panel.kind == "points" else QUIET
        for label in self.labels:
            yield label.markup(self.ink(tone))
        if self.title:
            yield self._text(self.title, (self.box.left + 4, self.box.top + TITLE / 2), QUIET, "start", TITLE)

    def _text(self, text: str, at: Point, tone: Tone, anchor: str, size: float) -> str:
        return tag(
            "text",
            escape(text),
            x=at[0] or None,
            y=at[1] + size * 0.36,
            font_size=size,
            text_anchor=None if anchor == "start" else anchor,
            fill=self.ink(tone),
        )

    def _cell(self, cell: Cell, origin: Point, is_live: bool) -> str:
        half = _inner(cell) * UNIT if cell.outline else self.room
        words = cell_in_words(cell)
        button: dict[str, Value] = {"tabindex": 0, "role": "button", "aria_label": words} if is_live else {}
        path = _path(cell)
        shape = spike(cell.stack, UNIT) if cell.stack else path
        marks = draw_marks(self.ink, cell, half)
        x, y = origin[0] + cell.centre[0] * UNIT, origin[1] + cell.centre[1] * UNIT
        ground = self._ground(cell, half, path) + self._label(cell, half)
        return tag(
            "g",
            tag("title", escape(words)),
            ground + tint(self.ink, cell, "" if self.look.has_holes else shape),
            self._things(cell, half),
            moved(0, top_of(cell, self.roles, UNIT), marks) if marks else "",
            draw_focus(self.ink, cell, half, path if cell.stack else "") if is_live else "",
            data_cell=seen(short_id(cell.id)),
            transform=f"translate({short(x)} {short(y)})",
            **button,
        )

    def _ground(self, cell: Cell, half: float, path: str) -> str:
        tone = self._tone(cell)
        if not path:
            return self._node(tone, half)
        if cell.stack:
            return self._spike(cell.stack, cell.ground, tone, path)
        if self.look.has_holes:
            area = tag("path", d=path, fill=self.ink(self.look.frame or self.look.line))
            return area + tag(
                "circle",
                r=half * HOLE,
                fill=self.ink(tone or self.look.light),
                stroke=self.ink(self.look.line),
                stroke_width=4,
            )
        if tone is None:
            return tag("path", d=path, fill="none", pointer_events="all")
        edge, wide = (self.look.line, self.look.edge) if self.look.edge else (self.look.middle, SEAM)
        if self.panel.kind == "square" and not self.look.edge:
            return tag("path", d=path, fill=self.ink(tone))
        return tag("path", d=path, fill=self.ink(tone), stroke=self.ink(edge), stroke_width=wide)

    def _spike(self, way: Way, ground: str, tone: Tone | None, path: str) -> str:
        """What things are stacked on; the whole place can be clicked. Its tones stand out from the plate."""
        place = tag("path", d=path, fill="none", pointer_events="all")
        bar = (self.look.frame or self.look.dark) if way == "both" else self.look.line
        told = {"dark": bar, "middle": bar if way == "both" else self.look.dark}.get(ground, tone)
        return place + (tag("path", d=spike(way, UNIT), fill=self.ink(told)) if told else "")

    def _node(self, tone: Tone | None, half: float) -> str:
        """A place without an outline: a node of a graph, or a point, of which only a dot is seen."""
        if self.panel.kind == "graph":
            return tag(
                "circle",
                r=half * NODE,
                fill=self.ink(tone or self.look.light),
                stroke=self.ink(self.look.line),
                stroke_width=4,
            )
        place = tag("circle", r=half, fill="none", pointer_events="all")
        if tone is None:
            return place
        return place + tag("circle", r=10 if tone == self.look.dark else 6, fill=self.ink(self.look.line))

    def _things(self, cell: Cell, half: float) -> str:
        """What lies on a cell; small and above the middle, where the name of the cell is below."""
        if cell.stack:
            return stacked(self.brush, cell, UNIT)
        shape = self._shape(cell, half)
        if not cell.label or room_for_name(cell.things):
            return spread(self.brush, cell, half, self.look, shape)
        return moved(0, -half * ABOVE_NAME, spread(self.brush, cell, half * BESIDE_NAME, self.look, shape))

    def _shape(self, cell: Cell, half: float) -> tuple[Point, ...]:
        """What a wall fills of a cell that is no square."""
        if self.look.has_holes and cell.outline:
            return circle(half * HOLE)
        return circle(half * NODE) if self.panel.kind == "graph" else corners_of(cell, UNIT)

    def _label(self, cell: Cell, half: float) -> str:
        """The name of a node in it, small enough for its circle; below what is there, where that would half hide it."""
        text, room = clip(cell.label, MOST_LETTERS), room_for_name(cell.things)
        if not text:
            return ""
        if cell.stack:
            tone = self.look.light if cell.stack == "both" else self.look.line
            size = min(LABEL, 0.9 * UNIT / text_width(text))
            return self._text(text, (0, name_place(cell.stack, UNIT)), tone, "middle", size)
        high, wide, y = (0.8, room, 0.0) if room else (0.36, 1.05, half * BELOW_THINGS)
        size = min(half * high, half * wide / max(0.6, text_width(text)))
        return self._text(text, (0, y), QUIET, "middle", size)

    def _tone(self, cell: Cell) -> Tone | None:
        """The tone of a cell's ground: one of the look's, or a colour, toned down where it is only named."""
        name = cell.ground
        if name == "none":
            return None
        if (known := self.look.ground(name)) is not None:
            return known
        fill = coat_of(name, self.roles).fill
        if HEX.match(name):
            return fill
        return mixed(fill[0], self.look.light[0], 0.45), mixed(fill[1], self.look.light[1], 0.45)


def _reading_order(cell: Cell) -> Point:
    """From top to bottom and from left to right: the order in which a keyboard visits cells."""
    return round(cell.centre[1], 3), cell.centre[0]


def _path(cell: Cell) -> str:
    """The outline of a cell around its centre."""
    if not cell.outline:
        return ""
    corners = [((x - cell.centre[0]) * UNIT, (y - cell.centre[1]) * UNIT) for x, y in cell.outline]
    return f"M{'L'.join(f'{short(x)} {short(y)}' for x, y in corners)}Z".replace(" -", "-")


def _inner(cell: Cell) -> float:
    """How far the edges of a cell are from its centre."""
    x, y = cell.centre
    ends = (*cell.outline[1:], cell.outline[0])
    distances = [_distance((x, y), a, b) for a, b in zip(cell.outline, ends, strict=True)]
    return max(0.1, min(distances))


def _distance(point: Point, start: Point, end: Point) -> float:
    """From a point to the line through two others."""
    wide, tall = end[0] - start[0], end[1] - start[1]
    length = math.hypot(wide, tall)
    if length == 0:
        return math.dist(point, start)
    return abs(wide * (start[1] - point[1]) - tall * (start[0] - point[0])) / length


def _half_way(cells: Sequence[Cell]) -> float:
    """Half of the way between the cells that are nearest to each other, and no more than half a unit."""
    nearest = 1.0
    for number, cell in enumerate(cells[:COMPARED]):
        others = (math.dist(cell.centre, other.centre) for other in cells[number + 1 :])
        nearest = min([nearest, *(distance for distance in others if distance > 0.05)])
    return nearest / 2 * UNIT
