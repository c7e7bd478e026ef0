"""Proof numbers in machine code: can a role get so much, whatever the others do? Yes, no, or not known yet.

Depth-first proof-number search (Nagai 2002) asks one question: can the role get a goal of at least so much? Every
position is an OR where the role chooses and an AND where another does, and has two numbers: how many positions must be
won at least before it is proved, and lost before it is disproved. The search goes where the fewest are left, and comes
back when others have become easier; a table keeps the numbers, and what was more work stays in it longer. All children
of a position are made by one evaluation of the game's code.

The value of a state is found by questions about goals: of 0, 50 and 100 first whether 100 can be had, then 50.

Play that comes back to a position on its own way has not got there: for the role that is as bad as a loss. So a proof
never rests on it, and holds however a position was reached. A disproof that rests on it holds on this way only, until
all positions that it comes back to are disproved as well (the graph-history problem); before, the table does not have
it. Rules say nothing of play without end; so a value that rests on it (`ProofAnswer.is_endless`) is not called proven.

Needs what `solver` needs, and takes the others to be against the role, too. Better than alpha-beta where some moves
leave the other few replies, and a win is all that counts; it knows nothing before a question is answered.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Literal

import numpy as np

from gamemaster.errors import LimitExceeded, ParameterError, Unsuitable
from gamemaster.language.terms import Term
from gamemaster.machine.game import State
from gamemaster.search.budget import Budget
from gamemaster.search.native.engine import NO_LIMIT, Engine, Stopwatch, engine_of
from gamemaster.search.native.kernels.dfpn import (
    DISPROOF,
    ENDLESS,
    NUMBERS,
    PROOF,
    PROOF_COUNTS,
    PROOF_FRAME,
    PROOF_NODES,
    PROOF_TROUBLE,
    RESTS,
    UNTIL_THE_END,
    ProofPool,
    end_of,
    open_root,
    prove,
)
from gamemaster.search.native.kernels.records import SEVERAL_CHOOSE, Ints, Words
from gamemaster.search.native.warming import get_ready
from gamemaster.search.result import NOT_SEARCHED, SearchResult
from gamemaster.search.suitable import native_game, refusal_of_solver

__all__ = ["MEMORY", "Children", "ProofAnswer", "ProofNumberSearch", "prover_of", "search"]

MEMORY = 64
"""Megabytes of the table, where nothing else is said."""

MOST_MEMORY = 1 << 20
ENTRY_BYTES = 16
MOST_PLIES = 4_096
POOL_BYTES = 64 << 20
MOST_ROWS = 1 << 18

Verdict = Literal["proved", "disproved", "unknown"]


@dataclass(frozen=True, slots=True)
class ProofAnswer:
    """Whether a role can get a goal; `is_endless`: it cannot, as play goes round, and not only by ends of the game."""

    verdict: Verdict
    nodes: int
    seconds: float
    is_endless: bool = False

    def __str__(self) -> str:
        how = " by play without end" if self.is_endless else ""
        return f"{self.verdict}{how} ({self.nodes:,} nodes, {self.seconds:.2f} s)"


class ProofNumberSearch:
    """Asks whether a role can get a goal; the table is kept from question to question."""

    def __init__(self, engine: Engine, role: str, memory: int = MEMORY) -> None:
        self.engine = engine
        self.role = role
        self.number = engine.role_number(role)
        self.pool = _workspace(engine, memory)

    @property
    def goals(self) -> list[float]:
        """What the role can get beside nothing, the lowest first."""
        first, end = self.engine.goal_start[self.number : self.number + 2]
        return sorted({0.0, *self.engine.goal_value[first:end].tolist()})[1:]

    def ask(self, state: State, goal: float, budget: Budget) -> ProofAnswer:
        """Whether the role can get a goal of at least so much from a state on."""
        return self.ask_row(self.engine.row_of(state), goal, budget)

    def ask_row(self, row: Words, goal: float, budget: Budget) -> ProofAnswer:
        """The same of a state as a row."""
        with Stopwatch(budget.seconds) as watch:
            return self.ask_until(row, goal, budget.nodes, watch)

    def ask_until(self, row: Words, goal: float, nodes: int | None, watch: Stopwatch) -> ProofAnswer:
        """The same, with a watch that may serve several questions."""
        began = time.perf_counter()
        self.pool.rows[0] = row
        end = self.end(row)
        if goal <= 0 or end is not None:
            return ProofAnswer("proved" if goal <= 0 or (end or 0) >= goal else "disproved", 0, 0.0)
        counts, most = np.zeros(PROOF_COUNTS, np.int64), NO_LIMIT if nodes is None else nodes
        question = self.number, float(goal), _salt(self.number, goal)
        prove(self.engine.code(), self.pool, *question, counts, most, watch.stop)
        self._check(counts)
        return self._answer(counts, time.perf_counter() - began)

    def _answer(self, counts: Ints, seconds: float) -> ProofAnswer:
        proof, _, rests = self.pool.numbers[0].tolist()
        verdict: Verdict = "unknown"
        if not counts[PROOF_TROUBLE]:
            verdict = "proved" if proof == 0 else "disproved"
        is_endless = verdict == "disproved" and rests == ENDLESS
        return ProofAnswer(verdict, int(counts[PROOF_NODES]), seconds, is_endless)

    def _check(self, counts: Ints) -> None:
        if counts[PROOF_TROUBLE] == SEVERAL_CHOOSE:
            raise Unsuitable(
                f"dfpn: several roles of {self.engine.game.name} choose at once; decoupled can handle that"
            )

    def end(self, row: Words) -> float | None:
        """What the role gets where no step follows; None elsewhere."""
        self.pool.rows[0] = row
        worth = float(end_of(self.engine.code(), self.pool, self.number))
        return None if worth < 0 else worth

    def children(self, row: Words, goal: float) -> Children:
        """The children of a state, and which of them the table knows to be won, or are at a glance."""
        self.pool.rows[0] = row
        counts = np.zeros(PROOF_COUNTS, np.int64)
        question = self.number, float(goal), _salt(self.number, goal)
        count = int(open_root(self.engine.code(), self.pool, *question, counts))
        self._check(counts)
        return Children.of(self.pool, count)


@dataclass(frozen=True, slots=True)
class Children:
    """The children of a position: the moves that lead there, their rows, and their numbers: see kernels/dfpn.py."""

    moves: Ints
    rows: Words
    numbers: Ints
    is_mine: bool

    @classmethod
    def of(cls, pool: ProofPool, count: int) -> Children:
        """Those that stand in rows 1, 2, ..."""
        own = slice(1, 1 + count)
        is_mine = bool(pool.frames[0, PROOF_FRAME.index("is_mine")])
        return cls(pool.moves[own].copy(), pool.rows[own].copy(), pool.numbers[own].copy(), is_mine)


def _salt(role: int, goal: float) -> np.uint64:
    """A number of its own for each question."""
    return np.uint64(((role * 1_009 + int(goal) + 1) * 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF)


def _workspace(engine: Engine, memory: int) -> ProofPool:
    """Arrays to work in, with a table of so many megabytes at most: a power of two of entries."""
    if not 1 <= memory <= MOST_MEMORY:
        raise ParameterError(
            f"memory of dfpn: {memory} is not a number of megabytes from 1 to {MOST_MEMORY:,}"
        )
    entries = 1 << ((memory << 20) // ENTRY_BYTES).bit_length() - 1
    rows = min(MOST_ROWS, max(4_096, POOL_BYTES // (8 * engine.row_words)))
    try:
        return ProofPool(
            np.empty((rows, engine.row_words), np.uint64),
            np.zeros(rows, np.int64),
            np.zeros((rows, NUMBERS), np.int64),
            np.zeros((rows, 2), np.uint64),
            np.zeros((MOST_PLIES, len(PROOF_FRAME)), np.int64),
            np.zeros((2 * MOST_PLIES, 2), np.uint64),
            np.zeros((entries, 2), np.uint64),
        )
    except MemoryError:
        raise LimitExceeded("memory", f"{memory:,} MB", doing="making the table of proof numbers") from None


# The value of a state, by questions


class _Bounds:
    """What is known by now of the root and of its children: no less than one goal, no more than another."""

    def __init__(self, count: int, goals: list[float]) -> None:
        self.goals = [0.0, *goals]
        self.low, self.high = 0, len(goals)
        self.lows = np.zeros(count, np.int64)
        self.highs = np.full(count, len(goals), np.int64)
        self.is_endless = False

    @property
    def question(self) -> int:
        """The goal to ask for next: the middle one of those in question, the higher of two."""
        return (self.low + self.high + 2) // 2

    def note(self, answer: ProofAnswer, asked: int, children: Children) -> None:
        """What an answer says, of the root and of the children that it looked at."""
        if answer.verdict == "proved":
            self.low = asked
        elif answer.verdict == "disproved":
            self.high = asked - 1
            self.is_endless |= answer.is_endless
        is_lost = (children.numbers[:, DISPROOF] == 0) & (children.numbers[:, RESTS] == UNTIL_THE_END)
        self.highs[is_lost] = np.minimum(self.highs[is_lost], asked - 1)
        is_won = children.numbers[:, PROOF] == 0
        self.lows[is_won] = np.maximum(self.lows[is_won], asked)


def prover_of(state: State, role: str, memory: int = MEMORY) -> ProofNumberSearch:
    """A prover for the game of a state, after all is compiled that it takes; Unsuitable where it cannot be asked."""
    game = native_game(state.game)
    if game is None:
        raise Unsuitable(refusal_of_solver(state, "dfpn"))
    get_ready(game, "dfpn")
    return ProofNumberSearch(engine_of(game), role, memory)


def search(state: State, role: str, budget: Budget, seed: int = 0, memory: int = MEMORY) -> SearchResult:
    """The best move and its value, by questions; `memory`: megabytes for the table. The seed changes nothing."""
    del seed
    prover = prover_of(state, role, memory)
    began = time.perf_counter()
    row = prover.engine.row_of(state)
    end = prover.end(row)
    if end is not None:
        return SearchResult("dfpn", role, None, end, is_proven=True)
    children = prover.children(row, 0.0)
    bounds, nodes = _Bounds(len(children.moves), prover.goals), 0
    with Stopwatch(budget.seconds) as watch:
        while bounds.low < bounds.high:
            asked = bounds.question
            left = None if budget.nodes is None else budget.nodes - nodes
            answer = prover.ask_until(row, bounds.goals[asked], left, watch)
            nodes += answer.nodes
            if answer.nodes:
                children = Children.of(prover.pool, len(children.moves))
                bounds.note(answer, asked, children)
            if answer.verdict == "unknown":
                break
    return _result(prover, state, bounds, children, nodes, time.perf_counter() - began)


def _result(
    prover: ProofNumberSearch, state: State, bounds: _Bounds, children: Children, nodes: int, seconds: float
) -> SearchResult:
    """What the questions have come to."""
    is_proven = bounds.low == bounds.high and not bounds.is_endless
    legal = state.legal_moves(prover.role)
    move, values, at_most = legal[0] if legal else None, dict[Term, float](), frozenset[Term]()
    if children.is_mine:
        terms = [prover.engine.terms[number] for number in children.moves.tolist()]
        move = terms[_best(bounds, children)]
        values, at_most = _told(terms, bounds, is_proven)
    is_searched = is_proven or bounds.low > 0 or nodes > len(children.moves)
    return SearchResult(
        "dfpn",
        prover.role,
        move,
        bounds.goals[bounds.low],
        values,
        at_most=at_most,
        line=(move,) if move in values else (),
        nodes=nodes,
        seconds=seconds,
        is_proven=is_proven,
        notes="" if is_searched else NOT_SEARCHED,
    )


def _best(bounds: _Bounds, children: Children) -> int:
    """The number of the best child: sure of most, then able to get most, then closest to a proof."""
    return int(np.lexsort((children.numbers[:, PROOF], -bounds.highs, -bounds.lows))[0])


def _told(terms: list[Term], bounds: _Bounds, is_proven: bool) -> tuple[dict[Term, float], frozenset[Term]]:
    """What moves are worth, or worth at most, where that is known."""
    most = bounds.high if is_proven else len(bounds.goals) - 1
    highs = np.minimum(bounds.highs, most)
    known = [(highs[i] < len(bounds.goals) - 1) or bounds.lows[i] == highs[i] for i in range(len(terms))]
    values = {term: bounds.goals[highs[i]] for i, term in enumerate(terms) if known[i]}
    at_most = (term for i, term in enumerate(terms) if known[i] and bounds.lows[i] < highs[i])
    return values, frozenset(at_most)
