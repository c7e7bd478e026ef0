"""What a search found -> words and rows for people: its moves in order, what they are worth, and how fast it was."""

from __future__ import annotations

from collections.abc import Sequence

from gamemaster.language.terms import Term
from gamemaster.search.result import SearchResult

__all__ = [
    "by_choice",
    "glance_in_words",
    "is_by_visits",
    "rate",
    "result_in_words",
    "shown_line",
    "value_in_words",
]

LONGEST_LINE = 8
"""Of a line so many moves are shown."""


def by_choice(result: SearchResult) -> list[Term]:
    """The moves searched, the chosen one first, then by value; by visits where those decided."""
    ranked = result.ranked
    if is_by_visits(result):
        ranked = sorted(ranked, key=lambda move: -result.visits.get(move, 0))
    return [move for move in ranked if move == result.move] + [move for move in ranked if move != result.move]


def is_by_visits(result: SearchResult) -> bool:
    """Whether the move was chosen for how often it was tried: another one, tried less, has a greater value."""
    if result.is_proven or not result.visits or result.move is None or result.move not in result.values:
        return False
    return result.values[result.ranked[0]] > result.values[result.move]


def result_in_words(result: SearchResult) -> str:
    """A result in a line: what the move is worth, how much was searched, how fast, what should follow, caveats."""
    counts = [f"depth {result.depth}"] if result.depth else []
    counts += [rate(result)] if result.nodes or result.playouts else []
    line = shown_line(result.line)
    return "; ".join(
        [
            ", ".join([value_in_words(result), *counts]) + (f": {line}" if line else ""),
            *result.caveats,
        ]
    )


def value_in_words(result: SearchResult) -> str:
    """What the chosen move is worth, and how sure that is."""
    if result.is_open:
        return "not proven"
    return f"{'proven value' if result.is_proven else 'value'} {result.value:.1f}"


def glance_in_words(result: SearchResult) -> str:
    """Which part of a value comes from judgement and which from search; empty where judgement has no part in it."""
    if result.glance is None:
        return ""
    looks = f"looks worth {result.glance:.1f} at a glance (judgement)"
    if result.is_proven:
        return f"{looks}, is worth {result.value:.1f} (search: judgement has no part in that)"
    if not result.depth:
        return f"{looks}; nothing was searched beyond that"
    plies = f"{result.depth} {'ply' if result.depth == 1 else 'plies'}"
    return f"{looks}, {result.value:.1f} after looking {plies} ahead (search, with judgement where it ends)"


def shown_line(line: Sequence[Term]) -> str:
    """The first moves of a line."""
    more = ["…"] if len(line) > LONGEST_LINE else []
    return " ".join([*map(str, line[:LONGEST_LINE]), *more])


def rate(result: SearchResult) -> str:
    """How fast a search was: nodes a second, or playouts where there were more of them."""
    is_playing = result.playouts > result.nodes or not result.nodes
    count, unit = (result.playouts, "playouts") if is_playing else (result.nodes, "nodes")
    return f"{count / max(result.seconds, 1e-9):,.0f} {unit}/s"
