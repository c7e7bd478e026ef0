"""Evaluation functions and what is learnt about them."""

from __future__ import annotations

from functools import reduce

import pytest

import gamemaster as gm
from gamemaster.errors import LimitExceeded, UnknownAlgorithm, UnknownRole, Unsuitable
from gamemaster.load import MachineName
from gamemaster.search import proximity
from gamemaster.search.budget import Budget
from gamemaster.search.evaluation import (
    EVALUATIONS,
    Reachable,
    Weight,
    Weighted,
    find_evaluation,
    focus,
    intermediate,
    learn_weights,
    mobility,
    pessimism,
    reachable,
    restriction,
)
from gamemaster.search.evaluation import proximity as near
from gamemaster.search.trees import alphabeta, deepening
from tests.search import sheets
from tests.ticking import ticking


@pytest.fixture(scope="module", params=["compiled", "reference"])
def tictactoe(request: pytest.FixtureRequest) -> gm.Game:
    machine: MachineName = request.param
    return gm.load("tictactoe", machine=machine)


def played(game: gm.Game, *moves: str) -> gm.State:
    return reduce(lambda state, move: state.next(move), moves, game.initial_state())


def test_mobility_is_the_share_of_moves_that_are_legal(tictactoe: gm.Game) -> None:
    state = played(tictactoe, "mark(1,1)", "mark(2,2)")
    assert mobility(state, "x") == pytest.approx(700 / 9)
    assert focus(state, "x") == pytest.approx(200 / 9)
    assert mobility(state, "o") == pytest.approx(200 / 9)  # what x leaves it
    assert focus(state, "o") == pytest.approx(200 / 9)  # it is as narrow for whoever looks
    assert restriction(state, "x") == 50  # nobody else moves
    assert restriction(state, "o") == pytest.approx(200 / 9)


@pytest.mark.parametrize("moves", [0, 1, 2, 3, 4])
def test_mobility_is_that_of_whoever_moves_at_every_depth(tictactoe: gm.Game, moves: int) -> None:
    state = played(tictactoe, *["mark(1,1)", "mark(2,2)", "mark(3,3)", "mark(1,2)"][:moves])
    mover, waiting = ("x", "o") if moves % 2 == 0 else ("o", "x")
    share = 100 * (9 - moves) / 9
    assert mobility(state, mover) == pytest.approx(share)
    assert mobility(state, waiting) == pytest.approx(100 - share)
    assert focus(state, mover) == focus(state, waiting) == pytest.approx(100 - share)


RESTRAINT = """
; a opens 1 or 3 doors for b, b then as many for a; noop is an action too: 6 of them.
(role a) (role b) (init (turn a)) (init (doors 2)) (door 1) (door 2) (door 3) (step few 1) (step many 3)
(upto 1 1) (upto 1 2) (upto 2 2) (upto 1 3) (upto 2 3) (upto 3 3)
(<= (legal ?r (go ?s)) (true (turn ?r)) (step ?s ?n))
(<= (legal ?r (knock ?d)) (true (turn ?r)) (true (doors ?n)) (upto ?d ?n))
(<= (legal a noop) (true (turn b))) (<= (legal b noop) (true (turn a)))
(<= (next (doors ?n)) (does ?r (go ?s)) (step ?s ?n)) (<= (next (doors ?n)) (does ?r (knock ?d)) (true (doors ?n)))
(<= (next (turn b)) (true (turn a))) (<= (next (turn a)) (true (turn b)))
(<= terminal (true (doors 9))) (goal a 50) (goal b 50)
"""


@pytest.mark.parametrize(("depth", "best"), [(1, "few"), (2, "few"), (3, "few")])
def test_a_search_by_mobility_restricts_the_other_at_any_depth(depth: int, best: str) -> None:
    state = gm.parse(RESTRAINT).initial_state()
    result = deepening.search(state, "a", Budget(), depth=depth, evaluation="mobility")
    assert str(result.move) == f"go({best})"
    assert len(set(result.values.values())) > 1 or depth > 1
    wide = deepening.search(state, "a", Budget(), depth=1, evaluation=lambda s, r: -mobility(s, r))
    assert str(wide.move) == "go(many)"


