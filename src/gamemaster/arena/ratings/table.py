"""Outcomes -> the table of a competition: what everybody got, and how good that makes them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from gamemaster.arena.outcomes import MatchOutcome, duels, points
from gamemaster.arena.ratings.elo import Ratings, rate
from gamemaster.arena.ratings.skill import Skill, skills

__all__ = ["Row", "Standings", "adjusted", "standings"]


@dataclass(frozen=True, slots=True)
class Row:
    """What somebody got. Wins, draws and losses are against each other player of a match."""

    name: str
    matches: int
    wins: int
    draws: int
    losses: int
    mean_goal: float
    adjusted: float
    """The original's score: mean goal times n/(n+1) for n matches of a game, and the mean of that over games."""

    errors: int
    failed: int
    """Matches that could not be played."""

    elo: float | None
    elo_error: float | None
    skill: float
    skill_spread: float

    @property
    def score(self) -> float:
        """Points: a win is one, a draw half of one."""
        return self.wins + self.draws / 2


@dataclass(frozen=True)
class Standings:
    """A table, the best first, with what it is made of."""

    rows: tuple[Row, ...]
    ratings: Ratings | None
    """None where nobody met another."""

    outcomes: tuple[MatchOutcome, ...]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Everybody, the best first."""
        return tuple(row.name for row in self.rows)

    def likelihoods(self) -> list[list[float]] | None:
        """How likely it is that one (row) is better than another (column)."""
        if self.ratings is None:
            return None
        return [[self.ratings.likelihood(one, other) for other in self.names] for one in self.names]

    def to_dict(self) -> dict[str, Any]:
        """The table as plain data, ready for JSON."""
        return {
            "players": [{**asdict(row), "score": row.score} for row in self.rows],
            "better": self.likelihoods(),
        }


def standings(outcomes: Iterable[MatchOutcome], names: Sequence[str]) -> Standings:
    """The table of those named."""
    played = tuple(sorted(outcomes, key=lambda each: each.number))
    met = duels(played)
    ratings = rate(met, names) if met else None
    known = skills(played, names)
    rows = [_row(name, played, ratings, known[name]) for name in names]
    order = {name: place for place, name in enumerate(names)}
    rows.sort(key=lambda row: (-_worth(row), -row.score, -row.mean_goal, order[row.name]))
    return Standings(tuple(rows), ratings, played)


def _worth(row: Row) -> float:
    """What the table is ordered by: the rating, or goals where nobody met another."""
    return row.mean_goal if row.elo is None else round(row.elo, 6)


def _row(name: str, outcomes: Sequence[MatchOutcome], ratings: Ratings | None, skill: Skill) -> Row:
    own = [each for each in outcomes if name in each.seats]
    counted = [each for each in own if each.counts]
    goals = [each.goal(seat) for each in counted for seat in _seats(name, each)]
    shares = [
        points(each.goal(seat), each.goal(other))
        for each in counted
        for seat in _seats(name, each)
        for other in range(len(each.seats))
        if each.seats[other] != name
    ]
    return Row(
        name=name,
        matches=len(counted),
        wins=shares.count(1.0),
        draws=shares.count(0.5),
        losses=shares.count(0.0),
        mean_goal=sum(goals) / len(goals) if goals else 0.0,
        adjusted=adjusted(name, counted),
        errors=sum(each.errors[seat] for each in own for seat in _seats(name, each)),
        failed=len(own) - len(counted),
        elo=None if ratings is None else ratings.value(name),
        elo_error=None if ratings is None else ratings.error(name),
        skill=skill.mean,
        skill_spread=skill.spread,
    )


def _seats(name: str, outcome: MatchOutcome) -> list[int]:
    return [seat for seat, who in enumerate(outcome.seats) if who == name]


def adjusted(name: str, outcomes: Sequence[MatchOutcome]) -> float:
    """The original's score: few matches count for less."""
    goals: Mapping[str, list[int]] = {}
    for each in outcomes:
        for seat in _seats(name, each):
            goals = {**goals, each.game: [*goals.get(each.game, []), each.goal(seat)]}
    scores = [sum(own) / len(own) * len(own) / (len(own) + 1) for own in goals.values()]
    return sum(scores) / len(scores) if scores else 0.0


def by_game(outcomes: Iterable[MatchOutcome], names: Sequence[str]) -> dict[str, Standings]:
    """A table for each game."""
    played = list(outcomes)
    return {
        game: standings([each for each in played if each.game == game], names)
        for game in dict.fromkeys(each.game for each in played)
    }
