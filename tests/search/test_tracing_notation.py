"""Trees as texts: what is read, what comes back, and where a text is wrong."""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gamemaster.errors import ParameterError, ReadError
from gamemaster.search.tracing.notation import read_tree, tree_of_file, write_tree
from gamemaster.search.tracing.shelf import EXAMPLES, FOLDER, example_tree, find_example
from gamemaster.search.tracing.tree import MOST_LEVELS, MOST_NODES, Kind, SearchTree, TreeNode

NAMES = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Zl", "Zp")), min_size=1, max_size=8
)


def test_a_line_says_move_kind_name_value_and_board() -> None:
    tree = read_tree("max A = 4 [x./.o]\n  left: min B\n    3\n    C = -2.5\n  5 # five\n")
    assert [node.kind for node in tree.nodes] == ["max", "min", "leaf", "leaf", "leaf"]
    assert [node.value for node in tree.nodes] == [4, None, 3, -2.5, 5]
    assert [node.name for node in tree.nodes] == ["A", "B", "", "C", ""]
    assert tree.nodes[0].rows == ("x.", ".o")
    assert tree.nodes[1].move == "left"
    assert [node.parent for node in tree.nodes] == [None, 0, 1, 1, 0]
    assert tree.plies == (0, 1, 2, 2, 1)


def test_who_chooses_is_the_other_one_where_nothing_is_said() -> None:
    tree = read_tree("A\n  B\n    C\n      1\n    chance D\n      E\n        2")
    assert [node.kind for node in tree.nodes] == ["max", "min", "max", "leaf", "chance", "max", "leaf"]


def test_probabilities_are_decimals_fractions_or_parts_of_a_hundred() -> None:
    tree = read_tree("chance\n  heads 0.5: 1\n  1/3: 2\n  tails 10%: 3\n  1/15: 4")
    assert [node.probability for node in tree.nodes[1:]] == [
        Fraction(1, 2),
        Fraction(1, 3),
        Fraction(1, 10),
        Fraction(1, 15),
    ]
    assert [node.move for node in tree.nodes[1:]] == ["heads", "", "tails", ""]


def test_without_probabilities_all_are_equally_likely() -> None:
    tree = read_tree("chance\n  heads: 1\n  tails: 2\n  3")
    assert [node.probability for node in tree.nodes[1:]] == [Fraction(1, 3)] * 3
    assert [node.move for node in tree.nodes[1:]] == ["heads", "tails", ""]


def test_heads_say_what_a_tree_is_an_example_of() -> None:
    tree = read_tree("@title A tree\n@note One.\n@note Two.\n@algorithm andor\n@depth 3\nor\n  T\n  F\n")
    assert (tree.title, tree.notes, tree.algorithm, tree.depth) == ("A tree", ("One.", "Two."), "andor", 3)
    assert tree.has_truths


def test_nodes_without_a_name_get_letters_level_by_level() -> None:
    tree = read_tree("max\n  min\n    max\n      1\n  min B\n    2\n    go: 3")
    assert tree.names == ("A", "C", "D", "", "B", "", "")
    assert [tree.called(n) for n in range(7)] == ["A", "C", "D", "leaf 1 of D", "B", "leaf 1 of B", "go of B"]


