"""What is said of players: those of the library, as their classes tell; how good somebody was, match after match.

All of it is for workers: classes are imported, and ratings worked out.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from gamemaster.arena.outcomes import MatchOutcome, duels
from gamemaster.arena.ratings.elo import rate
from gamemaster.draw.competing.plots import RatedPoint, draw_history
from gamemaster.players.catalogue import library_player, parameters_of_player, player_names

__all__ = ["PlayerCard", "PlayerHistory", "history_of", "library_cards"]

MOST_POINTS = 16
MOST_COUNTED = 4_000
"""Matches of which ratings over time are made: the newest."""


@dataclass(frozen=True)
class PlayerCard:
    """A player of the library."""

    name: str
    line: str
    """What it does, in a line."""

    about: str
    parameters: tuple[tuple[str, str], ...]
    """What it can be told: names, and what is taken unless it is."""

    plays_hidden: bool
    """Whether it plays games that hide their state."""


@lru_cache(maxsize=1)
def library_cards() -> tuple[PlayerCard, ...]:
    """All players of the library."""
    return tuple(_card(name) for name in player_names())


def _card(name: str) -> PlayerCard:
    kind = library_player(name)
    line, _, about = (inspect.getdoc(kind) or "").partition("\n")
    told = [str(each).partition("=") for each in parameters_of_player(kind, lowest=0).values()]
    return PlayerCard(
        name,
        line.rstrip(".").replace("`", ""),
        " ".join(about.replace("`", "").split()),
        tuple((word, value) for word, _, value in told),
        not kind.needs_state,
    )


@dataclass(frozen=True)
class PlayerHistory:
    """How good somebody was: after so many matches, and as a picture; nothing where nobody else was met."""

    points: tuple[RatedPoint, ...] = ()
    picture: str = ""


def history_of(results: Sequence[MatchOutcome], name: str) -> PlayerHistory:
    """The ratings of a player after more and more of the matches that it played among all others."""
    results = results[-MOST_COUNTED:]
    own = [place for place, each in enumerate(results, 1) if name in each.seats]
    points = []
    for count in _counts(len(own)):
        met = duels(results[: own[count - 1]])
        names = sorted({each for duel in met for each in (duel.first, duel.second)})
        if name in names:
            ratings = rate(met, names)
            points.append(RatedPoint(count, ratings.value(name), ratings.error(name)))
    return PlayerHistory(tuple(points), draw_history(name, points) if points else "")


def _counts(most: int) -> list[int]:
    """After how many matches to look, the last time after all of them."""
    return sorted({max(1, round(most * place / MOST_POINTS)) for place in range(1, MOST_POINTS + 1) if most})
