"""Chance in machine code: nodes where it decides, and steps in which it moves together with a role."""

from __future__ import annotations

import random
from itertools import product

import pytest

import gamemaster as gm
from gamemaster.machine.compiled import CompiledGame
from gamemaster.search.budget import Budget
from gamemaster.search.catalogue import find_algorithm
from gamemaster.search.native.engine import engine_of
from gamemaster.search.native.kernels.records import NEXT_ROOM, USED
from gamemaster.search.native.mcts import NativeTree
from gamemaster.search.native.tuning import SETTINGS, tune
from gamemaster.search.suitable import is_native, kinds_for, refusal_of_mcts
from tests.search.chance_trees import COIN_FLIP, DICE, DICE_STRETCHED, Node, random_tree, sheet_of, truth

PIGLET = """
role(a) role(b) role(random) other(a,b) other(b,a)
init(turn(a)) init(score(a,0)) init(score(b,0)) init(kitty(0))
succ(0,1) succ(1,2) succ(2,3)
legal(R,flip) :- true(turn(R)) & ~true(flipped)
legal(R,hold) :- true(turn(R)) & ~true(flipped)
legal(random,head) :- true(flipped)
legal(random,tail) :- true(flipped)
next(flipped) :- does(R,flip)
next(turn(R)) :- true(turn(R)) & ~does(R,hold) & ~does(random,tail)
next(turn(S)) :- true(turn(R)) & other(R,S) & does(R,hold)
next(turn(S)) :- true(turn(R)) & other(R,S) & does(random,tail)
next(kitty(0)) :- does(R,hold)
next(kitty(0)) :- does(random,tail)
next(kitty(N)) :- does(random,head) & true(kitty(M)) & succ(M,N)
next(kitty(N)) :- does(R,flip) & true(kitty(N))
sum(N,0,N) :- succ(N,M)
sum(3,0,3)
sum(N,K,M) :- sum(N,J,L) & succ(J,K) & succ(L,M)
next(score(R,M)) :- does(R,hold) & true(score(R,N)) & true(kitty(K)) & sum(N,K,M)
next(score(R,N)) :- true(score(R,N)) & ~does(R,hold)
won(R) :- true(turn(R)) & true(score(R,N)) & true(kitty(K)) & sum(N,K,3)
terminal :- won(R)
goal(R,100) :- won(R)
goal(R,0) :- won(S) & other(S,R)
goal(R,50) :- role(R) & distinct(R,random) & ~won(a) & ~won(b)
"""
"""Pig with a coin: heads is a point, tails loses those of the turn. Three points win."""


def piglet_values(target: int) -> dict[tuple[int, int, int], float]:
    """The chance to win of who is to move, by its points, the other's and those of the turn: by iterating values."""
    values = {(i, j, k): 0.5 for i, j, k in product(range(target), repeat=3) if i + k < target}

    def worth(i: int, j: int, k: int) -> float:
        return 1.0 if i + k >= target else values[i, j, k]

    for _ in range(200):
        for i, j, k in values:
            flip = 0.5 * worth(i, j, k + 1) + 0.5 * (1 - values[j, i, 0])
            values[i, j, k] = max(flip, 1 - values[j, i + k, 0])
    return values


def game_of(tree: Node) -> CompiledGame:
    game = gm.parse(sheet_of(tree), dialect="hrf", machine="compiled")
    assert isinstance(game, CompiledGame)
    return game


@pytest.mark.parametrize("seed", range(8))
def test_what_mcts_proves_of_a_tree_with_chance_is_its_value(seed: int) -> None:
    tree = random_tree(random.Random(seed), 4)
    while tree.who != "hi":
        tree = Node("hi", (tree, Node(goal=30)))
    state = game_of(tree).initial_state()
    result = find_algorithm("mcts")(state, "hi", Budget(playouts=20_000), seed=seed)
    assert result.is_proven
    assert result.value == pytest.approx(float(truth(tree)), abs=0.001)


@pytest.mark.parametrize(
    ("tree", "values"), [(COIN_FLIP, (50, 10)), (DICE, (21, 13)), (DICE_STRETCHED, (5.2, 10))]
)
def test_the_trees_of_the_documents(tree: Node, values: tuple[float, float]) -> None:
    state = game_of(tree).initial_state()
    result = find_algorithm("mcts")(state, "hi", Budget(playouts=5_000))
    assert str(result.move) == ("go(0)" if values[0] > values[1] else "go(1)")
    assert result.value == pytest.approx(max(values))
    assert list(result.values.values()) == pytest.approx(values)


@pytest.mark.parametrize("tree", [COIN_FLIP, DICE, DICE_STRETCHED])
def test_without_proofs_means_come_near(tree: Node) -> None:
    state = game_of(tree).initial_state()
    result = find_algorithm("mcts")(state, "hi", Budget(playouts=40_000), proofs=False)
    assert not result.is_proven
    assert result.value == pytest.approx(float(truth(tree)), abs=1.0)


