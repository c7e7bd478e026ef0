"""Decoupled search in machine code: mixed play, known values, dominant moves, what is kept, and its limits."""

from __future__ import annotations

import random
import time

import numpy as np
import pytest

import gamemaster as gm
from gamemaster.machine.game import State
from gamemaster.search.budget import Budget
from gamemaster.search.native.kernels.joint_records import NODES_FILLED
from gamemaster.search.playouts import decoupled
from gamemaster.search.playouts.decoupled import DecoupledOptions, JointTree, chosen_of, new_lanes
from gamemaster.search.playouts.joint_lanes import JointGraphs, JointLanes, merged_views
from gamemaster.search.result import NOT_SEARCHED
from gamemaster.search.trees import matrix
from tests.search.test_sampling_decoupled import DICE, DILEMMA

TWO_BY_TWO = """
role(row) role(column) init(start)
pays(up,left,{0}) pays(up,right,{1}) pays(down,left,{2}) pays(down,right,{3})
less(0,100) less(100,0) less(20,80) less(80,20) less(40,60) less(60,40)
legal(row,up) :- true(start)
legal(row,down) :- true(start)
legal(column,left) :- true(start)
legal(column,right) :- true(start)
next(done(A,B)) :- does(row,A) & does(column,B)
terminal :- true(done(A,B))
goal(row,P) :- true(done(A,B)) & pays(A,B,P)
goal(column,Q) :- true(done(A,B)) & pays(A,B,P) & less(P,Q)
"""


def lanes_of(game: gm.Game, seed: int = 0, **options: object) -> JointLanes:
    found = new_lanes(game, seed, DecoupledOptions(**options))  # type: ignore[arg-type]
    assert found is not None
    return found


def after(name: str, steps: int, seed: int) -> State:
    """A state of a random game in which somebody chooses."""
    state, generator = gm.load(name).initial_state(), random.Random(seed)
    while state.step < steps or all(role == "random" for role in state.choosers):
        state = state.next(state.random_moves(generator))
    return state


def test_roshambo_is_played_with_a_third_each() -> None:
    result = lanes_of(gm.load("roshambo")).search(
        gm.load("roshambo").initial_state(), "alice", Budget(playouts=200_000)
    )
    assert list(result.chances.values()) == pytest.approx([1 / 3] * 3, abs=0.03)
    assert result.value == pytest.approx(50, abs=1.5)
    assert "drawn: " in result.notes
    assert not result.is_proven


@pytest.mark.parametrize(
    ("payoffs", "up", "value"),
    [((100, 0, 0, 100), 0.5, 50.0), ((80, 20, 40, 100), 0.5, 60.0), ((20, 80, 60, 40), 0.25, 50.0)],
)
def test_a_game_of_two_by_two_has_its_mix_and_value(
    payoffs: tuple[int, ...], up: float, value: float
) -> None:
    game = gm.parse(TWO_BY_TWO.format(*payoffs), dialect="hrf")
    result = decoupled.search(game.initial_state(), "row", Budget(playouts=100_000), 1)
    chances = {str(move): chance for move, chance in result.chances.items()}
    assert chances["up"] == pytest.approx(up, abs=0.04)
    assert result.value == pytest.approx(value, abs=1.5)


@pytest.mark.parametrize("role", ["one", "two"])
def test_a_dominant_move_is_made(role: str) -> None:
    state = gm.parse(DILEMMA).initial_state()
    result = decoupled.search(state, role, Budget(playouts=20_000))
    assert str(result.move) == "betray"
    assert result.value == pytest.approx(30, abs=5)
    assert result.chances == {}


def test_chance_is_drawn_evenly_beside_three_roles() -> None:
    result = decoupled.search(gm.parse(DICE).initial_state(), "bettor", Budget(playouts=20_000))
    assert str(result.move) == "bet(low)"
    assert result.value == pytest.approx(75, abs=2)


