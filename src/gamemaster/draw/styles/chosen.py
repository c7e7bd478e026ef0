"""Game -> the Style that counts for it: the one written for it, else the one found from its rules.

A style stands beside the rules: `style.toml` in a game's folder, `NAME.style.toml` beside NAME.kif. Rules that came
without a file, out of a record or from another process, have the style of the library's game of that name if they are
the same rules.
"""

from __future__ import annotations

import weakref
from pathlib import Path

from gamemaster.draw.finding.found import found_style
from gamemaster.draw.styles.style import Style
from gamemaster.draw.styles.style_file import read_style
from gamemaster.errors import GamemasterError
from gamemaster.games import find_rules, game_names
from gamemaster.games.variants import choose
from gamemaster.language.lower import lower
from gamemaster.language.notation import read, show
from gamemaster.machine.game import Game

__all__ = ["dress", "style_of", "style_path"]

_known: weakref.WeakKeyDictionary[Game, Style] = weakref.WeakKeyDictionary()


def style_of(game: Game) -> Style:
    """The style of a game; read or found once for each game. ReadError where one is written, but wrongly."""
    if game not in _known:
        path = style_path(game)
        _known[game] = read_style(path, game) if path else found_style(game)
    return _known[game]


def dress(game: Game, style: Style) -> None:
    """Have a game drawn in a style from now on, whatever else is written or found for it."""
    _known[game] = style


def style_path(game: Game) -> Path | None:
    """The style that was written for a game; None where none was."""
    rules = game.sheet.source.path or _library_rules(game)
    if rules is None:
        return None
    name = "style.toml" if rules.stem == "rules" else f"{rules.stem}.style.toml"
    return found if (found := rules.parent / name).is_file() else None


def _library_rules(game: Game) -> Path | None:
    """The file of the same rules in the library, if the game has a name from there.

    Records may have any name: what a path leads to is not even looked at.
    """
    if game.name.partition(":")[0] not in game_names():
        return None
    try:
        choice = choose(game.name)
    except GamemasterError:
        return None
    if choice is None or show(lower(read(choice.source())), "hrf") != show(game.rules, "hrf"):
        return None
    return find_rules(choice.folder.name)
