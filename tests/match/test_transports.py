"""Messages get to players and back, over every kind of line."""

from __future__ import annotations

import asyncio
import json
import math
import random
import socket
import threading
from pathlib import Path
from typing import Any

import pytest

from gamemaster.errors import PlayerError, UnknownPlayer
from gamemaster.language.infix import read_term
from gamemaster.load import build, load, parse
from gamemaster.machine.game import Game
from gamemaster.match import events
from gamemaster.match.manager import conduct, run_match
from gamemaster.match.request import Failure, Reply, Request, Standing, Told
from gamemaster.match.settings import Past, Settings
from gamemaster.match.transports.calling import call_handler
from gamemaster.match.transports.child_process import ChildProcess
from gamemaster.match.transports.connection import ConnectionPlayer
from gamemaster.match.transports.finding import find_transport
from gamemaster.match.transports.http_client import HttpPlayer
from gamemaster.match.transports.in_process import InProcess
from gamemaster.match.transports.lines import (
    reply_from_line,
    reply_to_line,
    request_from_line,
    request_to_line,
)
from gamemaster.match.wire.classic import classic_rules, classic_text
from gamemaster.players.simple import Random
from tests.match.misbehaving import player_threads, wait_for_end
from tests.match.test_manager import HIDDEN

ISOLATED = [False, pytest.param(True, marks=pytest.mark.walls)]


@pytest.fixture(scope="module")
def game() -> Game:
    return load("tictactoe")


def listen() -> tuple[list[events.Event], Settings]:
    return [], Settings(start_clock=10, play_clock=5, seed=2)


# Finding


