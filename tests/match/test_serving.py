"""A served player among strangers: what they send costs it little, and never the match that is on."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
import threading
import time
from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import Any

import pytest

from gamemaster.errors import MessageError
from gamemaster.ground.budget import Limits
from gamemaster.language.kif import show_kif
from gamemaster.load import build, load
from gamemaster.match import listening, serving
from gamemaster.match.listening import MOST_BYTES, MOST_CONNECTIONS
from gamemaster.match.serving import GONE_SECONDS, LONGEST_CLOCK, MOST_LEFT, MOST_WAITING
from gamemaster.match.transports.http_reading import MAX_HEAD, MAX_PIECES, BadAnswer
from gamemaster.match.wire.classic import classic_rules
from gamemaster.match.wire.heading import SHORT, shortened
from gamemaster.match.wire.messages import MAX_SIZE, MAX_WORDS, print_message, read_message
from gamemaster.match.wire.protocol import NOOP, Body, Envelope, Era, Play, ReplyMessage, Start, Stop
from gamemaster.players.simple import Legal
from tests.match.misbehaving import player_threads, wait_for_end
from tests.match.test_transports_http import START, Posting, served, talk

HALF = b"POST / HTTP/1.0\r\nContent-Length: 1000000\r\n\r\n" + b"x" * 200_000
LONG_START = START.replace("(role x)", "(role x) " + "(a b) " * 1_000)
Stream = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def come(post: Posting, sent: bytes = b"", host: str = "127.0.0.1") -> Stream:
    """A connection on which something was sent."""
    reader, writer = await asyncio.open_connection("127.0.0.1", post.port, local_addr=(host, 0))
    writer.write(sent)
    await writer.drain()
    return reader, writer


async def say(post: Posting, sent: bytes, host: str = "127.0.0.1") -> bytes:
    """All that comes back on a connection."""
    reader, writer = await come(post, sent, host)
    try:
        return await reader.read()
    finally:
        writer.close()


async def until(is_so: Callable[[], bool]) -> None:
    """Wait for something that the server does in its own time."""
    while not is_so():
        await asyncio.sleep(0.001)


def serve(use: Callable[[Posting], Awaitable[Any]], make: Callable[..., Any] = Legal) -> Any:
    """What comes of the use of a server."""

    async def all_of_it() -> Any:
        async with served(make) as post:
            return await asyncio.wait_for(use(post), 60)

    found = asyncio.run(all_of_it())
    assert not wait_for_end(player_threads)
    return found


def body_of(answer: bytes) -> bytes:
    return answer.partition(b"\r\n\r\n")[2]


def status_of(answer: bytes) -> int:
    return int(answer.split()[1])


# Room


def test_messages_that_never_end_do_not_fill_the_memory_or_shut_others_out() -> None:
    async def use(post: Posting) -> tuple[list[int], str]:
        streams, most = [], 0
        for _ in range(MOST_CONNECTIONS + 40):
            streams.append(await come(post, HALF))
            await until(lambda: len(post.server.callers) > 0)
            assert len(post.server.callers) <= MOST_CONNECTIONS
            assert post.server.held <= MOST_BYTES
            most = max(most, post.server.held)
        assert most > MOST_BYTES / 2
        ready = await post("(info)")
        told = [await reader.read() for reader, _ in streams[:40]]
        for _, writer in streams:
            writer.close()
        return [status_of(each) for each in told], ready

    assert serve(use) == ([503] * 40, "ready")


def test_connections_without_a_word_do_not_shut_others_out() -> None:
    async def use(post: Posting) -> tuple[list[int], str]:
        streams = [await come(post) for _ in range(MOST_CONNECTIONS + 40)]
        await until(lambda: len(post.server.callers) == MOST_CONNECTIONS)
        ready = await post("(info)")
        told = [status_of(await reader.read()) for reader, _ in streams[:40]]
        for _, writer in streams:
            writer.close()
        await until(lambda: len(post.server.callers) == 0)
        return told, ready

    assert serve(use) == ([503] * 40, "ready")


@pytest.mark.parametrize("sent", [b"", HALF])
def test_strangers_do_not_push_out_the_manager_of_the_match_that_is_on(sent: bytes) -> None:
    async def use(post: Posting) -> tuple[bytes, int]:
        await post(START)
        message = b"POST / HTTP/1.0\r\nContent-Length: 13\r\n\r\n(play m1 nil)"
        reader, writer = await come(post, message[:-5])
        strangers = [await come(post, sent, "127.0.0.2") for _ in range(MOST_CONNECTIONS + 10)]
        await until(lambda: len(post.server.callers) <= MOST_CONNECTIONS)
        writer.write(message[-5:])
        answer = await reader.read()
        others = await say(post, message, "127.0.0.3")
        for _, each in (*strangers, (reader, writer)):
            each.close()
        return body_of(answer), status_of(others)

    assert serve(use) == (b"(go 1)", 200)


def test_who_waits_for_an_answer_is_not_turned_away_for_another() -> None:
    let_go = threading.Event()

    class Thinks(Legal):
        def play(self, moves: Any = None) -> Any:
            let_go.wait(60)
            return "(go 2)"

    async def use(post: Posting) -> tuple[str, int, str]:
        await post(START)
        thinking = [asyncio.create_task(post("(play m1 nil)")) for _ in range(MOST_WAITING + 1)]
        await until(lambda: any(task.done() for task in thinking))
        busy = next(task.result() for task in thinking if task.done())
        streams = [await come(post) for _ in range(MOST_CONNECTIONS)]
        await until(lambda: len(post.server.callers) == MOST_CONNECTIONS)
        let_go.set()
        answers = {await task for task in thinking}
        for _, writer in streams:
            writer.close()
        return busy, len(thinking), " ".join(sorted(answers))

    assert serve(use, Thinks) == ("busy", MOST_WAITING + 1, "(go 2) busy")


def test_one_more_than_all_who_wait_for_an_answer_is_turned_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listening, "MOST_CONNECTIONS", 2)
    let_go = threading.Event()

    class Thinks(Legal):
        def play(self, moves: Any = None) -> Any:
            let_go.wait(60)
            return False

    async def use(post: Posting) -> list[str]:
        await post(START)
        thinking = [asyncio.create_task(post("(play m1 nil)")) for _ in range(2)]
        await until(lambda: len(post._waiting) == 2)
        with pytest.raises(BadAnswer, match="HTTP 503: too many talk at once"):
            await post("(info)")
        let_go.set()
        return [await task for task in thinking]

    assert serve(use, Thinks) == ["noop", "noop"]


def test_who_hangs_up_while_the_player_thinks_leaves_its_place() -> None:
    let_go = threading.Event()

    class Thinks(Legal):
        def play(self, moves: Any = None) -> Any:
            let_go.wait(60)
            return False

    async def use(post: Posting) -> str:
        await post(START)
        _, writer = await come(post, b"POST / HTTP/1.0\r\nContent-Length: 13\r\n\r\n(play m1 nil)")
        await until(lambda: len(post._waiting) == 1)
        reset = struct.pack("ii", 1, 0)  # for one that only ends its side may still wait for the answer
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, reset)
        writer.transport.abort()
        await until(lambda: len(post.server.callers) == 0)
        let_go.set()
        return await post("(play m1 nil)")

    assert serve(use, Thinks) == "noop"


@pytest.mark.parametrize("sent", [b"", b"POST / HTTP/1.0\r\nX: ", HALF])
def test_a_message_must_come_soon(sent: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listening, "HEAD_SECONDS", 0.02)
    monkeypatch.setattr(listening, "BODY_SECONDS", 0.02)
    answer = serve(lambda post: say(post, sent))
    assert (status_of(answer), body_of(answer)) == (408, b"a message must come at once")


def test_who_does_not_stop_talking_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listening, "LINGER_SECONDS", 0.02)

    async def use(post: Posting) -> bytes:
        reader, writer = await come(post, b"GET /(info) HTTP/1.0\r\n\r\nand on")
        answer = await reader.read()
        with contextlib.suppress(OSError):
            while len(post.server.callers):
                writer.write(b"and on")
                await asyncio.sleep(0.001)
        writer.close()
        return body_of(answer)

    assert serve(use) == b"ready"


# HTTP


@pytest.mark.parametrize(
    "sent",
    [
        b"POST / HTTP/1.0\r\nContent-Length: 6\r\n\r\n(info)",
        b"POST / HTTP/1.0\nContent-Length: 6\n\n(info)",
        b"POST / HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nContent-Length: 6\r\n\r\n(info)",
        b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n(i\r\n4\r\nnfo)\r\n0\r\n\r\n",
        b"PUT /x HTTP/1.1\r\nHost: a\r\nX: folded\r\n line\r\nContent-Length: 6\r\n\r\n(info)",
        b"GET /%28info%29 HTTP/1.1\r\nHost: a\r\nConnection: keep-alive\r\n\r\n",
        b"GET /(info) HTTP/1.0\r\n\r\nGET /(info) HTTP/1.0\r\n\r\n",
    ],
)
def test_a_request_is_understood_in_every_form_and_answered_once(sent: bytes) -> None:
    """One message a connection: a second one on it is not read."""
    head = b"HTTP/1.0 200 OK\r\nContent-type: text/acl\r\nContent-length: 5\r\n\r\n"

    async def use(post: Posting) -> list[bytes]:
        return [await say(post, sent), await say_slowly(post, sent)]

    assert serve(use) == [head + b"ready"] * 2


async def say_slowly(post: Posting, sent: bytes) -> bytes:
    """A byte at a time, then nothing more: the answer comes all the same."""
    reader, writer = await come(post)
    for byte in sent:
        writer.write(bytes([byte]))
        await asyncio.sleep(0)
    with contextlib.suppress(OSError):
        writer.write_eof()
    answer = await reader.read()
    writer.close()
    return answer


def test_who_asks_whether_to_go_on_is_told_to() -> None:
    async def use(post: Posting) -> list[bytes]:
        head = b"POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 6\r\n\r\n"
        reader, writer = await come(post, head)
        first = await reader.readuntil(b"\r\n\r\n")
        writer.write(b"(info)")
        rest = await reader.read()
        writer.close()
        return [first, body_of(rest)]

    assert serve(use) == [b"HTTP/1.1 100 Continue\r\n\r\n", b"ready"]


CHUNKED = b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize(
    ("sent", "status", "detail"),
    [
        (b"\x16\x03\x01\x02\x00", 400, b"no HTTP: illegal request line"),
        (b"hello\r\n\r\n", 400, b"no HTTP: illegal request line: bytearray(b'hello')"),
        (b"POST / HTTP/1.1\r\n\r\n", 400, b"no HTTP: Missing mandatory Host: header"),
        (b"POST / HTTP/1.0\r\nX: " + b"y" * 2 * MAX_HEAD, 400, b"no HTTP: Receive buffer too long"),
        (b"POST / HTTP/1.0\r\n" + b"X: y\r\n" * MAX_HEAD, 400, b"no HTTP: Receive buffer too long"),
        (b"POST / HTTP/1.0\r\nContent-Length: 9999999\r\n\r\n", 413, b"9,999,999 bytes; 1,000,000 are allowed"),
        (b"POST / HTTP/1.0\r\nContent-Length: x\r\n\r\n", 400, b"no HTTP: bad Content-Length"),
        (CHUNKED + (b"8000\r\n" + b"x" * 0x8000 + b"\r\n") * 40, 413, b"more than 1,000,000 bytes"),
        (CHUNKED + b"1\r\nx\r\n" * (MAX_PIECES + 1), 400, b"a body in more than 4,096 pieces"),
    ],
    ids=lambda value: repr(value)[:40],
)  # fmt: skip
def test_what_cannot_be_a_message_is_refused_with_the_reason(sent: bytes, status: int, detail: bytes) -> None:
    """Also while it is still being sent: whoever sends it can read the answer."""
    answer = serve(lambda post: say(post, sent))
    assert (status_of(answer), body_of(answer)) == (status, detail)


def test_a_message_that_is_too_large_is_refused_plainly() -> None:
    told = talk("x" * (MAX_SIZE + 1), "(info)")
    assert told == ["malformed: HTTP 413: 1,000,001 bytes; 1,000,000 are allowed", "ready"]


def test_a_message_of_too_many_words_is_refused_plainly() -> None:
    """Otherwise who sends one can keep the player from everything else for as long as it takes to read."""
    told = talk(f"(start m r ({'a ' * (MAX_WORDS + 1)}) 1 1)", "(info)", START)
    assert told == ["malformed: HTTP 400: message limit of 150,000 words exceeded", "ready", "ready"]
    moves = f"(play m1 ({'a ' * (MAX_WORDS + 1)}))"
    assert talk(START, moves, "(play m1 nil)")[1:] == [told[0], "(go 1)"]


# Busy


def long(body: Body, era: Era, *, is_enveloped: bool = False) -> str:
    return print_message(Envelope("7", "manager", "indy", body) if is_enveloped else body, era)


def bodies(id: str | None) -> list[Body]:
    rules = load("othello", machine="reference").sheet
    moves = tuple(read_message(f"reply(a,mark({n},{'b' * 20}))")[1].value for n in range(100))  # type: ignore[union-attr]
    return [Start("black", classic_rules(rules), 10, 5, id), Play(moves, id), Stop(moves, id)]


LONG = [
    *((long(body, era), era) for era in (Era.KIF, Era.HRF, Era.IDS) for body in bodies("m2")),
    *((long(body, Era.IDS, is_enveloped=True), Era.IDS) for body in bodies("m2")),
    *((long(body, Era.ENVELOPE, is_enveloped=True), Era.ENVELOPE) for body in bodies(None)),
]


@pytest.mark.parametrize(("text", "era"), LONG, ids=[text[:40] for text, _ in LONG])
def test_the_head_of_a_message_says_who_speaks_of_which_match(text: str, era: Era) -> None:
    assert len(text) > SHORT
    for written in (text, "\n " + text, text.replace("m2", "'A b'" if era is not Era.KIF else "|A b|")):
        short = shortened(written)
        assert len(short) < 2 * SHORT
        (found_era, found), (whole_era, whole) = read_message(short), read_message(written)
        assert found_era == whole_era
        if isinstance(found, Envelope) and isinstance(whole, Envelope):
            assert (found.id, found.sender, found.receiver) == (whole.id, whole.sender, whole.receiver)
            found, whole = found.body, whole.body
        assert type(found) is type(whole)
        for name in ("id", "role"):
            assert getattr(found, name, None) == getattr(whole, name, None)


@pytest.mark.parametrize(
    "text", ["x" * 2_000, "(hello " + "x " * 1_000, " " * 2_000 + "(info)", "(start" * 400]
)
def test_a_long_text_without_a_head_is_no_message(text: str) -> None:
    assert shortened(text) == ""


@pytest.mark.parametrize(("text", "era"), LONG, ids=[text[:40] for text, _ in LONG])
def test_who_is_told_busy_costs_no_reading(text: str, era: Era, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = {
        Era.IDS: "reply(m2,busy)",
        Era.ENVELOPE: "message(7,indy,manager,busy)",
    }.get(read_message(text)[0], "busy")
    if text.startswith("message") and era is Era.IDS:
        expected = "message(7,indy,manager,reply(m2,busy))"
    read: list[str] = []

    def count(text: str) -> Any:
        read.append(text)
        return read_message(text)

    async def use(post: Posting) -> str:
        await post(START)
        monkeypatch.setattr(serving, "read_message", count)
        return await post(text)

    assert serve(use) == expected
    assert [len(each) < SHORT for each in read] == [True]


def test_a_long_start_is_read_and_played() -> None:
    assert len(LONG_START) > SHORT
    plays = f"(play m1 ((go 1){' ' * SHORT} (go 2)))"
    assert talk(LONG_START, plays, plays.replace("play", "stop")) == ["ready", "(go 1)", "done"]
    assert talk(LONG_START.replace("(a b)", "(a"), plays) == ["sorry", "busy"]


def test_others_are_answered_while_rules_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    is_reading, go_on = threading.Event(), threading.Event()

    def slow(*args: Any) -> Any:
        is_reading.set()
        assert go_on.wait(60)
        return build(*args)

    async def use(post: Posting) -> list[str]:
        monkeypatch.setattr(serving, "build", slow)
        starting = asyncio.create_task(post(LONG_START))
        await until(is_reading.is_set)
        others = ["(info)", START.replace("m1", "m2"), START, "(play m1 nil)", "(abort m2)"]
        said = [await post(text) for text in others]
        go_on.set()
        return [*said, await starting, await post("(play m1 nil)")]

    assert serve(use) == ["busy"] * 5 + ["ready", "(go 1)"]


def test_a_match_may_be_called_off_while_its_rules_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    is_reading, go_on = threading.Event(), threading.Event()

    def slow(*args: Any) -> Any:
        is_reading.set()
        assert go_on.wait(60)
        return build(*args)

    async def use(post: Posting) -> list[str]:
        monkeypatch.setattr(serving, "build", slow)
        starting = asyncio.create_task(post(LONG_START))
        await until(is_reading.is_set)
        said = [await post("(abort m1)"), await post(START.replace("m1", "m2"))]
        go_on.set()
        with pytest.raises(BadAnswer, match="HTTP 500: the match is over"):
            await starting
        return [*said, await post(START.replace("m1", "m2"))]

    assert serve(use) == ["done", "busy", "ready"]


def test_a_match_that_is_called_off_while_it_begins_anew_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    is_reading, go_on = threading.Event(), threading.Event()

    def slow(*args: Any) -> Any:
        is_reading.set()
        assert go_on.wait(60)
        return build(*args)

    async def use(post: Posting) -> list[str]:
        said = [await post(START)]
        monkeypatch.setattr(serving, "build", slow)
        starting = asyncio.create_task(post(START))
        await until(is_reading.is_set)
        said += [await post("(abort m1)"), await post("(play m1 nil)")]
        go_on.set()
        with pytest.raises(BadAnswer, match="HTTP 500: the match is over"):
            await starting
        return [*said, await post(START.replace("m1", "m2"))]

    assert serve(use) == ["ready", "done", "busy", "ready"]


def test_who_asks_whether_to_go_on_is_told_once() -> None:
    """However many pieces the rest comes in: what frames a body is read before any of it is there."""
    head = b"POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n"
    written = SimpleNamespace(said=b"")
    caller = listening._Caller(SimpleNamespace(make_room=lambda _: None))  # type: ignore[arg-type]
    caller._transport = SimpleNamespace(write=lambda data: setattr(written, "said", written.said + data))  # type: ignore[assignment]
    for piece in (head, b"0", b"0", b"6", b";a"):
        caller.data_received(piece)
    assert written.said == b"HTTP/1.1 100 Continue\r\n\r\n"


def test_what_is_no_message_to_a_player_is_not_answered_as_one() -> None:
    server = serving.PlayerServer(Legal, "legal")
    with pytest.raises(MessageError, match=r"^a reply to nothing$"):
        asyncio.run(server._tell(ReplyMessage(NOOP)))
    with pytest.raises(MessageError, match=r"^3 moves for the roles x, o$"):
        serving._told(load("tictactoe", machine="reference"), (NOOP,) * 3)
    assert talk("(noop)", START, "(play m1 (a b c))")[::2] == ["sorry", "sorry"]


def test_rules_that_are_wrong_leave_the_player_free() -> None:
    wrong = LONG_START.replace("(role x)", "(<= (role ?x) (distinct ?x a))", 1)
    told = talk(wrong, "(info)", START)
    assert told[0].startswith("malformed: HTTP 400: rules:1:25")
    assert told[1:] == ["ready", "ready"]


def test_rules_whose_roles_are_too_many_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "READING", Limits(seconds=600, rows=1_000))
    numbers = " ".join(f"(n {number})" for number in range(10))
    body = " ".join(f"(n ?{name})" for name in "abcdefgh")
    many = START.replace("(role x)", f"{numbers} (<= (role (f ?a ?b ?c ?d ?e ?f ?g ?h)) {body})")
    refused = (
        "malformed: HTTP 400: memory limit of 1,000 answers exceeded answering one question about a state"
    )
    assert talk(many, "(info)") == [refused, "ready"]


def test_players_that_still_think_after_their_match_are_not_added_up() -> None:
    let_go = threading.Event()

    class Thinks(Legal):
        def prepare(self) -> None:
            let_go.wait(60)

    async def use(post: Posting) -> list[str]:
        for _ in range(MOST_LEFT):
            starting = asyncio.create_task(post(START))
            await until(lambda: post._match is not None)
            assert await post("(abort m1)") == "done"
            with pytest.raises(BadAnswer, match="the match is over"):
                await starting
        said = [await post("(info)"), await post(START)]
        let_go.set()
        await until(lambda: not post._has_many_left())
        return [*said, await post("(info)"), await post(START)]

    assert serve(use, Thinks) == ["busy", "busy", "ready", "ready"]


def test_only_who_knows_the_match_can_end_it() -> None:
    strange = [
        "(abort m2)",
        "(stop m2 nil)",
        "abort(m2)",
        "message(1,a,b,abort())",
        "message(1,a,b,stop(nil))",
    ]
    assert talk(START, *strange, "(play m1 nil)") == [
        "ready", "busy", "busy", "reply(m2,busy)", "message(1,b,a,busy)", "message(1,b,a,busy)", "(go 1)"
    ]  # fmt: skip


# Clocks


@pytest.mark.parametrize("clock", ["100000000000000000000", "1e300", "3601"])
def test_a_clock_longer_than_an_hour_counts_as_one(clock: str) -> None:
    told: list[Any] = []

    class Told(Legal):
        def start(self, role: str, rules: Any, startclock: float, playclock: float) -> Any:
            told.extend([startclock, playclock])
            return super().start(role, rules, startclock, playclock)

    async def use(post: Posting) -> float:
        assert await post(START.replace("10 5", f"{clock} {clock}")) == "ready"
        assert post._match is not None
        return post._match.expires - time.monotonic()

    assert serve(use, Told) <= LONGEST_CLOCK + GONE_SECONDS
    assert told == [LONGEST_CLOCK] * 2


@pytest.mark.parametrize("clock", ["-1", "nan", "inf", "1e400", "ten", "(10)"])
def test_what_is_no_clock_gets_an_apology(clock: str) -> None:
    assert talk(START.replace("10 5", f"10 {clock}"), "(info)") == ["sorry", "ready"]


def test_a_match_of_endless_clocks_whose_manager_is_gone_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    async def use(post: Posting) -> list[str]:
        first = await post(START.replace("10 5", "1e20 1e20"))
        later = time.monotonic() + LONGEST_CLOCK + GONE_SECONDS
        monkeypatch.setattr(serving, "time", SimpleNamespace(monotonic=lambda: later))
        return [first, await post(START.replace("m1", "m2"))]

    assert serve(use) == ["ready", "ready"]


def test_a_sheet_of_the_library_fits_many_times_into_a_message() -> None:
    texts = [show_kif(classic_rules(load(name, machine="reference").sheet)) for name in ("othello", "hex7x7")]
    assert max(map(len, texts)) < MAX_SIZE / 10
