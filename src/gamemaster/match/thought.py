"""Why a player chose its move: the value that it expects, how deep it searched, how many nodes; and its caveat.

They come from its `last_result`, and may come from a process that says anything: what is no such number, and no short
line of text, is left out. The caveat says why the search is less than it should be.
"""

from __future__ import annotations

from collections.abc import Mapping

from gamemaster.search.result import SearchResult

__all__ = ["NAMES", "Thought", "checked_thought", "result_of", "thought_of"]

Thought = Mapping[str, float | str]
"""Of `value`, `depth`, `nodes` and `caveat` those that are known."""

MOST = 1e12
COUNTS = ("depth", "nodes")
NAMES = ("value", *COUNTS, "caveat")
LONGEST_CAVEAT = 200
"""In characters."""


def result_of(player: object) -> SearchResult | None:
    """What a player has found last, if it says so; to look for it may run the player's code."""
    try:
        result = getattr(player, "last_result", None)
    except Exception:  # that it cannot say why does not make its move worse
        return None
    return result if isinstance(result, SearchResult) else None


def thought_of(player: object, before: SearchResult | None = None) -> Thought | None:
    """What a player says of the move it has just made; None where it says nothing, or no more than `before` it."""
    result = result_of(player)
    if result is None or result is before:
        return None
    said = {"value": result.value, "depth": result.depth, "nodes": result.nodes}
    return checked_thought({**said, "caveat": _caveat(result)})


def checked_thought(data: object) -> Thought | None:
    """The parts of a thought that are some; None where nothing is left."""
    if not isinstance(data, Mapping):
        return None
    kept = {name: data[name] for name in NAMES if name in data and _is_fit(name, data[name])}
    return kept or None


def _caveat(result: SearchResult) -> str:
    try:
        return "; ".join(result.caveats)
    except Exception:  # a player can make results of anything
        return ""


def _is_fit(name: str, part: object) -> bool:
    if name == "caveat":
        return type(part) is str and 0 < len(part) <= LONGEST_CAVEAT and part.isprintable()
    if type(part) not in ((int,) if name in COUNTS else (int, float)):
        return False
    return isinstance(part, int | float) and abs(part) < MOST and (part >= 0 or name not in COUNTS)
