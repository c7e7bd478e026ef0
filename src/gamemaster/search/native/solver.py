"""Alpha-beta in machine code: the quickest way to the truth about a compiled game.

The value of a state for a role is the largest value of its children where that role chooses, the smallest where another
does (all others are taken to be against it). A window (alpha, beta) holds what both sides are sure of already: a child
outside it cannot matter, and its brothers are left out (Knuth & Moore 1975). Iterative deepening searches to depth 1,
2, ...; the move found best is tried first in the next iteration (Slate & Atkin 1977), as the transposition table
remembers it. All children of a state are made by one evaluation of the game's code.

At the depth limit a state is worth its evaluation: a weight for each fact, legal move and goal that holds
(`LinearEvaluation`). Where no branch was cut by the limit, the value is proven; so is that of a move that surely gives
the role the most it can get, and then moves of which there is only a guess are left out. Moves that are no better than
the best before them are only known to be worth at most so much (`at_most`).

Needs a compiled game in which one role chooses at a time, without chance or hidden information, with goals from 0 to
100; `alphabeta` and `deepening` do the same in Python, for any machine and with more ways to look further.
"""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np

from gamemaster.codegen.vector import WORD
from gamemaster.errors import Unsuitable
from gamemaster.language.terms import Term
from gamemaster.machine.compiled import CompiledGame
from gamemaster.machine.game import State
from gamemaster.search.budget import Budget
from gamemaster.search.native.engine import NO_LIMIT, Engine, Stopwatch, engine_of
from gamemaster.search.native.kernels.alphabeta import deepen
from gamemaster.search.native.kernels.records import (
    FRAME,
    INCOMPLETE,
    IS_BOUND,
    NODES,
    ROOT_VALUES,
    SEVERAL_CHOOSE,
    SOLVER_COUNTS,
    STACK,
    TROUBLE,
    VALUE,
    WAS_CUT,
    Floats,
    Ints,
    LinearEvaluation,
    Pool,
)
from gamemaster.search.native.kernels.rows import SEVERAL, expand, mover_of
from gamemaster.search.native.kernels.table import follow_table
from gamemaster.search.native.prover import MEMORY, ProvenBounds, Prover, TellProgress
from gamemaster.search.native.warming import get_ready
from gamemaster.search.result import NOT_PROVEN, NOT_SEARCHED, SearchResult
from gamemaster.search.suitable import native_game, refusal_of_solver, several_at_once

__all__ = ["Solver", "goal_evaluation", "prove", "search", "solve"]

TABLE_BITS = 20
FIRST_ENTRIES = 1 << 14
"""The table begins small, as memory is slow to come by. It grows when more states than it has entries were visited:
most of them are leaves, or just above, and need none."""

MOST_PLIES = 1_024
POOL_BYTES = 64 << 20
MOST_ROWS = 1 << 18
ALL_THE_WAY = MOST_PLIES - 2
LONGEST_LINE = 200
PATIENCE = 600.0
"""So many seconds a proof waits for the machine code of its game, before its clock starts."""


def goal_evaluation(engine: Engine, role: int) -> LinearEvaluation:
    """The evaluation that takes the goal a role has already."""
    weights = np.zeros(engine.row_words * WORD)
    for number in range(engine.goal_start[role], engine.goal_start[role + 1]):
        weights[engine.places.first_goal + number] = engine.goal_value[number]
    return LinearEvaluation(weights, is_goal_only=True)


