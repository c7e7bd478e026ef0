"""Offsets of a text: as Python counts them, in characters, and as browsers do, in UTF-16 units."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from functools import lru_cache

__all__ = ["TextUnits", "whole"]

WIDE = re.compile(r"[\U00010000-\U0010ffff]")
HALF = re.compile(r"[\ud800-\udfff]")
KEPT = 4


@dataclass(frozen=True, eq=False)
class TextUnits:
    """Where in a text the characters stand that are two units."""

    wide: tuple[int, ...]

    @staticmethod
    @lru_cache(maxsize=KEPT)
    def of(text: str) -> TextUnits:
        """Those of a text; remembered for the texts that were asked for last."""
        return TextUnits(() if text.isascii() else tuple(found.start() for found in WIDE.finditer(text)))

    def units(self, offset: int) -> int:
        """An offset in units."""
        return offset + bisect_left(self.wide, offset)

    def offset(self, units: int) -> int:
        """The character at an offset in units; in the middle of one, its beginning."""
        starts = [start + number for number, start in enumerate(self.wide)] if self.wide else []
        before = bisect_left(starts, units)
        if before and starts[before - 1] + 1 == units:
            return self.wide[before - 1]
        return units - before


def whole(text: str) -> str:
    """The text with U+FFFD for what is half a character: no file can have it, and JSON can."""
    return HALF.sub("\ufffd", text)
