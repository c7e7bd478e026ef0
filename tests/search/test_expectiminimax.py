"""Expectiminimax in machine code: what it prunes changes nothing, and it says what the search without bounds says."""

from __future__ import annotations

import random
from functools import cache
from typing import get_args

import numpy as np
import pytest

import gamemaster as gm
from gamemaster.machine.compiled import CompiledGame
from gamemaster.machine.game import RANDOM
from gamemaster.search.budget import Budget
from gamemaster.search.catalogue import find_algorithm
from gamemaster.search.native.engine import engine_of
from gamemaster.search.native.expectiminimax import Expectiminimax, Pruning
from gamemaster.search.result import NOT_SEARCHED, SearchResult
from tests.players.sheets import HIDDEN, ROSHAMBO
from tests.search.chance_trees import COIN_FLIP, DICE, DICE_STRETCHED, Node, random_tree, sheet_of, truth
from tests.search.test_native_chance import PIGLET, piglet_values

PRUNINGS = get_args(Pruning)
FREE = Budget()

LOADED = """
role(hi) role(lo) role(random) init(at(start))
legal(hi,throw) :- true(at(start))
legal(hi,keep) :- true(at(start))
legal(hi,wait) :- true(at(thrown))
legal(lo,wait)
legal(random,face(N)) :- true(at(thrown)) & number(N)
legal(random,wait) :- true(at(start))
number(1) number(2) number(3) number(4) number(5) number(6) number(7) number(8) number(9) number(10)
next(at(thrown)) :- does(hi,throw)
next(at(kept)) :- does(hi,keep)
next(at(bad)) :- does(random,face(N)) & distinct(N,10)
next(at(good)) :- does(random,face(10))
terminal :- true(at(kept))
terminal :- true(at(bad))
terminal :- true(at(good))
goal(hi,15) :- true(at(kept))
goal(hi,10) :- true(at(bad))
goal(hi,90) :- true(at(good))
goal(lo,0)
"""
"""A die whose faces are bad but for one of ten."""

LATER = """
role(hi) role(lo) role(random) init(step(1))
legal(hi,go(1)) legal(hi,go(2)) legal(random,go(1)) legal(random,go(2)) :- true(step(1))
legal(lo,go(1))
legal(lo,go(2)) :- true(step(2))
next(step(2)) :- true(step(1))
next(step(3)) :- true(step(2))
terminal :- true(step(3))
goal(hi,50) goal(lo,50)
"""
"""First one role chooses, with chance; then two do at once."""


def search(state: gm.State, role: str, budget: Budget = FREE, **parameters: object) -> SearchResult:
    return find_algorithm("expectiminimax")(state, role, budget, **parameters)


def compiled(sheet: str) -> CompiledGame:
    game = gm.parse(sheet, dialect="hrf", machine="compiled")
    assert isinstance(game, CompiledGame)
    return game


@cache
def tree_of(seed: int) -> tuple[Node, gm.State]:
    tree = random_tree(random.Random(seed), 4, is_regular=seed % 3 == 0)
    return tree, compiled(sheet_of(tree)).initial_state()


@pytest.mark.parametrize("pruning", PRUNINGS)
@pytest.mark.parametrize("seed", range(9))
def test_a_tree_is_worth_what_a_plain_recursion_says(seed: int, pruning: Pruning) -> None:
    tree, state = tree_of(seed)
    for role, value in (("hi", float(truth(tree))), ("lo", 100 - float(truth(tree)))):
        result = search(state, role, pruning=pruning)
        assert result.is_proven
        assert result.value == pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize("seed", range(9))
def test_to_any_depth_it_is_worth_what_expectimax_says(seed: int) -> None:
    _, state = tree_of(seed)
    for depth in (1, 2, 3):
        plain = find_algorithm("expectimax")(state, "hi", FREE, depth=depth)
        for pruning in PRUNINGS:
            result = search(state, "hi", depth=depth, pruning=pruning)
            assert result.value == pytest.approx(plain.value, abs=1e-9)
            assert result.is_proven == plain.is_proven or result.depth == depth
            for move in result.values:
                is_less = move in result.at_most
                assert result.values[move] >= plain.values[move] - 1e-9
                assert is_less or result.values[move] == pytest.approx(plain.values[move], abs=1e-9)


@pytest.mark.parametrize(
    ("tree", "move", "value"), [(COIN_FLIP, "go(0)", 50), (DICE, "go(0)", 21), (DICE_STRETCHED, "go(1)", 10)]
)
def test_the_trees_of_the_documents(tree: Node, move: str, value: float) -> None:
    result = search(compiled(sheet_of(tree)).initial_state(), "hi")
    assert (str(result.move), result.is_proven) == (move, True)
    assert result.value == pytest.approx(value)
    assert result.line == (result.move,)  # then chance decides


def test_moves_of_chance_that_lead_to_the_same_state_are_one_with_its_weight() -> None:
    state = compiled(LOADED).initial_state()
    result = search(state, "hi")
    assert str(result.move) == "throw"
    assert result.value == pytest.approx(18)
    thrown = state.next({"hi": "throw", "lo": "wait", RANDOM: "wait"})
    assert search(thrown, "hi").value == pytest.approx(18)


@pytest.mark.parametrize(("variant", "value"), [("lastroll", 100 * 19 / 36), ("small", 77.2002)])
def test_the_end_of_a_game_of_backgammon(variant: str, value: float) -> None:
    state = gm.load(f"backgammon:{variant}", machine="compiled").initial_state()
    for role, worth in (("white", value), ("black", 100 - value)):
        result = search(state, role)
        assert result.is_proven
        assert result.value == pytest.approx(worth, abs=1e-4)


