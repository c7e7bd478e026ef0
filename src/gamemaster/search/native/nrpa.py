"""Nested rollout policy adaptation in machine code: random games by a policy that learns from the best of them.

A policy has a weight for every move; a game draws each move with a probability proportional to e^weight. A search of
level 0 plays `each` rounds of games and after each adapts its policy to the best game so far: along it the weight of
the move that was made rises by 1, those of all that were legal fall by their probability. A search of level n does the
same with searches of level n - 1 instead of games, which begin with its policy. When the highest level is done, all
begins anew, until the budget is spent or a line with 100, or what else is the highest goal, is found, which is proven.

The lanes of a run are `BANDS` bands, each a search of its own; all lanes of a band play by the same policy in a round,
and only the best of their games counts. A third of the bands knows a move by itself, a third also by the one before it,
a third by the step. Of games with the same goal that is better in which more of what every solution has holds in the
end (`puzzles/wants.py`).

Needs a compiled game with one role, without chance, with goals from 0 to 100; `nested` takes others. A budget without
limits is 10 s. Also a forced move is searched: the line is wanted. Source: Rosin 2011, "Nested Rollout Policy
Adaptation for Monte Carlo Tree Search"; several games a step as in Cazenave, Sevestre and Toulemont 2020.
"""

from __future__ import annotations

import random

import numpy as np

from gamemaster.codegen.vector import LANES, WORD
from gamemaster.errors import ParameterError
from gamemaster.machine.game import State
from gamemaster.search.budget import Budget, Meter
from gamemaster.search.goals import goals_in
from gamemaster.search.native.engine import NO_LIMIT, Engine, engine_of
from gamemaster.search.native.frontier import ready_puzzle, stopwatch, wanted_in, words_of
from gamemaster.search.native.kernels.policies import (
    BEST_GOAL,
    BEST_LENGTH,
    GAMES_PLAYED,
    POLICY_COUNTS,
    STEPS_MADE,
    Bands,
    adapt_policies,
)
from gamemaster.search.playouts.batches import worth
from gamemaster.search.puzzles.puzzle import Best, limited
from gamemaster.search.result import SearchResult

__all__ = ["run_policies", "search"]

BANDS = 16
CODES = 1 << 13
MOST_CODES = 1 << 16
LONGEST, TRAIL_BYTES = 1_000, 64 << 20
"""A game longer than so many steps, or than finds room, counts as lost."""

RATE = 1.0
ROUNDS = 64
"""So many rounds are played before the limits are looked at; the clock may end them sooner."""


def search(
    state: State, role: str, budget: Budget, seed: int = 0, *, level: int = 3, each: int = 40
) -> SearchResult:
    """The first move of the best line found. `level`: how many levels adapt; `each`: games, or searches, of a level."""
    for name, number in (("level", level), ("each", each)):
        if number < 1:
            raise ParameterError(f"{name} of nrpa: {number} is not a whole number from 1 on")
    game = ready_puzzle("nrpa", state, role)
    meter = limited(budget).start()
    if state.is_over:
        best = Best(state, role)
        best.offer(worth(state, role), ())
        return best.result("nrpa", meter, is_proven=True)
    return _adapted(engine_of(game), state, role, meter, seed, level, each)


def _adapted(
    engine: Engine, state: State, role: str, meter: Meter, seed: int, level: int, each: int
) -> SearchResult:
    """What games by policies find until a meter says that it is enough."""
    best, most = Best(state, role), goals_in(engine.game, role).ceiling
    bands = _bands(engine, role, most, seed, level)
    rows = engine.row_of(state).reshape(1, -1).copy()
    counts, found = np.zeros(POLICY_COUNTS, np.int64), np.full(2, -1.0)
    is_won = False
    limits = [NO_LIMIT if limit is None else limit for limit in (meter.budget.playouts, meter.budget.nodes)]
    with stopwatch(meter) as watch:
        while not is_won and not watch.stop[0] and not meter.is_spent():
            asked = each, RATE, most, ROUNDS, *limits, counts, found, watch.stop
            is_won = bool(adapt_policies(engine.code(), bands, rows, *asked))
            meter.nodes, meter.playouts = int(counts[STEPS_MADE]), int(counts[GAMES_PLAYED])
    if found[BEST_GOAL] >= 0:
        line = [engine.terms[move] for move in bands.line[: counts[BEST_LENGTH]].tolist()]
        best.offer(float(found[BEST_GOAL]), line)
    return best.result("nrpa", meter, is_proven=is_won)


def run_policies(state: State) -> None:
    """Run every kernel of this file once, on a tiny puzzle."""
    game = state.game.compiled
    assert game is not None
    meter = Budget(playouts=10 * LANES + 1).start()
    _adapted(Engine(game), state, game.roles[0], meter, seed=0, level=2, each=2)


def _bands(engine: Engine, role: str, most: float, seed: int, levels: int) -> Bands:
    """Policies that know nothing yet."""
    width = engine.row_words - engine.state_words
    steps = max(1, min(LONGEST, TRAIL_BYTES // (LANES * width * 8)))
    codes = min(MOST_CODES, max(CODES, 1 << (2 * len(engine.terms)).bit_length()))
    wants = wanted_in(engine.game, role, most)
    generator = random.Random(seed)
    return Bands(
        odds=np.ones((BANDS, levels, codes), np.float32),
        weights=np.zeros((BANDS, levels, codes), np.float32),
        kinds=np.arange(BANDS) % 3,
        seen=np.zeros((LANES, width), np.uint64),
        trails=np.zeros((LANES * steps, width), np.uint64),
        made=np.zeros((LANES, steps), np.int64),
        lengths=np.zeros(LANES, np.int64),
        scores=np.zeros(LANES),
        goals=np.zeros(LANES),
        best_trails=np.zeros((BANDS * levels * steps, width), np.uint64),
        best_made=np.zeros((BANDS, levels, steps), np.int64),
        best_lengths=np.zeros((BANDS, levels), np.int64),
        best_scores=np.full((BANDS, levels), -1e9),
        done=np.zeros((BANDS, levels), np.int64),
        line=np.zeros(steps, np.int64),
        wanted=words_of(wants.true, engine.state_words),
        unwanted=words_of(wants.false, engine.state_words),
        generator=np.array([generator.getrandbits(64) | 1 for _ in range(2)], np.uint64),
        block=np.zeros(WORD, np.uint16),
    )
