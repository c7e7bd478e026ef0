"""Is a state worth so much to a role? Searched to the ends of the game: see ../prover.py."""

from __future__ import annotations

from typing import Any

import numpy as np

from gamemaster.codegen.vector import LANES
from gamemaster.search.native.kernels.compiling import kernel, part
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
    COUNT,
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
from gamemaster.search.native.kernels.threats import count_threats
from gamemaster.search.native.kernels.workbench import (
    AT_BASE,
    AT_BEST,
    AT_BEST_MOVE,
    AT_CHUNK,
    AT_COUNT,
    AT_KNOWN,
    AT_LANES,
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
    Workbench,
)

__all__ = ["LEAST", "MOST", "UNKNOWN", "prove_target"]

LEAST, MOST, UNKNOWN = 0, 100, -1
THREAT = 50
"""Threats count more than all else, by so many bits."""

SHORT_CODE = 2_000
"""So many instructions of a game's code take about as long as one look at a large table."""

BUSY_PLIES = 24
"""Threads look after each other only so far from the root."""

LOOKS = 255
"""Once in so many states, and one, a thread looks whether what it works for was settled by another."""


@part
def _is_repeated(bench: Workbench, row: int, ply: int) -> bool:
    """Whether a state is already on the way to it."""
    key = bench.names[at(row), 0]
    if bench.on_path[at(key & np.uint64(len(bench.on_path) - 1))]:
        for i in range(ply + 1):
            if bench.names[at(bench.frames[at(i), AT_ROW]), 0] == key:
                return True
    return False


@part
def _step_on(bench: Workbench, row: int, by: int) -> None:
    """Note that a state is on the way, or no longer."""
    place = bench.names[at(row), 0] & np.uint64(len(bench.on_path) - 1)
    bench.on_path[at(place)] += np.uint8(by)


@part
def _improve(bench: Workbench, ply: int, value: int, child: int, is_mine: bool, target: int) -> bool:
    """Note what a child is worth; whether that settles its parent."""
    best = bench.frames[at(ply), AT_BEST]
    if value > best if is_mine else value < best:
        bench.frames[at(ply), AT_BEST] = value
        bench.frames[at(ply), AT_BEST_MOVE] = bench.moves[at(child)]
    return value >= target if is_mine else value < target


@part
def _value_in_table(bench: Workbench, row: int, target: int) -> int:
    """What the table knows of a state, if that is enough; else UNDECIDED."""
    known = known_of(bench.table, bench.names[at(row), 0], bench.names[at(row), PLACE])
    if known != NOTHING_KNOWN:
        if lower_of(known) >= target:
            return lower_of(known)
        if upper_of(known) < target:
            return upper_of(known)
    return UNDECIDED


@part
def _meet_children(
    game: GameArrays, bench: Workbench, role: int, target: int, ply: int, count: int, counts: Ints
) -> bool:
    """Look at the children of a state: those that the rules leave open go into `order`; whether one settles it."""
    row, base = bench.frames[at(ply), AT_ROW], bench.frames[at(ply), AT_BASE]
    is_mine = bench.chooser[at(row)] == role
    open_children, lanes = 0, 0
    for child in range(base, base + count):
        chooser = NOBODY
        if not is_terminal(game, bench.rows, child):
            chooser = mover_of(game, bench.rows, child)
        if chooser == NOBODY:
            value = np.int64(end_value(game, bench.rows, child, role))
            if _improve(bench, ply, value, child, is_mine, target):
                return True
            continue
        if chooser == SEVERAL:
            counts[PROOF_TROUBLE] = SEVERAL_CHOOSE
            return False
        bench.chooser[at(child)] = chooser
        bench.mobile[at(child)] = _count_moves(game, bench, child)
        lanes += bench.mobile[at(child)]
        bench.order[at(base + open_children)] = child
        open_children += 1
    bench.frames[at(ply), AT_COUNT] = open_children
    bench.frames[at(ply), AT_LANES] = lanes
    return False


@part
def _count_moves(game: GameArrays, bench: Workbench, row: int) -> int:
    """How many moves whoever chooses in a state has."""
    first, chooser = game.places.first_legal, bench.chooser[at(row)]
    start, end = first + game.move_start[at(chooser)], first + game.move_start[at(chooser + 1)]
    return count_set(bench.rows, row, start, end)


@part
def _name_children(game: GameArrays, bench: Workbench, ply: int, counts: Ints) -> None:
    """Name the children in `order`, and have what the table knows of them brought, all at once."""
    row, base = bench.frames[at(ply), AT_ROW], bench.frames[at(ply), AT_BASE]
    end = base + bench.frames[at(ply), AT_COUNT]
    for i in range(base, end):
        child = bench.order[at(i)]
        name_state(bench, child, row, game.places.state_words)
        if _is_repeated(bench, child, ply):
            counts[PROOF_TROUBLE] = REPEATED
    for i in range(base, end):
        bring(bench.table, bench.names[at(bench.order[at(i)]), PLACE])


