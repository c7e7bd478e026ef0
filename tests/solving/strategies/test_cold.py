"""Cold positions by a formula: fitted to labels, proved, told in words, refuted where it is another."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import lru_cache, reduce
from operator import xor

import pytest

import gamemaster as gm
from gamemaster.errors import LimitExceeded, StrategyError, Unsuitable
from gamemaster.solving.checking import check_strategy
from gamemaster.solving.explaining import find_strategy, proof_of, strategy_from_json
from gamemaster.solving.strategies.cold import ColdStrategy
from gamemaster.solving.strategies.formulas import (
    GoldenRatio,
    GrundySum,
    ListedCold,
    MisereNim,
    NimSum,
    Residues,
)
from gamemaster.solving.strategies.small import label_positions

TWO_PILES = """
    role(first) role(second)
    init(pile(a,6)) init(pile(b,5)) init(control(first))
    other(first,second) other(second,first)
    legal(take(P,1)) :- pile(P,N) & leq(1,N)
    legal(take(P,2)) :- pile(P,N) & leq(2,N)
    take(P,K) :: pile(P,N) & minus(N,K,M) ==> ~pile(P,N) & pile(P,M)
    take(P,K) :: control(R) & other(R,S) ==> ~control(R) & control(S)
    left :- pile(P,N) & less(0,N)
    terminal :- ~left
    goal(R,100) :- ~left & control(S) & other(R,S)
    goal(R,0) :- ~left & control(R)
    goal(R,0) :- left & role(R)
"""

ROUND = """
    role(first) role(second)
    init(at(1)) init(control(first))
    other(first,second) other(second,first)
    legal(go) legal(stop)
    to(1,2) to(2,1)
    go :: at(X) & to(X,Y) ==> ~at(X) & at(Y)
    go :: control(R) & other(R,S) ==> ~control(R) & control(S)
    stop :: at(X) ==> ~at(X) & at(home)
    terminal :- at(home)
    goal(R,100) :- control(R) & at(home)
    goal(R,0) :- role(R) & ~control(R)
    goal(R,0) :- role(R) & ~at(home)
"""

TWICE = """
    role(first) role(second)
    init(left(4)) init(control(first))
    legal(one) :- left(N) & less(0,N)
    legal(two) :- left(N) & less(1,N)
    one :: left(N) & minus(N,1,M) ==> ~left(N) & left(M)
    two :: left(N) & minus(N,2,M) ==> ~left(N) & left(M)
    terminal :- left(0)
    goal(first,100) goal(second,0)
