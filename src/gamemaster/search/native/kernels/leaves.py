"""The last plies of alpha-beta: many leaves in one run of a game's code, which only says how the game ends there."""

from __future__ import annotations

import numpy as np

from gamemaster.codegen.vector import LANES
from gamemaster.search.native.kernels.compiling import aside, part
from gamemaster.search.native.kernels.intrinsics import ALL, GROUPS, I0, ONE, ZERO, at, lowest_one
from gamemaster.search.native.kernels.records import (
    ABOVE_ALL,
    BEST_FOUND,
    INCOMPLETE,
    NO_ROOM,
    NODES,
    SEVERAL_CHOOSE,
    TROUBLE,
    WAS_CUT,
    GameArrays,
    Ints,
    Pool,
    Words,
)
from gamemaster.search.native.kernels.rows import (
    NOBODY,
    SEVERAL,
    count_set,
    end_value,
    fill,
    groups_for,
    is_terminal,
    load_facts,
    load_moves,
    load_state,
    make_children,
    mover_of,
    next_one,
    range_mask,
    run_code,
    unload_moves,
)

__all__ = ["best_leaf", "best_of_two_plies", "clear_moves", "load_child"]


@aside
def best_leaf(
    game: GameArrays, rows: Words, row: int, mover: int, role: int, moves: Ints, base: int, counts: Ints
) -> float:
    """The best value among the children of a state, each worth the goal it has already.

    No child's row is made: lane by lane, the kernel `end` says it all. Notes the move in
    `moves[base]`, and in the counts whether a child is not the end of the game.
    """
    first = game.places.first_legal
    terminal, goals = game.places.outputs, game.places.end_goals
    end = first + game.move_start[at(mover + 1)]
    position = next_one(rows, row, first + game.move_start[at(mover)], end)
    is_mine = mover == role
    best, best_move = (INCOMPLETE if is_mine else ABOVE_ALL), -1
    counts[WAS_CUT] = 0
    load_state(game.end_buffer, game, rows, row, mover, groups_for(rows, row, position, end))
    while position < end:
        lanes = load_moves(game.end_buffer, game, rows, row, position, end, moves, base)
        run_code(game.end_words)
        counts[NODES] += lanes
        for group in range((lanes + 63) >> 6):
            here = lanes - (group << 6)
            left = ALL if here >= 64 else (ONE << np.uint64(here)) - ONE
            if left & ~game.end_buffer[at(terminal), at(group)]:
                counts[WAS_CUT] = 1
            for goal in range(game.goal_start[at(role)], game.goal_start[at(role + 1)] + 1):
                if goal < game.goal_start[at(role + 1)]:
                    held = left & game.end_buffer[at(goals + goal), at(group)]
                    worth = game.goal_value[at(goal)]
                else:  # those without a goal
                    held, worth = left, 0.0
                if held != ZERO and (worth > best if is_mine else worth < best):
                    best, best_move = worth, moves[base + (group << 6) + lowest_one(held)]
                left &= ~held
        position = next_one(rows, row, first + moves[base + lanes - 1] + 1, end)
        if position < end:
            for i in range(lanes):
                fill(game.end_buffer, game.places.first_move + moves[base + i], ZERO, GROUPS)
    unload_moves(game.end_buffer, game, rows, row, mover)
    moves[base] = best_move
    return best


@part
def _set_range(buffer: Words, slot: int, start: int, end: int) -> None:
    for word in range(start >> 6, (end + 63) >> 6):
        buffer[at(slot), at(word)] |= range_mask(word, start, end)


@part
def _flip_range(buffer: Words, slot: int, start: int, end: int) -> None:
    for word in range(start >> 6, (end + 63) >> 6):
        buffer[at(slot), at(word)] ^= range_mask(word, start, end)


@part
def load_child(
    buffer: Words, game: GameArrays, rows: Words, child: int, model: int, mover: int, start: int, end: int
) -> None:
    """The moves of a state into lanes, one a lane, and where it differs from the state that is in all lanes."""
    first, first_slot = game.places.first_legal, game.places.first_move
    for word in range(game.places.state_words):
        bits = rows[at(child), at(word)] ^ rows[at(model), at(word)]
        while bits != ZERO:
            _flip_range(buffer, (word << 6) + lowest_one(bits), start, end)
            bits &= bits - ONE
    for role in range(game.places.roles):
        limit = first + game.move_start[at(role + 1)]
        found = next_one(rows, child, first + game.move_start[at(role)], limit)
        if found == limit:
            continue
        if game.places.moved:
            _set_range(buffer, game.places.first_moved + role, start, end)
        if role != mover:
            _set_range(buffer, first_slot + found - first, start, end)
            continue
        for lane in range(start, end):
            buffer[at(first_slot + found - first), at(lane >> 6)] |= ONE << np.uint64(lane & 63)
            found = next_one(rows, child, found + 1, limit)


