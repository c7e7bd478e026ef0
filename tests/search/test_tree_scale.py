"""Evaluations on any scale: the textbooks' own functions of tic-tac-toe, and ends that lie beyond every estimate."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache, partial
from math import inf, nan
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gamemaster as gm
from gamemaster.errors import ParameterError
from gamemaster.language.terms import Symbol
from gamemaster.search.budget import Budget
from gamemaster.search.catalogue import find_algorithm
from gamemaster.search.evaluation import Scaled
from gamemaster.search.result import SearchResult
from gamemaster.search.scale import LOSS, WIN, Scale
from gamemaster.search.tally import Tally, unrolled
from gamemaster.search.trees import alphabeta, deepening, expectimax
from gamemaster.search.trees.alphabeta import AlphaBeta, Options
from gamemaster.search.trees.descent import Shares
from gamemaster.search.trees.expectimax import Expectimax
from gamemaster.search.trees.maxn import MaxN
from tests.search import sheets
from tests.search.literal_tree import CHANCE, Seen, Tree

FREE = Budget()
WITH_EVALUATION = ("alphabeta", "deepening", "paranoid", "maxn", "coalition", "expectimax")
LINES = (
    *([(x, y) for y in (1, 2, 3)] for x in (1, 2, 3)),
    *([(x, y) for x in (1, 2, 3)] for y in (1, 2, 3)),
    [(1, 1), (2, 2), (3, 3)],
    [(1, 3), (2, 2), (3, 1)],
)


@pytest.fixture(scope="module")
def tictactoe() -> gm.Game:
    return gm.load("tictactoe")


@cache
def board(state: gm.State) -> dict[tuple[int, int], str]:
    cells = [str(fact).removeprefix("cell(").rstrip(")").split(",") for fact in state.facts]
    return {(int(cell[0]), int(cell[1])): cell[2] for cell in cells if len(cell) == 3}


def rows(state: gm.State) -> list[list[str]]:
    return [[board(state)[cell] for cell in line] for line in LINES]


def other(role: str) -> str:
    return "o" if role == "x" else "x"


def open_lines(state: gm.State, role: str) -> float:
    """[3-lengths open for me] - [3-lengths open for you]: seed 002."""
    mine = sum(other(role) not in line for line in rows(state))
    return mine - sum(role not in line for line in rows(state))


def quality(state: gm.State, role: str) -> float:
    """200 for a line that is nearly complete, 300 for two, 600 for a complete one, and 1 for each open: seed 004."""
    return _points(state, role) - _points(state, other(role))


def _points(state: gm.State, role: str) -> float:
    lines = rows(state)
    nearly = sum(sorted(line) == sorted([role, role, "b"]) for line in lines)
    points = 600 if [role] * 3 in lines else (0, 200, 300)[min(2, nearly)]
    return points + sum(other(role) not in line for line in lines)


def minimax(state: gm.State, role: str, depth: int, evaluation: Callable[[gm.State, str], float]) -> float:
    """The definition, with wins and losses beyond all estimates."""
    if state.is_terminal:
        return {100: inf, 0: -inf}.get(state.goal(role) or 0, 50.0)
    if depth == 0:
        return evaluation(state, role)
    assert state.control is not None
    moves = state.legal_moves(state.control)
    values = [minimax(state.next(move), role, depth - 1, evaluation) for move in moves]
    return max(values) if state.control == role else min(values)


def random_state(game: gm.Game, steps: int, generator: random.Random) -> gm.State:
    """A state after so many random moves that do not end the game."""
    while True:
        state = game.initial_state()
        while state.step < steps and not state.is_terminal:
            state = state.next(state.random_moves(generator))
        if not state.is_terminal:
            return state


def shown(value: float) -> float:
    return {inf: 100.0, -inf: 0.0}.get(value, value)


@pytest.mark.parametrize("name", ["maxn", "expectimax"])
def test_open_lines_say_that_the_middle_is_best(tictactoe: gm.Game, name: str) -> None:
    """The figure of every textbook: 1 for the middle, -1 for a corner, -2 for an edge."""
    result = find_algorithm(name)(tictactoe.initial_state(), "x", FREE, depth=2, evaluation=open_lines)
    values = {str(move): value for move, value in result.values.items()}
    assert values.pop("mark(2,2)") == 1
    assert {values.pop(f"mark({x},{y})") for x in (1, 3) for y in (1, 3)} == {-1}
    assert set(values.values()) == {-2}
    assert (str(result.move), result.value) == ("mark(2,2)", 1)


@pytest.mark.parametrize("name", ["alphabeta", "deepening", "paranoid"])
def test_alphabeta_finds_the_middle_by_open_lines_too(tictactoe: gm.Game, name: str) -> None:
    result = find_algorithm(name)(tictactoe.initial_state(), "x", FREE, depth=2, evaluation=open_lines)
    assert (str(result.move), result.value, result.is_proven) == ("mark(2,2)", 1, False)


@pytest.mark.parametrize("name", WITH_EVALUATION)
@pytest.mark.parametrize("evaluation", [open_lines, quality])
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_values_are_those_of_the_definition_whatever_the_scale(
    tictactoe: gm.Game, name: str, evaluation: Callable[[gm.State, str], float], depth: int
) -> None:
    generator = random.Random(depth)
    for steps in (2, 3, 4, 5, 6):
        state = random_state(tictactoe, steps, generator)
        role = state.control or ""
        result = find_algorithm(name)(state, role, FREE, depth=depth, evaluation=evaluation)
        exact = {move: minimax(state.next(move), role, depth - 1, evaluation) for move in result.values}
        assert result.value == shown(max(exact.values()))
        assert result.move is not None
        assert exact[result.move] == max(exact.values())


def test_the_quality_of_states_tells_moves_apart(tictactoe: gm.Game) -> None:
    state = tictactoe.state(
        [f"cell({x},{y},b)" for x, y in ((1, 2), (2, 1), (2, 3), (3, 1), (3, 2))]
        + ["cell(1,1,x)", "cell(3,3,x)", "cell(2,2,o)", "cell(1,3,o)", "control(o)"]
    )
    result = expectimax.search(state, "o", FREE, depth=1, evaluation=quality)
    values = {str(move): value for move, value in result.values.items()}
    # (3,1) completes the diagonal; each of the others makes a line of two more, or blocks one of x
    assert values.pop("mark(3,1)") == 100
    assert set(map(str, result.ends)) == {"mark(3,1)"}
    assert all(value > 100 for value in values.values())
    assert len(set(values.values())) > 1
    assert str(result.move) == "mark(3,1)" == str(result.ranked[0])


# Ends


@pytest.mark.parametrize("name", WITH_EVALUATION)
@pytest.mark.parametrize("size", [1e3, 1e300, inf])
def test_a_win_is_better_than_any_estimate_and_a_loss_worse(
    tictactoe: gm.Game, name: str, size: float
) -> None:
    search = find_algorithm(name)
    winning = tictactoe.initial_state()
    for move in ("mark(1,1)", "mark(2,1)", "mark(1,2)", "mark(2,2)"):
        winning = winning.next(move)
    won = search(winning, "x", FREE, depth=1, evaluation=lambda state, role: size)
    assert (str(won.move), won.value, won.is_proven) == ("mark(1,3)", 100, True)
    threatened = winning.next("mark(3,3)")  # o wins at (2,3), x at (1,3)
    lost = search(threatened.next("mark(3,1)"), "x", FREE, depth=2, evaluation=lambda state, role: -size)
    assert (str(lost.move), lost.value) == ("mark(1,3)", 100)
    # whatever x does but to stop o at (1,3) loses two steps on
    state = tictactoe.initial_state()
    for move in ("mark(2,1)", "mark(1,1)", "mark(3,3)", "mark(1,2)"):
        state = state.next(move)
    saved = search(state, "x", FREE, depth=2, evaluation=lambda state, role: -size)
    assert str(saved.move) == "mark(1,3)"
    assert saved.value < 0


def test_a_won_move_comes_first_among_larger_estimates() -> None:
    a, b, c = map(Symbol, "abc")
    result = SearchResult(
        "test", "x", a, 100.0, {b: 600.0, a: 100.0, c: 0.0}, ends=frozenset({a, c}), wins=frozenset({a})
    )
    assert result.ranked == [a, b, c]
    assert SearchResult("test", "x", b, -5.0, {c: 0.0, b: -5.0}, ends=frozenset({c})).ranked == [b, c]


def test_the_end_between_win_and_loss_is_worth_its_goal() -> None:
    scale = Scale()
    assert [scale.end(goal) for goal in (0.0, 50.0, 100.0)] == [LOSS, 50.0, WIN]
    assert [scale.shown(value) for value in (LOSS, -7.0, 600.0, WIN)] == [0.0, -7.0, 600.0, 100.0]
    assert LOSS < scale.estimate(-inf) < scale.estimate(inf) < WIN


def test_no_goal_at_all_is_worth_nothing_wherever_the_goals_are() -> None:
    high, low = Scale(200, 600), Scale(-80, -20)
    assert [high.shown(high.end(goal)) for goal in (0, 200, 300, 600)] == [0, 200, 300, 600]
    assert LOSS == high.end(0) < high.end(200) < high.estimate(-inf) < high.estimate(inf) < high.end(600)
    assert [low.shown(low.end(goal)) for goal in (-80, -50, -20, 0)] == [-80, -50, -20, 0]
    assert low.end(-80) < low.estimate(-inf) < low.estimate(inf) < low.end(-20) < low.end(0) == WIN


OTHER_GOALS = """
role(a) role(b) role(c) init(at(s)) init(control(a)) after(a,b) after(b,a)
legal(R,go(X)) :- true(at(S)) & true(control(R)) & edge(S,X)
next(at(X)) :- does(R,go(X))
next(control(S)) :- true(control(R)) & after(R,S)
edge(s,won) edge(s,open) edge(s,lost) edge(open,on) edge(on,draw) edge(draw,on)
terminal :- true(at(won))
terminal :- true(at(lost))
goal(a,HIGH) :- true(at(won))
goal(c,HIGH) :- true(at(won))
goal(b,LOW) :- true(at(won))
goal(a,LOW) :- true(at(lost))
goal(c,LOW) :- true(at(lost))
goal(b,HIGH) :- true(at(lost))
"""
RANGES = [(0, 30), (200, 600), (-50, 80), (-90, -10)]
SCALED = ("alphabeta", "deepening", "paranoid", "extended", "expectimax", "maxn", "coalition")


def other_goals(low: int, high: int, machine: Any) -> gm.State:
    sheet = OTHER_GOALS.replace("HIGH", str(high)).replace("LOW", str(low))
    return gm.parse(sheet, dialect="hrf", machine=machine).initial_state()


@pytest.mark.parametrize("machine", ["reference", "compiled"])
@pytest.mark.parametrize(("low", "high"), RANGES)
@pytest.mark.parametrize("name", SCALED)
def test_a_win_is_beyond_estimates_whatever_goals_the_rules_have(
    name: str, low: int, high: int, machine: str
) -> None:
    state = other_goals(low, high, machine)
    allied: dict[str, Any] = {"alliances": ("a+c",)} if name == "coalition" else {}
    for said in (-1e4, 1e4):
        evaluation = partial(lambda said, *_: said, said)
        result = find_algorithm(name)(state, "a", FREE, depth=2, evaluation=evaluation, **allied)
        assert (str(result.move), result.value) == ("go(won)", high)
        ranked = ["go(won)", "go(open)", "go(lost)"]
        assert [str(move) for move in result.ranked] == [move for move in ranked if _is_in(move, result)]


def _is_in(move: str, result: SearchResult) -> bool:
    """Whether a move was searched: after a win there is nothing to look for."""
    return move in map(str, result.values)


LARGE = """
role(a) role(random) init(s) side(1) side(2) side(3)
legal(a,go) :- true(s)
legal(a,stay) :- true(s)
legal(random,N) :- true(s) & side(N)
legal(a,wait) :- ~true(s)
legal(random,wait) :- ~true(s)
next(t(M,N)) :- does(a,M) & does(random,N)
terminal :- true(t(stay,N))
terminal :- true(t(wait,wait))
goal(a,100) :- true(t(stay,N))
goal(a,0) :- true(t(wait,wait))
"""


def test_a_mean_of_large_estimates_is_no_win() -> None:
    state = gm.parse(LARGE, dialect="hrf", machine="reference").initial_state()

    def large(state: gm.State, role: str) -> float:
        return 8e307 if state.holds("t(go,1)") else 7e307

    result = find_algorithm("expectimax")(state, "a", FREE, depth=1, evaluation=large)
    assert (str(result.move), result.value) == ("stay", 100)
    assert set(map(str, result.ends)) == {"stay"}


@pytest.mark.parametrize("said", [nan, None, "much"])
def test_an_evaluation_that_gives_no_number_is_told(tictactoe: gm.Game, said: Any) -> None:
    with pytest.raises(ParameterError, match=f"the evaluation says {said!r}, which is no number"):
        alphabeta.search(tictactoe.initial_state(), "x", FREE, depth=1, evaluation=lambda state, role: said)


# Scaled


def test_a_scaled_evaluation_is_on_the_scale_of_goals(tictactoe: gm.Game) -> None:
    scaled = Scaled(open_lines, -8, 8)
    state = tictactoe.initial_state()
    assert scaled(state, "x") == 50
    assert scaled(state.next("mark(2,2)"), "x") == 75
    assert scaled(state.next("mark(2,2)"), "o") == 25
    result = deepening.search(state, "x", FREE, depth=2, evaluation=scaled)
    assert (str(result.move), result.value) == ("mark(2,2)", 100 * 9 / 16)


def test_a_scale_has_a_length() -> None:
    with pytest.raises(ValueError, match="a scale from 8 to -8 has no length"):
        Scaled(open_lines, 8, -8)


# Trees that are written down


def searched(
    tree: Any, options: Options, depth: int, levels: tuple[str, ...] = ("max", "min")
) -> SearchResult:
    root, meter = Tree(tree, levels), FREE.start()
    tally = Tally(root, "max", meter)
    AlphaBeta("max", meter, options, lambda position: position.reward("max")).run(root, depth, tally)
    return tally.result("alphabeta", depth=depth, is_proven=tally.is_exact)


def stretched(tree: Any, size: float, shift: float) -> Any:
    """The same tree with the estimates on another scale, its ends as they are."""
    if isinstance(tree, Seen):
        return Seen(tree.value * size + shift, [stretched(child, size, shift) for child in tree.children])
    return tree


seen_trees: st.SearchStrategy[Any] = st.recursive(
    st.sampled_from([0, 100]),
    lambda inner: st.builds(Seen, st.integers(1, 99), st.lists(inner, min_size=1, max_size=3)),
    max_leaves=40,
).map(lambda tree: tree if isinstance(tree, Seen) else Seen(50, [tree]))


@given(seen_trees, st.integers(1, 4), st.sampled_from([0.001, 1000.0]), st.sampled_from([-9e5, 0.0, 9e5]))
@settings(max_examples=300, deadline=None)
def test_only_the_order_of_estimates_matters_and_ends_stay_beyond_them(
    tree: Any, depth: int, size: float, shift: float
) -> None:
    for options in (Options(), Options(table=False, ordering=())):
        plain = searched(tree, options, depth)
        other_scale = searched(stretched(tree, size, shift), options, depth)
        assert other_scale.move == plain.move
        assert other_scale.ends == plain.ends
        assert other_scale.is_proven == plain.is_proven
        assert other_scale.nodes == plain.nodes
        if plain.move not in plain.ends:
            assert other_scale.value == pytest.approx(plain.value * size + shift)


QUIET = Seen(0, [Seen(400, [Seen(-400, [50]), Seen(300, [50])]), Seen(50, [Seen(40, [50]), Seen(30, [50])])])


def test_margins_are_on_the_evaluations_own_scale() -> None:
    assert str(searched(QUIET, Options(), 1).move) == "0"
    assert str(searched(QUIET, Options(quiet=200, extra=1), 1).move) == "1"
    assert str(searched(QUIET, Options(quiet=900, extra=1), 1).move) == "0"
    assert str(searched(QUIET, Options(singular=500, extra=1), 1).move) == "1"
    assert str(searched(QUIET, Options(singular=800, extra=1), 1).move) == "0"


def test_two_moves_that_win_are_not_singular() -> None:
    tree = [Seen(10, [0, 0, 60]), Seen(20, [70, 70])]
    result = searched(tree, Options(singular=5), 1)
    assert (str(result.move), result.value) == ("1", 20)


def test_what_wins_whatever_chance_does_is_better_than_any_estimate() -> None:
    tree = Tree([[100, 100], [Seen(5000, [[0]]), 100], [0, 0], [Seen(-5000, [[0]]), 0]], ("max", CHANCE))
    meter = FREE.start()
    tally = Tally(tree, "max", meter)
    Expectimax("max", meter, lambda position: position.reward("max")).run(tree, 2, tally)
    assert list(tally.values.values()) == [100]  # nothing is better
    losing = Tree([[0, 0], [Seen(-5000, [[0]]), 0], [Seen(-9000, [[0]]), 100]], ("max", CHANCE))
    tally = Tally(losing, "max", meter)
    Expectimax("max", meter, lambda position: position.reward("max")).run(losing, 2, tally)
    assert list(tally.values.values()) == [0, -2500, -4450]
    assert str(tally.best) == "1"


def test_in_maxn_each_role_takes_a_sure_win_before_an_estimate() -> None:
    evaluation = {"a": 500.0, "b": 700.0}

    def searched_by_a(tree: Any) -> Shares:
        maxn = MaxN("a", ("a", "b"), FREE.start(), lambda position, role: evaluation[role])
        return maxn.value(Tree(tree, ("a", "b")), 2)

    shares = searched_by_a([[(0, 100), Seen(1, [[1]])], [Seen(1, [[1]]), Seen(2, [[1]])]])
    assert dict(shares.values) == evaluation
    assert [str(move) for move in unrolled(shares.line)] == ["1", "0"]
    assert searched_by_a([[(0, 100), Seen(1, [[1]])]]).values == {"a": LOSS, "b": WIN}


def test_the_depth_at_which_estimates_are_taken_may_mix_with_a_circle() -> None:
    """A game that can go on for ever, and an evaluation far from its goals; to end it is the worst there is."""
    state = gm.parse(sheets.ENDLESS).initial_state()
    result = deepening.search(state, "first", FREE, depth=5, evaluation=lambda state, role: -3.0)
    assert (str(result.move), result.value) == ("keep", -3)
