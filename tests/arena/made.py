"""Competitions, outcomes and players made up for tests."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from gamemaster.arena.competition import Competition, Entrant
from gamemaster.arena.fixtures import Fixture
from gamemaster.arena.outcomes import MatchOutcome
from gamemaster.arena.pairings import plan

__all__ = ["competition", "outcome", "played_out", "strengths"]


def competition(names: str = "a b c", games: str = "g", **more: Any) -> Competition:
    """A competition of players that nobody asks for anything."""
    entrants = tuple(Entrant(name, "random") for name in names.split())
    return Competition(tuple(games.split()), entrants, **more)


def outcome(fixture: Fixture, goals: Iterable[int], **more: Any) -> MatchOutcome:
    """How a match went, as the test wants it."""
    told = tuple(goals)
    values: dict[str, Any] = {
        "how": "completed",
        "errors": (0,) * len(told),
        "reasons": ("",) * len(told),
        "steps": 5,
        "seconds": 1.0,
        **more,
    }
    return MatchOutcome(
        fixture.number, fixture.pair, fixture.round, fixture.game, fixture.seats, goals=told, **values
    )


def strengths(elo: Mapping[str, float], seed: int) -> Callable[[Fixture], MatchOutcome]:
    """Matches that go as often as Elo says they do; one in five is a draw between equals."""
    generator = random.Random(seed)

    def play(fixture: Fixture) -> MatchOutcome:
        first, second = fixture.seats
        share = 1 / (1 + 10 ** ((elo[second] - elo[first]) / 400))
        draws = 0.4 * min(share, 1 - share)
        drawn = generator.random()
        goals = (100, 0) if drawn < share - draws / 2 else (50, 50) if drawn < share + draws / 2 else (0, 100)
        return outcome(fixture, goals)

    return play


def played_out(
    made: Competition, play: Callable[[Fixture], MatchOutcome], roles: Mapping[str, int] | None = None
) -> list[MatchOutcome]:
    """All matches of a competition, played one after the other."""
    played: dict[int, MatchOutcome] = {}
    while new := [
        each
        for each in plan(made, roles or dict.fromkeys(made.games, 2), played)
        if each.number not in played
    ]:
        played |= {each.number: play(each) for each in new}
    return [played[number] for number in sorted(played)]
