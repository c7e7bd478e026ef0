"""Arrays that travel together, and what stands where in them. N is a number of nodes, R of roles, W of words.

rows     uint64[N, W]    rows `child` of machine/layout.py: a state, and what is seen in it
moves    int64[N]        the move that leads to a row from the one before, counted through all roles
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gamemaster.codegen.runtime import KERNEL
from gamemaster.machine.layout import PlayoutSlots, RowPlaces

__all__ = [
    "ABOVE_ALL",
    "ADVICE",
    "ALPHA",
    "BASE",
    "BEST",
    "BEST_FOUND",
    "BEST_MOVE",
    "BETA",
    "BUFFER",
    "CHILDREN",
    "CODE",
    "COUNT",
    "DEEPEST",
    "DEPTH",
    "ENDS",
    "FRAME",
    "FULL",
    "FUNCTION",
    "GARBAGE",
    "INCOMPLETE",
    "IS_BOUND",
    "IS_CUT",
    "ITERATIONS",
    "KEPT",
    "LINKS",
    "MOVER",
    "NEEDED",
    "NEW_IS_BOUND",
    "NEW_VALUE",
    "NEW_WAS_CUT",
    "NEXT",
    "NEXT_ROOM",
    "NODES",
    "NO_CHANCE",
    "NO_ROOM",
    "PLAYOUTS",
    "ROOT_VALUES",
    "ROW",
    "SCANNED",
    "SCORES",
    "SEVERAL_CHOOSE",
    "SOLVER_COUNTS",
    "STACK",
    "STEPS",
    "STOPPED",
    "TREE_COUNTS",
    "TROUBLE",
    "USED",
    "VALUE",
    "WAS_CUT",
    "Branches",
    "Expectation",
    "Floats",
    "GameArrays",
    "Guide",
    "Ints",
    "LinearEvaluation",
    "Nodes",
    "PlayoutArrays",
    "Pool",
    "Records",
    "Singles",
    "Words",
]


Words = npt.NDArray[np.uint64]
Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Singles = npt.NDArray[np.float32]
Records = npt.NDArray[np.void]

FUNCTION, BUFFER, CODE, COUNT = (KERNEL.index(name) for name in ("function", "buffer", "code", "count"))
"""Places in the words of a kernel."""


NO_CHANCE = -3
"""The number of `random` where there is no such role: no role's, and nothing that `mover_of` says."""


class GameArrays(NamedTuple):
    """A game: its kernels `expand` and `end` (words and buffer of each), where things stand, and a scratch block."""

    words: Words
    buffer: Words
    end_words: Words
    end_buffer: Words
    places: RowPlaces
    move_start: Ints  # int64[R + 1]: the first of each role's moves among all moves
    goal_start: Ints  # int64[R + 1]: the first of each role's goals among all goals
    goal_value: Floats  # float64[...]: what each goal is worth
    best_goal: Floats  # float64[R]: the most that a role can get, 1 for 100
    chance: int  # the number of the role `random`, else NO_CHANCE
    block: npt.NDArray[np.uint16]  # uint16[64]


class Pool(NamedTuple):
    """What alphabeta works in: N rows, P plies."""

    rows: Words
    moves: Ints
    keys: Floats  # float64[N]: how soon to try a child
    order: Ints  # int64[N]: children in the order in which they are tried; the mover of each, two plies above leaves
    stop_lane: Ints  # int64[N]: two plies above leaves, the lane after the last of a child's
    frames: Ints  # int64[P, ...], see FRAME
    stack: Floats  # float64[P, ...], see STACK
    table: Words  # uint64[power of two, 2]: the transposition table
    history: Ints  # int64[moves]: how often, and how near the root, a move cut off others


class LinearEvaluation(NamedTuple):
    """What each bit of a row is worth to a role, and what an empty row is: see evaluation.py."""

    weights: Floats  # float64[64 W]
    bias: float = 0.0
    is_goal_only: bool = False  # it is the goal that the role has already: leaves then need no weights


class Branches(NamedTuple):
    """What expectiminimax works in: N rows, a table of T states."""

    rows: Words
    moves: Ints
    keys: Floats  # float64[N]: how soon to try a child
    order: Ints  # int64[N]: children in the order in which they are tried
    history: Ints  # int64[moves]: how often, and how near the root, a move cut off others
    hashes: Words  # uint64[N]: of children of chance
    weights: Floats  # float64[N]: how many moves of chance lead to a child
    lowest: Floats  # float64[N]: what a child is worth at least, as far as is known
    highest: Floats  # float64[N]: and at most
    is_open: Ints  # int64[N]: 1 where the depth limit has a part in that
    chooser: Ints  # int64[N]: who chooses in a child, one ply above leaves
    stop_lane: Ints  # int64[N]: one ply above leaves, the lane after the last of a child's
    seats: Ints  # int64[power of two + 1]: children by their hash, to find equal ones
    table: Words  # uint64[T, 2]: hash; depth, best move, whether it is solved: see star.py
    bounds: Floats  # float64[T, 2]: what that state is worth at least, and at most


