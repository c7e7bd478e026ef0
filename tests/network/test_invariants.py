"""Invariants: proven where they hold, given up where some step breaks them, and true in play."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

import gamemaster as gm
from gamemaster.network import invariants as invariants_module
from gamemaster.network.invariants import Claim, candidates, invariants_of, prove_claims

WALK = """
role(robot) init(at(1)) init(step(1)) init(lamp(off)) init(wall(5))
succ(1,2) succ(2,3) succ(3,4) succ(4,5) succ(5,6)
legal(robot,go) :- true(at(X))
legal(robot,jump) :- true(step(4))
next(at(Y)) :- true(at(X)) & succ(X,Y) & does(robot,go)
next(at(X)) :- true(at(X)) & does(robot,jump)
next(step(Y)) :- true(step(X)) & succ(X,Y)
next(lamp(off)) :- true(lamp(off))
next(lamp(on)) :- does(robot,jump)
next(wall(5)) :- true(wall(5))
goal(robot,100) :- true(at(5))
terminal :- true(step(6))
"""
"""A lamp that shines and does not only if a rare move is made; a count that would go out after the end."""

WAITING = """
role(a)
role(b)
base(turn(R)) :- role(R)
base(left(0)) base(left(1)) base(left(2))
action(go) action(pass)
init(turn(a))
init(left(2))
other(a,b) other(b,a)
succ(0,1) succ(1,2)
legal(R,go) :- turn(R)
legal(R,pass) :- turn(R)
go :: turn(R) & other(R,S) ==> ~turn(R) & turn(S)
pass :: turn(R) & other(R,S) ==> ~turn(R) & turn(S)
go :: left(Y) & succ(X,Y) ==> ~left(Y) & left(X)
goal(R,50) :- role(R)
terminal :- left(0)
"""
"""Who waits has no move, as Epilog allows."""

REACH = """
role(r) init(on(1)) init(step(1)) init(lit(no))
succ(1,2) succ(2,3) succ(3,4) edge(1,2) edge(2,3) edge(3,1) spot(1) spot(2) spot(3)
path(X,Y) :- edge(X,Y) & ~true(on(X))
path(X,Z) :- path(X,Y) & edge(Y,Z) & ~true(on(X))
legal(r,go(X)) :- spot(X)
next(on(X)) :- does(r,go(X))
next(step(Y)) :- true(step(X)) & succ(X,Y)
next(lit(yes)) :- path(1,3)
next(lit(no)) :- true(on(1))
goal(r,50)
terminal :- true(step(4))
"""
"""Recursion between a state and the next: there is a way from 1 to 3 unless 1 is taken."""

BOTH_MOVE = """
role(a) role(b) init(face(up)) init(step(1)) succ(1,2) succ(2,3) succ(3,4)
legal(a,up) legal(a,down) legal(a,flip) :- true(face(down))
legal(b,up) legal(b,down)
next(face(up)) :- does(a,up)
next(face(up)) :- does(a,flip) & true(face(down))
next(face(down)) :- does(a,down)
next(step(Y)) :- true(step(X)) & succ(X,Y)
goal(R,50) :- role(R)
terminal :- true(step(4))
"""
"""Two roles move at once; that a coin shows a face needs a legal move of one of them."""


def proven(rules: str) -> list[str]:
    circuit = gm.parse(rules, machine="compiled").circuit
    assert circuit is not None
    return [str(each) for each in invariants_of(circuit, prove_claims(circuit, candidates(circuit)))]


def test_a_claim_that_a_rare_move_breaks_is_given_up_and_the_end_counts() -> None:
    found = proven(WALK)
    assert "exactly one of step(1), step(2), step(3), step(4), step(5), step(6)" in found
    assert "always wall(5)" in found
    assert "always lamp(off)" in found
    assert not any("one of lamp" in each for each in found)
    assert any(
        each.startswith("at most one of at(1)") for each in found
    )  # that at(6) comes last is not known


def test_roles_that_wait_without_a_move_take_turns() -> None:
    assert proven(WAITING) == ["exactly one of left(0), left(1), left(2)", "exactly one of turn(a), turn(b)"]


def test_every_role_that_can_makes_one_legal_move() -> None:
    assert "exactly one of face(down), face(up)" in proven(BOTH_MOVE)


def test_recursion_has_a_fixed_point() -> None:
    found = proven(REACH)
    assert "exactly one of on(1), on(2), on(3)" in found
    assert "exactly one of lit(no), lit(yes)" in found


def test_a_proof_that_rests_on_what_is_broken_is_made_again() -> None:
    chain = "role(r) init(a(0)) init(b(0)) init(c(0)) init(step(1)) succ(1,2) succ(2,3)"
    chain += " legal(r,go) legal(r,stay) terminal :- true(step(3)) goal(r,50)"
    chain += " next(step(Y)) :- true(step(X)) & succ(X,Y)"
    chain += " next(a(X)) :- true(b(X)) next(b(X)) :- true(c(X)) next(c(0)) next(c(1)) :- does(r,go)"
    assert proven(chain) == [
        "exactly one of step(1), step(2), step(3)",
        "always a(0)",
        "always b(0)",
        "always c(0)",
    ]


@pytest.mark.parametrize("name", ["tictactoe", "connectfour", "eightpuzzle", "othello", "roshambo", "tron"])
def test_invariants_hold_in_play(name: str) -> None:
    game = gm.load(name, machine="compiled")
    generator = random.Random(5)
    assert game.invariants
    for _ in range(3):
        state = game.initial_state()
        while True:
            for each in game.invariants:
                held = sum(term in state.facts for term in each.terms)
                assert held == 1 or (held == 0 and each.kind == "at most one"), f"{each} in {state}"
            if state.is_terminal:
                break
            state = state.next(state.random_moves(generator))


def test_tictactoe_has_one_content_in_each_cell_and_one_role_in_control() -> None:
    found = {str(each) for each in gm.load("tictactoe", machine="compiled").invariants}
    cells = {
        f"exactly one of cell({x},{y},b), cell({x},{y},o), cell({x},{y},x)" for x in "123" for y in "123"
    }
    assert found == {*cells, "exactly one of control(o), control(x)"}


def test_nothing_is_claimed_where_the_circuit_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    circuit = gm.parse(WALK, machine="compiled").circuit
    assert circuit is not None
    claims = candidates(circuit)
    assert claims
    monkeypatch.setattr(invariants_module, "MOST_GATES", 0)
    assert prove_claims(circuit, claims) == []
    monkeypatch.setattr(invariants_module, "MOST_MEMBERS", 3)
    assert candidates(circuit) == []


def test_what_is_too_hard_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    circuit = gm.parse(WAITING, machine="compiled").circuit
    assert circuit is not None
    monkeypatch.setattr(invariants_module, "MOST_QUESTIONS", 1)
    assert len(prove_claims(circuit, candidates(circuit))) <= 1


def test_what_follows_from_a_larger_group_is_left_out() -> None:
    circuit = gm.parse(WALK, machine="compiled").circuit
    assert circuit is not None

    def told(*claims: tuple[Sequence[int], bool]) -> list[str]:
        made = [Claim(tuple(facts), is_least) for facts, is_least in claims]
        return [each.kind for each in invariants_of(circuit, made)]

    assert told(((0, 1, 2), False), ((0, 1), False)) == ["at most one"]
    assert told(((0, 1, 2), False), ((0, 1), False), ((0, 1), True)) == ["at most one", "one"]
    assert told(((0, 1, 2), True)) == []
