"""Playing cards and the two sides of a coin, drawn for a box from -50 to 50.

A card is upright and white on every paper. Its rank is large in a corner and its suit large below it, so that both are
read on small boards. Suits have colours of their own; a card without a suit is written on in the colour of its coat.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from gamemaster.draw.picture.colours import Coat, Ink, Tone, luminance
from gamemaster.draw.picture.markup import tag

__all__ = ["CARDS", "COIN_SIDES", "FACE", "Drawn", "ink_of_card", "room_on_card"]

Drawn = Callable[[Ink, Coat], str]

WIDE, TALL, CORNER = 64, 90, 8
FACE: Tone = ("#fffefa", "#f4f1e9")
RIM: Tone = ("#6f6a61", "#14130f")
RED: Tone = ("#c4302b", "#b92823")
BLACK: Tone = ("#24262a", "#1b1d20")
PALE = 0.24
"""What is lighter than this is not read on a card."""

SUITS: Mapping[str, tuple[str, Tone]] = {
    "card_spades": (
        "M0-26C8-14 25-6 25 8C25 20 11 23 4 15C5 21 7 25 12 28H-12C-7 25-5 21-4 15C-11 23-25 20-25 8C-25-6-8-14 0-26Z",
        BLACK,
    ),
    "card_hearts": ("M0 27C-10 13-26 5-26-10C-26-25-6-28 0-13C6-28 26-25 26-10C26 5 10 13 0 27Z", RED),
    "card_diamonds": ("M0-29C6-17 13-8 21 0C13 8 6 17 0 29C-6 17-13 8-21 0C-13-8-6-17 0-29Z", RED),
    "card_clubs": (
        "M-4 11A12.5 12.5 0 1 1-11-6A12.5 12.5 0 1 1 11-6A12.5 12.5 0 1 1 4 11C5 19 7 24 12 28H-12C-7 24-5 19-4 11Z",
        BLACK,
    ),
}  # fmt: skip


def ink_of_card(name: str, coat: Coat) -> Tone:
    """The colour in which a card is written on."""
    if name in SUITS:
        return SUITS[name][1]
    return coat.fill if luminance(coat.fill[1]) < PALE else BLACK


def room_on_card(name: str) -> tuple[float, float, float]:
    """Where a card is written on, x and y, and how wide that may be."""
    return (-9, -20, 40) if name in SUITS else (0, 0, 46)


def _paper(ink: Ink, fill: Tone) -> str:
    """An upright rectangle with round corners and a shadow below it."""
    shadow = tag(
        "rect", x=-WIDE / 2 + 2, y=-TALL / 2 + 3, width=WIDE, height=TALL, rx=CORNER, fill="#000", fill_opacity=0.22
    )  # fmt: skip
    return shadow + tag(
        "rect",
        x=-WIDE / 2,
        y=-TALL / 2,
        width=WIDE,
        height=TALL,
        rx=CORNER,
        fill=ink(fill),
        stroke=ink(RIM),
        stroke_width=1.6,
    )


def _card(ink: Ink, coat: Coat) -> str:
    """A card without a suit: a frame on it says that it is one."""
    tone = ink_of_card("card", coat)
    frame = tag(
        "rect", x=-25, y=-38, width=50, height=76, rx=5, fill="none", stroke=ink(tone), stroke_width=1.8
    )
    return _paper(ink, FACE) + frame


def _of_suit(name: str) -> Drawn:
    shape, tone = SUITS[name]

    def draw(ink: Ink, coat: Coat) -> str:
        pip = tag("path", d=shape, fill=ink(tone), transform="translate(5 18) scale(.78)")
        return _paper(ink, FACE) + pip

    return draw


def _back(ink: Ink, coat: Coat) -> str:
    """A card face down: nets of lines in the colour of its coat."""
    field = tag("rect", x=-27, y=-40, width=54, height=80, rx=4, fill=ink(coat.fill))
    net = "M-27-13L0-40L27-13L-26 40M-27 13L26-40M-27-13L26 40M27 13L-26-40M-27 13L0 40L27 13"
    lines = tag("path", d=net, fill="none", stroke=ink(FACE), stroke_opacity=0.55, stroke_width=2.4)
    heart = tag("path", d="M0-11L8 0L0 11L-8 0Z", fill=ink(FACE), fill_opacity=0.9)
    return _paper(ink, FACE) + field + lines + heart


CARDS: Mapping[str, Drawn] = {"card": _card, **{name: _of_suit(name) for name in SUITS}, "card_back": _back}
"""What is written on, but for the back."""


def _coin_with(shape: str) -> Drawn:
    """A coin with a shape struck on it."""

    def draw(ink: Ink, coat: Coat) -> str:
        disc = tag("circle", r=40, fill=ink(coat.fill), stroke=ink(coat.edge), stroke_width=3.2)
        ring = tag("circle", r=33.5, fill="none", stroke=ink(coat.edge), stroke_opacity=0.6, stroke_width=1.8)
        return disc + ring + tag("path", d=shape, fill=ink(coat.edge), fill_rule="evenodd")

    return draw


COIN_SIDES: Mapping[str, Drawn] = {
    "heads": _coin_with(
        "M-14 26C-6 22-5 17-6 12C-12 9-16 2-16-7C-16-19-8-26 3-26C13-26 18-19 17-10L22 0L17 2C18 8 16 12 8 12"
        "C7 16 8 20 15 26Z"
    ),
    "tails": _coin_with(
        "M-6-10L4-19H8V17H0V-8L-6-5ZM-8 20H16V25H-8ZM-15-20C-26-10-26 10-15 20L-18 23C-31 11-31-11-18-23Z"
        "M23-20C32-9 32 9 23 20L26 22C37 10 35-12 26-22Z"
    ),
}
