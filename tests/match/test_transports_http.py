"""The published protocol, both ways: our players served, and a whole match between processes, letter for letter."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import pytest

from gamemaster.errors import Unsuitable
from gamemaster.language.infix import read_term
from gamemaster.language.kif import show_kif
from gamemaster.language.terms import Term
from gamemaster.load import load, parse
from gamemaster.match import events, serving
from gamemaster.match.manager import conduct, make_transports, run_match
from gamemaster.match.request import Request, Told
from gamemaster.match.serving import PlayerServer
from gamemaster.match.settings import Past, Settings
from gamemaster.match.transports.http_client import HttpPlayer, http_post
from gamemaster.match.transports.http_reading import BadAnswer
from gamemaster.match.wire.classic import classic_rules
from gamemaster.match.wire.messages import print_message, read_message
from gamemaster.match.wire.protocol import Body, Envelope, Era, Ping, Play, Start, Stop
from gamemaster.players.loading import find_player
from gamemaster.players.simple import Legal, Random
from tests.match.misbehaving import player_threads, wait_for_end
from tests.match.test_manager import HIDDEN

RULES = (
    "(role x) (role o) (init (p 1)) (<= (legal ?r (go 1)) (role ?r)) (<= (legal ?r (go 2)) (role ?r)) "
    + ("(<= (next (p 2)) (does x ?a)) (<= terminal (true (p 3))) (<= (goal ?r 50) (role ?r))")
)
MATCHING = """
(role left) (role right) (side heads) (side tails) (init (coins 1))
(succ 1 2) (succ 2 3) (succ 3 4)
(<= (legal ?r (show ?s)) (role ?r) (side ?s))
(<= (next (coins ?m)) (true (coins ?n)) (succ ?n ?m))
(<= (next (shown ?r ?s)) (does ?r (show ?s)))
(<= (sees left same) (does left (show ?s)) (does right (show ?s)))
(<= (sees right (mine ?s)) (does right (show ?s)))
(<= terminal (true (coins 4)))
(<= match (true (shown left ?s)) (true (shown right ?s)))
(<= (goal left 100) match) (<= (goal left 0) (not match))
(<= (goal right 0) match) (<= (goal right 100) (not match))
"""
START = f"(start m1 x ({RULES}) 10 5)"


class Posting(PlayerServer):
    """A server that can be posted to."""

    async def __call__(self, text: str) -> str:
        return await http_post("127.0.0.1", self.port, text)


@asynccontextmanager
async def served(make: Callable[..., Any] = Legal) -> AsyncIterator[Posting]:
    """A player's server while it is open."""
    server = Posting(make, "player")
    await server.start()
    try:
        yield server
    finally:
        await server.close()


def talk(*texts: str, make: Callable[..., Any] = Legal) -> list[str]:
    """The answers to messages, one after the other; an error is its detail."""

    async def exchange() -> list[str]:
        answers = []
        async with served(make) as post:
            for text in texts:
                try:
                    answers.append(await post(text))
                except BadAnswer as bad:
                    answers.append(f"{bad.kind}: {bad.detail}")
        return answers

    answers = asyncio.run(exchange())
    assert not wait_for_end(player_threads)
    return answers


async def request_text(reader: asyncio.StreamReader) -> str:
    """The body of a request of ours."""
    head = await reader.readuntil(b"\r\n\r\n")
    return (await reader.readexactly(int(head.split(b"Content-Length:")[1].split()[0]))).decode()


def test_a_player_answers_as_the_protocol_says() -> None:
    told = [
        "(info)",
        START,
        "(play m1 nil)",
        "(play m1 ((go 1) (go 2)))",
        "(stop m1 ((go 1) (go 1)))",
        "(info)",
    ]
    assert talk(*told) == ["ready", "ready", "(go 1)", "(go 1)", "done", "ready"]


