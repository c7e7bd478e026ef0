"""Where text goes: in colour to a terminal, plain to a pipe or a file."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING

from gamemaster.terminal.parted import Parted

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["console_of", "discard_output", "is_terminal", "width"]

DEFAULT_WIDTH = 80


def is_terminal(*, is_error: bool = False) -> bool:
    """Whether standard output (or standard error) is read by a person in a terminal."""
    return (sys.stderr if is_error else sys.stdout).isatty()


def width() -> int:
    """How wide lines may be."""
    return shutil.get_terminal_size((DEFAULT_WIDTH, 24)).columns if is_terminal() else DEFAULT_WIDTH


def console_of(*, is_error: bool = False) -> Console:
    """A rich console that colours nothing by itself and leaves lines as they are."""
    from rich.console import Console

    stream = sys.stderr if is_error else sys.stdout
    # A bar is drawn by a thread of its own, which is not the one that a parted stream takes for the person's.
    screen = stream.screen if isinstance(stream, Parted) else None
    return Console(file=screen, stderr=is_error, highlight=False, soft_wrap=True)


def discard_output() -> None:
    """Send the rest of the output nowhere: its reader is gone."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
