"""Searches for puzzles with one role: solutions, shortest ones, proofs that there is none, refusals."""

from __future__ import annotations

import pytest

import gamemaster as gm
from gamemaster.ground import clingo_process
from gamemaster.language.terms import Term
from gamemaster.machine.game import State
from gamemaster.search.budget import Budget
from gamemaster.search.catalogue import Search
from gamemaster.search.puzzles import idastar, nested, planner, puzzle
from gamemaster.search.result import NOT_SEARCHED, SearchResult
from tests.search.puzzles import (
    COUNTED,
    DOUBLING,
    LADDER,
    ONE_MOVE,
    SEND_MORE_MONEY,
    SOLVED,
    eight_puzzle,
    fewest_slides,
)
from tests.ticking import ticking

SEARCHES: dict[str, Search] = {"idastar": idastar.search, "nested": nested.search, "planner": planner.search}


def start_of(name: str) -> tuple[State, str]:
    game = gm.load(name)
    return game.initial_state(), game.roles[0]


def end_of(state: State, role: str, line: tuple[Term, ...]) -> State:
    for move in line:
        state = state.next({role: move})
    return state


def assert_solves(result: SearchResult, state: State, role: str, value: int = 100) -> None:
    """The line is legal play to an end that is worth what the result says."""
    end = end_of(state, role, result.line)
    assert end.is_terminal
    assert end.goal(role) == result.value == value
    assert result.is_proven
    assert result.move == result.line[0]
    assert set(result.values) == set(result.visits) == set(state.legal_moves(role))
    assert result.values[result.line[0]] == value


@pytest.mark.parametrize("game", ["buttonsandlights", "hunter", "hamilton"])
@pytest.mark.parametrize("name", SEARCHES)
def test_short_puzzles_are_solved_by_all(game: str, name: str) -> None:
    state, role = start_of(game)
    assert_solves(SEARCHES[name](state, role, Budget(seconds=600), seed=1), state, role)


@pytest.mark.parametrize("game", [pytest.param("knightstour", marks=pytest.mark.slow), "peg"])
def test_long_puzzles_are_solved_by_idastar(game: str) -> None:
    state, role = start_of(game)
    assert_solves(idastar.search(state, role, Budget(seconds=600)), state, role)


@pytest.mark.slow
def test_the_knights_tour_is_solved_by_nested() -> None:
    state, role = start_of("knightstour")
    assert_solves(nested.search(state, role, Budget(seconds=600), seed=0), state, role)


@pytest.mark.slow
def test_no_way_beats_the_best_of_hunter() -> None:
    """Every state of hunter, breadth first: the best end is 100, as the searches say."""
    state, role = start_of("hunter")
    layer = {puzzle.key_of(state): state}
    ends: set[int | None] = set()
    while layer:
        following = {}
        for here in layer.values():
            if here.is_terminal:
                ends.add(here.goal(role))
                continue
            for move in here.legal_moves(role):
                after = here.next(move)
                following[puzzle.key_of(after)] = after
        layer = following
    assert max(goal or 0 for goal in ends) == 100


LONG = pytest.param("41b837562", marks=pytest.mark.slow)  # 20 moves
EIGHTS = ["1234567b8", "1524b3786", "8134b2765", "4137265b8", LONG]


@pytest.mark.parametrize("tiles", EIGHTS)
@pytest.mark.parametrize("name", ["idastar", "planner"])
def test_eight_puzzles_are_solved_in_as_few_moves_as_possible(tiles: str, name: str) -> None:
    state = gm.parse(eight_puzzle(tiles)).initial_state()
    result = SEARCHES[name](state, "robot", Budget(seconds=600))
    assert_solves(result, state, "robot")
    assert len(result.line) == fewest_slides(tiles)


@pytest.mark.parametrize("level", [1, 2, 3])
def test_nested_sees_ends_that_are_nearer_than_its_level(level: int) -> None:
    state = gm.parse(ONE_MOVE).initial_state()
    result = nested.search(state, "robot", Budget(playouts=100), level=level)
    assert_solves(result, state, "robot")
    assert result.nodes <= 3


