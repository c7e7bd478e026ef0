"""A match that is left at any moment ends, and nothing of it stays: no process, no thread, no task."""

from __future__ import annotations

import asyncio
import contextlib
import json
from asyncio import events as loop_events
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from gamemaster.errors import PlayerError
from gamemaster.load import load, parse
from gamemaster.machine.game import Game
from gamemaster.match.manager import conduct
from gamemaster.match.settings import Settings
from gamemaster.match.transports.transport import Deliver, Transport
from gamemaster.match.transports.websocket import WebSocketPlayer
from gamemaster.players.simple import Legal
from tests.match import misbehaving as bad

TWO_STEPS = """
(role x) (init (p 1)) (succ 1 2) (succ 2 3)
(<= (legal x (mark ?r ?r)) (succ ?r ?s))
(<= (next (p ?n)) (true (p ?m)) (succ ?m ?n))
(<= terminal (true (p 3)))
(<= (goal x 100) (role x))
"""
SETTINGS = Settings(start_clock=60.0, play_clock=60.0, ping_clock=60.0, seed=1)
PATIENCE = 120.0
"""Longer than any machine needs: it ends at once, or never."""

Line = Callable[[], AbstractAsyncContextManager[Transport]]


@asynccontextmanager
async def in_process() -> AsyncIterator[Transport]:
    yield bad.in_process(Legal())


@asynccontextmanager
async def child_process() -> AsyncIterator[Transport]:
    yield bad.child("good")


@asynccontextmanager
async def http() -> AsyncIterator[Transport]:
    async with bad.http_player(bad.illegal) as player:
        yield player


@asynccontextmanager
async def web_socket() -> AsyncIterator[Transport]:
    player = WebSocketPlayer("ws://127.0.0.1:0/")
    guest = asyncio.ensure_future(_visit(player))
    try:
        yield player
    finally:
        guest.cancel()
        await asyncio.gather(guest, return_exceptions=True)


async def _visit(player: WebSocketPlayer) -> None:
    while player.port == 0:
        await asyncio.sleep(0)
    with contextlib.suppress(OSError, ConnectionClosed):
        async with connect(f"ws://127.0.0.1:{player.port}/") as socket:
            async for text in socket:
                await socket.send(json.dumps({"number": json.loads(text)["number"], "value": "ready"}))


LINES: dict[str, Line] = {
    "in process": in_process,
    "child": child_process,
    "http": http,
    "socket": web_socket,
}


@pytest.fixture(scope="module")
def game() -> Game:
    return parse(TWO_STEPS, machine="reference", name="two")


class Leaver:
    """Leaves a match after so many callbacks of the loop: between any two of them somebody else may call `cancel`."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, moments: set[int], *, is_for_all: bool) -> None:
        """`is_for_all`: everything that the loop does is cancelled, as when it is shut down."""
        self.moments = moments
        self.count = 0
        self.has_left = False
        self.match: asyncio.Task[Any] | None = None
        run = loop_events.Handle._run

        def counted(handle: loop_events.Handle) -> None:
            run(handle)
            if self.match is not None:
                self.count += 1
                if self.count in self.moments:
                    self.has_left = self.match.cancel() or self.has_left
                    for task in asyncio.all_tasks() if is_for_all else ():
                        task.cancel()

        monkeypatch.setattr(loop_events.Handle, "_run", counted)


async def _left(game: Game, line: Line, leaver: Leaver) -> None:
    async with line() as player:
        leaver.match = asyncio.ensure_future(conduct(game, {"x": player}, SETTINGS))
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.wait({leaver.match}, timeout=PATIENCE)
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.wait({leaver.match}, timeout=PATIENCE)
        assert leaver.match.done(), f"left after {sorted(leaver.moments)} callbacks it never ends"
        assert leaver.match.cancelled() == leaver.has_left
    assert asyncio.all_tasks() == {asyncio.current_task()}


def leave(game: Game, line: Line, moments: set[int], *, is_for_all: bool = False) -> bool:
    """Whether the match was still on at that moment."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        leaver = Leaver(monkeypatch, moments, is_for_all=is_for_all)
        asyncio.run(_left(game, line, leaver))
    assert not bad.wait_for_end(lambda: bad.player_threads() or bad.processes_with("misbehaving_child"), 60.0)
    return leaver.has_left


@pytest.mark.parametrize("kind", LINES)
def test_a_match_can_be_left_while_it_opens(game: Game, kind: str) -> None:
    for moment in range(1, 12):
        leave(game, LINES[kind], {moment})


@pytest.mark.slow
@pytest.mark.parametrize("kind", LINES)
def test_a_match_can_be_left_at_every_moment(game: Game, kind: str) -> None:
    moment = 1
    while leave(game, LINES[kind], {moment}):
        moment += 1
    assert moment > 10


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["in process", "child"])  # of the others the other end is cancelled as well
def test_a_loop_can_be_shut_down_at_every_moment_of_a_match(game: Game, kind: str) -> None:
    moment, each = 1, 3 if kind == "child" else 1  # a process takes its time
    while leave(game, LINES[kind], {moment}, is_for_all=True):
        moment += each
    assert moment > 10


@pytest.mark.slow
@pytest.mark.parametrize("kind", LINES)
def test_whoever_leaves_in_a_hurry_leaves_nothing_either(game: Game, kind: str) -> None:
    """A second Ctrl-C, while players are told and lines are closed."""
    moment = 1
    while leave(game, LINES[kind], {moment, moment + 2, moment + 5}):
        moment += 2
    assert moment > 10


class Closed(Transport):
    """A line that cannot be opened."""

    name = "closed"

    async def open(self, deliver: Deliver) -> None:
        raise PlayerError("no line")

    def send(self, request: object) -> str:
        raise AssertionError("not open")

    def give_up(self, number: int) -> None:
        raise AssertionError("not open")

    async def close(self) -> None:
        pass


def test_a_line_that_cannot_be_opened_leaves_nothing_of_the_others() -> None:
    async def match() -> None:
        with pytest.raises(PlayerError, match="no line"):
            await conduct(load("tictactoe"), {"x": bad.child("good"), "o": Closed()}, SETTINGS)
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(match())
    assert not bad.wait_for_end(lambda: bad.processes_with("misbehaving_child"), 60.0)
