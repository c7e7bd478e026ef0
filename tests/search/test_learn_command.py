"""`gamemaster learn`."""

from __future__ import annotations

import json
import os
import re
import signal
import threading
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import gamemaster as gm
from gamemaster.cli import app
from gamemaster.load import load
from gamemaster.search.budget import Halt
from gamemaster.search.evaluation import Weight, Weighted, mobility
from gamemaster.search.native.engine import Engine, engine_of
from gamemaster.search.native.judgement import Judgement
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
    assert "worth to x, in points of 100 that o loses" in text
    assert re.search(r"^x +o\n +1 +2 +3 +1 +2 +3\n1 ", text, re.MULTILINE)
    assert re.search(r"^points +together, beyond what both are alone", text, re.MULTILINE)
    assert re.search(r"^ +0% └─+\n +\d+ +300 games$", text, re.MULTILINE)
    assert re.search(r"of 400 games that it has not learnt from it foretells \d+%", text)
    assert "\x1b" not in text
    told = json.loads(run("tictactoe", "--games", "100", "--json"))
    assert (told["games"], told["games_before"]) == (400, 300)
    assert told["curve"][-1]["games"] == 400
    assert {"fact", "points", "instead", "share"} == set(told["worths"][0])
    assert [each["piece"] for each in told["maps"]] == ["x", "o"]
    assert set(told["maps"][0]["points"]) <= {f"{row},{column}" for row in "123" for column in "123"}
    assert told["held_out"]["games"] == 400
    assert len(told["smooth_curve"]) == len(told["curve"])
    anew = json.loads(run("tictactoe", "--games", "100", "--anew", "--json"))
    assert (anew["games"], anew["games_before"]) == (100, 0)


def test_what_is_kept_is_shown_and_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GAMEMASTER_CACHE", str(tmp_path))
    svg, png = tmp_path / "learnt.svg", tmp_path / "learnt.png"
    nothing = " ".join(run("tictactoe", "--svg", str(svg), code=1).split())
    assert "nothing of tictactoe is kept: learn it first, with --minutes or --games" in nothing
    assert json.loads(run("tictactoe", "--seconds", "0.2", "--json"))["judgement"] is None
    text = run("tictactoe", "--games", "60", "--svg", str(svg), "--theme", "dark")
    assert f"{svg}: " in text
    assert 'role="img"' in svg.read_text()
    first = svg.read_text()
    assert "learnt from 60 games against itself" in run("tictactoe", "--seconds", "0.2", "--svg", str(svg))
    assert svg.read_text() != first  # of both themes
    told = json.loads(run("tictactoe", "--seconds", "0.2", "--png", str(png), "--size", "300", "--json"))
    assert told["judgement"]["games"] == 60
    assert png.read_bytes().startswith(b"\x89PNG")


def test_pictures_that_cannot_be_are_refused(tmp_path: Path) -> None:
    assert "only pictures take this" in run("tictactoe", "--theme", "dark", code=2)
    assert "is no theme" in run("tictactoe", "--svg", str(tmp_path / "a.svg"), "--theme", "pink", code=1)
    assert "no picture can be written" in run("tictactoe", "--png", str(tmp_path), code=1)


def test_self_play_is_for_two_who_are_against_each_other() -> None:
    assert "two roles that are against each other" in " ".join(run("hunter", "--games", "10", code=1).split())
    assert "learning by self-play needs a compiled game" in " ".join(
        run("pig", "--minutes", "0.01", code=1).split()
    )
    assert "--anew is for" in run("tictactoe", "--anew", code=2)


ENDLESS = """
role(a) role(b) init(light(off)) init(control(a))
legal(R,flip) :- true(control(R)) legal(R,noop) :- role(R) & ~true(control(R))
next(light(on)) :- true(light(off)) next(light(off)) :- true(light(on))
next(control(a)) :- true(control(b)) next(control(b)) :- true(control(a))
terminal :- true(light(out))
goal(a,100) :- true(light(on)) goal(a,0) :- true(light(off))
goal(b,0) :- true(light(on)) goal(b,100) :- true(light(off))
"""


def test_games_without_an_end_teach_nothing_and_nothing_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GAMEMASTER_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "endless.hrf"
    path.write_text(ENDLESS)
    told = " ".join(run(str(path), "--games", "2", code=1).split())
    assert "of 2 games against itself none came to an end" in told
    assert '"judgement": null' in run(str(path), "--seconds", "0.2", "--json")


def test_who_choose_at_once_are_refused_before_anything_is_compiled() -> None:
    assert "those of roshambo choose at once" in " ".join(run("roshambo", "--games", "10", code=1).split())


def test_what_cannot_be_kept_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("GAMEMASTER_CACHE", str(tmp_path / "file"))
    told = " ".join(run("tictactoe", "--games", "60", code=1).split())
    assert "what was learnt from 60 games could not be kept" in told


def test_more_that_was_learnt_meanwhile_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from gamemaster.search.native import self_play
    from gamemaster.search.native.knowledge import keep_judgement, kept_judgement

    monkeypatch.setenv("GAMEMASTER_CACHE", str(tmp_path))
    game = load("tictactoe").compiled
    assert game is not None
    engine = engine_of(game)
    learn = self_play.learn_by_play
    more = learn(engine, game.initial_state(), None, games=90)

    def learn_beside(*arguments: Any, **named: Any) -> Judgement:
        keep_judgement(engine, more)  # as another process does
        return learn(*arguments, **named)

    monkeypatch.setattr(self_play, "learn_by_play", learn_beside)
    assert "not kept: what is kept was learnt from more games" in run("tictactoe", "--games", "60")
    kept = kept_judgement(engine)
    assert kept is not None
    assert kept.games == 90
    assert "kept for egghead" in run("tictactoe", "--games", "60")  # from 90 games on


def test_what_was_learnt_until_an_interrupt_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from gamemaster.search.native import self_play

    monkeypatch.setenv("GAMEMASTER_CACHE", str(tmp_path))
    learn, games = self_play.learn_by_play, 60

    def learn_a_little(engine: Engine, state: gm.State, *_: object, until: Halt, **named: Any) -> Judgement:
        os.kill(os.getpid(), signal.SIGINT)
        assert until.is_set()
        return learn(engine, state, None, **{**named, "games": games})

    monkeypatch.setattr(self_play, "learn_by_play", learn_a_little)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        told = run("tictactoe", "--minutes", "30", code=130)
        games = 30
        fewer = run("tictactoe", "--minutes", "30", "--anew", code=130)
    finally:
        signal.signal(signal.SIGINT, before)
    assert "interrupted: what was learnt from 60 games is kept" in told
    assert "what is kept was learnt from more games" in fewer
    assert "learnt from 60 games" in run("tictactoe", "--seconds", "0.2")


def test_self_play_ends_when_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    from gamemaster.search.native.self_play import learn_by_play

    game, until = load("tictactoe").compiled, Halt()
    assert game is not None
    threading.Timer(0.2, until.set).start()
    learnt = learn_by_play(engine_of(game), game.initial_state(), None, games=10**9, until=until)
    assert learnt.games < 10**9


def test_self_play_has_an_end() -> None:
    assert "less than or equal to 525600" in " ".join(run("tictactoe", "--minutes", "inf", code=2).split())
