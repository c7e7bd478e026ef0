"""Grounding by clingo in a process of its own, and what the ground program says about negation."""

from __future__ import annotations

import subprocess
import sys
from subprocess import PIPE

import pytest

from gamemaster.errors import LimitExceeded, RulesError
from gamemaster.ground import clingo_grounder
from gamemaster.ground.clingo_grounder import GroundLimits, ground
from gamemaster.ground.clingo_process import MOST_COMPLAINTS, Complaints, is_out_of_memory
from gamemaster.ground.program import Program
from gamemaster.ground.stratification import find_negative_cycle
from gamemaster.language.lower import lower
from gamemaster.language.notation import read
from gamemaster.language.rules import Rules
from gamemaster.language.source import Source
from gamemaster.language.terms import Symbol

COUNTER = """
(role r) (init (n 0)) (succ 0 1) (succ 1 2) (succ 2 3)
(<= (legal r tick) (true (n ?x)) (succ ?x ?y))
(<= (next (n ?y)) (does r tick) (true (n ?x)) (succ ?x ?y))
(<= terminal (true (n 3)))
(<= (goal r 100) terminal)
"""


WIDE = f"""(role r) {" ".join(f"(d {n})" for n in range(40))}
(<= (p ?a ?b ?c ?d ?e) (d ?a) (d ?b) (d ?c) (d ?d) (d ?e) (true (q ?a ?b ?c ?d ?e)))
(<= (next (q ?a ?b ?c ?d ?e)) (d ?a) (d ?b) (d ?c) (d ?d) (d ?e))"""


def rules_of(text: str) -> Rules:
    return lower(read(Source("test", text)))


def atoms(program: Program, name: str) -> set[str]:
    return {text for text in map(str, program.atoms.values()) if text.startswith(name)}


def test_every_fact_and_move_that_can_occur_is_found() -> None:
    program = ground(rules_of(COUNTER), name_all=True)
    assert atoms(program, "true") == {"true(n(0))", "true(n(1))", "true(n(2))", "true(n(3))"}
    assert atoms(program, "does") == {"does(r,tick)"}
    assert set(program.named["legal"]) == {(Symbol("r"), Symbol("tick"))}
    assert "true(n(1))" in {program.show_atom(number) for number in program.choices}
    assert "ground rules" in str(program)


def test_builtins_are_evaluated_while_grounding() -> None:
    text = """role(r) init(n(0)) init(control(r)) legal(tick) :- n(X) & less(X,3)
        tick :: n(X) & less(X,3) & plus(X,1,Y) ==> ~n(X) & n(Y)
        terminal :- n(X) & member(X,[2,3]) & distinct(X,2)   goal(r,1)"""
    program = ground(rules_of(text), GroundLimits(), name_all=True)
    assert {"true(n(0))", "true(n(1))", "true(n(2))", "true(n(3))"} <= atoms(program, "true")
    assert "true(n(4))" not in atoms(program, "true")


def test_disjunction_and_negation_with_variables_of_their_own() -> None:
    text = """(role r) (init (p a)) (init (q b)) (legal r x) (d a) (d b)
        (<= (next (s ?x)) (d ?x) (or (true (p ?x)) (and (true (q ?x)) (distinct ?x a))))
        (<= (next none) (not (true (s ?any))))
        (<= (next both) (not (or (true (p a)) (true (q a)))))
        (<= (next odd) (not (undefined 1)))"""
    program = ground(rules_of(text), GroundLimits(), name_all=True)
    assert {"true(s(a))", "true(s(b))", "true(none)", "true(both)", "true(odd)"} <= atoms(program, "true")


def test_strange_names_survive() -> None:
    text = '(role |A "b" \\\\|) (init (f (g) "x y")) (<= (legal ?r |--|) (role ?r)) (<= (next ?f) (true ?f))'
    program = ground(rules_of(text), GroundLimits(), name_all=True)
    assert 'f(g(),"x y")' in {str(atom[1]) for atom in program.atoms.values() if atom[0] == "true"}


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("(<= (n (s ?x)) (n ?x)) (n z) (role r)", "limit"),
        (
            "(role r) "
            + " ".join(f"(d {i})" for i in range(60))
            + "(<= (p ?a ?b ?c ?d ?e) (d ?a) (d ?b) (d ?c) (d ?d) (d ?e))",
            "limit",
        ),
    ],
)
def test_rules_that_ground_without_end_run_into_a_limit(text: str, what: str) -> None:
    with pytest.raises(LimitExceeded, match=what):
        ground(rules_of(text), GroundLimits(seconds=2, megabytes=500, rules=100_000))


