"""What states are worth at least and at most: the table of expectiminimax, and the children of chance; see star.py."""

from __future__ import annotations

from typing import Any

import numpy as np

from gamemaster.search.native.kernels.alphabeta import take_best
from gamemaster.search.native.kernels.compiling import kernel, part
from gamemaster.search.native.kernels.evaluation import judged
from gamemaster.search.native.kernels.intrinsics import HIGHEST, I0, I1, MINUS, ONE, at
from gamemaster.search.native.kernels.records import (
    ABOVE_ALL,
    INCOMPLETE,
    Branches,
    Expectation,
    GameArrays,
)
from gamemaster.search.native.kernels.rows import goal_of, is_terminal
from gamemaster.search.native.kernels.table import hash_of

__all__ = [
    "LEAST",
    "first_bounds",
    "first_move",
    "is_any_open",
    "known_move",
    "look_up",
    "merge_outcomes",
    "narrow",
    "note_bounds",
    "remember_bounds",
    "sort_outcomes",
    "sums",
    "window",
]

LEAST = 0.0
"""No state is worth less: goals are from 0 on, and so is what evaluations say."""

MOVE_SHIFT, DEPTH_SHIFT = 1, 32
MOST_MOVES = (1 << (DEPTH_SHIFT - MOVE_SHIFT)) - 1
"""The second word of an entry of the table: whether it is solved (no depth limit had a part in it), the best move + 1,
the depth. A state has an entry for each depth: play may come back to it. Entries come in pairs: the first is kept for
what was searched deepest, the second for what came last."""

SOLVED = np.int64(0)
"""Stands for the depth in the key of what is solved: nothing is searched to depth 0."""

ROW_BITS = 24
"""A seat holds a row in so many bits, and above them the number of the search for equal rows in which it was taken."""


# The table


@part
def _find(pool: Branches, key: np.uint64) -> int:
    """Where a state stands in the table, -1 where it does not."""
    first = np.int64(key & np.uint64(pool.table.shape[0] - 2))
    if pool.table[at(first), 0] == key:
        return first
    return first + 1 if pool.table[at(first + 1), 0] == key else MINUS


@part
def _key(hashed: np.uint64, depth: int) -> Any:
    """The key of what was found of a state to a depth, SOLVED where that is true of the game itself."""
    return (hashed ^ (np.uint64(depth) * np.uint64(0x9E3779B97F4A7C15))) | HIGHEST


@part
def look_up(pool: Branches, hashed: np.uint64, depth: int) -> int:
    """Where the table has bounds that hold for a search to a depth, -1 where it has none."""
    place = _find(pool, _key(hashed, SOLVED))
    return place if place >= 0 else _find(pool, _key(hashed, depth))


@part
def first_move(pool: Branches, hashed: np.uint64, depth: int) -> int:
    """The best move that the table has for a state, searched to a depth or to the one before; -1 for none."""
    place = look_up(pool, hashed, depth)
    if place < 0:
        place = _find(pool, _key(hashed, depth - 1))
    return MINUS if place < 0 else ((np.int64(pool.table[at(place), 1]) >> MOVE_SHIFT) & MOST_MOVES) - 1


@part
def remember_bounds(
    pool: Branches, hashed: np.uint64, depth: int, low: float, high: float, move: int, is_cut: int
) -> None:
    """Put bounds into the table; those that were known before are narrowed down."""
    key = _key(hashed, depth if is_cut else SOLVED)
    place = _find(pool, key)
    if place >= 0:
        low = max(low, pool.bounds[at(place), 0])
        high = max(low, min(high, pool.bounds[at(place), 1]))
    else:
        place = np.int64(key & np.uint64(pool.table.shape[0] - 2))
        if np.int64(pool.table[at(place), 1]) >> DEPTH_SHIFT > depth:
            place += 1
    pool.table[at(place), 0] = key
    pool.table[at(place), 1] = np.uint64((depth << DEPTH_SHIFT) | ((move + 1) << MOVE_SHIFT) | (1 - is_cut))
    pool.bounds[at(place), 0] = low
    pool.bounds[at(place), 1] = high


@kernel
def known_move(game: GameArrays, pool: Branches, row: int, depth: int) -> int:
    """The best move that the table has for a state that was searched to a depth, -1 where it has none."""
    return first_move(pool, hash_of(pool.rows, row, game.places.state_words), depth)


# The children of chance


@part
def note_bounds(pool: Branches, child: int, low: float, high: float, is_open: int) -> None:
    """Keep the bounds of a child."""
    pool.lowest[at(child)] = low
    pool.highest[at(child)] = high
    pool.is_open[at(child)] = is_open


