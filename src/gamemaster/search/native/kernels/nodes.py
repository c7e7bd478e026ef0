"""Nodes of Monte Carlo tree search: their children, who chooses among them, and what is proven; see ../mcts.py."""

from __future__ import annotations

from typing import Any

import numpy as np

from gamemaster.search.native.kernels.compiling import answer, aside, kernel, part
from gamemaster.search.native.kernels.evaluation import judged
from gamemaster.search.native.kernels.intrinsics import I0, MINUS, at
from gamemaster.search.native.kernels.records import FULL, USED, GameArrays, Guide, Ints, Nodes
from gamemaster.search.native.kernels.rows import (
    NOBODY,
    SEVERAL,
    chance_chooses,
    end_value,
    is_terminal,
    make_children,
    make_halves,
    mover_of,
)

__all__ = [
    "HALF",
    "LEAST",
    "NONE",
    "OPEN",
    "SAME",
    "WHOLE",
    "begin_tree",
    "cut_node",
    "expand_node",
    "is_proven",
    "kind_of",
]


OPEN = -1.0

NONE, HALF, WHOLE, LEAST = (np.float32(number) for number in (0.0, 0.5, 1.0, -1e30))
"""Scores are in single precision, which is quicker, and enough for means of playouts."""

SAME = np.float32(1e-6)
"""What differs by less is the same: goals differ by more, and means over what chance does are rounded."""


@part
def _kind(mover: int, count: int) -> int:
    """Who chooses among how many children, in one number."""
    return (count << 12) + mover - SEVERAL


@answer
def kind_of(nodes: Nodes, node: int) -> Any:
    """Who chooses, and among how many children."""
    kind = nodes.links[at(node)].kind
    return (kind & 4095) + SEVERAL, kind >> 12


@aside
def _note_children(game: GameArrays, nodes: Nodes, guide: Guide, node: int, base: int, count: int) -> None:
    """Set up the nodes of new children."""
    chooser, _ = kind_of(nodes, node)
    for child in range(base, base + count):
        mover = NOBODY
        if not is_terminal(game, nodes.rows, child):
            mover = mover_of(game, nodes.rows, child)
        _set_up(nodes, child, node, mover)
        if mover == NOBODY:
            for role in range(game.places.roles):
                nodes.values[child, role] = end_value(game, nodes.rows, child, role) / 100.0
            _note_proof(nodes, child, chooser)
        if guide.weights.shape[0]:
            prior = judged(guide.weights[chooser], guide.biases[chooser], nodes.rows, child)
            nodes.advice[child].prior = prior / 100.0
    nodes.links[at(node)].first = base
    nodes.links[at(node)].kind = _kind(chooser, count)


@part
def _set_up(nodes: Nodes, node: int, parent: int, mover: int) -> None:
    """A node of which nothing is known."""
    nodes.links[at(node)].visits = 0
    nodes.links[at(node)].flying = 0
    nodes.links[at(node)].parent = parent
    nodes.links[at(node)].first = -1
    nodes.links[at(node)].kind = _kind(mover, I0)
    nodes.scores[at(node)].mean = OPEN
    nodes.scores[at(node)].root = WHOLE / np.sqrt(HALF)
    nodes.links[at(node)].own_mean = 0.0
    if node < nodes.advice.shape[0]:
        nodes.advice[node].amaf_visits = 0.0
        nodes.advice[node].amaf_total = 0.0
        nodes.advice[node].prior = 0.0


@part
def cut_node(nodes: Nodes, node: int) -> None:
    """Make a node a leaf again; what was found out of it stays."""
    mover, _ = kind_of(nodes, node)
    nodes.links[at(node)].first = -1
    nodes.links[at(node)].kind = _kind(mover, I0)


@part
def _note_proof(nodes: Nodes, node: int, chooser: int) -> None:
    """What a node is worth is certain from now on: it stands in `values`."""
    nodes.scores[at(node)].mean = nodes.values[node, chooser]
    nodes.scores[at(node)].root = NONE


@part
def is_proven(nodes: Nodes, node: int) -> bool:
    """Whether what everybody can expect from a node on is certain."""
    return nodes.scores[at(node)].root == NONE


@kernel
def begin_tree(game: GameArrays, nodes: Nodes) -> int:
    """Make the first row a root without children; who chooses there."""
    mover = mover_of(game, nodes.rows, I0)
    _set_up(nodes, I0, MINUS, mover)
    return mover


