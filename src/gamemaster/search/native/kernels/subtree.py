"""What is kept of a tree: all that is below a new root, and of that, where memory is full, what is visited most.

To forget a node's children makes it a leaf again, with all that was found out of it; they are made anew when it has
been visited often enough. How often nodes were visited tells which those are: the least number of visits is taken with
which half of the memory will do, and before a leaf has as many it gets no children again. So after each time the tree
has to be visited about twice as often until memory is full again, and however long it grows, little time goes to that.

Children stand side by side, after their parent. So one pass from the first node to the last moves what is kept to the
front, a node's children at a time, and after each of these the tree is whole: it can be stopped there, and go on later.
"""

from __future__ import annotations

import numpy as np

from gamemaster.search.native.kernels.compiling import aside, kernel, part
from gamemaster.search.native.kernels.intrinsics import I0, I1, at
from gamemaster.search.native.kernels.nodes import cut_node, is_proven, kind_of
from gamemaster.search.native.kernels.records import (
    FULL,
    GARBAGE,
    KEPT,
    NEEDED,
    NEXT_ROOM,
    SCANNED,
    USED,
    GameArrays,
    Ints,
    Nodes,
    Words,
)
from gamemaster.search.native.kernels.rows import copy_row

__all__ = ["find_state", "forget_some", "make_room", "make_root"]

SAMPLE = 4096
"""So many nodes tell how many there are with how many visits."""

PROVEN_SHIFT = 4
"""A node that is proven needs 2 ** 4 times as many visits to keep its children, which only tell how to go on."""

SPARED = 8
"""Room is made no more often than after visits for one node in so many that there is room for."""


@kernel
def find_state(nodes: Nodes, root: int, row: Words, words: int, farthest: int, most: int) -> int:
    """The node of a state as few plies below a root as possible, `farthest` at most; -1 where there is none.

    Nor is there if it takes more than `most` nodes to find it: looking must not take long.
    """
    looked = 0
    for plies in range(farthest + 1):
        node, depth = root, 0
        while True:
            looked += 1
            first = nodes.links[at(node)].first
            if depth < plies and first >= 0:
                node, depth = first, depth + 1
                continue
            if depth == plies and _is_same(nodes.rows, node, row, words):
                return node
            while depth > 0 and _is_last_child(nodes, node):
                node, depth = np.int64(nodes.links[at(node)].parent), depth - 1
            if depth == 0 or looked > most:
                break
            node += 1
    return -1


@part
def _is_same(rows: Words, node: int, row: Words, words: int) -> bool:
    word = 0
    while word < words and rows[node, word] == row[word]:
        word += 1
    return word == words


@part
def _is_last_child(nodes: Nodes, node: int) -> bool:
    parent = np.int64(nodes.links[at(node)].parent)
    _, count = kind_of(nodes, parent)
    return node + 1 >= nodes.links[at(parent)].first + count


@kernel
def make_root(nodes: Nodes, node: int, counts: Ints) -> None:
    """Make a node the root, which is the first; all that is not below it can be forgotten."""
    _move(nodes, I0, node)
    nodes.links[at(node)].first = -1
    nodes.links[at(I0)].parent = -1
    _tell_children(nodes, I0)
    counts[GARBAGE] = 1 if counts[SCANNED] == 0 else 2
    counts[NEEDED] = counts[NEXT_ROOM] = counts[FULL] = 0


@part
def _move(nodes: Nodes, target: int, source: int) -> None:
    """A node to another place."""
    copy_row(nodes.rows, target, source)
    nodes.moves[at(target)] = nodes.moves[at(source)]
    nodes.links[at(target)] = nodes.links[at(source)]
    nodes.scores[at(target)] = nodes.scores[at(source)]
    if nodes.advice.shape[0] > 1:
        nodes.advice[at(target)] = nodes.advice[at(source)]
    copy_row(nodes.values, target, source)


