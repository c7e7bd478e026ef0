"""Is a state worth so much to a role? Searched to the ends of the game: see ../prover.py."""

from __future__ import annotations

from typing import Any

import numpy as np

from gamemaster.search.native.kernels.compiling import kernel, part
from gamemaster.search.native.kernels.desk import (
    AT_BASE,
    AT_BEST,
    AT_BEST_MOVE,
    AT_CHUNK,
    AT_COUNT,
    AT_KNOWN,
    AT_NEXT,
    AT_ROW,
    AT_SEARCHED,
    AT_START,
    ENTERED,
    LOOKED_AT,
    PLACE,
    PROOF_MOVE,
    PROOF_TROUBLE,
    REPEATED,
    STOP_LANE,
    Desk,
)
from gamemaster.search.native.kernels.intrinsics import I0, I1, MINUS, ZERO, at
from gamemaster.search.native.kernels.naming import gain_of, name_state, praise
from gamemaster.search.native.kernels.pairs import (
    UNDECIDED,
    forget_lanes,
    load_states,
    save_lanes,
    settled,
    take_rows,
)
from gamemaster.search.native.kernels.records import (
    NO_ROOM,
    SEVERAL_CHOOSE,
    STOPPED,
    GameArrays,
    Ints,
)
from gamemaster.search.native.kernels.rows import (
    NOBODY,
    SEVERAL,
    count_set,
    end_value,
    is_terminal,
    make_children,
    mover_of,
    run_code,
)
from gamemaster.search.native.kernels.shared import NOTHING_KNOWN, bring, known_of, lower_of, note, upper_of

__all__ = ["LEAST", "MOST", "UNKNOWN", "prove_target"]

LEAST, MOST, UNKNOWN = 0, 100, -1
MOBILITY = 4
BUSY_PLIES = 24
"""Threads look after each other only so far from the root."""

LOOKS = 255
"""Once in so many states, and one, a thread looks whether what it works for was settled by another."""


@part
def _is_repeated(desk: Desk, row: int, ply: int) -> bool:
    """Whether a state is already on the way to it."""
    key = desk.names[at(row), 0]
    if desk.on_path[at(key & np.uint64(len(desk.on_path) - 1))]:
        for i in range(ply + 1):
            if desk.names[at(desk.frames[at(i), AT_ROW]), 0] == key:
                return True
    return False


@part
def _step_on(desk: Desk, row: int, by: int) -> None:
    """Note that a state is on the way, or no longer."""
    place = desk.names[at(row), 0] & np.uint64(len(desk.on_path) - 1)
    desk.on_path[at(place)] += np.uint8(by)


@part
def _improve(desk: Desk, ply: int, value: int, child: int, is_mine: bool, target: int) -> bool:
    """Note what a child is worth; whether that settles its parent."""
    best = desk.frames[at(ply), AT_BEST]
    if value > best if is_mine else value < best:
        desk.frames[at(ply), AT_BEST] = value
        desk.frames[at(ply), AT_BEST_MOVE] = desk.moves[at(child)]
    return value >= target if is_mine else value < target


@part
def _value_in_table(desk: Desk, row: int, target: int) -> int:
    """What the table knows of a state, if that is enough; else UNDECIDED."""
    known = known_of(desk.table, desk.names[at(row), 0], desk.names[at(row), PLACE])
    if known != NOTHING_KNOWN:
        if lower_of(known) >= target:
            return lower_of(known)
        if upper_of(known) < target:
            return upper_of(known)
    return UNDECIDED


