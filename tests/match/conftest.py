"""What tests of matches share: whether this system can isolate players."""

from __future__ import annotations

import functools
import os
import subprocess
import sys

import pytest

from gamemaster.match.processes.order import Order


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip tests of walls where the system has none for players."""
    if item.get_closest_marker("walls") and (reason := why_none()):
        pytest.skip(f"NOTHING OF THE WALLS IS TESTED: {reason}")


@functools.cache
def why_none() -> str:
    """Why there are no walls on this system; nothing where there are."""
    command = [sys.executable, "-P", "-m", "gamemaster.match.processes.player_child", "random"]
    order = Order(manager=os.getpid()).to_line()
    done = subprocess.run(command, input=order, capture_output=True, timeout=120, check=False)
    return "" if done.stdout.startswith(b"ready") else (done.stdout + done.stderr).decode()
