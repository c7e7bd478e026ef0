"""Expectiminimax in machine code: minimax where chance moves too, with Star1 and Star2 pruning.

    value(s) = goal(s)                        s is terminal
               max of value(after(s, m))      the role chooses m
               min of value(after(s, m))      anybody else does: all are taken to be against the role
               mean of value(after(s, c))     chance does, all its moves c being equally likely

Alpha-beta cuts where a role chooses. Where chance decides, no child can be worth less than 0 or more than the highest
goal; so from what is known of some, the mean has a least and a greatest value, and when the window lies outside them
the others are left out, as is whatever of a child cannot change that (Star1). Before a child is searched as a whole,
one of its moves is: whoever chooses there gets that at least, which is often enough (Star2). Moves of chance that lead
to the same state are one, with their weights added. What was found of a state stands in a table as bounds, and narrows
those of chance before anything is searched. The search deepens; the last two plies come in lanes, many states at once.

At the depth limit a state is worth its evaluation (`LinearEvaluation`), by default the goal that the role has there,
and 50 where the rules give none. With `learning` a part of the time goes to random games from here on, of which it
learns what facts are worth (learning.py). Where no branch was cut by the limit, the value is proven: what the role can
expect. Moves no better than the best before them are only known to be worth at most so much (`at_most`). A role that
moves in the same step as chance chooses without knowing what that does. `pruning` is star2, star1 or none.

Needs a compiled game in which one role chooses at a time, chance apart, that hides nothing, with goals from 0 to 100;
`expectimax` does the same in Python, without bounds, for any machine and evaluation. Lines end where chance decides.

Sources: Michie 1966; Ballard 1983 (Star1, Star2); Hauk, Buro & Schaeffer 2004 (with a transposition table).
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from gamemaster.codegen.vector import WORD
from gamemaster.errors import ParameterError, Unsuitable
from gamemaster.language.terms import Term
from gamemaster.machine.game import RANDOM, State
from gamemaster.search.budget import Budget
from gamemaster.search.evaluation import MIDDLE
from gamemaster.search.native.engine import NO_LIMIT, Engine, Stopwatch, engine_of
from gamemaster.search.native.kernels.alphabeta import LEAST_GAIN
from gamemaster.search.native.kernels.bounds import known_move
from gamemaster.search.native.kernels.records import (
    INCOMPLETE,
    NODES,
    SEVERAL_CHOOSE,
    SOLVER_COUNTS,
    TROUBLE,
    WAS_CUT,
    Branches,
    Expectation,
    Floats,
    LinearEvaluation,
)
from gamemaster.search.native.kernels.rows import NOBODY, SEVERAL, expand, halve, joins_chance, mover_of
from gamemaster.search.native.kernels.star import HALF, WHOLE, expect
from gamemaster.search.native.learning import learn
from gamemaster.search.native.warming import get_ready
from gamemaster.search.position import DEEPEST, HIGHEST
from gamemaster.search.result import NOT_SEARCHED, SearchResult
from gamemaster.search.suitable import native_game, refusal_of_expectiminimax, several_at_once

__all__ = ["Expectiminimax", "Pruning", "search"]

Pruning = Literal["star2", "star1", "none"]

FIRST_BITS, TABLE_BITS, SEAT_BITS = 12, 21, 12
"""The table begins small, as memory is slow to come by, and grows with the states that are visited."""

POOL_BYTES, MOST_ROWS = 64 << 20, 1 << 18
LEARNING_SECONDS = 1.0
"""Where there is no limit to the time, the share of it that goes to learning is of so much."""


@dataclass(eq=False)
class _Depth:
    """What the moves of the root were found to be worth at one depth, and the root itself."""

    depth: int
    values: Floats  # float64[moves], INCOMPLETE where a move was not looked at
    is_bound: npt.NDArray[np.bool_]  # bool[moves]: whether it is only known to be worth no more
    value: float = INCOMPLETE
    is_cut: bool = False

    def order(self) -> list[int]:
        """The moves by their values, the best first; a bound is not as good as a value."""
        return [int(number) for number in np.lexsort((self.is_bound, -self.values))]

    def only(self, number: int) -> _Depth:
        """The same, where a move surely gets all there is: what others are worth to this depth is no longer asked."""
        values = np.full_like(self.values, INCOMPLETE)
        values[number] = self.values[number]
        return _Depth(self.depth, values, self.is_bound, float(values[number]))


def _level(depth: int, moves: int) -> _Depth:
    return _Depth(depth, np.full(moves, INCOMPLETE), np.zeros(moves, np.bool_))


class Expectiminimax:
    """Searches states of one game for one role; what it knows of states is kept from search to search."""

    def __init__(
        self,
        engine: Engine,
        role: str,
        evaluation: LinearEvaluation | None = None,
        *,
        pruning: Pruning = "star2",
        table_bits: int = TABLE_BITS,
    ) -> None:
        self.engine = engine
        self.role = role
        self.number = engine.role_number(role)
        self.best_goal = 100.0 * float(engine.best_goal[self.number])
        self.task = Expectation(
            evaluation or intermediate_evaluation(engine, self.number),
            self.number,
            max(MIDDLE, self.best_goal) if evaluation is None else HIGHEST,
            pruning != "none",
            pruning == "star2",
            NO_LIMIT,
        )
        self.most_entries = 1 << table_bits
        self.pool = _branches(engine, min(FIRST_BITS, table_bits))
        self.counts = np.zeros(SOLVER_COUNTS, np.int64)

    def search(self, state: State, budget: Budget, depth: int | None = None) -> SearchResult:
        """The best move of a state, searched deeper and deeper until the budget is spent, or to a depth."""
        began = time.perf_counter()
        self.counts[:] = 0
        most_nodes = NO_LIMIT if budget.nodes is None else budget.nodes
        self.task = self.task._replace(most_nodes=most_nodes)
        count, is_half = self._root(state)
        with Stopwatch(budget.seconds) as watch:
            level = _level(0, count)
            for each in range(1, 1 + (DEEPEST if depth is None else depth)):
                found = self._level(each, level, count, is_half, watch)
                if found is None:
                    break
                level = found
                if not level.is_cut:
                    break
                self._widen(int(self.counts[NODES]))
        return self._result(state, level, time.perf_counter() - began)

    def _widen(self, entries: int) -> None:
        """Make the table larger; what it knows goes to its new place, first or second of its pair as before."""
        old, bounds, size = self.pool.table, self.pool.bounds, len(self.pool.table)
        while size < min(entries, self.most_entries):
            size *= 2
        if size > len(old):
            (known,) = np.nonzero(old[:, 0])
            places = (old[known, 0] & np.uint64(size - 2)).astype(np.int64) + known % 2
            table, wider = np.zeros((size, 2), np.uint64), np.zeros((size, 2))
            table[places], wider[places] = old[known], bounds[known]
            self.pool = self.pool._replace(table=table, bounds=wider)

    def _root(self, state: State) -> tuple[int, bool]:
        """How many moves the role asked has, none where another chooses; whether chance moves in the same step.

        The state becomes row 0; where those moves lead, rows 1, 2, ...
        """
        code, rows, moves = self.engine.code(), self.pool.rows, self.pool.moves
        rows[0] = self.engine.row_of(state)
        mover = NOBODY if state.is_terminal else int(mover_of(code, rows, 0))
        if mover == SEVERAL:
            raise self._several(state.step)
        if mover != self.number:
            return 0, False
        is_half = bool(joins_chance(code, rows, 0))
        make = halve if is_half else expand
        return int(make(code, rows, 0, mover, rows, 1, moves)), is_half

    def _level(self, depth: int, last: _Depth, count: int, is_half: bool, watch: Stopwatch) -> _Depth | None:
        """What the root's moves are worth to a depth, the best of the last one first; None where time was up."""
        found, best = _level(depth, count), INCOMPLETE
        if count == 0:
            found.value, found.is_cut = self._expect(0, depth, INCOMPLETE, 1, False, watch)
            return None if self.counts[TROUBLE] else found
        for child in last.order():
            # a child that is surely worth all there is must be told from one that is no better than an estimate
            alpha = min(best, self.best_goal - LEAST_GAIN) if self.task.is_pruned else INCOMPLETE
            below = depth if is_half else depth - 1
            value, is_cut = self._expect(1 + child, below, alpha, 1 + count, is_half, watch)
            if self.counts[TROUBLE]:
                return None
            found.values[child], found.is_bound[child] = value, value <= alpha
            best = max(best, value)
            found.is_cut |= is_cut
            if not is_cut and value >= self.best_goal:
                return found.only(child)
        found.value = best
        return found

    def _expect(
        self, row: int, depth: int, alpha: float, top: int, is_half: bool, watch: Stopwatch
    ) -> tuple[float, bool]:
        """The value of a row, and whether the depth had a part in it."""
        code = self.engine.code()
        value = expect(
            code,
            self.task,
            self.pool,
            row,
            depth,
            alpha,
            top,
            HALF if is_half else WHOLE,
            self.counts,
            watch.stop,
        )
        if self.counts[TROUBLE] == SEVERAL_CHOOSE:
            raise self._several(None)
        return float(value), bool(self.counts[WAS_CUT])

    def _several(self, step: int | None) -> Unsuitable:
        return Unsuitable(several_at_once("expectiminimax", self.engine.game.name, step))

    def _result(self, state: State, level: _Depth, seconds: float) -> SearchResult:
        """What the last depth that was finished says."""
        legal = () if state.is_terminal else state.legal_moves(self.role)
        terms = [self.engine.terms[move] for move in self.pool.moves[1 : 1 + len(level.values)].tolist()]
        known = [number for number in level.order() if level.values[number] != INCOMPLETE]
        is_done = level.value != INCOMPLETE
        best: Term | None = terms[known[0]] if known else legal[0] if legal else None
        is_proven = is_done and not level.is_cut
        return SearchResult(
            "expectiminimax",
            self.role,
            best,
            level.value if is_done else 0.0,
            {terms[number]: float(level.values[number]) for number in known},
            at_most=frozenset(terms[number] for number in known if level.is_bound[number]),
            line=() if best is None else self._line(state, best, level.depth) if known else (best,),
            depth=level.depth,
            nodes=int(self.counts[NODES]),
            seconds=seconds,
            is_proven=is_proven,
            notes="" if is_done else NOT_SEARCHED,
        )

    def _line(self, state: State, best: Term, depth: int) -> tuple[Term, ...]:
        """The moves that the table has for the states on the way, up to where chance decides."""
        line, code = [best], self.engine.code()
        while state.chooser is not None and len(line) < depth:
            state = self.engine.follow(state, line[-1])
            self.pool.rows[0] = self.engine.row_of(state)
            move = NOBODY if state.is_over else int(known_move(code, self.pool, 0, depth - len(line)))
            if move < 0:
                break
            line.append(self.engine.terms[move])
        return tuple(line)


