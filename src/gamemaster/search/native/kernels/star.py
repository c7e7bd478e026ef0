"""Expectiminimax on rows, with bounds where chance decides: see ../expectiminimax.py.

Every search of a state returns what it is worth at least and at most, as far as the window asks; they are the same
where the value lies inside it. The second thing returned is whether the depth limit had a part in that.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gamemaster.codegen.vector import LANES
from gamemaster.search.native.kernels.alphabeta import order_children, take_best
from gamemaster.search.native.kernels.compiling import aside, kernel, part
from gamemaster.search.native.kernels.evaluation import judged, worth_of
from gamemaster.search.native.kernels.intrinsics import GROUPS, HIGHEST, I0, I1, MINUS, ONE, at
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

__all__ = ["HALF", "WHOLE", "expect", "known_move"]

LEAST = 0.0
"""No state is worth less: goals are from 0 on, and so is what evaluations say."""

MOVE_SHIFT, DEPTH_SHIFT = 1, 32
MOST_MOVES = (1 << (DEPTH_SHIFT - MOVE_SHIFT)) - 1
"""The second word of an entry of the table: whether it is solved (no depth limit had a part in it), the best move + 1,
the depth. A state has an entry for each depth: play may come back to it. Entries come in pairs: the first is kept for
what was searched deepest, the second for what came last."""

SOLVED = np.int64(0)
"""Stands for the depth in the key of what is solved: nothing is searched to depth 0."""

WHOLE, HALF, PROBE = (np.int64(number) for number in range(3))
"""How a state is searched: as it is; where the move of a role is made, and chance has yet to decide in the same step;
or only the one move that looks best, as whoever chooses gets that at least."""

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
def _look_up(pool: Branches, hashed: np.uint64, depth: int) -> int:
    """Where the table has bounds that hold for a search to a depth, -1 where it has none."""
    place = _find(pool, _key(hashed, SOLVED))
    return place if place >= 0 else _find(pool, _key(hashed, depth))


@part
def _first_move(pool: Branches, hashed: np.uint64, depth: int) -> int:
    """The best move that the table has for a state, searched to a depth or to the one before; -1 for none."""
    place = _look_up(pool, hashed, depth)
    if place < 0:
        place = _find(pool, _key(hashed, depth - 1))
    return MINUS if place < 0 else ((np.int64(pool.table[at(place), 1]) >> MOVE_SHIFT) & MOST_MOVES) - 1


@part
def _remember(
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
    return _first_move(pool, hash_of(pool.rows, row, game.places.state_words), depth)


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
            _note(pool, child, value, value, is_open)
            lane = after
    clear_moves(game.buffer, game)
    return stop


@part
def _note(pool: Branches, child: int, low: float, high: float, is_open: int) -> None:
    """Keep the bounds of a child."""
    pool.lowest[at(child)] = low
    pool.highest[at(child)] = high
    pool.is_open[at(child)] = is_open


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


# Where chance decides


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
def _merge(game: GameArrays, pool: Branches, base: int, count: int) -> int:
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
def _first_bounds(game: GameArrays, task: Expectation, pool: Branches, child: int, below: int) -> None:
    """What is known of a child before it is searched: its goal, or what it looks to be worth, or what the table has."""
    low, high, is_open = LEAST, task.most, I0
    if is_terminal(game, pool.rows, child):
        low = high = goal_of(game, pool.rows, child, task.role)
    elif below <= 0:
        low = high = judged(task.evaluation.weights, task.evaluation.bias, pool.rows, child)
        is_open = I1
    elif task.is_pruned:
        place = _look_up(pool, pool.hashes[at(child)], below)
        if place >= 0:
            low, high = pool.bounds[at(place), 0], pool.bounds[at(place), 1]
            is_open = I0 if pool.table[at(place), 1] & ONE == ONE else I1
    _note(pool, child, low, high, is_open)


@part
def _narrow(pool: Branches, child: int, low: float, high: float, is_open: int) -> None:
    """Take what was found of a child into its bounds."""
    before_low, before_high = pool.lowest[at(child)], pool.highest[at(child)]
    if low < high:
        has_changed = low > before_low or high < before_high
        is_open = pool.is_open[at(child)] | (is_open if has_changed else I0)
    low = max(low, before_low)
    _note(pool, child, low, max(low, min(high, before_high)), is_open)


@part
def _sums(pool: Branches, base: int, end: int) -> Any:
    """The bounds of children added up, each with its weight."""
    low, high = 0.0, 0.0
    for place in range(base, end):
        child = pool.order[at(place)]
        low += pool.lowest[at(child)] * pool.weights[at(child)]
        high += pool.highest[at(child)] * pool.weights[at(child)]
    return low, high


@part
def _sort_outcomes(
    game: GameArrays, task: Expectation, pool: Branches, base: int, end: int, below: int
) -> int:
    """Begin with what is known of children of chance: those first that leave most open. Where those end that do."""
    open_end = base
    for place in range(base, end):
        child = pool.order[at(place)]
        _first_bounds(game, task, pool, child, below)
        gap = (pool.highest[at(child)] - pool.lowest[at(child)]) * pool.weights[at(child)]
        pool.keys[at(child)] = gap
        if gap > 0.0:
            open_end += 1
    for place in range(base, open_end):
        take_best(pool, place, end)
    return open_end


@part
def _window(
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
def _is_any_open(pool: Branches, base: int, end: int) -> int:
    """Whether the depth has a part in what any child of chance is worth."""
    is_open = I0
    for place in range(base, end):
        is_open |= pool.is_open[at(pool.order[at(place)])]
    return is_open


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
        place, first = _look_up(pool, hashed, depth), _first_move(pool, hashed, depth)
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
        end = base + _merge(game, pool, base, count)
        return _sort_outcomes(game, task, pool, base, end, below), end
    if below <= 0:
        for leaf in range(base, base + count):
            _first_bounds(game, task, pool, leaf, below)
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
        low, high = _sums(pool, base, end)
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
                a, b = _window(task, pool, child, low, high, least, most)
            how = PROBE if is_probing else HALF if is_half else WHOLE
            found = expected(game, task, pool, child, below, a, b, top, how, counts, stop)
            if is_chance:
                _narrow(pool, child, found[0], found[1], found[2])
            else:
                _note(pool, child, found[0], found[1], found[2])
        if counts[TROUBLE]:
            return INCOMPLETE, ABOVE_ALL, I1
        if is_chance:
            low, high = _sums(pool, base, end)
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
        low, high, is_cut = low / count, high / count, _is_any_open(pool, base, end)
    if way == WHOLE:
        hashed = hash_of(pool.rows, row, game.places.state_words)
        _remember(pool, hashed, depth, low, high, best_move, is_cut)
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
