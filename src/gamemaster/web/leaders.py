"""Matches that are over -> a table of those who played them, best first: scores, and ratings with their intervals.

People come and go under no name, so they are not in it; nor are programs at a socket, which have none. It is worked out
by a worker, and kept until another match is over.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gamemaster.arena.outcomes import MatchOutcome
from gamemaster.arena.ratings.table import Row, standings
from gamemaster.draw.competing.plots import draw_ratings
from gamemaster.store.entries import MatchEntry, Seat
from gamemaster.store.players import DROPPED

__all__ = ["Leaders", "leaders_of", "rated_name", "results_of"]

COUNTED = ("completed", "resigned")
"""How a match ends that says something of those who played it."""

RATED = ("library", "address", "own", "launched")
MOST_LEADERS = 200


@dataclass(frozen=True)
class Leaders:
    """The table, and a picture of it where anybody met another."""

    rows: tuple[Row, ...]
    picture: str
    matches: int


def results_of(entries: Sequence[MatchEntry]) -> list[MatchOutcome]:
    """Matches as a competition has them, in their order, as far as all who played have names."""
    found: list[MatchOutcome] = []
    for entry in entries:
        if entry.how in COUNTED and all(map(_is_rated, entry.seats)):
            number = len(found)
            found.append(
                MatchOutcome(
                    number=number,
                    pair=number,
                    round=0,
                    game=entry.game,
                    seats=tuple(map(rated_name, entry.seats)),
                    how=entry.how,
                    goals=tuple(seat.goal for seat in entry.seats),
                    errors=tuple(seat.errors for seat in entry.seats),
                    steps=entry.steps,
                    seconds=0.0,
                    reasons=("",) * len(entry.seats),
                )
            )
    return found


def _is_rated(seat: Seat) -> bool:
    """Whether it is known who somebody was: a file that was dropped on a page may be anybody's."""
    is_dropped = seat.kind == "launched" and seat.player.startswith(DROPPED)
    return seat.kind in RATED and not is_dropped


def rated_name(seat: Seat) -> str:
    """Who is rated for what somebody got: a player that was launched is that player."""
    return seat.player.partition(".")[0] if seat.kind == "launched" else seat.player


def leaders_of(results: Sequence[MatchOutcome]) -> Leaders:
    """In a worker: the table of all who played."""
    names = sorted({name for each in results for name in each.seats})
    table = standings(results, names)
    picture = draw_ratings(table) if table.ratings is not None else ""
    return Leaders(table.rows[:MOST_LEADERS], picture, len(results))
