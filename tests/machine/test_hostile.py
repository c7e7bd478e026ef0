"""Sheets that want all there is, of memory, time, numbers or depth: they end within their budget on both machines.

The error says which limit it was and names a rule, nothing else is harmed, and the process lives on.
"""

from __future__ import annotations

from typing import Any

import pytest

import gamemaster as gm
from gamemaster.ground.clingo_grounder import COUNTED

END = "terminal :- true(on) goal(r,0) init(on) legal(r,a) next(on) :- true(on)"
TEN = " ".join(f"d({n})" for n in range(10))
NUMBER = "role(r) control(r) legal(t) goal(r,0)\n"
LIMITS = gm.Limits(seconds=1, rows=20_000, depth=500)


def wide(count: int) -> tuple[str, str]:
    """So many variables as arguments, and each of ten values."""
    names = [f"X{i}" for i in range(count)]
    return ",".join(names), " & ".join(f"d({name})" for name in names)


def constants(count: int) -> str:
    """Facts about that many names, all of which can be marked."""
    names = " ".join(f"d(c{n})" for n in range(count))
    return (
        f"role(r) {names} goal(r,0) terminal :- true(m(c1)) & true(m(c2))\nlegal(r,mark(X)) :- d(X)\n"
        "next(m(X)) :- does(r,mark(X))\nnext(m(X)) :- true(m(X))"
    )


(TWELVE, GIVEN), (HUNDREDS, OF_HUNDREDS) = wide(12), wide(300)

HOSTILE = {
    "exponential grounding": (
        f"role(r) {TEN}\np({TWELVE}) :- {GIVEN} & true(q({TWELVE}))\nnext(q({TWELVE})) :- {GIVEN}\n{END} & p({TWELVE})",
        r"(time limit of 1 s|size limit of .*) exceeded grounding the rules; the largest one is at rules:\d",
    ),
    "terms that grow": (
        "role(r) init(n(z)) legal(r,a) terminal :- true(n(done)) goal(r,0)\nnext(n(s(X))) :- true(n(X))",
        "depth limit of 200 nested terms exceeded grounding the rules; the largest one is at rules:2:1",
    ),
    "terms that double": (
        "role(r) init(n(z)) legal(r,a) terminal :- true(n(done)) goal(r,0)\nnext(n(f(X,X))) :- true(n(X))",
        "depth limit of 200 nested terms exceeded grounding the rules; the largest one is at rules:2:1",
    ),
    "many constants": (
        constants(10_100),
        r"(time limit of 1 s|size limit of .*) exceeded grounding the rules; the largest one is at rules:\d",
    ),
    "a counter to a billion": (
        f"{NUMBER}init(n(0)) terminal :- n(X) & leq(1000000000,X)\nt :: n(X) & plus(X,1,Y) ==> ~n(X) & n(Y)",
        "size limit of 2,000 numbers, each computed .*; numbers may grow without end at rules:3:1",
    ),
    "two counters, all pairs": (
        f"{NUMBER}init(n(0)) init(m(0)) terminal :- n(5) & m(no)\nt :: n(X) & m(Z) & plus(X,Z,1,Y) ==> n(Y) & m(Y)",
        "size limit of 20,000 ground rules exceeded grounding the rules; numbers may grow without end at rules:3:1",
    ),
    "three hundred arguments": (
        f"role(r) {TEN}\np({HUNDREDS}) :- {OF_HUNDREDS}\n{END} & p({HUNDREDS})",
        r"(memory limit of \d+ MB|time limit of 1 s) exceeded grounding the rules; the largest one is at rules:\d",
    ),
    "a count over a huge set": (
        f"role(r) {TEN} next(q(A,B,C,D,E)) :- d(A) & d(B) & d(C) & d(D) & d(E)\n"
        f"many(N) :- countofall(f(A,B,C,D,E),true(q(A,B,C,D,E)),N)\n{END} & many(N)",
        r"time limit of 1 s exceeded grounding the rules; the largest one is at rules:\d",
    ),
    "a sum of huge weights": (
        "role(r) w(999999999) w(1e300) w(123456789012) legal(r,a(X)) :- w(X)\n"
        "next(has(X)) :- does(r,a(X)) next(has(X)) :- true(has(X))\n"
        "total(N) :- evaluate(sum(setofall(X,true(has(X)))),N)\nterminal :- total(N) & less(5,N) goal(r,0)",
        r"sum limit of whole numbers up to 1,000,000 exceeded grounding the rules; the largest one is at rules:\d",
    ),
    "recursion through very many": (
        "role(r) init(on) legal(r,a) legal(r,b) next(on) :- does(r,a) goal(r,0)\nreached(0) :- true(on)\n"
        "reached(Y) :- reached(X) & road(X,Y) & ~true(cut(X))\nreached(X) :- reached(Y) & road(X,Y) & ~true(cut(X))\n"
        "terminal :- ~reached(600)\nnext(cut(X)) :- true(cut(X)) next(cut(X)) :- does(r,a) & road(X,700)\n"
        + " ".join(f"road({i},{i + 1})" for i in range(700)),
        "depth limit of 500 atoms in one recursion exceeded building the network",
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_the_compiled_machine_says_which_limit_and_where(name: str) -> None:
    text, said = HOSTILE[name]
    with pytest.raises(gm.LimitExceeded, match=said):
        gm.parse(text, machine="compiled", limits=LIMITS)
    assert gm.parse(f"role(r) {END}", machine="compiled").initial_state().is_terminal


@pytest.mark.parametrize("name", HOSTILE)
def test_the_reference_machine_answers_or_says_which_limit(name: str) -> None:
    game = gm.parse(HOSTILE[name][0], machine="reference", limits=LIMITS)
    said = ""
    try:
        walk(game, 12 if name.startswith("terms") else 2)
    except gm.LimitExceeded as error:
        said = error.what
    assert said in ("", "time", "memory", "depth", "size")


def walk(game: gm.Game, steps: int) -> None:
    """Make the first legal moves for some steps."""
    state = game.initial_state()
    for _ in range(steps):
        if not state.is_terminal:
            state = state.next({role: state.legal_moves(role)[0] for role in game.roles})


def test_more_than_can_be_read_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gamemaster.language.syntax.MAX_SENTENCES", 1_000)
    machines: list[Any] = ["compiled", "reference"]
    for machine in machines:
        with pytest.raises(gm.RulesError, match="more than 1,000 sentences"):
            gm.parse(constants(1_001), machine=machine)
        with pytest.raises(gm.RulesError):
            gm.parse("role(r) " + "x" * 5_000_000, machine=machine)


def test_all_that_is_counted_has_a_bound_without_limits_too() -> None:
    assert all(most < 100_000_000 and seconds > 0 for _, most, seconds in COUNTED.values())
