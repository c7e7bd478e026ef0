"""A server that is killed in the middle of matches, again and again: nothing is lost, and all can be gone on with."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from gamemaster.match.records.record import read_record
from gamemaster.match.records.verifying import verify
from gamemaster.store.opening import open_store
from tests.store.postgres import new_database, running_postgres
from tests.web.running import RunningSite, Visitor, running_site

KILLS = {
    "sqlite": int(os.environ.get("GAMEMASTER_KILLS", 5)),
    "postgresql": int(os.environ.get("GAMEMASTER_KILLS", 3)),
}
"""More take long: GAMEMASTER_KILLS=20 is what a release is tried with."""


@pytest.fixture(params=list(KILLS))
def database(request: pytest.FixtureRequest) -> Iterator[tuple[str, str]]:
    if request.param == "sqlite":
        yield "sqlite", ""
        return
    with running_postgres() as server:
        yield "postgresql", new_database(server)


def begin_matches(ann: Visitor, count: int) -> list[str]:
    form = {"game": "tictactoe", "player_0": "random", "player_1": "legal", "do": "arrange"}
    form |= {"start_clock": "20", "play_clock": "20", "pace": "0.3"}
    found = [ann.arrange("/manager", **form) for _ in range(count)]
    for match in found:
        assert ann.act(match, "begin").status_code == 200
    return found


def has_begun(site: RunningSite, match: str) -> bool:
    """Whether the record of a match has its beginning."""
    path = site.folder / "matches" / f"{match}.jsonl"
    return path.exists() and b"\n" in path.read_bytes()


def all_over(ann: Visitor, matches: list[str]) -> None:
    """Go on with every match that was interrupted, and wait for its end."""
    for match in matches:
        ann.act(match, "go-on")
    for match in matches:
        while ann.client.get(f"/api/v1/matches/{match}").json()["status"] != "over":
            if ann.client.get(f"/api/v1/matches/{match}").json()["status"] == "arranged":
                ann.act(match, "begin")
            time.sleep(0.05)


def check(site: RunningSite, url: str, matches: list[str]) -> None:
    """Every match is listed, none half."""
    store = open_store(url)
    try:
        for match in matches:
            entry = store.find(match)
            assert entry is not None
            assert entry.status in ("arranged", "interrupted", "over")
            assert [seat.role for seat in entry.seats] == ["x", "o"]
    finally:
        store.close()


@pytest.mark.slow
def test_whatever_is_killed_goes_on(tmp_path: Path, database: tuple[str, str]) -> None:
    name, url = database
    address = url or f"sqlite:///{tmp_path / 'gamemaster.db'}"
    chance, matches = random.Random(7), list[str]()
    ann: Visitor | None = None
    for number in range(KILLS[name]):
        with running_site(tmp_path, data=url) as site:
            ann = _same(ann, site.address)
            matches += begin_matches(ann, 1)
            for match in matches[-3:-1]:
                ann.act(match, "go-on")
            while number % 4 and not has_begun(site, matches[-1]):  # some are killed before that
                time.sleep(0.02)
            time.sleep(chance.uniform(0.0, 1.5))
            site.kill()
    assert sum(has_begun(site, match) for match in matches) > KILLS[name] / 2
    with running_site(tmp_path, data=url) as site:
        ann = _same(ann, site.address)
        check(site, address, matches)
        listed = ann.client.get("/api/v1/matches?size=200").json()
        assert {match["id"] for match in listed["matches"]} >= set(matches)
        all_over(ann, matches)
    for path in site.records:
        record = read_record(path)
        assert record.ended is not None
        assert verify(record).is_true, verify(record).show()


def _same(ann: Visitor | None, address: str) -> Visitor:
    """The same browser at a server that came again: its cookies are kept."""
    fresh = Visitor(address)
    if ann is not None:
        fresh.client.cookies = ann.client.cookies
    fresh.get("/play")
    return fresh
