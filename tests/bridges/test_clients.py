"""docs/clients: two players that know nothing of this package play whole matches; their page says what was said."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from websockets.sync.server import Server, ServerConnection, serve

import gamemaster as gm
from gamemaster.match import events
from gamemaster.match.manager import run_match
from gamemaster.match.settings import Settings
from gamemaster.match.transports.transport import MAX_REPLY
from gamemaster.match.transports.websocket import ALIVE_SECONDS, TAKEN, WAIT_SECONDS
from tests.web.running import running_site

DOCS = Path(__file__).parent.parent.parent / "docs"
PAGE = (DOCS / "clients.md").read_text(encoding="utf-8")
HTTP, WEBSOCKET = (DOCS / "clients" / name for name in ("ggp_http_player.py", "websocket_player.py"))
SETTINGS = Settings(start_clock=60, play_clock=30, ping_clock=30, seed=1, match="m01")
PATIENCE = 120.0
RULES = gm.load("tictactoe")


def transcript(kind: str) -> list[tuple[str, str]]:
    """What the page says that is sent, and what is answered to it."""
    block = re.search(rf"```{kind}-transcript\n(.*?)```", PAGE, re.DOTALL)
    assert block is not None
    lines = block[1].splitlines()
    assert [line[:2] for line in lines] == ["> ", "< "] * (len(lines) // 2)
    return [(sent[2:], answer[2:]) for sent, answer in zip(lines[::2], lines[1::2], strict=True)]


@contextmanager
def client(path: Path, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """A client in a process of its own, isolated from this package."""
    command = [sys.executable, "-I", str(path), *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


@contextmanager
def http_client(*arguments: str) -> Iterator[str]:
    """The address of the player over HTTP."""
    with client(HTTP, "--port", "0", *arguments) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()


def free_address() -> str:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"ws://127.0.0.1:{free.getsockname()[1]}/secret"


def last(state: gm.State) -> gm.Term:
    assert state.control is not None
    return state.legal_moves(state.control)[-1]


def said_to(role: str, heard: list[events.Event]) -> list[events.Message]:
    return [event for event in heard if isinstance(event, events.Message) and event.role == role]


def match_with(address: str, game: gm.Game, role: str = "x") -> list[events.Event]:
    """All that happens in a match against somebody who makes the last move of those there are."""
    heard: list[events.Event] = []
    other = "random" if game.has_percepts else last
    others = {each: other for each in game.roles if each not in (role, "random")}
    run_match(game, {role: address, **others}, SETTINGS, listeners=[heard.append])
    return heard


def faults(heard: list[events.Event]) -> list[events.Fault]:
    return [event for event in heard if isinstance(event, events.Fault)]


def without_rules(text: str) -> str:
    """A start with dots for its rules."""
    if text.startswith("{"):
        data = json.loads(text)
        return json.dumps({**data, "rules": "..."}) if "rules" in data else text
    return re.sub(r"^\(start (\S+) (\S+) .* (\S+) (\S+)\)$", r"(start \1 \2 (...) \3 \4)", text)


# The page


def test_the_clients_are_small_and_know_nothing_of_this_package() -> None:
    for path in (HTTP, WEBSOCKET):
        text = path.read_text()
        assert text.count("\n") <= 60
        assert max(map(len, text.splitlines())) <= 120
        assert "import gamemaster" not in text
        assert "from gamemaster" not in text
        assert f"(clients/{path.name})" in PAGE


def test_the_page_is_linked_and_its_numbers_are_true() -> None:
    assert "](clients.md)" in (DOCS / "protocol.md").read_text()
    assert "(docs/clients.md)" in (DOCS.parent / "README.md").read_text()
    assert (WAIT_SECONDS, ALIVE_SECONDS, TAKEN) == (60, 5, 1013)
    assert f"{MAX_REPLY:,} bytes" in PAGE
    assert f"{MAX_REPLY:,} characters" in PAGE


# HTTP


def test_the_manager_and_the_http_client_say_what_the_page_says() -> None:
    with http_client() as address:
        heard = match_with(address, RULES)
    told = [without_rules(message.text) for message in said_to("x", heard)]
    assert told == [line for pair in transcript("http") for line in pair]
    assert faults(heard) == []


def post(address: str, text: str) -> str:
    with urllib.request.urlopen(address, text.encode(), timeout=PATIENCE) as reply:
        return str(reply.read().decode())


def test_the_http_client_answers_whoever_says_what_the_page_says() -> None:
    with http_client() as address:
        for sent, answer in transcript("http"):
            assert post(address, sent.replace("(...)", "((role x) (role o))")) == answer
        assert post(address, "(INFO)") == "available"
        assert post(address, "(play m01 nil)") == "sorry"  # the match is over
        assert post(address, "(dance)") == "sorry"
        assert post(address, "(Abort Nobody)") == "done"


def test_the_http_client_plays_two_matches_at_once() -> None:
    with http_client() as address:
        for match, role in (("a", "x"), ("b", "o")):
            assert post(address, f"(start {match} {role} ((role x) (role o)) 9 9)") == "ready"
        assert [post(address, f"(play {match} nil)") for match in "ab"] == ["(mark 1 1)", "noop"]
        assert post(address, "(play b ((mark 1 1) noop))") == "(mark 1 2)"


def test_a_client_that_does_not_know_the_game_costs_itself_moves_and_not_the_match() -> None:
    with http_client() as address:
        heard = match_with(address, gm.load("connectfour:small"), "red")
    assert {fault.kind for fault in faults(heard) if fault.is_error} <= {"illegal", "crashed"}
    assert faults(heard)
    assert isinstance(heard[-1], events.Ended)
    assert heard[-1].how == "completed"


# WebSocket


def test_the_manager_and_the_websocket_client_say_what_the_page_says() -> None:
    address = free_address()
    with client(WEBSOCKET, address) as process:
        heard = match_with(address, RULES)
        assert process.wait(PATIENCE) == 0
    told = said_to("x", heard)
    said = transcript("websocket")
    assert [without_rules(message.text) for message in told if message.is_sent] == [sent for sent, _ in said]
    values = [json.loads(answer)["value"] for _, answer in said]
    assert [message.text for message in told if not message.is_sent] == [each for each in values if each]
    assert faults(heard) == []


@contextmanager
def manager_that_says(lines: list[str], answers: list[str]) -> Iterator[Server]:
    """Somebody who sends lines to whoever comes, and keeps what is answered to each."""

    def talk(visitor: ServerConnection) -> None:
        for line in lines:
            visitor.send(line)
            answers.append(str(visitor.recv(timeout=PATIENCE)))

    with serve(talk, "127.0.0.1", 0) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join(PATIENCE)


def answers_to(lines: list[str]) -> list[str]:
    """What the client over a WebSocket answers, letter for letter."""
    answers: list[str] = []
    with manager_that_says(lines, answers) as server:
        port = server.socket.getsockname()[1]
        with client(WEBSOCKET, f"ws://127.0.0.1:{port}/") as process:
            assert process.wait(PATIENCE) == 0
    return answers


def test_the_websocket_client_answers_whoever_says_what_the_page_says() -> None:
    said = transcript("websocket")
    assert answers_to([sent for sent, _ in said]) == [answer for _, answer in said]


def test_the_websocket_client_goes_on_with_a_match() -> None:
    past = [{"moves": {"x": "mark(1,1)"}}, {"moves": {"o": "mark(1,2)"}}]
    start = {
        "number": 1,
        "kind": "start",
        "match": "m",
        "role": "x",
        "rules": "",
        "notation": "epilog",
        "past": past,
    }
    play, abort = {"number": 2, "kind": "play"}, {"number": 3, "kind": "abort"}
    answers = answers_to([json.dumps(each) for each in (start, play, abort)])
    assert [json.loads(answer)["value"] for answer in answers] == ["ready", "mark(1,3)", "done"]


def test_the_websocket_client_plays_games_that_hide_their_state() -> None:
    game = gm.load("higherlower")
    role = next(each for each in game.roles if each != "random")
    address = free_address()
    with client(WEBSOCKET, address) as process:
        heard = match_with(address, game, role)
        assert process.wait(PATIENCE) == 0
    assert faults(heard) == []
    assert any('"legal"' in message.text for message in said_to(role, heard))


# With a site that says what is legal


@pytest.mark.slow
def test_both_clients_play_any_open_game_with_the_help_of_a_site(tmp_path: Path) -> None:
    game = gm.load("connectfour:small")
    with running_site(tmp_path) as site:
        api = f"{site.address}/api/v1"
        with http_client("--api", api) as address:
            over_http = match_with(address, game, "red")
        address = free_address()
        with client(WEBSOCKET, address, "--api", api):
            over_socket = match_with(address, game, "black")
    for heard in (over_http, over_socket):
        assert faults(heard) == []
        assert isinstance(heard[-1], events.Ended)
        assert heard[-1].how == "completed"