@part
def _meet_children(
    game: GameArrays, desk: Desk, role: int, target: int, ply: int, count: int, counts: Ints
) -> bool:
    """Look at the children of a state: those that the rules leave open go into `order`; whether one settles it."""
    row, base = desk.frames[at(ply), AT_ROW], desk.frames[at(ply), AT_BASE]
    is_mine = desk.chooser[at(row)] == role
    open_children = 0
    for child in range(base, base + count):
        chooser = NOBODY
        if not is_terminal(game, desk.rows, child):
            chooser = mover_of(game, desk.rows, child)
        if chooser == NOBODY:
            value = np.int64(end_value(game, desk.rows, child, role))
            if _improve(desk, ply, value, child, is_mine, target):
                return True
            continue
        if chooser == SEVERAL:
            counts[PROOF_TROUBLE] = SEVERAL_CHOOSE
            return False
        desk.chooser[at(child)] = chooser
        name_state(desk, child, row, game.places.state_words)
        if _is_repeated(desk, child, ply):
            counts[PROOF_TROUBLE] = REPEATED
            return False
        bring(desk.table, desk.names[at(child), PLACE])
        desk.order[at(base + open_children)] = child
        open_children += 1
    desk.frames[at(ply), AT_COUNT] = open_children
    return False


@part
def _ask_table(desk: Desk, role: int, target: int, ply: int) -> bool:
    """Leave out the children of which the table knows enough; whether one settles their parent."""
    row, base = desk.frames[at(ply), AT_ROW], desk.frames[at(ply), AT_BASE]
    is_mine = desk.chooser[at(row)] == role
    kept = 0
    for i in range(desk.frames[at(ply), AT_COUNT]):
        child = desk.order[at(base + i)]
        value = _value_in_table(desk, child, target)
        if value == UNDECIDED:
            desk.order[at(base + kept)] = child
            kept += 1
        elif _improve(desk, ply, value, child, is_mine, target):
            return True
    desk.frames[at(ply), AT_KNOWN] = kept < desk.frames[at(ply), AT_COUNT]
    desk.frames[at(ply), AT_COUNT] = kept
    return False


@part
def _sort_children(game: GameArrays, desk: Desk, ply: int) -> None:
    """The most promising children first: those that leave few moves, by moves that have done well."""
    row, base = desk.frames[at(ply), AT_ROW], desk.frames[at(ply), AT_BASE]
    first = game.places.first_legal
    for i in range(base, base + desk.frames[at(ply), AT_COUNT]):
        child = desk.order[at(i)]
        chooser = desk.chooser[at(child)]
        start, end = first + game.move_start[at(chooser)], first + game.move_start[at(chooser + 1)]
        gain = gain_of(desk, child, row, game.places.state_words)
        appeal = gain - (count_set(desk.rows, child, start, end) << MOBILITY)
        desk.appeal[at(child)] = appeal
        k = i
        while k > base and desk.appeal[at(desk.order[at(k - 1)])] < appeal:
            desk.order[at(k)] = desk.order[at(k - 1)]
            k -= 1
        desk.order[at(k)] = child


@part
def _next_chunk(game: GameArrays, desk: Desk, role: int, target: int, ply: int, counts: Ints) -> bool:
    """Make the children of the next children; whether one of these is settled by that, and settles its parent.

    Those that are settled otherwise are left out.
    """
    row, base = desk.frames[at(ply), AT_ROW], desk.frames[at(ply), AT_BASE]
    is_mine = desk.chooser[at(row)] == role
    begin, end = base + desk.frames[at(ply), AT_NEXT], base + desk.frames[at(ply), AT_COUNT]
    stop = load_states(game, desk, begin, end)
    if stop == begin:  # more moves than lanes
        counts[PROOF_TROUBLE] = NO_ROOM
        return False
    run_code(game.words)
    lanes = desk.lanes[at(desk.order[at(stop - 1)]), STOP_LANE]
    counts[LOOKED_AT] += lanes
    kept = stop
    for i in range(stop - 1, begin - 1, -1):
        child = desk.order[at(i)]
        value = settled(game, desk, child, role, target)
        if value == UNDECIDED:
            kept -= 1
            desk.order[at(kept)] = child
        elif _improve(desk, ply, value, child, is_mine, target):
            return True
    desk.frames[at(ply), AT_NEXT] = kept - base
    desk.frames[at(ply), AT_CHUNK] = stop - base
    if kept < stop:
        save_lanes(game, desk, ply, lanes)
    return False


