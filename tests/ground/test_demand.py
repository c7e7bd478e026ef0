"""Heads that nothing binds get their values from where they are used."""

from __future__ import annotations

import pytest

import gamemaster as gm
from gamemaster.ground.clingo_grounder import GroundLimits, ground
from gamemaster.ground.demand import with_demand
from gamemaster.ground.split import split
from gamemaster.language.notation import read, show
from gamemaster.language.source import Source
from tests.machine.agreeing import assert_agree


def demanded(text: str) -> list[str]:
    return [line for line in show(with_demand(read(Source("test", text))), "hrf").splitlines() if line]


def test_rules_that_have_their_values_stay_as_they_are() -> None:
    rules = read(Source("test", "p(X) :- q(X) & plus(X,1,Y) & less(Y,3) goal(R,10) :- role(R) & ~p(R)"))
    assert with_demand(rules) is rules


def test_what_is_asked_about_is_wanted() -> None:
    lines = demanded("high(C) :- card(D) & less(D,C) legal(R,draw(C)) :- role(R) & hand(C) & ~high(C)")
    assert lines == [
        "high(C) :- 'wanted high/1'(C) & card(D) & less(D,C)",
        "legal(R,draw(C)) :- role(R) & hand(C) & ~high(C)",
        "'wanted high/1'(C) :- hand(C)",
    ]


def test_two_that_are_asked_beside_each_other_do_not_wait_for_each_other() -> None:
    lines = demanded("far(X,Y) :- less(X,Y) terminal :- p(A) & q(B) & r(C) & far(A,B) & far(B,C)")
    assert lines[2:] == ["'wanted far/2'(A,B) :- p(A) & q(B)", "'wanted far/2'(B,C) :- q(B) & r(C)"]


def test_goals_are_asked_of_each_role() -> None:
    assert demanded("role(a) goal(R,N) :- score(N)")[1:] == [
        "goal(R,N) :- 'wanted goal/2'(R) & score(N)",
        "'wanted goal/2'(Role) :- role(Role)",
    ]


def test_what_is_wanted_is_handed_on() -> None:
    lines = demanded("far(X,Z) :- far(Y,Z) & step(X,Y) far(X,X) terminal :- start(A) & end(B) & far(A,B)")
    assert "far(X,X) :- 'wanted far/2'(X)" in lines  # the second place has its value from the first
    assert "'wanted far/2'(A) :- start(A)" in lines
    assert "'wanted far/2'(Y) :- step(X,Y) & 'wanted far/2'(X)" in lines


SHEETS = {
    "a goal of everybody": """role(a) role(b) init(control(a)) init(n(0)) next(n(1)) next(control(b))
        legal(R,go) :- true(control(R)) legal(R,wait) :- role(R) & ~true(control(R))
        terminal :- true(n(1)) goal(R,50) :- true(n(1)) goal(a,10) :- true(n(0)) goal(b,N) :- true(n(N))""",
    "a helper that is asked": """role(a) init(card(3)) init(card(5)) init(card(8)) init(control(a))
        high(C) :- card(D) & less(D,C)   between(C,A,B) :- less(A,C) & less(C,B)
        action(take(C)) legal(take(C)) :- card(C) & ~high(C)
        take(C) :: card(C) ==> ~card(C)
        terminal :- ~some some :- card(C) & between(C,4,9) goal(a,G) :- countofall(C,card(C),N) & times(N,30,G)""",
    "in an or, a not and a count": """role(a) init(at(1)) init(control(a)) spot(1) spot(2) spot(3) spot(4)
        near(X,Y) :- plus(X,1,Y)   near(X,Y) :- minus(X,1,Y)   same_kind(X,Y) :- remainder(X,2,K) & remainder(Y,2,K)
        action(go(Y)) :- spot(Y)
        legal(go(Y)) :- at(X) & spot(Y) & (near(X,Y) | same_kind(X,Y)) & distinct(X,Y)
        go(Y) :: at(X) ==> ~at(X) & at(Y) & seen(X)
        terminal :- countofall(S,spot(S) & seen(S) & ~same_kind(S,1),2)
        goal(a,G) :- countofall(S,spot(S) & seen(S),N) & times(N,25,G)""",
}


@pytest.mark.parametrize("name", SHEETS)
def test_such_sheets_compile_and_agree(name: str) -> None:
    compiled, reference = (gm.parse(SHEETS[name], machine=machine) for machine in ("compiled", "reference"))
    assert assert_agree(compiled, reference, 12, seed=name) > 12


def test_what_nobody_can_give_a_value_is_refused() -> None:
    with pytest.raises(gm.RulesError, match="unsafe"):
        gm.parse(
            "(role a) (legal a x) (init (p 1)) (<= (next (p ?x)) (does a x)) (<= terminal (true (p 2)))",
            machine="compiled",
        )


def test_wide_relations_are_grounded_as_far_as_they_are_asked_about() -> None:
    cells = " ".join(f"cell({n})" for n in range(30))
    text = f"""role(r) {cells} init(on(X)) :- cell(X) legal(r,press(X)) :- cell(X)
        next(on(X)) :- cell(X) & ~does(r,press(X)) & true(on(X))
        four(X,Y,Z,W) :- true(on(X)) & true(on(Y)) & true(on(Z)) & true(on(W))
        goal(r,100) :- four(1,2,3,4) goal(r,50) :- four(A,A,5,5) & cell(A) & ~four(1,2,3,4)
        terminal :- ~four(0,1,2,3)"""
    rules = read(Source("test", text))
    program = ground(split(rules), GroundLimits(rules=500), name_all=True)
    assert sum(str(atom).startswith("four(") for atom in program.atoms.values()) <= 32
    compiled, reference = (gm.parse(text, machine=machine) for machine in ("compiled", "reference"))
    assert assert_agree(compiled, reference, 3) > 3