def test_case_does_not_matter() -> None:
    told = [START.upper(), "(PLAY M1 NIL)", "(Play m1 ((GO 1) (GO 2)))", "(ABORT M1)"]
    assert talk(*told)[:1] == ["ready"]
    assert talk(*(text.replace("M1", "m1") for text in told)) == ["ready", "(go 1)", "(go 1)", "done"]


def test_later_eras_are_answered_in_kind() -> None:
    rules = (
        "role(x),role(o),init(p(1)),legal(R,go) :- role(R),next(p(2)) :- does(x,go),terminal :- true(p(3))"
    )
    start = f"start(m1,x,ruleset({rules},goal(R,50) :- role(R)),10,5)"
    assert talk("ping(m1)", start, "play(m1,nil)", "abort(m1)") == [
        "reply(m1,ready)",
        "reply(m1,ready)",
        "reply(m1,go)",
        "reply(m1,done)",
    ]
    told = Start("x", load("tictactoe", machine="reference").sheet, 10, 5, "m1")
    epilog = [print_message(told, Era.IDS), "play(m1,nil)", "play(m1,mark(1,1))", "play(m1,mark(2,2))"]
    assert talk(*epilog) == [f"reply(m1,{value})" for value in ("ready", "mark(1,1)", "noop", "mark(1,2)")]
    envelope = "message(7,manager,indy,{})"
    assert talk(envelope.format("ping()")) == ["message(7,indy,manager,ready)"]


def test_a_whole_match_in_envelopes() -> None:
    """They have no id of the match in them."""
    game = load("tictactoe", machine="reference")
    said: list[str] = []

    async def match(post: Posting) -> None:
        async def say(body: Body) -> str:
            message = Envelope(str(len(said)), "manager", "indy", body)
            said.append(await post(print_message(message, Era.ENVELOPE)))
            found = read_message(said[-1])[1]
            assert isinstance(found, Envelope)
            assert (found.id, found.sender, found.receiver) == (message.id, "indy", "manager")
            return str(getattr(found.body, "value", found.body))

        assert await say(Ping()) == "ready"
        assert await say(Start("x", game.sheet, 10, 5)) == "ready"
        state, moves = game.initial_state(), tuple[Term, ...]()
        while not state.is_terminal:
            answer = await say(Play(moves))
            is_its_turn = state.control == "x"
            assert (answer == "noop") != is_its_turn
            moves = (game.move_of(answer) if is_its_turn else state.legal_moves("o")[-1],)
            state = state.next(moves[0])
        assert await say(Stop(moves)) == "done"
        assert await say(Ping()) == "ready"

    async def exchange() -> None:
        async with served() as post:
            await match(post)

    asyncio.run(exchange())
    assert len(said) > 8


def test_nobody_plays_two_roles_of_a_match() -> None:
    told = [START, START.replace("m1 x", "m1 o"), "(play m1 nil)"]
    assert talk(*told) == ["ready", "busy", "(go 1)"]


def test_a_ping_does_not_bring_back_a_match_whose_manager_is_gone() -> None:
    async def exchange() -> list[str]:
        async with served() as post:
            await post(START)
            assert post._match is not None
            post._match.expires = 0.0
            return [await post(text) for text in ("(info)", "(play m1 nil)", START.replace("m1", "m2"))]

    assert asyncio.run(exchange()) == ["ready", "busy", "ready"]


def test_only_one_match_at_a_time() -> None:
    other = START.replace("m1", "m2")
    told = [START, "(info)", other, "(play m2 nil)", "(stop m2 nil)", "(abort m1)", "(play m1 nil)", other]
    assert talk(*told) == ["ready", "busy", "busy", "busy", "busy", "done", "busy", "ready"]


def test_a_manager_that_starts_the_same_match_again_may() -> None:
    assert talk(START, "(play m1 nil)", START, "(play m1 nil)") == ["ready", "(go 1)", "ready", "(go 1)"]


