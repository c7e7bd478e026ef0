"""Splitting rules: what follows stays the same, and there are fewer instances of it."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gamemaster.ground import split as splitting
from gamemaster.ground.clingo_grounder import GroundLimits, ground
from gamemaster.ground.reasoner import Reasoner, Situation
from gamemaster.ground.sizes import largest_rule
from gamemaster.ground.split import split
from gamemaster.language.lower import lower
from gamemaster.language.notation import read
from gamemaster.language.rules import Notation, Rule, Rules, relation_of
from gamemaster.language.source import Source
from tests.ground.models import Program, expected_answers, perfect_model, programs, questions

quick = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])

NUMBERS = " ".join(f"(number {i})" for i in range(1, 6)) + "".join(f"(succ {i} {i + 1})" for i in range(1, 5))
BOARD = f"""
{NUMBERS} (role x) (role o)
(<= (init (cell ?x ?y b)) (number ?x) (number ?y))
(<= (legal ?r (move ?a ?b ?c ?d)) (role ?r) (true (cell ?a ?b ?p)) (near ?a ?c) (near ?b ?d))
(<= (near ?a ?b) (succ ?a ?b)) (<= (near ?a ?b) (succ ?b ?a)) (<= (near ?a ?a) (number ?a))
(<= (next (cell ?c ?d ?r)) (does ?r (move ?a ?b ?c ?d)))
"""


def rules_of(text: str, notation: Notation = "kif") -> Rules:
    return lower(read(Source("test", text), notation))


def new_rules(rules: Rules) -> list[Rule]:
    """The rules of the relations that splitting makes."""
    own = {relation_of(rule.head) for rule in rules.rules}
    return [rule for rule in split(rules).rules if relation_of(rule.head) not in own]


def shown(rules: Rules) -> list[str]:
    return [str(rule.head) for rule in new_rules(rules)]


def ground_atoms(rules: Rules) -> dict[str, set[str]]:
    """The atoms of the sheet's relations that grounding finds, by relation."""
    program = ground(rules, GroundLimits(), name_all=True)
    found: dict[str, set[str]] = {}
    for atom in program.atoms.values():
        name = str(atom).split("(")[0]
        if not name.startswith("split_") and not name[1:].isdigit():
            found.setdefault(name, set()).add(str(atom))
    return found


@st.composite
def wide_programs(draw: st.DrawFn) -> str:
    """Facts and one rule of up to eight literals over up to seven variables."""
    variables = ["A", "B", "C", "D", "E", "F", "G"]
    variable = st.sampled_from(variables)
    forms = ("true(p({},{}))", "true(q({}))", "r({},{})", "s({},{})", "does({},m({},{}))", "r(a,{})")
    body = [
        form.format(*draw(st.lists(variable, min_size=3, max_size=3)))
        for form in draw(st.lists(st.sampled_from(forms), min_size=2, max_size=6))
    ]
    bound = [v for v in variables if any(v in literal for literal in body)]
    known = st.sampled_from(bound)
    tests = (
        "~true(q({}))",
        "~r({},{})",
        "distinct({},{})",
        "~r({},Own)",
        "~(true(p({},Own)) & r(Own,{}))",
        "(r({},{}) | s({},{}))",
        "~distinct({},{})",
    )
    for form in draw(st.lists(st.sampled_from(tests), max_size=3)):
        body.append(form.format(*draw(st.lists(known, min_size=4, max_size=4))))
    head = f"head({draw(known)},{draw(known)})"
    facts = "r(a,b) r(b,c) r(c,c) s(a,a) s(b,a) s(c,b)"
    return f"{facts} {head} :- {' & '.join(draw(st.permutations(body)))}"


# What follows


def answers(program: Program, rules: Rules) -> dict[Any, set[tuple[Any, ...]]]:
    """What the reference reasoner answers to every question about a program's relations."""
    reasoner = Reasoner(rules)
    situation = Situation([(n, *args) if args else n for n, args in program.facts_of_kind("state")])
    moves: list[Any] = [args for _, args in program.facts_of_kind("moves")]
    return {q: set(reasoner.answers(*q, situation, moves)) for q in questions(program)}


