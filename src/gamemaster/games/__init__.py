"""The library: one folder a game, with game.toml, its rules and description.md.

This module only finds what is there; `load` makes it a game, and `aims` says what one is about.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

__all__ = ["GameFolder", "entry", "find_rules", "game_names"]

HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class GameFolder:
    """What the library says of a game: game.toml and description.md."""

    name: str
    title: str
    roles: tuple[str, ...]
    kind: str
    tags: tuple[str, ...]
    notation: str
    perft: tuple[int, ...]
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
        description=(folder / "description.md").read_text().strip(),
    )
