"""The kernels of search against the State API: children, values, trees."""

from __future__ import annotations

import os
import pickle
import random
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import nullcontext
from copy import copy
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

import gamemaster as gm
from gamemaster.machine.compiled import CompiledGame, CompiledState
from gamemaster.machine.workshop import run_elsewhere
from gamemaster.search.budget import Budget
from gamemaster.search.catalogue import find_algorithm
from gamemaster.search.native import engine as engine_module
from gamemaster.search.native import learning as learning_module
from gamemaster.search.native import mcts as mcts_module
from gamemaster.search.native import solver as solver_module
from gamemaster.search.native import warming
from gamemaster.search.native.engine import Engine, Stopwatch, engine_of
from gamemaster.search.native.kernels.compiling import STAMP
from gamemaster.search.native.kernels.records import USED, LinearEvaluation
from gamemaster.search.native.kernels.rows import NOBODY, SEVERAL, expand, mover_of
from gamemaster.search.native.kernels.subtree import find_state
from gamemaster.search.native.mcts import NativeTree
from gamemaster.search.native.mcts import search as mcts
from gamemaster.search.native.options import MctsOptions
from gamemaster.search.native.solver import FIRST_ENTRIES, Solver, goal_evaluation, solve
from gamemaster.search.result import NOT_PROVEN, NOT_SEARCHED
from gamemaster.search.suitable import is_native

TURNS = ["tictactoe", "donttouch", "kono", "breakthrough", "hex7x7", "wythoff", "hunter"]

BOTH = """
role(a) role(b) init(step(1)) succ(1,2) succ(2,3) pick(1) pick(2)
legal(R,go(X)) :- role(R) & pick(X)
next(step(X)) :- true(step(Y)) & succ(Y,X)
next(same) :- does(a,go(X)) & does(b,go(X))
next(same) :- true(same)
terminal :- true(step(3))
goal(a,100) :- true(same)
goal(a,0) :- ~true(same)
goal(b,0) :- true(same)
goal(b,100) :- ~true(same)
"""

LATER = """
role(a) role(b) init(step(1)) succ(1,2) succ(2,3) succ(3,4) succ(4,5) pick(1) pick(2)
legal(a,go(X)) :- pick(X)
legal(b,wait)
legal(b,go(1)) :- true(step(4)) & true(last(2))
next(step(Y)) :- true(step(X)) & succ(X,Y)
next(last(X)) :- does(a,go(X))
terminal :- true(step(5))
goal(a,100) :- true(last(1))
goal(a,0) :- ~true(last(1))
goal(b,0) :- role(b)
"""
"""Both choose in the fourth step, unless the first has just gone 1."""


def compiled(name: str) -> CompiledGame:
    game = gm.load(name, machine="compiled")
    assert isinstance(game, CompiledGame)
    return game


def random_states(game: CompiledGame, count: int, seed: int, least: int = 0) -> list[CompiledState]:
    """States of random games, none of them terminal."""
    generator = random.Random(seed)
    found: list[CompiledState] = []
    while len(found) < count:
        state = game.initial_state()
        path = []
        while not state.is_terminal:
            path.append(state)
            state = state.next(state.random_moves(generator))
        late = path[min(least, len(path) - 1) :]
        found.append(generator.choice(late))
    return found


def mover(state: CompiledState) -> str:
    """The role that the kernels let choose."""
    choosers = [role for role in state.movers if len(state.legal_moves(role)) > 1]
    return choosers[0] if choosers else state.movers[0]


def plain_value(state: CompiledState, role: str, depth: int) -> float:
    """Minimax by the book; at the limit the goal of the state."""
    if state.is_terminal or depth == 0:
        return float(state.goal(role) or 0)
    chooser = mover(state)
    forced = {other: state.legal_moves(other)[0] for other in state.movers}
    values = [
        plain_value(state.next({**forced, chooser: move}), role, depth - 1)
        for move in state.legal_moves(chooser)
    ]
    return max(values) if chooser == role else min(values)


