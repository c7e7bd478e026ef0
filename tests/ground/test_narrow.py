"""What nobody asks is left out, and what somebody asks stays as it was."""

from __future__ import annotations

from unittest.mock import patch

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import gamemaster as gm
from gamemaster.ground import narrow as narrowing
from gamemaster.ground.clingo_grounder import GroundLimits, ground
from gamemaster.ground.known import ANYTHING, KnownValues
from gamemaster.ground.narrow import narrowed, without_unneeded
from gamemaster.language.notation import show
from tests.ground.asked import answers_before_and_after, rules_of
from tests.ground.models import Program, programs
from tests.machine.agreeing import assert_agree

quick = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])

COORDINATES = " ".join(f"coordinate({c})" for c in "12345678abcdefgh")
BOARD = f"""role(r) {COORDINATES} init(at(a,1)) init(at(c,3))
different(X,Y,U,V) :- distinct(X,U) & coordinate(X) & coordinate(Y) & coordinate(U) & coordinate(V)
different(X,Y,U,V) :- distinct(Y,V) & coordinate(X) & coordinate(Y) & coordinate(U) & coordinate(V)
legal(r,drop(X,Y)) :- true(at(X,Y)) & true(at(U,V)) & different(X,Y,U,V)
next(at(X,Y)) :- true(at(X,Y)) & ~does(r,drop(X,Y))
terminal :- ~full full :- true(at(a,1)) & true(at(c,3)) goal(r,100) :- ~full goal(r,0) :- full"""


@given(program=programs(), constant=st.sampled_from("abcd"))
@settings(quick, max_examples=80)
def test_what_is_asked_is_answered_as_before(program: Program, constant: str) -> None:
    with patch.object(narrowing, "WORTHWHILE", 0):
        before, after = answers_before_and_after(program, constant, narrowed)
    assert before == after


def test_relations_that_nothing_needs_are_left_out() -> None:
    rules = rules_of("role(a) base(p(X)) :- n(X) n(1) m(1) terminal :- m(X) helper(X) :- n(X)")
    assert show(without_unneeded(rules), "hrf").split() == ["role(a)", "m(1)", "terminal", ":-", "m(X)"]


def test_values_that_no_use_can_have_are_left_out() -> None:
    program = ground(narrowed(rules_of(BOARD)), GroundLimits(), name_all=True)
    different = [atom for atom in program.atoms.values() if str(atom).startswith("different(")]
    assert 0 < len(different) <= 12  # of 65,280: each coordinate is one of two
    compiled, reference = (gm.parse(BOARD, machine=machine) for machine in ("compiled", "reference"))
    assert assert_agree(compiled, reference, 3) > 3


def test_a_rule_that_gives_only_what_nobody_asks_is_left_out() -> None:
    numbers = " ".join(f"n({i})" for i in range(40))
    text = f"role(a) {numbers} p(1,X) :- n(X) p(2,X) :- n(X) terminal :- p(1,X)"
    rules = [rule for rule in narrowed(rules_of(text)).rules if str(rule.head).startswith("p(")]
    assert [str(rule.head) for rule in rules] == ["p(1,X)"]


def test_of_what_is_computed_nothing_is_said_to_be_known() -> None:
    rules = rules_of("role(a) n(1) n(2) up(X,Y) :- n(X) & plus(X,1,Y) terminal :- n(Z) & up(Z,Y) & n(Y)")
    known = KnownValues(rules)
    first, second = known.arguments(("up", 2), 2, 0)
    assert second in known.open
    assert first not in known.open
    assert known.asked[first] != ANYTHING


def test_an_or_gives_the_values_of_all_its_branches() -> None:
    rules = rules_of("role(a) p(1) q(2) r(X) :- s(X) s(1) s(2) s(3) terminal :- (p(X) | q(X)) & r(X)")
    known = KnownValues(rules)
    (place,) = known.arguments(("r", 1), 1, 0)
    assert [value for value, bit in known.bits.items() if bit & known.asked[place]] == ["1", "2"]


def test_literals_that_would_wait_for_each_other_are_asked_in_their_order() -> None:
    numbers = " ".join(f"next_to({i},{i + 1})" for i in range(1, 8))
    rules = rules_of(
        f"role(a) {numbers} step(X,Y) :- next_to(X,Y) step(X,Y) :- next_to(Y,X) dark(1) init(at(1)) init(at(8))"
        " dark(Y) :- dark(X) & step(X,Y) goal(a,100) :- true(at(X)) & dark(X) terminal :- step(X,Y) & dark(Y)"
    )
    with patch.object(narrowing, "WORTHWHILE", 0):
        program = ground(narrowed(rules), GroundLimits(), name_all=True)
    assert sum(str(atom).startswith("dark(") for atom in program.atoms.values()) == 8
