"""Two plies in lanes: all moves of several states at once, by one run of a game's code.

What is set in all lanes stays from run to run, and only what is other than before is set anew. The rows that come out
are left as the game's code gives them, until somebody asks for those of one state.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gamemaster.codegen.vector import LANES
from gamemaster.search.native.kernels.compiling import part
from gamemaster.search.native.kernels.desk import FIRST_LANE, STOP_LANE, Desk
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
from gamemaster.search.native.kernels.rows import count_set, fill, next_one, range_mask

__all__ = ["UNDECIDED", "forget_lanes", "load_states", "save_lanes", "settled", "take_rows"]

UNDECIDED = -1


@part
def forget_lanes(game: GameArrays, desk: Desk) -> None:
    """Clear all moves, as others expect them; what else is set may be anything from now on."""
    for slot in range(game.places.first_move, game.places.outputs):
        fill(game.buffer, slot, ZERO, GROUPS)
    for word in range(desk.inputs.shape[1]):
        desk.inputs[1, at(word)] = range_mask(word, 0, game.places.outputs)


@part
def _load_model(game: GameArrays, desk: Desk, row: int) -> None:
    """A state into all lanes, and no move into any."""
    for word in range(desk.inputs.shape[1]):
        held = desk.rows[at(row), at(word)] if word < game.places.state_words else ZERO
        other = (desk.inputs[0, at(word)] ^ held) | desk.inputs[1, at(word)]
        desk.inputs[0, at(word)] = held
        desk.inputs[1, at(word)] = ZERO
        while other != ZERO:
            bit = lowest_one(other)
            fill(game.buffer, (word << 6) + bit, ZERO - ((held >> np.uint64(bit)) & ONE), GROUPS)
            other &= other - ONE


@part
def _flip(game: GameArrays, desk: Desk, slot: int, start: int, end: int) -> None:
    """Turn an input in some lanes."""
    desk.inputs[1, at(slot >> 6)] |= ONE << np.uint64(slot & 63)
    for word in range(start >> 6, (end + 63) >> 6):
        game.buffer[at(slot), at(word)] ^= range_mask(word, start, end)


@part
def _load_one(game: GameArrays, desk: Desk, row: int, model: int, start: int, end: int) -> None:
    """A state into some lanes, and one of its moves into each."""
    for word in range(game.places.state_words):
        bits = desk.rows[at(row), at(word)] ^ desk.rows[at(model), at(word)]
        while bits != ZERO:
            _flip(game, desk, (word << 6) + lowest_one(bits), start, end)
            bits &= bits - ONE
    first, first_slot = game.places.first_legal, game.places.first_move
    for role in range(game.places.roles):
        limit = first + game.move_start[at(role + 1)]
        found = next_one(desk.rows, row, first + game.move_start[at(role)], limit)
        if found == limit:
            continue
        if game.places.moved:
            _flip(game, desk, game.places.first_moved + role, start, end)
        if role != desk.chooser[at(row)]:
            _flip(game, desk, first_slot + found - first, start, end)
            continue
        for lane in range(start, end):
            slot = first_slot + found - first
            desk.inputs[1, at(slot >> 6)] |= ONE << np.uint64(slot & 63)
            game.buffer[at(slot), at(lane >> 6)] |= ONE << np.uint64(lane & 63)
            found = next_one(desk.rows, row, found + 1, limit)


@part
def load_states(game: GameArrays, desk: Desk, begin: int, end: int) -> int:
    """The moves of the states that `order` has from `begin` on, as many as fit; where in it those end."""
    first = game.places.first_legal
    model = desk.order[at(begin)]
    _load_model(game, desk, model)
    lane = 0
    while begin < end:
        row = desk.order[at(begin)]
        chooser = desk.chooser[at(row)]
        start = first + game.move_start[at(chooser)]
        after = lane + count_set(desk.rows, row, start, first + game.move_start[at(chooser + 1)])
        if after > LANES:
            break
        _load_one(game, desk, row, model, lane, after)
        desk.lanes[at(row), FIRST_LANE] = lane
        desk.lanes[at(row), STOP_LANE] = after
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
def settled(game: GameArrays, desk: Desk, row: int, role: int, target: int) -> int:
    """What a state is worth where its moves that end the game settle that, as far as `target` asks; else UNDECIDED."""
    terminal = game.places.outputs + (game.places.state_words << 6)
    start, end = desk.lanes[at(row), FIRST_LANE], desk.lanes[at(row), STOP_LANE]
    is_any, is_all = False, True
    for word in range(start >> 6, (end + 63) >> 6):
        mask = range_mask(word, start, end)
        over = mask & game.buffer[at(terminal), at(word)]
        is_any |= over != ZERO
        is_all &= over == mask
    if not is_any:
        return UNDECIDED
    wants_most = desk.chooser[at(row)] == role
    best = _extreme(game, role, start, end, wants_most)
    if is_all or (best >= target if wants_most else best < target):
        return best
    return UNDECIDED


@part
def save_lanes(game: GameArrays, desk: Desk, ply: int, lanes: int) -> None:
    """Keep the rows of all lanes, as they are, for a ply."""
    width = game.places.row_words << 6
    seen = game.places.state_words << 6
    seen_end = game.places.first_goal + game.goal_start[at(game.places.roles)]
    for group in range((lanes + 63) >> 6):
        start = group * width
        for slot in range(game.places.facts):
            desk.saved[at(ply), at(start + slot)] = game.buffer[at(game.places.outputs + slot), at(group)]
        for slot in range(seen, seen_end):
            desk.saved[at(ply), at(start + slot)] = game.buffer[at(game.places.outputs + slot), at(group)]


@part
def take_rows(game: GameArrays, desk: Desk, ply: int, row: int, base: int) -> Any:
    """The children of a state, from what was kept, as rows from `base` on; how many there are."""
    width = game.places.row_words << 6
    start, end = desk.lanes[at(row), FIRST_LANE], desk.lanes[at(row), STOP_LANE]
    saved = desk.saved[ply]
    lane = start
    while lane < end:
        count = min(8, min(64 - (lane & 63), end - lane))
        for word in range(game.places.row_words):
            place = (lane >> 6) * width + (word << 6)
            pick_bytes(saved, place, np.uint64(lane & 63), desk.block)
            for i in range(count):
                bits = byte_column(desk.block, np.uint8(7 - i))
                desk.rows[at(base + lane - start + i), at(word)] = bits
        lane += count
    first = game.places.first_legal
    chooser = desk.chooser[at(row)]
    limit = first + game.move_start[at(chooser + 1)]
    found = next_one(desk.rows, row, first + game.move_start[at(chooser)], limit)
    for i in range(end - start):
        desk.moves[at(base + i)] = found - first
        found = next_one(desk.rows, row, found + 1, limit)
    return end - start
