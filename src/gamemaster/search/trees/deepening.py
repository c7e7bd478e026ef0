"""Iterative deepening: alpha-beta to depth 1, 2, 3, ... until the budget is spent or the game is searched to its end.

The last iteration, which the budget cut short, is discarded: the move is that of the deepest search that was finished.
Each iteration finds in the table what the one before thought best and tries it first, which more than pays for doing
the shallow work again. Parameters: those of alphabeta; `depth` is the deepest iteration. Whoever searches move after
move of a match can keep the table (`Deepening`).

Assumes and refuses what alphabeta does.

Source: Slate & Atkin 1977; Korf 1985; Genesereth, General Game Playing, incomplete search (minimaxid).
"""

from __future__ import annotations

from typing import Any

from gamemaster.machine.game import State
from gamemaster.search.budget import Budget, Meter
from gamemaster.search.position import Position, root_of
from gamemaster.search.result import SearchResult
from gamemaster.search.tally import Tally, search_deeper
from gamemaster.search.trees.alphabeta import AlphaBeta, Options, alphabeta_of

__all__ = ["Deepening", "Options", "search", "search_as"]


def search(state: State, role: str, budget: Budget, seed: int = 0, **parameters: Any) -> SearchResult:
    """The best move of the deepest search that the budget allows."""
    return search_as("deepening", state, role, budget, seed, **parameters)


def search_as(
    algorithm: str, state: State, role: str, budget: Budget, seed: int, **parameters: Any
) -> SearchResult:
    """The same under another name."""
    return Deepening(algorithm).search(state, role, budget, seed, **parameters)


class Deepening:
    """The same from move to move of a match: a search begins with the table of the one before.

    As long as game, role and parameters are the same: with others it begins anew.
    """

    def __init__(self, algorithm: str = "deepening") -> None:
        self.algorithm = algorithm
        self._asked: object = None
        self._alphabeta: AlphaBeta | None = None

    def search(
        self, state: State, role: str, budget: Budget, seed: int = 0, **parameters: Any
    ) -> SearchResult:
        """The best move of the deepest search that the budget allows."""
        options, meter = Options(**parameters), budget.start()
        root, alphabeta = self._resumed(state, role, meter, options)
        finished: Tally | None = None

        def run(depth: int, tally: Tally) -> None:
            nonlocal finished
            alphabeta.run(root, depth, tally, seed, finished)
            finished = tally

        return search_deeper(self.algorithm, root, role, meter, run, options.depth)

    def _resumed(self, state: State, role: str, meter: Meter, options: Options) -> tuple[Position, AlphaBeta]:
        """The root, and the search of the move before, or a new one."""
        asked = state.game, role, options
        if self._alphabeta is None or self._asked != asked:
            root, self._alphabeta = alphabeta_of(state, role, meter, options, self.algorithm)
            self._asked = asked
            return root, self._alphabeta
        self._alphabeta.renew(meter)
        return root_of(state, role, self.algorithm), self._alphabeta
