"""What information-set search works in, and what stands where in it: see sets.py.

L is a number of lanes, R of roles, N of nodes, E of edges, W of words.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gamemaster.search.native.kernels.records import Floats, Ints, Words

__all__ = [
    "BATCHES",
    "DEEPEST_ROUND",
    "EDGES_USED",
    "ENDED",
    "LONGEST_PATH",
    "NODES_USED",
    "NO_ROOM",
    "PLAYED",
    "SET_COUNTS",
    "Fits",
    "Halves",
    "LaneArrays",
    "SetGame",
    "SetStyle",
    "SetTrees",
    "Sought",
]

Halves = npt.NDArray[np.int32]
Bytes = npt.NDArray[np.uint8]

LONGEST_PATH = 256
"""So many choices of a round are in the trees at most."""

SET_COUNTS = 7
NODES_USED, EDGES_USED, NO_ROOM, PLAYED, ENDED, BATCHES, DEEPEST_ROUND = range(SET_COUNTS)
"""Places in the counts: nodes and edges there are, whether there was room for another, rounds that were played out at
random, those that ended in the trees, batches of rounds, the most choices that a round had in the trees."""


class SetGame(NamedTuple):
    """A game: its kernels `observe` and `advance` (words and buffer of each), and where things stand in them."""

    observe_words: Words
    observe_buffer: Words
    advance_words: Words
    advance_buffer: Words
    observe_first: int  # the slot of the first output: terminal, then legal moves and goals
    observe_count: int  # how many there are
    advance_first: int  # the slot of the first output: next facts, then percepts
    first_move: int  # the slot of the first move
    facts: int
    roles: int
    moves: int
    moved: int  # as many as there are roles, or none where everybody always moves
    chance: int
    has_percepts: int
    in_order: int  # whether what a role knows depends on the order of what it did and saw
    is_choice: Bytes  # uint8[moves]: whether a move is ever one of several
    move_start: Ints  # int64[R + 1]
    goal_start: Ints  # int64[R + 1]
    goal_value: Floats
    percept_start: Ints  # int64[R + 1]
    move_marks: Words  # uint64[moves]: what a role knows changes by these, see hidden/lanes.py
    legal_marks: Words  # uint64[moves]: a node is what a role knows, and which moves it has
    percept_marks: Words  # uint64[percepts]
    block: npt.NDArray[np.uint16]  # uint16[64]
    scratch: Words  # uint64[slots, words of a slot]


class SetTrees(NamedTuple):
    """Nodes of all roles, found by their keys; the edges of a node stand side by side, in the order of its moves."""

    table: Halves  # int32[power of two]: the number of a node, -1 where there is none
    keys: Words  # uint64[N]
    first: Halves  # int32[N + 1]: the first edge; that of the next node is where its edges end
    visits: Halves  # int32[N]: rounds that have ended
    moves: Halves  # int32[E]: among all moves
    tries: Halves  # int32[E]: rounds that have ended
    flying: Halves  # int32[E]: rounds under way
    totals: Floats  # float64[E]: what the role got in them, 0 to 1 each
    sums: Floats  # float64[2]: the first sum of goals that was met, -1 before; whether another was
    counts: Ints  # int64[SET_COUNTS]


class LaneArrays(NamedTuple):
    """What is in each lane."""

    known: Words  # uint64[L, R]
    seen: Words  # uint64[L, W]: terminal, legal, goals
    percepts: Words  # uint64[L, W]
    made: Ints  # int64[L, R]: the move of each role, -1 for none
    state: Ints  # int64[L]
    length: Ints  # int64[L]: how many choices its path has
    edges: Halves  # int32[L, LONGEST_PATH]
    nodes: Halves  # int32[L, LONGEST_PATH]
    movers: Halves  # int32[L, LONGEST_PATH]
    generator: Words  # uint64[2]
    logs: Floats  # float64[L]
    counts: Ints  # int64[R]
    masks: Words  # uint64[words of a slot]
    states: Words  # uint64[L, W]: their facts
    strays: Halves  # int32[L, LONGEST_PATH]: 1 for a move that was made only to see what comes of it


class Sought(NamedTuple):
    """What a role did in a step, -1 where that is not known, and what it saw, as bits of all percepts."""

    role: int
    own: int
    wanted: Words  # uint64[W]


class Fits(NamedTuple):
    """States that fit what was seen: M at most."""

    rows: Words  # uint64[M, W]
    known: Words  # uint64[M, R]
    made: Halves  # int32[M, R]: the moves that led there, -1 for none
    source: Ints  # int64[M]: from which state
    scale: Floats  # float64[M]: how many of those that fit it stands for, as a share of those that were tried
    logs: Floats  # float64[M]: the logarithm of how likely it is by lot


class SetStyle(NamedTuple):
    """How to choose: see hidden/ismcts.py."""

    exploration: float
    is_mixing: bool
    least_eta: float
    first_eta: float
    slowing: float
    lanes: int  # the most rounds of a batch
    first_lanes: int  # of the first batch
    rounds_a_lane: int  # after so many rounds there is one more
    floor: Floats  # float64[R]: the least that a role can get, 1 for 100
    scale: Floats  # float64[R]: what makes the rest a share
    counts: Floats  # float64[R]: 1 for each role that is no chance
