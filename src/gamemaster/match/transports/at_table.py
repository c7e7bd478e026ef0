"""A player within this process at a table with people: it thinks when it is its turn, and is waited for with patience.

People take their time, so such a match has no clock; each player has its own, which runs while it thinks. It may take
longer than that: a busy machine shall not cost it its move. One that comes to no end is left alone in its thread when
its time has long passed, or when somebody loses patience. Where a match goes on from an earlier state, a player that
follows states is put there, and does not get ready again.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import TypeAlias

from gamemaster.machine.game import Game
from gamemaster.match.request import Failure, Reply, Request
from gamemaster.match.transports.in_process import InProcess
from gamemaster.match.transports.transport import Deliver
from gamemaster.players.given import Filled
from gamemaster.players.player import Handlers, Player

__all__ = ["AtTable", "Turn"]

PATIENCE = 10.0
"""Seconds that a player may take longer than it has. One that was given up, and has not come back, gets no more than it
has."""

Turn: TypeAlias = Callable[["AtTable"], AbstractAsyncContextManager[bool]]
"""The time in which a player may think: entered when everybody before it has chosen. Whether it has a move to make."""


class AtTable(InProcess):
    """A player that has got ready, and is asked for moves in its turn; `seconds` is what it has for each."""

    answers_always = True

    def __init__(self, player: Handlers, name: str, seconds: float, turn: Turn) -> None:
        super().__init__(player, name)
        self.seconds = seconds
        self.is_kept = False
        """Whether the match is only left to go on from an earlier state: the player hears nothing of it."""

        self.is_given_up = False
        """Whether its last answer was waited for in vain."""

        self._turn = turn
        self._asking: asyncio.Future[None] | None = None
        self._answer: asyncio.Future[Reply | Failure | None] | None = None
        self._deadline = 0.0
        self._asked = self._done = self._given_up = 0
        """The numbers of the last messages to play that it was asked, that it answered, and that it was given up on."""

    @property
    def is_busy(self) -> bool:
        """Whether it is still at something that nobody waits for any more."""
        return self._waiting > 0

    @property
    def can_go_back(self) -> bool:
        """Whether it can be put into an earlier state: one that keeps books of its own cannot, nor one that is busy."""
        return self._follower is not None and not self.is_busy

    @property
    def _follower(self) -> Player | None:
        """The player, where it follows the states of the match."""
        player = self.player.player if isinstance(self.player, Filled) else self.player
        return player if isinstance(player, Player) else None

    def lose_patience(self) -> bool:
        """Wait for its answer no longer, if its time is over; whether that is so."""
        if self._answer is None or self._answer.done() or time.monotonic() < self._deadline:
            return False
        self._answer.set_result(None)
        return True

    async def open(self, deliver: Deliver) -> None:
        """Start the thread."""
        self.is_kept = False
        await super().open(deliver)

    def send(self, request: Request) -> str:
        """Have it play in its turn; what else it is told goes to its thread, if it is there to be told."""
        if request.kind == "play":
            self._asking = asyncio.ensure_future(self._play(request))
        elif request.kind == "start":
            self._go_back(request)
            self._deliver(time.monotonic(), Reply(request.number, "ready", "ready"))
        elif self.is_busy or self.is_kept:
            self._deliver(time.monotonic(), Reply(request.number, None))
        else:
            super().send(request)
        return str(request)

    async def close(self) -> None:
        """Wait for nothing any more."""
        if self._asking is not None:
            self._asking.cancel()
        await super().close()

    def _go_back(self, request: Request) -> None:
        """Put a player that has played already into the state from which the match goes on."""
        follower, game, place = self._follower, request.rules, request.position
        if self._asked and follower is not None and isinstance(game, Game):
            follower.resume(game.initial_state() if place is None else game.state(place.facts, place.step))
        self._asked = self._done = self._given_up = 0

    async def _play(self, request: Request) -> None:
        async with self._turn(self) as has_moves:
            reply = await self._awaited(request, is_patient=has_moves and self._done >= self._given_up)
            if reply is None and has_moves:
                self._given_up = request.number
            self.is_given_up = reply is None
        late = Failure(request.number, "late", f"no move after {self._passed:.1f} s")
        self._deliver(time.monotonic(), reply or late)

    async def _awaited(self, request: Request, *, is_patient: bool) -> Reply | Failure | None:
        """Its answer, None where there is none in time."""
        self._asked, self._answer = request.number, asyncio.get_running_loop().create_future()
        self._deadline = time.monotonic() + self.seconds
        super().send(request)
        try:
            async with asyncio.timeout(self.seconds + PATIENCE * is_patient):
                return await self._answer
        except TimeoutError:
            return None

    @property
    def _passed(self) -> float:
        """How long it has been thinking."""
        return time.monotonic() - self._deadline + self.seconds

    def _hand_on(self, now: float, reply: Reply | Failure) -> None:
        """An answer that is waited for; those to earlier messages to play come too late."""
        self._waiting -= 1
        number = reply.number or 0
        if number > self._asked:
            self._deliver(now, reply)
            return
        self._done = number
        if number == self._asked and self._answer is not None and not self._answer.done():
            self._answer.set_result(reply)
