"""The reasoner on programs written for it: orders, recursion, limits, unsafe rules, states and moves."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterable
from typing import Any

import pytest

from gamemaster.errors import LimitExceeded, RulesError, UnsafeRule
from gamemaster.ground.budget import MAX_SIZE, Limits
from gamemaster.ground.reasoner import Reasoner, Situation
from gamemaster.language.infix import read_term
from gamemaster.language.notation import read
from gamemaster.language.rules import Notation
from gamemaster.language.source import Source
from gamemaster.language.terms import MAX_DEPTH
from tests.ticking import calls_made


class Asked:
    """Rules, and a state with moves made in it, to ask about in infix notation: `rows("p(X,a)")`."""

    def __init__(
        self,
        text: str,
        *,
        facts: Iterable[str] = (),
        moves: Iterable[tuple[str, str]] = (),
        limits: Limits | None = None,
        notation: Notation = "hrf",
    ) -> None:
        self.reasoner = Reasoner(read(Source.checked("rules", text), notation), limits)
        self.set_state(facts, moves)

    def set_state(self, facts: Iterable[str], moves: Iterable[tuple[str, str]] = ()) -> None:
        self.situation = Situation(map(_value, facts))
        self.moves: list[tuple[Any, Any]] = [(role, _value(move)) for role, move in moves]

    def rows(self, name: str, *args: str | None) -> list[tuple[Any, ...]]:
        values = [None if arg is None else _value(arg) for arg in args]
        return self.reasoner.answers(name, values, self.situation, self.moves)

    def values(self, name: str, *args: str | None) -> list[str]:
        """The answers to a question with one unknown, as text."""
        return [_shown(value) for (value,) in self.rows(name, *args)]

    def holds(self, name: str, *args: str) -> bool:
        rows = self.rows(name, *args)
        assert rows in ([], [()])
        return bool(rows)


def _value(text: str) -> Any:
    return read_term(text)


def _shown(value: Any) -> str:
    return f"{value[0]}({','.join(map(_shown, value[1:]))})" if isinstance(value, tuple) else str(value)


def chain(length: int) -> str:
    return "".join(f"next({i},{i + 1})\n" for i in range(length))


def digits(count: int) -> str:
    return "".join(f"d({i})\n" for i in range(count))


# Order


def test_answers_come_in_the_order_of_rules_and_each_only_once() -> None:
    asked = Asked("p(3)\np(X) :- q(X)\np(1)\nq(2)\nq(3)\nq(1)\nq(4)\n")
    assert asked.values("p", None) == ["3", "2", "1", "4"]


def test_literals_are_tried_from_left_to_right() -> None:
    asked = Asked("p(X,Y) :- q(X) & r(Y)\nq(1)\nq(2)\nr(a)\nr(b)\n")
    assert asked.rows("p", None, None) == [("1", "a"), ("1", "b"), ("2", "a"), ("2", "b")]
    assert asked.rows("p", None, "b") == [("1",), ("2",)]
    assert asked.rows("p", "2", None) == [("a",), ("b",)]
    assert asked.rows("p", "2", "b") == [()]
    assert asked.rows("p", "3", "b") == []


def test_facts_of_the_state_are_found_in_its_order() -> None:
    asked = Asked("p(X) :- true(at(X))\n", facts=["at(2)", "on(5)", "at(1)", "at(3)", "at(1)"])
    assert asked.values("p", None) == ["2", "1", "3"]


def test_the_parts_of_a_disjunction_are_tried_in_order() -> None:
    asked = Asked("p(X) :- (q(X) | r(X)) & s(X)\nq(2)\nq(1)\nr(3)\nr(2)\ns(1)\ns(2)\ns(3)\n")
    assert asked.values("p", None) == ["2", "1", "3"]


def test_a_disjunction_with_a_test_inside_stays_in_its_place() -> None:
    asked = Asked("p(X) :- (q(X) & ~r(X) | r(X)) & s(X)\nq(2)\nq(1)\nr(1)\ns(1)\ns(2)\n")
    assert asked.values("p", None) == ["2", "1"]


# Recursion


@pytest.mark.parametrize(
    "rules",
    [
        "path(X,Y) :- next(X,Y)\npath(X,Y) :- next(X,Z) & path(Z,Y)\n",
        "path(X,Y) :- path(X,Z) & next(Z,Y)\npath(X,Y) :- next(X,Y)\n",
    ],
    ids=["right", "left"],
)
def test_recursion_goes_a_thousand_deep(rules: str) -> None:
    asked = Asked(chain(1000) + rules)
    assert asked.holds("path", "0", "1000")
    assert len(asked.rows("path", "0", None)) == 1000
    assert not asked.holds("path", "1000", "0")


def test_recursion_around_a_circle_ends() -> None:
    asked = Asked(chain(150) + "next(150,0)\npath(X,Y) :- next(X,Y)\npath(X,Y) :- next(X,Z) & path(Z,Y)\n")
    assert len(asked.rows("path", "7", None)) == 151
    assert asked.holds("path", "7", "6")


def test_mutual_recursion_finds_both_relations() -> None:
    asked = Asked(chain(400) + "even(0)\neven(Y) :- next(X,Y) & odd(X)\nodd(Y) :- next(X,Y) & even(X)\n")
    assert asked.holds("even", "400")
    assert not asked.holds("odd", "400")
    assert len(asked.rows("odd", None)) == 200


def test_a_question_proved_on_the_way_leaves_those_that_met_it_right() -> None:
    asked = Asked("a :- b\na :- e\nb :- c\nb :- a\nc :- b\nd :- c\ne\n")
    assert [asked.holds(name) for name in "abcd"] == [True] * 4


def test_a_component_inside_a_component_is_not_taken_for_complete() -> None:
    rules = "a(X) :- b(X)\na(X) :- d(X)\na(X) :- e(X)\nb(X) :- c(X)\nb(X) :- a(X)\nc(X) :- b(X)\n"
    asked = Asked(rules + "d(X) :- c(X)\ne(k)\n")
    assert asked.values("a", None) == ["k"]
    assert [asked.values(name, None) for name in "dcb"] == [["k"]] * 3


def test_a_table_not_asked_again_in_the_last_round_is_not_taken_for_complete() -> None:
    rules = (
        "r(b) :- t & s(a)\nr(a) :- r(b) & t\nr(Y) :- u(Y) & s(b)\nr(a)\ns(b) :- r(X)\ns(a) :- u(X) & s(b)\n"
    )
    asked = Asked(rules + "t :- r(Y)\nu(Y) :- r(Y)\n")
    assert sorted(asked.values("u", None)) == ["a", "b"]
    assert asked.holds("r", "a")
    assert asked.holds("u", "b")


# Literals that wait


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("(<= (p ?x) (not (q ?x)) (r ?x))", ["1"]),
        ("(<= (p ?x) (distinct ?x ?y) (r ?x) (s ?y))", ["1"]),
        ("(<= (p ?x) (distinct ?x 2) (not (q ?x)) (or (r ?x) (s ?x)))", ["1"]),
        ("(<= (p ?x) (not (or (q ?x) (s ?x))) (r ?x))", ["1"]),
        ("(<= (p ?x) (or (not (q ?x)) (s ?x)) (r ?x))", ["1", "2"]),
        ("(<= (p ?z) (plus ?x 1 ?z) (r ?x))", ["2", "3"]),
        ("(<= (p ?x) (same ?x ?y) (r ?x))", ["1", "2"]),
        ("(<= (p ?x) (same ?x ?y) (same ?y ?z) (r ?z))", ["1", "2"]),
        ("(<= (p ?x) (same (f ?x) ?y) (t ?y))", ["1", "2"]),
    ],
)
def test_in_kif_a_test_may_stand_before_the_literal_that_gives_it_values(
    rule: str, expected: list[str]
) -> None:
    asked = Asked(rule + "(r 1)(r 2)(q 2)(s 2)(t (f 1))(t (f 2))(t (g 3))", notation="kif")
    assert asked.values("p", None) == expected
    assert [value for value in "123" if asked.holds("p", value)] == expected


def test_a_variable_only_in_a_negation_means_that_there_is_none() -> None:
    asked = Asked("p(X) :- q(X) & ~r(X,Y)\nq(1)\nq(2)\nr(1,5)\n")
    assert asked.values("p", None) == ["2"]


def test_a_negated_conjunction_shares_its_own_variables() -> None:
    asked = Asked("p(X) :- q(X) & ~(r(X,Y) & s(Y))\nq(1)\nq(2)\nr(1,5)\nr(2,6)\ns(6)\n")
    assert asked.values("p", None) == ["1"]


def test_two_negations_do_not_share_a_variable_that_nothing_binds() -> None:
    asked = Asked("p :- ~q(X) & ~r(X)\nq(1)\nt :- ~s(X) & ~u(X)\n")
    assert not asked.holds("p")
    assert asked.holds("t")


def test_a_double_negation_is_a_test() -> None:
    asked = Asked("p(X) :- q(X) & ~~r(X)\nq(1)\nq(2)\nr(2)\n")
    assert asked.values("p", None) == ["2"]


def test_a_variable_bound_in_one_part_of_a_disjunction_is_bound_there_only() -> None:
    asked = Asked("p(X) :- (q(X) | r) & s(X)\nq(1)\nr\ns(1)\ns(2)\n")
    assert asked.values("p", None) == ["1", "2"]


def test_many_disjunctions_in_one_rule_are_compiled_once_each() -> None:
    body = " & ".join(f"(p(X{i}) | q(X{i}))" for i in range(60))
    asked = Asked(f"r :- {body}\np(1)\nq(2)\n")
    assert asked.holds("r")


MOST_CALLS = 3_000_000


def test_a_rule_with_many_tests_before_their_values_is_compiled_with_little_work() -> None:
    tests, values = (" & ".join(f"{name}(X{i})" for i in range(150)) for name in ("~q", "p"))
    asked = Asked(f"r :- {tests} & {values}\np(1)\nq(2)\n")
    assert calls_made(lambda: asked.holds("r")) < MOST_CALLS
    assert asked.holds("r")


# What relations are


def test_a_relation_that_nothing_defines_has_no_instance() -> None:
    asked = Asked("p :- q\nr :- ~q\ns :- ~q(a) & ~true(q)\n")
    assert not asked.holds("p")
    assert asked.holds("r")
    assert asked.holds("s")
    assert asked.rows("q") == []


def test_a_fact_without_arguments_may_stand_in_a_body() -> None:
    asked = Asked("open\np :- open\nq :- ~open\n")
    assert asked.holds("p")
    assert not asked.holds("q")


def test_true_and_false_are_constants_of_every_body() -> None:
    asked = Asked("p :- true\nq :- false\nr :- ~false\n")
    assert [asked.holds(name) for name in "pqr"] == [True, False, True]


def test_relations_of_one_name_and_different_sizes_are_different() -> None:
    asked = Asked("p\np(1)\np(1,2)\nq(X) :- p(X)\n")
    assert asked.rows("p") == [()]
    assert asked.rows("p", None, None) == [("1", "2")]
    assert asked.values("q", None) == ["1"]


def test_a_rule_without_body_may_have_variables_that_the_question_knows() -> None:
    asked = Asked("same_thing(X,X)\n")
    assert asked.holds("same_thing", "a", "a")
    assert not asked.holds("same_thing", "a", "b")
    with pytest.raises(UnsafeRule, match="X has no value"):
        asked.rows("same_thing", None, None)


# Terms


def test_true_with_a_variable_is_any_fact() -> None:
    asked = Asked("p(F) :- true(F)\n", facts=["at(1)", "on", "on()", "at(f(2))"])
    assert asked.rows("p", None) == [(("at", "1"),), ("on",), (("on",),), (("at", ("f", "2")),)]
    assert asked.holds("p", "at(f(2))")
    assert not asked.holds("p", "at(2)")


def test_a_symbol_and_a_compound_without_arguments_differ() -> None:
    asked = Asked("p :- true(f)\nq :- true(f())\nr(X) :- true(g(X))\ns :- h(f())\nh(f)\n")
    asked.set_state(["f", "g(f())"])
    assert [asked.holds(name) for name in "pqs"] == [True, False, False]
    assert asked.rows("r", None) == [(("f",),)]
    asked.set_state(["f()"])
    assert [asked.holds(name) for name in "pqs"] == [False, True, False]


def test_compounds_are_opened_and_built_at_any_depth() -> None:
    asked = Asked("p(g(X,h(Y))) :- true(f(g(Y,k),h(h(X))))\n")
    asked.set_state(
        ["f(g(1,k),h(h(2)))", "f(g(1,j),h(h(2)))", "f(j(3,k),h(h(2)))", "f(g(1),h(h(2)))", "f(g,h)"]
    )
    assert asked.values("p", None) == ["g(2,h(1))"]
    assert asked.holds("p", "g(2,h(1))")
    assert not asked.holds("p", "g(1,h(2))")
    assert not asked.holds("p", "g(2)")


def test_a_variable_twice_in_a_literal_is_one_value() -> None:
    rules = "p(X) :- q(X,X)\nr(X) :- q(f(X),X)\ns(X) :- true(f(g(X),X))\n"
    asked = Asked(rules + "q(1,2)\nq(3,3)\nq(f(4),4)\nq(f(4),5)\n")
    asked.set_state(["f(g(7),7)", "f(g(7),8)"])
    assert asked.values("p", None) == ["3"]
    assert asked.values("r", None) == ["4"]
    assert asked.values("s", None) == ["7"]


def test_a_head_with_compounds_matches_what_is_known() -> None:
    asked = Asked("p(f(X,a),Y) :- q(X,Y)\nq(1,2)\n")
    assert asked.rows("p", "f(1,a)", None) == [("2",)]
    assert asked.rows("p", "f(1,b)", None) == []
    assert asked.rows("p", "f", None) == []
    assert asked.rows("p", None, "2") == [(("f", "1", "a"),)]


# States and moves


def test_answers_about_one_state_do_not_reach_another() -> None:
    asked = Asked("p(X) :- true(at(X))\nq(X) :- p(X) & ~far(X)\nfar(9)\n", facts=["at(1)"])
    assert asked.values("q", None) == ["1"]
    asked.set_state(["at(2)", "at(9)"])
    assert asked.values("q", None) == ["2"]
    asked.set_state([])
    assert asked.values("q", None) == []


def test_answers_about_some_moves_do_not_reach_others() -> None:
    asked = Asked("next(at(X)) :- does(R,go(X))\nnext(F) :- true(F) & ~moved\nmoved :- does(R,go(X))\n")
    asked.set_state(["at(1)"], [("x", "go(2)")])
    assert asked.values("next", None) == ["at(2)"]
    asked.moves = [("x", "noop")]
    assert asked.values("next", None) == ["at(1)"]


def test_what_an_aggregate_counts_in_the_state_is_counted_anew_for_each_state() -> None:
    asked = Asked("n(N) :- countofall(X,true(at(X)),N)\nm(N) :- evaluate(countofall(X,true(at(X))),N)\n")
    for count in (0, 2, 1):
        asked.set_state([f"at({i})" for i in range(count)])
        assert asked.values("n", None) == asked.values("m", None) == [str(count)]


# Unsafe rules


@pytest.mark.parametrize(
    ("rule", "column"),
    [
        ("p(X) :- ~q(X)", 3),
        ("p(X) :- q(Y)", 3),
        ("p(X) :- q(Y) & distinct(X,Y)", 25),
        ("p(X) :- q(Y) & less(X,Y)", 21),
        ("p(X) :- q(Y) & same(X,f(Z))", 25),
        ("p(f(X)) :- q(Y)", 5),
    ],
)
def test_a_rule_is_unsafe_only_where_a_value_is_missing(rule: str, column: int) -> None:
    asked = Asked(f"{rule}\nq(1)\nother(2)\nuse(X) :- other(X) & p(X)\n")
    with pytest.raises(UnsafeRule, match=r"variable [XZ] has no value here") as caught:
        asked.rows("p", None)
    place = caught.value.place
    assert place
    assert (place.line, place.column, place.text) == (1, column, rule)
    assert caught.value.hint
    assert asked.values("other", None) == ["2"]
    if "f(" not in rule:
        assert asked.holds("p", "0")
        asked.rows("use", None)


def test_what_follows_from_moves_may_need_a_value_from_whoever_asks() -> None:
    rules = "next(ok(X)) :- true(n(X)) & fits(X)\nfits(X) :- above(X)\n"
    rules += "above(X) :- does(R,bid(Y)) & less(Y,X)\n"
    asked = Asked(rules, facts=["n(1)", "n(5)"], moves=[("x", "bid(3)")])
    assert asked.values("next", None) == ["ok(5)"]


def test_chance_and_the_clock_are_refused_when_asked() -> None:
    asked = Asked("p(X) :- random(X)\nq(1)\n")
    with pytest.raises(RulesError, match="random would make the game depend on chance") as caught:
        asked.rows("p", None)
    assert caught.value.place
    assert caught.value.place.column == 9
    assert asked.values("q", None) == ["1"]


# Limits: each ends quickly, says what was reached, and leaves the reasoner as good as new

TIME = Limits(seconds=0.2)
MEMORY = Limits(rows=50_000)
DEPTH = Limits(depth=300)
ROWS = r"memory limit of 50,000 answers"
LIMITED: dict[str, tuple[Limits, str, str]] = {
    "a join": (
        TIME,
        digits(60) + "p :- d(A) & d(B) & d(C) & d(D) & d(E) & r(A)\nr(none)\n",
        r"time limit of 0\.2 s exceeded answering one question about a state",
    ),
    "a join of tests": (
        TIME,
        digits(300) + "p :- d(A) & d(B) & d(C) & less(A,B) & less(B,C) & less(C,A)\n",
        "time limit",
    ),
    "members": (
        TIME,
        f"l([{','.join(map(str, range(99)))}])\n"
        "p :- l(L) & member(A,L) & member(B,L) & member(C,L) & less(A,B) & less(B,C) & less(C,A)\n",
        "time limit",
    ),
    "counting": (TIME, digits(300) + "p :- countofall(A,d(A) & d(B) & d(C),N) & less(N,0)\n", "time limit"),
    "a product": (
        MEMORY,
        digits(100) + "p :- all(A,B,C) & none\nall(A,B,C) :- d(A) & d(B) & d(C)\n",
        ROWS,
    ),
    "a growing relation": (
        Limits(rows=500),
        "p :- n(X) & none\nn(0)\nn(Y) :- n(X) & plus(X,1,Y)\n",
        "memory limit of 500 answers",
    ),
    "questions without answers": (
        MEMORY,
        digits(100) + "p :- d(A) & d(B) & d(C) & q(A,B,C)\nq(A,B,C) :- same(A,none)\n",
        ROWS,
    ),
    "a large set": (
        MEMORY,
        digits(100) + "p :- countofall(f(A,B,C),d(A) & d(B) & d(C),N) & less(N,0)\n",
        ROWS,
    ),
    "a long chain": (
        DEPTH,
        chain(400) + "p :- r(0)\nr(X) :- next(X,Y) & r(Y)\n",
        r"depth limit of 300 nested questions exceeded answering r\(299\) <- r\(298\) <- r\(297\)",
    ),
    "a growing question": (DEPTH, "p :- r(0)\nr(X) :- plus(X,1,Y) & r(Y)\n", "300 nested questions"),
    "a growing term": (
        Limits(),
        "p :- n(X) & none\nn(0)\nn(s(s(s(X)))) :- n(X)\n",
        rf"depth limit of {MAX_DEPTH} nested terms exceeded building s\(\.\.\.\)",
    ),
    "a growing list": (
        Limits(),
        "p :- n(X) & none\nn([])\nn([a,b,c,X]) :- n(X)\n",
        f"depth limit of {MAX_DEPTH} nested terms",
    ),
    "a bushy term": (
        Limits(),
        "p :- n(X) & none\nn(0)\nn(f(X,X)) :- n(X)\n",
        rf"size limit of {MAX_SIZE:,} parts of a term exceeded building f\(\.\.\.\)",
    ),
    "a computed list in a list": (
        Limits(),
        "p :- n(0,X) & none\nn(X,L) :- plus(X,1,Y) & less(X,250) & setofall(Z,n(Y,Z),L)\nn(250,a)\n",
        f"depth limit of {MAX_DEPTH} nested terms",
    ),
    "a doubling string": (
        Limits(),
        "p :- n(X) & none\nn(a)\nn(Y) :- n(X) & stringappend(X,X,Y)\n",
        "text length limit of 4,000 characters",
    ),
    "a branching rule": (
        Limits(),
        "p :- " + " & ".join(f"(q(X{i}) | r)" for i in range(40)) + "\nq(1)\nr\n",
        "rule size limit of 20,000 steps exceeded compiling p",
    ),
}
FINE = """fine(X) :- ok(X) & ~bad(X)
ok(1)
ok(2)
bad(2)
reach(X) :- hop(X,Y) & reach(Y)
reach(9)
hop(7,8)
hop(8,9)
"""


@pytest.mark.parametrize("what", LIMITED)
def test_every_limit_ends_a_question_and_leaves_the_reasoner_usable(what: str) -> None:
    limits, text, message = LIMITED[what]
    asked = Asked(text + FINE, limits=limits)
    for _ in range(2):
        with pytest.raises(LimitExceeded, match=message):
            asked.rows("p")
        assert asked.values("fine", None) == ["1"]
        assert sorted(asked.values("reach", None)) == ["7", "8", "9"]
        assert asked.holds("reach", "7")


def test_a_chain_too_long_for_one_question_may_be_asked_in_pieces() -> None:
    asked = Asked(chain(500) + "r(500)\nr(X) :- next(X,Y) & r(Y)\n", limits=Limits(depth=300))
    with pytest.raises(LimitExceeded, match=r"answering r\(300\) <- r\(299\) <- r\(298\)"):
        asked.rows("r", "0")
    assert asked.holds("r", "400")
    assert asked.holds("r", "250")
    assert asked.holds("r", "0")


def test_a_deep_question_leaves_the_recursion_limit_of_python_alone() -> None:
    before = sys.getrecursionlimit()
    asked = Asked(chain(3000) + "r(3000)\nr(X) :- next(X,Y) & r(Y)\n")
    assert asked.holds("r", "0")
    assert sys.getrecursionlimit() == before


def test_deep_and_shallow_questions_may_come_from_several_threads() -> None:
    before = sys.getrecursionlimit()
    found: list[bool] = []

    def ask(lengths: list[int]) -> None:
        for length in lengths:
            asked = Asked(chain(length) + f"r({length})\nr(X) :- next(X,Y) & r(Y)\n")
            found.append(asked.holds("r", "0"))

    threads = [threading.Thread(target=ask, args=[[2000, 50, 500, 80]]) for _ in range(2)]
    threads += [threading.Thread(target=ask, args=[[60, 90, 120, 300, 70]]) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 18
    assert sys.getrecursionlimit() == before


def test_one_reasoner_may_be_asked_from_several_threads() -> None:
    asked = Asked(chain(300) + "path(X,Y) :- next(X,Y)\npath(X,Y) :- next(X,Z) & path(Z,Y)\n")
    found: list[int] = []

    def ask(start: int) -> None:
        found.append(len(asked.rows("path", str(start), None)))

    threads = [threading.Thread(target=ask, args=[start]) for start in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == [297, 298, 299, 300]
