"""Clocks that run only while players compute."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path

import pytest

import gamemaster as gm
from gamemaster.match.cpu_clock import CpuManager, manager_for
from gamemaster.match.manager import Manager, make_transports
from gamemaster.match.records.record import Record, record_of
from gamemaster.match.records.verifying import verify
from gamemaster.match.settings import Settings
from gamemaster.match.transports.child_process import ProcessLimits

SLEEPS = "import time\ndef play(move):\n    time.sleep(0.4)\n    return 'nonsense'\n"
COMPUTES = """
import time
def play(move):
    began = time.process_time()
    while time.process_time() - began < 1.0:
        pass
    return 'nonsense'
"""
HANGS = "import threading\ndef play(move):\n    threading.Event().wait()\n"


def played(players: Mapping[str, str], play_clock: float, game: str = "tictactoe") -> Record:
    events: list[object] = []
    settings = Settings(120, play_clock, seed=3, counts_cpu=True)
    lines = make_transports(players, 3, is_isolated=True, limits=ProcessLimits(has_walls=False))
    manager = manager_for(gm.load(game), lines, settings, listeners=[events.append])
    asyncio.run(manager.conduct())
    return record_of(events)  # type: ignore[arg-type]


@pytest.fixture
def player(tmp_path: Path, request: pytest.FixtureRequest) -> str:
    path = tmp_path / "player.py"
    path.write_text(request.param)
    return str(path)


def kinds(record: Record) -> set[str]:
    return {fault.kind for fault in record.faults if fault.is_error}


@pytest.mark.parametrize("player", [SLEEPS], indirect=True)
def test_who_sleeps_is_not_late(player: str) -> None:
    record = played({"x": player, "o": "random"}, 0.3)
    assert kinds(record) == {"illegal"}
    assert verify(record).problems == ()


@pytest.mark.parametrize("player", [COMPUTES], indirect=True)
def test_who_computes_for_too_long_is_late(player: str) -> None:
    record = played({"x": player, "o": "random"}, 0.2)
    assert "late" in kinds(record)
    assert record.ended is not None
    assert record.ended.errors["o"] == 0
    assert verify(record).problems == ()


@pytest.mark.parametrize("player", [HANGS], indirect=True)
def test_who_never_answers_is_given_up(player: str) -> None:
    record = played({"x": player, "o": "random"}, 0.02)
    assert record.ended is not None
    assert "late" in kinds(record)


@pytest.mark.parametrize("player", [COMPUTES], indirect=True)
def test_in_simultaneous_games_one_who_is_late_does_not_make_others_late(player: str) -> None:
    record = played({"alice": player, "bob": "random"}, 0.2, "roshambo")
    assert record.ended is not None
    assert record.ended.errors["bob"] == 0
    assert record.ended.errors["alice"] > 0


def test_only_who_asks_for_it_has_such_clocks() -> None:
    game = gm.load("tictactoe")
    lines = make_transports({"x": "legal", "o": "legal"}, 0)
    assert type(manager_for(game, lines, Settings())) is Manager
    assert type(manager_for(game, lines, Settings(counts_cpu=True))) is CpuManager


def test_players_in_this_process_are_measured_by_the_clock_on_the_wall() -> None:
    events: list[object] = []
    lines = make_transports({"x": "random", "o": "legal"}, 0)
    settings = Settings(120, 60, counts_cpu=True)
    asyncio.run(manager_for(gm.load("tictactoe"), lines, settings, listeners=[events.append]).conduct())
    record = record_of(events)  # type: ignore[arg-type]
    assert record.ended is not None
    assert record.ended.how == "completed"
