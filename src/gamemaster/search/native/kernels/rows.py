"""States as rows of bits, and their children: a game's own code, called by its address, makes a lane of each."""

from __future__ import annotations

from typing import Any

import numpy as np

from gamemaster.codegen.vector import LANES, WORDS
from gamemaster.search.native.kernels.compiling import answer, kernel, part
from gamemaster.search.native.kernels.intrinsics import (
    ALL,
    GROUPS,
    ONE,
    ZERO,
    at,
    call_at,
    column,
    count_ones,
    gather,
    lowest_one,
)
from gamemaster.search.native.kernels.records import (
    BUFFER,
    CODE,
    COUNT,
    FUNCTION,
    NO_CHANCE,
    GameArrays,
    Ints,
    Singles,
    Words,
)

__all__ = [
    "NOBODY",
    "SEVERAL",
    "chance_chooses",
    "copy_row",
    "count_set",
    "end_value",
    "expand",
    "fill",
    "goal_of",
    "groups_for",
    "halve",
    "is_terminal",
    "joins_chance",
    "load_facts",
    "load_moves",
    "load_state",
    "make_children",
    "make_halves",
    "mover_of",
    "next_one",
    "range_mask",
    "run_code",
    "unload",
    "unload_moves",
]


NOBODY, SEVERAL = -1, -2
"""What `mover_of` says where no role can move, and where several can choose, chance apart."""


@part
def run_code(words: Words) -> None:
    """Run a game's kernel on its buffer."""
    call_at(words[FUNCTION], words[BUFFER], words[CODE], words[COUNT])


@part
def next_one(rows: Words, row: int, position: int, end: int) -> int:
    """The first one in a row from a position on; `end` where there is none before it."""
    if position >= end:
        return end
    word = position >> 6
    bits = rows[at(row), at(word)] >> np.uint64(position & 63)
    if bits != ZERO:
        return min(end, position + lowest_one(bits))
    word += 1
    while word << 6 < end:
        bits = rows[at(row), at(word)]
        if bits != ZERO:
            return min(end, (word << 6) + lowest_one(bits))
        word += 1
    return end


@part
def copy_row(table: Words | Singles, target: int, source: int) -> None:
    """A row into another."""
    for i in range(table.shape[1]):
        table[at(target), at(i)] = table[at(source), at(i)]


@part
def is_terminal(game: GameArrays, rows: Words, row: int) -> bool:
    """Whether the state of a row is the last of its game."""
    return (rows[at(row), at(game.places.state_words)] & ONE) != ZERO


@part
def goal_of(game: GameArrays, rows: Words, row: int, role: int) -> float:
    """What a role gets in a state: its first goal, 0 where it has none."""
    first = game.places.first_goal
    end = first + game.goal_start[at(role + 1)]
    found = next_one(rows, row, first + game.goal_start[at(role)], end)
    return game.goal_value[found - first] if found < end else 0.0


@part
def end_value(game: GameArrays, rows: Words, row: int, role: int) -> float:
    """What a role gets where no step follows: its goal, nothing at a dead end of rules that are wrong."""
    return goal_of(game, rows, row, role) if is_terminal(game, rows, row) else 0.0


@answer
def mover_of(game: GameArrays, rows: Words, row: int) -> int:
    """The role that chooses: the only one with a choice, or the first that can move at all; else see above.

    Where chance has a choice in the same step it is the other, which does not know what chance does: `make_halves`.
    """
    first = game.places.first_legal
    mover, choosers = NOBODY, 0
    is_chance = False
    for role in range(game.places.roles):
        end = first + game.move_start[at(role + 1)]
        found = next_one(rows, row, first + game.move_start[at(role)], end)
        if found < end:
            if next_one(rows, row, found + 1, end) < end:
                if role == game.chance:
                    is_chance = True
                else:
                    mover = role
                    choosers += 1
            elif mover == NOBODY:
                mover = role
    if choosers == 0 and is_chance:
        return game.chance
    return mover if choosers < 2 else SEVERAL


@part
def chance_chooses(game: GameArrays, rows: Words, row: int) -> bool:
    """Whether chance has more than one move."""
    if game.chance == NO_CHANCE:
        return False
    first = game.places.first_legal
    end = first + game.move_start[at(game.chance + 1)]
    found = next_one(rows, row, first + game.move_start[at(game.chance)], end)
    return next_one(rows, row, found + 1, end) < end


@part
def unload(game: GameArrays, lanes: int, rows: Words, base: int) -> None:
    """What the kernel `expand` has found, lane by lane, into rows; 64 slots and 16 lanes are turned at a time."""
    for word in range(game.places.row_words):
        slot = game.places.outputs + (word << 6)
        for first in range(0, lanes, 16):
            gather(game.buffer, slot, first, game.block)
            for lane in range(min(16, lanes - first)):
                rows[at(base + first + lane), at(word)] = column(game.block, np.uint16(15 - lane))


@part
def fill(buffer: Words, slot: int, value: np.uint64, groups: int) -> None:
    """Set so many words of a slot, each 64 lanes."""
    for i in range(groups):
        buffer[at(slot), at(i)] = value


@part
def range_mask(word: int, start: int, end: int) -> Any:
    """The lanes of a word of 64 that are between two lanes."""
    low, high = max(0, start - (word << 6)), min(64, end - (word << 6))
    if high <= low:
        return ZERO
    return (ALL >> np.uint64(64 - (high - low))) << np.uint64(low)


