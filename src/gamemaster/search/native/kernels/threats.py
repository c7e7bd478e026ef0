"""Threats: facts that would complete a pattern (../patterns.py), such as the fourth disc of a line.

A threat counts although the fact may not be within reach yet. Once found it stays: all children of a state have those
of their parent, so only what a move adds tells them apart.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gamemaster.search.native.kernels.compiling import part
from gamemaster.search.native.kernels.intrinsics import MINUS, ONE, ZERO, at, count_ones, lowest_one
from gamemaster.search.native.kernels.workbench import Workbench

__all__ = ["count_threats"]


@part
def _only_lacking(bench: Workbench, row: int, pattern: int, state_words: int) -> Any:
    """The one fact that a pattern lacks in a state; -1 where it lacks none, or several."""
    found = MINUS
    for word in range(state_words):
        bits = bench.patterns[at(pattern), at(word)] & ~bench.rows[at(row), at(word)]
        if bits != ZERO:
            if found >= 0 or bits & (bits - ONE) != ZERO:
                return MINUS
            found = (word << 6) + lowest_one(bits)
    return found


@part
def _is_possible(bench: Workbench, row: int, fact: int, state_words: int) -> bool:
    """Whether nothing is in the way of a fact for ever."""
    for word in range(state_words):
        if bench.in_the_way[at(fact), at(word)] & bench.rows[at(row), at(word)] != ZERO:
            return False
    return True


@part
def _add_threats(bench: Workbench, row: int, fact: int, state_words: int) -> None:
    """Those of the patterns that a fact is part of."""
    for i in range(bench.pattern_start[at(fact)], bench.pattern_start[at(fact + 1)]):
        lacking = _only_lacking(bench, row, bench.pattern_of[at(i)], state_words)
        if lacking >= 0 and _is_possible(bench, row, lacking, state_words):
            bench.threats[at(row), at(lacking >> 6)] |= ONE << np.uint64(lacking & 63)


@part
def count_threats(bench: Workbench, row: int, parent: int, state_words: int) -> int:
    """How many threats there are in a state, by those of its parent and what the move to it has made."""
    if bench.patterns.shape[0] == 0:
        return 0
    for word in range(state_words):
        bench.threats[at(row), at(word)] = bench.threats[at(parent), at(word)]
    for word in range(state_words):
        bits = bench.rows[at(row), at(word)] & ~bench.rows[at(parent), at(word)]
        while bits != ZERO:
            _add_threats(bench, row, (word << 6) + lowest_one(bits), state_words)
            bits &= bits - ONE
    count = 0
    for word in range(state_words):
        count += count_ones(bench.threats[at(row), at(word)])
    return count
