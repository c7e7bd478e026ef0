"""Turns: proved for games that have them, and true in play; not found where two roles may choose."""

from __future__ import annotations

import random

import pytest

import gamemaster as gm
from gamemaster.language.terms import Symbol
from gamemaster.machine.compiled import CompiledGame
from gamemaster.network.playout import _places
from gamemaster.network.turns import Turns, find_turns

TWO_HALVES = """
role(a) role(b) init(turn(a,aim)) init(left(3))
succ(0,1) succ(1,2) succ(2,3)
other(a,b) other(b,a) spot(1) spot(2) spot(3)
legal(R,aim(X)) :- true(turn(R,aim)) & spot(X)
legal(R,fire(X)) :- true(turn(R,fire)) & spot(X)
legal(R,wait) :- role(R) & ~true(turn(R,aim)) & ~true(turn(R,fire))
next(turn(R,fire)) :- true(turn(R,aim))
next(turn(R,aim)) :- true(turn(S,fire)) & other(S,R)
next(left(X)) :- true(left(Y)) & succ(X,Y)
goal(R,50) :- role(R)
terminal :- true(left(0))
"""

BOTH_IN_THE_END = """
role(a) role(b) init(turn(a)) init(step(1))
succ(1,2) succ(2,3) succ(3,4)
other(a,b) other(b,a) spot(1) spot(2)
legal(R,go(X)) :- true(turn(R)) & spot(X)
legal(R,wait) :- role(R) & ~true(turn(R))
next(turn(R)) :- true(turn(S)) & other(S,R)
next(turn(R)) :- true(step(2)) & role(R)
next(step(X)) :- true(step(Y)) & succ(Y,X)
goal(R,50) :- role(R)
terminal :- true(step(4))
"""


def compiled(game: object) -> CompiledGame:
    assert isinstance(game, CompiledGame)
    return game


def turns_of(game: CompiledGame) -> Turns:
    return find_turns(game.artifact.circuit)


def holds_in_play(game: CompiledGame, turns: Turns) -> None:
    """Play at random; in every state exactly one turn holds, and whoever waits has one move or none."""
    terms = {wire: term for term, wire in game.artifact.circuit.facts.items()}
    generator = random.Random(7)
    for _ in range(5):
        state = game.initial_state()
        while not state.is_terminal:
            held = [
                role for role, wires in turns.facts.items() for wire in wires if terms[wire] in state.facts
            ]
            assert len(held) == 1
            for role in turns.facts:
                assert role in held or len(state.legal_moves(str(role))) <= 1
            state = state.next(state.random_moves(generator))


@pytest.mark.parametrize("name", ["tictactoe", "connectfour", "breakthrough", "hex7x7", "kono"])
def test_library_games_take_turns(name: str) -> None:
    game = compiled(gm.load(name, machine="compiled"))
    turns = turns_of(game)
    assert set(map(str, turns.facts)) == set(game.roles)
    holds_in_play(game, turns)


def test_a_turn_may_have_two_halves() -> None:
    game = compiled(gm.parse(TWO_HALVES, machine="compiled"))
    turns = turns_of(game)
    assert [len(wires) for wires in turns.facts.values()] == [2, 2]
    holds_in_play(game, turns)


def test_playouts_are_the_same_with_one_circuit_for_all_and_one_for_each(
    monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    shared = gm.parse(TWO_HALVES, machine="compiled").playouts(2_000)
    monkeypatch.setattr("gamemaster.network.playout.find_turns", lambda _: Turns())
    monkeypatch.setenv("XDG_CACHE_HOME", f"{tmp_path}/other")
    alone = gm.parse(TWO_HALVES, machine="compiled").playouts(2_000)
    assert shared.mean_length == alone.mean_length == 3
    assert shared.cut == alone.cut == 0


def test_no_turns_where_both_may_choose_later() -> None:
    assert not turns_of(compiled(gm.parse(BOTH_IN_THE_END, machine="compiled")))


def test_no_turns_for_one_role() -> None:
    assert not turns_of(compiled(gm.load("hunter", machine="compiled")))


def test_moves_of_roles_that_take_turns_share_places() -> None:
    places = _places({Symbol("a"): [*map(Symbol, "pqn")], Symbol("b"): [*map(Symbol, "nrst")]})
    assert places == {Symbol("a"): [1, 2, 0], Symbol("b"): [0, 1, 2, 3]}
