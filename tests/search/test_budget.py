"""What a budget can be: numbers from 0 on, or no limit."""

from __future__ import annotations

import math
import threading
import time
from typing import Any

import numpy as np
import pytest

import gamemaster as gm
from gamemaster.search.budget import Budget
from gamemaster.search.native.alarm import set_alarm
from gamemaster.search.native.engine import Stopwatch


@pytest.mark.parametrize("name", ["seconds", "nodes", "playouts"])
@pytest.mark.parametrize("limit", [math.nan, -1, -math.inf, True, "2", [1], 1j], ids=repr)
def test_what_is_no_limit_is_refused(name: str, limit: Any) -> None:
    with pytest.raises(
        gm.ParameterError, match=f"{name} of a budget: .* is not a .*number from 0 on, or None"
    ):
        Budget(**{name: limit})


def test_nodes_and_playouts_are_whole_numbers() -> None:
    with pytest.raises(gm.ParameterError, match=r"nodes of a budget: 2.5 is not a whole number"):
        Budget(nodes=2.5)  # type: ignore[arg-type]


def test_numbers_of_any_kind_are_limits() -> None:
    assert Budget(np.float64(0.5), np.int64(3), 0) == Budget(0.5, 3, 0)  # type: ignore[arg-type]


def test_an_endless_number_is_no_limit() -> None:
    assert Budget(math.inf, math.inf, math.inf) == Budget()  # type: ignore[arg-type]


def test_a_stopwatch_waits_no_longer_than_a_thread_can() -> None:
    with Stopwatch(1e300) as watch:
        assert watch.alarm is not None
        assert watch.alarm.due - time.monotonic() <= threading.TIMEOUT_MAX
        after = threading.Event()
        set_alarm(0.01, after.set)
        assert after.wait(60)
        assert watch.stop[0] == 0


def test_searches_side_by_side_have_all_of_the_time_and_a_part_of_what_is_counted() -> None:
    assert Budget(2.0, 10, 1).split(3) == Budget(2.0, 4, 1)
    assert Budget(2.0).split(3) == Budget(2.0)
    assert Budget(nodes=0).split(3) == Budget(nodes=0)


def test_what_is_left_is_a_budget_for_another_search() -> None:
    meter = Budget(600.0, 10, 5).start()
    meter.nodes, meter.playouts = 4, 9
    rest = meter.rest()
    assert (rest.nodes, rest.playouts) == (6, 0)
    assert rest.seconds is not None
    assert 500 < rest.seconds <= 600
    assert Budget().start().rest() == Budget()
