"""Transport: the line to one player.

`send` never waits: it hands the request over and returns its text. What the player says, whenever it says it, goes to
`deliver` with the time of its arrival, on the thread of the event loop. A transport does not judge: it
keeps no clock of the match, but when the referee gives a player up (`give_up`), it may let go of what it holds for it.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar

from gamemaster.match.request import MOST_REPLIES, Failure, Reply, Request

__all__ = ["MAX_REPLY", "Allowance", "Deliver", "Transport"]

MAX_REPLY = 64 * 1024
"""The bytes of the largest reply: moves are short."""

Deliver = Callable[[float, Reply | Failure], None]
"""deliver(when, reply): `when` is on the clock of time.monotonic."""


class Allowance:
    """How many replies are still taken from a player that can say as many as it likes; each message renews it.

    One that says more is not read until the next message: what it sends fills its own line, and then it waits.
    """

    def __init__(self) -> None:
        self.left = MOST_REPLIES
        self._is_renewed = asyncio.Event()

    def renew(self) -> None:
        """A message has been sent."""
        self.left = MOST_REPLIES
        self._is_renewed.set()

    def take(self) -> None:
        """A reply has been taken."""
        self.left -= 1

    async def wait(self) -> None:
        """Until a reply may be taken."""
        while self.left <= 0:
            self._is_renewed.clear()
            await self._is_renewed.wait()


class Transport(ABC):
    """The line to one player, known by `name`."""

    answers_always: ClassVar[bool] = False
    """Whether the player answers `play` also where it has no move."""

    name: str

    @abstractmethod
    async def open(self, deliver: Deliver) -> None:
        """Get ready to send."""

    @abstractmethod
    def send(self, request: Request) -> str:
        """Hand a request over; the text as it goes over the line."""

    @abstractmethod
    def give_up(self, number: int) -> None:
        """The clock for the request of that number has run out."""

    def cpu_seconds(self) -> float | None:
        """How long the player has computed so far; None where nobody can tell."""
        return None

    @abstractmethod
    async def close(self) -> None:
        """Let go of everything: no process, thread or connection stays."""
