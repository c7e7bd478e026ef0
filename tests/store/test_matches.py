"""The store: what is written is read back exactly, all of it or nothing, whoever else writes."""

from __future__ import annotations

import math
import random
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from sqlalchemy import event

from gamemaster.errors import StoreError
from gamemaster.store.entries import MatchEntry, MatchFilter, MatchPage, Seat
from gamemaster.store.matches import Store
from gamemaster.store.opening import database_url, open_store
from tests.store.made import ENTRIES, NOON, made

EVERY = MatchFilter()


def ids(page: MatchPage) -> list[str]:
    return [entry.id for entry in page.entries]


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(first=ENTRIES, second=ENTRIES)
def test_what_is_read_is_what_was_written(store: Store, first: MatchEntry, second: MatchEntry) -> None:
    second = replace(second, id=first.id)
    store.add(first)
    assert store.find(first.id) == first
    store.put(second)
    assert store.find(first.id) == second
    found = store.page(MatchFilter(game=second.game, status=second.status, how=second.how))
    assert found.entries == (second,)
    for seat in second.seats:
        assert store.page(MatchFilter(player=seat.player.upper().lower())).total <= 1
        assert store.page(MatchFilter(player=seat.player)).entries == (second,)
    store.remove(first.id)
    assert store.find(first.id) is None


def test_a_clock_that_never_runs_out_and_options_that_cannot_be_changed_are_stored(store: Store) -> None:
    entry = made(start_clock=math.inf, play_clock=1, options=MappingProxyType({"a": 1}))
    store.add(entry)
    found = store.find("m1")
    assert found is not None
    assert (found.start_clock, found.play_clock, found.options) == (math.inf, 1.0, {"a": 1})


def test_a_time_is_the_same_whatever_its_zone(store: Store) -> None:
    there = timezone(timedelta(hours=-5, minutes=-30))
    store.add(made(created=NOON.astimezone(there)))
    found = store.find("m1")
    assert found is not None
    assert found.created == NOON
    assert found.created.utcoffset() == timedelta(0)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"steps": 2**63}, "a number that is too large"),
        ({"seats": (Seat("x", "a", "library", goal=-(2**70)),)}, "a number that is too large"),
        ({"seed": 10**5000}, "a seed that is too large"),
        ({"play_clock": math.nan}, "a clock of nan seconds"),
        ({"start_clock": -math.inf}, "a clock of -inf seconds"),
        ({"created": datetime(2026, 1, 1)}, "a time without a zone"),
        ({"created": datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=5)))}, "in no year of UTC"),
        ({"options": {"a": object()}}, "no plain data"),
        ({"options": {"a": MappingProxyType({})}}, "no plain data"),
    ],
)
def test_what_cannot_be_stored_exactly_is_not_stored(store: Store, wrong: dict[str, Any], words: str) -> None:
    store.add(made("m2"))
    with pytest.raises(StoreError, match=words):
        store.add(made(**wrong))
    with pytest.raises(StoreError, match=words):
        store.put(made("m2", **wrong))
    assert store.find("m1") is None
    assert store.find("m2") == made("m2")


def test_a_match_is_added_only_once(store: Store) -> None:
    store.add(made())
    with pytest.raises(StoreError, match="there is a match 'm1' already"):
        store.add(made(game="nim", seats=()))
    assert store.find("m1") == made()


def test_only_a_match_that_is_there_is_replaced(store: Store) -> None:
    with pytest.raises(StoreError, match="there is no match 'm1'"):
        store.put(made())
    assert store.page(EVERY) == MatchPage((), 0, 1, 50)
    assert store.players() == []


def test_a_match_is_replaced_with_all_its_seats(store: Store) -> None:
    store.add(made("other"))
    store.add(made())
    fewer = made(seats=(Seat("o", "egghead", "library", goal=100, errors=2),), status="over", how="completed")
    store.put(fewer)
    assert store.find("m1") == fewer
    assert store.find("other") == made("other")


def test_a_match_is_taken_away_with_its_seats_and_its_name_can_be_had_again(store: Store) -> None:
    store.add(made())
    store.remove("m1")
    store.remove("m1")
    assert store.players() == []
    store.add(made(seats=()))
    assert store.find("m1") == made(seats=())


def test_pages_have_the_newest_first(store: Store) -> None:
    order = list(range(7))
    random.Random(1).shuffle(order)
    for number in order:
        store.add(made(f"m{number}", number))
    assert ids(store.page(EVERY, 1, 3)) == ["m6", "m5", "m4"]
    assert ids(store.page(EVERY, 3, 3)) == ["m0"]
    page = store.page(EVERY, 4, 3)
    assert (page.entries, page.total, page.pages, page.number) == ((), 7, 3, 4)


def test_pages_beyond_all_numbers_are_empty(store: Store) -> None:
    store.add(made())
    assert store.page(EVERY, 10**40, 50).entries == ()
    assert ids(store.page(EVERY, -3, 0)) == ["m1"]
    assert store.page(EVERY, 1, 10**40).entries == (made(),)


def test_matches_of_the_same_moment_are_each_on_one_page(store: Store) -> None:
    for number in range(10):
        store.add(made(f"m{number}"))
    found = [id for number in range(1, 6) for id in ids(store.page(EVERY, number, 2))]
    assert sorted(found) == [f"m{number}" for number in range(10)]


