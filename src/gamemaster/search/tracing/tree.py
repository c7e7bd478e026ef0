"""SearchTree: a tree that is small enough to be looked at, each node with what a search may ask of it.

Nodes stand in reading order: a node before its children, a child with all that is below it before the next one. So the
number of a node is its place, and the root is 0. `max` and `min` are whoever chooses (in an And/Or tree OR and AND),
at `chance` nobody does. T is 1, F is 0, and 0.5 is what nobody knows: so AND and OR are min and max.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import isinf
from typing import Literal, TypeAlias

from gamemaster.machine.game import State
from gamemaster.search.scale import Scale

__all__ = [
    "FALSE",
    "LONGEST",
    "MOST_LEVELS",
    "MOST_NODES",
    "TRUE",
    "UNKNOWN",
    "Kind",
    "SearchTree",
    "TreeNode",
    "letters",
]

Kind: TypeAlias = Literal["max", "min", "chance", "leaf"]

TRUE, UNKNOWN, FALSE = 1.0, 0.5, 0.0
TRUTHS = {TRUE: "T", UNKNOWN: "?", FALSE: "F"}

MOST_NODES = 20_000
"""No tree has more: nobody looks at so many."""

MOST_LEVELS = 60
"""No tree is deeper: Python's own stack must hold it."""

LONGEST = 60
"""So much of a name is said."""


@dataclass(frozen=True)
class TreeNode:
    """A node; `value` is what a leaf is worth, or what an evaluation says of a node that is none."""

    kind: Kind
    name: str = ""
    value: float | None = None
    parent: int | None = None
    children: tuple[int, ...] = ()
    move: str = ""
    """What leads here from the parent."""

    probability: Fraction | None = None
    """How likely chance is to lead here."""

    rows: tuple[str, ...] = ()
    """A small board, row by row."""

    state: State | None = field(default=None, compare=False)
    is_end: bool = True
    """Said of a leaf: whether the game is over there, and its value more than an estimate."""


@dataclass(frozen=True)
class SearchTree:
    """The nodes in reading order, and what is said of the whole."""

    nodes: tuple[TreeNode, ...]
    title: str = ""
    notes: tuple[str, ...] = ()
    algorithm: str = ""
    """The one that it is an example of, if any."""

    depth: int | None = None
    """How far a search should look, if it is an example of that."""

    has_truths: bool = False
    """Whether its leaves are T and F."""

    scale: Scale | None = None
    """Where values stand that are goals of a game."""

    players: Mapping[str, str] = field(default_factory=dict)
    """Who `max` and `min` are, where they have names."""

    @cached_property
    def plies(self) -> tuple[int, ...]:
        """How deep each node is below the root."""
        plies: list[int] = []
        for node in self.nodes:
            plies.append(0 if node.parent is None else plies[node.parent] + 1)
        return tuple(plies)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """What to call each node: its own name, or a letter for one that has children, level by level."""
        used = {node.name for node in self.nodes}
        free = (letter for letter in letters() if letter not in used)
        names = [node.name for node in self.nodes]
        waiting = deque([0])
        while waiting:
            number = waiting.popleft()
            if self.nodes[number].children and not names[number]:
                names[number] = next(free)
            waiting.extend(self.nodes[number].children)
        return tuple(names)

    def called(self, number: int) -> str:
        """A node in a sentence."""
        node = self.nodes[number]
        if name := self.names[number]:
            return name if len(name) <= LONGEST else f"{name[:LONGEST]}…"
        where = "" if node.parent is None else self.names[node.parent]
        if node.move:
            move = node.move if len(node.move) <= LONGEST else f"{node.move[:LONGEST]}…"
            return f"{move} of {where}" if where else move
        siblings = self.nodes[node.parent].children if node.parent is not None else (number,)
        return f"leaf {siblings.index(number) + 1} of {where}" if where else "the leaf"

    def below(self, number: int) -> Iterator[int]:
        """A node and all that is below it."""
        waiting = [number]
        while waiting:
            number = waiting.pop()
            yield number
            waiting.extend(reversed(self.nodes[number].children))

    def number(self, value: float) -> float:
        """A value as people know it: goals where it is the end of a game."""
        return value if self.scale is None else self.scale.shown(value)

    def shown(self, value: float, *, is_truth: bool = False) -> str:
        """A value as it is written."""
        if (is_truth or self.has_truths) and value in TRUTHS:
            return TRUTHS[value]
        value = self.number(value)
        if isinf(value):
            return "∞" if value > 0 else "-∞"
        return f"{round(value, 3):.10g}"


def letters() -> Iterator[str]:
    """A, B, ... Z, AA, AB, ..."""
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    beginnings: list[str] = [""]
    while True:
        beginnings = [begun + letter for begun in beginnings for letter in alphabet]
        yield from beginnings
