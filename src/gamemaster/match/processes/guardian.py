"""A process -> two: one goes on, the other waits for its end and leaves nothing of what it started.

The guardian takes in the orphans of all that the player starts, so that none can get away: neither with a session of
its own, nor with an empty environment. It ends as the player has ended, so that whoever waits for it sees that.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import sys
import time
from typing import NoReturn

from gamemaster.errors import NotIsolated
from gamemaster.match.processes import linux
from gamemaster.match.processes.descendants import descendants, kill_all

__all__ = ["guard", "leave", "let_go_of_pipes"]

SWEEP_SECONDS = 0.001


def guard() -> None:
    """Go on in a process of which nothing stays when it ends. To be called before there are threads."""
    with contextlib.suppress(NotIsolated):  # elsewhere than on Linux there is nobody to ask
        linux.take_in_orphans()
    guardian = os.getpid()
    player = os.fork()
    if player:
        _guard(player)
    with contextlib.suppress(NotIsolated):
        linux.die_with_parent()
    if os.getppid() != guardian:  # it ended before it could be asked to take us along
        sys.exit(1)


def _guard(player: int) -> NoReturn:
    """Wait for the player, end whatever is left of it, and then end in the same way."""
    let_go_of_pipes()
    code = _wait_for(player)
    while found := descendants(os.getpid()):
        kill_all(found)
        time.sleep(SWEEP_SECONDS)
    leave(code)


def let_go_of_pipes() -> None:
    """Otherwise nobody would notice that the player has closed its own ends."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)


def _wait_for(player: int) -> int:
    """How the player ended: a code, or minus a signal. Orphans may end before it."""
    while True:
        pid, status = os.wait()
        if pid == player:
            return os.waitstatus_to_exitcode(status)


def leave(code: int) -> NoReturn:
    """End with a code, or by minus that signal."""
    if code < 0:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # the player has left one, if it should
        with contextlib.suppress(OSError):  # some signals cannot be ignored anyway
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)
