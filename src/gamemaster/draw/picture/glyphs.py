"""Names of glyphs -> shapes, drawn by us for a box from -50 to 50, in the coat of whoever they belong to.

A glyph that is not known is written: the symbol of the thing, as large as fits.
"""

from __future__ import annotations

from collections.abc import Mapping

from gamemaster.draw.picture.boxes import moved
from gamemaster.draw.picture.cards import CARDS, COIN_SIDES, Drawn, ink_of_card, room_on_card
from gamemaster.draw.picture.chessmen import CHESSMEN, Shape
from gamemaster.draw.picture.colours import SHEEN, Coat, Ink, Tone, luminance, mixed
from gamemaster.draw.picture.markup import Value, clip, escape, tag, text_width

__all__ = ["GLYPHS", "badge", "glyph", "token", "written"]

EDGE = 3.2
MOST_LETTERS = 12
ROOM = 80
"""How wide letters may be in their box."""
BRIGHT, DIM = 0.5, 0.04
"""Letters of a luminance above the one on light paper, or below the other on dark paper, need an edge."""


def glyph(ink: Ink, name: str, coat: Coat, symbol: str) -> str:
    """A thing in its box: a known shape, which is stamped, or its symbol, written."""
    drawn = GLYPHS.get(name)
    if drawn is None:
        return written(ink, symbol, coat)
    shape = tag("use", href=f"#{ink.stamp(drawn(ink, coat))}")
    if name == "tile" or (name == "coin" and symbol.isdecimal()):
        return shape + written(ink, symbol, Coat(coat.detail, coat.edge, coat.fill), 58)
    if name in CARDS and name != "card_back":
        tone = ink_of_card(name, coat)
        x, y, room = room_on_card(name)
        return shape + moved(x, y, written(ink, symbol, Coat(tone, tone, tone), room))
    return shape


def written(ink: Ink, symbol: str, coat: Coat, room: float = ROOM) -> str:
    """A symbol as large as fits; on the ground of a cell its edge is seen where its fill is not."""
    text = clip(symbol, MOST_LETTERS)
    size = min(room * 0.72, room / max(0.6, text_width(text, is_bold=True)))
    edge: dict[str, Value] = {}
    if room == ROOM and (luminance(coat.fill[0]) > BRIGHT or luminance(coat.fill[1]) < DIM):
        edge = {"stroke": ink(coat.edge), "stroke_width": size / 14, "paint_order": "stroke"}
    return tag(
        "text",
        escape(text),
        y=size * 0.36,
        font_size=size,
        font_weight="600",
        text_anchor="middle",
        fill=ink(coat.fill),
        **edge,
    )


def token(ink: Ink, symbol: str, coat: Coat) -> str:
    """A disc in somebody's colour with a symbol on it: whose it is, and what."""
    disc = tag("use", href=f"#{ink.stamp(_round(ink, coat, 37))}")
    return disc + written(ink, symbol, Coat(coat.detail, coat.edge, coat.fill), 58)


def badge(ink: Ink, text: str, coat: Coat) -> str:
    """A small disc at the lower right of a thing, with what tells it apart from another."""
    disc = tag("circle", r=15, fill=ink(coat.detail), stroke=ink(coat.edge), stroke_width=2.4)
    letters = written(ink, text, Coat(coat.fill, coat.edge, coat.detail), 24)
    return tag("g", disc + letters, transform="translate(31 30)")


def _body(ink: Ink, coat: Coat, d: str, edge: float = EDGE) -> str:
    return tag(
        "path", d=d, fill=ink(coat.fill), stroke=ink(coat.edge), stroke_width=edge, stroke_linejoin="round"
    )


def _mark(ink: Ink, coat: Coat, d: str, wide: float = EDGE) -> str:
    return tag(
        "path",
        d=d,
        fill="none",
        stroke=ink(coat.detail),
        stroke_width=wide,
        stroke_linecap="round",
        stroke_linejoin="round",
    )


def _spot(ink: Ink, coat: Coat, d: str) -> str:
    return tag("path", d=d, fill=ink(coat.detail))


def _round(ink: Ink, coat: Coat, r: float, y: float = 0, edge: float = EDGE) -> str:
    return tag("circle", cy=y or None, r=r, fill=ink(coat.fill), stroke=ink(coat.edge), stroke_width=edge)


