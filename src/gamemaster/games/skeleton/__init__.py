"""A name -> a new folder with a small game in it that plays, to be changed into another.

Beside this page stand the texts: rules.kif, rules.hrf and rules.epilog are the same game in three notations,
description.md says it in words, and folder.toml becomes game.toml (by that name it would be a game of the library).
"""

from __future__ import annotations

import re
from pathlib import Path
from string import Template

from gamemaster.errors import ParameterError
from gamemaster.games import game_names
from gamemaster.machine.arguments import shown

__all__ = ["NOTATIONS", "skeleton_texts", "write_skeleton"]

HERE = Path(__file__).parent
NOTATIONS = ("epilog", "kif", "hrf")
NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")


def write_skeleton(name: str, notation: str, parent: Path) -> Path:
    """A new folder of that name, which nothing may have yet, with the files of a game in it."""
    _check(name, notation)
    folder = parent / name
    try:
        folder.mkdir()
    except FileExistsError:
        raise ParameterError(f"there is already something called {name} here; choose another name") from None
    for target, text in skeleton_texts(name, name.replace("_", " ").title(), notation).items():
        (folder / target).write_text(text, encoding="utf-8")
    return folder


def skeleton_texts(name: str, title: str, notation: str) -> dict[str, str]:
    """The files of a new game, by what they are called in its folder."""
    words = {"title": title, "name": name, "notation": notation}
    return {
        target: Template((HERE / source).read_text(encoding="utf-8")).substitute(words)
        for source, target in _files(notation).items()
    }


def _files(notation: str) -> dict[str, str]:
    """Which text becomes which file."""
    rules = f"rules.{notation}"
    return {"folder.toml": "game.toml", rules: rules, "description.md": "description.md"}


def _check(name: str, notation: str) -> None:
    if not NAME.fullmatch(name):
        form = "small letters, digits and _, a letter first, 40 at most"
        raise ParameterError(f"{shown(name)} is no name for a game: {form}")
    if name in game_names():
        raise ParameterError(f"the library has a game called {name}; choose another name")
    if notation not in NOTATIONS:
        raise ParameterError(f"{shown(notation)} is no notation; there are: {', '.join(NOTATIONS)}")
