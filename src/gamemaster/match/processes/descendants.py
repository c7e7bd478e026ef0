"""Who descends from a process, as the system tells it in /proc; nobody where there is none."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterable
from pathlib import Path

__all__ = ["cpu_seconds", "descendants", "kill_all", "with_environment"]

PROC = Path("/proc")
ZOMBIE = b"Z"
CPU_FIELDS = slice(11, 15)
"""Behind the name of the program: what it computed itself, for the system, and its children both."""


def descendants(ancestor: int) -> set[int]:
    """The living processes below one; whose parent has ended, belongs to whoever takes in its orphans."""
    children: dict[int, list[int]] = {}
    dead = set()
    for path in PROC.glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            # The name of the program stands in brackets, and may have any in itself.
            state, parent = path.read_bytes().rpartition(b")")[2].split()[:2]
            children.setdefault(int(parent), []).append(int(path.parent.name))
            dead |= {int(path.parent.name)} if state == ZOMBIE else set()
    found, todo = set(), [ancestor]
    while todo:
        below = [pid for pid in children.get(todo.pop(), ()) if pid not in found]
        found.update(below)
        todo += below
    return found - dead


def cpu_seconds(ancestor: int) -> float:
    """How long a process, all below it, and those of them that have ended have computed."""
    ticks = 0
    for pid in _family(ancestor):
        with contextlib.suppress(OSError):
            fields = (PROC / str(pid) / "stat").read_bytes().rpartition(b")")[2].split()
            ticks += sum(map(int, fields[CPU_FIELDS]))
    return ticks / os.sysconf("SC_CLK_TCK")


def _family(ancestor: int) -> list[int]:
    """A process and all below it, found from its own files: to look at all processes takes milliseconds."""
    found = [ancestor]
    for pid in found:
        for path in (PROC / str(pid) / "task").glob("*/children"):
            with contextlib.suppress(OSError):
                found += map(int, path.read_bytes().split())
    return found


def with_environment(text: str) -> set[int]:
    """The processes that have a text in their environment."""
    found = set()
    for path in PROC.glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            if text.encode() in path.read_bytes():
                found.add(int(path.parent.name))
    return found


def kill_all(pids: Iterable[int]) -> None:
    """Kill these processes, as far as they are still there and ours."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)
