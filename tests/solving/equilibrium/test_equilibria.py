"""Equilibria against what is known of games, and best responses against all that a role can do."""

from __future__ import annotations

import random
from itertools import product
from math import isclose, log2
from pathlib import Path

import numpy as np
import pytest

import gamemaster as gm
from gamemaster.errors import ParameterError, StrategyError
from gamemaster.machine.game import Game
from gamemaster.search.budget import Budget
from gamemaster.solving.equilibrium.equilibrium import Equilibrium
from gamemaster.solving.equilibrium.profiles import Profile, best_response, profile_of, uniform
from gamemaster.solving.equilibrium.solver import ALGORITHMS, Aim, equilibrium_for, solve_equilibrium
from gamemaster.solving.equilibrium.tree import HistoryTree, TreeLimits, grow_tree
from tests.solving.equilibrium.sheets import FORK, PRISONERS

HIDDEN_DIE = Path(__file__).parents[3] / "bench" / "rules" / "hidden_die.kif"
FINE = Aim(0.01, iterations=20_000, seconds=None)


def chances(found: Equilibrium, state: int) -> dict[str, float]:
    return {str(move): chance for move, chance in found.profile.advise(state).items()}


def drawn(tree: HistoryTree, seed: int) -> Profile:
    """Any profile."""
    generator = random.Random(seed)
    return profile_of(tree, lambda told: {move: generator.random() for move in told.moves})


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_matching_pennies_are_worth_half_and_mixed_evenly(algorithm: str) -> None:
    found = solve_equilibrium(gm.load("pennies"), algorithm, FINE)
    assert isclose(found.values["even"], 50, abs_tol=0.01)
    assert all(
        isclose(chance, 0.5, abs_tol=0.01) for state in (0, 1) for chance in chances(found, state).values()
    )


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_an_uneven_prize_is_mixed_as_the_sums_say(algorithm: str) -> None:
    found = solve_equilibrium(gm.load("pennies:uneven"), algorithm, FINE)
    assert found.exploitability <= 0.01
    assert found.is_promised
    assert isclose(found.values["even"], 100 / 3, abs_tol=0.02)
    assert all(isclose(chances(found, state)["heads"], 1 / 3, abs_tol=0.02) for state in (0, 1))


def test_who_cannot_know_takes_the_sure_road() -> None:
    found = solve_equilibrium(gm.parse(FORK))
    assert found.values == {"traveller": 60}
    assert chances(found, 0) == {"road": 1.0, "fork": 0.0}
    assert found.exploitability == 0


def test_a_number_from_six_is_found_half_the_time() -> None:
    found = solve_equilibrium(gm.load("higherlower"), aim=FINE)
    assert found.exploitability <= 0.01
    assert isclose(found.values["seeker"], 50, abs_tol=0.01)


def test_a_hidden_die_is_guessed_one_time_in_three() -> None:
    found = solve_equilibrium(gm.load(HIDDEN_DIE))
    assert isclose(found.values["guesser"], 100 / 3)
    assert isclose(found.values["keeper"], 200 / 3)


def test_rock_paper_and_scissors_are_even_and_equally_likely() -> None:
    found = solve_equilibrium(gm.load("roshambo"), aim=FINE)
    assert isclose(found.values["alice"], 50, abs_tol=0.01)
    assert all(isclose(chance, 1 / 3, abs_tol=0.01) for chance in chances(found, 0).values())


def test_more_than_two_are_run_and_nothing_is_promised() -> None:
    found = solve_equilibrium(gm.parse(PRISONERS), aim=FINE)
    assert not found.is_promised
    assert found.exploitability <= 0.01
    assert all(isclose(value, 50, abs_tol=0.1) for value in found.values.values())


def test_the_curve_falls_and_its_last_point_is_what_was_asked_for() -> None:
    found = solve_equilibrium(gm.load("higherlower"), aim=Aim(0.0, iterations=300, seconds=None))
    assert [point.iterations for point in found.curve] == sorted({point.iterations for point in found.curve})
    assert found.iterations == 300
    assert found.exploitability == min(point.exploitability for point in found.curve)
    assert log2(found.curve[0].exploitability / found.exploitability) > 3