@part
def _avoid_others(desk: Desk, ply: int) -> None:
    """Put a child first at which no other thread is, if there is one.

    The first of all is searched by everybody: it often settles its parent, and the others need not be looked at.
    """
    base = desk.frames[at(ply), AT_BASE]
    is_first = desk.frames[at(ply), AT_SEARCHED] == 0 and not desk.frames[at(ply), AT_KNOWN]
    if len(desk.busy) == 0 or ply >= BUSY_PLIES or is_first:
        return
    begin, end = base + desk.frames[at(ply), AT_NEXT], base + desk.frames[at(ply), AT_CHUNK]
    for i in range(begin, end):
        key = desk.names[at(desk.order[at(i)]), 0]
        if desk.busy[at(key & np.uint64(len(desk.busy) - 1))] != key:
            chosen = desk.order[at(i)]
            for k in range(i, begin, -1):
                desk.order[at(k)] = desk.order[at(k - 1)]
            desk.order[at(begin)] = chosen
            return


@part
def _sign(desk: Desk, row: int, ply: int, is_there: bool) -> None:
    """Tell other threads that this one is at a state, or no longer."""
    if len(desk.busy) and ply < BUSY_PLIES:
        key = desk.names[at(row), 0]
        slot = key & np.uint64(len(desk.busy) - 1)
        if is_there:
            desk.busy[at(slot)] = key
        elif desk.busy[at(slot)] == key:
            desk.busy[at(slot)] = ZERO


@part
def _settled_by_others(desk: Desk, target: int, ply: int) -> Any:
    """The first ply on the way whose state another thread has settled meanwhile, and its value; 0 where none is."""
    for i in range(1, min(ply, BUSY_PLIES)):
        value = _value_in_table(desk, desk.frames[at(i), AT_ROW], target)
        if value != UNDECIDED:
            return i, value
    return 0, UNDECIDED


@part
def _leave(desk: Desk, ply: int) -> None:
    """Go back from the state of a ply to the one before."""
    row = desk.frames[at(ply), AT_ROW]
    _step_on(desk, row, -1)
    _sign(desk, row, ply - 1, False)


@part
def _learn(game: GameArrays, desk: Desk, ply: int) -> None:
    """The child searched last has settled its parent: its move did well, those before it did not."""
    row, base = desk.frames[at(ply), AT_ROW], desk.frames[at(ply), AT_BASE]
    last = desk.frames[at(ply), AT_SEARCHED] - 1
    for i in range(last):
        praise(desk, desk.order[at(base + i)], row, game.places.state_words, -1)
    praise(desk, desk.order[at(base + last)], row, game.places.state_words, last)


@part
def _open_frame(desk: Desk, ply: int, row: int, base: int, is_mine: bool, counts: Ints) -> None:
    desk.frames[at(ply), AT_ROW] = row
    desk.frames[at(ply), AT_BASE] = base
    desk.frames[at(ply), AT_COUNT] = 0
    desk.frames[at(ply), AT_NEXT] = 0
    desk.frames[at(ply), AT_CHUNK] = 0
    desk.frames[at(ply), AT_SEARCHED] = 0
    desk.frames[at(ply), AT_BEST] = LEAST - 1 if is_mine else MOST + 1
    desk.frames[at(ply), AT_BEST_MOVE] = -1
    desk.frames[at(ply), AT_START] = counts[ENTERED]


@part
def _note_frame(desk: Desk, ply: int, target: int, counts: Ints) -> int:
    """Keep in the table what was found of a state; that value."""
    row, best = desk.frames[at(ply), AT_ROW], desk.frames[at(ply), AT_BEST]
    lower = best if best >= target else LEAST
    upper = best if best < target else MOST
    nodes = counts[ENTERED] - desk.frames[at(ply), AT_START]
    move = desk.frames[at(ply), AT_BEST_MOVE]
    note(desk.table, desk.names[at(row), 0], desk.names[at(row), PLACE], lower, upper, move, nodes)
    return best


