"""Alpha-beta on rows: see ../solver.py."""

from __future__ import annotations

from typing import Any

import numpy as np

from gamemaster.codegen.vector import LANES
from gamemaster.search.native.kernels.compiling import aside, kernel, part
from gamemaster.search.native.kernels.evaluation import judged, worth_of
from gamemaster.search.native.kernels.intrinsics import I0, I1, I2, MINUS, at
from gamemaster.search.native.kernels.leaves import best_leaf, best_of_two_plies
from gamemaster.search.native.kernels.records import (
    ABOVE_ALL,
    ALPHA,
    BASE,
    BEST,
    BEST_FOUND,
    BEST_MOVE,
    BETA,
    CHILDREN,
    DEPTH,
    INCOMPLETE,
    IS_BOUND,
    IS_CUT,
    MOVER,
    NEW_IS_BOUND,
    NEW_VALUE,
    NEW_WAS_CUT,
    NEXT,
    NO_ROOM,
    NODES,
    ROW,
    SEVERAL_CHOOSE,
    STOPPED,
    TROUBLE,
    VALUE,
    WAS_CUT,
    Branches,
    Floats,
    GameArrays,
    Ints,
    LinearEvaluation,
    Pool,
)
from gamemaster.search.native.kernels.rows import (
    NOBODY,
    SEVERAL,
    copy_row,
    goal_of,
    is_terminal,
    make_children,
    mover_of,
)
from gamemaster.search.native.kernels.table import (
    DEPTH_SHIFT,
    EXACT,
    LOWER,
    MOST_DEPTH,
    MOST_MOVES,
    MOVE_SHIFT,
    SOLVED,
    UPPER,
    VALUE_SHIFT,
    VALUE_UNIT,
    hash_of,
    remember,
)

__all__ = ["LEAST_GAIN", "alphabeta", "deepen", "order_children", "take_best"]


LEAST_GAIN = 0.5
"""Less than what two goals differ by: they are whole numbers."""


@part
def order_children(
    game: GameArrays, pool: Pool | Branches, base: int, count: int, known_move: int, role: int, is_mine: bool
) -> None:
    """Keys that say which child to try first: the known best move, ends that are good, moves that cut before."""
    for child in range(base, base + count):
        key = float(pool.history[at(pool.moves[at(child)])])
        if is_terminal(game, pool.rows, child):
            goal = goal_of(game, pool.rows, child, role)
            key = (goal - 50.0 if is_mine else 50.0 - goal) * 1e15
        if pool.moves[at(child)] == known_move:
            key += 1e18
        pool.keys[at(child)] = key


@part
def take_best(pool: Pool | Branches, start: int, end: int) -> int:
    """The child with the largest key of those from a place in the order on; it takes that place."""
    best = start
    for i in range(start + 1, end):
        if pool.keys[at(pool.order[at(i)])] > pool.keys[at(pool.order[at(best)])]:
            best = i
    pool.order[at(start)], pool.order[at(best)] = pool.order[at(best)], pool.order[at(start)]
    return pool.order[at(start)]


@part
def _take_next(pool: Pool, ply: int) -> int:
    """The child to try next of the state of a ply."""
    base = pool.frames[at(ply), BASE]
    start = base + pool.frames[at(ply), NEXT]
    pool.frames[at(ply), NEXT] += 1
    return take_best(pool, start, base + pool.frames[at(ply), CHILDREN])


@part
def _without_search(
    game: GameArrays, pool: Pool, evaluation: LinearEvaluation, role: int, row: int, depth: int, ply: int
) -> Any:
    """The value of a state at an end or at the depth limit; who chooses there, NOBODY where it has that value."""
    value, mover = 0.0, NOBODY
    pool.frames[at(ply), IS_CUT] = 0
    if is_terminal(game, pool.rows, row):
        value = goal_of(game, pool.rows, row, role)
    elif depth <= 0:
        value = judged(evaluation.weights, evaluation.bias, pool.rows, row)
        pool.frames[at(ply), IS_CUT] = 1
    else:
        mover = mover_of(game, pool.rows, row)
    return value, mover


