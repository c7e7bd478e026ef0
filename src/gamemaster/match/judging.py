"""Replies -> what they mean: a move of the rules, in any notation and case, or nothing at all."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gamemaster.language.terms import Compound, Term
from gamemaster.machine.moves import move_written
from gamemaster.match.request import NO_MOVES, Reply

__all__ = ["LONGEST_SHOWN", "is_busy", "is_cut", "is_ready", "judged_move", "says_nothing", "shorten"]

LONGEST_SHOWN = 400
"""More of a reply than this is not kept."""

READY = frozenset({"ready", "available"})
"""What a player may say that is ready; the published protocol has both words."""

BUSY = "busy"


CUT = re.compile(rf".{{{LONGEST_SHOWN}}}\.\.\. \([0-9,]+ characters\)", re.DOTALL)


def shorten(text: str) -> str:
    """The text, cut where it is long; what is cut already stays."""
    if len(text) <= LONGEST_SHOWN or is_cut(text):
        return text
    return f"{text[:LONGEST_SHOWN]}... ({len(text):,} characters)"


def is_cut(text: str) -> bool:
    """Whether a text is what `shorten` leaves of a long one."""
    return CUT.fullmatch(text) is not None


def is_ready(reply: Reply) -> bool:
    """Whether a player says that it is ready."""
    return isinstance(reply.value, str) and _plain(reply.value) in READY


def is_busy(reply: Reply) -> bool:
    """Whether a player says that it plays another match."""
    return isinstance(reply.value, str) and _plain(reply.value) == BUSY


def says_nothing(reply: Reply) -> bool:
    """Whether a reply is none, or stands for having no move."""
    value = reply.value
    return value is None or value is False or (isinstance(value, str) and _plain(value) in NO_MOVES)


def judged_move(reply: Reply, legal: Sequence[Term]) -> tuple[Term | None, str]:
    """The legal move that a reply is, or None and the kind of fault it is.

    A player with only one move may also say nothing.
    """
    value = reply.value
    if value is None or value is False:
        return (legal[0], "") if len(legal) == 1 else (None, "malformed")
    if type(value) is Compound:
        if value in legal:
            return legal[legal.index(value)], ""
        value = reply.text  # all that the record keeps of it
    if not isinstance(value, str):
        return None, "malformed"
    move, is_readable = move_written(value, legal)
    if move is not None:
        return move, ""
    return None, "illegal" if is_readable else "malformed"


def _plain(text: str) -> str:
    return str.__str__(text).strip().strip("()").strip().lower()
