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

from gamemaster.language.terms import Term
from gamemaster.machine.game import State
from gamemaster.search.budget import Budget, Meter, OutOfBudget
from gamemaster.search.goals import USUAL, Goals, goals_in
from gamemaster.search.position import DEEPEST, HIGHEST, LOWEST, MOST_ENTRIES, Position, root_of
from gamemaster.search.result import SearchResult
from gamemaster.search.tally import Outcome, Tally
from gamemaster.search.trees.descent import Descent, prefers_value

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
        minimax.run(root, DEEPEST, tally, seed)
    except OutOfBudget:
        tally.is_exact = False
    is_proven = tally.is_exact and (tally.best is None or minimax.is_sure(tally.values[tally.best]))
    return tally.result(algorithm, depth=minimax.deepest, is_proven=is_proven)


class BoundedMinimax(Descent[Outcome]):
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
        super().__init__(role, meter)
        self.enough = enough
        self.hopeless = hopeless
        self.goals = goals
        self.remembers = memo
        self.deepest = 0

    def at_once(self, position: Position, depth: int) -> Outcome | None:
        """The goal at an end, and where the game goes on deeper than any search looks."""
        self.deepest = max(self.deepest, DEEPEST - depth)
        if position.is_terminal or depth <= 0:
            return Outcome(position.reward(self.role), None, position.is_terminal)
        return None

    def after(self, position: Position, move: Term, depth: int) -> Outcome:
        """What a move leads to."""
        self.meter.node()
        return self.value(position.after(move), depth)

    def value(self, position: Position, depth: int) -> Outcome:
        """What a position is worth to the role, as far as it is known from anywhere: depths are not told apart."""
        outcome = self.at_once(position, depth)
        if outcome is not None:
            return outcome
        _, known = self.memo.get(position.key, (0, None)) if self.remembers else (0, None)
        if known is None and (not self.remembers or len(self.memo) >= MOST_ENTRIES):
            return self.best(position, depth)
        if known is None:
            # Until it is known, what this position leads back to is itself: a circle, which is no exact value.
            self.memo[position.key] = depth, Outcome(position.reward(self.role), None, False)
            known = self.best(position, depth)
            self.memo[position.key] = depth, known
        return known

    def dead_end(self) -> Outcome:
        """Nothing."""
        return Outcome(LOWEST, None, True)

    def prefers(self, position: Position, one: Outcome, other: Outcome) -> bool:
        """Whether it is better for the role, or worse where an enemy chooses."""
        return prefers_value(position.mover == self.role, one, other)

    def suffices(self, position: Position, found: Outcome) -> bool:
        """Whether whoever chooses here needs to look no further."""
        return found.value >= self.enough if position.mover == self.role else found.value <= self.hopeless

    def note(self, tally: Tally, move: Term, found: Outcome, *, is_best: bool) -> None:
        """Take down a value."""
        tally.add(move, found, is_best=is_best)

    def is_sure(self, value: float) -> bool:
        """Whether a value is exact in spite of the bounds: between them it is, and where there is nothing beyond."""
        floor, ceiling = self.goals.floor, self.goals.ceiling
        is_best = value >= ceiling and self.hopeless <= floor  # stops at `enough` give lower bounds
        is_worst = value <= floor and self.enough >= ceiling  # stops at `hopeless` give upper bounds
        return self.hopeless < value < self.enough or is_best or is_worst
