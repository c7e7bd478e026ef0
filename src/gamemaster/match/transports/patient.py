"""A player at a table with people, over any line: the match may have no clock, and its own is waited for with patience.

What it is told of clocks is in the requests. Where no answer has come long after its own clock, it is given up, so that
people do not wait for ever for one that has come to no end.
"""

from __future__ import annotations

import asyncio
import time

from gamemaster.match.request import Failure, Reply, Request
from gamemaster.match.transports.transport import Deliver, Transport

__all__ = ["Patient"]

PATIENCE = 15.0
"""Seconds that a player may take longer than it has: a busy machine shall not cost it its move."""


class Patient(Transport):
    """Another line, and an end to waiting."""

    def __init__(self, line: Transport, patience: float = PATIENCE) -> None:
        self.line = line
        self.name = line.name
        self._patience = patience
        self._waiting: dict[int, asyncio.TimerHandle] = {}

    async def open(self, deliver: Deliver) -> None:
        """Open the line."""
        self._deliver = deliver
        await self.line.open(self._hand_on)

    def send(self, request: Request) -> str:
        """Hand the request over, and look at the clock."""
        if request.kind == "play":
            seconds = request.play_clock + self._patience
            loop = asyncio.get_running_loop()
            self._waiting[request.number] = loop.call_later(seconds, self._lose, request.number, seconds)
        return self.line.send(request)

    def give_up(self, number: int) -> None:
        """The clock of the match has run out."""
        self._forget(number)
        self.line.give_up(number)

    async def close(self) -> None:
        """Close the line."""
        for number in list(self._waiting):
            self._forget(number)
        await self.line.close()

    def _hand_on(self, when: float, reply: Reply | Failure) -> None:
        if reply.number is not None:
            self._forget(reply.number)
        self._deliver(when, reply)

    def _lose(self, number: int, seconds: float) -> None:
        self._forget(number)
        self.line.give_up(number)
        self._deliver(time.monotonic(), Failure(number, "crashed", f"no answer in {seconds:g} s"))

    def _forget(self, number: int) -> None:
        timer = self._waiting.pop(number, None)
        if timer is not None:
            timer.cancel()
