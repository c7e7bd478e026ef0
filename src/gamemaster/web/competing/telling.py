"""The folder of a competition -> what its page shows and hands out. Workers do it; plain values in and out."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from gamemaster.arena.journal import OUTCOMES, outcomes_in
from gamemaster.arena.outcomes import UNPLAYED, MatchOutcome
from gamemaster.arena.pairings import is_known_at_once
from gamemaster.arena.ratings.table import Row, Standings, by_game, cross_scores, standings
from gamemaster.arena.running import Progress
from gamemaster.arena.telling import progress_csv, progress_data, standings_csv
from gamemaster.draw.competing.plots import draw_ratings
from gamemaster.draw.competing.report import report
from gamemaster.web.competing.plans import CompetitionPlan

__all__ = [
    "DOWNLOADS",
    "CompetitionTold",
    "Download",
    "FixtureLine",
    "download",
    "size_of",
    "told",
]

Download = Literal["report.html", "table.csv", "matches.csv", "competition.json"]
DOWNLOADS: Mapping[Download, str] = {
    "report.html": "text/html; charset=utf-8",
    "table.csv": "text/csv; charset=utf-8",
    "matches.csv": "text/csv; charset=utf-8",
    "competition.json": "application/json",
}
"""What can be had of a competition, and of which kind it is."""


@dataclass(frozen=True)
class FixtureLine:
    """A match of the plan, played or not."""

    number: int
    round: int
    game: str
    seats: tuple[str, ...]
    goals: tuple[int | None, ...]
    errors: tuple[int, ...]
    how: str
    """How it ended; nothing where it was not played yet."""

    steps: int
    detail: str

    @property
    def is_played(self) -> bool:
        """Whether it has an outcome."""
        return bool(self.how)

    @property
    def has_record(self) -> bool:
        """Whether it can be looked at."""
        return self.is_played and self.how != UNPLAYED

    @property
    def best(self) -> int | None:
        """The greatest goal, where one got more than another."""
        goals = [goal for goal in self.goals if goal is not None]
        return max(goals) if len(set(goals)) > 1 else None


@dataclass(frozen=True)
class CompetitionTold:
    """All that the page of a competition shows of how it went."""

    rows: tuple[Row, ...]
    cross: tuple[tuple[float | None, ...], ...]
    """The share of points of each against each, in the order of the rows."""

    picture: str
    by_game: tuple[tuple[str, tuple[Row, ...]], ...]
    fixtures: tuple[FixtureLine, ...]
    played: int
    is_plan_complete: bool
    """Whether no match can follow that is not known yet."""

    last_word: str


def size_of(folder: Path) -> int:
    """How much has been written of outcomes: when it is the same, nothing was played meanwhile."""
    try:
        return (folder / OUTCOMES).stat().st_size
    except OSError:
        return 0


def told(folder: str, plan: CompetitionPlan) -> CompetitionTold:
    """In a worker: how a competition stands."""
    progress, table = _progress(folder, plan, is_over=False)
    competition = plan.competition
    names = [each.name for each in competition.entrants]
    outcomes = progress.played
    return CompetitionTold(
        rows=table.rows,
        cross=tuple(map(tuple, cross_scores(table.outcomes, table.names))) if table.ratings else (),
        picture=draw_ratings(table) if table.ratings is not None else "",
        by_game=tuple(
            (game, own.rows) for game, own in by_game(progress.outcomes, names).items() if len(plan.games) > 1
        ),
        fixtures=tuple(
            _line(each.number, each.round, each.game, each.seats, outcomes.get(each.number))
            for each in progress.fixtures
        ),
        played=len(progress.outcomes),
        is_plan_complete=is_known_at_once(competition),
        last_word=progress.last_word,
    )


def _line(
    number: int, round: int, game: str, seats: Sequence[str], outcome: MatchOutcome | None
) -> FixtureLine:
    if outcome is None:
        blank = (None,) * len(seats)
        return FixtureLine(number, round, game, tuple(seats), blank, (0,) * len(seats), "", 0, "")
    return FixtureLine(
        number,
        round,
        game,
        outcome.seats,
        outcome.goals,
        outcome.errors,
        outcome.how,
        outcome.steps,
        outcome.detail,
    )


def _progress(folder: str, plan: CompetitionPlan, *, is_over: bool) -> tuple[Progress, Standings]:
    played = outcomes_in(Path(folder))
    fixtures = plan.fixtures(played)
    progress = Progress(
        competition=plan.competition,
        fixtures=fixtures,
        played=played,
        roles=plan.roles,
        new=(),
        before=0,
        verdict=None,
        is_over=is_over,
    )
    return progress, standings(progress.outcomes, [each.name for each in plan.competition.entrants])


def download(folder: str, plan: CompetitionPlan, what: Download, is_over: bool) -> str:
    """In a worker: a file of a competition as it stands."""
    progress, table = _progress(folder, plan, is_over=is_over)
    if what == "report.html":
        return report(progress, table)
    if what == "table.csv":
        return standings_csv(table)
    if what == "matches.csv":
        return progress_csv(progress.outcomes)
    data: dict[str, Any] = {**progress_data(progress, table), "is_over": is_over}
    return json.dumps(data, ensure_ascii=False, indent=1) + "\n"
