"""Work done by processes of this machine, each on a core of its own, so that they do not disturb each other.

A process that dies is replaced by the next piece of work. All of them end with the one that started them, however that
ends.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, Future, InvalidStateError, ProcessPoolExecutor
from typing import TypeVar

from gamemaster.arena.workers.seam import WorkerDied
from gamemaster.errors import NotIsolated
from gamemaster.match.processes import linux
from gamemaster.match.processes.descendants import descendants, kill_all

__all__ = ["Processes", "cores"]

Given = TypeVar("Given")
Product = TypeVar("Product")


def cores() -> list[int]:
    """The cores that this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


class Processes:
    """Workers that are processes of this machine."""

    def __init__(self, places: int | None = None) -> None:
        """`places`: as many as there are cores by default. Only where they take all cores each is kept on one.

        Those who leave cores free may not be alone: others would keep theirs on the same.
        """
        found = cores()
        self.places = places or len(found)
        self._cores: Sequence[int | None] = found if self.places == len(found) else [None] * self.places
        self._pools: list[ProcessPoolExecutor | None] = [None] * self.places
        self._loads = [0] * self.places
        self._lock = threading.Lock()

    def submit(self, call: Callable[[Given], Product], value: Given) -> Future[Product]:
        """Have the process call the function that has least to do."""
        with self._lock:
            place = min(range(self.places), key=lambda number: self._loads[number])
            self._loads[place] += 1
        promised: Future[Product] = Future()
        try:
            running = self._pool(place).submit(call, value)
        except BrokenExecutor:  # it died when it had nothing to do
            self._pools[place] = None
            running = self._pool(place).submit(call, value)
        pool = self._pools[place]
        running.add_done_callback(lambda done: self._done(place, pool, done, promised))
        return promised

    def _pool(self, place: int) -> ProcessPoolExecutor:
        pool = self._pools[place]
        if pool is None:
            context = multiprocessing.get_context("spawn")  # a fork would copy threads that hold locks
            pool = ProcessPoolExecutor(1, context, _begin, (self._cores[place], os.getpid()))
            self._pools[place] = pool
        return pool

    def _done(
        self,
        place: int,
        pool: ProcessPoolExecutor | None,
        done: Future[Product],
        promised: Future[Product],
    ) -> None:
        with self._lock:
            self._loads[place] -= 1
        error = None if done.cancelled() else done.exception()
        if isinstance(error, BrokenExecutor):
            with self._lock:
                self._pools[place] = None if self._pools[place] is pool else self._pools[place]
            error = WorkerDied("the process that was at it has ended")
        with contextlib.suppress(InvalidStateError):  # whoever asked has gone
            if done.cancelled():
                promised.cancel()
            elif error is not None:
                promised.set_exception(error)
            else:
                promised.set_result(done.result())

    def close(self) -> None:
        """End all processes at once, and all that they started."""
        for pool in filter(None, self._pools):
            started = list((pool._processes or {}).values())
            pool.shutdown(wait=False, cancel_futures=True)
            for process in started:
                kill_all([*descendants(process.pid or 0), *filter(None, [process.pid])])
                process.join()
        self._pools = [None] * self.places


# In the other process


def _begin(core: int | None, parent: int) -> None:
    """Stay on a core, end with the one that started this, and leave interrupts to it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with contextlib.suppress(NotIsolated):  # elsewhere than on Linux there is nobody to ask
        linux.die_with_parent()
    if os.getppid() != parent:
        os._exit(1)
    if core is not None and hasattr(os, "sched_setaffinity"):
        with contextlib.suppress(OSError):  # it was taken away meanwhile
            os.sched_setaffinity(0, {core})
