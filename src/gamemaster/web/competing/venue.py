"""Where matches of a competition run: processes of this machine, each of which has a place in the room for players.

Whoever leaves lets the matches that are under way come to their ends, and begins no more: a player at an address that
is left in the middle would wait for a move that nobody asks for. What does not run yet is not run.
"""

from __future__ import annotations

import asyncio
import contextlib
import resource
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar, cast

from gamemaster.arena.orders import MatchOrder, MatchReport, line_to, play_order
from gamemaster.arena.workers.processes import Processes
from gamemaster.match.referee import NOT_BEGUN
from gamemaster.match.transports.finding import is_address
from gamemaster.match.transports.http_client import HttpPlayer
from gamemaster.match.transports.transport import Transport
from gamemaster.players.loading import is_of_library
from gamemaster.web.live.room import Room
from gamemaster.web.roster.files import PlayerFiles
from gamemaster.web.roster.specs import veiled_address, veiled_file

__all__ = ["RoomyWorkers"]

Given = TypeVar("Given")
Product = TypeVar("Product")

ASKER = "competitions"
"""To the room all competitions are one who asks."""

MEMORY = 6 * 2**30
"""Bytes that a process may map in which a match runs."""

BUSY_SECONDS = 20.0
"""Before a player that is busy is asked again: one whose manager was killed waits for it for a while."""


class RoomyWorkers:
    """Workers that are processes with places in a room. The loop lets them in, and another thread asks for them."""

    def __init__(self, loop: asyncio.AbstractEventLoop, room: Room, places: int) -> None:
        self.places = places
        self.under_way: set[int] = set()
        """The numbers of matches that are being played."""

        self._loop, self._room = loop, room
        self._processes = Processes(places)
        # A process ends with the thread that started it, so this one stays as long as they do.
        self._starter = ThreadPoolExecutor(1, "competition")
        self._tasks: set[asyncio.Task[None]] = set()
        self._is_leaving = False

    def submit(self, call: Callable[[Given], Product], value: Given) -> Future[Product]:
        """Have a match played as soon as there is room; called by the thread that runs the competition."""
        promised: Future[Any] = Future()
        order = cast("MatchOrder", value)
        self._loop.call_soon_threadsafe(self._begin, order, promised)
        return promised

    def _begin(self, order: MatchOrder, promised: Future[MatchReport]) -> None:
        if not self._is_leaving:
            task = self._loop.create_task(self._play(order, promised))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _play(self, order: MatchOrder, promised: Future[MatchReport]) -> None:
        try:
            async with self._room.places(_processes_of(order), lambda _: None, ASKER):
                if self._is_leaving:
                    return
                self.under_way.add(order.fixture.number)
                try:
                    report = await self._report(order)
                finally:
                    self.under_way.discard(order.fixture.number)
            if report.outcome.how == NOT_BEGUN and any(map(is_address, order.players)):
                await asyncio.sleep(BUSY_SECONDS + order.settings.start_clock)
            promised.set_result(report)
        except Exception as error:  # whoever asked decides what becomes of it
            promised.set_exception(error)

    async def _report(self, order: MatchOrder) -> MatchReport:
        running = await self._loop.run_in_executor(
            self._starter, self._processes.submit, play_within_bounds, order
        )
        return await asyncio.wrap_future(running)

    def leave(self) -> None:
        """Begin no more matches; on the loop."""
        self._is_leaving = True

    @property
    def is_idle(self) -> bool:
        """Whether nothing is played any more, and nothing will be."""
        return self._is_leaving and not self.under_way

    async def leave_at_once(self) -> None:
        """End all that runs; what was being played is not played."""
        self.leave()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self.under_way.clear()

    def close(self) -> None:
        """Leave nothing of the processes."""
        with contextlib.suppress(RuntimeError):
            self._starter.submit(self._processes.close).result()
        self._starter.shutdown()


def _processes_of(order: MatchOrder) -> int:
    """How many processes a match takes: its own, and those of players that have one each."""
    if order.settings.counts_cpu:
        return 1 + len(order.players)
    return 1 + sum(not is_address(player) and not is_of_library(player) for player in order.players)


# In the other process


def play_within_bounds(order: MatchOrder) -> MatchReport:
    """Play a match with no more memory than it may have; what is set stays for the next one."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
    return play_order(order, _site_line)


def _site_line(order: MatchOrder, player: str, entrant: str, seed: int) -> Transport:
    """A line to a player; of somebody's own nobody is told where it is, and a file sees nothing of the site."""
    if is_address(player):
        return HttpPlayer(player) if entrant == player else veiled_address(player, entrant)
    if is_of_library(player):
        return line_to(order, player, entrant, seed)
    path = Path(player)
    return veiled_file(PlayerFiles(path.parents[2]), path.parent.name, entrant, seed)
