"""Expectimax: minimax where chance moves too; its moves count with their probability.

    value(s) = goal(s)                                  s is terminal
               max of expected(s, m)                    the role chooses m
               min of expected(s, m)                    anybody else does
    expected(s, m) = mean of value(after(s, m, c))      over the moves c of `random`, all equally likely

Chance may move alone or in the same step as a role, which then chooses without knowing. The search deepens until the
budget is spent or all is searched; `depth` is the deepest iteration, `evaluation` (evaluation.py) what a position at
the horizon is worth. It may be on any scale: a sure win is better than any estimate, a sure loss worse (scale.py). But
where chance mixes ends with estimates a win counts as 100 and a loss as 0, and averages depend on more than the order
of values: there it should be on the scale of goals (`Scaled` puts it there).

Assumes turn-taking, chance apart, and full information; whoever else chooses is an enemy. Refuses simultaneous moves
with `Unsuitable`. The line ends where chance decides how to go on.

Source: Michie 1966; Russell & Norvig, chapter 6 (expectiminimax).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import Any

from gamemaster.language.terms import Term
from gamemaster.machine.game import State
from gamemaster.search.budget import Budget, Meter
from gamemaster.search.evaluation import Evaluation, find_evaluation, intermediate
from gamemaster.search.goals import goals_in
from gamemaster.search.position import (
    HIGHEST,
    LOWEST,
    MOST_ENTRIES,
    Position,
    root_of,
    shuffled,
)
from gamemaster.search.result import SearchResult
from gamemaster.search.scale import LOSS, WIN, Scale, mean
from gamemaster.search.tally import Outcome, Tally, search_deeper

__all__ = ["Expectimax", "search"]


def search(
    state: State,
    role: str,
    budget: Budget,
    seed: int = 0,
    *,
    depth: int | None = None,
    evaluation: Evaluation | str = intermediate,
) -> SearchResult:
    """The move with the best expected value."""
    root, meter = root_of(state, role, "expectimax", with_chance=True), budget.start()
    worth = find_evaluation(evaluation)

    def evaluate(position: Any) -> float:
        return worth(position.state, role)

    expectimax = Expectimax(role, meter, evaluate, window=goals_in(state.game, role))
    run = partial(expectimax.run, root, seed=seed)
    return search_deeper("expectimax", root, role, meter, run, depth)


class Expectimax:
    """Depth-first search to a depth; what it found exactly stays for deeper ones."""

    def __init__(
        self,
        role: str,
        meter: Meter,
        evaluate: Callable[[Any], float],
        *,
        window: tuple[float, float] = (LOWEST, HIGHEST),
    ) -> None:
        self.role = role
        self.meter = meter
        self.evaluate = evaluate
        self.scale = Scale(*window)
        self.memo: dict[Hashable, tuple[int, Outcome]] = {}

    def run(self, root: Position, depth: int, tally: Tally, seed: int = 0) -> None:
        """Tally the root's moves."""
        self.meter.node()
        if root.is_terminal:
            return
        is_exact = True
        for move in shuffled(root.moves, seed):
            outcome = self._expected(root, move, depth - 1)
            shown = self.scale.shown(outcome.value)
            tally.add(move, outcome, is_best=tally.is_better(outcome.value), shown=shown)
            is_exact = is_exact and outcome.is_exact
            if self._suffices(root, outcome.value):
                is_exact = outcome.is_exact
                break
        tally.is_exact = is_exact

    def value(self, position: Position, depth: int) -> Outcome:
        """What a position is worth to the role on average."""
        if position.is_terminal:
            return Outcome(self.scale.end(position.reward(self.role)), None, True)
        if depth <= 0:
            return Outcome(self.scale.estimate(self.evaluate(position)), None, False)
        searched, known = self.memo.get(position.key, (0, None))
        if known is not None and (known.is_exact or searched == depth):
            return known
        outcome = self._best(position, depth)
        if len(self.memo) < MOST_ENTRIES or known is not None:
            self.memo[position.key] = (depth, outcome)
        return outcome

    def _best(self, position: Position, depth: int) -> Outcome:
        best, is_exact = None, True
        for move in position.moves:
            value, line, child_is_exact = self._expected(position, move, depth - 1)
            if best is None or (value > best.value if position.mover == self.role else value < best.value):
                best = Outcome(value, (move, line), child_is_exact)
            is_exact = is_exact and child_is_exact
            if self._suffices(position, value):
                return best
        return (
            best._replace(is_exact=is_exact)
            if best is not None
            else Outcome(self.scale.end(LOWEST), None, True)
        )

    def _expected(self, position: Position, move: Term, depth: int) -> Outcome:
        """The mean over what chance may do."""
        values, is_exact, line = [], True, None
        afters = position.outcomes(move)
        for after in afters:
            self.meter.node()
            outcome = self.value(after, depth)
            values.append(outcome.value)
            is_exact = is_exact and outcome.is_exact
            line = outcome.line if len(afters) == 1 else None
        return Outcome(self._mean(values), line, is_exact)

    def _mean(self, values: Sequence[float]) -> float:
        """The mean; what is a win or a loss whatever chance does stays one."""
        if min(values) == max(values):
            return values[0]
        return mean([self.scale.shown(value) for value in values])

    def _suffices(self, position: Position, value: float) -> bool:
        """Whether whoever chooses here cannot do better."""
        return value == WIN if position.mover == self.role else value == LOSS
