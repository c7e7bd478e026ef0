"""What an equilibrium gets of a player that is asked everywhere (bench/hidden_exact.py)."""

from __future__ import annotations

import math
from statistics import fmean

import pytest
from hidden_exact import Round, exact_rounds, spread_of, student, told

import gamemaster as gm
from gamemaster.players.exploiting import Asking, profile_of_player
from gamemaster.players.simple import Legal
from gamemaster.solving.equilibrium.equilibrium import Equilibrium
from gamemaster.solving.equilibrium.profiles import Profile, uniform
from gamemaster.solving.equilibrium.solver import Aim, solve_equilibrium

ALICE, BOB = 0, 1
"""Places among those who choose."""


@pytest.fixture(scope="module")
def kuhn() -> Equilibrium:
    return solve_equilibrium(gm.load("kuhn"), aim=Aim(0.01, seconds=None))


def test_who_always_does_the_same_gets_the_same_in_every_round(kuhn: Equilibrium) -> None:
    rounds = list(exact_rounds(kuhn, "legal", 0.01, 1, 3))
    once = Asking(1, 60.0, 600.0)
    left = [
        profile_of_player(kuhn.profile, other, Legal, once).values[kuhn.tree.choosers[own]] / 100
        for own, other in ((ALICE, "bob"), (BOB, "alice"))
    ]
    assert [each.share for each in rounds] == pytest.approx([fmean(left)] * 3)
    assert (rounds[0].first, rounds[0].second) == pytest.approx(left)
    assert spread_of([each.share for each in rounds]) == pytest.approx(0)


def against_lot(found: Equilibrium, own: int) -> float:
    """What the equilibrium gets in a role, if the other moves by lot."""
    form, choices = found.tree.form, uniform(found.tree).choices.copy()
    for state in range(int(form.starts[own]), int(form.starts[own + 1])):
        moves = slice(int(form.firsts[state]), int(form.firsts[state] + form.counts[state]))
        choices[moves] = found.profile.choices[moves]
    return Profile(found.tree, choices).values[found.tree.choosers[own]]


def test_the_mean_of_rounds_is_what_games_come_to(kuhn: Equilibrium) -> None:
    shares = [each.share for each in exact_rounds(kuhn, "random", 0.01, 1, 40)]
    assert len(set(shares)) > 5
    by_lot = fmean([against_lot(kuhn, ALICE) / 100, against_lot(kuhn, BOB) / 100])
    assert abs(fmean(shares) - by_lot) < 2 * spread_of(shares)


def test_few_rounds_have_a_wide_interval() -> None:
    assert spread_of([0.5]) == math.inf
    assert spread_of([0.4, 0.6]) == pytest.approx(12.706 * 0.1, abs=0.001)
    for freedom, quantile in ((1, 12.7062), (2, 4.3027), (3, 3.1824), (5, 2.5706), (9, 2.2622), (30, 2.0423)):
        assert student(freedom) == pytest.approx(quantile, abs=0.01)


def test_a_line_tells_what_came_of_it() -> None:
    line = told([Round(0.6, 0.4, 10, 1.0, 2.0), Round(0.7, 0.5, 10, 1.0, 2.0)])
    assert "2 rounds  share 55.00%" in line
    assert "first 65.00%  second 45.00%  asked 20  ms 100" in line
