"""A line of steps <-> the text of it in an address: `mark(1,1);mark(2,2)`, or `rock|paper;paper|paper`.

A step has the moves of those who choose in it, in role order. `?` alone is a move that chance has still to draw.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeAlias
from urllib.parse import quote

from gamemaster.errors import ParameterError

__all__ = ["DRAWN", "Line", "path_query", "path_read", "path_written"]

Line: TypeAlias = Sequence[Sequence[str | None]]
"""Steps in their order: the moves of those who choose; None is left to chance."""

DRAWN = "?"
NO_TEXT = "~0"
ESCAPES = {"~": "~~", ";": "~s", "|": "~b", "?": "~q"}
MEANINGS = {written: plain for plain, written in ESCAPES.items()}
ESCAPE = re.compile(r"~.?", re.DOTALL)
SPECIAL = re.compile(r"[~;|?]")

LONGEST_TEXT = 200_000
MOST_STEPS = 5_000
MOST_MOVES = 50
"""In one step: so many roles no game has that anybody plays on a page."""

PLAIN = "(),;:*!'~"
"""What stays readable in an address."""


def path_written(line: Line) -> str:
    """The text of a line."""
    return ";".join("|".join(map(_written, step)) for step in line)


def path_read(text: str) -> tuple[tuple[str | None, ...], ...]:
    """The line of a text; ParameterError where it is none."""
    if len(text) > LONGEST_TEXT:
        raise ParameterError(f"a line of {len(text):,} characters; at most {LONGEST_TEXT:,} are read")
    if not text:
        return ()
    if any("\ud800" <= letter <= "\udfff" for letter in text):
        raise ParameterError("half a character is in this line")
    steps = text.split(";")
    if len(steps) > MOST_STEPS:
        raise ParameterError(f"{len(steps):,} steps; a position is at most {MOST_STEPS:,} from the start")
    return tuple(_step(number, step) for number, step in enumerate(steps, 1))


def path_query(line: Line) -> str:
    """The query of an address that leads to the end of a line; nothing where the line has no steps."""
    return f"?moves={quote(path_written(line), safe=PLAIN)}" if line else ""


def _written(move: str | None) -> str:
    if move is None:
        return DRAWN
    return SPECIAL.sub(lambda found: ESCAPES[found[0]], move) or NO_TEXT


def _step(number: int, text: str) -> tuple[str | None, ...]:
    moves = text.split("|")
    if len(moves) > MOST_MOVES:
        raise ParameterError(f"step {number} has {len(moves):,} moves; at most {MOST_MOVES} are read")
    return tuple(_move(number, move) for move in moves)


def _move(number: int, text: str) -> str | None:
    if text in (DRAWN, NO_TEXT):
        return None if text == DRAWN else ""
    if not text:
        raise ParameterError(f"there is no move in step {number}")
    if DRAWN in text:
        raise ParameterError(f"step {number}: '?' stands alone, or is written {ESCAPES['?']}")
    return ESCAPE.sub(lambda found: _meaning(number, found[0]), text)


def _meaning(number: int, escape: str) -> str:
    if escape not in MEANINGS:
        known = ", ".join(f"{written} for {plain}" for plain, written in ESCAPES.items())
        raise ParameterError(f"step {number}: {escape!r} means nothing; there are {known}")
    return MEANINGS[escape]
