"""Offsets of a text <-> lines and columns, both from 0, and columns as others count them: in UTF-8 or UTF-16 units."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias

from gamemaster.language.source import LINE_END

__all__ = ["Encoding", "TextLines"]

Encoding: TypeAlias = Literal["utf-8", "utf-16", "utf-32"]
UNITS: dict[Encoding, tuple[str, int]] = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2)}
"""Codec and bytes in a unit."""

KEPT = 4


@dataclass(frozen=True, eq=False)
class TextLines:
    """A text and where its lines begin."""

    text: str
    starts: tuple[int, ...]

    @classmethod
    def split(cls, text: str) -> TextLines:
        """The lines of a text, ended as readers have it: by a line feed, a carriage return or both."""
        return cls(text, (0, *(end.end() for end in LINE_END.finditer(text))))

    @staticmethod
    @lru_cache(maxsize=KEPT)
    def of(text: str) -> TextLines:
        """The same, remembered for the texts that were asked for last."""
        return TextLines.split(text)

    def replaced(self, start: int, end: int, new: str) -> TextLines:
        """The lines with another text in the place of a span; only lines around it are looked at again."""
        text = self.text[:start] + new + self.text[end:]
        grown = len(new) - (end - start)
        first = max(0, self.line(start) - 1)
        tail = self.starts[self.line(end) + 2 :]  # a line more than is touched: a line feed may join its end
        stop = tail[0] + grown if tail else len(text)
        between = [found.end() for found in LINE_END.finditer(text, self.starts[first], stop)]
        shifted = [begin + grown for begin in tail] if grown else tail
        return TextLines(text, (*self.starts[: first + 1], *between, *shifted[1 if tail else 0 :]))

    def line(self, offset: int) -> int:
        """The line in which an offset lies."""
        return bisect_right(self.starts, offset) - 1

    def end(self, line: int) -> int:
        """Where a line ends, before what ends it."""
        if line + 1 >= len(self.starts):
            return len(self.text)
        end = self.starts[line + 1] - 1
        return end - (self.text[end] == "\n" and end > self.starts[line] and self.text[end - 1] == "\r")

    def offset(self, line: int, column: int, encoding: Encoding = "utf-32") -> int:
        """The offset of a place; one outside the text is moved to the nearest inside."""
        if line < 0:
            return 0
        if line >= len(self.starts):
            return len(self.text)
        start, end = self.starts[line], self.end(line)
        return start + min(_characters(self.text[start:end], max(column, 0), encoding), end - start)

    def place(self, offset: int, encoding: Encoding = "utf-32") -> tuple[int, int]:
        """Line and column of an offset; one outside the text is moved to the nearest inside."""
        offset = min(max(offset, 0), len(self.text))
        line = self.line(offset)
        return line, _units(self.text[self.starts[line] : offset], encoding)


def _units(text: str, encoding: Encoding) -> int:
    """How many units a text has."""
    if encoding == "utf-32" or text.isascii():
        return len(text)
    codec, size = UNITS[encoding]
    return len(text.encode(codec, "surrogatepass")) // size


def _characters(text: str, units: int, encoding: Encoding) -> int:
    """How many characters of a text there are in so many units; half a character is none."""
    if encoding == "utf-32" or text.isascii():
        return units
    for number, character in enumerate(text):
        units -= _units(character, encoding)
        if units < 0:
            return number
    return len(text)
