"""People who plan competitions: forms, waiting, and what a store and a folder say afterwards."""

from __future__ import annotations

import asyncio
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from gamemaster.match.serving import PlayerServer
from gamemaster.players.loading import find_player
from gamemaster.store.entries import MatchEntry, MatchFilter
from gamemaster.store.matches import Store
from gamemaster.store.opening import database_url, open_store
from tests.web.running import Visitor

__all__ = ["PASSWORD", "Member", "matches_of", "opened", "served_player", "ticked"]

PASSWORD = "correct horse battery"
SHOWN = re.compile(r'name="shown" value="(\w+)"')
PATIENCE = 300.0
QUICK = {"pairing": "round robin", "matches": "1", "start-clock": "5", "play-clock": "2", "seed": "7"}


def ticked(games: str = "", players: str = "", **others: str) -> dict[str, str]:
    """What the form for a competition sends; names are apart by blanks."""
    boxes = [f"game-{name}" for name in games.split()] + [f"player-{name}" for name in players.split()]
    typed = {name.replace("_", "-"): value for name, value in others.items()}
    return {"name": "spring", **QUICK, **dict.fromkeys(boxes, "on"), **typed}


@contextmanager
def opened(folder: Path, url: str = "") -> Iterator[Store]:
    """The store of a site, from outside."""
    store = open_store(url or database_url(folder))
    try:
        yield store
    finally:
        store.close()


def matches_of(store: Store, competition: str) -> list[MatchEntry]:
    """The matches of a competition that the store has."""
    found = store.page(MatchFilter(), 1, 1000)
    return [entry for entry in found.entries if entry.options.get("competition") == competition]


@dataclass(eq=False)
class Member(Visitor):
    """Somebody with a name."""

    def sign_up(self, name: str) -> Member:
        self.get("/signup")
        response = self.post("/signup", name=name, password=PASSWORD)
        assert response.status_code == 303, response.text
        self.get("/competitions/new")
        return self

    def send(self, path: str, form: dict[str, str]) -> httpx.Response:
        return self.client.post(path, data={"token": self.token, **form})

    def plan(self, form: dict[str, str]) -> httpx.Response:
        return self.send("/competitions/new", {**form, "do": "plan"})

    def begin(self, form: dict[str, str]) -> str:
        """The id of a competition that begins after its plan was shown."""
        shown = self.plan(form)
        assert shown.status_code == 200, re.findall(r'field-error"[^>]*>([^<]*)', shown.text)
        found = SHOWN.search(shown.text)
        assert found, shown.text
        response = self.send("/competitions/new", {**form, "do": "begin", "shown": found[1]})
        assert response.status_code == 303, response.text
        return response.headers["location"].rsplit("/", 1)[1]

    def tell(self, id: str, act: str) -> httpx.Response:
        return self.send(f"/competitions/{id}/act", {"act": act})

    def standing(self, id: str) -> dict[str, Any]:
        """A competition as its data tell it."""
        found: dict[str, Any] = self.client.get(f"/competitions/{id}/competition.json").json()
        return found

    def wait(self, id: str, *, matches: int | None = None) -> dict[str, Any]:
        """Look until it is over, or has played so many matches."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            found = self.standing(id)
            if found["is_over"] if matches is None else len(found["matches"]) >= matches:
                return found
            time.sleep(0.1)
        raise AssertionError(f"competition {id} does not get there: {self.get(f'/competitions/{id}').text}")


@contextmanager
def served_player(name: str) -> Iterator[str]:
    """The address of a player of the library that is served over HTTP, as `gamemaster player` does."""
    loop, ready = asyncio.new_event_loop(), threading.Event()
    server = PlayerServer(find_player(name), name)

    def serve() -> None:
        asyncio.set_event_loop(loop)
        loop.run_until_complete(server.start())
        ready.set()
        loop.run_forever()
        loop.run_until_complete(server.close())
        loop.close()

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    ready.wait()
    try:
        yield f"http://127.0.0.1:{server.port}"
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
