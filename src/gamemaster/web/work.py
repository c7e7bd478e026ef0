"""Heavy work -> other processes: the loop of the server never computes.

A job is a function of `jobs.py` with plain values in and out. It runs in one of a few processes that stay and keep what
they have loaded; one that takes longer than it may is ended together with its process. Quick jobs (a page's board, a
legal move) have processes that slow ones (a search, a check of somebody's rules) cannot take from them, and the boards
of live matches have some that neither can. Who waits is let in in turn with all others: many requests from one address
are behind each other, and not before somebody else's.
"""

from __future__ import annotations

import asyncio
import math
import resource
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

import anyio
from anyio import BrokenWorkerProcess, CapacityLimiter, to_process

from gamemaster.errors import Busy, LimitExceeded, TooMuch
from gamemaster.web.settings import SiteSettings

__all__ = ["ASKER", "FairTurns", "Workers"]

Product = TypeVar("Product")

ASKER: ContextVar[str] = ContextVar("ASKER", default="")
"""For whom something is done: the address that asks."""

QUICK_PROCESSES = 2
LIVE_PROCESSES = 2
QUICK_SECONDS = 60.0
"""A board is drawn in milliseconds; the first of a large game takes as long as its rules do."""

MEMORY = 6 * 2**30
"""Bytes that a worker may map."""


class FairTurns:
    """So many at once; those who wait are let in in turn, however much one of them asks for."""

    def __init__(self, most: int) -> None:
        self._free = most
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}
        """By who asks; whose turn it is next comes first."""

    @asynccontextmanager
    async def turn(self, asker: str) -> AsyncIterator[None]:
        """Until it is one's turn, and as long as it lasts."""
        await self._wait(asker)
        try:
            yield
        finally:
            self._free += 1
            self._let_in()

    async def _wait(self, asker: str) -> None:
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(asker, deque()).append(turn)
        self._let_in()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # let in just now, by who does not know of it
                self._free += 1
                self._let_in()
            raise

    def _let_in(self) -> None:
        while self._free and self._waiting:
            asker = next(iter(self._waiting))
            turns = self._waiting.pop(asker)
            turn = turns.popleft()
            if turns:
                self._waiting[asker] = turns  # behind all others
            if not turn.done():
                self._free -= 1
                turn.set_result(None)


@dataclass
class Workers:
    """The processes for heavy work."""

    settings: SiteSettings
    _waiting: Counter[str] = field(default_factory=Counter)
    """Slow jobs that run or wait, by who asks."""

    _quick: FairTurns = field(init=False)
    _live: FairTurns = field(init=False)
    _slow: FairTurns = field(init=False)

    def open(self) -> None:
        """Get ready, on the loop that will ask."""
        self._quick = FairTurns(QUICK_PROCESSES)
        self._live = FairTurns(LIVE_PROCESSES)
        self._slow = FairTurns(self.settings.most_thinking)

    async def start(self, job: Callable[..., object], *arguments: object) -> None:
        """Have all quick processes do something at once, so that they are there when somebody comes."""
        async with anyio.create_task_group() as group:
            for _ in range(QUICK_PROCESSES):
                group.start_soon(self.quick, job, *arguments)
            for number in range(LIVE_PROCESSES):
                group.start_soon(self.live, str(number), job, *arguments)

    async def quick(self, job: Callable[..., Product], *arguments: object) -> Product:
        """What a job gives that hardly takes time; a GamemasterError is raised here as it was there."""
        return await _run(job, arguments, self._quick, ASKER.get(), QUICK_SECONDS)

    async def live(self, match: str, job: Callable[..., Product], *arguments: object) -> Product:
        """The same for those who watch a match; matches take turns, and pages take nothing from them."""
        return await _run(job, arguments, self._live, match, QUICK_SECONDS)

    async def slow(self, job: Callable[..., Product], *arguments: object, seconds: float) -> Product:
        """What a job gives that may take so many seconds; Busy where too many wait, LimitExceeded where it is over.

        Half of the places at most are for one who asks, so that there are some for others.
        """
        most, asker = self.settings.most_waiting + self.settings.most_thinking, ASKER.get()
        if self.waiting >= most:
            raise Busy("too many searches and checks are waiting; try again in a moment")
        if self._waiting[asker] >= most // 2:
            raise TooMuch("too many searches and checks of yours are waiting; try again in a moment")
        self._waiting[asker] += 1
        try:
            return await _run(job, arguments, self._slow, asker, seconds)
        finally:
            self._waiting[asker] -= 1
            self._waiting += Counter()  # who has nothing there is forgotten

    @property
    def waiting(self) -> int:
        """How many slow jobs run or wait."""
        return self._waiting.total()


async def _run(
    job: Callable[..., Product],
    arguments: tuple[object, ...],
    turns: FairTurns,
    asker: str,
    seconds: float,
) -> Product:
    async with turns.turn(asker):
        with anyio.move_on_after(None if seconds == math.inf else seconds):
            # It has its turn already: the limiter only has to let it pass.
            call = partial(_limited, job, *arguments)
            try:
                return await to_process.run_sync(call, cancellable=True, limiter=CapacityLimiter(1))
            except BrokenWorkerProcess:
                raise Busy("what worked on this has ended before it was done; try again") from None
            except (MemoryError, RecursionError):
                raise LimitExceeded("memory", f"{MEMORY:,} bytes", doing="working it out") from None
    raise LimitExceeded("time", f"{seconds:g} s", doing="working it out")


# In the other process


def _limited(job: Callable[..., Product], *arguments: object) -> Product:
    """Run a job within bounds; what is set stays for the next one."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
    return job(*arguments)