@part
def _go_on(game: GameArrays, desk: Desk, role: int, target: int, ply: int, counts: Ints) -> Any:
    """The next child to search, -1 where there is none; whether its parent is settled without it."""
    is_mine = desk.chooser[at(desk.frames[at(ply), AT_ROW])] == role
    base = desk.frames[at(ply), AT_BASE]
    while True:
        if desk.frames[at(ply), AT_NEXT] == desk.frames[at(ply), AT_CHUNK]:
            if desk.frames[at(ply), AT_NEXT] == desk.frames[at(ply), AT_COUNT]:
                return -1, False
            if _next_chunk(game, desk, role, target, ply, counts):
                return -1, True
            if counts[PROOF_TROUBLE]:
                return -1, False
            continue
        _avoid_others(desk, ply)
        child = desk.order[at(base + desk.frames[at(ply), AT_NEXT])]
        desk.frames[at(ply), AT_NEXT] += 1
        value = UNDECIDED
        if desk.frames[at(ply), AT_SEARCHED]:
            value = _value_in_table(desk, child, target)
        if value == UNDECIDED:
            desk.order[at(base + desk.frames[at(ply), AT_SEARCHED])] = child
            desk.frames[at(ply), AT_SEARCHED] += 1
            return child, False
        if _improve(desk, ply, value, child, is_mine, target):
            return -1, True


@kernel
def prove_target(
    game: GameArrays, desk: Desk, role: int, target: int, counts: Ints, most_nodes: int, stop: Ints
) -> int:
    """Whether the state in row 0 is worth `target` to a role: what it is worth at least, or at most if that is less.

    UNKNOWN, and counts[PROOF_TROUBLE], where it was stopped or cannot be told. Other roles want the value low.
    """
    desk.chooser[0] = mover_of(game, desk.rows, I0)
    name_state(desk, I0, MINUS, game.places.state_words)
    desk.on_path[:] = 0
    forget_lanes(game, desk)
    count = make_children(game, desk.rows, I0, desk.chooser[0], desk.rows, I1, desk.moves)
    if count < 0:
        counts[PROOF_TROUBLE] = NO_ROOM
        return UNKNOWN
    ply, row, base = I0, I0, I1
    room = desk.rows.shape[0]
    while True:
        # enter the state in `row`, whose children's rows begin at `base`
        counts[ENTERED] += 1
        counts[LOOKED_AT] += 1
        if stop[0] or counts[ENTERED] > most_nodes:
            counts[PROOF_TROUBLE] = STOPPED
            return UNKNOWN
        _open_frame(desk, ply, row, base, desk.chooser[at(row)] == role, counts)
        _step_on(desk, row, 1)
        is_settled = _meet_children(game, desk, role, target, ply, count, counts)
        if counts[PROOF_TROUBLE]:
            return UNKNOWN
        if not is_settled:
            is_settled = _ask_table(desk, role, target, ply)
        if not is_settled:
            _sort_children(game, desk, ply)
        base += count
        if len(desk.busy) and counts[ENTERED] & LOOKS == 0:
            done, value = _settled_by_others(desk, target, ply)
            if done:
                while ply > done:
                    _leave(desk, ply)
                    ply -= 1
                desk.frames[at(ply), AT_BEST] = value
                is_settled = True
        while True:
            child = -1
            if not is_settled:
                child, is_settled = _go_on(game, desk, role, target, ply, counts)
                if counts[PROOF_TROUBLE]:
                    return UNKNOWN
            if child >= 0:
                if base + 512 > room or ply + 2 >= desk.frames.shape[0]:
                    counts[PROOF_TROUBLE] = NO_ROOM
                    return UNKNOWN
                _sign(desk, child, ply, True)
                count = take_rows(game, desk, ply, child, base)
                ply += 1
                row = child
                break
            # all is known of the state of this ply
            value = _note_frame(desk, ply, target, counts)
            _step_on(desk, desk.frames[at(ply), AT_ROW], -1)
            if ply == 0:
                counts[PROOF_MOVE] = desk.frames[0, AT_BEST_MOVE]
                return value
            base = desk.frames[at(ply), AT_BASE]
            ply -= 1
            child = desk.frames[at(ply + 1), AT_ROW]
            _sign(desk, child, ply, False)
            is_mine = desk.chooser[at(desk.frames[at(ply), AT_ROW])] == role
            is_settled = _improve(desk, ply, value, child, is_mine, target)
            if is_settled:
                _learn(game, desk, ply)
