"""What a row looks to be worth by what self-play has taught: a small network, carried along from row to row.

    u = start + the sum of columns[b] over the bits b of a row that count        32 units
    score = u[0] + the sum of out[h] * r(u[h]) over the other units h            r(x) = max(x, x / 8)

The first unit alone is a linear evaluation; the others see which facts go together. In some games it has a number more
from each tuple, a few cells side by side: what stands in them is the place in a table (../tuples.py), which is kept
behind the units of a row, as a number of single precision: whole ones are exact there up to 2**24. A move changes few
bits, so the units of a row are those of the one before and some columns more or less (efficiently updatable, Nasu
2018). The score is in thousandths of logits of the share that a role gets (`side`, one of two that are against each
other).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from gamemaster.search.native.kernels.compiling import aside, kernel, part, sums
from gamemaster.search.native.kernels.intrinsics import I0, I1, MINUS, ONE, ZERO, at, lowest_one
from gamemaster.search.native.kernels.records import GameArrays, Ints, Singles, Words
from gamemaster.search.native.kernels.rows import goal_of

__all__ = [
    "GUESS",
    "LOGIT",
    "SURE",
    "UNITS",
    "WIN",
    "Net",
    "Slopes",
    "add_up",
    "carry",
    "correct",
    "end_score",
    "guess_after",
    "guess_of",
    "judge_row",
    "share_of_score",
]

UNITS = 32
LEAK = np.float32(0.125)

LOGIT, GUESS = 1_000, 20_000
"""How much a logit counts; no guess is beyond this."""

WIN, SURE = 1_000_000, 900_000
"""A win at once, from which a point goes for each ply it is away; nothing but a proven win is worth more than SURE."""

LEAST_SLOPE = np.float32(1e-6)


class Net(NamedTuple):
    """What was learnt, as kernels want it; W is the words of a row, T the tuples of ../tuples.py."""

    columns: Singles  # float32[64 W, UNITS]: what a bit adds to the units
    start: Singles  # float32[UNITS]: the units of an empty row
    out: Singles  # float32[UNITS]: what the units count; the first is 1
    tables: Singles  # float32[...]: what a tuple adds to the first unit, by what stands in its cells
    first: Ints  # int64[T]: where the table of a tuple begins; some share one
    sizes: Ints  # int64[T]: how many entries it has, less one: a power of two less one
    part_start: Ints  # int64[facts + 1]: the first of a fact's parts in tuples
    part_tuple: Ints  # int64[parts]
    part_step: Ints  # int64[parts]: by so many entries further where the fact holds
    share: float  # of a step of learning, for a table
    masks: Words  # uint64[W]: the bits that count
    side: int  # the role whose score it is
    lowest: float  # the least goal that it can get
    highest: float  # the most
    swing: int  # by so much one move changes the score where a lot happens


class Slopes(NamedTuple):
    """Sums of squares of all slopes so far (AdaGrad, Duchi, Hazan & Singer 2011)."""

    columns: Singles
    start: Singles
    out: Singles
    tables: Singles


@part
def _shift(net: Net, units: Singles, place: int, bit: int, sign: int) -> None:
    """A bit of a row is set (1) or not set any longer (-1): what stands in the cells of its tuples is another."""
    for i in range(net.part_start[at(bit)], net.part_start[at(bit + 1)]):
        number = net.part_tuple[at(i)]
        start, size = net.first[at(number)], net.sizes[at(number)]
        before = np.int64(units[at(place), at(UNITS + number)])
        after = before + sign * net.part_step[at(i)]
        units[at(place), at(UNITS + number)] = np.float32(after)
        change = net.tables[at(start + (after & size))] - net.tables[at(start + (before & size))]
        units[at(place), at(0)] += change


@sums
def add_up(net: Net, rows: Words, row: int, units: Singles, place: int) -> None:
    """The units of a row, from all its bits."""
    for h in range(UNITS):
        units[at(place), at(h)] = net.start[at(h)]
    for number in range(net.first.shape[0]):
        units[at(place), at(UNITS + number)] = np.float32(0.0)
        units[at(place), at(0)] += net.tables[at(net.first[at(number)])]
    for word in range(net.masks.shape[0]):
        bits = rows[at(row), at(word)] & net.masks[at(word)]
        while bits != ZERO:
            bit = (word << 6) + lowest_one(bits)
            for h in range(UNITS):
                units[at(place), at(h)] += net.columns[at(bit), at(h)]
            _shift(net, units, place, bit, I1)
            bits &= bits - ONE


@sums
def carry(net: Net, rows: Words, row: int, before: int, units: Singles, place: int) -> None:
    """The units of a row, from those of another at the place before."""
    for h in range(UNITS + net.first.shape[0]):
        units[at(place), at(h)] = units[at(place - 1), at(h)]
    for word in range(net.masks.shape[0]):
        here, there = rows[at(row), at(word)], rows[at(before), at(word)]
        bits = there & ~here & net.masks[at(word)]
        while bits != ZERO:
            bit = (word << 6) + lowest_one(bits)
            for h in range(UNITS):
                units[at(place), at(h)] -= net.columns[at(bit), at(h)]
            _shift(net, units, place, bit, MINUS)
            bits &= bits - ONE
        bits = here & ~there & net.masks[at(word)]
        while bits != ZERO:
            bit = (word << 6) + lowest_one(bits)
            for h in range(UNITS):
                units[at(place), at(h)] += net.columns[at(bit), at(h)]
            _shift(net, units, place, bit, I1)
            bits &= bits - ONE


@sums
def _logits(net: Net, units: Singles, place: int) -> Any:
    """The score in logits."""
    total = np.float32(0.0)
    for h in range(UNITS):
        x = units[at(place), at(h)]
        total += net.out[at(h)] * max(x, LEAK * x)
    linear = units[at(place), at(0)]
    return total - net.out[at(0)] * max(linear, LEAK * linear) + linear


@part
def guess_of(net: Net, units: Singles, place: int) -> int:
    """The score of units, for the side whose it is."""
    score = np.int64(_logits(net, units, place) * np.float32(LOGIT))
    return min(GUESS, max(-GUESS, score))


@aside
def guess_after(net: Net, rows: Words, row: int, before: int, units: Singles, place: int) -> int:
    """The score of a row, from the units of another at the place before."""
    carry(net, rows, row, before, units, place)
    return guess_of(net, units, place)


@part
def end_score(game: GameArrays, net: Net, rows: Words, row: int, ply: int) -> int:
    """What an end is worth to the side: a win or a loss so far away, else what the goal is in logits."""
    goal = goal_of(game, rows, row, net.side)
    score = np.int64(0)
    if goal >= net.highest:
        score = WIN - ply
    elif goal <= net.lowest:
        score = ply - WIN
    else:
        share = (goal - net.lowest) / (net.highest - net.lowest)
        score = np.int64(LOGIT * math.log(share / (1.0 - share)))
    return score


@part
def share_of_score(score: int) -> float:
    """What a score says that the side gets, 0 to 1 of what there is between its worst and its best."""
    if score > SURE:
        return 1.0
    if score < -SURE:
        return 0.0
    return 1.0 / (1.0 + math.exp(-score / LOGIT))


@kernel
def judge_row(net: Net, rows: Words, units: Singles) -> float:
    """What row 0 says that the side gets, 0 to 1, for Python."""
    add_up(net, rows, I0, units, I0)
    return share_of_score(guess_of(net, units, I0))


@sums
def correct(
    net: Net, slopes: Slopes, rows: Words, row: int, target: float, rate: float, units: Singles
) -> float:
    """One step of learning: what the row should be worth; the error that there was. `units` [2, UNITS] is scratch."""
    add_up(net, rows, row, units, 0)
    error = np.float32(1.0 / (1.0 + math.exp(-_logits(net, units, 0))) - target)
    step = np.float32(rate)
    for h in range(UNITS):
        x = units[at(0), at(h)]
        slope = net.out[at(h)] * error
        units[at(1), at(h)] = slope if x > np.float32(0.0) else slope * LEAK
    units[at(1), at(0)] = error
    for h in range(1, UNITS):
        x = units[at(0), at(h)]
        slope = error * max(x, LEAK * x)
        slopes.out[at(h)] += slope * slope
        net.out[at(h)] -= step * slope / (np.sqrt(slopes.out[at(h)]) + LEAST_SLOPE)
    for h in range(UNITS):
        slope = units[at(1), at(h)]
        slopes.start[at(h)] += slope * slope
        net.start[at(h)] -= step * slope / (np.sqrt(slopes.start[at(h)]) + LEAST_SLOPE)
    for number in range(net.first.shape[0]):
        value = np.int64(units[at(0), at(UNITS + number)])
        entry = net.first[at(number)] + (value & net.sizes[at(number)])
        slopes.tables[at(entry)] += error * error
        net.tables[at(entry)] -= (
            np.float32(net.share) * step * error / (np.sqrt(slopes.tables[at(entry)]) + LEAST_SLOPE)
        )
    for word in range(net.masks.shape[0]):
        bits = rows[at(row), at(word)] & net.masks[at(word)]
        while bits != ZERO:
            bit = (word << 6) + lowest_one(bits)
            for h in range(UNITS):
                slope = units[at(1), at(h)]
                slopes.columns[at(bit), at(h)] += slope * slope
                net.columns[at(bit), at(h)] -= (
                    step * slope / (np.sqrt(slopes.columns[at(bit), at(h)]) + LEAST_SLOPE)
                )
            bits &= bits - ONE
    return error
