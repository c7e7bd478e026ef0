"""What search with joint moves works in, and what stands where in it: see joint.py.

N is a number of nodes, E of edges, C of cells, R of roles.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gamemaster.search.native.kernels.records import Floats, Ints, Records, Singles, Words
from gamemaster.search.native.kernels.set_records import Halves

__all__ = [
    "CELLS_FILLED",
    "DEEPEST_STEP",
    "EDGES_FILLED",
    "JOINT_COUNTS",
    "JOINT_EDGE",
    "JOINT_NODE",
    "MOST_JOINT",
    "NODES_FILLED",
    "WITHOUT_ROOM",
    "JointArrays",
    "JointStyle",
]

JOINT_COUNTS = 5
NODES_FILLED, EDGES_FILLED, CELLS_FILLED, WITHOUT_ROOM, DEEPEST_STEP = range(JOINT_COUNTS)
"""Places in the counts: nodes, edges and cells there are, whether there was no room for another, the most steps that a
round was in the tree."""

MOST_JOINT = 256
"""A node with more joint moves has no cells: they would be visited too seldom to say anything."""

JOINT_NODE = np.dtype([("visits", "i4"), ("first", "i4"), ("cells", "i4"), ("choosers", "i4")], align=True)
"""A state: rounds through it; its first edge, that of the next node being where its edges end; the first of its
cells, -1 where it has none; how many roles choose there, chance apart."""

JOINT_EDGE = np.dtype(
    [
        ("move", "i4"),
        ("role", "i4"),
        ("tries", "i4"),
        ("flying", "i4"),
        ("mean", "f4"),
        ("regret", "f4"),
        ("share", "f4"),
    ],
    align=True,
)
"""A move of a role: among all moves; rounds that have ended, and those under way; what the role got in the mean, 0 to
1; how much it regrets not to have made it; how likely it made it, in the mean. The edges of a role stand side by side,
in the order of its moves, those of a node in the order of its roles."""


class JointArrays(NamedTuple):
    """States in which somebody chooses, found by their keys."""

    table: Halves  # int32[power of two]: the number of a node, -1 where there is none
    keys: Words  # uint64[N]
    nodes: Records  # JOINT_NODE[N + 1]
    edges: Records  # JOINT_EDGE[E]
    cells: (
        Singles  # float32[C, R + 1]: of a joint move, what each role got in the mean, and in how many rounds
    )
    counts: Ints  # int64[JOINT_COUNTS]


class JointStyle(NamedTuple):
    """How to choose: see playouts/decoupled.py."""

    exploration: float  # of a role that chooses alone
    stray: float  # how often a role makes any move where several choose
    trust: float  # so many rounds of a move count beside those of a cell
    lanes: int  # the most rounds of a batch
    first_lanes: int  # of the first batch
    rounds_a_lane: int  # after so many rounds there is one more
    floor: Floats  # float64[R]: the least that a role can get, 1 for 100
    scale: Floats  # float64[R]: what makes the rest a share
