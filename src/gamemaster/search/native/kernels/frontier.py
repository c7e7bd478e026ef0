"""States of a puzzle, each found once, and where they came from: some make their moves in lanes; see ../frontier.py.

Lanes are filled with the moves of many states, as in graph.py. What comes of them is looked up by a hash of the facts
that tell states apart; a state that is new gets the next number, its origin, and a rank: how soon it is to be chosen.
Ends are not kept, but for the best one so far.

N is a number of states, W of words of a row, S of words of facts, T of slots (a power of two).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gamemaster.codegen.vector import LANES
from gamemaster.search.native.kernels.compiling import kernel, part
from gamemaster.search.native.kernels.graph import Numbers, clear_moves, load_positions
from gamemaster.search.native.kernels.intrinsics import (
    HIGHEST,
    I0,
    ONE,
    ZERO,
    at,
    count_ones,
    prefetch,
)
from gamemaster.search.native.kernels.records import Floats, GameArrays, Ints, Words
from gamemaster.search.native.kernels.rows import (
    end_value,
    is_terminal,
    next_one,
    run_code,
    unload,
)

__all__ = [
    "ASKED",
    "BEST_END",
    "BEST_VALUE",
    "CROWDED",
    "FOUND_STATES",
    "FRONTIER_COUNTS",
    "MADE",
    "SPREAD",
    "WON",
    "Frontier",
    "SpreadDesk",
    "add_start",
    "spread",
]

SPREAD, CROWDED, WON, HALTED = range(4)
"""Why spreading came back: all is done; there is no room; an end is worth enough; it was stopped."""

FRONTIER_COUNTS = 5
ASKED, PLACE_IN_ROW, FOUND_STATES, MADE, BEST_END = range(FRONTIER_COUNTS)
"""The next state of the queue and the bit in its row of its next move (0: the first); how many states there are; how
many moves were made; where the best end came from, -1 where there is none. That end itself is the last row."""

BEST_VALUE = 0

FINGERPRINT = np.uint64(0xFFFFFFFF00000000)
NUMBER = np.uint64(0x00000000FFFFFFFF)


class Frontier(NamedTuple):
    """What is known of each state. `rows` has a row more than there can be states."""

    rows: Words  # uint64[N + 1, W]
    origins: Numbers  # uint32[N]: the state from which it came first; its own number for the start
    ranks: npt.NDArray[np.int32]  # int32[N]: the lowest is to be chosen first
    slots: Words  # uint64[T]: hash and number + 1 of a state, 0 where there is none


class SpreadDesk(NamedTuple):
    """What spreading works with, and by what it goes."""

    children: Words  # uint64[lanes, W]
    parents: Ints  # int64[lanes]: numbers of states
    keys: Words  # uint64[lanes]: hashes of children
    square: Words  # uint64[64]: bits that are turned
    telling: Words  # uint64[S]: the facts that tell states apart
    wanted: Words  # uint64[S]: facts that are true in every solution
    unwanted: Words  # uint64[S]: facts that are false in every one
    fresh: (
        Words  # uint64[wants + 1, S]: the facts of states of which so many wants are met; [0, 0]: nobody asks
    )


@part
def _key_of(telling: Words, rows: Words, row: int) -> Any:
    """A hash of what tells a state apart, never 0."""
    value = np.uint64(0x9E3779B97F4A7C15)
    for i in range(telling.shape[0]):
        value = (value ^ (rows[at(row), at(i)] & telling[at(i)])) * np.uint64(0xBF58476D1CE4E5B9)
        value ^= value >> np.uint64(29)
        value *= np.uint64(0x94D049BB133111EB)
        value ^= value >> np.uint64(32)
    return value | HIGHEST


@part
def _slot_of(states: Frontier, desk: SpreadDesk, rows: Words, row: int, key: np.uint64) -> int:
    """The slot of a state, or the free one where it belongs."""
    mask = np.uint64(len(states.slots) - 1)
    slot = key & mask
    while True:
        held = states.slots[slot]
        if held == ZERO:
            return np.int64(slot)
        if (held ^ key) & FINGERPRINT == ZERO:
            number = (held & NUMBER) - ONE
            same = True
            for i in range(desk.telling.shape[0]):
                differ = states.rows[number, at(i)] ^ rows[at(row), at(i)]
                same = same and (differ & desk.telling[at(i)]) == ZERO
            if same:
                return np.int64(slot)
        slot = (slot + ONE) & mask


@part
def _rank_of(desk: SpreadDesk, rows: Words, row: int) -> int:
    """How soon a state is to be chosen: first those with a fact that no state with as many wants met had, then by
    wants that are not met."""
    met, wants = I0, I0
    for i in range(desk.wanted.shape[0]):
        bits = rows[at(row), at(i)]
        met += count_ones(bits & desk.wanted[at(i)]) + count_ones(~bits & desk.unwanted[at(i)])
        wants += count_ones(desk.wanted[at(i)]) + count_ones(desk.unwanted[at(i)])
    rank = wants - met
    if desk.fresh.shape[0]:
        is_fresh = False
        for i in range(desk.wanted.shape[0]):
            bits = rows[at(row), at(i)]
            if bits & ~desk.fresh[at(met), at(i)] != ZERO:
                is_fresh = True
                desk.fresh[at(met), at(i)] |= bits
        rank = 2 * rank + (0 if is_fresh else wants + 1)
    return rank


@part
def _add(states: Frontier, desk: SpreadDesk, rows: Words, row: int, key: np.uint64, counts: Ints) -> None:
    """Give a state that is new the next number; its origin is the one that `parents` has for it."""
    slot = at(_slot_of(states, desk, rows, row, key))
    if states.slots[slot] != ZERO:
        return
    number = counts[at(FOUND_STATES)]
    states.slots[slot] = (key & FINGERPRINT) | np.uint64(number + 1)
    for i in range(rows.shape[1]):
        states.rows[at(number), at(i)] = rows[at(row), at(i)]
    states.origins[at(number)] = desk.parents[at(row)]
    states.ranks[at(number)] = _rank_of(desk, rows, row)
    counts[at(FOUND_STATES)] = number + 1


@part
def _load_moves(game: GameArrays, states: Frontier, desk: SpreadDesk, queue: Ints, counts: Ints) -> int:
    """The next moves of states of the queue, one a lane, as many as fit; how many that are."""
    first, first_slot = game.places.first_legal, game.places.first_move
    end = first + game.move_start[at(1)]
    lanes, place, position = 0, counts[at(ASKED)], counts[at(PLACE_IN_ROW)]
    while place < len(queue):
        number = queue[at(place)]
        position = next_one(states.rows, number, max(first, position), end)
        while position < end and lanes < LANES:
            group, bit = at(lanes >> 6), ONE << np.uint64(lanes & 63)
            game.buffer[at(first_slot + position - first), group] |= bit
            if game.places.moved:
                game.buffer[at(game.places.first_moved), group] |= bit
            desk.parents[at(lanes)] = number
            lanes += 1
            position = next_one(states.rows, number, position + 1, end)
        if position < end:
            break
        position = I0
        place += 1
    counts[at(ASKED)], counts[at(PLACE_IN_ROW)] = place, position
    return lanes


@part
def _note_end(
    game: GameArrays, states: Frontier, desk: SpreadDesk, lane: int, counts: Ints, values: Floats
) -> None:
    """Keep an end if it is the best so far."""
    value = end_value(game, desk.children, lane, I0)
    if value > values[at(BEST_VALUE)]:
        values[at(BEST_VALUE)] = value
        counts[at(BEST_END)] = desk.parents[at(lane)]
        last = states.rows.shape[0] - 1
        for i in range(states.rows.shape[1]):
            states.rows[at(last), at(i)] = desk.children[at(lane), at(i)]


@kernel
def spread(
    game: GameArrays,
    states: Frontier,
    desk: SpreadDesk,
    queue: Ints,
    counts: Ints,
    values: Floats,
    enough: float,
    most: int,
    stop: Ints,
) -> int:
    """Make all moves of the states of a queue, from where `counts` says on, until so many were made; see SPREAD."""
    mask = np.uint64(len(states.slots) - 1)
    room = min(len(states.origins), 2 * len(states.slots) // 3) - LANES
    while counts[at(ASKED)] < len(queue):
        if stop[0] or counts[at(MADE)] >= most:
            return HALTED
        if counts[at(FOUND_STATES)] > room:
            return CROWDED
        lanes = _load_moves(game, states, desk, queue, counts)
        load_positions(game, states.rows, desk, lanes)
        run_code(game.words)
        unload(game, lanes, desk.children, I0)
        clear_moves(game)
        counts[at(MADE)] += lanes
        for lane in range(lanes):
            key = _key_of(desk.telling, desk.children, lane)
            desk.keys[at(lane)] = key
            prefetch(states.slots, key & mask)
        for lane in range(lanes):
            if is_terminal(game, desk.children, lane):
                _note_end(game, states, desk, lane, counts, values)
                if values[at(BEST_VALUE)] >= enough:
                    return WON
            else:
                _add(states, desk, desk.children, lane, desk.keys[at(lane)], counts)
    return SPREAD


@kernel
def add_start(states: Frontier, desk: SpreadDesk, counts: Ints) -> None:
    """Add the state whose row is the first child; there must be room."""
    desk.parents[at(0)] = counts[at(FOUND_STATES)]
    _add(states, desk, desk.children, I0, _key_of(desk.telling, desk.children, I0), counts)