def _of_shapes(shapes: tuple[Shape, ...]) -> Drawn:
    """A glyph that is a list of shapes."""
    draw = {"body": _body, "mark": _mark, "spot": _spot}
    return lambda ink, coat: "".join(draw[kind](ink, coat, d) for kind, d in shapes)


def _shade(y: float, wide: float, tall: float) -> str:
    """A soft shadow below a thing, without a filter."""
    return tag("ellipse", cx=1.5, cy=y, rx=wide, ry=tall, fill="#000", fill_opacity=0.22)


def _gloss(d: str, opacity: float = 0.35, wide: float = 4) -> str:
    return tag(
        "path",
        d=d,
        fill="none",
        stroke=SHEEN[0],
        stroke_opacity=opacity,
        stroke_width=wide,
        stroke_linecap="round",
    )


def _darker(tone: Tone, share: float) -> Tone:
    return mixed(tone[0], "#000000", share), mixed(tone[1], "#000000", share)


def _disc(ink: Ink, coat: Coat) -> str:
    return _round(ink, coat, 37) + tag(
        "circle", r=27, fill="none", stroke=ink(coat.edge), stroke_opacity=0.35, stroke_width=2.5
    )


def _ring(ink: Ink, coat: Coat) -> str:
    outer = tag("circle", r=30, fill="none", stroke=ink(coat.edge), stroke_width=17)
    return outer + tag("circle", r=30, fill="none", stroke=ink(coat.fill), stroke_width=11)


def _stone(ink: Ink, coat: Coat) -> str:
    """A stone of go: a ball that light falls on from the upper left."""
    low = tag("circle", r=43, fill=ink(_darker(coat.fill, 0.14)))
    main = tag("circle", cx=-1.5, cy=-1.8, r=40.5, fill=ink(coat.fill))
    high = tag("ellipse", cx=-14, cy=-17, rx=13, ry=9.5, fill="#fff", fill_opacity=0.2)
    spark = tag("ellipse", cx=-16, cy=-19, rx=7, ry=4.8, fill="#fff", fill_opacity=0.3)
    rim = tag("circle", r=43, fill="none", stroke=ink(coat.edge), stroke_opacity=0.75, stroke_width=1.8)
    return (
        tag("circle", cx=2, cy=3.5, r=43.5, fill="#000", fill_opacity=0.2) + low + main + high + spark + rim
    )


def _man(ink: Ink, coat: Coat) -> str:
    """A man of draughts, seen a little from above: its side below, rings on its top."""
    side = tag(
        "circle", cy=4.5, r=37, fill=ink(_darker(coat.fill, 0.3)), stroke=ink(coat.edge), stroke_width=EDGE
    )
    rings = "".join(
        tag("circle", cy=-2, r=r, fill="none", stroke=ink(coat.detail), stroke_opacity=0.4, stroke_width=2.6)
        for r in (28, 18)
    )
    return _shade(9, 39, 37) + side + _round(ink, coat, 37, -2) + rings


def _king(ink: Ink, coat: Coat) -> str:
    """Two men, one on the other, with a crown."""
    below = tag("circle", cy=9, r=36, fill=ink(coat.fill), stroke=ink(coat.edge), stroke_width=EDGE)
    top = _round(ink, coat, 36, -4)
    crown = "M-18 9L-22-15L-10-5L0-20L10-5L22-15L18 9Z"
    band = "M-17 15H17"
    return (
        _shade(13, 38, 36)
        + below
        + top
        + tag(
            "path",
            d=crown,
            fill=ink(coat.detail),
            stroke=ink(coat.detail),
            stroke_width=3,
            stroke_linejoin="round",
        )
        + _mark(ink, coat, band, 4.5)
    )


def _line(ink: Ink, coat: Coat, d: str, wide: float) -> str:
    """A thick line with an edge."""
    pens = ((coat.edge, wide + 5), (coat.fill, wide))
    return "".join(
        tag(
            "path",
            d=d,
            fill="none",
            stroke=ink(tone),
            stroke_width=width,
            stroke_linecap="round",
            stroke_linejoin="round",
        )
        for tone, width in pens
    )


def _x(ink: Ink, coat: Coat) -> str:
    return _line(ink, coat, "M-26-26L26 26M26-26L-26 26", 11)


