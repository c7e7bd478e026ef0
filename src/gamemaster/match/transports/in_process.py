"""A player within this process: its handlers are called in a thread of its own.

Between two requests it thinks on only where it `ponders`: where those that it plays against compute elsewhere.
A handler that does not return is left alone in its thread, which does not keep the process from ending; its later
requests wait behind it, and the clock runs out on them.
"""

from __future__ import annotations

import asyncio
import queue
import threading
import time

from gamemaster.match.request import Failure, Reply, Request
from gamemaster.match.transports.calling import call_handler, failure_of, let_ponder, put_to_rest
from gamemaster.match.transports.overhearing import tell_trace
from gamemaster.match.transports.transport import Deliver, Transport
from gamemaster.players.player import Handlers

__all__ = ["InProcess"]

JOIN_SECONDS = 0.5
"""How long to wait at the end for a thread that has nothing left to do."""


class InProcess(Transport):
    """A player's handlers, called in a thread."""

    def __init__(self, player: Handlers, name: str, *, ponders: bool = False) -> None:
        self.player = player
        if ponders:
            let_ponder(player)
        self.name = name
        self._requests: queue.SimpleQueue[Request | None] = queue.SimpleQueue()
        self._waiting = 0
        self._has_failed = False
        self._thread: threading.Thread | None = None

    async def open(self, deliver: Deliver) -> None:
        """Start the thread."""
        self._loop = asyncio.get_running_loop()
        self._deliver = deliver
        self._thread = threading.Thread(target=self._work, name=f"player {self.name}", daemon=True)
        self._thread.start()

    def send(self, request: Request) -> str:
        """Leave the request to the thread."""
        self._waiting += 1
        self._requests.put(request)
        return str(request)

    def give_up(self, number: int) -> None:
        """Nothing: what comes later is told apart by its number."""

    async def close(self) -> None:
        """End the thread, or leave it where a handler does not return."""
        self._requests.put(None)
        if self._thread is not None and not self._waiting:
            self._thread.join(JOIN_SECONDS)

    @property
    def is_working(self) -> bool:
        """Whether its thread is still there."""
        return self._thread is not None and self._thread.is_alive()

    def _work(self) -> None:
        try:
            self._answer_all()
        finally:
            put_to_rest(self.player)

    def _answer_all(self) -> None:
        while (request := self._requests.get()) is not None:
            reply = self._ask(request)
            now = time.monotonic()
            try:
                self._loop.call_soon_threadsafe(self._hand_on, now, reply)
            except RuntimeError:  # the loop is closed: the match is long over
                return

    def _ask(self, request: Request) -> Reply | Failure:
        try:
            reply = call_handler(self.player, request)
        except KeyboardInterrupt as error:  # nobody interrupts a thread: it is the player's own
            reply = failure_of(request.number, error)
        if isinstance(reply, Failure) and reply.trace and not self._has_failed:
            self._has_failed = True  # its author sees the whole of it once
            self.tell_trace(reply.trace)
        return reply

    def tell_trace(self, trace: str) -> None:
        """Show where its code failed."""
        tell_trace(self.name, trace)

    def _hand_on(self, now: float, reply: Reply | Failure) -> None:
        self._waiting -= 1
        self._deliver(now, reply)
