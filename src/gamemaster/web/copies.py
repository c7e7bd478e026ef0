"""A game of the site -> a sheet of it, to be changed and brought again: with another style, or with leaner rules."""

from __future__ import annotations

import asyncio

from gamemaster.draw.picture.markup import clip
from gamemaster.errors import GamemasterError, RulesError
from gamemaster.web.brought.sheets import LONGEST_TITLE, BroughtSheet
from gamemaster.web.writing.beginning import from_game

__all__ = ["copy_of", "short_title", "why_not"]


async def copy_of(name: str) -> BroughtSheet:
    """The sheet of a game that somebody brought, or one that says what a game of the library does."""
    begin = await asyncio.to_thread(from_game, name)
    return BroughtSheet(short_title(begin.title), begin.rules, begin.notation, begin.style, begin.description)


def short_title(title: str) -> str:
    """A title that a sheet can have."""
    return clip(title, LONGEST_TITLE)


def why_not(error: GamemasterError) -> str:
    """Why a sheet cannot be brought, without the place: that is in a file of ours."""
    return f"{error.what}. {error.hint}".rstrip(". ") if isinstance(error, RulesError) else str(error)
