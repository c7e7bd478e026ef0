"""The reasoner against brute force: on any small program it finds what follows, and in Prolog's order."""

from __future__ import annotations

import random
from collections.abc import Collection
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gamemaster.errors import NotStratified
from gamemaster.ground.reasoner import Reasoner, Situation
from gamemaster.language.notation import read
from gamemaster.language.source import Source
from tests.ground.models import (
    Clause,
    Literal,
    Program,
    Question,
    TooLong,
    expected_answers,
    knots,
    perfect_model,
    programs,
    prolog_answers,
    questions,
)

quick = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
NODES = ("a", "b", "c", "d")
edges = st.sets(st.tuples(st.sampled_from(NODES), st.sampled_from(NODES)), max_size=9)


def reasoner_of(text: str) -> Reasoner:
    return Reasoner(read(Source.checked("program", text), "hrf"))


class Asked:
    """A program in the reasoner, with the state and the moves that it gives."""

    def __init__(self, program: Program) -> None:
        self.reasoner = reasoner_of(program.text)
        self.facts: list[Any] = [(n, *args) if args else n for n, args in program.facts_of_kind("state")]
        self.moves: list[Any] = [args for _, args in program.facts_of_kind("moves")]
        self.situation = Situation(self.facts)

    def answers(self, name: str, asked: Question) -> list[tuple[Any, ...]]:
        return self.reasoner.answers(name, asked, self.situation, self.moves)


def check_against_model(program: Program, seed: int) -> None:
    """Ask everything in any order, then again, then about a new state that is the same."""
    model = perfect_model(program)
    todo = questions(program)
    random.Random(seed).shuffle(todo)
    asked = Asked(program)
    first = {question: asked.answers(*question) for question in todo}
    for question, found in first.items():
        assert len(found) == len(set(found)), question
        assert set(found) == expected_answers(model, *question), question
        assert asked.answers(*question) == found, question
    asked.situation = Situation(asked.facts)
    for question in reversed(todo):
        assert set(asked.answers(*question)) == set(first[question]), question


@given(program=programs(), seed=st.integers(0, 99))
@settings(quick, max_examples=120)
def test_it_finds_exactly_what_follows_whatever_is_asked_first(program: Program, seed: int) -> None:
    check_against_model(program, seed)


@given(program=knots(), seed=st.integers(0, 99))
@settings(quick, max_examples=200)
def test_it_finds_exactly_what_follows_where_all_stand_on_each_other(program: Program, seed: int) -> None:
    check_against_model(program, seed)


@given(program=programs(is_recursive=False, is_ordered=True))
@settings(quick, max_examples=100)
def test_without_recursion_answers_come_in_the_order_of_prolog(program: Program) -> None:
    asked = Asked(program)
    with suppress(TooLong):
        for question in questions(program):
            assert asked.answers(*question) == prolog_answers(program, *question), question


# Recursion of every form

X, Y, Z = "X", "Y", "Z"
EDGE = Clause(Literal("path", (X, Y)), (Literal("edge", (X, Y)),))
NO_PATH = Clause(
    Literal("nopath", (X, Y)),
    (Literal("path", (X, Y), is_positive=False), Literal("node", (X,)), Literal("node", (Y,))),
)
RECURSIONS: dict[str, tuple[Clause, ...]] = {
    "left": (Clause(Literal("path", (X, Y)), (Literal("path", (X, Z)), Literal("edge", (Z, Y)))), EDGE),
    "right": (EDGE, Clause(Literal("path", (X, Y)), (Literal("edge", (X, Z)), Literal("path", (Z, Y))))),
    "double": (Clause(Literal("path", (X, Y)), (Literal("path", (X, Z)), Literal("path", (Z, Y)))), EDGE),
    "mutual": (
        Clause(Literal("path", (X, Y)), (Literal("odd", (X, Y)),)),
        Clause(Literal("path", (X, Y)), (Literal("even", (X, Y)),)),
        Clause(Literal("even", (X, Y)), (Literal("odd", (X, Z)), Literal("edge", (Z, Y)))),
        Clause(Literal("odd", (X, Y)), (Literal("even", (X, Z)), Literal("edge", (Z, Y)))),
        Clause(Literal("odd", (X, Y)), (Literal("edge", (X, Y)),)),
    ),
    "backwards": (Clause(Literal("path", (X, Y)), (Literal("path", (Z, Y)), Literal("edge", (X, Z)))), EDGE),
}


