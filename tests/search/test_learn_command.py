"""`gamemaster learn`."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

from gamemaster.cli import app
from tests.machine.sheets import HIDDEN_DIE


def run(*arguments: str, code: int = 0) -> str:
    result = CliRunner().invoke(app, ["learn", *arguments])
    assert result.exit_code == code, result.output
    return result.output


def test_features_and_facts_are_shown() -> None:
    text = run("tictactoe", "--seconds", "1")
    assert "x: features of" in text
    assert "mobility" in text
    assert "learnt from 20,000 random games" in text
    assert "cell(2,2,x)" in text


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
    assert "without chance or hidden information" in text


def test_an_unknown_game_is_told() -> None:
    assert "error" in run("tictactoo", code=1)