def _o(ink: Ink, coat: Coat) -> str:
    return _line(ink, coat, "M0-28A28 28 0 1 1 0 28A28 28 0 1 1 0-28Z", 11)


def _square(ink: Ink, coat: Coat) -> str:
    return _body(ink, coat, "M-28-34H28Q34-34 34-28V28Q34 34 28 34H-28Q-34 34-34 28V-28Q-34-34-28-34Z")


def _diamond(ink: Ink, coat: Coat) -> str:
    return _body(ink, coat, "M0-40L32 0L0 40L-32 0Z") + _gloss("M-18 0L0-23", 0.4)


def _triangle(ink: Ink, coat: Coat) -> str:
    return _body(ink, coat, "M0-36L38 30H-38Z")


def _star(ink: Ink, coat: Coat) -> str:
    return _body(
        ink,
        coat,
        "M0-40L11.8-14.5L39.5-11.2L19 7.8L24.5 35.2L0 21.6L-24.5 35.2L-19 7.8L-39.5-11.2L-11.8-14.5Z",
    )


def _flag(ink: Ink, coat: Coat) -> str:
    pole = _line(ink, Coat(coat.edge, coat.edge, coat.edge), "M-22-36V38", 3)
    cloth = _body(ink, coat, "M-22-35C-8-43 4-27 30-35V-1C4 7-8-9-22-1Z")
    return pole + cloth


def _coin(ink: Ink, coat: Coat) -> str:
    ring = tag(
        "circle", r=27, fill="none", stroke=ink(coat.edge), stroke_width=2.4, stroke_dasharray="3 4.07"
    )
    return _round(ink, coat, 36) + ring + _gloss("M-17-11A21 21 0 0 1-2-20")


def _tile(ink: Ink, coat: Coat) -> str:
    """A tile that fills nearly all of its cell, seen a little from above; its symbol is written on it."""
    low = tag("rect", x=-44, y=-42, width=88, height=88, rx=9, fill=ink(_darker(coat.fill, 0.35)))
    top = tag(
        "rect",
        x=-44,
        y=-45,
        width=88,
        height=86,
        rx=9,
        fill=ink(coat.fill),
        stroke=ink(coat.edge),
        stroke_width=2,
    )
    return low + top


def _patch(ink: Ink, coat: Coat) -> str:
    """A breath of colour over the whole cell."""
    return tag("rect", x=-50, y=-50, width=100, height=100, fill=ink(coat.fill), fill_opacity=0.5)


def _light(ink: Ink, coat: Coat) -> str:
    """A lamp that is on."""
    lamp = Coat(("#ffd84d", "#ffd84d"), ("#a87400", "#8a6200"), ("#6b4a00", "#6b4a00"))
    glow = tag("circle", cy=-6, r=40, fill="#ffd84d", fill_opacity=0.28)
    rays = tag(
        "path",
        d="M0-45V-38M-32-34L-27-29M32-34L27-29M-44-6H-37M44-6H37",
        stroke=ink(("#d79a00", "#ffd84d")),
        stroke_width=4,
        stroke_linecap="round",
    )
    return glow + rays + _bulb(ink, lamp)


def _unlit(ink: Ink, coat: Coat) -> str:
    """A lamp that is off."""
    lamp = Coat(("#d5d8dc", "#4a4f56"), ("#8a9097", "#8a9097"), ("#8a9097", "#8a9097"))
    return _bulb(ink, lamp)


def _bulb(ink: Ink, lamp: Coat) -> str:
    glass = "M-10 18C-10 9-23 5-23-9A23 23 0 0 1 23-9C23 5 10 9 10 18Z"
    foot = Coat(("#7d838a", "#9aa0a7"), ("#4d5258", "#5e646b"), ("#fff", "#fff"))
    return (
        _body(ink, lamp, glass, 2.6)
        + _mark(ink, lamp, "M-6 16L-8-4L0 3L8-4L6 16", 2.4)
        + _body(ink, foot, "M-10 20H10V29Q10 33 6 34L4 38H-4L-6 34Q-10 33-10 29Z", 2.2)
    )


def _dot(ink: Ink, coat: Coat) -> str:
    return _round(ink, coat, 13)


