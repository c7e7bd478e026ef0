"""Greedy best-first search: the tree grows where the role's value is high and little was looked at, and is kept.

A step goes down to the incomplete child with the greatest

    utility + round(100 (1 - visits / parent's visits))      where the role chooses,
    round(100 (1 - visits / parent's visits))                where another role or chance does,

and expands the node it comes to: see `gametree.py` for what is taken up and when a node is complete. Values of states
that are not terminal are the goals that the rules give there. The move chosen is a complete 100, else the best value.

Assumes: the other roles play against this one (exact for two roles whose goals oppose). Refuses: steps in which several
roles choose at once. A budget without limits is 1 s. This is the greedy player of the Gamemaster site.
"""

from __future__ import annotations

from gamemaster.machine.game import State
from gamemaster.search.budget import Budget
from gamemaster.search.result import SearchResult
from gamemaster.search.trees.gametree import GameTree, GrownNode

__all__ = ["greedy_tree", "search"]


def search(state: State, role: str, budget: Budget, seed: int = 0) -> SearchResult:
    """The move that a fresh tree finds; the seed shuffles moves that are equally good."""
    return greedy_tree(state, role, seed).search(budget)


def greedy_tree(state: State, role: str, seed: int = 0) -> GameTree:
    """A tree to keep from move to move."""
    return GameTree("greedy", state, role, most_promising, seed)


def most_promising(node: GrownNode, is_own: bool) -> GrownNode:
    """The incomplete child to go down to."""
    seen = max(1, node.visits)

    def promise(child: GrownNode) -> float:
        unseen = round(100 * (1 - child.visits / seen))
        return child.utility + unseen if is_own else unseen

    return max(node.open_children(), key=promise)
