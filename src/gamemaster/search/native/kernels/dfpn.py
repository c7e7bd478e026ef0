"""Depth-first proof-number search on rows: see ../dfpn.py.

A position has a proof number and a disproof number: how many positions must still be won, or lost, at least, before it
is. Where the prover chooses (OR) the easiest child is enough for a proof and all are needed for a disproof; elsewhere
(AND) it is the other way round. A number of 0 is the end of a question, and then the other is INFINITE.

What all children must give is counted as the largest of their numbers and one more for each other child that is open,
not as the sum: ways that meet again would be counted over and over (Ueda et al. 2008).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gamemaster.search.native.kernels.compiling import kernel, part
from gamemaster.search.native.kernels.intrinsics import HIGHEST, I0, I1, MINUS, ZERO, at
from gamemaster.search.native.kernels.records import (
    NO_ROOM,
    SEVERAL_CHOOSE,
    STOPPED,
    GameArrays,
    Ints,
    Words,
)
from gamemaster.search.native.kernels.rows import (
    NOBODY,
    SEVERAL,
    count_set,
    end_value,
    is_terminal,
    make_children,
    mover_of,
)

__all__ = [
    "CLUSTER",
    "DISPROOF",
    "ENDLESS",
    "INFINITE",
    "NUMBERS",
    "PROOF",
    "PROOF_COUNTS",
    "PROOF_FRAME",
    "PROOF_NODES",
    "PROOF_TROUBLE",
    "RESTS",
    "UNTIL_THE_END",
    "ProofPool",
    "end_of",
    "open_root",
    "prove",
]

NUMBERS = 3
PROOF, DISPROOF, RESTS = range(NUMBERS)
"""Proof number, disproof number, and what a disproof rests on: UNTIL_THE_END, ends of the game alone; ENDLESS, play
that comes back to itself; or the ply of a position on the way here, to which play comes back: it holds here only."""

INFINITE = (1 << 28) - 1
UNTIL_THE_END = 1 << 40
ENDLESS = UNTIL_THE_END - 1

PROOF_FRAME = ("row", "base", "children", "is_mine", "most_proof", "most_disproof", "began")
F_ROW, F_BASE, F_CHILDREN, F_IS_MINE, F_PROOF, F_DISPROOF, F_BEGAN = range(len(PROOF_FRAME))
"""The whole numbers kept for each position on the way from the root: int64[ply, ...]."""

PROOF_COUNTS = 2
PROOF_NODES, PROOF_TROUBLE = range(PROOF_COUNTS)
"""Places in the counts that `prove` updates."""

CLUSTER = 4
"""Entries of the table that stand together, in one line of the cache: a position may be in any of them."""

DISPROOF_SHIFT, ENDLESS_SHIFT, WORK_SHIFT = 28, 56, 57


class ProofPool(NamedTuple):
    """What `prove` works in: N rows, P plies."""

    rows: Words
    moves: Ints
    numbers: Ints  # int64[N, NUMBERS]: of the state in each row
    keys: Words  # uint64[N, 2]: its hash, and where in tables to look for it
    frames: Ints  # int64[P, ...], see PROOF_FRAME
    path: Words  # uint64[power of two, more than P; 2]: hash and ply of positions on the way, by their hash
    table: Words  # uint64[power of two, 2]: hash; proof number, disproof number, ENDLESS or not, work


# Tables


@part
def _hash(pool: ProofPool, row: int, width: int, salt: np.uint64) -> None:
    """Two hashes of a state: one that is never 0, by which it is known, and one for where to look for it.

    They have nothing to do with each other, so that all bits of the first tell apart those that meet in one place.
    """
    key, place = np.uint64(0x9E3779B97F4A7C15) ^ salt, np.uint64(0xD1B54A32D192ED03) + salt
    for i in range(width):
        word = pool.rows[at(row), at(i)]
        key = (key ^ word) * np.uint64(0xBF58476D1CE4E5B9)
        key ^= key >> np.uint64(29)
        key *= np.uint64(0x94D049BB133111EB)
        key ^= key >> np.uint64(32)
        place = (place ^ word) * np.uint64(0xFF51AFD7ED558CCD)
        place ^= place >> np.uint64(33)
        place *= np.uint64(0xC4CEB9FE1A85EC53)
        place ^= place >> np.uint64(31)
    pool.keys[at(row), 0] = key | HIGHEST
    pool.keys[at(row), 1] = place


@part
def _recall(pool: ProofPool, row: int) -> bool:
    """Whether the table knows the state of a row; its numbers are then put there."""
    key = pool.keys[at(row), 0]
    first = pool.keys[at(row), 1] & np.uint64(pool.table.shape[0] - CLUSTER)
    for i in range(CLUSTER):
        if pool.table[first + at(i), 0] == key:
            entry = pool.table[first + at(i), 1]
            pool.numbers[at(row), PROOF] = np.int64(entry & np.uint64(INFINITE))
            pool.numbers[at(row), DISPROOF] = np.int64(
                (entry >> np.uint64(DISPROOF_SHIFT)) & np.uint64(INFINITE)
            )
            is_endless = (entry >> np.uint64(ENDLESS_SHIFT)) & np.uint64(1)
            pool.numbers[at(row), RESTS] = ENDLESS if is_endless != ZERO else UNTIL_THE_END
            return True
    return False


@part
def _size_of_work(nodes: int) -> Any:
    """How much work a number of nodes was: two sizes for each power of two, 127 at most."""
    length, rest = I0, nodes
    while rest > 1:
        rest >>= 1
        length += 1
    half = (nodes >> (length - 1)) & 1 if length > 0 else I0
    return 2 * length + half


@part
def _remember(pool: ProofPool, row: int, nodes: int) -> None:
    """Put the numbers of a row into the table, in place of what was least work."""
    key = pool.keys[at(row), 0]
    first = pool.keys[at(row), 1] & np.uint64(pool.table.shape[0] - CLUSTER)
    chosen, least = first, np.int64(1 << 20)
    for i in range(CLUSTER):
        slot = first + at(i)
        if pool.table[slot, 0] == key:
            chosen = slot
            break
        work = (
            np.int64(pool.table[slot, 1] >> np.uint64(WORK_SHIFT)) if pool.table[slot, 0] != ZERO else MINUS
        )
        if work < least:
            chosen, least = slot, work
    is_endless = pool.numbers[at(row), RESTS] == ENDLESS
    pool.table[chosen, 0] = key
    pool.table[chosen, 1] = (
        np.uint64(pool.numbers[at(row), PROOF])
        | (np.uint64(pool.numbers[at(row), DISPROOF]) << np.uint64(DISPROOF_SHIFT))
        | (np.uint64(1 if is_endless else 0) << np.uint64(ENDLESS_SHIFT))
        | (np.uint64(_size_of_work(nodes)) << np.uint64(WORK_SHIFT))
    )


# The positions on the way from the root


@part
def _place_on_path(pool: ProofPool, row: int) -> Any:
    """Where the state of a row stands among those on the way, or would."""
    last = np.uint64(pool.path.shape[0] - 1)
    slot = pool.keys[at(row), 0] & last
    while pool.path[slot, 0] != ZERO and pool.path[slot, 0] != pool.keys[at(row), 0]:
        slot = (slot + np.uint64(1)) & last
    return slot


@part
def _step_on(pool: ProofPool, row: int, ply: int) -> None:
    slot = _place_on_path(pool, row)
    pool.path[slot, 0] = pool.keys[at(row), 0]
    pool.path[slot, 1] = np.uint64(ply)


@part
def _step_off(pool: ProofPool, row: int) -> None:
    """Take the position that came last from the path: nothing was put behind it since."""
    pool.path[_place_on_path(pool, row), 0] = ZERO


@part
def _clear(pool: ProofPool) -> None:
    """Leave all positions on the way, for the next question."""
    for i in range(pool.path.shape[0]):
        pool.path[at(i), 0] = ZERO


# Numbers


@part
def _set(pool: ProofPool, row: int, proof: int, disproof: int, rests: int) -> None:
    pool.numbers[at(row), PROOF] = proof
    pool.numbers[at(row), DISPROOF] = disproof
    pool.numbers[at(row), RESTS] = rests


@part
def _judge(game: GameArrays, pool: ProofPool, row: int, role: int, goal: float, salt: np.uint64) -> None:
    """The numbers of a child: of an end, of play that comes back, as the table has them, or a first guess.

    The guess is what its children would give: as many as there are moves where all of them are needed.
    """
    mover = NOBODY
    if not is_terminal(game, pool.rows, row):
        mover = mover_of(game, pool.rows, row)
    if mover == NOBODY:
        if end_value(game, pool.rows, row, role) >= goal:
            _set(pool, row, I0, INFINITE, UNTIL_THE_END)
        else:
            _set(pool, row, INFINITE, I0, UNTIL_THE_END)
        return
    _hash(pool, row, game.places.state_words, salt)
    slot = _place_on_path(pool, row)
    if pool.path[slot, 0] != ZERO:
        _set(pool, row, INFINITE, I0, np.int64(pool.path[slot, 1]))
    elif not _recall(pool, row):
        choices = I1
        if mover != SEVERAL:
            first = game.places.first_legal
            start, end = game.move_start[at(mover)], game.move_start[at(mover + 1)]
            choices = count_set(pool.rows, row, first + start, first + end)
        if mover == role:
            _set(pool, row, I1, choices, UNTIL_THE_END)
        else:
            _set(pool, row, choices, I1, UNTIL_THE_END)


@part
def _open(
    game: GameArrays,
    pool: ProofPool,
    ply: int,
    row: int,
    top: int,
    role: int,
    goal: float,
    salt: np.uint64,
    counts: Ints,
) -> None:
    """Make the children of a row from row `top` on, with their numbers, and a frame for it."""
    mover = mover_of(game, pool.rows, row)
    if mover == SEVERAL:
        counts[PROOF_TROUBLE] = SEVERAL_CHOOSE
        return
    count = make_children(game, pool.rows, row, mover, pool.rows, top, pool.moves)
    if count < 0 or ply + 1 >= pool.frames.shape[0]:
        counts[PROOF_TROUBLE] = NO_ROOM
        return
    pool.frames[at(ply), F_ROW] = row
    pool.frames[at(ply), F_BASE] = top
    pool.frames[at(ply), F_CHILDREN] = count
    pool.frames[at(ply), F_IS_MINE] = 1 if mover == role else 0
    pool.frames[at(ply), F_BEGAN] = counts[PROOF_NODES]
    counts[PROOF_NODES] += count
    _step_on(pool, row, ply)
    for child in range(top, top + count):
        _judge(game, pool, child, role, goal, salt)


@part
def _combine(pool: ProofPool, ply: int) -> Any:
    """The numbers of a position from those of its children; the child to look at, and how good the second is.

    Both are of the kind of which one child is enough: proof where the prover chooses, disproof elsewhere.
    """
    base, count = pool.frames[at(ply), F_BASE], pool.frames[at(ply), F_CHILDREN]
    one, all_of = (PROOF, DISPROOF) if pool.frames[at(ply), F_IS_MINE] else (DISPROOF, PROOF)
    best, least, second, most, still_open = base, np.int64(INFINITE), np.int64(INFINITE), I0, I0
    for child in range(base, base + count):
        number = pool.numbers[at(child), at(one)]
        if number < least:
            best, least, second = child, number, least
        elif number < second:
            second = number
        if pool.numbers[at(child), at(all_of)] > 0:
            still_open += 1
            most = max(most, pool.numbers[at(child), at(all_of)])
    if least == 0:
        most = np.int64(INFINITE)
    elif still_open > 0:
        most = min(most + still_open - 1, np.int64(INFINITE - 1))
        least = min(least, np.int64(INFINITE - 1))
    return least, most, best, second, still_open


@part
def _rest_of(pool: ProofPool, ply: int) -> Any:
    """What the disproof of a position rests on: on all of its children's, or on the best of them."""
    base, count = pool.frames[at(ply), F_BASE], pool.frames[at(ply), F_CHILDREN]
    is_mine = pool.frames[at(ply), F_IS_MINE] != 0
    rests = np.int64(UNTIL_THE_END) if is_mine else MINUS
    for child in range(base, base + count):
        if is_mine:
            rests = min(rests, pool.numbers[at(child), RESTS])
        elif pool.numbers[at(child), DISPROOF] == 0:
            rests = max(rests, pool.numbers[at(child), RESTS])
    # What comes back only to here, or to what came after, holds on any way to here.
    return np.int64(ENDLESS) if ply <= rests < UNTIL_THE_END else rests


