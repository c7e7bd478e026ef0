"""Where a hidden game can be: exactly the states that fit what was seen."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import product

import pytest

import gamemaster
from gamemaster.errors import PlayerError
from gamemaster.language.infix import read_term
from gamemaster.language.terms import Term
from gamemaster.machine.game import State
from gamemaster.search.hidden import beliefs as module
from gamemaster.search.hidden.beliefs import Beliefs
from gamemaster.search.hidden.particles import thinned
from tests.players.sheets import ROAD_AND_FORK, UNEVEN

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
    beliefs.see(read_term("wait"), terms("got(2)"), 60.0)
    hands = {str(fact) for state in beliefs.states for fact in state.facts if "dealer" in str(fact)}
    assert hands == {"held(dealer,1)", "held(dealer,3)", "held(dealer,4)"}
    beliefs.see(read_term("wait"), terms(), 60.0)
    assert len(beliefs.states) == 3
    assert list(map(str, beliefs.legal_moves())) == ["guess(1)", "guess(3)", "guess(4)"]


def test_a_card_that_is_shown_is_known() -> None:
    beliefs = believed()
    beliefs.see(read_term("wait"), terms("got(2)"), 60.0)
    beliefs.see(read_term("wait"), terms("card(4)"), 60.0)
    assert [state for state in beliefs.states if read_term("held(dealer,4)") not in state.facts] == []


def all_states(role: str, seen: list[frozenset[Term]], own: list[Term]) -> dict[State, Fraction]:
    """Every state that fits and its probability, found by trying everything."""
    states = {GAME.initial_state(): Fraction(1)}
    for percepts, move in zip(seen, own, strict=True):
        following: dict[State, Fraction] = {}
        for state, weight in states.items():
            fitting = [
                {**dict(zip(state.movers, joint, strict=True)), role: move}
                for joint in product(*(state.legal_moves(each) for each in state.movers))
                if joint[state.movers.index(role)] == move
            ]
            for moves in fitting:
                if state.percepts(moves)[role] == percepts:
                    after = state.next(moves)
                    following[after] = following.get(after, Fraction(0)) + weight / len(fitting)
        states = following
    total = sum(states.values())
    return {state: weight / total for state, weight in states.items()}


def probabilities(beliefs: Beliefs) -> dict[State, float]:
    return dict(zip(beliefs.states, beliefs.weights, strict=True))


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
        assert probabilities(beliefs) == pytest.approx(all_states(role, seen, own))
    assert beliefs.legal_moves() == ()


def test_only_so_many_states_are_kept() -> None:
    beliefs = believed(most=2)
    beliefs.see(read_term("wait"), terms("got(2)"), 60.0)
    assert len(beliefs.states) == 2


def shown(beliefs: Beliefs, name: str) -> dict[str, float]:
    """What the facts of a relation are likely to be."""
    chances: dict[str, float] = {}
    for state, weight in probabilities(beliefs).items():
        for fact in map(str, state.facts):
            if fact.startswith(name):
                chances[fact] = chances.get(fact, 0.0) + weight
    return chances


def test_a_state_that_is_reached_in_several_ways_has_the_weights_of_all() -> None:
    beliefs = Beliefs(gamemaster.parse(UNEVEN), "player", random.Random(1))
    beliefs.see(read_term("wait"), terms("thrown"), 60.0)
    assert len(beliefs.states) == 2
    assert shown(beliefs, "hidden") == pytest.approx({"hidden(a)": 3 / 4, "hidden(b)": 1 / 4})


def test_at_the_fork_it_is_known_how_likely_each_side_is() -> None:
    beliefs = Beliefs(gamemaster.parse(ROAD_AND_FORK), "walker", random.Random(1))
    beliefs.see(read_term("wait"), terms("wait"), 60.0)
    beliefs.see(read_term("road(b)"), terms("road(b)"), 60.0)
    assert shown(beliefs, "jewels") == pytest.approx({"jewels(right)": 3 / 4, "jewels(left)": 1 / 4})


def test_a_dealer_that_may_wait_whatever_it_holds_says_nothing_by_waiting() -> None:
    beliefs = believed()
    beliefs.see(read_term("wait"), terms("got(2)"), 60.0)
    beliefs.see(read_term("wait"), terms(), 60.0)
    assert beliefs.weights == pytest.approx([1 / 3] * 3)


def test_who_does_not_show_what_it_could_show_probably_has_nothing_to_show() -> None:
    game = gamemaster.parse("""
        role(random) role(dealer) role(player) init(stage(1)) color(red) color(blue)
        legal(random,draw(C)) :- true(stage(1)) & color(C)
        legal(random,wait) :- true(stage(2))
        legal(dealer,wait) :- role(dealer)
        legal(dealer,show) :- true(drawn(red))
        legal(player,wait) :- role(player)
        next(stage(2)) :- true(stage(1))
        next(stage(3)) :- true(stage(2))
        next(drawn(C)) :- does(random,draw(C))
        next(drawn(C)) :- true(drawn(C))
        sees(player,shown) :- does(dealer,show)
        terminal :- true(stage(3))
        goal(R,50) :- role(R)""")
    beliefs = Beliefs(game, "player", random.Random(1))
    beliefs.see(read_term("wait"), terms(), 60.0)
    assert shown(beliefs, "drawn") == pytest.approx({"drawn(red)": 1 / 2, "drawn(blue)": 1 / 2})
    beliefs.see(read_term("wait"), terms(), 60.0)
    assert shown(beliefs, "drawn") == pytest.approx({"drawn(red)": 1 / 3, "drawn(blue)": 2 / 3})


def number_states(*weights: float) -> dict[State, float]:
    """As many states of a game that counts, with these weights."""
    facts = " ".join(f"(succ {n} {n + 1})" for n in range(len(weights)))
    game = gamemaster.parse(f"""(role r) (init (at 0)) {facts} (<= (legal r go)) (<= terminal (true (at 99)))
        (<= (next (at ?m)) (true (at ?n)) (succ ?n ?m)) (goal r 0)""")
    return {game.state([f"at({n})"]): weight for n, weight in enumerate(weights)}


def test_thinning_keeps_what_is_likely_and_is_fair_to_the_rest() -> None:
    weights = number_states(0.5, 0.2, 0.1, 0.08, 0.07, 0.03, 0.02)
    sums = dict.fromkeys(weights, 0.0)
    rounds, generator = 4_000, random.Random(3)
    for _ in range(rounds):
        kept = thinned(weights, 3, generator)
        assert len(kept) == 3
        assert sum(kept.values()) == pytest.approx(1.0)
        for state, weight in kept.items():
            sums[state] += weight
    likeliest = next(iter(weights))
    assert sums[likeliest] == pytest.approx(rounds * 0.5)  # always, and as it was
    for state, weight in weights.items():
        assert sums[state] / rounds == pytest.approx(weight, abs=0.015)


def test_few_states_are_not_thinned() -> None:
    weights = number_states(0.9, 0.1)
    assert thinned(weights, 2, random.Random(1)) == weights
    assert len(thinned(number_states(1.0, 1.0, 1.0), 1, random.Random(1))) == 1


def test_joint_moves_that_are_not_tried_are_counted_for_by_those_that_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "TRIES", 1)
    game, total = gamemaster.parse(UNEVEN), 0.0
    for seed in range(600):  # two of the four faces are tried each time
        beliefs = Beliefs(game, "player", random.Random(seed), most=2)
        beliefs.see(read_term("wait"), terms("thrown"), 60.0)
        total += shown(beliefs, "hidden").get("hidden(a)", 0.0)
    assert total / 600 == pytest.approx(3 / 4, abs=0.03)


def test_the_same_generator_draws_the_same_states() -> None:
    drawn = []
    for _ in range(2):
        beliefs = Beliefs(GAME, "dealer", random.Random(7), most=2)
        beliefs.see(read_term("wait"), terms("got(1)"), 60.0)
        drawn.append(probabilities(beliefs))
    assert drawn[0] == drawn[1]
    assert len(drawn[0]) == 2


def test_joint_moves_are_drawn_until_one_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    """One of twelve deals is tried at a time, and three of them fit."""
    monkeypatch.setattr(module, "TRIES", 1)
    for seed in range(10):
        beliefs = Beliefs(GAME, "player", random.Random(seed), most=1)
        beliefs.see(read_term("wait"), terms("got(2)"), 60.0)
        assert beliefs.weights == [1.0]


def test_another_move_may_have_been_made_by_the_referee() -> None:
    beliefs = believed()
    beliefs.see(read_term("wait"), terms("got(2)"), 60.0)
    beliefs.see(read_term("guess(1)"), terms(), 60.0)
    assert len(beliefs.states) == 3


def test_what_cannot_be_is_told() -> None:
    with pytest.raises(PlayerError, match=r"player sees got\(7\), which fits no state found"):
        believed().see(read_term("wait"), terms("got(7)"), 60.0)
    with pytest.raises(PlayerError, match="player sees nothing, which fits no state found"):
        believed().see(read_term("wait"), terms(), 60.0)
