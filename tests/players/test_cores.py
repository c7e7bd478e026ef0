"""How many cores a player may use, as those who started it allow."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gamemaster.players import cores
from gamemaster.players.cores import free_cores
from gamemaster.players.egghead import Egghead


@pytest.fixture(autouse=True)
def groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Four cores, and groups that allow any time: of one inside another this process is."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0, 1, 2, 3}, raising=False)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    own = tmp_path / "groups" / "outer" / "inner"
    own.mkdir(parents=True)
    (own / "cpu.max").write_text("max 100000\n")
    (tmp_path / "own").write_text("3:cpu:/\n0::/outer/inner\n")
    monkeypatch.setattr(cores, "GROUPS", tmp_path / "groups")
    monkeypatch.setattr(cores, "OWN_GROUP", tmp_path / "own")
    return own


def test_all_cores_that_the_process_is_kept_on(monkeypatch: pytest.MonkeyPatch) -> None:
    assert free_cores() == 4
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {2}, raising=False)
    assert free_cores() == 1
    assert Egghead().threads == 1


@pytest.mark.parametrize(("told", "cores"), [("2", 2), ("9", 4), ("0", 1), ("4,1", 4), ("", 4)])
def test_no_more_than_threads_are_asked_for(monkeypatch: pytest.MonkeyPatch, told: str, cores: int) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", told)
    assert free_cores() == cores


@pytest.mark.parametrize(
    ("quota", "cores"), [("150000 100000", 1), ("200000 100000", 2), ("20000 100000", 1), ("odd", 4)]
)
def test_a_container_allows_time(groups: Path, quota: str, cores: int) -> None:
    (groups.parent / "cpu.max").write_text(quota)
    assert free_cores() == cores


def test_a_system_without_groups(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(cores, "OWN_GROUP", tmp_path / "nothing")
    monkeypatch.setattr(cores, "GROUPS", tmp_path / "nowhere")
    assert free_cores() == 4
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert free_cores() == 1