@pytest.mark.parametrize("level", [1, 2, 3])
def test_nested_takes_the_best_of_near_ends(level: int) -> None:
    more = "goal(robot,100) :- true(chosen(a)) & true(chosen(b))"
    state = gm.parse(ONE_MOVE.replace("100", "80") + more).initial_state()
    result = nested.search(state, "robot", Budget(playouts=100), level=level)
    assert {str(move): value for move, value in result.values.items()} == {"a": 30, "b": 80, "c": 30}
    assert (str(result.move), result.value, result.is_proven) == ("b", 80, False)
    assert {str(move): [str(each) for each in line] for move, line in result.lines.items()} == {
        letter: [letter] for letter in "abc"
    }


@pytest.mark.parametrize("name", SEARCHES)
def test_the_most_that_the_rules_give_is_proven(name: str) -> None:
    state = gm.parse(ONE_MOVE.replace("100", "80")).initial_state()
    result = SEARCHES[name](state, "robot", Budget(seconds=60))
    assert (str(result.move), result.value, result.is_proven) == ("b", 80, True)


def test_idastar_finds_as_short_a_line_without_its_heuristic() -> None:
    state = gm.parse(eight_puzzle("4137265b8")).initial_state()
    informed = idastar.search(state, "robot", Budget(seconds=600))
    blind = idastar.search(state, "robot", Budget(seconds=600), heuristic=False)
    assert len(informed.line) == len(blind.line)
    assert informed.nodes < blind.nodes / 4


def test_idastar_on_the_reference_machine() -> None:
    state = gm.parse(eight_puzzle("1524b3786"), machine="reference").initial_state()
    assert_solves(idastar.search(state, "robot", Budget(seconds=600)), state, "robot")


def test_the_planner_solves_send_more_money() -> None:
    state = gm.parse(SEND_MORE_MONEY).initial_state()
    result = planner.search(state, "robot", Budget(seconds=600))
    assert_solves(result, state, "robot")
    assert [str(move) for move in result.line] == [
        f"give({letter},{digit})" for letter, digit in zip("sendmory", (9, 5, 6, 7, 1, 0, 8, 2), strict=True)
    ]


# Where enough cannot be had


@pytest.mark.parametrize("name", ["idastar", "planner"])
def test_the_best_there_is_is_proven(name: str) -> None:
    state = gm.parse(LADDER).initial_state()
    result = SEARCHES[name](state, "robot", Budget(seconds=600))
    assert_solves(result, state, "robot", 60)
    assert [str(move) for move in result.line] == ["climb", "climb"]


def test_nested_does_not_prove_less_than_100() -> None:
    result = nested.search(gm.parse(LADDER).initial_state(), "robot", Budget(playouts=100))
    assert (result.value, result.is_proven, result.playouts) == (60.0, False, 100)


@pytest.mark.parametrize("name", ["idastar", "planner"])
def test_less_can_be_enough(name: str) -> None:
    state = gm.parse(LADDER).initial_state()
    result = SEARCHES[name](state, "robot", Budget(seconds=600), enough=30)
    assert result.value >= 30
    assert not result.is_proven
    assert end_of(state, "robot", result.line).is_terminal


def test_the_planner_gives_up_at_its_horizon() -> None:
    state = gm.parse(eight_puzzle("1524b3786")).initial_state()
    result = planner.search(state, "robot", Budget(seconds=600), horizon=3)
    assert (result.move, result.is_proven) == (state.legal_moves("robot")[0], False)


# Budgets


