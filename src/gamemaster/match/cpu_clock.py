"""A match whose clocks run only while players compute: on a busy machine nobody is late because others work there.

The clock of the match stands still but for those who are waited for, and goes on by what the least of them has computed
since it was asked. A player that neither answers nor computes is given up in the end; of one whose computing nobody can
tell, at an address or in this process, all time counts.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Mapping
from typing import Any

from gamemaster.machine.game import Game
from gamemaster.match.manager import Manager
from gamemaster.match.request import Failure, Reply, Request
from gamemaster.match.settings import Settings
from gamemaster.match.transports.transport import Transport

__all__ = ["CpuManager", "manager_for"]

LOOK_SECONDS = 0.02
"""How long between two looks at what players have computed."""

STRETCH = 20.0
"""A player that does not compute has so many times as long."""


class CpuManager(Manager):
    """A manager whose clock counts what players compute."""

    def __init__(self, game: Game, transports: Mapping[str, Transport], *rest: Any, **more: Any) -> None:
        super().__init__(game, transports, *rest, **more)
        self._time = 0.0
        self._asked: dict[str, tuple[float, float, float | None]] = {}
        """Who is waited for: since when, on the clock of the match and on any other, and what it had computed."""

    def _now(self) -> float:
        waited = self._waited
        if waited:
            self._time = max(self._time, min(map(self._time_of, waited)))
        return self._time

    @property
    def _waited(self) -> list[str]:
        """Those who have been asked, and are waited for."""
        return [role for role in self.referee.awaited if role in self._asked]

    def _time_of(self, role: str) -> float:
        """The time on the clock of one who is waited for."""
        asked, since, before = self._asked[role]
        passed = time.monotonic() - since
        computed = None if before is None else self.transports[role].cpu_seconds()
        if before is None or computed is None:
            return asked + passed
        return asked + min(passed, max(computed - before, passed / STRETCH))

    async def _open(self, role: str) -> None:
        def deliver(when: float, reply: Reply | Failure) -> None:
            del when
            is_asked = role in self._asked and reply.number in (None, self.referee.number)
            now = self._time_of(role) if is_asked else self._now()
            if is_asked:
                del self._asked[role]
            self._news.put_nowait((now, role, reply))
            self._is_woken.set()

        await self.transports[role].open(deliver)

    def _send_one(self, request: Request) -> None:
        before = self.transports[request.role].cpu_seconds()
        self._asked.pop(request.role, None)
        super()._send_one(request)
        self._asked[request.role] = (self._time, time.monotonic(), before)

    async def _wait(self) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LOOK_SECONDS):
                await self._is_woken.wait()
        self._is_woken.clear()

    def _take_news(self) -> None:
        """What has come; who took too long is told so when nobody else is waited for who still has time."""
        news = []
        while not self._news.empty():
            news.append(self._news.get_nowait())
        deadline = self.referee.deadline
        for when, role, reply in sorted(news, key=lambda item: item[0]):
            is_late = deadline is not None and when > deadline
            if is_late and any(self._time_of(other) < when for other in self._waited):
                self._news.put_nowait((when, role, reply))
                continue
            self._time = max(self._time, when)
            self.referee.receive(when, role, reply)
            self._send()


def manager_for(game: Game, transports: Mapping[str, Transport], settings: Settings, **more: Any) -> Manager:
    """The manager of a match, by the clocks that its settings ask for."""
    kind = CpuManager if settings.counts_cpu else Manager
    return kind(game, transports, settings, **more)