@part
def _look_up(
    pool: Pool, slot: int, key: np.uint64, depth: int, alpha: float, beta: float, ply: int, value: float
) -> Any:
    """The best move that the table has for a state, -1 for none; whether its value is enough to know; that value."""
    known_move, is_enough = MINUS, False
    if pool.table[at(slot), 0] == key:
        entry = np.int64(pool.table[at(slot), 1])
        known_move = ((entry >> MOVE_SHIFT) & MOST_MOVES) - 1
        kind = entry & 3
        if (entry >> DEPTH_SHIFT) & MOST_DEPTH >= depth or entry & SOLVED:
            found = (entry >> VALUE_SHIFT) / VALUE_UNIT
            if kind == EXACT or (kind == LOWER and found >= beta) or (kind == UPPER and found <= alpha):
                value = found
                pool.frames[at(ply), IS_CUT] = 0 if entry & SOLVED else 1
                is_enough = True
    return known_move, is_enough, value


@part
def _two_plies(
    game: GameArrays,
    pool: Pool,
    role: int,
    row: int,
    mover: int,
    slot: int,
    key: np.uint64,
    alpha: float,
    beta: float,
    top: int,
    ply: int,
    counts: Ints,
) -> float:
    """The value of a state two plies above the limit, by goals only: all of its leaves in lanes."""
    value = best_of_two_plies(game, pool, row, mover, role, alpha, beta, top, counts)
    if not counts[TROUBLE]:
        is_cut = counts[WAS_CUT]
        pool.frames[at(ply), IS_CUT] = is_cut
        remember(pool.table, slot, key, value, I2, counts[BEST_FOUND], alpha, beta, is_cut)
    return value


@part
def _one_ply(
    game: GameArrays,
    pool: Pool,
    role: int,
    row: int,
    mover: int,
    slot: int,
    key: np.uint64,
    top: int,
    ply: int,
    counts: Ints,
) -> float:
    """The value of a state one ply above the limit, by goals only: its children in lanes."""
    value = INCOMPLETE
    if top + LANES > pool.rows.shape[0]:
        counts[TROUBLE] = NO_ROOM
    else:
        value = best_leaf(game, pool.rows, row, mover, role, pool.moves, top, counts)
        is_cut = counts[WAS_CUT]
        pool.frames[at(ply), IS_CUT] = is_cut
        remember(pool.table, slot, key, value, I1, pool.moves[at(top)], INCOMPLETE, ABOVE_ALL, is_cut)
    return value


@part
def _best_of_rows(
    game: GameArrays,
    pool: Pool,
    evaluation: LinearEvaluation,
    role: int,
    base: int,
    count: int,
    is_mine: bool,
    slot: int,
    key: np.uint64,
    alpha: float,
    beta: float,
    ply: int,
    counts: Ints,
) -> float:
    """The value of a state whose children are leaves, and their rows are here."""
    best = INCOMPLETE if is_mine else ABOVE_ALL
    best_move, is_cut = MINUS, I0
    lowest, highest = alpha, beta
    for child in range(base, base + count):
        counts[NODES] += 1
        worth = worth_of(game, evaluation, pool.rows, child, role)
        if not is_terminal(game, pool.rows, child):
            is_cut = I1
        if is_mine and worth > best:
            best, best_move = worth, pool.moves[at(child)]
            lowest = max(lowest, best)
        elif not is_mine and worth < best:
            best, best_move = worth, pool.moves[at(child)]
            highest = min(highest, best)
        if lowest >= highest:
            break
    pool.frames[at(ply), IS_CUT] = is_cut
    remember(pool.table, slot, key, best, I1, best_move, alpha, beta, is_cut)
    return best


@part
def _push(
    pool: Pool,
    ply: int,
    row: int,
    base: int,
    count: int,
    mover: int,
    depth: int,
    alpha: float,
    beta: float,
    is_mine: bool,
) -> None:
    """Keep a state while its children are searched."""
    for i in range(base, base + count):
        pool.order[at(i)] = i
    pool.frames[at(ply), ROW] = row
    pool.frames[at(ply), BASE] = base
    pool.frames[at(ply), CHILDREN] = count
    pool.frames[at(ply), NEXT] = 0
    pool.frames[at(ply), MOVER] = mover
    pool.frames[at(ply), DEPTH] = depth
    pool.frames[at(ply), BEST_MOVE] = -1
    pool.stack[at(ply), ALPHA] = alpha
    pool.stack[at(ply), BETA] = beta
    pool.stack[at(ply), BEST] = INCOMPLETE if is_mine else ABOVE_ALL