def test_a_role_that_moves_with_chance_does_not_know_what_it_does() -> None:
    guess = Node("hi", tuple(Node("random", (Node(goal=a), Node(goal=b))) for a, b in ((100, 0), (0, 90))))
    tree = Node("hi", guess.children, is_joint=True)
    state = game_of(tree).initial_state()
    assert refusal_of_mcts(state) == ""
    result = find_algorithm("mcts")(state, "hi", Budget(playouts=1_000))
    assert (str(result.move), result.value, result.is_proven) == ("go(0)", 50.0, True)
    assert result.line == (result.move,)


def test_half_steps_that_find_no_room_leave_the_tree_as_it_was() -> None:
    halves = tuple(Node("random", (_chain(6, a), _chain(6, 100 - a))) for a in range(0, 100, 10))
    game = game_of(Node("hi", halves, is_joint=True))
    engine, state = engine_of(game), game.initial_state()
    tree = NativeTree(engine, most_bytes=1)
    tree.advance(state)
    tree.counts[USED] = tree.capacity - 5  # as if all else were taken
    tree.counts[NEXT_ROOM] = 1_000
    tree.grow(None, 50)
    assert len(tree.children(tree.root)) == 0
    assert tree.visits(tree.root) == 50


def _chain(length: int, goal: int) -> Node:
    """Steps of chance that lead to one end."""
    node = Node(goal=goal)
    for _ in range(length):
        node = Node("random", (node,))
    return node


def test_the_best_play_of_pig_with_a_coin() -> None:
    game = gm.parse(PIGLET, dialect="hrf", machine="compiled")
    values = piglet_values(3)
    state = game.initial_state()
    begin = find_algorithm("mcts")(state, "a", Budget(playouts=200_000), seed=1)
    assert str(begin.move) == "flip"
    assert begin.value == pytest.approx(100 * values[0, 0, 0], abs=3)
    state = state.next("flip").next({"random": "head"})
    result = find_algorithm("mcts")(state, "a", Budget(playouts=200_000), seed=1)
    assert result.value == pytest.approx(100 * values[0, 0, 1], abs=3)


def test_a_line_ends_where_chance_decides() -> None:
    result = find_algorithm("mcts")(game_of(COIN_FLIP).initial_state(), "hi", Budget(playouts=2_000))
    assert [str(move) for move in result.line] == ["go(0)"]


def test_a_tree_is_kept_over_what_chance_does() -> None:
    game = gm.load("dicerace", machine="compiled")
    assert isinstance(game, CompiledGame)
    state = game.initial_state()
    tree = NativeTree(engine_of(game), seed=3)
    tree.advance(state)
    assert tree.mover == "random"
    tree.grow(None, 5_000)
    state = state.next(state.random_moves(random.Random(0)))
    tree.advance(state)
    assert tree.mover == "red"
    assert tree.visits(tree.root) == pytest.approx(5_000 / 3, rel=0.1)
    used = tree.counts[USED]
    tree.make_room()
    assert tree.counts[USED] < used
    tree.grow(None, 1_000)
    assert tree.result("red", 0.0).move in state.legal_moves("red")


def test_near_the_end_of_a_race_expectimax_says_the_same() -> None:
    game = gm.load("dicerace", machine="compiled")
    generator = random.Random(4)
    proven = 0
    for _ in range(6):
        state = game.initial_state()
        path = []
        while not state.is_terminal:
            path.append(state)
            state = state.next(state.random_moves(generator))
        late = [each for each in path if len(each.legal_moves("red")) == 2][-1]
        ours = find_algorithm("mcts")(late, "red", Budget(playouts=50_000), seed=1)
        plain = find_algorithm("expectimax")(late, "red", Budget())
        assert ours.value == pytest.approx(plain.value, abs=0.001 if ours.is_proven else 3)
        proven += ours.is_proven
    assert proven >= 2


def test_settings_are_tried_in_games_of_chance() -> None:
    game = gm.load("dicerace", machine="compiled")
    assert isinstance(game, CompiledGame)
    tuning = tune(engine_of(game), 1.0, seed=1, candidates=SETTINGS[:2])
    assert set(tuning.games) == set(SETTINGS[:2])


def test_what_takes_chance_and_what_does_not() -> None:
    game = gm.load("dicerace", machine="compiled")
    assert not is_native(game)
    assert is_native(game, with_chance=True)
    assert kinds_for(game, ("mcts", "solver", "dfpn", "labels")) == ("mcts",)
    state = game.initial_state()
    for name in ("solver", "dfpn"):
        with pytest.raises(gm.Unsuitable, match="has chance; take expectimax"):
            find_algorithm(name)(state, "red", Budget(nodes=10))
