"""The searches on trees that are written down: which leaves they visit, and what they find.

The figures of seeds 002 (alpha-beta on tic-tac-toe, "alpha-beta general example") and 004 ("Labeled tree", of which
only the caption "Unvisited nodes: N, L" is left) did not survive in the text; those of seed 003 did, and are all here.
"""

from __future__ import annotations

from math import inf
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gamemaster.errors import Unsuitable
from gamemaster.language.terms import Symbol
from gamemaster.search.budget import Budget
from gamemaster.search.position import Position
from gamemaster.search.puzzles.maximizer import BestEnd
from gamemaster.search.result import SearchResult
from gamemaster.search.tally import Tally
from gamemaster.search.trees.alphabeta import AlphaBeta, Options
from gamemaster.search.trees.bounded import BoundedMinimax, search_with
from gamemaster.search.trees.expectimax import Expectimax
from gamemaster.search.trees.maxn import MaxN
from gamemaster.search.trees.ordering import MoveOrder
from tests.search.literal_tree import CHANCE, Seen, Tree

AIMA = [[3, 12, 8], [2, 4, 6], [14, 5, 2]]
NOT_ORDERED = Options(table=False, ordering=())


def alphabeta(root: Position, options: Options = NOT_ORDERED, depth: int = 100) -> SearchResult:
    meter = Budget().start()
    tally = Tally(root, "max", meter)
    AlphaBeta("max", meter, options, lambda position: position.reward("max"), window=(-inf, inf)).run(
        root, depth, tally
    )
    return tally.result("alphabeta", depth=depth, is_proven=tally.is_exact)


def minimax(root: Position, enough: float = inf, hopeless: float = -inf) -> SearchResult:
    search = BoundedMinimax("max", Budget().start(), enough=enough, hopeless=hopeless, memo=False)
    return search_with(search, root, "minimax")


def expectimax(root: Position) -> SearchResult:
    meter = Budget().start()
    tally = Tally(root, "max", meter)
    Expectimax("max", meter, lambda position: 0.0, window=(-inf, inf)).run(root, 100, tally)
    return tally.result("expectimax", depth=0, is_proven=tally.is_exact)


# Alpha-beta


def test_alphabeta_leaves_out_4_and_6_of_aimas_tree() -> None:
    tree = Tree(AIMA)
    result = alphabeta(tree)
    assert tree.visited == [3, 12, 8, 2, 14, 5, 2]
    assert (str(result.move), result.value, result.is_proven) == ("0", 3, True)
    assert [str(move) for move in result.line] == ["0", "0"]
    assert {str(move): value for move, value in result.values.items()} == {"0": 3, "1": 2, "2": 2}


def test_minimax_visits_every_leaf_of_aimas_tree() -> None:
    tree = Tree(AIMA)
    result = minimax(tree)
    assert tree.visited == [3, 12, 8, 2, 4, 6, 14, 5, 2]
    assert {str(move): value for move, value in result.values.items()} == {"0": 3, "1": 2, "2": 2}
    assert (result.value, result.nodes, result.depth, result.is_proven) == (3, 13, 2, True)


def test_alphabeta_cuts_deep_where_a_grandparents_bound_is_enough() -> None:
    # Max is sure of 6. Two choices further down, min could have 5: the 99 beside it does not matter any more, though
    # nothing is known yet of the nodes in between.
    tree = Tree([6, [[[5, 99], 8], 3]])
    assert alphabeta(tree).value == 6
    assert tree.visited == [6, 5, 8, 3]


def test_alphabeta_cuts_where_a_value_only_equals_the_bound() -> None:
    tree = Tree([[3], [3, 9]])
    assert str(alphabeta(tree).move) == "0"
    assert tree.visited == [3, 3]


@pytest.mark.parametrize("tree", [[[1, 2], [2, 4]], [[1, 20], [20, 400]]])
def test_only_the_order_of_values_matters_to_minimax(tree: Any) -> None:
    assert str(minimax(Tree(tree)).move) == str(alphabeta(Tree(tree)).move) == "1"


def test_the_score_of_oltean_s_tictactoe_tree_is_that_of_the_best_reply() -> None:
    assert alphabeta(Tree([[-399], [1], [-399], [-399], [-399]])).value == 1


def test_an_enemy_at_the_root_chooses_the_least_and_no_move_is_ours() -> None:
    result = alphabeta(Tree(AIMA, levels=("min", "max")))
    assert (result.move, result.value, dict(result.values)) == (None, 6, {})
    assert [str(move) for move in result.line] == ["1", "2"]


trees: st.SearchStrategy[Any] = st.recursive(
    st.integers(-50, 150), lambda inner: st.lists(inner, min_size=1, max_size=4), max_leaves=60
).map(lambda tree: tree if isinstance(tree, list) else [tree])


