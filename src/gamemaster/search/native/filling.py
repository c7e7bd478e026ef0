"""Filling in: what a solution wants is met one after the other, the want with the fewest ways left first.

What every end worth `enough` has is read off the rules (`puzzles/wants.py`): a cell that is no longer blank, a number
that stands somewhere. In each state the moves are counted that meet each want; where one has none left there is no
way on, as long as a move never makes another legal; else the moves that meet the want with the fewest are tried, of
them first those that leave the most moves (forward checking and the fail-first principle, Haralick and Elliott 1980).
Moves of other wants need not be tried there: their order makes no difference. A search that meets many states begins
anew with other choices among equals, and twice as many.

Nothing that it does not find is proven. Where nothing can be read off, all moves are tried. Refuses games in which
something is wanted and a move is seen to make another legal.

Needs a compiled game with one role, without chance, with goals from 0 to 100. A node is a state that was entered. A
budget without limits is 10 s. Also a forced move is searched: the line is wanted.
"""

from __future__ import annotations

import random

import numpy as np

from gamemaster.codegen.vector import LANES
from gamemaster.errors import Unsuitable
from gamemaster.machine.game import State
from gamemaster.search.budget import Budget, Meter
from gamemaster.search.goals import goals_in
from gamemaster.search.native.engine import NO_LIMIT, Engine, engine_of
from gamemaster.search.native.frontier import ready_puzzle, stopwatch, wanted_in, words_of
from gamemaster.search.native.kernels.filling import (
    ENTERED_STATES,
    FILLING_COUNTS,
    LINE_LENGTH,
    OPENED,
    TIRED,
    Filling,
    fill_in,
)
from gamemaster.search.playouts.batches import worth
from gamemaster.search.puzzles.puzzle import Best, limited
from gamemaster.search.puzzles.wants import Wants
from gamemaster.search.result import SearchResult

__all__ = ["run_filling", "search"]

PLIES = 1_024
ROWS = 1 << 15
FIRST_PATIENCE = 1_000
"""So many states are met before it begins anew for the first time."""


def search(state: State, role: str, budget: Budget, seed: int = 0, *, enough: int = 100) -> SearchResult:
    """The first move of a line to a goal of `enough`, if it finds one; else of the best line found."""
    game = ready_puzzle("filling", state, role)
    meter = limited(budget).start()
    if state.is_over:
        best = Best(state, role)
        best.offer(worth(state, role), ())
        return best.result("filling", meter, is_proven=True)
    aim = float(min(enough, goals_in(game, role).ceiling))  # as kernels are compiled for
    return _filled(engine_of(game), state, role, meter, seed, aim, wanted_in(game, role, aim))


def _filled(
    engine: Engine, state: State, role: str, meter: Meter, seed: int, enough: float, wants: Wants
) -> SearchResult:
    """What is found until a meter says that it is enough, or every way was tried."""
    best, pool = Best(state, role), _pool(engine, wants, seed)
    pool.rows[0] = engine.row_of(state)
    counts, found = np.zeros(FILLING_COUNTS, np.int64), np.full(1, -1.0)
    patience, status = FIRST_PATIENCE, TIRED
    with stopwatch(meter) as watch:
        while status == TIRED and not (watch.stop[0] or meter.is_spent()):
            left = NO_LIMIT if meter.budget.nodes is None else meter.budget.nodes - meter.nodes
            most = min(patience, left)
            status = int(fill_in(engine.code(), pool, enough, most, counts, found, watch.stop))
            meter.nodes, patience = int(counts[ENTERED_STATES]), 2 * patience
    if status == OPENED and found[0] < enough:
        raise Unsuitable(f"filling: a move of {engine.game.name} makes another legal; take nrpa or bestfirst")
    if found[0] >= 0:
        line = [engine.terms[move] for move in pool.line[: counts[LINE_LENGTH]].tolist()]
        best.offer(float(found[0]), line)
    most_there_is = goals_in(engine.game, role).ceiling
    return best.result("filling", meter, is_proven=float(found[0]) >= most_there_is)


def _pool(engine: Engine, wants: Wants, seed: int) -> Filling:
    """What it works in."""
    generator, width = random.Random(seed), engine.state_words
    rows = ROWS + 2 * (len(engine.terms) + LANES)
    return Filling(
        rows=np.zeros((rows, engine.row_words), np.uint64),
        moves=np.zeros(rows, np.int64),
        keys=np.zeros(rows, np.int64),
        frames=np.zeros((PLIES, 3), np.int64),
        ways=np.zeros(64, np.int64),
        wanted=words_of(wants.true, width),
        unwanted=words_of(wants.false, width),
        line=np.zeros(PLIES + 1, np.int64),
        generator=np.array([generator.getrandbits(64) | 1 for _ in range(2)], np.uint64),
    )


def run_filling(state: State) -> None:
    """Run every kernel of this file once, on a tiny puzzle."""
    game = state.game.compiled
    assert game is not None
    meter = Budget(nodes=100).start()
    _filled(Engine(game), state, game.roles[0], meter, 0, 101.0, Wants(1, 0))
