"""TOML text -> tables whose values are asked for by kind, with errors at their line and column.

The standard reader of TOML says of a value not where it stood. So the text is scanned once more for its headers and
keys: enough to find the line of a key, and within it the text of a value.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from gamemaster.errors import Place, ReadError
from gamemaster.language.source import Source

__all__ = ["LONGEST_TEXT", "TomlPath", "TomlTable", "read_toml", "shown"]

LARGEST = 200_000
"""Characters of a style; the largest of ours have some thousands."""
LONGEST_TEXT = 80
"""Characters of a text that is drawn."""
LARGEST_NUMBER = 10**9
SHOWN = 40
"""So much of a wrong value is shown."""

HEADER = re.compile(r"[ \t]*(\[\[?)[ \t]*([^\]\n#]+?)[ \t]*\]\]?[ \t]*(?:#.*)?$", re.MULTILINE)
KEY = re.compile(
    r"""[ \t]*((?:[A-Za-z0-9_-]+|"[^"\n]*"|'[^'\n]*')(?:[ \t]*\.[ \t]*(?:[\w-]+|"[^"\n]*"))*)[ \t]*="""
)
NAME = re.compile(r"""[A-Za-z0-9_-]+|"[^"\n]*"|'[^'\n]*'""")
POSITION = re.compile(r" \(at line (\d+), column (\d+)\)")
ODD = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Characters that are nothing to see, or turn round what is around them."""

TomlPath: TypeAlias = tuple[str | int, ...]


def read_toml(source: Source) -> TomlTable:
    """The whole text as a table; ReadError where it is no TOML."""
    if len(source.text) > LARGEST:
        raise ReadError(f"a style has {LARGEST:,} characters at most", source.place(LARGEST), hint="say less")
    try:
        values = tomllib.loads(source.text)
    except RecursionError:
        raise ReadError(
            "is nested too deeply", source.place(0), hint="no value needs more than 4 levels"
        ) from None
    except ValueError as error:
        raise _syntax_error(source, str(error)) from None
    return TomlTable(values, _Places(source), ())


def _syntax_error(source: Source, what: str) -> ReadError:
    found = POSITION.search(what)
    offset = len(source.text)
    if found:
        lines = source.text.splitlines(keepends=True)
        offset = sum(map(len, lines[: int(found[1]) - 1])) + int(found[2]) - 1
    words = POSITION.sub("", what).replace(" (at end of document)", ", and the text ends")
    return ReadError(f"not TOML: {words[:200]}", source.place(offset), hint="toml.io shows how it is written")


class _Places:
    """Where the tables and keys of a text are."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.offsets: dict[TomlPath, int] = {}
        self.counts: dict[TomlPath, int] = {}
        table: TomlPath = ()
        offset = 0
        for line in source.text.splitlines(keepends=True):
            if header := HEADER.match(line.rstrip("\r\n")):
                table = self._table(header)
                self.offsets.setdefault(table, offset + header.start(2))
            elif key := KEY.match(line):
                self.offsets.setdefault((*table, *_names(key[1])), offset + key.start(1))
            offset += len(line)

    def _table(self, header: re.Match[str]) -> TomlPath:
        """The path of a header: each table of a list is known by its number."""
        path: TomlPath = ()
        names = _names(header[2])
        for number, name in enumerate(names):
            path = (*path, name)
            if number == len(names) - 1 and header[1] == "[[":
                self.counts[path] = self.counts.get(path, 0) + 1
            if path in self.counts:
                path = (*path, self.counts[path] - 1)
        return path

    def place(self, path: TomlPath) -> Place:
        """Where a key or a value is: at the nearest that is known, then at the first text like the rest."""
        known = next((path[:size] for size in range(len(path), 0, -1) if path[:size] in self.offsets), ())
        start = self.offsets.get(known, 0)
        later = [offset for offset in self.offsets.values() if offset > start]
        end = min(later, default=len(self.source.text))
        for rest in path[len(known) :]:
            if isinstance(rest, str) and (found := self.source.text.find(rest, start, end)) >= 0:
                start = found
        return self.source.place(start)


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip("\"'") for name in NAME.findall(text))


