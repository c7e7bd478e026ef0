"""What proving works in, and what stands where in it. A bench belongs to one thread; only the table is shared.

N is a number of rows, P of plies, F of facts, G of symmetries (the first leaves all as it is), W of words of a row.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gamemaster.search.native.kernels.records import Ints, Words

__all__ = [
    "AT_BASE",
    "AT_BEST",
    "AT_BEST_MOVE",
    "AT_CHUNK",
    "AT_COUNT",
    "AT_KNOWN",
    "AT_LANES",
    "AT_NEXT",
    "AT_ROW",
    "AT_SEARCHED",
    "AT_START",
    "ENTERED",
    "FIRST_LANE",
    "LOOKED_AT",
    "PLACE",
    "PROOF_COUNTS",
    "PROOF_FRAME",
    "PROOF_MOVE",
    "PROOF_TROUBLE",
    "REPEATED",
    "STOP_LANE",
    "Workbench",
]


class Workbench(NamedTuple):
    """The arrays of one thread that proves, and the table of all."""

    rows: Words  # uint64[N, W]
    moves: Ints  # int64[N]: the move that leads to a row
    chooser: Ints  # int64[N]: who chooses there
    hashes: Words  # uint64[N, 2 G]: two hashes of each image of a state under a symmetry
    names: Words  # uint64[N, 2]: the key of a state and its PLACE in the table, the same for all its images
    lanes: Ints  # int64[N, 2]: FIRST_LANE and STOP_LANE of its moves, when they were last made
    mobile: Ints  # int64[N]: how many moves whoever chooses there has
    appeal: Ints  # int64[N]: how soon to try a child
    order: Ints  # int64[N]: children in the order in which they are tried
    frames: Ints  # int64[P, ...], see PROOF_FRAME
    saved: Words  # uint64[P, ...]: the grandchildren of a state, as the game's code gave them
    inputs: Words  # uint64[2, ...]: the inputs that are set in all lanes, and those that differ between lanes
    block: npt.NDArray[np.uint8]  # uint8[64]
    on_path: npt.NDArray[np.uint8]  # uint8[power of two]: how many states on the way have a key that ends so
    history: Ints  # int64[F]: how often a fact that a move made cut off others, less how often it did not
    mobility: int  # what each move that a child leaves to others counts against it
    patterns: Words  # uint64[patterns, state words]: see threats.py
    pattern_start: Ints  # int64[F + 1]: where in `pattern_of` the patterns of a fact begin
    pattern_of: Ints  # int64[...]
    in_the_way: Words  # uint64[F, state words]: facts that keep a fact from ever holding
    threats: Words  # uint64[N, state words]: facts that complete a pattern in a state
    numbers: Words  # uint64[F, 2 G]: random numbers, which a state's hashes are made of
    table: Words  # uint64[...]: see shared.py
    busy: Words  # uint64[power of two]: keys of states that some thread is at


PLACE = 1
FIRST_LANE, STOP_LANE = range(2)

PROOF_FRAME = (
    "row",
    "base",
    "count",
    "next",
    "chunk",
    "searched",
    "best",
    "best_move",
    "start",
    "known",
    "lanes",
)
"""What is kept of each state on the way from the root: int64[ply, ...].

Its row; the first of its children's; how many of them are left in `order`; the next to try; where those end whose
children were made; how many were searched; its value as far as it is known; by which move; the nodes before it; whether
the table knew some of its children; how many lanes the moves of all its children take.
"""

AT_ROW, AT_BASE, AT_COUNT, AT_NEXT, AT_CHUNK, AT_SEARCHED = range(6)
AT_BEST, AT_BEST_MOVE, AT_START, AT_KNOWN, AT_LANES = range(6, 11)

PROOF_COUNTS = 4
ENTERED, LOOKED_AT, PROOF_TROUBLE, PROOF_MOVE = range(PROOF_COUNTS)
"""Places in the counts: states entered, states seen, what went wrong, and the move that gives the value."""

REPEATED = 4
"""A kind of trouble: play has come back to a state. Then proofs from the ends backwards are not enough."""
