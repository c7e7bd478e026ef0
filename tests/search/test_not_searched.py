"""A move that nobody searched says so, whichever search was asked; one of which something is known does not."""

from __future__ import annotations

import random

import pytest

import gamemaster as gm
from gamemaster.search.budget import Budget
from gamemaster.search.catalogue import find_algorithm
from gamemaster.search.hidden import pimc
from gamemaster.search.hidden.beliefs import Beliefs
from gamemaster.search.result import NOT_SEARCHED, SearchResult
from tests.players.sheets import HIDDEN, ROSHAMBO

ADVERSARIAL = (
    "minimax",
    "bounded",
    "alphabeta",
    "deepening",
    "expectimax",
    "extended",
    "maxn",
    "paranoid",
    "coalition",
    "mcs",
    "greedy",
    "pts",
    "uct",
    "decoupled",
)
PUZZLES = ("maximizer", "idastar", "nested")


@pytest.fixture(scope="module")
def tictactoe() -> gm.State:
    return gm.load("tictactoe", machine="reference").initial_state()


@pytest.fixture(scope="module")
def puzzle() -> gm.State:
    return gm.load("peg", machine="reference").initial_state()


@pytest.mark.parametrize("nodes", [0, 1])
@pytest.mark.parametrize("name", ADVERSARIAL)
def test_without_a_budget_nothing_is_known(tictactoe: gm.State, name: str, nodes: int) -> None:
    result = find_algorithm(name)(tictactoe, "x", Budget(nodes=nodes))
    assert result.caveats == (NOT_SEARCHED,)
    assert result.move in tictactoe.legal_moves("x")


@pytest.mark.parametrize("name", PUZZLES)
def test_without_a_budget_nothing_is_known_of_a_puzzle(puzzle: gm.State, name: str) -> None:
    (role,) = puzzle.game.roles
    assert find_algorithm(name)(puzzle, role, Budget(nodes=1)).caveats == (NOT_SEARCHED,)


@pytest.mark.parametrize("name", ADVERSARIAL)
def test_what_is_searched_has_no_caveat(name: str) -> None:
    state = gm.load("tictactoe", machine="reference").initial_state()
    for move in ("mark(1,1)", "mark(2,2)", "mark(1,2)", "mark(1,3)", "mark(3,1)", "mark(2,1)"):
        state = state.next(move)
    result = find_algorithm(name)(state, "x", Budget(nodes=2_000))
    assert result.caveats == ()


@pytest.mark.parametrize("name", [*ADVERSARIAL, *PUZZLES])
def test_an_only_move_needs_no_search(name: str) -> None:
    sheet = (
        "role(a) init(s) legal(a,go) :- true(s) next(t) :- true(s) terminal :- true(t) goal(a,100) :- true(t)"
    )
    state = gm.parse(sheet, machine="reference").initial_state()
    assert find_algorithm(name)(state, "a", Budget(nodes=0)).caveats == ()


def test_uct_refuses_several_that_choose_even_without_a_budget() -> None:
    state = gm.parse(ROSHAMBO, machine="reference").initial_state()
    with pytest.raises(gm.Unsuitable, match="several roles choose at once in step 1"):
        find_algorithm("uct")(state, "left", Budget(nodes=0))


def hidden() -> Beliefs:
    beliefs = Beliefs(gm.parse(HIDDEN, machine="reference"), "player", random.Random(1))
    beliefs.see(beliefs.legal_moves()[0], (), 60.0)
    assert len(beliefs.states) == 2
    return beliefs


def test_pimc_hands_on_that_nothing_was_searched() -> None:
    beliefs = hidden()
    result = pimc.search_beliefs(beliefs, Budget(seconds=0.0))
    assert result.caveats == (NOT_SEARCHED,)
    assert result.values == {}
    assert result.move in beliefs.legal_moves()


def test_pimc_counts_a_move_only_where_it_was_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    beliefs = hidden()
    one, other = beliefs.legal_moves()
    tried = iter([{one: 2, other: 0}, {one: 2, other: 2}])

    def search(state: gm.State, role: str, budget: Budget, seed: int, lanes: bool) -> SearchResult:
        visits = next(tried)
        values = {one: 50.0, other: 60.0 if visits[other] else 0.0}
        return SearchResult("decoupled", role, one, 50.0, values, visits)

    monkeypatch.setattr(pimc, "find_algorithm", lambda name: search)
    result = pimc.search_beliefs(beliefs, Budget(seconds=600), legal=(one, other))
    assert result.values == {one: 50.0, other: 60.0}
    assert result.move == other
    assert result.caveats == ()
