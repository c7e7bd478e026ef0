"""Strategies by symmetry: found, proved by induction, told in words, refuted where they are broken on purpose."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import pytest

import gamemaster as gm
from gamemaster.errors import LimitExceeded, StrategyError, Unsuitable
from gamemaster.language.infix import read_term
from gamemaster.machine.game import Game
from gamemaster.solving.checking import check_strategy
from gamemaster.solving.explaining import find_strategy, proof_of, strategy_from_json
from gamemaster.solving.strategies.explained import ExplainedStrategy
from gamemaster.solving.strategies.mirrors import Mirror
from gamemaster.solving.strategies.symmetry import SymmetryStrategy


def strategy_of(game: Game) -> SymmetryStrategy:
    found = find_strategy(game, kinds=["symmetry"])
    assert isinstance(found, SymmetryStrategy)
    return found


@pytest.fixture(scope="module")
def threecells() -> SymmetryStrategy:
    return strategy_of(gm.load("threecells"))


@pytest.mark.parametrize("cells", range(3, 26, 2))
def test_three_cells_of_every_odd_number_are_won_by_the_middle_and_mirroring(cells: int) -> None:
    found = strategy_of(gm.load(f"threecells:cells={cells}"))
    assert found.role == "alice"
    assert found.first == read_term(f"fill({(cells + 1) // 2})")
    assert all(
        str(found.mirror.of_move(read_term(f"fill({k})"))) == f"fill({cells + 1 - k})"
        for k in range(1, cells + 1)
    )
    assert found.proof.means == "induction"


def test_the_strategy_is_told_in_words(threecells: SymmetryStrategy) -> None:
    rule, why, proof = threecells.explain().splitlines()
    assert rule == (
        "alice wins: begin with fill(6) (the middle), then mirror: answer fill(K) by fill(12-K). "
        "If a move wins at once, make it."
    )
    assert why.startswith("Why: after each move of alice the position is its own mirror image")
    assert proof.startswith("Proof: by induction over all positions that are their own mirror images")


def test_what_is_proved_by_induction_holds_against_every_reply(threecells: SymmetryStrategy) -> None:
    verdict = check_strategy(threecells)
    assert verdict.holds
    assert verdict.positions == 61


def test_the_strategy_says_why_it_plays_what(threecells: SymmetryStrategy) -> None:
    start = threecells.game.initial_state()
    assert threecells.advise(start).why == "the move to begin with"
    assert str(threecells.advise(start.next("fill(6)").next("fill(1)")).move) == "fill(11)"
    near = threecells.advise(start.next("fill(6)").next("fill(7)"))
    assert near.why == "it wins at once"
    assert threecells.advise(start.next("fill(6)")).why == "there is nothing to choose"


@pytest.mark.parametrize(
    "broken",
    [
        lambda good: replace(good, first=read_term("fill(5)")),
        lambda good: replace(good, takes_wins=False),
        lambda good: replace(good, role="bob", first=None),
    ],
)
def test_a_strategy_that_is_broken_is_refuted_and_not_proved(
    threecells: SymmetryStrategy, broken: Callable[[SymmetryStrategy], SymmetryStrategy]
) -> None:
    wrong: ExplainedStrategy = broken(threecells)
    verdict = check_strategy(wrong)
    assert not verdict.holds
    state = wrong.game.initial_state()
    for joint in verdict.line:
        state = state.next({role: move for role, move in zip(wrong.game.roles, joint, strict=True) if move})
    assert state.is_over or "says" in verdict.why
    assert proof_of(wrong, 10) is None


def test_it_survives_a_file(threecells: SymmetryStrategy) -> None:
    again = strategy_from_json(threecells.game, json.loads(json.dumps(threecells.to_json())))
    assert again == threecells
    assert check_strategy(again).holds


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rules": "0"}, "a strategy for other rules"),
        ({"kind": "luck"}, "not a strategy: KeyError 'luck'"),
        ({"value": "100"}, "not a strategy: its value is '100'"),
        ({"role": "carol"}, "no role 'carol'"),
        ({"details": {}}, "not a strategy: KeyError"),
        ({"details": {"turns": [], "facts": {"(": "a"}, "moves": {}, "others": []}}, "not a term"),
        ({"details": None}, "not a strategy: TypeError"),
    ],
)
def test_a_damaged_file_is_no_strategy(
    threecells: SymmetryStrategy, change: dict[str, object], message: str
) -> None:
    with pytest.raises(StrategyError, match=message.replace("(", r"\(")):
        strategy_from_json(threecells.game, {**threecells.to_json(), **change})


def test_where_no_move_restores_the_image_nothing_is_said(threecells: SymmetryStrategy) -> None:
    state = threecells.game.initial_state().next("fill(1)").next("fill(4)")
    with pytest.raises(StrategyError, match="no move makes this position its own mirror image"):
        threecells.advise(state)


def test_games_that_are_not_for_two_in_the_open_are_refused() -> None:
    with pytest.raises(Unsuitable, match="for two roles without chance; peg is no such game"):
        find_strategy(gm.load("peg"))
    with pytest.raises(Unsuitable, match="hides its state"):
        find_strategy(gm.load("higherlower"))


def test_an_odd_daisy_is_won_in_one_of_its_mirrors() -> None:
    found = strategy_of(gm.load("daisy:petals=5"))
    assert found.role == "bob"
    assert "in one of the 5 mirrors of the game" in found.rule()
    assert found.proof.means == "check"
    again = strategy_from_json(found.game, json.loads(json.dumps(found.to_json())))
    assert again == found
    assert not check_strategy(replace(found, others=())).holds


LAST = """
    role(alice) role(bob)
    other(alice,bob) other(bob,alice)
    cell(1) cell(2) cell(3) cell(4) cell(5)
    init(free(X)) :- cell(X)
    init(control(alice))
    legal(fill(X)) :- free(X)
    fill(X) :: free(X) ==> ~free(X)
    fill(X) :: control(R) & other(R,S) ==> ~control(R) & control(S)
    open :- free(X)
    terminal :- ~open
    goal(R,100) :- ~open & control(S) & other(R,S)
    goal(R,0) :- ~open & control(R)
    goal(R,50) :- role(R) & open
