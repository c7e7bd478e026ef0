"""A tree that is full forgets what is visited least, and goes on: whatever it forgets, what it says stays true."""

from __future__ import annotations

import random

import numpy as np
import pytest

import gamemaster as gm
from gamemaster.errors import ParameterError
from gamemaster.machine.compiled import CompiledGame
from gamemaster.players.egghead import Egghead
from gamemaster.players.forest import Forest
from gamemaster.search.budget import Budget
from gamemaster.search.catalogue import find_algorithm
from gamemaster.search.native.engine import engine_of
from gamemaster.search.native.kernels.records import FULL, GARBAGE, NEEDED, SCANNED, USED
from gamemaster.search.native.kernels.subtree import forget_some
from gamemaster.search.native.mcts import FEWEST_NODES, NativeTree
from gamemaster.search.native.options import MctsOptions
from gamemaster.search.native.warming import get_ready


def compiled(name: str) -> CompiledGame:
    game = gm.load(name, machine="compiled")
    assert isinstance(game, CompiledGame)
    return game


def tiny_tree(game: CompiledGame, **options: float) -> NativeTree:
    tree = NativeTree(engine_of(game), 1, MctsOptions(**options), most_bytes=0)  # type: ignore[arg-type]
    assert tree.capacity == FEWEST_NODES
    tree.advance(game.initial_state())
    return tree


def check_consistent(tree: NativeTree) -> dict[int, int]:
    """Every node's parent knows it, every row follows from its parent's; the depth of each node."""
    engine, nodes, depths = tree.engine, tree.nodes, {tree.root: 0}
    assert nodes.links["parent"][tree.root] == -1
    left = [tree.root]
    while left:
        node = left.pop()
        children = tree.children(node)
        for child in children:
            assert child not in depths
            assert node < child < tree.counts[USED]
            assert nodes.links["parent"][child] == node
            assert tree.visits(child) <= tree.visits(node)
            assert nodes.links["flying"][child] == 0
            depths[child] = depths[node] + 1
            left.append(child)
        if children:
            legal = sorted(int(nodes.moves[child]) for child in children)
            assert len(set(legal)) == len(legal)
            mover = tree._mover(node)
            start, end = engine.move_start[mover], engine.move_start[mover + 1]
            row = np.unpackbits(nodes.rows[node].view(np.uint8), bitorder="little")
            first = engine.places.first_legal
            assert legal == [int(start + i) for i in np.flatnonzero(row[first + start : first + end])]
    return depths


@pytest.mark.parametrize(
    "options", [{}, {"amaf": 1000.0, "exploration": 0.2}, {"each": 4}, {"proofs": False}]
)
def test_a_tiny_tree_never_freezes(options: dict[str, float]) -> None:
    tree = tiny_tree(compiled("connectfour"), **options)
    forgotten, deepest = 0, []
    for _ in range(20):
        used = tree.counts[USED]
        tree.grow(None, 5_000)
        forgotten += tree.counts[USED] < used
        deepest.append(max(check_consistent(tree).values()))
        visits = [tree.visits(child) for child in tree.children(tree.root)]
        assert sum(visits) == pytest.approx(tree.visits(tree.root), abs=4 * options.get("each", 1))
    assert forgotten >= 2
    assert tree.counts[NEEDED] > 2
    assert tree.visits(tree.root) >= 95_000
    assert deepest[-1] >= 4
    assert min(deepest) > 1


def test_a_tiny_tree_finds_about_the_same_as_a_large_one() -> None:
    game = compiled("connectfour")
    small, large = tiny_tree(game), NativeTree(engine_of(game), 1)
    large.advance(game.initial_state())
    for tree in (small, large):
        tree.grow(None, 100_000)
    few, many = small.result("red", 0.0), large.result("red", 0.0)
    assert few.value == pytest.approx(many.value, abs=5)
    assert many.move is not None
    assert few.visits[many.move] > sum(few.visits.values()) / 16


def test_values_are_those_of_a_large_tree_wherever_both_are_proven() -> None:
    game = compiled("tictactoe")
    generator, forgetting = random.Random(5), 0
    for _ in range(10):
        state = game.initial_state()
        for _ in range(2):
            state = state.next(state.random_moves(generator))  # some ten thousand lines are left
        role = str(state.control)
        small = tiny_tree(game)
        small.advance(state)
        small.grow(None, 300_000)
        forgetting += small.counts[NEEDED] > 0
        assert small.is_proven(small.root)
        found = find_algorithm("minimax")(state, role, Budget())
        result = small.result(role, 0.0)
        assert result.value == found.value
        for child in small.children(small.root):
            if small.is_proven(child):
                move = small.engine.terms[int(small.nodes.moves[child])]
                after = state.next(move)
                exact = (
                    float(after.goal(role) or 0)
                    if after.is_terminal
                    else find_algorithm("minimax")(after, role, Budget()).value
                )
                assert small.worth(child) == exact
    assert forgetting


