"""Invariants -> DenseRows: states as numbers that leave little out, for whoever stores or counts them.

A row has a bit for each fact. Of facts of which exactly one holds, a digit says which: 3 values of a cell instead of 3
bits. Where at most one holds, the digit has one more value, and a fact that is in no group is a digit of two. The
number with these digits is the *index* of a state, below `size`; many numbers below it are of states that no play
leads to. Where `size` is too large for a word, digits share several words, each of as many bytes as it takes: the
*packed* row.

Only states that keep the invariants have one (network/invariants.py): others are a StateError.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from functools import cached_property
from math import log2, prod

import numpy as np
import numpy.typing as npt

from gamemaster.codegen.kernel import Rows
from gamemaster.errors import StateError, Unsuitable
from gamemaster.machine.layout import Layout
from gamemaster.network.invariants import Invariant

__all__ = ["DenseRows", "Indices"]

Indices = npt.NDArray[np.uint64]

MOST = 1 << 63
"""What the numbers of a word are below: so they are whole numbers of any kind."""

AT_ONCE = 1 << 22
"""Bits that are turned at a time, to take little memory."""

LONGEST = 200
"""Characters of an invariant in a message."""


class DenseRows:
    """The numbers of a game's states, so many as `size`; `digits` are groups of facts, the lowest digit first."""

    def __init__(self, layout: Layout, invariants: Sequence[Invariant]) -> None:
        self.layout = layout
        self.digits = _digits(layout, invariants)
        self.size: int = prod(map(_values, self.digits))

    @cached_property
    def words(self) -> tuple[_Word, ...]:
        """The digits by the words that they share."""
        return tuple(_Word(own, len(self.layout.facts)) for own in _shared(self.digits))

    @cached_property
    def bytes(self) -> int:
        """The bytes of a packed row; a plain one has `layout.state_bytes`."""
        return sum(word.bytes for word in self.words)

    def index(self, rows: Rows) -> Indices:
        """The number of each state [states, bytes]. Unsuitable where `size` is not below 2**63."""
        self._check_size()
        return np.concatenate([np.zeros(0, np.uint64), *(words[0] for words in self._encoded(rows))])

    def rows(self, indices: npt.ArrayLike) -> Rows:
        """The states [states, bytes] of numbers; StateError for one that is not below `size`."""
        self._check_size()
        given = np.asarray(indices)
        if given.dtype.kind not in "iu" or given.ndim != 1:
            raise StateError(
                f"indices of states are an array of whole numbers, not {given.dtype} of shape {given.shape}"
            )
        wrong = np.nonzero((given < 0) | (given >= self.size))[0]
        if len(wrong):
            raise StateError(f"index {given[wrong[0]]} is not one of 0 to {self.size - 1:,}")
        return self._decoded([given.astype(np.uint64)])

    def pack(self, rows: Rows) -> Rows:
        """States [states, bytes] as packed rows [states, self.bytes]; equal ones are equal."""
        blocks = [np.zeros((0, self.bytes), np.uint8)]
        for words in self._encoded(rows):
            parts = [word.to_bytes(own) for word, own in zip(self.words, words, strict=True)]
            blocks.append(np.concatenate(parts, axis=1))
        return np.concatenate(blocks)

    def unpack(self, packed: Rows) -> Rows:
        """The states [states, bytes] of packed rows; StateError for what is none."""
        self._check("unpack", packed, self.bytes)
        found, start = [], 0
        for word in self.words:
            numbers = word.from_bytes(packed[:, start : start + word.bytes])
            wrong = np.nonzero(numbers >= word.size)[0]
            if len(wrong):
                raise StateError(f"packed row {wrong[0]} is of no state")
            found.append(numbers)
            start += word.bytes
        return self._decoded(found)

    def _encoded(self, rows: Rows) -> Iterator[list[Indices]]:
        """For some states after the other the number in each word."""
        self._check("index", rows, self.layout.state_bytes)
        for span in self._spans(len(rows)):
            bits = np.unpackbits(rows[span], axis=1, bitorder="little")[:, : len(self.layout.facts)]
            words = [word.encode(bits) for word in self.words]
            # what is decoded is a state of play, so another one has become something else
            wrong = np.nonzero((self._bits(words) != bits).any(axis=1))[0]
            if len(wrong):
                raise self._broken(span.start + int(wrong[0]), bits[wrong[0]])
            yield words

    def _decoded(self, words: Sequence[Indices]) -> Rows:
        blocks = [np.zeros((0, self.layout.state_bytes), np.uint8)]
        for span in self._spans(len(words[0])):
            bits = self._bits([word[span] for word in words])
            blocks.append(np.packbits(bits, axis=1, bitorder="little"))
        return np.concatenate(blocks)

    def _spans(self, count: int) -> Iterator[slice]:
        at_once = max(1, AT_ONCE // (1 + len(self.layout.facts)))
        return (slice(start, start + at_once) for start in range(0, count, at_once))

    def _bits(self, words: Sequence[Indices]) -> Rows:
        """The facts [states, facts] of states, a byte each."""
        facts = len(self.layout.facts)
        bits = np.zeros((len(words[0]), facts + 1), np.uint8)  # the last is where no fact of a digit holds
        for word, numbers in zip(self.words, words, strict=True):
            word.decode(numbers, bits)
        return bits[:, :facts]

    def _broken(self, number: int, bits: npt.NDArray[np.uint8]) -> StateError:
        """The error for a row that is not of play."""
        for digit in self.digits:
            held = int(bits[list(digit.facts)].sum())
            if held > 1 or (held == 0 and digit.kind == "one"):
                break
        told = str(digit)
        told = told if len(told) <= LONGEST else told[:LONGEST] + "..."
        return StateError(f"row {number} is no state that play leads to, which has {told}; it has {held}")

    def _check_size(self) -> None:
        if self.size >= MOST:
            raise Unsuitable(
                f"states have 2**{log2(self.size):.1f} numbers here, and an index is below 2**63; pack takes them all"
            )

    def _check(self, what: str, rows: Rows, width: int) -> None:
        if not isinstance(rows, np.ndarray):
            given = f"a {type(rows).__name__}"
        elif rows.dtype != np.uint8 or rows.ndim != 2 or rows.shape[1] != width:
            given = f"{rows.dtype} of shape {rows.shape}"
        else:
            return
        raise StateError(f"{what} takes an array of uint8 with {width} bytes in each row, not {given}")

    def __str__(self) -> str:
        size = f"{self.size:,}" if self.size < MOST else f"2**{log2(self.size):.1f}"
        return f"{size} numbers, {self.bytes} bytes instead of {self.layout.state_bytes}"


class _Word:
    """Digits whose numbers fit into a word."""

    def __init__(self, digits: Sequence[Invariant], facts: int) -> None:
        radices = list(map(_values, digits))
        self.size = prod(radices)
        self.bytes = -(-(self.size - 1).bit_length() // 8)
        self.radices = [np.uint64(radix) for radix in radices]
        # for each digit the fact that each value means; where none holds, one behind the last
        none = [[facts] if digit.kind == "at most one" else [] for digit in digits]
        self.facts = [np.array([*empty, *digit.facts]) for empty, digit in zip(none, digits, strict=True)]
        places = [prod(radices[:i]) for i in range(len(digits))]
        weights = np.zeros(facts + 1, np.uint64)
        for place, own in zip(places, self.facts, strict=True):
            weights[own] = np.arange(len(own), dtype=np.uint64) * np.uint64(place)
        self.members = np.array([fact for digit in digits for fact in digit.facts], np.int64)
        self.weights = weights[self.members]

    def encode(self, bits: npt.NDArray[np.uint8]) -> Indices:
        """The numbers of states [states, facts]; of those that are not of play, some number."""
        numbers: Indices = bits[:, self.members].astype(np.uint64) @ self.weights
        return numbers % np.uint64(self.size)

    def decode(self, numbers: Indices, bits: npt.NDArray[np.uint8]) -> None:
        """Set the facts of numbers in bits [states, facts and one more]."""
        states = np.arange(len(numbers))
        for radix, facts in zip(self.radices, self.facts, strict=True):
            bits[states, facts[numbers % radix]] = 1
            numbers = numbers // radix

    def to_bytes(self, numbers: Indices) -> Rows:
        return numbers.astype("<u8").view(np.uint8).reshape(-1, 8)[:, : self.bytes]

    def from_bytes(self, columns: Rows) -> Indices:
        filled = np.zeros((len(columns), 8), np.uint8)
        filled[:, : self.bytes] = columns
        return filled.view("<u8")[:, 0].astype(np.uint64)


def _values(digit: Invariant) -> int:
    """How many values a digit has."""
    return len(digit.facts) + (digit.kind == "at most one")


def _digits(layout: Layout, invariants: Sequence[Invariant]) -> tuple[Invariant, ...]:
    """Groups that have each fact once: those that save most first, of the others what is left of them."""
    free = set(range(len(layout.facts)))
    found: list[Invariant] = []
    queue = [(-_saved(each), i) for i, each in enumerate(invariants)]
    heapq.heapify(queue)
    while queue:
        _, number = heapq.heappop(queue)
        group = _rest(invariants[number], free)
        saved = _saved(group)
        if saved <= 0:
            continue
        if queue and (-saved, number) > queue[0]:  # others have taken some of it
            heapq.heappush(queue, (-saved, number))
            continue
        found.append(group)
        free.difference_update(group.facts)
    found += [Invariant((i,), "at most one", (layout.facts[i],)) for i in free]
    return tuple(sorted(found, key=lambda digit: digit.facts))


def _saved(group: Invariant) -> float:
    """The bits that a digit saves."""
    return len(group.facts) - log2(_values(group)) if group.facts else 0.0


def _rest(group: Invariant, free: set[int]) -> Invariant:
    """What a group says of facts that are free: if not all are, perhaps none of them holds."""
    if free.issuperset(group.facts):
        return group
    kept = [i for i, fact in enumerate(group.facts) if fact in free]
    facts, terms = tuple(group.facts[i] for i in kept), tuple(group.terms[i] for i in kept)
    return Invariant(facts, "at most one", terms)


def _shared(digits: Sequence[Invariant]) -> Iterator[list[Invariant]]:
    """Digits one after the other, as many as fit into a word."""
    own: list[Invariant] = []
    size = 1
    for digit in digits:
        if own and size * _values(digit) >= MOST:
            yield own
            own, size = [], 1
        own.append(digit)
        size *= _values(digit)
    yield own
