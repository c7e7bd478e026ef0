"""Where a hidden game can be: exactly the states that fit what was seen."""

from __future__ import annotations

import random
from itertools import product

import pytest

import gamemaster
from gamemaster.errors import PlayerError
from gamemaster.language.infix import read_term
from gamemaster.language.terms import Term
from gamemaster.machine.game import State
from gamemaster.players.beliefs import Beliefs

CARDS = """
(role dealer) (role player) (role random)
(card 1) (card 2) (card 3) (card 4)
(init (step 1)) (succ 1 2) (succ 2 3) (succ 3 4)
(<= (legal random (deal ?a ?b)) (true (step 1)) (card ?a) (card ?b) (distinct ?a ?b))
(<= (legal random wait) (not (true (step 1))))
(<= (legal dealer wait) (true (step 1)))
(<= (legal dealer (show ?c)) (true (held dealer ?c)))
(<= (legal dealer wait) (not (true (step 1))))
(<= (legal player wait) (not (true (step 3))))
(<= (legal player (guess ?c)) (true (step 3)) (card ?c) (not (true (held player ?c))))
(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
(<= (next (held dealer ?a)) (does random (deal ?a ?b)))
(<= (next (held player ?b)) (does random (deal ?a ?b)))
(<= (next (held ?r ?c)) (true (held ?r ?c)))
(<= (next (guessed ?c)) (does player (guess ?c)))
(<= (sees player (got ?b)) (does random (deal ?a ?b)))
(<= (sees dealer (got ?a)) (does random (deal ?a ?b)))
(<= (sees player (card ?c)) (does dealer (show ?c)))
(<= terminal (true (step 4)))
(<= (goal player 100) (true (guessed ?c)) (true (held dealer ?c)))
(<= (goal player 0) (true (guessed ?c)) (not (true (held dealer ?c))))
(<= (goal dealer 50) (role dealer))
"""
GAME = gamemaster.parse(CARDS, dialect="kif", name="cards")


def believed(**more: int) -> Beliefs:
    return Beliefs(GAME, "player", random.Random(1), **more)


def terms(*texts: str) -> frozenset[Term]:
    return frozenset(map(read_term, texts))


def test_at_first_there_is_one_state() -> None:
    beliefs = believed()
    assert beliefs.states == [GAME.initial_state()]
    assert list(map(str, beliefs.legal_moves())) == ["wait"]


def test_what_is_seen_leaves_what_is_not() -> None:
    beliefs = believed()
    beliefs.see(read_term("wait"), terms("got(2)"), 1.0)
    hands = {str(fact) for state in beliefs.states for fact in state.facts if "dealer" in str(fact)}
    assert hands == {"held(dealer,1)", "held(dealer,3)", "held(dealer,4)"}
    beliefs.see(read_term("wait"), terms(), 1.0)
    assert len(beliefs.states) == 3
    assert list(map(str, beliefs.legal_moves())) == ["guess(1)", "guess(3)", "guess(4)"]


def test_a_card_that_is_shown_is_known() -> None:
    beliefs = believed()
    beliefs.see(read_term("wait"), terms("got(2)"), 1.0)
    beliefs.see(read_term("wait"), terms("card(4)"), 1.0)
    assert [state for state in beliefs.states if read_term("held(dealer,4)") not in state.facts] == []


def all_states(role: str, seen: list[frozenset[Term]], own: list[Term]) -> set[State]:
    """Every state that fits, found by trying everything."""
    states = {GAME.initial_state()}
    for percepts, move in zip(seen, own, strict=True):
        following = set()
        for state in states:
            for joint in product(*(state.legal_moves(each) for each in state.movers)):
                moves = dict(zip(state.movers, joint, strict=True))
                if moves[role] == move and state.percepts(moves)[role] == percepts:
                    following.add(state.next(moves))
        states = following
    return states


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("role", ["player", "dealer"])
def test_beliefs_are_all_states_that_fit(seed: int, role: str) -> None:
    generator, state = random.Random(seed), GAME.initial_state()
    beliefs, seen, own = Beliefs(GAME, role, generator), list[frozenset[Term]](), list[Term]()
    while not state.is_terminal:
        assert set(beliefs.legal_moves()) <= set(state.legal_moves(role))
        moves = state.random_moves(generator)
        seen.append(state.percepts(moves)[role])
        own.append(moves[role])
        beliefs.see(own[-1], seen[-1], 5.0)
        state = state.next(moves)
        assert state in beliefs.states
        assert set(beliefs.states) == all_states(role, seen, own)
    assert beliefs.legal_moves() == ()


def test_only_so_many_states_are_kept() -> None:
    beliefs = believed(most=2)
    beliefs.see(read_term("wait"), terms("got(2)"), 1.0)
    assert len(beliefs.states) == 2


def test_another_move_may_have_been_made_by_the_referee() -> None:
    beliefs = believed()
    beliefs.see(read_term("wait"), terms("got(2)"), 1.0)
    beliefs.see(read_term("guess(1)"), terms(), 1.0)
    assert len(beliefs.states) == 3


def test_what_cannot_be_is_told() -> None:
    with pytest.raises(PlayerError, match=r"player sees got\(7\), which fits no state found"):
        believed().see(read_term("wait"), terms("got(7)"), 1.0)
    with pytest.raises(PlayerError, match="player sees nothing, which fits no state found"):
        believed().see(read_term("wait"), terms(), 1.0)
