"""Searches for puzzles in machine code: solutions, shortest ones, proofs, counters, and what solutions want."""

from __future__ import annotations

import pytest

import gamemaster as gm
from gamemaster.language.terms import Symbol
from gamemaster.machine.game import State
from gamemaster.search.budget import Budget
from gamemaster.search.catalogue import Search
from gamemaster.search.native import bestfirst, breadth, filling, nrpa
from gamemaster.search.native.frontier import counters_of
from gamemaster.search.puzzles.wants import NOTHING_WANTED, wants_of
from gamemaster.search.result import SearchResult
from tests.search.puzzles import eight_puzzle, fewest_slides

SEARCHES: dict[str, Search] = {
    "breadth": breadth.search,
    "bestfirst": bestfirst.search,
    "nrpa": nrpa.search,
    "filling": filling.search,
}
LONG = Budget(seconds=300)

TRAP = """
role(robot) init(at(0)) init(step(0))
up(0,1) up(1,2) up(2,3) up(3,4) up(4,5) up(5,6)
legal(robot,climb) :- true(at(N)) & up(N,M)
legal(robot,rest)
next(at(M)) :- does(robot,climb) & true(at(N)) & up(N,M)
next(at(N)) :- does(robot,rest) & true(at(N))
next(step(M)) :- true(step(N)) & up(N,M)
terminal :- true(step(6))
goal(robot,60) :- true(at(4))
goal(robot,0) :- ~true(at(4))
"""
"""It is over after six steps, and the best end is in the middle."""

LATIN = """
role(robot) index(1) index(2) index(3) init(cell(X,Y,b)) :- index(X) & index(Y)
legal(robot,mark(X,Y,N)) :- true(cell(X,Y,b)) & index(N) & ~row(X,N) & ~column(Y,N)
row(X,N) :- true(cell(X,Y,N)) & index(N)
column(Y,N) :- true(cell(X,Y,N)) & index(N)
open :- true(cell(X,Y,b))
playable :- legal(robot,M)
next(cell(X,Y,N)) :- does(robot,mark(X,Y,N))
next(cell(X,Y,N)) :- true(cell(X,Y,N)) & does(robot,mark(U,V,M)) & distinct(U,X)
next(cell(X,Y,N)) :- true(cell(X,Y,N)) & does(robot,mark(U,V,M)) & distinct(V,Y)
terminal :- ~playable
goal(robot,100) :- ~open
goal(robot,0) :- open
"""
"""A latin square of three numbers."""

DUEL = "role(a) role(b) legal(a,go) legal(b,go) next(over) terminal :- true(over) goal(a,100) goal(b,0)"


def start_of(sheet: str) -> State:
    return gm.parse(sheet, dialect="hrf", machine="compiled").initial_state()


def assert_ends(result: SearchResult, state: State, value: int) -> None:
    (role,) = state.game.roles
    for move in result.line:
        state = state.next({role: move})
    assert state.is_terminal
    assert state.goal(role) == result.value == value


@pytest.mark.parametrize("game", ["buttonsandlights", "hunter", "hamilton"])
@pytest.mark.parametrize("name", ["breadth", "bestfirst", "nrpa"])
def test_puzzles_of_the_library_are_solved(game: str, name: str) -> None:
    state = gm.load(game).initial_state()
    result = SEARCHES[name](state, state.game.roles[0], LONG, seed=1)
    assert_ends(result, state, 100)
    assert result.is_proven
    assert result.move == result.line[0]


def test_breadth_finds_a_shortest_solution() -> None:
    tiles = "4137265b8"
    state = start_of(eight_puzzle(tiles))
    result = breadth.search(state, "robot", LONG)
    assert_ends(result, state, 100)
    assert len(result.line) == fewest_slides(tiles)


@pytest.mark.parametrize("name", ["breadth", "bestfirst"])
def test_all_that_can_happen_is_a_proof_although_counters_were_left_out_at_first(name: str) -> None:
    state = start_of(TRAP)
    game = state.game.compiled
    assert game is not None
    assert counters_of(game) is not None
    result = SEARCHES[name](state, "robot", LONG)
    assert_ends(result, state, 60)
    assert result.is_proven


@pytest.mark.parametrize("name", SEARCHES)
def test_latin_squares_are_filled_in(name: str) -> None:
    state = start_of(LATIN)
    result = SEARCHES[name](state, "robot", LONG)
    assert_ends(result, state, 100)
    assert len(result.line) == 9


def test_filling_tries_the_want_with_the_fewest_ways_first() -> None:
    state = gm.load("sudoku").initial_state()
    result = filling.search(state, state.game.roles[0], LONG)
    assert_ends(result, state, 100)


def test_filling_refuses_where_a_move_makes_another_legal() -> None:
    state = gm.load("knightstour").initial_state()
    with pytest.raises(gm.Unsuitable, match="filling: a move of knightstour makes another legal; take nrpa"):
        filling.search(state, state.game.roles[0], LONG)


def test_the_same_seed_finds_the_same() -> None:
    state = gm.load("peg").initial_state()
    role, budget = state.game.roles[0], Budget(playouts=2_000)
    assert nrpa.search(state, role, budget, seed=3).line == nrpa.search(state, role, budget, seed=3).line


@pytest.mark.parametrize("name", SEARCHES)
def test_the_end_itself_is_worth_what_it_is(name: str) -> None:
    state = start_of(LATIN)
    while not state.is_terminal:
        state = state.next(state.legal_moves("robot")[0])
    result = SEARCHES[name](state, "robot", LONG)
    assert (result.move, result.value, result.is_proven) == (None, state.goal("robot"), True)


@pytest.mark.parametrize("name", SEARCHES)
def test_games_with_more_roles_are_refused(name: str) -> None:
    with pytest.raises(gm.Unsuitable, match=f"{name} is for puzzles with one role"):
        SEARCHES[name](start_of(DUEL), "a", LONG)


@pytest.mark.parametrize("name", SEARCHES)
def test_the_reference_machine_is_refused(name: str) -> None:
    state = gm.load("buttonsandlights", machine="reference").initial_state()
    with pytest.raises(gm.Unsuitable, match=r"reference machine .*; take idastar or nested"):
        SEARCHES[name](state, "robot", LONG)


@pytest.mark.parametrize("name", ["level", "each"])
def test_levels_and_games_are_counted_from_one_on(name: str) -> None:
    with pytest.raises(gm.ParameterError, match=f"{name} of nrpa: 0 is not a whole number from 1 on"):
        nrpa.search(start_of(LATIN), "robot", LONG, **{name: 0})


def test_what_solutions_want_is_read_off_the_gates() -> None:
    game = gm.parse(LATIN, dialect="hrf", machine="compiled")
    assert game.circuit is not None
    facts = list(map(str, game.circuit.facts))
    wants = wants_of(game.circuit, Symbol("robot"), 100)
    assert {facts[i] for i in range(len(facts)) if wants.false >> i & 1} == {
        f"cell({x},{y},b)" for x in (1, 2, 3) for y in (1, 2, 3)
    }
    assert wants.true == 0
    assert wants_of(game.circuit, Symbol("robot"), 101) == NOTHING_WANTED


def test_facts_that_have_to_be_true_are_wanted() -> None:
    game = gm.parse(eight_puzzle("1234567b8"), dialect="hrf", machine="compiled")
    assert game.circuit is not None
    facts = list(map(str, game.circuit.facts))
    wants = wants_of(game.circuit, Symbol("robot"), 100)
    found = {facts[i] for i in range(len(facts)) if wants.true >> i & 1}
    assert "cell(3,3,b)" in found
    assert len(found) == 9
