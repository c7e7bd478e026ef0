"""Best-first search in machine code: a puzzle's states with most of what a solution wants first, and those with news.

What every end worth `enough` has is read off the rules (`puzzles/wants.py`): facts that are true in it, and facts that
are false. Next to make its moves is a state with a fact that no state with as many of them met has had before; of
those, or where there is none, one with the most met (best-first width search, Lipovetzky and Geffner 2017, with novelty
of single facts). Some hundreds of states make their moves together.

States that differ in nothing but step counters are taken for the same at first. When memory is full it begins anew,
with the youngest states first, then with random ones; when no state is left and all were told apart, the best end found
is proven to be the best there is.

Needs a compiled game with one role, without chance, with goals from 0 to 100; `idastar` takes others. A node is a move
made. A budget without limits is 10 s. Also a forced move is searched: the line is wanted.
"""

from __future__ import annotations

import heapq

import numpy as np

from gamemaster.machine.game import State
from gamemaster.search.budget import Budget, Meter
from gamemaster.search.goals import goals_in
from gamemaster.search.native.frontier import Explored, counters_of, ready_puzzle, stopwatch
from gamemaster.search.native.kernels.records import Ints
from gamemaster.search.playouts.batches import worth
from gamemaster.search.puzzles.puzzle import Best, limited
from gamemaster.search.result import SearchResult

__all__ = ["search"]

CHUNK = 256
"""So many states make their moves at once."""

OLDEST, YOUNGEST, ANY = range(3)
"""Which of equally ranked states come first."""


def search(state: State, role: str, budget: Budget, seed: int = 0, *, enough: int = 100) -> SearchResult:
    """The first move of a line to a goal of `enough`, if it finds one; else of the best line found."""
    game = ready_puzzle("bestfirst", state, role)
    meter = limited(budget).start()
    best = Best(state, role)
    if state.is_over:
        best.offer(worth(state, role), ())
        return best.result("bestfirst", meter, is_proven=True)
    generator = np.random.default_rng(seed)
    most = goals_in(game, role).ceiling
    telling, order, is_complete = counters_of(game), OLDEST, False
    with stopwatch(meter) as watch:
        while not (meter.is_spent() or is_complete or best.value >= min(enough, most)):
            explored = Explored(state, role, enough, watch.stop, meter.left(), telling, is_fresh=True)
            is_exhausted = _explore(explored, order, generator, meter)
            if line := explored.line():
                best.offer(explored.value, line)
            is_complete = is_exhausted and telling is None
            telling = None if is_exhausted else telling
            order = order if is_exhausted else min(order + 1, ANY)
            del explored  # before others take as much memory
    if is_complete and not best.line:  # nothing ends
        best.offer(0.0, state.legal_moves(role)[:1])
    return best.result("bestfirst", meter, is_proven=is_complete or best.value >= most)


def _explore(explored: Explored, order: int, generator: np.random.Generator, meter: Meter) -> bool:
    """Have the states with the lowest rank make their moves, again and again; whether none is left."""
    ready = _Ready(order, generator)
    seen = 0
    while True:
        ready.add(seen, explored.states.ranks[seen : len(explored)].astype(np.int64))
        seen = len(explored)
        queue = ready.take(CHUNK)
        if not len(queue):
            return True
        if meter.is_spent() or not explored.spread(queue, meter):
            return False


class _Ready:
    """States that have not made their moves yet, by rank."""

    def __init__(self, order: int, generator: np.random.Generator) -> None:
        self.order, self.generator = order, generator
        self.ranks: list[int] = []
        self.waiting: dict[int, list[Ints]] = {}

    def add(self, first: int, ranks: Ints) -> None:
        """Have states wait that are numbered from `first` on."""
        by_rank = np.argsort(ranks, kind="stable")
        bounds = np.flatnonzero(np.diff(ranks[by_rank])) + 1
        for numbers in np.split(by_rank + first, bounds) if len(ranks) else []:
            rank = int(ranks[numbers[0] - first])
            if rank not in self.waiting:
                heapq.heappush(self.ranks, rank)
                self.waiting[rank] = []
            self.waiting[rank].append(numbers)

    def take(self, count: int) -> Ints:
        """So many states of the lowest rank, or fewer."""
        if not self.ranks:
            return np.zeros(0, np.int64)
        rank = self.ranks[0]
        held = self.waiting[rank]
        place = {OLDEST: 0, YOUNGEST: -1, ANY: int(self.generator.integers(len(held)))}[self.order]
        taken, rest = held[place][:count], held[place][count:]
        if len(rest):
            held[place] = rest
        else:
            del held[place]
            if not held:
                del self.waiting[heapq.heappop(self.ranks)]
        return taken
