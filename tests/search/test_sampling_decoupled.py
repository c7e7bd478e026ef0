"""Decoupled UCT where roles choose at once: mixed play, dominant moves, more than two roles."""

from __future__ import annotations

import pytest

import gamemaster as gm
from gamemaster.search.budget import Budget
from gamemaster.search.playouts import decoupled, mcs

ROCK_PAPER_SCISSORS = """
role(row) role(column) init(start) hand(rock) hand(paper) hand(scissors)
beats(rock,scissors) beats(scissors,paper) beats(paper,rock)
legal(R,show(H)) :- role(R) & hand(H) & true(start)
next(shown(R,H)) :- does(R,show(H))
wins(R) :- true(shown(R,G)) & true(shown(S,H)) & beats(G,H)
somebody :- wins(R)
terminal :- true(shown(row,H))
goal(R,100) :- wins(R)
goal(R,50) :- role(R) & ~somebody
goal(R,0) :- role(R) & somebody & ~wins(R)
"""

DILEMMA = """
role(one) role(two) init(start) way(trust) way(betray)
pays(trust,trust,60) pays(trust,betray,0) pays(betray,trust,100) pays(betray,betray,30)
other(one,two) other(two,one)
legal(R,W) :- role(R) & way(W) & true(start)
next(done(R,W)) :- does(R,W)
terminal :- true(done(one,W))
goal(R,P) :- true(done(R,V)) & other(R,S) & true(done(S,W)) & pays(V,W,P)
goal(R,0) :- role(R) & true(start)
"""

DICE = """
role(random) role(bettor) role(watcher) init(start) face(1) face(2) face(3) face(4)
low(1) low(2) low(3)
legal(random,throw(F)) :- true(start) & face(F)
legal(bettor,bet(low)) :- true(start)
legal(bettor,bet(high)) :- true(start)
legal(watcher,noop) :- true(start)
next(thrown(F)) :- does(random,throw(F))
next(chosen(B)) :- does(bettor,bet(B))
right :- true(thrown(F)) & low(F) & true(chosen(low))
right :- true(thrown(4)) & true(chosen(high))
terminal :- true(chosen(B))
goal(bettor,100) :- right
goal(bettor,0) :- ~right
goal(watcher,50)
goal(random,0)
"""


def test_rock_paper_scissors_is_played_mixed() -> None:
    state = gm.parse(ROCK_PAPER_SCISSORS).initial_state()
    result = decoupled.search(state, "row", Budget(nodes=6_000), seed=3)
    shares = [visits / sum(result.visits.values()) for visits in result.visits.values()]
    assert all(0.25 < share < 0.42 for share in shares)
    assert result.value == pytest.approx(50, abs=6)
    assert not result.is_proven


def test_a_mixed_choice_is_not_always_the_same() -> None:
    state = gm.parse(ROCK_PAPER_SCISSORS).initial_state()
    moves = {
        decoupled.search(state, "row", Budget(nodes=300), seed=seed, mixed=True).move for seed in range(12)
    }
    assert len(moves) == 3


@pytest.mark.parametrize("role", ["one", "two"])
def test_a_dominant_move_is_found(role: str) -> None:
    state = gm.parse(DILEMMA).initial_state()
    result = decoupled.search(state, role, Budget(nodes=3_000))
    assert str(result.move) == "betray"
    assert result.visits[result.line[0]] > 0.9 * sum(result.visits.values())
    assert result.value == pytest.approx(30, abs=5)
    assert str(mcs.search(state, role, Budget(nodes=500)).move) == "betray"


def test_chance_is_uniform_beside_three_roles() -> None:
    result = decoupled.search(gm.parse(DICE).initial_state(), "bettor", Budget(nodes=3_000))
    assert str(result.move) == "bet(low)"
    assert result.value == pytest.approx(75, abs=4)


def test_the_line_goes_on_through_joint_moves() -> None:
    state = gm.load("tictactoe").initial_state()
    result = decoupled.search(state, "x", Budget(nodes=3_000))
    assert result.depth >= len(result.line) > 2
    assert result.move == result.line[0]
    assert {"noop"} != {str(move) for move in result.line}


def test_the_reference_machine_plays_the_same_game() -> None:
    state = gm.parse(DILEMMA, machine="reference").initial_state()
    assert str(decoupled.search(state, "one", Budget(nodes=500)).move) == "betray"
