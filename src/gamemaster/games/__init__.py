"""The library: one folder a game, with game.toml, its rules and description.md.

This module only finds what is there, also in folders of other people.

entries                  what the files of a folder say
tables                   TOML, read with the places of what it says; styles of boards are read by it too
variants                 the name of a game, perhaps with other numbers or another start
aims                     what a game is about
skeleton                 a new folder, with a small game in it, to begin with
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from gamemaster.games.entries import GameFolder, GameParameter, GameVariant, read_entry, rules_in

__all__ = [
    "GameFolder",
    "GameParameter",
    "GameVariant",
    "entry",
    "find_rules",
    "game_names",
    "on_shelf",
    "put_up",
]

HERE = Path(__file__).parent
BROUGHT = re.compile(r"@[0-9a-f]{20}")
"""The name of a game that somebody brought to a site; its folder has that name without the sign."""

_shelves: list[Path] = []
"""Folders with folders of such games; a server and each of its workers put up theirs."""


@cache
def game_names() -> tuple[str, ...]:
    """The names of all games in the library, in order."""
    return tuple(sorted(path.parent.name for path in HERE.glob("*/game.toml")))


def find_rules(name: str) -> Path:
    """The rule file of a library game, or of a folder with a game."""
    return rules_in(_folder(name))


def entry(name: str) -> GameFolder:
    """What the library says of a game, or a folder of the one in it."""
    return read_entry(_folder(name), name)


def put_up(*folders: Path) -> None:
    """Have names like @0123456789abcdef0123 be those of games in these folders, and in no others."""
    _shelves[:] = folders


def on_shelf(name: str) -> Path | None:
    """The folder of a game that somebody brought; None where no shelf has it, or the name is another."""
    if BROUGHT.fullmatch(name) is None:
        return None
    return next((found for shelf in _shelves if (found := shelf / name[1:]).is_dir()), None)


def _folder(name: str) -> Path:
    return HERE / name if name in game_names() else on_shelf(name) or Path(name)
