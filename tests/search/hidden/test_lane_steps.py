"""Beliefs in machine code are those of the plain path; a sample is renewed, and never empty while anything fits."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest

import gamemaster as gm
from gamemaster.language.infix import read_term
from gamemaster.language.terms import Term
from gamemaster.machine.compiled import CompiledGame
from gamemaster.search.budget import Budget
from gamemaster.search.hidden import ismcts, lane_steps
from gamemaster.search.hidden.beliefs import Beliefs
from gamemaster.search.hidden.lane_trees import LaneSteps, LaneTrees, are_lanes_ready
from gamemaster.search.hidden.lanes import LaneParticles
from gamemaster.search.hidden.particles import Sighting
from gamemaster.search.native.engine import Stopwatch
from gamemaster.search.native.kernels.set_nodes import keep_visited
from tests.search.hidden.sheets import PENNIES
from tests.search.hidden.test_beliefs import CARDS
from tests.search.hidden.test_lanes import CHAIN, facts_of

BAGS = """
role(random) role(player) init(step(1)) bag(1) bag(2) ball(red) ball(blue) ball(green)
legal(random,take(B)) :- true(step(1)) & bag(B)
legal(random,draw(red)) :- true(taken(1))
legal(random,draw(C)) :- true(taken(2)) & ball(C)
legal(random,noop) :- true(step(3))
legal(player,wait) :- role(player)
next(step(2)) :- true(step(1))
next(step(3)) :- true(step(2))
next(step(4)) :- true(step(3))
next(taken(B)) :- does(random,take(B))
next(bag(B)) :- true(taken(B))
next(bag(B)) :- true(bag(B))
next(drawn(C)) :- does(random,draw(C))
next(drawn(C)) :- true(drawn(C))
sees(player,dark) :- does(random,draw(blue))
terminal :- true(step(4))
goal(player,0) goal(random,0)
"""
"""A bag with a red ball, or one with three colours: a ball that is not blue is red out of the first by 3 to 1 and 1."""

HANDS = """
role(random) role(player) init(step(1)) card(a) card(b) card(c) card(d) succ(N,M) :- index(N,M)
index(1,2) index(2,3) index(3,4) index(4,5) index(5,6)
deal(2) deal(3) deal(4)
init(deck(C)) :- card(C)
legal(random,draw(a)) :- true(step(1))
legal(random,draw(C)) :- true(step(N)) & deal(N) & true(deck(C)) & distinct(C,a)
legal(random,noop) :- true(step(5))
legal(player,wait) :- role(player)
next(step(M)) :- true(step(N)) & succ(N,M)
next(deck(C)) :- true(deck(C)) & ~does(random,draw(C))
next(has(N,C)) :- true(step(N)) & does(random,draw(C))
next(has(N,C)) :- true(has(N,C))
terminal :- true(step(6))
sees(player,last) :- does(random,noop)
goal(player,0) goal(random,0)
"""
"""Four cards are drawn, the first of which is a: two of the others can change places, and none can become another."""


def steps_of(game: gm.Game) -> LaneSteps:
    assert isinstance(game, CompiledGame)
    assert are_lanes_ready(game, None)
    return LaneSteps(game)


def believed(sheet: str, role: str, seed: int = 1, most: int = 1_000, dialect: str = "hrf") -> Beliefs:
    """Beliefs that go by machine code."""
    game = gm.parse(sheet, dialect=dialect, machine="compiled")  # type: ignore[arg-type]
    found = Beliefs(game, role, random.Random(seed), most=most)
    found.steps = steps_of(game)
    return found


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("role", ["player", "dealer"])
def test_machine_code_believes_what_the_plain_path_believes(role: str, seed: int) -> None:
    quick = believed(CARDS, role, seed, dialect="kif")
    plain = Beliefs(gm.parse(CARDS, dialect="kif", machine="reference"), role, random.Random(seed))
    generator, state = random.Random(seed), plain.game.initial_state()
    while not state.is_terminal:
        moves = state.random_moves(generator)
        for beliefs in (quick, plain):
            beliefs.see(moves[role], state.percepts(moves)[role], 60.0)
        assert facts_of(quick) == pytest.approx(facts_of(plain))
        assert sorted(quick.particles.weights) == pytest.approx(sorted(plain.particles.weights))
        assert quick.is_exact
        state = state.next(moves)


def test_what_each_role_knows_is_the_same_word_on_both_ways() -> None:
    quick = believed(CARDS, "player", dialect="kif")
    other = Beliefs(quick.game, "player", random.Random(1))
    for beliefs in (quick, other):
        beliefs.see(read_term("wait"), [read_term("got(2)")], 60.0)
        beliefs.see(read_term("wait"), (), 60.0)
    assert sorted(quick.particles.known()) == sorted(other.particles.known())


def test_a_model_counts_in_machine_code_as_it_does_move_by_move() -> None:
    class Likes:
        """The same likings, asked one by one and many at a time."""

        def chances(self, role: str, known: int, legal: Sequence[Term]) -> list[float]:
            return [0.9 if str(move) == "wait" else 0.1 / (len(legal) - 1) for move in legal]

    trees = LaneTrees(believed(CARDS, "player", dialect="kif").game, 1)  # type: ignore[arg-type]
    trees.search(Beliefs(trees.game, "dealer", random.Random(1)), Budget(playouts=200))
    found = []
    for model in (trees, Likes()):
        quick = believed(CARDS, "player", dialect="kif")
        plain = Beliefs(quick.game, "player", random.Random(1))
        for beliefs in (quick, plain):
            beliefs.model = model
            beliefs.see(read_term("wait"), [read_term("got(2)")], 60.0)
            beliefs.see(read_term("wait"), (), 60.0)
        found.append(facts_of(plain))
        if model is trees:  # which answers for many at a time
            assert facts_of(quick) == pytest.approx(facts_of(plain))
    assert len(found[0]) == len(found[1]) == 3


def test_weights_never_come_to_nothing() -> None:
    beliefs = believed(BAGS, "player")
    beliefs.see(read_term("wait"), (), 60.0)
    before = beliefs.particles
    assert isinstance(before, LaneParticles)
    tiny = before.part(np.arange(len(before)), before.shares * 1e-307)
    steps, sighting = steps_of(beliefs.game), Sighting(read_term("wait"), frozenset())
    found = [
        steps.following(each, sighting, 100, float("inf"), random.Random(1), None)[0]
        for each in (before, tiny)
    ]
    shares = [sorted(each.shares / each.shares.sum()) for each in found]
    assert shares[0] == pytest.approx(shares[1])
    assert found[1].shares.min() > 1e-3


def test_a_sample_that_runs_dry_is_renewed_by_changes_of_its_histories() -> None:
    for seed in range(4):
        beliefs = believed(CHAIN, "player", seed, most=1)
        for _ in range(7):
            beliefs.see(read_term("wait"), (), 60.0)
        (kept,) = beliefs.states
        other = next(side for side in "abcd" if read_term(f"lies(0,{side})") not in kept.facts)
        beliefs.see(read_term("wait"), [read_term(f"hers({other})")], 60.0)
        assert (beliefs.again, beliefs.renewed) == (0, 1)
        assert all(read_term(f"lies(0,{other})") in state.facts for state in beliefs.states)
        assert str(beliefs) == "1 state, drawn from those that fit, renewed 1 times"


def test_what_renewal_finds_is_as_likely_as_chance_makes_it() -> None:
    beliefs = believed(BAGS, "player")
    for _ in range(2):
        beliefs.see(read_term("wait"), (), 60.0)
    exact = facts_of(beliefs)
    assert sorted(exact.values()) == pytest.approx([1 / 5, 1 / 5, 3 / 5])
    particles = beliefs.particles
    assert isinstance(particles, LaneParticles)
    steps, generator = steps_of(beliefs.game), random.Random(1)
    for number in range(3):
        found = particles.part(particles.logs.argsort()[number : number + 1])
        for _ in range(4):
            found = steps.renewed(found, beliefs.history, generator, 60.0)
        total = sum(found.weights)
        shares = {
            frozenset(map(str, state.facts)): weight / total
            for state, weight in zip(found.states(), found.weights, strict=True)
        }
        assert shares == pytest.approx(exact)


def test_what_fits_nothing_in_time_is_looked_for_with_the_next_step(monkeypatch: pytest.MonkeyPatch) -> None:
    longer = CHAIN.replace("succ(7,8)", "succ(7,8) succ(8,9)")
    longer = longer.replace("terminal :- true(step(8))", "terminal :- true(step(9))")
    beliefs = believed(longer, "player", most=1)
    for _ in range(7):
        beliefs.see(read_term("wait"), (), 60.0)
    (kept,) = beliefs.states
    other = next(side for side in "abcd" if read_term(f"lies(0,{side})") not in kept.facts)
    seen = read_term("wait"), [read_term(f"hers({other})")]
    with monkeypatch.context() as patch:
        patch.setattr(lane_steps, "LEAST_ROUNDS", 0)
        with pytest.raises(gm.PlayerError, match="which fits no state found in 0 s"):
            beliefs.see(*seen, 0.0)
    beliefs.put_off(*seen)
    beliefs.see(read_term("wait"), (), 60.0)
    assert len(beliefs.history) == 9
    assert all(state.step == 9 for state in beliefs.states)
    assert all(read_term(f"lies(0,{other})") in state.facts for state in beliefs.states)


def test_moves_that_may_have_been_others_are_noted_with_the_step() -> None:
    for steps in (True, False):
        beliefs = believed(CARDS, "player", dialect="kif")
        beliefs.steps = beliefs.steps if steps else None
        beliefs.see(read_term("wait"), [read_term("got(2)")], 60.0)
        beliefs.see(read_term("wait"), (), 60.0)
        particles = beliefs.particles
        assert isinstance(particles, LaneParticles)
        assert particles.loose is not None
        dealer, player, chance = (beliefs.game.roles.index(role) for role in ("dealer", "player", "random"))
        assert particles.loose[:, [dealer, player]].tolist() == [[False, False], [False, False]]
        assert particles.loose[:, chance].tolist() == [True, False]


def test_changes_are_tried_where_they_have_led_to_other_states() -> None:
    beliefs = believed(HANDS, "player")
    steps = beliefs.steps
    assert isinstance(steps, LaneSteps)
    for _ in range(4):
        beliefs.see(read_term("wait"), (), 60.0)
    found = beliefs.particles
    assert isinstance(found, LaneParticles)
    assert len(beliefs.states) == 6
    steps.tried, steps.gained = steps.tried[:0], steps.gained[:0]
    generator = random.Random(1)
    for _ in range(4):
        grown = steps.renewed(found.part(found.logs.argsort()[:1]), beliefs.history, generator, 60.0)
        assert len(grown) == 6
    chance = beliefs.game.roles.index("random")
    rates = steps.gained[:, chance] / steps.tried[:, chance]
    assert min(rates[1:]) > 4 * rates[0]
    swaps, singles = (steps.kinds[1] / steps.kinds[0])[::-1]
    assert swaps > 4 * singles


def test_kernels_that_take_a_moment_are_not_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    watched = []

    class Watch(Stopwatch):
        """Counts itself."""

        def __init__(self, seconds: float | None) -> None:
            super().__init__(seconds)
            watched.append(seconds)

    monkeypatch.setattr(lane_steps, "Stopwatch", Watch)
    for moment, expected in ((1e9, 1), (0.0, 3)):
        monkeypatch.setattr(lane_steps, "MOMENT", moment)
        beliefs = believed(CHAIN, "player")
        beliefs.see(read_term("wait"), (), 60.0)
        assert isinstance(beliefs.steps, LaneSteps)
        watched.clear()
        for _ in range(3):
            beliefs.steps.renewed(beliefs.particles, beliefs.history, random.Random(1), 60.0)
        assert len(watched) == expected


def test_what_was_seen_is_kept_as_bits_and_not_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lane_steps, "MOST_SEEN", 1)
    beliefs = believed(CARDS, "player", dialect="kif")
    steps = beliefs.steps
    assert isinstance(steps, LaneSteps)
    beliefs.see(read_term("wait"), [read_term("got(2)")], 60.0)
    beliefs.see(read_term("wait"), [read_term("card(4)")], 60.0)
    assert len(steps.seen) == 1
    assert len(beliefs.states) == 1


def test_what_never_was_is_told_in_machine_code_too() -> None:
    beliefs = believed(CHAIN, "player")
    with pytest.raises(gm.PlayerError, match=r"hers\(a\), which fits no state"):
        beliefs.see(read_term("wait"), [read_term("hers(a)")], 0.1)
    with pytest.raises(gm.PlayerError, match="sees unheard, which fits no state"):
        beliefs.see(read_term("wait"), [read_term("unheard")], 0.1)


@pytest.mark.parametrize("name", ["tricks:large", "battleships"])
def test_beliefs_are_never_empty_and_have_no_state_that_does_not_fit(name: str) -> None:
    game = gm.load(name, machine="compiled")
    role, generator, state = game.roles[0], random.Random(2), game.initial_state()
    beliefs = Beliefs(game, role, generator, most=200)
    beliefs.steps = steps_of(game)
    while not state.is_terminal:
        moves = state.random_moves(generator)
        beliefs.see(moves[role], state.percepts(moves)[role], 20.0)
        state = state.next(moves)
        shown = {
            fact for fact in map(str, state.facts) if fact.startswith((f"holds({role}", "table", "tricks"))
        }
        for each, _ in beliefs.likeliest(10):
            assert each.legal_moves(role) == state.legal_moves(role)
            assert shown <= set(map(str, each.facts))
        assert sum(beliefs.weights) == pytest.approx(1)


def test_nodes_that_were_hardly_visited_make_room_for_others() -> None:
    beliefs = Beliefs(gm.parse(PENNIES, dialect="hrf"), "one", random.Random(1))
    trees = ismcts.new_trees(beliefs.game, 1)
    assert isinstance(trees, LaneTrees)
    before = trees.search(beliefs, Budget(playouts=500))
    keep_visited(trees.trees, 1_000_000)
    assert trees.search(beliefs, Budget(playouts=0)).visits != before.visits
    before = trees.search(beliefs, Budget(playouts=500))
    keep_visited(trees.trees, 2)
    assert trees.search(beliefs, Budget(playouts=0)).visits == before.visits


def test_trees_grow_before_the_first_move() -> None:
    beliefs = Beliefs(gm.parse(PENNIES, dialect="hrf"), "two", random.Random(1))
    trees = ismcts.new_trees(beliefs.game, 1)
    assert isinstance(trees, LaneTrees)
    assert trees.grow(beliefs, Budget(playouts=400)) == 400
    one = Beliefs(beliefs.game, "one", random.Random(1))
    assert sum(trees.search(one, Budget(playouts=0)).visits.values()) == 400
