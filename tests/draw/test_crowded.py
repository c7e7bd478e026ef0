"""Pictures of what stands close together: names in nodes, walls in hexagons, dots below things, labels in a line."""

from __future__ import annotations

import math
import re

import pytest

import gamemaster as gm
from gamemaster.draw.model import Board, Cell, Label, Panel, PanelKind, Point, Thing
from gamemaster.draw.picture.markup import text_width
from gamemaster.draw.svg import draw_svg
from tests.draw.boards_by_hand import square, thing


def picture(*cells: Cell, kind: PanelKind = "square", labels: tuple[Label, ...] = (), look: str = "") -> str:
    return draw_svg(
        Board((Panel("", kind, cells, labels=labels, look=look),), roles=("red", "blue")), theme="light"
    )


def node(*things: Thing) -> str:
    return picture(Cell("n", "p7", ("p7",), (0.0, 0.0), things=things, label="p7"), kind="graph")


def on_square(*things: Thing) -> str:
    return picture(Cell("c", "1,1", ("1", "1"), (0.0, 0.0), square(0, 0), things=things))


def written(svg: str, text: str) -> tuple[float, float]:
    """How far below the middle of its cell a text is, and its size."""
    found = re.search(rf'<text(?: y="([-0-9.]+)")? font-size="([0-9.]+)"[^>]*>{re.escape(text)}</text>', svg)
    assert found, svg
    size = float(found[2])
    return float(found[1] or 0) - size * 0.36, size


# Names in nodes


@pytest.mark.parametrize(
    "things",
    [
        (thing("number", "plain", "4"),),
        (thing("pawn", "blue"),),
        (thing("number", "plain", "4"), thing("disc", "red")),
        (thing("disc", "red"), thing("disc", "blue")),
    ],
)
def test_the_name_of_a_node_is_small_and_below_what_would_half_hide_it(things: tuple[Thing, ...]) -> None:
    (alone, large), (below, small) = written(node(), "p7"), written(node(*things), "p7")
    assert abs(alone) < 0.1
    assert small < large / 2
    assert below - small / 2 > 10  # the room of things ends above it
    assert "translate(0 -9)" in node(*things)


@pytest.mark.parametrize("things", [(thing("disc", "red"),), (thing("text", "role 1", "k"),)])
def test_what_hides_a_name_whole_is_as_large_as_its_node(things: tuple[Thing, ...]) -> None:
    assert written(node(*things), "p7") == written(node(), "p7")
    assert "translate(0 -9)" not in node(*things)


def test_a_ring_has_the_name_in_it() -> None:
    below, size = written(node(thing("ring", "red")), "p7")
    assert abs(below) < 0.1
    assert text_width("p7") * size <= 2 * 21.5  # within its inner edge


# The shape of a cell


def hexagon() -> tuple[Point, ...]:
    turns = [math.pi / 3 * corner for corner in range(6)]
    return tuple((math.sin(turn) / math.sqrt(3), -math.cos(turn) / math.sqrt(3)) for turn in turns)


def inside(point: Point, slack: float = 0.1) -> bool:
    x, y = abs(point[0]), abs(point[1])
    return x <= 50 + slack and y + x / math.sqrt(3) <= 100 / math.sqrt(3) + slack


@pytest.mark.parametrize("glyph", ["wall", "patch"])
def test_what_fills_a_hexagon_has_its_shape(glyph: str) -> None:
    cell = Cell("h", "1,1", ("1", "1"), (0.0, 0.0), hexagon(), things=(thing(glyph, "plain"),))
    drawn = picture(cell, kind="hex").partition("data-cell")[2]
    paths = [re.findall(r"[ML](-?[\d.]+) ?(-?[\d.]+)", path) for path in re.findall(r' d="([^"]+)"', drawn)]
    points = [(float(x), float(y)) for path in paths for x, y in path]
    assert len(paths) == (3 if glyph == "wall" else 2)  # its ground, the filling, and the joints of bricks
    assert "<use" not in drawn
    assert all(map(inside, points))


