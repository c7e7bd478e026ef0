"""An interrupt ends work that threads share, and is never lost.

Python raises it wherever the main thread happens to be. Where that is a finalizer, it is swallowed: the work would go
on as if nobody had asked.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

__all__ = ["interrupt_sets"]


class CanBeSet(Protocol):
    """What is set to say that work shall end."""

    def set(self) -> None:
        """Say so."""


@contextmanager
def interrupt_sets(stopped: CanBeSet) -> Iterator[None]:
    """An interrupt sets the event, and is raised when the work has ended; who has a way of their own keeps it."""
    is_ours = threading.current_thread() is threading.main_thread()
    if not is_ours or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    heard = threading.Event()

    def hear(*_: object) -> None:
        heard.set()
        stopped.set()

    signal.signal(signal.SIGINT, hear)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        if heard.is_set():
            raise KeyboardInterrupt
