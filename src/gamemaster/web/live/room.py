"""How many players' processes there are at once: who finds no room waits, in turn with others, and can be told."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from gamemaster.errors import Busy

__all__ = ["Room"]


@dataclass(eq=False)
class _Waiting:
    count: int
    asker: str
    has_room: asyncio.Event
    tell: Callable[[int], None]


@dataclass
class Room:
    """So many processes, of which one asker has no more than a part while it could be others' as well."""

    most: int
    _taken: Counter[str] = field(default_factory=Counter)
    """By who asks."""

    _queue: list[_Waiting] = field(default_factory=list)

    @property
    def taken(self) -> int:
        """How many places are taken."""
        return sum(self._taken.values())

    @property
    def is_wanted(self) -> bool:
        """Whether somebody waits."""
        return bool(self._queue)

    @property
    def most_each(self) -> int:
        """How many places one asker gets."""
        return max(1, self.most * 3 // 4)

    @asynccontextmanager
    async def places(self, count: int, tell: Callable[[int], None], asker: str = "") -> AsyncIterator[None]:
        """Room for so many; `tell` hears how many are before, whenever that changes."""
        if count > self.most:
            raise Busy(f"{count} players' processes for one match; this server has room for {self.most}")
        waiting = _Waiting(count, asker, asyncio.Event(), tell)
        await self._wait(waiting)
        try:
            yield
        finally:
            self._give_back(waiting)

    async def _wait(self, waiting: _Waiting) -> None:
        self._queue.append(waiting)
        self._let_in()
        try:
            await waiting.has_room.wait()
        except BaseException:
            if waiting.has_room.is_set():
                self._give_back(waiting)
            else:
                self._queue.remove(waiting)
                self._let_in()
            raise

    def _give_back(self, waiting: _Waiting) -> None:
        self._taken[waiting.asker] -= waiting.count
        if not self._taken[waiting.asker]:
            del self._taken[waiting.asker]
        self._let_in()

    def _let_in(self) -> None:
        """Whoever has least comes first, then whoever came first."""
        while waiting := next(iter(self._in_turn()), None):
            if self.taken + waiting.count > self.most:
                break
            self._queue.remove(waiting)
            self._taken[waiting.asker] += waiting.count
            waiting.has_room.set()
        for before, waiting in enumerate(self._in_turn()):
            waiting.tell(before)

    def _in_turn(self) -> list[_Waiting]:
        """Those who wait, in the order in which they are let in; who has its part already is not among them."""
        fitting = [each for each in self._queue if self._has_part_left(each)]
        return sorted(fitting, key=lambda each: self._taken[each.asker])

    def _has_part_left(self, waiting: _Waiting) -> bool:
        own = self._taken[waiting.asker]
        return not (own and waiting.asker) or own + waiting.count <= self.most_each