@pytest.mark.parametrize("name", TURNS)
def test_children_are_those_of_the_states(name: str) -> None:
    game = compiled(name)
    engine = engine_of(game)
    rows, moves = np.zeros((2_000, engine.row_words), np.uint64), np.zeros(2_000, np.int64)
    for state in random_states(game, 10, seed=1):
        rows[0] = engine.row_of(state)
        number = int(mover_of(engine.code(), rows, 0))
        assert game.roles[number] == mover(state)
        count = int(expand(engine.code(), rows, 0, number, rows, 1, moves))
        legal = state.legal_moves(mover(state))
        assert [engine.terms[move] for move in moves[1 : 1 + count]] == list(legal)
        forced = {other: state.legal_moves(other)[0] for other in state.movers}
        for i, move in enumerate(legal):
            child = state.next({**forced, mover(state): move})
            assert (rows[1 + i] == engine.row_of(child)).all()


def test_children_beyond_one_batch_of_lanes() -> None:
    cells = " ".join(f"cell({i})" for i in range(300))
    text = f"""
    role(a) {cells} init(start) legal(a,take(X)) :- cell(X)
    next(taken(X)) :- does(a,take(X))
    next(done) :- true(start)
    terminal :- true(done)
    goal(a,100) :- true(taken(299))
    goal(a,0) :- ~true(taken(299))
    """
    game = gm.parse(text, dialect="hrf", machine="compiled")
    state = game.initial_state()
    assert isinstance(state, CompiledState)
    result = solve(state, "a", Budget())
    assert str(result.move) == "take(299)"
    assert result.is_proven
    engine = Engine(state.game)
    guess = goal_evaluation(engine, 0)
    other = Solver(engine, "a", LinearEvaluation(guess.weights)).search(state, Budget(), depth=2)
    assert str(other.move) == "take(299)"


def test_no_room_for_children() -> None:
    game = compiled("tictactoe")
    engine = engine_of(game)
    rows, moves = np.zeros((100, engine.row_words), np.uint64), np.zeros(100, np.int64)
    rows[0] = engine.row_of(game.initial_state())
    assert expand(engine.code(), rows, 0, 0, rows, 1, moves) == -1


@pytest.mark.parametrize(("name", "least"), [("tictactoe", 3), ("donttouch", 8), ("kono", 0), ("wythoff", 2)])
@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_alphabeta_is_minimax(name: str, least: int, depth: int) -> None:
    game = compiled(name)
    engine = engine_of(game)
    for state in random_states(game, 8, seed=depth, least=least):
        role = mover(state)
        if len(state.legal_moves(role)) < 2:
            continue
        expected = plain_value(state, role, depth)
        guess = goal_evaluation(engine, game.roles.index(role))
        for evaluation in (guess, LinearEvaluation(guess.weights)):  # leaves in lanes, and leaves one by one
            for at_once in (False, True):
                result = Solver(engine, role, evaluation).search(state, Budget(), depth, at_once)
                assert result.value == expected
                assert result.move in state.legal_moves(role)


def test_tictactoe_is_a_draw() -> None:
    result = solve(compiled("tictactoe").initial_state(), "x", Budget())
    assert (result.value, result.is_proven) == (50, True)
    assert len(result.line) == 9


def test_what_is_only_a_bound_is_told() -> None:
    """In the corner o draws, at an edge it loses; one draw is enough to see that nothing is better."""
    state = compiled("tictactoe").initial_state().next("mark(2,2)")
    result = solve(state, "o", Budget())
    assert (result.value, result.is_proven) == (50, True)
    exact = {str(move): value for move, value in result.values.items() if move not in result.at_most}
    assert result.move in result.values
    assert result.move not in result.at_most
    assert result.ranked[0] not in result.at_most
    for move, value in result.values.items():
        truth = plain_value(state.next(move), "o", 9)
        assert value == truth if str(move) in exact else value >= truth


def test_what_was_not_looked_at_has_no_value() -> None:
    state = compiled("tictactoe").initial_state()
    for move in ("mark(1,1)", "mark(2,1)", "mark(1,2)", "mark(2,2)"):
        state = state.next(move)
    result = solve(state, "x", Budget())
    assert (str(result.move), result.value, result.is_proven) == ("mark(1,3)", 100, True)
    assert all(
        plain_value(state.next(move), "x", 9) <= value if move in result.at_most else True
        for move, value in result.values.items()
    )
    assert len(result.values) < len(state.legal_moves("x"))
    tree = mcts(state, "x", Budget(playouts=2_000))
    assert all(tree.visits[move] or tree.values[move] in (0, 100) for move in tree.values)


