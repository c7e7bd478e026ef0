"""Persistent tree search: the least visited part of the tree is expanded next, and the tree is kept.

A step goes down to the incomplete child with the fewest visits and expands the node it comes to, so that the tree
grows evenly and, unlike depth by depth, nothing is done twice: see `gametree.py` for what is taken up and when a node
is complete. The move chosen is a complete 100, else the one with the best value.

Assumes: the other roles play against this one (exact for two roles whose goals oppose). Refuses: steps in which several
roles choose at once. A budget without limits is 1 s. This is the pts player of the Gamemaster site.
"""

from __future__ import annotations

from gamemaster.machine.game import State
from gamemaster.search.budget import Budget
from gamemaster.search.result import SearchResult
from gamemaster.search.trees.gametree import GameTree, GrownNode

__all__ = ["persistent_tree", "search"]


def search(state: State, role: str, budget: Budget, seed: int = 0) -> SearchResult:
    """The move that a fresh tree finds; the seed shuffles moves that are equally good."""
    return persistent_tree(state, role, seed).search(budget)


def persistent_tree(state: State, role: str, seed: int = 0) -> GameTree:
    """A tree to keep from move to move."""
    return GameTree("pts", state, role, least_visited, seed)


def least_visited(node: GrownNode, is_own: bool) -> GrownNode:
    """The incomplete child to go down to."""
    del is_own
    return min(node.open_children(), key=lambda child: child.visits)