@pytest.mark.parametrize(
    ("name", "steps", "seed"),
    [
        ("tron:columns=4,rows=4", 0, 3),
        ("tron:columns=5,rows=5", 2, 3),
        ("goofspiel", 0, 3),
        ("goofspiel", 2, 4),
        ("goofspiel:cards=5", 4, 1),
    ],
)
def test_small_positions_agree_with_linear_programs(name: str, steps: int, seed: int) -> None:
    state = after(name, steps, seed)
    role = next(role for role in state.choosers if role != "random")
    exact = matrix.search(state, role, Budget(seconds=60))
    assert exact.is_proven
    found = decoupled.search(state, role, Budget(playouts=300_000), 1)
    assert found.move is not None
    chances = found.chances or {found.move: 1.0}
    kept = sum(chance * exact.values[move] for move, chance in chances.items())
    assert found.value == pytest.approx(exact.value, abs=3)
    assert kept >= exact.value - 3  # against the best mix of the other


def test_python_and_machine_code_agree_in_values() -> None:
    for text, role in ((DILEMMA, "one"), (TWO_BY_TWO.format(80, 20, 40, 100), "row"), (DICE, "bettor")):
        state = gm.parse(text, dialect="hrf").initial_state()
        slow = decoupled.search(state, role, Budget(playouts=6_000), 1, lanes=False)
        fast = decoupled.search(state, role, Budget(playouts=60_000), 1)
        assert fast.value == pytest.approx(slow.value, abs=4)
        assert set(fast.values) == set(slow.values)


def test_the_same_seed_finds_the_same() -> None:
    state = gm.load("tron").initial_state()
    first, again, other = (
        lanes_of(gm.load("tron"), seed).search(state, "red", Budget(playouts=5_000)) for seed in (1, 1, 2)
    )
    assert (first.visits, first.values, first.chances) == (again.visits, again.values, again.chances)
    assert first.visits != other.visits


def test_straying_is_an_option_that_counts() -> None:
    state = gm.parse(DILEMMA).initial_state()
    tries = [
        min(decoupled.search(state, "one", Budget(playouts=20_000), stray=stray).visits.values())
        for stray in (0.02, 0.5)
    ]
    assert tries[0] < 0.1 * tries[1]
    with pytest.raises(gm.ParameterError, match="stray of decoupled: -1 is not a number from 0 on"):
        gm.search(state, algorithm="decoupled", role="one", stray=-1.0)


def test_a_sure_choice_is_the_likeliest() -> None:
    state = gm.parse(TWO_BY_TWO.format(20, 80, 60, 40), dialect="hrf").initial_state()
    for seed in range(6):
        found = decoupled.search(state, "row", Budget(playouts=20_000), seed, mixed=False)
        assert (str(found.move), found.chances) == ("down", {})


def test_a_mixed_choice_is_not_always_the_same() -> None:
    state = gm.load("roshambo").initial_state()
    found = {decoupled.search(state, "bob", Budget(playouts=2_000), seed).move for seed in range(12)}
    assert len(found) == 3


def test_what_is_found_stays_for_the_next_move() -> None:
    game = gm.load("tron")
    lanes, state = lanes_of(game), game.initial_state()
    first = lanes.search(state, "red", Budget(playouts=20_000))
    following = state.next({"red": str(first.move), "blue": str(state.legal_moves("blue")[0])})
    known = lanes.views(following)["red"]
    assert sum(known.tries) > 100
    second = lanes.search(following, "red", Budget(playouts=1_000))
    assert sum(second.visits.values()) == sum(known.tries) + 1_000


def test_the_line_goes_on_through_joint_moves() -> None:
    state = gm.load("tron").initial_state()
    result = lanes_of(gm.load("tron")).search(state, "red", Budget(playouts=20_000))
    assert result.move == result.line[0]
    assert len(result.line) > 1
    assert result.depth > 3


