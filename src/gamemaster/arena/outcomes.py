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

__all__ = ["UNPLAYED", "Duel", "MatchOutcome", "duels", "outcome_of", "points", "share_of", "unplayed"]

UNPLAYED = "unplayed"
"""How a match ended that could not be played, however often it was begun."""

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
    reasons: tuple[str, ...]
    """The first error of each, in words; nothing where there was none."""

    detail: str = ""
    """Why it could not be played, where it could not."""

    @property
    def counts(self) -> bool:
        """Whether it says anything of those who played."""
        return self.how not in (*FAILED, UNPLAYED)

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
            rows = {name: tuple(data[name]) for name in ("seats", "goals", "errors", "reasons")}
            outcome = cls(**{**data, **rows})
        except (TypeError, KeyError) as error:
            raise CompetitionError(f"not an outcome: {error}") from None
        if not outcome._is_sound():
            raise CompetitionError("not an outcome: a value is none that any match has")
        return outcome

    def _is_sound(self) -> bool:
        """Whether all values are of their kinds."""
        whole = (self.number, self.pair, self.round, self.steps, *self.errors)
        texts = (self.game, self.how, self.detail, *self.seats, *self.reasons)
        sizes = {len(self.seats), len(self.goals), len(self.errors), len(self.reasons)}
        return (
            all(type(each) is int and each >= 0 for each in whole)
            and all(isinstance(each, str) for each in texts)
            and all(each is None or (type(each) is int and 0 <= each <= 100) for each in self.goals)
            and type(self.seconds) in (int, float)
            and len(sizes) == 1
        )

    def is_of(self, fixture: Fixture) -> bool:
        """Whether it is that of a match of the plan."""
        own = (self.number, self.pair, self.round, self.game, self.seats)
        return own == (fixture.number, fixture.pair, fixture.round, fixture.game, fixture.seats)


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


def share_of(outcome: MatchOutcome, first: str) -> float:
    """What somebody got of the point of a match of two; half of it where it could not be played.

    Otherwise a pair of matches would say more of one seat than of the other.
    """
    seat = outcome.seats.index(first)
    return points(outcome.goal(seat), outcome.goal(1 - seat)) if outcome.counts else DRAW


def points(own: float, other: float) -> float:
    """What the first of two gets of the point that they play for."""
    return WIN if own > other else DRAW if own == other else LOSS


def outcome_of(fixture: Fixture, record: Record) -> MatchOutcome:
    """What a record tells of a match that has ended; CompetitionError where it is of another, or has not."""
    started, ended = record.started, record.ended
    number = started.match.rpartition(".")[2]
    if ended is None or started.seed != fixture.seed or number != str(fixture.number):
        raise CompetitionError(f"not the record of match {fixture.number}")
    roles = tuple(started.players)
    scores = final_scores(record.events, roles)
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
        reasons=tuple(_reason(record, role) for role in roles),
        detail=next((fault.detail for fault in record.faults if fault.kind in ("stuck", "busy")), ""),
    )


def _reason(record: Record, role: str) -> str:
    """The first error of a role, in words."""
    found = (fault for fault in record.faults if fault.role == role and fault.is_error)
    first = next(found, None)
    return "" if first is None else f"{first.kind}: {first.detail}"


def unplayed(fixture: Fixture, why: str) -> MatchOutcome:
    """That a match could not be played."""
    count = len(fixture.seats)
    return MatchOutcome(
        number=fixture.number,
        pair=fixture.pair,
        round=fixture.round,
        game=fixture.game,
        seats=fixture.seats,
        how=UNPLAYED,
        goals=(None,) * count,
        errors=(0,) * count,
        steps=0,
        seconds=0.0,
        reasons=("",) * count,
        detail=why,
    )
