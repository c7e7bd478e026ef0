"""Proofs: what a state is worth to a role, searched to the ends of the game by all cores; nothing is estimated.

One question at a time: is it worth so much? Each goal of the role is a question, and few are needed (a window of no
width, Pearl 1980; the questions by halving). All children of all children are made by one run of the game's code, so
that at every state it is known at once which moves win, which lose to the next move and must not be made, and
whether any is left.
What the table knows of any child is asked before any is searched (Schaeffer & Plaat 1996). States that are the same but
for a symmetry of the rules have one place in the table. Children that leave few moves come first, and those made by
moves whose facts have settled states before.

Threads share the table, and nothing else: each searches the same state, leaves children to others that are at them, and
whoever is done first is right. A value is put into the table only when all that it rests on is known, so it does not
depend on the way on which it was found, as long as play never comes back to a state; where it does, that is noticed,
and there is no proof (`REPEATED`): iterative deepening may still find one.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from gamemaster.machine.compiled import CompiledGame
from gamemaster.machine.game import State
from gamemaster.search.budget import Budget
from gamemaster.search.native.engine import NO_LIMIT, Engine
from gamemaster.search.native.kernels.desk import (
    ENTERED,
    LOOKED_AT,
    PROOF_COUNTS,
    PROOF_FRAME,
    PROOF_MOVE,
    PROOF_TROUBLE,
    Desk,
)
from gamemaster.search.native.kernels.intrinsics import GROUPS
from gamemaster.search.native.kernels.proving import UNKNOWN, prove_target
from gamemaster.search.native.kernels.records import STOPPED, Ints, Words
from gamemaster.search.native.kernels.shared import BUCKET_WORDS
from gamemaster.search.native.symmetries import fact_symmetries, uses_of_facts

__all__ = ["LEAST_MEMORY", "Proof", "Prover"]

MOST_PLIES = 512
MOST_ROWS = 1 << 15
PATH_SIZE = 1 << 12
BUSY_SIZE = 1 << 14
LEAST_MEMORY = 1
FIRST_WAIT = 600.0


@dataclass
class Proof:
    """What is known of a state: worth at least and at most so much, by a move where somebody chooses."""

    lower: int
    upper: int
    move: int = -1
    trouble: int = 0
    nodes: int = 0
    states: int = 0  # that were looked at, leaves too
    seconds: float = 0.0
    questions: list[tuple[int, bool, int, float]] = field(
        default_factory=list
    )  # target, answer, nodes, seconds

    @property
    def is_done(self) -> bool:
        """Whether the value is known."""
        return self.lower == self.upper


class Prover:
    """Proves states of one game for one role; the table is kept from proof to proof."""

    def __init__(self, game: CompiledGame, role: str, memory: int = 256, threads: int = 1) -> None:
        self.game = game
        self.engines = [Engine(game) for _ in range(threads)]
        self.number = self.engines[0].role_number(role)
        self.table = _aligned(max(LEAST_MEMORY, memory) * 1_000_000 // 8)
        self.symmetries = fact_symmetries(game)
        self.counts = [np.zeros(PROOF_COUNTS, np.int64) for _ in self.engines]
        numbers = _random_numbers(self.symmetries)
        busy = np.zeros(BUSY_SIZE if threads > 1 else 0, np.uint64)
        uses = uses_of_facts(game)
        self.desks = [_desk(engine, numbers, self.table, busy, uses) for engine in self.engines]

    @property
    def nodes(self) -> int:
        """How many states were entered so far, by all threads."""
        return sum(int(counts[ENTERED]) for counts in self.counts)

    def values(self) -> list[int]:
        """What the role can get, the least first."""
        engine = self.engines[0]
        start, end = engine.goal_start[self.number], engine.goal_start[self.number + 1]
        return sorted({0, *map(int, engine.goal_value[start:end])})

    def prove(
        self, state: State, budget: Budget, on_progress: Callable[[Proof], None] | None = None
    ) -> Proof:
        """The value of a state, or what is known of it when the budget is spent."""
        began = time.perf_counter()
        for engine, desk, counts in zip(self.engines, self.desks, self.counts, strict=True):
            engine.wait(FIRST_WAIT)
            desk.rows[0] = engine.row_of(state)
            counts[:] = 0
        values = self.values()
        proof = Proof(values[0], values[-1])
        is_own_turn = state.chooser in (None, self.game.roles[self.number])
        while not proof.is_done and not proof.trouble:
            low, high = values.index(proof.lower), values.index(proof.upper)
            target = values[(low + high + 1 + (is_own_turn and high - low > 1)) // 2]
            self._ask(target, proof, budget.since(began), on_progress)
            proof.seconds = time.perf_counter() - began
        return proof

    def _ask(
        self, target: int, proof: Proof, budget: Budget, on_progress: Callable[[Proof], None] | None
    ) -> None:
        """Whether the state is worth so much: narrow what is known of it."""
        began, before = time.perf_counter(), self.nodes
        value, number = self._run(target, budget, proof, on_progress)
        proof.nodes = self.nodes
        proof.states = sum(int(counts[LOOKED_AT]) for counts in self.counts)
        if value == UNKNOWN:
            proof.trouble = int(self.counts[number][PROOF_TROUBLE])
            return
        if value >= target:
            proof.lower, proof.move = value, int(self.counts[number][PROOF_MOVE])
        else:
            proof.upper = value
            if proof.move < 0 or proof.lower < value:
                proof.move = int(self.counts[number][PROOF_MOVE])
        taken = time.perf_counter() - began
        proof.questions.append((target, value >= target, proof.nodes - before, taken))

    def _run(
        self, target: int, budget: Budget, proof: Proof, on_progress: Callable[[Proof], None] | None
    ) -> tuple[int, int]:
        """What the first thread that is done has found, and which it was."""
        stop = np.zeros(1, np.int64)
        is_done = threading.Event()
        found: list[tuple[int, int]] = []
        most = NO_LIMIT if budget.nodes is None else budget.nodes // len(self.engines)
        deadline = None if budget.seconds is None else time.perf_counter() + budget.seconds

        def work(number: int) -> None:
            engine, desk, counts = self.engines[number], self.desks[number], self.counts[number]
            counts[PROOF_TROUBLE] = 0
            value = int(prove_target(engine.code(), desk, self.number, target, counts, most, stop))
            found.append((value, number))
            if value != UNKNOWN or counts[PROOF_TROUBLE] != STOPPED:
                stop[0] = 1
            is_done.set()

        threads = [
            threading.Thread(target=work, args=(number,), daemon=True) for number in range(len(self.engines))
        ]
        for thread in threads:
            thread.start()
        try:
            while not is_done.wait(_patience(deadline)):
                if on_progress is not None:
                    proof.nodes = self.nodes
                    on_progress(proof)
                if deadline is not None and time.perf_counter() >= deadline:
                    break
        finally:
            if deadline is None or time.perf_counter() >= deadline or not is_done.is_set():
                stop[0] = 1
            for thread in threads:
                thread.join()
        return max(found, key=lambda each: each[0] != UNKNOWN)


def _patience(deadline: float | None) -> float:
    """How long to wait before looking again."""
    return 1.0 if deadline is None else min(1.0, max(0.001, deadline - time.perf_counter()))


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


def _desk(engine: Engine, numbers: Words, table: Words, busy: Words, uses: Ints) -> Desk:
    """A desk for a thread."""
    width = engine.row_words * 64 * int(GROUPS)
    rows = MOST_ROWS
    return Desk(
        rows=np.zeros((rows, engine.row_words), np.uint64),
        moves=np.zeros(rows, np.int64),
        chooser=np.zeros(rows, np.int64),
        hashes=np.zeros((rows, numbers.shape[1]), np.uint64),
        names=np.zeros((rows, 2), np.uint64),
        lanes=np.zeros((rows, 2), np.int64),
        appeal=np.zeros(rows, np.int64),
        order=np.zeros(rows, np.int64),
        frames=np.zeros((MOST_PLIES, len(PROOF_FRAME)), np.int64),
        saved=np.zeros((MOST_PLIES, width), np.uint64),
        inputs=np.zeros((2, -(-engine.places.outputs // 64)), np.uint64),
        block=np.zeros(64, np.uint8),
        on_path=np.zeros(PATH_SIZE, np.uint8),
        history=uses.copy(),
        numbers=numbers,
        table=table,
        busy=busy,
    )
