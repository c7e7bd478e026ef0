"""Where matches of a competition run: with a place in the room each, and left in order."""

from __future__ import annotations

import asyncio

import pytest

from gamemaster.arena.competition import Competition, Entrant
from gamemaster.arena.fixtures import Fixture
from gamemaster.arena.orders import MatchOrder, Rulebook, order_of, play_order
from gamemaster.errors import Busy
from gamemaster.load import load
from gamemaster.web.competing.venue import RoomyWorkers
from gamemaster.web.live.room import Room

MADE = Competition(("nim",), (Entrant("random", "random"), Entrant("legal", "legal")))


def order(number: int = 0) -> MatchOrder:
    fixture = Fixture(number, 0, "nim", ("random", "legal"), 7, 0)
    return order_of(fixture, MADE, Rulebook.of("nim", load("nim", "reference")), {})


def test_a_match_waits_for_room_and_is_played_as_it_is_anywhere() -> None:
    expected = play_order(order()).outcome.goals

    async def run() -> None:
        room = Room(2)
        workers = RoomyWorkers(asyncio.get_running_loop(), room, 1)
        try:
            async with room.places(2, lambda _: None):
                promised = workers.submit(play_order, order())
                await asyncio.sleep(0.05)
                assert not workers.under_way
            report = await asyncio.wrap_future(promised)
            assert report.outcome.goals == expected
            assert not workers.is_idle
            workers.leave()
            assert workers.is_idle
            late = workers.submit(play_order, order(1))
            await asyncio.sleep(0.05)
            assert not late.done()
        finally:
            workers.close()

    asyncio.run(run())


def test_what_is_under_way_is_ended_at_once_where_there_is_no_time() -> None:
    async def run() -> None:
        room = Room(2)
        workers = RoomyWorkers(asyncio.get_running_loop(), room, 1)
        try:
            promised = workers.submit(play_order, order())
            while not workers.under_way:
                await asyncio.sleep(0.01)
            await workers.leave_at_once()
            assert workers.is_idle
            assert room.taken == 0
            assert not promised.done()
        finally:
            workers.close()

    asyncio.run(run())


def test_a_match_for_which_there_is_never_room_is_told() -> None:
    async def run() -> None:
        workers = RoomyWorkers(asyncio.get_running_loop(), Room(0), 1)
        try:
            with pytest.raises(Busy, match="room for 0"):
                await asyncio.wrap_future(workers.submit(play_order, order()))
        finally:
            workers.close()

    asyncio.run(run())
