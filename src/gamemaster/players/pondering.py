"""Thinking on the time of others: a thread that ends within milliseconds of being told to.

It yields to whoever else wants a core, and never goes on for ever, whatever becomes of the match. What fails in it is
told in the log of players, with its traceback, and costs no move.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable
from contextlib import suppress

from gamemaster.search.budget import Halt

__all__ = ["LOG", "LONGEST", "Pondering", "longest_for"]

LOG = logging.getLogger("gamemaster.players")

LONGEST, SILENCE = 600.0, 30.0
"""Nobody is waited for longer than so many seconds, nor longer than so many and twice the clocks."""

NICENESS = 10
"""How far it yields to others: with much more it would be slow to notice that it shall stop."""


class Pondering:
    """A thread that thinks, so many seconds at most; `end` ends it."""

    def __init__(self, name: str, think: Callable[[Halt], object], seconds: float) -> None:
        self.name = name
        self.stop = Halt()
        self._think = think
        self._timer = threading.Timer(seconds, self.stop.set)
        self._timer.daemon = True
        self._thread = threading.Thread(target=self._run, name=f"pondering of {name}", daemon=True)
        self._timer.start()
        self._thread.start()

    def end(self) -> None:
        """Stop, and wait until it has."""
        self.stop.set()
        self._timer.cancel()
        if self._thread is not threading.current_thread():
            self._thread.join()

    def _run(self) -> None:
        with suppress(AttributeError, OSError):  # not every system has it, or allows it
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)
        try:
            self._think(self.stop)
        except Exception as error:
            from gamemaster.players.tracing import trace_of  # which knows the whole package

            told = f"{type(error).__name__}: {' '.join(str(error).split())}"
            LOG.error(
                "%s: while it was not asked, its thinking failed: %s\n%s", self.name, told, trace_of(error)
            )
        finally:
            self._timer.cancel()


def longest_for(startclock: float, playclock: float) -> float:
    """How long others may be silent before nobody waits for them."""
    return min(LONGEST, SILENCE + 2 * (startclock + playclock))
