"""A person in a browser, or any player that talks over a connection of whole texts, as a WebSocket is.

The page is somebody else's business: it brings a `Connection`, and gets the requests as lines of JSON (see `lines.py`).
Each wants a reply, `done` if there is nothing else to say.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from typing import Protocol

from gamemaster.match.request import Failure, Request
from gamemaster.match.transports.lines import reply_from_line, request_to_line
from gamemaster.match.transports.transport import MAX_REPLY, Allowance, Deliver, Transport

__all__ = ["Connection", "ConnectionPlayer"]

LAST_WORDS = 1.0
"""How long, in seconds, the last message may take to go out."""


class Connection(Protocol):
    """Texts both ways; ConnectionError from either method where the other side has gone."""

    async def send(self, text: str) -> None:
        """Send a text."""

    async def receive(self) -> str:
        """The next text."""


class ConnectionPlayer(Transport):
    """A player at the other end of a connection, which stays open after the match: it is not ours."""

    def __init__(self, connection: Connection, name: str) -> None:
        self.connection = connection
        self.name = name
        self._outgoing: asyncio.Queue[str] = asyncio.Queue()
        self._tasks: list[asyncio.Task[None]] = []
        self._allowance = Allowance()
        self._ended = ""

    async def open(self, deliver: Deliver) -> None:
        """Listen."""
        self._deliver = deliver
        self._tasks = [asyncio.create_task(self._read()), asyncio.create_task(self._write())]

    def send(self, request: Request) -> str:
        """Send the request; once the other side has gone it fails at once."""
        line = request_to_line(request)
        if self._ended:
            failure = Failure(request.number, "unreachable", self._ended)
            asyncio.get_running_loop().call_soon(self._deliver, time.monotonic(), failure)
        else:
            self._allowance.renew()
            self._outgoing.put_nowait(line)
        return line

    def give_up(self, number: int) -> None:
        """Nothing: people may be slow."""

    async def close(self) -> None:
        """Send what is left, and listen no longer."""
        if self._tasks and not self._ended:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(
                    LAST_WORDS
                ):  # wait_for of Python 3.11 may forget that it was cancelled
                    await self._outgoing.join()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _write(self) -> None:
        while True:
            line = await self._outgoing.get()
            try:
                await self.connection.send(line)
            except OSError as error:  # a ConnectionError is one
                self._gone(error)
            self._outgoing.task_done()

    async def _read(self) -> None:
        while not self._ended:
            await self._allowance.wait()
            try:
                text = await self.connection.receive()
            except OSError as error:
                self._gone(error)
                return
            now = time.monotonic()
            self._allowance.take()
            if len(text) > MAX_REPLY:
                self._deliver(now, Failure(None, "huge", f"{len(text):,} characters"))
            else:
                self._deliver(now, reply_from_line(text))

    def _gone(self, error: OSError) -> None:
        if not self._ended:
            self._ended = f"the connection is closed: {error}".removesuffix(": ")
            self._deliver(time.monotonic(), Failure(None, "unreachable", self._ended))