class Solver:
    """Searches states of one game for one role; the transposition table is kept from search to search."""

    def __init__(
        self,
        engine: Engine,
        role: str,
        evaluation: LinearEvaluation | None = None,
        table_bits: int = TABLE_BITS,
    ) -> None:
        self.engine = engine
        self.role = role
        self.number = engine.role_number(role)
        self.evaluation = evaluation or goal_evaluation(engine, self.number)
        self.most_entries = 1 << table_bits
        table = np.zeros((min(FIRST_ENTRIES, self.most_entries), 2), np.uint64)
        history = np.zeros(max(1, len(engine.terms)), np.int64)
        self.pool = _workspace(engine)._replace(table=table, history=history)

    def search(
        self, state: State, budget: Budget, depth: int | None = None, at_once: bool = False
    ) -> SearchResult:
        """The best move of a state, searched deeper and deeper until the budget is spent, or to one depth.

        `at_once`: to that depth, or to the end of the game, without a search to smaller depths before.
        """
        began = time.perf_counter()
        legal = state.legal_moves(self.role)
        self.pool.rows[0] = self.engine.row_of(state)
        count = 0 if state.is_terminal else self._root(state.step)
        if count == 0 or self.mover != self.number:
            return SearchResult("solver", self.role, legal[0] if legal else None, 0.0)
        counts = np.zeros(SOLVER_COUNTS, np.int64)
        values = np.zeros((ROOT_VALUES, count))
        with Stopwatch(budget.seconds) as watch:
            deepest = depth or ALL_THE_WAY
            depths = (deepest if at_once else 1, deepest)
            done = self._deepen(
                count, depths, counts, values, NO_LIMIT if budget.nodes is None else budget.nodes, watch
            )
        return self._result(values, done, counts, began)

    def _deepen(
        self,
        count: int,
        depths: tuple[int, int],
        counts: Ints,
        values: Floats,
        most_nodes: int,
        watch: Stopwatch,
    ) -> int:
        """Search deeper and deeper; the last depth done. Between depths the table grows."""
        depth, deepest = depths
        last = 0
        step = 2 if self.evaluation.is_goal_only else 1
        if depth > step:
            self._widen(self.most_entries)
        enough, tried = self.engine.best_goal[self.number] * 100, np.zeros(count, np.int64)
        while True:
            is_widest = len(self.pool.table) == self.most_entries
            pause = NO_LIMIT if is_widest else len(self.pool.table)
            roots = enough, count, counts, values, tried
            limits = most_nodes, pause, watch.stop
            done = deepen(
                self.engine.code(), self.pool, self.evaluation, self.number, depth, deepest, *roots, *limits
            )
            last = max(last, int(done))
            if counts[TROUBLE] == SEVERAL_CHOOSE:
                raise _several(self.engine, None)
            if is_widest or counts[TROUBLE] or not counts[WAS_CUT] or last >= deepest:
                return last
            self._widen(int(counts[NODES]) * 2)
            depth = last + step

    def _widen(self, entries: int) -> None:
        """Make the table larger; what it knows goes to its new place."""
        old, size = self.pool.table, len(self.pool.table)
        while size < min(entries, self.most_entries):
            size *= 2
        if size > len(old):
            table = np.zeros((size, 2), np.uint64)
            known = old[old[:, 0] != 0]
            table[known[:, 0] & np.uint64(size - 1)] = known
            self.pool = self.pool._replace(table=table)

    def _root(self, step: int | None) -> int:
        """Make the children of row 0 in rows 1, 2, ...; how many there are."""
        code, rows = self.engine.code(), self.pool.rows
        self.mover = int(mover_of(code, rows, 0))
        if self.mover == SEVERAL:
            raise _several(self.engine, step)
        if self.mover < 0:
            return 0
        return int(expand(code, rows, 0, self.mover, rows, 1, self.pool.moves))

    def _result(self, values: Floats, depth: int, counts: Ints, began: float) -> SearchResult:
        # before `_line`, which uses the same rows
        terms = [self.engine.terms[move] for move in self.pool.moves[1 : 1 + values.shape[1]].tolist()]
        told = zip(terms, values[VALUE].tolist(), values[IS_BOUND].tolist(), strict=True)
        known = [(term, value, bool(is_bound)) for term, value, is_bound in told if value != INCOMPLETE]
        found = {term: value for term, value, _ in known} if depth else {}
        number = _best(values)
        best = terms[number]
        is_proven = depth > 0 and not counts[WAS_CUT]
        caveat = NOT_PROVEN if self.evaluation.is_goal_only and not is_proven else ""
        return SearchResult(
            "solver",
            self.role,
            best,
            found.get(best, 0.0),
            found,
            at_most=frozenset(term for term, _, is_bound in known if is_bound),
            line=self._line(
                int(self.pool.moves[1 + number]), depth, values[VALUE][number] if is_proven else None
            ),
            depth=depth,
            nodes=int(counts[NODES]),
            seconds=time.perf_counter() - began,
            is_proven=is_proven,
            notes=caveat if depth else NOT_SEARCHED,
        )

    def _line(self, first: int, depth: int, proven: float | None) -> tuple[Term, ...]:
        """The moves that the table has for the states on the way, from row 0 on, as far as they keep what is proven."""
        line = np.empty(max(1, min(depth, LONGEST_LINE)), np.int64)
        told = INCOMPLETE if proven is None else float(proven)
        length = follow_table(self.engine.code(), self.pool, first, line, told)
        return tuple(self.engine.terms[move] for move in [*line[:length].tolist(), *self._rest(proven)])

    def _rest(self, proven: float | None) -> list[int]:
        """The last two moves of a line, which no table has: those states are searched together."""
        line: list[int] = []
        rows, is_over = self.pool.rows, self.engine.is_over
        while len(line) < 2 and not is_over(rows[0]):
            count = self._root(None)
            if count == 0 or self.mover != self.number:
                break
            values, counts = np.zeros((ROOT_VALUES, count)), np.zeros(SOLVER_COUNTS, np.int64)
            self._deepen(count, (2, 2), counts, values, NO_LIMIT, Stopwatch(None))
            best = 1 + _best(values)
            if proven is not None and (counts[WAS_CUT] or values[VALUE][best - 1] != proven):
                break
            line.append(int(self.pool.moves[best]))
            rows[0] = rows[best]
        return line


