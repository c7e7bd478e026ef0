"""Conditions on many variables that never change are read one variable after another."""

from __future__ import annotations

from itertools import permutations
from unittest.mock import patch

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import gamemaster as gm
from gamemaster.ground import automata
from gamemaster.ground.automata import with_automata
from gamemaster.ground.clingo_grounder import GroundLimits, ground
from gamemaster.ground.narrow import narrowed
from gamemaster.ground.sizes import Sizes
from gamemaster.ground.split import split
from gamemaster.language.rules import Rules
from tests.ground.asked import answers_before_and_after, rules_of
from tests.ground.models import Program, programs
from tests.machine.agreeing import assert_agree

quick = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


def all_read(rules: Rules) -> Rules:
    with patch.object(automata, "WIDE", -1):
        return with_automata(rules, Sizes(rules))


def latin(size: int) -> str:
    """A row of cells in which each number is to stand once, said by a condition on all cells at once."""
    numbers = range(1, size + 1)
    xs = [f"X{i}" for i in numbers]
    lines = ["role(r)", *(f"n({i})" for i in numbers), *(f"eq({i},{i})" for i in numbers)]
    lines.append("legal(r,put(I,M)) :- n(I) & n(M)  next(mark(I,M)) :- does(r,put(I,M))")
    lines.append("next(mark(I,M)) :- true(mark(I,M)) init(mark(1,1))")
    others = " & ".join(f"n({x}) & ~eq(Z,{x})" for x in xs[1:])
    lines.append(f"first(Z,{','.join(xs)}) :- eq(Z,X1) & {others}")
    for i in range(size):
        order = [xs[i], *xs[:i], *xs[i + 1 :]]
        lines.append(f"once(Z,{','.join(xs)}) :- first(Z,{','.join(order)})")
    marks = " & ".join(f"true(mark({i},X{i}))" for i in numbers)
    each = " & ".join(f"once({i},{','.join(xs)})" for i in numbers)
    lines.append(f"good :- {marks} & {each}  terminal :- good  goal(r,100) :- good  goal(r,0) :- ~good")
    return "\n".join(lines)


@given(program=programs(), constant=st.sampled_from("abcd"))
@settings(quick, max_examples=80)
def test_whatever_is_read_so_the_same_follows(program: Program, constant: str) -> None:
    before, after = answers_before_and_after(program, constant, all_read)
    assert before == after


def test_a_condition_on_nine_variables_grounds_to_what_its_automaton_has() -> None:
    program = ground(split(narrowed(rules_of(latin(9)))), GroundLimits(rules=10_000))
    assert len(program.heads) < 6_000  # 9 ** 9 rules, if they were written out; 9 * 2 ** 8 values lead on


def test_the_machines_agree_about_every_order_of_numbers() -> None:
    with patch.object(automata, "WIDE", 10):
        compiled = gm.parse(latin(3), machine="compiled", name="latin by automata")
    reference = gm.parse(latin(3), machine="reference")
    assert assert_agree(compiled, reference, 4, most_steps=8) > 8
    for order in permutations("123"):
        states = [game.initial_state() for game in (compiled, reference)]
        for place, number in enumerate(order, 1):
            states = [state.next(f"put({place},{number})") for state in states]
        assert [state.is_terminal for state in states] == [True, True]


def test_what_cannot_be_read_stays_as_it_is() -> None:
    for condition in (
        "c(X,Y) :- n(X) & n(Y) & n(Z)",
        "c(X,Y) :- n(X) & n(Y) & less(X,Y)",
        "c(X,Y) :- c(Y,X)",
    ):
        rules = rules_of(f"role(a) n(1) n(2) {condition} terminal :- n(X) & n(Y) & c(X,Y)")
        assert all_read(rules) is rules


def test_a_wide_condition_without_variables_is_asked_not_forgotten() -> None:
    names = "ABCDEFG"
    body = [f"d({name})" for name in names]
    body += [f"distinct({a},{b})" for i, a in enumerate(names) for b in names[i + 1 :]]
    held = " & ".join(f"true(m({i},{name}))" for i, name in enumerate(names))
    text = f"""
        role(r) init(x) next(x) :- does(r,a)
        {" ".join(f"d({i})" for i in range(10))}
        legal(r,put(P,V)) :- d(P) & d(V)
        next(m(P,V)) :- does(r,put(P,V))
        different({",".join(names)}) :- {" & ".join(body)}
        goal(r,70) :- {held} & different({",".join(names)})
        goal(r,100) :- true(x) & different(1,1,2,3,4,5,6)
        goal(r,50) :- true(x) & different(0,1,2,3,4,5,6)
        terminal :- ~true(x)
    """
    assert gm.parse(text, machine="compiled").initial_state().goals("r") == (50,)
