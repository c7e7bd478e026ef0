"""Positions on disk: the same as in memory, after whatever happened; and what is damaged is never trusted."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import gamemaster as gm
from gamemaster.errors import LimitExceeded, StrategyError
from gamemaster.solving.columns import Column
from gamemaster.solving.journal import SolveJournal
from gamemaster.solving.positions import Positions, SolveLimits, Stage
from gamemaster.solving.solver import solve_table
from gamemaster.solving.table import LabelTable, MemoryBook

NAME = "connectfour:columns=4,rows=4"

WORK = """
import sys
from pathlib import Path
import gamemaster as gm
from gamemaster.solving import positions
from gamemaster.solving.solver import solve_table
positions.RUNS = 8
tell = lambda stage: print(stage.done, flush=True)
solve_table(gm.load(sys.argv[1]), folder=Path(sys.argv[2]), commit_seconds=0.0, tell=tell)
"""


def same(one: LabelTable, other: LabelTable) -> bool:
    """Whether two tables are the same in every bit."""
    first, second = one.book, other.book
    assert isinstance(first, MemoryBook)
    assert isinstance(second, MemoryBook)
    count = len(first.positions)
    if count != len(second.positions) or first.vectors != second.vectors:
        return False
    return (
        np.array_equal(first.labels.codes, second.labels.codes)
        and np.array_equal(first.labels.distances, second.labels.distances)
        and np.array_equal(first.positions.arrays().states[:count], second.positions.arrays().states[:count])
    )


class Left(Exception):
    """Somebody leaves."""


def leave_after(positions: int) -> object:
    def tell(stage: Stage) -> None:
        if stage.done > positions:
            raise Left

    return tell


def half_done(folder: Path, name: str = NAME, positions: int = 50_000) -> None:
    with pytest.raises(Left):
        solve_table(gm.load(name), folder=folder, tell=leave_after(positions))  # type: ignore[arg-type]


def test_beyond_the_limit_of_memory_positions_live_in_files_that_are_gone_afterwards(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    game = gm.load(NAME)
    known = solve_table(game)
    moved: list[Path] = []
    move = Positions.move_to

    def noted(self: Positions, folder: Path) -> None:
        moved.append(folder)
        move(self, folder)

    monkeypatch.setattr(Positions, "move_to", noted)
    monkeypatch.setattr("gamemaster.solving.solver.cache_folder", lambda: tmp_path)
    table = solve_table(game, limits=SolveLimits(memory=4 << 20))
    assert same(known, table)
    assert len(moved) == 1
    assert not moved[0].exists()
    assert table.label().goals == (50, 50)


def test_who_leaves_goes_on_where_it_was(tmp_path: Path) -> None:
    half_done(tmp_path)
    seen: list[int] = []
    table = solve_table(gm.load(NAME), folder=tmp_path, tell=lambda stage: seen.append(stage.done))
    assert same(table, solve_table(gm.load(NAME)))
    assert seen[0] > 40_000
    stages: list[str] = []
    assert same(
        table, solve_table(gm.load(NAME), folder=tmp_path, tell=lambda stage: stages.append(stage.doing))
    )
    assert set(stages) == {"labelling positions"}


@pytest.mark.slow
def test_after_kill_9_at_any_moment_work_goes_on_and_comes_to_the_same(tmp_path: Path) -> None:
    game = gm.load(NAME)
    known = solve_table(game)
    for lines in (3, 40, 5, 60):
        worker = subprocess.Popen(
            [sys.executable, "-c", WORK, NAME, str(tmp_path)], stdout=subprocess.PIPE, text=True
        )
        assert worker.stdout is not None
        for _ in range(lines):
            worker.stdout.readline()
        time.sleep(0.003 * lines % 0.05)
        worker.send_signal(signal.SIGKILL)
        worker.wait()
        worker.stdout.close()
    assert (tmp_path / "journal.json").exists()
    assert same(known, solve_table(game, folder=tmp_path))


def test_a_game_whose_play_never_comes_back_is_the_same_from_a_folder(tmp_path: Path) -> None:
    assert same(solve_table(gm.load("nim")), solve_table(gm.load("nim"), folder=tmp_path))
    assert not (tmp_path / "parents").exists()


@pytest.mark.parametrize("name", ["states", "edges", "counts", "rows1", "ends", "movers", "journal.json"])
def test_a_file_that_is_damaged_or_cut_off_is_never_trusted(name: str, tmp_path: Path) -> None:
    half_done(tmp_path)
    path = tmp_path / name
    content = bytearray(path.read_bytes())
    content[64] ^= 16
    path.write_bytes(content)
    with pytest.raises(StrategyError, match=rf"{name} in .* is damaged, so nothing there is trusted"):
        solve_table(gm.load(NAME), folder=tmp_path)
    path.write_bytes(content[:20])
    with pytest.raises(StrategyError, match=rf"{name} in .* is damaged, so nothing there is trusted"):
        solve_table(gm.load(NAME), folder=tmp_path)


def test_a_damaged_folder_of_the_cache_is_begun_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gamemaster.solving.solver.cache_folder", lambda: tmp_path)
    game, few = gm.load(NAME), SolveLimits(memory=4 << 20)
    with pytest.raises(Left):
        solve_table(game, limits=few, tell=leave_after(150_000))  # type: ignore[arg-type]
    (journal,) = tmp_path.glob("solving/*/journal.json")
    journal.write_text("{}")
    assert same(solve_table(game), solve_table(game, limits=few))
    assert not journal.exists()


def test_a_folder_of_another_game_is_refused(tmp_path: Path) -> None:
    solve_table(gm.load("nim"), folder=tmp_path)
    with pytest.raises(StrategyError, match="holds positions of another game or version"):
        solve_table(gm.load("tictactoe"), folder=tmp_path)


def test_two_processes_do_not_work_in_one_folder(tmp_path: Path) -> None:
    game = gm.load("nim").compiled
    assert game is not None
    journal = SolveJournal(Positions(game), tmp_path, "")
    journal.open()
    with pytest.raises(StrategyError, match="another process solves in"):
        solve_table(game, folder=tmp_path)
    journal.close()
    solve_table(game, folder=tmp_path)


def full(*_: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_a_full_disk_is_told_and_what_was_done_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    half_done(tmp_path)
    with monkeypatch.context() as patched:
        patched.setattr(os, "posix_fallocate", full)
        with pytest.raises(
            LimitExceeded, match=r"disk limit of what is free for .* exceeded .* what was done is kept"
        ):
            solve_table(gm.load(NAME), folder=tmp_path)
    assert same(solve_table(gm.load(NAME)), solve_table(gm.load(NAME), folder=tmp_path))


def test_a_journal_that_finds_no_room_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(LimitExceeded, match="exceeded writing the journal"):
        solve_table(gm.load("nim"), folder=tmp_path)


def test_memory_that_is_short_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(np, "empty", nothing)
    column = Column.__new__(Column)
    column.kind, column.shape, column.path = np.dtype(np.uint64), (), None
    column.array = np.zeros(0, np.uint64)
    with pytest.raises(
        LimitExceeded, match=r"memory limit of what this machine has \(80,000 bytes more are needed"
    ):
        column.reserve(10_000)


@pytest.mark.parametrize(
    "changes",
    [
        {"layers": []},
        {"layers": "x"},
        {"cursor": None},
        {"cursor": [10**20]},
        {"vectors": []},
        {"vectors": [-1]},
        {"columns": None},
        {"is_complete": 1},
    ],
)
def test_a_journal_that_says_what_cannot_be_is_refused(tmp_path: Path, changes: dict[str, object]) -> None:
    solve_table(gm.load("nim"), folder=tmp_path)
    told = {**json.loads((tmp_path / "journal.json").read_bytes()), **changes}
    del told["sha256"]
    told["sha256"] = hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()
    (tmp_path / "journal.json").write_text(json.dumps(told))
    with pytest.raises(StrategyError, match=r"journal\.json in .* is damaged"):
        solve_table(gm.load("nim"), folder=tmp_path)
