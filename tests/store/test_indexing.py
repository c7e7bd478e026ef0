"""Records are the truth: whatever a store says after a server was killed, indexing makes it say what they do."""

from __future__ import annotations

import functools
import json
import logging
import os
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from gamemaster.load import load
from gamemaster.match.events import Resumed, Started
from gamemaster.match.records.record import Record, RecordWriter, read_record
from gamemaster.store import indexing
from gamemaster.store.entries import MatchEntry, MatchFilter, Seat
from gamemaster.store.indexing import entry_of_record, reindex
from gamemaster.store.matches import Store
from tests.match.recorded import CLOCK_TIME, recorded
from tests.store.made import made

BEGAN = datetime.fromisoformat(CLOCK_TIME)


@functools.cache
def match(steps: int = 1_000, game: str = "tictactoe") -> Record:
    """A match; of fewer steps, one that was killed."""
    return recorded(load(game), steps=steps)


def written(folder: Path, name: str, record: Record) -> Path:
    with RecordWriter(folder / name, is_durable=False) as writer:
        for event in record.events:
            writer.write(event)
    return folder / name


def found(store: Store, id: str) -> MatchEntry:
    entry = store.find(id)
    assert entry is not None
    return entry


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files that are read."""
    names: list[str] = []

    def read(path: Path) -> Record:
        names.append(path.name)
        return read_record(path)

    monkeypatch.setattr(indexing, "read_record", read)
    return names


def test_a_match_that_is_over_says_how_and_who_got_what(tmp_path: Path) -> None:
    record = match()
    assert record.ended is not None
    base = made(status="running", seats=(Seat("x", "mcs", "library"), Seat("o", "Ada", "person", "key")))
    entry = entry_of_record(record, base, tmp_path / "m1.jsonl")
    assert (entry.status, entry.how, entry.steps) == ("over", "completed", len(record.moves))
    assert [seat.goal for seat in entry.seats] == [record.ended.goals["x"], record.ended.goals["o"]]
    assert [seat.errors for seat in entry.seats] == [record.ended.errors["x"], record.ended.errors["o"]]
    assert sum(seat.errors for seat in entry.seats) == 1
    assert [(seat.player, seat.kind, seat.key) for seat in entry.seats] == [
        ("mcs", "library", ""),
        ("Ada", "person", "key"),
    ]
    assert entry.ended == BEGAN + timedelta(seconds=record.ended.time)
    assert (entry.owner, entry.options, entry.created) == (base.owner, base.options, base.created)


def test_a_match_without_an_end_is_interrupted(tmp_path: Path) -> None:
    entry = entry_of_record(match(3), made(status="running"), tmp_path / "m1.jsonl")
    assert (entry.status, entry.how, entry.steps, entry.ended) == ("interrupted", "", 3, None)
    assert [seat.goal for seat in entry.seats] == [None, None]
    assert [seat.errors for seat in entry.seats] == list(match(3).errors.values())


def test_a_record_alone_says_all_but_whose_it_is(tmp_path: Path) -> None:
    record = match()
    entry = entry_of_record(record, None, tmp_path / "of_somebody.jsonl")
    assert (entry.id, entry.record) == ("of_somebody", "of_somebody.jsonl")
    assert (entry.game, entry.title, entry.seed) == ("tictactoe", "tictactoe", 7)
    assert [(seat.role, seat.player, seat.kind) for seat in entry.seats] == [
        ("x", "player_x", "library"),
        ("o", "player_o", "library"),
    ]
    assert (entry.start_clock, entry.play_clock, entry.created) == (10.0, 5.0, BEGAN)
    assert (entry.owner, entry.is_hidden) == ("", False)


def test_a_record_says_who_went_on_with_it(tmp_path: Path) -> None:
    record = match(2)
    goes_on = Resumed(record.events[-1].time, {"x": "http://127.0.0.1:9147", "o": "ws://127.0.0.1:9148"})
    entry = entry_of_record(Record((*record.events, goes_on)), None, tmp_path / "m.jsonl")
    assert [(seat.player, seat.kind) for seat in entry.seats] == [
        ("http://127.0.0.1:9147", "address"),
        ("ws://127.0.0.1:9148", "socket"),
    ]


def test_a_game_with_something_to_hide_is_known_by_its_rules(tmp_path: Path) -> None:
    assert load("higherlower").kind.has_hidden_information
    assert entry_of_record(match(1, "higherlower"), None, tmp_path / "m.jsonl").is_hidden


@pytest.mark.parametrize(
    ("rules", "is_hidden"),
    [
        ("% what the king sees: nothing\nrole(x)", False),
        ("foresees(x)", False),
        ("sees (x,p) :- q", True),
        ("(<= (SEES ?x p) q)", True),
    ],
)
def test_only_rules_that_say_what_is_seen_hide_something(tmp_path: Path, rules: str, is_hidden: bool) -> None:
    record = match(1)
    changed = Record((replace(record.started, rules=rules), *record.events[1:]))
    assert entry_of_record(changed, None, tmp_path / "m.jsonl").is_hidden == is_hidden


@pytest.mark.parametrize(
    "name", ["of somebody.jsonl", "..jsonl", "a/../b.jsonl", "é.jsonl", "x" * 200 + ".jsonl", "<b>.jsonl"]
)
def test_an_id_can_stand_in_an_address(tmp_path: Path, name: str) -> None:
    id = entry_of_record(match(), None, tmp_path / name).id
    assert id == "b" or (len(id) == 16 and id.isalnum())


def test_a_record_without_a_time_of_day_has_that_of_its_file(tmp_path: Path) -> None:
    record = match()
    for wrong in ("yesterday", "9999-12-31T23:59:59+00:00", "2026-13-01"):
        started = replace(record.started, clock_time=wrong)
        path = written(tmp_path, f"m{len(wrong)}.jsonl", Record((started, *record.events[1:])))
        os.utime(path, (1_000_000_000, 1_000_000_000))
        assert entry_of_record(read_record(path), None, path).ended == datetime.fromtimestamp(
            1_000_000_000, UTC
        )


def test_every_record_gets_a_row(store: Store, tmp_path: Path) -> None:
    written(tmp_path, "a.jsonl", match())
    written(tmp_path, "b.jsonl", match(2))
    (tmp_path / "notes.txt").write_text("nothing")
    assert [entry.id for entry in reindex(store, tmp_path)] == ["a", "b"]
    assert store.counts() == {"arranged": 0, "running": 0, "interrupted": 1, "over": 1}
    assert found(store, "b").steps == 2
    assert reindex(store, tmp_path) == []


def test_matches_that_ran_when_the_server_was_killed(store: Store, tmp_path: Path) -> None:
    for id in ("over", "half", "unbegun", "begun_late", "arranged"):
        store.add(made(id, status="arranged" if id == "arranged" else "running"))
    written(tmp_path, "over.jsonl", match())
    half = written(tmp_path, "half.jsonl", match(4))
    with half.open("ab") as file:
        file.write(b'{"event":"mov')
    (tmp_path / "begun_late.jsonl").write_bytes(b'{"event":"star')
    changed = {entry.id: entry.status for entry in reindex(store, tmp_path)}
    assert changed == {"over": "over", "half": "interrupted", "unbegun": "arranged", "begun_late": "arranged"}
    assert {entry.id: entry.status for entry in store.page(MatchFilter()).entries} == changed | {
        "arranged": "arranged"
    }
    assert found(store, "half").steps == 4
    assert half.read_bytes().endswith(b'{"event":"mov')
    assert reindex(store, tmp_path) == []


def test_a_match_whose_row_does_not_name_its_file_yet_is_found_by_its_id(
    store: Store, tmp_path: Path
) -> None:
    store.add(made("a", record="", status="running"))
    written(tmp_path, "a.jsonl", match(1))
    reindex(store, tmp_path)
    assert (found(store, "a").status, found(store, "a").record) == ("interrupted", "a.jsonl")


def test_a_row_may_have_another_name_than_its_file(store: Store, tmp_path: Path) -> None:
    store.add(made("a", record="2026-a.jsonl", status="running"))
    written(tmp_path, "2026-a.jsonl", match())
    assert [entry.id for entry in reindex(store, tmp_path)] == ["a"]
    assert store.page(MatchFilter()).total == 1


def test_what_was_read_is_not_read_again(store: Store, tmp_path: Path, reads: list[str]) -> None:
    written(tmp_path, "a.jsonl", match())
    path = written(tmp_path, "b.jsonl", match(2))
    reindex(store, tmp_path)
    assert reads == ["a.jsonl", "b.jsonl"]
    reindex(store, tmp_path)
    assert reads == ["a.jsonl", "b.jsonl"]
    path.unlink()
    written(tmp_path, "b.jsonl", match(3))  # somebody has gone on with it
    assert [entry.steps for entry in reindex(store, tmp_path)] == [3]
    assert reads == ["a.jsonl", "b.jsonl", "b.jsonl"]
    store.put(replace(found(store, "b"), status="running"))
    reindex(store, tmp_path)
    assert reads == ["a.jsonl", "b.jsonl", "b.jsonl", "b.jsonl"]
    assert found(store, "b").status == "interrupted"


def test_no_file_of_a_match_that_is_over_is_read(store: Store, tmp_path: Path, reads: list[str]) -> None:
    for number in range(300):
        store.add(made(f"m{number}", status="over"))
        (tmp_path / f"m{number}.jsonl").touch()
    assert reindex(store, tmp_path) == []
    assert reads == []


def test_files_that_are_no_records_are_told_and_stay(
    store: Store, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    started = {"event": "started", "time": 0}
    bad = {
        "empty.jsonl": b"",
        "letter.jsonl": b"dear somebody\n",
        "started.jsonl": json.dumps(started).encode() + b"\n",
        "zeros.jsonl": bytes(100),
    }
    for name, text in bad.items():
        (tmp_path / name).write_bytes(text)
    (tmp_path / "folder.jsonl").mkdir()
    (tmp_path / "nowhere.jsonl").symlink_to(tmp_path / "nothing")
    written(tmp_path, "good.jsonl", match())
    with caplog.at_level(logging.WARNING):
        assert [entry.id for entry in reindex(store, tmp_path)] == ["good"]
    assert all(f"{name} is not indexed" in caplog.text for name in bad)
    assert {name: (tmp_path / name).read_bytes() for name in bad} == bad


def test_a_record_that_was_spoilt_while_its_match_ran_does_not_run_on(store: Store, tmp_path: Path) -> None:
    store.add(made("a", status="running"))
    path = written(tmp_path, "a.jsonl", match(2))
    path.write_bytes(path.read_bytes().replace(b'"event":"moved"', b'"event":"mooed"'))
    assert [(entry.id, entry.status) for entry in reindex(store, tmp_path)] == [("a", "interrupted")]


def test_what_records_say_of_names_and_numbers_does_no_harm(
    store: Store, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    record = match()

    def spoilt(name: str, **changes: object) -> None:
        started = replace(record.started, **changes)  # type: ignore[arg-type]  # named by the tests
        assert isinstance(started, Started)
        written(tmp_path, name, Record((started, *record.events[1:])))

    odd = "\ud800\0'; DROP TABLE matches; --"
    spoilt("a.jsonl", game=odd, players={"x": "x" * 100_000, "o": odd})
    spoilt("b.jsonl", seed=10**1000, start_clock=float("inf"))
    spoilt("c.jsonl", roles=("x", "o", "x"), players={"y": "nobody"})
    assert record.ended is not None
    huge = replace(record.ended, goals={"x": 10**30, "o": 0})
    written(tmp_path, "d.jsonl", Record((*record.events[:-1], huge)))
    with caplog.at_level(logging.WARNING):
        assert [entry.id for entry in reindex(store, tmp_path)] == ["a", "b", "c"]
    assert "d.jsonl is not indexed: match 'd' has a number that is too large" in caplog.text
    assert (found(store, "a").game, found(store, "a").seats[1].player) == (odd, odd)
    assert len(found(store, "a").seats[0].player) == indexing.LONGEST_NAME
    assert found(store, "b").seed == 10**1000
    assert found(store, "c").seats == ()


def test_two_files_of_one_id_are_told(store: Store, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    store.add(made("a", record="b.jsonl", status="over"))
    written(tmp_path, "a.jsonl", match())
    with caplog.at_level(logging.WARNING):
        assert reindex(store, tmp_path) == []
    assert "a.jsonl is not indexed: there is a match 'a' already" in caplog.text
