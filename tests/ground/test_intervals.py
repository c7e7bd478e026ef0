"""Numbers that a count of steps bounds, beside what is no number; and how long it may take to find that out."""

from __future__ import annotations

import pytest

from gamemaster.ground.intervals import ANY, MOST_LOOKS, Intervals
from gamemaster.language.builtins import builtin_test
from gamemaster.load import parse
from tests.ground.asked import rules_of
from tests.machine.agreeing import assert_agree

COUNTED = """
    role(r) legal(r,a) legal(r,b) goal(r,0) init(step(0)) init(score(0))
    succ(0,1) succ(1,2) succ(2,3) succ(3,4)
    next(step(M)) :- true(step(N)) & succ(N,M)
    terminal :- true(step(4))
"""


@pytest.mark.parametrize(
    "rules",
    [
        "val(M) :- does(r,a) & true(score(S)) & plus(S,2,M) val(lost) :- does(r,b) next(score(V)) :- val(V)",
        "lim(none) lim(1) next(score(M)) :- does(r,a) & lim(L) & true(score(S)) & ~less(L,S) & plus(S,5,M)"
        " next(score(M)) :- does(r,b) & true(score(S)) & plus(S,1,M)",
        "lim(3) lim(1) next(score(M)) :- does(r,a) & lim(L) & true(score(S)) & ~less(L,S) & plus(S,5,M)"
        " next(score(M)) :- does(r,b) & true(score(S)) & plus(S,1,M)",
        "init(best(none)) next(best(S)) :- does(r,b) & true(score(S)) next(best(B)) :- does(r,a) & true(best(B))"
        " next(score(T)) :- true(score(S)) & true(best(B)) & ~less(B,S) & plus(S,10,T)",
        "w(zz) w(9) terminal :- true(score(S)) & ~less(S,W) & w(W) next(score(M)) :- true(score(S)) & plus(S,1,M)",
    ],
)
def test_what_is_no_number_is_not_bounded_and_bounds_nothing(rules: str) -> None:
    games = [parse(COUNTED + rules, machine=machine) for machine in ("compiled", "reference")]
    assert assert_agree(games[0], games[1], games=30) >= 30


def test_a_long_chain_of_numbers_takes_no_longer_than_its_length() -> None:
    chain = " & ".join(f"plus(X{i},X{i},X{i + 1})" for i in range(40))
    rules = rules_of(f"init(score(1)) next(score(X40)) :- true(score(X0)) & {chain}")
    by_relation = {("init", 1): rules.rules[:1], ("next", 1): rules.rules[1:]}
    intervals = Intervals(by_relation, builtin_test(rules), lambda _: ())
    history = intervals.steps(1)
    assert history is not None
    assert history[1]["score", 1, 0] == (1.0, 2.0**40)
    assert intervals.looks < 1_000


def test_numbers_that_are_all_compared_with_each_other_are_given_up() -> None:
    pairs = " & ".join(f"less(X{i},X{j})" for i in range(12) for j in range(12) if i != j)
    rules = rules_of(f"init(score(1)) next(score(X0)) :- true(score(X0)) & {pairs}")
    by_relation = {("init", 1): rules.rules[:1], ("next", 1): rules.rules[1:]}
    intervals = Intervals(by_relation, builtin_test(rules), lambda _: ())
    intervals.looks = MOST_LOOKS - 100
    intervals.now = {("score", 1, 0): ANY}
    assert intervals.steps(1) is not None
    assert intervals.looks < 2 * MOST_LOOKS
