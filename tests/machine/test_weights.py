"""Playouts by weights: a legal move is as likely as its weight says, on both machines."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.stats import chisquare

import gamemaster as gm
from gamemaster.codegen.kernel import Kernel
from gamemaster.language.terms import Symbol
from gamemaster.machine.compiled import CompiledGame
from gamemaster.machine.weighing import weight_table
from gamemaster.machine.weights import Weights

MACHINES = ("compiled", "reference")
ONE = ("u", "v", "w", "x", "y")
TWO = ("p", "q")

COUNTS = {"compiled": 40_000, "reference": 300}


def picking(*, at_once: bool = True) -> str:
    """One role picks of ONE, another of TWO, at once or in turns; for each pair a witness gets 100 if it is picked."""
    pairs = [*product(ONE, TWO)]
    lines = ["(role one) (role two)", *(f"(role saw_{i}_{j})" for i, j in pairs)]
    lines += [f"(<= (legal saw_{i}_{j} noop))" for i, j in pairs]
    when = ("", "") if at_once else ("(true (turn one))", "(true (turn two))")
    lines += [f"(<= (legal one {i}) {when[0]} (not (true over)))" for i in ONE]
    lines += [f"(<= (legal two {j}) {when[1]} (not (true over)))" for j in TWO]
    if not at_once:
        lines += ["(<= (legal one noop) (true (turn two)))", "(<= (legal two noop) (true (turn one)))"]
        lines += ["(init (turn one))", "(<= (next (turn two)) (true (turn one)))"]
    lines += [f"(<= (next (first {i})) (does one {i}))" for i in ONE]
    lines += [f"(<= (next (first {i})) (true (first {i})))" for i in ONE]
    lines += [f"(<= (next (second {j})) (does two {j}))" for j in TWO]
    lines += [f"(<= over (true (second {j})))" for j in TWO]
    lines += ["(<= terminal over)"]
    lines += [f"(<= (goal saw_{i}_{j} 100) (true (first {i})) (true (second {j})))" for i, j in pairs]
    lines += [
        f"(<= (goal saw_{i}_{j} 0) (not (true (first {i}))))\n(<= (goal saw_{i}_{j} 0) (not (true (second {j}))))"
        for i, j in pairs
    ]
    lines += ["(goal one 0)", "(goal two 0)"]
    return "\n".join(lines).replace("(not (true over))", "(not over)")


def game_of(rules: str, machine: Any) -> gm.Game:
    return gm.parse(rules, machine=machine) if "(role" in rules else gm.load(rules, machine=machine)


def frequencies(game: gm.Game, weights: Any, seed: int = 1) -> dict[tuple[str, str], int]:
    """How often each pair was picked."""
    count = COUNTS[str(game.machine)]
    stats = game.playouts(count=count, seed=seed, weights=weights)
    found = [round(goal / 100 * count) for goal in stats.mean_goals[2:]]
    assert stats.playouts == count == sum(found)
    return dict(zip(product(ONE, TWO), found, strict=True))


def assert_fits(found: Mapping[tuple[str, str], int], one: list[float], two: list[float]) -> None:
    """Frequencies are those of independent choices with these weights."""
    expected = np.outer(np.array(one) / sum(one), np.array(two) / sum(two)).ravel() * sum(found.values())
    counted = np.array([*found.values()])
    assert (counted[expected == 0] == 0).all()
    possible = expected > 0
    assert chisquare(counted[possible], expected[possible]).pvalue > 0.001


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize(
    ("one", "two"),
    [
        ([1, 2, 3, 4, 5], [1, 1]),
        ([0, 17, 0, 34, 51], [9, 1]),
        ([1, 0, 0, 0, 0], [0.5, 1.5]),
        ([1, 1, 1, 1, 1], [0, 1]),
        ([255, 1, 128, 2, 64], [3, 252]),
    ],
)
def test_moves_are_as_likely_as_their_weights_say(
    machine: str, at_once: bool, one: list[float], two: list[float]
) -> None:
    game = game_of(picking(at_once=at_once), machine)
    weights = {"one": dict(zip(ONE, one, strict=True)), "two": dict(zip(TWO, two, strict=True))}
    assert_fits(frequencies(game, weights), one, two)


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("at_once", [True, False])
def test_moves_that_all_weigh_nothing_are_equally_likely(machine: str, at_once: bool) -> None:
    game = game_of(picking(at_once=at_once), machine)
    nothing = {"one": dict.fromkeys(ONE, 0), "two": {"p": 3}}
    assert_fits(frequencies(game, nothing), [1] * 5, [3, 1])


@pytest.mark.parametrize("machine", MACHINES)
def test_what_is_not_named_weighs_one(machine: str) -> None:
    game = game_of(picking(), machine)
    assert_fits(frequencies(game, {"one": {"x": 4, Symbol("y"): 0}}), [1, 1, 1, 4, 0], [1, 1])
    assert_fits(frequencies(game, {}), [1] * 5, [1, 1])
    assert_fits(frequencies(game, {"two": {"q": 1e308, "p": 1e308}}), [1] * 5, [1, 1])


def test_weights_come_as_arrays_in_the_order_of_the_layout() -> None:
    game = game_of(picking(), "compiled")
    assert isinstance(game, CompiledGame)
    assert [*map(str, game.layout.moves[0])] == [*ONE]
    array = np.array([1, 2, 3, 4, 5], np.float32)
    named = {"one": dict(zip(ONE, range(1, 6), strict=True))}
    assert frequencies(game, {"one": array}) == frequencies(game, named)


def test_weights_are_whole_numbers_up_to_255() -> None:
    game = game_of(picking(), "compiled")
    assert isinstance(game, CompiledGame)
    weights: Weights = {"one": {Symbol("u"): 1000.0, Symbol("v"): 0.0, Symbol("w"): 500.0, Symbol("x"): 1e-9}}
    table = weight_table(game.layout, weights).tolist()
    assert table[:7] == [255, 0, 128, 1, 1, 255, 255]


@pytest.mark.parametrize("rules", ["tictactoe", "roshambo", "dicerace", "threehouses"])
def test_equal_weights_are_uniform_play(rules: str) -> None:
    game = gm.load(rules, machine="compiled")
    uniform, weighed = game.playouts(count=50_000), game.playouts(count=50_000, weights={})
    assert weighed.playouts == uniform.playouts
    assert weighed.mean_length == pytest.approx(uniform.mean_length, rel=0.02)
    for ours, theirs in zip(weighed.mean_goals, uniform.mean_goals, strict=True):
        assert ours == pytest.approx(theirs, abs=1.2)


@pytest.mark.parametrize("rules", ["connectfour:columns=4", "threehouses", "dicerace"])
def test_both_machines_play_alike_by_weights(rules: str) -> None:
    """In a game with turns, where what is legal changes: a strong preference shows in how games go."""
    games = [gm.load(rules, machine="compiled"), gm.load(rules, machine="reference")]
    role = next(role for role in games[0].roles if role != "random")
    compiled = games[0].compiled
    assert compiled is not None
    moves = compiled.layout.moves[games[0].roles.index(role)]
    weights: Weights = {role: {move: float((number % 3) ** 3) for number, move in enumerate(moves)}}
    exact = games[0].playouts(count=100_000, weights=weights)
    count = 150
    sample = games[1].playouts(count=count, weights=weights, seed=2)
    assert sample.mean_length == pytest.approx(exact.mean_length, rel=0.15)
    for ours, theirs in zip(exact.mean_goals, sample.mean_goals, strict=True):
        assert ours == pytest.approx(theirs, abs=4 * 50 / count**0.5)


def test_the_same_seed_gives_the_same_games_on_any_tier_and_number_of_threads() -> None:
    game = gm.load("tictactoe", machine="compiled")
    assert isinstance(game, CompiledGame)
    weights = {"x": {"mark(2,2)": 5.0}, "o": {"mark(1,1)": 0.1}}

    def played(**more: Any) -> tuple[Any, ...]:
        stats = game.playouts(count=40_000, seed=7, weights=weights, **more)
        return stats.playouts, stats.moves, stats.mean_goals

    assert game.wait_for("weigh")
    quick = played()
    assert played(threads=2) == quick
    game.kernels["weigh"] = Kernel(game.artifact.code("weigh"))
    assert played() == quick
    assert game.playouts(count=40_000, seed=8, weights=weights).moves != quick[1]


def test_a_time_bounds_play_by_weights_too() -> None:
    game = gm.load("tictactoe", machine="compiled")
    stats = game.playouts(seconds=0.0, weights={"x": {"mark(1,1)": 2}})
    assert stats.playouts >= 1


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(
    ("weights", "what"),
    [
        ([1, 2], r"weights must be \{role: \{move: weight\}\}, not \[1, 2\]"),
        ({"x": 3}, r"weights of x must be \{move: weight\}, not 3"),
        ({"x": "mark"}, r"weights of x must be \{move: weight\}, not 'mark'"),
        (
            {"x": {"mark(1,1)": -1}},
            r"weight of 'mark\(1,1\)' of x must be a finite number, 0 or more, not -1",
        ),
        ({"x": {"mark(1,1)": float("nan")}}, "finite number, 0 or more, not nan"),
        ({"x": {"mark(1,1)": float("inf")}}, "finite number, 0 or more, not inf"),
        ({"x": {"mark(1,1)": 10**400}}, "finite number, 0 or more, not 1000"),
        ({"x": {"mark(1,1)": "2"}}, "finite number, 0 or more, not '2'"),
        ({"x": {"mark(1,1)": True}}, "finite number, 0 or more, not True"),
    ],
)
def test_weights_that_are_none_are_refused(machine: Any, weights: Any, what: str) -> None:
    with pytest.raises(gm.ParameterError, match=what):
        gm.load("tictactoe", machine=machine).playouts(weights=weights)


def test_weights_of_nobody_and_of_no_move_are_refused() -> None:
    game = gm.load("tictactoe", machine="compiled")
    with pytest.raises(gm.UnknownRole, match="no role 'z'"):
        game.playouts(weights={"z": {}})
    with pytest.raises(gm.ParameterError, match=r"move 'mark\(4,4\)' can never be made by x in tictactoe"):
        game.playouts(weights={"x": {"mark(4,4)": 1}})
    with pytest.raises(
        gm.ParameterError, match=r"weights of x must be 9 in the order of game.layout.moves, not 2"
    ):
        game.playouts(weights={"x": [1, 2]})


@pytest.mark.parametrize("machine", MACHINES)
def test_a_dead_end_is_one_by_weights_too(machine: Any) -> None:
    rules = "(role a) (init one) (<= (legal a go) (true one)) (<= (next two) (does a go)) (<= terminal (true three))"
    game = gm.parse(rules + "(goal a 50)", machine=machine)
    if machine == "reference":
        with pytest.raises(gm.GameIllDefined):
            game.playouts(weights={})
    else:
        assert game.playouts(weights={}).cut == game.playouts().cut == 1


@pytest.mark.parametrize("machine", MACHINES)
def test_games_by_weights_begin_in_any_state_and_are_noted(machine: Any) -> None:
    game = gm.parse(picking(at_once=False), machine=machine)
    start = game.initial_state().next("w")
    weights = {"one": {"u": 9}, "two": {"p": 1, "q": 0}}
    stats = game.playouts(count=50, weights=weights, start=start)
    assert stats.mean_length == 1
    assert stats.noted is not None
    assert stats.noted.lengths == {1: 50}
    chosen = dict(zip(game.roles, stats.mean_goals, strict=True))
    assert {role for role, goal in chosen.items() if goal} == {"saw_w_p"}
