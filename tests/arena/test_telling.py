"""A competition as it stands, for programs and spreadsheets."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

from gamemaster.arena.pairings import plan
from gamemaster.arena.ratings.table import standings
from gamemaster.arena.running import Progress
from gamemaster.arena.telling import progress_csv, progress_data, standings_csv
from tests.arena.made import competition, outcome

EVIL = "=cmd(1)"
NOTHING: Any = None


def halfway() -> Progress:
    made = competition(f"{EVIL} b", matches=2)
    fixtures = plan(made, {"g": 2}, {})
    played = {0: outcome(fixtures[0], (100, 0)), 1: outcome(fixtures[1], (NOTHING, 0))}
    return Progress(made, fixtures, played, {"g": 2}, (), 0, None, False)


def read(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text)))


def test_the_table_has_a_line_for_each_player_and_no_formula() -> None:
    progress = halfway()
    headings, *rows = read(standings_csv(standings(progress.outcomes, (EVIL, "b"))))
    assert headings[:4] == ["place", "player", "elo", "interval"]
    assert {row[1] for row in rows} == {f"'{EVIL}", "b"}


def test_matches_have_a_line_for_each_seat() -> None:
    headings, *rows = read(progress_csv(halfway().outcomes))
    assert headings[0] == "match"
    assert [(row[0], row[4], row[5]) for row in rows] == [
        ("0", f"'{EVIL}", "100"),
        ("0", "b", "0"),
        ("1", "b", ""),
        ("1", f"'{EVIL}", "0"),
    ]


def test_all_of_it_is_plain_data() -> None:
    progress = halfway()
    data = json.loads(json.dumps(progress_data(progress, standings(progress.outcomes, (EVIL, "b")))))
    assert [each["number"] for each in data["matches"]] == [0, 1]
    assert data["competition"]["games"] == ["g"]
    assert data["verdict"] is None
    assert len(data["players"]) == 2
