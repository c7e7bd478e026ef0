"""What boards are made of: the tones of their grounds, lines and frames, on light paper and on dark.

On dark paper boards are dimmer but keep their colours, so that pieces of all coats are seen on them in both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gamemaster.draw.model import Panel
from gamemaster.draw.picture.colours import Coat, Tone

__all__ = ["LOOKS", "Look", "look_of"]


@dataclass(frozen=True)
class Look:
    """The tones of a board."""

    light: Tone
    middle: Tone
    dark: Tone
    line: Tone
    """Of lines between places, and around cells where they have an edge."""
    frame: Tone | None = None
    edge: float = 0
    """How wide the line around a cell is."""
    has_holes: bool = False
    """Whether cells are holes through the board."""
    plain: Coat | None = None
    """The coat of things that are nobody's, where it is not that on paper."""

    def ground(self, name: str) -> Tone | None:
        """The tone of a ground by its name, if the look has one of that name."""
        return {"light": self.light, "middle": self.middle, "dark": self.dark}.get(name)


ON_BOARDS = Coat(("#4c4a47", "#3c3a37"), ("#211f1d", "#1d1b19"), ("#ffffff", "#f0ece3"))

ON_FELT = Coat(("#e9efe9", "#d9e3db"), ("#16301f", "#0f2116"), ("#1d2b22", "#1d2b22"))

LOOKS: Mapping[str, Look] = {
    "plain": Look(
        light=("#f8f6f1", "#34383d"),
        middle=("#e7e3d9", "#3e4348"),
        dark=("#d3cdbf", "#42474d"),
        line=("#a29c8f", "#747b83"),
        edge=3,
    ),
    "paper": Look(
        light=("#ffffff", "#2b2e33"),
        middle=("#f0f0ee", "#383c42"),
        dark=("#dcdcd8", "#41464c"),
        line=("#2f3236", "#a9aeb5"),
        edge=3,
    ),
    "wood": Look(
        light=("#efdcb9", "#c6a67e"),
        middle=("#dcba8b", "#a98459"),
        dark=("#bb8d60", "#8d6743"),
        line=("#6a4c2c", "#3c2a1a"),
        frame=("#80593a", "#4d3826"),
        plain=ON_BOARDS,
    ),
    "green": Look(
        light=("#eff0df", "#bcc6a6"),
        middle=("#b9cca8", "#8aa07a"),
        dark=("#7a9d70", "#587b52"),
        line=("#45623f", "#2c422a"),
        frame=("#4d6c47", "#33492f"),
        plain=ON_BOARDS,
    ),
    "felt": Look(
        light=("#3f9162", "#2f7350"),
        middle=("#38845a", "#286445"),
        dark=("#347c54", "#1e4f36"),
        line=("#1f5337", "#163d29"),
        frame=("#2a3330", "#14191a"),
        edge=3,
        plain=ON_FELT,
    ),
    "holes": Look(
        light=("#eef1f5", "#556171"),
        middle=("#dde3ea", "#4f5a69"),
        dark=("#c9d2dc", "#2f3740"),
        line=("#164f96", "#123b70"),
        frame=("#2068bd", "#1d569c"),
        has_holes=True,
    ),
    "stone": Look(
        light=("#e3e6e8", "#8d959c"),
        middle=("#c9ced2", "#757d84"),
        dark=("#9fa8b0", "#5c646b"),
        line=("#5b646c", "#2f353a"),
        frame=("#59636c", "#30363b"),
        plain=ON_BOARDS,
    ),
    "night": Look(
        light=("#6d7c96", "#20262f"),
        middle=("#64728c", "#1b2028"),
        dark=("#5b6982", "#161a21"),
        line=("#3b4558", "#3f4957"),
        frame=("#353e4f", "#0e1116"),
        edge=2,
        plain=Coat(("#eef0f3", "#c6cad0"), ("#2b3340", "#5b636d"), ("#1e242d", "#1e242d")),
    ),
}


def look_of(panel: Panel) -> Look:
    """The look that a panel asks for, or the one that suits its kind."""
    if panel.look in LOOKS:
        return LOOKS[panel.look]
    is_chequered = panel.kind == "square" and any(cell.ground == "dark" for cell in panel.cells)
    return LOOKS["wood" if is_chequered or panel.kind == "points" else "plain"]
