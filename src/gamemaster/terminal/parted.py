"""What players print in a game that hides its state: kept until it is over, as it may tell what they hold.

Players think in threads of their own. While the streams are parted, only the person's thread writes to the screen; what
any other prints, logs or warns of is kept, as far as there is room. What a process writes that a player starts is not
seen here.
"""

from __future__ import annotations

import io
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from typing import Any, BinaryIO, TextIO, cast

from gamemaster.match.transports.overhearing import MOST_PRINTED

__all__ = ["Parted", "Unsaid", "parted"]


class Unsaid(io.BufferedIOBase):
    """The first bytes of what is written, from any thread."""

    def __init__(self, most: int = MOST_PRINTED) -> None:
        self._most = most
        self._content = bytearray()
        self._is_cut = False

    def writable(self) -> bool:
        """Whether it can be written to: always."""
        return True

    def write(self, content: Any) -> int:
        """Keep what there is room for; whoever prints does not hear that there is none."""
        room = self._most - len(self._content)
        self._content += bytes(content[:room])
        self._is_cut |= len(content) > room
        return len(content)

    @property
    def text(self) -> str:
        """What was written; that it was more is its last line."""
        text = self._content.decode(errors="replace").rstrip()
        cut = f"(more than {self._most:,} bytes; the rest is not shown)"
        return f"{text}\n{cut}" if self._is_cut else text


class Parted:
    """A stream that is the screen for one thread, and another stream for all others."""

    def __init__(self, screen: TextIO, others: TextIO) -> None:
        self.screen = screen
        self._others = others
        self._thread = threading.get_ident()

    def write(self, text: str) -> int:
        """Write to where this thread writes."""
        return self._here.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._here, name)

    @property
    def _here(self) -> TextIO:
        return self.screen if threading.get_ident() == self._thread else self._others


@contextmanager
def parted(*, is_on: bool) -> Iterator[Unsaid]:
    """Keep what all threads but this one print, if that is on."""
    kept = Unsaid()
    if not is_on:
        yield kept
        return
    others = io.TextIOWrapper(cast(BinaryIO, kept), "utf-8", "replace", write_through=True)
    with redirect_stdout(Parted(sys.stdout, others)), redirect_stderr(Parted(sys.stderr, others)):
        yield kept
