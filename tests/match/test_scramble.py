"""Scrambled rules: no word is left of the game, and it plays the same."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest

from gamemaster.errors import Unsuitable
from gamemaster.games import game_names
from gamemaster.language.infix import read_term
from gamemaster.language.notation import find_notation, show
from gamemaster.load import build, load, parse
from gamemaster.machine.game import RANDOM, Game
from gamemaster.match.wire.scramble import Scrambling
from tests.machine.sheets import HIDDEN_DIE, MATCHING, REACH

STEPS = 30
"""How long to play: long enough for every kind of rule to be used."""

SHEETS = {"matching": MATCHING, "die": HIDDEN_DIE, "reach": REACH}


def game_named(name: str) -> Game:
    if name in SHEETS:
        return parse(SHEETS[name], machine="reference", name=name)
    return load(name, machine="reference")


@pytest.mark.parametrize("name", [*game_names(), *SHEETS])
def test_a_scrambled_game_plays_the_same(name: str) -> None:
    game = game_named(name)
    scrambling = Scrambling.of(game.sheet, 5)
    sheet = scrambling.scramble(game.sheet)
    twin = build(sheet, "twin", "reference")
    word = scrambling.words.get
    assert find_notation(show(sheet)) == game.sheet.notation
    assert twin.roles == tuple(word(role, role) for role in game.roles)

    def same(terms: Any) -> list[Any]:
        return [scrambling.translate(term) for term in terms]

    generator = random.Random(1)
    state, other = game.initial_state(), twin.initial_state()
    for _ in range(STEPS):
        assert set(same(state.facts)) == set(other.facts)
        assert state.is_terminal == other.is_terminal
        for role in game.roles:
            assert set(same(state.legal_moves(role))) == set(other.legal_moves(word(role, role)))
            assert state.goal(role) == other.goal(word(role, role))
        if state.is_terminal:
            break
        moves = state.random_moves(generator)
        joint = {word(role, role): scrambling.translate(move) for role, move in moves.items()}
        assert game.has_percepts == twin.has_percepts
        for role in game.roles if game.has_percepts else ():
            assert set(same(state.percepts(moves)[role])) == set(other.percepts(joint)[word(role, role)])
        state, other = state.next(moves), other.next(joint)


@pytest.mark.parametrize("name", ["tictactoe", "hunter", "matching", "die"])
def test_no_word_of_the_game_is_left(name: str) -> None:
    game = game_named(name)
    scrambling = Scrambling.of(game.sheet, 5)
    text = show(scrambling.scramble(game.sheet))
    for word in scrambling.words:
        assert not re.search(rf"(?<![\w.]){re.escape(word)}(?![\w.])", text), word
    for variable in map(str, scrambling.variables):
        assert not re.search(rf"\b{variable}\b", text), variable
    assert {"role", "legal", "goal", "terminal", RANDOM} & scrambling.words.keys() == set()


def test_the_seed_decides_the_words() -> None:
    sheet = game_named("tictactoe").sheet
    assert Scrambling.of(sheet, 1).scramble(sheet) == Scrambling.of(sheet, 1).scramble(sheet)
    assert Scrambling.of(sheet, 1).words != Scrambling.of(sheet, 2).words
    words = Scrambling.of(sheet, 1).words
    assert len(set(words.values())) == len(words)


def test_terms_go_there_and_back() -> None:
    scrambling = Scrambling.of(game_named("tictactoe").sheet, 1)
    move = read_term("mark(1,3)")
    there = scrambling.translate(move)
    assert there != move
    assert there[1:] == move[1:]  # type: ignore[index]
    assert Scrambling.back(scrambling.names).translate(there) == move


def test_rules_that_look_into_words_are_refused() -> None:
    sheet = parse("role(x) p(a) p(b) q(X) :- p(X) & p(Y) & symless(X,Y)", "hrf", machine="reference").sheet
    with pytest.raises(Unsuitable, match="rules that use symless cannot be scrambled: it looks into words"):
        Scrambling.of(sheet, 1)


def test_builtins_numbers_strings_definitions_and_kinds_of_terms_keep_their_meaning() -> None:
    text = """
    role(x) twice(X) := plus(X,X)
    legal(x,say(N)) :- evaluate(twice(3),N)
    legal(x,S) :- same(S,"hi there") & hastype(S,string)
    legal(x,a) :- member(a,[a,b]) & ~hastype(a,number)
    goal(x,N) :- plus(40,2,N)
    """
    game = parse(text, "hrf", machine="reference")
    scrambling = Scrambling.of(game.sheet, 3)
    twin = build(scrambling.scramble(game.sheet), "twin", "reference")
    role = scrambling.words["x"]
    there = [scrambling.translate(move) for move in game.initial_state().legal_moves("x")]
    assert [str(move) for move in game.initial_state().legal_moves("x")] == ["say(6)", '"hi there"', "a"]
    assert list(twin.initial_state().legal_moves(role)) == there
    assert twin.initial_state().goal(role) == 42
    assert {"twice", "say", '"hi there"'} <= scrambling.words.keys()
