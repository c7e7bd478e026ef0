"""Proofs: what a state is worth to a role, searched to the ends of the game by all cores; nothing is estimated.

One question at a time: is it worth so much? Each goal of the role is a question, and few are needed (a window of no
width, Pearl 1980; the questions by halving). All children of all children are made by one run of the game's code, so
that at every state it is known at once which moves win, which lose to the next move and must not be made, and
whether any is left.
What the table knows of any child is asked before any is searched (Schaeffer & Plaat 1996). States that are the same but
for a symmetry of the rules have one place in the table. Children with the most threats come first (facts that would
complete a pattern of a win, see `patterns.py`), then those made by facts of many patterns that leave few moves, then
those made by facts that have settled states before.

Threads share the table, and nothing else: each searches the same state, leaves children to others that are at them, and
whoever is done first is right. A value is put into the table only when all that it rests on is known, so it does not
depend on the way on which it was found, as long as play never comes back to a state; where it does, that is noticed,
and there is no proof (`REPEATED`): iterative deepening may still find one.

The table knows a state by a hash of 64 bits (`naming.py`): two states with the same would be taken for one. That is
very unlikely, not impossible; a proof that is written down (`solving/proofs.py`) does not rest on it.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from gamemaster.errors import ParameterError, Unsuitable
from gamemaster.language.terms import Term
from gamemaster.machine.compiled import CompiledGame
from gamemaster.machine.game import State
from gamemaster.search.budget import Budget
from gamemaster.search.native.engine import LEAST_SECONDS, NO_LIMIT, Engine
from gamemaster.search.native.kernels.intrinsics import GROUPS
from gamemaster.search.native.kernels.proving import UNKNOWN, prove_target
from gamemaster.search.native.kernels.records import STOPPED, Ints, Words
from gamemaster.search.native.kernels.rows import NOBODY, SEVERAL, mover_of
from gamemaster.search.native.kernels.shared import BUCKET_WORDS
from gamemaster.search.native.kernels.workbench import (
    ENTERED,
    LOOKED_AT,
    PROOF_COUNTS,
    PROOF_FRAME,
    PROOF_MOVE,
    PROOF_TROUBLE,
    Workbench,
)
from gamemaster.search.native.patterns import Patterns, patterns_of, uses_of_facts
from gamemaster.search.native.symmetries import fact_symmetries
from gamemaster.search.suitable import several_at_once

__all__ = ["MEMORY", "AskedTarget", "ProvenBounds", "Prover", "TellProgress"]

MEMORY = 256
MILLION = 1_000_000
MOST_PLIES = 512
MOST_ROWS = 1 << 15
PATH_SIZE = 1 << 12
BUSY_SIZE = 1 << 14
LINE_NODES = 100_000
LONGEST_LINE = 200
MOBILITY, USES = 10, 30
"""By so many bits a move left to others counts more than one success of a fact; by so many, where there are patterns,
that and each pattern of the fact. Connect four 6x5 takes 1.4 million states with 30 bits, 7.3 with 4; an endgame of
othello up to fifty times fewer with 10 bits than with 4."""

FIRST_PAUSE = 20_000_000
"""After so many states, and each time twice as many, a thread looks whether the game's code is better than before."""


class AskedTarget(NamedTuple):
    """Whether a state is worth so much, the answer, and what that took."""

    target: int
    is_so: bool
    nodes: int
    seconds: float


@dataclass
class ProvenBounds:
    """What is known of a state: worth at least and at most so much, by a move where somebody chooses."""

    lower: int
    upper: int
    move: int = -1
    is_own_turn: bool = True
    trouble: int = 0
    nodes: int = 0
    states: int = 0  # that were looked at, leaves too
    seconds: float = 0.0
    questions: list[AskedTarget] = field(default_factory=list)

    @property
    def is_done(self) -> bool:
        """Whether the value is known."""
        return self.lower == self.upper


TellProgress = Callable[[ProvenBounds], None]


