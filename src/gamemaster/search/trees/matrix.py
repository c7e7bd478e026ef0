"""Matrix games: backward induction where two opposed roles choose at once, a linear program at each such position.

    value(s) = goal(s)                                          s is terminal
               max over mixed x of min over b of sum x(a) value(after(s, a, b))     both choose: a is the role's
               max or min of value(after(s, m))                 one of them chooses
               mean of value(after(s, c))                       over the moves c of `random`, all equally likely

Where both choose, the values after all joint moves are a matrix. Neither can do better than to draw its move by lot,
with probabilities that a linear program finds (von Neumann 1928; Dantzig 1951; scipy's HiGHS); a saddle point needs
none. The move chosen is drawn so, by the seed: whoever always made the likeliest could be foreseen. `visits` has the
probabilities in thousandths, the notes in words, and `values` what each move is worth against the other's best mix.

The search deepens until the budget is spent or all is searched; `depth` is the deepest iteration, `evaluation`
(evaluation.py) what a position at the horizon is worth, which should be on the scale of goals. Assumes that what one
of two roles gets the other does not, and full information up to what both do in the same step. Refuses with
`Unsuitable` games for more than two roles beside chance. `decoupled` is for more roles and for longer games.

Sources: Buro 2003; Bosansky, Lisy, Cermak, Vitek & Pechoucek 2013 (backward induction in simultaneous-move games).
"""

from __future__ import annotations

import random
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gamemaster.errors import Unsuitable
from gamemaster.language.terms import Term
from gamemaster.machine.game import RANDOM, State
from gamemaster.search.budget import Budget, Meter, OutOfBudget
from gamemaster.search.evaluation import Evaluation, find_evaluation, intermediate
from gamemaster.search.position import DEEPEST, LOWEST, MOST_ENTRIES
from gamemaster.search.result import NOT_SEARCHED, SearchResult

__all__ = ["MatrixChoice", "MixedOutcome", "search", "solve_matrix"]

Floats = npt.NDArray[np.float64]

CHANCE_OF_NONE = 1e-9
"""A move less probable than this is never made: the linear program leaves such traces."""


@dataclass(frozen=True, eq=False)
class MatrixChoice:
    """How a matrix game is played: what it is worth, and how likely each row and each column is."""

    value: float
    rows: Floats
    columns: Floats


def solve_matrix(matrix: Floats) -> MatrixChoice:
    """The value of a matrix game to who chooses the row and wants it high, and how both choose."""
    lows, highs = matrix.min(axis=1), matrix.max(axis=0)
    row, column = int(lows.argmax()), int(highs.argmin())
    if lows[row] == highs[column]:
        return MatrixChoice(float(lows[row]), _one(len(lows), row), _one(len(highs), column))
    value, rows = _mixed(matrix)
    _, columns = _mixed(-matrix.T)
    return MatrixChoice(value, rows, columns)


def _one(count: int, place: int) -> Floats:
    """A choice that is always the same."""
    chances = np.zeros(count)
    chances[place] = 1.0
    return chances


def _mixed(matrix: Floats) -> tuple[float, Floats]:
    """The most that a mix of rows gets whatever the column, and that mix: maximise v where x A >= v for each column."""
    from scipy.optimize import linprog

    count, columns = matrix.shape
    found = linprog(
        np.append(np.zeros(count), -1.0),
        A_ub=np.hstack([-matrix.T, np.ones((columns, 1))]),
        b_ub=np.zeros(columns),
        A_eq=np.append(np.ones(count), 0.0).reshape(1, -1),
        b_eq=[1.0],
        bounds=[(0.0, None)] * count + [(None, None)],
        method="highs",
    )
    chances = np.where(found.x[:count] > CHANCE_OF_NONE, found.x[:count], 0.0)
    chances /= chances.sum()
    return float((chances @ matrix).min()), chances


@dataclass(frozen=True, eq=False)
class MixedOutcome:
    """What a state is worth, how likely the role makes each of its moves, what each is worth; is_exact: to the end."""

    value: float
    is_exact: bool
    chances: Floats
    worths: Floats


def search(
    state: State,
    role: str,
    budget: Budget,
    seed: int = 0,
    *,
    depth: int | None = None,
    evaluation: Evaluation | str = intermediate,
) -> SearchResult:
    """A move drawn by the best mix."""
    other, meter = _other(state, role), budget.start()
    search = _Search(role, other, meter, find_evaluation(evaluation))
    found, reached = None, 0
    for each in range(1, 1 + (DEEPEST if depth is None else depth)):
        try:
            meter.node()
            found, reached = search.solve(state, each), each
        except OutOfBudget:
            break
        if found.is_exact:
            break
    return _result(state, role, found, reached, meter, seed)


