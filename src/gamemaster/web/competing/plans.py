"""A competition as the site plans it: what it is, what is known of its games, how long it may take; and its bounds."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from gamemaster.arena.competition import Competition
from gamemaster.arena.fixtures import Fixture
from gamemaster.arena.outcomes import MatchOutcome
from gamemaster.arena.pairings import plan
from gamemaster.errors import ParameterError

__all__ = [
    "LONGEST_SECONDS",
    "MOST_ENTRANTS",
    "MOST_GAMES",
    "MOST_MATCHES",
    "CompetitionPlan",
    "PlannedGame",
    "most_matches",
]

MOST_ENTRANTS, MOST_GAMES, MOST_MATCHES = 32, 60, 5_000
"""Of a competition that is planned on a page; `gamemaster tournament` holds larger ones."""

LONGEST_SECONDS = 24 * 3600.0
"""What all its clocks may come to: one competition is held at a time, and others wait. An operator may have longer."""

REPLAYS = 3
"""So often the two of a knock-out play at most."""


@dataclass(frozen=True)
class PlannedGame:
    """What is known of a game of a competition."""

    roles: tuple[str, ...]
    is_hidden: bool


@dataclass(frozen=True)
class CompetitionPlan:
    """A competition with its games; it goes to plain data and back."""

    competition: Competition
    games: Mapping[str, PlannedGame]

    @cached_property
    def roles(self) -> dict[str, int]:
        """How many play each game."""
        return {name: len(game.roles) for name, game in self.games.items()}

    def fixtures(self, played: Mapping[int, MatchOutcome]) -> Sequence[Fixture]:
        """The matches that are known by now, by their numbers."""
        return plan(self.competition, self.roles, played)

    def to_dict(self) -> dict[str, Any]:
        """As the store keeps it."""
        games = {
            name: {"roles": list(game.roles), "is_hidden": game.is_hidden}
            for name, game in self.games.items()
        }
        return {"competition": self.competition.to_dict(), "games": games}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> CompetitionPlan:
        """The plan that `to_dict` told; ParameterError for one of a version that told it otherwise."""
        try:
            games = {
                name: PlannedGame(tuple(game["roles"]), bool(game["is_hidden"]))
                for name, game in data["games"].items()
            }
            return cls(Competition.from_dict(data["competition"]), games)
        except (KeyError, TypeError, AttributeError) as error:
            raise ParameterError(f"the plan of this competition cannot be read: {error!r}") from None


def most_matches(competition: Competition, roles: Mapping[str, int]) -> tuple[int, int]:
    """How many matches it has at least, and at most: those of a knock-out who draw play again."""
    count, games = len(competition.entrants), len(competition.games)
    if competition.pairing in ("round robin", "gauntlet"):
        free = int(competition.pairing == "gauntlet")  # the first is in every meeting
        known = sum(size * math.comb(count - free, size - free) for size in roles.values())
        return known * competition.matches, known * competition.matches
    each = 2 * games * competition.matches
    if competition.pairing == "swiss":
        rounds = competition.rounds * (count // 2) * each
        return rounds, rounds
    return (count - 1) * each, REPLAYS * (count - 1) * each
