"""The table of matches, and the page of one that is over, with all that hangs on it."""

from __future__ import annotations

import asyncio
import json
import math
import re
import socket
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
import uvicorn
from fastapi import FastAPI
from httpx import Client
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from gamemaster.errors import GamemasterError, UnknownMatch
from gamemaster.load import load
from gamemaster.match.manager import run_match
from gamemaster.match.records.record import RecordWriter
from gamemaster.match.settings import Settings
from gamemaster.store.entries import MatchEntry, MatchStatus, Seat
from gamemaster.store.indexing import reindex
from gamemaster.store.matches import Store
from gamemaster.store.opening import open_store
from gamemaster.web.brought.shop import Brought
from gamemaster.web.guard import Door
from gamemaster.web.live.hall import Hall
from gamemaster.web.pages import matches
from gamemaster.web.roster.roster import Roster
from gamemaster.web.settings import SiteSettings, settings_for
from gamemaster.web.statuses import status_of
from gamemaster.web.work import Workers

MATCHES = {
    "ttt": ("tictactoe", "mcts", "random"),
    "hid": ("higherlower", "random", "random"),
    "bad": ("tictactoe", "dumbo", "legal"),
    "rps": ("roshambo", "random", "random"),
}
BEGAN = datetime(2026, 3, 4, 5, 6, tzinfo=UTC)


def app_with(settings: SiteSettings, store: Store) -> FastAPI:
    """An app that has nothing but these pages."""
    workers = Workers(settings)
    brought = Brought(settings, store, workers)
    site = SimpleNamespace(
        hall=Hall(settings, store, workers, Roster(settings, store.own_players), brought),
        brought=brought,
        settings=settings,
        store=store,
        workers=workers,
        secret=b"s" * 32,
        is_getting_ready=False,
    )

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        site.workers.open()
        yield

    app = FastAPI(lifespan=lifespan)
    app.state.site = site
    app.include_router(matches.router)

    @app.get("/matches/{name}")
    async def one(request: Request, name: str) -> Response:
        entry = await asyncio.to_thread(store.find, name)
        if entry is None:
            raise UnknownMatch(f"there is no match {name!r}")
        return await matches.replay_page(request, entry)

    @app.exception_handler(GamemasterError)
    async def told(_: Request, error: GamemasterError) -> Response:
        return JSONResponse({"error": str(error)}, status_of(error))

    app.add_middleware(Door, settings=settings)
    return app


@contextmanager
def asking(app: FastAPI) -> Iterator[Client]:
    """Somebody who asks it for pages."""
    with socket.socket() as line:
        line.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", ws="none"))
        thread = threading.Thread(target=server.run, args=([line],), daemon=True)
        thread.start()
        with Client(base_url=f"http://127.0.0.1:{line.getsockname()[1]}", timeout=120) as made:
            yield made
        server.should_exit = True
        thread.join(20)


def play(folder: Path, name: str, game: str, *players: str) -> None:
    rules = load(game)
    with RecordWriter(folder / f"{name}.jsonl") as writer:
        chosen = dict(zip(rules.roles, players, strict=True))
        settings = Settings(5, 0.3, seed=3, match=name, game=game)
        run_match(rules, chosen, settings, listeners=[writer.write])


def entry(name: str, **others: object) -> MatchEntry:
    made = MatchEntry(
        id=name,
        game="tictactoe",
        title="tictactoe",
        status="over",
        how="completed",
        seats=(Seat("x", "legal", "library", goal=100), Seat("o", "random", "library", goal=0)),
        start_clock=5.0,
        play_clock=math.inf,
        seed=1,
        steps=5,
        is_hidden=False,
        created=BEGAN,
        ended=None,
        owner="",
        options={},
        record=f"{name}.jsonl",
    )
    return replace(made, **others)  # type: ignore[arg-type]  # named by the test


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Client, Store, Path]]:
    """A site with a few matches, and the folder of their records."""
    settings = settings_for(str(tmp_path_factory.mktemp("site")))
    for name, (game, *players) in MATCHES.items():
        play(settings.records, name, game, *players)
    store = open_store(settings.database)
    reindex(store, settings.records)
    with asking(app_with(settings, store)) as client:
        yield client, store, settings.records
    store.close()


