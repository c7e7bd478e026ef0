"""Iterative deepening A*: the shortest solution of a puzzle, found depth first with little memory.

Depth-first searches with a growing bound on f = g + h: g moves made, h a lower bound on the moves still needed. A
branch is cut where f exceeds the bound; the next bound is the smallest f that was cut. The first solution found, an end
with a goal of at least `enough`, is a shortest one.

h comes from the rules (`heuristics.py`): facts without which there is no solution, how many of them one move can make
true, and which have to come one after another; 0 where nothing is found. Each iteration remembers states with the
fewest moves that led to them, and cuts those reached again with no fewer. When nothing was cut by the bound, all was
seen: then there is no solution, and the best end found is proven to be the best there is.

Assumes: one role; every move costs one. Refuses: games with more roles. A budget without limits is 10 s. Source: Korf
1985; memory within an iteration as in Reinefeld and Marsland 1994. Also a forced move is searched: the line is what is
wanted. The seed changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator

from gamemaster.language.terms import Term
from gamemaster.machine.game import State
from gamemaster.search.budget import Budget, Meter, OutOfBudget
from gamemaster.search.goals import goals_in
from gamemaster.search.playouts.batches import worth
from gamemaster.search.puzzles.heuristics import moves_needed
from gamemaster.search.puzzles.puzzle import Best, check_puzzle, key_of, limited
from gamemaster.search.result import SearchResult

__all__ = ["search"]

Heuristic = Callable[[State], int]

MOST_REMEMBERED = 1_000_000
"""States remembered in an iteration; more would take more memory than a search should."""

LONG = 1 << 30
"""More moves than any bound."""


def search(
    state: State, role: str, budget: Budget, seed: int = 0, *, enough: int = 100, heuristic: bool = True
) -> SearchResult:
    """The first move of a shortest line to a goal of `enough`; else of the best line found.

    `heuristic=False` is plain iterative deepening.
    """
    del seed
    check_puzzle("idastar", state, role)
    meter = limited(budget).start()
    most = int(min(enough, goals_in(state.game, role).ceiling))  # there is no more to be had
    estimate = moves_needed(state.game, role, most, meter.left()) if heuristic else None
    deepener = _Deepener(state, role, most, estimate or (lambda _: 0), meter)
    is_proven = deepener.run()
    return deepener.best.result("idastar", meter, is_proven=is_proven)


class _Deepener:
    """The parts of one search."""

    def __init__(self, state: State, role: str, enough: int, estimate: Heuristic, meter: Meter) -> None:
        self.state, self.role, self.enough = state, role, enough
        self.estimate, self.meter = estimate, meter
        self.best = Best(state, role)
        self.following = 0  # the next bound

    def run(self) -> bool:
        """Deepen until a solution is found, all is seen or the budget is spent: whether no end is better."""
        self.following = self.estimate(self.state)
        try:
            while self.following < LONG:
                bound, self.following = self.following, LONG
                if self._deepen(bound):
                    return self.best.value >= goals_in(self.state.game, self.role).ceiling
        except OutOfBudget:
            return False
        return True

    def _deepen(self, bound: int) -> bool:
        """One depth-first search: whether it found a solution. The stack is our own: lines can be long."""
        line: list[Term] = []
        fewest: dict[Hashable, int] = {key_of(self.state): 0}
        if self._is_end(self.state, line):
            return self.best.value >= self.enough
        stack = [self._moves(self.state)]
        while stack:
            step = next(stack[-1], None)
            if step is None:
                stack.pop()
                if line:
                    line.pop()
                continue
            move, state = step
            line.append(move)
            if self._fits(len(line), bound):
                if self._is_end(state, line):
                    if self.best.value >= self.enough:
                        return True
                elif self._is_worth(state, len(line), bound, fewest):
                    stack.append(self._moves(state))
                    continue
            line.pop()
        return False

    def _moves(self, state: State) -> Iterator[tuple[Term, State]]:
        for move in state.legal_moves(self.role):
            self.meter.node()
            yield move, state.next({self.role: move})

    def _is_end(self, state: State, line: list[Term]) -> bool:
        """Whether no move follows; then what the line comes to is noted."""
        if line:
            self.best.count(line[0])
        if not state.is_terminal and state.legal_moves(self.role):
            return False
        self.best.offer(worth(state, self.role), line)
        return True

    def _fits(self, total: int, bound: int) -> bool:
        """Whether a number of moves is within the bound; else it may be the next bound."""
        if total > bound:
            self.following = min(self.following, total)
        return total <= bound

    def _is_worth(self, state: State, made: int, bound: int, fewest: dict[Hashable, int]) -> bool:
        """Whether to go on from a state: it fits the bound and was not reached with as few moves before."""
        key = key_of(state)
        if not self._fits(made + self.estimate(state), bound) or fewest.get(key, LONG) <= made:
            return False
        if len(fewest) < MOST_REMEMBERED or key in fewest:
            fewest[key] = made
        return True
