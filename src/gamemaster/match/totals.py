"""Events of matches -> how each of them went, and what each player got in all of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from gamemaster.match.events import Ended, Event, Fault, Moved, Started
from gamemaster.match.referee import NOT_BEGUN, STUCK
from gamemaster.match.result import match_data

__all__ = ["MatchSummary", "PlayerTotal", "matches_data", "totals"]

FAILED = (STUCK, NOT_BEGUN)
"""Ends that nobody wanted."""


@dataclass
class MatchSummary:
    """How a match went, gathered from its events: `listen` can listen to one."""

    record: Path | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    started: Started | None = None
    ended: Ended | None = None
    steps: int = 0
    faults: list[Fault] = field(default_factory=list)
    why_stopped: str = ""
    """By which error, where it was to stop at one and did."""

    def listen(self, event: Event) -> None:
        """Take note of an event."""
        match event:
            case Started():
                self.started = event
            case Moved():
                self.steps = event.step + 1
            case Fault():
                self.faults.append(event)
            case Ended():
                self.ended = event

    @property
    def is_fine(self) -> bool:
        """Whether it came to an end that the rules allow."""
        return self.ended is not None and self.ended.how not in FAILED

    @property
    def last_error(self) -> Fault | None:
        """The last fault that counts against a player."""
        return next((fault for fault in reversed(self.faults) if fault.is_error), None)

    def to_dict(self) -> dict[str, object]:
        """The result as plain data, ready for JSON."""
        assert self.started is not None
        return {**match_data(self.started, self.ended, self.faults, self.record), "steps": self.steps}


@dataclass(frozen=True, slots=True)
class PlayerTotal:
    """What a player got in all its matches."""

    player: str
    matches: int
    mean_goal: float
    errors: int


def totals(summaries: Iterable[MatchSummary]) -> list[PlayerTotal]:
    """For each player: its matches that ended, mean goal and errors."""
    results: dict[str, list[tuple[int, int]]] = {}
    for each in summaries:
        for role, label in each.labels.items():
            if each.ended is not None:
                result = (each.ended.goals.get(role) or 0, each.ended.errors.get(role, 0))
                results.setdefault(label, []).append(result)
    return [
        PlayerTotal(
            label,
            len(got),
            round(sum(goal for goal, _ in got) / len(got), 2),
            sum(errors for _, errors in got),
        )
        for label, got in results.items()
    ]


def matches_data(summaries: Sequence[MatchSummary]) -> dict[str, object]:
    """Matches and totals as plain data, ready for JSON."""
    players = [asdict(each) for each in totals(summaries)]
    return {"matches": [each.to_dict() for each in summaries], "players": players}
