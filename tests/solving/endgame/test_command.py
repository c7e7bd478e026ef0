"""The command `gamemaster endgame`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import gamemaster as gm
from gamemaster.cli import app
from gamemaster.errors import StrategyError
from gamemaster.solving.endgame.files import kept_path, load_endgame
from gamemaster.solving.endgame.verifying import Verification
from gamemaster.terminal import endgames
from tests.solving.endgame.games import CHASE

SMALL = "breakthrough:columns=3,rows=4"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["endgame", *arguments], prog_name="gamemaster")


def test_a_table_is_made_told_and_written(tmp_path: Path) -> None:
    path = tmp_path / "small.endgame"
    result = run(SMALL, "--pieces", "2", "--save", str(path), "--verify", "20")
    assert result.exit_code == 0
    assert "positions with up to 2 pieces" in result.stdout
    assert "pieces: facts cell(_,_,P) on 12 places: black, white" in result.stdout
    assert "20 searched by alpha-beta" in result.stdout
    assert "bytes a position in" in result.stdout
    assert len(load_endgame(path, gm.load(SMALL))) == 48 + 132 * 2 + 264


def test_a_clock_and_what_rests_are_told(tmp_path: Path) -> None:
    path = tmp_path / "chase.hrf"
    path.write_text(CHASE)
    result = run(str(path), "--save", str(tmp_path / "chase.endgame"))
    assert result.exit_code == 0
    assert "clock: from quiet(0) on no game is over by it within 9 steps" in result.stdout
    assert "where nothing is forced: 50,50" in result.stdout


def test_a_table_is_kept_where_players_look_for_it() -> None:
    path = kept_path(gm.load("breakthrough:columns=3,rows=5"))
    path.unlink(missing_ok=True)
    result = run("breakthrough:columns=3,rows=5", "--pieces", "2", "--json")
    told = json.loads(result.stdout)
    assert told["file"] == str(path)
    assert path.is_file()
    assert (told["pieces"], told["board"]) == (2, "cell(_,_,P)")
    path.unlink()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nim"], "nothing in nim is like a board with pieces"),
        ([SMALL, "--kinds", "rook"], "is no kind of piece"),
        (["breakthrough:columns=5,rows=5", "--pieces", "4", "--memory", "1"], "--memory allows more"),
        ([SMALL, "--save", "/nowhere/at/all"], "cannot be written to '/nowhere/at/all'"),
        (["dicerace"], "endgame: there is chance in dicerace"),
    ],
)
def test_what_cannot_be_is_one_line(arguments: list[str], message: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 1
    assert message in " ".join(result.stderr.split())


def test_a_cache_that_is_no_folder_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game = gm.load(SMALL)
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setattr(endgames, "kept_path", lambda game: tmp_path / "file" / "endgames" / "small")
    with pytest.raises(StrategyError, match="the table cannot be kept in"):
        endgames.path_for(game)


def test_a_table_that_is_wrong_ends_with_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    wrong = Verification(searched=1, wrong=["100,0 in 3, but not so: cell(1,1,white)"])
    monkeypatch.setattr(endgames, "verify_endgame", lambda table, count, seed: wrong)
    result = run(SMALL, "--pieces", "2", "--save", str(tmp_path / "a"), "--verify", "2")
    assert result.exit_code == 1
    assert "1 are wrong" in result.stdout
    assert "wrong: 100,0 in 3, but not so" in result.stdout
