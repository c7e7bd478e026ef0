"""What callers give to a game, checked once at the door: both machines take the same and refuse the same.

Whole numbers are those of Python and numpy, never a bool or a float that happens to be whole: who gives one of those
has mixed something up. What is wrong is a ParameterError that names the parameter, what it may be and what was given.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

from gamemaster.errors import ParameterError

if TYPE_CHECKING:
    from gamemaster.machine.game import State
    from gamemaster.machine.weights import Weights

__all__ = ["MOST_THREADS", "PlayoutOrder", "clock_time", "playout_order", "shown", "whole_number"]

MOST_THREADS = 256
"""More than any machine has cores; each takes memory for the games in its lanes."""

LONGEST_TIME = 1e12
"""Seconds that nobody waits for; what is longer may be too large for a float."""

LONGEST_SHOWN = 60


@dataclass(frozen=True, slots=True)
class PlayoutOrder:
    """So many random games (None: as many as fit in the time), or fewer where the time is up before.

    They begin in a state of the game, or where the game does.
    """

    count: int | None
    seconds: float | None
    seed: int
    threads: int
    start: State | None = None
    weights: Weights | None = None


def playout_order(
    count: object,
    seconds: object,
    seed: object,
    threads: object,
    start: State | None = None,
    weights: Weights | None = None,
) -> PlayoutOrder:
    """The arguments of `playouts`; one game where neither a number nor a time is given."""
    if count is None and seconds is None:
        count = 1
    return PlayoutOrder(
        None if count is None else whole_number("count", count, least=0),
        None if seconds is None else _duration("seconds", seconds),
        whole_number("seed", seed),
        whole_number("threads", threads, least=1, most=MOST_THREADS),
        start,
        weights,
    )


def whole_number(name: str, value: object, *, least: int | None = None, most: int | None = None) -> int:
    """The value as an int; ParameterError for what is no whole number, or is out of range."""
    if type(value) is int or (isinstance(value, Integral) and not isinstance(value, bool)):
        number = int(value)
        if (least is None or number >= least) and (most is None or number <= most):
            return number
    allowed = (
        "" if least is None else f", {least:,} or more" if most is None else f" from {least:,} to {most:,}"
    )
    raise ParameterError(f"{name} must be a whole number{allowed}, not {shown(value)}")


def _duration(name: str, value: object) -> float:
    """A number of seconds, 0 or more; ParameterError for anything else."""
    number: Any = value if isinstance(value, Real) and not isinstance(value, bool) else math.nan
    if 0 <= number < math.inf:
        return float(number) if number < LONGEST_TIME else LONGEST_TIME
    raise ParameterError(f"{name} must be a number, 0 or more, and finite, not {shown(value)}")


def clock_time(name: str, value: object) -> float | None:
    """A time on a clock, or None for never; ParameterError for what is no number."""
    if value is None:
        return None
    if isinstance(value, Real) and not isinstance(value, bool) and not math.isnan(value):
        return float(value)
    raise ParameterError(f"{name} must be a time in seconds, or None, not {shown(value)}")


def shown(value: object) -> str:
    """A value for an error message, never long."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # more digits than Python prints, or more levels
        text = f"a value of type {type(value).__name__}"
    return text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 3] + "..."
