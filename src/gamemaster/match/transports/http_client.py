"""A player of the published protocol: each message is an HTTP request to its address, the answer is the reply.

    POST / HTTP/1.0
    Accept: text/delim
    Host: 127.0.0.1
    Sender: GAMESERVER
    Receiver: PLAYER
    Content-Type: text/acl
    Content-Length: 28

    (play m01 ((mark 1 1) noop))

A connection for each, closed when the clock runs out. What comes back, in any form that HTTP has, is read no further
than allowed.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import time
from http import HTTPStatus
from typing import TypeAlias

import h11

from gamemaster.errors import MessageError, PlayerError
from gamemaster.machine.game import Game
from gamemaster.match.judging import LONGEST_SHOWN, is_ready
from gamemaster.match.request import Failure, Reply, Request
from gamemaster.match.transports.http_reading import BadAnswer, HttpReader, is_host, plain_body
from gamemaster.match.transports.transport import MAX_REPLY, Deliver, Transport
from gamemaster.match.wire.classic import classic_moves, classic_text
from gamemaster.match.wire.messages import print_message, read_reply
from gamemaster.match.wire.protocol import Abort, Era, Play

__all__ = ["DEFAULT_PORT", "HttpPlayer", "http_post"]

DEFAULT_PORT = 9147
ADDRESS = re.compile(r"(?:http://)?(\[[0-9a-f:]+\]|[^\s/:]+)(?::([0-9]{1,5}))?/?\Z", re.IGNORECASE)


class HttpPlayer(Transport):
    """A player at `http://host:port`."""

    answers_always = True

    def __init__(self, address: str) -> None:
        match = ADDRESS.match(address)
        if match is None or not is_host(match[1]) or not 0 < int(match[2] or DEFAULT_PORT) < 65536:
            raise PlayerError(f"no address of a player: {address[:200]!r}; it should be http://host:port")
        self.name = address
        self.host, self.port = match[1].strip("[]"), int(match[2] or DEFAULT_PORT)
        self._roles: tuple[str, ...] = ()
        self._tasks: dict[int, asyncio.Task[None]] = {}

    async def open(self, deliver: Deliver) -> None:
        """Nothing: each message opens a connection of its own."""
        self._deliver = deliver

    def send(self, request: Request) -> str:
        """Post the message; of a match that goes on, all messages so far."""
        if request.kind == "start":
            self._roles = request.rules.roles if isinstance(request.rules, Game) else ()
        text = classic_text(request)
        task = asyncio.create_task(self._exchange(request, text))
        self._tasks[request.number] = task
        task.add_done_callback(lambda _: self._tasks.pop(request.number, None))
        return text

    def give_up(self, number: int) -> None:
        """Close the connection."""
        if task := self._tasks.get(number):
            task.cancel()

    async def close(self) -> None:
        """Close all connections."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _post(self, request: Request, text: str) -> Reply | Failure:
        return _reply(request, await http_post(self.host, self.port, text))

    async def _resume(self, request: Request, start: str) -> Reply | Failure:
        """The answer to the start of a match that goes on; a player that is ready is told all that was."""
        abort = print_message(Abort(request.match), Era.KIF)
        await self._tell(abort)  # it may still wait for the match to go on as it did
        reply = await self._post(request, start)
        if isinstance(reply, Reply) and is_ready(reply):
            for told in (None, *(request.past or ())):
                await self._tell(
                    print_message(Play(classic_moves(told, self._roles), request.match), Era.KIF)
                )
        return reply

    async def _tell(self, text: str) -> None:
        """Post a text; what is said to it is history."""
        with contextlib.suppress(BadAnswer):
            await http_post(self.host, self.port, text)

    async def _exchange(self, request: Request, text: str) -> None:
        """Deliver the answer to a text, or why there is none."""
        post = self._post if request.past is None else self._resume
        try:
            reply = await post(request, text)
        except BadAnswer as bad:
            self._deliver(time.monotonic(), Failure(request.number, bad.kind, bad.detail))
        else:
            self._deliver(time.monotonic(), reply)


