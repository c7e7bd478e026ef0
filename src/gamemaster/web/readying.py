"""Machine code that searches need -> made in a process of its own from the first second of a server.

It is made once for a machine, and kept in the cache; until then searches run in Python, and pages say so.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress

__all__ = ["Readying"]

PROGRAM = """
from gamemaster.search.native.warming import LATER_KINDS, warm_up
warm_up()
for kind in LATER_KINDS:
    warm_up(None, [kind])
"""
"""What every game takes first, then one kind after the other, as visitors want the cores too."""


class Readying:
    """The process that makes it."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def begin(self) -> None:
        """Have it made; where it was before, that is seen within seconds."""
        self._process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # with the processes that it begins itself
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )

    @property
    def is_under_way(self) -> bool:
        """Whether it is not done yet."""
        return self._process is not None and self._process.poll() is None

    def end(self) -> None:
        """Nobody needs it any more."""
        if self._process is not None and self._process.poll() is None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
