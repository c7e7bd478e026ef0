"""What the proof by induction is made of, and where it gives up."""

from __future__ import annotations

import time

import pytest

import gamemaster as gm
from gamemaster.errors import LimitExceeded, StrategyError, Unsuitable
from gamemaster.language.infix import read_term
from gamemaster.network.graph import Network
from gamemaster.solving.strategies import induction, solver, unrolling
from gamemaster.solving.strategies.explained import other_role
from gamemaster.solving.strategies.solver import GateSolver, evaluate
from gamemaster.solving.strategies.symmetry import symmetry_candidates
from gamemaster.solving.strategies.unrolling import Round, exactly_one


def test_the_solver_finds_what_can_hold_together() -> None:
    network = Network()
    wires = [network.input() for _ in range(3)]
    one = exactly_one(network, wires)
    asked = GateSolver(network, time.monotonic() + 10)
    assert asked.can_hold([one, wires[1]], wires)
    assert asked.holds(wires[1])
    assert not asked.holds(wires[0])
    assert not asked.can_hold([one, wires[0], wires[2]])
    assert not asked.can_hold([one, *(wire ^ 1 for wire in wires)])


def test_gates_are_evaluated_by_hand_alike() -> None:
    network = Network()
    x, y = network.input(), network.input()
    both, differ = network.both(x, y ^ 1), network.differ(x, y)
    values = evaluate(network, {x >> 1: True})
    assert values[both >> 1] != bool(both & 1)
    assert values[differ >> 1] != bool(differ & 1)


def test_too_many_gates_and_too_little_time_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    hard = Network()
    pigeons = [[hard.input() for _ in range(11)] for _ in range(12)]
    wanted = [hard.any_of(row) for row in pigeons]
    clash = [hard.both(a[i], b[i]) ^ 1 for i in range(11) for n, a in enumerate(pigeons) for b in pigeons[:n]]
    asked = GateSolver(hard, time.monotonic() + 0.05)
    with pytest.raises(LimitExceeded, match="time limit"):
        asked.can_hold([*wanted, *clash])
    monkeypatch.setattr(solver, "MOST_GATES", 0)
    with pytest.raises(LimitExceeded, match="gates without loops"):
        GateSolver(Network(), time.monotonic())


def test_only_games_in_turn_are_unrolled(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Unsuitable, match="only games for two that take turns"):
        Round(gm.load("roshambo"), "alice", 100)
    monkeypatch.setattr(unrolling, "MOST_GATES", 10)
    with pytest.raises(Unsuitable, match="takes more than 10 gates"):
        _ = Round(gm.load("threecells"), "alice", 100).behind


def test_a_proof_with_too_many_conditions_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    game = gm.load("threecells")
    candidate = next(one for one in symmetry_candidates(game, "alice", 100, 5) if one.takes_wins)
    assert candidate.first is not None
    start = game.initial_state().next(candidate.first)
    answering = candidate.answering()
    assert answering is not None
    assert induction.prove(game, "alice", 100, answering, start, 20) is not None
    assert induction.prove(game, "alice", 100, answering, game.initial_state(), 20) is None
    monkeypatch.setattr(induction, "MOST_CONDITIONS", 3)
    assert induction.prove(game, "alice", 100, answering, start, 20) is None


def test_a_fact_that_no_other_is_alike_is_a_group() -> None:
    facts = [read_term(text) for text in ("cell(1,empty)", "cell(1,filled)", "cell(2,empty)", "open")]
    groups = [(str(name), place, len(group)) for name, place, group in induction.groups_of(facts)]
    assert sorted(groups) == [
        ("cell(1,_)", 2, 2),
        ("cell(2,_)", 2, 1),
        ("cell(_,empty)", 1, 2),
        ("cell(_,filled)", 1, 1),
    ]


def test_the_other_role_is_one_of_two() -> None:
    with pytest.raises(StrategyError, match="peg is not a game for two"):
        other_role(gm.load("peg"), "player")