@part
def _close(pool: ProofPool, ply: int, proof: int, disproof: int, nodes: int) -> None:
    """Leave a position with its numbers; the table has them, unless they hold on this way only."""
    row = pool.frames[at(ply), F_ROW]
    rests = np.int64(UNTIL_THE_END)
    if disproof == 0:
        rests = _rest_of(pool, ply)
    _set(pool, row, proof, disproof, rests)
    _step_off(pool, row)
    if rests >= ENDLESS:
        _remember(pool, row, nodes - pool.frames[at(ply), F_BEGAN])


@part
def _is_news(pool: ProofPool, row: int) -> bool:
    """Whether the table has other numbers for a child by now: it may have been met on another way."""
    proof, disproof = pool.numbers[at(row), PROOF], pool.numbers[at(row), DISPROOF]
    return _recall(pool, row) and (
        pool.numbers[at(row), PROOF] != proof or pool.numbers[at(row), DISPROOF] != disproof
    )


@part
def _limit(pool: ProofPool, ply: int, second: int, still_open: int) -> Any:
    """How large the numbers of the chosen child may grow: until the second is clearly better, or its parent is done.

    A quarter more than the second's, so that two children do not take turns (Pawlewicz & Lew 2007).
    """
    is_mine = pool.frames[at(ply), F_IS_MINE] != 0
    one, rest = (F_PROOF, F_DISPROOF) if is_mine else (F_DISPROOF, F_PROOF)
    least = min(pool.frames[at(ply), at(one)], second + max(1, second >> 2))
    most = pool.frames[at(ply), at(rest)]
    if most < INFINITE:
        most -= still_open - 1
    return (least, most) if is_mine else (most, least)