@part
def clear_moves(buffer: Words, game: GameArrays) -> None:
    """Clear what `load_child` has set of moves: whoever comes next takes them for empty."""
    for slot in range(game.places.first_move, game.places.outputs):
        fill(buffer, slot, ZERO, GROUPS)


@part
def _best_in_lanes(game: GameArrays, role: int, is_mine: bool, start: int, end: int, counts: Ints) -> float:
    """The best value among lanes; notes where one of them is not the end of the game."""
    terminal, goals = game.places.outputs, game.places.end_goals
    best = INCOMPLETE if is_mine else ABOVE_ALL
    for word in range(start >> 6, (end + 63) >> 6):
        left = range_mask(word, start, end)
        if left & ~game.end_buffer[at(terminal), at(word)]:
            counts[WAS_CUT] = 1
        for goal in range(game.goal_start[at(role)], game.goal_start[at(role + 1)]):
            held = left & game.end_buffer[at(goals + goal), at(word)]
            if held != ZERO:
                worth = game.goal_value[at(goal)]
                best = max(best, worth) if is_mine else min(best, worth)
                left &= ~held
        if left != ZERO:  # those without a goal
            best = max(best, 0.0) if is_mine else min(best, 0.0)
    return best


@part
def best_of_two_plies(
    game: GameArrays,
    pool: Pool,
    row: int,
    mover: int,
    role: int,
    alpha: float,
    beta: float,
    top: int,
    counts: Ints,
) -> float:
    """The value of a state two plies above the leaves: its grandchildren are evaluated together, one a lane.

    Notes the best move in the counts, and TROUBLE, as alphabeta does.
    """
    count = make_children(game, pool.rows, row, mover, pool.rows, top, pool.moves)
    if count < 0 or top + count + LANES > pool.rows.shape[0]:
        counts[TROUBLE] = NO_ROOM
        return INCOMPLETE
    is_mine = mover == role
    best, best_move, is_cut = (INCOMPLETE if is_mine else ABOVE_ALL), -1, 0
    first = game.places.first_legal
    begin, free = top, top + count
    while begin < top + count:
        load_facts(game.end_buffer, game, pool.rows, begin, GROUPS)
        lane, child = I0, begin
        while child < top + count:
            chooser = NOBODY
            if not is_terminal(game, pool.rows, child):
                chooser = mover_of(game, pool.rows, child)
            if chooser == SEVERAL:
                clear_moves(game.end_buffer, game)
                counts[TROUBLE] = SEVERAL_CHOOSE
                return INCOMPLETE
            after = lane
            if chooser != NOBODY:
                start = first + game.move_start[at(chooser)]
                after += count_set(pool.rows, child, start, first + game.move_start[at(chooser + 1)])
                if after > LANES:
                    break
                load_child(game.end_buffer, game, pool.rows, child, begin, chooser, lane, after)
            pool.order[at(child)] = chooser
            pool.stop_lane[at(child)] = after
            lane = after
            child += 1
        if child == begin:  # one child with more moves than there are lanes
            child = begin + 1
            chooser = mover_of(game, pool.rows, begin)
            value = best_leaf(game, pool.rows, begin, chooser, role, pool.moves, free, counts)
            counts[NODES] += 1
            is_cut |= counts[WAS_CUT]
            if value > best if is_mine else value < best:
                best, best_move = value, pool.moves[at(begin)]
        else:
            if lane:
                run_code(game.end_words)
                clear_moves(game.end_buffer, game)
            counts[NODES] += lane + child - begin
            counts[WAS_CUT] = 0
            lane = I0
            for i in range(begin, child):
                chooser = pool.order[at(i)]
                if chooser == NOBODY:
                    value = end_value(game, pool.rows, i, role)
                else:
                    value = _best_in_lanes(game, role, chooser == role, lane, pool.stop_lane[at(i)], counts)
                    lane = pool.stop_lane[at(i)]
                if value > best if is_mine else value < best:
                    best, best_move = value, pool.moves[at(i)]
            is_cut |= counts[WAS_CUT]
        if best >= beta if is_mine else best <= alpha:
            break
        begin = child
    counts[WAS_CUT] = is_cut
    counts[BEST_FOUND] = best_move
    return best
