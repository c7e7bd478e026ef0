"""Pictures of search trees: well-formed, every node in it, none over another, told in words at each step."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from itertools import pairwise

import pytest
from hypothesis import given, settings

import gamemaster as gm
from gamemaster.draw.trees.layout import tidy
from gamemaster.draw.trees.picture import MOST_BOARDS, MOST_DRAWN, draw_tree
from gamemaster.draw.trees.telling import trace_data
from gamemaster.draw.trees.text import draw_tree_text
from gamemaster.draw.trees.words import search_in_words, step_in_words
from gamemaster.errors import LimitExceeded, ParameterError
from gamemaster.search.tracing.choosing import trace_game, trace_written
from gamemaster.search.tracing.notation import read_tree
from gamemaster.search.tracing.shelf import EXAMPLES, example_tree
from gamemaster.search.tracing.trace import Trace
from gamemaster.search.tracing.tree import SearchTree
from tests.search.test_tracing_notation import trees

SVG = "{http://www.w3.org/2000/svg}"


def traced(name: str) -> Trace:
    return trace_written(example_tree(name))


def groups(svg: str) -> dict[str, ET.Element]:
    """The groups of nodes by their numbers."""
    root = ET.fromstring(svg)
    return {group.attrib["data-node"]: group for group in root.iter(f"{SVG}g") if "data-node" in group.attrib}


def texts(element: ET.Element) -> list[str]:
    return [each.text or "" for each in element.iter(f"{SVG}text")]


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_is_drawn_with_all_its_nodes_at_every_step(name: str) -> None:
    trace = traced(name)
    for step in (None, *range(len(trace.steps) + 1)):
        assert list(groups(draw_tree(trace, step))) == [str(n) for n in range(len(trace.tree.nodes))]


def test_values_bounds_names_and_moves_are_written() -> None:
    svg = draw_tree(traced("aima"), theme="light")
    nodes = groups(svg)
    assert texts(nodes["0"]) == ["3", "A", "[3, ∞]"]
    assert texts(nodes["5"]) == ["≤2", "C", "[3, 2]"]
    assert {"a1", "a23", "MAX", "MIN", "AIMA's tree: alpha-beta leaves out 4 and 6"} <= set(
        texts(ET.fromstring(svg))
    )


def test_kinds_have_shapes_of_their_own() -> None:
    nodes = groups(draw_tree(traced("coin")))
    shapes = [nodes[number][1].tag.removeprefix(SVG) for number in "0123"]
    assert shapes == ["path", "ellipse", "path", "rect"]


def test_what_stays_unvisited_is_dashed_crossed_out_and_cut_off() -> None:
    trace = traced("aima")
    svg = draw_tree(trace, theme="light")
    nodes = groups(svg)
    crossed = [
        number for number, group in nodes.items() if group.find(f"{SVG}path[@stroke='#a3341f']") is not None
    ]
    dashed = [
        number for number, group in nodes.items() if group.find(f"{SVG}rect[@stroke-dasharray]") is not None
    ]
    assert crossed == dashed == ["7", "8"]
    cuts = [path for path in ET.fromstring(svg).iter(f"{SVG}path") if path.attrib.get("stroke") == "#a3341f"]
    assert len(cuts) == 4


def test_the_principal_line_is_thick() -> None:
    lines = list(ET.fromstring(draw_tree(traced("aima"))).iter(f"{SVG}line"))
    assert sum(line.attrib["stroke-width"] == "3.6" for line in lines) == 2
    begun = ET.fromstring(draw_tree(traced("aima"), 5)).iter(f"{SVG}line")
    assert all(line.attrib["stroke-width"] != "3.6" for line in begun)


def test_nodes_stand_still_from_step_to_step() -> None:
    trace = traced("labelled")
    places = set()
    for step in range(len(trace.steps)):
        root = ET.fromstring(draw_tree(trace, step, has_words=False))
        places.add(tuple((line.attrib["x1"], line.attrib["y2"]) for line in root.iter(f"{SVG}line")))
        assert root.attrib["viewBox"] == ET.fromstring(draw_tree(trace, has_words=False)).attrib["viewBox"]
    assert len(places) == 1


def test_a_horizon_is_drawn_where_something_is_beyond_it() -> None:
    assert "horizon" in texts(ET.fromstring(draw_tree(traced("horizon"))))
    whole = trace_written(example_tree("horizon"), depth=5)
    assert "horizon" not in texts(ET.fromstring(draw_tree(whole)))


def test_boards_are_drawn_at_nodes_where_they_are_few() -> None:
    state = gm.load("tictactoe", machine="reference").initial_state()
    few, many = trace_game(state, depth=1), trace_game(state, depth=2)
    assert "data-cell" in draw_tree(few)
    assert "data-cell" not in draw_tree(few, has_boards=False)
    assert len(many.tree.nodes) > MOST_BOARDS
    assert "data-cell" not in draw_tree(many)
    assert texts(groups(draw_tree(traced("openlines")))["2"]) == ["1", "o", "x"]


def test_a_picture_of_too_many_nodes_is_refused() -> None:
    trace = trace_written(read_tree("max\n" + "  1\n" * MOST_DRAWN))
    with pytest.raises(
        LimitExceeded, match="nodes limit of 600 exceeded drawing a tree of 601: look less deep"
    ):
        draw_tree(trace)


def test_a_picture_has_a_title_and_a_description_and_themes() -> None:
    root = ET.fromstring(draw_tree(traced("labelled")))
    title, description = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert title is not None
    assert description is not None
    assert title.text == "The labelled tree: N and L stay unvisited"
    assert "unvisited: L, N" in (description.text or "")
    assert "E, max, has J, K, L" in (description.text or "")
    assert "prefers-color-scheme:dark" in draw_tree(traced("labelled"))
    assert "var(" not in draw_tree(traced("labelled"), theme="dark")
    with pytest.raises(ParameterError, match="is no theme"):
        draw_tree(traced("labelled"), theme="pink")  # type: ignore[arg-type]


def test_names_of_strangers_are_escaped_and_cut() -> None:
    tree = read_tree('@title <script>"&\nmax "<b>&"\n  "' + "x" * 500 + '": 1\n')
    svg = draw_tree(trace_written(tree))
    ET.fromstring(svg)
    assert "<script>" not in svg
    assert "x" * 100 not in svg


@given(trees())
@settings(max_examples=60, deadline=None)
def test_no_node_is_drawn_over_another(tree: SearchTree) -> None:
    widths = [20.0 + 7 * (number % 5) for number in range(len(tree.nodes))]
    middles = tidy(tree, widths, near=4, far=9)
    for ply in range(max(tree.plies) + 1):
        level = [number for number in range(len(tree.nodes)) if tree.plies[number] == ply]
        for left, right in pairwise(level):
            gap = (middles[right] - widths[right] / 2) - (middles[left] + widths[left] / 2)
            assert gap >= 4 - 1e-6
    for number, node in enumerate(tree.nodes):
        if node.children:
            middle = (middles[node.children[0]] + middles[node.children[-1]]) / 2
            assert middles[number] == pytest.approx(middle)
    assert min(x - width / 2 for x, width in zip(middles, widths, strict=True)) == pytest.approx(0)


@given(trees())
@settings(max_examples=30, deadline=None)
def test_any_tree_is_drawn_well_formed(tree: SearchTree) -> None:
    trace = trace_written(tree, "expectiminimax")
    assert len(groups(draw_tree(trace))) == len(tree.nodes)
    assert len(draw_tree_text(trace).split("\n")) == len(tree.nodes)


# Words


def test_steps_in_words() -> None:
    trace = traced("aima")
    assert [step_in_words(trace, step) for step in (0, 1, 3, 4, 8, 12, 13, 21, 22)] == [
        "Alpha-beta is about to begin at A.",
        "The search comes to A, where max chooses; alpha is -∞, beta is ∞.",
        "a11 of B is worth 3.",
        "beta becomes 3 at B, by a11 of B.",
        "alpha becomes 3 at A, by B.",
        "The rest of C is cut: 2 <= 3, which is alpha. a22 of C, a23 of C stay unvisited.",
        "C is worth 2 at most.",
        "D is worth 2.",
        "A is worth 3, and the search ends.",
    ]


def test_steps_of_other_searches_in_words() -> None:
    told = {
        name: [step_in_words(trace, step) for step in range(len(trace.steps) + 1)]
        for name in ("labelled", "andor", "coin", "horizon", "noughts")
        if (trace := traced(name))
    }
    assert "The rest of E is cut: 7 >= 5, which is beta. L stays unvisited." in told["labelled"]
    assert "E has 2 so far, by J; alpha stays -∞." not in told["labelled"]
    assert (
        "The rest of G is cut: one T is enough where one chooses. leaf 2 of G stays unvisited."
        in told["andor"]
    )
    assert "D counts with 0.5 at B, which has 1 so far." in told["coin"]
    assert "The search comes to B, where chance decides." in told["coin"]
    assert "G is at the horizon: it is estimated at -1." in told["horizon"]
    assert "B has -399 so far, by c1 of B." in told["noughts"]


def test_a_value_that_does_not_move_a_bound_is_said() -> None:
    trace = trace_written(read_tree("max\n  min\n    5\n  min\n    max\n      3\n      6\n    4"))
    assert "D has 3 so far, by leaf 1 of D; alpha stays 5." in [
        step_in_words(trace, step) for step in range(len(trace.steps))
    ]


def test_a_whole_search_in_words() -> None:
    assert search_in_words(traced("labelled")) == (
        "Alpha-beta: A is worth 8; principal line C, F; 12 of 14 nodes visited; unvisited: L, N."
    )
    many = trace_written(read_tree("max\n  min\n    5\n  min\n    3\n" + "    4\n" * 30))
    assert search_in_words(many).endswith("leaf 13 of C and 18 more.")


def test_what_nobody_knows_is_said() -> None:
    state = gm.load("tictactoe", machine="reference").initial_state()
    trace = trace_game(state, algorithm="andor", depth=1)
    assert step_in_words(trace, 2) == "mark(1,1) of A is at the horizon: nobody knows what it is worth."
    assert step_in_words(trace, 1) == "The search comes to A, where max (x) chooses."


# Text


def test_the_tree_as_text() -> None:
    assert draw_tree_text(traced("aima")).split("\n") == [
        "▲ A = 3  [3, ∞]  *",
        "├─ a1: ▼ B = 3  [-∞, 3]  *",
        "│  ├─ a11: 3  *",
        "│  ├─ a12: 12",
        "│  └─ a13: 8",
        "├─ a2: ▼ C ≤ 2  [3, 2]",
        "│  ├─ a21: 2",
        "│  ├╳ a22: 4",
        "│  └╳ a23: 6",
        "└─ a3: ▼ D = 2  [3, 2]",
        "   ├─ a31: 14",
        "   ├─ a32: 5",
        "   └─ a33: 2",
    ]


def test_the_text_of_a_step_shows_where_the_search_is() -> None:
    lines = draw_tree_text(traced("horizon"), 2).split("\n")
    assert lines[1] == "├─ let it go: ▼ B  ◀"
    assert lines[7] == "         └─ take the queen: ▲ H  beyond the horizon"
    assert draw_tree_text(traced("coin"), 3).split("\n")[2] == "│  ├─ 0.5: ▼ D  ◀"
    assert "A [.../.../...]" in draw_tree_text(traced("openlines"), 0)


# Programs


def test_a_trace_as_plain_values() -> None:
    plain = trace_data(traced("aima"))
    assert plain["value"] == 3
    assert plain["unvisited"] == [7, 8]
    nodes, steps = plain["nodes"], plain["steps"]
    assert isinstance(nodes, list)
    assert isinstance(steps, list)
    assert nodes[0] == {
        "node": 0,
        "parent": None,
        "children": [1, 5, 9],
        "kind": "max",
        "name": "A",
        "move": "",
        "probability": None,
        "status": "done",
        "value": 3.0,
        "bound": "exact",
        "alpha": 3.0,
        "beta": None,
        "is_on_line": True,
    }
    assert steps[11]["kind"] == "cut"
    assert steps[11]["cut"] == [7, 8]
    assert trace_data(traced("andor"))["value"] == "T"
    dice = trace_data(traced("dice"))["nodes"]
    assert isinstance(dice, list)
    assert dice[2]["probability"] == "9/10"
