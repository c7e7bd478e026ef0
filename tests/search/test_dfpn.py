"""Proof-number search in machine code: what it proves and disproves is true, and it says when it does not know."""

from __future__ import annotations

import random
from functools import cache

import numpy as np
import pytest

import gamemaster as gm
from gamemaster.errors import LimitExceeded, ParameterError, Unsuitable
from gamemaster.search.budget import Budget
from gamemaster.search.catalogue import find_algorithm
from gamemaster.search.native.dfpn import ProofNumberSearch, prover_of
from gamemaster.search.native.engine import engine_of
from gamemaster.search.native.solver import Solver
from gamemaster.search.result import NOT_SEARCHED
from tests.search.truth import Graph, Truth, graph_game

NO_LIMIT = Budget()
LATE = Budget(seconds=600)


@cache
def prover_for(name: str, role: str) -> tuple[gm.State, ProofNumberSearch]:
    state = gm.load(name).initial_state()
    return state, prover_of(state, role, memory=16)


def verdict(name: str, role: str, goal: float = 100) -> str:
    state, prover = prover_for(name, role)
    return prover.ask(state, goal, LATE).verdict


# Known truths


@pytest.mark.parametrize("role", ["x", "o"])
def test_nobody_wins_tictactoe_and_both_can_draw(role: str) -> None:
    assert (verdict("tictactoe", role, 100), verdict("tictactoe", role, 50)) == ("disproved", "proved")


@pytest.mark.parametrize("cells", [3, 5, 7, 9, 11, 13, 15])
def test_of_an_odd_number_of_cells_the_first_gets_three(cells: int) -> None:
    assert verdict(f"threecells:cells={cells}", "alice") == "proved"
    assert verdict(f"threecells:cells={cells}", "bob") == "disproved"


@pytest.mark.parametrize("heaps", [(1, 2, 3), (3, 4, 5), (2, 2, 0), (1, 4, 5), (5, 5, 1), (6, 2, 4)])
def test_nim_is_won_where_the_nim_sum_is_not_0(heaps: tuple[int, int, int]) -> None:
    first, second, third = heaps
    name = f"nim:first={first},second={second},third={third}"
    assert verdict(name, "alice") == ("proved" if first ^ second ^ third else "disproved")


@pytest.mark.parametrize("size", [3, 4])
def test_the_first_wins_hex(size: int) -> None:
    assert verdict(f"hex:size={size}", "red") == "proved"
    assert verdict(f"hex:size={size}", "blue") == "disproved"


@pytest.mark.slow
def test_the_first_wins_hex_of_five_rows_by_the_middle() -> None:
    state = gm.load("hex:size=5").initial_state().next("place(c,3)")
    assert prover_of(state, "red").ask(state, 100, LATE).verdict == "proved"


@pytest.mark.parametrize("name", ["connectfour:columns=4,rows=4", "connectfour:small"])
def test_nobody_wins_connect_four_on_small_boards(name: str) -> None:
    assert [verdict(name, role) for role in ("red", "black")] == ["disproved", "disproved"]
    assert [verdict(name, role, 50) for role in ("red", "black")] == ["proved", "proved"]


# Agreement


def random_states(name: str, count: int, seed: int, least: int) -> list[gm.State]:
    """States of random games, so many steps after the start at least."""
    generator, game = random.Random(seed), gm.load(name)
    found: list[gm.State] = []
    while len(found) < count:
        state = game.initial_state()
        for _ in range(generator.randrange(least, least + 12)):
            if state.is_terminal:
                break
            state = state.next(state.random_moves(generator))
        if not state.is_terminal:
            found.append(state)
    return found


@pytest.mark.parametrize(
    ("name", "count", "least"),
    [
        ("tictactoe", 100, 0),
        ("connectfour:small", 60, 6),
        ("hex:size=4", 60, 4),
        ("wythoff", 40, 0),
        ("othello", 20, 52),
    ],
)
def test_values_are_those_of_alpha_beta(name: str, count: int, least: int) -> None:
    search = find_algorithm("dfpn")
    for state in random_states(name, count, 1, least):
        role = state.chooser
        assert role is not None
        found = search(state, role, LATE, memory=4)
        engine = engine_of(state.game)  # type: ignore[arg-type]
        truth = Solver(engine, role).search(state, LATE)
        if len(state.legal_moves(role)) > 1:
            assert (found.is_proven, found.value) == (truth.is_proven, truth.value), str(state)
            assert found.move in state.legal_moves(role)


