"""What players print, and where their code fails -> the log, a line at a time, each after the player's name.

The log is `gamemaster.players` of Python's logging. What is printed is somebody else's text: nothing in it does
anything to a terminal, and there is an end to how much is shown.
"""

from __future__ import annotations

import logging

__all__ = ["LOG", "MOST_PRINTED", "Overheard", "tell_trace"]

LOG = logging.getLogger("gamemaster.players")

MOST_PRINTED = 64 * 1024
LONGEST_LINE = 500
"""How many bytes of what a player prints in a match are shown, and how many characters of a line."""


class Overheard:
    """Bytes that a player prints, as they come -> lines of the log."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._left = MOST_PRINTED
        self._rest = b""

    @property
    def is_enough(self) -> bool:
        """Whether nothing more is shown."""
        return self._left <= 0

    def hear(self, chunk: bytes) -> None:
        """Show the lines that are complete."""
        if self.is_enough:
            return
        taken, self._left = chunk[: self._left], self._left - len(chunk)
        *lines, self._rest = (self._rest + taken).split(b"\n")
        for line in lines:
            self._show(line)
        if self.is_enough:
            self.end()
            LOG.info("%s: prints more than %s bytes; the rest is not shown", self.name, f"{MOST_PRINTED:,}")

    def end(self) -> None:
        """Show what is left without the end of a line."""
        if self._rest:
            self._show(self._rest)
            self._rest = b""

    def _show(self, line: bytes) -> None:
        LOG.info("%s", _one_line(self.name, line.decode(errors="replace")))


def tell_trace(name: str, trace: str) -> None:
    """Show where the code of a player in this process failed."""
    LOG.error("%s", "\n".join(_one_line(name, line) for line in trace.splitlines()))


def _one_line(name: str, text: str) -> str:
    shown = text if len(text) <= LONGEST_LINE else f"{text[:LONGEST_LINE]}..."
    return "".join(
        each if each.isprintable() else "\ufffd" for each in f"{name}: {shown}".replace("\t", "    ")
    )
