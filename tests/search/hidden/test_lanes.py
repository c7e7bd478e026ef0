"""Particles in lanes are those of the plain path; a sample that runs dry is found again."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

import gamemaster as gm
from gamemaster.language.infix import read_term
from gamemaster.language.terms import Term
from gamemaster.search.hidden.beliefs import Beliefs
from gamemaster.search.hidden.lanes import LaneParticles, lane_game
from gamemaster.search.hidden.particles import PlainParticles
from tests.players.sheets import UNEVEN
from tests.search.hidden.test_beliefs import CARDS

CHAIN = (
    """
role(random) role(player) init(step(0)) """
    + " ".join(f"succ({n},{n + 1})" for n in range(8))
    + """
legal(random,put(N,S)) :- true(step(N)) & side(S)
legal(player,wait) :- role(player)
side(a) side(b) side(c) side(d)
next(step(M)) :- true(step(N)) & succ(N,M)
next(lies(N,S)) :- does(random,put(N,S))
next(lies(N,S)) :- true(lies(N,S))
sees(player,hers(S)) :- true(step(7)) & true(lies(0,S))
terminal :- true(step(8))
goal(player,0) goal(random,0)
"""
)
"""Chance puts something seven times, of which the player sees nothing, and is then told what it was first."""


def facts_of(beliefs: Beliefs) -> dict[frozenset[str], float]:
    pairs = zip(beliefs.states, beliefs.weights, strict=True)
    return {frozenset(map(str, state.facts)): weight for state, weight in pairs}


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("role", ["player", "dealer"])
def test_lanes_believe_what_the_plain_path_believes(role: str, seed: int) -> None:
    games = [gm.parse(CARDS, dialect="kif", machine=machine) for machine in ("compiled", "reference")]
    both = [Beliefs(game, role, random.Random(seed)) for game in games]
    assert isinstance(both[0].particles, LaneParticles)
    assert isinstance(both[1].particles, PlainParticles)
    generator, state = random.Random(seed), games[1].initial_state()
    while not state.is_terminal:
        moves = state.random_moves(generator)
        for beliefs in both:
            beliefs.see(moves[role], state.percepts(moves)[role], 60.0)
        assert facts_of(both[0]) == pytest.approx(facts_of(both[1]))
        assert sorted(both[0].particles.weights) == pytest.approx(sorted(both[1].particles.weights))
        assert all(beliefs.is_exact for beliefs in both)
        state = state.next(moves)


@pytest.mark.parametrize("machine", ["compiled", "reference"])
def test_a_sample_that_runs_dry_is_found_again_from_the_start(machine: str) -> None:
    game = gm.parse(CHAIN, dialect="hrf", machine=machine)  # type: ignore[arg-type]
    for seed in range(4):
        beliefs = Beliefs(game, "player", random.Random(seed), most=1)
        for _ in range(7):
            beliefs.see(read_term("wait"), (), 60.0)
        assert not beliefs.is_exact
        (kept,) = beliefs.states
        other = next(side for side in "abcd" if read_term(f"lies(0,{side})") not in kept.facts)
        beliefs.see(read_term("wait"), [read_term(f"hers({other})")], 60.0)
        assert beliefs.again == 1
        assert all(read_term(f"lies(0,{other})") in state.facts for state in beliefs.states)
        assert str(beliefs).endswith("drawn from those that fit, found again from the start 1 times")


def test_what_never_was_is_told_where_everything_was_tried() -> None:
    game = gm.parse(CHAIN, dialect="hrf")
    beliefs = Beliefs(game, "player", random.Random(1))
    with pytest.raises(gm.PlayerError, match=r"hers\(a\), which fits no state"):
        beliefs.see(read_term("wait"), [read_term("hers(a)")], 60.0)


@pytest.mark.parametrize("machine", ["compiled", "reference"])
def test_others_may_be_believed_to_play_as_a_model_says(machine: str) -> None:
    sheet = UNEVEN.replace("random", "rival").replace(
        "face(1,a) face(2,a) face(3,a) face(4,b)", "face(1,a) face(2,b)"
    )
    beliefs = Beliefs(gm.parse(sheet, dialect="hrf", machine=machine), "player", random.Random(1))  # type: ignore[arg-type]

    class Likes:
        def chances(self, role: str, known: int, legal: Sequence[Term]) -> list[float]:
            assert (role, known) == ("rival", 0)
            return [0.9 if str(move) == "throw(1)" else 0.1 for move in legal]

    beliefs.model = Likes()
    beliefs.see(read_term("wait"), [read_term("thrown")], 60.0)
    chances = {str(fact): weight for state, weight in beliefs.likeliest(2) for fact in state.facts}
    assert chances == pytest.approx({"hidden(a)": 0.9, "hidden(b)": 0.1})


def test_thinning_in_lanes_is_fair() -> None:
    game = gm.parse(CHAIN, dialect="hrf")
    sums: dict[str, float] = {}
    for seed in range(300):
        beliefs = Beliefs(game, "player", random.Random(seed), most=3)
        beliefs.see(read_term("wait"), (), 60.0)
        assert len(beliefs.states) == 3
        for state, weight in zip(beliefs.states, beliefs.weights, strict=True):
            (lies,) = [str(fact) for fact in state.facts if str(fact).startswith("lies")]
            sums[lies] = sums.get(lies, 0.0) + weight
    assert sums == pytest.approx({f"lies(0,{side})": 75.0 for side in "abcd"}, abs=12.0)


def known_after(game: gm.Game, role: str, steps: list[tuple[str, str]]) -> int:
    """What a role knows after its own moves and those of the other."""
    (own,) = (place for place, each in enumerate(game.roles) if each == role)
    state, beliefs = game.initial_state(), Beliefs(game, role, random.Random(1))
    for first, second in steps:
        moves = dict(zip(game.roles, map(read_term, (first, second)), strict=True))
        beliefs.see(moves[role], state.percepts(moves)[role], 60.0)
        state = state.next(moves)
    (known,) = {known[own] for known in beliefs.particles.known()}
    return known


def test_where_there_is_much_to_know_it_does_not_matter_in_which_order_it_was_done() -> None:
    game = gm.load("phantom", machine="compiled")
    there = [("mark(1,1)", "noop"), ("noop", "mark(3,3)"), ("mark(1,2)", "noop")]
    back = [("mark(1,2)", "noop"), ("noop", "mark(3,3)"), ("mark(1,1)", "noop")]
    other = [("mark(1,2)", "noop"), ("noop", "mark(3,3)"), ("mark(2,1)", "noop")]
    assert known_after(game, "x", there) == known_after(game, "x", back)
    assert known_after(game, "x", there) != known_after(game, "x", other)


def test_where_there_is_little_to_know_the_order_counts() -> None:
    leduc = gm.load("leduc", machine="compiled").compiled
    assert leduc is not None
    assert lane_game(leduc).in_order
    phantom = gm.load("phantom", machine="compiled").compiled
    assert phantom is not None
    assert not lane_game(phantom).in_order