def test_what_fills_a_hole_or_a_node_is_round() -> None:
    wall = thing("wall", "plain")
    hole = Cell("c", "1,1", ("1", "1"), (0.0, 0.0), square(0, 0), things=(wall,))
    for svg in (picture(hole, look="holes"), node(wall)):
        assert 'width="100" height="100"' not in svg
        assert "<use" not in svg
    assert 'width="100" height="100"' in on_square(wall)


# Several things on a cell


def test_a_dot_is_seen_beside_what_else_is_there() -> None:
    dot, letter = thing("dot", "plain"), thing("text", "plain", "b")
    assert 'transform="translate(34 34)scale(0.72)"' in on_square(dot, letter)
    assert "scale(0.72)" not in on_square(dot)
    two = on_square(dot, dot, thing("disc", "red"))
    assert two.count("scale(0.5)") == 3  # side by side


def test_a_second_patch_is_seen_too() -> None:
    patches = (thing("patch", "red"), thing("patch", "blue"))
    assert on_square(*patches, thing("disc", "red")).count("<use") == 3


# Labels


def columns(*names: str, y: float = -0.85) -> str:
    cells = [Cell(f"c{x}", name, (name,), (float(x), 0.0), square(x, 0)) for x, name in enumerate(names)]
    return picture(*cells, labels=tuple(Label(name, (float(x), y)) for x, name in enumerate(names)))


def test_names_of_columns_that_are_a_little_long_are_smaller() -> None:
    _, few = sizes(columns("level1", "level2"))
    _, more = sizes(columns("level9", "level10"))
    assert few == {30.0}
    assert len(more) == 1
    assert 18 <= (size := more.pop()) < 30
    assert text_width("level10") * size < 100


@pytest.mark.parametrize(("y", "anchors"), [(-0.85, 0), (0.85, 2)])
def test_names_of_columns_that_are_too_long_are_turned(y: float, anchors: int) -> None:
    svg = columns("somewhere_else", "far_far_away", y=y)
    turned, found = sizes(svg)
    assert turned == 2
    assert found == {30.0}
    assert svg.count('text-anchor="end"') == anchors
    wide, tall = map(float, re.findall(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)[0])
    assert tall > 100 + text_width("somewhere_else") * 30  # there is room for them
    assert wide < 400


def test_names_of_rows_stay_as_they_are() -> None:
    cells = [Cell(f"c{y}", f"r{y}", (f"r{y}",), (0.0, float(y)), square(0, y)) for y in range(3)]
    labels = tuple(Label(f"a long name {y}", (-0.85, float(y))) for y in range(3))
    assert sizes(picture(*cells, labels=labels)) == (0, {30.0})


def sizes(svg: str) -> tuple[int, set[float]]:
    """How many labels are turned, and how large they all are."""
    texts = re.findall(r"<text[^>]*>", svg)
    return sum("rotate(-90)" in text for text in texts), {
        float(re.findall(r'font-size="([\d.]+)"', text)[0]) for text in texts
    }


# Badges


def test_a_badge_is_drawn_and_explained() -> None:
    cells = "init(cell(1,1,2,e)) init(cell(1,2,2,b)) init(cell(2,1,3,e)) init(cell(2,2,3,e))"
    game = gm.parse(f"role(r) legal(r,noop) {cells}", "hrf", "reference")
    svg = draw_svg(game.initial_state(), theme="light")
    assert svg.count('translate(31 30)"') == 1
    plain = Thing("rook", "rook", "white", "r", "white rook")
    promoted = Thing("rook2", "rook", "white", "s", "risen rook", badge="p")
    svg = on_square(plain, promoted)
    assert svg.count('translate(31 30)"') == 1
    assert "rook p = risen rook" in svg


def test_badges_of_both_sides_are_explained_once() -> None:
    rooks = [Thing(side, "rook", side, "r", f"{side} rook up", badge="u") for side in ("white", "black")]
    assert "rook u = rook up" in on_square(*rooks)