@part
def _note_child(pool: Pool, ply: int, value: float, is_cut: int, role: int) -> Any:
    """Note what the child tried last is worth; the window left to its brothers, and the child."""
    is_mine = pool.frames[at(ply), MOVER] == role
    tried = pool.order[pool.frames[at(ply), BASE] + pool.frames[at(ply), NEXT] - 1]
    pool.frames[at(ply), IS_CUT] |= is_cut
    if value > pool.stack[at(ply), BEST] if is_mine else value < pool.stack[at(ply), BEST]:
        pool.stack[at(ply), BEST] = value
        pool.frames[at(ply), BEST_MOVE] = pool.moves[at(tried)]
    low, high = pool.stack[at(ply), ALPHA], pool.stack[at(ply), BETA]
    if is_mine:
        low = max(low, pool.stack[at(ply), BEST])
    else:
        high = min(high, pool.stack[at(ply), BEST])
    return low, high, tried


@part
def _remember_frame(pool: Pool, ply: int, key: np.uint64, size: np.uint64) -> None:
    """Put into the table what was found of a state all of whose children that matter were searched."""
    remember(
        pool.table,
        np.int64(key & size),
        key,
        pool.stack[at(ply), BEST],
        pool.frames[at(ply), DEPTH],
        pool.frames[at(ply), BEST_MOVE],
        pool.stack[at(ply), ALPHA],
        pool.stack[at(ply), BETA],
        pool.frames[at(ply), IS_CUT],
    )


@aside
def alphabeta(
    game: GameArrays,
    pool: Pool,
    evaluation: LinearEvaluation,
    role: int,
    depth: int,
    alpha: float,
    beta: float,
    top: int,
    counts: Ints,
    most_nodes: int,
    stop: Ints,
) -> float:
    """The value for a role of the state in row `top` - 1, within a window: see search/native/solver.py.

    Other roles are taken to want it low. Rows from `top` on are free.
    """
    ply, value, returning = I0, INCOMPLETE, False
    row = top - 1
    size = np.uint64(pool.table.shape[0] - 1)
    while True:
        if not returning:  # enter the state in `row`
            counts[NODES] += 1
            if stop[0] or counts[NODES] > most_nodes:
                counts[TROUBLE] = STOPPED
                return INCOMPLETE
            value, mover = _without_search(game, pool, evaluation, role, row, depth, ply)
            if mover == SEVERAL:
                counts[TROUBLE] = SEVERAL_CHOOSE
                return INCOMPLETE
            returning = mover == NOBODY
        if not returning:
            key = hash_of(pool.rows, row, game.places.state_words)
            slot = np.int64(key & size)
            known_move, returning, value = _look_up(pool, slot, key, depth, alpha, beta, ply, value)
            if not returning and depth == 2 and evaluation.is_goal_only:
                value = _two_plies(game, pool, role, row, mover, slot, key, alpha, beta, top, ply, counts)
                returning = True
            elif not returning and depth == 1 and evaluation.is_goal_only:
                value = _one_ply(game, pool, role, row, mover, slot, key, top, ply, counts)
                returning = True
            elif not returning:
                count = make_children(game, pool.rows, row, mover, pool.rows, top, pool.moves)
                is_mine = mover == role
                if count < 0 or ply + 1 >= pool.frames.shape[0]:
                    counts[TROUBLE] = NO_ROOM
                elif depth == 1:
                    leaves = top, count, is_mine, slot, key, alpha, beta, ply
                    value = _best_of_rows(game, pool, evaluation, role, *leaves, counts)
                    returning = True
                else:  # go down
                    order_children(game, pool, top, count, known_move, role, is_mine)
                    _push(pool, ply, row, top, count, mover, depth, alpha, beta, is_mine)
                    top += count
                    row = _take_next(pool, ply)
                    ply += 1
                    depth -= 1
                    continue
            if counts[TROUBLE]:
                return INCOMPLETE
        # return `value` to the state before
        if ply == 0:
            counts[WAS_CUT] = pool.frames[0, IS_CUT]
            return value
        is_cut = pool.frames[at(ply), IS_CUT]
        ply -= 1
        low, high, tried = _note_child(pool, ply, value, is_cut, role)
        if low < high and pool.frames[at(ply), NEXT] < pool.frames[at(ply), CHILDREN]:
            row = _take_next(pool, ply)
            depth = pool.frames[at(ply), DEPTH] - 1
            alpha, beta = low, high
            ply += 1
            returning = False
            continue
        if low >= high:
            pool.history[pool.moves[at(tried)]] += pool.frames[at(ply), DEPTH] * pool.frames[at(ply), DEPTH]
        value = pool.stack[at(ply), BEST]
        top = pool.frames[at(ply), BASE]
        row = pool.frames[at(ply), ROW]
        _remember_frame(pool, ply, hash_of(pool.rows, row, game.places.state_words), size)
        returning = True