def _other(state: State, role: str) -> str | None:
    """The one who is against a role, if there is one; Unsuitable where there are several."""
    state.game.check_role(role)
    others = [each for each in state.game.roles if each not in (role, RANDOM)]
    if role == RANDOM or len(others) > 1:
        raise Unsuitable(
            f"matrix is for one of two roles against each other, not for {role!r} among "
            f"{', '.join(state.game.roles)}; take decoupled"
        )
    return others[0] if others else None


class _Search:
    """Backward induction to a depth, for a role against another."""

    def __init__(self, role: str, other: str | None, meter: Meter, evaluate: Evaluation) -> None:
        self.role = role
        self.other = other
        self.meter = meter
        self.evaluate = evaluate
        self.memo: dict[Hashable, tuple[int, MixedOutcome]] = {}

    def solve(self, state: State, depth: int) -> MixedOutcome:
        """What a state is worth, to a depth."""
        none = np.zeros(0)
        if state.is_over:
            goal = state.goal(self.role) if state.is_terminal else None
            return MixedOutcome(LOWEST if goal is None else float(goal), True, none, none)
        if depth <= 0:
            return MixedOutcome(float(self.evaluate(state, self.role)), False, none, none)
        searched, known = self.memo.get(state.key, (0, None))
        if known is not None and (known.is_exact or searched == depth):
            return known
        found = self._solved(state, depth)
        if len(self.memo) < MOST_ENTRIES or known is not None:
            self.memo[state.key] = (depth, found)
        return found

    def _solved(self, state: State, depth: int) -> MixedOutcome:
        """The matrix of what all joint moves lead to, solved."""
        mine, theirs = self._moves(state, self.role), self._moves(state, self.other)
        matrix, is_exact = np.zeros((len(mine), len(theirs))), True
        for row, own in enumerate(mine):
            for column, answer in enumerate(theirs):
                after = [
                    self._after(state, own, answer, chance, depth) for chance in self._moves(state, RANDOM)
                ]
                matrix[row, column] = sum(each.value for each in after) / len(after)
                is_exact = is_exact and all(each.is_exact for each in after)
        mixture = solve_matrix(matrix)
        return MixedOutcome(mixture.value, is_exact, mixture.rows, matrix @ mixture.columns)

    def _moves(self, state: State, role: str | None) -> Sequence[Term | None]:
        """The moves of a role; None for that of a role that has none, or that there is not."""
        return (state.legal_moves(role) if role is not None and role in state.game.roles else ()) or (None,)

    def _after(
        self, state: State, own: Term | None, answer: Term | None, chance: Term | None, depth: int
    ) -> MixedOutcome:
        """What a joint move leads to."""
        self.meter.node()
        made = {self.role: own, self.other: answer, RANDOM: chance}
        joint = {each: move for each, move in made.items() if each is not None and move is not None}
        return self.solve(state.next(joint), depth - 1)


def _result(
    state: State, role: str, found: MixedOutcome | None, depth: int, meter: Meter, seed: int
) -> SearchResult:
    """What was found, with a move drawn by the mix."""
    legal = () if state.is_terminal else state.legal_moves(role)
    if found is None or not len(found.chances) or not legal:
        value = 0.0 if found is None else found.value
        notes = NOT_SEARCHED if found is None and len(legal) > 1 else ""
        is_proven = found is not None and found.is_exact
        move = legal[0] if legal else None
        line = (move,) if move is not None else ()
        return SearchResult(
            "matrix",
            role,
            move,
            value,
            line=line,
            depth=depth,
            nodes=meter.nodes,
            is_proven=is_proven,
            notes=notes,
        )
    move = random.Random(seed).choices(legal, found.chances.tolist())[0]
    return SearchResult(
        "matrix",
        role,
        move,
        found.value,
        dict(zip(legal, found.worths.tolist(), strict=True)),
        {each: round(1000 * chance) for each, chance in zip(legal, found.chances.tolist(), strict=True)},
        line=(move,),
        depth=depth,
        nodes=meter.nodes,
        seconds=meter.seconds,
        is_proven=found.is_exact,
        notes=_in_words(legal, found.chances),
    )


def _in_words(legal: Sequence[Term], chances: Floats) -> str:
    """The mix, where it is one."""
    told = [f"{move} {chance:.1%}" for move, chance in zip(legal, chances, strict=True) if chance]
    return f"mixed: {', '.join(told)}" if len(told) > 1 else ""
