"""Scale: the ends of a game and estimates of any size on one line, so that a search can compare them.

    win         the highest goal, 100      above every estimate
    loss        the lowest goal, 0         below every estimate
    other ends                             their goal, as it is
    estimates                              what the evaluation says, as it is

So an evaluation may count open lines from -8 to 8, or hundreds of points. Where the ends between win and loss matter,
it should be on the scale of goals: a draw is worth 50, whatever an estimate means by that (`Scaled` in evaluation.py).
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from math import inf, isnan
from typing import Any

from gamemaster.errors import ParameterError
from gamemaster.search.position import HIGHEST, LOWEST

__all__ = ["LOSS", "WIN", "Scale"]

WIN, LOSS = inf, -inf
LARGEST = sys.float_info.max


@dataclass(frozen=True, slots=True)
class Scale:
    """Where goals and estimates stand. `lowest` and `highest` are the goals that a loss and a win bring."""

    lowest: float = LOWEST
    highest: float = HIGHEST

    def end(self, goal: float) -> float:
        """Where the end of a game stands."""
        return WIN if goal >= self.highest else LOSS if goal <= self.lowest else goal

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
        return self.highest if value == WIN else self.lowest if value == LOSS else value