@pytest.fixture
def client(site: tuple[Client, Store, Path]) -> Client:
    return site[0]


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[tuple[Client, Store]]:
    settings = settings_for(str(tmp_path))
    store = open_store(settings.database)
    with asking(app_with(settings, store)) as client:
        yield client, store
    store.close()


def rows(page: str) -> list[str]:
    return re.findall(r"<tr>\s*<th scope=\"row\">.*?</tr>", page, re.DOTALL)


# The table


def test_a_site_without_matches_says_what_to_do(empty: tuple[Client, Store]) -> None:
    page = empty[0].get("/matches")
    assert page.status_code == 200
    assert "No match has been played here yet" in page.text
    assert 'href="/play"' in page.text


def test_matches_are_listed_with_players_scores_and_their_end(empty: tuple[Client, Store]) -> None:
    client, store = empty
    store.add(entry("a"))
    store.add(entry("b", status="running", how="", created=BEGAN + timedelta(days=1)))
    first, second = rows(client.get("/matches").text)
    assert 'href="/matches/b"' in first  # the newest
    assert "badge live" in first
    assert "Tic-Tac-Toe" in second
    assert re.search(r'is-best">legal</span> <span class="goal is-best">100<', second)
    assert "played to the end" in second
    assert "4 Mar 2026, 05:06" in second


def test_scores_of_a_match_that_goes_on_are_not_told(empty: tuple[Client, Store]) -> None:
    empty[1].add(entry("b", status="running", how=""))
    assert "100" not in rows(empty[0].get("/matches").text)[0]


def test_filters(empty: tuple[Client, Store]) -> None:
    client, store = empty
    seats = (Seat("alice", "mcts", "library"), Seat("bob", "person", "person"))
    statuses: tuple[MatchStatus, ...] = ("over", "running", "interrupted", "arranged")
    for number, status in enumerate(statuses):
        store.add(entry(f"m{number}", status=status))
    store.add(entry("nim", game="nim", seats=seats))
    assert len(rows(client.get("/matches").text)) == 5
    for query, count in (
        ("game=nim", 1),
        ("player=MCTS", 1),
        ("player=legal", 4),
        ("status=running", 1),
        ("status=over&game=tictactoe", 1),
        ("game=&player=&status=", 5),
    ):
        page = client.get(f"/matches?{query}").text
        assert len(rows(page)) == count, query
    assert "a person" in client.get("/matches?game=nim").text
    assert '<option value="nim" selected>' in client.get("/matches?game=nim").text


def test_what_is_looked_for_and_not_found_has_a_way_on(empty: tuple[Client, Store]) -> None:
    client, store = empty
    store.add(entry("a"))
    for query in ("player=nobody", "game=%00", "status=%ED%A0%80", "player=%3Cscript%3E"):
        page = client.get(f"/matches?{query}")
        assert page.status_code == 200
        assert "No match is like this" in page.text
        assert "<script>" not in page.text


def test_there_are_fifty_on_a_page_and_links_to_the_others(empty: tuple[Client, Store]) -> None:
    client, store = empty
    for number in range(120):
        store.add(entry(f"m{number}", created=BEGAN + timedelta(minutes=number)))
    first = client.get("/matches").text
    assert len(rows(first)) == 50
    assert 'href="/matches?page=2"' in first
    third = client.get("/matches?page=3&player=legal").text
    assert len(rows(third)) == 20
    assert 'href="/matches?player=legal&amp;page=2"' in third
    assert 'href="/matches?player=legal"' in third
    assert "only 3 pages" in client.get("/matches?page=99999999999999999999").text
    assert client.get("/matches?page=0").status_code == 422


