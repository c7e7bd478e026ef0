"""Wide relations that hold whatever some of their arguments are: said without these."""

from __future__ import annotations

import os
import subprocess
import sys
from unittest.mock import patch

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gamemaster.ground import indifferent
from gamemaster.ground.indifferent import without_indifferent
from gamemaster.ground.reasoner import Reasoner, Situation
from gamemaster.ground.sizes import Sizes
from gamemaster.language.notation import show
from gamemaster.language.rules import Rules
from tests.ground.asked import answers_before_and_after, rules_of
from tests.ground.models import Program, programs

quick = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])

LINE = """
    role(r) cell(1) cell(2) cell(3) cell(4) beside(1,2) beside(2,3) beside(3,4)
    init(king(4)) init(blank(2)) legal(r,go)
    clear(U,X,I) :- beside(U,X) & cell(I)
    clear(U,X,I) :- beside(U,I) & clear(I,X,I)
    clear(U,X,I) :- beside(U,W) & true(blank(W)) & clear(W,X,I)
"""
"""A line that is clear if a cell were ignored."""


def parted(rules: Rules) -> Rules:
    with patch.object(indifferent, "WIDE", 0), patch.object(indifferent, "FEWEST", 0):
        return without_indifferent(rules, Sizes(rules))


def lines_of(text: str) -> list[str]:
    return show(parted(rules_of(text)), "hrf").replace("\n   ", "").replace("'", "").splitlines()


def test_a_relation_becomes_what_holds_for_any_value_and_what_for_some() -> None:
    lines = lines_of(LINE + "goal(r,1) :- true(king(K)) & clear(1,K,2)")
    assert [line for line in lines if "clear" in line] == [
        "any clear/3(U,X) :- beside(U,X)",
        "some clear/3(U,X,I) :- beside(U,I) & any clear/3(I,X) & cell(I)",
        "some clear/3(U,X,I) :- beside(U,I) & some clear/3(I,X,I)",
        "any clear/3(U,X) :- beside(U,W) & true(blank(W)) & any clear/3(W,X)",
        "some clear/3(U,X,I) :- beside(U,W) & true(blank(W)) & some clear/3(W,X,I)",
        "goal(r,1) :- true(king(K)) & any clear/3(1,K) & cell(2)",
        "goal(r,1) :- true(king(K)) & some clear/3(1,K,2)",
    ]


def test_a_negated_use_asks_for_both_where_all_its_values_are_known() -> None:
    known = lines_of(LINE + "goal(r,1) :- true(king(K)) & cell(I) & ~clear(1,K,I)")
    assert known[-1] == "goal(r,1) :- true(king(K)) & cell(I) & ~any clear/3(1,K) & ~some clear/3(1,K,I)"
    for other in ("any(9) goal(r,1) :- any(I) & ~clear(1,4,I)", "goal(r,1) :- ~clear(1,4,9)"):
        assert "~clear(1,4," in lines_of(LINE + other)[-1]


def test_a_rule_with_more_ways_than_are_allowed_stays() -> None:
    uses = " & ".join(f"clear({n},4,2)" for n in (1, 2, 3, 1))
    assert lines_of(f"{LINE} goal(r,1) :- {uses}")[-1] == f"goal(r,1) :- {uses}"


def test_what_is_small_or_holds_in_every_state_stays() -> None:
    small = rules_of(LINE + "goal(r,1) :- clear(1,4,2)")
    assert without_indifferent(small, Sizes(small)) is small
    lasting = rules_of("role(r) cell(1) cell(2) p(X,I) :- cell(X) & cell(I) goal(r,1) :- p(1,2)")
    assert parted(lasting) is lasting


def goals_of(text: str) -> list[set[tuple[object, ...]]]:
    """What follows from rules as they are, and parted."""
    rules = rules_of(text)
    assert parted(rules) is not rules
    situation = Situation([("king", "4"), ("blank", "2")])
    return [
        set(Reasoner(each).answers("goal", (None, None), situation, [])) for each in (rules, parted(rules))
    ]


