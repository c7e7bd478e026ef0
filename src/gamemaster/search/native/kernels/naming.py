"""Keys of states: sums of random numbers, one for each fact that holds (Zobrist 1970), under all symmetries at once.

A move changes few facts, so a child's hashes are its parent's but for those. A state's key is the least of the hashes
of its images: all that are the same but for a symmetry have one key. A second hash says where in the table it is, so
that a wrong state is believed to be another once in 2^64 looks, not in 2^64 over the size of the table.
"""

from __future__ import annotations

from gamemaster.search.native.kernels.compiling import part
from gamemaster.search.native.kernels.desk import PLACE, Desk
from gamemaster.search.native.kernels.intrinsics import ONE, ZERO, at, lowest_one

__all__ = ["gain_of", "name_child", "name_root", "praise"]


@part
def _add_fact(desk: Desk, row: int, fact: int) -> None:
    for i in range(desk.hashes.shape[1]):
        desk.hashes[at(row), at(i)] ^= desk.numbers[at(fact), at(i)]


@part
def _take_name(desk: Desk, row: int) -> None:
    """The least of a state's hashes is its key; never 0."""
    best = 0
    for i in range(2, desk.hashes.shape[1], 2):
        if desk.hashes[at(row), at(i)] < desk.hashes[at(row), at(best)]:
            best = i
    desk.names[at(row), at(0)] = desk.hashes[at(row), at(best)] | ONE
    desk.names[at(row), at(PLACE)] = desk.hashes[at(row), at(best + 1)]


@part
def name_root(desk: Desk, row: int, state_words: int) -> None:
    """The hashes and the key of a state, from its facts."""
    for i in range(desk.hashes.shape[1]):
        desk.hashes[at(row), at(i)] = ZERO
    for word in range(state_words):
        bits = desk.rows[at(row), at(word)]
        while bits != ZERO:
            _add_fact(desk, row, (word << 6) + lowest_one(bits))
            bits &= bits - ONE
    _take_name(desk, row)


@part
def name_child(desk: Desk, row: int, parent: int, state_words: int) -> None:
    """The same, from those of its parent."""
    for i in range(desk.hashes.shape[1]):
        desk.hashes[at(row), at(i)] = desk.hashes[at(parent), at(i)]
    for word in range(state_words):
        bits = desk.rows[at(row), at(word)] ^ desk.rows[at(parent), at(word)]
        while bits != ZERO:
            _add_fact(desk, row, (word << 6) + lowest_one(bits))
            bits &= bits - ONE
    _take_name(desk, row)


@part
def gain_of(desk: Desk, row: int, parent: int, state_words: int) -> int:
    """How well the facts that a move makes have done so far."""
    total = 0
    for word in range(state_words):
        bits = desk.rows[at(row), at(word)] & ~desk.rows[at(parent), at(word)]
        while bits != ZERO:
            total += desk.history[at((word << 6) + lowest_one(bits))]
            bits &= bits - ONE
    return total


@part
def praise(desk: Desk, row: int, parent: int, state_words: int, amount: int) -> None:
    """Note how well the facts that a move makes have done."""
    for word in range(state_words):
        bits = desk.rows[at(row), at(word)] & ~desk.rows[at(parent), at(word)]
        while bits != ZERO:
            desk.history[at((word << 6) + lowest_one(bits))] += amount
            bits &= bits - ONE