@part
def count_set(rows: Words, row: int, position: int, end: int) -> int:
    """How many ones a part of a row has."""
    count = 0
    for word in range(position >> 6, (end + 63) >> 6):
        count += count_ones(rows[at(row), at(word)] & range_mask(word, position, end))
    return count


@part
def groups_for(rows: Words, row: int, position: int, end: int) -> int:
    """How many words it takes to give each one of a part of a row a lane; all there are, or fewer."""
    return min(WORDS, (count_set(rows, row, position, end) + 63) >> 6)


@part
def load_facts(buffer: Words, game: GameArrays, rows: Words, row: int, groups: int) -> None:
    """A state into all lanes."""
    for i in range(game.places.facts):
        fill(buffer, i, ZERO - ((rows[at(row), at(i >> 6)] >> np.uint64(i & 63)) & ONE), groups)


@part
def load_state(buffer: Words, game: GameArrays, rows: Words, row: int, mover: int, groups: int) -> None:
    """A state into all lanes, with the moves of the roles that have no choice."""
    first, first_slot = game.places.first_legal, game.places.first_move
    load_facts(buffer, game, rows, row, groups)
    for role in range(game.places.roles):
        end = first + game.move_start[at(role + 1)]
        found = next_one(rows, row, first + game.move_start[at(role)], end)
        if found < end:
            if role != mover:
                fill(buffer, first_slot + found - first, ALL, groups)
            if game.places.moved:
                fill(buffer, game.places.first_moved + role, ALL, groups)


@part
def load_moves(
    buffer: Words, game: GameArrays, rows: Words, row: int, position: int, end: int, moves: Ints, base: int
) -> int:
    """The legal moves from a position of a row on, one a lane, as many as fit; how many that are."""
    first, first_slot = game.places.first_legal, game.places.first_move
    lanes = 0
    while lanes < LANES and position < end:
        buffer[at(first_slot + position - first), at(lanes >> 6)] |= ONE << np.uint64(lanes & 63)
        moves[at(base + lanes)] = position - first
        lanes += 1
        position = next_one(rows, row, position + 1, end)
    return lanes


@part
def unload_moves(buffer: Words, game: GameArrays, rows: Words, row: int, mover: int) -> None:
    """Clear what `load_state` and `load_moves` have set of moves."""
    first, first_slot = game.places.first_legal, game.places.first_move
    for role in range(game.places.roles):
        end = first + game.move_start[at(role + 1)]
        found = next_one(rows, row, first + game.move_start[at(role)], end)
        while found < end:
            fill(buffer, first_slot + found - first, ZERO, GROUPS)
            found = next_one(rows, row, found + 1, end) if role == mover else end
        if game.places.moved:
            fill(buffer, game.places.first_moved + role, ZERO, GROUPS)


@part
def make_children(
    game: GameArrays, rows: Words, row: int, mover: int, children: Words, base: int, moves: Ints
) -> int:
    """Write the rows of all children of a state, and the mover's moves that lead there; how many there are.

    -1 where there is no room for them.
    """
    first = game.places.first_legal
    end = first + game.move_start[at(mover + 1)]
    position = next_one(rows, row, first + game.move_start[at(mover)], end)
    if base + LANES > children.shape[0]:
        return -1
    load_state(game.buffer, game, rows, row, mover, groups_for(rows, row, position, end))
    count = 0
    while position < end:
        if base + count + LANES > children.shape[0]:
            count = -1
            break
        lanes = load_moves(game.buffer, game, rows, row, position, end, moves, base + count)
        run_code(game.words)
        unload(game, lanes, children, base + count)
        count += lanes
        position = next_one(rows, row, first + moves[base + count - 1] + 1, end)
        if position < end:  # more than fit: make room for the rest
            for i in range(base + count - lanes, base + count):
                fill(game.buffer, game.places.first_move + moves[i], ZERO, GROUPS)
    unload_moves(game.buffer, game, rows, row, mover)
    return count


@part
def make_halves(
    game: GameArrays, rows: Words, row: int, mover: int, children: Words, base: int, moves: Ints
) -> int:
    """Write a row for each move of a state's mover in which that move is made, but chance's is not yet; how many.

    Such a half step is the row of the state itself, with this one move legal for the mover; so chance alone has a
    choice there, and its children are made as those of any other. -1 where there is no room for them.
    """
    first = game.places.first_legal
    start, end = first + game.move_start[at(mover)], first + game.move_start[at(mover + 1)]
    position = next_one(rows, row, start, end)
    count = 0
    while position < end:
        if base + count >= children.shape[0]:
            return -1
        child = base + count
        for word in range(game.places.row_words):
            bits = rows[at(row), at(word)] & ~range_mask(word, start, end)
            if word == position >> 6:
                bits |= ONE << np.uint64(position & 63)
            children[at(child), at(word)] = bits
        moves[at(child)] = position - first
        count += 1
        position = next_one(rows, row, position + 1, end)
    return count


@kernel
def expand(
    game: GameArrays, rows: Words, row: int, mover: int, children: Words, base: int, moves: Ints
) -> int:
    """`make_children`, for Python."""
    return make_children(game, rows, row, mover, children, base, moves)


@kernel
def halve(
    game: GameArrays, rows: Words, row: int, mover: int, children: Words, base: int, moves: Ints
) -> int:
    """`make_halves`, for Python."""
    return make_halves(game, rows, row, mover, children, base, moves)


@kernel
def joins_chance(game: GameArrays, rows: Words, row: int) -> bool:
    """`chance_chooses`, for Python."""
    return chance_chooses(game, rows, row)