def test_a_manager_that_is_gone_does_not_block_the_player(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "GONE_SECONDS", -100.0)
    assert talk(START, START.replace("m1", "m2")) == ["ready", "ready"]


@pytest.mark.parametrize(
    "text", ["", "((", "(hello)", "ready", "(play)", "\x00", "(start m1 x (((((", "x" * 900_000]
)
def test_what_is_no_message_gets_an_apology(text: str) -> None:
    assert talk(text) == ["sorry"]


def test_rules_that_are_wrong_are_told() -> None:
    wrong = START.replace("(role x)", "(<= (role ?x) (distinct ?x a))")
    assert talk(wrong) == ["malformed: HTTP 400: rules:1:25: variable X has no value here"]
    assert talk(START.replace("m1 x", "m1 z"))[0].startswith("malformed: HTTP 400: no role 'z' in rules")


def test_a_message_with_too_few_moves_gets_an_apology() -> None:
    assert talk(START, "(play m1 ((go 1) (go 1) (go 1)))") == ["ready", "sorry"]


def test_a_player_that_crashes_is_a_server_error() -> None:
    class Crashes(Legal):
        def play(self, moves: Any = None) -> Any:
            raise ZeroDivisionError("on purpose")

    answers = talk(START, "(play m1 nil)", make=Crashes)
    assert answers == ["ready", "crashed: HTTP 500: ZeroDivisionError: on purpose"]


def test_a_player_that_refuses_says_so() -> None:
    class Refuses(Legal):
        def prepare(self) -> None:
            raise Unsuitable("no")

    assert talk(START, make=Refuses) == ["refused"]


def test_no_move_is_noop() -> None:
    class Passes(Legal):
        def play(self, moves: Any = None) -> Any:
            return False

    assert talk(START, "(play m1 nil)", make=Passes) == ["ready", "noop"]


def test_abort_is_answered_while_the_player_thinks() -> None:
    let_go = threading.Event()

    class Thinks(Legal):
        def play(self, moves: Any = None) -> Any:
            let_go.wait(10)
            return False

    async def exchange() -> list[str]:
        async with served(Thinks) as post:
            await post(START)
            playing = asyncio.create_task(post("(play m1 nil)"))
            await asyncio.sleep(0.05)
            answers = [await post("(info)"), await post("(abort m1)"), await post("(info)")]
            with pytest.raises(BadAnswer, match="the match is over"):
                await playing
            let_go.set()
            return answers

    assert asyncio.run(exchange()) == ["busy", "done", "ready"]


def test_info_may_be_asked_for_with_get() -> None:
    async def get() -> bytes:
        server = PlayerServer(Legal, "legal")
        await server.start()
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(b"GET /%28info%29 HTTP/1.0\r\n\r\n")
        answer = await reader.read()
        writer.close()
        await server.close()
        return answer

    head = b"HTTP/1.0 200 OK\r\nContent-type: text/acl\r\nContent-length: 5\r\n\r\n"
    assert asyncio.run(get()) == head + b"ready"


def test_who_hangs_up_does_not_disturb_the_server() -> None:
    async def exchange() -> str:
        async with served() as post:
            for text in (b"", b"POST / HTTP/1.0\r\nContent-length: 100\r\n\r\n(pl", b"\x00" * 20_000):
                _, writer = await asyncio.open_connection("127.0.0.1", post.port)
                writer.write(text)
                writer.close()
            return await post("(info)")

    assert asyncio.run(exchange()) == "ready"


def test_a_match_over_http_goes_on_where_it_was() -> None:
    game = load("tictactoe")
    heard: list[events.Event] = []

    async def match() -> None:
        first, second = PlayerServer(find_player("legal"), "a"), PlayerServer(find_player("random"), "b")
        await first.start()
        await second.start()
        players = {"x": f"http://127.0.0.1:{first.port}", "o": f"http://127.0.0.1:{second.port}"}
        past = Past([{"x": "mark(1,1)"}, {"o": "mark(2,2)"}, {"x": "mark(3,3)"}])
        transports = make_transports(dict(players), 1)
        await conduct(game, transports, Settings(), listeners=[heard.append], past=past)
        await first.close()
        await second.close()

    asyncio.run(match())
    assert not [event for event in heard if isinstance(event, events.Fault)]
    assert isinstance(heard[-1], events.Ended)


