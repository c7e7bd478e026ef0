"""Where text goes: in colour to a terminal, plain to a pipe or a file."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["console_of", "is_terminal", "width"]

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

    return Console(stderr=is_error, highlight=False, soft_wrap=True)