def test_names_of_strangers_do_nothing_in_the_table(empty: tuple[Client, Store]) -> None:
    client, store = empty
    seats = (Seat("<b>\ud800", "<script>alert(1)</script>", "address"),)
    store.add(entry("a", game="<img>\ud800", seats=seats, how="<i>"))
    page = client.get("/matches")
    assert page.status_code == 200
    assert not re.search(r"<script>alert|<img>|<i>|<b>", page.text)


# A match


def test_the_page_of_a_match_needs_no_script(client: Client) -> None:
    page = client.get("/matches/ttt?step=2").text
    assert '<a href="?step=2" aria-current="step">' in page
    for step in (0, 1, 3):
        assert f'href="?step={step}"' in page
    assert "<svg" in page
    assert "last move" in page
    assert "data-plot" in page  # the graph
    assert 'href="?verdict=now"' in page
    assert 'href="/matches/ttt/record"' in page
    assert 'href="/matches/ttt/standalone?step=2"' in page
    assert "message(" in page  # the transcript
    assert len(page) < 200_000


def test_a_page_without_a_step_shows_the_end(client: Client) -> None:
    last = int(re.findall(r'data-last="(\d+)"', client.get("/matches/ttt").text)[0])
    for query in ("", "?step=9999", "?step=x", "?step=-1", f"?step={'9' * 500}"):
        assert f'data-step="{last}"' in client.get(f"/matches/ttt{query}").text
    assert 'data-step="0"' in client.get("/matches/ttt?step=0").text


def test_the_parts_of_a_step_are_those_of_its_page(client: Client) -> None:
    page = client.get("/matches/ttt?step=3").text
    told = client.get("/matches/ttt/steps/3.json").json()
    assert told["step"] == 3
    assert set(told["parts"]) == {"board", "match-now"}
    for part in told["parts"].values():
        assert part.strip() in page
    assert told["say"].startswith("Step 3 of ")
    assert client.get("/matches/ttt/steps/0.json").json()["say"] == "The start"
    assert "wins" in client.get("/matches/rps/steps/3.json").json()["say"] or "draw" in told["say"]


@pytest.mark.parametrize(("step", "status"), [("99", 404), ("-1", 404), ("x", 422), ("1" * 5000, 422)])
def test_steps_that_are_none(client: Client, step: str, status: int) -> None:
    assert client.get(f"/matches/ttt/steps/{step}.json").status_code == status


def test_errors_are_told_at_their_move(client: Client) -> None:
    page = client.get("/matches/bad?step=1").text
    moves = page[page.index('id="match-moves"') :]
    first = moves[moves.index('href="?step=1"') : moves.index('href="?step=2"')]
    assert "x: illegal" in first
    assert "a move that the rules do not allow" in page[page.index('id="match-now"') :]


def test_moves_at_once_stand_in_one_line(client: Client) -> None:
    moves = re.findall(r'<span class="one">', client.get("/matches/rps").text)
    assert len(moves) == 2 * 3


def test_long_matches_list_the_moves_around_a_step(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matches, "MOST_ROWS", 3)
    told = client.get("/matches/ttt/steps/4.json").json()
    listed = re.findall(r'href="\?step=(\d+)"', told["parts"]["match-moves"])
    assert listed == ["3", "4", "5"]
    assert 'href="?step=4" aria-current="step"' in told["parts"]["match-moves"]


def test_a_verdict_is_computed(client: Client) -> None:
    told = client.get("/matches/hid/verdict.json").json()
    assert told["is_true"] is True
    words = "every move, state and goal follows from the rules"
    assert words in told["parts"]["match-verdict"]
    assert words in client.get("/matches/bad?verdict=now").text


def test_a_record_that_is_not_true_is_said_to_be_so(site: tuple[Client, Store, Path]) -> None:
    client, store, folder = site
    text = (folder / "rps.jsonl").read_text()
    (folder / "false.jsonl").write_text(re.sub(r'"facts":\["[^"]*"', '"facts":["wrong(1)"', text, count=1))
    store.add(entry("false", game="roshambo"))
    told = client.get("/matches/false/verdict.json").json()
    assert told["is_true"] is False
    assert "does not follow from the rules" in told["parts"]["match-verdict"]