@pytest.mark.parametrize(
    ("answer", "told"),
    [("ready", ["abort", "start", "play", "play", "play"]), ("busy", ["abort", "start"])],
)
def test_a_match_that_goes_on_is_given_up_first_and_told_to_who_is_ready(
    answer: str, told: list[str]
) -> None:
    received: list[str] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        text = await request_text(reader)
        received.append(text)
        said = "oh no" if text.startswith("(abort") else answer
        status = "500 No" if said == "oh no" else "200 OK"
        writer.write(f"HTTP/1.0 {status}\r\nContent-length: {len(said)}\r\n\r\n{said}".encode())
        writer.close()

    async def exchange() -> tuple[str, Any]:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        player = HttpPlayer(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")
        replies: asyncio.Queue[Any] = asyncio.Queue()
        await player.open(lambda _, reply: replies.put_nowait(reply))
        moves = [Told(moves={"x": read_term("mark(1,1)")}), Told(moves={"o": read_term("mark(1,2)")})]
        game = load("tictactoe", machine="reference")
        text = player.send(Request("start", 1, "m1", "x", "t", game, 10.0, 5.0, past=tuple(moves)))
        reply = await asyncio.wait_for(replies.get(), 5.0)
        await player.close()
        server.close()
        return text, reply

    text, reply = asyncio.run(exchange())
    assert [each.strip("(").split()[0] for each in received] == told
    assert (text, reply.value) == (received[1], answer)


@pytest.mark.parametrize(("clock", "told"), [(10.0, "10"), (2.9, "2"), (1.0, "1"), (0.25, "0.25")])
def test_clocks_are_told_in_whole_seconds(clock: float, told: str) -> None:
    """Many players read nothing else."""

    async def send() -> str:
        player = HttpPlayer("http://127.0.0.1:1")
        await player.open(lambda *_: None)
        game = load("tictactoe", machine="reference")
        text = player.send(Request("start", 1, "m1", "x", "t", game, clock, clock))
        await player.close()
        return text

    assert asyncio.run(send()).endswith(f") {told} {told})")


def test_percepts_are_told_over_http() -> None:
    class Watches(Legal):
        needs_state = False

        def play(self, moves: Any = None) -> Any:
            seen.append(moves)
            return "wait" if moves is None else "(guess heads)"

    seen: list[Any] = []
    heard: list[events.Event] = []

    async def match() -> None:
        server = PlayerServer(Watches, "watches")
        await server.start()
        player = HttpPlayer(f"http://127.0.0.1:{server.port}")
        await conduct(
            parse(HIDDEN, name="coin"), {"seer": player}, Settings(seed=1), listeners=[heard.append]
        )
        await server.close()

    asyncio.run(match())
    toss = next(event.moves["random"] for event in heard if isinstance(event, events.Moved))
    assert seen == [None, frozenset({("sound", toss[5:-1])})]
    assert not [event for event in heard if isinstance(event, events.Fault)]


@pytest.mark.parametrize("sheet", [HIDDEN, MATCHING])
def test_our_players_play_over_http_where_the_state_is_hidden(sheet: str) -> None:
    heard: list[events.Event] = []
    game = parse(sheet, name="hidden")

    async def match() -> None:
        servers = [PlayerServer(Random, "random") for role in game.roles if role != "random"]
        for server in servers:
            await server.start()
        roles = [role for role in game.roles if role != "random"]
        players = {
            role: HttpPlayer(f"http://127.0.0.1:{server.port}")
            for role, server in zip(roles, servers, strict=True)
        }
        await conduct(game, players, Settings(seed=1), listeners=[heard.append])
        for server in servers:
            await server.close()

    asyncio.run(match())
    assert not [event for event in heard if isinstance(event, events.Fault)]
    assert isinstance(heard[-1], events.Ended)
    assert heard[-1].how == "completed"


def test_a_request_is_what_players_of_the_field_expect() -> None:
    """The head is that of ggp-base's manager, the body one line of KIF."""
    received: list[bytes] = []

    async def exchange() -> str:
        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            received.append(await reader.readuntil(b")"))
            writer.write(b"HTTP/1.1 200 OK\nContent-Type: text/acl\n\n  (MARK 1 1)\n")
            writer.close()

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        answer = await http_post("127.0.0.1", server.sockets[0].getsockname()[1], "(play m1 nil)")
        server.close()
        return answer

    assert asyncio.run(exchange()) == "  (MARK 1 1)\n"
    assert received == [
        b"POST / HTTP/1.0\r\nAccept: text/delim\r\nHost: 127.0.0.1\r\nSender: GAMESERVER\r\n"
        b"Receiver: PLAYER\r\nContent-Type: text/acl\r\nContent-Length: 13\r\n\r\n(play m1 nil)"
    ]


# Two processes


@contextmanager
def player_process(name: str) -> Iterator[str]:
    """`gamemaster player NAME` on a free port; its address."""
    command = [sys.executable, "-m", "gamemaster", "player", name, "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:\d+", line)
        assert found, line
        yield found[0]
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


@pytest.mark.slow
def test_a_match_between_processes_is_letter_for_letter_the_published_protocol() -> None:
    game = load("tictactoe")
    heard: list[events.Event] = []
    settings = Settings(start_clock=10, play_clock=5, ping_clock=5, match="match.1")
    with player_process("legal") as first, player_process("legal") as second:
        run_match(game, {"x": first, "o": second}, settings, listeners=[heard.append])
    rules = " ".join(show_kif(classic_rules(game.sheet)).split())
    said = [
        ("(info)", "ready", "ready"),
        (f"(start match.1 {{role}} ({rules}) 10 5)", "ready", "ready"),
        ("(play match.1 nil)", "(mark 1 1)", "noop"),
        ("(play match.1 ((mark 1 1) noop))", "noop", "(mark 1 2)"),
        ("(play match.1 (noop (mark 1 2)))", "(mark 1 3)", "noop"),
        ("(play match.1 ((mark 1 3) noop))", "noop", "(mark 2 1)"),
        ("(play match.1 (noop (mark 2 1)))", "(mark 2 2)", "noop"),
        ("(play match.1 ((mark 2 2) noop))", "noop", "(mark 2 3)"),
        ("(play match.1 (noop (mark 2 3)))", "(mark 3 1)", "noop"),
        ("(stop match.1 ((mark 3 1) noop))", "done", "done"),
    ]
    for place, role in enumerate("xo"):
        transcript = [
            event.text for event in heard if isinstance(event, events.Message) and event.role == role
        ]
        expected = [
            text for sent, *replies in said for text in (sent.replace("{role}", role), replies[place])
        ]
        assert transcript == expected
    assert not [event for event in heard if isinstance(event, events.Fault)]


@pytest.mark.slow
def test_a_port_is_free_again_when_its_player_is_gone() -> None:
    with player_process("legal") as address:
        port = int(address.rpartition(":")[2])
        with pytest.raises(OSError, match="address already in use"):
            asyncio.run(PlayerServer(Legal, "legal").start(port=port))
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        try:
            asyncio.run(_open_and_close(port))
            return
        except OSError:
            time.sleep(0.05)
    pytest.fail("the port is still taken")


async def _open_and_close(port: int) -> None:
    server = PlayerServer(Legal, "legal")
    await server.start(port=port)
    await server.close()
