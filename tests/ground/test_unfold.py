"""Wide views that one rule defines are written out where they are used."""

from __future__ import annotations

from unittest.mock import patch

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gamemaster.ground import unfold as unfolding
from gamemaster.ground.sizes import Sizes
from gamemaster.ground.unfold import unfolded
from gamemaster.language.notation import show
from gamemaster.language.rules import Rules
from tests.ground.asked import answers_before_and_after, rules_of
from tests.ground.models import Program, programs

quick = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


def all_unfolded(rules: Rules) -> Rules:
    with patch.object(unfolding, "WIDE", 0):
        return unfolded(rules, Sizes(rules))


@given(program=programs(), constant=st.sampled_from("abcd"))
@settings(quick, max_examples=60)
def test_however_much_is_written_out_the_same_follows(program: Program, constant: str) -> None:
    before, after = answers_before_and_after(program, constant, all_unfolded)
    assert before == after


def test_a_view_is_written_out_with_variables_of_its_own() -> None:
    rules = rules_of("far(X,Y) :- near(X,Z) & near(Z,Y) near(1,2) near(2,3) terminal :- far(A,Z) & far(Z,A)")
    lines = show(all_unfolded(rules), "hrf").replace("\n   ", "").splitlines()
    assert lines[-1] == "terminal :- near(A,Z 1) & near(Z 1,Z) & near(Z,Z 2) & near(Z 2,A)"


def test_what_is_small_negated_or_recursive_stays() -> None:
    small = rules_of("far(X,Y) :- near(X,Z) & near(Z,Y) near(1,2) terminal :- far(1,Y)")
    assert unfolded(small, Sizes(small)) is small
    text = "far(X,Y) :- near(X,Y) & far(Y,X) no(X,Y) :- near(Y,X) near(1,2) terminal :- far(1,2) & ~no(1,2)"
    assert "terminal :- far(1,2) & ~no(1,2)" in show(all_unfolded(rules_of(text)), "hrf")