@part
def _is_before(values: Floats, child: int, other: int) -> bool:
    """Whether a child was found better than another; a bound is not as good as a value."""
    if values[VALUE, child] == values[VALUE, other]:
        return values[IS_BOUND, child] < values[IS_BOUND, other]
    return values[VALUE, child] > values[VALUE, other]


@kernel
def deepen(
    game: GameArrays,
    pool: Pool,
    evaluation: LinearEvaluation,
    role: int,
    shallowest: int,
    deepest: int,
    enough: float,
    count: int,
    counts: Ints,
    values: Floats,
    tried: Ints,
    most_nodes: int,
    pause: int,
    stop: Ints,
) -> int:
    """Search the root's children, rows 1 to `count`, deeper and deeper from a depth on; the last one finished.

    `values` [ROOT_VALUES, count]: VALUE becomes that of this depth, IS_BOUND 1 where it is only known to be no more: a
    child that cannot be the best is not looked at any closer. One that was not looked at is INCOMPLETE. The rows NEW_
    are scratch: the same of the depth that is being searched, and 1 where that depth had a part in it. Stops when
    nothing was cut off by the depth (counts[WAS_CUT] = 0), or a child is surely worth `enough`, or more nodes than
    `pause` were visited. Where counts[WAS_CUT] is 0, all values are as certain as the rules: guesses are dropped.
    """
    top = count + 2
    done = 0
    was_cut = 1
    # where the last two plies come in one go, a search to an odd depth costs as much as the next even one
    step = 2 if evaluation.is_goal_only else 1
    level = min(deepest, max(step, shallowest))
    while done < deepest:
        for i in range(count):  # the best of the last depth first; a stable sort
            tried[i] = i
        for i in range(1, count):
            k = i
            while k > 0 and _is_before(values, tried[k], tried[k - 1]):
                tried[k], tried[k - 1] = tried[k - 1], tried[k]
                k -= 1
        alpha = INCOMPLETE
        level_cut = 0
        is_enough = False
        for i in range(count):
            child = tried[i]
            values[NEW_IS_BOUND, child] = values[NEW_WAS_CUT, child] = 0.0
            if is_enough:
                values[NEW_VALUE, child] = INCOMPLETE
                continue
            copy_row(pool.rows, top - 1, 1 + child)
            # Where a child before is worth `enough` by a evaluation only, a sure one must still be told from a bound.
            low = min(alpha, enough - LEAST_GAIN)
            value = alphabeta(
                game, pool, evaluation, role, level - 1, low, ABOVE_ALL, top, counts, most_nodes, stop
            )
            if counts[TROUBLE]:
                counts[WAS_CUT] = was_cut
                return done
            values[NEW_VALUE, child] = value
            if value <= low:
                values[NEW_IS_BOUND, child] = 1.0
            values[NEW_WAS_CUT, child] = counts[WAS_CUT]
            if counts[WAS_CUT]:
                level_cut = 1
            elif value >= enough:
                is_enough = True
            alpha = max(alpha, value)
        for i in range(count):
            is_guess = is_enough and values[NEW_WAS_CUT, i] > 0.0
            values[VALUE, i] = INCOMPLETE if is_guess else values[NEW_VALUE, i]
            values[IS_BOUND, i] = values[NEW_IS_BOUND, i]
        done = level
        level = min(deepest, level + step)
        was_cut = 0 if is_enough else level_cut
        if not was_cut or counts[NODES] > pause:
            break
    counts[WAS_CUT] = was_cut
    return done