@part
def _is_same(game: GameArrays, pool: Branches, one: int, other: int) -> bool:
    """Whether two rows are the same state."""
    is_same = pool.hashes[at(one)] == pool.hashes[at(other)]
    word = 0
    while is_same and word < game.places.state_words:
        is_same = pool.rows[at(one), at(word)] == pool.rows[at(other), at(word)]
        word += 1
    return is_same


@part
def merge_outcomes(game: GameArrays, pool: Branches, base: int, count: int) -> int:
    """Put the rows from `base` on that differ into the order, each with how many are the same; how many differ."""
    size = pool.seats.shape[0] - 1
    pool.seats[at(size)] += 1
    turn, differing = pool.seats[at(size)] << ROW_BITS, 0
    for child in range(base, base + count):
        pool.hashes[at(child)] = hash_of(pool.rows, child, game.places.state_words)
        pool.weights[at(child)] = 1.0
        seat = np.int64(pool.hashes[at(child)] & np.uint64(size - 1))
        is_new = True
        while is_new and 2 * differing < size and pool.seats[at(seat)] >= turn:
            other = pool.seats[at(seat)] - turn
            if _is_same(game, pool, child, other):
                pool.weights[at(other)] += 1.0
                is_new = False
            seat = (seat + 1) & (size - 1)
        if is_new:
            pool.order[at(base + differing)] = child
            differing += 1
            if 2 * differing < size:
                pool.seats[at(seat)] = turn + child
    return differing


@part
def first_bounds(game: GameArrays, task: Expectation, pool: Branches, child: int, below: int) -> None:
    """What is known of a child before it is searched: its goal, or what it looks to be worth, or what the table has."""
    low, high, is_open = LEAST, task.most, I0
    if is_terminal(game, pool.rows, child):
        low = high = goal_of(game, pool.rows, child, task.role)
    elif below <= 0:
        low = high = judged(task.evaluation.weights, task.evaluation.bias, pool.rows, child)
        is_open = I1
    elif task.is_pruned:
        place = look_up(pool, pool.hashes[at(child)], below)
        if place >= 0:
            low, high = pool.bounds[at(place), 0], pool.bounds[at(place), 1]
            is_open = I0 if pool.table[at(place), 1] & ONE == ONE else I1
    note_bounds(pool, child, low, high, is_open)


@part
def narrow(pool: Branches, child: int, low: float, high: float, is_open: int) -> None:
    """Take what was found of a child into its bounds."""
    before_low, before_high = pool.lowest[at(child)], pool.highest[at(child)]
    if low < high:
        has_changed = low > before_low or high < before_high
        is_open = pool.is_open[at(child)] | (is_open if has_changed else I0)
    low = max(low, before_low)
    note_bounds(pool, child, low, max(low, min(high, before_high)), is_open)


@part
def sums(pool: Branches, base: int, end: int) -> Any:
    """The bounds of children added up, each with its weight."""
    low, high = 0.0, 0.0
    for place in range(base, end):
        child = pool.order[at(place)]
        low += pool.lowest[at(child)] * pool.weights[at(child)]
        high += pool.highest[at(child)] * pool.weights[at(child)]
    return low, high


@part
def sort_outcomes(
    game: GameArrays, task: Expectation, pool: Branches, base: int, end: int, below: int
) -> int:
    """Begin with what is known of children of chance: those first that leave most open. Where those end that do."""
    open_end = base
    for place in range(base, end):
        child = pool.order[at(place)]
        first_bounds(game, task, pool, child, below)
        gap = (pool.highest[at(child)] - pool.lowest[at(child)]) * pool.weights[at(child)]
        pool.keys[at(child)] = gap
        if gap > 0.0:
            open_end += 1
    for place in range(base, open_end):
        take_best(pool, place, end)
    return open_end


@part
def window(
    task: Expectation, pool: Branches, child: int, low: float, high: float, least: float, most: float
) -> Any:
    """Between which values a child of chance can decide on which side of the window the sum is: `least` to `most`."""
    if not task.is_pruned:
        return INCOMPLETE, ABOVE_ALL
    weight = pool.weights[at(child)]
    a = max(pool.lowest[at(child)], pool.highest[at(child)] + (least - high) / weight)
    b = min(pool.highest[at(child)], pool.lowest[at(child)] + (most - low) / weight)
    return a, b


@part
def is_any_open(pool: Branches, base: int, end: int) -> int:
    """Whether the depth has a part in what any child of chance is worth."""
    is_open = I0
    for place in range(base, end):
        is_open |= pool.is_open[at(pool.order[at(place)])]
    return is_open
