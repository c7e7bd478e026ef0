"""A folder -> what its game.toml and description.md say of a game.

Folders of the library are read by this, and those of anybody else: whatever is wrong in one is an error with its place,
and what is only told to people, as the title, may be missing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from gamemaster.errors import Place, ReadError
from gamemaster.games.tables import TomlTable, read_toml
from gamemaster.language.source import Source

__all__ = ["GameFolder", "GameParameter", "GameVariant", "read_entry", "rules_in"]

VARIANT_WORDS = {"title", "facts", "perft"}
"""What a variant says beside the values of parameters."""
RANGE_WORDS = {"value", "least", "most"}
NOTATIONS = ("kif", "hrf", "epilog")


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

    `note` says how it differs from the original's sheet, where that had a slip; `opening` are the moves after which
    pictures show it, where not any will do.
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
    opening: str = ""


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
    said = read_toml(Source.from_path(folder / "game.toml"))
    description = folder / "description.md"
    parameters = tuple(_parameters(said))
    found = GameFolder(
        name=name,
        title=said.text("title", Path(name).name),
        roles=said.texts("roles"),
        kind=said.text("kind"),
        tags=said.texts("tags"),
        notation=said.text("notation", rules_in(folder).suffix[1:]),
        perft=said.numbers("perft"),
        note=said.text("note"),
        opening=said.text("opening"),
        parameters=parameters,
        variants=tuple(_variants(said, parameters)),
        description=Source.from_path(description).text.strip() if description.is_file() else "",
    )
    said.done()
    return found


def _parameters(said: TomlTable) -> Iterator[GameParameter]:
    for name, table in said.named_tables("parameters"):
        if set(table.values) != RANGE_WORDS:
            hint = f"write {name} = {{value = 5, least = 3, most = 9}}"
            raise table.error(f"parameter {name} needs value, least and most", hint)
        value, least, most = (table.number(word) for word in ("value", "least", "most"))
        parameter = GameParameter(name, value, least, most)
        _check(table, "value", parameter, value)
        yield parameter


def _variants(said: TomlTable, parameters: Sequence[GameParameter]) -> Iterator[GameVariant]:
    """The variants; what is no word of its own is a parameter."""
    for name, table in said.named_tables("variants"):
        known = {each.name: each for each in parameters if each.name in set(table.values) - VARIANT_WORDS}
        values = {word: table.number(word) for word in known}
        for word, value in values.items():
            _check(table, word, known[word], value)
        yield GameVariant(name, table.text("title"), values, table.text("facts"), table.numbers("perft"))
        table.done([each.name for each in parameters])


def _check(table: TomlTable, key: str, parameter: GameParameter, value: int) -> None:
    """Refuse a value that a parameter cannot have."""
    if not parameter.least <= value <= parameter.most:
        allowed = f"from {parameter.least} to {parameter.most}"
        raise table.error(
            f"parameter {parameter.name} is {value}, which is not {allowed}", "give another", key
        )