def _leaf(ink: Ink, coat: Coat) -> str:
    blade = "M-27 30C-37-4-10-35 34-36C38 6 12 38-27 30Z"
    return (
        _body(ink, coat, blade)
        + _line(ink, Coat(coat.edge, coat.edge, coat.edge), "M-36 40L-27 30", 1)
        + _mark(ink, coat, "M-27 30L18-20M-11 12L-13-8M0 0L-1-20M-14 15L6 17M-2 2L17 3", 2.6)
    )


def _tree(ink: Ink, coat: Coat) -> str:
    trunk = Coat(("#8a5a35", "#8a5a35"), ("#4d3019", "#4d3019"), ("#fff", "#fff"))
    crown = "M0-42L20-14H11L27 8H15L32 28H-32L-15 8H-27L-11-14H-20Z"
    return _body(ink, trunk, "M-6 26H6V42H-6Z") + _body(ink, coat, crown)


def _wall(ink: Ink, coat: Coat) -> str:
    """Bricks that fill the whole cell."""
    joints = "M-50-25H50M-50 0H50M-50 25H50M-17-50V-25M17-25V0M-25-25V0M-17 0V25M25 25V50M-25 25V50M33-50V-25M33 0V25"
    ground = tag("rect", x=-50, y=-50, width=100, height=100, fill=ink(coat.fill))
    return ground + tag("path", d=joints, fill="none", stroke=ink(coat.edge), stroke_width=3)


def _arrow(ink: Ink, coat: Coat) -> str:
    return _body(ink, coat, "M0-39L31-5H12V36H-12V-5H-31Z")


def _rock(ink: Ink, coat: Coat) -> str:
    stone = "M-37 22L-33-6L-14-30L14-33L35-11L39 20L24 33H-26Z"
    return _body(ink, coat, stone) + _mark(ink, coat, "M-14-30L-6-9L-33-6M-6-9L18-2L35-11M18-2L24 33", 2.4)


def _paper(ink: Ink, coat: Coat) -> str:
    sheet = "M-28-39H14L29-24V39H-28Z"
    return _body(ink, coat, sheet) + _mark(ink, coat, "M14-38V-24H28M-16-9H17M-16 5H17M-16 19H9", 3)


def _scissors(ink: Ink, coat: Coat) -> str:
    blades = _body(ink, coat, "M-5 10L25-40Q30-36 27-29L3 15ZM5 10L-25-40Q-30-36-27-29L-3 15Z")
    handles = _line(
        ink, coat, "M-4 12A13 13 0 1 0-9 34A13 13 0 0 0-4 12ZM4 12A13 13 0 1 1 9 34A13 13 0 0 1 4 12Z", 5
    )
    return handles + blades + tag("circle", cy=4, r=2.8, fill=ink(coat.detail))


def _die(pips: int) -> Drawn:
    """A face of a die."""
    corners, middle, sides = ((-18, -18), (18, 18)), ((0, 0),), ((-18, 0), (18, 0))
    others = ((18, -18), (-18, 18))
    places = {1: middle, 2: corners, 3: corners + middle, 4: corners + others, 5: corners + others + middle}
    spots = places.get(pips, corners + others + sides)

    def draw(ink: Ink, coat: Coat) -> str:
        dots = (tag("circle", cx=x, cy=y, r=6.5, fill=ink(coat.detail)) for x, y in spots)
        return _square(ink, coat) + "".join(dots)

    return draw


GLYPHS: Mapping[str, Drawn] = {
    **{name: _of_shapes(shapes) for name, shapes in CHESSMEN.items()},
    **{f"die_{pips}": _die(pips) for pips in range(1, 7)},
    **CARDS,
    **COIN_SIDES,
    "disc": _disc,
    "ring": _ring,
    "stone": _stone,
    "man": _man,
    "king": _king,
    "x": _x,
    "o": _o,
    "square": _square,
    "diamond": _diamond,
    "triangle": _triangle,
    "star": _star,
    "flag": _flag,
    "coin": _coin,
    "tile": _tile,
    "patch": _patch,
    "light": _light,
    "unlit": _unlit,
    "dot": _dot,
    "leaf": _leaf,
    "tree": _tree,
    "wall": _wall,
    "arrow": _arrow,
    "rock": _rock,
    "paper": _paper,
    "scissors": _scissors,
}
"""The shapes that are drawn; `text` and `number` are written."""