@given(trees, st.sampled_from([("max", "min"), ("max", "max", "min"), ("min", "max"), ("max", "min", "min")]))
@settings(max_examples=500, deadline=None)
def test_alphabeta_finds_the_value_of_minimax_and_visits_no_more(tree: Any, levels: tuple[str, ...]) -> None:
    full, cut, ordered = Tree(tree, levels), Tree(tree, levels), Tree(tree, levels)
    expected, found = minimax(full), alphabeta(cut)
    assert found.value == expected.value
    assert found.move == expected.move
    assert len(cut.visited) <= len(full.visited)
    assert found.nodes <= expected.nodes
    assert alphabeta(ordered, Options()).value == expected.value


@given(trees)
@settings(max_examples=300, deadline=None)
def test_moves_are_worth_their_value_or_where_it_is_a_bound_no_more(tree: Any) -> None:
    result = alphabeta(Tree(tree))
    for move, value in result.values.items():
        exact = true_value(tree[int(str(move))], is_max=False)
        assert exact <= value if move in result.at_most else exact == value
    assert result.move not in result.at_most
    for move in result.values.keys() - result.at_most:
        end = Tree(tree)
        for each in result.line_of(move):
            end = end.after(each)
        assert end.content == result.values[move]


def true_value(tree: Any, *, is_max: bool) -> float:
    """The definition of minimax."""
    if not isinstance(tree, list):
        return float(tree)
    values = [true_value(child, is_max=not is_max) for child in tree]
    return max(values) if is_max else min(values)


def test_a_move_that_is_cut_short_is_worth_at_most_what_it_was_seen_to_be() -> None:
    result = alphabeta(Tree(AIMA))
    assert {str(move) for move in result.at_most} == {"1", "2"}
    assert [str(move) for move in result.line_of(Symbol("1"))] == ["1", "0"]
    assert not alphabeta(Tree([3, 2, 1])).at_most, "what ends at once is exact"


small: st.SearchStrategy[Any] = st.recursive(
    st.sampled_from([0, 20, 50, 100]), lambda inner: st.lists(inner, min_size=1, max_size=4), max_leaves=40
).map(lambda tree: tree if isinstance(tree, list) else [tree])


@given(small, st.sampled_from([("max", "min"), ("min", "max", "max")]))
@settings(max_examples=200, deadline=None)
def test_what_is_called_proven_is_the_value_however_shallow_the_search(
    tree: Any, levels: tuple[str, ...]
) -> None:
    root, meter = Tree(tree, levels), Budget().start()
    search = AlphaBeta("max", meter, Options(), lambda position: 50.0)
    expected, known = minimax(root).value, None
    for depth in range(1, 100):
        tally = Tally(root, "max", meter)
        search.run(root, depth, tally, known=known)
        known = tally
        if tally.is_exact:
            break
    assert tally.best is not None
    assert tally.values[tally.best] == expected


@given(trees)
@settings(max_examples=100, deadline=None)
def test_the_principal_line_leads_to_the_value(tree: Any) -> None:
    result, position = alphabeta(Tree(tree), Options()), Tree(tree)
    for move in result.line:
        position = position.after(move)
    assert position.is_terminal
    assert position.reward("max") == result.value


def test_a_horizon_asks_the_evaluation_and_proves_nothing() -> None:
    result = alphabeta(Tree([Seen(40, [[0]]), Seen(60, [[0]])]), depth=1)
    assert (str(result.move), result.value, result.is_proven) == ("1", 60, False)


def test_a_sure_loss_is_worse_than_any_estimate_and_a_sure_win_better() -> None:
    meter = Budget().start()
    for tree, best in (([0, Seen(0, [[0]])], "1"), ([Seen(100, [[0]]), 100], "1")):
        root = Tree(tree)
        tally = Tally(root, "max", meter)
        AlphaBeta("max", meter, Options(), lambda position: position.reward("max")).run(root, 1, tally)
        assert str(tally.best) == best


# Variable depth

HORIZON = Seen(
    50, [Seen(90, [Seen(10, [[10]]), Seen(80, [[80]])]), Seen(55, [Seen(54, [[54]]), Seen(53, [[53]])])]
)


def test_what_is_not_quiet_is_searched_on() -> None:
    assert str(alphabeta(Tree(HORIZON), depth=1).move) == "0"
    quiet = alphabeta(Tree(HORIZON), Options(quiet=20), depth=1)
    assert (str(quiet.move), quiet.value, quiet.is_proven) == ("1", 55, False)
    assert {str(move): value for move, value in quiet.values.items()}["0"] == 10


def test_no_more_steps_than_extra_are_added() -> None:
    assert alphabeta(Tree(HORIZON), Options(quiet=20, extra=0), depth=1).value == 90


def test_a_reply_without_a_choice_is_not_quiet() -> None:
    tree = Seen(
        50, [Seen(60, [Seen(20, [[1], [2]])]), Seen(55, [Seen(55, [[1], [2]]), Seen(55, [[1], [2]])])]
    )
    assert str(alphabeta(Tree(tree), depth=1).move) == "0"
    assert str(alphabeta(Tree(tree), Options(quiet=45), depth=1).move) == "1"


def test_a_singular_move_is_searched_on() -> None:
    result = alphabeta(Tree(HORIZON), Options(singular=30), depth=1)
    assert (str(result.move), result.value) == ("1", 55)
    assert alphabeta(Tree(HORIZON), Options(singular=75), depth=1).value == 90


