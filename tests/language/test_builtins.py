"""Every builtin relation, asked through rules: values, numbers as JavaScript prints them, and what is refused."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gamemaster as gm
from gamemaster.errors import LimitExceeded, RulesError, UnsafeRule
from gamemaster.ground.budget import Limits
from gamemaster.ground.reasoner import Reasoner, Situation
from gamemaster.language.builtins import (
    AGGREGATES,
    FUNCTIONS,
    IMPURE,
    TESTS,
    builtin_arity_fits,
    builtins_of,
    items_of,
    list_of,
    number_of,
    show_number,
)
from gamemaster.language.lower import lower
from gamemaster.language.notation import read
from gamemaster.language.source import Source
from gamemaster.language.terms import MAX_DEPTH, term_of

P = "p(3)\np(1)\np(2)\npair(1,a)\npair(2,b)\npair(2,c)\n"


def reasoner_of(text: str, limits: Limits | None = None) -> Reasoner:
    return Reasoner(lower(read(Source.checked("sheet", text), "epilog")), limits)


def rows(text: str, name: str, *args: Any) -> list[tuple[Any, ...]]:
    return reasoner_of(text).answers(name, args, Situation(()))


def results(body: str, more: str = "") -> list[str]:
    """The values of X for which a body holds, as text."""
    return [str(term_of(value)) for (value,) in rows(f"result(X) :- {body}\n{more}", "result", None)]


def holds(body: str, more: str = "") -> bool:
    return bool(rows(f"result :- {body}\n{more}", "result"))


# Numbers


ARITHMETIC = [
    ("plus(1,2,X)", "3"),
    ("plus(1,2,3,X)", "6"),
    ("plus(1,2,3,4,5,X)", "15"),
    ("plus(7,X)", "7"),
    ("plus(-5,3,X)", "-2"),
    ("plus(0.1,0.2,X)", "0.30000000000000004"),
    ("plus(1.5,1.5,X)", "3"),
    ("minus(7,2,X)", "5"),
    ("minus(2,7,X)", "-5"),
    ("minus(10,1,2,3,X)", "4"),
    ("minus(4,X)", "-4"),
    ("times(6,7,X)", "42"),
    ("times(2,3,4,X)", "24"),
    ("times(-2,0,X)", "0"),
    ("times(99999999999,99999999999,X)", "9.9999999998e+21"),
    ("times(1000000,1000000,1000000,X)", "1000000000000000000"),
    ("quotient(7,2,X)", "3.5"),
    ("quotient(6,2,X)", "3"),
    ("quotient(-7,2,X)", "-3.5"),
    ("quotient(1,3,X)", "0.3333333333333333"),
    ("quotient(1,100000,X)", "0.00001"),
    ("quotient(1,10000000,X)", "1e-7"),
    ("quotient(-1,10000000,X)", "'-1e-7'"),
    ("quotient(24,2,3,X)", "4"),
    ("remainder(7,3,X)", "1"),
    ("remainder(-7,3,X)", "-1"),
    ("remainder(7.5,2,X)", "1.5"),
    ("abs(-3,X)", "3"),
    ("min(3,1,2,X)", "1"),
    ("max(3,9,X)", "9"),
    ("max(-3,-9,X)", "-3"),
    ("floor(2.7,X)", "2"),
    ("floor(-2.1,X)", "-3"),
    ("ceil(2.1,X)", "3"),
    ("round(2.5,X)", "3"),
    ("round(-2.5,X)", "-2"),
    ("trunc(-2.9,X)", "-2"),
    ("sign(-7,X)", "-1"),
    ("sign(0,X)", "0"),
    ("sqrt(16,X)", "4"),
    ("sqrt(2,X)", "1.4142135623730951"),
    ("cbrt(64,X)", "4"),
    ("cbrt(-27,X)", "-3"),
    ("pow(2,10,X)", "1024"),
    ("pow(2,100,X)", "1.2676506002282294e+30"),
    ("pow(2,-1,X)", "0.5"),
    ("exp(0,X)", "1"),
    ("expm1(0,X)", "0"),
    ("log(1,X)", "0"),
    ("log1p(0,X)", "0"),
    ("log2(8,X)", "3"),
    ("log10(1000,X)", "3"),
    ("hypot(3,4,X)", "5"),
    ("sin(0,X)", "0"),
    ("cos(0,X)", "1"),
    ("tan(0,X)", "0"),
    ("asin(0,X)", "0"),
    ("acos(1,X)", "0"),
    ("atan(0,X)", "0"),
    ("atan2(0,1,X)", "0"),
    ("sinh(0,X)", "0"),
    ("cosh(0,X)", "1"),
    ("tanh(0,X)", "0"),
    ("asinh(0,X)", "0"),
    ("acosh(1,X)", "0"),
    ("atanh(0,X)", "0"),
    ("bitand(12,10,X)", "8"),
    ("bitior(12,10,X)", "14"),
    ("bitnot(0,X)", "-1"),
    ("bitlsh(1,31,X)", "-2147483648"),
    ("bitlsh(1,4,X)", "16"),
    ("bitand(4294967295,4294967295,X)", "-1"),
]


@pytest.mark.parametrize(("call", "result"), ARITHMETIC)
def test_arithmetic_gives_its_result_as_the_last_argument(call: str, result: str) -> None:
    assert results(call) == [result]
    assert holds(call.replace("X", result))
    assert not holds(call.replace("X", "123454321"))
    name, args = call[:-1].split("(")
    expression = f"{name}({args.removesuffix(',X')})"
    assert results(f"evaluate({expression},X)") == [result]


@pytest.mark.parametrize(
    "call",
    [
        "quotient(1,0,X)",
        "remainder(1,0,X)",
        "sqrt(-1,X)",
        "log(0,X)",
        "log(-1,X)",
        "acos(2,X)",
        "pow(0,-1,X)",
        "pow(10,400,X)",
        "exp(1000,X)",
        "times(1e300,1e300,X)",
        "plus(a,1,X)",
        "plus(f(1),1,X)",
        'plus("1",1,X)',
        "plus(1_0,1,X)",
        "abs(1,2,X)",
        "bitand(1,X)",
        "evaluate(quotient(1,0),X)",
        "evaluate(plus(1,quotient(1,0)),X)",
        "first([],X)",
        "maximum([],X)",
        "maximum([a],X)",
        "length(a,X)",
        "append([a],b,X)",
    ],
)
def test_what_has_no_value_has_no_answer(call: str) -> None:
    assert results(call) == []


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_are_read_as_they_are_written(number: float) -> None:
    text = show_number(number)
    assert text is not None
    assert number_of(text) == number
    assert ("e" in text) == (number != 0 and not 1e-6 <= abs(number) < 1e21)
    assert not text.endswith(".0")


@pytest.mark.parametrize(
    "text", ["", "a", "1_000", "1.", "0x10", "nan", "inf", "1e999", '"1"', "٣", " 1", "--1"]
)
def test_what_only_looks_like_a_number_is_none(text: str) -> None:
    assert number_of(text) is None
    assert number_of(("f", "1")) is None


def test_infinity_is_not_a_number_that_can_be_shown() -> None:
    assert show_number(math.inf) is None
    assert show_number(math.nan) is None


def test_a_builtin_may_be_asked_with_its_result_known_or_opened() -> None:
    assert holds("plus(1,2,3)")
    assert not holds("plus(1,2,4)")
    assert results("pair(A,B) & plus(A,A,A2) & same(f(A2),f(X))", P) == ["2", "4"]
    assert results("listify(f(1,2),[F,X,Y])") == ["1"]


# Tests


HOLDS = [
    ("less(1,2)", True),
    ("less(2,2)", False),
    ("less(9,10)", True),
    ("less(a,b)", False),
    ("leq(2,2)", True),
    ("leq(2,1)", False),
    ("leq(-1,0.5)", True),
    ("symless(a,b)", True),
    ("symless(b,a)", False),
    ("symless(10,9)", True),
    ("symleq(a,a)", True),
    ("symleq(b,a)", False),
    ("same(a,a)", True),
    ("same(a,b)", False),
    ("same(f(a),f(a))", True),
    ("same(f,f())", False),
    ("distinct(a,b)", True),
    ("distinct(a,a)", False),
    ("distinct(f(a),f(b))", True),
    ("distinct(1,1.0)", True),
    ("mutex(a,b,c)", True),
    ("mutex(a,b,a)", False),
    ("mutex(a)", True),
    ("member(b,[a,b])", True),
    ("member(c,[a,b])", False),
    ("member(a,a)", False),
    ("hastype(1,number)", True),
    ("hastype(a,number)", False),
    ('hastype("a",string)', True),
    ("hastype(a,string)", False),
    ("hastype(a,symbol)", True),
    ("hastype(f(a),symbol)", False),
    ("hastype([a],list)", True),
    ("hastype([],list)", True),
    ("hastype(f(a),list)", False),
    ("hastype(f(a),compound)", True),
    ("hastype(a,nonsense)", False),
    ("hastype(a,f(a))", False),
    ('matches("abc","a.c")', True),
    ('matches("abc","ab")', False),
    ('matches(abc,"[a-c]+")', True),
    ('matches("abc","[")', False),
    ("true", True),
    ("false", False),
    ("~less(1,2)", False),
    ("~distinct(a,a)", True),
]


@pytest.mark.parametrize(("body", "expected"), HOLDS)
def test_tests_hold_or_do_not(body: str, expected: bool) -> None:
    assert holds(body) is expected


def test_tests_take_their_values_from_relations() -> None:
    assert results("p(X) & leq(2,X)", P) == ["3", "2"]
    assert results("p(X) & p(Y) & less(X,Y) & ~less(X,2)", P) == ["2"]
    assert results("pair(N,X) & symless(a,X)", P) == ["b", "c"]


def test_same_gives_values_to_either_side() -> None:
    assert results("same(X,a)") == ["a"]
    assert results("same(a,X)") == ["a"]
    assert results("same(f(X,b),f(a,Y)) & same(Y,b)") == ["a"]
    assert results("p(Y) & same(f(X),f(Y))", P) == ["3", "1", "2"]


def test_member_gives_every_item_in_order() -> None:
    assert results("member(X,[c,a,b,a])") == ["c", "a", "b"]
    assert results("member(f(X),[f(1),g(2),f(3)])") == ["1", "3"]
    assert results("member(X,[])") == []
    assert results("member(X,a!b)") == []


@pytest.mark.parametrize(
    "pattern",
    [
        "a" * 65,
        "a*b*c*d*",
        "(a+)+",
        "(a|b)*",
        r"(a)\\1",
        "(?:a)",
        "a?" * 20 + "a" * 20,
        ".{1,9}.{1,9}.{1,9}.{1,9}",
    ],
)
def test_a_pattern_that_might_take_long_is_refused(pattern: str) -> None:
    with pytest.raises(LimitExceeded, match=r"pattern limit of 64 characters and 3 repetitions.*matching"):
        holds(f'matches("{"a" * 30}","{pattern}")')


def test_the_hardest_pattern_allowed_comes_to_an_end_and_long_texts_are_refused() -> None:
    assert not holds(f'matches("{"a" * 64}",".*.*.*b")')
    with pytest.raises(LimitExceeded, match="pattern"):
        holds(f'matches("{"a" * 65}","a")')


# Lists and strings


LISTS_AND_STRINGS = [
    ("length([a,b,c],X)", "3"),
    ("length([],X)", "0"),
    ("reverse([a,b,c],X)", "[c,b,a]"),
    ("first([a,b],X)", "a"),
    ("last([a,b],X)", "b"),
    ("rest([a,b,c],X)", "[b,c]"),
    ("rest([a],X)", "nil"),
    ("sort([10,9,b,a,2],X)", "[2,9,10,a,b]"),
    ("append([a],[b,c],X)", "[a,b,c]"),
    ("append([a],[b],[c],X)", "[a,b,c]"),
    ("append([],[],X)", "nil"),
    ("revappend([a,b],[c],X)", "[b,a,c]"),
    ("listify(f(a,b),X)", "[f,a,b]"),
    ("delistify([f,a,b],X)", "f(a,b)"),
    ("maximum([3,9,1],X)", "9"),
    ("minimum([3,9,1],X)", "1"),
    ("range([3,9,1],X)", "8"),
    ("midrange([3,9,1],X)", "5"),
    ("sum([3,9,1],X)", "13"),
    ("median([3,9,1],X)", "3"),
    ("median([4,1],X)", "2.5"),
    ("mean([1,2],X)", "1.5"),
    ("variance([1,3],X)", "1"),
    ("stddev([1,3],X)", "1"),
    ('symbolize("Ab c",X)', "abc"),
    ("stringify(f(a,b),X)", '"f(a,b)"'),
    ("stringify(a,X)", '"a"'),
    ('stringappend("a","b",c,X)', '"abc"'),
    ('stringmin("b","a",X)', '"a"'),
    ('stringjoin("a",b,X)', '"a b"'),
]


@pytest.mark.parametrize(("call", "result"), LISTS_AND_STRINGS)
def test_lists_and_strings(call: str, result: str) -> None:
    assert results(call) == [result]
    name, args = call[:-1].split("(", 1)
    assert results(f"evaluate({name}({args.removesuffix(',X')}),X)") == [result]


def test_lists_are_read_and_made_as_pairs() -> None:
    assert items_of(list_of(["a", "b"])) == ["a", "b"]
    assert items_of("nil") == []
    assert items_of("a") is None
    assert items_of(("cons", "a", "b")) is None
    with pytest.raises(
        LimitExceeded, match=f"list length limit of {MAX_DEPTH} items exceeded building a list"
    ):
        list_of(["a"] * (MAX_DEPTH + 1))


def test_a_string_cannot_grow_without_end() -> None:
    with pytest.raises(LimitExceeded, match="text length limit of 4,000 characters"):
        holds(f'same(A,"{"a" * 3000}") & stringappend(A,A,B)')


# Aggregates


def test_aggregates_look_at_all_instances() -> None:
    assert results("countofall(A,p(A),X)", P) == ["3"]
    assert results("countofall(A,pair(A,B),X)", P) == ["2"]
    assert results("countofall(f(A,B),pair(A,B),X)", P) == ["3"]
    assert results("countofall(A,nothing(A),X)", P) == ["0"]
    assert results("setofall(A,p(A),X)", P) == ["[3,1,2]"]
    assert results("setofall(B,pair(2,B),X)", P) == ["[b,c]"]
    assert results("setofall(A,nothing(A),X)", P) == ["nil"]
    assert holds("exists(A,p(A))", P)
    assert not holds("exists(A,p(A) & less(A,1))", P)
    assert not holds("~exists(A,p(A))", P)


def test_the_formula_of_an_aggregate_may_be_any() -> None:
    assert results("countofall(A,p(A) & ~pair(A,b),X)", P) == ["2"]
    assert results("countofall(A,(p(A) | pair(A,B)) & leq(A,2),X)", P) == ["2"]
    assert results("setofall(B,p(A) & plus(A,A,B),X)", P) == ["[6,2,4]"]
    assert results("countofall(A,p(A) & countofall(B,pair(A,B),N) & less(N,2),X)", P) == ["2"]


def test_other_variables_of_an_aggregate_are_those_of_the_rule() -> None:
    assert rows(f"n(A,N) :- p(A) & countofall(B,pair(A,B),N)\n{P}", "n", None, None) == [
        ("3", "0"),
        ("1", "1"),
        ("2", "2"),
    ]
    late = f"n(A,N) :- countofall(B,pair(A,B),N) & p(A)\n{P}"
    assert rows(late, "n", "2", None) == [("2",)]


def test_the_variables_that_an_aggregate_counts_are_its_own() -> None:
    assert rows(f"n(A,N) :- p(A) & countofall(A,pair(A,B),N)\n{P}", "n", "1", None) == [("2",)]


def test_a_set_of_too_many_is_refused() -> None:
    many = "".join(f"d({i})\n" for i in range(MAX_DEPTH + 1))
    assert results("countofall(A,d(A),X)", many) == [str(MAX_DEPTH + 1)]
    with pytest.raises(LimitExceeded, match="list length"):
        results("setofall(A,d(A),X)", many)


# Expressions and definitions


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("5", "5"),
        ("a", "a"),
        ("f(a,plus(1,2))", "f(a,3)"),
        ("plus(times(2,3),minus(10,4))", "12"),
        ("plus(length([a,b]),max(1,2,3))", "5"),
        ("countofall(A,p(A))", "3"),
        ("plus(countofall(A,p(A)),1)", "4"),
        ("setofall(A,p(A))", "[3,1,2]"),
        ("maximum(setofall(A,p(A)))", "3"),
        ("if(less(1,2),yes,no)", "yes"),
        ("if(less(2,1),yes,no)", "no"),
        ("if(p(1),plus(1,1),0)", "2"),
        ("if(p(7),1,p(2),2,3)", "2"),
        ("if(p(7),1,p(8),2,3)", "3"),
        ("if(p(7) | ~p(8),1,2)", "1"),
        ("if(p(A) & less(A,2),1,2)", "1"),
        ("if(less(1,2),1,quotient(1,0))", "1"),
        ("map(abs,[-1,2,-3])", "[1,2,3]"),
        ("map(square,[1,2,3])", "[1,4,9]"),
        ("square(plus(1,2))", "9"),
        ("limit", "10"),
        ("plus(limit,1)", "11"),
        ("factorial(5)", "120"),
        ("power(2,10)", "1024"),
        ("fibonacci(60)", "2504730781961"),
        ("ends(isodd(7))", "ends(yes)"),
        ("above(1)", "2"),
        ("sumto(100)", "5050"),
    ],
)
def test_expressions_have_values(expression: str, value: str) -> None:
    definitions = """
        limit := 10
        square(X) := times(X,X)
        factorial(0) := 1
        factorial(N) := times(N,factorial(minus(N,1)))
        power(X,N) := if(leq(N,0),1,times(X,power(X,minus(N,1))))
        fibonacci(N) := if(less(N,2),1,plus(fibonacci(minus(N,1)),fibonacci(minus(N,2))))
        isodd(N) := if(same(N,0),no,iseven(minus(N,1)))
        iseven(N) := if(same(N,0),yes,isodd(minus(N,1)))
        above(N) := countofall(A,p(A) & less(N,A))
        sumto(N) := if(less(N,1),0,plus(N,sumto(minus(N,1))))
    """
    assert results(f"evaluate({expression},X)", P + definitions) == [value]


def test_an_expression_without_a_value_has_no_answer() -> None:
    assert results("evaluate(if(p(7),1),X)", P) == []
    assert results("evaluate(f(quotient(1,0)),X)") == []
    assert results("evaluate(loop(1),X)", "loop(N) := loop(N)\n") == []
    assert results("evaluate(one(2),X)", "one(1) := yes\n") == []


def test_a_definition_without_end_meets_the_limit_on_depth() -> None:
    reasoner = reasoner_of(
        "up(N) := plus(1,up(plus(N,1)))\np(X) :- evaluate(up(0),X)\nfine(1)\n", Limits(depth=200)
    )
    with pytest.raises(LimitExceeded, match="depth limit of 200 nested questions"):
        reasoner.answers("p", (None,), Situation(()))
    assert reasoner.answers("fine", (None,), Situation(())) == [("1",)]


def test_a_definition_that_branches_without_end_meets_a_limit_too() -> None:
    text = "f(N,M) := plus(f(plus(N,1),M),f(N,plus(M,1)))\np(X) :- evaluate(f(0,0),X)\n"
    with pytest.raises(LimitExceeded):
        reasoner_of(text, Limits(seconds=0.5)).answers("p", (None,), Situation(()))


def test_a_variable_of_an_expression_must_have_a_value() -> None:
    with pytest.raises(UnsafeRule, match="variable Y has no value here"):
        results("evaluate(plus(1,Y),X)")
    assert results("evaluate(plus(1,Y),X) & p(Y)", P) == ["4", "2", "3"]


# Names


def test_a_relation_of_the_sheet_wins_over_a_builtin_of_its_name() -> None:
    assert results("plus(1,2,X)", "plus(1,2,twelve)\n") == ["twelve"]
    assert results("member(X,team)", "member(ann,team)\n") == ["ann"]
    assert results("round(X)", "round(4)\n") == ["4"]
    assert holds("less(b,a)", "less(b,a)\n")
    assert not holds("less(1,2)", "less(b,a)\n")


def test_a_relation_of_the_state_wins_over_a_builtin_of_its_name() -> None:
    sheet = """
        role(r) init(round(1)) init(first(ann)) control(r) legal(go)
        go :: round(X) & plus(X,1,Y) ==> ~round(X) & round(Y) & max(Y)
        terminal :- max(3)
        goal(r,100) :- first(ann)
        goal(r,0) :- ~first(ann)
    """
    state = gm.parse(sheet, "epilog", machine="reference").initial_state().next("go").next("go")
    assert set(map(str, state.facts)) == {"round(3)", "first(ann)", "max(2)", "max(3)"}
    assert state.is_terminal
    assert state.goal("r") == 100


def test_the_names_of_builtins_are_all_but_those_of_the_sheet() -> None:
    names = builtins_of(read(Source("sheet", "plus(1,2)\nlast(X) :- q(X)\n"), "hrf"))
    assert names.isdisjoint({"plus", "last", "q"})
    assert names > {"distinct", "same", "minus", "less", "countofall", "evaluate"}


def test_a_builtin_with_another_number_of_arguments_is_no_builtin() -> None:
    assert [builtin_arity_fits(name, 2) for name in ("distinct", "plus", "less", "mutex", "member")] == [
        True
    ] * 5
    assert [builtin_arity_fits(name, 1) for name in ("distinct", "plus", "less", "member")] == [False] * 4
    assert not builtin_arity_fits("mutex", 0)
    assert not builtin_arity_fits("nonsense", 2)
    assert not holds("mutex")
    assert not holds("less(1,2,3)")


def test_builtins_exist_in_every_notation() -> None:
    rules = read(Source("sheet", "(<= (p ?x) (q ?y) (plus ?y 1 ?x))(q 1)"), "kif")
    assert Reasoner(rules).answers("p", (None,), Situation(())) == [("2",)]


@pytest.mark.parametrize(
    "body",
    [
        "random(X)",
        "timestamp(X)",
        "newsymbolize(a,X)",
        "choose(A,p(A),X)",
        "evaluate(random(),X)",
        "evaluate(choose(A,p(A)),X)",
        "evaluate(plus(1,random()),X)",
        "countofall(A,random(A),X)",
    ],
)
def test_what_depends_on_chance_or_the_clock_is_refused_with_its_place(body: str) -> None:
    with pytest.raises(RulesError, match="would make the game depend on chance or the clock") as caught:
        results(body, P)
    assert caught.value.place
    assert caught.value.place.line == 1
    assert "role(random)" in caught.value.hint


def test_a_relation_of_the_sheet_may_have_the_name_of_what_is_refused() -> None:
    assert results("random(X)", "random(4)\n") == ["4"]
    assert results("evaluate(random(),X)", "random() := 4\n") == ["4"]


def test_every_builtin_is_tested_here() -> None:
    functions = {call.split("(")[0] for call, _ in ARITHMETIC + LISTS_AND_STRINGS}
    assert functions == FUNCTIONS.keys()
    assert {body.split("(")[0] for body, _ in HOLDS} > TESTS.keys()


def test_no_name_is_two_kinds_of_builtin() -> None:
    kinds = [
        set(FUNCTIONS),
        set(TESTS),
        set(AGGREGATES),
        set(IMPURE),
        {"distinct", "same", "member", "evaluate"},
    ]
    assert sum(map(len, kinds)) == len(set().union(*kinds))
