"""What somebody wants to see of a tree or of a game -> its trace; what they do not say is chosen here."""

from __future__ import annotations

from dataclasses import replace

from gamemaster.errors import ParameterError, UnknownAlgorithm
from gamemaster.machine.game import RANDOM, State
from gamemaster.search.evaluation import Evaluation, intermediate
from gamemaster.search.result import AS_IF_KNOWN
from gamemaster.search.tracing.growing import grow_tree
from gamemaster.search.tracing.notation import ALGORITHMS_OF_TREES
from gamemaster.search.tracing.trace import Trace, trace_tree
from gamemaster.search.tracing.tree import MOST_NODES, SearchTree

__all__ = ["USUAL_DEPTH", "trace_game", "trace_written"]

USUAL_DEPTH = 2
"""How many steps of a game a tree has where nobody says."""


def trace_written(tree: SearchTree, algorithm: str | None = None, depth: int | None = None) -> Trace:
    """The search of a tree that is written down: by the algorithm and to the depth that it is an example of."""
    return trace_tree(tree, algorithm or tree.algorithm or _fitting(tree), depth or tree.depth)


def _fitting(tree: SearchTree) -> str:
    if tree.has_truths:
        return "andor"
    return "expectiminimax" if any(node.kind == "chance" for node in tree.nodes) else "alphabeta"


def trace_game(
    state: State,
    *,
    role: str | None = None,
    algorithm: str | None = None,
    depth: int | None = None,
    evaluation: Evaluation | str = intermediate,
    most: int = MOST_NODES,
) -> Trace:
    """The search of a game from a state on, as the role sees it whose turn it is, or another.

    ParameterError where the game is over; Unsuitable for games that the algorithm cannot search.
    """
    if state.is_over:
        raise ParameterError("the game is over there: there is no tree")
    has_chance = state.game.kind.has_chance
    algorithm = algorithm or ("expectiminimax" if has_chance else "alphabeta")
    if algorithm not in ALGORITHMS_OF_TREES:
        there = ", ".join(ALGORITHMS_OF_TREES)
        raise UnknownAlgorithm(f"no algorithm {algorithm!r} for trees; there are: {there}")
    tree = grow_tree(
        state,
        role or _whose(state),
        USUAL_DEPTH if depth is None else depth,
        evaluation=evaluation,
        with_chance=algorithm == "expectiminimax",
        most=most,
    )
    if state.game.kind.has_hidden_information:
        tree = replace(tree, notes=(*tree.notes, AS_IF_KNOWN))
    return trace_tree(tree, algorithm)


def _whose(state: State) -> str:
    """Whose turn it is; where that is chance's or nobody's, the first role that plays."""
    playing = [role for role in state.game.roles if role != RANDOM]
    candidates = [*state.choosers, *([state.control] if state.control else []), *playing]
    return next(role for role in candidates if role != RANDOM)
