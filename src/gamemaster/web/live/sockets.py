"""A player that comes to us over a WebSocket of the site: the requests of a match go there as lines of JSON.

It may come before the match begins, lose its connection, and come again: then it is sent everything from the start, and
only the last message still wants a reply. Its clock goes on meanwhile. One sits here at a time.
"""

from __future__ import annotations

import asyncio

from starlette.websockets import WebSocket, WebSocketDisconnect

from gamemaster.match.transports.connection import ConnectionPlayer
from gamemaster.match.transports.transport import MAX_REPLY

__all__ = ["SocketSeat"]

TAKEN = 1013
"""The code of WebSockets for: try again later."""

MOST_UNREAD = 64


class SocketSeat:
    """A `Connection` that outlives the sockets of whoever sits down at it."""

    def __init__(self, role: str) -> None:
        self.role = role
        self.is_taken = False
        self._is_closed = False
        self._lines: list[str] = []
        self._news = asyncio.Event()
        self._incoming: asyncio.Queue[str] = asyncio.Queue(MOST_UNREAD)

    def transport(self) -> ConnectionPlayer:
        """The line for a match, which begins anew."""
        self._lines.clear()
        while not self._incoming.empty():
            self._incoming.get_nowait()
        return ConnectionPlayer(self, f"websocket of {self.role}")

    def close(self) -> None:
        """Have whoever sits here go: the match is put away."""
        self._is_closed = True
        self._news.set()

    async def send(self, text: str) -> None:
        """Keep a text for whoever comes later, and have it sent to whoever is here."""
        self._lines.append(text)
        self._news.set()

    async def receive(self) -> str:
        """The next text."""
        return await self._incoming.get()

    async def talk(self, socket: WebSocket) -> None:
        """Let one sit down, until it goes."""
        await socket.accept()
        if self.is_taken:
            await socket.close(TAKEN, "somebody plays here already")
            return
        self.is_taken = True
        sending = asyncio.create_task(self._send_all(socket))
        try:
            while True:
                text = await socket.receive_text()
                # Where nobody listens this waits, and so does the other side.
                await self._incoming.put(text[: 2 * MAX_REPLY])
        except (WebSocketDisconnect, KeyError):  # bytes are no line of JSON
            pass
        finally:
            self.is_taken = False
            sending.cancel()
            await asyncio.gather(sending, return_exceptions=True)

    async def _send_all(self, socket: WebSocket) -> None:
        sent = 0
        while True:
            if sent > len(self._lines):  # another match has begun
                sent = 0
            while sent < len(self._lines):
                await socket.send_text(self._lines[sent])
                sent += 1
            if self._is_closed:
                await socket.close(1001, "the match is put away")
                return
            self._news.clear()
            await self._news.wait()
