"""What there is to start from: a small game that plays, in any notation, or a game of the site."""

from __future__ import annotations

from dataclasses import dataclass

from gamemaster.games.skeleton import skeleton_texts
from gamemaster.language.rules import Notation
from gamemaster.web.shelf import chosen, style_of, title_of, written

__all__ = ["FIRST_NOTATION", "FIRST_TITLE", "Beginning", "from_game", "from_skeleton"]

FIRST_NOTATION: Notation = "epilog"
FIRST_TITLE = "My game"


@dataclass(frozen=True, slots=True)
class Beginning:
    """What stands in the editor at first; not yet a sheet, as it may be anything."""

    title: str
    rules: str
    notation: Notation
    style: str = ""
    description: str = ""


def from_skeleton(notation: Notation = FIRST_NOTATION) -> Beginning:
    """A small game that plays, to be changed into another; described by whoever does, or it would be told wrongly."""
    texts = skeleton_texts("my_game", FIRST_TITLE, notation)
    return Beginning(FIRST_TITLE, texts[f"rules.{notation}"], notation)


def from_game(name: str) -> Beginning:
    """A game of the library, a variant, or one that was brought; UnknownGame or ParameterError for anything else."""
    choice = chosen(name)
    text, notation = written(choice.name)
    folder = choice.folder
    return Beginning(title_of(choice.name), text, notation, style_of(folder.name), folder.description)
