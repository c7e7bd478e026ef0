"""States -> short keys: only the facts that say something.

Of the facts of a game many follow from others in all positions: a cell is empty where nobody is, one is in control
where the other is not. Over the field of two elements such a fact is a sum of others and perhaps 1. What is a sum is
found on a sample and proven on all positions; the rest, the basis, is the key.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gamemaster.search.native.kernels.records import Words

__all__ = ["Packing", "find_packing"]

SAMPLE = 2_048
CHUNK = 1 << 18
KeyBytes = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Packing:
    """Which facts are the key, in order; and for each other fact the facts whose sum it is, -1 among them for 1."""

    facts: int
    basis: tuple[int, ...]
    sums: tuple[tuple[int, tuple[int, ...]], ...]

    @property
    def key_bytes(self) -> int:
        """The bytes of a key."""
        return -(-len(self.basis) // 8)

    def keys_of(self, states: Words) -> KeyBytes:
        """The keys of states: uint8[N, bytes], in the order of which they are sorted."""
        keys = np.zeros((len(states), self.key_bytes), np.uint8)
        for place, fact in enumerate(self.basis):
            bits = (states[:, fact >> 6] >> np.uint64(fact & 63)) & np.uint64(1)
            keys[:, place >> 3] |= bits.astype(np.uint8) << np.uint8(7 - (place & 7))
        return keys

    def are_true(self, states: Words) -> npt.NDArray[np.bool_]:
        """Whether the facts that are no key are what they should be."""
        fitting = np.ones(len(states), bool)
        for fact, parts in self.sums:
            fitting &= _sum_of(states, (fact, *parts)) == 0
        return fitting


def find_packing(states: Words, facts: int) -> Packing:
    """The packing of states; those that do not fit what a sample shows are added to the sample."""
    chosen = np.unique(np.linspace(0, len(states) - 1, min(SAMPLE, len(states))).astype(np.int64))
    sample = np.ascontiguousarray(states[chosen])
    while True:
        packing = _packing_of(sample, facts)
        missed = _misfits(packing, states)
        if not len(missed):
            return packing
        sample = np.concatenate([sample, missed])


def _misfits(packing: Packing, states: Words) -> Words:
    """Some states that do not fit: of the first part of them that has any."""
    for start in range(0, len(states), CHUNK):
        part = np.ascontiguousarray(states[start : start + CHUNK])
        wrong = ~packing.are_true(part)
        if wrong.any():
            return part[wrong][:SAMPLE]
    return states[:0]


def _packing_of(sample: Words, facts: int) -> Packing:
    """The first facts that are no sum of facts before them are the basis."""
    columns = [_bits_of(sample, fact) for fact in range(facts)]
    reduced: dict[int, tuple[int, int]] = {}  # by its highest bit: a sum of columns, and which they are
    basis: list[int] = []
    sums: list[tuple[int, tuple[int, ...]]] = []
    for fact, column in [(-1, (1 << len(sample)) - 1), *enumerate(columns)]:
        left, parts = column, 0
        while left and left.bit_length() in reduced:
            other, others = reduced[left.bit_length()]
            left, parts = left ^ other, parts ^ others
        if left:
            reduced[left.bit_length()] = left, parts ^ 1 << (fact + 1)
            if fact >= 0:
                basis.append(fact)
        else:
            sums.append((fact, tuple(place - 1 for place in range(facts + 1) if parts >> place & 1)))
    return Packing(facts, tuple(basis), tuple(sums))


def _bits_of(sample: Words, fact: int) -> int:
    bits = (sample[:, fact >> 6] >> np.uint64(fact & 63)) & np.uint64(1)
    return int.from_bytes(np.packbits(bits.astype(bool), bitorder="little").tobytes(), "little")


def _sum_of(states: Words, parts: tuple[int, ...]) -> npt.NDArray[np.uint64]:
    """The sum of facts in each state: 0 or 1."""
    masks = [0] * states.shape[1]
    for part in parts:
        if part >= 0:
            masks[part >> 6] ^= 1 << (part & 63)
    total = np.full(len(states), 1 if -1 in parts else 0, np.uint64)
    for word, mask in enumerate(masks):
        if mask:
            total += np.bitwise_count(states[:, word] & np.uint64(mask))
    return total & np.uint64(1)