def _workspace(engine: Engine) -> Pool:
    """A pool without a memory: what it holds is of no use after a search, so all solvers of an engine take turns."""
    rows = min(MOST_ROWS, max(4_096, POOL_BYTES // (8 * engine.row_words)))
    if engine.pool is None:
        engine.pool = Pool(
            np.empty((rows, engine.row_words), np.uint64),
            np.zeros(rows, np.int64),
            np.zeros(rows),
            np.zeros(rows, np.int64),
            np.zeros(rows, np.int64),
            np.zeros((MOST_PLIES, len(FRAME)), np.int64),
            np.zeros((MOST_PLIES, len(STACK))),
            table=np.zeros((0, 2), np.uint64),
            history=np.zeros(0, np.int64),
        )
    return engine.pool


def _best(values: Floats) -> int:
    """The number of the best child: of those with the best value the first that has it for sure."""
    return int(np.lexsort((values[IS_BOUND], -values[VALUE]))[0])


def _several(engine: Engine, step: int | None) -> Unsuitable:
    return Unsuitable(several_at_once("solver", engine.game.name, step))


def search(
    state: State,
    role: str,
    budget: Budget,
    seed: int = 0,
    depth: int | None = None,
    at_once: bool = False,
    threads: int | None = None,
    memory: int | None = None,
) -> SearchResult:
    """The best move, with a table of its own. There is no chance in it: the seed changes nothing.

    `threads`, `memory`: prove it, with so many threads and a table of so many millions of bytes; see `prove`.
    """
    del seed
    if (threads is None and memory is None) or depth is not None:
        return solve(state, role, budget, depth, at_once)
    one = 1 if threads is None else threads
    return prove(state, role, budget, MEMORY if memory is None else memory, one)


def solve(
    state: State, role: str, budget: Budget, depth: int | None = None, at_once: bool = False
) -> SearchResult:
    """One search with a table of its own. Gets ready before the budget begins to be spent."""
    return Solver(engine_of(_ready(state)), role).search(state, budget, depth, at_once)


def _ready(state: State) -> CompiledGame:
    """The game of a state, when all is made that it takes; Unsuitable where it cannot be searched."""
    game = native_game(state.game)
    if game is None:
        raise Unsuitable(refusal_of_solver(state))
    get_ready(game, "solver")
    return game


def prove(
    state: State,
    role: str,
    budget: Budget,
    memory: int = MEMORY,
    threads: int = 1,
    on_progress: TellProgress | None = None,
) -> SearchResult:
    """What a state is worth to a role for certain, and a move that gets it: see prover.py.

    Where that is not found out in nine tenths of the budget, or play can come back to a state, deepening has the rest.
    """
    game = _ready(state)
    prover = Prover(game, role, memory, threads)
    engine_of(game).wait(PATIENCE)
    began = time.perf_counter()
    proof = prover.prove(state, _most_of(budget), on_progress)
    if proof.is_done:
        return _proven(prover, state, role, proof)
    left = budget.since(began)
    if left.nodes is not None:
        left = replace(left, nodes=max(0, left.nodes - proof.nodes))
    found = Solver(engine_of(game), role).search(state, left)
    found = replace(found, nodes=found.nodes + proof.nodes, seconds=time.perf_counter() - began)
    is_told = found.is_open and (proof.lower, proof.upper) != (prover.values()[0], prover.values()[-1])
    return found.noted(f"proven so far: worth {proof.lower} to {proof.upper}") if is_told else found


def _most_of(budget: Budget) -> Budget:
    """Nine tenths of a budget."""
    seconds = None if budget.seconds is None else 0.9 * budget.seconds
    return replace(budget, seconds=seconds, nodes=None if budget.nodes is None else budget.nodes * 9 // 10)


def _proven(prover: Prover, state: State, role: str, proof: ProvenBounds) -> SearchResult:
    """A proof as a result: other moves are worth no more."""
    legal = () if state.is_terminal else state.legal_moves(role)
    move = legal[0] if legal else None
    line = prover.line(state, replace(proof))
    if proof.is_own_turn and line:
        move = line[0]
    others = [term for term in legal if term != move] if _is_most(prover, proof) else []
    value = float(proof.lower)
    return SearchResult(
        "solver",
        role,
        move,
        value,
        {} if move is None else {move: value, **dict.fromkeys(others, value)},
        at_most=frozenset(others),
        line=line,
        depth=len(line),
        nodes=proof.nodes,
        seconds=proof.seconds,
        is_proven=True,
    )


def _is_most(prover: Prover, proof: ProvenBounds) -> bool:
    """Whether it was found that no move is worth more: nobody asks where there is no more."""
    return proof.is_own_turn and proof.upper < prover.values()[-1]
