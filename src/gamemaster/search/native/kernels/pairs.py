"""Two plies in lanes: all moves of several states at once, by one run of a game's code.

What is set in all lanes stays from run to run, and only what is other than before is set anew. The rows that come out
are left as the game's code gives them, until somebody asks for those of one state.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gamemaster.codegen.vector import LANES
from gamemaster.search.native.kernels.compiling import part
from gamemaster.search.native.kernels.intrinsics import (
    GROUPS,
    ONE,
    ZERO,
    at,
    byte_column,
    lowest_one,
    pick_bytes,
)
from gamemaster.search.native.kernels.records import GameArrays
from gamemaster.search.native.kernels.rows import fill, next_one, range_mask
from gamemaster.search.native.kernels.workbench import FIRST_LANE, STOP_LANE, Workbench

__all__ = ["UNDECIDED", "forget_lanes", "load_states", "save_lanes", "settled", "take_rows"]

UNDECIDED = -1


@part
def forget_lanes(game: GameArrays, bench: Workbench) -> None:
    """Clear all moves, as others expect them; what else is set may be anything from now on."""
    for slot in range(game.places.first_move, game.places.outputs):
        fill(game.buffer, slot, ZERO, GROUPS)
    for word in range(bench.inputs.shape[1]):
        bench.inputs[1, at(word)] = range_mask(word, 0, game.places.outputs)


@part
def _fact_of_most(bench: Workbench, begin: int, end: int, word: int) -> Any:
    """A word of the facts that two of the first three states of `order` have: what differs from that is little."""
    one = bench.rows[at(bench.order[at(begin)]), at(word)]
    if end < begin + 3:
        return one
    other = bench.rows[at(bench.order[at(begin + 1)]), at(word)]
    third = bench.rows[at(bench.order[at(begin + 2)]), at(word)]
    return (one & other) | (one & third) | (other & third)


@part
def _load_model(game: GameArrays, bench: Workbench, begin: int, end: int) -> None:
    """What most states have into all lanes, and no move into any."""
    for word in range(bench.inputs.shape[1]):
        held = _fact_of_most(bench, begin, end, word) if word < game.places.state_words else ZERO
        other = (bench.inputs[0, at(word)] ^ held) | bench.inputs[1, at(word)]
        bench.inputs[0, at(word)] = held
        bench.inputs[1, at(word)] = ZERO
        while other != ZERO:
            bit = lowest_one(other)
            fill(game.buffer, (word << 6) + bit, ZERO - ((held >> np.uint64(bit)) & ONE), GROUPS)
            other &= other - ONE


@part
def _flip(game: GameArrays, slot: int, start: int, end: int, mask: np.uint64) -> None:
    """Turn an input in some lanes; `mask` are those in the first word."""
    first = start >> 6
    game.buffer[at(slot), at(first)] ^= mask
    for word in range(first + 1, (end + 63) >> 6):
        game.buffer[at(slot), at(word)] ^= range_mask(word, start, end)


@part
def _mark(bench: Workbench, bits: np.uint64, position: int) -> None:
    """Note inputs that differ between lanes: so many bits from a position on, which may begin before the first."""
    word, shift = position >> 6, np.uint64(position & 63)
    if word >= 0:
        bench.inputs[1, at(word)] |= bits << shift
    if shift != ZERO and bits >> (np.uint64(64) - shift) != ZERO:
        bench.inputs[1, at(word + 1)] |= bits >> (np.uint64(64) - shift)


@part
def _load_facts(game: GameArrays, bench: Workbench, row: int, start: int, end: int, mask: np.uint64) -> None:
    """Facts of a state into some lanes, where they are not those that are in all."""
    for word in range(game.places.state_words):
        bits = bench.rows[at(row), at(word)] ^ bench.inputs[0, at(word)]
        bench.inputs[1, at(word)] |= bits
        while bits != ZERO:
            _flip(game, (word << 6) + lowest_one(bits), start, end, mask)
            bits &= bits - ONE


@part
def _load_choice(game: GameArrays, bench: Workbench, row: int, position: int, limit: int, lane: int) -> None:
    """Moves between two positions of a row, one a lane."""
    offset = game.places.first_move - game.places.first_legal
    for word in range(position >> 6, (limit + 63) >> 6):
        bits = bench.rows[at(row), at(word)] & range_mask(word, position, limit)
        _mark(bench, bits, (word << 6) + offset)
        while bits != ZERO:
            slot = (word << 6) + lowest_one(bits) + offset
            game.buffer[at(slot), at(lane >> 6)] |= ONE << np.uint64(lane & 63)
            lane += 1
            bits &= bits - ONE


@part
def _load_one(game: GameArrays, bench: Workbench, row: int, start: int, end: int) -> None:
    """A state into some lanes, and one of its moves into each."""
    mask = range_mask(start >> 6, start, end)
    _load_facts(game, bench, row, start, end, mask)
    first, first_slot = game.places.first_legal, game.places.first_move
    for role in range(game.places.roles):
        position, limit = first + game.move_start[at(role)], first + game.move_start[at(role + 1)]
        found = next_one(bench.rows, row, position, limit)
        if found == limit:
            continue
        if game.places.moved:
            slot = game.places.first_moved + role
            _mark(bench, ONE, slot)
            _flip(game, slot, start, end, mask)
        if role == bench.chooser[at(row)]:
            _load_choice(game, bench, row, position, limit, start)
        else:
            slot = first_slot + found - first
            _mark(bench, ONE, slot)
            _flip(game, slot, start, end, mask)


@part
def load_states(game: GameArrays, bench: Workbench, begin: int, end: int) -> int:
    """The moves of the states that `order` has from `begin` on, as many as fit; where in it those end."""
    _load_model(game, bench, begin, end)
    lane = 0
    while begin < end:
        row = bench.order[at(begin)]
        after = lane + bench.mobile[at(row)]
        if after > LANES:
            break
        _load_one(game, bench, row, lane, after)
        bench.lanes[at(row), FIRST_LANE] = lane
        bench.lanes[at(row), STOP_LANE] = after
        lane = after
        begin += 1
    return begin


@part
def _extreme(game: GameArrays, role: int, start: int, end: int, wants_most: bool) -> int:
    """The most, or the least, that a role gets in those of some lanes in which the game is over."""
    terminal = game.places.outputs + (game.places.state_words << 6)
    goals = game.places.outputs + game.places.first_goal
    best = -1 if wants_most else 101
    for word in range(start >> 6, (end + 63) >> 6):
        left = range_mask(word, start, end) & game.buffer[at(terminal), at(word)]
        for goal in range(game.goal_start[at(role)], game.goal_start[at(role + 1)]):
            held = left & game.buffer[at(goals + goal), at(word)]
            if held != ZERO:
                worth = np.int64(game.goal_value[at(goal)])
                best = max(best, worth) if wants_most else min(best, worth)
                left &= ~held
        if left != ZERO:  # those without a goal
            best = max(best, 0) if wants_most else min(best, 0)
    return best


@part
def settled(game: GameArrays, bench: Workbench, row: int, role: int, target: int) -> int:
    """What a state is worth where its moves that end the game settle that, as far as `target` asks; else UNDECIDED."""
    terminal = game.places.outputs + (game.places.state_words << 6)
    start, end = bench.lanes[at(row), FIRST_LANE], bench.lanes[at(row), STOP_LANE]
    is_any, is_all = False, True
    for word in range(start >> 6, (end + 63) >> 6):
        mask = range_mask(word, start, end)
        over = mask & game.buffer[at(terminal), at(word)]
        is_any |= over != ZERO
        is_all &= over == mask
    if not is_any:
        return UNDECIDED
    wants_most = bench.chooser[at(row)] == role
    best = _extreme(game, role, start, end, wants_most)
    if is_all or (best >= target if wants_most else best < target):
        return best
    return UNDECIDED


@part
def save_lanes(game: GameArrays, bench: Workbench, ply: int, lanes: int) -> None:
    """Keep the rows of all lanes, as they are, for a ply."""
    width = game.places.row_words << 6
    seen = game.places.state_words << 6
    seen_end = game.places.first_goal + game.goal_start[at(game.places.roles)]
    for group in range((lanes + 63) >> 6):
        start = group * width
        for slot in range(game.places.facts):
            bench.saved[at(ply), at(start + slot)] = game.buffer[at(game.places.outputs + slot), at(group)]
        for slot in range(seen, seen_end):
            bench.saved[at(ply), at(start + slot)] = game.buffer[at(game.places.outputs + slot), at(group)]


@part
def take_rows(game: GameArrays, bench: Workbench, ply: int, row: int, base: int) -> Any:
    """The children of a state, from what was kept, as rows from `base` on; how many there are."""
    width = game.places.row_words << 6
    start, end = bench.lanes[at(row), FIRST_LANE], bench.lanes[at(row), STOP_LANE]
    saved = bench.saved[ply]
    lane = start
    while lane < end:
        count = min(8, min(64 - (lane & 63), end - lane))
        for word in range(game.places.row_words):
            place = (lane >> 6) * width + (word << 6)
            pick_bytes(saved, place, np.uint64(lane & 63), bench.block)
            for i in range(count):
                bits = byte_column(bench.block, np.uint8(7 - i))
                bench.rows[at(base + lane - start + i), at(word)] = bits
        lane += count
    first = game.places.first_legal
    chooser = bench.chooser[at(row)]
    limit = first + game.move_start[at(chooser + 1)]
    found = next_one(bench.rows, row, first + game.move_start[at(chooser)], limit)
    for i in range(end - start):
        bench.moves[at(base + i)] = found - first
        found = next_one(bench.rows, row, found + 1, limit)
    return end - start
