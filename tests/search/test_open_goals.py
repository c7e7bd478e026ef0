"""Goals that rules leave open, or that nobody can count with: no proof rests on what is not known."""

from __future__ import annotations

import pytest

import gamemaster as gm
from gamemaster.load import MachineName
from gamemaster.search.catalogue import ALGORITHMS
from gamemaster.search.goals import OPEN, USUAL, goals_in

FORK = """
role(a) init(s(0)) legal(a,l) :- true(s(0))  legal(a,r) :- true(s(0))
next(s(1)) :- does(a,l)  next(s(2)) :- does(a,r)
terminal :- ~true(s(0))
"""
SCORES = FORK + "pay(1,{}) pay(2,{}) goal(a,V) :- true(s(X)) & pay(X,V)"
ALONE = (
    "mcs",
    "uct",
    "decoupled",
    "maximizer",
    "minimax",
    "alphabeta",
    "deepening",
    "expectimax",
    "nested",
)


def fork(left: object, right: object, machine: MachineName = "reference") -> gm.Game:
    return gm.parse(SCORES.format(left, right), dialect="hrf", machine=machine)


def test_what_a_head_leaves_open_is_known_to_the_compiled_machine_only() -> None:
    assert goals_in(fork(100, 200), "a") == OPEN
    assert goals_in(fork(100, 200, "compiled"), "a") == (100.0, 200.0)
    assert (OPEN.sum, OPEN.share(25.0)) == (USUAL.sum, 0.25)


@pytest.mark.parametrize("goals", [(100, 200), (200, 100), (-50, 0), (0, -50), (30, 70)], ids=str)
@pytest.mark.parametrize("name", [name for name in ALONE if name in ALGORITHMS])
def test_no_goal_is_the_most_where_the_rules_leave_it_open(name: str, goals: tuple[int, int]) -> None:
    result = gm.search(fork(*goals), "a", name, nodes=500)
    assert str(result.move) == ("l" if goals[0] > goals[1] else "r")
    assert result.value == max(goals)


@pytest.mark.parametrize("name", ["minimaxdepth", "minimaxid", "twostep"])
@pytest.mark.parametrize("machine", ["compiled", "reference"])
def test_a_player_that_stops_at_100_proves_nothing_where_there_is_more(
    name: str, machine: MachineName
) -> None:
    results = [gm.search(fork(*goals, machine), "a", name, seconds=600) for goals in ((100, 200), (30, 100))]
    assert [result.is_proven for result in results] == [False, machine == "compiled"]


@pytest.mark.parametrize("name", ["idastar", "planner", "bounded"])
def test_a_puzzle_with_open_goals_is_not_proven_by_what_is_enough(name: str) -> None:
    result = gm.search(fork(100, 200), "a", name, seconds=600)
    assert not (result.value == 100.0 and result.is_proven)


@pytest.mark.parametrize("machine", ["compiled", "reference"])
@pytest.mark.parametrize("word", ["nan", "inf", "many"])
@pytest.mark.parametrize("name", ["minimax", "alphabeta", "uct", "decoupled"])
def test_a_goal_that_is_no_number_and_never_comes_changes_nothing(
    name: str, word: str, machine: MachineName
) -> None:
    text = FORK + f"goal(a,{word}) :- true(s(9)) goal(a,50) :- true(s(1)) goal(a,70) :- true(s(2))"
    result = gm.search(gm.parse(text, dialect="hrf", machine=machine), "a", name, nodes=500)
    assert (str(result.move), result.value) == ("r", 70.0)


@pytest.mark.parametrize("machine", ["compiled", "reference"])
@pytest.mark.parametrize("name", ["minimax", "uct", "decoupled", "mcs"])
def test_a_goal_that_nobody_can_count_with_is_an_error_of_the_rules(name: str, machine: MachineName) -> None:
    game = fork("1" + "0" * 400, 50, machine)
    with pytest.raises(
        gm.GameIllDefined, match=r"goal of 'a' is '10+\.\.\.', more than 1,000,000,000,000,000"
    ):
        game.initial_state().next("l").goal("a")
    with pytest.raises(gm.GameIllDefined, match=r"more than|is no number that counts"):
        gm.search(game, "a", name, nodes=500)
    assert fork(10**15, 50, machine).initial_state().next("l").goal("a") == 10**15
