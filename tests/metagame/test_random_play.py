"""What random play says of balance: what was seen, and what was not, on both machines."""

from __future__ import annotations

import json

import pytest

from gamemaster.errors import ParameterError, Unsuitable
from gamemaster.load import MachineName, load, parse
from gamemaster.metagame.random_games import RandomGames, branching, histogram, random_games, ways_by_step
from gamemaster.metagame.random_play import play_at_random

TRAP = """
role(a)
role(b)
init(s(0))
legal(a,go) :- true(s(0))
legal(a,stay) :- true(s(0))
legal(a,fly) :- true(s(0)) & true(wings)
legal(b,wait) :- true(s(0))
next(s(1)) :- does(a,go)
next(s(2)) :- does(a,stay)
next(wings) :- true(wings) & does(a,stay)
next(wings) :- true(s(9))
next(s(9)) :- true(s(8))
next(s(8)) :- true(s(9))
init(s(7)) :- true(s(9))
terminal :- true(s(1))
terminal :- true(s(2))
goal(a,100) :- true(s(1))
goal(a,0) :- ~true(s(1))
goal(b,0) :- true(s(1))
goal(b,100) :- ~true(s(1))
"""
RARE = """
role(r)
init(step(0))
legal(r,move(X)) :- number(X)
number(1)
number(2)
number(3)
next(step(1)) :- true(step(0))
next(last(X)) :- does(r,move(X))
terminal :- true(step(1))
goal(r,100) :- true(last(1))
goal(r,50) :- ~true(last(1))
"""
ALL_CHANCE = "role(random)\ninit(p)\nlegal(random,a)\nnext(q)\nterminal :- true(q)\ngoal(random,100)\n"


@pytest.mark.parametrize("machine", ["compiled", "reference"])
def test_moves_and_facts_that_were_seen(machine: MachineName) -> None:
    found = random_games(parse(RARE, machine=machine), 60, 60.0, seed=1)
    assert {str(fact) for fact in found.facts} == {"step(0)", "step(1)", "last(1)", "last(2)", "last(3)"}
    assert {str(move) for move in found.made["r"]} == {"move(1)", "move(2)", "move(3)"}
    assert found.made == found.legal
    assert found.is_cut == [False] * 60


@pytest.mark.parametrize("machine", ["compiled", "reference"])
def test_what_is_legal_need_not_be_made(machine: MachineName) -> None:
    found = random_games(parse(RARE, machine=machine), 1, 60.0, seed=1)
    assert len(found.legal["r"]) == 3
    assert len(found.made["r"]) == 1


def test_what_was_not_seen_is_told_with_how_many_games_were_looked_at() -> None:
    once = play_at_random(parse(RARE, machine="compiled"), 60.0, seed=2, most=1)
    assert once.looked_at == once.stats.playouts == 1
    assert (once.moves, once.facts) == (3, 5)
    assert len(once.unmade) == len(once.untrue) == 2
    assert all(move.startswith("r move(") for move in once.unmade)
    assert once.illegal == ()
    assert once.branching is None
    assert once.mean_branching == 3
    often = play_at_random(parse(RARE, machine="compiled"), 60.0, seed=2, most=200)
    assert (often.unmade, often.untrue, often.looked_at) == ((), (), 200)


def test_moves_that_nobody_can_make_are_told_apart() -> None:
    found = play_at_random(load("breakthrough", machine="compiled"), 60.0, most=64)
    assert found.moves is not None
    assert 0 < len(found.illegal) <= len(found.unmade) < found.moves
    assert set(found.illegal) <= set(found.unmade)


def test_the_reference_machine_has_no_list_of_moves() -> None:
    found = play_at_random(parse(TRAP, machine="reference"), 60.0, most=40)
    assert (found.moves, found.facts, found.unmade, found.untrue) == (None, None, (), ())
    assert (found.stats.playouts, found.looked_at, found.stats.first) == (40, 40, "a")
    assert found.stats.noted is not None
    assert sum(found.stats.noted.wins) == 40
    assert found.stats.goal_intervals()["a"].value + found.stats.goal_intervals()["b"].value == 100


def test_both_machines_say_the_same_of_a_game() -> None:
    few = play_at_random(load("tictactoe", machine="reference"), 60.0, seed=1, most=150)
    many = play_at_random(load("tictactoe", machine="compiled"), 60.0, seed=1, most=20_000)
    assert few.branching is not None
    assert many.branching is not None
    assert abs(few.branching.value - many.branching.value) < few.branching.high - few.branching.low
    for role in ("x", "o"):
        one, other = few.stats.goal_intervals()[role], many.stats.goal_intervals()[role]
        assert abs(one.value - other.value) < one.high - one.low
    assert [bar.value for bar in few.ways][:5] == [bar.value for bar in many.ways][:5] == [9, 8, 7, 6, 5]


@pytest.mark.parametrize("name", ["dicerace", "roshambo", "threehouses", "higherlower", "hamilton"])
def test_every_kind_of_game_can_be_looked_at(name: str) -> None:
    found = play_at_random(load(name), 60.0, most=300)
    told = json.loads(json.dumps(found.to_dict()))
    assert told["playouts"] == told["looked_at"] == 300
    assert "random" not in told["goal_intervals"]
    assert told["branching"]["low"] <= told["mean_branching"] <= told["branching"]["high"]


def test_who_begins_after_chance_has_moved_begins() -> None:
    assert play_at_random(load("dicerace"), 60.0, most=10).stats.first == "red"


def test_a_game_that_nobody_plays_is_refused() -> None:
    with pytest.raises(Unsuitable, match="all its roles are chance"):
        play_at_random(parse(ALL_CHANCE), 1.0)


def test_no_games_are_refused() -> None:
    with pytest.raises(ParameterError, match="most must be a whole number, 1 or more"):
        play_at_random(load("tictactoe"), 1.0, most=0)


def test_figures_of_one_game_and_of_games_without_a_step() -> None:
    assert branching(RandomGames(lengths=[3], ways=[9])) is None
    still = RandomGames(lengths=[0, 0], ways=[0, 0])
    found = branching(still)
    assert found is not None
    assert found.value == 0
    assert ways_by_step(still) == []
    assert [tuple(bar) for bar in histogram({0: 2})] == [(0, 0, 100.0)]
