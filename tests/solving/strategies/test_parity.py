"""Games that anybody wins with any moves: found, proved by linear invariants, refuted where they are not such."""

from __future__ import annotations

import json

import pytest

import gamemaster as gm
from gamemaster.errors import LimitExceeded
from gamemaster.solving.explaining import find_strategy, proof_of, strategy_from_json
from gamemaster.solving.strategies.induction import prove
from gamemaster.solving.strategies.parity import ParityStrategy, linear_relations


@pytest.mark.parametrize(("name", "role"), [("chocolate", "alice"), ("chocolate:columns=3,rows=3", "bob")])
def test_chocolate_is_won_by_anything(name: str, role: str) -> None:
    found = find_strategy(gm.load(name))
    assert isinstance(found, ParityStrategy)
    assert found.role == role
    assert found.rule() == "play anything."
    assert found.proof.means == "induction"
    assert found.verdict(10_000).holds
    assert strategy_from_json(found.game, json.loads(json.dumps(found.to_json()))) == found


def test_the_reason_tells_how_long_games_were() -> None:
    game = gm.load("chocolate")
    assert "it takes 11 steps in every game" in ParityStrategy(game, "alice", 100, lengths=(11,)).reason()
    assert "the number of its steps is odd" in ParityStrategy(game, "alice", 100, lengths=(9, 11)).reason()
    assert "(" not in ParityStrategy(game, "alice", 100, lengths=(9, 10)).reason()


def test_where_moves_matter_anything_is_refuted_with_a_line() -> None:
    wrong = ParityStrategy(gm.load("twentyone"), "alice", 100)
    verdict = wrong.verdict(10_000)
    assert not verdict.holds
    state = wrong.game.initial_state()
    for joint in verdict.line:
        state = state.next({role: move for role, move in zip(wrong.game.roles, joint, strict=True) if move})
    assert state.is_over
    assert state.goal("alice") == 0
    assert proof_of(wrong, 5) is None


ENDLESS = """
    role(left) role(right)
    init(at(1)) init(control(left))
    other(left,right) other(right,left)
    to(1,2) to(2,1)
    legal(go) legal(stay)
    go :: at(X) & to(X,Y) ==> ~at(X) & at(Y)
    go :: pass
    stay :: pass
    pass :: control(R) & other(R,S) ==> ~control(R) & control(S)
    terminal :- at(3)
    goal(R,100) :- role(R) & at(1)
    goal(R,0) :- role(R) & ~at(1)
"""


def test_play_that_never_ends_is_no_win() -> None:
    game = gm.parse(ENDLESS)
    strategy = ParityStrategy(game, "left", 100)
    assert prove(game, "left", 100, strategy.answering(), game.initial_state().next("go"), 10) is None
    assert strategy.verdict(100).why == "play can go round without an end"


def test_too_many_positions_are_said_so() -> None:
    with pytest.raises(LimitExceeded, match="checking the strategy"):
        ParityStrategy(gm.load("chocolate"), "alice", 100).verdict(100)


def test_relations_are_sums_that_stay_the_same() -> None:
    game = gm.load("threecells:cells=3")
    start = game.initial_state()
    states = [
        start,
        start.next("fill(1)"),
        start.next("fill(2)"),
        start.next("fill(3)"),
        start.next("fill(1)").next("fill(3)"),
    ]
    facts = tuple(sorted({fact for state in states for fact in state.facts}, key=str))
    relations = linear_relations(states, facts)
    assert relations
    for terms, constant in relations:
        for state in states:
            assert sum(fact in state.facts for fact in terms) % 2 == constant
