"""Alpha-beta in machine code that plays by what was learnt, as far as it looks.

Iterative deepening with a principal variation search (Marsland & Campbell 1982): the first move of a state gets the
whole window, the others only have to show that they are not better. Moves are tried in the order of what the judgement
says of their states, which is known anyway as all children of a state are made in one go; the best move of the table,
killers and history come first. Late moves are looked at less deeply, and closer if they seem better after all. Ends of
the game are certain and outside the range of guesses, the nearest win and the farthest loss first.

Needs a compiled game of two roles that are against each other, in which one chooses at a time, without chance.
"""

from __future__ import annotations

import math
import time

import numpy as np

from gamemaster.errors import Unsuitable
from gamemaster.language.terms import Term
from gamemaster.machine.game import State
from gamemaster.search.budget import Budget
from gamemaster.search.native.engine import NO_LIMIT, Engine, Stopwatch
from gamemaster.search.native.judgement import Judgement, width_of
from gamemaster.search.native.kernels.deliberation import (
    AGES,
    BEST_ROW,
    DESK_COUNTS,
    DONE,
    FRAME_SIZE,
    LOOKED,
    MOST_DEPTH,
    MOST_LOOKS,
    MOST_MOVE,
    SALT,
    WRONG,
    JudgingDesk,
    deliberate,
    recall_line,
)
from gamemaster.search.native.kernels.judgement import LOGIT, SURE
from gamemaster.search.native.kernels.records import SEVERAL_CHOOSE
from gamemaster.search.native.kernels.rows import SEVERAL, mover_of
from gamemaster.search.result import NOT_SEARCHED, SearchResult
from gamemaster.search.suitable import several_at_once

__all__ = ["Judging", "new_desk"]

MOST_ROWS, MOST_PLIES = 1 << 15, 120
TABLE_BITS = 21
"""32 MB."""

LONGEST_LINE = 30


class Judging:
    """Searches states of one game; the table is kept from search to search."""

    def __init__(self, engine: Engine, judgement: Judgement, table_bits: int = TABLE_BITS) -> None:
        if len(engine.terms) > MOST_MOVE:
            raise Unsuitable(
                f"{engine.game.name} has {len(engine.terms)} moves, more than the table can name"
            )
        self.engine = engine
        self.judgement = judgement
        self.desk = new_desk(engine, table_bits, width_of(judgement.net))

    def forget(self) -> None:
        """Begin anew."""
        for array in (self.desk.table, self.desk.history, self.desk.counts):
            array[:] = 0
        self.desk.killers[:] = -1

    def search(self, state: State, role: str, budget: Budget, depth: int | None = None) -> SearchResult:
        """The best move of a state, until the budget is spent, or to a depth."""
        began = time.perf_counter()
        engine, desk, net = self.engine, self.desk, self.judgement.net
        legal = state.legal_moves(role)
        desk.rows[0] = engine.row_of(state)
        mover = -1 if state.is_terminal else int(mover_of(engine.code(), desk.rows, 0))
        if mover == SEVERAL:
            raise Unsuitable(several_at_once("judging", engine.game.name, state.step))
        if mover != engine.role_number(role):
            return SearchResult("judging", role, legal[0] if legal else None, 0.0)
        self._grow_older()
        counts = desk.counts
        counts[MOST_LOOKS] = NO_LIMIT if budget.nodes is None else budget.nodes
        with Stopwatch(budget.seconds) as watch:
            value = int(
                deliberate(
                    engine.code(), desk, net, mover, 1, min(depth or MOST_DEPTH, MOST_DEPTH), watch.stop
                )
            )
        if counts[WRONG] == SEVERAL_CHOOSE:
            raise Unsuitable(several_at_once("judging", engine.game.name, None))
        if counts[BEST_ROW] < 0:
            return SearchResult("judging", role, legal[0], 0.0, notes=NOT_SEARCHED)
        return self._result(state, role, value, time.perf_counter() - began)

    def _grow_older(self) -> None:
        """What the table has is older than what it will be told."""
        age = (self.desk.counts[SALT] + 1) & (AGES - 1)
        self.desk.counts[SALT] = (self.desk.counts[SALT] & ~(AGES - 1)) | age

    def _result(self, state: State, role: str, score: int, seconds: float) -> SearchResult:
        desk, counts = self.desk, self.desk.counts
        best = int(counts[BEST_ROW])
        move = self.engine.terms[int(desk.moves[best])]
        looked, done = int(counts[LOOKED]), int(counts[DONE])
        value = self._value(score, role)
        glances = self._glances(state, role)  # of the rows that remembering the line needs
        line = np.empty(LONGEST_LINE, np.int64)
        desk.rows[0] = self.engine.row_of(state)
        length = int(recall_line(self.engine.code(), desk, line[: min(LONGEST_LINE, max(1, done))]))
        terms = tuple(self.engine.terms[number] for number in line[:length].tolist())
        return SearchResult(
            "judging",
            role,
            move,
            value,
            dict.fromkeys(glances, value) if done else {move: value},
            line=terms if terms[:1] == (move,) else (move,),
            depth=done,
            nodes=looked,
            seconds=seconds,
            is_proven=abs(score) > SURE,
            at_most=frozenset(glances) - {move} if done else frozenset(),
            glance=self.judgement.value(self.engine, state, role),
            glances=glances,
        )

    def _glances(self, state: State, role: str) -> dict[Term, float]:
        """What the state looks to be worth to its mover after each move: the children of the root are still there."""
        children = range(1, 1 + len(state.legal_moves(role)))
        moves, worth = self.desk.moves, self.desk.worth
        return {
            self.engine.terms[int(moves[child])]: self._value(int(worth[child]), role) for child in children
        }

    def _value(self, score: int, role: str) -> float:
        """A score as what its mover can expect, 0 to 100."""
        number = self.engine.role_number(role)
        start, end = self.engine.goal_start[number], self.engine.goal_start[number + 1]
        goals = self.engine.goal_value[start:end]
        share = float(score > 0) if abs(score) > SURE else 1.0 / (1.0 + math.exp(-score / LOGIT))
        return float(goals.min() + share * (goals.max() - goals.min()))


def new_desk(engine: Engine, table_bits: int, width: int) -> JudgingDesk:
    """What a search works in."""
    rows = MOST_ROWS
    words = engine.row_words
    return JudgingDesk(
        np.zeros((rows, words), np.uint64),
        np.zeros(rows, np.int64),
        np.zeros(rows, np.int64),
        np.zeros(rows, np.int64),
        np.zeros(rows, np.int64),
        np.zeros((MOST_PLIES, width), np.float32),
        np.full((MOST_PLIES, 2), -1, np.int64),
        np.zeros(max(1, len(engine.terms)), np.int64),
        np.zeros((1 << table_bits, 2), np.uint64),
        np.zeros((MOST_PLIES, FRAME_SIZE), np.int64),
        np.zeros(DESK_COUNTS, np.int64),
    )
