"""A server that is killed in the middle of a competition, again and again: every match counts exactly once.

The players do not go by time, so the table has to be the one of a competition that nobody disturbed.
"""

from __future__ import annotations

import json
import os
import random
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from gamemaster.arena.competition import Competition
from gamemaster.arena.holding import Venue, hold
from gamemaster.match.records.record import read_record
from gamemaster.match.records.verifying import verify
from tests.store.postgres import new_database, running_postgres
from tests.web.competing import Member, matches_of, opened, served_player, ticked
from tests.web.running import RunningSite, running_site

KILLS = {
    "sqlite": int(os.environ.get("GAMEMASTER_KILLS", 2)),
    "postgresql": int(os.environ.get("GAMEMASTER_KILLS", 1)),
}
"""More take long: GAMEMASTER_KILLS=20 is what a release is tried with."""

EACH = 6
"""Matches that a server plays at least before it is killed."""

PATIENCE = 300.0


@pytest.fixture(params=list(KILLS))
def database(request: pytest.FixtureRequest) -> Iterator[tuple[str, str]]:
    if request.param == "sqlite":
        yield "sqlite", ""
        return
    with running_postgres() as server:
        yield "postgresql", new_database(server)


@contextmanager
def serving(folder: Path, url: str, ada: Member | None) -> Iterator[tuple[RunningSite, Member]]:
    """A server that came again, and somebody whose browser was there before."""
    with running_site(folder, data=url) as site:
        again = Member(site.address)
        if ada is None:
            again.sign_up("ada")
        else:
            again.client.cookies = ada.client.cookies
            again.get("/competitions/new")
        yield site, again


def lines(folder: Path, id: str) -> list[dict[str, Any]]:
    """What has been played, line by line; the last may be half written."""
    path = folder / "competitions" / id / "outcomes.jsonl"
    written = path.read_bytes() if path.exists() else b""
    return [json.loads(line) for line in written.split(b"\n")[:-1]]


def kill(site: RunningSite, *, has_workers: bool) -> None:
    """Kill a server, alone or with all that it started."""
    if has_workers:
        site.kill()
    else:
        os.kill(site.process.pid, signal.SIGKILL)
        site.process.wait()


def wait_for(folder: Path, id: str, count: int) -> None:
    end = time.monotonic() + PATIENCE
    while len(lines(folder, id)) < count:
        assert time.monotonic() < end, f"{len(lines(folder, id))} matches, and no more"
        time.sleep(0.002)


def undisturbed(data: dict[str, Any]) -> dict[int, tuple[Any, ...]]:
    """How the same competition goes where nobody is killed."""
    progress = hold(Competition.from_dict(data), None, Venue(workers=0))
    return {
        each.number: (each.game, each.seats, each.goals, each.steps, each.how) for each in progress.outcomes
    }


@pytest.mark.slow
def test_every_match_counts_exactly_once_whatever_is_killed(
    tmp_path: Path, database: tuple[str, str]
) -> None:
    name, url = database
    chance = random.Random(11)
    matches = -(-EACH * (KILLS[name] + 2) // 12)  # twelve are played when everybody has met everybody
    form = ticked("tictactoe nim", "random onestep legal", matches=str(matches), opening="1")
    ada: Member | None = None
    id = ""
    for number in range(KILLS[name]):
        with serving(tmp_path, url, ada) as (site, ada):
            id = id or ada.begin(form)
            wait_for(tmp_path, id, EACH * number + chance.randint(1, EACH))
            time.sleep(chance.uniform(0.0, 0.1))
            kill(site, has_workers=chance.random() < 0.5)
    killed = len(lines(tmp_path, id))
    assert killed < 12 * matches
    with serving(tmp_path, url, ada) as (site, ada):
        data = ada.wait(id)
        page = ada.get(f"/competitions/{id}").text
        board = ada.get("/leaderboard").text
    assert f"Over: {12 * matches} matches played" in page
    assert f"{12 * matches} matches between machines" in board
    numbers = [each["number"] for each in lines(tmp_path, id)]
    assert sorted(numbers) == list(range(12 * matches))
    told = {
        each["number"]: (
            each["game"],
            tuple(each["seats"]),
            tuple(each["goals"]),
            each["steps"],
            each["how"],
        )
        for each in data["matches"]
    }
    assert told == undisturbed(data["competition"])
    with opened(tmp_path, url) as store:
        entries = {entry.id: entry for entry in matches_of(store, id)}
        assert set(entries) == {f"{id}-{number}" for number in range(12 * matches)}
        assert store.counts()["over"] == 12 * matches
        for number, (game, _, goals, steps, _) in told.items():
            entry = entries[f"{id}-{number}"]
            assert (entry.game, tuple(seat.goal for seat in entry.seats), entry.steps) == (game, goals, steps)
    for path in site.records:
        record = read_record(path)
        assert verify(record).is_true, verify(record).show()
    print(f"{KILLS[name]} kills on {name}: {12 * matches} matches, each counted once")


@pytest.mark.slow
def test_what_was_paused_is_paused_and_what_waits_has_its_turn(
    tmp_path: Path, database: tuple[str, str]
) -> None:
    _, url = database
    with serving(tmp_path, url, None) as (site, ada):
        first = ada.begin(ticked("tictactoe", "mcs greedy", matches="9", start_clock="0.5", play_clock="0.5"))
        wait_for(tmp_path, first, 1)
        second = ada.begin(ticked("nim", "random legal"))
        third = ada.begin(ticked("tictactoe", "random legal"))
        assert ada.tell(third, "pause").status_code == 303
        assert ada.tell(first, "pause").status_code == 303
        kill(site, has_workers=True)
    count = len(lines(tmp_path, first))
    with serving(tmp_path, url, ada) as (site, ada):
        ada.wait(second)
        assert "Paused" in ada.get(f"/competitions/{first}").text
        assert "Paused" in ada.get(f"/competitions/{third}").text
        assert len(lines(tmp_path, first)) == count
        assert lines(tmp_path, third) == []
        assert ada.tell(third, "go-on").status_code == 303
        assert len(ada.wait(third)["matches"]) == 2
        assert ada.tell(first, "end").status_code == 303


@pytest.mark.slow
def test_a_player_at_an_address_is_left_in_the_middle_and_plays_on(tmp_path: Path) -> None:
    form = ticked("tictactoe", "random", matches="3", start_clock="1", play_clock="0.6")
    with served_player("mcs") as address:
        with serving(tmp_path, "", None) as (site, ada):
            id = ada.begin({**form, "players": address})
            wait_for(tmp_path, id, 1)
            time.sleep(0.7)  # it is in a match, most likely
            kill(site, has_workers=True)
        with serving(tmp_path, "", ada) as (site, ada):
            data = ada.wait(id)
    assert [each["how"] for each in data["matches"]] == ["completed"] * 6
    assert sorted(each["number"] for each in lines(tmp_path, id)) == list(range(6))
