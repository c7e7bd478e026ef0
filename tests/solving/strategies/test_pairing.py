"""Pairs of moves: found by losses, proved, refuted where a pair is changed."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

import gamemaster as gm
from gamemaster.errors import StrategyError
from gamemaster.language.infix import read_term
from gamemaster.solving.checking import check_strategy
from gamemaster.solving.explaining import find_strategy, strategy_from_json
from gamemaster.solving.strategies.pairing import PairingStrategy, pairing_candidates

NO_MACHINE_TAKES = 3600.0

CROSSING = """
    role(maker) role(breaker)
    init(control(maker))
    line(a,b) line(c,d) line(e,f)
    cell(X) :- line(X,Y)
    cell(Y) :- line(X,Y)
    taken(X) :- has(R,X)
    legal(mark(X)) :- cell(X) & ~taken(X)
    mark(X) :: control(R) ==> has(R,X)
    mark(X) :: control(R) & other(R,S) ==> ~control(R) & control(S)
    other(maker,breaker) other(breaker,maker)
    full :- line(X,Y) & has(maker,X) & has(maker,Y)
    open :- cell(X) & ~taken(X)
    terminal :- full
    terminal :- ~open
    goal(maker,100) :- full
    goal(maker,0) :- ~full
    goal(breaker,100) :- ~full
    goal(breaker,0) :- full
"""


@pytest.fixture(scope="module")
def crossing() -> PairingStrategy:
    return next(pairing_candidates(gm.parse(CROSSING), "breaker", 100, 20))


def test_pairs_are_found_from_losses(crossing: PairingStrategy) -> None:
    lines = [{f"mark({one})", f"mark({end})"} for one, end in ("ab", "cd", "ef")]
    assert len(crossing.pairs) > 1
    assert all(set(map(str, pair)) in lines for pair in crossing.pairs)
    assert check_strategy(crossing).holds
    assert f"{crossing.pairs[0][0]} with {crossing.pairs[0][1]}" in crossing.rule()


def test_a_pair_that_is_changed_is_refuted_with_a_line(crossing: PairingStrategy) -> None:
    c, d, e, f = (read_term(f"mark({name})") for name in "cdef")
    wrong = replace(crossing, pairs=((c, e), (d, f)))
    verdict = check_strategy(wrong)
    assert not verdict.holds
    state = wrong.game.initial_state()
    for joint in verdict.line:
        state = state.next({role: move for role, move in zip(wrong.game.roles, joint, strict=True) if move})
    assert state.goal("breaker") == 0


def test_it_says_whose_partner_a_move_is(crossing: PairingStrategy) -> None:
    one, end = crossing.pairs[-1]
    counsel = crossing.advise(crossing.game.initial_state().next(one))
    assert counsel.move == end
    assert counsel.why == f"it is the partner of {one}"


def test_it_survives_a_file_but_not_with_a_move_in_two_pairs(crossing: PairingStrategy) -> None:
    data = json.loads(json.dumps(crossing.to_json()))
    assert strategy_from_json(crossing.game, data) == crossing
    data["details"]["pairs"][0][0] = data["details"]["pairs"][1][0]
    with pytest.raises(StrategyError, match="a move is in two pairs"):
        strategy_from_json(crossing.game, data)


@pytest.mark.slow
def test_no_full_line_of_five_can_be_made_against_pairs() -> None:
    found = find_strategy(gm.load("fullline"), seconds=NO_MACHINE_TAKES)
    assert isinstance(found, PairingStrategy)
    assert found.role == "breaker"
    assert len(found.pairs) == 12
    assert found.proof.means == "induction"


def test_where_there_are_too_few_cells_no_pairs_are_found() -> None:
    assert not list(pairing_candidates(gm.load("fullline:small"), "breaker", 100, 20))