def test_operations_that_are_only_effects_are_no_actions() -> None:
    state = gm.load("othello").initial_state()  # 64 places and pass, but not flip and turn
    assert mobility(state, "black") == pytest.approx(100 * 4 / 65)
    assert focus(state, "white") == pytest.approx(100 - 100 * 4 / 65)


def test_where_all_choose_at_once_a_roles_own_moves_count() -> None:
    state = gm.parse("""
        role(a) role(b) role(c) init(p)
        legal(a,x) :- true(p) legal(a,y) :- true(p) legal(b,x) :- true(p) legal(b,y) :- true(p) legal(b,z) :- true(p)
        legal(c,noop) :- true(p) next(q) :- true(p) terminal :- true(q) goal(R,50) :- role(R)""").initial_state()
    assert [mobility(state, role) for role in "abc"] == pytest.approx([50, 75, 100 - 62.5])
    assert [focus(state, role) for role in "abc"] == pytest.approx([50, 25, 37.5])
    assert [restriction(state, role) for role in "abc"] == pytest.approx([25, 50, 37.5])


def test_where_chance_moves_mobility_says_nothing() -> None:
    state = gm.parse(sheets.BET).initial_state().next({"gambler": "noop", "random": "noop"})
    state = state.next({"gambler": "risky", "random": "noop"})
    assert (mobility(state, "gambler"), restriction(state, "gambler")) == (50, 50)
    assert reachable(state, "gambler") == 0


def test_who_moves_without_a_choice_is_on_turn_too(tictactoe: gm.Game) -> None:
    state = played(
        tictactoe,
        *[f"mark({m},{n})" for m, n in ((1, 1), (1, 2), (1, 3), (2, 2), (2, 1), (3, 1), (3, 2), (3, 3))],
    )
    assert mobility(state, "x") == pytest.approx(100 / 9)
    assert mobility(state, "o") == pytest.approx(800 / 9)


def test_reachable_counts_the_states_some_moves_away(tictactoe: gm.Game) -> None:
    state = tictactoe.initial_state()
    assert [Reachable(moves)(state, "x") for moves in (0, 1, 2, 3)] == [1, 9, 72, 9 * 28]
    assert reachable(state, "x") == 72
    assert reachable(state, "o") == -72
    assert Reachable(2, most=50)(state, "x") == 50


def test_reachable_counts_an_end_once_and_goes_on_from_the_rest(tictactoe: gm.Game) -> None:
    state = played(tictactoe, "mark(1,1)", "mark(2,1)", "mark(1,2)", "mark(2,2)")
    brute = {
        state.next(m).next(n)
        for m in state.legal_moves("x")
        if not state.next(m).is_terminal
        for n in state.next(m).legal_moves("o")
    } | {state.next("mark(1,3)")}
    assert Reachable(2)(state, "x") == len(brute) == 17


def test_moves_that_no_sheet_declares_are_counted_in_the_ground_rules() -> None:
    game = gm.parse(sheets.nim(3, 2))
    # Of three one may leave 0, 1 or 2, of two 0 or 1, and one may wait.
    assert mobility(game.initial_state(), "first") == pytest.approx(100 * 5 / 6)
    assert mobility(game.initial_state(), "second") == pytest.approx(100 / 6)  # what the five leave


def test_the_goal_now_is_an_evaluation(tictactoe: gm.Game) -> None:
    state = tictactoe.initial_state()
    assert (intermediate(state, "x"), pessimism(state, "x")) == (50, 0)
    assert intermediate(gm.parse(sheets.POTS).initial_state(), "a") == 50  # the rules say nothing


def test_proximity_is_the_share_of_conditions_that_hold(tictactoe: gm.Game) -> None:
    state = played(tictactoe, "mark(1,1)", "mark(2,2)", "mark(1,3)")
    assert near(tictactoe.initial_state(), "x") == 0
    assert near(state, "x") == pytest.approx(200 / 3)
    assert near(state, "o") == pytest.approx(100 / 3)
    assert (
        near(played(tictactoe, "mark(1,1)", "mark(2,1)", "mark(1,2)", "mark(2,2)", "mark(1,3)"), "x") == 100
    )


