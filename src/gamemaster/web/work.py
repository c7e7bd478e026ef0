"""Heavy work -> other processes: the loop of the server never computes.

A job is a function of `jobs.py` with plain values in and out. It runs in one of a few processes that stay and keep what
they have loaded; one that takes longer than it may is ended together with its process. Quick jobs (a page's board, a
legal move) have processes that slow ones (a search, a check of somebody's rules) cannot take from them, and the boards
of live matches have some that neither can; games that somebody brought have theirs, as nobody knows how long they
take. Who waits is let in in turn with all others: many requests from one address
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
from pathlib import Path
from typing import TypeVar

import anyio
from anyio import BrokenWorkerProcess, CapacityLimiter, to_process

from gamemaster.errors import Busy, LimitExceeded, TooMuch
from gamemaster.games import put_up
from gamemaster.web.settings import SiteSettings

__all__ = ["ASKER", "MOST_WRITTEN", "FairTurns", "Workers"]

Product = TypeVar("Product")

ASKER: ContextVar[str] = ContextVar("ASKER", default="")
"""For whom something is done: the address that asks."""

QUICK_PROCESSES = 2
LIVE_PROCESSES = 2
BROUGHT_PROCESSES, BROUGHT_EACH, BROUGHT_SECONDS = 3, 2, 20.0
WRITING_PROCESSES, WRITING_EACH = 3, 2
"""For texts that people are writing, and how many of them one may have."""

MOST_WRITTEN = 24
"""Questions of one address that run or wait: a page asks one or two at a time, and a class shares one."""

QUICK_SECONDS = 60.0
"""A board is drawn in milliseconds; the first of a large game takes as long as its rules do."""

MEMORY = 6 * 2**30
"""Bytes that a worker may map."""


class FairTurns:
    """So many at once; those who wait are let in in turn, however much one of them asks for."""

    def __init__(self, most: int, most_each: int | None = None) -> None:
        self._free = most
        self._most_each = most_each or most
        """Of them for one who asks, so that others find a place at once."""

        self._inside: Counter[str] = Counter()
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}
        """By who asks; whose turn it is next comes first."""

    @asynccontextmanager
    async def turn(self, asker: str) -> AsyncIterator[None]:
        """Until it is one's turn, and as long as it lasts."""
        await self._wait(asker)
        try:
            yield
        finally:
            self._leave(asker)

    async def _wait(self, asker: str) -> None:
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(asker, deque()).append(turn)
        self._let_in()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # let in just now, by who does not know of it
                self._leave(asker)
            raise

    def _leave(self, asker: str) -> None:
        self._free += 1
        self._inside[asker] -= 1
        self._inside += Counter()  # who has nothing there is forgotten
        self._let_in()

    def _let_in(self) -> None:
        while self._free and (asker := self._next()) is not None:
            turns = self._waiting.pop(asker)
            turn = turns.popleft()
            if turns:
                self._waiting[asker] = turns  # behind all others
            if not turn.done():
                self._free -= 1
                self._inside[asker] += 1
                turn.set_result(None)

    def _next(self) -> str | None:
        """Whose turn it is: the first who has not all that one may have."""
        return next((each for each in self._waiting if self._inside[each] < self._most_each), None)


@dataclass
class Workers:
    """The processes for heavy work."""

    settings: SiteSettings
    _waiting: Counter[str] = field(default_factory=Counter)
    """Slow jobs that run or wait, by who asks."""

    _quick: FairTurns = field(init=False)
    _live: FairTurns = field(init=False)
    _slow: FairTurns = field(init=False)
    _brought: FairTurns = field(init=False)
    _writing: FairTurns = field(init=False)
    _asked: Counter[str] = field(default_factory=Counter)
    """Questions about texts that people are writing, by who asks."""

    def open(self) -> None:
        """Get ready, on the loop that will ask."""
        self._quick = FairTurns(QUICK_PROCESSES)
        self._live = FairTurns(LIVE_PROCESSES)
        self._slow = FairTurns(self.settings.most_thinking)
        self._brought = FairTurns(BROUGHT_PROCESSES, BROUGHT_EACH)
        self._writing = FairTurns(WRITING_PROCESSES, WRITING_EACH)

    async def start(self, job: Callable[..., object], *arguments: object) -> None:
        """Have all quick processes do something at once, so that they are there when somebody comes."""
        async with anyio.create_task_group() as group:
            for _ in range(QUICK_PROCESSES):
                group.start_soon(self.quick, job, *arguments)
            for number in range(LIVE_PROCESSES):
                group.start_soon(self.live, str(number), job, *arguments)

    async def quick(self, job: Callable[..., Product], *arguments: object) -> Product:
        """What a job gives that hardly takes time; a GamemasterError is raised here as it was there."""
        if _is_brought(arguments):
            return await self._run(job, arguments, self._brought, ASKER.get(), BROUGHT_SECONDS)
        return await self._run(job, arguments, self._quick, ASKER.get(), QUICK_SECONDS)

    async def live(self, match: str, job: Callable[..., Product], *arguments: object) -> Product:
        """The same for those who watch a match; matches take turns, and pages take nothing from them."""
        if _is_brought(arguments):
            return await self._run(job, arguments, self._brought, match, BROUGHT_SECONDS)
        return await self._run(job, arguments, self._live, match, QUICK_SECONDS)

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
            return await self._run(job, arguments, self._slow, asker, seconds)
        finally:
            self._waiting[asker] -= 1
            self._waiting += Counter()  # who has nothing there is forgotten

    async def writing(self, job: Callable[..., Product], *arguments: object, seconds: float) -> Product:
        """What a job gives about rules that somebody is writing; LimitExceeded where it takes more seconds.

        Rules that take all they may keep nobody from a board, nor anybody else from writing.
        """
        asker = ASKER.get()
        if self._asked[asker] >= MOST_WRITTEN:
            raise TooMuch("too many questions of yours are waiting; try again in a moment")
        self._asked[asker] += 1
        try:
            return await self._run(job, arguments, self._writing, asker, seconds)
        finally:
            self._asked[asker] -= 1
            self._asked += Counter()

    @property
    def waiting(self) -> int:
        """How many slow jobs run or wait."""
        return self._waiting.total()

    async def _run(
        self,
        job: Callable[..., Product],
        arguments: tuple[object, ...],
        turns: FairTurns,
        asker: str,
        seconds: float,
    ) -> Product:
        async with turns.turn(asker):
            with anyio.move_on_after(None if seconds == math.inf else seconds):
                # It has its turn already: the limiter only has to let it pass.
                call = partial(_limited, self.settings.shelves, job, *arguments)
                try:
                    return await to_process.run_sync(call, cancellable=True, limiter=CapacityLimiter(1))
                except BrokenWorkerProcess:
                    raise Busy("what worked on this has ended before it was done; try again") from None
                except (MemoryError, RecursionError):
                    raise LimitExceeded("memory", f"{MEMORY:,} bytes", doing="working it out") from None
        raise LimitExceeded("time", f"{seconds:g} s", doing="working it out")


def _is_brought(arguments: tuple[object, ...]) -> bool:
    """Whether a job is about a game that somebody brought: its name comes first."""
    first = arguments[0] if arguments else ""
    return str(getattr(first, "game", first)).startswith("@")


# In the other process


def _limited(shelves: tuple[Path, ...], job: Callable[..., Product], *arguments: object) -> Product:
    """Run a job within bounds; what is set stays for the next one."""
    put_up(*shelves)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
    return job(*arguments)