@dataclass(frozen=True)
class TomlTable:
    """A table of a TOML text; what is asked for is checked, and what nobody asked for is refused by `done`."""

    values: Mapping[str, Any]
    places: _Places
    path: TomlPath
    asked: set[str] = field(default_factory=set)

    def error(self, what: str, hint: str, *at: str | int) -> ReadError:
        """An error at a key of this table, or at a text in its value."""
        return ReadError(what, self.places.place((*self.path, *at)), hint=hint)

    def __contains__(self, key: str) -> bool:
        return key in self.values

    def value(self, key: str) -> Any:
        """Whatever stands there, None for nothing."""
        self.asked.add(key)
        return self.values.get(key)

    def flag(self, key: str, default: bool = False) -> bool:
        """True or false."""
        found = self.value(key)
        if not isinstance(found, bool | None):
            raise self.error(f"{key} is {shown(found)}", f"write {key} = true or {key} = false", key)
        return default if found is None else found

    def text(self, key: str, default: str = "") -> str:
        """A text that can be drawn."""
        found = self.value(key)
        return default if found is None else self.checked_text(found, key)

    def texts(self, key: str, most: int) -> tuple[str, ...] | None:
        """A list of texts or whole numbers; None where there is none."""
        found = self.value(key)
        if found is None:
            return None
        if not isinstance(found, list):
            raise self.error(f"{key} is {shown(found)}", f'write a list: {key} = ["a", "b"]', key)
        if len(found) > most:
            raise self.error(f"{key} has {len(found)} entries", f"there are {most} at most", key)
        return tuple(self.checked_text(str(each) if _is_number(each) else each, key) for each in found)

    def choice(self, key: str, choices: Sequence[str], default: str) -> str:
        """One of some words."""
        found = self.value(key)
        if found is not None and found not in choices:
            raise self.error(f"{key} is {shown(found)}", f"it is one of {', '.join(choices)}", key)
        return default if found is None else str(found)

    def checked_text(self, found: object, key: str) -> str:
        """A text that can be drawn."""
        if not isinstance(found, str):
            raise self.error(f"{key} has {shown(found)}, which is no text", "put it in quotes", key)
        if len(found) > LONGEST_TEXT:
            what = f"{key} has a text of {len(found)} characters"
            raise self.error(what, f"there is room for {LONGEST_TEXT}", key)
        if odd := ODD.search(found):
            what = f"{key} has the character U+{ord(odd[0]):04X}, which cannot be seen"
            raise self.error(what, "leave it out", key)
        return found

    def table(self, key: str) -> TomlTable | None:
        """A table within this one."""
        found = self.value(key)
        if not isinstance(found, dict | None):
            raise self.error(f"{key} is {shown(found)}", f"write a table: [{key}]", key)
        return None if found is None else TomlTable(found, self.places, (*self.path, key))

    def tables(self, key: str, most: int) -> list[TomlTable]:
        """A list of tables within this one."""
        found = self.value(key)
        if found is None:
            return []
        if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
            raise self.error(f"{key} is {shown(found)}", f"write tables, each under its own [[{key}]]", key)
        if len(found) > most:
            raise self.error(f"there are {len(found)} of [[{key}]]", f"{most} are drawn at most", key, most)
        return [TomlTable(each, self.places, (*self.path, key, number)) for number, each in enumerate(found)]

    def items(self, most: int) -> Iterator[tuple[str, Any]]:
        """All keys with their values, where any key may be."""
        if len(self.values) > most:
            raise self.error(f"has {len(self.values)} entries", f"there are {most} at most")
        for key in self.values:
            yield self.checked_text(key, key), self.value(key)

    def done(self, known: Collection[str] = ()) -> None:
        """Refuse the keys that nobody asked for."""
        for key in self.values:
            if key not in self.asked:
                names = sorted({*self.asked, *known})
                near = difflib.get_close_matches(key, names, n=1)
                hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(names)}"
                raise self.error(f"unknown key {shown(key)}", hint, key)


def shown(value: object) -> str:
    """A value as people see it in an error: not too much of it."""
    try:
        text = repr(value) if isinstance(value, str) else str(value)
    except ValueError:  # Python writes no number of so many digits
        text = "a number beyond all bounds"
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}..."


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < LARGEST_NUMBER
