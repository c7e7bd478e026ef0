"""Why a player chose its move, in numbers: the value that it expects, how deep it searched, and how many nodes.

They come from its `last_result`, and may come from a process that says anything: what is no such number is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gamemaster.search.result import SearchResult

__all__ = ["Thought", "checked_thought", "thought_of"]

Thought = Mapping[str, float]
"""Of `value`, `depth` and `nodes` those that are known."""

MOST = 1e12
COUNTS = ("depth", "nodes")


def thought_of(player: object) -> Thought | None:
    """What a player says of its last move, None where it says nothing; to look for it may run the player's code."""
    try:
        result = getattr(player, "last_result", None)
    except Exception:  # that it cannot say why does not make its move worse
        return None
    if not isinstance(result, SearchResult):
        return None
    return checked_thought({"value": result.value, "depth": result.depth, "nodes": result.nodes})


def checked_thought(data: Any) -> Thought | None:
    """The numbers of a thought that are some; None where nothing is left."""
    if not isinstance(data, dict):
        return None
    kept = {name: data[name] for name in ("value", *COUNTS) if name in data and _is_fit(name, data[name])}
    return kept or None


def _is_fit(name: str, number: Any) -> bool:
    is_count = type(number) is int and number >= 0
    return (is_count if name in COUNTS else type(number) in (int, float)) and abs(number) < MOST
