"""Comparisons and sums of other languages: the help says how they are written here."""

from __future__ import annotations

import pytest

from gamemaster.errors import ReadError
from gamemaster.language.check import check_rules
from gamemaster.language.notation import read
from gamemaster.language.source import Source

GAME = "role(x) init(n(0)) init(control(x)) goal(x,100) legal(a) :- n(X)\n"
KIF_GAME = "(role x) (init (n 0)) (goal x 100) (<= (legal x a) (true (n ?x))) (<= (next ?f) (true ?f))\n"


@pytest.mark.parametrize(
    ("condition", "right"),
    [
        ("X < 3", "less(X,3)"),
        ("X > 3", "less(3,X)"),
        ("X <= 3", "leq(X,3)"),
        ("X =< 3", "leq(X,3)"),
        ("X >= 3", "leq(3,X)"),
        ("X != 1", "distinct(X,1)"),
        ("X \\= 1", "distinct(X,1)"),
        ("X<3", "less(X,3)"),
        ("X = 1", "same(X,1)"),
        ("X == b", "same(X,b)"),
        ("b != X", "distinct(b,X)"),
        ("X-1 > 3", "minus(X,1,V) & less(3,V)"),
        ("Y = X+1", "plus(X,1,Y)"),
        ("Y is X+1", "plus(X,1,Y)"),
        ("Y is X * 2", "times(X,2,Y)"),
    ],
)
def test_the_help_for_a_comparison_is_the_builtin(condition: str, right: str) -> None:
    with pytest.raises(ReadError) as caught:
        read(Source("test", f"{GAME}terminal :- n(X) & {condition}"))
    assert caught.value.hint == f"write {right}"


@pytest.mark.parametrize(
    ("sentence", "hint"),
    [
        ("won <= n(3)", "write ':-' between head and conditions"),
        ("won(X) <= n(X)", "write ':-' between head and conditions"),
        ("won <- n(3)", "write ':-' between head and conditions"),
        ("a :: n(X) => n(3)", "write '==>' before the effects"),
        ("won :- n(f(X) + 1)", "add a condition that calculates, as plus(X,1,Y), and write Y"),
        ("won :- n(X + 1)", "add the condition plus(X,1,Y), and write Y in its place"),
    ],
)
def test_what_is_no_comparison_has_its_own_help(sentence: str, hint: str) -> None:
    with pytest.raises(ReadError) as caught:
        read(Source("test", f"{GAME}terminal :- n(3)\n{sentence}"))
    assert caught.value.hint == hint


def test_a_sum_in_an_effect_is_told_to_be_a_variable() -> None:
    found = check_rules(read(Source("test", f"{GAME}terminal :- n(3)\na :: n(X) ==> n(X+1)")))
    hints = [finding.hint for finding in found if finding.code == "unsafe"]
    assert hints == [
        "X+1 is the name of a variable: add the condition plus(X,1,Y), and write Y in its place",
    ]


@pytest.mark.parametrize(
    ("condition", "right"),
    [
        ("(< ?x 3)", "(less ?x 3)"),
        ("(> ?x 3)", "(less 3 ?x)"),
        ("(>= ?x 3)", "(leq 3 ?x)"),
        ("(!= ?x 1)", "(distinct ?x 1)"),
        ("(= ?x 1)", "(same ?x 1)"),
        ("(+ ?x 1 3)", "(plus ?x 1 3)"),
    ],
)
def test_the_help_in_kif_is_the_builtin_too(condition: str, right: str) -> None:
    found = check_rules(read(Source("test", f"{KIF_GAME}(<= terminal (true (n ?x)) {condition})")))
    assert [finding.hint for finding in found if finding.code == "undefined"] == [f"write {right}"]


def test_a_handler_of_a_misspelt_move_is_told_which() -> None:
    text = f"{GAME}terminal :- n(3)\nlegal(go(X)) :- n(X)\nog(X) :: n(X) ==> ~n(X)\n"
    found = [finding for finding in check_rules(read(Source("test", text))) if finding.code == "unused"]
    assert [finding.message for finding in found] == [
        "og is never done: it is no legal move, and no effect; did you mean go?"
    ]