class Expectation(NamedTuple):
    """What is asked of expectiminimax: whose value, what a state at the horizon is worth, and how to go about it."""

    evaluation: LinearEvaluation
    role: int
    most: float  # no state is worth more
    is_pruned: bool  # whether bounds are used at all (Star1)
    is_probed: bool  # whether children of chance are probed (Star2)
    most_nodes: int


class Nodes(NamedTuple):
    """The tree of tree_search, N nodes, the root first; children of a node stand side by side, after it.

    What belongs together stands together, in few bytes: memory is what a large tree waits for.
    """

    rows: Words
    moves: npt.NDArray[np.int32]
    links: Records  # LINKS[N]
    scores: Records  # SCORES[N]
    advice: Records  # ADVICE[N] with `amaf` or `trust`, else one that is never read
    values: Singles  # float32[N, R]: what each role gets, where that is proven


class PlayoutArrays(NamedTuple):
    """The kernel `charge`, what its counters mean, and what runs in its lanes."""

    words: Words
    buffer: Words
    slots: PlayoutSlots
    counter_role: Ints
    counter_value: Floats
    generator: Words  # uint64[2]
    lane_node: Ints  # int64[lanes]: the leaf whose playout runs in a lane, -1 where none does
    free: Ints  # int64[lanes]: a stack of free lanes
    made: Words  # uint64[moves, words of a slot]: the moves made in each lane since its leaf
    reward: Floats  # float64[R]: what each role got in a playout


class Guide(NamedTuple):
    """How to choose a child: see mcts.py. A linear evaluation for each role prefers some; how much to trust it."""

    exploration: float
    amaf: float  # after how many visits a child's own mean counts as much as that of its move anywhere; 0 is never
    weights: Floats  # float64[R, 64 W], or [0, 0]
    biases: Floats  # float64[R]
    trust: float
    proofs: bool  # whether a state is proven by its children


FRAME = ("row", "base", "count", "next", "mover", "depth", "is_cut", "best_move")
"""The whole numbers kept for each state on the way from the root: int64[ply, ...]."""

ROW, BASE, CHILDREN, NEXT, MOVER, DEPTH, IS_CUT, BEST_MOVE = range(8)

STACK = ("alpha", "beta", "best")
"""The values kept for each: float64[ply, ...]."""

ALPHA, BETA, BEST = range(3)

INCOMPLETE = -1.0
"""The value of a search that was stopped, had no room, or met a state in which several choose."""

ABOVE_ALL = 101.0
"""More than any goal: where a window ends above that nothing limits. Below it ends with INCOMPLETE, less than any."""

SOLVER_COUNTS = 4
NODES, WAS_CUT, TROUBLE, BEST_FOUND = range(SOLVER_COUNTS)
"""Places in the counts that alphabeta updates."""

ROOT_VALUES = 5
VALUE, IS_BOUND, NEW_VALUE, NEW_IS_BOUND, NEW_WAS_CUT = range(ROOT_VALUES)
"""What `deepen` keeps of each child of the root: of the last depth that it finished, and of the one it is at."""

TREE_COUNTS = 12
USED, ITERATIONS, STEPS, ENDS, DEEPEST, PLAYOUTS, FULL, NEEDED, NEXT_ROOM, GARBAGE, SCANNED, KEPT = range(
    TREE_COUNTS
)
"""Places in the counts that tree_search updates. From FULL on they are about memory, see subtree.py: whether there is
room for no more children; the visits that a node needs to have any; the visits of the root from which on room may be
made again; whether not all is below the root; while room is made, up to where the nodes have been looked at, and to
where those that are kept reach."""

STOPPED, NO_ROOM, SEVERAL_CHOOSE = 1, 2, 3
"""Kinds of TROUBLE, which is 0 where there is none."""

LINKS = np.dtype(
    {
        "names": ["visits", "flying", "parent", "first", "kind", "own_mean"],
        "formats": ["i4", "i4", "i4", "i4", "i4", "f4"],
        "itemsize": 32,
    },
    align=True,
)
"""Half a line of the cache for each node: playouts that have ended and those under way; the first child, -1 before
there are any; how many there are and who chooses among them, see `kind_of`; what the node's own mover got in the mean.
"""

SCORES = np.dtype([("mean", "f4"), ("root", "f4")], align=True)
"""All that choosing among children looks at: what their parent's mover got in the mean, or surely gets (OPEN where
nothing is known); 1 over the root of the number of tries, 0 where the value is proven."""

ADVICE = np.dtype([("amaf_visits", "f4"), ("amaf_total", "f4"), ("prior", "f4")], align=True)
"""Playouts in which the node's move was made at any time after its parent, and what the parent's mover got in those;
what the evaluation says to it."""