def test_memory_is_bounded_and_the_most_visited_stays() -> None:
    game = gm.load("tron")
    compiled = game.compiled
    assert compiled is not None
    lanes_of(game)
    lanes = JointLanes(compiled, most_bytes=1 << 20)
    result = lanes.search(game.initial_state(), "red", Budget(playouts=60_000))
    assert lanes.tree.counts[NODES_FILLED] <= len(lanes.tree.keys) < 3_000
    assert result.playouts == 60_000
    assert sum(result.visits.values()) == 60_000


@pytest.mark.parametrize("budget", [Budget(playouts=777), Budget(nodes=777)])
def test_rounds_are_counted(budget: Budget) -> None:
    result = lanes_of(gm.load("tron")).search(gm.load("tron").initial_state(), "blue", budget)
    assert (result.playouts, result.nodes) == (777, 777)
    assert sum(result.visits.values()) == 777


def test_time_is_kept() -> None:
    lanes, state = lanes_of(gm.load("tron")), gm.load("tron").initial_state()
    began = time.perf_counter()
    result = lanes.search(state, "red", Budget(seconds=0.2))
    assert result.playouts > 0
    assert time.perf_counter() - began < 2.0


def test_without_a_round_it_says_so() -> None:
    state = gm.load("tron").initial_state()
    result = lanes_of(gm.load("tron")).search(state, "red", Budget(playouts=0))
    assert result.move in state.legal_moves("red")
    assert NOT_SEARCHED in result.caveats


def test_a_role_that_is_none_is_refused() -> None:
    with pytest.raises(gm.GamemasterError, match="green"):
        lanes_of(gm.load("tron")).search(gm.load("tron").initial_state(), "green", Budget(playouts=10))


def test_the_reference_machine_has_no_lanes() -> None:
    game = gm.parse(DILEMMA, machine="reference")
    assert new_lanes(game) is None
    assert str(decoupled.search(game.initial_state(), "one", Budget(nodes=500)).move) == "betray"


def test_where_one_chooses_it_is_uct() -> None:
    state = gm.load("tictactoe").initial_state()
    for mark in ("mark(1,1)", "mark(1,2)", "mark(2,1)", "mark(2,2)"):
        control = state.control
        assert control is not None
        state = state.next(mark)
    result = decoupled.search(state, "x", Budget(playouts=20_000))
    assert (str(result.move), result.chances) == ("mark(3,1)", {})
    assert result.value == pytest.approx(100, abs=2)


def test_several_graphs_say_one_thing() -> None:
    game = gm.load("roshambo")
    assert game.compiled is not None
    lanes_of(game)
    graphs = JointGraphs(game.compiled, 1, 2)
    result = graphs.search(game.initial_state(), "alice", Budget(playouts=50_000))
    assert result.playouts == 50_000 == sum(result.visits.values())  # of both together
    assert list(result.chances.values()) == pytest.approx([1 / 3] * 3, abs=0.06)
    assert merged_views([]) == {}


def test_what_was_hardly_made_is_not_drawn() -> None:
    legal = gm.load("roshambo").initial_state().legal_moves("alice")
    shares = dict(zip(legal, (0.6, 0.39, 0.01), strict=True))
    values, visits = dict.fromkeys(legal, 50.0), dict.fromkeys(legal, 9)
    move, value, chances, notes = chosen_of(shares, values, visits, random.Random(1))
    assert move in chances
    assert list(chances) == list(legal[:2])
    assert value == pytest.approx(50)
    assert np.isclose(sum(chances.values()), 1)
    assert notes.startswith("drawn: ")
    assert chosen_of(shares, values, visits, None)[:3] == (legal[0], 50.0, {})


def test_the_tree_in_python_strays_as_told() -> None:
    state = gm.parse(DILEMMA).initial_state()
    few, many = (
        min(JointTree(state, "one", 1, stray=stray).search(Budget(nodes=2_000)).visits.values())
        for stray in (0.02, 0.6)
    )
    assert few < 0.3 * many
