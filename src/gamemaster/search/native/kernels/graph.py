"""All positions that can come of others, in lanes: each lane makes one move in one position.

`make_children` fills lanes with the moves of one state; here lanes are filled across states, and what comes of them is
looked up in a table of all positions found so far. Positions are numbered as they are found, in the order of the
moves, whatever the lanes: who stops and goes on finds the same numbers.

N is a number of positions, E of moves made in them, R of roles, W of words, T of slots (a power of two).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gamemaster.codegen.vector import LANES
from gamemaster.search.native.kernels.compiling import kernel, part
from gamemaster.search.native.kernels.intrinsics import GROUPS, I0, MINUS, ONE, ZERO, at, prefetch
from gamemaster.search.native.kernels.records import GameArrays, Ints, Words
from gamemaster.search.native.kernels.rows import (
    NOBODY,
    SEVERAL,
    count_set,
    fill,
    is_terminal,
    mover_of,
    next_one,
    run_code,
    unload,
)
from gamemaster.search.native.kernels.table import hash_of

__all__ = [
    "CURSOR",
    "DONE",
    "EDGES",
    "FIRST",
    "FOUND",
    "FULL",
    "MANY_CODES",
    "OPEN",
    "PAUSED",
    "POSITION",
    "ROW",
    "ROWS",
    "SEVERAL_CHOSE",
    "VECTORS",
    "Bench",
    "Bytes",
    "Columns",
    "Numbers",
    "add_roots",
    "clear_moves",
    "end_code",
    "explore",
    "find_positions",
    "is_end",
    "load_lanes",
    "load_positions",
    "rebuild",
    "turn_of",
]

Bytes = npt.NDArray[np.uint8]
Numbers = npt.NDArray[np.uint32]

OPEN = np.uint8(255)
"""The code of a position that is no end."""

CURSOR = 7
ROW, POSITION, ROWS, FIRST, FOUND, EDGES, VECTORS = range(CURSOR)
"""Where exploring is: the row of the layer and the bit in it of the next move (0: the first), how many rows the layer
has and the number of the first; how many positions and moves there are by now, and vectors of goals."""

DONE, PAUSED, FULL, SEVERAL_CHOSE, MANY_CODES = range(5)
"""Why exploring came back: the layer is done; it has worked for so long; an array is full; trouble."""

FINGERPRINT = np.uint64(0xFFFFFFFF00000000)
NUMBER = np.uint64(0x00000000FFFFFFFF)


class Columns(NamedTuple):
    """What is known of each position, and of each move."""

    states: Words  # uint64[N, W]: the facts
    movers: npt.NDArray[np.int8]  # int8[N]: who moves, NOBODY where that cannot be told
    ends: Bytes  # uint8[N]: the code of the goals where no step follows, else OPEN
    counts: npt.NDArray[np.uint16]  # uint16[N]: how many moves there are
    edges: Numbers  # uint32[E]: the positions that moves lead to, those of one position side by side
    slots: Words  # uint64[T]: hash and number of a position, 0 where there is none


class Bench(NamedTuple):
    """What exploring works with."""

    children: Words  # uint64[lanes, row words]
    parents: Ints  # int64[lanes]: rows of the layer
    keys: Words  # uint64[lanes]: hashes of children
    square: Words  # uint64[64]: bits that are turned
    control: Ints  # int64[R]: the fact that says whose turn it is, -1 where there is none
    radix: Words  # uint64[R]: so that goals of all roles are one number
    vectors: Words  # uint64[255]: these numbers, as codes come


@part
def _turn(square: Words) -> None:
    """Turn a square of 64 x 64 bits: bit j of word i becomes bit i of word j."""
    size = np.int64(32)
    mask = NUMBER
    while size:
        shift = np.uint64(size)
        for base in range(0, 64, 2 * size):
            for i in range(base, base + size):
                low, high = square[at(i)], square[at(i + size)]
                swap = ((low >> shift) ^ high) & mask
                square[at(i + size)] = high ^ swap
                square[at(i)] = low ^ (swap << shift)
        size >>= 1
        mask ^= mask << np.uint64(size)


@part
def load_positions(game: GameArrays, layer: Words, desk: Bench, lanes: int) -> None:
    """The states of lanes into the slots of facts."""
    for group in range((lanes + 63) >> 6):
        last = min(64, lanes - (group << 6))
        for word in range(game.places.state_words):
            for i in range(last):
                desk.square[at(i)] = layer[at(desk.parents[at((group << 6) + i)]), at(word)]
            for i in range(last, 64):
                desk.square[at(i)] = ZERO
            _turn(desk.square)
            base = word << 6
            for i in range(min(64, game.places.facts - base)):
                game.buffer[at(base + i), at(group)] = desk.square[at(i)]


@part
def _load_others(game: GameArrays, layer: Words, row: int, mover: int, lane: int) -> None:
    """What roles without a choice do, and who moves at all, into a lane."""
    first, first_slot = game.places.first_legal, game.places.first_move
    group, bit = at(lane >> 6), ONE << np.uint64(lane & 63)
    for role in range(game.places.roles):
        if role == mover and not game.places.moved:
            continue
        end = first + game.move_start[at(role + 1)]
        found = next_one(layer, row, first + game.move_start[at(role)], end)
        if found < end:
            if role != mover:
                game.buffer[at(first_slot + found - first), group] |= bit
            if game.places.moved:
                game.buffer[at(game.places.first_moved + role), group] |= bit


@part
def load_lanes(game: GameArrays, columns: Columns, layer: Words, desk: Bench, cursor: Ints) -> int:
    """Moves of the layer from the cursor on, one a lane, as many as fit; how many that are.

    How many moves a position has is written whenever it is come to, so that it is right however often work was left.
    """
    first, first_slot = game.places.first_legal, game.places.first_move
    lanes, row, position = 0, cursor[at(ROW)], cursor[at(POSITION)]
    while row < cursor[at(ROWS)]:
        mover = NOBODY if is_terminal(game, layer, row) else mover_of(game, layer, row)
        if mover >= 0:
            end = first + game.move_start[at(mover + 1)]
            start = next_one(layer, row, first + game.move_start[at(mover)], end)
            if position == 0:
                position = start
            columns.counts[at(cursor[at(FIRST)] + row)] = count_set(layer, row, start, end)
            while position < end and lanes < LANES:
                slot = at(first_slot + position - first)
                game.buffer[slot, at(lanes >> 6)] |= ONE << np.uint64(lanes & 63)
                _load_others(game, layer, row, mover, lanes)
                desk.parents[at(lanes)] = row
                lanes += 1
                position = next_one(layer, row, position + 1, end)
            if position < end:
                break
        position = I0
        row += 1
    cursor[at(ROW)], cursor[at(POSITION)] = row, position
    return lanes


@part
def clear_moves(game: GameArrays) -> None:
    """Clear all moves of all lanes."""
    for slot in range(game.places.first_move, game.places.first_moved + game.places.moved):
        fill(game.buffer, slot, ZERO, GROUPS)


@part
def turn_of(game: GameArrays, desk: Bench, rows: Words, row: int) -> int:
    """Who moves in a row: who chooses, or where nobody does who is said to; SEVERAL where several choose."""
    mover = NOBODY if is_terminal(game, rows, row) else mover_of(game, rows, row)
    if mover == SEVERAL:
        return SEVERAL
    first = game.places.first_legal
    if mover >= 0:
        end = first + game.move_start[at(mover + 1)]
        found = next_one(rows, row, first + game.move_start[at(mover)], end)
        if next_one(rows, row, found + 1, end) < end:
            return mover
    for role in range(game.places.roles):
        fact = desk.control[at(role)]
        if fact >= 0 and (rows[at(row), at(fact >> 6)] >> np.uint64(fact & 63)) & ONE != ZERO:
            return role
    return mover


@part
def end_code(game: GameArrays, desk: Bench, rows: Words, row: int, cursor: Ints) -> Any:
    """The code of the goals in a row where no step follows, a new one where they are new; OPEN where none is left."""
    number = ZERO
    if is_terminal(game, rows, row):
        for role in range(game.places.roles):
            start, end = game.goal_start[at(role)], game.goal_start[at(role + 1)]
            first = game.places.first_goal
            found = next_one(rows, row, first + start, first + end) - first
            if found < end:
                number += desk.radix[at(role)] * np.uint64(found - start + 1)
    for code in range(cursor[at(VECTORS)]):
        if desk.vectors[at(code)] == number:
            return np.uint8(code)
    if cursor[at(VECTORS)] < len(desk.vectors):
        desk.vectors[at(cursor[at(VECTORS)])] = number
        cursor[at(VECTORS)] += 1
        return np.uint8(cursor[at(VECTORS)] - 1)
    return OPEN


@part
def is_end(game: GameArrays, rows: Words, row: int) -> bool:
    """Whether no step follows."""
    return is_terminal(game, rows, row) or mover_of(game, rows, row) == NOBODY


@part
def _slot_of(columns: Columns, rows: Words, row: int, width: int, key: np.uint64) -> int:
    """The slot of a position, or the free one where it belongs."""
    mask = np.uint64(len(columns.slots) - 1)
    slot = key & mask
    while True:
        held = columns.slots[slot]
        if held == ZERO:
            return np.int64(slot)
        if (held ^ key) & FINGERPRINT == ZERO:
            number = (held & NUMBER) - ONE
            same = True
            for i in range(width):
                same = same and columns.states[number, at(i)] == rows[at(row), at(i)]
            if same:
                return np.int64(slot)
        slot = (slot + ONE) & mask


@part
def _add(
    game: GameArrays,
    columns: Columns,
    desk: Bench,
    rows: Words,
    row: int,
    key: np.uint64,
    layer: Words,
    cursor: Ints,
) -> int:
    """The number of the position of a row, which is added to the next layer where it is new; -1 for trouble, which
    then is in desk.parents[0]."""
    width = game.places.state_words
    slot = at(_slot_of(columns, rows, row, width, key))
    held = columns.slots[slot]
    if held != ZERO:
        return np.int64((held & NUMBER) - ONE)
    number = cursor[at(FOUND)]
    mover = turn_of(game, desk, rows, row)
    code = OPEN
    if mover == SEVERAL:
        desk.parents[0] = SEVERAL_CHOSE
        return MINUS
    if is_end(game, rows, row):
        code = end_code(game, desk, rows, row, cursor)
        if code == OPEN:
            desk.parents[0] = MANY_CODES
            return MINUS
    columns.slots[slot] = (key & FINGERPRINT) | np.uint64(number + 1)
    for i in range(width):
        columns.states[at(number), at(i)] = rows[at(row), at(i)]
    columns.movers[at(number)] = mover
    columns.ends[at(number)] = code
    columns.counts[at(number)] = 0
    place = number - cursor[at(FIRST)] - cursor[at(ROWS)]
    for i in range(rows.shape[1]):
        layer[at(place), at(i)] = rows[at(row), at(i)]
    cursor[at(FOUND)] = number + 1
    return number


@part
def _seek(columns: Columns, desk: Bench, width: int, lanes: int) -> None:
    """The hashes of all children; memory is asked for what they will be compared with, all at once."""
    mask = np.uint64(len(columns.slots) - 1)
    for lane in range(lanes):
        key = hash_of(desk.children, lane, width)
        desk.keys[at(lane)] = key
        prefetch(columns.slots, key & mask)
    for lane in range(lanes):
        key = desk.keys[at(lane)]
        held = columns.slots[key & mask]
        if held != ZERO and (held ^ key) & FINGERPRINT == ZERO:
            prefetch(columns.states, ((held & NUMBER) - ONE) * np.uint64(width))


@part
def _has_room(columns: Columns, next_layer: Words, cursor: Ints) -> bool:
    """Whether all children of all lanes find room, in a table that is not too full to be quick."""
    found = cursor[at(FOUND)] + LANES
    return (
        found <= len(columns.states)
        and cursor[at(EDGES)] + LANES <= len(columns.edges)
        and found - cursor[at(FIRST)] - cursor[at(ROWS)] <= len(next_layer)
        and 3 * found <= 2 * len(columns.slots)
    )


@kernel
def explore(
    game: GameArrays,
    columns: Columns,
    desk: Bench,
    layer: Words,
    next_layer: Words,
    cursor: Ints,
    runs: int,
) -> int:
    """Make moves of a layer from the cursor on, so many times as many as there are lanes; see DONE and so on."""
    for _ in range(runs):
        if cursor[at(ROW)] == cursor[at(ROWS)]:
            return DONE
        if not _has_room(columns, next_layer, cursor):
            return FULL
        lanes = load_lanes(game, columns, layer, desk, cursor)
        if lanes == 0:
            return DONE
        load_positions(game, layer, desk, lanes)
        run_code(game.words)
        unload(game, lanes, desk.children, I0)
        clear_moves(game)
        _seek(columns, desk, game.places.state_words, lanes)
        for lane in range(lanes):
            key = desk.keys[at(lane)]
            child = _add(game, columns, desk, desk.children, lane, key, next_layer, cursor)
            if child < 0:
                return np.int64(desk.parents[0])
            columns.edges[at(cursor[at(EDGES)])] = child
            cursor[at(EDGES)] += 1
    return DONE if cursor[at(ROW)] == cursor[at(ROWS)] else PAUSED


@kernel
def add_roots(
    game: GameArrays, columns: Columns, desk: Bench, rows: Words, next_layer: Words, cursor: Ints
) -> int:
    """Add rows from which to explore; see DONE and so on. There must be room."""
    for row in range(len(rows)):
        key = hash_of(rows, row, game.places.state_words)
        if _add(game, columns, desk, rows, row, key, next_layer, cursor) < 0:
            return np.int64(desk.parents[0])
    return DONE


@kernel
def rebuild(columns: Columns, count: int) -> None:
    """Give all positions their slots; all are empty."""
    mask = np.uint64(len(columns.slots) - 1)
    for number in range(count):
        key = hash_of(columns.states, number, columns.states.shape[1])
        slot = key & mask
        while columns.slots[slot] != ZERO:
            slot = (slot + ONE) & mask
        columns.slots[slot] = (key & FINGERPRINT) | np.uint64(number + 1)


@kernel
def find_positions(columns: Columns, rows: Words, numbers: Ints) -> None:
    """The numbers of positions, -1 where they are not known."""
    for row in range(len(rows)):
        key = hash_of(rows, row, columns.states.shape[1])
        held = columns.slots[at(_slot_of(columns, rows, row, columns.states.shape[1], key))]
        numbers[at(row)] = MINUS if held == ZERO else np.int64((held & NUMBER) - ONE)
