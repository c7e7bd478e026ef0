"""Bytes from whoever connects -> texts, and the answers back: HTTP for a player that strangers can reach.

One message a connection. What all of them together may hold is bounded, connections as well as bytes. Where there is
no room, whoever has waited longest without saying all it had to say is turned away: a manager says everything at once.
The one whose match is on (`friend`) makes room for nobody but itself.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from urllib.parse import unquote_plus

import h11

from gamemaster.match.transports.http_reading import BadAnswer, HttpReader
from gamemaster.match.wire.messages import MAX_SIZE

__all__ = ["Answer", "HttpServer", "Respond"]

MOST_CONNECTIONS = 64
"""Open at once."""

MOST_BYTES = 4 * MAX_SIZE
"""Held at once, of messages that are not answered yet."""

HEAD_SECONDS, BODY_SECONDS = 10.0, 20.0
"""How long the head of a message may take to arrive, and then the rest of it."""

LINGER_SECONDS = 2.0
"""How long to listen to one that is still talking when it has its answer: else it would never read it."""

Answer = tuple[HTTPStatus, str]
Respond = Callable[[str, str], Awaitable[Answer]]
"""respond(text, host): the answer to a message, and from where it came."""


class HttpServer:
    """Listens at a port, and lets nobody take all the room."""

    def __init__(self, respond: Respond) -> None:
        self.respond = respond
        self.friend: str | None = None
        self.port = 0
        self.callers: dict[_Caller, None] = {}  # the oldest first
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self, host: str, port: int) -> None:
        """Listen; `port` is then the one it listens on."""
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(lambda: _Caller(self), host, port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        """Stop listening, and hang up on everybody."""
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for caller in list(self.callers):
            caller.leave()
        await asyncio.sleep(0)  # until they are gone

    @property
    def held(self) -> int:
        """The bytes of all messages that are not answered yet."""
        return sum(caller.held for caller in self.callers)

    def admit(self, caller: _Caller) -> None:
        """Let somebody in, if only by turning away another."""
        self.callers[caller] = None
        self.make_room(caller)

    def make_room(self, caller: _Caller) -> None:
        """Turn others away as long as one that came or said something takes too much room, or else that one."""
        while len(self.callers) > MOST_CONNECTIONS or self.held > MOST_BYTES:
            self._least(caller).turn_away()

    def _least(self, caller: _Caller) -> _Caller:
        """Whom to turn away first."""
        is_friend = caller.host == self.friend
        others = (other for other in self.callers if other is not caller and not other.is_heard)
        return next((other for other in others if is_friend or other.host != self.friend), caller)

    def dismiss(self, caller: _Caller) -> None:
        """Take no more notice of somebody."""
        self.callers.pop(caller, None)

    def hear(self, caller: _Caller, text: str) -> None:
        """Answer a message in its own time."""
        task = asyncio.create_task(self._answer(caller, text))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _answer(self, caller: _Caller, text: str) -> None:
        try:
            caller.answer(*await self.respond(text, caller.host))
        except BaseException:
            caller.leave()
            raise


class _Caller(asyncio.Protocol):
    """One connection."""

    def __init__(self, server: HttpServer) -> None:
        self._server = server
        self._reader = HttpReader(h11.Connection(h11.SERVER), MAX_SIZE)
        self._is_answered = False
        self._is_talking = True
        self._has_encouraged = False
        self.host = ""

    @property
    def is_heard(self) -> bool:
        """Whether it has said all, and waits for the answer."""
        return self._reader.is_whole and not self._is_answered

    @property
    def held(self) -> int:
        """The bytes of its message."""
        return 0 if self._is_answered else len(self._reader.body)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self.host = str((transport.get_extra_info("peername") or [""])[0])
        self._expire_after(HEAD_SECONDS, self._expire_head)
        self._server.admit(self)

    def data_received(self, data: bytes) -> None:
        if self._is_answered or self._reader.is_whole:  # one message a connection: no more is read
            self._is_talking = bool(data)
            return
        try:
            self._read(data)
        except BadAnswer as bad:
            status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE if bad.kind == "huge" else HTTPStatus.BAD_REQUEST
            self.answer(status, bad.detail)

    def _read(self, data: bytes) -> None:
        is_whole = self._reader.feed(data)
        if self._reader.connection.they_are_waiting_for_100_continue and not self._has_encouraged:
            self._has_encouraged = True
            self._transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        if is_whole:
            self._deadline.cancel()
            self._is_talking = bool(self._reader.connection.trailing_data[0])
            self._server.hear(self, _text(self._reader))
        self._server.make_room(self)

    def eof_received(self) -> bool:
        """Whether to keep the line: for the answer to one that has said all."""
        self.data_received(b"")
        return self.is_heard

    def connection_lost(self, _: Exception | None) -> None:
        self._deadline.cancel()
        self._is_answered = True
        self._server.dismiss(self)

    # The end

    def answer(self, status: HTTPStatus, text: str) -> None:
        """Say the answer; whoever is still talking is listened to for a moment."""
        if self._is_answered:
            return
        self._is_answered = True
        self._deadline.cancel()
        self._transport.write(_http(status, text))
        if self._is_talking and self._transport.can_write_eof():
            self._transport.write_eof()
            self._expire_after(LINGER_SECONDS, self.leave)
        else:
            self._transport.close()

    def turn_away(self) -> None:
        """Say that there is no room, and hang up."""
        self.answer(HTTPStatus.SERVICE_UNAVAILABLE, "too many talk at once")
        self.leave()

    def leave(self) -> None:
        """Hang up at once."""
        self._server.dismiss(self)
        self._transport.abort()

    def _expire_after(self, seconds: float, expire: Callable[[], None]) -> None:
        self._deadline = asyncio.get_running_loop().call_later(seconds, expire)

    def _expire_head(self) -> None:
        if self._reader.head is None:
            self._expire()
        else:
            self._expire_after(BODY_SECONDS, self._expire)

    def _expire(self) -> None:
        self.answer(HTTPStatus.REQUEST_TIMEOUT, "a message must come at once")
        self.leave()


def _text(reader: HttpReader) -> str:
    """The message: the body, or the path of a GET, for some managers ask for info that way."""
    assert isinstance(reader.head, h11.Request)
    path = unquote_plus(reader.head.target.decode(errors="replace").lstrip("/"))
    return reader.body.decode(errors="replace") or path


def _http(status: HTTPStatus, text: str) -> bytes:
    """In HTTP/1.0, which everybody in the field reads, and which says that the connection ends."""
    body = text.encode()
    head = f"HTTP/1.0 {status.value} {status.phrase}\r\nContent-type: text/acl\r\nContent-length: {len(body)}\r\n\r\n"
    return head.encode() + body