def test_pig_with_a_coin_to_a_depth_and_by_iterating_values() -> None:
    state = compiled(PIGLET).initial_state()
    for depth in (3, 6):
        plain = find_algorithm("expectimax")(state, "a", FREE, depth=depth)
        assert search(state, "a", depth=depth).value == pytest.approx(plain.value, abs=1e-9)
    deep = search(state, "a", depth=120)
    assert str(deep.move) == "flip"
    assert deep.value == pytest.approx(100 * piglet_values(3)[0, 0, 0], abs=0.1)


def test_a_role_that_moves_with_chance_does_not_know_what_it_does() -> None:
    guess = Node("hi", tuple(Node("random", (Node(goal=a), Node(goal=b))) for a, b in ((100, 0), (0, 90))))
    state = compiled(sheet_of(Node("hi", guess.children, is_joint=True))).initial_state()
    result = search(state, "hi")
    assert (str(result.move), result.value, result.depth) == ("go(0)", 50.0, 1)
    assert search(state, "lo").value == 50.0


@pytest.fixture(scope="module")
def middle_game() -> gm.State:
    """A state of backgammon in which a role has several moves."""
    state, generator = gm.load("backgammon", machine="compiled").initial_state(), random.Random(3)
    while state.step < 60 or state.chooser in (None, RANDOM):
        state = state.next(state.random_moves(generator))
    return state


def test_bounds_leave_out_much_of_the_tree_and_change_nothing(middle_game: gm.State) -> None:
    role = str(middle_game.chooser)
    found = {each: search(middle_game, role, depth=6, pruning=each) for each in PRUNINGS}
    assert found["star2"].value == pytest.approx(found["none"].value)
    assert found["star1"].value == pytest.approx(found["none"].value)
    assert found["star1"].nodes < found["none"].nodes
    assert found["star2"].nodes < found["none"].nodes / 2


def test_what_facts_are_worth_is_learnt_from_random_games(middle_game: gm.State) -> None:
    role = str(middle_game.chooser)
    assert search(middle_game, role, depth=2).value == 50.0
    learnt = search(middle_game, role, Budget(seconds=5), depth=2, learning=0.1, seed=1)
    assert learnt.value not in (0.0, 50.0, 100.0)


def test_a_sure_win_ends_the_search() -> None:
    state = gm.load("tictactoe", machine="compiled").initial_state()
    for move in ("mark(1,1)", "mark(2,1)", "mark(1,2)", "mark(2,2)"):
        state = state.next(move)
    result = search(state, "x")
    assert (str(result.move), result.value, result.is_proven, result.depth) == ("mark(1,3)", 100.0, True, 1)
    assert list(result.values) == [result.move]
    end = search(state.next("mark(1,3)"), "x")
    assert (end.move, end.value, end.is_proven) == (None, 100.0, True)


def test_lines_go_on_where_chance_has_no_part() -> None:
    state = gm.load("tictactoe", machine="compiled").initial_state()
    result = search(state, "x", depth=4)
    assert len(result.line) >= 2
    assert result.line[0] == result.move


def test_without_a_budget_nothing_is_known(middle_game: gm.State) -> None:
    result = search(middle_game, str(middle_game.chooser), Budget(nodes=1))
    assert result.caveats == (NOT_SEARCHED,)
    assert result.move in middle_game.legal_moves(str(middle_game.chooser))


def test_it_ends_where_rows_find_no_room(middle_game: gm.State) -> None:
    assert isinstance(middle_game.game, CompiledGame)
    searcher = Expectiminimax(engine_of(middle_game.game), str(middle_game.chooser))
    few = np.empty((300, searcher.pool.rows.shape[1]), np.uint64)
    searcher.pool = searcher.pool._replace(rows=few)
    result = searcher.search(middle_game, FREE, 8)
    assert 1 <= result.depth < 8


def test_what_it_does_not_take() -> None:
    hidden = gm.parse(HIDDEN, machine="compiled").initial_state()
    role = next(role for role in hidden.game.roles if role != RANDOM)
    with pytest.raises(gm.Unsuitable, match="expectiminimax needs a compiled game that hides nothing"):
        search(hidden, role)
    at_once = gm.parse(ROSHAMBO, machine="compiled").initial_state()
    with pytest.raises(gm.Unsuitable, match=r"several roles of .* choose at once in step 1; decoupled"):
        search(at_once, at_once.game.roles[0])
    both = gm.parse(ROSHAMBO, machine="reference").initial_state()
    with pytest.raises(gm.Unsuitable, match=r"runs on the reference machine .*; take decoupled"):
        search(both, both.game.roles[0])
    with pytest.raises(gm.Unsuitable, match=r"several roles of .* choose at once; decoupled"):
        search(compiled(LATER).initial_state(), "hi")
    state = compiled(LOADED).initial_state()
    with pytest.raises(gm.Unsuitable, match="expectiminimax cannot choose for 'random'"):
        search(state, RANDOM)
    with pytest.raises(gm.ParameterError, match="learning of expectiminimax: 1 is not a share"):
        search(state, "hi", learning=1.0)
    reference = gm.parse(LOADED, dialect="hrf", machine="reference").initial_state()
    with pytest.raises(gm.Unsuitable, match=r"runs on the reference machine .*; take expectimax"):
        search(reference, "hi")