@pytest.mark.parametrize("is_cyclic", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_answers_are_true_of_games_made_up(seed: int, is_cyclic: bool) -> None:
    graph = Graph(("a", "b"), is_duel=True, is_cyclic=is_cyclic, places=60, ends=0.15 if is_cyclic else 0.3)
    game = graph_game(graph, seed)
    truth = Truth(game.initial_state())
    for role in game.roles:
        worth = truth.against_all(role)
        prover = prover_of(game.initial_state(), role, memory=1)  # kept from question to question
        for state in truth.places:
            for goal in (30, 50, 70, 100):
                answer = prover.ask(state, goal, Budget(nodes=2_000_000))
                assert answer.verdict == ("proved" if worth[state][0] >= goal else "disproved")
                if not answer.is_endless:  # then it is as true if play without end is worth anything
                    assert (answer.verdict == "proved") == (
                        worth[state][1] >= goal
                    ) or answer.verdict == "proved"


# Play that goes round

ROUND = """
role(a) role(b)
init(at(0))
legal(R,go(K)) :- true(at(N)) & turn(N,R) & edge(N,K,M)
legal(R,wait) :- role(R) & true(at(N)) & turn(N,S) & distinct(R,S)
next(at(M)) :- true(at(N)) & turn(N,R) & does(R,go(K)) & edge(N,K,M)
terminal :- true(at(9))
goal(a,100) :- true(at(9))
goal(b,0) :- true(at(9))
goal(R,0) :- role(R) & true(at(N)) & distinct(N,9)
turn(0,a) turn(1,b) turn(2,a) turn(3,b)
edge(0,1,1) edge(0,2,3) edge(1,1,2) edge(1,2,0) edge(2,1,3) edge(2,2,1) edge(3,1,0) edge(3,2,2)
"""
"""a and b go round for ever, unless b takes a way to the end that a test adds."""


@pytest.mark.parametrize("way", ["edge(1,3,9)", "edge(1,3,9) edge(3,3,9)"])
def test_who_can_only_go_round_proves_nothing(way: str) -> None:
    state = gm.parse(ROUND + way, dialect="hrf").initial_state()
    prover = prover_of(state, "a", memory=1)
    answer = prover.ask(state, 100, NO_LIMIT)
    assert (answer.verdict, answer.is_endless) == ("disproved", True)
    assert "by play without end" in str(answer)
    result = find_algorithm("dfpn")(state, "a", NO_LIMIT)
    assert (result.value, result.is_proven) == (0, False)


def test_who_can_leave_the_round_wins() -> None:
    state = gm.parse(ROUND + "edge(2,3,9)", dialect="hrf").initial_state()
    assert prover_of(state, "a", memory=1).ask(state, 100, NO_LIMIT).verdict == "disproved"
    later = gm.parse(ROUND + "edge(2,3,9) edge(0,3,9)", dialect="hrf").initial_state()
    assert prover_of(later, "a", memory=1).ask(later, 100, NO_LIMIT).verdict == "proved"


HISTORY = (
    ROUND[: ROUND.index("turn(0,a)")]
    + """
turn(0,b) turn(1,a) turn(2,a) turn(5,b)
edge(0,1,1) edge(0,2,2) edge(1,1,2) edge(1,2,5) edge(2,1,1) edge(2,2,1) edge(2,3,1) edge(5,1,9) edge(5,2,9)
"""
)
"""After 0, 1 and 2 play comes back to 1, so 2 looks lost there; but after 0 and 2 it goes on to 1, and wins."""


def test_a_disproof_by_the_way_here_is_not_used_on_another_way() -> None:
    state = gm.parse(HISTORY, dialect="hrf").initial_state()
    assert prover_of(state, "a", memory=1).ask(state, 100, NO_LIMIT).verdict == "proved"


# Limits


def test_a_limit_of_nodes_leaves_it_unknown_and_the_table_helps_later() -> None:
    state = gm.load("hex:size=4").initial_state()
    prover = prover_of(state, "red", memory=16)
    answer = prover.ask(state, 100, Budget(nodes=1_000))
    assert answer.verdict == "unknown"
    assert 1_000 <= answer.nodes <= 1_000 + 16
    nodes = prover.ask(state, 100, NO_LIMIT).nodes
    assert prover.ask(state, 100, NO_LIMIT).nodes < nodes


def test_a_limit_of_time_leaves_it_unknown() -> None:
    state = gm.load("hex").initial_state()
    assert prover_of(state, "red").ask(state, 100, Budget(seconds=0.05)).verdict == "unknown"


def test_a_small_table_gives_the_same_answer() -> None:
    state = gm.load("hex:size=4").initial_state()
    prover = ProofNumberSearch(engine_of(state.game), "red", memory=1)  # type: ignore[arg-type]
    prover.pool = prover.pool._replace(table=np.zeros((256, 2), np.uint64))
    middle = state.next("place(b,2)").next("place(c,3)").next("place(b,3)").next("place(c,2)")
    assert prover.ask(middle, 100, LATE).verdict == prover_of(middle, "red").ask(middle, 100, LATE).verdict


def test_a_goal_of_nothing_and_ends_need_no_search() -> None:
    state, prover = prover_for("tictactoe", "x")
    assert (prover.ask(state, 0, NO_LIMIT).verdict, prover.ask(state, 0, NO_LIMIT).nodes) == ("proved", 0)
    for move in ("mark(1,1)", "mark(2,1)", "mark(1,2)", "mark(2,2)", "mark(1,3)"):
        state = state.next(move)
    assert prover.ask(state, 100, NO_LIMIT).verdict == "proved"
    assert str(prover.ask(state, 100, NO_LIMIT)) == "proved (0 nodes, 0.00 s)"


def test_nothing_is_known_without_nodes() -> None:
    state = gm.load("tictactoe").initial_state()
    for nodes in (0, 1):
        result = find_algorithm("dfpn")(state, "x", Budget(nodes=nodes))
        assert result.caveats == (NOT_SEARCHED,)
        assert result.move in state.legal_moves("x")


def test_a_win_is_found_and_other_moves_are_worth_no_more() -> None:
    state = gm.load("tictactoe").initial_state().next("mark(2,2)").next("mark(1,2)")
    result = find_algorithm("dfpn")(state, "x", NO_LIMIT)
    assert (result.value, result.is_proven, result.values[result.move or result.line[0]]) == (100, True, 100)
    assert result.move not in result.at_most


def test_somebody_else_s_turn_is_worth_the_same_and_has_no_move() -> None:
    state = gm.load("tictactoe").initial_state()
    result = find_algorithm("dfpn")(state, "o", NO_LIMIT)
    assert (result.move, result.value, result.values, result.is_proven) == (None, 50, {}, True)


# Refusals


def test_what_solver_does_not_take_is_refused_by_name() -> None:
    state = gm.load("tictactoe", machine="reference").initial_state()
    with pytest.raises(Unsuitable, match=r"dfpn needs a compiled game .* take deepening"):
        find_algorithm("dfpn")(state, "x", Budget(nodes=10))


def test_several_that_choose_are_refused() -> None:
    game = gm.load("roshambo")
    with pytest.raises(Unsuitable, match="dfpn: several roles of roshambo choose at once"):
        find_algorithm("dfpn")(game.initial_state(), game.roles[0], Budget(nodes=10))


@pytest.mark.parametrize("memory", [0, 1 << 21])
def test_memory_has_bounds(memory: int) -> None:
    state = gm.load("tictactoe").initial_state()
    with pytest.raises(ParameterError, match=f"memory of dfpn: {memory} is not a number of megabytes from 1"):
        find_algorithm("dfpn")(state, "x", Budget(nodes=10), memory=memory)


def test_memory_that_is_not_there_is_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    state = gm.load("tictactoe").initial_state()
    prover_of(state, "x", memory=1)

    def full(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr("gamemaster.search.native.dfpn.np.zeros", full)
    with pytest.raises(
        LimitExceeded, match="memory limit of 8 MB exceeded making the table of proof numbers"
    ):
        ProofNumberSearch(engine_of(state.game), "x", memory=8)  # type: ignore[arg-type]
