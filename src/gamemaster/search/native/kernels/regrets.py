"""Counterfactual regret minimisation over the sequence form of a game: see solving/equilibrium/ for what that is.

A role's plan gives every sequence of its own moves the probability with which it is played, the others and chance
willing. What a sequence is worth to its role against plans of the others is a sum over the ends of the game, and
then over the information states that follow, from the last to the first; so an iteration never sees a history.

P is a number of choosers, I of information states of all of them, S of sequences, L of ends.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gamemaster.search.native.kernels.compiling import kernel, part

__all__ = [
    "Discounts",
    "Floats",
    "Numbers",
    "SequenceForm",
    "Work",
    "evaluate",
    "exploit",
    "iterate",
    "normalize",
    "realize",
    "respond",
]

Numbers = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]


class SequenceForm(NamedTuple):
    """The sequence form: information states of a chooser stand together, those that come before others first."""

    starts: Numbers  # int32[P + 1]: the first information state of each chooser
    roots: Numbers  # int32[P]: its empty sequence
    firsts: Numbers  # int32[I]: the first sequence of each information state
    counts: Numbers  # int32[I]: how many moves it has, a sequence each
    parents: Numbers  # int32[I]: the sequence that leads there
    leaves: Numbers  # int32[P, L]: each chooser's sequence at each end
    payoffs: Floats  # float64[P, L]: its goal there, times the probability that chance plays for it


class Work(NamedTuple):
    """What an iteration changes."""

    regrets: Floats  # float64[S]
    choices: Floats  # float64[S]: the probability of a move in its information state
    plans: Floats  # float64[S]
    totals: Floats  # float64[S]: the plans so far, added up by weight
    values: Floats  # float64[S]: what sequences are worth, while that is found out


class Discounts(NamedTuple):
    """How regrets are discounted: of those above and below 0 the share t^a / (t^a + 1) is kept; plans weigh t^c."""

    above: float
    below: float
    average: float


@part
def _weigh(form: SequenceForm, plans: Floats, values: Floats, chooser: int) -> None:
    """What the ends say of each sequence of a chooser."""
    choosers, ends = form.leaves.shape
    last = form.firsts[form.starts[chooser + 1] - 1] + form.counts[form.starts[chooser + 1] - 1]
    values[form.roots[chooser] : last] = 0.0
    own, pays = form.leaves[chooser], form.payoffs[chooser]
    if choosers == 2:
        others = form.leaves[1 - chooser]
        for end in range(ends):
            values[own[end]] += pays[end] * plans[others[end]]
        return
    for end in range(ends):
        worth = pays[end]
        for other in range(choosers):
            if other != chooser:
                worth *= plans[form.leaves[other, end]]
        values[own[end]] += worth


@part
def _realize(form: SequenceForm, choices: Floats, plans: Floats, chooser: int) -> None:
    plans[form.roots[chooser]] = 1.0
    for state in range(form.starts[chooser], form.starts[chooser + 1]):
        first, reach = form.firsts[state], plans[form.parents[state]]
        for sequence in range(first, first + form.counts[state]):
            plans[sequence] = reach * choices[sequence]


@part
def _regret(form: SequenceForm, work: Work, state: int, above: float, below: float) -> None:
    """Take in what the moves of an information state turned out to be worth, and choose anew."""
    first, count = form.firsts[state], form.counts[state]
    worth, total = 0.0, 0.0
    for sequence in range(first, first + count):
        worth += work.choices[sequence] * work.values[sequence]
    work.values[form.parents[state]] += worth
    for sequence in range(first, first + count):
        regret = work.regrets[sequence] + work.values[sequence] - worth
        regret *= above if regret > 0.0 else below
        work.regrets[sequence] = regret
        total += max(regret, 0.0)
    for sequence in range(first, first + count):
        regret = max(work.regrets[sequence], 0.0)
        work.choices[sequence] = regret / total if total > 0.0 else 1.0 / count


@part
def _kept(time: float, power: float) -> float:
    """The share of a regret that is kept: all for the power inf, nothing for -inf."""
    if np.isinf(power):
        return 1.0 if power > 0.0 else 0.0
    return time**power / (time**power + 1.0)


@kernel
def iterate(form: SequenceForm, work: Work, discounts: Discounts, first: int, last: int) -> None:
    """Make the iterations first, ..., last - 1, counted from 1: the choosers learn one after the other in each."""
    choosers = form.leaves.shape[0]
    for number in range(first, last):
        time = float(number)
        above, below = _kept(time, discounts.above), _kept(time, discounts.below)
        weight = time**discounts.average
        for chooser in range(choosers):
            _weigh(form, work.plans, work.values, chooser)
            for state in range(form.starts[chooser + 1] - 1, form.starts[chooser] - 1, -1):
                _regret(form, work, state, above, below)
            _realize(form, work.choices, work.plans, chooser)
            for state in range(form.starts[chooser], form.starts[chooser + 1]):
                for sequence in range(form.firsts[state], form.firsts[state] + form.counts[state]):
                    work.totals[sequence] += weight * work.plans[sequence]


@kernel
def realize(form: SequenceForm, choices: Floats, plans: Floats) -> None:
    """The plans of all choosers that choose so."""
    for chooser in range(form.leaves.shape[0]):
        _realize(form, choices, plans, chooser)


@kernel
def evaluate(form: SequenceForm, choices: Floats, plans: Floats, values: Floats, chooser: int) -> None:
    """What each sequence of a chooser adds up to over the ends that follow, if all go on by the profile."""
    _weigh(form, plans, values, chooser)
    for state in range(form.starts[chooser + 1] - 1, form.starts[chooser] - 1, -1):
        first, worth = form.firsts[state], 0.0
        for sequence in range(first, first + form.counts[state]):
            worth += choices[sequence] * values[sequence]
        values[form.parents[state]] += worth


@kernel
def normalize(form: SequenceForm, totals: Floats, choices: Floats) -> None:
    """The choices of plans, whatever these add up to; where they never come, all moves are equally likely."""
    for chooser in range(form.leaves.shape[0]):
        choices[form.roots[chooser]] = 1.0
    for state in range(len(form.firsts)):
        first, count, total = form.firsts[state], form.counts[state], 0.0
        for sequence in range(first, first + count):
            total += totals[sequence]
        for sequence in range(first, first + count):
            choices[sequence] = totals[sequence] / total if total > 0.0 else 1.0 / count


@kernel
def exploit(form: SequenceForm, choices: Floats, plans: Floats, values: Floats) -> float:
    """What a chooser gains by its best response, on average; plans and values are filled in."""
    choosers, gains = form.leaves.shape[0], 0.0
    for chooser in range(choosers):
        _realize(form, choices, plans, chooser)
    for chooser in range(choosers):
        _weigh(form, plans, values, chooser)
        root, start, end = form.roots[chooser], form.starts[chooser], form.starts[chooser + 1]
        own = values[root]
        for sequence in range(root + 1, form.firsts[end - 1] + form.counts[end - 1]):
            own += plans[sequence] * values[sequence]
        for state in range(end - 1, start - 1, -1):
            first = form.firsts[state]
            best = values[first]
            for sequence in range(first + 1, first + form.counts[state]):
                best = max(best, values[sequence])
            values[form.parents[state]] += best
        gains += max(0.0, values[root] - own)
    return gains / choosers


@kernel
def respond(form: SequenceForm, plans: Floats, values: Floats, choices: Floats, chooser: int) -> float:
    """What a chooser gets at best against the plans of the others; its choices are filled in."""
    _weigh(form, plans, values, chooser)
    for state in range(form.starts[chooser + 1] - 1, form.starts[chooser] - 1, -1):
        first = form.firsts[state]
        best = first
        for sequence in range(first, first + form.counts[state]):
            choices[sequence] = 0.0
            if values[sequence] > values[best]:
                best = sequence
        choices[best] = 1.0
        values[form.parents[state]] += values[best]
    return float(values[form.roots[chooser]])
