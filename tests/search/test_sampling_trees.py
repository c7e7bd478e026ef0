"""Trees that are kept from move to move, and what uct proves."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

import gamemaster as gm
from gamemaster.search.budget import Budget
from gamemaster.search.playouts import uct
from gamemaster.search.playouts.batches import Charges
from gamemaster.search.playouts.decoupled import JointTree
from gamemaster.search.playouts.uct import UctOptions, UctTree
from gamemaster.search.trees import greedy, pts
from tests.search.test_sampling_players import GAMBLE, played

TREES: dict[str, Any] = {
    "greedy": greedy.greedy_tree,
    "pts": pts.persistent_tree,
    "uct": UctTree,
    "decoupled": JointTree,
}

THREE = """
role(a) role(b) role(c) init(turn(a)) follows(a,b) follows(b,c) yes(give) yes(keep)
legal(R,M) :- true(turn(R)) & yes(M)
legal(R,noop) :- role(R) & ~true(turn(R))
next(turn(S)) :- true(turn(R)) & follows(R,S)
next(turn(nobody)) :- true(turn(c))
next(given(R)) :- does(R,give)
next(given(R)) :- true(given(R))
terminal :- true(turn(nobody))
goal(a,80) :- true(given(b))
goal(a,20) :- ~true(given(b))
goal(b,90) :- true(given(b)) & true(given(a))
goal(b,10) :- true(given(b)) & ~true(given(a))
goal(b,50) :- ~true(given(b))
goal(c,50)
"""


@pytest.mark.parametrize("name", TREES)
def test_a_tree_that_is_kept_knows_more_than_a_new_one(name: str) -> None:
    state = played("connectfour")
    tree = TREES[name](state, "red", 1)
    tree.search(Budget(nodes=1_500))
    later = state.next("drop(4)").next("drop(4)")
    assert tree.advance(later)
    assert tree.root.state == later
    kept = tree.root.visits
    assert kept > 0
    result = tree.search(Budget(nodes=300))
    fresh = TREES[name](later, "red", 1)
    fresh.search(Budget(nodes=300))
    assert tree.root.visits > fresh.root.visits
    assert sum(result.visits.values()) >= kept - 1


@pytest.mark.parametrize("name", TREES)
def test_a_state_that_is_not_in_the_tree_starts_a_new_one(name: str) -> None:
    tree = TREES[name](played("connectfour"), "red", 1)
    tree.search(Budget(nodes=50))
    assert not tree.advance(played("connectfour", *["drop(1)", "drop(2)"] * 2))
    assert tree.root.visits == 0
    assert tree.search(Budget(nodes=50)).move


@pytest.mark.parametrize("name", TREES)
def test_a_tree_stays_where_play_stays(name: str) -> None:
    state = played("connectfour")
    tree = TREES[name](state, "red", 1)
    tree.search(Budget(nodes=50))
    visits = tree.root.visits
    assert tree.advance(state)
    assert tree.root.visits == visits


@pytest.mark.parametrize("kind", [UctTree, JointTree])
def test_rounds_that_time_leaves_unfinished_are_taken_back(kind: type[UctTree] | type[JointTree]) -> None:
    state = gm.load("tictactoe").initial_state()
    tree = kind(state, "x")
    tree.search(Budget(nodes=300))
    before = tallies(tree)
    charges = Charges(state.game, Budget(seconds=0.0).start(), tree.generator)
    tree._batch(charges, 32)
    assert charges.meter.playouts == 0
    assert tallies(tree) == before


def tallies(tree: UctTree | JointTree) -> list[tuple[Any, ...]]:
    """The visits of all nodes that have any, and of their moves."""
    found: list[tuple[Any, ...]] = []
    nodes: list[Any] = [tree.root]
    for node in nodes:
        children = node.children.values() if isinstance(tree, JointTree) else node.children
        nodes += [child for child in children if child.visits]
        found.append((node.visits, getattr(node, "counts", None)))
    return found


def test_uct_proves_a_late_draw() -> None:
    state = played("tictactoe", "mark(2,2)", "mark(1,1)", "mark(1,2)")
    result = uct.search(state, "o", Budget(seconds=600))
    assert (str(result.move), result.value, result.is_proven) == ("mark(3,2)", 50.0, True)
    assert len(result.line) == 6


@pytest.mark.slow
def test_uct_proves_tictactoe_a_draw() -> None:
    result = uct.search(played("tictactoe"), "x", Budget(seconds=600))
    assert (result.value, result.is_proven) == (50.0, True)
    assert len(result.line) == 9


@pytest.mark.parametrize("name", ["greedy", "pts"])
def test_trees_prove_a_late_draw(name: str) -> None:
    state = played("tictactoe", "mark(2,2)", "mark(1,1)", "mark(1,2)")
    result = TREES[name](state, "o").search(Budget(seconds=600))
    assert (str(result.move), result.value, result.is_proven) == ("mark(3,2)", 50.0, True)


@pytest.mark.parametrize("amaf", ["rave", "grave"])
def test_amaf_learns_from_moves_made_later(amaf: uct.Amaf) -> None:
    state = played("connectfour", "drop(1)", "drop(2)", "drop(1)", "drop(3)", "drop(1)")
    result = uct.search(state, "black", Budget(playouts=400), amaf=amaf)
    assert str(result.move) == "drop(1)"
    tree = UctTree(state, "black", options=UctOptions(amaf=amaf))
    tree.search(Budget(playouts=200))
    assert sum(count for _, count in tree.root.amaf.values()) > 200
    plain = UctTree(state, "black")
    plain.search(Budget(playouts=200))
    assert not plain.root.amaf


def test_grave_takes_statistics_from_above_where_there_are_few() -> None:
    options = [UctOptions(amaf="grave", reference_visits=visits) for visits in (1, 50)]
    state = played("connectfour")
    near, far = (UctTree(state, "red", 3, option).search(Budget(playouts=300)).visits for option in options)
    assert near != far


def test_another_kind_of_amaf_is_refused() -> None:
    with pytest.raises(ValueError, match="amaf 'some' is not one of 'none', 'rave', 'grave'"):
        uct.search(played("tictactoe"), "x", Budget(nodes=10), amaf="some")  # type: ignore[arg-type]


def test_without_the_solver_nothing_is_proven() -> None:
    state = played("tictactoe", "mark(1,1)", "mark(2,1)", "mark(1,2)", "mark(2,2)")
    result = uct.search(state, "x", Budget(nodes=500), solver=False)
    assert (str(result.move), result.is_proven) == ("mark(1,3)", False)


def test_bounds_hold_all_over_the_tree() -> None:
    tree = UctTree(played("tictactoe", "mark(2,2)"), "o", 5)
    tree.search(Budget(nodes=3_000))
    todo, seen = [tree.root], 0
    while todo:
        node = todo.pop()
        seen += 1
        assert 0 <= node.low <= node.high <= 100
        assert all(-1e-6 <= total <= 100 * node.visits + 1e-6 for total in node.totals)
        todo += node.children
    assert seen > 300


def test_with_three_roles_each_plays_for_itself() -> None:
    state = gm.parse(THREE).initial_state()
    result = uct.search(state, "a", Budget(nodes=3_000))
    assert str(result.move) == "give"  # then b gives too, for its own good
    assert result.value > 65
    assert not result.is_proven  # b could keep, for all that the rules say


def test_exploration_spreads_the_visits() -> None:
    state = played("connectfour")
    shares = []
    for exploration in (0.1, 0.5, 5.0):
        visits = uct.search(state, "red", Budget(nodes=2_000), exploration=exploration).visits.values()
        shares.append(max(visits) / sum(visits))
    assert all(more > less for more, less in pairwise(shares))


def test_chance_is_not_chosen_in_the_line() -> None:
    result = uct.search(gm.parse(GAMBLE).initial_state(), "robot", Budget(nodes=100))
    assert [str(move) for move in result.line] == ["gamble"]
