"""Positions with few pieces as numbers, and where their moves lead: see solving/endgame/.

A *material* is the kinds of the pieces on the board, in order. The number of a position is where its material begins,
and then digits: who is to move, and for each kind where its pieces stand, as one number of all sets of so many places.

F is a number of facts, C of kinds, P of places, M of materials, K of pieces at most.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gamemaster.codegen.vector import LANES
from gamemaster.search.native.kernels.compiling import kernel, part
from gamemaster.search.native.kernels.graph import (
    DONE,
    EDGES,
    FULL,
    MANY_CODES,
    OPEN,
    ROW,
    ROWS,
    SEVERAL_CHOSE,
    Bench,
    Bytes,
    Columns,
    clear_moves,
    end_code,
    is_end,
    load_lanes,
    load_positions,
    turn_of,
)
from gamemaster.search.native.kernels.intrinsics import I0, ONE, ZERO, at, lowest_one
from gamemaster.search.native.kernels.records import GameArrays, Ints, Words
from gamemaster.search.native.kernels.rows import SEVERAL, is_terminal, run_code, unload

__all__ = [
    "HELD",
    "IGNORED",
    "LACKING",
    "NO_POSITION",
    "OUTSIDE",
    "PIECE",
    "STRANGE",
    "STRAY",
    "TURN",
    "UNKNOWN",
    "Men",
    "find_numbers",
    "judge",
    "link",
    "write_states",
]

PIECE, IGNORED, TURN, HELD, STRAY = range(5)
"""What a fact is: a piece; an empty place or a clock, which do not count; whose turn it is; part of every position; or
something else, which no position has."""

OUTSIDE, STRANGE, LACKING = -1, -2, -3
"""What stands for the number of a state with other pieces, of one with facts that no position has, and of one without a
piece that is always there."""

UNKNOWN, NO_POSITION = np.uint8(253), np.uint8(254)
"""The code of the end of what nobody knows, and of a number of which there is no position."""


class Men(NamedTuple):
    """What facts mean, and how positions are numbered."""

    kinds: Ints  # int64[F]: PIECE and so on
    contents: Ints  # int64[F]: the kind of a piece; whose turn it is
    spots: Ints  # int64[F]: where it stands, among the places where this kind can
    places: Ints  # int64[F]: where it stands, among all places
    held: int  # how many facts are part of every position
    facts: Ints  # int64[C, P]: the fact of a kind on each of its spots
    blanks: Ints  # int64[P]: the fact that says that a place is empty, -1 where none does
    turns: Ints  # int64[T]: the facts that say whose turn it is; -1 alone where none does
    template: Words  # uint64[W]: what every position has, with clocks at their first value
    sizes: Ints  # int64[C]: on how many places a kind can stand
    choose: Ints  # int64[P + 1, K + 1]: n over k
    always: Ints  # int64[C]: how many of a kind there are always, 0 where that is not so
    codes: Ints  # int64[(C + 1) ** K]: the material of kinds, -1 where there is none
    materials: Ints  # int64[M, K]: its kinds, in order, then -1
    bases: Ints  # int64[M + 1]: the first number of each


@part
def number_of(men: Men, rows: Words, row: int, found: Ints) -> Any:
    """The number of the position of a row, or OUTSIDE, or STRANGE."""
    most = men.materials.shape[1]
    count, held, turn, is_strange = I0, I0, I0, False
    for word in range(len(men.template)):
        bits = rows[at(row), at(word)]
        while bits != ZERO:
            fact = at((word << 6) + lowest_one(bits))
            bits &= bits - ONE
            kind = men.kinds[fact]
            if kind == PIECE:
                if count == most:
                    return np.int64(OUTSIDE)
                place, wanted = count, men.contents[fact]
                spot = men.spots[fact]
                while place > 0 and (
                    found[at(2 * place - 2)] > wanted
                    or (found[at(2 * place - 2)] == wanted and found[at(2 * place - 1)] > spot)
                ):
                    found[at(2 * place)] = found[at(2 * place - 2)]
                    found[at(2 * place + 1)] = found[at(2 * place - 1)]
                    place -= 1
                found[at(2 * place)], found[at(2 * place + 1)] = wanted, spot
                count += 1
            elif kind == TURN:
                turn = men.contents[fact]
            elif kind == HELD:
                held += 1
            elif kind == STRAY:
                is_strange = True
    code = I0
    for i in range(count):
        code = code * (len(men.sizes) + 1) + found[at(2 * i)] + 1
    material = men.codes[at(code)]
    if material < 0:
        return np.int64(LACKING if _lacks(men, found, count) else OUTSIDE)
    if is_strange or held != men.held:
        return np.int64(STRANGE)
    return men.bases[at(material)] + turn + len(men.turns) * _places(men, found, count)


@part
def _lacks(men: Men, found: Ints, count: int) -> Any:
    """Whether one of the pieces is not there that always are."""
    left = I0
    for kind in range(len(men.always)):
        left += men.always[at(kind)]
    for i in range(count):
        if men.always[at(found[at(2 * i)])] > 0:
            left -= 1
    return left > 0


@part
def _places(men: Men, found: Ints, count: int) -> Any:
    """Where pieces stand, as one number."""
    total, radix, first = I0, np.int64(1), I0
    while first < count:
        kind, own, rank = found[at(2 * first)], I0, I0
        while first + own < count and found[at(2 * (first + own))] == kind:
            rank += men.choose[at(found[at(2 * (first + own) + 1)]), at(own + 1)]
            own += 1
        total += radix * rank
        radix *= men.choose[at(men.sizes[at(kind)]), at(own)]
        first += own
    return total


@kernel
def find_numbers(men: Men, rows: Words, numbers: Ints, found: Ints) -> None:
    """The numbers of states; `found` has room for two numbers a piece, and two more."""
    for row in range(len(rows)):
        numbers[at(row)] = number_of(men, rows, row, found)


@part
def _set(rows: Words, row: int, fact: int) -> None:
    rows[at(row), at(fact >> 6)] |= ONE << np.uint64(fact & 63)


@part
def _write_kind(men: Men, rows: Words, row: int, kind: int, own: int, rank: int, full: Bytes) -> bool:
    """Set the pieces of a kind; whether all their places are free."""
    spot = men.sizes[at(kind)] - 1
    for left in range(own, 0, -1):
        while men.choose[at(spot), at(left)] > rank:
            spot -= 1
        rank -= men.choose[at(spot), at(left)]
        fact = men.facts[at(kind), at(spot)]
        place = at(men.places[at(fact)])
        if full[place]:
            return False
        full[place] = 1
        _set(rows, row, fact)
    return True


@part
def _write(men: Men, material: int, number: int, rows: Words, row: int, full: Bytes) -> bool:
    """The facts of a position into a row; whether there is one of this number."""
    for word in range(len(men.template)):
        rows[at(row), at(word)] = men.template[at(word)]
    for place in range(len(full)):
        full[at(place)] = 0
    local = number - men.bases[at(material)]
    turn = men.turns[at(local % len(men.turns))]
    if turn >= 0:
        _set(rows, row, turn)
    local //= len(men.turns)
    most, first = men.materials.shape[1], I0
    while first < most and men.materials[at(material), at(first)] >= 0:
        kind, own = men.materials[at(material), at(first)], I0
        while first + own < most and men.materials[at(material), at(first + own)] == kind:
            own += 1
        size = men.choose[at(men.sizes[at(kind)]), at(own)]
        if not _write_kind(men, rows, row, kind, own, local % size, full):
            return False
        local //= size
        first += own
    for place in range(len(men.blanks)):
        if men.blanks[at(place)] >= 0 and not full[at(place)]:
            _set(rows, row, men.blanks[at(place)])
    return True


@kernel
def write_states(
    men: Men, material: int, first: int, last: int, rows: Words, numbers: Ints, full: Bytes
) -> Any:
    """The states of all positions of a material between two numbers, one after the other; how many there are."""
    count = I0
    for number in range(first, last):
        if _write(men, material, number, rows, count, full):
            numbers[at(count)] = number
            count += 1
    return count


@kernel
def judge(
    game: GameArrays, desk: Bench, rows: Words, cursor: Ints, movers: npt.NDArray[np.int8], ends: Bytes
) -> int:
    """Who moves in each row, and the code of the goals where the game is over; see DONE and so on."""
    for row in range(len(rows)):
        mover = turn_of(game, desk, rows, row)
        if mover == SEVERAL:
            return SEVERAL_CHOSE
        movers[at(row)] = mover
        ends[at(row)] = OPEN
        if is_terminal(game, rows, row):
            code = end_code(game, desk, rows, row, cursor)
            if code == OPEN:
                return MANY_CODES
            ends[at(row)] = code
        elif is_end(game, rows, row):
            ends[at(row)] = UNKNOWN  # rules that are wrong: nobody can move, and the game is not over
    return DONE


@kernel
def link(
    game: GameArrays,
    men: Men,
    columns: Columns,
    desk: Bench,
    layer: Words,
    strays: Words,
    cursor: Ints,
    found: Ints,
    count: Ints,
    unknown: int,
) -> int:
    """Make all moves of a layer from the cursor on, and write where they lead; see DONE and so on.

    What leads outside leads to the number `unknown`; strange states are kept in `strays`, and what leads to the one in
    row i of these leads to unknown + 1 + i. How many of them there are is counted on in count[0].
    """
    while cursor[at(ROW)] < cursor[at(ROWS)]:
        last_edge, last_stray = cursor[at(EDGES)] + LANES, count[0] + LANES
        if last_edge > len(columns.edges) or last_stray > len(strays):
            return FULL
        lanes = load_lanes(game, columns, layer, desk, cursor)
        if lanes == 0:
            break
        load_positions(game, layer, desk, lanes)
        run_code(game.words)
        unload(game, lanes, desk.children, I0)
        clear_moves(game)
        for lane in range(lanes):
            number = number_of(men, desk.children, lane, found)
            if number == STRANGE:
                for word in range(len(men.template)):
                    strays[at(count[0]), at(word)] = desk.children[at(lane), at(word)]
                number = unknown + 1 + count[0]
                count[0] += 1
            elif number < 0:
                if number == LACKING:  # so no play leads to where this move is made
                    columns.ends[at(desk.parents[at(lane)])] = NO_POSITION
                number = np.int64(unknown)
            columns.edges[at(cursor[at(EDGES)])] = number
            cursor[at(EDGES)] += 1
    return DONE
