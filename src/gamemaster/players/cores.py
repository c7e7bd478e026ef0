"""How many cores a player may use: a tree for a core that it shares with another only gets in that one's way."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

__all__ = ["free_cores"]

GROUPS = Path("/sys/fs/cgroup")
OWN_GROUP = Path("/proc/self/cgroup")


def free_cores() -> int:
    """How many cores this process may use: those it is kept on, and no more than whoever started it allows.

    Containers allow time rather than cores; of one core and a half there is one.
    """
    found = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    allowed = os.environ.get("OMP_NUM_THREADS", "")
    most = int(allowed) if allowed.isdecimal() else found
    return int(max(1, min(found, most, _allowed_time())))


def _allowed_time() -> float:
    """How many cores' time the groups of this process are allowed, by the strictest of them."""
    least = float("inf")
    for folder in _own_groups():
        with suppress(OSError, ValueError):  # no such thing here, or it says "max"
            quota, period = (folder / "cpu.max").read_text().split()
            least = min(least, int(quota) / int(period))
    return least


def _own_groups() -> list[Path]:
    """The group of this process, and those around it."""
    with suppress(OSError):
        for line in OWN_GROUP.read_text().splitlines():
            if line.startswith("0::"):
                own = GROUPS / line.removeprefix("0::").strip("/")
                return [own, *(each for each in own.parents if each.is_relative_to(GROUPS))]
    return [GROUPS]
