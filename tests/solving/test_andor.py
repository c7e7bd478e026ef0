"""And/Or trees: the two rules of the textbook, what is left unvisited, and where the algorithm must not go on."""

from __future__ import annotations

from typing import Any

import pytest

import gamemaster as gm
from gamemaster.errors import LimitExceeded, UnknownRole, Unsuitable
from gamemaster.solving.andor import AndOrNode, and_or_tree
from tests.search.truth import Graph, Truth, graph_game

Written = Any
"""A tree as lists; a leaf is True where a wins."""


def tree_game(tree: Written, machine: Any = "auto") -> gm.Game:
    """A tree as a game: a and b take turns, a begins."""
    lines = [
        "role(a) role(b) init(at(0))",
        "legal(R,go(K)) :- true(at(N)) & turn(N,R) & edge(N,K,M)",
        "legal(R,wait) :- role(R) & true(at(N)) & turn(N,S) & distinct(R,S)",
        "next(at(M)) :- true(at(N)) & turn(N,R) & does(R,go(K)) & edge(N,K,M)",
        "terminal :- true(at(N)) & leaf(N)",
        "goal(R,100) :- true(at(N)) & wins(N,R)",
        "goal(R,0) :- true(at(N)) & loses(N,R)",
    ]
    count = 1

    def write(node: Written, number: int, level: int) -> None:
        nonlocal count
        if isinstance(node, bool):
            winner, loser = "ab" if node else "ba"
            lines.append(f"leaf({number}) wins({number},{winner}) loses({number},{loser})")
            return
        lines.append(f"turn({number},{'ab'[level % 2]})")
        for i, child in enumerate(node):
            here, count = count, count + 1
            lines.append(f"edge({number},{i},{here})")
            write(child, here, level + 1)

    write(tree, 0, 0)
    return gm.parse("\n".join(lines), dialect="hrf", machine=machine)


def by_the_document(node: Written, level: int = 0) -> bool:
    """The algorithm of the document, on the lists themselves."""
    if isinstance(node, bool):
        return node
    if level % 2:
        return all(by_the_document(child, level + 1) for child in node)
    return any(by_the_document(child, level + 1) for child in node)


def letters(node: AndOrNode) -> str:
    """A tree in letters: its label, and its children in brackets; `-` where unvisited."""
    inside = " ".join(map(letters, node.children))
    return (node.letter or "-") + (f"({inside})" if inside else "")


T, F = True, False


@pytest.mark.parametrize("machine", ["reference", "compiled"])
@pytest.mark.parametrize(
    ("tree", "told"),
    [
        ([T, F], "T(T -)"),
        ([F, T], "T(F T)"),
        ([F, F], "F(F F)"),
        ([[T, T], [T, F]], "T(T(T T) -)"),
        ([[T, F], [T, T]], "T(F(T F) T(T T))"),
        ([[F, T], [F, T]], "F(F(F -) F(F -))"),
        ([[[F, T], [T, F]], [F, T]], "T(T(T(F T) T(T -)) -)"),
    ],
)
def test_labels_follow_the_two_rules_and_no_further_than_they_need(
    tree: Written, told: str, machine: str
) -> None:
    found = and_or_tree(tree_game(tree, machine).initial_state(), "a")
    assert letters(found) == told
    assert found.label is by_the_document(tree)


def test_nodes_say_who_moves_by_which_rule_and_after_what() -> None:
    root = and_or_tree(tree_game([[T, F], [T, T]]).initial_state(), "a")
    first, second = root.children
    assert (root.mover, root.rule, root.move, root.is_visited) == ("a", "OR", None, True)
    assert (first.mover, first.rule, str(first.move), first.letter) == ("b", "AND", "go(0)", "F")
    assert (second.children[0].mover, second.children[0].rule) == (None, "")
    assert [node.letter for node in root.walk()] == ["T", "F", "T", "F", "T", "T", "T"]


def test_for_the_other_role_the_rules_change_places() -> None:
    state = tree_game([[T, F], [F, T]]).initial_state()
    assert and_or_tree(state, "a").letter == "F"
    assert and_or_tree(state, "b").letter == "T"
    assert and_or_tree(state, "b").rule == "AND"


def test_all_can_be_visited() -> None:
    state = tree_game([[F, T], [F, T]]).initial_state()
    assert letters(and_or_tree(state, "a", visits_all=True)) == "F(F(F T) F(F T))"


@pytest.mark.parametrize("seed", range(6))
def test_labels_are_true_of_games_made_up(seed: int) -> None:
    graph = Graph(("a", "b"), is_duel=True, is_cyclic=seed % 2 == 1, places=24, ends=0.4)
    state = graph_game(graph, seed).initial_state()
    worth = Truth(state).against_all("a")[state][0]
    for goal in (30, 50, 70, 100):
        assert and_or_tree(state, "a", goal).label is (worth >= goal)


def test_neither_wins_tictactoe_from_a_corner_and_the_middle() -> None:
    state = gm.load("tictactoe").initial_state().next("mark(1,1)").next("mark(2,2)")
    assert [and_or_tree(state, "x", goal).label for goal in (100, 50)] == [False, True]
    assert and_or_tree(state, "o", 100).label is False


def test_too_many_nodes_are_a_limit() -> None:
    state = gm.load("tictactoe").initial_state()
    with pytest.raises(LimitExceeded, match="nodes limit of 1,000 nodes exceeded labelling the And/Or tree"):
        and_or_tree(state, "x", most_nodes=1_000)


LONG = """
role(a) init(at(0))
legal(a,go) :- true(at(N))
next(at(M)) :- true(at(N)) & succ(N,M)
terminal :- true(at(500))
goal(a,100) :- true(at(500))
"""


def test_too_many_steps_are_a_limit() -> None:
    sheet = LONG + "\n".join(f"succ({i},{i + 1})" for i in range(500))
    with pytest.raises(LimitExceeded, match="steps limit of 400 steps exceeded labelling the And/Or tree"):
        and_or_tree(gm.parse(sheet, dialect="hrf").initial_state(), "a")


@pytest.mark.parametrize(
    ("name", "told"), [("roshambo", "several do in step 1"), ("dicerace", "no place for chance")]
)
def test_who_does_not_choose_alone_has_no_such_tree(name: str, told: str) -> None:
    game = gm.load(name)
    with pytest.raises(Unsuitable, match=told):
        and_or_tree(
            game.initial_state(), next(role for role in game.roles if role != "random"), most_nodes=50
        )


def test_a_role_must_exist() -> None:
    with pytest.raises(UnknownRole, match="nobody"):
        and_or_tree(gm.load("tictactoe").initial_state(), "nobody")
