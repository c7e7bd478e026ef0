"""Names of colours -> tones for light and for dark paper, and the ink that writes them into a drawing.

Nothing is told by colour alone, and colours that stand side by side are Okabe and Ito's, which people see apart
whatever their colour vision. A thing has a coat: its fill, an edge that is seen where the fill is like the ground, and
details on it. A drawing for one theme has its colours written out, for programs that know no style sheets; one for
both has variables, which follow the reader's choice.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from gamemaster.draw.picture.markup import MARKER, tag

__all__ = [
    "HEX",
    "INK",
    "PAPER",
    "QUIET",
    "SHEEN",
    "Coat",
    "Ink",
    "Theme",
    "Tone",
    "coat_of",
    "luminance",
    "mixed",
]

Theme = Literal["light", "dark"]

Tone: TypeAlias = tuple[str, str]
"""A colour on light paper, and on dark."""

INK: Tone = ("#26282b", "#e6e4df")
QUIET: Tone = ("#6b6f75", "#9da2a9")
PAPER: Tone = ("#fdfcfa", "#1d1f23")
SHEEN: Tone = ("#ffffff", "#ffffff")

ROLE_COLOURS = ("#d55e00", "#0072b2", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
COLOUR_OF = {
    "red": "#c93a2e",
    "blue": "#0b6cb5",
    "green": "#0a9469",
    "orange": "#e69100",
    "yellow": "#f2cf2f",
    "purple": "#7e57a8",
    "brown": "#8a5a35",
    "grey": "#8a9096",
    "gray": "#8a9096",
    "pink": "#d680b0",
    "cyan": "#56b4e9",
    "gold": "#e0b02c",
    "silver": "#b9bec4",
}
DEEP = 0.03
"""What is darker is told from dark grounds by its edge."""

SEEN_ON_DARK = 0.2
"""How light a colour is at least on dark paper."""

HEX = re.compile(r"#(?:[0-9a-fA-F]{3}){1,2}\Z")
ROLE = re.compile(r"role ([1-9][0-9]?)\Z")


@dataclass(frozen=True)
class Coat:
    """What a thing looks like: its fill, its edge, and details on the fill."""

    fill: Tone
    edge: Tone
    detail: Tone


COATS: Mapping[str, Coat] = {
    "white": Coat(("#fffefb", "#f6f4ee"), ("#35322e", "#26241f"), ("#35322e", "#35322e")),
    "black": Coat(("#33302e", "#232120"), ("#141312", "#b3afa7"), ("#f0ece3", "#d5d0c6")),
    "plain": Coat(("#5d636b", "#c6c9cd"), ("#2a2d31", "#33363a"), ("#ffffff", "#26282b")),
    "light": Coat(("#f1ede3", "#d9d5cb"), ("#5a554c", "#3a3732"), ("#3b3833", "#3b3833")),
    "middle": Coat(("#b3ac9e", "#a8a193"), ("#3d392f", "#211f1a"), ("#25231f", "#25231f")),
    "dark": Coat(("#55504a", "#4a4640"), ("#1f1d1a", "#bcb6ab"), ("#f4f0e7", "#e9e4da")),
}


def coat_of(colour: str, roles: Sequence[str] = ()) -> Coat:
    """The coat of a colour as boards name it; of a role, that of its name where its name is a colour."""
    if match := ROLE.match(colour):
        number = int(match[1]) - 1
        name = roles[number].lower() if number < len(roles) else ""
        return _known(name) or _coat(ROLE_COLOURS[number % len(ROLE_COLOURS)])
    if HEX.match(colour):
        return _coat(colour)
    return _known(colour.lower()) or COATS["plain"]


def _known(name: str) -> Coat | None:
    return COATS.get(name) or (_coat(COLOUR_OF[name]) if name in COLOUR_OF else None)


def _coat(colour: str) -> Coat:
    """The coat of a colour: an edge that is seen on grounds like it, details that are seen on it."""
    full = "#" + "".join(c * 2 for c in colour[1:]) if len(colour) == 4 else colour
    if luminance(full) < DEEP:
        return Coat((full, full), COATS["black"].edge, COATS["black"].detail)
    bright = next(lit for n in range(21) if luminance(lit := _lighter(full, n / 10)) >= SEEN_ON_DARK)
    is_light = luminance(full) > 0.27
    edge = mixed(full, "#000000", 0.68), mixed(full, "#000000", 0.8)
    return Coat((full, bright), edge, ("#1d1b19", "#1d1b19") if is_light else ("#ffffff", "#ffffff"))


def _lighter(colour: str, by: float) -> str:
    """A colour with more light: up to 1 it stays as full as it is, up to 2 it becomes white."""
    parts = _parts(colour)
    full = max(1.0, 1 + (232 / max(*parts, 60) - 1) * min(by, 1))
    return mixed(
        "#" + "".join(f"{min(255, round(part * full)):02x}" for part in parts), "#ffffff", max(0.0, by - 1)
    )


def _parts(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def mixed(colour: str, other: str, share: float) -> str:
    """A colour with so large a share of another in it."""
    pairs = zip(_parts(colour), _parts(other), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in pairs)


def luminance(colour: str) -> float:
    """How light a colour looks, 0 to 1, as the web's guidelines count it."""
    linear = [
        v / 12.92 if v <= 0.04 else ((v + 0.055) / 1.055) ** 2.4 for v in (p / 255 for p in _parts(colour))
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


class Ink:
    """What a drawing has been written with so far: its colours, and the shapes that it uses more than once."""

    def __init__(self, theme: Theme | None = None) -> None:
        self.theme = theme
        self._tones: dict[Tone, str] = {}
        self._stamps: dict[str, str] = {}

    def __call__(self, tone: Tone) -> str:
        """A tone as an attribute has it: its colour, or a variable."""
        light, dark = tone
        if light == dark or self.theme == "light":
            return light
        if self.theme == "dark":
            return dark
        name = self._tones.setdefault(tone, f"--{MARKER}-{len(self._tones)}")
        return f"var({name})"

    def stamp(self, shape: str) -> str:
        """The id of a shape, which stands once in the drawing however often it is used."""
        return self._stamps.setdefault(shape, f"{MARKER}-s{len(self._stamps)}")

    def definitions(self) -> str:
        """The shapes that are used."""
        shapes = (tag("g", shape, id=name) for shape, name in self._stamps.items())
        return tag("defs", *shapes) if self._stamps else ""

    def style(self) -> str:
        """The colours that are used, as the rules of a style sheet; a page can choose by `data-theme` on its root."""
        if not self._tones:
            return ""
        light = ";".join(f"{name}:{tone[0]}" for tone, name in self._tones.items())
        dark = ";".join(f"{name}:{tone[1]}" for tone, name in self._tones.items())
        of = f".{MARKER}"
        return (
            f"{of},[data-theme=light] {of}{{{light}}}"
            f"@media(prefers-color-scheme:dark){{{of}{{{dark}}}}}"
            f"[data-theme=dark] {of}{{{dark}}}"
        )
