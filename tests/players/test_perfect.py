"""The player perfect: it gets what its role is sure of, or refuses and says who else would play."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

import gamemaster as gm
from gamemaster.cli.start import app
from gamemaster.errors import Unsuitable
from gamemaster.players.catalogue import refusal_of
from gamemaster.players.perfect import Perfect
from gamemaster.solving.door import solvable
from gamemaster.solving.solver import prepare_solver, solve_table


@pytest.fixture(scope="module", autouse=True)
def kernels() -> None:
    """What labelling takes is compiled before any clock runs."""
    solve_table(gm.load("nim"))


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
    with pytest.raises(
        Unsuitable, match=r"perfect cannot play tictactoe: the table of labels .* is of other rules"
    ):
        Perfect(file=str(tmp_path / "nim.labels")).start("x", gm.load("tictactoe"), 10, 10)


@pytest.mark.parametrize(
    ("content", "why"),
    [(None, "No such file"), (b"", "is empty"), (b"something else", "is no table of labels")],
)
def test_a_file_that_is_no_table_is_told_in_a_line_before_the_match(
    tmp_path: Path, content: bytes | None, why: str
) -> None:
    path = tmp_path / "wrong.labels"
    if content is not None:
        path.write_bytes(content)
    told = f"perfect(file={path})"
    for asked in (["match", "nim", "--players", f"{told},random"], ["play", "nim", "--against", told]):
        result = CliRunner().invoke(app, asked)
        assert result.exit_code != 0, asked
        lines = result.output.strip().splitlines()
        assert len(lines) == 1, result.output
        assert "file of perfect: " in lines[0]
        assert why in lines[0]


def test_a_state_that_is_none_of_its_positions_is_solved_by_itself() -> None:
    player, game = Perfect(), gm.load("nim")
    player.start("bob", game, 10, 10)
    other = game.state(["heap(first,1)", "heap(second,1)", "heap(third,1)", "control(bob)"])
    player.resume(other)
    assert player.play(None) in other.legal_moves("bob")


def test_a_game_too_large_for_its_clock_is_refused_with_who_else_plays() -> None:
    assert prepare_solver(solvable(gm.load("chess")), 600)
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