@pytest.mark.parametrize(
    ("text", "what", "place"),
    [
        ("", "no tree in this text", (1, 1)),
        ("# nothing\n", "no tree in this text", (1, 1)),
        ("max A\n  1\n2", "a second root", (3, 1)),
        ("max A\n    1\n  2", "neither below nor beside another node", (3, 3)),
        ("max A\n\t1", "a tab before a node", (2, 1)),
        ("max A\n  min B", "B has no children and no value", (2, 3)),
        ("max A\n  C", "C has no children and no value", (2, 3)),
        ("max A\n  min = 3", "min has no children and no value", (2, 3)),
        ("max A\n  go:", "this node has no children and no value", (2, 3)),
        ("max A\n  1 2", "'2' is too much", (2, 5)),
        ("max A\n  B = x", "'x' is no value", (2, 7)),
        ("max A\n  B =", "'=' is too much", (2, 5)),
        ("max A\n  1e999", "1e999 has no children and no value", (2, 3)),
        ("max A\n  T\n  3", "T and F beside numbers", (3, 3)),
        ("max A = T\n  T", "T or F at a node that has children", (1, 1)),
        ("go: max A\n  1", "the root has no move before it", (1, 1)),
        ("max A\n  go 0.5: 1", "a probability below a node that is not chance", (2, 6)),
        ("max A\n  : 1", "before : stands a move, a probability, or both", (2, 3)),
        ("max A\n  a b c: 1", "before : stands a move, a probability, or both", (2, 3)),
        ('max A\n  "open', "'\"' cannot stand here", (2, 3)),
        ("max A\n  1 [x", "'[' cannot stand here", (2, 5)),
        ("max A\n  1 []", "no board", (2, 5)),
        ("max A\n  1 [x /o]", "no board", (2, 5)),
        ("chance\n  0.5: 1\n  0.4: 2", "probabilities make 0.9", (1, 1)),
        ("chance\n  0.5: 1\n  2", "no probability here, but at others", (3, 3)),
        ("chance\n  go away: 1\n  2", "'away' is no probability", (2, 6)),
        ("chance\n  0: 1\n  1: 2", "0 is no probability", (2, 3)),
        ("chance\n  1/0: 1", "a probability with nothing below the line", (2, 3)),
        ("@colour red\nmax\n  1", "no @colour", (1, 1)),
        ("max\n  1\n  @title x", "@title below a node", (3, 3)),
        ("@algorithm magic\nmax\n  1", "no algorithm 'magic' for trees", (1, 1)),
        ("@depth 0\nmax\n  1", "no depth '0'", (1, 1)),
        ("@depth ²\nmax\n  1", "no depth '²'", (1, 1)),
        ("\n".join("  " * n + "max" for n in range(MOST_LEVELS + 1)), "more than 60 levels", (61, 121)),
        ("max\n" + "  1\n" * MOST_NODES, "more than 20,000 nodes", (20_001, 3)),
    ],
)
def test_what_is_wrong_is_said_with_its_place(text: str, what: str, place: tuple[int, int]) -> None:
    with pytest.raises(ReadError) as caught:
        read_tree(text)
    error = caught.value
    assert error.what == what
    assert error.place is not None
    assert (error.place.line, error.place.column) == place
    assert error.hint


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="cannot be read"):
        tree_of_file(tmp_path / "none.tree")


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_comes_back_from_its_text(name: str) -> None:
    tree = example_tree(name)
    assert read_tree(write_tree(tree)) == tree
    assert tree.title
    assert tree.algorithm
    assert tree.notes


def test_all_files_of_the_folder_are_examples() -> None:
    assert {path.stem for path in FOLDER.glob("*.tree")} == set(EXAMPLES)
    with pytest.raises(ParameterError, match="no example 'none'; there are: aima, labelled"):
        find_example("none")


@st.composite
def trees(draw: st.DrawFn) -> SearchTree:
    """Any tree with numbers or truths."""
    has_truths = draw(st.booleans())
    values = st.sampled_from([0.0, 1.0]) if has_truths else st.integers(-999, 999).map(lambda n: n / 4)
    nodes: list[TreeNode] = []

    def grow(parent: int | None, depth: int, chance: Fraction | None) -> int:
        number = len(nodes)
        kinds: list[Kind] = ["leaf"] if depth == 0 else ["max", "min", "chance", "leaf"]
        kind = draw(st.sampled_from(kinds))
        move = draw(st.just("") | NAMES) if parent is not None else ""
        value = draw(values) if kind == "leaf" else None if has_truths else draw(st.none() | values)
        rows = draw(st.sampled_from([(), ("x.", ".o"), ("abc",)]))
        name = draw(st.just("") | NAMES)
        nodes.append(TreeNode(kind, name, value, parent, (), move, chance, rows))
        count = 0 if kind == "leaf" else draw(st.integers(1, 3))
        likely = Fraction(1, count) if kind == "chance" else None
        children = tuple(grow(number, depth - 1, likely) for _ in range(count))
        nodes[number] = TreeNode(kind, name, value, parent, children, move, chance, rows)
        return number

    grow(None, 3, None)
    return SearchTree(tuple(nodes), has_truths=has_truths)


@given(trees())
@settings(max_examples=200, deadline=None)
def test_any_tree_comes_back_from_its_text(tree: SearchTree) -> None:
    assert read_tree(write_tree(tree)) == tree


@given(st.text(st.sampled_from('maxin chance=:/[].#@"0123TF\n\t%x'), max_size=60))
@settings(max_examples=300, deadline=None)
def test_any_text_is_a_tree_or_is_refused(text: str) -> None:
    tree: SearchTree | None = None
    with suppress(ReadError):
        tree = read_tree(text)
    assert tree is None or read_tree(write_tree(tree)).nodes == tree.nodes
