"""Scale: the ends of a game and estimates of any size on one line, so that a search can compare them.

    win         the highest goal of the role, 100 as a rule      above every estimate
    loss        its lowest, 0 as a rule                          below every estimate
    other ends                                                   their goal, as it is
    estimates                                                    what the evaluation says, as it is

So an evaluation may count open lines from -8 to 8, or hundreds of points. Where the ends between win and loss matter,
it should be on the scale of goals: a draw is worth 50, whatever an estimate means by that (`Scaled` in evaluation.py).
An end for which the rules have no goal is worth 0: where all goals are greater it is a loss below the others, where all
are smaller a win above them.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, isinf, isnan
from typing import Any

from gamemaster.errors import ParameterError
from gamemaster.search.position import HIGHEST, LOWEST

__all__ = ["LOSS", "WIN", "Scale", "is_beyond", "mean"]

WIN, LOSS = inf, -inf
"""The most and the least that can be: nobody needs to look further."""

GOOD, BAD = sys.float_info.max, -sys.float_info.max
"""The highest and the lowest goal, where no goal at all is better, or worse."""

LARGEST = sys.float_info.max / 2
"""Estimates are no larger than this."""


def is_beyond(place: float) -> bool:
    """Whether a place is that of a win or a loss."""
    return abs(place) >= GOOD


def mean(values: Sequence[float]) -> float:
    """The mean, which is no larger than the largest value, however large they are."""
    total = sum(values)
    return sum(value / len(values) for value in values) if isinf(total) else total / len(values)


@dataclass(frozen=True, slots=True)
class Scale:
    """Where goals and estimates stand. `lowest` and `highest` are the goals that a loss and a win bring."""

    lowest: float = LOWEST
    highest: float = HIGHEST
    floor: float = LOWEST  # of these two the farther one counts: no goal at all is worth 0
    ceiling: float = LOWEST

    def __post_init__(self) -> None:
        object.__setattr__(self, "floor", min(self.floor, self.lowest))
        object.__setattr__(self, "ceiling", max(self.ceiling, self.highest))

    def end(self, goal: float) -> float:
        """Where the end of a game stands."""
        if goal >= self.ceiling:
            return WIN
        if goal <= self.floor:
            return LOSS
        return GOOD if goal == self.highest else BAD if goal == self.lowest else goal

    def estimate(self, value: Any) -> float:
        """Where an estimate stands: between loss and win; ParameterError where it is no number."""
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = float("nan")
        if isnan(number):
            raise ParameterError(f"the evaluation says {value!r}, which is no number")
        return max(-LARGEST, min(LARGEST, number))

    def shown(self, value: float) -> float:
        """A place as people know it: the goal where it is an end, else the estimate."""
        if not is_beyond(value):
            return value
        return {WIN: self.ceiling, GOOD: self.highest, BAD: self.lowest, LOSS: self.floor}[value]
