"""Work in other processes: who waits is let in in turn, and nobody takes all places."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from gamemaster.errors import Busy, TooMuch
from gamemaster.web.settings import SiteSettings
from gamemaster.web.work import ASKER, MOST_WRITTEN, FairTurns, Workers


async def settled() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


def test_many_of_one_are_behind_each_other_and_not_before_another() -> None:
    async def scene() -> list[str]:
        turns, done = FairTurns(1), list[str]()

        async def come(asker: str) -> None:
            async with turns.turn(asker):
                done.append(asker)
                await settled()

        await asyncio.gather(*(come(asker) for asker in ["many"] * 6 + ["one", "two", "two"]))
        return done

    assert asyncio.run(scene()) == ["many", "many", "one", "two", "many", "two", "many", "many", "many"]


def test_so_many_at_once() -> None:
    async def scene() -> None:
        turns, now, most = FairTurns(3), 0, 0

        async def come(number: int) -> None:
            nonlocal now, most
            async with turns.turn(str(number % 4)):
                now += 1
                most = max(most, now)
                try:
                    await asyncio.sleep(0.001)
                finally:
                    now -= 1

        tasks = [asyncio.create_task(come(number)) for number in range(40)]
        await settled()
        for task in tasks[::3]:  # some go before it is their turn, some while it is
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert most == 3
        assert turns._free == 3
        assert turns._waiting == {}

    asyncio.run(scene())


def test_who_goes_in_the_moment_of_being_let_in_takes_no_place() -> None:
    async def scene() -> None:
        turns = FairTurns(1)
        inside = turns.turn("a")
        await inside.__aenter__()
        waiting = asyncio.create_task(turns.turn("b").__aenter__())
        await settled()
        leaving = asyncio.create_task(inside.__aexit__(None, None, None))
        leaving.add_done_callback(lambda _: waiting.cancel())
        await asyncio.wait([leaving, waiting])
        async with asyncio.timeout(5), turns.turn("c"):
            pass
        assert turns._free == 1

    asyncio.run(scene())


def test_half_of_the_places_for_slow_work_are_left_for_others(tmp_path: Path) -> None:
    settings = SiteSettings(tmp_path, "", most_thinking=1, most_waiting=7)

    async def scene() -> None:
        workers = Workers(settings)
        workers.open()
        tasks = [asyncio.create_task(ask(workers, asker)) for asker in "aaaaaabcde"]
        await settled()
        assert workers.waiting == 8
        for task in tasks:
            task.cancel()
        found = await asyncio.gather(*tasks, return_exceptions=True)
        assert [isinstance(each, Busy) for each in found] == [False] * 4 + [True] * 2 + [False] * 4
        assert workers.waiting == 0
        assert not workers._waiting

    asyncio.run(scene())


def test_one_never_has_all_places_for_writing(tmp_path: Path) -> None:
    async def scene() -> None:
        turns, inside = FairTurns(3, 2), list[str]()

        async def come(asker: str) -> None:
            async with turns.turn(asker):
                inside.append(asker)
                await asyncio.sleep(3600)

        tasks = [asyncio.create_task(come(asker)) for asker in ["many"] * 5 + ["one"]]
        await settled()
        assert inside == ["many", "many", "one"]
        tasks[0].cancel()
        await settled()
        assert inside == ["many", "many", "one", "many"]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert turns._free == 3
        assert not turns._inside

    asyncio.run(scene())


def test_of_many_questions_about_texts_some_are_turned_away(tmp_path: Path) -> None:
    async def scene() -> None:
        workers = Workers(SiteSettings(tmp_path, ""))
        workers.open()
        ASKER.set("many")
        tasks = [asyncio.create_task(workers.writing(pow, 2, 3, seconds=60)) for _ in range(MOST_WRITTEN + 2)]
        await settled()
        for task in tasks[:MOST_WRITTEN]:
            task.cancel()
        found = await asyncio.gather(*tasks, return_exceptions=True)
        assert [isinstance(each, TooMuch) for each in found] == [False] * MOST_WRITTEN + [True] * 2
        assert not workers._asked

    asyncio.run(scene())


async def ask(workers: Workers, asker: str) -> None:
    ASKER.set(asker)
    await workers.slow(pow, 2, 3, seconds=60)


def test_a_job_is_done_elsewhere_and_its_error_is_raised_here(tmp_path: Path) -> None:
    async def scene() -> None:
        workers = Workers(SiteSettings(tmp_path, ""))
        workers.open()
        assert await workers.quick(pow, 2, 10) == 1024
        assert await workers.live("match", pow, 3, 2) == 9
        with pytest.raises(ValueError, match="no"):
            await workers.quick(int, "no")

    asyncio.run(scene())
