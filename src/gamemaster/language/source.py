"""Text with a name, and places in it: offsets become file, line and column only when somebody asks."""

from __future__ import annotations

import os
import re
import stat
from bisect import bisect_right
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from gamemaster.errors import Place, ReadError

__all__ = ["MAX_BYTES", "Source", "Span", "exists"]

MAX_BYTES = 4_000_000
"""The largest rule text that is read: ten times the largest public rulesheet known."""

LINE_END = re.compile(r"\r\n|\r|\n")


KINDS = {
    stat.S_IFDIR: "a directory",
    stat.S_IFIFO: "a pipe",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
"""What a path may lead to that is no file: some of it would be waited for, or read, without end."""


@dataclass(frozen=True, slots=True)
class Span:
    """From offset `start` up to, not including, offset `end` of a text."""

    start: int
    end: int


@dataclass(frozen=True)
class Source:
    """A rule text and the name people know it by."""

    name: str
    text: str = field(repr=False)
    path: Path | None = field(default=None, repr=False, compare=False)
    """The file that it was read from; a name, whatever it looks like, is never taken for one."""

    @classmethod
    def from_path(cls, path: Path) -> Source:
        """The text of a file; ReadError, with a place, for what cannot be a rule file."""
        name = str(path)
        try:
            with open(path, "rb", opener=_open_at_once) as file:
                kind = _kind(os.fstat(file.fileno()).st_mode)
                if kind:
                    hint = "give the path of a file with rules; what comes from a pipe has to be saved first"
                    raise ReadError(f"is {kind}, not a rule file", Place(name, 1, 1, ""), hint=hint)
                raw = file.read(MAX_BYTES + 1)
        except OSError as error:
            what = "is a directory, not a rule file" if path.is_dir() else f"cannot be read: {error.strerror}"
            raise ReadError(what, Place(name, 1, 1, "")) from None
        return replace(cls.from_bytes(name, raw), path=path)

    @classmethod
    def from_bytes(cls, name: str, raw: bytes) -> Source:
        """The text of UTF-8 bytes; ReadError for a text that is too large or binary.

        Other bytes become U+FFFD: comments of old sheets have them, and readers refuse it anywhere else.
        """
        source = cls(name, raw.decode("utf-8-sig", "replace"))
        if len(raw) > MAX_BYTES:
            raise source._too_large()
        return cls.checked(name, source.text)

    @classmethod
    def checked(cls, name: str, text: str) -> Source:
        """The text as a Source; ReadError where it is too large or has characters that no text has."""
        text = text.removeprefix("\ufeff")
        source = cls(name, text)
        if len(text) >= MAX_BYTES:
            raise source._too_large()
        if control := re.search(r"[\x00-\x08\x0e-\x1f\x7f]", text):
            what = f"control character 0x{ord(control[0]):02x} in the text"
            raise ReadError(what, source.place(control.start()), hint="save the file as plain text")
        return source

    def _too_large(self) -> ReadError:
        what = f"text is larger than {MAX_BYTES:,} bytes"
        return ReadError(what, self.place(MAX_BYTES), hint="split the game, or generate less")

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(match.end() for match in LINE_END.finditer(self.text))]

    def place(self, offset: int) -> Place:
        """File, line and column of an offset; an offset past the end is the end."""
        offset = min(offset, len(self.text))
        line = bisect_right(self._line_starts, offset)
        start = self._line_starts[line - 1]
        end = LINE_END.search(self.text, start)
        return Place(self.name, line, offset - start + 1, self.text[start : end.start() if end else None])


def exists(path: Path) -> bool:
    """Whether there is such a file; a name that no file can have is none."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def _open_at_once(path: str, flags: int) -> int:
    """Open a file without waiting for whoever might write into a pipe of that name."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _kind(mode: int) -> str:
    """What something is that is no regular file; nothing for one that is."""
    return "" if stat.S_ISREG(mode) else KINDS.get(stat.S_IFMT(mode), "no file")
