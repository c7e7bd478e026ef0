"""The graph of what players expected: well-formed, told in words, and its lines are told apart without colour."""

from __future__ import annotations

import re
from itertools import pairwise
from xml.etree import ElementTree

import pytest

from gamemaster.draw.graph import ValueGraph, ValueLine, draw_graph
from gamemaster.draw.picture.colours import PAPER, luminance
from gamemaster.errors import ParameterError

SVG = "{http://www.w3.org/2000/svg}"
TWO = ValueGraph(
    (ValueLine("white", ((1, 50), (3, 61.5), (5, 100))), ValueLine("black", ((2, 48), (4, 20.4)))), 5, (2, 2)
)


def read(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg)


def curves(root: ElementTree.Element) -> list[ElementTree.Element]:
    return [path for path in root.iter(f"{SVG}path") if path.get("stroke-width") == "2.2"]


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_each_player_has_a_line_with_its_own_dashes() -> None:
    lines = curves(read(draw_graph(TWO)))
    assert [line.get("stroke-dasharray") for line in lines] == [None, "7 4"]
    assert lines[0].get("d", "").count("L") == 2


def test_names_stand_at_the_ends_of_lines_with_the_last_value() -> None:
    told = ["".join(text.itertext()) for text in read(draw_graph(TWO)).iter(f"{SVG}text")]
    assert "white 100" in told
    assert "black 20" in told


def test_it_is_told_in_words() -> None:
    words = read(draw_graph(TWO)).findtext(f"{SVG}desc", "")
    assert "white (solid): 50 at step 1, 100 at step 5, between 50 and 100." in words
    assert "black (dashed)" in words
    assert "Something went wrong at step 2." in words


def test_higher_values_are_higher_and_later_steps_further_right() -> None:
    numbers = [float(each) for each in re.findall(r"[\d.]+", curves(read(draw_graph(TWO)))[0].get("d", ""))]
    xs, ys = numbers[::2], numbers[1::2]
    assert xs == sorted(xs)
    assert ys == sorted(ys, reverse=True)


def test_the_cursor_stands_where_a_page_would_put_it() -> None:
    root = read(draw_graph(TWO, at=2))
    plot = next(group for group in root.iter(f"{SVG}g") if "data-plot" in group.attrib)
    cursor = next(group for group in root.iter(f"{SVG}g") if "data-cursor" in group.attrib)
    left, right, last = (float(plot.attrib[f"data-{name}"]) for name in ("left", "right", "last"))
    found = re.match(r"translate\(([\d.]+) 0\)", cursor.attrib["transform"])
    assert found
    assert float(found[1]) == pytest.approx(left + (right - left) * 2 / last, abs=0.01)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_line_is_seen_on_its_paper(theme: str) -> None:
    names = ("white", "black", "yellow", "d", "e", "f", "g")
    graph = ValueGraph(tuple(ValueLine(name, ((1, 9.0), (2, 8.0))) for name in names), 2)
    root = read(draw_graph(graph, theme=theme))  # type: ignore[arg-type]  # a name of one
    paper = PAPER[theme == "dark"]
    assert [line for line in curves(root) if contrast(line.attrib["stroke"], paper) < 3] == []


def test_values_that_are_no_goals_stay_in_the_picture() -> None:
    root = read(draw_graph(ValueGraph((ValueLine("x", ((1, -1e11), (2, 1e11))),), 2)))
    ys = [float(y) for y in re.findall(r"[\d.]+", curves(root)[0].get("d", ""))[1::2]]
    assert 0 < min(ys) < max(ys) < 172


def test_names_make_room_for_each_other() -> None:
    graph = ValueGraph(tuple(ValueLine(f"p{n}", ((1, 50.0),)) for n in range(6)), 1)
    texts = [text for text in read(draw_graph(graph)).iter(f"{SVG}text") if (text.text or "").startswith("p")]
    heights = sorted(float(text.attrib["y"]) for text in texts)
    assert min(high - low for low, high in pairwise(heights)) > 10


@pytest.mark.parametrize("last", [0, 1, 4, 41, 299, 123_456])
def test_any_number_of_steps_has_a_few_marks(last: int) -> None:
    points = ((last, 50.0),)
    told = [
        text.text for text in read(draw_graph(ValueGraph((ValueLine("x", points),), last))).iter(f"{SVG}text")
    ]
    assert str(last) in told
    assert len(told) <= 3 + 7 + 1


def test_names_of_strangers_do_nothing() -> None:
    svg = draw_graph(ValueGraph((ValueLine("<script>&\x00\ud800" + "w" * 900, ((1, 1.0),)),), 1))
    assert "<script" not in svg
    svg.encode()
    read(svg)


def test_nobody_said_anything() -> None:
    assert "over 3 steps" in draw_graph(ValueGraph((ValueLine("x", ()),), 3))


def test_there_is_no_other_theme() -> None:
    with pytest.raises(ParameterError, match="no theme"):
        draw_graph(TWO, theme="pink")  # type: ignore[arg-type]
