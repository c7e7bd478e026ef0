"""Minimax that is content with enough: it stops looking where a bound is reached.

    max node   stops at a value of `enough` or more        (100, unless told)
    min node   stops at a value of `hopeless` or less      (0, unless told)

With 100 and 0 nothing is lost: there is no more to be had. `enough=51` is for games of a fixed sum, where more than
half is a win, and any other number for whoever is satisfied with that much. A value between the bounds is exact; one
at a bound or beyond says only that the bound is reached.

Assumes turn-taking; whoever else chooses is an enemy. Refuses simultaneous moves and chance with `Unsuitable`. States
are remembered unless `memo` is off; a state that comes again on its own way, or lies deeper than any search looks,
counts as its goal says now, and then nothing is called proven.

Source: Genesereth, General Game Playing, complete search (bounded minimax); satisficing is Simon 1956.
"""

from __future__ import annotations

from collections.abc import Hashable

from gamemaster.machine.game import State
from gamemaster.search.budget import Budget, Meter, OutOfBudget
from gamemaster.search.goals import USUAL, Goals, goals_in
from gamemaster.search.position import (
    DEEPEST,
    HIGHEST,
    LOWEST,
    MOST_ENTRIES,
    Position,
    root_of,
    shuffled,
)
from gamemaster.search.result import SearchResult
from gamemaster.search.tally import Outcome, Tally

__all__ = ["BoundedMinimax", "search", "search_with"]


def search(
    state: State,
    role: str,
    budget: Budget,
    seed: int = 0,
    *,
    enough: float = HIGHEST,
    hopeless: float = LOWEST,
    memo: bool = True,
) -> SearchResult:
    """The first move found that brings enough, or the best one."""
    root = root_of(state, role, "bounded")
    goals = goals_in(state.game, role)
    minimax = BoundedMinimax(role, budget.start(), enough=enough, hopeless=hopeless, memo=memo, goals=goals)
    return search_with(minimax, root, "bounded", seed)


def search_with(minimax: BoundedMinimax, root: Position, algorithm: str, seed: int = 0) -> SearchResult:
    """The result of a search that is set up."""
    tally = Tally(root, minimax.role, minimax.meter)
    try:
        minimax.run(root, tally, seed)
    except OutOfBudget:
        tally.is_exact = False
    is_proven = tally.is_exact and (tally.best is None or minimax.is_sure(tally.values[tally.best]))
    return tally.result(algorithm, depth=minimax.deepest, is_proven=is_proven)


class BoundedMinimax:
    """Depth-first minimax to the end of the game."""

    def __init__(
        self,
        role: str,
        meter: Meter,
        *,
        enough: float,
        hopeless: float,
        memo: bool,
        goals: Goals = USUAL,
    ) -> None:
        self.role = role
        self.meter = meter
        self.enough = enough
        self.hopeless = hopeless
        self.goals = goals
        self.memo: dict[Hashable, Outcome] | None = {} if memo else None
        self.deepest = 0

    def run(self, root: Position, tally: Tally, seed: int = 0) -> None:
        """Tally the root's moves."""
        self.meter.node()
        if root.is_terminal:
            return
        is_exact = True
        for move in shuffled(root.moves, seed):
            self.meter.node()
            outcome = self.value(root.after(move), 1)
            is_exact = is_exact and outcome.is_exact
            tally.add(move, outcome, is_best=tally.is_better(outcome.value))
            if self._suffices(root, outcome.value):
                is_exact = outcome.is_exact
                break
        tally.is_exact = is_exact

    def value(self, position: Position, ply: int) -> Outcome:
        """What a position is worth to the role."""
        self.deepest = max(self.deepest, ply)
        if position.is_terminal:
            return Outcome(position.reward(self.role), None, True)
        if ply >= DEEPEST:
            return Outcome(position.reward(self.role), None, False)
        known = None if self.memo is None else self.memo.get(position.key)
        if self.memo is None or (known is None and len(self.memo) >= MOST_ENTRIES):
            return self._best(position, ply)
        if known is None:
            # Until it is known, what this position leads back to is itself: a circle, which is no exact value.
            self.memo[position.key] = Outcome(position.reward(self.role), None, False)
            known = self.memo[position.key] = self._best(position, ply)
        return known

    def _best(self, position: Position, ply: int) -> Outcome:
        best, is_exact = None, True
        for move in position.moves:
            self.meter.node()
            value, line, child_is_exact = self.value(position.after(move), ply + 1)
            if best is None or (value > best.value if position.mover == self.role else value < best.value):
                best = Outcome(value, (move, line), child_is_exact)
            is_exact = is_exact and child_is_exact
            if self._suffices(position, value):
                return best
        return best._replace(is_exact=is_exact) if best is not None else Outcome(LOWEST, None, True)

    def _suffices(self, position: Position, value: float) -> bool:
        """Whether whoever chooses here needs to look no further."""
        return value >= self.enough if position.mover == self.role else value <= self.hopeless

    def is_sure(self, value: float) -> bool:
        """Whether a value is exact in spite of the bounds: between them it is, and where there is nothing beyond."""
        floor, ceiling = self.goals.floor, self.goals.ceiling
        is_best = value >= ceiling and self.hopeless <= floor  # stops at `enough` give lower bounds
        is_worst = value <= floor and self.enough >= ceiling  # stops at `hopeless` give upper bounds
        return self.hopeless < value < self.enough or is_best or is_worst