"""
"""Who fills the last of five cells wins, and that is alice whatever both do."""


def swapping(pairs: dict[int, int]) -> SymmetryStrategy:
    game = gm.parse(LAST)
    both = pairs | {end: one for one, end in pairs.items()}
    facts, moves = (
        {read_term(f"{name}({one})"): read_term(f"{name}({end})") for one, end in both.items()}
        for name in ("free", "fill")
    )
    turns = frozenset({read_term("control(alice)"), read_term("control(bob)")})
    return SymmetryStrategy(
        game, "alice", 100, mirror=Mirror(facts, moves, turns), first=read_term("fill(3)")
    )


def test_a_mirror_in_which_a_move_has_no_answer_is_no_reason() -> None:
    wrong = swapping({1: 2})
    assert check_strategy(wrong).holds
    verdict = wrong.verdict(1_000)
    assert not verdict.holds
    assert verdict.why == "the image of the last move is no answer to it"
    made = [[str(move) for move in joint if move is not None] for joint in verdict.line]
    assert made == [["fill(3)"], ["fill(4)"]]
    assert proof_of(wrong, 10) is None


def test_a_mirror_in_which_every_move_has_an_answer_is_one() -> None:
    good = swapping({1: 5, 2: 4})
    assert good.verdict(1_000).holds
    with pytest.raises(LimitExceeded, match="checking the strategy"):
        good.verdict(2)
    assert proof_of(good, 60) is not None


def test_a_win_at_once_is_an_answer_too(threecells: SymmetryStrategy) -> None:
    assert threecells.verdict(10_000).holds