def test_a_kept_table_knows_the_rest() -> None:
    game = compiled("tictactoe")
    solver = Solver(engine_of(game), "x")
    first = solver.search(game.initial_state(), Budget())
    again = solver.search(game.initial_state(), Budget())
    assert again.nodes < first.nodes / 10
    assert again.value == first.value


def test_a_table_grows_and_keeps_what_it_knows() -> None:
    game = compiled("tictactoe")
    solver = Solver(engine_of(game), "x")
    solver.search(game.initial_state(), Budget(), depth=4)
    assert len(solver.pool.table) == FIRST_ENTRIES
    before = {tuple(entry) for entry in solver.pool.table.tolist() if entry[0]}
    assert before
    solver._widen(FIRST_ENTRIES * 3)
    assert len(solver.pool.table) == FIRST_ENTRIES * 4
    after = [(slot, tuple(entry)) for slot, entry in enumerate(solver.pool.table.tolist()) if entry[0]]
    assert {entry for _, entry in after} == before
    assert all(slot == entry[0] % (FIRST_ENTRIES * 4) for slot, entry in after)


def test_a_table_that_grows_changes_no_value() -> None:
    game = compiled("breakthrough")
    for state in random_states(game, 3, seed=5, least=10):
        role = mover(state)
        grown, narrow = Solver(engine_of(game), role), Solver(engine_of(game), role, table_bits=8)
        values = [solver.search(state, Budget(), depth=6).value for solver in (grown, narrow)]
        assert values[0] == values[1]
        assert len(narrow.pool.table) == 256
        assert len(grown.pool.table) > FIRST_ENTRIES


def test_budgets_are_kept() -> None:
    game = compiled("breakthrough")
    state = game.initial_state()
    result = solve(state, "white", Budget(seconds=0.1))  # without its budget it would go on for years
    assert not result.is_proven
    assert result.move in state.legal_moves("white")
    few = solve(state, "white", Budget(nodes=2_000))
    assert few.nodes < 4_000
    assert solve(state, "white", Budget(nodes=0)).nodes < 4_000  # none at all is a limit, too
    tree = mcts(state, "white", Budget(playouts=1_000))
    assert tree.nodes == 1_000


def test_whoever_waits_makes_its_only_move() -> None:
    text = (
        "role(a) role(b) init(t(a)) init(n(1)) legal(a,x) :- true(t(a)) legal(a,y) :- true(t(a)) legal(b,w) \
    next(n(2)) :- true(n(1)) terminal :- true(n(2)) goal(a,50) goal(b,50)"
    )
    state = gm.parse(text, dialect="hrf", machine="compiled").initial_state()
    assert isinstance(state, CompiledState)
    assert str(solve(state, "b", Budget()).move) == "w"
    assert str(mcts(state, "b", Budget(playouts=10)).move) == "w"


def test_simultaneous_moves_are_refused() -> None:
    game = gm.parse(BOTH, dialect="hrf", machine="compiled")
    state = game.initial_state()
    assert isinstance(state, CompiledState)
    with pytest.raises(gm.Unsuitable, match="several roles"):
        solve(state, "a", Budget())
    with pytest.raises(gm.Unsuitable, match="several roles"):
        mcts(state, "a", Budget(playouts=10))
    engine = engine_of(state.game)
    rows = np.zeros((1, engine.row_words), np.uint64)
    rows[0] = engine.row_of(state)
    assert mover_of(engine.code(), rows, 0) == SEVERAL
    end = state.next({"a": "go(1)", "b": "go(1)"}).next({"a": "go(1)", "b": "go(1)"})
    rows[0] = engine.row_of(end)
    assert mover_of(engine.code(), rows, 0) != NOBODY  # the rules still say who may, terminal or not


