"""What is best on the whole in the states that a hidden game can be in."""

from __future__ import annotations

import random

import pytest

import gamemaster as gm
from gamemaster.language.infix import read_term
from gamemaster.players.egghead import Egghead
from gamemaster.search.budget import Budget
from gamemaster.search.hidden.beliefs import Beliefs
from gamemaster.search.hidden.pimc import search_beliefs
from gamemaster.search.result import AS_IF_KNOWN, GUESSED, NOT_SEARCHED, SearchResult
from tests.ticking import ticking

PLACES = 100
AT_A = 52


def hiding() -> str:
    """Something is hidden in one of many places, slightly more of which are at a than at b."""
    spots = " ".join(f"spot({n},{'a' if n < AT_A else 'b'})" for n in range(PLACES))
    return f"""
        role(random) role(player) init(start) side(a) side(b) {spots}
        legal(random,hide(N)) :- true(start) & spot(N,S)
        legal(random,noop) :- ~true(start)
        legal(player,wait) :- true(start)
        legal(player,guess(S)) :- ~true(start) & side(S)
        next(hidden(N)) :- does(random,hide(N))
        next(hidden(N)) :- true(hidden(N))
        next(guessed(S)) :- does(player,guess(S))
        terminal :- true(guessed(S))
        goal(player,100) :- true(hidden(N)) & spot(N,S) & true(guessed(S))
        goal(player,0) :- true(hidden(N)) & spot(N,S) & true(guessed(T)) & distinct(S,T)
        goal(random,0)
        sees(player,S) :- does(player,guess(S))
    """


@pytest.fixture(scope="module")
def beliefs() -> Beliefs:
    found = Beliefs(gm.parse(hiding(), dialect="hrf", machine="reference"), "player", random.Random(1))
    found.see(found.legal_moves()[0], (), 600.0)
    assert len(found.states) == PLACES
    return found


@pytest.mark.parametrize("seed", range(3))
def test_all_states_are_searched_where_there_is_time(
    beliefs: Beliefs, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    ticking(monkeypatch, 0.005)
    result = search_beliefs(beliefs, Budget(seconds=60.0), seed)
    assert result.algorithm == f"pimc of {PLACES} states"
    assert str(result.move) == "guess(a)"
    assert result.value == pytest.approx(AT_A)


def test_as_many_states_are_searched_as_there_is_time_for(
    beliefs: Beliefs, monkeypatch: pytest.MonkeyPatch
) -> None:
    ticking(monkeypatch, 0.005)
    told = search_beliefs(beliefs, Budget(seconds=6.0), 1).algorithm
    assert 16 <= int(told.split()[2]) < PLACES


# Egghead, where nothing fits what it saw


def egghead(beliefs: Beliefs, seconds: float) -> Egghead:
    """Egghead to whom nothing is known any more of where the game is."""
    player = Egghead(seed=1, threads=1)
    player.start("player", beliefs.states[0].game, 1.0, 1.0)
    player.beliefs, player.budget = None, Budget(seconds=seconds)
    return player


def found_by(player: Egghead) -> SearchResult:
    assert player.last_result is not None
    return player.last_result


def test_without_beliefs_egghead_searches_where_it_has_these_moves(beliefs: Beliefs) -> None:
    player = egghead(beliefs, 2.0)
    move = player.choose_from(beliefs.legal_moves())
    result = found_by(player)
    assert (result.move, result.is_proven, result.caveats) == (move, False, (GUESSED,))
    assert set(result.values) == set(beliefs.legal_moves())
    assert result.algorithm.startswith("egghead (ismcts")


def test_where_it_never_has_these_moves_egghead_says_that_nothing_was_searched(beliefs: Beliefs) -> None:
    player = egghead(beliefs, 0.2)
    others = (read_term("guess(c)"), read_term("guess(d)"))
    assert player.choose_from(others) in others
    assert found_by(player).caveats == (GUESSED, NOT_SEARCHED)


def test_egghead_can_be_asked_about_a_state_as_if_it_were_known(beliefs: Beliefs) -> None:
    result = gm.search(beliefs.states[0], "player", "egghead", seconds=0.5)
    assert (str(result.move), result.is_proven) == ("guess(a)", False)
    assert AS_IF_KNOWN in result.caveats


def test_without_time_egghead_says_that_nothing_was_searched() -> None:
    player = Egghead(seed=1, threads=1)
    state = gm.load("tictactoe", machine="reference").initial_state()
    player.start("x", state.game, 0.01, 0.01)
    assert player.think(state, Budget(seconds=0.0)) in state.legal_moves("x")
    assert found_by(player).caveats == (NOT_SEARCHED,)


def test_who_has_no_move_has_nothing_to_choose(beliefs: Beliefs) -> None:
    result = search_beliefs(beliefs, Budget(seconds=0.0), legal=())
    assert (result.move, result.line, result.value) == (None, (), 0.0)
