"""style.toml -> tables whose texts can be drawn: not too long, and nothing in them that is not seen."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

from gamemaster.games.tables import TomlTable, read_toml
from gamemaster.language.source import Source
from gamemaster.machine.arguments import shown

__all__ = ["LONGEST_TEXT", "StyleTable", "read_style_table"]

LONGEST_TEXT = 80
"""Characters of a text that is drawn."""
LARGEST_NUMBER = 10**9
ODD = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Characters that are nothing to see, or turn round what is around them."""


def read_style_table(source: Source) -> StyleTable:
    """The whole text as a table; ReadError where it is no TOML."""
    table = read_toml(source)
    return StyleTable(table.values, table.places, table.path)


@dataclass(frozen=True)
class StyleTable(TomlTable):
    """A table of a style."""

    def flag(self, key: str, default: bool = False) -> bool:
        """True or false."""
        found = self.value(key)
        if not isinstance(found, bool | None):
            raise self.error(f"{key} is {shown(found)}", f"write {key} = true or {key} = false", key)
        return default if found is None else found

    def checked_text(self, found: object, key: str) -> str:
        """A value of a key as a text that can be drawn."""
        text = super().checked_text(found, key)
        if len(text) > LONGEST_TEXT:
            what = f"{key} has a text of {len(text)} characters"
            raise self.error(what, f"there is room for {LONGEST_TEXT}", key)
        if odd := ODD.search(text):
            what = f"{key} has the character U+{ord(odd[0]):04X}, which cannot be seen"
            raise self.error(what, "leave it out", key)
        return text

    def names(self, key: str, most: int) -> tuple[str, ...] | None:
        """A list of texts or whole numbers; None where there is none."""
        if key not in self:
            return None
        found = self.entries(key)
        if len(found) > most:
            raise self.error(f"{key} has {len(found)} entries", f"there are {most} at most", key)
        return tuple(self.checked_text(str(each) if _is_number(each) else each, key) for each in found)

    def choice(self, key: str, choices: Sequence[str], default: str) -> str:
        """One of some words."""
        found = self.value(key)
        if found is not None and found not in choices:
            raise self.error(f"{key} is {shown(found)}", f"it is one of {', '.join(choices)}", key)
        return default if found is None else str(found)

    def tables(self, key: str, most: int) -> list[Self]:
        """A list of tables within this one."""
        found = self.value(key)
        if found is None:
            return []
        if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
            raise self.error(f"{key} is {shown(found)}", f"write tables, each under its own [[{key}]]", key)
        if len(found) > most:
            raise self.error(f"there are {len(found)} of [[{key}]]", f"{most} are drawn at most", key, most)
        return [self.inner(each, key, number) for number, each in enumerate(found)]

    def items(self, most: int) -> Iterator[tuple[str, Any]]:
        """All keys with their values, where any key may be."""
        if len(self.values) > most:
            raise self.error(f"has {len(self.values)} entries", f"there are {most} at most")
        for key in self.values:
            yield self.checked_text(key, key), self.value(key)


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < LARGEST_NUMBER
