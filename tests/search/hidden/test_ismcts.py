"""Information-set search: what it is worth to know, to guess, to look and to tell."""

from __future__ import annotations

import random
from typing import Literal

import pytest

import gamemaster as gm
from gamemaster.language.infix import read_term
from gamemaster.search.budget import Budget
from gamemaster.search.hidden import ismcts, pimc
from gamemaster.search.hidden.beliefs import Beliefs
from gamemaster.search.result import NOT_SEARCHED, SearchResult
from tests.players.sheets import UNEVEN
from tests.search.hidden.sheets import LOOK, PENNIES, ROAD, SIGNAL

MachineName = Literal["compiled", "reference"]
BOTH: tuple[MachineName, ...] = ("compiled", "reference")
PLAYOUTS = Budget(playouts=1_500)


def beliefs_after(
    sheet: str, role: str, steps: list[tuple[str, tuple[str, ...]]], machine: MachineName = "compiled"
) -> Beliefs:
    """Where a game can be after moves of a role, and what it saw then."""
    found = Beliefs(gm.parse(sheet, dialect="hrf", machine=machine), role, random.Random(1))
    for move, seen in steps:
        found.see(read_term(move), map(read_term, seen), 60.0)
    return found


def searched(beliefs: Beliefs, seed: int = 0) -> SearchResult:
    return ismcts.search_beliefs(beliefs, PLAYOUTS, seed)


def value_of(result: SearchResult, move: str) -> float:
    return result.values[read_term(move)]


@pytest.mark.parametrize("machine", BOTH)
def test_the_sure_road_is_taken_every_time(machine: MachineName) -> None:
    beliefs = beliefs_after(ROAD, "walker", [("wait", ("wait",))], machine)
    for seed in range(20):
        result = searched(beliefs, seed)
        assert str(result.move) == "road"
        assert value_of(result, "fork") == pytest.approx(50, abs=15)
        assert result.value == pytest.approx(60)


def test_pimc_takes_the_fork_for_a_hundred() -> None:
    beliefs = beliefs_after(ROAD, "walker", [("wait", ("wait",))])
    result = pimc.search_beliefs(beliefs, Budget(seconds=60, nodes=2_000))
    assert str(result.move) == "fork"
    assert result.value > 90


@pytest.mark.parametrize("machine", BOTH)
def test_a_look_is_worth_its_price(machine: MachineName) -> None:
    beliefs = beliefs_after(LOOK, "player", [("wait", ())], machine)
    for seed in range(5):
        result = searched(beliefs, seed)
        assert str(result.move) == "look"
        assert result.value == pytest.approx(90, abs=6)


@pytest.mark.parametrize("machine", BOTH)
def test_a_look_that_costs_more_than_it_brings_is_not_taken(machine: MachineName) -> None:
    dear = LOOK.replace("goal(player,90)", "goal(player,55)")
    beliefs = beliefs_after(dear, "player", [("wait", ())], machine)
    for seed in range(5):
        result = searched(beliefs, seed)
        assert str(result.move) == "stop"
        assert value_of(result, "look") < 60


def test_what_was_looked_at_is_guessed() -> None:
    beliefs = beliefs_after(LOOK, "player", [("wait", ()), ("look", ("tails",))])
    assert str(searched(beliefs).move) == "guess(tails)"


@pytest.mark.parametrize("machine", BOTH)
def test_words_come_to_mean_something(machine: MachineName) -> None:
    beliefs = beliefs_after(SIGNAL, "teller", [("wait", ("heads",))], machine)
    for seed in range(3):
        result = ismcts.search_beliefs(beliefs, Budget(playouts=4_000), seed)
        assert str(result.move).startswith("say")
        assert result.value > 75


@pytest.mark.parametrize("machine", BOTH)
def test_states_reached_by_unequal_chance_keep_their_weights(machine: MachineName) -> None:
    beliefs = beliefs_after(UNEVEN, "player", [("wait", ("thrown",))], machine)
    assert sorted(beliefs.weights) == pytest.approx([1 / 4, 3 / 4])
    result = searched(beliefs)
    assert str(result.move) == "guess(a)"
    assert result.value == pytest.approx(75, abs=6)