def test_a_name_a_file_or_an_address_is_a_transport(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("def play(move): return False\n")
    assert isinstance(find_transport("random"), InProcess)
    assert isinstance(find_transport(path), InProcess)
    assert isinstance(find_transport("random", is_isolated=True), ChildProcess)
    remote = find_transport("http://example.org")
    assert isinstance(remote, HttpPlayer)
    assert (remote.host, remote.port) == ("example.org", 9147)
    with pytest.raises(UnknownPlayer, match="no player or player file 'nobody'"):
        find_transport("nobody")


def test_the_code_of_an_isolated_player_does_not_run_here(tmp_path: Path) -> None:
    path, trace = tmp_path / "mine.py", tmp_path / "trace"
    path.write_text(f"open({str(trace)!r}, 'w')\ndef play(move): return False\n")
    assert isinstance(find_transport(path, is_isolated=True), ChildProcess)
    assert not trace.exists()
    with pytest.raises(UnknownPlayer, match="no player or player file 'nobody'"):
        find_transport("nobody", is_isolated=True)


@pytest.mark.parametrize(
    "address",
    [
        "http://",
        "http://a:b",
        "http://host:99999",
        "http://host:0",
        "http://a b",
        "http://h/p",
        "http://a..b",
    ],
)
def test_what_is_no_address_is_told(address: str) -> None:
    with pytest.raises(PlayerError, match="no address of a player"):
        find_transport(address)


# Lines of JSON


@pytest.mark.parametrize(
    "told",
    [
        None,
        Told(moves={"x": read_term("noop"), "o": read_term("mark(1,1)")}),
        Told(percepts=(read_term("a"), read_term("b(c)"))),
    ],
)
def test_a_request_comes_back_from_its_line(game: Game, told: Told | None) -> None:
    legal = (read_term("noop"),)
    request = Request("play", 3, "m", "x", "", game.sheet, 0.0, 0.0, told=told, legal=legal)
    back = request_from_line(request_to_line(request))
    assert (back.kind, back.number, back.match, back.role) == ("play", 3, "m", "x")
    assert (back.told, back.legal) == (told, legal)


def test_a_start_comes_back_from_its_line(game: Game) -> None:
    position = Standing(game.initial_state().ordered_facts, 4)
    start = Request("start", 1, "m", "x", "t", game, 9.0, 8.0, past=(Told(percepts=()),), position=position)
    back = request_from_line(request_to_line(start))
    assert back.sheet == game.sheet
    assert (back.start_clock, back.play_clock, back.past) == (9.0, 8.0, start.past)
    assert back.position == Standing(tuple(map(str, position.facts)), 4)


@pytest.mark.parametrize(
    "reply",
    [
        Reply(3, "mark(1,1)", "mark(1,1)"),
        Reply(3, None),
        Failure(3, "crashed", "why"),
        Failure(None, "refused", ""),
    ],
)
def test_a_reply_comes_back_from_its_line(reply: Reply | Failure) -> None:
    assert reply_from_line(reply_to_line(reply)) == reply


@pytest.mark.parametrize(
    "line",
    [
        *("", "{", "[]", "7", '{"value": 1}', '{"number": true}', "[" * 100_000, '{"number":"1"}'),
        '{"number": 1' + "0" * 4_000 + ', "value": "x"}',
        '{"number": -1' + "0" * 4_000 + ', "fault": "crashed"}',
    ],
)
def test_a_line_that_is_no_reply_is_malformed(line: str) -> None:
    assert reply_from_line(line) == Failure(None, "malformed", line[:200])


@pytest.mark.parametrize(
    "line",
    [
        '{"number": 3, "fault": []}',
        '{"number": 3, "fault": "tired"}',
        '{"number": 3, "fault": "stuck"}',
        '{"number": 3, "fault": "huge", "detail": {}}',
    ],
)
def test_a_fault_that_is_none_is_malformed(line: str) -> None:
    assert reply_from_line(line) == Failure(3, "malformed", line)


def test_a_value_that_is_no_text_is_malformed() -> None:
    assert reply_from_line('{"number": 3, "value": [1]}') == Failure(
        3, "malformed", '{"number": 3, "value": [1]}'
    )


# In process and in a process of its own


@pytest.mark.parametrize("is_isolated", ISOLATED)
def test_players_here_and_in_processes_play_the_same_match(game: Game, is_isolated: bool) -> None:
    heard, settings = listen()
    players: dict[str, Any] = {"x": "random", "o": "random"}
    run_match(game, players, settings, listeners=[heard.append], is_isolated=is_isolated)
    assert not [event for event in heard if isinstance(event, events.Fault)]
    moves = [event.moves for event in heard if isinstance(event, events.Moved)]
    again: list[events.Event] = []
    run_match(game, players, settings, listeners=[again.append])
    assert moves == [event.moves for event in again if isinstance(event, events.Moved)]
    assert not wait_for_end(player_threads)


@pytest.mark.parametrize("is_isolated", ISOLATED)
def test_a_game_that_hides_its_state_is_played(is_isolated: bool) -> None:
    heard, settings = listen()
    run_match(
        parse(HIDDEN, name="coin"),
        {"seer": "random"},
        settings,
        listeners=[heard.append],
        is_isolated=is_isolated,
    )
    assert not [event for event in heard if isinstance(event, events.Fault)]


OWN_BOOKS = """
told = []
def play(moves):
    told.append(moves)
    free = [f"mark({row},{column})" for row in "123" for column in "123"]
    for move in told[1:]:
        free.remove(str(move))
    return free[0] if len(told) % 2 == {parity} else False
"""


@pytest.mark.parametrize("is_isolated", ISOLATED)
def test_a_match_goes_on_with_players_that_keep_their_own_books(
    game: Game, tmp_path: Path, is_isolated: bool
) -> None:
    path = tmp_path / "mine.py"
    path.write_text(OWN_BOOKS.replace("{parity}", "1"))
    past = Past([{"x": "mark(1,1)"}, {"o": "mark(1,2)"}])
    heard, settings = listen()
    players: dict[str, Any] = {"x": path, "o": "legal"}
    run_match(game, players, settings, listeners=[heard.append], past=past, is_isolated=is_isolated)
    assert not [event for event in heard if isinstance(event, events.Fault)]


def test_a_thread_that_is_abandoned_does_not_disturb_a_closed_loop(game: Game) -> None:
    let_go = threading.Event()

    class Waits(Random):
        def play(self, moves: Any = None) -> Any:
            let_go.wait(10)
            return False

    settings = Settings(start_clock=5, play_clock=0.02)
    run_match(game, {"x": InProcess(Waits(), "waits"), "o": "legal"}, settings)
    thread = next(each for each in threading.enumerate() if each.name == "player waits")
    let_go.set()
    thread.join(5)
    assert not thread.is_alive()


def test_what_a_handler_returns_becomes_text() -> None:
    class Odd(Random):
        def ping(self) -> Any:
            return 7

    request = Request("ping", 1, "m", "x", "g", load("tictactoe"), 1.0, 1.0)
    assert call_handler(Odd(), request) == Reply(1, "7", "7")


# A connection


class FakeConnection:
    """A browser: what it is sent, and what it says."""

    def __init__(self) -> None:
        self.heard: list[dict[str, Any]] = []
        self.incoming: asyncio.Queue[str | OSError] = asyncio.Queue()

    async def send(self, text: str) -> None:
        request = json.loads(text)
        self.heard.append(request)
        if request["kind"] in ("ping", "start"):
            self.say(request["number"], "ready")
        elif request["kind"] == "play":
            self.play(request)
        else:
            self.say(request["number"], "done")

    def play(self, request: dict[str, Any]) -> None:
        self.say(request["number"], "mark(1,1)")

    def say(self, number: int, value: str) -> None:
        self.incoming.put_nowait(json.dumps({"number": number, "value": value}))

    async def receive(self) -> str:
        item = await self.incoming.get()
        if isinstance(item, OSError):
            raise item
        return item


def play_connected(game: Game, connection: FakeConnection, play_clock: float = 5.0) -> list[events.Fault]:
    heard: list[events.Event] = []

    async def match() -> None:
        players = {"x": ConnectionPlayer(connection, "anna"), "o": InProcess(Random(seed=1), "random")}
        await conduct(game, players, Settings(play_clock=play_clock), listeners=[heard.append])

    asyncio.run(match())
    assert isinstance(heard[-1], events.Ended)
    return [event for event in heard if isinstance(event, events.Fault)]


def test_a_person_in_a_browser_plays(game: Game) -> None:
    class Person(FakeConnection):
        def play(self, request: dict[str, Any]) -> None:
            free = [f"mark({row},{column})" for row in "123" for column in "123"]
            for earlier in self.heard:
                for move in earlier.get("moves", {}).values():
                    free.remove(move)
            if len(free) % 2:
                self.say(request["number"], free[0])

    connection = Person()
    assert play_connected(game, connection) == []
    assert [request["kind"] for request in connection.heard][-1] == "stop"
    assert connection.heard[0]["rules"] == game.sheet.source.text


def test_a_browser_that_is_closed_is_unreachable(game: Game) -> None:
    class Closes(FakeConnection):
        def play(self, request: dict[str, Any]) -> None:
            self.incoming.put_nowait(ConnectionResetError("closed"))

    faults = play_connected(game, Closes())
    assert {fault.kind for fault in faults} == {"unreachable"}
    assert {fault.role for fault in faults} == {"x"}


def test_a_browser_that_cannot_be_sent_to_is_unreachable(game: Game) -> None:
    class Deaf(FakeConnection):
        async def send(self, text: str) -> None:
            raise BrokenPipeError("gone")

    assert {fault.kind for fault in play_connected(game, Deaf())} == {"unreachable"}


def test_a_browser_that_says_too_much_is_stopped_short(game: Game) -> None:
    class Talks(FakeConnection):
        def play(self, request: dict[str, Any]) -> None:
            self.incoming.put_nowait("x" * 100_000)

    assert "huge" in {fault.kind for fault in play_connected(game, Talks(), play_clock=0.2)}


def test_a_browser_that_never_stops_talking_is_not_listened_to(game: Game) -> None:
    class Floods(FakeConnection):
        def play(self, request: dict[str, Any]) -> None:
            for _ in range(10_000):
                self.incoming.put_nowait("")

    connection = Floods()
    faults = play_connected(game, connection)
    assert {fault.role for fault in faults} == {"x"}
    assert connection.incoming.qsize() > 10_000


# Classic rules


@pytest.mark.parametrize(
    "name", ["tictactoe", "connectfour", "breakthrough", "hunter", "kono", "buttonsandlights"]
)
def test_classic_rules_are_the_same_game_with_a_move_for_everybody(name: str) -> None:
    """Played side by side at random: same states, same moves; those who have none have noop."""
    game = load(name, machine="reference")
    classic = build(classic_rules(game.sheet), name, "reference")
    generator = random.Random(1)
    state, other = game.initial_state(), classic.initial_state()
    for _ in range(40):
        assert other.facts == state.facts
        assert other.is_terminal == state.is_terminal
        if state.is_terminal:
            break
        for role in game.roles:
            assert set(other.legal_moves(role)) == set(state.legal_moves(role) or ("noop",))
        moves: dict[str, Any] = dict(state.random_moves(generator))
        state, other = state.next(moves), other.next({role: moves.get(role, "noop") for role in game.roles})
    assert [other.goal(role) for role in game.roles] == [state.goal(role) for role in game.roles]


def test_rules_that_are_classic_stay_as_they_are() -> None:
    sheet = load("wythoff", machine="reference").sheet
    assert classic_rules(sheet) is sheet


def test_no_port_is_left_open(game: Game) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    heard, settings = listen()
    run_match(game, {"x": f"http://127.0.0.1:{port}", "o": "legal"}, settings, listeners=[heard.append])
    assert {fault.kind for fault in heard if isinstance(fault, events.Fault)} == {"unreachable"}


def test_a_clock_that_never_runs_out_is_null_and_comes_back() -> None:
    game = load("tictactoe")
    request = Request("start", 1, "m01", "x", "tictactoe", game, math.inf, 5.0)
    line = request_to_line(request)
    assert '"start_clock": null, "play_clock": 5.0' in line
    found = request_from_line(line)
    assert (found.start_clock, found.play_clock) == (math.inf, 5.0)
    assert classic_text(request).endswith(" 1000000 5)")
