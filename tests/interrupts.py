"""Processes that can be interrupted, also where whoever runs the tests does not hear interrupts."""

from __future__ import annotations

import signal

__all__ = ["hear_interrupts"]


def hear_interrupts() -> None:
    """For `preexec_fn`: a shell that runs tests in the background has its children ignore interrupts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
