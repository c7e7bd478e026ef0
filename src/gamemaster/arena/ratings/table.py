"""Outcomes -> the table of a competition: what everybody got, and how good that makes them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from itertools import permutations
from typing import Any

from gamemaster.arena.outcomes import MatchOutcome, duels, points
from gamemaster.arena.ratings.elo import Ratings, rate
from gamemaster.arena.ratings.skill import Skill, skills

__all__ = ["Row", "Standings", "by_game", "cross_scores", "standings"]


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
    reason: str
    """The first of its errors, in words."""

    unplayed: int
    """Matches that could not be played."""

    elo: float | None
    elo_error: float | None

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

    @cached_property
    def skills(self) -> dict[str, Skill]:
        """The ratings of openskill."""
        return skills(self.outcomes, self.names)

    def likelihoods(self) -> list[list[float]] | None:
        """How likely it is that one (row) is better than another (column)."""
        if self.ratings is None:
            return None
        return [[self.ratings.likelihood(one, other) for other in self.names] for one in self.names]

    def to_dict(self) -> dict[str, Any]:
        """The table as plain data, ready for JSON."""
        rows = [
            {**asdict(row), "score": row.score, "skill": asdict(self.skills[row.name])} for row in self.rows
        ]
        return {"players": rows, "better": self.likelihoods()}


@dataclass
class _Sums:
    """What somebody has, added up."""

    matches: int = 0
    unplayed: int = 0
    shares: dict[float, int] = field(default_factory=lambda: {1.0: 0, 0.5: 0, 0.0: 0})
    goals: defaultdict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    errors: int = 0
    reason: str = ""

    def add(self, outcome: MatchOutcome, seat: int) -> None:
        """Take in a match, from a seat."""
        self.errors += outcome.errors[seat]
        self.reason = self.reason or outcome.reasons[seat]
        if not outcome.counts:
            self.unplayed += 1
            return
        self.matches += 1
        self.goals[outcome.game].append(outcome.goal(seat))
        for other, name in enumerate(outcome.seats):
            if name != outcome.seats[seat]:
                self.shares[points(outcome.goal(seat), outcome.goal(other))] += 1

    @property
    def mean_goal(self) -> float:
        """The mean of all goals."""
        goals = [goal for own in self.goals.values() for goal in own]
        return sum(goals) / len(goals) if goals else 0.0

    @property
    def adjusted(self) -> float:
        """The original's score: few matches count for less."""
        scores = [sum(own) / (len(own) + 1) for own in self.goals.values()]
        return sum(scores) / len(scores) if scores else 0.0


def standings(outcomes: Iterable[MatchOutcome], names: Sequence[str]) -> Standings:
    """The table of those named."""
    played = tuple(sorted(outcomes, key=lambda each: each.number))
    sums = {name: _Sums() for name in names}
    for each in played:
        for seat, name in enumerate(each.seats):
            sums[name].add(each, seat)
    met = duels(played)
    ratings = rate(met, names) if met else None
    rows = [_row(name, own, ratings) for name, own in sums.items()]
    order = {name: place for place, name in enumerate(names)}
    rows.sort(key=lambda row: (-_worth(row), -row.score, -row.mean_goal, order[row.name]))
    return Standings(tuple(rows), ratings, played)


def _worth(row: Row) -> float:
    """What the table is ordered by: the rating, or goals where nobody met another."""
    return row.mean_goal if row.elo is None else round(row.elo, 6)


def _row(name: str, sums: _Sums, ratings: Ratings | None) -> Row:
    return Row(
        name=name,
        matches=sums.matches,
        wins=sums.shares[1.0],
        draws=sums.shares[0.5],
        losses=sums.shares[0.0],
        mean_goal=sums.mean_goal,
        adjusted=sums.adjusted,
        errors=sums.errors,
        reason=sums.reason,
        unplayed=sums.unplayed,
        elo=None if ratings is None else ratings.value(name),
        elo_error=None if ratings is None else ratings.error(name),
    )


def by_game(outcomes: Iterable[MatchOutcome], names: Sequence[str]) -> dict[str, Standings]:
    """A table for each game."""
    played: defaultdict[str, list[MatchOutcome]] = defaultdict(list)
    for each in outcomes:
        played[each.game].append(each)
    return {game: standings(own, names) for game, own in played.items()}


def cross_scores(outcomes: Sequence[MatchOutcome], names: Sequence[str]) -> list[list[float | None]]:
    """The share of points that one (row) got against another (column), None where they did not meet."""
    won: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for each in duels(outcomes):
        won[each.first, each.second].append(each.score)
        won[each.second, each.first].append(1 - each.score)
    means = {pair: sum(won[pair]) / len(won[pair]) for pair in permutations(names, 2) if pair in won}
    return [[means.get((one, other)) for other in names] for one in names]
