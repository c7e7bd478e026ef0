"""A folder -> what its game.toml and description.md say of a game.

Folders of the library are read by this, and those of anybody else: whatever is wrong in one is an error with its place,
and what is only told to people, as the title, may be missing.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gamemaster.errors import Place, ReadError
from gamemaster.language.source import Source
from gamemaster.machine.arguments import shown

__all__ = ["GameFolder", "GameParameter", "GameVariant", "read_entry", "rules_in"]

WORDS = frozenset({"title", "roles", "kind", "tags", "notation", "perft", "note", "parameters", "variants"})
VARIANT_WORDS = ("title", "facts", "perft")
"""What a variant says beside the values of parameters."""
RANGE_WORDS = {"value", "least", "most"}
NOTATIONS = ("kif", "hrf", "epilog")
LARGEST_NUMBER = 10**18
"""More than anybody counts; Python writes no number of some thousand digits."""
WHERE = re.compile(r"\(at line (\d+), column (\d+)\)")


@dataclass(frozen=True, slots=True)
class GameParameter:
    """A number of a game that can be chosen: the sheet has it as the fact `name(value)`."""

    name: str
    value: int
    least: int
    most: int


@dataclass(frozen=True, slots=True)
class GameVariant:
    """A game under a name of its own: with other values of its parameters, with other facts, or both."""

    name: str
    title: str
    values: Mapping[str, int]
    facts: str
    perft: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class GameFolder:
    """What is said of a game: game.toml and description.md.

    `note` says how it differs from the original's sheet, where that had a slip.
    """

    name: str
    title: str
    roles: tuple[str, ...]
    kind: str
    tags: tuple[str, ...]
    notation: str
    perft: tuple[int, ...]
    note: str
    parameters: tuple[GameParameter, ...]
    variants: tuple[GameVariant, ...]
    description: str


def rules_in(folder: Path) -> Path:
    """The one rule file of a folder; ReadError where there is none, or more than one."""
    found = [path for each in NOTATIONS if (path := folder / f"rules.{each}").is_file()]
    if len(found) == 1:
        return found[0]
    what = f"is a folder with {len(found)} files of rules, and needs one"
    names = ", ".join(f"rules.{each}" for each in NOTATIONS)
    raise ReadError(what, Place(str(folder), 1, 1, ""), hint=f"name it as its notation: {names}")


def read_entry(folder: Path, name: str) -> GameFolder:
    """What a folder says of its game, which is called so."""
    said = _Table(source := Source.from_path(folder / "game.toml"), _read(source))
    said.check_words(WORDS)
    description = folder / "description.md"
    parameters = tuple(_parameters(said))
    return GameFolder(
        name=name,
        title=said.text("title", Path(name).name),
        roles=said.texts("roles"),
        kind=said.text("kind", ""),
        tags=said.texts("tags"),
        notation=said.text("notation", rules_in(folder).suffix[1:]),
        perft=said.numbers("perft"),
        note=said.text("note", ""),
        parameters=parameters,
        variants=tuple(_variants(said, {each.name for each in parameters})),
        description=Source.from_path(description).text.strip() if description.is_file() else "",
    )


def _parameters(said: _Table) -> Iterator[GameParameter]:
    for name, table in said.tables("parameters"):
        if set(table.values) != RANGE_WORDS:
            raise table.error(
                name, f"parameter {name} needs value, least and most", "{value = 5, least = 3, most = 9}"
            )
        value, least, most = (table.number(word) for word in ("value", "least", "most"))
        if not least <= value <= most:
            raise table.error(name, f"parameter {name} is {value}, which is not from {least} to {most}")
        yield GameParameter(name, value, least, most)


def _variants(said: _Table, parameters: set[str]) -> Iterator[GameVariant]:
    """The variants; what is no word of its own is a parameter."""
    for name, table in said.tables("variants"):
        table.check_words({*VARIANT_WORDS, *parameters})
        values = {word: table.number(word) for word in table.values if word not in VARIANT_WORDS}
        yield GameVariant(
            name, table.text("title", ""), values, table.text("facts", ""), table.numbers("perft")
        )


# Reading TOML


def _read(source: Source) -> dict[str, Any]:
    try:
        return tomllib.loads(source.text)
    except ValueError as error:  # also of numbers with more digits than Python reads
        what, found = WHERE.sub("", str(error)).strip(), WHERE.search(str(error))
        lines = source.text.splitlines()
        line, column = map(int, found.groups()) if found else (len(lines), 1)
        text = lines[line - 1] if 0 < line <= len(lines) else ""
        raise ReadError(f"is no TOML: {what}", Place(source.name, max(1, line), column, text)) from None
    except RecursionError:
        raise ReadError("is nested too deeply", source.place(0)) from None


@dataclass(frozen=True)
class _Table:
    """A table of a TOML text; what is asked of it comes with its type, or as an error at its place."""

    source: Source
    values: dict[str, Any]

    def error(self, word: str, what: str, hint: str = "") -> ReadError:
        """An error about what a word says."""
        found = re.search(rf"^[ \t\[]*(?:\w+\.)?{re.escape(word)}\b", self.source.text, re.MULTILINE)
        return ReadError(what, self.source.place(found.start() if found else 0), hint=hint)

    def check_words(self, known: set[str] | frozenset[str]) -> None:
        """An error for a word that means nothing here."""
        for word in self.values:
            if word not in known:
                raise self.error(
                    word, f"there is no {shown(word)} here; known are {', '.join(sorted(known))}"
                )

    def text(self, word: str, usual: str) -> str:
        value = self.values.get(word, usual)
        if not isinstance(value, str):
            raise self.error(word, f"{word} must be a text in quotes, not {shown(value)}")
        return value

    def number(self, word: str) -> int:
        return self._whole(word, self.values[word])

    def texts(self, word: str) -> tuple[str, ...]:
        values = self._list(word)
        if not all(isinstance(each, str) for each in values):
            raise self.error(word, f"{word} must be a list of texts, not {shown(values)}")
        return tuple(values)

    def numbers(self, word: str) -> tuple[int, ...]:
        return tuple(self._whole(word, each) for each in self._list(word))

    def tables(self, word: str) -> Iterator[tuple[str, _Table]]:
        """The tables in the table of a word, by their names."""
        value = self.values.get(word, {})
        inner = value.values() if isinstance(value, dict) else [value]
        if not all(isinstance(each, dict) for each in inner):
            raise self.error(word, f"{word} must be tables with names, not {shown(value)}")
        return ((name, _Table(self.source, each)) for name, each in value.items())

    def _list(self, word: str) -> list[Any]:
        value = self.values.get(word, [])
        if not isinstance(value, list):
            raise self.error(word, f"{word} must be a list, not {shown(value)}")
        return value

    def _whole(self, word: str, value: Any) -> int:
        if not isinstance(value, int) or isinstance(value, bool):
            raise self.error(word, f"{word} must be a whole number, not {shown(value)}")
        if abs(value) > LARGEST_NUMBER:
            raise self.error(word, f"{word} has a number beyond {LARGEST_NUMBER}")
        return value
