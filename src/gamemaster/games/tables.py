"""TOML text -> tables whose values are asked for by kind, with errors at their line and column.

The standard reader of TOML says of a value not where it stood. So the text is scanned once more for its headers and
keys: enough to find the line of a key, and within it the text of a value.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self, TypeAlias

from gamemaster.errors import Place, ReadError
from gamemaster.language.source import Source
from gamemaster.machine.arguments import shown

__all__ = ["LARGEST", "TomlPath", "TomlPlaces", "TomlTable", "read_toml"]

LARGEST = 200_000
"""Characters of a text; the largest of ours have some thousands."""
LARGEST_NUMBER = 10**18
"""More than anybody counts; Python writes no number of some thousand digits."""
MOST_DOTS = 16
"""Of a key; the standard reader takes time and memory that grow with the square of its parts."""

PART = r"""(?:[A-Za-z0-9_-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')"""
LONG_KEY = re.compile(rf"(?<![\w\\-])(?:{PART}[ \t]*+\.[ \t]*+){{{MOST_DOTS + 1}}}")
HEADER = re.compile(r"[ \t]*(\[\[?)([^\]\n#,]+)\]\]?[ \t]*(?:#|$)")
KEY = re.compile(
    r"""[ \t]*((?:[A-Za-z0-9_-]+|"[^"\n]*"|'[^'\n]*')(?:[ \t]*\.[ \t]*(?:[\w-]+|"[^"\n]*"))*)[ \t]*="""
)
NAME = re.compile(r"""[A-Za-z0-9_-]+|"[^"\n]*"|'[^'\n]*'""")
POSITION = re.compile(r" \(at line (\d+), column (\d+)\)")

TomlPath: TypeAlias = tuple[str | int, ...]


def read_toml(source: Source) -> TomlTable:
    """The whole text as a table; ReadError where it is no TOML, or more of it than anybody writes."""
    if len(source.text) > LARGEST:
        raise ReadError(f"has more than {LARGEST:,} characters", source.place(LARGEST), hint="say less")
    if found := LONG_KEY.search(source.text):
        what, hint = f"has a key with more than {MOST_DOTS} dots", "no key needs more than 3"
        raise ReadError(what, source.place(found.start()), hint=hint)
    try:
        values = tomllib.loads(source.text)
    except RecursionError:
        hint = "no value needs more than 4 levels"
        raise ReadError("is nested too deeply", source.place(0), hint=hint) from None
    except ValueError as error:  # also of numbers with more digits than Python reads
        raise _syntax_error(source, str(error)) from None
    return TomlTable(values, TomlPlaces(source), ())


def _syntax_error(source: Source, what: str) -> ReadError:
    found = POSITION.search(what)
    offset = len(source.text)
    if found:
        lines = source.text.splitlines(keepends=True)
        offset = sum(map(len, lines[: int(found[1]) - 1])) + int(found[2]) - 1
    words = POSITION.sub("", what).replace(" (at end of document)", ", and the text ends")
    return ReadError(f"not TOML: {words[:200]}", source.place(offset), hint="toml.io shows how it is written")


class TomlPlaces:
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
                self.offsets.setdefault(table, offset + header.end(2) - len(header[2].lstrip()))
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
    places: TomlPlaces
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

    def text(self, key: str, default: str = "") -> str:
        """A text."""
        found = self.value(key)
        return default if found is None else self.checked_text(found, key)

    def checked_text(self, found: object, key: str) -> str:
        """A value of a key as a text."""
        if not isinstance(found, str):
            raise self.error(f"{key} has {shown(found)}, which is no text", "put it in quotes", key)
        return found

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts; none where there is no list."""
        return tuple(self.checked_text(each, key) for each in self.entries(key))

    def number(self, key: str) -> int:
        """A whole number."""
        return self._whole(key, self.value(key))

    def numbers(self, key: str) -> tuple[int, ...]:
        """A list of whole numbers; none where there is no list."""
        return tuple(self._whole(key, each) for each in self.entries(key))

    def entries(self, key: str) -> list[Any]:
        """A list of anything; an empty one where there is none."""
        found = self.value(key)
        if not isinstance(found, list | None):
            raise self.error(f"{key} is {shown(found)}", f'write a list: {key} = ["a", "b"]', key)
        return found or []

    def _whole(self, key: str, found: object) -> int:
        if not isinstance(found, int) or isinstance(found, bool):
            what = f"{key} has {shown(found)}, which is no whole number"
            raise self.error(what, f"write a number: {key} = 5", key)
        if abs(found) > LARGEST_NUMBER:
            raise self.error(f"{key} has a number beyond {LARGEST_NUMBER}", "write a smaller one", key)
        return found

    def table(self, key: str) -> Self | None:
        """A table within this one."""
        found = self.value(key)
        if not isinstance(found, dict | None):
            raise self.error(f"{key} is {shown(found)}", f"write a table: [{key}]", key)
        return None if found is None else self.inner(found, key)

    def named_tables(self, key: str) -> Iterator[tuple[str, Self]]:
        """The tables in the table of a key, by their names."""
        outer = self.table(key)
        for name in outer.values if outer is not None else ():
            assert outer is not None
            inner = outer.table(name)
            assert inner is not None
            yield name, inner

    def inner(self, values: Mapping[str, Any], *at: str | int) -> Self:
        """A table that stands there in this one."""
        return replace(self, values=values, path=(*self.path, *at), asked=set())

    def done(self, known: Collection[str] = ()) -> None:
        """Refuse the keys that nobody asked for."""
        for key in self.values:
            if key not in self.asked:
                names = sorted({*self.asked, *known})
                near = difflib.get_close_matches(key, names, n=1)
                hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(names)}"
                raise self.error(f"unknown key {shown(key)}", hint, key)
