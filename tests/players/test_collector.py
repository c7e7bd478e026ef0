"""The collector of garbage while players think."""

from __future__ import annotations

import gc

import pytest

import gamemaster as gm
from gamemaster.machine.game import State
from gamemaster.players import collector
from gamemaster.players.collector import without_full_collections
from gamemaster.players.player import Player


def make_garbage() -> int:
    """How many full collections it takes to make many objects that stay, as a tree does."""
    before = int(gc.get_stats()[2]["collections"])
    tree = [[[]] for _ in range(400_000)]  # type: ignore[var-annotated]
    assert tree
    return int(gc.get_stats()[2]["collections"]) - before


def test_there_is_no_full_collection_while_somebody_thinks() -> None:
    gc.collect()
    assert make_garbage() > 0
    before = gc.get_threshold()
    with without_full_collections():
        assert make_garbage() == 0
        with without_full_collections():
            pass
        assert make_garbage() == 0  # one has ended, one is still at it
    assert gc.get_threshold() == before
    assert make_garbage() > 0


def test_thresholds_come_back_after_an_error() -> None:
    before = gc.get_threshold()
    with pytest.raises(ValueError, match="no"), without_full_collections():
        raise ValueError("no")
    assert gc.get_threshold() == before


def test_it_cannot_be_put_off_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collector, "LONGEST", 0.0)
    before = int(gc.get_stats()[2]["collections"])
    with without_full_collections(), without_full_collections():
        pass
    assert gc.get_stats()[2]["collections"] == before + 2


def test_players_start_and_play_without() -> None:
    seen: list[int] = []

    class Looker(Player):
        def prepare(self) -> None:
            seen.append(gc.get_threshold()[2])

        def choose(self, state: State) -> str:
            seen.append(gc.get_threshold()[2])
            return str(state.legal_moves(self.role)[0])

    player = Looker()
    player.start("x", gm.load("tictactoe"), 1, 1)
    player.play(None)
    assert seen == [collector.NEVER] * 2
    assert gc.get_threshold()[2] != collector.NEVER