def _reply(request: Request, text: str) -> Reply | Failure:
    """What an answer means; `ready` and the like may come with a name, as ((name egghead) (status available))."""
    text = text.strip()
    if request.kind in ("ping", "start") and len(text) <= LONGEST_SHOWN:  # to read more takes others' time
        with contextlib.suppress(MessageError):
            body = read_reply(text, Era.KIF)[1]
            value = str(getattr(body, "value", text))
            if value == "refused":
                return Failure(request.number, "refused", text)
            return Reply(request.number, value, text)
    return Reply(request.number, text or None, text)


async def http_post(host: str, port: int, text: str, limit: int = MAX_REPLY) -> str:
    """The answer to a text; BadAnswer where there is none, or not a good one."""
    loop = asyncio.get_running_loop()
    body = text.encode()
    try:
        _, exchange = await loop.create_connection(lambda: _Exchange(host, body, limit), host, port)
    except OSError as error:
        raise BadAnswer("unreachable", f"{host}:{port}: {error.strerror or error}") from None
    try:
        found = await exchange.found
    finally:
        exchange.transport.abort()  # at once: what is still on the way has nobody to read it
    if isinstance(found, OSError):
        raise BadAnswer("crashed", f"{host}:{port}: {found.strerror or found}")
    if isinstance(found, BadAnswer):
        raise found
    return _text(*found)


Answer: TypeAlias = tuple[int, bytes]
"""The status, and the body."""

POSTED = h11.Request(method="POST", target="/", headers=[("Host", "player"), ("Content-Length", "1")])
"""What h11 must know of a request to read the answer to it."""


class _Exchange(asyncio.Protocol):
    """A request on its way, and what comes back: the answer counts as soon as it is there, sent or not."""

    transport: asyncio.Transport

    def __init__(self, host: str, body: bytes, limit: int) -> None:
        self.found: asyncio.Future[Answer | BadAnswer | OSError] = asyncio.get_running_loop().create_future()
        self._request = _head(host, len(body)) + body
        self._limit = limit
        self._reader: HttpReader | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        transport.write(self._request)

    def data_received(self, data: bytes) -> None:
        if self.found.done():
            return
        if self._reader is None:
            if (plain := plain_body(data, self._limit)) is not None:
                self._end((HTTPStatus.OK, plain))
                return
            self._reader = _reader_of_answer(self._limit)
        try:
            is_whole = self._reader.feed(data)
        except BadAnswer as bad:
            self._end(bad)
            return
        if is_whole:
            assert isinstance(self._reader.head, h11.Response)
            self._end((self._reader.head.status_code, bytes(self._reader.body)))

    def eof_received(self) -> None:
        self.data_received(b"")

    def connection_lost(self, error: Exception | None) -> None:
        self._end(error if isinstance(error, OSError) else OSError("connection closed"))

    def _end(self, found: Answer | BadAnswer | OSError) -> None:
        if not self.found.done():
            self.found.set_result(found)


def _reader_of_answer(limit: int) -> HttpReader:
    connection = h11.Connection(h11.CLIENT)
    connection.send(POSTED)
    return HttpReader(connection, limit)


def _head(host: str, length: int) -> bytes:
    """As the field's manager writes it, in HTTP/1.0: players were written for it, and h11 writes only HTTP/1.1."""
    lines = (
        "POST / HTTP/1.0",
        "Accept: text/delim",
        f"Host: {f'[{host}]' if ':' in host else host}",
        "Sender: GAMESERVER",
        "Receiver: PLAYER",
        "Content-Type: text/acl",
        f"Content-Length: {length}",
    )
    return "".join(f"{line}\r\n" for line in (*lines, "")).encode()


def _text(status: int, body: bytes) -> str:
    """The text of an answer; BadAnswer where it says that something is wrong."""
    text = body.decode(errors="replace")
    if 300 <= status < 400:
        raise BadAnswer(
            "malformed", f"HTTP {status}: a player has one address, and is not looked for elsewhere"
        )
    if status != 200:
        raise BadAnswer("crashed" if status >= 500 else "malformed", f"HTTP {status}: {text[:200]}".strip())
    return text
