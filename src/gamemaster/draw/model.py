"""What a board is: panels of cells with things on them, and what stands beside them. Every drawing is made from it.

A cell has a place in the plane, so that one board says how a chess board, a hexagonal one, the points of alquerque, a
graph or a row of heaps looks; the rows and columns beside it are for drawings in text. Nothing here is a colour or a
shape yet: a thing names its glyph and its colour, a cell its ground, and drawings say what they look like.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from gamemaster.draw.boards.shape import Row
from gamemaster.language.terms import Term

__all__ = [
    "MARKS",
    "Board",
    "BoardLine",
    "Cell",
    "Counter",
    "Label",
    "Mark",
    "Panel",
    "PanelKind",
    "Point",
    "Thing",
    "Way",
    "short_id",
]

LONGEST_ID = 200

Point: TypeAlias = tuple[float, float]
"""In the plane, x to the right and y downwards; neighbouring cells are one apart."""

PanelKind = Literal["square", "hex", "triangle", "points", "graph", "heaps"]

Way = Literal["up", "down", "both"]
"""Which way things are stacked on a place: from its base, or from its middle."""

Mark = Literal["last", "win", "threat", "chosen", "source", "target"]
"""Why a cell is marked: the last step changed it, the win is made of it, it is threatened, it has been clicked, a move
begins here, a move ends here."""
MARKS: tuple[Mark, ...] = ("last", "win", "threat", "chosen", "source", "target")


@dataclass(frozen=True)
class Thing:
    """What lies on a cell, or in a hand."""

    content: str
    """As the rules have it: `white rook`, `x`."""
    glyph: str
    """The name of its shape: `disc`, `knight`; `text` is its symbol, written."""
    colour: str
    """`role 1` is that of the first role, `plain` nobody's; or one of the style's: `#d55e00`."""
    symbol: str
    """A letter or two, for drawings in text."""
    name: str
    """What it is called, for those who do not see it."""
    sign: str = ""
    """What is written on it in pictures, where that is not its symbol."""
    badge: str = ""
    """What is written small beside it, to tell it apart from another that would look the same."""


@dataclass(frozen=True)
class Cell:
    """A place on a board."""

    id: str
    """Tells it apart from all others of its board, the same in every state."""
    name: str
    """What people call it: `a1`, `2,3`."""
    key: Row
    """Its coordinates in the rules, as they stand in facts and moves; of several boards its index first."""
    centre: Point
    outline: tuple[Point, ...] = ()
    """Its corners; none for a point on lines, a node of a graph."""
    ground: str = "light"
    """`light`, `dark` or `middle`, `none`; or one of the style's: `#eeeeee`."""
    things: tuple[Thing, ...] = ()
    facts: tuple[Term, ...] = ()
    """The facts that are drawn here."""
    marks: frozenset[Mark] = frozenset()
    row: str = ""
    column: str = ""
    label: str = ""
    """The name of a node, written in it: small below things that would half hide it; one may hide it whole."""
    stack: Way | None = None
    """Which way its things are stacked, from its centre on: its name is then beside them."""


@dataclass(frozen=True)
class BoardLine:
    """A line between two places."""

    start: Point
    end: Point
    ground: str = "line"
    """`line`, or a colour as things have it: `role 1`."""
    is_above: bool = False
    """Whether it lies on the cells, as a wall does, rather than below them or beside."""


@dataclass(frozen=True)
class Label:
    """Words beside a board: the names of rows and columns."""

    text: str
    at: Point


@dataclass(frozen=True)
class Panel:
    """One of the boards of a state."""

    title: str
    kind: PanelKind
    cells: tuple[Cell, ...]
    lines: tuple[BoardLine, ...] = ()
    labels: tuple[Label, ...] = ()
    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    """The names of rows from top to bottom, and of columns from left to right."""
    counts_up: bool = False
    """Whether rows are counted from the bottom."""
    look: str = ""
    """What it is made of: `plain`, `paper`, `wood`, `green`, `felt`, `holes`, `stone`, `night`; else what suits its
    kind."""
    index: Row = ()
    """Which of several boards alike it is."""
    board: int = 0
    """Which of the boards of the style it is one of, from 0."""


@dataclass(frozen=True)
class Counter:
    """Something beside the boards: a score, a step, a hand, what was captured."""

    name: str
    value: str = ""
    things: tuple[Thing, ...] = ()
    colour: str = "plain"
    """Whose it is, as with things."""
    facts: tuple[Term, ...] = ()


@dataclass(frozen=True)
class Board:
    """A state as panels, the most important first; what stands beside them; and the facts that are in none of it."""

    panels: tuple[Panel, ...]
    counters: tuple[Counter, ...] = ()
    others: tuple[Term, ...] = ()
    lined: tuple[Term, ...] = ()
    """The facts that are lines on a panel; drawings without lines tell them too."""
    legend: tuple[Thing, ...] = ()
    """All things that can be on the board, as far as that is known, and those that are."""
    roles: tuple[str, ...] = ()
    """Whose colours `role 1` and the others are."""
    cell_of: Mapping[str, Cell] = field(init=False, repr=False, compare=False)
    """The cells of all panels by id."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "cell_of", {cell.id: cell for panel in self.panels for cell in panel.cells})


def short_id(whole: str) -> str:
    """An id that is not too long to be written: of a long one the beginning, and a hash that no other has."""
    if len(whole) <= LONGEST_ID:
        return whole
    digest = hashlib.sha256(whole.encode(errors="backslashreplace")).hexdigest()
    return f"{whole[: LONGEST_ID // 2]}-{digest[:32]}"
