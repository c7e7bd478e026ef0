"""Tuning: settings play each other, and the first is kept unless another is clearly better."""

from __future__ import annotations

import pytest

import gamemaster as gm
from gamemaster.machine.compiled import CompiledGame
from gamemaster.search.native.engine import Engine
from gamemaster.search.native.tuning import SETTINGS, TreeSettings, Tuning, is_placement, settings_for, tune
from gamemaster.search.native.warming import warm_up
from tests.ticking import ticking


def engine(name: str) -> Engine:
    game = gm.load(name, machine="compiled")
    assert isinstance(game, CompiledGame)
    made = Engine(game)
    made.wait(20)
    return made


def test_games_are_played_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    warm_up()
    clock = ticking(monkeypatch, 0.01)
    tuning = tune(engine("tictactoe"), 1.0, seed=1)
    assert clock.now < 1.5
    assert sum(tuning.games.values()) % 2 == 0
    assert sum(tuning.games.values()) > 0
    assert sum(tuning.points.values()) == sum(tuning.games.values()) / 2  # tictactoe is a game of fixed sum
    assert tuning.best in SETTINGS
    assert "exploration" in str(tuning)


def test_no_time_means_the_first_setting() -> None:
    tuning = tune(engine("tictactoe"), 0.0)
    assert tuning.best == settings_for(engine("tictactoe").game)[0]


def test_where_stones_stay_moves_count_anywhere() -> None:
    games = {name: engine(name).game for name in ("tictactoe", "hex7x7", "connectfour", "breakthrough")}
    assert [name for name, game in games.items() if is_placement(game)] == ["tictactoe", "hex7x7"]
    assert settings_for(games["hex7x7"])[0].amaf > 0
    assert settings_for(games["connectfour"]) == SETTINGS


def test_three_roles_can_be_tuned_for(monkeypatch: pytest.MonkeyPatch) -> None:
    text = """
    role(a) role(b) role(c) init(turn(a)) init(left(6))
    after(a,b) after(b,c) after(c,a) less(6,5) less(5,4) less(4,3) less(3,2) less(2,1) less(1,0) pick(1) pick(2)
    legal(R,take(X)) :- true(turn(R)) & pick(X)
    legal(R,wait) :- role(R) & ~true(turn(R))
    next(turn(S)) :- true(turn(R)) & after(R,S)
    next(left(Y)) :- true(left(X)) & less(X,Y)
    next(has(R)) :- does(R,take(2))
    next(has(R)) :- true(has(R))
    terminal :- true(left(0))
    goal(R,100) :- true(has(R))
    goal(R,0) :- role(R) & ~true(has(R))
    """
    game = gm.parse(text, dialect="hrf", machine="compiled")
    assert isinstance(game, CompiledGame)
    ticking(monkeypatch, 0.01)
    tuning = tune(Engine(game), 1.5)
    assert sum(tuning.games.values()) > 0


def test_another_setting_is_taken_only_if_it_is_clearly_better() -> None:
    first, second = TreeSettings(), TreeSettings(exploration=1.0)
    assert Tuning({first: 1.0, second: 14.0}, {first: 8, second: 20}).best == second
    assert Tuning({first: 8.0, second: 12.0}, {first: 20, second: 20}).best == first
    assert Tuning({first: 0.0, second: 2.0}, {first: 2, second: 2}).best == first  # too few games to tell
