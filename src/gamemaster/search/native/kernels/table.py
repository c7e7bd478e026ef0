"""The transposition table of alpha-beta: what was found of a state, by its hash."""

from __future__ import annotations

from typing import Any

import numpy as np

from gamemaster.search.native.kernels.compiling import kernel, part
from gamemaster.search.native.kernels.intrinsics import HIGHEST, I0, I1, at
from gamemaster.search.native.kernels.records import INCOMPLETE, GameArrays, Ints, Pool, Words
from gamemaster.search.native.kernels.rows import copy_row, is_terminal, make_children, mover_of

__all__ = [
    "DEPTH_SHIFT",
    "EXACT",
    "LOWER",
    "MOST_DEPTH",
    "MOST_MOVES",
    "MOVE_SHIFT",
    "SOLVED",
    "UPPER",
    "VALUE_SHIFT",
    "VALUE_UNIT",
    "follow_table",
    "hash_of",
    "remember",
]


@part
def hash_of(rows: Words, row: int, width: int) -> Any:
    """A hash of a state, never 0 (splitmix64's mixing, word by word); tables go by its lowest bits, which are free."""
    value = np.uint64(0x9E3779B97F4A7C15)
    for i in range(width):
        value = (value ^ rows[at(row), at(i)]) * np.uint64(0xBF58476D1CE4E5B9)
        value ^= value >> np.uint64(29)
        value *= np.uint64(0x94D049BB133111EB)
        value ^= value >> np.uint64(32)
    return value | HIGHEST


EXACT, LOWER, UPPER = 1, 2, 3

SOLVED = 4

MOVE_SHIFT, DEPTH_SHIFT, VALUE_SHIFT = 3, 27, 44

MOST_MOVES, MOST_DEPTH, VALUE_UNIT = (1 << 24) - 1, (1 << 17) - 1, 4096.0
"""A table entry, uint64[2]: the hash; value, depth, best move, whether the value is a bound, whether it is solved.

What is solved is true of the game itself, whatever the window and the depth in which it was found: no state that was
looked at for it was cut off by the depth, so the value is exact, or a bound of the exact one."""


@part
def remember(
    table: Words,
    slot: int,
    key: np.uint64,
    value: float,
    depth: int,
    best_move: int,
    alpha: float,
    beta: float,
    is_cut: int,
) -> None:
    """Put a value into the table, unless something searched deeper stands there."""
    entry = np.int64(table[slot, 1])
    if table[slot, 0] == key and (entry >> DEPTH_SHIFT) & MOST_DEPTH > depth and is_cut:
        return
    kind = LOWER if value >= beta else (UPPER if value <= alpha else EXACT)
    solved = 0 if is_cut else SOLVED
    table[slot, 0] = key
    table[slot, 1] = np.uint64(
        (np.int64(value * VALUE_UNIT) << VALUE_SHIFT)
        | (min(depth, MOST_DEPTH) << DEPTH_SHIFT)
        | ((best_move + 1) << MOVE_SHIFT)
        | kind
        | solved
    )


@kernel
def follow_table(game: GameArrays, pool: Pool, first: int, line: Ints, proven: float) -> int:
    """From the state in row 0 make its move `first`, then those that the table has, into `line`; how many there are.

    The state that they lead to is in row 0 in the end. Where a value is `proven` (else INCOMPLETE), the line ends with
    the last state that the table knows to be worth that: an entry may be gone, or come from another search.
    """
    rows, table = pool.rows, pool.table
    length, move = 0, first
    while length < len(line) and move >= 0 and not is_terminal(game, rows, I0):
        count = make_children(game, rows, I0, mover_of(game, rows, I0), rows, I1, pool.moves)
        child = 1
        while child <= count and pool.moves[child] != move:
            child += 1
        if child > count:
            break
        copy_row(rows, I0, child)
        line[length] = move
        length += 1
        key = hash_of(rows, I0, game.places.state_words)
        slot = np.int64(key & np.uint64(len(table) - 1))
        entry = np.int64(table[slot, 1]) if table[slot, 0] == key else 0
        move = ((entry >> MOVE_SHIFT) & MOST_MOVES) - 1
        if proven != INCOMPLETE:
            is_sure = entry & SOLVED and entry & 3 == EXACT
            if not is_sure or (entry >> VALUE_SHIFT) / VALUE_UNIT != proven:
                move = -1
    return length
