"""`gamemaster learn`."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gamemaster.cli import app
from gamemaster.search.evaluation import Weight, Weighted, mobility
from tests.machine.sheets import HIDDEN_DIE


def run(*arguments: str, code: int = 0) -> str:
    result = CliRunner().invoke(app, ["learn", *arguments])
    assert result.exit_code == code, result.output
    return result.output


def test_features_and_facts_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gamemaster.terminal.learning.FEWEST_GAMES", 0)  # however slow the machine is
    text = run("tictactoe", "--seconds", "1")
    assert re.search(r"^x: features of [\d,]+ states of [\d,]+ random games?$", text, re.MULTILINE)
    assert "mobility" in text
    assert "learnt from 20,000 random games" in text
    assert "cell(2,2,x)" in text


@pytest.mark.parametrize(
    ("games", "told"), [(0, "0 random games"), (1, "1 random game"), (29, "29 random games")]
)
def test_too_few_games_are_told_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch, games: int, told: str
) -> None:
    weighted = Weighted((Weight(mobility, 4711.0),), 50.0, 3 * games, games)
    monkeypatch.setattr("gamemaster.terminal.learning.learn_weights", lambda *_: weighted)
    text = run("tictactoe", "--seconds", "0.1")
    assert f"x: {told} are too few to learn what features are worth; more --seconds give more\n" in text
    assert "4711" not in text


def test_json_has_all_weights() -> None:
    found = json.loads(run("tictactoe", "--seconds", "1", "--json"))
    assert set(found["features"]) == {"x", "o"}
    weights = found["facts"]["weights"]["x"]
    assert max(weights, key=lambda fact: weights[fact]) == "cell(2,2,x)"
    assert found["facts"]["games"] == 20_000


def test_what_cannot_be_learnt_is_told(tmp_path: Path) -> None:
    path = tmp_path / "die.hrf"
    path.write_text(HIDDEN_DIE)
    text = run(str(path), "--seconds", "0.5")
    assert "hides its state" in " ".join(text.split())


def test_an_unknown_game_is_told() -> None:
    assert "error" in run("tictactoo", code=1)


def test_self_play_is_shown_and_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GAMEMASTER_CACHE", str(tmp_path))
    text = run("tictactoe", "--games", "300")
    assert "learnt from 300 games against itself" in text
    assert "kept for egghead" in text
    assert re.search(r"^ +300 games +-?\d+%", text, re.MULTILINE)
    told = json.loads(run("tictactoe", "--games", "100", "--json"))
    assert (told["games"], told["games_before"]) == (400, 300)
    assert told["curve"][-1]["games"] == 400
    anew = json.loads(run("tictactoe", "--games", "100", "--anew", "--json"))
    assert (anew["games"], anew["games_before"]) == (100, 0)


def test_self_play_is_for_two_who_are_against_each_other() -> None:
    assert "two roles that are against each other" in " ".join(run("hunter", "--games", "10", code=1).split())
    assert "learning by self-play needs a compiled game" in " ".join(
        run("pig", "--minutes", "0.01", code=1).split()
    )
    assert "--anew is for" in run("tictactoe", "--anew", code=2)
