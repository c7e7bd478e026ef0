"""Breadth-first search in machine code: all that can come of a puzzle, layer by layer, each state once.

The first end with a goal of `enough` is one of the nearest; when no state is left, all was seen, and the best end found
is proven to be the best there is. A million states a second and more, up to half a gigabyte of them.

Where the rules count steps, every state would come again with each count. So it looks first as if states that differ
in nothing else were the same (those found first are reached soonest), which proves nothing but 100, and where that is
not found it begins anew with all of them.

Needs a compiled game with one role, without chance, with goals from 0 to 100; `maximizer` and `idastar` take others. A
node is a move made. A budget without limits is 10 s. Also a forced move is searched: the line is wanted. The seed
changes nothing. Source: Moore 1959; the memory of a puzzle's states as in Korf and Schultze 2005.
"""

from __future__ import annotations

import numpy as np

from gamemaster.machine.game import State
from gamemaster.search.budget import Budget, Meter
from gamemaster.search.goals import goals_in
from gamemaster.search.native.frontier import Explored, counters_of, ready_puzzle, stopwatch
from gamemaster.search.playouts.batches import worth
from gamemaster.search.puzzles.puzzle import Best, limited
from gamemaster.search.result import SearchResult

__all__ = ["search"]

CHUNK = 1 << 14
"""So many states make their moves before the limits are looked at."""


def search(state: State, role: str, budget: Budget, seed: int = 0, *, enough: int = 100) -> SearchResult:
    """The first move of a shortest line to a goal of `enough`; else of the best line found."""
    del seed
    game = ready_puzzle("breadth", state, role)
    meter = limited(budget).start()
    best = Best(state, role)
    if state.is_over:
        best.offer(worth(state, role), ())
        return best.result("breadth", meter, is_proven=True)
    most = goals_in(game, role).ceiling
    is_complete = False
    with stopwatch(meter) as watch:
        telling = counters_of(game)
        for mask in (None,) if telling is None else (telling, None):
            if best.value >= min(enough, most) or meter.is_spent():
                break
            explored = Explored(state, role, enough, watch.stop, meter.left(), mask)
            is_complete = explore(explored, meter) and mask is None
            if line := explored.line():
                best.offer(explored.value, line)
            del explored  # before others take as much memory
    if is_complete and not best.line:  # nothing ends
        best.offer(0.0, state.legal_moves(role)[:1])
    return best.result("breadth", meter, is_proven=is_complete or best.value >= most)


def explore(explored: Explored, meter: Meter) -> bool:
    """Find states layer by layer; whether that came to the last."""
    first = 0
    while first < len(explored):
        if meter.is_spent():
            return False
        end = min(len(explored), first + CHUNK)
        if not explored.spread(np.arange(first, end), meter):
            return False
        first = end
    return True