@part
def _tell_children(nodes: Nodes, node: int) -> None:
    """Tell the children of a node where it is."""
    first = np.int64(nodes.links[at(node)].first)
    if first >= 0:
        _, count = kind_of(nodes, node)
        for child in range(first, first + count):
            nodes.links[at(child)].parent = node


@part
def _is_half(game: GameArrays, nodes: Nodes, node: int, parent: int) -> bool:
    """Whether a node is a half step, which cannot be a leaf: chance moves on in the state of its parent."""
    mover, _ = kind_of(nodes, node)
    if mover != game.chance or parent < 0:
        return False
    word = 0
    while (
        word < game.places.state_words and nodes.rows[at(node), at(word)] == nodes.rows[at(parent), at(word)]
    ):
        word += 1
    return word == game.places.state_words


@part
def _use(nodes: Nodes, node: int) -> int:
    """How useful the children of a node are: its visits; of a proven node less, for nobody searches below it."""
    visits = np.int64(nodes.links[at(node)].visits)
    return visits >> PROVEN_SHIFT if is_proven(nodes, node) else visits


@aside
def _visits_that_keep(game: GameArrays, nodes: Nodes, used: int, most: int) -> int:
    """The least visits of nodes whose children are kept, so that probably no more than so many nodes are."""
    stride = max(1, used // SAMPLE)
    enough = most // stride
    low, high = I1, np.int64(nodes.links[at(I0)].visits) + 1
    while low < high:  # as in looking up a word: is it too many with the middle?
        middle = (low + high) >> 1
        kept = 0
        for node in range(1, used, stride):
            parent = np.int64(nodes.links[at(node)].parent)
            before = np.int64(nodes.links[at(parent)].parent)
            if _is_half(game, nodes, parent, before):
                parent = before
            if parent == 0 or _use(nodes, parent) >= middle:
                kept += 1
        if kept > enough:
            low = middle + 1
        else:
            high = middle
    return low


@aside
def make_room(game: GameArrays, nodes: Nodes, counts: Ints, most: int, stop: Ints) -> None:
    """Forget what is not below the root, or, if all is, what was visited least; no playouts are under way.

    It looks at about so many nodes at most, and begins where it was stopped the last time.
    """
    if counts[SCANNED] == 0:
        if not counts[GARBAGE]:
            counts[NEEDED] = _visits_that_keep(game, nodes, counts[USED], nodes.rows.shape[0] // 2)
        counts[SCANNED] = counts[KEPT] = 1
    used, node, end, least = counts[USED], counts[SCANNED], counts[KEPT], counts[NEEDED]
    enough = node + most
    while node < used and node < enough and not stop[0]:
        parent = np.int64(nodes.links[at(node)].parent)
        if nodes.links[at(parent)].first != node:  # the parent has been forgotten, or has others
            nodes.links[at(node)].first = -1
            node += 1
            continue
        _, count = kind_of(nodes, parent)
        if end != node:
            nodes.links[at(parent)].first = end
        for i in range(count):
            child = end + i
            if end != node:
                _move(nodes, child, node + i)
                _tell_children(nodes, child)
            if _use(nodes, child) < least and not _is_half(game, nodes, child, parent):
                cut_node(nodes, child)
        node += count
        end += count
    counts[SCANNED], counts[KEPT] = node, end
    if node >= used:
        if not counts[GARBAGE]:
            counts[NEXT_ROOM] = nodes.links[at(I0)].visits + nodes.rows.shape[0] // SPARED
        counts[GARBAGE] = counts[GARBAGE] >> 1  # where there was a new root meanwhile, some is left
        counts[USED] = end
        counts[SCANNED] = counts[FULL] = 0


@kernel
def forget_some(game: GameArrays, nodes: Nodes, counts: Ints, most: int, stop: Ints) -> None:
    """`make_room`, for Python."""
    make_room(game, nodes, counts, most, stop)
