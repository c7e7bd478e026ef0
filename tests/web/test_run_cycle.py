"""The automatic cycle: an operator switches it on and off; it runs match after match, and goes on when killed."""

from __future__ import annotations

import asyncio
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from gamemaster.errors import StoreError
from gamemaster.store.competing import CycleEntry, CycleSettings
from gamemaster.web.competing import cycle
from gamemaster.web.settings import settings_for
from gamemaster.web.site import Site
from tests.web.competing import Member, opened
from tests.web.running import RunningSite, Visitor, running_site

PATIENCE = 300.0
QUICK = {"start-clock": "5", "play-clock": "2", "waiting": "1"}
BOXES = {"player-random": "on", "player-legal": "on", "player-onestep": "on"}


def operator(site: RunningSite) -> Member:
    found = Member(site.address).sign_up("chief")
    with opened(site.folder) as store:
        store.accounts.set_operator(store.accounts.get("chief").id, is_operator=True)
    return found


def cycle_of(folder: Path) -> CycleEntry:
    with opened(folder) as store:
        return store.cycle.get()


def wait_for(folder: Path, count: int) -> CycleEntry:
    """Until so many matches have begun."""
    end = time.monotonic() + PATIENCE
    while len((found := cycle_of(folder)).recent) < count:
        assert time.monotonic() < end, found
        time.sleep(0.1)
    return found


def small_set(folder: Path) -> str:
    with opened(folder) as store:
        return store.game_sets.add(None, "small", ["tictactoe", "nim"]).id


@pytest.mark.slow
def test_it_runs_match_after_match_until_it_is_switched_off(tmp_path: Path) -> None:
    with running_site(tmp_path) as site:
        chief, ada, guest = operator(site), Member(site.address).sign_up("ada"), Visitor(site.address)
        form = {"set": small_set(tmp_path), **QUICK, **BOXES}
        assert ada.send("/run/settings", form).status_code == 403
        assert ada.send("/run/switch", {"turn": "on"}).status_code == 403
        assert "Switch it on" not in ada.get("/run").text
        chief.get("/run")
        assert chief.send("/run/settings", form).status_code == 303
        assert chief.send("/run/switch", {"turn": "sideways"}).status_code == 403
        assert chief.send("/run/switch", {"turn": "on"}).status_code == 303
        found = wait_for(tmp_path, 3)
        assert found.is_on
        text = guest.get("/run").text
        assert "Last results" in text
        assert f"/matches/{found.recent[1]}" in text
        told = guest.client.get("/run/live.json")
        assert told.status_code == 200
        assert "run-now" in told.json()["parts"]
        assert chief.send("/run/switch", {"turn": "off"}).status_code == 303
        while not re.search(r"Off</p>", guest.get("/run").text):
            time.sleep(0.1)
        over = cycle_of(tmp_path)
        assert (over.is_on, over.match) == (False, "")
        again = guest.client.get("/run/live.json")
        tag = {"if-none-match": again.headers["etag"]}
        assert guest.client.get("/run/live.json", headers=tag).status_code == 304
        with opened(tmp_path) as store:
            entries = [store.find(id) for id in over.recent]
            assert all(entry is not None and entry.status == "over" for entry in entries)
            assert {entry.game for entry in entries if entry} <= {"tictactoe", "nim"}
            assert store.counts()["over"] == len(over.recent)
        assert f"{len(over.recent)} matches between machines" in guest.get("/leaderboard").text


@pytest.mark.slow
def test_it_goes_on_after_it_was_killed(tmp_path: Path) -> None:
    with running_site(tmp_path) as site:
        chief = operator(site)
        form = {"set": small_set(tmp_path), "player-mcs": "on", "player-greedy": "on"}
        form |= {"start-clock": "1", "play-clock": "0.5", "waiting": "1"}
        chief.get("/run")
        assert chief.send("/run/settings", form).status_code == 303
        assert chief.send("/run/switch", {"turn": "on"}).status_code == 303
        begun = wait_for(tmp_path, 1)
        while not any(b"\n" in path.read_bytes() for path in site.records):
            time.sleep(0.02)
        site.kill()
    with running_site(tmp_path) as site:
        found = wait_for(tmp_path, 2)
        assert found.is_on
        assert begun.recent[0] in found.recent
        with opened(tmp_path) as store:
            entry = store.find(begun.recent[0])
            assert entry is not None
            assert entry.status == "over"


