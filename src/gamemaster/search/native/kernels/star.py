"""Expectiminimax on rows, with bounds where chance decides: see ../expectiminimax.py.

Every search of a state returns what it is worth at least and at most, as far as the window asks; they are the same
where the value lies inside it. The second thing returned is whether the depth limit had a part in that.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gamemaster.codegen.vector import LANES
from gamemaster.search.native.kernels.alphabeta import order_children, take_best
from gamemaster.search.native.kernels.bounds import (
    LEAST,
    first_bounds,
    first_move,
    is_any_open,
    look_up,
    merge_outcomes,
    narrow,
    note_bounds,
    remember_bounds,
    sort_outcomes,
    sums,
    window,
)
from gamemaster.search.native.kernels.compiling import aside, kernel, part
from gamemaster.search.native.kernels.evaluation import judged, worth_of
from gamemaster.search.native.kernels.intrinsics import GROUPS, I0, I1, MINUS, ONE, at
from gamemaster.search.native.kernels.leaves import clear_moves, load_child
from gamemaster.search.native.kernels.records import (
    ABOVE_ALL,
    INCOMPLETE,
    NO_ROOM,
    NODES,
    SEVERAL_CHOOSE,
    STOPPED,
    TROUBLE,
    WAS_CUT,
    Branches,
    Expectation,
    GameArrays,
    Ints,
)
from gamemaster.search.native.kernels.rows import (
    NOBODY,
    SEVERAL,
    chance_chooses,
    count_set,
    goal_of,
    is_terminal,
    load_facts,
    make_children,
    make_halves,
    mover_of,
    run_code,
    unload,
)
from gamemaster.search.native.kernels.table import hash_of

__all__ = ["HALF", "WHOLE", "expect"]

WHOLE, HALF, PROBE = (np.int64(number) for number in range(3))
"""How a state is searched: as it is; where the move of a role is made, and chance has yet to decide in the same step;
or only the one move that looks best, as whoever chooses gets that at least."""


# One ply above the leaves: the children of several states in one run of the game's code


@part
def _fill_lanes(game: GameArrays, pool: Branches, start: int, end: int, counts: Ints) -> int:
    """Children from a place in the order on into lanes, each with all of its moves; the place of the first left out."""
    first = game.places.first_legal
    model = pool.order[at(start)]
    load_facts(game.buffer, game, pool.rows, model, GROUPS)
    lane, place = I0, start
    while place < end:
        child = pool.order[at(place)]
        chooser = NOBODY
        if not is_terminal(game, pool.rows, child):
            chooser = mover_of(game, pool.rows, child)
        if chooser == SEVERAL:
            counts[TROUBLE] = SEVERAL_CHOOSE
            break
        after = lane
        if chooser != NOBODY:
            if chooser != game.chance and chance_chooses(game, pool.rows, child):
                break
            begin = first + game.move_start[at(chooser)]
            after += count_set(pool.rows, child, begin, first + game.move_start[at(chooser + 1)])
            if after > LANES:
                break
            load_child(game.buffer, game, pool.rows, child, model, chooser, lane, after)
        pool.chooser[at(child)] = chooser
        pool.stop_lane[at(child)] = after
        lane = after
        place += 1
    return place


@part
def _value_of_lanes(
    game: GameArrays, task: Expectation, pool: Branches, child: int, begin: int, end: int
) -> Any:
    """The value of a child whose own children are the rows from one to another; whether one of them is open."""
    chooser = pool.chooser[at(child)]
    if chooser == NOBODY:
        is_over = is_terminal(game, pool.rows, child)
        return (goal_of(game, pool.rows, child, task.role) if is_over else 0.0), I0
    best, total, is_cut = (INCOMPLETE if chooser == task.role else ABOVE_ALL), 0.0, I0
    for leaf in range(begin, end):
        worth = worth_of(game, task.evaluation, pool.rows, leaf, task.role)
        total += worth
        best = max(best, worth) if chooser == task.role else min(best, worth)
        if not is_terminal(game, pool.rows, leaf):
            is_cut = I1
    return (total / (end - begin) if chooser == game.chance else best), is_cut


@aside
def _search_lanes(
    game: GameArrays, task: Expectation, pool: Branches, start: int, end: int, top: int, counts: Ints
) -> int:
    """Find what children are worth from a place in the order on, as many as fit into lanes; the place of the next.

    Rows from `top` on are free.
    """
    if top + LANES > pool.rows.shape[0]:
        counts[TROUBLE] = NO_ROOM
        return start
    stop = _fill_lanes(game, pool, start, end, counts)
    if stop > start and not counts[TROUBLE]:
        lane, lanes = I0, pool.stop_lane[at(pool.order[at(stop - 1)])]
        if lanes:
            run_code(game.words)
            unload(game, lanes, pool.rows, top)
        counts[NODES] += lanes + stop - start
        for place in range(start, stop):
            child = pool.order[at(place)]
            after = pool.stop_lane[at(child)]
            value, is_open = _value_of_lanes(game, task, pool, child, top + lane, top + after)
            note_bounds(pool, child, value, value, is_open)
            lane = after
    clear_moves(game.buffer, game)
    return stop


# Where a role chooses


@part
def _sort(pool: Branches, base: int, count: int, is_all: bool) -> None:
    """Set up the order of children: all of them by their keys, or as they are, for `take_best` to choose from."""
    for i in range(base, base + count):
        pool.order[at(i)] = i
    if is_all:
        for i in range(base, base + count):
            take_best(pool, i, base + count)


@part
def _take_in(
    task: Expectation,
    pool: Branches,
    child: int,
    is_mine: bool,
    low: float,
    high: float,
    alpha: float,
    beta: float,
    best: float,
    best_move: int,
) -> Any:
    """Take what a child is worth into what is known of a state where a role chooses: all the last six, made anew."""
    least, most = pool.lowest[at(child)], pool.highest[at(child)]
    score = most if least < beta else least
    if not is_mine:
        score = -least if most > alpha else -most
    if best_move < 0 or score > best:
        best, best_move = score, pool.moves[at(child)]
    low, high = (max(low, least), max(high, most)) if is_mine else (min(low, least), min(high, most))
    if task.is_pruned:
        alpha, beta = (max(alpha, low), beta) if is_mine else (alpha, min(beta, high))
    return low, high, alpha, beta, best, best_move


# Any state


@aside
def _enter(
    game: GameArrays,
    task: Expectation,
    pool: Branches,
    row: int,
    depth: int,
    alpha: float,
    beta: float,
    top: int,
    way: int,
    counts: Ints,
    stop: Ints,
) -> Any:
    """Who chooses in a state, and among how many rows from `top` on; NOBODY where its bounds are known already.

    Then those bounds, whether the depth had a part in them, and which move to try first.
    """
    mover, count, low, high, is_cut, first = NOBODY, I0, INCOMPLETE, ABOVE_ALL, I1, MINUS
    counts[NODES] += 1
    if stop[0] or counts[NODES] > task.most_nodes:
        counts[TROUBLE] = STOPPED
    elif is_terminal(game, pool.rows, row):
        low = high = goal_of(game, pool.rows, row, task.role)
        is_cut = I0
    elif depth <= 0:
        low = high = judged(task.evaluation.weights, task.evaluation.bias, pool.rows, row)
    else:
        mover = mover_of(game, pool.rows, row)
        if mover == NOBODY:
            low, high, is_cut = LEAST, LEAST, I0
        elif mover == SEVERAL:
            counts[TROUBLE] = SEVERAL_CHOOSE
    if mover >= 0 and way == PROBE and (mover == game.chance or chance_chooses(game, pool.rows, row)):
        mover, low, high, is_cut = NOBODY, LEAST, task.most, I0
    if mover >= 0 and way != HALF:
        hashed = hash_of(pool.rows, row, game.places.state_words)
        place, first = look_up(pool, hashed, depth), first_move(pool, hashed, depth)
        if place >= 0:
            low, high = pool.bounds[at(place), 0], pool.bounds[at(place), 1]
            if low >= beta or high <= alpha or low == high:
                mover, is_cut = NOBODY, np.int64(pool.table[at(place), 1] & ONE) ^ 1
    if mover >= 0:
        if mover != game.chance and chance_chooses(game, pool.rows, row):
            count = make_halves(game, pool.rows, row, mover, pool.rows, top, pool.moves)
        else:
            count = make_children(game, pool.rows, row, mover, pool.rows, top, pool.moves)
        if count < 0:
            counts[TROUBLE] = NO_ROOM
    return mover, count, low, high, is_cut, first


@aside
def _set_up(
    game: GameArrays,
    task: Expectation,
    pool: Branches,
    mover: int,
    base: int,
    count: int,
    below: int,
    has_lanes: bool,
    first: int,
) -> Any:
    """Put the rows from `base` on into the order in which to search them: where those end, and where any do."""
    if mover == game.chance:
        end = base + merge_outcomes(game, pool, base, count)
        return sort_outcomes(game, task, pool, base, end, below), end
    if below <= 0:
        for leaf in range(base, base + count):
            first_bounds(game, task, pool, leaf, below)
    order_children(game, pool, base, count, first, task.role, mover == task.role)
    _sort(pool, base, count, has_lanes)
    return base + count, base + count


@aside
def expected(
    game: GameArrays,
    task: Expectation,
    pool: Branches,
    row: int,
    depth: int,
    alpha: float,
    beta: float,
    top: int,
    way: int,
    counts: Ints,
    stop: Ints,
) -> Any:
    """What the state of a row is worth at least and at most, and whether the depth had a part in that.

    Both are the value where that is inside the window, from alpha to beta; else one of them says on which side it is.
    Rows from `top` on are free. All of it calls itself in one place only: numba keeps no functions that call each
    other in a circle.
    """
    entered = _enter(game, task, pool, row, depth, alpha, beta, top, way, counts, stop)
    mover, count, low, high, is_cut, first = entered
    if mover < 0 or counts[TROUBLE]:
        return low, high, is_cut
    is_chance, is_mine = mover == game.chance, mover == task.role
    is_half = not is_chance and chance_chooses(game, pool.rows, row)
    below = depth if is_half else depth - 1
    has_lanes = below == 1 and not is_half
    base, top = top, top + count
    open_end, end = _set_up(game, task, pool, mover, base, count, below, has_lanes, first)

    # a mean has the bounds of what is known; a choice has none to begin with
    low = high = INCOMPLETE if is_mine else ABOVE_ALL
    best, best_move, is_cut, is_settled = low, MINUS, I0, False
    least, most = alpha * count, beta * count
    if below <= 0:
        counts[NODES] += count
    if is_chance:
        low, high = sums(pool, base, end)
        is_settled = task.is_pruned and (low >= most or high <= least)
    is_probing = is_chance and task.is_probed and below > 2  # else one run of the code says it all
    place = base
    while not is_settled and place < open_end:
        after = place if below > 0 else open_end
        if has_lanes:
            after = _search_lanes(game, task, pool, place, open_end, top, counts)
        if after == place and not counts[TROUBLE]:
            is_in_order = is_chance or has_lanes
            child = pool.order[at(place)] if is_in_order else take_best(pool, place, open_end)
            after, a, b = place + 1, alpha, beta
            if is_chance:
                a, b = window(task, pool, child, low, high, least, most)
            how = PROBE if is_probing else HALF if is_half else WHOLE
            found = expected(game, task, pool, child, below, a, b, top, how, counts, stop)
            if is_chance:
                narrow(pool, child, found[0], found[1], found[2])
            else:
                note_bounds(pool, child, found[0], found[1], found[2])
        if counts[TROUBLE]:
            return INCOMPLETE, ABOVE_ALL, I1
        if is_chance:
            low, high = sums(pool, base, end)
            is_settled = task.is_pruned and (low >= most or high <= least)
        while not is_chance and not is_settled and place < after:
            child = pool.order[at(place)]
            low, high, alpha, beta, best, best_move = _take_in(
                task, pool, child, is_mine, low, high, alpha, beta, best, best_move
            )
            is_cut |= pool.is_open[at(child)]
            place += 1
            is_all = low >= task.most if is_mine else high <= LEAST
            is_settled = way == PROBE or (task.is_pruned and (alpha >= beta or is_all))
            if (
                is_settled
            ):  # what the others are worth does not matter, nor whether the depth has a part in that
                low, high = (low, task.most) if is_mine else (LEAST, high)
                is_cut = pool.is_open[at(child)]
                pool.history[at(pool.moves[at(child)])] += below * below
        place = after
        if is_probing and place == open_end:
            is_probing, place = False, base
    if is_chance:
        low, high, is_cut = low / count, high / count, is_any_open(pool, base, end)
    if way == WHOLE:
        hashed = hash_of(pool.rows, row, game.places.state_words)
        remember_bounds(pool, hashed, depth, low, high, best_move, is_cut)
    return low, high, is_cut


@kernel
def expect(
    game: GameArrays,
    task: Expectation,
    pool: Branches,
    row: int,
    depth: int,
    alpha: float,
    top: int,
    way: int,
    counts: Ints,
    stop: Ints,
) -> float:
    """The value of the state of a row, at most alpha where it is no more than that; INCOMPLETE where there is TROUBLE.

    Notes in the counts whether the depth had a part in it.
    """
    _, high, is_cut = expected(game, task, pool, row, depth, alpha, ABOVE_ALL, top, way, counts, stop)
    counts[WAS_CUT] = is_cut
    return INCOMPLETE if counts[TROUBLE] else high