def intermediate_evaluation(engine: Engine, role: int) -> LinearEvaluation:
    """The goal that a role has already, 50 where it has none: `intermediate` of evaluation.py, on rows."""
    weights = np.zeros(engine.row_words * WORD)
    for number in range(engine.goal_start[role], engine.goal_start[role + 1]):
        weights[engine.places.first_goal + number] = engine.goal_value[number] - MIDDLE
    return LinearEvaluation(weights, MIDDLE)


def _branches(engine: Engine, table_bits: int) -> Branches:
    """Room for a search; memory that nobody writes to costs nothing."""
    rows = min(MOST_ROWS, max(4_096, POOL_BYTES // (8 * engine.row_words)))
    return Branches(
        np.empty((rows, engine.row_words), np.uint64),
        moves=np.zeros(rows, np.int64),
        keys=np.zeros(rows),
        order=np.zeros(rows, np.int64),
        history=np.zeros(max(1, len(engine.terms)), np.int64),
        hashes=np.zeros(rows, np.uint64),
        weights=np.zeros(rows),
        lowest=np.zeros(rows),
        highest=np.zeros(rows),
        is_open=np.zeros(rows, np.int64),
        chooser=np.zeros(rows, np.int64),
        stop_lane=np.zeros(rows, np.int64),
        seats=np.zeros((1 << SEAT_BITS) + 1, np.int64),
        table=np.zeros((1 << table_bits, 2), np.uint64),
        bounds=np.zeros((1 << table_bits, 2)),
    )


def search(
    state: State,
    role: str,
    budget: Budget,
    seed: int = 0,
    *,
    depth: int | None = None,
    pruning: Pruning = "star2",
    learning: float = 0.0,
) -> SearchResult:
    """The move with the best expected value. The seed is for `learning`, the share of the time that goes to it."""
    if not 0.0 <= learning < 1.0:
        raise ParameterError(
            f"learning of expectiminimax: {learning:g} is not a share of the time, from 0 to 1"
        )
    engine = _engine_for(state, role)
    began = time.perf_counter()
    evaluation = _learnt(engine, state, role, budget, learning, seed) if learning else None
    searcher = Expectiminimax(engine, role, evaluation, pruning=pruning)
    return searcher.search(state, budget.since(began), depth)


def _engine_for(state: State, role: str) -> Engine:
    """What searches a state, when all is made that it takes; Unsuitable where it cannot be searched."""
    state.game.check_role(role)
    if role == RANDOM:
        raise Unsuitable(f"expectiminimax cannot choose for {RANDOM!r}: it is chance, which does not choose")
    game = native_game(state.game, with_chance=True)
    if game is None:
        raise Unsuitable(refusal_of_expectiminimax(state))
    get_ready(game, "expectiminimax", "learning")
    return engine_of(game)


def _learnt(
    engine: Engine, state: State, role: str, budget: Budget, share: float, seed: int
) -> LinearEvaluation | None:
    """An evaluation from random games; None where there are too few."""
    seconds = share * (LEARNING_SECONDS if budget.seconds is None else budget.seconds)
    try:
        learnt = learn(engine, state, seconds, seed)
    except Unsuitable:
        return None
    number = engine.role_number(role)
    return LinearEvaluation(learnt.row_weights(engine)[number], float(learnt.biases[number]))
