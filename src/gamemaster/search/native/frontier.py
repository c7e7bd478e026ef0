"""A puzzle's states, each found once, in an order that whoever searches says: what breadth and bestfirst share.

Kept are the row of each state and where it came from, up to `MEMORY` bytes; the best end is found as it is made. A
state's moves are made in the lanes of one run together with those of others (`kernels/frontier.py`).
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from itertools import pairwise
from random import Random

import numpy as np

from gamemaster.codegen.vector import LANES
from gamemaster.errors import Unsuitable
from gamemaster.language.terms import Symbol, Term
from gamemaster.machine.compiled import CompiledGame
from gamemaster.machine.game import State
from gamemaster.search.budget import Budget, Meter
from gamemaster.search.goals import goals_in
from gamemaster.search.native.engine import NO_LIMIT, Engine, Stopwatch, engine_of
from gamemaster.search.native.kernels.frontier import (
    ASKED,
    BEST_END,
    BEST_VALUE,
    FOUND_STATES,
    FRONTIER_COUNTS,
    MADE,
    PLACE_IN_ROW,
    SPREAD,
    Frontier,
    SpreadDesk,
    add_start,
    spread,
)
from gamemaster.search.native.kernels.records import Ints, Words
from gamemaster.search.native.kernels.rows import expand
from gamemaster.search.native.warming import get_ready
from gamemaster.search.puzzles.puzzle import check_puzzle
from gamemaster.search.puzzles.wants import NOTHING_WANTED, Wants, wants_of
from gamemaster.search.suitable import PUZZLES, native_game, needs

__all__ = [
    "Explored",
    "counters_of",
    "moves_between",
    "ready_puzzle",
    "run_frontier",
    "stopwatch",
    "wanted_in",
    "words_of",
]

MEMORY, BESIDE_ROW = 512 << 20, 32
"""Bytes for states, at most; and those of a state beside its row: where it came from, and its places in the table."""

FEWEST_STATES, STATES_A_SECOND = 1 << 16, 5_000_000
"""In so much time no more are found: who has little shall not wait for memory."""

MOST_STATES = (1 << 32) - 2
COUNTER_SECONDS = 0.2
SAMPLE, SAMPLE_STEPS = 24, 64
FEWEST_GAMES, FEWEST_STEPS = 4, 3
"""How long to look for step counters, in how many random games and steps; and how much of that must have been seen."""


def ready_puzzle(algorithm: str, state: State, role: str) -> CompiledGame:
    """The game of a puzzle when all is made that its searches in machine code take; Unsuitable for any other."""
    check_puzzle(algorithm, state, role)
    game = native_game(state.game)
    if game is None:
        raise Unsuitable(f"{algorithm} {needs(state.game)}; take idastar or nested")
    get_ready(game, PUZZLES)
    return game


def stopwatch(meter: Meter) -> Stopwatch:
    """A stopwatch that ends what runs when a meter says so."""
    return Stopwatch(None if meter.deadline is None else meter.left())


class Explored:
    """The states found so far from a start, for the role of a puzzle.

    `stop` ends what runs, and there are so many `seconds` for it; `telling` are the facts that tell states apart, by
    default all; `is_fresh`: whether a state ranks higher that has a fact that none with as many wants met had before.
    """

    def __init__(
        self,
        state: State,
        role: str,
        enough: float,
        stop: Ints,
        seconds: float,
        telling: Words | None = None,
        is_fresh: bool = False,
    ) -> None:
        game = state.game.compiled
        assert game is not None
        self.engine, self.state, self.role = engine_of(game), state, role
        self.stop = stop
        self.enough = float(min(enough, goals_in(game, role).ceiling))  # as kernels are compiled for
        wants = wanted_in(game, role, self.enough)
        width, engine = self.engine.state_words, self.engine
        soon = FEWEST_STATES + int(STATES_A_SECOND * min(seconds, 1_000.0))
        self.capacity = min(MOST_STATES, soon, MEMORY // (8 * engine.row_words + BESIDE_ROW))
        self.states = Frontier(
            np.empty((self.capacity + 1, engine.row_words), np.uint64),
            np.empty(self.capacity, np.uint32),
            np.empty(self.capacity, np.int32),
            np.zeros(1 << max(10, (self.capacity * 3 // 2).bit_length()), np.uint64),
        )
        self.desk = SpreadDesk(
            np.zeros((LANES, engine.row_words), np.uint64),
            np.zeros(LANES, np.int64),
            np.zeros(LANES, np.uint64),
            np.zeros(64, np.uint64),
            np.full(width, ~np.uint64(0)) if telling is None else telling,
            words_of(wants.true, width),
            words_of(wants.false, width),
            np.zeros((len(wants) + 1 if is_fresh else 0, width), np.uint64),
        )
        self.counts = np.zeros(FRONTIER_COUNTS, np.int64)
        self.counts[BEST_END] = -1
        self.values = np.full(1, -1.0)
        self.desk.children[0] = self.engine.row_of(state)
        add_start(self.states, self.desk, self.counts)

    def __len__(self) -> int:
        return int(self.counts[FOUND_STATES])

    @property
    def made(self) -> int:
        """How many moves were made."""
        return int(self.counts[MADE])

    @property
    def value(self) -> float:
        """What the best end is worth; less than nothing where there is none."""
        return float(self.values[BEST_VALUE])

    def spread(self, queue: Ints, meter: Meter) -> bool:
        """Make the moves of these states; whether there is time and room for more."""
        self.counts[ASKED] = self.counts[PLACE_IN_ROW] = 0
        before = self.made
        nodes = meter.budget.nodes
        most = NO_LIMIT if nodes is None else before + max(0, nodes - meter.nodes)
        asked = self.states, self.desk, queue, self.counts, self.values, self.enough, most, self.stop
        status = spread(self.engine.code(), *asked)
        meter.nodes += self.made - before
        return int(status) == SPREAD

    def line(self) -> tuple[Term, ...]:
        """The moves that lead from the start to the best end."""
        number = int(self.counts[BEST_END])
        if number < 0:
            return ()
        numbers = [self.capacity, number]
        while number:
            number = int(self.states.origins[number])
            numbers.append(number)
        return tuple(moves_between(self.engine, self.states.rows[numbers[::-1]]))


def moves_between(engine: Engine, path: Words) -> Iterable[Term]:
    """The moves that lead from row to row."""
    width = engine.state_words
    children = np.zeros((1 + len(engine.terms) + 2 * LANES, engine.row_words), np.uint64)
    moves = np.zeros(len(children), np.int64)
    code = engine.code()
    for row, after in pairwise(path):
        children[0] = row
        count = int(expand(code, children, 0, 0, children, 1, moves))
        found = np.flatnonzero((children[1 : 1 + count, :width] == after[:width]).all(axis=1))
        yield engine.terms[int(moves[1 + found[0]])]


def wanted_in(game: CompiledGame, role: str, enough: float) -> Wants:
    """What ends have that are worth so much, found out once."""
    known: dict[tuple[str, float], Wants] = game.__dict__.setdefault("_wants", {})
    if (role, enough) not in known:
        circuit = game.circuit
        known[role, enough] = NOTHING_WANTED if circuit is None else wants_of(circuit, Symbol(role), enough)
    return known[role, enough]


def counters_of(game: CompiledGame) -> Words | None:
    """The facts of a row that are no step counters, as a mask; None where none are seen.

    A counter goes through the same values in all of some random games, so this is likely, not proven.
    """
    if "_no_counters" not in game.__dict__:
        game.__dict__["_no_counters"] = _without_counters(game)
    found: Words | None = game.__dict__["_no_counters"]
    return found


def _without_counters(game: CompiledGame) -> Words | None:
    engine, generator = engine_of(game), Random(0)
    width, deadline = engine.state_words, time.perf_counter() + COUNTER_SECONDS
    in_all, in_some = (
        np.full((SAMPLE_STEPS, width), ~np.uint64(0)),
        np.zeros((SAMPLE_STEPS, width), np.uint64),
    )
    games = np.zeros(SAMPLE_STEPS, np.int64)
    for _ in range(SAMPLE):
        state = game.initial_state()
        while not state.is_over and state.step < SAMPLE_STEPS and time.perf_counter() < deadline:
            row, step = engine.row_of(state)[:width], state.step
            in_all[step] &= row
            in_some[step] |= row
            games[step] += 1
            state = state.next(state.random_moves(generator))
    is_known = games >= FEWEST_GAMES
    if is_known.sum() < FEWEST_STEPS:
        return None
    differ = np.bitwise_or.reduce(in_some[is_known] & ~in_all[is_known])
    changing = np.bitwise_or.reduce(in_all[is_known]) & ~np.bitwise_and.reduce(in_all[is_known])
    counters: Words = changing & ~differ
    return ~counters if counters.any() else None


def words_of(bits: int, width: int) -> Words:
    """A number as words of 64 bits."""
    return np.frombuffer(bits.to_bytes(8 * width, "little"), np.uint64).copy()


def run_frontier(state: State) -> None:
    """Run every kernel of this file once, on a tiny puzzle."""
    role = state.game.roles[0]
    explored = Explored(state, role, 100.0, np.zeros(1, np.int64), 1.0, is_fresh=True)
    first = 0
    while first < len(explored):
        explored.spread(np.arange(first, len(explored)), Budget().start())
        first += 1
    explored.line()
