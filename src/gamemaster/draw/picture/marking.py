"""Marks on cells, each with a shape of its own, so that none is told by its colour alone.

last is corners around the cell; win a double ring; threat a ring of dashes; chosen a thick frame; source a dotted
frame; target a dot in an empty cell, and four wedges around what would be taken. Frames and corners are round in cells
that are not square, and on points.
"""

from __future__ import annotations

from gamemaster.draw.model import MARKS, Cell, Mark
from gamemaster.draw.picture.colours import Ink, Tone
from gamemaster.draw.picture.markup import MARKER, short, tag

__all__ = ["draw_focus", "draw_marks", "tint"]

TONES: dict[Mark, Tone] = {
    "last": ("#d98200", "#ffb52e"),
    "win": ("#00795a", "#3fe0b0"),
    "threat": ("#c2361f", "#ff7a5c"),
    "chosen": ("#0072b2", "#63bdf5"),
    "source": ("#0072b2", "#63bdf5"),
    "target": ("#0072b2", "#63bdf5"),
}
HALO: Tone = ("#ffffff", "#16181b")
FLAT = frozenset({"dot", "wall", "patch", "unlit"})
"""Glyphs of what is part of a board, and not taken by what comes there."""

TINTED: dict[Mark, float] = {"last": 0.3, "win": 0.32, "chosen": 0.35}


def tint(ink: Ink, cell: Cell, ground: str) -> str:
    """A breath of colour over the ground of marked cells; `ground` is the path of the cell."""
    mark = next((mark for mark in ("chosen", "win", "last") if mark in cell.marks), None)
    if mark is None or not ground:
        return ""
    return tag("path", d=ground, fill=ink(TONES[mark]), fill_opacity=TINTED[mark])


def draw_marks(ink: Ink, cell: Cell, half: float) -> str:
    """The marks of a cell around (0,0), whose half width is given."""
    return "".join(_stamped(ink, _drawn(ink, mark, cell, half)) for mark in MARKS if mark in cell.marks)


def _stamped(ink: Ink, shape: str) -> str:
    return tag("use", href=f"#{ink.stamp(shape)}")


def draw_focus(ink: Ink, cell: Cell, half: float, around: str = "") -> str:
    """The frame of a cell that can be clicked; a style sheet shows it where a keyboard or a pointer is. It goes along a
    path, if there is one."""
    pen = (6.0, "")
    drawn = _pen(ink, around, TONES["chosen"], *pen) if around else _frame(ink, cell, half * 0.9, pen)
    frame = _stamped(ink, drawn)
    return tag("g", frame, class_=f"{MARKER}-f", visibility="hidden")


def _is_round(cell: Cell) -> bool:
    """Whether a square around the cell would not be in it, or would cut what stands on it."""
    return len(cell.outline) != 4


def _drawn(ink: Ink, mark: Mark, cell: Cell, half: float) -> str:
    if mark == "last":
        return _arcs(ink, TONES[mark], half) if _is_round(cell) else _corners(ink, TONES[mark], half)
    if mark == "target":
        is_taken = any(thing.glyph not in FLAT for thing in cell.things)
        return _wedges(ink, cell, half) if is_taken else _target(ink, half)
    if mark == "win":
        return _ring(ink, TONES[mark], half * 0.93, 7, "") + _ring(ink, TONES[mark], half * 0.78, 3, "")
    if mark == "threat":
        return _ring(ink, TONES[mark], half * 0.88, 6, f"{short(half * 0.26)} {short(half * 0.2)}")
    dashes = f"1 {short(half * 0.24)}" if mark == "source" else ""
    return _frame(ink, cell, half * 0.86, (5 if mark == "source" else 7, dashes))


def _pen(ink: Ink, d: str, tone: Tone, wide: float, dashes: str = "") -> str:
    """A line with a halo, which is seen on any ground."""
    common = {"d": d, "fill": "none", "stroke_linecap": "round", "stroke_dasharray": dashes or None}
    halo = tag("path", **common, stroke=ink(HALO), stroke_width=wide + 4, stroke_opacity=0.7)
    return halo + tag("path", **common, stroke=ink(tone), stroke_width=wide)


def _ring(ink: Ink, tone: Tone, r: float, wide: float, dashes: str) -> str:
    n = short(r)
    return _pen(ink, f"M0-{n}A{n} {n} 0 1 1 0 {n}A{n} {n} 0 1 1 0-{n}Z", tone, wide, dashes)


def _frame(ink: Ink, cell: Cell, half: float, pen: tuple[float, str]) -> str:
    """A line around a cell; its pen is how wide it is and its dashes."""
    if _is_round(cell):
        return _ring(ink, TONES["chosen"], half, *pen)
    n, side = short(half), short(2 * half)
    return _pen(ink, f"M-{n}-{n}h{side}v{side}h-{side}Z", TONES["chosen"], *pen)


def _arcs(ink: Ink, tone: Tone, half: float) -> str:
    """Four pieces of a ring, where a square would have its corners."""
    far, near, r = short(half * 0.83), short(half * 0.4), short(half * 0.92)
    d = (
        f"M-{far}-{near}A{r} {r} 0 0 1-{near}-{far}M{near}-{far}A{r} {r} 0 0 1 {far}-{near}"
        f"M{far} {near}A{r} {r} 0 0 1 {near} {far}M-{near} {far}A{r} {r} 0 0 1-{far} {near}"
    )
    return _pen(ink, d, tone, 5)


def _corners(ink: Ink, tone: Tone, half: float) -> str:
    far, arm = half * 0.9, half * 0.3
    ticks = (
        f"M{short(x * (far - arm))} {short(y * far)}H{short(x * far)}V{short(y * (far - arm))}"
        for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))
    )
    return _pen(ink, "".join(ticks), tone, 5)


def _target(ink: Ink, half: float) -> str:
    return tag(
        "circle",
        r=half * 0.26,
        fill=ink(TONES["target"]),
        fill_opacity=0.85,
        stroke=ink(HALO),
        stroke_width=3,
        stroke_opacity=0.8,
    )


def _wedges(ink: Ink, cell: Cell, half: float) -> str:
    """Four triangles around what stands here, and would be taken: in the corners, or pointing at it."""
    far, arm = half * 0.98, half * 0.36
    if _is_round(cell):
        near, wide = half * 0.66, half * 0.2
        points = [
            (
                (x * far - y * wide, y * far - x * wide),
                (x * far + y * wide, y * far + x * wide),
                (x * near, y * near),
            )
            for x, y in ((0, -1), (1, 0), (0, 1), (-1, 0))
        ]
    else:
        points = [
            ((x * far, y * far), (x * (far - arm), y * far), (x * far, y * (far - arm)))
            for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))
        ]
    d = "".join(f"M{'L'.join(f'{short(x)} {short(y)}' for x, y in corners)}Z" for corners in points)
    return tag("path", d=d, fill=ink(TONES["target"]), stroke=ink(HALO), stroke_width=2, stroke_opacity=0.8)
