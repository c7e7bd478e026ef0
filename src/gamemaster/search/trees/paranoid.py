"""Paranoid search: for three and more roles, all others play together against one.

    value(s) = max of value(after(s, m))        the role chooses m
               min of value(after(s, m))        anybody else does

So many roles become two, and alpha-beta cuts as deep as ever: with n roles it looks n/(n-1) times as far as max^n. It
expects the worst, which others, who look after themselves, may not do. With two roles it is iterative deepening.
Parameters: those of alphabeta; `depth` is the deepest iteration.

Assumes and refuses what alphabeta does.

Source: Sturtevant & Korf 2000, On Pruning Techniques for Multi-Player Games.
"""

from __future__ import annotations

from typing import Any

from gamemaster.machine.game import State
from gamemaster.search.budget import Budget
from gamemaster.search.result import SearchResult
from gamemaster.search.trees.alphabeta import Options
from gamemaster.search.trees.deepening import search_as

__all__ = ["Options", "search"]


def search(state: State, role: str, budget: Budget, seed: int = 0, **parameters: Any) -> SearchResult:
    """The move with the best value that no conspiracy can lower."""
    return search_as("paranoid", state, role, budget, seed, **parameters)
