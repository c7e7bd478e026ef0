"""An error in a player's code -> the traceback that its author wants to see: from the first line of its own on."""

from __future__ import annotations

import traceback
from pathlib import Path
from types import TracebackType

import gamemaster
from gamemaster.errors import PlayerError

__all__ = ["trace_of"]

LONGEST = 8_000
"""Characters of a traceback; of a longer one the end is kept, which says most."""

OURS = str(Path(gamemaster.__file__).parent)


def trace_of(error: BaseException) -> str:
    """The whole traceback of an error, without the way that led to the player's code.

    A text that is no Python has only its place: what is wrong there is told anyway. Nothing, where we say ourselves
    what is wrong with a player, and none of its code has a part in that.
    """
    told = error.__cause__ if isinstance(error, PlayerError) and error.__cause__ else error
    part = _own_part(told.__traceback__)
    if part is None and isinstance(told, PlayerError):
        return ""
    try:
        if part is None and isinstance(told, SyntaxError):
            return "".join(traceback.format_exception_only(told)[:-1])
        text = "".join(traceback.format_exception(type(told), told, part or told.__traceback__))
    except Exception:  # what is shown of an error may be of its own making, too
        return f"{type(told).__name__}: its traceback cannot be shown\n"
    return text if len(text) <= LONGEST else f"... ({len(text):,} characters)\n{text[-LONGEST:]}"


def _own_part(trace: TracebackType | None) -> TracebackType | None:
    """The traceback from the first frame that is not of this package; None where there is none."""
    while trace is not None and trace.tb_frame.f_code.co_filename.startswith(OURS):
        trace = trace.tb_next
    return trace