@pytest.mark.parametrize("form", RECURSIONS)
@given(graph=edges, seed=st.integers(0, 99))
@settings(quick, max_examples=15)
def test_paths_are_found_with_every_form_of_recursion(
    form: str, graph: Collection[tuple[str, str]], seed: int
) -> None:
    facts = [Clause(Literal("edge", edge)) for edge in sorted(graph)]
    facts += [Clause(Literal("node", (node,))) for node in NODES]
    clauses = (*facts, *RECURSIONS[form], NO_PATH)
    arities = {clause.head.name: len(clause.head.args) for clause in clauses} | {"edge": 2}
    levels = {name: int(name == "nopath") for name in arities}
    program = Program(NODES, arities, levels, dict.fromkeys(arities, "rules"), clauses)
    if graph:
        check_against_model(program, seed)


# Stratified only once it is ground

WIN = "win(X) :- move(X,Y) & ~win(Y)\n"


def wins(graph: Collection[tuple[str, str]]) -> dict[str, bool | None]:
    """Who wins at each node: the one who cannot move loses; None where nobody can force it."""
    after = {node: [y for x, y in graph if x == node] for node in NODES}
    result: dict[str, bool | None] = dict.fromkeys(NODES)
    for _ in NODES:
        for node in NODES:
            if any(result[y] is False for y in after[node]):
                result[node] = True
            elif all(result[y] is True for y in after[node]):
                result[node] = False
    return result


def moves_of(graph: Collection[tuple[str, str]]) -> str:
    return "".join(f"move({x},{y})\n" for x, y in sorted(graph)) or "move(none,none)\n"


@given(graph=edges.map(lambda graph: {(x, y) for x, y in graph if x < y}))
@settings(quick, max_examples=50)
def test_who_wins_is_known_where_play_must_end(graph: Collection[tuple[str, str]]) -> None:
    reasoner = reasoner_of(moves_of(graph or {("a", "b")}) + WIN)
    expected = wins(graph or {("a", "b")})
    assert {node for (node,) in reasoner.answers("win", (None,), Situation(()))} == {
        node for node in NODES if expected[node]
    }
    for node in NODES:
        assert bool(reasoner.answers("win", (node,), Situation(()))) is expected[node]


@given(graph=edges, start=st.sampled_from(NODES))
@settings(quick, max_examples=100)
def test_where_play_may_go_round_the_answer_is_right_or_refused(
    graph: Collection[tuple[str, str]], start: str
) -> None:
    reasoner = reasoner_of(moves_of(graph) + WIN)
    try:
        found: bool | None = bool(reasoner.answers("win", (start,), Situation(())))
    except NotStratified:
        return
    assert found is wins(graph)[start]


def test_the_goal_that_is_left_over_may_be_said_with_a_negation_of_goal() -> None:
    text = "role(x)\nrole(o)\ngoal(R,100) :- true(won(R))\ngoal(R,0) :- role(R) & ~goal(R,100)\n"
    reasoner = reasoner_of(text)
    for facts in ([("won", "x")], []):
        situation = Situation(facts)
        expected = [("x", "100" if facts else "0"), ("o", "0")]
        assert reasoner.answers("goal", (None, None), situation) == expected
        for role, reward in expected:
            assert reasoner.answers("goal", (role, None), situation) == [(reward,)]
            assert reasoner.answers("goal", (role, reward), situation) == [()]


@pytest.mark.parametrize(
    ("text", "question", "atoms", "line"),
    [
        ("p :- ~p\n", "p", ["p", "~p"], 1),
        ("p :- ~q\nq :- ~p\n", "p", ["p", "q", "~p"], 2),
        ("p :- q\nq :- r\nr :- s & ~p\ns\n", "q", ["p", "q", "r"], 3),
        ("d(a)\nd(b)\np(X) :- d(X) & ~q(X)\nq(X) :- p(X)\n", "p", ["p(a)", "q(a)"], 3),
        ("d(a)\np(X) :- d(X) & countofall(Y,p(Y),0)\n", "p", ["p(_)"], 2),
        ("d(a)\np :- exists(X,d(X) & ~p)\n", "p", ["p"], 2),
        ("d(a)\np(X) :- d(X) & ~(d(X) & ~p(X))\n", "p", ["p(a)"], 2),
    ],
)
def test_what_stands_on_its_own_negation_is_refused_and_the_atoms_are_named(
    text: str, question: str, atoms: list[str], line: int
) -> None:
    reasoner = reasoner_of(text + "fine :- other\nother\n")
    arity = 1 if f"{question}(" in text else 0
    with pytest.raises(NotStratified, match="recursion through negation") as caught:
        reasoner.answers(question, (None,) * arity, Situation(()))
    for atom in atoms:
        assert atom in caught.value.what
    assert caught.value.place
    assert caught.value.place.line == line
    assert reasoner.answers("fine", (), Situation(())) == [()]
