"""Whoever comes to us with a WebSocket: real sockets, both ends."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
from collections.abc import Awaitable, Callable
from typing import Any, cast

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from gamemaster.errors import PlayerError
from gamemaster.load import load
from gamemaster.machine.game import Game
from gamemaster.match import events
from gamemaster.match.manager import conduct
from gamemaster.match.request import MOST_REPLIES
from gamemaster.match.settings import Settings
from gamemaster.match.transports import websocket
from gamemaster.match.transports.finding import find_transport
from gamemaster.match.transports.in_process import InProcess
from gamemaster.match.transports.transport import MAX_REPLY
from gamemaster.match.transports.websocket import MOST_VISITORS, Desk, WebSocketPlayer
from gamemaster.players.simple import Random


@pytest.fixture(scope="module")
def game() -> Game:
    return load("tictactoe")


class Person:
    """Plays x: follows the game from the messages, and answers each."""

    def __init__(self, game: Game) -> None:
        self.state = game.initial_state()
        self.heard: list[dict[str, Any]] = []

    def answer(self, request: dict[str, Any]) -> str | None:
        self.heard.append(request)
        if request["kind"] in ("ping", "start"):
            return "ready"
        if request.get("moves"):
            self.state = self.state.next(next(iter(request["moves"].values())))
        legal = self.state.legal_moves("x") if request["kind"] == "play" else ()
        return str(legal[0]) if legal else None

    async def play(self, socket: ClientConnection) -> None:
        try:
            while True:
                request = json.loads(await socket.recv())
                value = self.answer(request)
                await socket.send(json.dumps({"number": request["number"], "value": value}))
        except ConnectionClosed:
            return


def run(
    game: Game, come: Callable[[int], Awaitable[None]], play_clock: float = 5.0, path: str = "/anna"
) -> list[events.Event]:
    """A match of whoever comes to a port against random."""
    heard: list[events.Event] = []

    async def match() -> None:
        player = WebSocketPlayer(f"ws://127.0.0.1:0{path}")
        settings = Settings(play_clock=play_clock, ping_clock=1.0, seed=1)
        players = {"x": player, "o": InProcess(Random(seed=1), "random")}
        running = asyncio.create_task(conduct(game, players, settings, listeners=[heard.append]))
        while player.port == 0:
            await asyncio.sleep(0.001)
        coming = asyncio.ensure_future(come(player.port))
        await running
        await asyncio.wait_for(coming, 5.0)

    asyncio.run(match())
    assert isinstance(heard[-1], events.Ended)
    return heard


def faults(heard: list[events.Event]) -> list[tuple[str, str]]:
    return [(event.role, event.kind) for event in heard if isinstance(event, events.Fault)]


def test_somebody_comes_and_plays(game: Game) -> None:
    person = Person(game)

    async def come(port: int) -> None:
        async with connect(f"ws://127.0.0.1:{port}/anna") as socket:
            await person.play(socket)

    heard = run(game, come)
    assert faults(heard) == []
    assert person.heard[-1]["kind"] == "stop"
    start = next(request for request in person.heard if request["kind"] == "start")
    assert start["rules"] == game.sheet.source.text


def test_only_who_knows_the_path_and_comes_first_is_let_in(game: Game) -> None:
    turned_away: list[int] = []

    async def come(port: int) -> None:
        with pytest.raises(InvalidStatus) as refused:
            await connect(f"ws://127.0.0.1:{port}/bert")
        turned_away.append(refused.value.response.status_code)
        async with connect(f"ws://127.0.0.1:{port}/anna") as first:
            playing = asyncio.create_task(Person(game).play(first))
            async with connect(f"ws://127.0.0.1:{port}/anna") as second:
                await second.wait_closed()
                turned_away.append(second.close_code or 0)
            await playing

    assert faults(run(game, come)) == []
    assert turned_away == [404, 1013]


def test_who_loses_the_connection_may_come_again(game: Game) -> None:
    person = Person(game)

    async def come(port: int) -> None:
        async with connect(f"ws://127.0.0.1:{port}/anna") as socket:
            while True:
                request = json.loads(await socket.recv())
                if request["kind"] == "play" and len(person.heard) > 4:
                    break  # without an answer
                value = person.answer(request)
                await socket.send(json.dumps({"number": request["number"], "value": value}))
        person.heard.clear()
        person.state = game.initial_state()
        async with connect(f"ws://127.0.0.1:{port}/anna") as socket:
            await person.play(socket)

    heard = run(game, come)
    assert person.heard[0]["kind"] == "ping"
    assert {kind for _, kind in faults(heard)} <= {"duplicate", "stale"}
    assert sum(event.errors["x"] for event in heard if isinstance(event, events.Ended)) == 0


@pytest.mark.parametrize(
    ("says", "kind"),
    [
        ("x" * (MAX_REPLY + 1), "huge"),
        (b'{"number": 3, "value": "mark(1,1)"}', "malformed"),
        ("[", "malformed"),
    ],
)
def test_what_is_no_reply_costs_nothing_but_time(game: Game, says: str | bytes, kind: str) -> None:
    person = Person(game)

    async def come(port: int) -> None:
        async with connect(f"ws://127.0.0.1:{port}/anna") as socket:
            await socket.send(says)
            await person.play(socket)

    assert ("x", kind) in faults(run(game, come))


def test_who_goes_is_late(game: Game) -> None:
    async def come(port: int) -> None:
        async with connect(f"ws://127.0.0.1:{port}/anna"):
            pass

    heard = run(game, come, play_clock=0.05)
    assert ("x", "late") in faults(heard)


UPGRADE = (
    b"GET /anna HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)


def test_who_is_gone_without_a_word_does_not_keep_the_seat(
    game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(websocket, "ALIVE_SECONDS", 0.05)
    turned_away = 0

    async def come(port: int) -> None:
        nonlocal turned_away
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(UPGRADE)
        await reader.readuntil(b"\r\n\r\n")  # and then never a word, not even to a ping
        while True:
            async with connect(f"ws://127.0.0.1:{port}/anna") as socket:
                person = Person(game)
                await person.play(socket)
            if person.heard:
                break
            turned_away += 1
        writer.close()

    ended = run(game, come)[-1]
    assert isinstance(ended, events.Ended)
    assert ended.errors["x"] == 0  # it was in time for the start
    assert turned_away > 0


@pytest.mark.parametrize("sent", [b"", UPGRADE[:-2], UPGRADE])
def test_who_does_not_play_takes_no_room(game: Game, sent: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """Connections by the hundred that say nothing, or not all: the one that plays stays."""
    admit, counts = Desk.admit, list[int]()

    def count(self: Desk, visitor: Any) -> None:
        admit(self, visitor)
        counts.append(len(self.visitors))

    async def come(port: int) -> None:
        async with connect(f"ws://127.0.0.1:{port}/anna") as socket:
            visitors = [await asyncio.open_connection("127.0.0.1", port) for _ in range(100)]
            for _, writer in visitors:
                writer.write(sent)
            with contextlib.suppress(OSError):
                await visitors[0][0].read()  # to the end: it is cut off
            await Person(game).play(socket)
            for _, writer in visitors:
                writer.close()

    monkeypatch.setattr(Desk, "admit", count)
    heard = run(game, come, play_clock=30.0)
    assert ("x", "late") not in faults(heard)
    assert len(counts) == 101
    assert max(counts) == MOST_VISITORS


def test_nobody_comes(game: Game) -> None:
    heard: list[events.Event] = []

    async def match() -> None:
        players = {
            "x": WebSocketPlayer("ws://127.0.0.1:0", wait_seconds=0.05),
            "o": InProcess(Random(seed=1), "random"),
        }
        settings = Settings(start_clock=0.05, play_clock=0.02, seed=1)
        await conduct(game, players, settings, listeners=[heard.append])

    asyncio.run(match())
    assert ("x", "not ready") in faults(heard)
    assert isinstance(heard[-1], events.Ended)


def test_a_port_that_is_taken_is_told(game: Game) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        player = WebSocketPlayer(f"ws://127.0.0.1:{taken.getsockname()[1]}")
        with pytest.raises(PlayerError, match=r"cannot listen at ws://127.0.0.1:\d+: "):
            asyncio.run(conduct(game, {"x": player, "o": InProcess(Random(), "random")}))


def test_who_talks_without_being_listened_to_has_to_wait() -> None:
    class Socket:
        """Texts without end."""

        said = 0

        def __aiter__(self) -> Socket:
            return self

        async def __anext__(self) -> str:
            self.said += 1
            return "words"

    async def sit_down() -> int:
        desk, socket = Desk("/"), Socket()
        talking = asyncio.create_task(desk.talk(cast(Any, socket)))
        await asyncio.sleep(0.02)
        said = socket.said
        desk.close()
        await asyncio.wait_for(talking, 1.0)
        return said

    assert asyncio.run(sit_down()) == MOST_REPLIES + 1


@pytest.mark.parametrize("address", ["ws://", "ws://a b", "ws://127.0.0.1:70000", "ws://a..b"])
def test_addresses_that_are_none(address: str) -> None:
    with pytest.raises(PlayerError, match="no address to wait at"):
        find_transport(address)