@aside
def _prove(game: GameArrays, nodes: Nodes, node: int) -> None:
    """See whether a node is proven by its children, then its parent, and so on.

    The mover takes what is best for it. Where that is the same to it, the others expect what is worst for them: of
    several others that must be one and the same child, or nobody knows. And where it is the most that the mover can
    get, a child that is still open may be as good for it and worse for them, unless they get nothing already. At the
    root nobody but the mover counts. Chance takes the mean of all children, once they are proven; what it gets itself
    is of no interest.
    """
    while node >= 0:
        mover, count = kind_of(nodes, node)
        first, parent = nodes.links[at(node)].first, nodes.links[at(node)].parent
        is_all, most = True, LEAST
        for child in range(first, first + count):
            if not is_proven(nodes, child):
                is_all = False
            else:
                most = max(most, nodes.scores[at(child)].mean)
        if mover == game.chance:
            if not is_all:
                return
            _average(nodes, node, first, first + count)
            chooser, _ = kind_of(nodes, np.int64(max(0, parent)))
            _note_proof(nodes, node, chooser if parent >= 0 else mover)
            node = parent
            continue
        if not (is_all or most >= game.best_goal[mover] - SAME):
            return
        for role in range(nodes.values.shape[1]):
            least = _least(nodes, first, first + count, most, role)
            nodes.values[at(node), at(role)] = least
            is_other = role != mover and role != game.chance
            if least > NONE and is_other and not is_all and parent >= 0:
                return
        if (
            nodes.values.shape[1] > 2
            and parent >= 0
            and not _is_childs(game, nodes, node, first, first + count)
        ):
            return
        chooser, _ = kind_of(nodes, np.int64(max(0, parent)))
        _note_proof(nodes, node, chooser if parent >= 0 else mover)
        node = parent


@part
def _least(nodes: Nodes, first: int, end: int, most: np.float32, role: int) -> Any:
    """The least that a role gets after the children that are proven to be the best for whoever chooses."""
    least = WHOLE
    for child in range(first, end):
        if is_proven(nodes, child) and nodes.scores[at(child)].mean >= most - SAME:
            least = min(least, nodes.values[at(child), at(role)])
    return least


@part
def _average(nodes: Nodes, node: int, first: int, end: int) -> None:
    """What everybody gets where chance decides among children, all of them proven: the mean."""
    for role in range(nodes.values.shape[1]):
        total = 0.0
        for child in range(first, end):
            total += nodes.values[at(child), at(role)]
        nodes.values[at(node), at(role)] = np.float32(total / (end - first))


@part
def _is_childs(game: GameArrays, nodes: Nodes, node: int, first: int, end: int) -> bool:
    """Whether what stands in a node's `values` is what everybody gets after one of its proven children."""
    roles = nodes.values.shape[1]
    for child in range(first, end):
        role = 0
        while role < roles and (
            role == game.chance
            or abs(nodes.values[at(child), at(role)] - nodes.values[at(node), at(role)]) < SAME
        ):
            role += 1
        if role == roles and is_proven(nodes, child):
            return True
    return False


@part
def expand_node(game: GameArrays, nodes: Nodes, guide: Guide, node: int, counts: Ints) -> bool:
    """Make the children of a node; whether one of them is to be tried."""
    goes_on = False
    mover, _ = kind_of(nodes, node)
    if mover != SEVERAL:
        if mover != game.chance and chance_chooses(game, nodes.rows, node):
            is_made = _expand_halves(game, nodes, guide, node, mover, counts)
        else:
            is_made = _expand_steps(game, nodes, guide, node, mover, counts)
        if not is_made:
            counts[FULL] = 1
        elif guide.proofs:
            _prove(game, nodes, node)
        goes_on = is_made and not is_proven(nodes, node)
    return goes_on


@aside
def _expand_steps(game: GameArrays, nodes: Nodes, guide: Guide, node: int, mover: int, counts: Ints) -> bool:
    """Make a child for each move of the mover; whether there was room."""
    base = counts[USED]
    count = make_children(game, nodes.rows, node, mover, nodes.rows, base, nodes.moves)
    if count < 0:
        return False
    counts[USED] += count
    _note_children(game, nodes, guide, node, base, count)
    return True


@aside
def _expand_halves(game: GameArrays, nodes: Nodes, guide: Guide, node: int, mover: int, counts: Ints) -> bool:
    """Where chance chooses in the same step: a half step for each move of the mover, and the children of them all.

    All of it or nothing: no playout can begin in the middle of a step.
    """
    base = counts[USED]
    count = make_halves(game, nodes.rows, node, mover, nodes.rows, base, nodes.moves)
    if count < 0:
        return False
    counts[USED] += count
    _note_children(game, nodes, guide, node, base, count)
    for half in range(base, base + count):
        if not _expand_steps(game, nodes, guide, half, game.chance, counts):
            counts[USED] = base
            nodes.links[at(node)].first = -1
            nodes.links[at(node)].kind = _kind(mover, I0)
            return False
    if guide.proofs:
        for half in range(base, base + count):
            _prove(game, nodes, half)
    return True
