"""What matches with people need: clocks of one's own, patience, a pace that can be watched, and giving up."""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import gamemaster as gm
from gamemaster.load import MachineName
from gamemaster.match import events
from gamemaster.match.manager import Manager
from gamemaster.match.records.record import Record, RecordWriter, cut_record, read_record, record_of
from gamemaster.match.records.verifying import verify
from gamemaster.match.request import Failure, Reply, Request
from gamemaster.match.settings import Settings
from gamemaster.match.transports.child_process import ProcessLimits, player_process
from gamemaster.match.transports.in_process import InProcess
from gamemaster.match.transports.patient import Patient
from gamemaster.match.transports.person import Person
from gamemaster.match.transports.transport import Deliver, Transport
from gamemaster.players.loading import make_player
from gamemaster.players.simple import Legal

WITHOUT_WALLS = ProcessLimits(has_walls=False)


class Silent(Transport):
    """A line on which nobody answers `play`."""

    name = "silent"

    def __init__(self) -> None:
        self.given_up: list[int] = []
        self.told: list[Request] = []

    async def open(self, deliver: Deliver) -> None:
        self._deliver = deliver

    def send(self, request: Request) -> str:
        self.told.append(request)
        if request.kind != "play":
            self._deliver(time.monotonic(), Reply(request.number, "ready", "ready"))
        return str(request)

    def give_up(self, number: int) -> None:
        self.given_up.append(number)

    async def close(self) -> None:
        pass


def legal_player() -> InProcess:
    return InProcess(make_player("legal", seed=1), "legal")


def played(settings: Settings, x: Transport, o: Transport, path: Path, pace: float = 0.0) -> Manager:
    with RecordWriter(path) as writer:
        manager = Manager(
            gm.load("tictactoe"), {"x": x, "o": o}, settings, listeners=[writer.write], pace=pace
        )
        asyncio.run(manager.conduct())
    return manager


def test_a_guest_is_told_its_own_clock_and_given_up_with_patience(tmp_path: Path) -> None:
    silent = Silent()
    path = tmp_path / "match.jsonl"
    settings = Settings(5, math.inf, clocks={"o": 0.01})
    manager = played(settings, legal_player(), Patient(silent, patience=0.01), path)
    assert manager.referee.how == "completed"
    assert {request.play_clock for request in silent.told} == {0.01}
    record = read_record(path)
    assert record.started.clocks == {"o": 0.01}
    assert record.started.play_clock == math.inf
    assert {fault.kind for fault in record.faults} == {"crashed"}
    assert len(silent.given_up) == len(record.faults) > 0
    assert verify(record).is_true, verify(record).show()


class Dawdler(Legal):
    """Ready later than its start clock says."""

    def start(self, role: str, rules: Any, startclock: float, playclock: float) -> str:
        time.sleep(float(startclock) + 0.2)
        return super().start(role, rules, startclock, playclock)


@pytest.mark.parametrize(("grace", "faults"), [(120, []), (0, ["not ready"])])
def test_people_wait_until_a_guest_is_ready(grace: float, faults: list[str], tmp_path: Path) -> None:
    path = tmp_path / "match.jsonl"
    settings = Settings(0.1, math.inf, clocks={"o": 60}, grace=grace)
    played(settings, legal_player(), Patient(InProcess(Dawdler(), "dawdler")), path)
    record = read_record(path)
    assert [fault.kind for fault in record.faults if fault.is_error] == faults
    assert (record.started.start_clock, record.started.grace) == (0.1, grace)
    assert verify(record).is_true, verify(record).show()
    if not faults:
        assert not verify(changed_grace(record, 0)).is_true  # it was needed
    assert not verify(changed_grace(record, -1)).is_true


def changed_grace(record: Record, grace: float) -> Record:
    return Record((replace(record.started, grace=grace), *record.events[1:]))


def test_an_answer_ends_waiting(tmp_path: Path) -> None:
    settings = Settings(5, math.inf, clocks={"o": 0.5})
    path = tmp_path / "match.jsonl"
    played(settings, legal_player(), Patient(legal_player(), patience=0.5), path)
    assert read_record(path).faults == ()


def test_a_failure_of_the_line_is_handed_on() -> None:
    heard: list[object] = []
    silent = Silent()
    line = Patient(silent)

    async def fail() -> None:
        await line.open(lambda when, reply: heard.append(reply))
        silent._deliver(0.0, Failure(None, "crashed", "gone"))
        line.give_up(3)
        await line.close()

    asyncio.run(fail())
    assert heard == [Failure(None, "crashed", "gone")]
    assert silent.given_up == [3]


def test_a_grace_is_nothing_or_more() -> None:
    with pytest.raises(gm.GamemasterError, match="a grace of -1 s"):
        Settings(grace=-1)


def test_clocks_of_ones_own_are_more_than_nothing() -> None:
    with pytest.raises(gm.GamemasterError, match="must be more than 0"):
        Settings(clocks={"x": 0.0})


