"""Commands that are interrupted while they run, also where whoever runs the tests does not hear interrupts."""

from __future__ import annotations

import signal
import subprocess
import sys

__all__ = ["assert_interrupt_ends", "hear_interrupts"]

INTERRUPTED = 130


def hear_interrupts() -> None:
    """For `preexec_fn`: a shell that runs tests in the background has its children ignore interrupts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def assert_interrupt_ends(*arguments: str) -> None:
    """An interrupt after the first line of a command ends it, with the exit code of shells and without a traceback."""
    command = [sys.executable, "-u", "-m", "gamemaster", *arguments]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, stdin=pipe, stdout=pipe, stderr=pipe, preexec_fn=hear_interrupts
    ) as process:
        assert process.stdout
        assert process.stderr
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=20) == INTERRUPTED
        assert b"Traceback" not in process.stderr.read()
