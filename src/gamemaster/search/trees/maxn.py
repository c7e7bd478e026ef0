"""Max^n: for three and more roles, each of whom wants the most for itself.

    values(s) = every role's goal in s                          s is terminal
                the values(after(s, m)) best for the mover      over its moves m

Between moves that are equal for the mover it is expected to take the one worst for the searching role, then for the
others in their order. The search deepens until the budget is spent or all is searched; `depth` is the deepest
iteration, `evaluation` (evaluation.py) what a position at the horizon is worth to each role, on any scale: a win is
better, a loss worse (scale.py). A mover stops at a win where it could not do worse to anybody.

Assumes turn-taking and full information, and that nobody cares about the others. Refuses simultaneous moves and chance
with `Unsuitable`. With two roles and a fixed sum it is minimax.

Source: Luckhardt & Irani 1986, An Algorithmic Solution of N-Person Games.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from gamemaster.language.terms import Term
from gamemaster.machine.game import State
from gamemaster.search.budget import Budget, Meter
from gamemaster.search.evaluation import Evaluation, find_evaluation, intermediate
from gamemaster.search.goals import USUAL, Goals, goals_in
from gamemaster.search.position import LOWEST, Position, root_of, state_of
from gamemaster.search.result import SearchResult
from gamemaster.search.scale import LOSS, WIN, Scale, mean
from gamemaster.search.tally import Outcome, Tally, search_deeper
from gamemaster.search.trees.descent import Descent, Shares

__all__ = ["MaxN", "search"]


def search(
    state: State,
    role: str,
    budget: Budget,
    seed: int = 0,
    *,
    depth: int | None = None,
    evaluation: Evaluation | str = intermediate,
) -> SearchResult:
    """The best move if everybody plays for itself."""
    root, meter = root_of(state, role, "maxn"), budget.start()
    worth = find_evaluation(evaluation)

    def evaluate(position: Position, somebody: str) -> float:
        return worth(state_of(position), somebody)

    goals = {each: goals_in(state.game, each) for each in state.game.roles}
    maxn = MaxN(role, state.game.roles, meter, evaluate, goals=goals)
    run = partial(maxn.run, root, seed=seed)
    return search_deeper("maxn", root, role, meter, run, depth)


class MaxN(Descent[Shares]):
    """Depth-first search for every role's share. Allies share what they get."""

    def __init__(
        self,
        role: str,
        roles: Sequence[str],
        meter: Meter,
        evaluate: Callable[[Position, str], float],
        *,
        alliances: Sequence[Sequence[str]] = (),
        goals: Mapping[str, Goals] | None = None,
    ) -> None:
        super().__init__(role, meter)
        self.has_allies = bool(alliances)
        self.allies = {each: [each] for each in roles} | {
            each: list(alliance) for alliance in alliances for each in alliance
        }
        self.roles = roles
        self.evaluate = evaluate
        goals = goals or dict.fromkeys(roles, USUAL)
        self.scales = {each: _pooled_scale([goals[ally] for ally in self.allies[each]]) for each in roles}
        self.scale = self.scales[role]

    def at_once(self, position: Position, depth: int) -> Shares | None:
        """The goals at an end, the evaluation at the horizon."""
        if position.is_terminal:
            return Shares(self._pooled(position.reward, Scale.end), None, True)
        if depth <= 0:
            return Shares(self._pooled(partial(self.evaluate, position), Scale.estimate), None, False)
        return None

    def after(self, position: Position, move: Term, depth: int) -> Shares:
        """What everybody gets after a move."""
        self.meter.node()
        return self.value(position.after(move), depth)

    def dead_end(self) -> Shares:
        """A loss for everybody."""
        return Shares({role: self.scales[role].end(LOWEST) for role in self.roles}, None, True)

    def note(self, tally: Tally, move: Term, found: Shares, *, is_best: bool) -> None:
        """Take down the role's share, on the scale of goals for people to see."""
        value = found.values[self.role]
        outcome = Outcome(value, found.line, found.is_exact)
        tally.add(move, outcome, is_best=is_best, shown=self.scale.shown(value))

    def _pooled(
        self, worth: Callable[[str], float], place: Callable[[Scale, float], float]
    ) -> dict[str, float]:
        """Where each role stands: by what it gets, allies by the mean of what they get."""
        if not self.has_allies:
            return {role: place(self.scales[role], worth(role)) for role in self.roles}
        values = {role: worth(role) for role in self.roles}
        return {
            role: place(self.scales[role], mean([values[ally] for ally in allies]))
            for role, allies in self.allies.items()
        }

    def prefers(self, position: Position, one: Shares, other: Shares) -> bool:
        """Whether the mover would rather have one outcome than the other."""
        return self._rank(position, one) > self._rank(position, other)

    def _rank(self, position: Position, shares: Shares) -> tuple[float, ...]:
        """How good an outcome is for the mover, then how bad for the searching role, then for the others in order."""
        mover = self._mover(position)
        harm = 0.0 if mover in self.allies[self.role] else -shares.values[self.role]
        rest = [-shares.values[other] for other in self.roles if other not in self.allies[mover]]
        return shares.values[mover], harm, *rest

    def suffices_at_root(self, root: Position, found: Shares) -> bool:
        """Whether the mover cannot do better, nor worse to the searching role; at the root no other counts."""
        mover = self._mover(root)
        is_friend = mover in self.allies[self.role]
        return found.values[mover] == WIN and (is_friend or found.values[self.role] == LOSS)

    def suffices(self, position: Position, found: Shares) -> bool:
        """Whether the mover cannot do better, nor worse to anybody: what others get decides what they do before."""
        mover = self._mover(position)
        rest = (found.values[other] for other in self.roles if other not in self.allies[mover])
        return found.values[mover] == WIN and all(value == LOSS for value in rest)

    def _mover(self, position: Position) -> str:
        return position.mover if position.mover is not None else self.role


def _pooled_scale(goals: Sequence[Goals]) -> Scale:
    """The scale of allies: they win where all of them do, and lose where all do."""
    ends = zip(*((each.lowest, each.highest, each.floor, each.ceiling) for each in goals), strict=True)
    return Scale(*map(mean, ends))
