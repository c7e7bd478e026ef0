"""What play does to facts that have one value: what vanishes, what stands twice, who is in control."""

from __future__ import annotations

import random

import pytest

from gamemaster.load import parse
from gamemaster.machine.game import Game
from gamemaster.machine.playtest import FIRST_LOOK, playtest
from gamemaster.machine.watching import Watcher

WALK = """
role(a) role(b) init(control(a)) init(at(1,here)) init(at(2,here)) init(step(0))
legal(go(N)) :- at(N,here)
{}
step(0,1)
terminal :- ~at(1,here) & ~at(2,here)
goal(R,50) :- role(R)
other(a,b) other(b,a)
"""
COUNT = """(role r) (init (p 0)) (succ 0 1) (succ 1 2) (legal r on) (legal r off) (goal r 50)
(<= (next (p ?y)) (does r on) (true (p ?x)) (succ ?x ?y))
(init (t 0)) (<= (next (t ?y)) (true (t ?x)) (less ?x 5) (plus ?x 1 ?y))
(<= terminal (true (t 5)))"""
MOVES = "go(N) :: at(N,here) ==> ~at(N,here) & at(N,there)\n"
TURN = "go(N) :: control(R) & other(R,S) ==> ~control(R) & control(S)\n"


def game_of(handlers: str) -> Game:
    return parse(WALK.format(handlers).replace("step(0,1)\n", ""), "epilog", machine="reference")


def seen(handlers: str) -> list[tuple[str, list[str]]]:
    game = game_of(handlers)
    watcher, generator = Watcher(game.initial_state()), random.Random(0)
    state, path = game.initial_state(), []
    watcher.begin()
    while not state.is_over and state.step < 5:
        moves = state.random_moves(generator)
        path.append((state, moves))
        state = state.next(moves)
        watcher.see(path, state)
    return [(found.kind, sorted(map(str, found.facts))) for found in watcher.breaks()]


@pytest.mark.parametrize(
    ("handlers", "kind", "facts"),
    [
        (MOVES.replace("~at(N,here) & ", "") + TURN, "double", ["at(2,here)", "at(2,there)"]),
        (MOVES + TURN.replace("~control(R) & ", ""), "both", ["control(a)", "control(b)"]),
        (MOVES + TURN.replace(" & control(S)", ""), "nobody", ["control(a)"]),
    ],
)
def test_what_breaks_is_seen(handlers: str, kind: str, facts: list[str]) -> None:
    assert seen(handlers) == [(kind, facts)]


def test_what_is_right_is_not_odd() -> None:
    assert seen(MOVES + TURN) == []


def test_what_only_goes_is_taken_away_on_purpose() -> None:
    assert seen("go(N) :: at(N,here) ==> ~at(N,here)\n" + TURN) == []


PHASES = """(role a) (role b) (init (control a)) (init (step 0)) (goal a 50) (goal b 50)
(<= (legal ?r (take ?n)) (true (control ?r)) (num ?n)) (num 1) (num 2)
(<= (legal ?r noop) (role ?r) (not (true (control ?r))))
(<= (legal ?r (run ?n)) (role ?r) {} (num ?n))
(<= (next (control b)) (true (control a)))
(init (taken 1 0)) (init (taken 2 0)) (<= (next (taken ?n 1)) (does a (take ?n)))
(<= (next (taken ?n ?x)) (true (control a)) (true (taken ?n ?x)) (not (does a (take ?n))))
(<= (next (step ?y)) (true (step ?x)) (plus ?x 1 ?y) (less ?x 9)) (<= terminal (true (step 9)))"""


def test_roles_that_can_choose_without_turns_need_nobody_in_control() -> None:
    free = PHASES.format("(not (true (control a))) (not (true (control b)))")
    assert playtest(parse(free, "kif", machine="reference"), amount=FIRST_LOOK).findings == {}
    bound = PHASES.format("(true (control ?r))")
    found = playtest(parse(bound, "kif", machine="reference"), amount=FIRST_LOOK).findings
    assert [*found] == ["control"]


CATCH = """(role r) (init (at 1 mouse)) (init (at 2 trap)) (init (at 3 free)) (succ 1 2) (succ 1 3) (succ 3 2)
(<= (legal r (go ?y)) (true (at ?x mouse)) (succ ?x ?y)) (goal r 0)
(<= (next (at ?x mouse)) (does r (go ?x))) (<= (next (at ?x free)) (true (at ?x mouse)))
(<= (next (at ?x trap)) (true (at ?x trap)))
(<= (next (at ?x free)) (true (at ?x free)) (not (does r (go ?x))))
(<= terminal {})"""


