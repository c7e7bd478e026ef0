"""Egghead: every kind of game gets a mind that suits it, and no clock is overrun by much."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

import gamemaster as gm
from gamemaster.language.terms import Symbol
from gamemaster.players.egghead import Egghead, Forest, Joint, Puzzle, Python, together
from gamemaster.search.native import warm_up
from gamemaster.search.result import SearchResult
from tests.machine.sheets import HIDDEN_DIE, MATCHING

CHANCE = """
role(a) role(random) init(turn(a)) face(1) face(2)
legal(a,bet(X)) :- true(turn(a)) & face(X)
legal(a,wait) :- ~true(turn(a))
legal(random,roll(X)) :- true(turn(random)) & face(X)
legal(random,wait) :- ~true(turn(random))
next(turn(random)) :- true(turn(a))
next(bet(X)) :- does(a,bet(X))
next(bet(X)) :- true(bet(X))
next(rolled(X)) :- does(random,roll(X))
terminal :- true(rolled(1))
terminal :- true(rolled(2))
goal(a,100) :- true(bet(X)) & true(rolled(X))
goal(a,30) :- true(bet(1)) & true(rolled(2))
goal(a,0) :- true(bet(2)) & true(rolled(1))
goal(random,0)
"""


def started(game: gm.Game, role: str, startclock: float = 1.0, playclock: float = 0.5) -> Egghead:
    warm_up()  # compiling once is not what is tested
    player = Egghead(seed=1, threads=2)
    player.start(role, game, startclock, playclock)
    return player


def test_a_small_game_is_solved() -> None:
    player = started(gm.load("tictactoe"), "x")
    began = time.perf_counter()
    move = player.play(None)
    assert time.perf_counter() - began < 0.4
    assert move in player.state.legal_moves("x")
    assert player.last_result is not None
    assert player.last_result.is_proven
    assert player.last_result.value == 50


def test_two_trees_are_grown_together() -> None:
    game = gm.load("connectfour")
    player = started(game, "red", 1.0, 0.5)
    assert isinstance(player._minds[0], Forest)
    move = player.play(None)
    assert move in game.initial_state().legal_moves("red")
    result = player.last_result
    assert result is not None
    assert result.algorithm == "egghead (mcts)"
    assert sum(result.visits.values()) > 100
    follow = player.play({"red": move} if isinstance(move, str) else move)
    assert follow is False or follow in player.state.legal_moves("red")


@pytest.mark.parametrize(
    ("name", "best"),
    [("buttonsandlights", 100), ("jointbuttonsandlights", 100), ("hunter", 100), ("hamilton", 100)],
)
def test_puzzles_are_played_to_their_best(name: str, best: int) -> None:
    game = gm.load(name)
    player = started(game, "robot", 4.0, 1.0)
    assert isinstance(player._minds[0], Puzzle)
    state, move = game.initial_state(), None
    while not state.is_terminal:
        move = player.play(move)
        assert move is not False
        state = state.next(move)
    assert state.goal("robot") == best


def test_simultaneous_moves() -> None:
    game = gm.parse(MATCHING)
    player = started(game, game.roles[0])
    assert player.play(None) in game.initial_state().legal_moves(game.roles[0])
    assert player.last_result is not None
    assert "decoupled" in player.last_result.algorithm


def test_chance() -> None:
    player = started(gm.parse(CHANCE, dialect="hrf"), "a")
    assert isinstance(player._minds[0], Joint)
    assert str(player.play(None)) == "bet(1)"


def test_the_reference_machine() -> None:
    game = gm.load("tictactoe", machine="reference")
    player = started(game, "x")
    assert isinstance(player._minds[0], Python)
    assert player.play(None) in game.initial_state().legal_moves("x")


def test_a_puzzle_on_the_reference_machine() -> None:
    game = gm.load("buttonsandlights", machine="reference")
    player = started(game, "robot", 2.0)
    assert player.play(None) in game.initial_state().legal_moves("robot")


def test_hidden_information_is_refused() -> None:
    game = gm.parse(HIDDEN_DIE)
    with pytest.raises(gm.Unsuitable):
        started(game, next(role for role in game.roles if role != "random"))


def test_what_trees_say_is_added_up() -> None:
    a, b = Symbol("a"), Symbol("b")
    first = SearchResult("mcts", "x", a, 60.0, {a: 60.0, b: 20.0}, {a: 30, b: 10}, nodes=40, playouts=40)
    second = SearchResult("mcts", "x", b, 40.0, {a: 30.0, b: 40.0}, {a: 10, b: 12}, nodes=22, playouts=22)
    both = together([first, second])
    assert both.move == a
    assert both.visits == {a: 40, b: 22}
    assert both.values[a] == pytest.approx(52.5)
    assert (both.nodes, both.playouts) == (62, 62)
    proven = replace(second, is_proven=True)
    assert together([first, proven]) is proven
    assert together([first]) is first


def test_a_game_that_gets_stuck_is_played_as_far_as_it_goes() -> None:
    text = """
    role(a) role(b) init(turn(a)) pick(1) pick(2)
    legal(a,take(X)) :- true(turn(a)) & pick(X)
    legal(b,wait) :- true(turn(a))
    next(done) :- true(turn(a))
    terminal :- true(never)
    goal(a,50) goal(b,50)
    """
    game = gm.parse(text, dialect="hrf")
    player = started(game, "a")
    assert player.play(None) in game.initial_state().legal_moves("a")
