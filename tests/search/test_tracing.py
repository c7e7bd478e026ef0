"""Searches of small trees, step by step: what they visit and cut, and that they do what the searches of games do."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import inf

import pytest
from hypothesis import given, settings

import gamemaster as gm
from gamemaster.errors import LimitExceeded, ParameterError, UnknownAlgorithm, UnknownRole, Unsuitable
from gamemaster.games import game_names
from gamemaster.language.terms import Symbol, Term
from gamemaster.machine.game import State
from gamemaster.search.budget import Budget
from gamemaster.search.result import AS_IF_KNOWN
from gamemaster.search.tally import Tally
from gamemaster.search.tracing.choosing import trace_game, trace_written
from gamemaster.search.tracing.growing import grow_tree
from gamemaster.search.tracing.notation import read_tree
from gamemaster.search.tracing.shelf import EXAMPLES, example_tree
from gamemaster.search.tracing.trace import Trace, TraceStep, trace_tree
from gamemaster.search.tracing.tree import SearchTree, letters
from gamemaster.search.trees import alphabeta, expectimax
from gamemaster.search.trees.bounded import BoundedMinimax
from gamemaster.search.trees.expectimax import Expectimax
from tests.search.test_tracing_notation import trees

NOT_ORDERED = alphabeta.Options(table=False, ordering=())
LINES = (*((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8)), (0, 4, 8), (2, 4, 6))


def traced(name: str, depth: int | None = None) -> Trace:
    return trace_written(example_tree(name), depth=depth)


def names(trace: Trace, numbers: Sequence[int]) -> list[str]:
    return [trace.tree.called(number) for number in numbers]


def found(trace: Trace) -> dict[str, float]:
    """What each node with a name is worth at the end."""
    looks = trace.looks()
    told = ((name, looks[n].value) for n, name in enumerate(trace.tree.names) if name)
    return {name: value for name, value in told if value is not None}


# The examples


def test_alphabeta_leaves_out_two_leaves_of_aimas_tree() -> None:
    trace = traced("aima")
    assert trace.value == 3
    assert names(trace, trace.unvisited) == ["a22 of C", "a23 of C"]
    assert found(trace) == {"A": 3, "B": 3, "C": 2, "D": 2}
    assert [look.bound for look in trace.looks() if look.bound != "exact"] == ["at most"]
    assert names(trace, trace.line) == ["A", "B", "a11 of B"]


def test_the_bounds_of_aimas_tree_at_each_step() -> None:
    changed = [
        (trace_step.kind, trace_step.node, trace_step.value, trace_step.alpha, trace_step.beta)
        for trace_step in traced("aima").steps
        if trace_step.kind != "leaf"
    ]
    assert changed == [
        ("enter", 0, None, -inf, inf),
        ("enter", 1, None, -inf, inf),
        ("update", 1, 3, -inf, 3),
        ("leave", 1, 3, -inf, 3),
        ("update", 0, 3, 3, inf),
        ("enter", 5, None, 3, inf),
        ("update", 5, 2, 3, 2),
        ("cut", 5, 2, 3, 2),
        ("leave", 5, 2, 3, 2),
        ("enter", 9, None, 3, inf),
        ("update", 9, 14, 3, 14),
        ("update", 9, 5, 3, 5),
        ("update", 9, 2, 3, 2),
        ("leave", 9, 2, 3, 2),
        ("leave", 0, 3, 3, inf),
    ]


def test_exactly_n_and_l_of_the_labelled_tree_stay_unvisited() -> None:
    trace = traced("labelled")
    assert set(names(trace, trace.unvisited)) == {"N", "L"}
    assert trace.tree.names == tuple("ABDHIEJKLCFGMN")
    assert sorted(trace.tree.names) == [letter for letter, _ in zip(letters(), range(14), strict=False)]
    assert found(trace) == found(trace) | {"A": 8, "B": 5, "C": 8, "D": 5, "E": 7, "G": 9}
    assert [step.cut for step in trace.steps if step.cut] == [(8,), (13,)]


def test_minimax_of_the_same_trees_visits_all_and_finds_the_same() -> None:
    for name in ("aima", "labelled", "openlines"):
        tree = example_tree(name)
        whole = trace_tree(tree, "minimax")
        assert whole.value == trace_tree(tree, "alphabeta").value
        assert sorted(whole.visited) == list(range(len(tree.nodes)))
        assert all(step.alpha is None and not step.cut for step in whole.steps)


def test_the_and_or_tree_is_true_and_left_as_soon_as_that_is_known() -> None:
    trace = traced("andor")
    assert trace.shown(trace.value) == "T"
    assert found(trace) == {"A": 1, "B": 0, "C": 1, "E": 1, "G": 1, "H": 1}
    assert names(trace, [cut for step in trace.steps for cut in step.cut]) == ["leaf 2 of G", "D"]


def test_the_coin_is_worth_3_or_minus_1() -> None:
    trace = traced("coin")
    assert found(trace) == {"A": 3, "B": 3, "C": -1, "D": 2, "E": 4, "F": 0, "G": -2}
    assert names(trace, trace.line) == ["A", "B"]


def test_stretched_values_change_the_move_of_dice_and_no_other() -> None:
    dice, stretched = traced("dice"), traced("dice-stretched")
    assert found(dice) == found(dice) | {"A": 2.1, "B": 2.1, "C": 1.3}
    assert found(stretched) == found(stretched) | {"A": 40.9, "B": 21, "C": 40.9}
    assert [names(each, each.line)[1] for each in (dice, stretched)] == ["B", "C"]
    orders = traced("order"), traced("order-stretched")
    assert [names(each, each.line)[1] for each in orders] == ["C", "C"]


def board(node_rows: tuple[str, ...]) -> str:
    return "".join(node_rows)


def quality(cells: str, own: str, other: str) -> int:
    """The quality function of the document for one player."""
    lines = [[cells[i] for i in line] for line in LINES]
    possible = [line for line in lines if own in line and other not in line]
    nearly = sum(line.count(own) == 2 for line in possible)
    score = 600 if [own] * 3 in possible else 300 if nearly > 1 else 200 if nearly else 0
    return score + len(possible)


def test_the_noughts_are_real_positions_with_the_quality_of_the_document() -> None:
    trace = traced("noughts")
    for node in trace.tree.nodes:
        cells = board(node.rows)
        if node.kind == "leaf":
            assert node.value == quality(cells, "o", "x") - quality(cells, "x", "o")
        for child in node.children:
            after = board(trace.tree.nodes[child].rows)
            changed = [(a, b) for a, b in zip(cells, after, strict=True) if a != b]
            assert changed == [(".", "o" if node.kind == "max" else "x")]
        assert len(node.children) == (cells.count(".") if node.children else 0)
    assert found(trace) == {"A": 1, "B": -399, "C": -400, "D": -399, "E": -400, "F": 1}


def open_lines(cells: str) -> int:
    lines = [[cells[i] for i in line] for line in LINES]
    return sum("o" not in line for line in lines) - sum("x" not in line for line in lines)


def same(cells: str) -> str:
    """The first of the boards that are the same by symmetry."""
    turned = [cells]
    for _ in range(3):
        turned.append("".join(turned[-1][i] for i in (6, 3, 0, 7, 4, 1, 8, 5, 2)))
    return min(each for one in turned for each in (one, one[2::-1] + one[5:2:-1] + one[8:5:-1]))


def test_open_lines_are_counted_for_all_moves_that_differ() -> None:
    trace = traced("openlines")
    for node in trace.tree.nodes:
        cells = board(node.rows)
        if node.kind == "leaf":
            assert node.value == open_lines(cells)
            continue
        mark = "x" if node.kind == "max" else "o"
        afters = [cells[:i] + mark + cells[i + 1 :] for i in range(9) if cells[i] == "."]
        children = [same(board(trace.tree.nodes[child].rows)) for child in node.children]
        assert sorted(children) == sorted({same(after) for after in afters})
    assert trace.value == 1
    assert names(trace, trace.line)[1] == "B"
    assert len(trace.unvisited) == 8


def test_the_horizon_hides_a_loss() -> None:
    assert [traced("horizon", depth).value for depth in (3, 5)] == [-1, -9]
    near, far = traced("horizon"), traced("horizon", 5)
    assert [names(each, each.line)[1] for each in (near, far)] == ["E", "B"]
    assert [look.status for look in near.looks()].count("beyond") == 2


def test_a_false_summit_is_seen_from_farther() -> None:
    near, far = traced("summit"), traced("summit", 3)
    assert (near.value, names(near, near.line)) == (7, ["A", "B"])
    assert (far.value, names(far, far.line)) == (10, ["A", "C", "I", "J"])


def test_a_deeper_look_misleads_once() -> None:
    moves = [names(each, each.line)[1] for depth in (1, 2, 3) if (each := traced("misleading", depth))]
    assert moves == ["B", "C", "B"]


# How the tree looks on the way


def test_looks_follow_the_steps() -> None:
    trace = traced("aima")
    assert {look.status for look in trace.looks(0)} == {"waiting"}
    after = trace.looks(12)
    assert [look.status for look in after[:9]] == ["open", *["done"] * 4, "open", "done", *["unvisited"] * 2]
    assert not any(look.is_on_line for look in after)
    assert [n for n, look in enumerate(trace.looks()) if look.is_on_line] == [0, 1, 2]
    with pytest.raises(ParameterError, match="no step 99: there are 22"):
        trace.looks(99)


def test_what_is_cut_beyond_the_horizon_is_beyond_it() -> None:
    tree = read_tree("max\n  min\n    3\n  min\n    2\n    max = 1\n      7")
    trace = trace_tree(tree, "alphabeta", 2)
    assert trace.unvisited == (5,)
    assert [look.status for look in trace.looks()][5:] == ["unvisited", "beyond"]


@pytest.mark.parametrize(
    ("text", "algorithm", "depth", "error", "message"),
    [
        ("max\n  1", "magic", None, UnknownAlgorithm, "no algorithm 'magic' for trees; there are: minimax,"),
        ("max\n  1", "minimax", 0, ParameterError, "no depth 0: a search looks 1 step ahead at least"),
        ("chance\n  1", "alphabeta", None, Unsuitable, "alphabeta cannot search a tree with chance nodes"),
        ("max\n  1", "andor", None, Unsuitable, "andor needs leaves that are T or F"),
        (
            "max\n  min B\n    1",
            "minimax",
            1,
            ParameterError,
            "B is at the horizon and has no estimate; write",
        ),
    ],
)
def test_what_cannot_be_searched_is_said(
    text: str, algorithm: str, depth: int | None, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        trace_tree(read_tree(text), algorithm, depth)


def test_the_algorithm_suits_the_tree_where_nobody_says() -> None:
    texts = {"andor": "max\n  T", "expectiminimax": "chance\n  1", "alphabeta": "max\n  1"}
    assert {name: trace_written(read_tree(text)).algorithm for name, text in texts.items()} == {
        name: name for name in texts
    }


def test_and_or_knows_nothing_of_what_is_beyond_the_horizon() -> None:
    trace = trace_tree(read_tree("or\n  and\n    or B\n      T\n    T\n  F"), "andor", 2)
    assert trace.shown(trace.value) == "?"


# The searches of games do the same


class Written:
    """A tree as a position for the searches of games; `visited` are the nodes that they came to."""

    def __init__(self, tree: SearchTree, number: int = 0, visited: list[int] | None = None) -> None:
        self.tree, self.number, self.node = tree, number, tree.nodes[number]
        self.visited: list[int] = [] if visited is None else visited
        self.visited.append(number)

    @property
    def key(self) -> Hashable:
        return self.number

    @property
    def facts(self) -> frozenset[Term]:
        return frozenset()

    @property
    def is_terminal(self) -> bool:
        return not self.node.children

    @property
    def mover(self) -> str | None:
        return None if self.node.kind in ("chance", "leaf") else self.node.kind

    @property
    def moves(self) -> tuple[Term, ...]:
        if self.node.kind == "chance":
            return (Symbol("chance"),)
        return tuple(Symbol(str(child)) for child in self.node.children)

    def legal(self, role: str) -> tuple[Term, ...]:
        return self.moves if role == self.mover else ()

    def after(self, move: Term) -> Written:
        return Written(self.tree, int(str(move)), self.visited)

    def outcomes(self, move: Term) -> list[Written]:
        if self.node.kind != "chance":
            return [self.after(move)]
        return [Written(self.tree, child, self.visited) for child in self.node.children]

    def reward(self, role: str) -> float:
        del role
        return self.node.value or 0.0


def without_chance(tree: SearchTree) -> bool:
    return tree.nodes[0].kind in ("max", "min") and all(node.kind != "chance" for node in tree.nodes)


@given(trees().filter(without_chance))
@settings(max_examples=150, deadline=None)
def test_alphabeta_visits_the_nodes_that_the_search_of_games_visits(tree: SearchTree) -> None:
    trace, root, meter = trace_tree(tree, "alphabeta"), Written(tree), Budget().start()
    tally = Tally(root, "max", meter)
    search = alphabeta.AlphaBeta("max", meter, NOT_ORDERED, lambda position: 0.0, window=(-inf, inf))
    search.run(root, 100, tally)
    assert root.visited == list(trace.visited)
    assert tally.best is not None
    values = tally.values.values()
    assert trace.value == (max(values) if tree.nodes[0].kind == "max" else min(values))
    assert trace.value == trace_tree(tree, "minimax").value
    assert sorted((*trace.visited, *trace.unvisited)) == list(range(len(tree.nodes)))


@given(trees().filter(without_chance))
@settings(max_examples=100, deadline=None)
def test_minimax_and_and_or_visit_what_the_search_of_games_visits(tree: SearchTree) -> None:
    enough, hopeless = (1.0, 0.0) if tree.has_truths else (inf, -inf)
    trace = trace_tree(tree, "andor" if tree.has_truths else "minimax")
    root, meter = Written(tree), Budget().start()
    tally = Tally(root, "max", meter)
    BoundedMinimax("max", meter, enough=enough, hopeless=hopeless, memo=False).run(root, 100, tally)
    assert root.visited == list(trace.visited)
    values = tally.values.values()
    assert trace.value == (max(values) if tree.nodes[0].kind == "max" else min(values))


@given(trees().filter(lambda tree: tree.nodes[0].kind != "leaf"))
@settings(max_examples=100, deadline=None)
def test_expectiminimax_finds_what_the_search_of_games_finds(tree: SearchTree) -> None:
    trace, root, meter = trace_tree(tree, "expectiminimax"), Written(tree), Budget().start()
    tally = Tally(root, "max", meter)
    search = Expectimax("max", meter, lambda position: 0.0, window=(-inf, inf))
    search.run(root, 100, tally)
    assert sorted(root.visited) == sorted(trace.visited)
    values = tally.values.values()
    expected = min(values) if tree.nodes[0].kind == "min" else max(values)
    assert trace.value == pytest.approx(expected)


# Games


def start_of(name: str) -> State:
    return gm.load(name, machine="reference").initial_state()


def after(name: str, *moves: str) -> State:
    state = start_of(name)
    for move in moves:
        state = state.next(move)
    return state


LATE = ("mark(1,1)", "mark(2,2)", "mark(3,3)", "mark(1,3)", "mark(3,1)")


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
@pytest.mark.parametrize("evaluation", ["intermediate", "mobility"])
def test_a_game_is_searched_as_alphabeta_searches_it(depth: int, evaluation: str) -> None:
    state = after("tictactoe", *LATE)
    trace = trace_game(state, depth=depth, evaluation=evaluation)
    result = alphabeta.search(
        state, "o", Budget(), depth=depth, evaluation=evaluation, table=False, ordering=()
    )
    assert trace.tree.number(trace.value) == result.value
    assert len(trace.visited) == result.nodes
    assert [trace.tree.nodes[number].move for number in trace.line[1:]] == [str(move) for move in result.line]


def test_chance_is_a_node_of_a_game() -> None:
    state = start_of("dicerace")
    trace = trace_game(state, depth=3)
    assert trace.algorithm == "expectiminimax"
    assert [node.kind for node in trace.tree.nodes[:2]] == ["chance", "max"]
    result = expectimax.search(state, "red", Budget(), depth=3)
    assert trace.tree.number(trace.value) == pytest.approx(result.value)


def test_and_or_proves_a_win_of_a_game() -> None:
    state = after("tictactoe", "mark(1,1)", "mark(1,2)", "mark(2,2)", "mark(1,3)")
    trace = trace_game(state, algorithm="andor", depth=1)
    assert trace.shown(trace.value) == "T"
    assert trace_game(state, algorithm="andor", depth=1, role="o").shown(trace.value) == "T"
    early = trace_game(start_of("tictactoe"), algorithm="andor", depth=1)
    assert early.shown(early.value) == "?"


def test_a_move_and_chance_at_once_are_two_nodes() -> None:
    rules = """
    role(robot)
    role(random)
    init(start)
    legal(robot,left) :- true(start)
    legal(robot,right) :- true(start)
    legal(random,heads) :- true(start)
    legal(random,tails) :- true(start)
    next(won) :- does(robot,left) & does(random,heads)
    next(lost) :- does(robot,left) & does(random,tails)
    next(lost) :- does(robot,right)
    terminal :- true(won)
    terminal :- true(lost)
    goal(robot,100) :- true(won)
    goal(robot,0) :- true(lost)
    goal(random,0)
    """
    state = gm.parse(rules, machine="reference").initial_state()
    trace = trace_game(state, depth=1)
    assert [node.kind for node in trace.tree.nodes] == [
        "max",
        "chance",
        "leaf",
        "leaf",
        "chance",
        "leaf",
        "leaf",
    ]
    assert trace.tree.number(trace.value) == 50
    with pytest.raises(Unsuitable, match="it has chance; expectimax can"):
        trace_game(state, algorithm="minimax")


def test_trees_of_games_are_bounded() -> None:
    with pytest.raises(LimitExceeded, match="nodes limit of 50 exceeded growing the tree: look less deep"):
        grow_tree(start_of("tictactoe"), "x", 2, most=50)
    with pytest.raises(ParameterError, match="no depth 61 of a tree: from 1 to 60"):
        trace_game(start_of("tictactoe"), depth=61)


def test_games_that_have_no_tree_are_refused() -> None:
    with pytest.raises(Unsuitable, match="tree needs one role at a time to choose"):
        trace_game(start_of("roshambo"))
    with pytest.raises(UnknownRole):
        trace_game(start_of("tictactoe"), role="z")
    with pytest.raises(UnknownAlgorithm, match="no algorithm 'magic' for trees"):
        trace_game(start_of("tictactoe"), algorithm="magic")
    over = after("tictactoe", "mark(1,1)", "mark(1,2)", "mark(2,2)", "mark(1,3)", "mark(3,3)")
    with pytest.raises(ParameterError, match="the game is over there"):
        trace_game(over)


def test_a_hidden_game_is_shown_as_if_it_were_known() -> None:
    trace = trace_game(start_of("higherlower"), depth=1)
    assert trace.notes[-1] == AS_IF_KNOWN


def test_steps_are_values() -> None:
    step = traced("aima").steps[0]
    assert step == TraceStep("enter", 0, None, -inf, inf)
    with pytest.raises(AttributeError):
        step.value = 3.0  # type: ignore[misc]


def test_no_example_has_the_name_of_a_game() -> None:
    assert not set(game_names()) & set(EXAMPLES)


def test_moves_without_end_are_not_looked_at_one_by_one() -> None:
    numbers = " ".join(f"d({i})" for i in range(60))
    text = (
        f"role(a) init(x) {numbers} legal(a,go(X)) :- d(X) next(at(X)) :- does(a,go(X)) terminal :- true(y)"
    )
    asked: list[gm.State] = []

    def evaluation(state: gm.State, role: str) -> float:
        asked.append(state)
        return 0.0

    with pytest.raises(LimitExceeded, match="nodes limit of 50"):
        grow_tree(gm.parse(text, dialect="hrf").initial_state(), "a", 1, evaluation=evaluation, most=50)
    assert not asked


def test_notes_of_an_example_are_for_its_own_algorithm() -> None:
    tree = example_tree("aima")
    assert trace_written(tree).notes == tree.notes != ()
    assert trace_written(tree, "minimax").notes == ()


def test_leaves_that_are_all_alike_are_told() -> None:
    state = gm.load("tictactoe").initial_state()
    (note,) = trace_game(state, depth=1).notes
    assert "all are worth the same" in note
    near = state
    for move in ("mark(1,1)", "mark(2,1)", "mark(1,2)", "mark(2,2)"):
        near = near.next(move)
    assert trace_game(near, depth=1).notes == ()
