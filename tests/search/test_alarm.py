"""Alarms ring, in their order, in one thread; those put off do not, and take no room."""

from __future__ import annotations

import os
import threading
import time

import pytest

from gamemaster.search.native import alarm
from gamemaster.search.native.alarm import set_alarm
from gamemaster.search.native.engine import Stopwatch

LONG = 3_600.0


def test_alarms_ring_in_the_order_of_their_times() -> None:
    rung: list[int] = []
    last = threading.Event()
    set_alarm(LONG, lambda: rung.append(4)).put_off()
    set_alarm(0.1, last.set)
    set_alarm(0.05, lambda: rung.append(2))
    set_alarm(0.0, lambda: rung.append(1))
    assert last.wait(60)
    assert rung == [1, 2]


def test_an_alarm_that_is_put_off_does_not_ring() -> None:
    rung: list[str] = []
    after = threading.Event()
    first = set_alarm(0.01, lambda: rung.append("off"))
    first.put_off()
    set_alarm(0.02, after.set)
    assert after.wait(60)
    assert not rung


def test_searches_start_no_thread_each() -> None:
    def rung() -> int:
        done = threading.Event()
        set_alarm(0.0, done.set)
        assert done.wait(60)
        return sum(thread.name == "gamemaster alarms" for thread in threading.enumerate())

    assert [rung(), rung(), rung()] == [1, 1, 1]


def test_alarms_that_were_put_off_are_thrown_away() -> None:
    for _ in range(10 * alarm.MOST_OFF):
        with Stopwatch(LONG):
            pass
    assert len(alarm._alarms.alarms) <= alarm.MOST_OFF + 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes do not fork here")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_process_that_was_forked_has_alarms_of_its_own() -> None:
    with Stopwatch(LONG):
        child = os.fork()
        if child == 0:
            with Stopwatch(0.01) as watch:
                deadline = time.monotonic() + 60
                while watch.stop[0] == 0 and time.monotonic() < deadline:
                    time.sleep(0.001)
            os._exit(0 if watch.stop[0] else 1)
        assert os.waitpid(child, 0)[1] == 0