def test_no_matches_are_one_empty_page(store: Store) -> None:
    assert store.page(EVERY).pages == 1


def test_filters_let_through_what_fits_exactly(store: Store) -> None:
    store.add(made("a", 0, game="nim", status="over", how="completed"))
    store.add(made("b", 1, game="nim", seats=(Seat("x", "MCS", "library"), Seat("o", "mcs", "library"))))
    store.add(made("c", 2, game="Nim:5", seats=(Seat("x", "Straße", "person"),)))
    assert ids(store.page(MatchFilter(game="nim"))) == ["b", "a"]
    assert ids(store.page(MatchFilter(game="NIM"))) == []
    assert ids(store.page(MatchFilter(game="n%"))) == []
    assert ids(store.page(MatchFilter(player="mCs"))) == ["b", "a"]
    assert ids(store.page(MatchFilter(player="STRASSE"))) == ["c"]
    assert ids(store.page(MatchFilter(player="mc_"))) == []
    assert ids(store.page(MatchFilter(status="over", how="completed"))) == ["a"]
    assert ids(store.page(MatchFilter(game="nim", player="ada", status="over"))) == ["a"]
    assert ids(store.page(MatchFilter(status="x' OR '1'='1"))) == []
    assert ids(store.page(MatchFilter(player="\0"))) == []


def test_games_and_players_are_named_once_in_the_order_of_a_list(store: Store) -> None:
    store.add(made("a", game="nim"))
    store.add(made("b", game="Chess", seats=(Seat("x", "zoe", "person"), Seat("o", "", "person"))))
    store.add(made("c", game="nim"))
    assert store.games() == ["Chess", "nim"]
    assert store.players() == ["Ada", "mcs", "zoe"]


def test_what_is_unfinished_is_found_and_counted(store: Store) -> None:
    for number, status in enumerate(["over", "running", "arranged", "interrupted", "over"]):
        store.add(made(f"m{number}", -number, status=status))
    assert [entry.id for entry in store.unfinished()] == ["m3", "m2", "m1"]
    assert store.counts() == {"arranged": 1, "running": 1, "interrupted": 1, "over": 2}


def test_a_thousand_unfinished_matches_are_found(store: Store) -> None:
    for number in range(1_000):
        store.add(made(f"m{number}", number, status="interrupted"))
    assert store.unfinished() == [made(f"m{number}", number, status="interrupted") for number in range(1_000)]


def told(thread: int, number: int) -> MatchEntry:
    """An entry all of whose parts tell the same number."""
    seats = tuple(Seat(f"r{each}", f"p{number}", "library", goal=number) for each in range(1 + number % 3))
    return made(f"t{thread}", thread, steps=number, how=str(number), seats=seats)


def is_whole(entry: MatchEntry | None) -> bool:
    return entry is not None and entry.seats == told(0, entry.steps).seats and entry.how == str(entry.steps)


def test_eight_threads_lose_nothing(store: Store) -> None:
    def work(thread: int) -> bool:
        store.add(told(thread, 0))
        good = True
        for number in range(1, 40):
            store.put(told(thread, number))
            store.add(made(f"{thread}-{number}"))
            good &= store.find(f"t{thread}") == told(thread, number)
            good &= is_whole(store.find("t0")) or thread > 0
        return good

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(8)))
    assert store.page(EVERY).total == 8 * 40
    assert [store.find(f"t{thread}") for thread in range(8)] == [told(thread, 39) for thread in range(8)]


def test_whoever_reads_sees_all_of_a_change_or_nothing(store: Store) -> None:
    store.add(told(0, 0))

    def write(thread: int) -> bool:
        for number in range(60):
            store.put(told(0, 100 * thread + number))
        return True

    def read(_: int) -> bool:
        return all(is_whole(store.find("t0")) and is_whole(store.unfinished()[0]) for _ in range(60))

    with ThreadPoolExecutor(8) as pool:
        jobs = [pool.submit(write, thread) for thread in range(4)]
        jobs += [pool.submit(read, thread) for thread in range(4)]
        assert all(job.result() for job in jobs)


@pytest.mark.parametrize(
    "filter",
    [
        EVERY,
        MatchFilter(game="nim"),
        MatchFilter(status="over"),
        MatchFilter(player="mcs"),
        MatchFilter(game="nim", player="mcs", how="completed"),
    ],
)
def test_no_question_goes_through_the_whole_table(
    tmp_path_factory: pytest.TempPathFactory, filter: MatchFilter
) -> None:
    store = open_store(database_url(tmp_path_factory.mktemp("plans")))
    asked: list[tuple[str, tuple[object, ...]]] = []
    for number in range(5):
        store.add(made(f"m{number}", number, game="nim", status="over", how="completed"))
    event.listen(
        store._access._engine,
        "before_cursor_execute",
        lambda _connection, _cursor, text, values, *_: asked.append((text, values)),
    )
    assert store.page(filter).total == 5
    plans: list[str] = []
    with store._access._engine.begin() as connection:
        for text, values in list(asked):
            if text.startswith("SELECT"):
                plans += [row[3] for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {text}", values)]
    store.close()
    assert plans
    assert [
        plan for plan in plans if plan.startswith("SCAN") and "INDEX" not in plan and "SUBQUERY" not in plan
    ] == []
    if not filter.player:  # those of one player are sorted, the others are in order
        assert "USE TEMP B-TREE FOR ORDER BY" not in plans
