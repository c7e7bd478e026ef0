"""Nodes of information-set search, found by what a role knows: see sets.py."""

from __future__ import annotations

import numpy as np

from gamemaster.search.native.kernels.compiling import kernel, part
from gamemaster.search.native.kernels.intrinsics import at
from gamemaster.search.native.kernels.records import Floats, Ints, Words
from gamemaster.search.native.kernels.rows import count_set, next_one
from gamemaster.search.native.kernels.set_records import EDGES_USED, NO_ROOM, NODES_USED, SetTrees

__all__ = ["add_node", "chances_in", "find_set", "keep_visited", "place_of"]


@part
def place_of(trees: SetTrees, key: np.uint64) -> int:
    """Where in the table a node is, or would be."""
    mask = trees.table.shape[0] - 1
    place = np.int64(key & np.uint64(mask))
    while trees.table[at(place)] >= 0 and trees.keys[at(trees.table[at(place)])] != key:
        place = (place + 1) & mask
    return place


@kernel
def find_set(trees: SetTrees, key: np.uint64) -> int:
    """The node of a key, -1 where there is none."""
    return np.int64(trees.table[at(place_of(trees, key))])


@part
def add_node(
    trees: SetTrees, place: int, key: np.uint64, rows: Words, lane: int, start: int, end: int
) -> int:
    """A node with an edge for each move that is legal in a lane, at a place of the table; -1 where there is no room."""
    count = count_set(rows, lane, start, end)
    node, edge = trees.counts[NODES_USED], trees.counts[EDGES_USED]
    if node >= trees.keys.shape[0] or edge + count > trees.moves.shape[0]:
        trees.counts[NO_ROOM] = 1
        return -1
    trees.counts[NODES_USED] += 1
    trees.counts[EDGES_USED] += count
    trees.table[at(place)] = node
    trees.keys[at(node)] = key
    trees.first[at(node)] = edge
    trees.first[at(node + 1)] = edge + count
    trees.visits[at(node)] = 0
    found = next_one(rows, lane, start, end)
    for number in range(edge, edge + count):
        trees.moves[at(number)] = found - 1
        trees.tries[at(number)] = 0
        trees.flying[at(number)] = 0
        trees.totals[at(number)] = 0.0
        found = next_one(rows, lane, found + 1, end)
    return node


@kernel
def keep_visited(trees: SetTrees, least: int) -> None:
    """Keep only nodes that were visited so often: there is room for others then."""
    for place in range(trees.table.shape[0]):
        trees.table[at(place)] = -1
    used, target, edge = trees.counts[NODES_USED], 0, 0
    for node in range(used):
        first, end = trees.first[at(node)], trees.first[at(node + 1)]
        if trees.visits[at(node)] < least:
            continue
        key = trees.keys[at(node)]
        trees.keys[at(target)] = key
        trees.visits[at(target)] = trees.visits[at(node)]
        trees.first[at(target)] = edge
        for source in range(first, end):
            trees.moves[at(edge)] = trees.moves[at(source)]
            trees.tries[at(edge)] = trees.tries[at(source)]
            trees.flying[at(edge)] = 0
            trees.totals[at(edge)] = trees.totals[at(source)]
            edge += 1
        trees.table[at(place_of(trees, key))] = target
        target += 1
    trees.first[at(target)] = edge
    trees.counts[NODES_USED], trees.counts[EDGES_USED], trees.counts[NO_ROOM] = target, edge, 0


@kernel
def chances_in(trees: SetTrees, keys: Words, start: Ints, doubt: float, shares: Floats) -> None:
    """How likely moves are in nodes, as they were tried: of node i those from start[i] to start[i + 1], in their order.

    By lot where there is no node; `doubt` tries for each move are added, as if they were made by lot.
    """
    for i in range(keys.shape[0]):
        first, count = start[at(i)], start[at(i + 1)] - start[at(i)]
        node = np.int64(trees.table[at(place_of(trees, keys[at(i)]))])
        total = doubt * count
        for j in range(count):
            shares[at(first + j)] = doubt
            if node >= 0:
                tried = float(trees.tries[at(trees.first[at(node)] + j)])
                shares[at(first + j)] += tried
                total += tried
        for j in range(count):
            shares[at(first + j)] /= total
