"""Python's search for garbage in cycles, kept away from whoever has a clock.

A full one looks at every object of the process and stops all threads meanwhile: a third of a second where there are
large games or trees. While somebody thinks there are only the small ones, which look at what is new.
"""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["LONGEST", "without_full_collections"]

LONGEST = 60.0
"""After so many seconds in which always somebody thought, the next to end has to wait for a full collection."""

NEVER = 1 << 30


class _Thinkers:
    """Who thinks now: how many, since when, and what the collector was set to before."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.count = 0
        self.since = 0.0
        self.before = (0, 0, 0)

    def enter(self) -> None:
        with self.lock:
            self.count += 1
            if self.count == 1:
                self.since, self.before = time.monotonic(), gc.get_threshold()
                gc.set_threshold(*self.before[:2], NEVER)

    def leave(self) -> None:
        with self.lock:
            self.count -= 1
            is_overdue = time.monotonic() - self.since > LONGEST
            if self.count == 0:
                gc.set_threshold(*self.before)
            elif is_overdue:
                self.since = time.monotonic()
        if is_overdue:
            gc.collect()


_thinkers = _Thinkers()


@contextmanager
def without_full_collections() -> Iterator[None]:
    """Think without being held up."""
    _thinkers.enter()
    try:
        yield
    finally:
        _thinkers.leave()