def test_the_record_is_downloaded_as_it_is(site: tuple[Client, Store, Path]) -> None:
    client, _, folder = site
    found = client.get("/matches/ttt/record")
    assert found.content == (folder / "ttt.jsonl").read_bytes()
    assert found.headers["content-type"] == "application/x-ndjson"
    assert found.headers["content-disposition"] == 'attachment; filename="tictactoe-ttt.jsonl"'


def test_a_name_of_a_file_is_safe(site: tuple[Client, Store, Path]) -> None:
    client, store, _ = site
    store.add(entry('od"d', game='../x\r\n"', record="ttt.jsonl"))
    found = client.get("/matches/od%22d/record")
    assert found.headers["content-disposition"] == 'attachment; filename="x-od-d.jsonl"'


def test_the_transcript_is_text(client: Client) -> None:
    found = client.get("/matches/ttt/transcript")
    assert found.headers["content-type"].startswith("text/plain")
    assert found.text.startswith("message(1,manager,")
    assert "play(ttt,[])" in found.text


def test_standalone_begins_where_a_step_is(client: Client) -> None:
    found = client.get("/matches/ttt/standalone?step=2", follow_redirects=False)
    assert found.status_code == 303
    assert re.fullmatch(
        r"/standalone/tictactoe\?moves=mark\(\d,\d\);mark\(\d,\d\)", found.headers["location"]
    )


@pytest.mark.parametrize("way", ["steps/0.json", "verdict.json", "record", "transcript", "standalone"])
def test_nothing_is_told_of_matches_that_are_not_over(site: tuple[Client, Store, Path], way: str) -> None:
    client, store, _ = site
    for status in ("arranged", "running", "interrupted"):
        name = f"{status}-{way}".replace("/", "-")
        store.add(entry(name, status=status, record="hid.jsonl", is_hidden=True))
        found = client.get(f"/matches/{name}/{way}")
        assert found.status_code == 403
        assert "not over" in found.text
        assert client.get(f"/matches/{name}").status_code == 403
    assert client.get(f"/matches/nobody/{way}").status_code == 404


def test_matches_without_a_record_have_a_page(site: tuple[Client, Store, Path]) -> None:
    client, store, folder = site
    (folder / "junk.jsonl").write_text("<script>\n")
    (folder / "cut.jsonl").write_bytes((folder / "ttt.jsonl").read_bytes()[:40])
    for name, record, words in (
        ("gone", "gone.jsonl", "not there any more"),
        ("junk", "junk.jsonl", "not a line of JSON"),
        ("cut", "cut.jsonl", "not even its beginning"),
        ("path", "../../../etc/passwd", "has no record"),
    ):
        store.add(entry(name, record=record))
        page = client.get(f"/matches/{name}")
        assert page.status_code == 404
        assert words in page.text
        assert "<script>\n" not in page.text
        assert client.get(f"/matches/{name}/steps/0.json").status_code == 422
    store.add(entry("never", record="never.jsonl", how="aborted", steps=0))
    page = client.get("/matches/never")
    assert page.status_code == 200
    assert "given up before it began" in page.text


def test_words_of_strangers_do_nothing_in_a_match(site: tuple[Client, Store, Path]) -> None:
    client, store, folder = site
    lines = [json.loads(line) for line in (folder / "bad.jsonl").read_text().splitlines()]
    for line in lines:
        if line["event"] == "fault":
            line["detail"] = "</p><script>alert(1)</script>\ud800"
        if line["event"] == "message":
            line["text"] = "<script>alert(2)</script>\ud800\n"
    (folder / "evil.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    store.add(entry("evil", seats=(Seat("x", "<script>alert(3)</script>", "address"),)))
    for address in ("/matches/evil?step=1", "/matches/evil/steps/1.json"):
        found = client.get(address)
        assert found.status_code == 200
        assert "<script>alert" not in found.text
    assert client.get("/matches/evil/transcript").status_code == 200
