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

from collections.abc import Callable, Sequence
from functools import partial

from gamemaster.language.terms import Term
from gamemaster.machine.game import State
from gamemaster.search.budget import Budget, Meter
from gamemaster.search.evaluation import Evaluation, find_evaluation, intermediate
from gamemaster.search.goals import goals_in
from gamemaster.search.position import HIGHEST, LOWEST, Position, root_of, state_of
from gamemaster.search.result import SearchResult
from gamemaster.search.scale import LOSS, WIN, Scale, mean
from gamemaster.search.tally import Outcome, Tally, search_deeper
from gamemaster.search.trees.descent import Descent, prefers_value

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

    def evaluate(position: Position) -> float:
        return worth(state_of(position), role)

    expectimax = Expectimax(role, meter, evaluate, window=goals_in(state.game, role))
    run = partial(expectimax.run, root, seed=seed)
    return search_deeper("expectimax", root, role, meter, run, depth)


class Expectimax(Descent[Outcome]):
    """Depth-first search that takes the mean over what chance may do."""

    def __init__(
        self,
        role: str,
        meter: Meter,
        evaluate: Callable[[Position], float],
        *,
        window: tuple[float, float] = (LOWEST, HIGHEST),
    ) -> None:
        super().__init__(role, meter)
        self.evaluate = evaluate
        self.scale = Scale(*window)

    def at_once(self, position: Position, depth: int) -> Outcome | None:
        """The goal at an end, the evaluation at the horizon."""
        if position.is_terminal:
            return Outcome(self.scale.end(position.reward(self.role)), None, True)
        if depth <= 0:
            return Outcome(self.scale.estimate(self.evaluate(position)), None, False)
        return None

    def after(self, position: Position, move: Term, depth: int) -> Outcome:
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

    def dead_end(self) -> Outcome:
        """A loss."""
        return Outcome(self.scale.end(LOWEST), None, True)

    def prefers(self, position: Position, one: Outcome, other: Outcome) -> bool:
        """Whether it is better for the role, or worse where an enemy chooses."""
        return prefers_value(position.mover == self.role, one, other)

    def suffices(self, position: Position, found: Outcome) -> bool:
        """Whether whoever chooses here cannot do better."""
        return found.value == WIN if position.mover == self.role else found.value == LOSS

    def note(self, tally: Tally, move: Term, found: Outcome, *, is_best: bool) -> None:
        """Take down a value, on the scale of goals for people to see."""
        tally.add(move, found, is_best=is_best, shown=self.scale.shown(found.value))