def test_a_search_that_gives_up_leaves_nothing_behind() -> None:
    game = gm.parse(LATER, dialect="hrf", machine="compiled")
    state = game.initial_state()
    assert isinstance(state, CompiledState)
    engine = engine_of(state.game)
    with pytest.raises(gm.Unsuitable, match="several roles"):
        solve(state, "a", Budget(), depth=4)
    kernel = engine.kernel("end")
    assert not kernel.buffer[len(state.game.layout.facts) : kernel.code.inputs].any()


def test_the_reference_machine_is_refused() -> None:
    game = gm.load("tictactoe", machine="reference")
    assert not is_native(game)
    with pytest.raises(gm.Unsuitable, match="take uct"):
        mcts(game.initial_state(), "x", Budget(playouts=10))
    with pytest.raises(gm.Unsuitable, match="take deepening"):
        find_algorithm("solver")(game.initial_state(), "x", Budget())


def test_a_goal_that_is_no_number() -> None:
    game = gm.parse(
        "role(a) init(p) legal(a,x) legal(a,y) next(q) terminal :- true(q) goal(a,much)",
        dialect="hrf",
        machine="compiled",
    )
    assert isinstance(game, CompiledGame)
    with pytest.raises(gm.GameIllDefined, match="much"):
        Engine(game)


# Trees


def test_a_tree_takes_a_win_and_prevents_a_loss() -> None:
    game = compiled("tictactoe")
    state = game.initial_state()
    for move in ("mark(1,1)", "mark(2,1)", "mark(1,2)", "mark(2,2)"):
        state = state.next(move)
    assert str(mcts(state, "x", Budget(playouts=500)).move) == "mark(1,3)"
    other = game.initial_state()
    for move in ("mark(1,1)", "mark(3,3)", "mark(1,2)"):
        other = other.next(move)
    result = mcts(other, "o", Budget(playouts=2_000))
    assert str(result.move) == "mark(1,3)"


def test_a_tree_proves_what_is_near() -> None:
    state = compiled("tictactoe").initial_state()
    for move in ("mark(1,1)", "mark(2,1)", "mark(1,2)", "mark(2,2)"):
        state = state.next(move)
    result = mcts(state, "x", Budget(playouts=5_000))
    assert result.is_proven
    assert result.value == 100


def test_a_tree_is_the_same_for_the_same_seed() -> None:
    state = compiled("connectfour").initial_state()
    first, second, third = (
        mcts(state, "red", Budget(playouts=3_000), seed=seed).visits for seed in (1, 1, 2)
    )
    assert first == second
    assert first != third


@pytest.mark.parametrize("each", [1, 4])
def test_visits_add_up(each: int) -> None:
    game = compiled("connectfour")
    tree = NativeTree(engine_of(game), seed=3, options=MctsOptions(each=each))
    tree.advance(game.initial_state())
    tree.grow(None, 2_000)
    visits = [tree.visits(child) for child in tree.children(tree.root)]
    assert sum(visits) == pytest.approx(tree.visits(tree.root), abs=1.5)
    for child in tree.children(tree.root):
        assert 0 <= tree.worth(child) <= 100


@pytest.mark.parametrize("settings", [{"each": 0}, {"each": 257}, {"lanes": 0}, {"lanes": 257}])
def test_a_tree_has_no_more_playouts_under_way_than_lanes(settings: dict[str, int]) -> None:
    options, lanes = MctsOptions(each=settings.get("each", 1)), settings.get("lanes", 256)
    with pytest.raises(gm.ParameterError, match="is not a whole number from 1 to 256"):
        NativeTree(engine_of(compiled("tictactoe")), 0, options, lanes=lanes)


def test_a_tree_counts_on_after_millions_of_visits() -> None:
    game = compiled("connectfour")
    tree = NativeTree(engine_of(game), seed=3)
    tree.advance(game.initial_state())
    tree.grow(None, 1_000)
    many = 1 << 24  # from here on single precision does not tell a number from the next
    tree.nodes.links["visits"][tree.root] = many
    tree.grow(None, 1_000)
    assert tree.visits(tree.root) == pytest.approx(many + 1_000, abs=1)