@part
def _ask_table(bench: Workbench, role: int, target: int, ply: int) -> bool:
    """Leave out the children of which the table knows enough; whether one settles their parent."""
    row, base = bench.frames[at(ply), AT_ROW], bench.frames[at(ply), AT_BASE]
    is_mine = bench.chooser[at(row)] == role
    kept = 0
    for i in range(bench.frames[at(ply), AT_COUNT]):
        child = bench.order[at(base + i)]
        value = _value_in_table(bench, child, target)
        if value == UNDECIDED:
            bench.order[at(base + kept)] = child
            kept += 1
        elif _improve(bench, ply, value, child, is_mine, target):
            return True
    bench.frames[at(ply), AT_KNOWN] = kept < bench.frames[at(ply), AT_COUNT]
    bench.frames[at(ply), AT_COUNT] = kept
    return False


@part
def _sort_children(game: GameArrays, bench: Workbench, ply: int) -> None:
    """The most promising children first: those with many threats that leave few moves, by moves that did well."""
    row, base = bench.frames[at(ply), AT_ROW], bench.frames[at(ply), AT_BASE]
    for i in range(base, base + bench.frames[at(ply), AT_COUNT]):
        child = bench.order[at(i)]
        appeal = count_threats(bench, child, row, game.places.state_words) << THREAT
        appeal += gain_of(bench, child, row, game.places.state_words)
        appeal -= bench.mobile[at(child)] * bench.mobility
        bench.appeal[at(child)] = appeal
        k = i
        while k > base and bench.appeal[at(bench.order[at(k - 1)])] < appeal:
            bench.order[at(k)] = bench.order[at(k - 1)]
            k -= 1
        bench.order[at(k)] = child


@part
def _settle_by_ends(
    game: GameArrays, bench: Workbench, role: int, target: int, ply: int, begin: int, stop: int
) -> Any:
    """Leave out of a part of `order` those children that a move which ends the game settles.

    Where those that are left begin, behind the others; whether one that is settled settles its parent. Their children
    were made by the last run of the game's code.
    """
    is_mine = bench.chooser[at(bench.frames[at(ply), AT_ROW])] == role
    kept = stop
    for i in range(stop - 1, begin - 1, -1):
        child = bench.order[at(i)]
        value = settled(game, bench, child, role, target)
        if value == UNDECIDED:
            kept -= 1
            bench.order[at(kept)] = child
        elif _improve(bench, ply, value, child, is_mine, target):
            return kept, True
    return kept, False


@part
def _next_chunk(game: GameArrays, bench: Workbench, role: int, target: int, ply: int, counts: Ints) -> bool:
    """Make the children of the next children; whether one of these is settled by that, and settles its parent.

    Those that are settled otherwise are left out.
    """
    base = bench.frames[at(ply), AT_BASE]
    begin, end = base + bench.frames[at(ply), AT_NEXT], base + bench.frames[at(ply), AT_COUNT]
    stop = load_states(game, bench, begin, end)
    if stop == begin:  # more moves than lanes
        counts[PROOF_TROUBLE] = NO_ROOM
        return False
    run_code(game.words)
    lanes = bench.lanes[at(bench.order[at(stop - 1)]), STOP_LANE]
    counts[LOOKED_AT] += lanes
    kept, is_settled = _settle_by_ends(game, bench, role, target, ply, begin, stop)
    bench.frames[at(ply), AT_NEXT] = kept - base
    bench.frames[at(ply), AT_CHUNK] = stop - base
    if kept < stop and not is_settled:
        save_lanes(game, bench, ply, lanes)
    return is_settled


@part
def _all_at_once(game: GameArrays, bench: Workbench, role: int, target: int, ply: int, counts: Ints) -> bool:
    """Make the children of all children, and leave out those that are settled by that; whether one settles its parent.

    What is left is `order` from its beginning on.
    """
    base, count = bench.frames[at(ply), AT_BASE], bench.frames[at(ply), AT_COUNT]
    load_states(game, bench, base, base + count)
    run_code(game.words)
    counts[LOOKED_AT] += bench.frames[at(ply), AT_LANES]
    kept, is_settled = _settle_by_ends(game, bench, role, target, ply, base, base + count)
    left = base + count - kept
    for i in range(left):
        bench.order[at(base + i)] = bench.order[at(kept + i)]
    bench.frames[at(ply), AT_COUNT] = left
    return is_settled


