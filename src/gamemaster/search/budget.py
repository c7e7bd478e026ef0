"""What a search may spend, and a meter that says when it is spent.

A search in Python takes a `Budget`, starts a `Meter` from it and calls `meter.node()` for every state it visits; that
raises `OutOfBudget` when nothing is left, and the search returns the best it has so far. Those that work in batches ask
the meter what is left; those in machine code are ended by a stopwatch (native/engine.py), or by a `Halt` where nobody
knows beforehand when that will be.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from numbers import Integral, Real

from gamemaster.errors import ParameterError

__all__ = ["Budget", "Halt", "Meter", "OutOfBudget"]

LOOKS = 16
"""The clock is looked at once in so many nodes, fewer where nodes are slow."""

SLOW = 0.002


class OutOfBudget(Exception):
    """The budget is spent. Searches catch it themselves: it never reaches whoever called them."""


@dataclass(frozen=True, slots=True)
class Budget:
    """How much a search may cost; None is no limit. `nodes` are states visited, `playouts` random games.

    An endless number is no limit either, and becomes None. ParameterError for what is no number, or below 0.
    """

    seconds: float | None = None
    nodes: int | None = None
    playouts: int | None = None

    def __post_init__(self) -> None:
        for name, kind in (("seconds", Real), ("nodes", Integral), ("playouts", Integral)):
            limit = getattr(self, name)
            if limit == math.inf and isinstance(limit, float):
                object.__setattr__(self, name, None)
            elif limit is not None and not _is_limit(limit, kind):
                wanted = "a number" if kind is Real else "a whole number"
                raise ParameterError(f"{name} of a budget: {limit!r} is not {wanted} from 0 on, or None")

    def start(self) -> Meter:
        """A meter that begins to run now."""
        return Meter(self)

    def since(self, began: float) -> Budget:
        """What is left of it now, if its seconds began to run at a time of `time.perf_counter`."""
        if self.seconds is None:
            return self
        return replace(self, seconds=max(0.0, self.seconds - (time.perf_counter() - began)))

    def split(self, count: int) -> Budget:
        """What each of so many may spend that search side by side: all of the time, and a part of what is counted."""
        nodes, playouts = (
            None if most is None else -(-most // count) for most in (self.nodes, self.playouts)
        )
        return replace(self, nodes=nodes, playouts=playouts)

    def __str__(self) -> str:
        parts = [f"{self.seconds:g} s"] if self.seconds is not None else []
        parts += [f"{self.nodes:,} nodes"] if self.nodes is not None else []
        parts += [f"{self.playouts:,} playouts"] if self.playouts is not None else []
        return " and ".join(parts) or "no limit"


def _is_limit(limit: object, kind: type) -> bool:
    """Whether something can be a limit: a number of that kind from 0 on. Truth values and nan are none."""
    return isinstance(limit, kind) and not isinstance(limit, bool) and bool(limit >= 0)  # type: ignore[operator]


class Meter:
    """Counts what a search spends."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.nodes = 0
        self.playouts = 0
        self.began = time.perf_counter()
        self.deadline = None if budget.seconds is None else self.began + budget.seconds
        self._most_nodes = float("inf") if budget.nodes is None else budget.nodes
        self._looks = 1
        self._unlooked = 0
        self._looked = self.began

    @property
    def seconds(self) -> float:
        """How long the search has run."""
        return time.perf_counter() - self.began

    def left(self) -> float:
        """The seconds that are left, infinity where there is no limit."""
        return float("inf") if self.deadline is None else self.deadline - time.perf_counter()

    def rest(self) -> Budget:
        """What is left, for another search."""
        seconds = None if self.deadline is None else max(0.0, self.left())
        nodes = None if self.budget.nodes is None else max(0, self.budget.nodes - self.nodes)
        playouts = None if self.budget.playouts is None else max(0, self.budget.playouts - self.playouts)
        return Budget(seconds, nodes, playouts)

    def is_spent(self) -> bool:
        """Whether any of the limits is reached."""
        return (
            self.nodes >= self._most_nodes
            or (self.budget.playouts is not None and self.playouts >= self.budget.playouts)
            or self.left() <= 0
        )

    def node(self, count: int = 1) -> None:
        """Count states visited; OutOfBudget where that is too many, or it is too late."""
        self.nodes += count
        if self.nodes > self._most_nodes:
            raise OutOfBudget
        self._unlooked += 1
        if self.deadline is not None and self._unlooked >= self._looks:
            self._look()

    def playout(self, count: int = 1) -> None:
        """Count random games; OutOfBudget as for `node`."""
        self.playouts += count
        if self.is_spent():
            raise OutOfBudget

    def _look(self) -> None:
        """Look at the clock, and choose when to look next: slow states must not carry a search past its deadline."""
        now = time.perf_counter()
        if self.deadline is not None and now > self.deadline:
            raise OutOfBudget
        is_slow = now - self._looked > SLOW
        self._looks = 1 if is_slow else min(LOOKS, self._looks * 2)
        self._unlooked, self._looked = 0, now


class Halt:
    """Says when to stop: it is asked, or calls what ends a search in machine code."""

    def __init__(self) -> None:
        self._lock = threading.RLock()  # a signal may set it while the same thread holds the lock
        self._is_set = False
        self._ends: list[Callable[[], object]] = []

    def is_set(self) -> bool:
        """Whether it is time to stop."""
        return self._is_set

    def when_set(self, end: Callable[[], object]) -> None:
        """Call something when it is time to stop, at once if it is; it must return at once."""
        with self._lock:
            if not self._is_set:
                self._ends.append(end)
                return
        end()

    def set(self) -> None:
        """It is time to stop."""
        with self._lock:
            self._is_set = True
            ends, self._ends = self._ends, []
        for end in ends:
            end()
