"""Room for players' processes: so many at once, the others in the order of coming, and they are told."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest

from gamemaster.errors import Busy
from gamemaster.web.live.room import Room


class Guest:
    """A match that wants places, and stays until it is told to go."""

    def __init__(self, room: Room, count: int) -> None:
        self.told: list[int] = []
        self.is_in = False
        self.go = asyncio.Event()
        self.task = asyncio.create_task(self._stay(room, count))

    async def _stay(self, room: Room, count: int) -> None:
        async with room.places(count, self.told.append):
            self.is_in = True
            await self.go.wait()
        self.is_in = False

    async def leave(self) -> None:
        self.go.set()
        await self.task
        await settled()


async def settled() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


def run(scene: Coroutine[Any, Any, None]) -> None:
    asyncio.run(scene)


def test_who_finds_no_room_waits_in_the_order_of_coming() -> None:
    async def scene() -> None:
        room = Room(4)
        first, second, third, fourth = (Guest(room, count) for count in (2, 2, 2, 1))
        await settled()
        assert [guest.is_in for guest in (first, second, third, fourth)] == [True, True, False, False]
        assert (third.told[-1], fourth.told[-1]) == (0, 1)
        assert room.taken == 4
        await first.leave()
        assert third.is_in
        assert not fourth.is_in
        assert fourth.told[-1] == 0
        await third.leave()
        assert fourth.is_in
        await second.leave()
        await fourth.leave()
        assert room.taken == 0

    run(scene())


def test_a_small_one_does_not_overtake_a_large_one() -> None:
    async def scene() -> None:
        room = Room(4)
        first = Guest(room, 3)
        await settled()
        large, small = Guest(room, 4), Guest(room, 1)
        await settled()
        assert not large.is_in
        assert not small.is_in
        await first.leave()
        assert large.is_in
        assert not small.is_in
        await large.leave()
        assert small.is_in
        await small.leave()

    run(scene())


def test_whoever_needs_no_process_still_comes_in_turn() -> None:
    async def scene() -> None:
        room = Room(1)
        guests = [Guest(room, 0) for _ in range(3)]
        await settled()
        assert all(guest.is_in for guest in guests)
        for guest in guests:
            await guest.leave()
        assert room.taken == 0

    run(scene())


def test_more_than_there_can_ever_be_is_refused_at_once() -> None:
    async def scene() -> None:
        room = Room(2)
        with pytest.raises(Busy, match=r"3 players' processes .* room for 2"):
            async with room.places(3, lambda _: None):
                raise AssertionError
        assert room.taken == 0

    run(scene())


def test_who_leaves_the_queue_lets_the_others_move_up() -> None:
    async def scene() -> None:
        room = Room(2)
        first, second, third = (Guest(room, 2) for _ in range(3))
        await settled()
        second.task.cancel()
        await settled()
        assert third.told == [1, 0]
        await first.leave()
        assert third.is_in
        await third.leave()
        assert room.taken == 0
        assert second.task.cancelled()

    run(scene())


def test_who_is_cancelled_in_the_moment_of_being_let_in_takes_no_place() -> None:
    async def scene() -> None:
        room = Room(2)
        first, second, third = (Guest(room, 2) for _ in range(3))
        await settled()
        first.go.set()
        while len(room._queue) == 2:
            await asyncio.sleep(0)
        assert not second.is_in  # it has its place already, and does not know it yet
        second.task.cancel()
        await settled()
        assert third.is_in
        assert room.taken == 2
        await third.leave()
        assert room.taken == 0

    run(scene())


def test_what_goes_wrong_inside_gives_the_places_back() -> None:
    async def scene() -> None:
        room = Room(2)
        with pytest.raises(ZeroDivisionError):
            async with room.places(2, lambda _: None):
                raise ZeroDivisionError
        assert room.taken == 0

    run(scene())