class Prover:
    """Proves states of one game for one role; the table is kept from proof to proof.

    `memory`: that of the table, in millions of bytes.
    """

    def __init__(self, game: CompiledGame, role: str, memory: int = MEMORY, threads: int = 1) -> None:
        self.game = game
        self.table = _table(memory)
        self.engines = [Engine(game) for _ in range(_checked(threads, "threads"))]
        self.number = self.engines[0].role_number(role)
        self.symmetries = fact_symmetries(game)
        self.counts = [np.zeros(PROOF_COUNTS, np.int64) for _ in self.engines]
        numbers = _random_numbers(self.symmetries)
        busy = np.zeros(BUSY_SIZE if threads > 1 else 0, np.uint64)
        patterns = patterns_of(game)
        self.uses = np.diff(patterns.starts) << USES if len(patterns) else uses_of_facts(game)
        history = self.uses.copy()
        shared = numbers, self.table, busy, history
        self.benches = [_bench(engine, patterns, *shared) for engine in self.engines]

    def forget(self) -> None:
        """Begin anew, as if nothing had been proven."""
        self.table[:] = 0
        self.benches[0].history[:] = self.uses

    @property
    def nodes(self) -> int:
        """How many states were entered so far, by all threads."""
        return sum(int(counts[ENTERED]) for counts in self.counts)

    def values(self) -> list[int]:
        """What the role can get, the least first."""
        engine = self.engines[0]
        start, end = engine.goal_start[self.number], engine.goal_start[self.number + 1]
        return sorted({0, *map(int, engine.goal_value[start:end])})

    def prove(self, state: State, budget: Budget, on_progress: TellProgress | None = None) -> ProvenBounds:
        """The value of a state, or what is known of it when the budget is spent.

        Unsuitable where several roles choose at once in the state. `on_progress` is told once a second.
        """
        began = time.perf_counter()
        values = self.values()
        proof = ProvenBounds(values[0], values[-1])
        if not self._begin(state, proof):
            return proof
        while not proof.is_done and not proof.trouble:
            low, high = values.index(proof.lower), values.index(proof.upper)
            upwards = 1 if proof.is_own_turn and high - low > 1 else 0
            self._ask(values[(low + high + 1 + upwards) // 2], proof, budget.since(began), on_progress)
            proof.seconds = time.perf_counter() - began
        return proof

    def _begin(self, state: State, proof: ProvenBounds) -> bool:
        """Have all threads begin at a state; False where it needs no search."""
        for engine, bench, counts in zip(self.engines, self.benches, self.counts, strict=True):
            bench.rows[0] = engine.row_of(state)
            counts[:] = 0
        code, rows = self.engines[0].code(), self.benches[0].rows
        mover = NOBODY if state.is_terminal else int(mover_of(code, rows, 0))
        if mover == SEVERAL:
            raise Unsuitable(several_at_once("solver", self.game.name, state.step))
        if mover == NOBODY:
            goal = state.goal(self.game.roles[self.number]) if state.is_terminal else None
            proof.lower = proof.upper = goal or 0
        proof.is_own_turn = mover == self.number
        return mover != NOBODY

    def _ask(
        self, target: int, proof: ProvenBounds, budget: Budget, on_progress: TellProgress | None
    ) -> None:
        """Whether the state is worth so much: narrow what is known of it."""
        began, before = time.perf_counter(), self.nodes
        value, number = _Asking(self, target, budget, proof, on_progress).answer()
        proof.nodes, proof.states = self.nodes, sum(int(counts[LOOKED_AT]) for counts in self.counts)
        if value == UNKNOWN:
            proof.trouble = int(self.counts[number][PROOF_TROUBLE])
            return
        is_so = value >= target
        if is_so:
            proof.lower = value
        else:
            proof.upper = value
        if proof.move < 0 or is_so == proof.is_own_turn:  # whoever moves can have it so
            proof.move = int(self.counts[number][PROOF_MOVE])
        proof.questions.append(AskedTarget(target, is_so, proof.nodes - before, time.perf_counter() - began))

    def line(self, state: State, proof: ProvenBounds, most_nodes: int = LINE_NODES) -> tuple[Term, ...]:
        """Moves that keep what is proven, as far as the table makes it easy to find them."""
        line: list[Term] = []
        term = self.engines[0].terms
        while proof.is_done and proof.move >= 0 and len(line) < LONGEST_LINE:
            line.append(term[proof.move])
            state = Engine.follow(state, term[proof.move])
            proof = self.prove(state, Budget(nodes=most_nodes))
        return tuple(line)


class _Asking:
    """All threads at one question; whoever is done first ends it."""

    def __init__(
        self,
        prover: Prover,
        target: int,
        budget: Budget,
        proof: ProvenBounds,
        on_progress: TellProgress | None,
    ) -> None:
        self.prover = prover
        self.target = target
        self.proof = proof
        self.on_progress = on_progress
        self.stop = np.zeros(1, np.int64)
        self.is_done = threading.Event()
        self.most = NO_LIMIT if budget.nodes is None else budget.nodes // len(prover.engines)
        seconds = budget.seconds
        self.deadline = None if seconds is None else time.perf_counter() + max(LEAST_SECONDS, seconds)

    def answer(self) -> tuple[int, int]:
        """What the first thread that is done has found, and which it was."""
        numbers = range(len(self.prover.engines))
        with ThreadPoolExecutor(len(numbers), "gamemaster proof") as pool:
            running = [pool.submit(self._work, number) for number in numbers]
            try:
                self._watch()
            finally:
                self.stop[0] = 1
            found = [(thread.result(), number) for number, thread in enumerate(running)]
        return max(found, key=lambda each: (each[0] != UNKNOWN, self._trouble(each[1]) != STOPPED))

    def _trouble(self, number: int) -> int:
        return int(self.prover.counts[number][PROOF_TROUBLE])

    def _watch(self) -> None:
        """Wait until a thread is done, or time is up."""
        told = time.perf_counter()
        while not self.is_done.wait(self._patience()):
            now = time.perf_counter()
            if self.deadline is not None and now >= self.deadline:
                return
            if self.on_progress is not None and now - told >= 1.0:
                told = now
                self.proof.nodes = self.prover.nodes
                self.on_progress(self.proof)

    def _patience(self) -> float:
        """How long to wait before looking again."""
        return 1.0 if self.deadline is None else min(1.0, max(0.001, self.deadline - time.perf_counter()))

    def _work(self, number: int) -> int:
        """What a thread has found. Whatever happens to it, the others need not go on."""
        try:
            return self._search(number)
        finally:
            self.is_done.set()

    def _search(self, number: int) -> int:
        """Search in a thread; now and then begin anew with what the table knows, as there may be better code."""
        prover = self.prover
        engine, bench, counts = prover.engines[number], prover.benches[number], prover.counts[number]
        pause = FIRST_PAUSE
        while True:
            counts[PROOF_TROUBLE] = 0
            most = min(self.most, int(counts[ENTERED]) + pause)
            question = prover.number, self.target, counts, most, self.stop
            value = int(prove_target(engine.code(), bench, *question))
            is_paused = counts[PROOF_TROUBLE] == STOPPED and not self.stop[0] and most < self.most
            if value != UNKNOWN or not is_paused:
                return value
            pause *= 2


def _checked(number: int, name: str) -> int:
    """A number of threads or of millions of bytes; ParameterError where it is too small."""
    if number < 1:
        raise ParameterError(f"{name} of solver: {number} is not a whole number from 1 on")
    return number


def _table(memory: int) -> Words:
    """A table of so many millions of bytes; ParameterError where the machine has no more than that."""
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    if _checked(memory, "memory") * MILLION > pages:
        raise ParameterError(
            f"memory of solver: {memory:,} MB is more than this machine has, {pages // MILLION:,} MB"
        )
    return _aligned(memory * MILLION // 8)


def _aligned(words: int) -> Words:
    """Zeros that begin with a line of the cache, whole buckets."""
    raw = np.zeros(words // BUCKET_WORDS * BUCKET_WORDS + BUCKET_WORDS, np.uint64)
    skip = (-raw.ctypes.data % 64) // 8
    return raw[skip : skip + len(raw) - BUCKET_WORDS]


def _random_numbers(symmetries: Ints) -> Words:
    """Two numbers for each fact and symmetry: those of the fact to which it goes."""
    generator = np.random.default_rng(7)
    own = generator.integers(0, 1 << 64, (symmetries.shape[1], 2), np.uint64)
    return np.ascontiguousarray(np.concatenate([own[image] for image in symmetries], axis=1))


def _bench(
    engine: Engine, patterns: Patterns, numbers: Words, table: Words, busy: Words, history: Ints
) -> Workbench:
    """A bench for a thread."""
    width = engine.row_words * 64 * int(GROUPS)
    rows = MOST_ROWS
    return Workbench(
        rows=np.zeros((rows, engine.row_words), np.uint64),
        moves=np.zeros(rows, np.int64),
        chooser=np.zeros(rows, np.int64),
        hashes=np.zeros((rows, numbers.shape[1]), np.uint64),
        names=np.zeros((rows, 2), np.uint64),
        lanes=np.zeros((rows, 2), np.int64),
        mobile=np.zeros(rows, np.int64),
        appeal=np.zeros(rows, np.int64),
        order=np.zeros(rows, np.int64),
        frames=np.zeros((MOST_PLIES, len(PROOF_FRAME)), np.int64),
        saved=np.zeros((MOST_PLIES, width), np.uint64),
        inputs=np.zeros((2, -(-engine.places.outputs // 64)), np.uint64),
        block=np.zeros(64, np.uint8),
        on_path=np.zeros(PATH_SIZE, np.uint8),
        history=history,
        mobility=1 << (USES if len(patterns) else MOBILITY),
        patterns=patterns.masks,
        pattern_start=patterns.starts,
        pattern_of=patterns.members,
        in_the_way=patterns.in_the_way,
        threats=np.zeros((rows if len(patterns) else 0, engine.state_words), np.uint64),
        numbers=numbers,
        table=table,
        busy=busy,
    )
