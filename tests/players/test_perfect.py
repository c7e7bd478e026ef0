"""The player perfect: it gets what its role is sure of, or refuses and says who else would play."""

from __future__ import annotations

from pathlib import Path

import pytest

import gamemaster as gm
from gamemaster.errors import StrategyError, Unsuitable
from gamemaster.players.catalogue import refusal_of
from gamemaster.players.perfect import Perfect
from gamemaster.solving.solver import solve_table


@pytest.mark.parametrize("seed", range(3))
def test_it_wins_what_can_be_won_and_loses_nothing_that_is_drawn(seed: int) -> None:
    assert gm.match("nim", ["perfect", "random"], seed=seed).goals["alice"] == 100
    assert gm.match("tictactoe", ["random", "perfect"], seed=seed).goals["o"] in (50, 100)


def test_two_of_them_draw_at_tictactoe() -> None:
    assert set(gm.match("tictactoe", ["perfect", "perfect"]).goals.values()) == {50}


def test_it_solves_a_puzzle_in_the_fewest_steps() -> None:
    result = gm.match("subsetsum", ["perfect"])
    assert result.goals == {"robot": 100}


def test_it_says_why() -> None:
    player = Perfect()
    player.start("alice", gm.load("nim"), 10, 10)
    assert str(player.play(None)) == "take(first,2)"
    assert player.last_result is not None
    assert player.last_result.is_proven
    assert player.last_result.notes.startswith("wins in 11: ")
    assert player.last_result.values[gm.load("nim").move_of("take(first,2)")] == 100
    assert player.findings.startswith("nim: 232 positions, 196 T")


def test_it_plays_by_a_file(tmp_path: Path) -> None:
    solve_table(gm.load("nim")).save(tmp_path / "nim.labels")
    assert gm.match("nim", [f"perfect(file={tmp_path / 'nim.labels'})", "random"]).goals["alice"] == 100
    with pytest.raises(StrategyError, match="is of other rules"):
        Perfect(file=str(tmp_path / "nim.labels")).start("x", gm.load("tictactoe"), 10, 10)


def test_a_state_that_is_none_of_its_positions_is_solved_by_itself() -> None:
    player, game = Perfect(), gm.load("nim")
    player.start("bob", game, 10, 10)
    other = game.state(["heap(first,1)", "heap(second,1)", "heap(third,1)", "control(bob)"])
    player.resume(other)
    assert player.play(None) in other.legal_moves("bob")


def test_a_game_too_large_for_its_clock_is_refused_with_who_else_plays() -> None:
    with pytest.raises(Unsuitable, match=r"perfect cannot play chess: .* positions") as told:
        Perfect().start("white", gm.load("chess"), 3, 1)
    assert "(egghead, mcts, mcs, random, legal can play it)" in refusal_of(
        "perfect", gm.load("chess"), str(told.value)
    )


def test_a_game_too_large_for_its_memory_is_refused() -> None:
    with pytest.raises(Unsuitable, match=r"perfect cannot play .*: memory limit of 1 MB exceeded"):
        Perfect(memory=1).start("red", gm.load("connectfour:columns=4,rows=4"), 10, 10)


def test_while_kernels_are_compiled_it_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gamemaster.solving.solver.prepare_search", lambda *_: False)
    with pytest.raises(Unsuitable, match="what it takes is still being compiled"):
        Perfect().start("alice", gm.load("nim"), 10, 10)
