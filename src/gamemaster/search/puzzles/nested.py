"""Nested Monte Carlo search: each move of a game is chosen by a search one level below, the best line is kept.

A search of level 0 is a random game. One of level n plays a game in which every move is found by trying each legal
one, with a search of level n - 1 after it; the best line ever found is remembered and followed where no try beats it:

    nested(state, n): until the end, best := the better of best and {move + nested(state after move, n - 1)}; play on
    along best.

Searches of the given level are repeated until the budget is spent, or a line with 100, or what else is the highest
goal, is found, which is proven.

Assumes: one role. Refuses: games with more. A budget without limits is 10 s. Source: Cazenave 2009, "Nested Monte-Carlo
Search", with the memory of the best line. Also a forced move is searched: the line is what is wanted.
"""

from __future__ import annotations

import random
from math import inf

from gamemaster.language.terms import Term
from gamemaster.machine.game import MAX_LENGTH, State
from gamemaster.search.budget import Budget, Meter, OutOfBudget
from gamemaster.search.goals import goals_in
from gamemaster.search.playouts.batches import worth
from gamemaster.search.puzzles.puzzle import Best, check_puzzle, limited
from gamemaster.search.result import SearchResult

__all__ = ["search"]

Found = tuple[float, list[Term]]
"""What a search came to, and the moves that lead there."""


class _Solved(Exception):
    """A line with 100 was found: no search can do better."""


def search(state: State, role: str, budget: Budget, seed: int = 0, *, level: int = 2) -> SearchResult:
    """The first move of the best line found. `level`: how deep searches are nested; 2 suits short puzzles."""
    check_puzzle("nested", state, role)
    searcher = _Searcher(state, role, limited(budget).start(), random.Random(seed))
    if not state.is_over:
        searcher.run(max(1, level))
    else:
        searcher.best.offer(worth(state, role), ())
    is_proven = state.is_over or searcher.best.value == searcher.most
    return searcher.best.result("nested", searcher.meter, is_proven=is_proven)


class _Searcher:
    """The parts of one search; `prefix` are the moves from its root to where a game in progress stands."""

    def __init__(self, state: State, role: str, meter: Meter, generator: random.Random) -> None:
        self.state, self.role = state, role
        self.meter, self.generator = meter, generator
        self.best = Best(state, role)
        self.most = goals_in(state.game, role).ceiling
        self.prefix: list[Term] = []

    def run(self, level: int) -> None:
        """Searches until the budget is spent or a line with 100 is found."""
        try:
            while True:
                self.prefix.clear()
                self._nested(self.state, level)
        except (OutOfBudget, _Solved):
            return

    def _nested(self, state: State, level: int) -> Found:
        """The best line from a state on that a search of this level finds; `prefix` is as before afterwards."""
        if level == 0 or self._is_end(state):
            return self._playout(state)
        start = len(self.prefix)
        best: Found = (-inf, [])
        while not self._is_end(state):
            made = len(self.prefix) - start
            for move in state.legal_moves(self.role):
                value, line = self._try(state, move, level)
                if value > best[0]:
                    best = (value, [*self.prefix[start:], move, *line])
            move = best[1][made]
            state = self._step(state, move)
            self.prefix.append(move)
        del self.prefix[start:]
        return best

    def _try(self, state: State, move: Term, level: int) -> Found:
        """What the level below finds after a move."""
        self.prefix.append(move)
        found = self._nested(self._step(state, move), level - 1)
        self.prefix.pop()
        return found

    def _playout(self, state: State) -> Found:
        """A random game, of no moves at an end; what it comes to is offered as a line from the root."""
        line: list[Term] = []
        while not self._is_end(state):
            move = self.generator.choice(state.legal_moves(self.role))
            line.append(move)
            state = self._step(state, move)
        value = worth(state, self.role) if state.is_over else 0.0  # what a state has is no result of a game
        whole = [*self.prefix, *line]
        self.best.offer(value, whole)
        self.best.count(whole[0])
        if value == self.most:
            raise _Solved
        self.meter.playout()
        return value, line

    def _step(self, state: State, move: Term) -> State:
        self.meter.node()
        return state.next({self.role: move})

    def _is_end(self, state: State) -> bool:
        """Whether a game stops here: it is over, stuck, or too long."""
        too_long = state.step - self.state.step >= MAX_LENGTH
        return state.is_terminal or too_long or not state.legal_moves(self.role)
