"""The commands metagame and analyse."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from gamemaster.cli import app
from gamemaster.load import parse
from gamemaster.metagame.catalogue import TRANSFORMERS

ROOT = Path(__file__).parents[2]


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments), prog_name="gamemaster")


def test_metagame_prints_rules_and_gain() -> None:
    result = run("metagame", "badtictactoe", "--with", "optimizer, pruner", "--seconds", "0.05")
    assert result.exit_code == 0
    assert "legal(mark(M,N)) :- cell(M,N,b)\n" in result.stdout
    assert parse(result.stdout).perft(2) == [9, 72]
    for word in ("before", "after", "rules", "literals", "playouts per CPU second", "ground rules", "gates"):
        assert word in result.stderr


def test_metagame_as_json() -> None:
    result = run("metagame", "wythoff", "--with", "materializer", "--seconds", "0.05", "--json")
    found = json.loads(result.stdout)
    assert found["with"] == ["materializer"]
    assert found["after"]["rules"] > found["before"]["rules"]
    assert found["rules"].startswith("(")
    assert not result.stderr


def test_metagame_measures_what_does_not_compile(tmp_path: Path) -> None:
    path = tmp_path / "count.hrf"
    path.write_text(
        "role(x) legal(x,a) next(p) terminal :- true(p) | ~(true(p) & true(q)) "
        "goal(x,N) :- setofall(X,true(X),L) & first(L,N)"
    )
    result = run("metagame", str(path), "--seconds", "0.05", "--json")
    assert json.loads(result.stdout)["after"]["gates"] is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["tictactoe", "--with", "optimiser"], "no transformer 'optimiser'"),
        (["tictactoe", "--with", "symbolizer"], "ground them first"),
        (["nosuchgame"], "no game or rule file"),
    ],
)
def test_metagame_refuses(arguments: list[str], message: str) -> None:
    result = run("metagame", *arguments)
    assert result.exit_code == 1
    assert message in result.stderr
    assert "Traceback" not in result.output


def test_analyse_prints_a_table() -> None:
    result = run("analyse", "buttonsandlights", "--seconds", "1")
    assert result.exit_code == 0
    assert "longest game" in result.stdout
    assert "6 steps" in result.stdout


def test_analyse_as_json() -> None:
    found = json.loads(run("analyse", "jointbuttonsandlights", "--seconds", "20", "--json").stdout)
    assert found["roles"] == ["robot"]
    assert len(found["parts"]) == 3


@pytest.mark.parametrize("command", ["metagame", "analyse"])
def test_help_has_an_example(command: str) -> None:
    assert f"gamemaster {command}" in run(command, "--help").stdout.split("\n", 1)[1]
    assert f"  {command} " in run("--help").stdout


def test_the_documents_name_every_transformer() -> None:
    text = (ROOT / "docs" / "metagame.md").read_text()
    assert not [name for name in TRANSFORMERS if f"`{name}`" not in text]
    assert not [name for name in TRANSFORMERS if name not in run("metagame", "--help").stdout]