@pytest.mark.parametrize("name", ["pennies:uneven", "fork", "prisoners"])
def test_a_best_response_is_the_best_of_all_pure_strategies(name: str) -> None:
    sheets = {"fork": FORK, "prisoners": PRISONERS}
    tree = grow_tree(gm.parse(sheets[name]) if name in sheets else gm.load(name))
    profile = drawn(tree, seed=7)
    for chooser, place in enumerate(tree.choosers):
        role = tree.roles[place]
        response = best_response(profile, role)
        values = [other.values[place] for other in pure_strategies(profile, chooser)]
        assert isclose(response.value, max(values))
        assert isclose(response.profile.values[place], response.value)
        assert isclose(profile.gains[place], response.value - profile.values[place], abs_tol=1e-9)


def pure_strategies(profile: Profile, chooser: int) -> list[Profile]:
    """The profiles in which one chooser plays any of its pure strategies."""
    form = profile.tree.form
    states = range(form.starts[chooser], form.starts[chooser + 1])
    found = []
    for picks in product(*(range(form.counts[state]) for state in states)):
        choices = profile.choices.copy()
        for state, pick in zip(states, picks, strict=True):
            first, count = form.firsts[state], form.counts[state]
            choices[first : first + count] = np.arange(count) == pick
        found.append(Profile(profile.tree, choices))
    return found


def test_nobody_gains_against_an_equilibrium_and_everybody_against_a_habit() -> None:
    tree = grow_tree(gm.load("pennies"))
    assert uniform(tree).exploitability == 0
    habit = profile_of(tree, lambda told: {"heads": 3, "tails": 1} if told.role == "odd" else {})
    assert best_response(habit, "even").value == 75
    assert habit.exploitability == 12.5


def test_weights_that_are_none_are_refused() -> None:
    tree = grow_tree(gm.load("pennies"))
    with pytest.raises(StrategyError, match="edge is none of the moves of even: heads, tails"):
        profile_of(tree, lambda told: {"edge": 1})
    with pytest.raises(StrategyError, match="even cannot choose by the weights"):
        profile_of(tree, lambda told: {"heads": -1})


def test_who_never_chooses_has_no_best_response() -> None:
    tree = grow_tree(gm.load(HIDDEN_DIE))
    with pytest.raises(StrategyError, match="keeper never has a choice"):
        best_response(uniform(tree), "keeper")


def test_an_algorithm_or_an_aim_that_there_is_not_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"no algorithm 'magic' for equilibria: cfr, cfr\+, dcfr"):
        solve_equilibrium(gm.load("pennies"), "magic")
    with pytest.raises(ParameterError, match="until must be"):
        Aim(until=-1.0)


def test_a_player_with_a_clock_has_an_equilibrium_or_none() -> None:
    small = equilibrium_for(gm.load("higherlower"), Budget(seconds=60))
    assert small is not None
    assert small.exploitability <= 0.01
    assert equilibrium_for(gm.load("higherlower"), Budget(seconds=60), TreeLimits(histories=10)) is None
    assert equilibrium_for(gm.load("higherlower"), Budget(seconds=0)) is None


def play(game: Game, found: Equilibrium, generator: random.Random) -> dict[str, int | None]:
    """The goals of a game in which all roles do as they are advised."""
    state = game.initial_state()
    counsellors = {role: found.counsellor(role) for role in found.tree.roles}
    while not state.is_terminal:
        moves = {}
        for role, counsellor in counsellors.items():
            advice = counsellor.advise(state.legal_moves(role))
            moves[role] = generator.choices(list(advice), list(advice.values()))[0]
        seen = state.percepts(moves)
        for role, counsellor in counsellors.items():
            counsellor.see(moves[role], seen[role])
        state = state.next(moves)
    return {role: state.goal(role) for role in game.roles}


@pytest.mark.parametrize("name", ["higherlower", "roshambo"])
def test_what_is_advised_can_be_played_to_the_end(name: str) -> None:
    game = gm.load(name)
    found = solve_equilibrium(game, aim=Aim(iterations=10))
    for seed in range(20):
        assert sum(goal or 0 for goal in play(game, found, random.Random(seed)).values()) == 100


def test_it_says_what_it_is_worth() -> None:
    found = solve_equilibrium(gm.load("pennies"), aim=FINE)
    assert str(found) == "pennies: even 50, odd 50; exploitable by 0"
    told = found.to_json()
    assert told["information_states"] == 2
    assert told["curve"][-1][2] == told["exploitability"] == 0