def test_seconds_are_those_of_a_processor_that_nobody_shares() -> None:
    with pytest.raises(LimitExceeded, match=r"time limit of 0\.5 s"):
        ground(rules_of(WIDE), GroundLimits(seconds=0.5, patience=1_000_000))


def test_who_has_a_clock_waits_no_longer() -> None:
    with pytest.raises(LimitExceeded, match=r"time limit of 900 s"):
        ground(rules_of(WIDE), GroundLimits(seconds=900, patience=0))


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("rules", "(role r) (d 1) (d 2) (d 3) (init a) (<= (p ?x) (d ?x) (true a))"),
        ("literals", "(role r) (d 1) (d 2) (d 3) (init a) (init b) (<= (p ?x) (d ?x) (true a) (true b))"),
        ("always", "(role r) (d 1) (d 2) (d 3)"),
        ("choices", "(role r) (init a) (init b) (init c)"),
        ("calls", "(role r) (d 1) (d 2) (d 3) (<= (p ?x) (d ?x) (less ?x 5))"),
    ],
)
def test_everything_that_may_be_many_is_counted(
    monkeypatch: pytest.MonkeyPatch, kind: str, text: str
) -> None:
    assert ground(rules_of(COUNTER), GroundLimits())
    name, _, seconds = clingo_grounder.COUNTED[kind]
    monkeypatch.setitem(clingo_grounder.COUNTED, kind, (name, 2, seconds))
    with pytest.raises(LimitExceeded, match=f"size limit of 2 {name} exceeded grounding the rules"):
        ground(rules_of(text), GroundLimits(rules=2 if kind == "rules" else 100))


def test_a_counter_that_legality_stops_ends_on_the_ground_where_it_has_one_value() -> None:
    text = "role(r) init(n(0)) legal(t) :- n(X) & less(X,3)  t :: n(X) & plus(X,1,Y) ==> n(Y) goal(r,0) control(r)"
    with pytest.raises(LimitExceeded, match="numbers that something in the rules bounds"):
        ground(rules_of(text), GroundLimits(rules=2_000))
    program = ground(rules_of(text.replace("==> n(Y)", "==> ~n(X) & n(Y)")), GroundLimits(rules=2_000))
    assert len(program.named["true"]) == 4


def test_terms_and_numbers_that_grow_without_end_are_noticed_soon() -> None:
    for text, words in (
        ("(<= (n (s ?x)) (n ?x)) (n z) (role r)", "depth limit of 200 nested terms"),
        (
            "(role r) (init (n z)) (legal r a) (<= (next (n (s ?x))) (true (n ?x)))",
            "depth limit of 200 nested terms",
        ),
        (
            "(<= (n ?y) (n ?x) (plus ?x 1 ?y)) (n 0) (role r)",
            "size limit of 2,000 numbers, each computed from",
        ),
    ):
        with pytest.raises(LimitExceeded, match=words):
            ground(rules_of(text), GroundLimits())


def test_an_error_of_a_builtin_reaches_the_caller() -> None:
    with pytest.raises(LimitExceeded, match="pattern"):
        ground(rules_of('role(r) p :- matches("a","(a+)+") control(r) legal(p)'), GroundLimits())


def test_rules_that_cannot_be_grounded_say_why() -> None:
    with pytest.raises(RulesError, match="unsafe"):
        ground(rules_of("(role r) (<= (p ?x) (not (q ?x))) (q 1)"))


def test_a_circle_in_the_rules_that_is_none_on_the_ground() -> None:
    text = "(role r) (<= (win ?x) (edge ?x ?y) (not (win ?y))) (edge a b) (edge b c) (<= (edge c a) (true never))"
    assert find_negative_cycle(ground(rules_of(text), name_all=True)) == ()


def test_a_circle_on_the_ground_is_named() -> None:
    text = "(role r) (init s) (<= (p ?x) (d ?x) (true s) (not (q ?x))) (<= (q ?x) (d ?x) (not (p ?x))) (d a)"
    assert set(find_negative_cycle(ground(rules_of(text), name_all=True))) == {"p(a)", "q(a)"}


def test_a_process_that_complains_at_length_is_listened_to() -> None:
    program = (
        "import sys; sys.stderr.write('x' * 1_000_000 + 'MemoryError'); sys.stderr.flush(); print('done')"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=PIPE, stderr=PIPE) as child:
        assert child.stdout
        assert child.stderr
        complaints = Complaints(child.stderr)
        assert child.stdout.read() == b"done\n"
        last = complaints.last()
    assert len(last) <= MOST_COMPLAINTS
    assert is_out_of_memory(last)
