"""Iterative deepening: alpha-beta to depth 1, 2, 3, ... until the budget is spent or the game is searched to its end.

The last iteration, which the budget cut short, is discarded: the move is that of the deepest search that was finished.
Each iteration finds in the table what the one before thought best and tries it first, which more than pays for doing
the shallow work again. Parameters: those of alphabeta; `depth` is the deepest iteration.

Assumes and refuses what alphabeta does.

Source: Slate & Atkin 1977; Korf 1985; Genesereth, General Game Playing, incomplete search (minimaxid).
"""

from __future__ import annotations

from typing import Any

from gamemaster.machine.game import State
from gamemaster.search.alphabeta import Options, alphabeta_of
from gamemaster.search.budget import Budget
from gamemaster.search.result import SearchResult
from gamemaster.search.tally import Tally, search_deeper

__all__ = ["Options", "search", "search_as"]


def search(state: State, role: str, budget: Budget, seed: int = 0, **parameters: Any) -> SearchResult:
    """The best move of the deepest search that the budget allows."""
    return search_as("deepening", state, role, budget, seed, **parameters)


def search_as(
    algorithm: str, state: State, role: str, budget: Budget, seed: int, **parameters: Any
) -> SearchResult:
    """The same under another name."""
    options = Options(**parameters)
    meter = budget.start()
    root, alphabeta = alphabeta_of(state, role, meter, options, algorithm)
    finished: Tally | None = None

    def run(depth: int, tally: Tally) -> None:
        nonlocal finished
        alphabeta.run(root, depth, tally, seed, finished)
        finished = tally

    return search_deeper(algorithm, root, role, meter, run, options.depth)
