"""The table of proofs: what is known of states, by their keys. Threads share it without locks.

A bucket is a line of the cache: four entries of two words, the second what is known and the first the key xor that
(Hyatt & Mann 2002): where two threads write at once, words that do not belong together give another key, and nobody
believes them. Three of the four keep what took the most work, the last whatever came last.

What is known of a state is never more than the rules say: at least `lower` and at most `upper` for the role that the
table is for, whoever found it and on which way.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gamemaster.search.native.kernels.compiling import part
from gamemaster.search.native.kernels.intrinsics import ONE, ZERO, at, prefetch
from gamemaster.search.native.kernels.records import Words

__all__ = [
    "BUCKET_WORDS",
    "LOWER_SHIFT",
    "MOVE_MASK",
    "MOVE_PLACE",
    "NOTHING_KNOWN",
    "UPPER_SHIFT",
    "bring",
    "known_of",
    "lower_of",
    "note",
    "upper_of",
]

BUCKET_WORDS = 8

LOWER_SHIFT, UPPER_SHIFT, MOVE_PLACE, WORK_SHIFT = 0, 8, 16, 40
MOVE_MASK, WORK_MASK, VALUE_MASK = (1 << 24) - 1, 255, 255
"""What is known: at least, at most, the best move and one, twice the logarithm of the work; the highest bit is set."""

NOTHING_KNOWN = np.int64(0)

IS_THERE = np.uint64(1 << 63)


@part
def _bucket(table: Words, place: np.uint64) -> Any:
    """Where the bucket of a place begins."""
    buckets = np.uint64(table.shape[0] // BUCKET_WORDS)
    return np.int64(((place >> np.uint64(32)) * buckets) >> np.uint64(32)) * BUCKET_WORDS


@part
def bring(table: Words, place: np.uint64) -> None:
    """Have a bucket brought from memory."""
    prefetch(table, _bucket(table, place))


@part
def known_of(table: Words, key: np.uint64, place: np.uint64) -> Any:
    """What is known of a state; NOTHING_KNOWN where nothing is."""
    start = _bucket(table, place)
    for i in range(start, start + BUCKET_WORDS, 2):
        known = table[at(i + 1)]
        if table[at(i)] ^ known == key:
            return np.int64(known & ~IS_THERE)
    return NOTHING_KNOWN


@part
def lower_of(known: int) -> int:
    """At least so much, by what is known."""
    return (known >> LOWER_SHIFT) & VALUE_MASK


@part
def upper_of(known: int) -> int:
    """At most so much."""
    return (known >> UPPER_SHIFT) & VALUE_MASK


@part
def _work_class(nodes: int) -> int:
    """Twice the logarithm of a number of nodes, and one."""
    half = 0
    while nodes > 1:
        half += 2
        if nodes == 3:
            half += 1
        nodes >>= 1
    return half


@part
def note(
    table: Words, key: np.uint64, place: np.uint64, lower: int, upper: int, move: int, nodes: int
) -> None:
    """Keep what was found of a state, with what was known before."""
    start = _bucket(table, place)
    work = _work_class(nodes)
    target, least = start + BUCKET_WORDS - 2, WORK_MASK + 1
    for i in range(start, start + BUCKET_WORDS, 2):
        held = table[at(i + 1)]
        known = np.int64(held & ~IS_THERE)
        if table[at(i)] ^ held == key:
            target, least = i, -1
            lower = max(lower, lower_of(known))
            upper = min(upper, upper_of(known))
            work = max(work, (known >> WORK_SHIFT) & WORK_MASK)
            break
        if i < start + BUCKET_WORDS - 2:
            its_work = (known >> WORK_SHIFT) & WORK_MASK if held != ZERO else -1
            if its_work < least:
                least = its_work
                if its_work <= work:
                    target = i
    entry = np.uint64(
        (lower << LOWER_SHIFT)
        | (upper << UPPER_SHIFT)
        | (((move + 1) & MOVE_MASK) << MOVE_PLACE)
        | (work << WORK_SHIFT)
    ) | (ONE << np.uint64(63))
    table[at(target)] = key ^ entry
    table[at(target + 1)] = entry
