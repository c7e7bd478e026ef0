"""Depth first, where the fewest ways are left: puzzles in which a move only takes moves away; see ../filling.py.

N is a number of rows, W of words of a row, S of words of facts, P of plies.
"""

from __future__ import annotations

from typing import NamedTuple

from gamemaster.search.native.kernels.compiling import aside, kernel, part
from gamemaster.search.native.kernels.intrinsics import I0, I1, ONE, ZERO, at, lowest_one
from gamemaster.search.native.kernels.playouts import draw
from gamemaster.search.native.kernels.records import Floats, GameArrays, Ints, Words
from gamemaster.search.native.kernels.rows import (
    copy_row,
    count_set,
    end_value,
    is_terminal,
    make_children,
    next_one,
)

__all__ = [
    "CROSSED",
    "DEAD_ENDS",
    "ENTERED_STATES",
    "FILLING_COUNTS",
    "GREW",
    "LINE_LENGTH",
    "OPENED",
    "TIRED",
    "WON",
    "Filling",
    "fill_in",
]

CROSSED, WON, TIRED, OPENED = range(4)
"""Why filling came back: every way was tried; an end is worth enough; it was stopped, or met too many states, or had no
room; a move made another legal, so that nothing can be told from there being none."""

FILLING_COUNTS = 4
ENTERED_STATES, LINE_LENGTH, DEAD_ENDS, GREW = range(FILLING_COUNTS)

CHILD, END, HERE = range(3)
"""Of a ply: the next child, the row after the last, and the row of the state itself."""


class Filling(NamedTuple):
    """What filling works in, and by what it goes."""

    rows: Words  # uint64[N, W]
    moves: Ints  # int64[N]
    keys: Ints  # int64[N]: the greatest is tried first
    frames: Ints  # int64[P, 3]
    ways: Ints  # int64[64]: how many moves meet each want of a word
    wanted: Words  # uint64[S]: facts that are true in every solution
    unwanted: Words  # uint64[S]: facts that are false in every one
    line: Ints  # int64[P + 1]: moves that lead to the best end
    generator: Words  # uint64[2]


@part
def _met(pool: Filling, row: int, word: int) -> int:
    """The wants of a word that a state meets."""
    bits = pool.rows[at(row), at(word)]
    return (bits & pool.wanted[at(word)]) | (~bits & pool.unwanted[at(word)])


@aside
def _count_ways(pool: Filling, row: int, first: int, end: int) -> int:
    """The want that the fewest children of a state meet anew, of which there is one; -1 where one has none, -2 where
    nothing is wanted."""
    chosen, fewest = -2, 1 << 40
    for word in range(pool.wanted.shape[0]):
        left = (pool.wanted[at(word)] | pool.unwanted[at(word)]) & ~_met(pool, row, word)
        if left == ZERO:
            continue
        for bit in range(64):
            pool.ways[at(bit)] = 0
        for child in range(first, end):
            bits = left & _met(pool, child, word)
            while bits != ZERO:
                pool.ways[at(lowest_one(bits))] += 1
                bits &= bits - ONE
        while left != ZERO:
            bit = lowest_one(left)
            left &= left - ONE
            ways = pool.ways[at(bit)]
            if ways == 0:
                return -1
            if ways < fewest or (ways == fewest and draw(pool.generator, 4) == 0):
                chosen, fewest = (word << 6) + bit, ways
    return chosen


@aside
def _drop_distant(pool: Filling, row: int, first: int, end: int) -> None:
    """No longer want what no move meets from the start: it follows from other things."""
    for word in range(pool.wanted.shape[0]):
        near = _met(pool, row, word)
        for child in range(first, end):
            near |= _met(pool, child, word)
        pool.wanted[at(word)] &= near
        pool.unwanted[at(word)] &= near


@aside
def _arrange(game: GameArrays, pool: Filling, want: int, first: int, end: int) -> int:
    """Put children that meet a want first, those that leave the most moves before others; where they end."""
    legal = game.places.first_legal
    last = legal + game.move_start[at(1)]
    kept = first
    for child in range(first, end):
        if want >= 0 and (_met(pool, child, want >> 6) >> at(want & 63)) & ONE == ZERO:
            continue
        key = (count_set(pool.rows, child, legal, last) << 8) + draw(pool.generator, 256)
        move = pool.moves[at(child)]
        if kept != child:
            copy_row(pool.rows, kept, child)
            pool.moves[at(kept)] = move
        pool.keys[at(kept)] = key
        kept += 1
    return kept