@given(program=programs())
@settings(quick, max_examples=80)
def test_however_much_is_split_the_same_follows(program: Program) -> None:
    model = perfect_model(program)
    with patch.object(splitting, "WORTHWHILE", 0), patch.object(splitting, "SAVING", 1e9):
        rules = split(rules_of(program.text, "hrf"))
    for question, found in answers(program, rules).items():
        assert found == expected_answers(model, *question), question


@given(program=wide_programs())
@settings(quick, max_examples=100)
def test_splitting_rules_of_many_variables_changes_no_answer(program: str) -> None:
    before = rules_of(program, "hrf")
    with patch.object(splitting, "WORTHWHILE", 0), patch.object(splitting, "SAVING", 1e9):
        after = split(before)
    situation = Situation([("p", "a", "b"), ("p", "b", "b"), ("p", "c", "a"), ("q", "a"), ("q", "c")])
    moves = [("x", ("m", "a", "c")), ("o", ("m", "b", "b"))]
    expected = set(Reasoner(before).answers("head", (None, None), situation, moves))
    assert set(Reasoner(after).answers("head", (None, None), situation, moves)) == expected


@st.composite
def giving_programs(draw: st.DrawFn) -> str:
    """A rule in which what can move gets values from a literal that has more variables than that."""
    tests = (
        "~r({inner},{outer})",
        "distinct({inner},{outer})",
        "~true(p({outer},{inner}))",
        "~s({inner},{outer})",
    )
    body = ["w(A,B,C)", draw(st.sampled_from(("true(p(D,E))", "does(D,m(E,F))", "r(D,E)")))]
    for form in draw(st.lists(st.sampled_from(tests), min_size=1, max_size=3)):
        body.append(form.format(inner=draw(st.sampled_from("DE")), outer=draw(st.sampled_from("ABC"))))
    wide = " ".join(f"w({a},{b},{c})" for a in "abc" for b in "abc" for c in "abc" if a + b + c != "abc")
    facts = f"r(a,b) r(b,c) r(c,c) s(a,a) s(b,a) s(c,b) {wide}"
    return f"{facts} head(A,B,C) :- {' & '.join(draw(st.permutations(body)))}"


@given(program=giving_programs())
@settings(quick, max_examples=60)
def test_what_gives_values_can_be_projected_and_no_answer_changes(program: str) -> None:
    before = rules_of(program, "hrf")
    with patch.multiple(splitting, WORTHWHILE=0, MANY=0):
        after = split(before)
    for facts in ([("p", "a", "b"), ("p", "b", "b"), ("p", "c", "a")], [("p", "a", "a")], []):
        situation = Situation(facts)
        moves = [("x", ("m", "a", "c")), ("o", ("m", "b", "b"))]
        expected = set(Reasoner(before).answers("head", (None, None, None), situation, moves))
        assert set(Reasoner(after).answers("head", (None, None, None), situation, moves)) == expected


# What it does


def test_variables_that_only_one_literal_has_are_projected_away_and_the_relation_is_shared() -> None:
    text = (
        BOARD
        + """
        (<= (next (cell ?x ?y ?p)) (true (cell ?x ?y ?p)) (does ?r (move ?a ?b ?c ?d)) (distinct ?x ?a))
        (<= (next (cell ?x ?y ?p)) (true (cell ?x ?y ?p)) (does ?s (move ?k ?l ?m ?n)) (distinct ?y ?k))"""
    )
    made = [rule for rule in new_rules(rules_of(text)) if len(rule.body) == 1]
    assert [str(rule.body[0].term) for rule in made if "does" in str(rule.body)] == ["does(R,move(A,B,C,D))"]  # type: ignore[union-attr]
    assert_same_and_smaller(text)


def test_what_has_nothing_to_do_with_the_head_becomes_a_proposition() -> None:
    text = (
        BOARD
        + """
        (<= (found ?x ?y) (true (cell ?x ?y ?p)) (true (cell ?u ?v ?q)) (near ?u ?v) (distinct ?q b))"""
    )
    made = new_rules(rules_of(text))
    assert any(not isinstance(rule.head, tuple) for rule in made)
    assert_same_and_smaller(text)


