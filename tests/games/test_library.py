"""Every game of the library: what its folder says is true, and the original's answers come out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import gamemaster as gm
from gamemaster.check import check
from gamemaster.games import entry, find_rules, game_names
from gamemaster.load import source_of
from gamemaster.subroutines import findactions, findbases, findinits, findlegals, findreward

GOLDEN: dict[str, Any] = json.loads((Path(__file__).parent / "golden.json").read_text())
SLOW_PERFT = 20_000
"""Perft counts beyond this many sequences are for the compiled machine; the reference counts a ply less."""


def test_the_library_has_games() -> None:
    assert len(game_names()) >= 12
    assert set(GOLDEN) <= set(game_names())


@pytest.mark.parametrize("name", game_names())
def test_a_game_is_described(name: str) -> None:
    about = entry(name)
    game = gm.load(name, machine="reference")
    assert about.roles == game.roles
    assert all((about.title, about.kind, about.tags))
    assert len(about.description) > 300
    assert find_rules(name).suffix == "." + about.notation == "." + game.sheet.dialect


@pytest.mark.parametrize("name", game_names())
def test_the_checker_finds_nothing(name: str) -> None:
    report = check(source_of(name), seconds=0.5)
    assert not list(map(str, report.findings))
    assert report.played is not None
    assert report.played.games > 0


@pytest.mark.parametrize("name", game_names())
def test_perft_is_as_pinned(name: str) -> None:
    pinned = [count for count in entry(name).perft if count <= SLOW_PERFT]
    assert len(pinned) >= 2
    assert gm.load(name, machine="reference").perft(len(pinned)) == pinned


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in game_names() if max(entry(name).perft) > SLOW_PERFT])
def test_all_of_perft_is_as_pinned(name: str) -> None:
    assert tuple(gm.load(name, machine="reference").perft(len(entry(name).perft))) == entry(name).perft


@pytest.mark.parametrize("name", GOLDEN)
def test_the_start_is_the_original_s(name: str) -> None:
    game, golden = gm.load(name), GOLDEN[name]
    state = findinits(game)
    assert list(game.roles) == golden["roles"]
    assert sorted(map(str, state)) == sorted(golden["init"])
    assert len(findbases(game)) == golden["bases"]
    assert len(findactions(game)) == golden["actions"]
    assert list(map(str, findlegals(state, game))) == golden["legal0"]
    assert [findreward(role, state, game) for role in game.roles] == golden["initial_rewards"]
    assert list(entry(name).perft) == golden["perft"]


@pytest.mark.parametrize("name", GOLDEN)
def test_legal_against_legal_goes_as_on_the_original(name: str) -> None:
    game, golden = gm.load(name, machine="reference"), GOLDEN[name]["legal_vs_legal"]
    state, moves = game.initial_state(), []
    while not state.is_terminal:
        assert state.control is not None
        moves.append(state.legal_moves(state.control)[0])
        state = state.next(moves[-1])
    assert list(map(str, moves)) == golden["moves"]
    assert sorted(map(str, state.facts)) == sorted(golden["final_state"])
    assert [state.goal(role) for role in game.roles] == golden["rewards"]