@aside
def _has_grown(game: GameArrays, pool: Filling, row: int, child: int) -> bool:
    """Whether a move is legal in a child that was not in the state before."""
    first = game.places.first_legal
    end = first + game.move_start[at(1)]
    position = next_one(pool.rows, child, first, end)
    while position < end:
        if (pool.rows[at(row), at(position >> 6)] >> at(position & 63)) & ONE == ZERO:
            return True
        position = next_one(pool.rows, child, position + 1, end)
    return False


@part
def _note_line(pool: Filling, depth: int, child: int, counts: Ints) -> None:
    """The moves that lead to a child of the state at a ply."""
    for ply in range(1, depth + 1):
        pool.line[at(ply - 1)] = pool.moves[at(pool.frames[at(ply), at(HERE)])]
    pool.line[at(depth)] = pool.moves[at(child)]
    counts[at(LINE_LENGTH)] = depth + 1


@aside
def _enter(
    game: GameArrays, pool: Filling, depth: int, base: int, counts: Ints, best: Floats, enough: float
) -> int:
    """Make the children of the state at a ply, and keep those to be tried; CROSSED, or why not to go on."""
    row = pool.frames[at(depth), at(HERE)]
    is_wanting = False
    for word in range(pool.wanted.shape[0]):
        is_wanting = is_wanting or (pool.wanted[at(word)] | pool.unwanted[at(word)]) != ZERO
    pool.frames[at(depth), at(CHILD)] = pool.frames[at(depth), at(END)] = base
    count = make_children(game, pool.rows, row, I0, pool.rows, base, pool.moves)
    if count < 0:
        return TIRED
    counts[at(ENTERED_STATES)] += 1
    for child in range(base, base + count):
        if is_terminal(game, pool.rows, child):
            value = end_value(game, pool.rows, child, I0)
            if value > best[0]:
                best[0] = value
                _note_line(pool, depth, child, counts)
                if value >= enough:
                    return WON
        elif is_wanting and _has_grown(game, pool, row, child):
            counts[at(GREW)] += 1
            return OPENED
    if depth == 0:
        _drop_distant(pool, row, base, base + count)
    want = _count_ways(pool, row, base, base + count)
    if want == -1:
        counts[at(DEAD_ENDS)] += 1
        return CROSSED
    pool.frames[at(depth), at(END)] = _arrange(game, pool, want, base, base + count)
    return CROSSED


@part
def _best_child(pool: Filling, first: int, end: int) -> int:
    """Bring the child with the greatest key to the front."""
    best = first
    for child in range(first + 1, end):
        if pool.keys[at(child)] > pool.keys[at(best)]:
            best = child
    if best != first:
        for word in range(pool.rows.shape[1]):
            held = pool.rows[at(first), at(word)]
            pool.rows[at(first), at(word)] = pool.rows[at(best), at(word)]
            pool.rows[at(best), at(word)] = held
        pool.moves[at(first)], pool.moves[at(best)] = pool.moves[at(best)], pool.moves[at(first)]
        pool.keys[at(first)], pool.keys[at(best)] = pool.keys[at(best)], pool.keys[at(first)]
    return first


@kernel
def fill_in(
    game: GameArrays, pool: Filling, enough: float, most: int, counts: Ints, best: Floats, stop: Ints
) -> int:
    """Search from the state of row 0 until an end is worth enough, or so many states were met; see CROSSED and so on.

    `best[0]` is what the best end is worth, whose moves are in `line`.
    """
    depth = I0
    pool.frames[at(0), at(HERE)] = 0
    status = _enter(game, pool, depth, I1, counts, best, enough)
    begun = counts[at(ENTERED_STATES)]
    while status == CROSSED:
        if stop[0] or counts[at(ENTERED_STATES)] - begun >= most:
            return TIRED
        first, end = pool.frames[at(depth), at(CHILD)], pool.frames[at(depth), at(END)]
        if first == end:
            if depth == 0:
                return CROSSED
            depth -= 1
            continue
        child = _best_child(pool, first, end)
        pool.frames[at(depth), at(CHILD)] = child + 1
        if is_terminal(game, pool.rows, child):
            continue
        if depth + 2 == pool.frames.shape[0]:
            return TIRED
        depth += 1
        pool.frames[at(depth), at(HERE)] = child
        status = _enter(game, pool, depth, end, counts, best, enough)
    return status
