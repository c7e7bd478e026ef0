"""Tally: what the root's moves were found to be worth so far, which can become a SearchResult at any time."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from gamemaster.language.terms import Term
from gamemaster.search.budget import Meter, OutOfBudget
from gamemaster.search.position import DEEPEST, LOWEST, Position
from gamemaster.search.result import NOT_SEARCHED, SearchResult
from gamemaster.search.scale import is_beyond

__all__ = ["Line", "Outcome", "Tally", "search_deeper", "unrolled"]

Line: TypeAlias = "tuple[Term, Line] | None"
"""A line of moves as a chain, so that a longer one shares the shorter: (first, (second, None))."""


class Outcome(NamedTuple):
    """What a position was found to be worth, the line to expect, and whether the horizon had no part in it."""

    value: float
    line: Line
    is_exact: bool


def unrolled(line: Line) -> tuple[Term, ...]:
    """The moves of a chain."""
    moves = []
    while line is not None:
        move, line = line
        moves.append(move)
    return tuple(moves)


class Tally:
    """The values of the root's moves. The search says which is best: at the root somebody else may be choosing."""

    def __init__(self, root: Position, role: str, meter: Meter) -> None:
        self.root = root
        self.role = role
        self.meter = meter
        self.values: dict[Term, float] = {}
        self.ranks: dict[Term, float] = {}  # the same where ends are beyond all estimates (scale.py)
        self.lines: dict[Term, Line] = {}
        self.at_most: set[Term] = set()
        self.best: Term | None = None
        self.is_exact = root.is_terminal

    def add(
        self,
        move: Term,
        outcome: Outcome,
        *,
        is_best: bool,
        is_bound: bool = False,
        shown: float | None = None,
    ) -> None:
        """Take down what a move is worth to the searching role; `is_bound`: no more than that, it may be less.

        `shown` is the value for people to see, where it is not the one that moves are compared by.
        """
        self.ranks[move] = outcome.value
        self.values[move] = outcome.value if shown is None else shown
        self.lines[move] = outcome.line
        if is_bound:
            self.at_most.add(move)
        if is_best:
            self.best = move

    def is_better(self, value: float) -> bool:
        """Whether the one who chooses at the root, a friend or an enemy, would rather have this value."""
        if self.best is None:
            return True
        best = self.ranks[self.best]
        return value > best if self.root.mover == self.role else value < best

    def result(self, algorithm: str, *, depth: int, is_proven: bool) -> SearchResult:
        """The result so far. A role that does not choose at the root makes its only move, if it has one."""
        own = self.root.legal(self.role)
        is_choosing = self.root.mover == self.role if own else False
        move = (self.best if is_choosing and self.best is not None else own[0]) if own else None
        value = self._worth_of_root() if self.best is None else self.values[self.best]
        values = self.values if is_choosing else {}
        if move is not None and not is_choosing and self.best is not None:
            values = {move: value}
        ends = [each for each in values if is_choosing and is_beyond(self.ranks[each])]
        return SearchResult(
            algorithm,
            self.role,
            move,
            value,
            dict(values),
            line=self._line(move),
            depth=depth,
            nodes=self._nodes(),
            seconds=self.meter.seconds,
            is_proven=is_proven and (self.best is not None or self._is_over()),
            at_most=frozenset(self.at_most if is_choosing else ()),
            ends=frozenset(ends),
            wins=frozenset(each for each in ends if self.ranks[each] > 0),
            lines={each: self._without_circles(each) for each in (values if is_choosing else ())},
            notes=NOT_SEARCHED if is_choosing and self.best is None and len(own) > 1 else "",
        )

    def _worth_of_root(self) -> float:
        """What the role has where no move was searched: nothing at a dead end."""
        return LOWEST if not self.root.is_terminal and self._is_over() else self.root.reward(self.role)

    def _is_over(self) -> bool:
        """Whether there is no move to search."""
        return self.root.is_terminal or not self.root.moves

    def _line(self, move: Term | None) -> tuple[Term, ...]:
        first = self.best if move is None else move
        rest = self._without_circles(self.best)[1:] if self.best is not None else ()
        return rest if first is None else (first, *rest)

    def _without_circles(self, move: Term) -> tuple[Term, ...]:
        """The line after a move with it, as far as it comes to new positions: to go round shows nothing."""
        line = (move, *unrolled(self.lines[move]))
        position, seen = self.root, {self.root.key}
        for number, made in enumerate(line[:-1], 1):  # after the last move there may be chance
            position = position.after(made)
            if position.key in seen:
                return line[:number]
            seen.add(position.key)
        return line

    def _nodes(self) -> int:
        """The states visited: the one that was refused is not among them."""
        most = self.meter.budget.nodes
        return self.meter.nodes if most is None else min(most, self.meter.nodes)


def search_deeper(
    algorithm: str,
    root: Position,
    role: str,
    meter: Meter,
    run: Callable[[int, Tally], None],
    depth: int | None,
) -> SearchResult:
    """Iterative deepening: `run` to depth 1, 2, ... until all is exact or spent; the last iteration finished counts."""
    tally, reached = _deepen(run, lambda: Tally(root, role, meter), DEEPEST if depth is None else depth)
    return tally.result(algorithm, depth=reached, is_proven=tally.is_exact)


def _deepen(run: Callable[[int, Tally], None], start: Callable[[], Tally], most: int) -> tuple[Tally, int]:
    """The tally of the last iteration that was finished, and its depth: 1, 2, ... until all is exact or spent.

    Where not even the first was finished, what it had found counts: there is nothing better.
    """
    last, reached = start(), 0
    for depth in range(1, most + 1):
        tally = start()
        try:
            run(depth, tally)
        except OutOfBudget:
            return (last, reached) if reached else (tally, 0)
        last, reached = tally, depth
        if tally.is_exact:
            break
    return last, reached
