"""How a match of a competition went, as a plain value; and what it says of those who played."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

from gamemaster.arena.fixtures import Fixture
from gamemaster.errors import CompetitionError
from gamemaster.match.records.record import Record
from gamemaster.match.scores import final_scores
from gamemaster.match.totals import FAILED

__all__ = ["LOST", "Duel", "MatchOutcome", "duels", "outcome_of", "points"]

LOST = "lost"
"""How a match ended that could not be played to an end, however often it was begun."""

WIN, DRAW, LOSS = 1.0, 0.5, 0.0


@dataclass(frozen=True, slots=True)
class MatchOutcome:
    """How a match went. Goals and errors are in the order of the seats; None is no goal."""

    number: int
    pair: int
    round: int
    game: str
    seats: tuple[str, ...]
    how: str
    goals: tuple[int | None, ...]
    errors: tuple[int, ...]
    steps: int
    seconds: float
    detail: str = ""
    """Why it was lost, or the first error, where there was one."""

    @property
    def counts(self) -> bool:
        """Whether it says anything of those who played."""
        return self.how not in (*FAILED, LOST)

    def goal(self, seat: int) -> int:
        """What the one in a seat got; no goal is 0."""
        return self.goals[seat] or 0

    def to_dict(self) -> dict[str, Any]:
        """The outcome as plain data, ready for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> MatchOutcome:
        """The outcome that `to_dict` told; CompetitionError for anything else."""
        try:
            rows = {name: tuple(data[name]) for name in ("seats", "goals", "errors")}
            return cls(**{**data, **rows})
        except (TypeError, KeyError) as error:
            raise CompetitionError(f"not an outcome: {error}") from None


@dataclass(frozen=True, slots=True)
class Duel:
    """Two who met in a match, and what the first got of the one point: 1, 0.5 or 0.

    `weight` makes a match of many as heavy as one of two: everybody in it meets all others.
    """

    first: str
    second: str
    score: float
    game: str
    pair: int
    seats: tuple[int, int] = (0, 1)
    weight: float = 1.0


def duels(outcomes: Sequence[MatchOutcome]) -> list[Duel]:
    """All meetings of different entrants in matches that count."""
    found = []
    for each in outcomes:
        for one, other in combinations(range(len(each.seats)), 2):
            first, second = each.seats[one], each.seats[other]
            if each.counts and first != second:
                score = points(each.goal(one), each.goal(other))
                weight = 1 / (len(each.seats) - 1)
                found.append(Duel(first, second, score, each.game, each.pair, (one, other), weight))
    return found


def points(own: int, other: int) -> float:
    """What the first of two gets of the point that they play for."""
    return WIN if own > other else DRAW if own == other else LOSS


def outcome_of(fixture: Fixture, record: Record) -> MatchOutcome:
    """What a record tells of a match that has ended; CompetitionError where it is of another, or has not."""
    started, ended = record.started, record.ended
    if ended is None or started.seed != fixture.seed:
        raise CompetitionError(f"not the record of match {fixture.number}")
    roles = tuple(started.players)
    scores = final_scores(record.events, roles)
    first = next((fault for fault in record.faults if fault.is_error or fault.kind == "stuck"), None)
    return MatchOutcome(
        number=fixture.number,
        pair=fixture.pair,
        round=fixture.round,
        game=fixture.game,
        seats=fixture.seats,
        how=ended.how,
        goals=tuple(scores.get(role) for role in roles),
        errors=tuple(ended.errors.get(role, 0) for role in roles),
        steps=len(record.moves),
        seconds=ended.time,
        detail=f"{first.role or 'rules'}: {first.kind}: {first.detail}" if first else "",
    )
