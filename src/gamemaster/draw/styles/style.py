"""Style: all that is needed to make a Board of a State, whether somebody wrote it or it was found from the rules.

A style has boards, each with the layers of facts that are drawn on its cells; the looks of pieces; what is counted
beside the boards; and what is not shown. It is complete: axes, places and lines are there, whoever made it, so that
boards are made without another look at the rules. Names of glyphs and colours are a fixed list: a style is data of
strangers, and no drawing ever takes more from it than it knows.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from gamemaster.draw.boards.shape import Row, plain_text
from gamemaster.draw.model import PanelKind, Point, Way
from gamemaster.language.rules import Relation
from gamemaster.language.terms import Compound, Term

__all__ = [
    "COLOURS",
    "GLYPHS",
    "GROUNDS",
    "LOOKS",
    "Argument",
    "BoardStyle",
    "CounterStyle",
    "LabelKind",
    "Layer",
    "LineLayer",
    "PieceStyle",
    "Side",
    "Slant",
    "Style",
    "is_colour",
    "text_at",
]

GLYPHS = (
    "text",
    "number",
    "dot",
    "disc",
    "ring",
    "stone",
    "man",
    "king",
    "pawn",
    "knight",
    "bishop",
    "rook",
    "queen",
    "chess_king",
    "x",
    "o",
    "square",
    "diamond",
    "triangle",
    "star",
    "flag",
    "coin",
    "tile",
    "patch",
    "light",
    "unlit",
    "tree",
    "leaf",
    "wall",
    "arrow",
    "rock",
    "paper",
    "scissors",
    "die_1",
    "die_2",
    "die_3",
    "die_4",
    "die_5",
    "die_6",
    "heads",
    "tails",
    "card",
    "card_spades",
    "card_hearts",
    "card_diamonds",
    "card_clubs",
    "card_back",
)
"""The shapes that a thing can have; `man` and `king` are those of draughts, a `patch` colours its cell."""

COLOURS = (
    "white",
    "black",
    "red",
    "blue",
    "green",
    "orange",
    "yellow",
    "purple",
    "brown",
    "grey",
    "pink",
    "cyan",
    "gold",
    "silver",
    "plain",
)
"""The colours that have a name; drawings choose a tone that is seen on light and on dark paper."""

LOOKS = ("plain", "paper", "wood", "green", "felt", "holes", "stone", "night")
"""What a board can be made of."""

GROUNDS = ("light", "middle", "dark", "none")
"""What the ground of a cell can be beside a colour."""

COLOUR = re.compile(r"(?:#[0-9a-fA-F]{3}|#[0-9a-fA-F]{6}|role [1-9][0-9]?)\Z")
PARTED = re.compile(r"([a-z]+)([0-9]+)\Z", re.IGNORECASE)
NAME_PARTS = ("letter", "number")
NUMBER_PARTS = ("tens", "units")
NUMBER = re.compile(r"(0|[1-9][0-9]{0,8})\Z")

Argument: TypeAlias = tuple[int | str, ...]
"""Where something stands in a fact: which argument, from 0, then which argument of the compound there, and so on. At
the end may come `letter` or `number`: that part of a name such as b7; or `tens` or `units`: the 3 or the 4 of 34."""

Slant = Literal["right", "left", "odd", "even", "centred", "straight"]
"""How the rows of hexagons or triangles lie: each half a cell further right than the one above, or further left; or
every other one half a cell further right, the second and fourth (odd) or the first and third (even); or all have their
middle on one line. Rows of triangles may also begin straight below each other."""

LabelKind = Literal["rules", "letters", "numbers", "none"]
"""What is written beside rows and columns: their names in the rules, columns a, b, c as in chess, numbers, nothing."""

Side = Literal["top", "bottom", "left", "right"]


def is_colour(text: str) -> bool:
    """Whether it is a colour that a style can have: `#d55e00`, `role 1`, a name of COLOURS."""
    return text in COLOURS or COLOUR.match(text) is not None


def text_at(fact: Term, argument: Argument) -> str | None:
    """What a fact has there; None where it has no such argument."""
    found: Term = fact
    for step in argument:
        if isinstance(step, str):
            return _part(plain_text(found), step)
        if not isinstance(found, Compound) or step + 1 >= len(found):
            return None
        found = found[step + 1]
    return plain_text(found)


def _part(text: str, which: str) -> str | None:
    """A part of a name or of a number; None where it has none."""
    if which in NAME_PARTS:
        parts = PARTED.match(text)
        return parts[1 + NAME_PARTS.index(which)] if parts else None
    if not NUMBER.match(text):
        return None
    return str(divmod(int(text), 10)[NUMBER_PARTS.index(which)])


@dataclass(frozen=True)
class Layer:
    """Facts of a relation that are drawn on the cells of a board."""

    relation: Relation
    at: tuple[Argument, ...] = ()
    """Where the coordinates stand, in the order of the rules; one for named places and for rows of things."""
    content: tuple[Argument, ...] = ()
    index: tuple[Argument, ...] = ()
    """Which of several boards, side by side, a fact is of."""
    count: Argument | None = None
    """How many there are, in a heap or at a place."""
    says: str = ""
    """The content where facts have none."""
    key: Row = ()
    """The coordinates where facts have none: those of the light `p`."""
    covers: bool = False
    """Whether what lies below is not seen."""
    partner: tuple[Relation, Argument] | None = None
    """Whose facts have the last coordinate, where facts do not have all: of `x(3)` and `y(4)`, that is y."""
    under: Argument | None = None
    """What a thing lies on, where things are piled up: its coordinates are what its tower stands on, and its height."""

    def key_of(self, fact: Term) -> Row | None:
        """Index and coordinates of a fact of this layer; None for any other."""
        if _relation(fact) != self.relation:
            return None
        texts = [text_at(fact, argument) for argument in (*self.index, *self.at)]
        found = tuple(text for text in texts if text is not None)
        return (*found, *self.key) if len(found) == len(texts) else None

    def content_of(self, fact: Term) -> str:
        """What a fact of this layer puts on its cell."""
        texts = [text_at(fact, argument) for argument in self.content]
        return " ".join(text for text in texts if text is not None) or self.says or self.relation[0]


@dataclass(frozen=True)
class LineLayer:
    """Facts of a relation that are lines on a board: from one cell to another, or along a side of one."""

    relation: Relation
    at: tuple[Argument, ...]
    to: tuple[Argument, ...] = ()
    """Where the coordinates of the other cell stand; none for a line along a side."""
    side: Side | None = None
    turned: Argument | None = None
    """Where a fact has the word for its side: north, left."""
    corners: tuple[Row, Row] | None = None
    """The rows and columns of the corners of cells, where coordinates are those."""
    owner: Argument | None = None
    """Whose a line is."""


def _relation(fact: Term) -> Relation:
    return (fact[0], len(fact) - 1) if isinstance(fact, Compound) else (plain_text(fact), 0)


@dataclass(frozen=True)
class BoardStyle:
    """One of the boards of a game, or several alike that an index tells apart."""

    layers: tuple[Layer, ...]
    """What is drawn on it; what comes later lies on top."""
    kind: PanelKind = "square"
    title: str = ""
    row: int | None = 0
    column: int | None = 1
    """Which of the coordinates they are; None where all cells are in one row, or in one column, or have places."""
    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    """In the order in which they are counted."""
    counts_up: bool = False
    """Whether rows are counted from the bottom."""
    indexes: tuple[Row, ...] = ((),)
    cells: frozenset[Row] | None = None
    """The keys of the cells that there are; None where every row has a cell in every column."""
    grows: bool = True
    """Whether a fact outside all cells makes the board larger; else it is told among the others."""
    contents: tuple[str, ...] = ()
    """All that can be on a cell, as far as it is known."""
    blanks: frozenset[str] = frozenset()
    """The contents that say that there is nothing."""
    empty: str = ""
    """The content of cells that have none: a light that is off, a hole."""
    is_checkered: bool = False
    look: str = ""
    """What it is made of: one of LOOKS, or what suits its kind."""
    labels: LabelKind = "rules"
    slant: Slant = "right"
    ground: Mapping[Row, str] = field(default_factory=dict)
    """The ground of cells that have one of their own, by their key."""
    places: Mapping[Row, Point] = field(default_factory=dict)
    """Where cells are that have no row and column, by their coordinates."""
    stacks: Mapping[Row, Way] = field(default_factory=dict)
    """Which way things are stacked at those places where they are."""
    blocks: int = 0
    """After so many rows and columns comes a thick line."""
    lines: tuple[tuple[Row, Row], ...] = ()
    """Pairs of cells with a line between them, by their coordinates."""
    line_layers: tuple[LineLayer, ...] = ()
    """The relations whose facts are lines."""
    sides: tuple[tuple[Side, str], ...] = ()
    """Edges of the board that have a colour: whose they are."""
    most: int = 0
    """The largest heap that is known."""
    least: int = 0
    """With fewer facts than this it is not drawn, unless no board has so many."""


@dataclass(frozen=True)
class PieceStyle:
    """How a content looks, or a word of it; what is None is found from the content."""

    glyph: str | None = None
    colour: str | None = None
    name: str | None = None
    symbol: str | None = None
    sign: str | None = None


@dataclass(frozen=True)
class CounterStyle:
    """Facts that are told beside the boards: scores, steps, hands, captured pieces."""

    relation: Relation
    label: str
    value: Argument | None = None
    role: Argument | None = None
    """Whose it is: the counter has the role's colour and name."""
    content: tuple[Argument, ...] = ()
    """The things that are counted, drawn as they are on the board."""
    count: Argument | None = None
    """How many of them."""


@dataclass(frozen=True)
class Style:
    """How the states of a game are drawn."""

    boards: tuple[BoardStyle, ...] = ()
    """The most important first."""
    pieces: Mapping[str, PieceStyle] = field(default_factory=dict)
    """By content, or by one of the words of a content: `white rook` has the colour of white, the glyph of rook. These
    are written by somebody."""
    counters: tuple[CounterStyle, ...] = ()
    hidden: frozenset[Relation] = frozenset()
    """The relations that are not shown."""
    news: frozenset[Relation] = frozenset()
    """Those of them of which new facts are told: what was not there at the start, unless that is much."""
    other_pieces: Mapping[str, PieceStyle] = field(default_factory=dict)
    """Looks for what `pieces` says nothing of: those found from the rules."""
