"""What players print, and the tracebacks of those that fail -> the screen, while a match is on."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from gamemaster.match.transports.overhearing import LOG
from gamemaster.terminal.report import printable

__all__ = ["showing_players"]


class _Shown(logging.Handler):
    """A line for each thing that is said, above whatever the screen shows."""

    def emit(self, record: logging.LogRecord) -> None:
        print(printable(record.getMessage()), file=sys.stderr, flush=True)


@contextmanager
def showing_players(*, is_quiet: bool) -> Iterator[None]:
    """Show what players say beside their moves, or, if it is to be quiet, nothing of it."""
    handler = logging.NullHandler() if is_quiet else _Shown()
    level, is_propagated = LOG.level, LOG.propagate
    LOG.addHandler(handler)
    LOG.setLevel(logging.INFO)
    LOG.propagate = False
    try:
        yield
    finally:
        LOG.removeHandler(handler)
        LOG.setLevel(level)
        LOG.propagate = is_propagated
