"""A game -> what it is about, in words, where anybody has said so."""

from __future__ import annotations

import re

from gamemaster.games.variants import choose
from gamemaster.language.notation import COMMENT_MARKS
from gamemaster.language.rules import Rules

__all__ = ["aim_of"]

GOAL = re.compile(r"^\*\*Goal\.\*\*\s+(.+?)(?:\n\s*\n|\Z)", re.MULTILINE | re.DOTALL)
LONGEST_COMMENT = 4
"""Lines at the top of a file that say what the game is; more are about something else."""


def aim_of(game: str, sheet: Rules) -> str:
    """What a game is about, in words: its goal as the library has it, or the comment that a file begins with.

    Nothing where there is neither, or where the comment is longer than such a thing is.
    """
    if choice := choose(game):
        found = GOAL.search(choice.folder.description)
        return " ".join(found[1].split()) if found else ""
    mark, said = COMMENT_MARKS[sheet.notation], []
    for line in sheet.source.text.strip().splitlines():
        if not line.startswith(mark):
            break
        said.append(line.strip(f"{mark} \t-=*#"))
    return " ".join(filter(None, said)) if len(said) <= LONGEST_COMMENT else ""
