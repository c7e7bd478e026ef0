"""Alpha-beta that plays by what was learnt: see ../judging.py."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gamemaster.search.native.kernels.compiling import aside, kernel, part
from gamemaster.search.native.kernels.intrinsics import HIGHEST, I0, at
from gamemaster.search.native.kernels.judgement import (
    SURE,
    WIN,
    Net,
    add_up,
    carry,
    end_score,
    guess_after,
    guess_of,
)
from gamemaster.search.native.kernels.records import (
    NO_ROOM,
    SEVERAL_CHOOSE,
    STOPPED,
    GameArrays,
    Ints,
    Singles,
    Words,
)
from gamemaster.search.native.kernels.rows import NOBODY, SEVERAL, is_terminal, make_children, mover_of
from gamemaster.search.native.kernels.table import hash_of

__all__ = [
    "BEST_ROW",
    "BEST_VALUE",
    "DESK_COUNTS",
    "DONE",
    "FRAME_SIZE",
    "LOOKED",
    "MOST_LOOKS",
    "SALT",
    "WRONG",
    "JudgingDesk",
    "deliberate",
    "look",
    "recall_line",
]

DESK_COUNTS = 7
LOOKED, MOST_LOOKS, WRONG, BEST_ROW, BEST_VALUE, DONE, SALT = range(DESK_COUNTS)
"""Places in the counts: states entered, and how many may be; what kind of TROUBLE there was; the row of the root's best
child and its value; the last depth finished; what keys in the table are mixed with."""

EXACT, LOWER, UPPER = 1, 2, 3
MOVE_BITS, DEPTH_BITS, AGE_BITS = 22, 6, 2
MOST_MOVE, MOST_DEPTH, AGES = (1 << MOVE_BITS) - 1, (1 << DEPTH_BITS) - 1, 1 << AGE_BITS
"""An entry of the table, uint64[2]: the key; value (32 bits), best move and 1, depth, its age, what kind of bound."""

BEYOND = 2 * WIN
"""More than any value."""

FRAME_SIZE = 18
ROW, TOP, END, NEXT, MOVER, DEPTH, LOWEST, ALPHA, BETA = range(9)
BEST, BEST_CHILD, CHILD, CHOOSER, TURN, DEEPER, LESS, STAGE, STANDING = range(9, FRAME_SIZE)
"""Places in a frame: the row of a state, its children's rows and the next of them; who moves, how deep; the window as
it was, and as it is; the best child. Of the child that is searched: who moves there, 1 if that is the same role, else
-1; how deep, and how much less at first; how closely it is looked at. What the state
itself looks to be worth."""

REDUCED, NARROW, WIDE = range(3)
"""Whether it is better than the best at a smaller depth; at the full depth; what it is worth."""

MOST_FORCED = 24
"""As long as it is so near the root, a state with a single move costs no depth."""

MOST_HISTORY, HISTORY_SHIFT = 1_024, 10
"""So much history makes a move look better by a swing."""

LOUDEST = -3
"""So far below the horizon moves are looked at that change a lot."""


class JudgingDesk(NamedTuple):
    """What it works in: N rows, P plies."""

    rows: Words
    moves: Ints  # int64[N]
    worth: Ints  # int64[N]: what a child looks to be worth to whoever moves there
    keys: Ints  # int64[N]: how soon to try it; the least where it is an end
    order: Ints  # int64[N]
    units: Singles  # float32[P, UNITS]
    killers: Ints  # int64[P, 2]
    history: Ints  # int64[moves]: how often, and how near the root, a move cut off others
    table: Words  # uint64[power of two, 2]
    frames: Ints  # int64[P, FRAME]: a state on the way from the root, and what its children are worth so far
    counts: Ints  # int64[DESK_COUNTS]


@part
def _remember(
    desk: JudgingDesk, key: np.uint64, value: int, depth: int, move: int, kind: int, ply: int
) -> None:
    """Put a value into the table: beside what was searched deeper, instead of what is old."""
    size = np.uint64(desk.table.shape[0] - 2)
    slot = np.int64(key & size)  # two entries side by side
    age = desk.counts[SALT] & (AGES - 1)
    held = desk.table[at(slot), 1]
    is_older = np.int64(held >> np.uint64(2)) & (AGES - 1) != age
    its_depth = np.int64(held >> np.uint64(2 + AGE_BITS)) & MOST_DEPTH
    if desk.table[at(slot), 0] != key and not is_older and its_depth > depth:
        slot += 1
    if value > SURE:  # how far it is from here, not from the root
        value += ply
    elif value < -SURE:
        value -= ply
    low = ((move + 1) << (2 + AGE_BITS + DEPTH_BITS)) | (min(max(0, depth), MOST_DEPTH) << (2 + AGE_BITS))
    desk.table[at(slot), 0] = key
    desk.table[at(slot), 1] = (np.uint64(value + BEYOND) << np.uint64(32)) | np.uint64(
        low | (age << 2) | kind
    )


@part
def _known(desk: JudgingDesk, key: np.uint64) -> Any:
    """Where the table has a state; -1 where it has not."""
    slot = np.int64(key & np.uint64(desk.table.shape[0] - 2))
    if desk.table[at(slot), 0] == key:
        return slot
    if desk.table[at(slot + 1), 0] == key:
        return slot + 1
    return np.int64(-1)


@part
def _value_at(desk: JudgingDesk, slot: int, ply: int) -> int:
    """The value in an entry, as far from the root as this ply is."""
    value = np.int64(desk.table[at(slot), 1] >> np.uint64(32)) - BEYOND
    if value > SURE:
        value -= ply
    elif value < -SURE:
        value += ply
    return value


@part
def _move_at(desk: JudgingDesk, slot: int) -> int:
    """The best move in an entry."""
    low = np.int64(desk.table[at(slot), 1] & np.uint64(0xFFFFFFFF))
    return (low >> (2 + AGE_BITS + DEPTH_BITS)) - 1


@part
def _key_of(game: GameArrays, desk: JudgingDesk, row: int) -> Any:
    """The key of a state in the table."""
    key = hash_of(desk.rows, row, game.places.state_words)
    return (key ^ (np.uint64(desk.counts[SALT] >> AGE_BITS) * np.uint64(0x9E3779B97F4A7C15))) | HIGHEST


@part
def _take(desk: JudgingDesk, start: int, end: int) -> int:
    """The child to try next of those from a place in the order on; it takes that place."""
    best = start
    for i in range(start + 1, end):
        if desk.keys[at(desk.order[at(i)])] > desk.keys[at(desk.order[at(best)])]:
            best = i
    desk.order[at(start)], desk.order[at(best)] = desk.order[at(best)], desk.order[at(start)]
    return desk.order[at(start)]


@part
def _weigh(
    game: GameArrays,
    desk: JudgingDesk,
    net: Net,
    row: int,
    sign: int,
    top: int,
    count: int,
    known_move: int,
    ply: int,
    is_deep: bool,
) -> int:
    """What all children look to be worth, and how soon to try them; the best end, -BEYOND if there is none."""
    sure = -BEYOND
    first, second = desk.killers[at(ply), 0], desk.killers[at(ply), 1]
    for child in range(top, top + count):
        move = desk.moves[at(child)]
        desk.order[at(child)] = child
        if is_terminal(game, desk.rows, child):
            worth = sign * end_score(game, net, desk.rows, child, ply + 1)
            sure = max(sure, worth)
            desk.worth[at(child)] = worth
            desk.keys[at(child)] = -BEYOND
            continue
        worth = sign * guess_after(net, desk.rows, child, row, desk.units, ply + 1)
        key = worth
        if is_deep:
            key += (desk.history[at(move)] * net.swing) >> HISTORY_SHIFT
            if move in (first, second):
                key += net.swing // 2
            if move == known_move:
                key += WIN
        desk.worth[at(child)] = worth
        desk.keys[at(child)] = key
    return sure


@part
def _reduction(depth: int, number: int, gap: int, swing: int) -> int:
    """How many plies less deep a move is looked at first that comes so late, and looks so much worse than the best."""
    less = 0
    if depth >= 3 and number >= 3:
        less = 1
        if number >= 8:
            less += 1
        if depth >= 6 and number >= 5:
            less += 1
        if gap > 2 * swing:
            less += 1
    return min(less, depth - 1)


@part
def _in_table(desk: JudgingDesk, key: np.uint64, depth: int, alpha: int, beta: int, ply: int) -> Any:
    """The best move that the table has for a state, -1 for none; whether its value is enough to know; that value."""
    known_move, is_enough, value = np.int64(-1), False, np.int64(0)
    slot = _known(desk, key)
    if slot >= 0:
        known_move = _move_at(desk, slot)
        low = np.int64(desk.table[at(slot), 1] & np.uint64(0xFFFFFFFF))
        value = _value_at(desk, slot, ply)
        is_deep = (low >> (2 + AGE_BITS)) & MOST_DEPTH >= depth or abs(value) > SURE
        if is_deep and ply > 0:
            kind = low & 3
            is_enough = (
                kind == EXACT or (kind == LOWER and value >= beta) or (kind == UPPER and value <= alpha)
            )
    return known_move, is_enough, value


@part
def _best_end(desk: JudgingDesk, top: int, end: int, best: int) -> int:
    """The child that is an end and worth so much."""
    child = top
    while child < end - 1 and (desk.keys[at(child)] != -BEYOND or desk.worth[at(child)] != best):
        child += 1
    return child


@part
def _best_leaf(desk: JudgingDesk, top: int, end: int) -> int:
    """The child that looks best, or is."""
    best = top
    for child in range(top + 1, end):
        if desk.worth[at(child)] > desk.worth[at(best)]:
            best = child
    return best


@part
def _note_cut(desk: JudgingDesk, move: int, depth: int, ply: int) -> None:
    """Note a move that cut off others."""
    desk.history[at(move)] += depth * depth
    if desk.history[at(move)] > MOST_HISTORY:
        for other in range(desk.history.shape[0]):
            desk.history[at(other)] >>= 1
    if desk.killers[at(ply), 0] != move:
        desk.killers[at(ply), 1] = desk.killers[at(ply), 0]
        desk.killers[at(ply), 0] = move


@part
def _open(
    game: GameArrays,
    desk: JudgingDesk,
    net: Net,
    row: int,
    mover: int,
    depth: int,
    alpha: int,
    beta: int,
    ply: int,
    top: int,
) -> Any:
    """Whether a state is done with at once; its value to its mover. Else it stands in the frame of its ply."""
    counts, frames = desk.counts, desk.frames
    sign = 1 if mover == net.side else -1
    key = _key_of(game, desk, row)
    known_move, is_done, value = _in_table(desk, key, depth, alpha, beta, ply)
    count = np.int64(0)
    if not is_done:
        if ply + 2 < desk.units.shape[0]:
            count = make_children(game, desk.rows, row, mover, desk.rows, top, desk.moves)
        if count <= 0:
            is_done, value = True, sign * guess_of(net, desk.units, ply)
            if ply == 0:
                counts[WRONG] = NO_ROOM
    if not is_done:
        end = top + count
        best = _weigh(game, desk, net, row, sign, top, count, known_move, ply, depth > 1)
        best_row = _best_end(desk, top, end, best) if best > -BEYOND else top
        leaf = _best_leaf(desk, top, end)
        stand = sign * guess_of(net, desk.units, ply)
        is_quiet = (
            depth <= LOUDEST or desk.worth[at(leaf)] <= alpha or desk.worth[at(leaf)] - stand < net.swing
        )
        if best >= beta or (depth <= 1 and ply > 0 and is_quiet):
            if best < beta:
                best_row = leaf
                best = desk.worth[at(best_row)]
            kind = LOWER if best >= beta else (UPPER if best <= alpha else EXACT)
            _remember(desk, key, best, depth, desk.moves[at(best_row)], kind, ply)
            if ply == 0:
                counts[BEST_ROW], counts[BEST_VALUE] = best_row, best
            is_done, value = True, best
        else:
            frames[at(ply), ROW], frames[at(ply), TOP], frames[at(ply), END] = row, top, end
            frames[at(ply), NEXT], frames[at(ply), MOVER], frames[at(ply), DEPTH] = top, mover, depth
            frames[at(ply), LOWEST], frames[at(ply), ALPHA] = alpha, max(alpha, best)
            frames[at(ply), BETA], frames[at(ply), BEST], frames[at(ply), BEST_CHILD] = beta, best, best_row
            frames[at(ply), STANDING] = stand
    return is_done, value


@part
def _accept(desk: JudgingDesk, ply: int, value: int) -> None:
    """Note what a child of a frame is worth to the mover there."""
    counts, frames = desk.counts, desk.frames
    child = frames[at(ply), CHILD]
    if value > frames[at(ply), BEST]:
        frames[at(ply), BEST] = value
        frames[at(ply), BEST_CHILD] = child
        if ply == 0:
            counts[BEST_ROW], counts[BEST_VALUE] = child, value
    frames[at(ply), ALPHA] = max(frames[at(ply), ALPHA], value)


@part
def _close(game: GameArrays, desk: JudgingDesk, ply: int) -> int:
    """The value of the state in a frame to its mover, all of whose children that matter were searched."""
    frames = desk.frames
    best, depth = frames[at(ply), BEST], frames[at(ply), DEPTH]
    move = desk.moves[at(frames[at(ply), BEST_CHILD])]
    kind = EXACT
    if best >= frames[at(ply), BETA]:
        kind = LOWER
        _note_cut(desk, move, depth, ply)
    elif best <= frames[at(ply), LOWEST]:
        kind = UPPER
    if ply == 0:
        desk.counts[BEST_ROW], desk.counts[BEST_VALUE] = frames[0, BEST_CHILD], best
    _remember(desk, _key_of(game, desk, frames[at(ply), ROW]), best, depth, move, kind, ply)
    return best


@aside
def look(game: GameArrays, desk: JudgingDesk, net: Net, mover: int, depth: int, stop: Ints) -> int:
    """The value of the state in row 0 to its mover, so many plies deep; its best child is in the counts.

    Its units are in place 0; all other rows are free.
    """
    counts, frames = desk.counts, desk.frames
    ply, row, top = np.int64(0), np.int64(0), np.int64(1)
    alpha, beta, value = np.int64(-BEYOND), np.int64(BEYOND), np.int64(0)
    is_new = True
    while True:
        if is_new:  # the state in `row`
            counts[LOOKED] += 1
            if stop[0] or counts[LOOKED] > counts[MOST_LOOKS]:
                counts[WRONG] = STOPPED
                return value
            if mover == SEVERAL:
                counts[WRONG] = SEVERAL_CHOOSE
                return value
            is_done, value = True, np.int64(0)
            if mover != NOBODY:
                is_done, value = _open(game, desk, net, row, mover, depth, alpha, beta, ply, top)
            if is_done:
                if ply == 0:
                    return value
                ply -= 1
            is_back = is_done
        else:
            is_back = True
        if is_back:  # from a child of the frame of this ply: look closer, or note its value
            value *= frames[at(ply), TURN]
            stage = frames[at(ply), STAGE]
            alpha, beta = frames[at(ply), ALPHA], frames[at(ply), BETA]
            is_new = False
            if stage == REDUCED and value > alpha:
                frames[at(ply), STAGE] = NARROW
                is_new = True
                beta = alpha + 1
            elif stage != WIDE and alpha < value < beta:
                frames[at(ply), STAGE] = WIDE
                is_new = True
            if not is_new:
                _accept(desk, ply, value)
        if not is_new or not is_back:  # the next child
            is_new = False
            start, end = frames[at(ply), NEXT], frames[at(ply), END]
            is_over = start >= end or frames[at(ply), ALPHA] >= frames[at(ply), BETA]
            child = np.int64(0)
            if not is_over:
                child = _take(desk, start, end)
                is_over = desk.keys[at(child)] == -BEYOND  # ends have been counted
            if is_over:
                value = _close(game, desk, ply)
                if ply == 0:
                    return value
                ply -= 1
                continue
            depth = frames[at(ply), DEPTH]
            frames[at(ply), NEXT] = start + 1
            frames[at(ply), CHILD] = child
            number = start - frames[at(ply), TOP]
            if depth <= 1:
                is_loud = desk.worth[at(child)] - frames[at(ply), STANDING] >= net.swing and depth > LOUDEST
                if ply == 0 or not is_loud:
                    frames[at(ply), TURN], frames[at(ply), STAGE] = 1, WIDE
                    value = desk.worth[at(child)]
                    if ply > 0:  # those after it look worse
                        frames[at(ply), NEXT] = end
                    continue
            chooser = mover_of(game, desk.rows, child)
            deeper = depth - 1
            if end - frames[at(ply), TOP] == 1 and ply < MOST_FORCED:
                deeper = depth
            less = np.int64(0)
            if number > 0 and depth > 1:
                less = _reduction(depth, number, frames[at(ply), ALPHA] - desk.worth[at(child)], net.swing)
            frames[at(ply), DEEPER], frames[at(ply), LESS], frames[at(ply), CHOOSER] = deeper, less, chooser
            frames[at(ply), TURN] = 1 if chooser == frames[at(ply), MOVER] else -1
            frames[at(ply), STAGE] = WIDE if number == 0 else (REDUCED if less > 0 else NARROW)
            carry(net, desk.rows, child, frames[at(ply), ROW], desk.units, ply + 1)
            alpha = frames[at(ply), ALPHA]
            beta = frames[at(ply), BETA] if number == 0 else alpha + 1
            is_new = True
        # down to the child
        row, top = frames[at(ply), CHILD], frames[at(ply), END]
        mover = frames[at(ply), CHOOSER]
        depth = frames[at(ply), DEEPER]
        if frames[at(ply), STAGE] == REDUCED:
            depth -= frames[at(ply), LESS]
        if frames[at(ply), TURN] < 0:
            alpha, beta = -beta, -alpha
        ply += 1


@kernel
def deliberate(
    game: GameArrays, desk: JudgingDesk, net: Net, mover: int, shallowest: int, deepest: int, stop: Ints
) -> int:
    """Look at the state in row 0 deeper and deeper; the value of its best move to its mover, and all in the counts."""
    counts = desk.counts
    counts[WRONG] = counts[LOOKED] = counts[DONE] = 0
    counts[BEST_ROW], counts[BEST_VALUE] = -1, 0
    add_up(net, desk.rows, I0, desk.units, I0)
    value = np.int64(0)
    for depth in range(shallowest, deepest + 1):
        found = look(game, desk, net, mover, np.int64(depth), stop)
        if counts[WRONG]:
            break
        value = found
        counts[DONE] = depth
        if abs(value) > SURE:
            break
    return value


@kernel
def recall_line(game: GameArrays, desk: JudgingDesk, line: Ints) -> int:
    """The moves that the table has from row 0 on, into `line`; how many. Row 0 is where they lead."""
    length = 0
    while length < len(line) and not is_terminal(game, desk.rows, I0):
        slot = _known(desk, _key_of(game, desk, I0))
        mover = mover_of(game, desk.rows, I0)
        if slot < 0 or mover < 0:
            break
        move = _move_at(desk, slot)
        count = make_children(game, desk.rows, I0, mover, desk.rows, 1, desk.moves)
        child = 1
        while child <= count and desk.moves[child] != move:
            child += 1
        if child > count:
            break
        for word in range(desk.rows.shape[1]):
            desk.rows[0, word] = desk.rows[child, word]
        line[length] = move
        length += 1
    return length
