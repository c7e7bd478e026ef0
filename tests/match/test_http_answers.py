"""What a player over HTTP may answer, in every form that HTTP has, and what is no answer: real sockets, both ends."""

from __future__ import annotations

import asyncio
import socket
import tracemalloc

import h11
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamemaster.errors import PlayerError
from gamemaster.language.rules import Rules
from gamemaster.match.request import Reply, Request
from gamemaster.match.transports import http_client
from gamemaster.match.transports.http_client import POSTED, HttpPlayer, http_post
from gamemaster.match.transports.http_reading import MAX_HEAD, MAX_PIECES, BadAnswer, HttpReader, plain_body
from gamemaster.match.transports.transport import MAX_REPLY

CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
MOVE = b"HTTP/1.0 200 OK\r\nContent-length: 10\r\n\r\n(mark 1 1)"


async def exchange(
    *pieces: bytes, text: str = "(play m1 nil)", is_read: bool = True, closes: bool = True
) -> str:
    """What is made of an answer that comes in pieces."""
    stays = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if is_read:
            await reader.readuntil(b")")
        try:
            for piece in pieces:
                writer.write(piece)
                await writer.drain()
                await asyncio.sleep(0.001)
            if not closes:
                await stays.wait()
        except OSError:
            pass  # it was told too much
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        return await http_post("127.0.0.1", server.sockets[0].getsockname()[1], text)
    finally:
        stays.set()
        server.close()


def answer(*pieces: bytes, text: str = "(play m1 nil)", is_read: bool = True, closes: bool = True) -> str:
    return asyncio.run(exchange(*pieces, text=text, is_read=is_read, closes=closes))


