"""Counting, expressions and numbers that grow, in many small sheets: the machines agree, or one says that it cannot."""

from __future__ import annotations

import pytest

import gamemaster as gm
from tests.machine.agreeing import assert_agree

TAKING = """role(a) num(1) num(2) legal(a,take(N)) :- num(N) & true(score(S)) & leq(N,S)
next(score(T)) :- does(a,take(N)) & true(score(S)) & minus(S,N,T) goal(a,100)
"""
CARDS = """role(r) card(1) card(2) card(3) init(c(1)) init(c(3)) init(s(0)) next(s(1)) :- true(s(0))
next(s(2)) :- true(s(1)) terminal :- true(s(2)) legal(r,go(X)) :- card(X) next(c(X)) :- does(r,go(X))
"""
HIGH = CARDS + "high(C) :- true(c(D)) & less(D,C)\n"
POINTS = CARDS + "init(pt(u,5)) init(pt(v,9)) next(pt(X,Y)) :- true(pt(X,Y))\n"
BIG = CARDS + "big(X) :- leq(2,X)\n"

SHEETS = {
    "two values later": TAKING
    + """init(score(5)) init(phase(1)) next(phase(2)) :- true(phase(1)) next(phase(3)) :- true(phase(2))
        next(phase(4)) :- true(phase(3)) next(score(0)) :- true(phase(2)) terminal :- true(phase(4))""",
    "two values at first, by a rule": TAKING
    + """start(score(0)) start(score(5)) start(phase(1)) init(F) :- start(F) next(phase(2)) :- true(phase(1))
        terminal :- true(phase(2))""",
    "wanted in an if": HIGH + "goal(r,N) :- card(X) & evaluate(if(high(X),X,0),N)",
    "wanted in a definition": HIGH + "f(X) := if(high(X),X,0)\ngoal(r,N) :- card(X) & evaluate(f(X),N)",
    "wanted in a count in an expression": HIGH
    + "goal(r,N) :- evaluate(countofall(X,and(card(X),high(X))),N)",
    "wanted by a template of the same name": HIGH
    + "goal(r,N) :- true(s(X)) & countofall(X,and(card(X),high(X)),N)",
    "a start that is decided by what is wanted": BIG
    + "init(p(X)) :- card(X) & ~big(X) goal(r,X) :- true(c(X)) & ~big(X)",
    "a start that counts": BIG + "init(p(N)) :- countofall(X,and(card(X),not(big(X))),N) goal(r,1)",
    "a maximum over what is local": POINTS + "goal(r,N) :- evaluate(maximum(setofall(V,true(pt(X,V)))),N)",
    "conditions with a variable of their own": POINTS
    + "goal(r,N) :- evaluate(if(true(pt(Z,4)),50,true(c(Z)),60,70),N)",
    "two that exist apart": CARDS
    + """init(e(1,5)) init(g(1,6)) next(e(1,5)) next(g(1,6))
        goal(r,100) :- exists(X,true(e(X,Z))) & exists(X,true(g(X,Z))) goal(r,0) :- ~exists(X,true(e(X,Z)))""",
    "a count that a definition asks for": CARDS
    + "f(Z) := countofall(X,true(c(X)))\nval(N) :- evaluate(f(0),N) goal(r,N) :- val(N)",
    "a view that a definition needs at the end": TAKING
    + """init(score(5)) init(phase(1)) next(phase(2)) :- true(phase(1)) terminal :- true(phase(2))
        twice(T) :- true(score(S)) & times(S,2,T) terminal :- true(score(0))
        f(Z) := countofall(T,twice(T))\nmany(N) :- evaluate(f(0),N)""",
    "a maximum of what is no number": CARDS
    + "init(pt(u,5)) init(pt(v,abc)) next(pt(u,7)) goal(r,N) :- evaluate(maximum(setofall(V,true(pt(X,V)))),N)",
    "a length of its own": CARDS
    + "length(cons(1,cons(3,nil)),90) goal(r,N) :- setofall(X,true(c(X)),L) & length(L,N)",
    "wanted by a view that only a definition needs": HIGH
    + "top(X) :- card(X) & high(X) f(Z) := countofall(X,top(X))\ngoal(r,N) :- evaluate(f(0),N)",
    "a count of nothing": CARDS + "goal(r,N) :- countofall(1,and(),N)",
}


@pytest.mark.parametrize("name", SHEETS)
def test_the_machines_agree_or_one_refuses(name: str) -> None:
    reference = gm.parse(SHEETS[name], machine="reference")
    try:
        compiled = gm.parse(SHEETS[name], machine="compiled")
    except (gm.LimitExceeded, gm.RulesError):
        return
    assert assert_agree(compiled, reference, 12, seed=name, most_steps=8)


def test_expressions_in_expressions_end_in_a_limit() -> None:
    chain = " & ".join(f"evaluate(if(less(A{i},2),1,2),A{i + 1})" for i in range(12))
    with pytest.raises(gm.LimitExceeded, match="20,000 expressions and disjunctions"):
        gm.parse(CARDS + f"goal(r,A12) :- card(A0) & {chain}", machine="compiled")
