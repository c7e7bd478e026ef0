"""A competition as it stands -> plain data, and lines for a spreadsheet."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from typing import Any

from gamemaster.arena.outcomes import MatchOutcome
from gamemaster.arena.ratings.table import Standings
from gamemaster.arena.running import Progress

__all__ = ["progress_csv", "progress_data", "standings_csv"]

TABLE = (
    "place",
    "player",
    "elo",
    "interval",
    "matches",
    "won",
    "drawn",
    "lost",
    "mean goal",
    "adjusted",
    "errors",
)
MATCHES = ("match", "round", "game", "seat", "player", "goal", "errors", "how", "steps", "seconds")
FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a text begins with that a spreadsheet would work out."""


def progress_data(progress: Progress, table: Standings) -> dict[str, Any]:
    """All of it, ready for JSON."""
    verdict = progress.verdict
    test = None
    if verdict is not None:
        names = ("answer", "ratio", "other", "lower", "upper", "pairs")
        test = {name: getattr(verdict, name) for name in names}
    return {
        "competition": progress.competition.to_dict(),
        "matches": [each.to_dict() for each in progress.outcomes],
        **table.to_dict(),
        "verdict": test,
        "last_word": progress.last_word,
    }


def standings_csv(table: Standings) -> str:
    """The table, a line for each player."""
    return _lines(
        TABLE,
        (
            (
                place,
                _text(row.name),
                "" if row.elo is None else round(row.elo, 1),
                "" if row.elo_error is None else round(row.elo_error, 1),
                *(row.matches, row.wins, row.draws, row.losses),
                *(round(row.mean_goal, 3), round(row.adjusted, 3), row.errors),
            )
            for place, row in enumerate(table.rows, 1)
        ),
    )


def progress_csv(outcomes: Iterable[MatchOutcome]) -> str:
    """The matches, a line for each seat."""
    return _lines(
        MATCHES,
        (
            (
                *(each.number, each.round, _text(each.game), seat, _text(each.seats[seat])),
                "" if each.goals[seat] is None else each.goals[seat],
                *(each.errors[seat], each.how, each.steps, round(each.seconds, 3)),
            )
            for each in outcomes
            for seat in range(len(each.seats))
        ),
    )


def _text(words: str) -> str:
    """Somebody's words as a cell that is no formula."""
    return f"'{words}" if words.startswith(FORMULA) else words


def _lines(headings: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    written = io.StringIO()
    writer = csv.writer(written)
    writer.writerow(headings)
    writer.writerows(rows)
    return written.getvalue()
