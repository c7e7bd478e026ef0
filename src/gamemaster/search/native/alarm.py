"""One thread that does something when its time has come, for all searches of a process.

A thread for each search would be simpler. But who starts one waits until it runs, and on a machine that has others to
run that is a third of a second, sooner or later: the search before which it was started is late by as much.
"""

from __future__ import annotations

import heapq
import itertools
import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

__all__ = ["Alarm", "set_alarm"]

MOST_OFF = 256
"""So many alarms that were put off may wait for their time; then they are thrown away together."""


@dataclass(order=True)
class Alarm:
    """Something to be done at a time, by time.monotonic, unless it is put off before."""

    due: float
    number: int
    action: Callable[[], object] | None = field(compare=False)

    def put_off(self) -> None:
        """Forget it: what it would have done is not done."""
        self.action = None


class _Alarms:
    """The alarms that are set, and the thread that waits for them."""

    def __init__(self) -> None:
        self.alarms: list[Alarm] = []
        self.changed = threading.Condition(threading.Lock())
        self.numbers = itertools.count()
        self.is_running = False

    def add(self, seconds: float, action: Callable[[], object]) -> Alarm:
        """Set an alarm."""
        alarm = Alarm(time.monotonic() + seconds, next(self.numbers), action)
        with self.changed:
            if (
                len(self.alarms) >= MOST_OFF
                and sum(each.action is None for each in self.alarms) > MOST_OFF // 2
            ):
                self.alarms = [each for each in self.alarms if each.action is not None]
                heapq.heapify(self.alarms)
            heapq.heappush(self.alarms, alarm)
            if not self.is_running:
                self.is_running = True
                threading.Thread(target=self.run, name="gamemaster alarms", daemon=True).start()
            elif self.alarms[0] is alarm:
                self.changed.notify()
        return alarm

    def run(self) -> None:
        """Wait for one alarm after the other."""
        while True:
            with self.changed:
                while not self.alarms or (left := self.alarms[0].due - time.monotonic()) > 0:
                    self.changed.wait(min(left, threading.TIMEOUT_MAX) if self.alarms else None)
                action = heapq.heappop(self.alarms).action
            if action is not None:
                action()


_alarms = _Alarms()


def _begin_anew() -> None:
    """A process that was forked has no thread but the one that forked."""
    global _alarms
    _alarms = _Alarms()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_anew)


def set_alarm(seconds: float, action: Callable[[], object]) -> Alarm:
    """Have something done after so many seconds, in another thread: something short, that raises nothing."""
    return _alarms.add(seconds, action)
