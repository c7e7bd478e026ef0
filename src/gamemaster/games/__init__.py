"""The library: one folder a game, with game.toml, its rules and description.md.

This module only finds what is there. `variants` reads the name of a game with other numbers or another start,
`load` makes a game of it, and `aims` says what one is about.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

__all__ = ["GameFolder", "GameParameter", "GameVariant", "entry", "find_rules", "game_names"]

HERE = Path(__file__).parent


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
    """What the library says of a game: game.toml and description.md.

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


@cache
def game_names() -> tuple[str, ...]:
    """The names of all games in the library, in order."""
    return tuple(sorted(path.parent.name for path in HERE.glob("*/game.toml")))


def find_rules(name: str) -> Path:
    """The rule file of a library game."""
    (path,) = (HERE / name).glob("rules.*")
    return path


def entry(name: str) -> GameFolder:
    """What the library says of a game."""
    folder = HERE / name
    written = tomllib.loads((folder / "game.toml").read_text())
    return GameFolder(
        name=name,
        title=written["title"],
        roles=tuple(written["roles"]),
        kind=written["kind"],
        tags=tuple(written["tags"]),
        notation=written["notation"],
        perft=tuple(written["perft"]),
        note=written.get("note", ""),
        parameters=tuple(
            GameParameter(each, **range_) for each, range_ in written.get("parameters", {}).items()
        ),
        variants=tuple(_variant(each, said) for each, said in written.get("variants", {}).items()),
        description=(folder / "description.md").read_text().strip(),
    )


def _variant(name: str, said: dict[str, Any]) -> GameVariant:
    """A variant as game.toml has it: what is no word of its own is a parameter."""
    values = {word: value for word, value in said.items() if word not in ("title", "facts", "perft")}
    return GameVariant(
        name, said.get("title", ""), values, said.get("facts", ""), tuple(said.get("perft", ()))
    )
