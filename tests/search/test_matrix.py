"""Matrix games: both choose at once, and what they draw by lot is what the theory says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import gamemaster as gm
from gamemaster.machine.game import RANDOM
from gamemaster.search.budget import Budget
from gamemaster.search.catalogue import find_algorithm
from gamemaster.search.result import NOT_SEARCHED, SearchResult
from gamemaster.search.trees.matrix import solve_matrix

PENNIES = """
role(even) role(odd) init(step(1))
legal(R,show(heads)) :- role(R)
legal(R,show(tails)) :- role(R)
next(both(X)) :- does(even,show(X)) & does(odd,show(X))
next(over)
terminal :- true(over)
goal(even,100) :- true(both(heads))
goal(even,20) :- true(both(tails))
goal(even,0) :- ~true(both(heads)) & ~true(both(tails))
goal(odd,0) :- true(both(heads))
goal(odd,80) :- true(both(tails))
goal(odd,100) :- ~true(both(heads)) & ~true(both(tails))
"""
"""Matching pennies, where heads count for five tails: heads with 1/6 each, worth 100/6."""

TWO_STAGES = """
role(a) role(b) init(stage(1)) init(score(0))
legal(R,M) :- role(R) & move(M)
move(x) move(y)
same :- does(a,M) & does(b,M)
next(stage(2)) :- true(stage(1))
next(stage(3)) :- true(stage(2))
next(score(1)) :- true(score(0)) & same
next(score(2)) :- true(score(1)) & same
next(score(N)) :- true(score(N)) & ~same
terminal :- true(stage(3))
goal(a,0) :- true(score(0))
goal(a,20) :- true(score(1))
goal(a,100) :- true(score(2))
goal(b,100) :- true(score(0))
goal(b,80) :- true(score(1))
goal(b,0) :- true(score(2))
"""
"""Matching pennies twice: nothing for no match, 20 for one, 100 for both. The second is worth the mean of its ends,
10 or 60, and so is the first: 35."""

WEATHER = """
role(a) role(b) role(random) init(step(1))
legal(a,left) legal(a,right) legal(b,left) legal(b,right)
legal(random,sun) legal(random,rain) legal(random,snow)
next(met) :- does(a,M) & does(b,M)
next(W) :- does(random,W)
next(over)
terminal :- true(over)
goal(a,90) :- true(met) & true(sun)
goal(a,30) :- true(met) & true(rain)
goal(a,0) :- true(met) & true(snow)
goal(a,0) :- ~true(met)
goal(b,50)
"""
"""To meet is worth 40 in the mean."""

DOMINATED = PENNIES.replace("legal(R,show(tails)) :- role(R)", "legal(even,show(tails))").replace(
    "goal(even,20)", "goal(even,30)"
)

THREE = (
    "role(a) role(b) role(c) legal(R,go) :- role(R) next(over) terminal :- true(over) goal(R,0) :- role(R)"
)


def search(sheet: str, role: str, budget: Budget | None = None, **parameters: object) -> SearchResult:
    state = gm.parse(sheet, dialect="hrf").initial_state()
    return find_algorithm("matrix")(state, role, budget or Budget(), **parameters)


def chances(result: SearchResult) -> list[int]:
    return list(result.visits.values())


@pytest.mark.parametrize("role", ["left", "right"])
def test_roshambo_is_drawn_by_lot(role: str) -> None:
    state = gm.load("roshambo").initial_state()
    role = state.game.roles[role == "right"]
    results = [find_algorithm("matrix")(state, role, Budget(), seed=seed, depth=1) for seed in range(20)]
    assert len({result.move for result in results}) == 3
    for result in results:
        assert chances(result) == [333, 333, 333]
        assert result.notes.count("33.3%") == 3


@pytest.mark.parametrize(("role", "value"), [("even", 100 / 6), ("odd", 500 / 6)])
def test_unequal_pennies(role: str, value: float) -> None:
    result = search(PENNIES, role)
    assert (result.is_proven, result.depth, chances(result)) == (True, 1, [167, 833])
    assert result.value == pytest.approx(value)
    assert list(result.values.values()) == pytest.approx([value, value])  # else nobody would mix them


def test_two_stages_are_solved_backwards() -> None:
    result = search(TWO_STAGES, "a")
    assert (result.is_proven, result.depth, chances(result)) == (True, 2, [500, 500])
    assert result.value == pytest.approx(35)
    assert search(TWO_STAGES, "b").value == pytest.approx(65)


def test_a_horizon_takes_the_evaluation() -> None:
    result = search(TWO_STAGES, "a", depth=1)
    assert not result.is_proven
    assert result.value == pytest.approx(10)  # goals so far: 0, and 20 for a match


def test_chance_in_the_same_step_counts_as_its_mean() -> None:
    result = search(WEATHER, "a")
    assert result.value == pytest.approx(20)
    assert chances(result) == [500, 500]


def test_where_one_is_sure_nothing_is_mixed() -> None:
    result = search(DOMINATED, "odd")
    assert (str(result.move), result.notes, result.line) == ("show(heads)", "", (result.move,))


def test_turns_are_matrices_of_one_row() -> None:
    state = gm.load("tictactoe").initial_state()
    for move in ("mark(1,1)", "mark(2,1)", "mark(1,2)", "mark(2,2)"):
        state = state.next(move)
    result = find_algorithm("matrix")(state, "x", Budget())
    assert (str(result.move), result.value, result.is_proven) == ("mark(1,3)", 100.0, True)


def test_without_a_budget_nothing_is_known() -> None:
    result = search(PENNIES, "even", Budget(nodes=1))
    assert result.caveats == (NOT_SEARCHED,)
    assert str(result.move) == "show(heads)"


@pytest.mark.parametrize(("sheet", "role"), [(THREE, "a"), (WEATHER, RANDOM)])
def test_it_is_for_one_of_two(sheet: str, role: str) -> None:
    with pytest.raises(gm.Unsuitable, match=r"matrix is for one of two roles .*; take decoupled"):
        search(sheet, role)


SHAPES = st.tuples(st.integers(1, 5), st.integers(1, 5))


@settings(max_examples=40, deadline=None)
@given(SHAPES.flatmap(lambda shape: arrays(np.float64, shape, elements=st.integers(0, 100).map(float))))
def test_neither_can_do_better_against_the_others_mix(matrix: np.ndarray) -> None:
    found = solve_matrix(matrix)
    assert found.rows.sum() == pytest.approx(1)
    assert found.columns.sum() == pytest.approx(1)
    assert (found.rows @ matrix).min() == pytest.approx(found.value, abs=1e-6)
    assert (matrix @ found.columns).max() == pytest.approx(found.value, abs=1e-6)
