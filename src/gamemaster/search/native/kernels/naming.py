"""Keys of states: sums of random numbers, one for each fact that holds (Zobrist 1970), under all symmetries at once.

A move changes few facts, so a child's hashes are its parent's but for those. A state's key is the least of the hashes
of its images: all that are the same but for a symmetry have one key. A second hash says where in the table it is, so
that a state is taken for another about once in 2^62 looks (one bit is always set, four entries are compared; the least
of 16 hashes has four bits less), not in 2^64 over the size of the table.
"""

from __future__ import annotations

from typing import Any

from gamemaster.search.native.kernels.compiling import part
from gamemaster.search.native.kernels.intrinsics import ONE, ZERO, at, lowest_one
from gamemaster.search.native.kernels.workbench import PLACE, Workbench

__all__ = ["gain_of", "name_state", "praise"]


@part
def _add_facts(bench: Workbench, row: int, parent: int, state_words: int, image: int) -> Any:
    """The two hashes of an image of a state: those of its parent's, and of all facts in which the two differ."""
    key, place = ZERO, ZERO
    if parent >= 0:
        key, place = bench.hashes[at(parent), at(image)], bench.hashes[at(parent), at(image + 1)]
    for word in range(state_words):
        bits = bench.rows[at(row), at(word)]
        if parent >= 0:
            bits ^= bench.rows[at(parent), at(word)]
        while bits != ZERO:
            fact = (word << 6) + lowest_one(bits)
            key ^= bench.numbers[at(fact), at(image)]
            place ^= bench.numbers[at(fact), at(image + 1)]
            bits &= bits - ONE
    return key, place


@part
def name_state(bench: Workbench, row: int, parent: int, state_words: int) -> None:
    """The hashes and the key of a state, from those of its parent; from all its facts where that is less than 0.

    The least of the hashes is the key; it is never 0.
    """
    best, best_place = ~ZERO, ZERO
    for image in range(0, bench.hashes.shape[1], 2):
        key, place = _add_facts(bench, row, parent, state_words, image)
        bench.hashes[at(row), at(image)] = key
        bench.hashes[at(row), at(image + 1)] = place
        if key <= best:
            best, best_place = key, place
    bench.names[at(row), at(0)] = best | ONE
    bench.names[at(row), at(PLACE)] = best_place


@part
def gain_of(bench: Workbench, row: int, parent: int, state_words: int) -> int:
    """How well the facts that a move makes have done so far."""
    total = 0
    for word in range(state_words):
        bits = bench.rows[at(row), at(word)] & ~bench.rows[at(parent), at(word)]
        while bits != ZERO:
            total += bench.history[at((word << 6) + lowest_one(bits))]
            bits &= bits - ONE
    return total


@part
def praise(bench: Workbench, row: int, parent: int, state_words: int, amount: int) -> None:
    """Note how well the facts that a move makes have done."""
    for word in range(state_words):
        bits = bench.rows[at(row), at(word)] & ~bench.rows[at(parent), at(word)]
        while bits != ZERO:
            bench.history[at((word << 6) + lowest_one(bits))] += amount
            bits &= bits - ONE