@part
def _look_ahead(game: GameArrays, bench: Workbench, role: int, target: int, ply: int, counts: Ints) -> bool:
    """Leave out the children that can be settled without a search, and sort the others; whether one settles the state.

    A run of short code tells more than looks at the table, and costs less: then it comes first.
    """
    lanes = bench.frames[at(ply), AT_LANES]
    is_at_once = lanes <= LANES and game.words[COUNT] <= SHORT_CODE and bench.frames[at(ply), AT_COUNT] > 0
    if is_at_once and _all_at_once(game, bench, role, target, ply, counts):
        return True
    _name_children(game, bench, ply, counts)
    if counts[PROOF_TROUBLE]:
        return False
    _sort_children(game, bench, ply)  # meanwhile what the table knows comes from memory
    if _ask_table(bench, role, target, ply):
        return True
    if is_at_once and bench.frames[at(ply), AT_COUNT] > 0:
        save_lanes(game, bench, ply, lanes)
        bench.frames[at(ply), AT_CHUNK] = bench.frames[at(ply), AT_COUNT]
    return False


@part
def _avoid_others(bench: Workbench, ply: int) -> None:
    """Put a child first at which no other thread is, if there is one.

    The first of all is searched by everybody: it often settles its parent, and the others need not be looked at.
    """
    base = bench.frames[at(ply), AT_BASE]
    is_first = bench.frames[at(ply), AT_SEARCHED] == 0 and not bench.frames[at(ply), AT_KNOWN]
    if len(bench.busy) == 0 or ply >= BUSY_PLIES or is_first:
        return
    begin, end = base + bench.frames[at(ply), AT_NEXT], base + bench.frames[at(ply), AT_CHUNK]
    for i in range(begin, end):
        key = bench.names[at(bench.order[at(i)]), 0]
        if bench.busy[at(key & np.uint64(len(bench.busy) - 1))] != key:
            chosen = bench.order[at(i)]
            for k in range(i, begin, -1):
                bench.order[at(k)] = bench.order[at(k - 1)]
            bench.order[at(begin)] = chosen
            return


@part
def _sign(bench: Workbench, row: int, ply: int, is_there: bool) -> None:
    """Tell other threads that this one is at a state, or no longer."""
    if len(bench.busy) and ply < BUSY_PLIES:
        key = bench.names[at(row), 0]
        slot = key & np.uint64(len(bench.busy) - 1)
        if is_there:
            bench.busy[at(slot)] = key
        elif bench.busy[at(slot)] == key:
            bench.busy[at(slot)] = ZERO


@part
def _settled_by_others(bench: Workbench, target: int, ply: int) -> Any:
    """The first ply on the way whose state another thread has settled meanwhile, and its value; 0 where none is."""
    for i in range(1, min(ply, BUSY_PLIES)):
        value = _value_in_table(bench, bench.frames[at(i), AT_ROW], target)
        if value != UNDECIDED:
            return i, value
    return 0, UNDECIDED


@part
def _leave(bench: Workbench, ply: int) -> None:
    """Go back from the state of a ply to the one before."""
    row = bench.frames[at(ply), AT_ROW]
    _step_on(bench, row, -1)
    _sign(bench, row, ply - 1, False)


@part
def _learn(game: GameArrays, bench: Workbench, ply: int) -> None:
    """The child searched last has settled its parent: its move did well, those before it did not."""
    row, base = bench.frames[at(ply), AT_ROW], bench.frames[at(ply), AT_BASE]
    last = bench.frames[at(ply), AT_SEARCHED] - 1
    for i in range(last):
        praise(bench, bench.order[at(base + i)], row, game.places.state_words, -1)
    praise(bench, bench.order[at(base + last)], row, game.places.state_words, last)


@part
def _open_frame(bench: Workbench, ply: int, row: int, base: int, is_mine: bool, counts: Ints) -> None:
    bench.frames[at(ply), AT_ROW] = row
    bench.frames[at(ply), AT_BASE] = base
    bench.frames[at(ply), AT_COUNT] = 0
    bench.frames[at(ply), AT_NEXT] = 0
    bench.frames[at(ply), AT_CHUNK] = 0
    bench.frames[at(ply), AT_SEARCHED] = 0
    bench.frames[at(ply), AT_BEST] = LEAST - 1 if is_mine else MOST + 1
    bench.frames[at(ply), AT_BEST_MOVE] = -1
    bench.frames[at(ply), AT_START] = counts[ENTERED]


@part
def _note_frame(bench: Workbench, ply: int, target: int, counts: Ints) -> int:
    """Keep in the table what was found of a state; that value."""
    row, best = bench.frames[at(ply), AT_ROW], bench.frames[at(ply), AT_BEST]
    lower = best if best >= target else LEAST
    upper = best if best < target else MOST
    nodes = counts[ENTERED] - bench.frames[at(ply), AT_START]
    move = bench.frames[at(ply), AT_BEST_MOVE]
    note(bench.table, bench.names[at(row), 0], bench.names[at(row), PLACE], lower, upper, move, nodes)
    return best