def test_the_mean_of_a_node_is_that_of_its_children() -> None:
    game = compiled("connectfour")
    tree = NativeTree(engine_of(game), seed=3, options=MctsOptions(proofs=False))
    tree.advance(game.initial_state())
    tree.grow(None, 20_000)
    node = max(tree.children(tree.root), key=tree.visits)
    below = [(tree.visits(child), tree.worth(child)) for child in tree.children(node)]
    mean = sum(visits * worth for visits, worth in below) / sum(visits for visits, _ in below)
    assert tree.worth(node) == pytest.approx(
        100 - mean, abs=0.2
    )  # the other role's, but for the first playouts


@pytest.mark.parametrize("is_cleared", [False, True])
def test_a_tree_is_kept_between_moves(is_cleared: bool) -> None:
    game = compiled("connectfour")
    tree = NativeTree(engine_of(game), seed=3, most_bytes=50 << 20)
    tree.advance(game.initial_state())
    tree.grow(None, 20_000)
    child = tree.best_child(tree.root)
    assert child is not None
    visits = tree.visits(child)
    below = [tree.visits(other) for other in tree.children(child)]
    following = game.initial_state().next(tree.engine.terms[int(tree.nodes.moves[child])])
    used = tree.counts[USED]
    tree.advance(following)
    if is_cleared:
        tree.make_room()
    assert (tree.counts[USED] < used) == is_cleared
    assert tree.visits(tree.root) == visits
    assert [tree.visits(other) for other in tree.children(tree.root)] == below
    engine = tree.engine
    for other in tree.children(tree.root):
        expected = engine.row_of(following.next(engine.terms[int(tree.nodes.moves[other])]))
        assert (tree.nodes.rows[other] == expected).all()
    tree.grow(None, 1_000)
    assert tree.visits(tree.root) == pytest.approx(visits + 1_000, abs=1)


def test_a_state_is_found_below_the_root() -> None:
    game = compiled("connectfour")
    tree = NativeTree(engine_of(game), seed=3)
    tree.advance(game.initial_state())
    tree.grow(None, 5_000)
    words, rows = tree.engine.state_words, tree.nodes.rows
    depths = {tree.root: 0}
    for node in list(range(tree.counts[0])):
        depths.update(dict.fromkeys(tree.children(node), depths[node] + 1))
    nearest: dict[bytes, int] = {}
    for node in sorted(depths, key=lambda node: depths[node]):
        nearest.setdefault(rows[node, :words].tobytes(), depths[node])
    assert max(nearest.values()) > 4
    for node in random.Random(1).sample(sorted(depths), 300):
        depth = nearest[rows[node, :words].tobytes()]
        found = find_state(tree.nodes, tree.root, rows[node], words, 4, 1 << 18)
        assert (found >= 0) == (depth <= 4)
        if found >= 0:
            assert (rows[found, :words] == rows[node, :words]).all()
            assert depths[found] == depth


def test_looking_for_a_state_does_not_take_long() -> None:
    game = compiled("connectfour")
    tree = NativeTree(engine_of(game), seed=3)
    tree.advance(game.initial_state())
    tree.grow(None, 5_000)
    last = max(tree.children(tree.root))
    settings = tree.nodes, tree.root, tree.nodes.rows[last], tree.engine.state_words, 4
    assert find_state(*settings, 1 << 18) == last
    assert find_state(*settings, 3) == -1


def test_a_tree_that_prefers() -> None:
    game = compiled("connectfour")
    engine = engine_of(game)
    tree = NativeTree(engine, seed=1)
    weights = np.zeros((2, engine.row_words * 64))
    fact = [str(fact) for fact in game.layout.facts].index("cell(8,1,red)")
    weights[0, fact] = 100.0
    tree.prefer(weights, np.zeros(2), 1_000.0)
    tree.advance(game.initial_state())
    tree.grow(None, 300)
    result = tree.result("red", 0.0)
    assert str(max(result.visits, key=lambda move: result.visits[move])) == "drop(8)"


def test_a_stopwatch_stops() -> None:
    with Stopwatch(0.01) as watch:
        while watch.stop[0] == 0:
            time.sleep(0.001)
    with Stopwatch(None) as endless:
        assert endless.stop[0] == 0