def test_of_values_that_are_not_handed_on_what_holds_for_any_says_nothing() -> None:
    for call in ("clear(W,X,none)", "special(K) & clear(W,X,K)"):
        line = f"special(none) clear(U,X,I) :- beside(U,W) & true(blank(2)) & cell(I) & {call}"
        before, after = goals_of(f"{LINE} {line} goal(r,1) :- clear(1,3,1) goal(r,2) :- clear(2,4,1)")
        assert before == after


def test_a_term_around_an_argument_is_another_value() -> None:
    sheet = LINE.replace("beside(U,X) & cell(I)", "beside(U,X) & cell(I) & true(blank(2)) & cell(f(I))")
    rules = rules_of(sheet + "cell(f(9)) goal(r,1) :- clear(1,2,1)")
    situation = Situation([("blank", "2")])
    found = [
        set(Reasoner(each).answers("goal", (None, None), situation, [])) for each in (rules, parted(rules))
    ]
    assert found == [set(), set()]


def test_a_disjunction_that_binds_a_variable_of_a_negation_stays() -> None:
    line = "goal(r,1) :- ~true(king(J)) & (clear(1,2,3) | cell(J) & true(blank(J)))"
    assert lines_of(LINE + line)[-1].endswith("(clear(1,2,3) | cell(J) & true(blank(J)))")


PARTS = (
    "d(I)",
    "e(I)",
    "true(s(X))",
    "f(X,I)",
    "p(X,I)",
    "p(I,X)",
    "f(X,Y) & p(Y,I)",
    "distinct(X,I)",
    "p(X,4)",
    "f(X,Y) & p(Y,4)",
    "d(g(I))",
    "f(X,Y) & p(Y,2)",
)
USES = ("p(X,I)", "~p(X,I)", "~p(X,3)", "(p(X,I) | true(s(I)))", "~(p(X,I) & true(s(X)))", "p(I,X)")

bodies = st.lists(st.sampled_from(PARTS), min_size=0, max_size=2, unique=True)
uses = st.lists(st.sampled_from(USES), min_size=1, max_size=2, unique=True)


@given(
    rules=st.lists(bodies, min_size=1, max_size=4),
    asked=st.lists(uses, min_size=1, max_size=3),
    state=st.sets(st.sampled_from("1234")),
)
@settings(quick, max_examples=300)
def test_however_rules_are_indifferent_the_same_follows(
    rules: list[list[str]], asked: list[list[str]], state: set[str]
) -> None:
    lines = [
        "role(r) f(1,2) f(2,3) f(3,1) f(2,4) e(1) e(3) legal(r,go)",
        *(f"init(s({value}))" for value in "1234"),
    ]
    lines += [f"d({value})" for value in ("1", "2", "3", "g(4)")] + [f"w({value})" for value in "1234"]
    for own in rules:
        lines.append(
            "p(X,I) :- " + " & ".join(["true(s(Z))", "w(X)", *own, "w(I)" if "d(I)" in own else "d(I)"])
        )
    lines += [f"sees(r,t{n}(X,I)) :- w(X) & w(I) & {' & '.join(own)}" for n, own in enumerate(asked)]
    before = rules_of("\n".join(lines))
    situation = Situation([("s", value) for value in sorted(state)])
    found = [
        set(Reasoner(each).answers("sees", (None, None), situation, [])) for each in (before, parted(before))
    ]
    assert found[0] == found[1]


@given(program=programs(), constant=st.sampled_from("abcd"))
@settings(quick, max_examples=60)
def test_of_any_program_the_same_follows(program: Program, constant: str) -> None:
    before, after = answers_before_and_after(program, constant, parted)
    assert before == after


LOOKS = """
from gamemaster.ground.asp import translate
from gamemaster.ground.narrow import narrowed
from gamemaster.ground.split import split
from gamemaster.language.lower import lower
from gamemaster.language.notation import read
from gamemaster.load import source_of
for game in ("cbnk", "checkers", "kono"):
    print(translate(split(narrowed(lower(read(source_of(game)), in_order=False)))).text)
"""


def test_what_is_grounded_does_not_depend_on_the_order_of_sets() -> None:
    texts = {
        subprocess.run(
            [sys.executable, "-c", LOOKS],
            env={**os.environ, "PYTHONHASHSEED": str(seed)},
            capture_output=True,
            check=True,
        ).stdout
        for seed in (1, 2, 3, 4)
    }
    assert len(texts) == 1