@part
def _go_on(game: GameArrays, bench: Workbench, role: int, target: int, ply: int, counts: Ints) -> Any:
    """The next child to search, -1 where there is none; whether its parent is settled without it."""
    is_mine = bench.chooser[at(bench.frames[at(ply), AT_ROW])] == role
    base = bench.frames[at(ply), AT_BASE]
    while True:
        if bench.frames[at(ply), AT_NEXT] == bench.frames[at(ply), AT_CHUNK]:
            if bench.frames[at(ply), AT_NEXT] == bench.frames[at(ply), AT_COUNT]:
                return -1, False
            if _next_chunk(game, bench, role, target, ply, counts):
                return -1, True
            if counts[PROOF_TROUBLE]:
                return -1, False
            continue
        _avoid_others(bench, ply)
        child = bench.order[at(base + bench.frames[at(ply), AT_NEXT])]
        bench.frames[at(ply), AT_NEXT] += 1
        value = UNDECIDED
        if bench.frames[at(ply), AT_SEARCHED]:
            value = _value_in_table(bench, child, target)
        if value == UNDECIDED:
            bench.order[at(base + bench.frames[at(ply), AT_SEARCHED])] = child
            bench.frames[at(ply), AT_SEARCHED] += 1
            return child, False
        if _improve(bench, ply, value, child, is_mine, target):
            return -1, True


@kernel
def prove_target(
    game: GameArrays, bench: Workbench, role: int, target: int, counts: Ints, most_nodes: int, stop: Ints
) -> int:
    """Whether the state in row 0 is worth `target` to a role: what it is worth at least, or at most if that is less.

    UNKNOWN, and counts[PROOF_TROUBLE], where it was stopped or cannot be told. Other roles want the value low.
    """
    bench.chooser[0] = mover_of(game, bench.rows, I0)
    name_state(bench, I0, MINUS, game.places.state_words)
    bench.on_path[:] = 0
    forget_lanes(game, bench)
    count = make_children(game, bench.rows, I0, bench.chooser[0], bench.rows, I1, bench.moves)
    if count < 0:
        counts[PROOF_TROUBLE] = NO_ROOM
        return UNKNOWN
    ply, row, base = I0, I0, I1
    room = bench.rows.shape[0]
    while True:
        # enter the state in `row`, whose children's rows begin at `base`
        counts[ENTERED] += 1
        counts[LOOKED_AT] += 1
        if stop[0] or counts[ENTERED] > most_nodes:
            counts[PROOF_TROUBLE] = STOPPED
            return UNKNOWN
        _open_frame(bench, ply, row, base, bench.chooser[at(row)] == role, counts)
        _step_on(bench, row, 1)
        is_settled = _meet_children(game, bench, role, target, ply, count, counts)
        if not is_settled and not counts[PROOF_TROUBLE]:
            is_settled = _look_ahead(game, bench, role, target, ply, counts)
        if counts[PROOF_TROUBLE]:
            return UNKNOWN
        base += count
        if len(bench.busy) and counts[ENTERED] & LOOKS == 0:
            done, value = _settled_by_others(bench, target, ply)
            if done:
                while ply > done:
                    _leave(bench, ply)
                    ply -= 1
                bench.frames[at(ply), AT_BEST] = value
                is_settled = True
        while True:
            child = -1
            if not is_settled:
                child, is_settled = _go_on(game, bench, role, target, ply, counts)
                if counts[PROOF_TROUBLE]:
                    return UNKNOWN
            if child >= 0:
                if base + 512 > room or ply + 2 >= bench.frames.shape[0]:
                    counts[PROOF_TROUBLE] = NO_ROOM
                    return UNKNOWN
                _sign(bench, child, ply, True)
                count = take_rows(game, bench, ply, child, base)
                ply += 1
                row = child
                break
            # all is known of the state of this ply
            value = _note_frame(bench, ply, target, counts)
            _step_on(bench, bench.frames[at(ply), AT_ROW], -1)
            if ply == 0:
                counts[PROOF_MOVE] = bench.frames[0, AT_BEST_MOVE]
                return value
            base = bench.frames[at(ply), AT_BASE]
            ply -= 1
            child = bench.frames[at(ply + 1), AT_ROW]
            _sign(bench, child, ply, False)
            is_mine = bench.chooser[at(bench.frames[at(ply), AT_ROW])] == role
            is_settled = _improve(bench, ply, value, child, is_mine, target)
            if is_settled:
                _learn(game, bench, ply)