@pytest.mark.parametrize("name", SEARCHES)
def test_seconds_are_kept_to(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    state = gm.parse(eight_puzzle("86b254371")).initial_state()  # 28 moves
    clock = ticking(monkeypatch, 0.02)  # few looks: the planner's child gets a moment between two of them
    result = SEARCHES[name](state, "robot", Budget(seconds=0.25))
    assert clock.now < 0.35
    assert result.move in state.legal_moves("robot")
    assert not result.is_proven


@pytest.mark.parametrize("name", ["idastar", "nested"])
def test_nodes_are_kept_to_and_results_repeat(name: str) -> None:
    state, role = start_of("peg")
    first, again = (SEARCHES[name](state, role, Budget(nodes=500), seed=4) for _ in range(2))
    assert first.nodes == again.nodes == 501  # the one that was too many
    assert (first.line, first.values, first.visits) == (again.line, again.values, again.visits)


@pytest.mark.parametrize("name", SEARCHES)
def test_no_budget_at_all_still_gives_a_legal_move(name: str) -> None:
    state, role = start_of("peg")
    result = SEARCHES[name](state, role, Budget(seconds=0.0, nodes=0))
    assert result.move == state.legal_moves(role)[0]
    assert not result.is_proven


@pytest.mark.parametrize("name", SEARCHES)
def test_a_budget_without_limits_has_a_default(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(puzzle, "DEFAULT", Budget(seconds=0.3))
    state = gm.parse(eight_puzzle("86b254371")).initial_state()
    assert not SEARCHES[name](state, "robot", Budget()).is_proven


@pytest.mark.parametrize("name", SEARCHES)
def test_a_solved_puzzle_needs_no_move(name: str) -> None:
    state = gm.parse(eight_puzzle(SOLVED)).initial_state()
    result = SEARCHES[name](state, "robot", Budget(seconds=600))
    assert (result.move, result.line, result.value, result.is_proven) == (None, (), 100.0, True)


def test_the_planner_counts_dead_ends_as_nodes() -> None:
    state = gm.parse(eight_puzzle("86b254371")).initial_state()
    for nodes in (0, 5, 200):
        result = planner.search(state, "robot", Budget(nodes=nodes))
        assert nodes <= result.nodes <= nodes + 1
        assert (result.is_proven, result.caveats) == (False, (NOT_SEARCHED,))


# Refusals


@pytest.mark.parametrize("name", SEARCHES)
def test_games_with_more_roles_are_refused(name: str) -> None:
    state = gm.load("tictactoe").initial_state()
    with pytest.raises(
        gm.Unsuitable, match=f"{name} is for puzzles with one role; tictactoe has 2 .* take uct"
    ):
        SEARCHES[name](state, "x", Budget(seconds=1))


@pytest.mark.parametrize("name", SEARCHES)
def test_a_role_that_the_game_lacks_is_refused(name: str) -> None:
    with pytest.raises(gm.UnknownRole, match="no role 'z'"):
        SEARCHES[name](gm.load("peg").initial_state(), "z", Budget(nodes=10))


def test_the_planner_refuses_what_it_cannot_translate() -> None:
    state = gm.parse(COUNTED, machine="reference", name="counted").initial_state()
    with pytest.raises(
        gm.Unsuitable, match=r"planner cannot translate counted: .*countofall.* take idastar or nested"
    ):
        planner.search(state, "robot", Budget(seconds=600))
    assert_solves(idastar.search(state, "robot", Budget(seconds=600)), state, "robot")


def test_the_planner_refuses_what_clingo_cannot_compute() -> None:
    sheet = DOUBLING + "goal(robot,100) :- true(won)"  # for which it would look on and on
    state = gm.parse(sheet, machine="reference", name="doubling").initial_state()
    with pytest.raises(gm.Unsuitable, match=r"planner cannot translate doubling: .*text length"):
        planner.search(state, "robot", Budget(seconds=600))


def test_a_planning_process_that_fails_is_not_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clingo_process, "START", "raise SystemExit('no clingo here')")
    with pytest.raises(RuntimeError, match="the planning process failed: no clingo here"):
        planner.search(gm.load("peg").initial_state(), "jumper", Budget(seconds=600))


def test_too_little_memory_is_no_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planner, "MEGABYTES", 25)
    result = planner.search(gm.load("peg").initial_state(), "jumper", Budget(seconds=600))
    assert (result.depth, result.is_proven) == (1, False)