def test_a_choice_that_could_be_foreseen_is_mixed() -> None:
    game = gm.parse(PENNIES, dialect="hrf")
    beliefs = Beliefs(game, "one", random.Random(1))
    chosen = {str(searched(beliefs, seed).move) for seed in range(12)}
    assert chosen == {"put(heads)", "put(tails)"}
    result = searched(beliefs)
    assert result.value == pytest.approx(50, abs=10)
    assert result.notes.startswith("drawn: ")


def test_without_mixing_the_most_tried_move_is_taken() -> None:
    beliefs = Beliefs(gm.parse(PENNIES, dialect="hrf"), "one", random.Random(1))
    options = ismcts.IsmctsOptions(mixed=False)
    result = ismcts.search_beliefs(beliefs, PLAYOUTS, options=options)
    assert result.visits[result.move] == max(result.visits.values())  # type: ignore[index]
    assert result.notes == ""


@pytest.mark.parametrize("lanes", [True, False])
def test_what_was_tried_a_little_less_is_drawn_or_not_as_it_is_told(lanes: bool) -> None:
    beliefs = Beliefs(gm.parse(PENNIES, dialect="hrf"), "one", random.Random(1))
    options = ismcts.IsmctsOptions(least_share=1.0, lanes=lanes)
    result = ismcts.search_beliefs(beliefs, Budget(playouts=1_501), options=options)
    assert result.visits[result.move] == max(result.visits.values())  # type: ignore[index]
    assert result.notes == ""


def test_moves_are_drawn_as_often_as_they_were_tried_but_for_those_tried_too_seldom() -> None:
    visits = {read_term("a"): 60, read_term("b"): 40, read_term("c"): 10}
    assert [*ismcts.drawn_shares(visits, 0.6).values()] == [0.6, 0.4]
    assert [*ismcts.drawn_shares(visits, 0.9).values()] == [1.0]
    assert sum(ismcts.drawn_shares(visits, 0.0).values()) == pytest.approx(1.0)
    assert ismcts.drawn_shares({}, 0.6) == {}


def test_without_a_budget_it_says_that_nothing_was_searched() -> None:
    beliefs = Beliefs(gm.parse(PENNIES, dialect="hrf"), "one", random.Random(1))
    result = ismcts.search_beliefs(beliefs, Budget(playouts=0))
    assert result.caveats == (NOT_SEARCHED,)
    assert result.move in beliefs.legal_moves()


def test_a_compiled_game_is_searched_in_python_if_that_is_asked_for() -> None:
    beliefs = beliefs_after(LOOK, "player", [("wait", ())])
    assert isinstance(ismcts.new_trees(beliefs.game, 1, ismcts.IsmctsOptions(lanes=False)), ismcts.Trees)
    result = ismcts.search_beliefs(beliefs, PLAYOUTS, options=ismcts.IsmctsOptions(lanes=False))
    assert str(result.move) == "look"


def test_the_same_seed_finds_the_same() -> None:
    beliefs = beliefs_after(LOOK, "player", [("wait", ())])
    one, other = searched(beliefs, 5), searched(beliefs, 5)
    assert (one.values, one.visits) == (other.values, other.visits)


def test_who_does_not_see_its_role_knows_no_more_of_games_without_percepts() -> None:
    state = gm.load("tictactoe").initial_state()
    for move in ("mark(1,1)", "mark(2,2)", "mark(1,2)", "mark(3,3)"):
        state = state.next(move)
    assert str(ismcts.search(state, "x", PLAYOUTS).move) == "mark(1,3)"


def test_others_play_as_the_trees_say() -> None:
    beliefs = beliefs_after(SIGNAL, "teller", [("wait", ("heads",))])
    trees = ismcts.new_trees(beliefs.game, 1)
    trees.search(beliefs, PLAYOUTS)
    known = beliefs.particles.known()[0][1]
    chances = trees.chances("teller", known, beliefs.legal_moves())
    assert sum(chances) == pytest.approx(1)
    assert str(beliefs.legal_moves()[-1]) == "stop"
    assert chances[-1] < 0.2
    assert trees.chances("teller", 12345, beliefs.legal_moves()) == pytest.approx([1 / 3] * 3)