@pytest.mark.slow
def test_what_cannot_be_run_is_told(tmp_path: Path) -> None:
    with running_site(tmp_path) as site:
        chief = operator(site)
        chief.get("/run")
        good = {"set": "all", **QUICK, **BOXES}
        for change in (
            {"set": "nothing"},
            {"waiting": "0"},
            {"waiting": "soon"},
            {"play-clock": "9999"},
            {"players": "nobody-here"},
            {"players": "mcts(depth=3)"},
            {"players": "http://10.1.2.3:80"},
        ):
            response = chief.send("/run/settings", {**good, **change})
            assert response.status_code == 422, change
            assert "field-error" in response.text
        assert chief.send("/run/settings", {"set": "all", **QUICK}).status_code == 422
    assert cycle_of(tmp_path) == CycleEntry()


# Who is available


class Saying(BaseHTTPRequestHandler):
    """A player that says one word to everything."""

    word = "ready"

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("content-length", 0)))
        self.send_response(200)
        self.end_headers()
        self.wfile.write(self.word.encode())

    def log_message(self, format: str, *arguments: object) -> None:
        """Nobody reads it."""


@contextmanager
def saying(said: str) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Says", (Saying,), {"word": said}))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    site = Site(settings_for(str(tmp_path)))
    yield site
    site.store.close()


def test_who_says_so_is_available_and_who_is_busy_or_gone_is_not(site: Site) -> None:
    with saying("ready") as ready, saying("busy") as busy:
        names = ["random", "mcts(exploration=0.3)", ready, busy, "http://127.0.0.1:9", "nobody-here"]
        found = asyncio.run(site.cycle._available(names))
    assert found == ["random", "mcts(exploration=0.3)", ready]


def test_it_goes_on_when_the_database_comes_back(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cycle, "AGAIN_SECONDS", 0.01)
    answers: list[object] = [
        StoreError("it is away"),
        CycleEntry(is_on=True),
        StoreError("again"),
        CycleEntry(),
    ]

    def get() -> object:
        found = answers.pop(0)
        if isinstance(found, StoreError):
            raise found
        return found

    runs = []

    async def run(entry: CycleEntry) -> None:
        runs.append(entry)

    monkeypatch.setattr(site.cycle.store.cycle, "get", get)
    monkeypatch.setattr(site.cycle, "_run", run)
    asyncio.run(site.cycle._go())
    assert (len(runs), answers, site.cycle.why) == (1, [], "again")


def test_whoever_changes_settings_while_they_are_read_wakes_it(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = [CycleEntry(is_on=True, settings=CycleSettings(waiting=3600.0)), CycleEntry()]

    async def wait() -> None:
        def get() -> CycleEntry:
            found = read.pop(0)
            if read:  # it is switched off meanwhile
                loop.call_soon_threadsafe(site.cycle._woken.set)
            return found

        loop = asyncio.get_running_loop()
        monkeypatch.setattr(site.cycle.store.cycle, "get", get)
        await site.cycle._wait()

    asyncio.run(wait())
    assert read == []


def test_who_switches_it_on_again_while_it_reads_that_it_is_off_is_heard(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs: list[CycleEntry] = []
    read = [CycleEntry(), CycleEntry(is_on=True), CycleEntry()]

    async def run(entry: CycleEntry) -> None:
        runs.append(entry)
        site.cycle._woken.set()

    async def go() -> None:
        def get() -> CycleEntry:
            found = read.pop(0)
            if len(read) == 2:  # somebody is told that it is on, before this is looked at
                asyncio.run_coroutine_threadsafe(started(), loop).result()
            return found

        async def started() -> None:
            site.cycle._start()

        loop = asyncio.get_running_loop()
        monkeypatch.setattr(site.cycle.store.cycle, "get", get)
        site.cycle._start()
        assert site.cycle._task is not None
        await site.cycle._task

    async def wait() -> None:
        pass

    monkeypatch.setattr(site.cycle, "_run", run)
    monkeypatch.setattr(site.cycle, "_wait", wait)
    asyncio.run(go())
    assert (len(runs), read) == (1, [])


def test_it_waits_where_too_few_are_available(site: Site) -> None:
    async def draw() -> object:
        site.workers.open()
        return await site.cycle._begun(CycleSettings("for-two", ("random", "nobody-here")))

    assert asyncio.run(draw()) is None
    assert "1 of 2 players are available" in site.cycle.why
