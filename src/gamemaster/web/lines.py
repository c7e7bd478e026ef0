"""Lines that come in -> those that may stay: so many from one address, none that says nothing, none that only pings.

What a server does before an app hears of a request. Apps guard themselves against requests, and not against those who
never finish one.
"""

from __future__ import annotations

import asyncio
import time

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from gamemaster.web.guard import Sockets, network_of

__all__ = ["HEAD_SECONDS", "GuardedLine", "GuardedSocket", "guarded_line"]

HEAD_SECONDS = 20.0
"""How long the head of a request may take to come."""

PINGS_EACH = 10
"""Pings a second that are answered."""


class GuardedLine(H11Protocol):
    """A line for requests."""

    lines: Sockets
    """Those that are open, of one server."""

    _host = ""
    _is_in = False
    _looking: asyncio.TimerHandle | None = None
    _seen: RequestResponseCycle | None = None
    """The request that was the last one when the line was looked at."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Let it stay, if not too many are here."""
        super().connection_made(transport)
        self._host = network_of(self.client[0]) if self.client else ""
        self._is_in = self.lines.enter(self._host)
        if not self._is_in:
            transport.abort()
            return
        self._looking = self.loop.call_later(HEAD_SECONDS, self._look)

    def connection_lost(self, exc: Exception | None) -> None:
        """It has gone."""
        self._leave()
        super().connection_lost(exc)

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """It is none for requests any more; the door counts those."""
        self._leave()
        super().handle_websocket_upgrade(event)

    def _look(self) -> None:
        """Close a line over which no request has come for a while."""
        if self.conn.their_state is h11.IDLE and self.cycle is self._seen:
            self.transport.abort()
            return
        self._seen = self.cycle
        self._looking = self.loop.call_later(HEAD_SECONDS, self._look)

    def _leave(self) -> None:
        if self._looking is not None:
            self._looking.cancel()
        if self._is_in:
            self._is_in = False
            self.lines.leave(self._host)


def guarded_line(most: int, most_each: int) -> type[GuardedLine]:
    """The lines of a server, of which there may be so many, and so many from one address."""
    return type("Line", (GuardedLine,), {"lines": Sockets(most, most_each)})


class GuardedSocket(WebSocketsSansIOProtocol):
    """A line that stays open: each ping is answered at once, so whoever sends many, or does not read, has to go."""

    _pings = 0
    _since = 0.0

    def handle_ping(self) -> None:
        """Answer a ping, unless there are too many."""
        now = time.monotonic()
        if now - self._since > 1:
            self._since, self._pings = now, 0
        self._pings += 1
        if self._pings > PINGS_EACH or not self.writable.is_set():
            self.transport.abort()
            return
        super().handle_ping()
