"""Time and work for tests, whatever the machine does meanwhile: a clock that tests wind, calls counted for seconds."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from types import FrameType

import pytest

__all__ = ["Ticking", "calls_made", "ticking"]


class Ticking:
    """A clock on which time passes only when somebody looks at it: so much a look."""

    def __init__(self, tick: float) -> None:
        self.tick = tick
        self.now = 0.0

    def __call__(self) -> float:
        self.now += self.tick
        return self.now


def ticking(monkeypatch: pytest.MonkeyPatch, tick: float) -> Ticking:
    """Such a clock, in place of the one that budgets run by."""
    clock = Ticking(tick)
    monkeypatch.setattr(time, "perf_counter", clock)
    return clock


def calls_made(action: Callable[[], object]) -> int:
    """How many functions are called to do something: work that is the same on every machine."""
    count = 0

    def look(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(look)
    try:
        action()
    finally:
        sys.setprofile(before)
    return count
