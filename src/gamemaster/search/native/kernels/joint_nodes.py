"""Nodes of search with joint moves, found by their states: see joint.py."""

from __future__ import annotations

from typing import Any

import numpy as np

from gamemaster.search.native.kernels.compiling import kernel, part
from gamemaster.search.native.kernels.intrinsics import ONE, ZERO, at
from gamemaster.search.native.kernels.joint_records import (
    CELLS_FILLED,
    EDGES_FILLED,
    MOST_JOINT,
    NODES_FILLED,
    WITHOUT_ROOM,
    JointArrays,
)
from gamemaster.search.native.kernels.records import Words
from gamemaster.search.native.kernels.rows import count_set, next_one
from gamemaster.search.native.kernels.set_records import SetGame
from gamemaster.search.native.kernels.sets import mixed

__all__ = ["add_joint", "find_joint", "joint_place", "keep_joint", "state_key"]


@part
def state_key(rows: Words, row: int, facts: int) -> Any:
    """A word for the state in a row: of its facts, whatever stands behind them."""
    key = ZERO
    for word in range(facts >> 6):
        key = mixed(key + rows[at(row), at(word)])
    if facts & 63:
        key = mixed(key + (rows[at(row), at(facts >> 6)] & ((ONE << np.uint64(facts & 63)) - ONE)))
    return mixed(key + ONE)


@part
def joint_place(tree: JointArrays, key: np.uint64) -> int:
    """Where in the table a node is, or would be."""
    mask = tree.table.shape[0] - 1
    place = np.int64(key & np.uint64(mask))
    while tree.table[at(place)] >= 0 and tree.keys[at(tree.table[at(place)])] != key:
        place = (place + 1) & mask
    return place


@kernel
def find_joint(tree: JointArrays, row: Words, facts: int) -> int:
    """The node of the state in a row [1, W], -1 where there is none."""
    return np.int64(tree.table[at(joint_place(tree, state_key(row, np.int64(0), facts)))])


@part
def add_joint(game: SetGame, tree: JointArrays, place: int, key: np.uint64, seen: Words, lane: int) -> int:
    """A node with an edge for each move of the roles that choose in a lane; -1 where there is no room."""
    node, edge, cell = tree.counts[NODES_FILLED], tree.counts[EDGES_FILLED], tree.counts[CELLS_FILLED]
    count, joint, choosers = 0, 1, 0
    for role in range(game.roles):
        own = count_set(seen, lane, 1 + game.move_start[at(role)], 1 + game.move_start[at(role + 1)])
        if own > 1 and role != game.chance:
            count += own
            joint = min(joint * own, MOST_JOINT + 1)
            choosers += 1
    has_cells = choosers > 1 and joint <= MOST_JOINT
    if (
        node + 1 >= tree.nodes.shape[0]
        or edge + count > tree.edges.shape[0]
        or (has_cells and cell + joint > tree.cells.shape[0])
    ):
        tree.counts[WITHOUT_ROOM] = 1
        return -1
    tree.table[at(place)] = node
    tree.keys[at(node)] = key
    tree.nodes[at(node)].visits = 0
    tree.nodes[at(node)].first = edge
    tree.nodes[at(node)].choosers = choosers
    tree.nodes[at(node)].cells = cell if has_cells else -1
    tree.nodes[at(node + 1)].first = edge + count
    tree.counts[NODES_FILLED] += 1
    tree.counts[EDGES_FILLED] += count
    _fill_edges(game, tree, edge, seen, lane)
    if has_cells:
        tree.counts[CELLS_FILLED] += joint
        for each in range(cell, cell + joint):
            for role in range(tree.cells.shape[1]):
                tree.cells[at(each), at(role)] = 0.0
    return node


@part
def _fill_edges(game: SetGame, tree: JointArrays, edge: int, seen: Words, lane: int) -> None:
    """Edges of which nothing is known, for the moves that are legal in a lane."""
    for role in range(game.roles):
        start, end = 1 + game.move_start[at(role)], 1 + game.move_start[at(role + 1)]
        if role == game.chance or count_set(seen, lane, start, end) < 2:
            continue
        found = next_one(seen, lane, start, end)
        while found < end:
            tree.edges[at(edge)].move = found - 1
            tree.edges[at(edge)].role = role
            tree.edges[at(edge)].tries = 0
            tree.edges[at(edge)].flying = 0
            tree.edges[at(edge)].mean = 0.0
            tree.edges[at(edge)].regret = 0.0
            tree.edges[at(edge)].share = 0.0
            edge += 1
            found = next_one(seen, lane, found + 1, end)


@kernel
def keep_joint(tree: JointArrays, least: int) -> None:
    """Keep only nodes that were visited so often: there is room for others then."""
    for place in range(tree.table.shape[0]):
        tree.table[at(place)] = -1
    used, target, edge, cell = tree.counts[NODES_FILLED], 0, 0, 0
    for node in range(used):
        first, end = tree.nodes[at(node)].first, tree.nodes[at(node + 1)].first
        visits, cells, choosers = (
            tree.nodes[at(node)].visits,
            tree.nodes[at(node)].cells,
            tree.nodes[at(node)].choosers,
        )
        if visits < least:
            continue
        key = tree.keys[at(node)]
        tree.keys[at(target)] = key
        tree.nodes[at(target)].visits = visits
        tree.nodes[at(target)].first = edge
        tree.nodes[at(target)].cells = cell if cells >= 0 else -1
        tree.nodes[at(target)].choosers = choosers
        if cells >= 0:
            for source in range(cells, cells + _joint_moves(tree, first, end)):
                for role in range(tree.cells.shape[1]):
                    tree.cells[at(cell), at(role)] = tree.cells[at(source), at(role)]
                cell += 1
        for source in range(first, end):
            tree.edges[at(edge)] = tree.edges[at(source)]
            tree.edges[at(edge)].flying = 0
            edge += 1
        tree.table[at(joint_place(tree, key))] = target
        target += 1
    tree.nodes[at(target)].first = edge
    tree.counts[NODES_FILLED], tree.counts[EDGES_FILLED] = target, edge
    tree.counts[CELLS_FILLED], tree.counts[WITHOUT_ROOM] = cell, 0


@part
def _joint_moves(tree: JointArrays, first: int, end: int) -> int:
    """How many joint moves the edges of a node make."""
    joint, own = 1, 0
    for edge in range(first, end):
        own += 1
        if edge + 1 == end or tree.edges[at(edge + 1)].role != tree.edges[at(edge)].role:
            joint *= own
            own = 0
    return joint