def test_between_steps_is_as_much_time_as_people_want(tmp_path: Path) -> None:
    path = tmp_path / "match.jsonl"
    played(Settings(1, 0.02), legal_player(), legal_player(), path, pace=0.06)
    record = read_record(path)
    sent = [event.time for event in record.events if _is_play(event)]
    assert len(sent) == len(record.moves)
    assert all(later - earlier >= 0.059 for earlier, later in pairwise(sent))
    assert verify(record).is_true, verify(record).show()  # also that nobody was late by it


def _is_play(event: events.Event) -> bool:
    return (
        isinstance(event, events.Message) and event.is_sent and (event.role, event.text[:4]) == ("x", "play")
    )


def test_a_match_paused_between_steps_goes_on_only_when_it_is_resumed(tmp_path: Path) -> None:
    path = tmp_path / "match.jsonl"
    moved: list[float] = []

    async def run() -> Manager:
        with RecordWriter(path) as writer:
            manager = Manager(
                gm.load("tictactoe"),
                {"x": legal_player(), "o": legal_player()},
                Settings(1, 1),
                listeners=[writer.write],
                pace=0.05,
            )
            manager.listen(
                lambda event: moved.append(event.time) if isinstance(event, events.Moved) else None
            )
            match = asyncio.ensure_future(manager.conduct())
            while not moved:
                await asyncio.sleep(0.005)
            manager.pause()
            seen = len(moved)
            await asyncio.sleep(0.2)
            assert len(moved) == seen
            manager.resume()
            await match
            return manager

    assert asyncio.run(run()).referee.how == "completed"
    assert verify(read_record(path)).is_true


@pytest.mark.parametrize("role", ["x", "o"])
def test_who_gives_up_ends_the_match(tmp_path: Path, role: str) -> None:
    path = tmp_path / "match.jsonl"

    async def ask(request: Request) -> object:
        if manager.referee.state.step == 2:
            manager.resign(role)
            manager.resign(role)  # once is enough
            await asyncio.sleep(60)
        return manager.referee.state.legal_moves(request.role)[0] if request.role == control() else None

    def control() -> str | None:
        return manager.referee.state.control

    with RecordWriter(path) as writer:
        manager = Manager(
            gm.load("tictactoe"),
            {"x": Person("Ann", ask), "o": Person("Bob", ask)},
            Settings(math.inf, math.inf),
            listeners=[writer.write],
        )
        asyncio.run(manager.conduct())
    record = read_record(path)
    assert [event.role for event in record.events if isinstance(event, events.Resigned)] == [role]
    assert record.ended is not None
    assert record.ended.how == "resigned"
    assert verify(record).is_true, verify(record).show()


def test_nobody_gives_up_who_does_not_play(tmp_path: Path) -> None:
    test_who_gives_up_ends_the_match(tmp_path, "x")
    record = read_record(tmp_path / "match.jsonl")
    changed = [
        replace(event, role="z") if isinstance(event, events.Resigned) else event for event in record.events
    ]
    assert "nobody plays 'z'" in verify(record_of(changed)).show()


@pytest.mark.parametrize("machine", ["compiled", "reference"])
def test_a_match_that_goes_on_is_true_on_either_machine(tmp_path: Path, machine: MachineName) -> None:
    path = tmp_path / "match.jsonl"
    game = gm.load("connectfour", machine="compiled")
    with RecordWriter(path) as writer:
        lines = {"red": player_process("legal", 1, WITHOUT_WALLS), "black": legal_player()}
        manager = Manager(game, lines, Settings(5, 5), listeners=[writer.write], pace=0.05)
        manager.listen(
            lambda event: leave(manager) if isinstance(event, events.Moved) and event.step == 4 else None
        )
        with contextlib.suppress(asyncio.CancelledError):
            asyncio.run(manager.conduct())
    cut_record(path, 3)
    with RecordWriter(path, is_resumed=True) as writer:
        lines = {"red": player_process("legal", 1, WITHOUT_WALLS), "black": legal_player()}
        past = read_record(path).past()
        settings = Settings(5, 5, match=read_record(path).started.match)
        asyncio.run(Manager(game, lines, settings, listeners=[writer.write], past=past).conduct())
    record = read_record(path)
    assert record.ended is not None
    assert verify(record, machine).is_true, verify(record, machine).show()


def leave(manager: Manager) -> None:
    """Interrupt a match soon, as a server does that ends."""
    task = asyncio.current_task()
    assert task is not None
    asyncio.get_running_loop().call_soon(task.cancel)


def test_a_record_is_cut_only_where_it_has_a_state(tmp_path: Path) -> None:
    path = tmp_path / "match.jsonl"
    played(Settings(5, 5), legal_player(), legal_player(), path)
    whole = read_record(path)
    cut_record(path, 2)
    record = read_record(path)
    assert record.states[-1].step == 2
    assert record.events == whole.events[: len(record.events)]
    assert record.ended is None
    assert verify(record).is_true
    with pytest.raises(gm.RecordError, match="no state after 3 steps"):
        cut_record(path, 3)
