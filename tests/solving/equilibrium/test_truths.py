"""What is known of games from elsewhere: Kuhn and Leduc poker, goofspiel, and matrices by a linear program."""

from __future__ import annotations

import random
from math import isclose

import numpy as np
import pytest
from scipy.optimize import linprog

import gamemaster as gm
from gamemaster.language.terms import Term
from gamemaster.solving.equilibrium.profiles import Profile, best_response, profile_of, uniform
from gamemaster.solving.equilibrium.solver import ALGORITHMS, Aim, solve_equilibrium
from gamemaster.solving.equilibrium.tree import HistoryTree, InformationState, grow_tree
from gamemaster.solving.equilibrium.words import advices
from tests.solving.equilibrium.poker import PEERS, value_in_chips
from tests.solving.equilibrium.sheets import GOOFSPIEL, matrix

CHIP = PEERS["kuhn"].chip
BIDS = ["bid(1)", "bid(2)", "bid(3)"]
FINE = Aim(0.01, seconds=None)
Wanted = dict[str, dict[str, dict[str, float]]]
"""How likely each move is, by role and what it knows."""


@pytest.fixture(scope="module")
def kuhn() -> HistoryTree:
    return grow_tree(gm.load("kuhn"))


def table(profile: Profile, role: str) -> dict[str, dict[str, float]]:
    """What a role plays, by what it knows."""
    return {
        each.knows: {str(move): chance for move, chance in each.moves.items()}
        for each in advices(profile, role)
    }


def choosing(tree: HistoryTree, wanted: Wanted) -> Profile:
    """The profile with these probabilities, by role and what it knows."""
    rows = iter([(each.role, each.knows) for each in advices(uniform(tree))])

    def choose(state: InformationState) -> dict[Term | str, float]:
        role, knows = next(rows)
        assert role == state.role
        return {move: chance for move, chance in wanted[role][knows].items()}  # noqa: C416 - keys of two types

    return profile_of(tree, choose)


def known_equilibrium(alpha: float) -> Wanted:
    """The family of equilibria of Kuhn poker: one for each probability of a bluff up to a third."""

    def bets(chance: float) -> dict[str, float]:
        return {"bet": chance, "check": 1 - chance}

    def calls(chance: float) -> dict[str, float]:
        return {"call": chance, "fold": 1 - chance}

    return {
        "alice": {
            "jack": bets(alpha),
            "queen": bets(0),
            "king": bets(3 * alpha),
            "jack; check; bet": calls(0),
            "queen; check; bet": calls(alpha + 1 / 3),
            "king; check; bet": calls(1),
        },
        "bob": {
            "jack; bet": calls(0),
            "jack; check": bets(1 / 3),
            "queen; bet": calls(1 / 3),
            "queen; check": bets(0),
            "king; bet": calls(1),
            "king; check": bets(1),
        },
    }


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_kuhn_poker_is_worth_a_loss_of_an_eighteenth_and_played_by_a_known_strategy(algorithm: str) -> None:
    found = solve_equilibrium(gm.load("kuhn"), algorithm, Aim(0.02, seconds=None))
    assert found.exploitability <= 0.02
    assert isclose((found.values["alice"] - 50) / CHIP, -1 / 18, abs_tol=0.001)
    own = table(found.profile, "alice")
    alpha = own["jack"]["bet"]
    assert -0.01 <= alpha <= 1 / 3 + 0.01
    for role, wanted in known_equilibrium(alpha).items():
        played = table(found.profile, role)
        for knows, chances in wanted.items():
            for move, chance in chances.items():
                assert isclose(played[knows][move], chance, abs_tol=0.05), (role, knows, move)


@pytest.mark.parametrize("alpha", [0, 0.2, 1 / 3])
def test_nobody_gains_against_the_known_equilibria(kuhn: HistoryTree, alpha: float) -> None:
    profile = choosing(kuhn, known_equilibrium(alpha))
    assert profile.exploitability == 0
    assert isclose(profile.values[0], 50 - CHIP / 18)


def test_who_always_bets_loses_a_third_of_a_chip_to_who_knows_that(kuhn: HistoryTree) -> None:
    wanted = known_equilibrium(0.2)
    wanted["alice"] |= {card: {"bet": 1.0} for card in ("jack", "queen", "king")}
    profile = choosing(kuhn, wanted)
    # A king wins 2 chips by calling, a queen is even, a jack gives up 1.
    best = best_response(profile, "bob")
    assert isclose(best.value, 50 + CHIP / 3)
    assert table(best.profile, "bob")["queen; bet"] == {"call": 1.0, "fold": 0.0}
    assert isclose(profile.gains[1], 50 + CHIP / 3 - profile.values[1])
    assert isclose(profile.exploitability, sum(profile.gains) / 2)


def test_what_a_move_is_worth_is_what_comes_of_it(kuhn: HistoryTree) -> None:
    profile = choosing(kuhn, known_equilibrium(0.2))
    worth = {
        (each.role, each.knows): {str(move): value for move, value in profile.worth_of(state).items()}
        for state, each in enumerate(advices(profile))
    }
    assert isclose(worth["alice", "jack"]["bet"], worth["alice", "jack"]["check"])
    assert isclose(worth["bob", "king; bet"]["call"], 100)
    assert isclose(worth["bob", "king; bet"]["fold"], 25)
    assert isclose(worth["alice", "queen; check; bet"]["call"], 25)


def test_leduc_poker_is_worth_what_is_known() -> None:
    assert isclose(value_in_chips("leduc", 0.001), -0.0856, abs_tol=0.0005)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_goofspiel_is_even(algorithm: str) -> None:
    found = solve_equilibrium(gm.parse(GOOFSPIEL), algorithm, FINE)
    assert found.exploitability <= 0.01
    assert all(isclose(value, 50, abs_tol=0.02) for value in found.values.values())
    first = next(found.advices("a"))
    assert (first.step, first.knows, [str(move) for move in first.moves]) == (0, "nothing yet", BIDS)
    assert found.profile.gains[0] <= 0.02


def linear_program(goals: list[list[int]]) -> float:
    """What rows are sure of: the highest v such that a mixture of rows gets v in every column."""
    rows, columns = np.shape(goals)
    columns_get_no_less = np.column_stack([-np.transpose(goals), np.ones(columns)])
    found = linprog(
        [*[0.0] * rows, -1.0],
        A_ub=columns_get_no_less,
        b_ub=np.zeros(columns),
        A_eq=[[*[1.0] * rows, 0.0]],
        b_eq=[1.0],
        bounds=[*[(0, 1)] * rows, (0, 100)],
    )
    return float(-found.fun)


@pytest.mark.parametrize("seed", range(5))
def test_a_matrix_is_worth_what_a_linear_program_says(seed: int) -> None:
    generator = random.Random(seed)
    goals = [[generator.randrange(101) for _ in range(4)] for _ in range(3)]
    found = solve_equilibrium(gm.parse(matrix(goals)), "dcfr", FINE)
    assert isclose(found.values["rows"], linear_program(goals), abs_tol=0.03)