"""


def strategy_of(name: str) -> ColdStrategy:
    found = find_strategy(gm.load(name), kinds=["cold positions"])
    assert isinstance(found, ColdStrategy)
    return found


@pytest.mark.parametrize("heaps", [(3, 4, 5), (1, 2, 3), (5, 5, 1), (2, 4, 6), (1, 4, 6)])
def test_nim_is_won_by_its_nim_sum(heaps: tuple[int, ...]) -> None:
    found = strategy_of(
        "nim:" + ",".join(f"{n}={h}" for n, h in zip(("first", "second", "third"), heaps, strict=True))
    )
    assert isinstance(found.formula, NimSum)
    assert found.role == ("alice" if reduce(xor, heaps) else "bob")
    assert found.proof.means == "induction"
    assert check_strategy(found).holds


def test_marienbad_is_won_by_the_rule_of_the_last_object_that_loses() -> None:
    found = strategy_of("nim:marienbad")
    assert isinstance(found.formula, MisereNim)
    assert found.role == "bob"
    assert check_strategy(found).holds
    assert "heap(first,N), heap(second,N), heap(third,N), heap(fourth,N)" in found.explain()


def test_wythoff_is_won_by_the_golden_ratio() -> None:
    found = strategy_of("wythoff")
    assert isinstance(found.formula, GoldenRatio)
    assert found.proof.means == "induction"
    assert "golden ratio" in found.explain()
    assert found.advise(found.game.initial_state()).why == "it leaves 4, 7, which is cold"


def test_the_golden_ratio_is_counted_in_whole_numbers() -> None:
    cold = [(a, b) for a in range(30) for b in range(a, 50) if GoldenRatio().is_cold((a, b))]
    seen: set[int] = set()
    for k, pair in enumerate(cold):
        assert pair == (least := min(set(range(200)) - seen), least + k)
        seen |= set(pair)


@pytest.mark.parametrize(
    ("name", "modulus", "residue", "role"),
    [
        ("twentyone", 4, 0, "alice"),
        ("twentyone:misere", 4, 1, "bob"),
        ("twentyone:coins=30,most=4", 5, 0, "bob"),
        ("twentyone:thirtyone", 7, 0, "alice"),
    ],
)
def test_a_pile_is_left_with_the_same_remainder(name: str, modulus: int, residue: int, role: str) -> None:
    found = strategy_of(name)
    assert found.formula == Residues(modulus, (residue,))
    assert found.role == role
    assert found.proof.means == "induction"


def test_the_coin_stack_has_a_list_of_lost_heights() -> None:
    found = strategy_of("coinstack")
    assert found.formula == ListedCold((0, 4, 7, 9))
    assert found.proof.means == "check"
    assert "it is 0, 4, 7 or 9" in found.rule()


@pytest.mark.parametrize(
    ("name", "role"),
    [("silverdollar", "alice"), ("silverdollar:even", "bob"), ("silverdollar:three", "alice")],
)
def test_coins_on_a_strip_are_nim_in_their_gaps(name: str, role: str) -> None:
    found = strategy_of(name)
    assert found.reading.how == "gaps"
    assert isinstance(found.formula, NimSum)
    assert found.role == role


def test_independent_piles_have_grundy_values_that_add_up() -> None:
    found = find_strategy(gm.parse(TWO_PILES))
    assert isinstance(found, ColdStrategy)
    assert isinstance(found.formula, GrundySum)
    assert found.formula.tables == ((0, 1, 2, 0, 1, 2), (0, 1, 2, 0, 1, 2, 0))
    assert found.role == "first"
    assert found.proof.means == "induction"
    assert "the nim-sum of what they leave when divided by 3 is 0" in found.rule()
    assert "0 is worth 0; 1 is worth 2" in GrundySum(((0, 2), (0, 2))).words()
    assert "0 is worth 0; 1 is worth 2 | 0 is worth 0; 1 is worth 1" in GrundySum(((0, 2), (0, 1))).words()


@pytest.mark.parametrize("formula", [Residues(5, (0,)), Residues(4, (1,)), ListedCold((0, 4, 8, 13))])
def test_another_formula_is_refuted_with_a_line(formula: Residues | ListedCold) -> None:
    wrong = replace(strategy_of("twentyone"), formula=formula)
    verdict = check_strategy(wrong)
    assert not verdict.holds
    assert proof_of(wrong, 5) is None
    state = wrong.game.initial_state()
    for joint in verdict.line:
        state = state.next({role: move for role, move in zip(wrong.game.roles, joint, strict=True) if move})
    assert state.is_over or "says nothing: no move leaves a cold position" in verdict.why


def test_formulas_survive_a_file() -> None:
    for name in ("nim", "twentyone", "coinstack", "silverdollar"):
        found = strategy_of(name)
        assert strategy_from_json(found.game, json.loads(json.dumps(found.to_json()))) == found
    piles = find_strategy(gm.parse(TWO_PILES))
    assert piles is not None
    assert strategy_from_json(piles.game, json.loads(json.dumps(piles.to_json()))) == piles


def test_a_file_with_a_reading_or_formula_that_is_none_is_refused() -> None:
    found = strategy_of("twentyone")
    data = json.loads(json.dumps(found.to_json()))
    data["details"]["reading"]["how"] = "tea leaves"
    with pytest.raises(StrategyError, match="it reads 'tea leaves'"):
        strategy_from_json(found.game, data)
    data["details"]["reading"]["how"] = "values"
    data["details"]["formula"] = {"name": "residues", "modulus": 0, "residues": []}
    with pytest.raises(StrategyError, match="ValueError no residues"):
        strategy_from_json(found.game, data)


def test_a_grundy_table_says_nothing_of_numbers_it_does_not_have() -> None:
    assert GrundySum(((0, 1), (0, 1))).is_cold((1, 1))
    assert not GrundySum(((0, 1), (0, 1))).is_cold((2, 2))


@lru_cache
def is_won(filled: int, cells: int) -> bool:
    """Three cells, counted with bits by hand."""
    for cell in range(cells):
        if not filled >> cell & 1:
            after = filled | 1 << cell
            if after & after >> 1 & after >> 2 or not is_won(after, cells):
                return True
    return False


@pytest.mark.parametrize("cells", [4, 6, 8, 10])
def test_even_rows_of_three_cells_are_labelled(cells: int) -> None:
    game = gm.load(f"threecells:cells={cells}")
    labels = label_positions(game, 60)
    assert labels.cold[game.initial_state()] == (not is_won(0, cells))


def test_only_small_games_without_draws_in_turn_are_labelled() -> None:
    with pytest.raises(Unsuitable, match="take turns"):
        label_positions(gm.load("roshambo"), 5)
    with pytest.raises(Unsuitable, match="take turns"):
        label_positions(gm.parse(TWICE), 5)
    with pytest.raises(Unsuitable, match="without draws"):
        label_positions(gm.load("tictactoe"), 60, 10_000)
    with pytest.raises(Unsuitable, match="go round"):
        label_positions(gm.parse(ROUND), 5)
    with pytest.raises(LimitExceeded, match="positions limit of 10 positions exceeded labelling"):
        label_positions(gm.load("nim:first=4"), 5, 10)