def forget(tree: NativeTree, most: int) -> None:
    forget_some(tree.engine.code(), tree.nodes, tree.counts, most, np.zeros(1, np.int64))


def test_forgetting_can_be_stopped_anywhere_and_gone_on_with() -> None:
    game = compiled("connectfour")
    tree = NativeTree(engine_of(game), 1, most_bytes=4 << 20)
    tree.advance(game.initial_state())
    tree.grow(None, 20_000)
    child = tree.best_child(tree.root)
    assert child is not None
    tree.advance(game.initial_state().next(tree.engine.terms[int(tree.nodes.moves[child])]))
    below = sorted(tree.visits(node) for node in check_consistent(tree))
    assert tree.counts[GARBAGE] == 1
    forget_some(tree.engine.code(), tree.nodes, tree.counts, tree.capacity, np.ones(1, np.int64))
    assert tree.counts[SCANNED] == 1  # stopped at once
    used = tree.counts[USED]
    while tree.counts[SCANNED]:
        forget(tree, 500)
        assert sorted(tree.visits(node) for node in check_consistent(tree)) == below
    assert tree.counts[USED] == len(below) < used


def test_a_new_root_while_room_is_made() -> None:
    game = compiled("connectfour")
    generator = random.Random(3)
    tree, state, halfway = tiny_tree(game), game.initial_state(), 0
    while not state.is_terminal:
        tree.advance(state)
        check_consistent(tree)
        tree.grow(None, 3_000)
        forget(tree, generator.randrange(1_500))
        halfway += tree.counts[SCANNED] > 0
        check_consistent(tree)
        role = str(state.control)
        assert tree.result(role, 0.0).move in state.legal_moves(role)
        state = state.next(generator.choice(state.legal_moves(role)))
    assert halfway


def test_a_game_in_which_a_tiny_tree_forgets_proofs_is_still_played() -> None:
    game = compiled("tictactoe")
    tree, state = tiny_tree(game), game.initial_state()
    while not state.is_terminal:
        tree.advance(state)
        tree.grow(None, 100_000)
        move = tree.result(str(state.control), 0.0).move
        assert move is not None
        state = state.next(move)
    assert state.goal("x") == 50


def test_a_proof_whose_moves_are_forgotten_is_looked_for_again() -> None:
    game = compiled("tictactoe")
    tree = tiny_tree(game)
    tree.grow(None, 300_000)
    child = next(child for child in tree.children(tree.root) if tree.children(child))
    tree.nodes.links["first"][child] = -1
    tree.nodes.scores["root"][child] = 0.0
    state = game.initial_state().next(tree.engine.terms[int(tree.nodes.moves[child])])
    tree.advance(state)
    assert tree.visits(tree.root) == 0
    tree.grow(None, 1_000)
    assert tree.result(str(state.control), 0.0).move in state.legal_moves(str(state.control))


def test_half_steps_stay_whole() -> None:
    game = compiled("dicerace")
    tree = tiny_tree(game)
    tree.grow(None, 60_000)
    assert tree.counts[NEEDED] > 2
    check_consistent(tree)


def test_memory_is_a_parameter() -> None:
    state = compiled("tictactoe").initial_state()
    small, large = (
        NativeTree(engine_of(state.game.compiled), 1, MctsOptions(memory=memory)).capacity
        for memory in (1, 4)
    )
    assert FEWEST_NODES < small < large
    assert find_algorithm("mcts")(state, "x", Budget(playouts=300), memory=1).move is not None
    with pytest.raises(ParameterError, match="memory of mcts: 0 is not a whole number of megabytes"):
        NativeTree(engine_of(state.game.compiled), 1, MctsOptions(memory=0))
    assert tiny_tree(compiled("tictactoe")).counts[FULL] == 0


def test_egghead_has_memory_for_all_its_trees() -> None:
    game = compiled("connectfour")
    get_ready(game, *Egghead.in_machine_code[:3])
    capacities = []
    for threads, memory in ((1, 8), (2, 8), (1, 4)):
        player = Egghead(1, threads, memory)
        player.start("red", game, 1.0, 1.0)
        forest = next(mind for mind in player._minds if isinstance(mind, Forest))
        capacities.append([tree.most_bytes for tree in forest.trees])
        player.abort()
    assert capacities == [[8 << 20], [4 << 20] * 2, [4 << 20]]
    with pytest.raises(ParameterError, match="memory of egghead: 0 is not a whole number of megabytes"):
        Egghead(memory=0)
