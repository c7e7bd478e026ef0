"""Labels beside a panel -> where each is written, and how large: those in a line do not run into each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from gamemaster.draw.model import Label, Panel, Point
from gamemaster.draw.picture.boxes import Box
from gamemaster.draw.picture.markup import clip, escape, short, tag, text_width

__all__ = ["LABEL", "PlacedLabel", "placed_labels"]

LABEL, LEAST = 30, 18
"""How large labels are, and how small at least; names for which that is too large are turned."""
LONGEST = 16
ROOM = 0.94
"""How much of the way to the next label one takes."""


@dataclass(frozen=True)
class PlacedLabel:
    """A label as it is written."""

    text: str
    at: Point
    """Its middle; of a turned one its end that is nearer to the board."""
    size: float = LABEL
    turned: int = 0
    """Whether it is written upwards, from here on (-1) or up to here (1)."""

    @property
    def corners(self) -> list[Point]:
        """Two corners of the room that it takes."""
        (x, y), half = self.at, max(0.5, text_width(self.text) / 2) * self.size
        if self.turned:
            return [(x - self.size / 2, y), (x + self.size / 2, y + self.turned * 2 * half)]
        return [(x - half, y - self.size / 2), (x + half, y + self.size / 2)]

    def markup(self, fill: str) -> str:
        """The label, written."""
        (x, y), down, text = self.at, self.size * 0.36, escape(self.text)
        if not self.turned:
            return tag(
                "text", text, x=x or None, y=y + down, font_size=self.size, text_anchor="middle", fill=fill
            )
        anchor = "end" if self.turned > 0 else None
        turn = f"translate({short(x + down)} {short(y)})rotate(-90)"
        return tag("text", text, transform=turn, font_size=self.size, text_anchor=anchor, fill=fill)


def placed_labels(panel: Panel, body: Box, unit: float) -> Iterator[PlacedLabel]:
    """The labels of a panel whose cells take this room."""
    lines: dict[float, list[Label]] = {}
    for label in panel.labels:
        lines.setdefault(round(label.at[1], 3), []).append(label)
    sizes = {y: _size(line, unit) for y, line in lines.items()}
    for label in panel.labels:
        text, size = clip(label.text, LONGEST), sizes[round(label.at[1], 3)]
        x, y = label.at[0] * unit, label.at[1] * unit
        is_outside = not body.top <= y <= body.bottom
        if size < LEAST and is_outside and panel.kind == "square":
            way = -1 if y < body.top else 1
            yield PlacedLabel(text, (x, y - way * LABEL / 2), turned=way)
        else:
            yield PlacedLabel(text, (_beside(panel, body, text, x, is_outside), y), max(LEAST, size))


def _size(line: Sequence[Label], unit: float) -> float:
    """How large labels in a line can be, so that each has room to the next."""
    places = sorted({label.at[0] for label in line})
    gaps = [(b - a) * unit for a, b in pairwise(places)]
    wide = max(text_width(clip(label.text, LONGEST)) for label in line)
    if not gaps or wide * LABEL <= min(gaps):
        return LABEL
    return min(gaps) * ROOM / wide


def _beside(panel: Panel, body: Box, text: str, x: float, is_outside: bool) -> float:
    """The middle of a label; a long one beside the board does not reach into it."""
    room = body.left - text_width(text) * LABEL / 2 - LABEL / 2
    is_before = x < body.left and not is_outside
    return min(x, room) if is_before and panel.kind == "square" else x
