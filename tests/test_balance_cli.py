"""The command balance: tables, small pictures, JSON, SVG, and what it refuses."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner, Result

from gamemaster.arena.balance import StrongOrder, play_strongly
from gamemaster.cli import app
from gamemaster.terminal import balancing

QUICK = ("--seconds", "60", "--playouts", "300", "--workers", "0", "--players", "random")
ENDLESS = "role(a)\nrole(b)\ninit(p)\nlegal(a,x)\nlegal(b,y)\nnext(p)\nterminal :- true(q)\ngoal(a,60)\ngoal(b,40)\n"
CHANCE = "role(random)\ninit(p)\nlegal(random,a)\nnext(q)\nterminal :- true(q)\ngoal(random,100)\n"
UNCOUNTED = (
    "role(x) legal(x,a) next(p) terminal :- true(p) | ~(true(p) & true(q)) "
    "goal(x,N) :- setofall(X,true(X),L) & first(L,N)"
)


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["balance", *arguments], prog_name="gamemaster")


def test_balance_prints_random_and_strong_play() -> None:
    result = run("tictactoe", *QUICK, "--matches", "2")
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[0] == "tictactoe: 2 players, turn-taking, on the compiled machine"
    assert "random play: 300 games" in lines
    assert (
        "strong play: 2 matches of random at 0.2 s a move, everybody in every role; so few say little"
        in lines
    )
    assert "not seen in 300 random games" in lines
    for word in (
        "x ",
        "o ",
        "draw",
        "first move",
        "length",
        "branching",
        "moves never legal",
        "facts never true",
    ):
        assert any(line.startswith(word) for line in lines), word
    assert any("●" in line and "─" in line for line in lines)
    assert any(line.endswith("██▇▆▅▄▃▂▁  by step") for line in lines)


def test_balance_as_json_and_as_a_picture(tmp_path: Path) -> None:
    picture = tmp_path / "balance.svg"
    result = run("roshambo", *QUICK, "--matches", "2", "--json", "--svg", str(picture), "--theme", "dark")
    found = json.loads(result.stdout)
    assert (found["game"], found["random"]["playouts"], found["strong"]["matches"]) == ("roshambo", 300, 2)
    assert found["random"]["first_move_advantage"] is None
    assert ElementTree.fromstring(picture.read_text()).tag.endswith("svg")


def test_one_player_has_no_wins_but_a_full_score() -> None:
    result = run("hamilton", *QUICK, "--matches", "1")
    assert "full score %" in result.stdout
    assert "first move" not in result.stdout
    assert "draw" not in result.stdout
    assert "length     19" in result.stdout
    assert "strong play: 1 match of random" in result.stdout


def test_without_matches_only_random_play_is_told() -> None:
    result = run("dicerace", *QUICK, "--matches", "0")
    assert result.exit_code == 0
    assert "strong play" not in result.stdout
    assert not any(line.startswith("random ") and "(" in line for line in result.stdout.splitlines())


def test_games_that_do_not_end_are_told(tmp_path: Path) -> None:
    path = tmp_path / "endless.hrf"
    path.write_text(ENDLESS)
    result = run(str(path), "--playouts", "3", "--matches", "0", "--seconds", "60")
    assert "random play: 3 games; 3 of them came to no end and were cut after 1,000 steps" in result.stdout
    assert re.search(r"^length +1000 +always$", result.stdout, re.MULTILINE)


def test_a_game_on_the_reference_machine_has_no_list_of_moves(tmp_path: Path) -> None:
    path = tmp_path / "count.hrf"
    path.write_text(UNCOUNTED)
    result = run(str(path), "--playouts", "3", "--matches", "0", "--seconds", "60")
    assert result.exit_code == 0, result.output
    assert "which moves and facts there are is not known" in result.stdout


def test_players_of_different_names_are_compared() -> None:
    result = run("tictactoe", *QUICK[:-1], "random,legal", "--matches", "2")
    rows = [line.split()[0] for line in result.stdout.splitlines() if line]
    assert {"random", "legal"} <= set(rows)


def test_what_may_take_long_is_said_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(balancing, "WORTH_SAYING", 0.0)
    result = run("roshambo", *QUICK, "--matches", "2")
    assert "2 matches may take 1 min or more; Ctrl-C leaves them" in result.stderr


def test_who_leaves_sees_what_was_played(monkeypatch: pytest.MonkeyPatch) -> None:
    def left(order: StrongOrder, *arguments: Any, tell: Any, **more: Any) -> None:
        def hear(progress: Any) -> None:
            tell(progress)
            if progress.played:
                raise KeyboardInterrupt

        play_strongly(order, *arguments, tell=hear, **more)

    monkeypatch.setattr(balancing, "play_strongly", left)
    result = run("roshambo", *QUICK, "--matches", "4")
    assert result.exit_code == 130
    assert "strong play: 1 match of random" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nosuchgame"], "no game or rule file"),
        (["tictactoe", "--players", "nobody"], "no player or player file 'nobody'"),
        (["tictactoe", "--players", "mcts,mcts,mcts"], "3 players for the 2 roles"),
        (
            ["tictactoe", "--svg", "/nowhere/picture.svg"],
            "no picture can be written to '/nowhere/picture.svg'",
        ),
        (["tictactoe", "--theme", "pink"], "'pink' is no theme"),
    ],
)
def test_balance_refuses(arguments: list[str], message: str) -> None:
    result = run(*arguments, "--playouts", "1")
    assert result.exit_code == 1
    assert message in result.stderr
    assert "Traceback" not in result.output


def test_a_game_that_nobody_plays_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "chance.hrf"
    path.write_text(CHANCE)
    result = run(str(path))
    assert result.exit_code == 1
    assert "all its roles are chance" in result.stderr


@pytest.mark.parametrize(
    "option",
    ["--matches=-1", "--seconds=-1", "--seconds-a-move=0", "--playouts=0", "--workers=-1", "--seed=-1"],
)
def test_numbers_that_make_no_sense_are_wrong_usage(option: str) -> None:
    result = run("tictactoe", option)
    assert result.exit_code == 2
    assert option.partition("=")[0] in result.stderr


def test_help_has_an_example() -> None:
    assert "gamemaster balance connectfour" in run("--help").stdout
