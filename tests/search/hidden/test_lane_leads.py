"""What a role saw says what was done: such moves are found, brought to their place, and states are led to them."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import gamemaster as gm
from gamemaster.language.infix import read_term
from gamemaster.machine.compiled import CompiledGame
from gamemaster.search.hidden import lane_leads, nearness
from gamemaster.search.hidden.beliefs import Beliefs
from gamemaster.search.hidden.lane_leads import Lead, Leads, chances_of
from gamemaster.search.hidden.lane_steps import LEAST_SECONDS, LaneSteps
from gamemaster.search.hidden.lanes import LaneParticles, lane_game
from gamemaster.search.hidden.nearness import NEVER, SETTLED, Nearness
from gamemaster.search.hidden.particles import Sighting
from tests.search.hidden.test_lane_steps import believed, steps_of

DECK = (
    """
role(random) role(player) init(step(0)) """
    + " ".join(f"card({n}) succ({n},{n + 1})" for n in range(6))
    + """
legal(random,deal(C)) :- true(deck(C))
legal(player,wait) :- role(player)
init(deck(C)) :- card(C)
next(deck(C)) :- true(deck(C)) & ~does(random,deal(C))
next(has(C)) :- true(step(5)) & does(random,deal(C))
next(other(N,C)) :- true(step(N)) & does(random,deal(C)) & distinct(N,5)
next(other(N,C)) :- true(other(N,C))
next(step(M)) :- true(step(N)) & succ(N,M)
sees(player,got(C)) :- true(step(5)) & does(random,deal(C))
terminal :- true(step(6))
goal(player,0) goal(random,0)
"""
)
"""Six cards are dealt one by one, and of the last the player sees which it is."""

SUITS = """
role(random) role(player) role(dealer) init(step(1)) card(a) card(b) card(c) card(d) plain(a) plain(b) plain(c)
legal(random,give(C,D)) :- true(step(1)) & card(C) & card(D) & distinct(C,D)
legal(random,noop) :- ~true(step(1))
legal(player,wait) :- role(player)
legal(dealer,wait) :- true(step(1))
legal(dealer,show(C)) :- true(step(2)) & true(has(C)) & plain(C)
legal(dealer,show(d)) :- true(step(2)) & true(has(d)) & ~follows
follows :- true(has(C)) & plain(C)
next(step(2)) :- true(step(1))
next(step(3)) :- true(step(2))
next(has(C)) :- does(random,give(C,D))
next(has(D)) :- does(random,give(C,D))
next(has(C)) :- true(has(C))
sees(player,shown(C)) :- does(dealer,show(C))
terminal :- true(step(3))
goal(player,0) goal(dealer,0) goal(random,0)
"""
"""Of two cards the dealer shows one; d only if it has no other, which never is."""


def at_step(sheet: str, steps: int, most: int = 1_000) -> tuple[Beliefs, LaneParticles, CompiledGame]:
    """Beliefs of who has waited and seen nothing for so many steps."""
    beliefs = believed(sheet, "player", most=most)
    for _ in range(steps):
        beliefs.see(read_term("wait"), (), 60.0)
    assert isinstance(beliefs.particles, LaneParticles)
    return beliefs, beliefs.particles, beliefs.particles.compiled


def leads_to(game: CompiledGame, particles: LaneParticles, seen: str) -> Leads:
    """What leads to something seen."""
    sighting = Sighting(read_term("wait"), frozenset([read_term(seen)]))
    leads = Leads(game, particles, sighting, Nearness(game, game.roles.index(particles.role)))
    leads.look(particles, np.random.default_rng(1))
    return leads


def code_of(game: CompiledGame, role: str, move: str) -> int:
    number, lanes = game.roles.index(role), lane_game(game)
    return int(lanes.move_start[number]) + lanes.numbers[number][read_term(move)]


def test_a_card_that_went_elsewhere_in_all_states_is_brought_to_where_it_was_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    allowed, play_again = list[float](), LaneSteps._played_again

    def watched(self: LaneSteps, *arguments: Any) -> Any:
        allowed.append(arguments[-1])
        return play_again(self, *arguments)

    monkeypatch.setattr(LaneSteps, "_played_again", watched)
    for seed in range(4):
        beliefs = believed(DECK, "player", seed, most=1)
        for _ in range(5):
            beliefs.see(read_term("wait"), (), 60.0)
        (kept,) = beliefs.states
        gone = next(str(fact) for fact in kept.facts if str(fact).startswith("other("))[-2]
        allowed.clear()
        beliefs.see(read_term("wait"), [read_term(f"got({gone})")], 0.0)
        assert beliefs.renewed == 1
        assert all(read_term(f"has({gone})") in state.facts for state in beliefs.states)
        assert allowed[0] == LEAST_SECONDS  # the time was over at once


def test_histories_change_places_with_the_last_move_and_stay_legal() -> None:
    beliefs, particles, game = at_step(DECK, 5, most=4)
    leads = leads_to(game, particles, "got(3)")
    deal = code_of(game, "random", "deal(3)")
    assert leads.found == [Lead(0, deal)]
    made, sources = leads.brought(particles, np.arange(len(particles)), np.random.default_rng(1))
    assert particles.made is not None
    has_it = (particles.made[:, :, 0] == deal).any(axis=1)
    assert set(sources.tolist()) == set(np.flatnonzero(has_it).tolist())
    assert (made[:, -1, 0] == deal).all()
    assert all(len(set(line)) == 6 for line in made[:, :, 0].tolist())
    assert len(beliefs.states) == 4


def test_what_was_never_made_is_not_brought() -> None:
    _, particles, game = at_step(SUITS, 1)
    leads = leads_to(game, particles, "shown(d)")
    assert leads.found == [Lead(2, code_of(game, "dealer", "show(d)"))]
    made, sources = leads.brought(particles, np.arange(len(particles)), np.random.default_rng(1))
    assert made.shape == (0, 2, 3)
    assert len(sources) == 0


def test_what_nobody_can_show_has_no_leads() -> None:
    _, particles, game = at_step(DECK, 3)
    assert leads_to(game, particles, "got(3)").found == []
    assert (leads_to(game, particles, "got(3)").distances(particles, np.random.default_rng(1)) == NEVER).all()


def test_how_many_facts_are_in_the_way_is_counted() -> None:
    _, particles, game = at_step(SUITS, 1)
    leads = leads_to(game, particles, "shown(d)")
    distances = leads.distances(particles, np.random.default_rng(1))
    for state, distance in zip(particles.states(), distances.tolist(), strict=True):
        held = {str(fact)[-2] for fact in state.facts if str(fact).startswith("has(")}
        assert distance == len(held - {"d"}) + ("d" not in held)


def test_a_fact_that_is_the_same_in_all_states_is_not_likely_to_be_another() -> None:
    _, particles, game = at_step(SUITS, 1)
    without = [
        number for number, state in enumerate(particles.states()) if read_term("has(d)") not in state.facts
    ]
    part = particles.part(np.array(without))
    distances = leads_to(game, part, "shown(d)").distances(part, np.random.default_rng(1))
    assert distances.tolist() == [2 + SETTLED] * len(without)


def test_in_large_rules_only_the_move_counts_or_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    _, particles, game = at_step(SUITS, 1)
    whole = leads_to(game, particles, "shown(d)").distances(particles, np.random.default_rng(1))
    near = Nearness(game, 1)
    place = game.layout.moves[2].index(read_term("show(d)"))
    legal = game.artifact.circuit.legal[game.artifact.circuit.roles[2]][place]
    monkeypatch.setattr(nearness, "MOST_GATES", len(near._cone([legal])))
    alone = leads_to(game, particles, "shown(d)").distances(particles, np.random.default_rng(1))
    assert alone.tolist() == whole.tolist()
    monkeypatch.setattr(nearness, "MOST_GATES", 0)
    none = leads_to(game, particles, "shown(d)").distances(particles, np.random.default_rng(1))
    assert none.tolist() == [0.0] * len(particles)


def test_near_states_are_changed_more_often_and_none_never() -> None:
    chances = chances_of(np.array([1.0, 1.0, 4.0, NEVER]))
    assert chances.sum() == pytest.approx(1)
    assert chances[0] == chances[1] > 5 * chances[2] > 5 * chances[3] > 0
    assert chances_of(np.full(4, NEVER)).tolist() == [0.25] * 4


def test_of_many_moves_only_some_are_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    _, particles, game = at_step(DECK, 5)
    monkeypatch.setattr(lane_leads, "MOST_TRIED", 2)
    found = {lead.code for _ in range(20) for lead in leads_to(game, particles, "got(3)").found}
    assert found <= {code_of(game, "random", "deal(3)")}
    monkeypatch.setattr(lane_leads, "MOST_TRIED", 0)
    assert leads_to(game, particles, "got(3)").found == []


def test_full_hands_are_followed_through_a_whole_game_with_few_states() -> None:
    game, generator = gm.load("hearts:full", machine="compiled"), random.Random(3)
    beliefs, state = Beliefs(game, "east", generator, most=20), game.initial_state()
    beliefs.steps = steps_of(game)
    while not state.is_terminal:
        moves = state.random_moves(generator)
        beliefs.see(moves["east"], state.percepts(moves)["east"], 20.0)
        state = state.next(moves)
        own = {fact for fact in state.facts if str(fact).startswith(("holds(east", "table"))}
        assert all(own <= set(each.facts) for each in beliefs.states)
    assert beliefs.renewed > 0