@kernel
def prove(
    game: GameArrays,
    pool: ProofPool,
    role: int,
    goal: float,
    salt: np.uint64,
    counts: Ints,
    most_nodes: int,
    stop: Ints,
) -> None:
    """Whether a role can get a goal from the state in row 0 on, which is no end: its numbers say so.

    They are final unless counts[PROOF_TROUBLE] says why not. `salt` is the question's own, as tables are shared.
    """
    _hash(pool, I0, game.places.state_words, salt)
    ply, row, top = I0, I0, I1
    pool.frames[0, F_PROOF] = pool.frames[0, F_DISPROOF] = INFINITE
    is_new = True
    while True:
        if is_new:
            if stop[0] or counts[PROOF_NODES] >= most_nodes:
                counts[PROOF_TROUBLE] = STOPPED
            else:
                _open(game, pool, ply, row, top, role, goal, salt, counts)
            if counts[PROOF_TROUBLE]:
                _clear(pool)
                return
            top += pool.frames[at(ply), F_CHILDREN]
        is_mine = pool.frames[at(ply), F_IS_MINE] != 0
        least, most, best, second, still_open = _combine(pool, ply)
        proof, disproof = (least, most) if is_mine else (most, least)
        is_new = False
        if proof >= pool.frames[at(ply), F_PROOF] or disproof >= pool.frames[at(ply), F_DISPROOF]:
            _close(pool, ply, proof, disproof, counts[PROOF_NODES])
            top = pool.frames[at(ply), F_BASE]
            ply -= 1
            if ply < 0:
                return
        elif not _is_news(pool, best):
            most_proof, most_disproof = _limit(pool, ply, second, still_open)
            ply += 1
            pool.frames[at(ply), F_PROOF], pool.frames[at(ply), F_DISPROOF] = most_proof, most_disproof
            row = best
            is_new = True


@kernel
def open_root(
    game: GameArrays, pool: ProofPool, role: int, goal: float, salt: np.uint64, counts: Ints
) -> int:
    """Make the children of row 0 in rows 1, 2, ... with what is known of them; how many there are."""
    _hash(pool, I0, game.places.state_words, salt)
    _open(game, pool, I0, I0, I1, role, goal, salt, counts)
    _clear(pool)
    return pool.frames[0, F_CHILDREN]


@kernel
def end_of(game: GameArrays, pool: ProofPool, role: int) -> float:
    """What a role gets in the state of row 0 where no step follows; -1 elsewhere."""
    is_over = is_terminal(game, pool.rows, I0) or mover_of(game, pool.rows, I0) == NOBODY
    return end_value(game, pool.rows, I0, role) if is_over else -1.0