def test_an_unknown_way_with_null_moves_is_an_error() -> None:
    with pytest.raises(ValueError, match="null 'yes' is not one of 'off', 'auto', 'on', 'turn'"):
        Options(null="yes")  # type: ignore[arg-type]


def test_an_unknown_way_of_ordering_is_an_error() -> None:
    with pytest.raises(
        ValueError, match="no way of ordering moves 'luck'; there are: table, killer, history"
    ):
        MoveOrder(["luck"])


def test_a_move_that_cut_comes_first_next_time() -> None:
    order, position = MoveOrder(["killer"]), Tree([1, 2, 3])
    order.cut(position, 0, position.moves[2], 4)
    assert [str(move) for move in order.ordered(position, 0, None)] == ["2", "0", "1"]
    assert [str(move) for move in order.ordered(position, 1, None)] == ["0", "1", "2"]
    history = MoveOrder(["history"])
    history.cut(position, 0, position.moves[1], 4)
    assert [str(move) for move in history.ordered(position, 9, None)] == ["1", "0", "2"]
    table = MoveOrder(["table"])
    assert [str(move) for move in table.ordered(position, 0, position.moves[2])] == ["2", "0", "1"]


# Bounds


def test_bounded_minimax_stops_where_there_is_enough() -> None:
    tree = Tree([[60, 70], [100, 100]])
    assert minimax(tree, enough=51, hopeless=0).value == 60
    assert tree.visited == [60, 70]


def test_a_bound_that_is_reached_proves_nothing_beyond_it() -> None:
    assert not minimax(Tree([[60, 70], [100]]), enough=51, hopeless=0).is_proven
    assert minimax(Tree([[40, 70], [30]]), enough=51, hopeless=0).is_proven
    assert minimax(Tree([[100], [30]]), enough=51, hopeless=0).is_proven
    assert minimax(Tree([[0, 70], [0]]), enough=100, hopeless=0).is_proven


def test_bounded_minimax_gives_up_where_it_is_hopeless() -> None:
    tree = Tree([[0, 70], [10, 20]])
    assert minimax(tree, enough=100, hopeless=0).value == 10
    assert tree.visited == [0, 10, 20]


# Chance

COIN = [[[2, 4], [7, 4]], [[6, 0], [5, -2]]]


def test_expectimax_on_aimas_coins() -> None:
    result = expectimax(Tree(COIN, levels=("max", CHANCE, "min")))
    assert {str(move): value for move, value in result.values.items()} == {"0": 3, "1": -1}
    assert (str(result.move), result.value, result.is_proven) == ("0", 3, True)


@pytest.mark.parametrize(
    ("small", "large", "values", "best"),
    [((2, 3), (1, 4), [2.1, 1.3], "0"), ((20, 30), (1, 400), [21, 40.9], "1")],
)
def test_exact_values_matter_to_expectimax(
    small: tuple[int, int], large: tuple[int, int], values: list[float], best: str
) -> None:
    # AIMA's dice fall with .9 and .1: nine of ten children are alike.
    tree = [[[a, a]] * 9 + [[b, b]] for a, b in (small, large)]
    result = expectimax(Tree(tree, levels=("max", CHANCE, "min")))
    assert list(result.values.values()) == pytest.approx(values)
    assert str(result.move) == best


# Many roles


def test_maxn_on_aimas_three_players() -> None:
    tree = Tree(
        [[[(1, 2, 6), (4, 2, 3)], [(6, 1, 2), (7, 4, 1)]], [[(5, 1, 1), (1, 5, 2)], [(7, 7, 1), (5, 4, 5)]]],
        levels=("a", "b", "c"),
    )
    maxn = MaxN("a", ("a", "b", "c"), Budget().start(), lambda position, role: 0.0)
    shares = maxn.value(tree, 100)
    assert dict(shares.values) == {"a": 1, "b": 2, "c": 6}
    assert shares.is_exact


def test_an_indifferent_mover_is_expected_to_do_harm() -> None:
    maxn = MaxN("a", ("a", "b"), Budget().start(), lambda position, role: 0.0)
    assert maxn.value(Tree([[(9, 5), (1, 5)]], levels=("a", "b")), 100).values["a"] == 1


# Puzzles


def test_maximizer_takes_the_best_leaf_and_stops_at_enough() -> None:
    tree = Tree([[1, 2], [100, 3], [4]], levels=("max",))
    meter = Budget().start()
    tally = Tally(tree, "max", meter)
    BestEnd("max", meter).run(tree, tally)
    assert tally.result("maximizer", depth=0, is_proven=True).value == 100
    assert tree.visited == [1, 2, 100]


def test_maximizer_refuses_an_opponent() -> None:
    tree, meter = Tree(AIMA), Budget().start()
    tally = Tally(tree, "max", meter)
    with pytest.raises(Unsuitable, match="maximizer is for puzzles, and here min chooses too"):
        BestEnd("max", meter).run(tree, tally)
