"""Game trees that are written down, as in textbooks: positions for the very code that searches games.

A leaf is a number, or a tuple of numbers where there are more than two roles; an inner node is a list. `Seen` gives an
inner node a value for evaluation functions. Levels say who chooses at each depth, over and over; at "chance" nobody.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

from gamemaster.language.terms import Symbol, Term

CHANCE = "chance"


@dataclass(frozen=True)
class Seen:
    """An inner node and what an evaluation says of it."""

    value: float
    children: list[Any]


class Tree:
    """A node. `visited` collects the leaves whose value was asked for, in order, for the whole tree."""

    def __init__(
        self,
        content: Any,
        levels: tuple[str, ...] = ("max", "min"),
        path: tuple[int, ...] = (),
        visited: list[Any] | None = None,
    ) -> None:
        self.content = content
        self.levels = levels
        self.path = path
        self.visited: list[Any] = [] if visited is None else visited

    @property
    def key(self) -> Hashable:
        return self.path

    @property
    def facts(self) -> frozenset[Term]:
        return frozenset()

    @property
    def children(self) -> list[Any]:
        if isinstance(self.content, Seen):
            return self.content.children
        return self.content if isinstance(self.content, list) else []

    @property
    def is_terminal(self) -> bool:
        return not isinstance(self.content, list | Seen)

    @property
    def mover(self) -> str | None:
        level = self.levels[len(self.path) % len(self.levels)]
        return None if level == CHANCE else level

    @property
    def moves(self) -> tuple[Term, ...]:
        if self.mover is None:
            return (Symbol(CHANCE),)
        return tuple(Symbol(str(i)) for i in range(len(self.children)))

    def legal(self, role: str) -> tuple[Term, ...]:
        return self.moves if role == self.mover and not self.is_terminal else ()

    def after(self, move: Any) -> Tree:
        return self._child(int(move))

    def outcomes(self, move: Any) -> list[Tree]:
        if self.mover is None:
            return [self._child(i) for i in range(len(self.children))]
        return [self.after(move)]

    def _child(self, i: int) -> Tree:
        return Tree(self.children[i], self.levels, (*self.path, i), self.visited)

    def reward(self, role: str) -> float:
        if isinstance(self.content, Seen):
            return self.content.value
        if isinstance(self.content, list):
            return 0.0
        self.visited.append(self.content)
        if isinstance(self.content, tuple):
            return float(self.content[self.levels.index(role)])
        return float(self.content)
