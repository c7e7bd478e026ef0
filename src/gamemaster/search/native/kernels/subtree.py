"""What is kept of a tree from move to move: the node of a new root, and all that is below it."""

from __future__ import annotations

import numpy as np

from gamemaster.search.native.kernels.compiling import kernel, part
from gamemaster.search.native.kernels.intrinsics import at
from gamemaster.search.native.kernels.nodes import kind_of
from gamemaster.search.native.kernels.records import Ints, Nodes, Words
from gamemaster.search.native.kernels.rows import copy_row

__all__ = ["find_state", "keep_subtree"]


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
def keep_subtree(nodes: Nodes, root: int, used: int, where: Ints) -> int:
    """Move the tree below a root to the front of the arrays, the root first; how many nodes that are.

    Nodes are in an order in which parents come before their children, so a node never moves over one still to come.
    """
    for node in range(used):
        where[node] = -1
    where[root] = 0
    count = 1
    for node in range(root + 1, used):
        parent = nodes.links[at(node)].parent
        if parent >= 0 and where[parent] >= 0:
            where[node] = count
            count += 1
    for node in range(root, used):
        target = where[node]
        if target < 0:
            continue
        copy_row(nodes.rows, target, node)
        nodes.moves[target] = nodes.moves[node]
        nodes.scores[target] = nodes.scores[node]
        nodes.advice[target] = nodes.advice[node]
        copy_row(nodes.values, target, node)
        first, parent = nodes.links[at(node)].first, nodes.links[at(node)].parent
        nodes.links[target] = nodes.links[node]
        nodes.links[at(target)].first = where[first] if first >= 0 else -1
        nodes.links[at(target)].parent = where[parent] if node != root else -1
    return count
