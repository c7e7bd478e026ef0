"""A person at a screen: whoever shows them the match is asked for their move, and takes as long as they take.

`ask` gets the request, shows it in its own way, and gives back what the person wants: a move, or its text. What that
means is judged as with any other player. Where the clock runs out on a person the question is taken back.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeAlias

from gamemaster.match.request import Reply, Request
from gamemaster.match.transports.calling import reply_of
from gamemaster.match.transports.transport import Deliver, Transport

__all__ = ["Ask", "Person"]

Ask: TypeAlias = Callable[[Request], Awaitable[object]]
"""A request to play -> the move, or None where the person has none to make."""


class Person(Transport):
    """A person, who is asked for moves and for nothing else."""

    def __init__(self, name: str, ask: Ask) -> None:
        self.name = name
        self._ask = ask
        self._number = 0
        self._question: asyncio.Future[None] | None = None

    async def open(self, deliver: Deliver) -> None:
        """Nothing is to be opened."""
        self._deliver = deliver

    def send(self, request: Request) -> str:
        """Ask for a move; everything else is answered for the person."""
        if request.kind == "play":
            self._number = request.number
            self._question = asyncio.ensure_future(self._answer(request))
        else:
            value = "ready" if request.kind in ("ping", "start") else None
            self._deliver(time.monotonic(), Reply(request.number, value, value or ""))
        return str(request)

    async def _answer(self, request: Request) -> None:
        reply = reply_of(request.number, await self._ask(request))
        self._deliver(time.monotonic(), reply)

    def give_up(self, number: int) -> None:
        """Take the question back."""
        if self._question is not None and number == self._number:
            self._question.cancel()

    async def close(self) -> None:
        """Ask nothing any more."""
        if self._question is not None:
            self._question.cancel()
