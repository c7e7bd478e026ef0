"""The end of a match: pages and API say the same at every moment, also while the store is told, and where it fails."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field

import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from fastapi import FastAPI
from httpx import ASGITransport, AsyncClient

from gamemaster.errors import Forbidden, StoreError
from gamemaster.store.entries import MatchEntry
from gamemaster.store.matches import Store
from gamemaster.web.app import create_app
from gamemaster.web.live import hall as halls
from gamemaster.web.live.feeds import Reader
from gamemaster.web.live.hall import Hall
from gamemaster.web.live.setup import MatchSetup, SeatSetup
from gamemaster.web.live.table import LiveMatch
from gamemaster.web.settings import settings_for

KEY = "somebody's"
PATIENCE = 300.0


@dataclass
class Clerk:
    """Puts down in the store what it is told; that a match is over it does later, or fails to do."""

    store: Store
    fails: int = 0
    is_asked: threading.Event = field(default_factory=threading.Event)
    may_go_on: threading.Event = field(default_factory=threading.Event)

    def waits(self) -> None:
        self.is_asked.clear()
        self.may_go_on.clear()

    def put(self, entry: MatchEntry, *, read: int | None = None) -> None:
        if entry.status == "over":
            self.is_asked.set()
            assert self.may_go_on.wait(PATIENCE)
            if self.fails:
                self.fails -= 1
                raise StoreError("the database is away")
        Store.put(self.store, entry, read=read)

    def says(self, match: LiveMatch) -> str:
        """How a match stands, as the store has it."""
        entry = self.store.find(match.id)
        assert entry is not None
        return entry.status


@dataclass
class Scene:
    """A site in this process, and a clerk between it and its store."""

    portal: BlockingPortal
    app: FastAPI
    clerk: Clerk

    @property
    def hall(self) -> Hall:
        hall: Hall = self.app.state.site.hall
        return hall

    def play(self, act: Callable[[], Awaitable[None]]) -> None:
        self.portal.call(act)

    async def resigned(self) -> LiveMatch:
        """A match of two people, one of whom gives up after a move."""
        seats = tuple(SeatSetup(role, "person") for role in ("x", "o"))
        match = await self.hall.arrange(MatchSetup("tictactoe", seats), KEY, mine="x")
        await match.sit_down(self.hall.invitation(match.id, "o"), KEY)
        await when(lambda: match.asked == {"x"})
        match.move("x", "mark(1,1)", 0)
        await when(lambda: match.asked == {"o"})
        match.resign("o")
        return match

    async def over(self) -> LiveMatch:
        match = await self.resigned()
        await when(lambda: match.is_over)
        return match

    async def tells(self, match: LiveMatch) -> None:
        """Everything that is said of a match says that it is over."""
        transport = ASGITransport(self.app)
        async with AsyncClient(transport=transport, base_url="http://127.0.0.1", timeout=PATIENCE) as visitor:
            found = (await visitor.get(f"/api/v1/matches/{match.id}")).json()
            assert (found["status"], found["how"]) == ("over", "resigned")
            page = await visitor.get(f"/matches/{match.id}")
            assert page.status_code == 200
            assert "To the start" in page.text
            for part in ("record", "transcript", "steps/1.json"):
                assert (await visitor.get(f"/matches/{match.id}/{part}")).status_code == 200, part
            assert (await visitor.get(found["record"])).status_code == 200


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    app = create_app(settings_for(str(tmp_path_factory.mktemp("site")), makes_code=False))
    clerk = Clerk(app.state.site.store)
    clerk.store.put = clerk.put  # type: ignore[method-assign]
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(app.router.lifespan_context(app)),
    ):
        yield Scene(portal, app, clerk)


@pytest.fixture
def scene(opened: Scene) -> Iterator[Scene]:
    opened.clerk.may_go_on.set()
    opened.clerk.fails = 0
    yield opened
    opened.clerk.may_go_on.set()


async def when(condition: Callable[[], bool]) -> None:
    while not condition():
        await asyncio.sleep(0.01)


def test_a_match_is_over_everywhere_before_the_store_knows(scene: Scene) -> None:
    async def act() -> None:
        scene.clerk.waits()
        match = await scene.resigned()
        await asyncio.to_thread(scene.clerk.is_asked.wait, PATIENCE)
        assert scene.clerk.says(match) == "running"
        await scene.tells(match)
        scene.clerk.may_go_on.set()
        await when(lambda: match.is_indexed)
        assert scene.clerk.says(match) == "over"
        await scene.tells(match)

    scene.play(act)


def test_whoever_watches_keeps_nobody_from_the_replay(scene: Scene) -> None:
    async def act() -> None:
        match, reader = await scene.over(), Reader()
        feed = await match.audience.join(match.viewer("somebody"), reader, 0, "")
        assert match.has_readers
        await scene.tells(match)
        feed.readers.discard(reader)

    scene.play(act)


def test_what_the_store_does_not_know_is_held_until_it_does(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(halls, "LINGERING_SECONDS", -1.0)

    async def act() -> None:
        scene.clerk.fails = 2
        match = await scene.over()
        await when(lambda: scene.clerk.fails == 1)
        await scene.hall._look_after(match)  # the store fails again
        assert scene.clerk.fails == 0
        assert scene.clerk.says(match) == "running"
        await scene.tells(match)
        await scene.hall._look_after(match)
        assert match.id not in scene.hall.matches
        assert scene.clerk.says(match) == "over"
        await scene.tells(match)

    scene.play(act)


def test_a_match_that_is_over_is_not_given_up_any_more(scene: Scene) -> None:
    async def act() -> None:
        match = await scene.over()
        for given_up in (match.end, match.abort):
            with pytest.raises(Forbidden, match="this match is over"):
                await given_up()
        await scene.tells(match)

    scene.play(act)


def test_a_match_that_is_over_stays_so_when_it_is_left(scene: Scene) -> None:
    async def act() -> None:
        scene.clerk.waits()
        match = await scene.resigned()
        await asyncio.to_thread(scene.clerk.is_asked.wait, PATIENCE)
        leaving = asyncio.create_task(match.put_away())
        await when(lambda: match._task is None)
        scene.clerk.may_go_on.set()
        await leaving
        assert match.phase == "over"
        assert scene.clerk.says(match) == "over"

    scene.play(act)