@pytest.mark.parametrize(
    "pieces",
    [
        [MOVE],
        [bytes([byte]) for byte in MOVE],
        [CHUNKED, b"5\r\n(mark\r\n", b"5\r\n 1 1)\r\n", b"0\r\n\r\n"],
        [CHUNKED + b"a;name=value\r\n(mark 1 1)\r\n0\r\nTrailer: yes\r\n\r\n"],
        [b"HTTP/1.1 100 Continue\r\n\r\n", MOVE],
        [b"HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n" + MOVE],
        [b"HTTP/1.1 100 Continue\r\n\r\n", CHUNKED, b"A\r\n(mark 1 1)\r\n0\r\n\r\n"],
        [b"HTTP/1.0 200 OK\r\n\r\n", b"(mark ", b"1 1)"],
        [b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n(mark 1 1)"],
        [b"HTTP/1.0 200 OK\n\n(mark 1 1)"],
        [b"HTTP/1.0 200\r\n\r\n(mark 1 1)"],
        [b"HTTP/1.1 200 OK\r\nServer: one\r\n of two lines\r\ncontent-LENGTH:10\r\n\r\n(mark 1 1)"],
        [b"HTTP/1.1 200 OK\r\nContent-Type: image/gif\r\nContent-Length: 10\r\n\r\n(mark 1 1)and more"],
        [b"HTTP/1.1 200 OK\r\nAccess-Control-Allow-Origin: *\r\nContent-length: 10\r\n\r\n(mark 1 1)"],
    ],
    ids=lambda pieces: f"{len(pieces)} {pieces[0][9:40]!r}",
)
def test_an_answer_is_understood_in_every_form(pieces: list[bytes]) -> None:
    assert answer(*pieces) == "(mark 1 1)"


def read_by_h11(data: bytes, limit: int) -> bytes | None:
    """The body of an answer that is whole with these bytes, and well; None for any other."""
    connection = h11.Connection(h11.CLIENT)
    connection.send(POSTED)
    reader = HttpReader(connection, limit)
    try:
        is_whole = reader.feed(data)
    except BadAnswer:
        return None
    is_well = isinstance(reader.head, h11.Response) and reader.head.status_code == 200
    return bytes(reader.body) if is_whole and is_well else None


@pytest.mark.parametrize(
    ("data", "is_plain"),
    [
        (MOVE, True),
        (MOVE.replace(b"Content", b"Server: x (y)\r\nContent"), True),
        (MOVE.replace(b"\r\n\r\n", b"  \r\nX-Y:\r\n\r\n"), True),
        (MOVE.replace(b" OK", b""), True),
        (MOVE + b" ", False),
        (MOVE[:-1], False),
        (MOVE.replace(b"10", b"10000000"), False),
        (MOVE.replace(b"200", b"500"), False),
        (MOVE.replace(b"HTTP", b"http"), False),
        (MOVE.replace(b"\r\n\r\n", b"\r\nContent-Length: 10\r\n\r\n"), False),
        (MOVE.replace(b"\r\n\r\n", b"\r\nTransfer-Encoding: chunked\r\n\r\n"), False),
        (MOVE.replace(b"\r\n\r\n", b"\r\nX: " + b"y" * MAX_HEAD + b"\r\n\r\n"), False),
        (CHUNKED + b"a\r\n(mark 1 1)\r\n0\r\n\r\n", False),
        (b"HTTP/1.1 100 Continue\r\n\r\n" + MOVE, False),
    ],
)
def test_a_plain_answer_is_told_from_others(data: bytes, is_plain: bool) -> None:
    assert plain_body(data, 100) == (b"(mark 1 1)" if is_plain else None)


HEADERS = st.sampled_from(
    [
        *(
            b"Content-Length: 5\r\n",
            b"content-length:5 \r\n",
            b"Content-Length: 5, 5\r\n",
            b"Content-Length: -5\r\n",
        ),
        *(
            b"Transfer-Encoding: chunked\r\n",
            b"Connection: close\r\n",
            b"X: y\r\n",
            b" folded\r\n",
            b"X : y\r\n",
        ),
        *(
            b"Upgrade: x\r\n",
            b"X: \x00\r\n",
            b"X: \xe9\r\n",
            b"X:y\n",
            b"Content-Lengthy: 3\r\n",
            b"Content-Length: 05\r\n",
        ),
    ]
)
LINES = st.sampled_from(
    [
        b"HTTP/1.0 200 OK\r\n",
        b"HTTP/1.1 200\r\n",
        b"HTTP/1.1 200 \r\n",
        b"HTTP/1.1 204 No\r\n",
        b"HTTP/2 200 OK\r\n",
    ]
)


@given(
    LINES,
    st.lists(HEADERS, max_size=4),
    st.sampled_from([b"ready", b"read", b"ready\r\n", b"5\r\nready\r\n0\r\n\r\n"]),
)
def test_a_plain_answer_is_what_h11_reads(line: bytes, headers: list[bytes], body: bytes) -> None:
    data = line + b"".join(headers) + b"\r\n" + body
    plain = plain_body(data, 100)
    assert plain is None or plain == read_by_h11(data, 100)


@pytest.mark.parametrize("body", [MOVE, CHUNKED + b"a\r\n(mark 1 1)\r\n0\r\n\r\n"])
def test_an_answer_counts_when_it_is_there_though_the_connection_stays(body: bytes) -> None:
    assert answer(body, closes=False) == "(mark 1 1)"


def test_an_answer_may_come_before_the_message_is_read() -> None:
    assert answer(MOVE, text=f"(play m1 {'a' * 3_000_000})", is_read=False, closes=False) == "(mark 1 1)"


def test_bytes_that_are_no_text_are_marked_as_such() -> None:
    assert answer(b"HTTP/1.0 200 OK\r\n\r\n(mark \xff 1)") == "(mark \N{REPLACEMENT CHARACTER} 1)"


def test_nobody_is_asked_for_compressed_answers() -> None:
    received = bytearray()

    async def post() -> None:
        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            received.extend(await reader.readuntil(b")"))
            writer.write(MOVE)
            writer.close()

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        await http_post("127.0.0.1", server.sockets[0].getsockname()[1], "(play m1 nil)")
        server.close()

    asyncio.run(post())
    assert b"accept-encoding" not in received.lower()


@pytest.mark.parametrize(
    ("pieces", "kind", "detail"),
    [
        ([], "crashed", "connection closed before any reply"),
        ([b"SSH-2.0-OpenSSH_9.6\r\n\r\n"], "malformed", "no HTTP: illegal status line"),
        ([b"HTTP/1.0 200 OK\r\nContent-le"], "malformed", "no HTTP: peer unexpectedly closed"),
        ([MOVE[:-1]], "malformed", "received 9 bytes, expected 10"),
        ([CHUNKED, b"ffff\r\n(mark"], "malformed", "incomplete chunked read"),
        ([CHUNKED, b"x\r\n"], "malformed", "illegal chunk header"),
        ([b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n"], "malformed", "Transfer-Encoding"),
        ([b"HTTP/1.1 200 OK\r\nContent-length: 1\r\nContent-length: 2\r\n\r\n"], "malformed", "Content-Length"),
        ([b"HTTP/1.1 200 OK\r\nContent-length: -1\r\n\r\n"], "malformed", "Content-Length"),
        ([b"HTTP/1.1 200 OK\r\nContent-length: " + b"9" * 9_000 + b"\r\n\r\n"], "malformed", "Content-Length"),
        ([b"HTTP/1.1 301 Moved\r\nLocation: http://127.0.0.1/\r\n\r\n"], "malformed",
         "HTTP 301: a player has one address, and is not looked for elsewhere"),
        ([b"HTTP/1.1 404 Not Found\r\nContent-length: 5\r\n\r\nwhat?"], "malformed", "HTTP 404: what?"),
        ([b"HTTP/1.1 503 Busy\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nno!\r\n0\r\n\r\n"], "crashed", "HTTP 503: no!"),
        ([b"HTTP/1.1 204 No Content\r\n\r\n"], "malformed", "HTTP 204"),
        ([b"HTTP/1.1 200 OK\r\nContent-length: 999999\r\n\r\n"], "huge", "999,999 bytes; 65,536 are allowed"),
    ],
    ids=lambda value: repr(value)[:40],
)  # fmt: skip
def test_what_is_no_answer_is_told(pieces: list[bytes], kind: str, detail: str) -> None:
    with pytest.raises(BadAnswer) as bad:
        answer(*pieces)
    assert bad.value.kind == kind
    assert detail.lower() in bad.value.detail.lower()
    assert len(bad.value.detail) <= 250


@pytest.mark.parametrize(
    ("first", "piece", "kind"),
    [
        (b"HTTP/1.0 200 OK\r\n", b"X: y\r\n" * 200, "malformed"),
        (b"HTTP/1.0 200 OK\r\nX: ", b"y" * 1_200, "malformed"),
        (b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 50, "malformed"),
        (b"HTTP/1.0 200 OK\r\n\r\n", b"x" * 1_200, "huge"),
        (CHUNKED, b"400\r\n" + b"x" * 0x400 + b"\r\n", "huge"),
        (CHUNKED, b"1\r\nx\r\n" * 200, "malformed"),
        (CHUNKED, b"1;" + b"x" * 1_200, "malformed"),
        (CHUNKED + b"0\r\n", b"X: y\r\n" * 200, "malformed"),
    ],
)
def test_an_answer_without_end_is_read_no_further_than_allowed(first: bytes, piece: bytes, kind: str) -> None:
    """10 MB, in small pieces or in one: what is held of them is bounded."""
    count = 10_000_000 // len(piece)
    for pieces in ([first, *[piece] * 200, piece * (count - 200)], [first + piece * count]):
        tracemalloc.start()
        try:
            with pytest.raises(BadAnswer) as bad:
                read_all(pieces)
            assert tracemalloc.get_traced_memory()[1] < 2**20
        finally:
            tracemalloc.stop()
        assert bad.value.kind == kind


def test_an_answer_that_only_says_that_one_will_follow_is_told() -> None:
    goes_on = b"HTTP/1.1 100 Continue\r\n\r\n"
    with pytest.raises(BadAnswer, match=r"^no end of the HTTP head within 16,384 bytes$"):
        read_all([goes_on * (MAX_HEAD // len(goes_on) + 1)])


def read_all(pieces: list[bytes]) -> None:
    """Feed an answer to what reads it, as it comes from a socket."""
    connection = h11.Connection(h11.CLIENT)
    connection.send(POSTED)
    reader = HttpReader(connection, MAX_REPLY)
    for piece in pieces:
        for start in range(0, len(piece), 2**18):
            reader.feed(piece[start : start + 2**18])


def test_the_largest_answers_are_taken() -> None:
    body = b"x" * MAX_REPLY
    assert len(answer(b"HTTP/1.0 200 OK\r\n\r\n" + body)) == MAX_REPLY
    pieces = b"1\r\nx\r\n" * MAX_PIECES
    assert len(answer(CHUNKED + pieces + b"0\r\n\r\n")) == MAX_PIECES
    head = b"HTTP/1.0 200 OK\r\nX: "
    assert answer(head + b"y" * (MAX_HEAD - len(head) - 4) + b"\r\n\r\n(mark 1 1)") == "(mark 1 1)"


@pytest.mark.parametrize("first", [MOVE[:20], MOVE[:-1], CHUNKED, b"HTTP/1.1 100 Continue\r\n\r\n"])
def test_who_waits_no_longer_lets_go_of_an_answer_that_drips(first: bytes) -> None:
    async def give_up() -> None:
        posting = asyncio.create_task(exchange(first, closes=False))
        await asyncio.sleep(0.02)
        posting.cancel()
        await asyncio.wait([posting])
        assert posting.cancelled()

    asyncio.run(give_up())


def test_a_player_may_have_an_address_of_ipv6() -> None:
    with socket.socket(socket.AF_INET6) as probe:
        try:
            probe.bind(("::1", 0))
        except OSError:
            pytest.skip("no IPv6 here")
    received = bytearray()

    async def post() -> str:
        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            received.extend(await reader.readuntil(b")"))
            writer.write(MOVE)
            writer.close()

        server = await asyncio.start_server(serve, "::1", 0)
        player = HttpPlayer(f"http://[::1]:{server.sockets[0].getsockname()[1]}")
        found = await http_post(player.host, player.port, "(play m1 nil)")
        server.close()
        return found

    assert asyncio.run(post()) == "(mark 1 1)"
    assert b"\r\nHost: [::1]\r\n" in received


@pytest.mark.parametrize("address", ["http://a\x00b", "http://a\x7fb", "http://a\nb", "http://[::1"])
def test_addresses_that_nobody_can_have(address: str) -> None:
    with pytest.raises(PlayerError, match="no address of a player"):
        HttpPlayer(address)


def test_a_long_answer_to_ping_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise AssertionError("this takes the time of others")

    monkeypatch.setattr(http_client, "read_reply", fail)
    request = Request("ping", 1, "m", "x", "", Rules((), "hrf"), 1.0, 1.0)
    text = "(ready " + "a " * 30_000 + ")"
    assert http_client._reply(request, text) == Reply(1, text, text)