def test_a_negation_moves_with_its_variables_and_what_gives_them_values() -> None:
    text = (
        BOARD
        + """
        (<= (lonely ?x) (true (cell ?x ?y ?p)) (true (cell ?u ?v ?q)) (near ?y ?v)
            (not (does ?r (move ?u ?v ?any ?other))) (not (near ?u ?p)))"""
    )
    assert_same_and_smaller(text)


def test_what_only_gives_values_is_projected_where_it_has_many_instances() -> None:
    text = (
        BOARD
        + """
        (<= (seen ?x ?y) (does ?r (move ?x ?y ?c ?d)))
        (<= (wide ?u ?a ?b ?c ?d) (true (cell ?u ?a ?p)) (number ?b) (number ?c) (number ?d))
        (<= (safe ?u ?a ?b ?c ?d) (wide ?u ?a ?b ?c ?d) (true (cell ?x ?y ?p)) (distinct ?x ?u) (not (seen ?y ?u)))"""
    )
    made = [rule for rule in new_rules(rules_of(text)) if "wide" in str(rule.body)]
    assert [len(rule.head) for rule in made] == [2]  # a projection on one variable, and no other copy of it
    assert_same_and_smaller(text)


def test_disjunctions_and_builtins_move_as_they_are() -> None:
    text = (
        BOARD
        + """
        (<= (far ?x) (true (cell ?x ?y ?p)) (true (cell ?u ?v ?q)) (or (near ?u ?v) (true (cell ?v ?u ?q)))
            (plus ?y ?v ?sum) (less ?sum 5) (same ?w ?sum) (number ?w) (distinct ?p b))"""
    )
    assert_same_and_smaller(text)


def assert_same_and_smaller(text: str) -> None:
    rules = rules_of(text)
    after = split(rules)
    assert len(after.rules) > len(rules.rules)
    assert ground_atoms(after).items() >= ground_atoms(rules).items()
    sizes = [len(ground(sheet, GroundLimits()).heads) for sheet in (rules, after)]
    assert sizes[1] < sizes[0] / 2


# What it leaves alone


def test_small_rules_and_those_with_aggregates_are_left_alone() -> None:
    text = (
        BOARD
        + """
        (<= (small ?x) (succ ?x ?y) (succ ?y ?z))
        (<= (all ?n ?x) (true (cell ?x ?y ?p)) (true (cell ?u ?v ?q)) (countofall ?z (true (cell ?z ?z b)) ?n))"""
    )
    rules = rules_of(text)
    assert split(rules).sentences[-2:] == rules.sentences[-2:]


def test_unsafe_rules_are_left_for_others_to_refuse() -> None:
    text = (
        BOARD
        + """(<= (odd ?w) (true (cell ?x ?y ?p)) (true (cell ?u ?v ?q)))
        (<= odd (true (cell ?x ?y ?p)) (true (cell ?u ?v ?q)) (not (near ?x ?free)) (not (near ?free ?u)))"""
    )
    rules = rules_of(text)
    assert split(rules).sentences[-1:] == rules.sentences[-1:]


def test_names_of_the_sheet_are_not_taken() -> None:
    text = (
        BOARD
        + """(split_1 a)
        (<= (next (cell ?x ?y ?p)) (true (cell ?x ?y ?p)) (does ?r (move ?a ?b ?c ?d)) (split_2 ?x ?a))"""
    )
    assert not {"split_1", "split_2"} & {str(relation_of(rule.head)[0]) for rule in new_rules(rules_of(text))}
    assert new_rules(rules_of(text))


def test_a_sheet_too_long_for_estimates_is_left_alone() -> None:
    text = "(role r) " + " ".join(f"(c k{i})" for i in range(21_000)) + "(<= (next (at ?x)) (c ?x))"
    rules = read(Source("long", text))
    assert split(rules) is rules
    largest = largest_rule(rules)
    assert largest is not None
    assert str(largest.head) == "next(at(X))"


def test_the_largest_rule_is_found() -> None:
    domain = " ".join(f"(d {i})" for i in range(30))
    rules = read(
        Source("wide", f"(role r) {domain} (<= (p ?x) (d ?x)) (<= (q ?x ?y ?z) (d ?x) (d ?y) (d ?z))")
    )
    largest = largest_rule(rules)
    assert largest is not None
    assert str(largest.head) == "q(X,Y,Z)"
    assert largest_rule(read(Source("facts", "(role r)"))) is None