@pytest.mark.parametrize(
    ("end", "codes"),
    [
        ("(true (at ?x mouse)) (true (at ?x trap))", []),
        ("(true (at 2 mouse))", ["two-values"]),
        ("(true (at 2 mouse)) (or (true (at 2 mouse)) (true (at 2 trap)))", ["two-values"]),
        ("(true (at ?x mouse)) (true (at ?y trap)) (succ 3 ?x)", ["two-values"]),
    ],
)
def test_two_values_that_a_rule_asks_for_at_once_are_meant(end: str, codes: list[str]) -> None:
    found = playtest(parse(CATCH.format(end), "kif", machine="reference"), amount=FIRST_LOOK).findings
    assert [*found] == codes


@pytest.mark.parametrize(
    ("legal", "codes"), [("num(N) & ~been(N)", []), ("been(M) & num(N) & distinct(M,N)", ["two-values"])]
)
def test_facts_that_are_only_asked_for_with_a_not_are_a_set(legal: str, codes: list[str]) -> None:
    text = f"""role(r) init(been(1)) init(control(r)) num(1) num(2) num(3) goal(r,50) legal(go(N)) :- {legal}
go(N) :: been(N)
terminal :- ~left
left :- num(N) & ~been(N)"""
    found = playtest(parse(text, "epilog", machine="reference"), amount=FIRST_LOOK).findings
    assert [*found] == codes


JUMPS = """(role r) (init (at 1 red)) (init (at 2 blue)) (init (at 3 red)) (init (step 0)) (goal r 50)
(place 1) (place 2) (place 3)
(<= (legal r (jump ?x ?y)) (true (at ?x ?c)) (place ?y) (distinct ?x ?y){})
(<= (next (at ?y ?c)) (does r (jump ?x ?y)) (true (at ?x ?c)))
(<= (next (at ?z ?c)) (true (at ?z ?c)) (does r (jump ?x ?y)) (distinct ?x ?z) (distinct ?y ?z))
(<= (next (step ?y)) (true (step ?x)) (plus ?x 1 ?y) (less ?x 9)) (<= terminal (true (step 9)))
(<= terminal (not many)) (<= many (true (at ?x ?c)) (true (at ?y ?d)) (distinct ?x ?y))"""


def test_a_place_that_moves_leave_and_others_come_to_may_be_empty() -> None:
    assert playtest(parse(JUMPS.format(""), "kif", machine="reference"), amount=FIRST_LOOK).findings == {}


def test_a_place_that_moves_leave_and_none_comes_to_lost_its_value() -> None:
    text = JUMPS.format(" (true (at ?y ?d))")
    found = playtest(parse(text, "kif", machine="reference"), amount=FIRST_LOOK).findings
    assert [*found] == ["vanishes"]


def test_what_moves_do_not_name_is_lost_even_if_a_move_puts_it_back() -> None:
    text = JUMPS.format("").replace("(distinct ?y ?z)", "(distinct ?y ?z) (distinct ?z 3)")
    text = text.replace("(<= terminal (not many))", "")
    found = playtest(parse(text, "kif", machine="reference"), amount=FIRST_LOOK).findings
    assert [*found] == ["vanishes"]


def test_what_comes_to_new_keys_is_no_value() -> None:
    assert seen(MOVES.replace("~at(N,here) & ", "at(3,here) & ") + TURN) == []


def test_a_value_that_changes_and_is_gone_once_has_vanished() -> None:
    found = playtest(parse(COUNT, "kif", machine="reference"), amount=FIRST_LOOK).findings
    assert [*found] == ["vanishes"]
    assert "is gone after" in found["vanishes"].message
    assert "with nothing in its place: so far there was always one p(_)" in found["vanishes"].message
    assert found["vanishes"].moves.endswith("off")
    assert found["vanishes"].place.line == 2


def test_a_count_that_is_over_has_not_vanished() -> None:
    always = COUNT.replace("(does r on) (true (p ?x))", "(true (p ?x))")
    assert playtest(parse(always, "kif", machine="reference"), amount=FIRST_LOOK).findings == {}


def test_of_two_ways_to_a_mistake_the_shorter_is_told() -> None:
    text = """(role r) (init (p 0)) (goal r 50) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4)
(<= (legal r walk) (true (p ?x)) (succ ?x ?y)) (<= (legal r stop) (true (p ?x)) (succ ?x ?y))
(<= (next (p ?y)) (does r walk) (true (p ?x)) (succ ?x ?y)) (<= (next (p 4)) (does r stop))
(<= terminal (true (p 9)))"""
    found = playtest(parse(text, "kif", machine="reference"), amount=FIRST_LOOK).findings
    assert found["no-move"].moves == "stop"
    assert found["no-move"].message == "r has no legal move in a state that is not terminal after stop"


def test_a_role_that_is_never_in_control_is_told_where_it_is_named() -> None:
    endless = MOVES.replace("~at(N,here) & at(N,there)", "step(1)")
    found = playtest(game_of(endless), amount=FIRST_LOOK).findings
    assert found["control"].message.startswith("b is never in control")
    assert found["control"].place.line == 2
