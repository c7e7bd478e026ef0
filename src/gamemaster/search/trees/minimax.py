"""Minimax: the best that a role can be sure of, whatever the others do, found by searching to the end of the game.

    value(s) = goal(s)                          s is terminal
               max of value(after(s, m))        the role chooses m
               min of value(after(s, m))        anybody else does
               0                                nobody can move

A max node stops at 100 and a min node at 0, or whatever the rules have as the highest and the lowest goal. There is no
other pruning and no clock but the budget's; `memo` (on unless told) remembers states.

Assumes turn-taking and full information, and that all others are enemies. Refuses simultaneous moves and chance with
`Unsuitable`. Games longer than any search looks are cut there, and their value is not proven.

Source: von Neumann 1928; Genesereth, General Game Playing, complete search.
"""

from __future__ import annotations

from gamemaster.machine.game import State
from gamemaster.search.budget import Budget
from gamemaster.search.goals import goals_in
from gamemaster.search.position import root_of
from gamemaster.search.result import SearchResult
from gamemaster.search.trees.bounded import BoundedMinimax, search_with

__all__ = ["search"]


def search(state: State, role: str, budget: Budget, seed: int = 0, *, memo: bool = True) -> SearchResult:
    """The move with the best guaranteed value."""
    root = root_of(state, role, "minimax")
    goals = goals_in(state.game, role)
    minimax = BoundedMinimax(
        role, budget.start(), enough=goals.ceiling, hopeless=goals.floor, memo=memo, goals=goals
    )
    return search_with(minimax, root, "minimax", seed)
