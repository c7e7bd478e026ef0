"""The leaderboard: who is best, from the matches that the store has."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI

from gamemaster.store.entries import MatchEntry, Seat, SeatKind
from gamemaster.web.app import create_app
from gamemaster.web.leaders import leaders_of, results_of
from gamemaster.web.settings import settings_for
from gamemaster.web.site import Site
from tests.store.made import made

SCRIPT = "<script>alert(1)</script>"


def entry(number: int, first: str, second: str, goals: tuple[int, int], **more: object) -> MatchEntry:
    kind: SeatKind = "library"
    seats = tuple(
        Seat(role, player, kind, goal=goal)
        for role, player, goal in zip("xo", (first, second), goals, strict=True)
    )
    base = made(f"m{number}", number, game="tictactoe", status="over", how="completed", seats=seats)
    return replace(base, created=base.created + timedelta(minutes=number), **more)  # type: ignore[arg-type]


@pytest.fixture
def app(tmp_path: Path) -> Iterator[FastAPI]:
    built = create_app(settings_for(str(tmp_path)))
    yield built
    site: Site = built.state.site
    site.store.close()


def page(app: FastAPI, path: str = "/leaderboard") -> httpx.Response:
    async def ask() -> httpx.Response:
        site: Site = app.state.site
        site.workers.open()
        transport = httpx.ASGITransport(app, client=("127.0.0.1", 5000))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            return await client.get(path)

    return asyncio.run(ask())


def test_who_wins_is_first_and_everybody_has_a_place(app: FastAPI) -> None:
    site: Site = app.state.site
    for number in range(6):
        site.store.add(entry(number, "mcts", "random", (100, 0)))
    site.store.add(entry(6, "random", SCRIPT, (50, 50)))
    site.store.add(entry(7, "mcts", "greedy", (100, 0), game="nim"))
    text = page(app).text
    assert text.index("player=mcts") < text.index("player=random")
    assert "8 matches between machines" in text
    assert SCRIPT not in text
    assert "&lt;script&gt;" in text
    only = page(app, "/leaderboard?game=nim").text
    assert "1 match between machines" in only
    assert "player=random" not in only


def test_new_results_are_in_the_table(app: FastAPI) -> None:
    site: Site = app.state.site
    assert "No match between machines" in page(app).text
    site.store.add(entry(1, "mcts", "random", (100, 0)))
    assert "1 match between machines" in page(app).text


@pytest.mark.parametrize("game", ["nothing", SCRIPT, "../x"])
def test_a_game_that_nobody_played_is_an_empty_table(app: FastAPI, game: str) -> None:
    response = page(app, f"/leaderboard?game={game}")
    assert response.status_code == 200
    assert SCRIPT not in response.text


def test_only_matches_with_an_end_between_machines_count() -> None:
    good = entry(1, "mcts", "random", (100, 0))
    person = replace(good, seats=(replace(good.seats[0], kind="person"), good.seats[1]))
    assert len(results_of([good, person, replace(good, how="aborted"), replace(good, how="resigned")])) == 2


def test_a_file_that_was_dropped_counts_for_nobody() -> None:
    good = entry(1, "mcts", "random", (100, 0))
    for name, count in (("mcts.12ab", 1), ("open-deepsix.12ab", 0)):
        launched = replace(good.seats[0], player=name, kind="launched")
        assert len(results_of([replace(good, seats=(launched, good.seats[1]))])) == count


def test_puzzles_are_ordered_by_what_was_got() -> None:
    good = entry(1, "mcts", "random", (100, 0))
    alone = [
        replace(good, seats=(replace(good.seats[0], player=who, goal=goal),))
        for who, goal in (("a", 30), ("b", 80))
    ]
    leaders = leaders_of(results_of(alone))
    assert [row.name for row in leaders.rows] == ["b", "a"]
    assert leaders.picture == ""