def test_proximity_follows_views_that_need_each_other() -> None:
    game = gm.parse("""(role r) (init (at 0)) (<= (legal r (put ?x)) (n ?x)) (n 1) (n 2) (n 3)
        (<= (next (has ?x)) (does r (put ?x))) (<= (next (has ?x)) (true (has ?x)))
        (<= low (true (has 1)) (true (has 2))) (<= both low (not (true (has 3))))
        (<= terminal both) (<= (goal r 100) both low) (<= (goal r 7) (not both))""")
    assert near(game.initial_state(), "r") == pytest.approx(25)  # both = (0 + 1) / 2, low = 0
    assert near(game.initial_state().next("put(1)"), "r") == pytest.approx(62.5)  # (0.5 + 1) / 2, 0.5


def test_without_a_goal_nothing_is_near() -> None:
    game = gm.parse("(role r) (init p) (<= (legal r go)) (<= (next p) (true p)) (<= terminal (true q))")
    assert near(game.initial_state(), "r") == 0


def test_rules_that_cannot_be_ground_have_no_proximity(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: object) -> None:
        raise LimitExceeded("time", "5 s")

    monkeypatch.setattr(proximity, "ground", fail)
    game = gm.parse(sheets.nim(2, 2), name="twoheaps")
    with pytest.raises(Unsuitable, match="twoheaps has no ground rules to evaluate by: time limit"):
        near(game.initial_state(), "first")
    learnt = learn_weights(game, "first", 0.05)
    assert [part.name for part in learnt.parts] == ["intermediate"]


def test_an_unknown_role_has_no_evaluation(tictactoe: gm.Game) -> None:
    with pytest.raises(UnknownRole, match="no role 'z'"):
        near(tictactoe.initial_state(), "z")
    with pytest.raises(UnknownRole, match="no role 'z'"):
        learn_weights(tictactoe, "z", 0.1)


def test_evaluations_are_found_by_name() -> None:
    assert find_evaluation("mobility") is mobility
    assert find_evaluation(focus) is focus
    with pytest.raises(UnknownAlgorithm, match="no evaluation 'luck'; there are: mobility, focus"):
        find_evaluation("luck")


@pytest.mark.parametrize("name", EVALUATIONS)
def test_a_search_takes_any_evaluation(tictactoe: gm.Game, name: str) -> None:
    state = tictactoe.initial_state()
    result = alphabeta.search(state, "x", Budget(), depth=2, evaluation=name)
    assert 0 <= result.value <= 100
    assert result.move in state.legal_moves("x")


def test_a_combination_is_an_evaluation(tictactoe: gm.Game) -> None:
    state = played(tictactoe, "mark(1,1)", "mark(2,2)")
    half = Weighted((Weight(mobility, 0.5), Weight(intermediate, 0.5)), bias=1)
    assert half(state, "x") == pytest.approx(1 + 350 / 9 + 25)
    assert Weighted((Weight(mobility, 5),))(state, "x") == pytest.approx(3500 / 9)
    assert Weighted((Weight(mobility, -5),))(state, "x") == pytest.approx(-3500 / 9)
    assert deepening.search(state, "x", Budget(), depth=2, evaluation=half).value > 0


def test_weights_are_learnt_from_random_games_in_the_time_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    game = gm.load("kono")
    clock = ticking(monkeypatch, 0.001)
    learnt = learn_weights(game, "red", 4.0, seed=1)
    assert clock.now < 4.1
    weight = {part.name: part for part in learnt.parts}
    assert weight["intermediate"].weight > 0.2  # captures made are captures counted
    assert weight["intermediate"].correlation > 0.2
    assert learnt.samples > 20
    assert 0 <= learnt(game.initial_state(), "red") <= 100


def test_learnt_weights_print_as_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    ticking(monkeypatch, 0.001)
    text = str(learn_weights(gm.load("tictactoe"), "x", 0.4))
    lines = text.splitlines()
    assert lines[0].split() == ["feature", "weight", "correlation"]
    assert [line.split()[0] for line in lines[1:]] == [
        "mobility",
        "restriction",
        "intermediate",
        "proximity",
        "(constant)",
    ]


def test_without_time_nothing_is_learnt(tictactoe: gm.Game) -> None:
    learnt = learn_weights(tictactoe, "x", 0.0)
    assert (learnt.parts, learnt.samples) == ((), 0)
    assert learnt(tictactoe.initial_state(), "x") == 50
