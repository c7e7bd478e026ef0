"""A person in a browser, or any program, that comes to us: the manager listens at `ws://host:port/path` for it.

Requests and replies are lines of JSON (see `lines.py`), each a text of the WebSocket. One plays at a time; others are
turned away, and only so many may try at once. Whoever loses the connection may come again, and is sent everything from
the start: only the last message still wants a reply. Its clock goes on meanwhile.
"""

from __future__ import annotations

import asyncio
import contextlib
import http
import re
from typing import TYPE_CHECKING

from gamemaster.errors import PlayerError
from gamemaster.match.request import MOST_REPLIES
from gamemaster.match.transports.connection import ConnectionPlayer
from gamemaster.match.transports.http_reading import is_host
from gamemaster.match.transports.transport import MAX_REPLY, Deliver

if TYPE_CHECKING:
    from websockets.asyncio.server import Server, ServerConnection
    from websockets.http11 import Request, Response

__all__ = ["Desk", "WebSocketPlayer"]

DEFAULT_PORT = 9148
ADDRESS = re.compile(r"ws://(\[[0-9a-f:]+\]|[^\s/:]+)(?::([0-9]{1,5}))?(/\S*)?\Z", re.IGNORECASE)
WAIT_SECONDS = 60.0
"""How long a match waits for somebody to come."""

CLOSING_SECONDS = 1.0
ALIVE_SECONDS = 5.0
"""How often to ask whether the other side is still there, and how long it may take to say so: then another may come."""

OPENING_SECONDS = 10.0
"""How long somebody may take to say that it speaks WebSockets."""

MOST_VISITORS = 16
"""Connections at once, the one that plays among them: of the others, the one that came first has to go."""

TAKEN = 1013
"""The code of WebSockets for: try again later."""


class WebSocketPlayer(ConnectionPlayer):
    """A player that comes to `ws://host:port/path`; `port` is then the one that is listened on."""

    def __init__(self, address: str, wait_seconds: float = WAIT_SECONDS) -> None:
        match = ADDRESS.match(address)
        if match is None or not is_host(match[1]) or int(match[2] or DEFAULT_PORT) > 65535:
            raise PlayerError(f"no address to wait at: {address[:200]!r}; it should be ws://host:port")
        self.host, self.port = match[1].strip("[]"), int(match[2] or DEFAULT_PORT)
        self.desk = Desk(match[3] or "/")
        self.wait_seconds = wait_seconds
        self._server: Server | None = None
        self._opening: asyncio.Future[Server] | None = None
        """Never cancelled: what listens already when somebody leaves must be closed, and is not known before."""
        super().__init__(self.desk, address)

    async def open(self, deliver: Deliver) -> None:
        """Listen, and wait for somebody; if nobody comes the match begins all the same, on its clocks."""
        self._opening = asyncio.ensure_future(self._listen())
        try:
            self._server = await asyncio.shield(self._opening)
        except OSError as error:
            raise PlayerError(f"cannot listen at {self.name}: {error.strerror or error}") from None
        self.port = self._server.sockets[0].getsockname()[1]
        await super().open(deliver)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self.wait_seconds):
                await self.desk.has_come.wait()

    async def _listen(self) -> Server:
        from websockets.asyncio.server import serve

        return await serve(
            self.desk.talk,
            self.host,
            self.port,
            process_request=self.desk.check,
            create_connection=_visitor_at(self.desk),
            open_timeout=OPENING_SECONDS,
            max_size=2 * MAX_REPLY,  # what is a little too large can still be told
            compression=None,
            close_timeout=CLOSING_SECONDS,
            ping_interval=ALIVE_SECONDS,
            ping_timeout=ALIVE_SECONDS,
        )

    async def close(self) -> None:
        """Send what is left, and listen no longer."""
        await super().close()
        self.desk.close()
        if self._server is None and self._opening is not None:  # left while it was being opened
            with contextlib.suppress(OSError):
                self._server = await asyncio.shield(self._opening)
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()


class Desk:
    """A `Connection` that outlives the sockets of whoever sits down at it."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.has_come = asyncio.Event()
        self._lines: list[str] = []
        self._incoming: asyncio.Queue[str] = asyncio.Queue(MOST_REPLIES)
        self._is_closed = False
        self._socket: ServerConnection | None = None
        self.visitors: dict[ServerConnection, None] = {}  # the oldest first
        self._sending = asyncio.Lock()

    async def send(self, text: str) -> None:
        """Keep a text for whoever comes later, and send it to whoever is here."""
        from websockets.exceptions import ConnectionClosed

        async with self._sending:
            self._lines.append(text)
            if self._socket is not None:
                with contextlib.suppress(ConnectionClosed):
                    await self._socket.send(text)

    async def receive(self) -> str:
        """The next text."""
        return await self._incoming.get()

    def close(self) -> None:
        """Take no text any more; one that waits to be taken is let in, so that its sender can go."""
        self._is_closed = True
        while not self._incoming.empty():
            self._incoming.get_nowait()

    def admit(self, visitor: ServerConnection) -> None:
        """Let a connection come near, if only by cutting off another that does not play."""
        self.visitors[visitor] = None
        if len(self.visitors) > MOST_VISITORS:
            least = next(each for each in self.visitors if each is not self._socket)
            self.dismiss(least)
            least.transport.abort()

    def dismiss(self, visitor: ServerConnection) -> None:
        """Take no more notice of a connection."""
        self.visitors.pop(visitor, None)

    def check(self, connection: ServerConnection, request: Request) -> Response | None:
        """Turn away whoever does not know the path."""
        if request.path != self.path:
            return connection.respond(http.HTTPStatus.NOT_FOUND, "nobody is awaited here\n")
        return None

    async def talk(self, socket: ServerConnection) -> None:
        """Let one sit down, until it goes."""
        from websockets.exceptions import ConnectionClosed

        if self._socket is not None:
            await socket.close(TAKEN, "somebody plays here already")
            return
        self._socket = socket
        try:
            async with self._sending:
                for line in self._lines:
                    await socket.send(line)
            self.has_come.set()
            async for text in socket:
                if self._is_closed:
                    return
                # Bytes are no line of JSON. Where nobody listens this waits, and so does the other side.
                await self._incoming.put(text if isinstance(text, str) else "")
        except ConnectionClosed:
            pass
        finally:
            self._socket = None


def _visitor_at(desk: Desk) -> type[ServerConnection]:
    """The class of connections that a desk counts."""
    from websockets.asyncio.server import ServerConnection

    class Visitor(ServerConnection):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            super().connection_made(transport)
            desk.admit(self)

        def connection_lost(self, exc: Exception | None) -> None:
            desk.dismiss(self)
            super().connection_lost(exc)

    return Visitor