def test_no_time_at_all_still_gives_a_move() -> None:
    state = compiled("tictactoe").initial_state()
    assert mcts(state, "x", Budget(seconds=0.0)).move in state.legal_moves("x")
    assert solve(state, "x", Budget(seconds=0.0)).move in state.legal_moves("x")


def test_kernels_are_compiled_elsewhere_and_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GAMEMASTER_CACHE", str(tmp_path))
    asked: list[str] = []

    def run(function: Callable[[], None]) -> bool:
        asked.append(function.__name__)
        return len(asked) > 1

    monkeypatch.setattr(warming, "run_elsewhere", run)
    warming._warm(warming.run_learning)
    warming._warm(warming.run_learning)  # it has failed before
    warming._warm(warming.run_learning)
    warming._warm(warming.run_solver)
    assert asked == ["run_learning", "run_learning", "run_solver"]


@pytest.mark.parametrize("run", warming.KINDS.values())
def test_another_process_can_run_the_kernels(run: Callable[[], None]) -> None:
    assert run_elsewhere(run)


@pytest.mark.slow
def test_getting_ready_is_not_charged_to_a_budget(tmp_path: Path) -> None:
    folders = {"HOME": tmp_path, "GAMEMASTER_CACHE": tmp_path / "own", "NUMBA_CACHE_DIR": tmp_path / "numba"}
    code = (
        "import gamemaster as gm\n"
        "from gamemaster.search.budget import Budget\n"
        "from gamemaster.search.catalogue import find_algorithm\n"
        "state = gm.load('connectfour').initial_state()\n"
        "result = find_algorithm('mcts')(state, 'red', Budget(seconds=1))\n"
        "print(result.nodes, result.playouts, result.notes)\n"
    )
    environment = {**os.environ, **{name: str(folder) for name, folder in folders.items()}}
    told = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert told.stderr == ""
    nodes, playouts, *notes = told.stdout.split()
    assert int(nodes) > 0
    assert int(playouts) > 0
    assert notes == []


def test_a_move_that_was_not_searched_says_so() -> None:
    state = compiled("breakthrough").initial_state()
    for result in (mcts(state, "white", Budget(playouts=0)), solve(state, "white", Budget(nodes=1))):
        assert result.caveats == (NOT_SEARCHED,)
        assert result.values == {}
    tried, solved = mcts(state, "white", Budget(playouts=1)), solve(state, "white", Budget(nodes=20_000))
    assert (tried.caveats, solved.caveats) == ((), (NOT_PROVEN,))
    assert tried.values
    assert solved.values


def called_from_python() -> list[Any]:
    """What is imported of the kernels by those that are none."""
    files = (engine_module, learning_module, mcts_module, solver_module)
    found = [vars(file).values() for file in files]
    return [each for values in found for each in values if hasattr(each, "targetoptions")]


@pytest.mark.parametrize("function", called_from_python(), ids=lambda each: each.py_func.__name__)
def test_what_others_call_can_be_called_from_python(function: Any) -> None:
    assert "no_cpython_wrapper" not in function.targetoptions


def test_what_numba_keeps_is_kept_as_long_as_no_kernel_changes() -> None:
    assert all(each._cache._cache_file._source_stamp == STAMP for each in called_from_python())


def test_what_numba_kept_of_other_kernels_is_not_even_read(tmp_path: Path) -> None:
    kept = copy(called_from_python()[0]._cache._cache_file)
    kept._index_path = str(tmp_path / "kept.nbi")
    unreadable = b"cgamemaster.search.native.kernels.records\nNoSuchClass\n."
    for version, found in ((f"{numba.__version__} other kernels", {}), (kept._version, AttributeError)):
        Path(kept._index_path).write_bytes(pickle.dumps(version, protocol=-1) + unreadable)
        with pytest.raises(AttributeError) if found is AttributeError else nullcontext():
            assert kept._load_index() == found


def test_all_of_a_table_is_used() -> None:
    solver = Solver(engine_of(compiled("connectfour")), "red")
    state = compiled("connectfour").initial_state()
    assert isinstance(state, CompiledState)
    solver.search(state, Budget(nodes=30_000))
    used = solver.pool.table[:, 0] != 0
    assert used[0::2].sum() > 100
    assert used[1::2].sum() > 100
