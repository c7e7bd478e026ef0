"""Walls, links and a compass, found from the rules and drawn as lines."""

from __future__ import annotations

import pytest

import gamemaster as gm
from gamemaster.draw.board import board_of
from gamemaster.draw.boards.strokes import line_of
from gamemaster.draw.finding.compass import north_of
from gamemaster.draw.finding.found import found_style
from gamemaster.draw.model import Board
from gamemaster.draw.styles.style import BoardStyle, Layer, LineLayer
from gamemaster.draw.text import draw_text
from gamemaster.language.infix import read_term
from gamemaster.machine.game import Game

END = "role(red) role(blue) legal(red,go) legal(blue,go) goal(red,50) goal(blue,50)"
CELLS = [f"cell({x},{y},b)" for x in range(1, 5) for y in range(1, 4)]


def sheet(*facts: str, rules: str = "") -> Game:
    sentences = (END, *(f"init({fact})" for fact in facts), rules)
    return gm.parse("\n".join(sentences), dialect="hrf", machine="reference")


def board(*facts: str, rules: str = "") -> Board:
    return board_of(sheet(*facts, rules=rules).initial_state())


def walls(shown: Board) -> list[tuple[tuple[float, float], tuple[float, float]]]:
    return sorted((line.start, line.end) for panel in shown.panels for line in panel.lines if line.is_above)


COMPASS = "s(1,2) s(2,3) s(3,4) "
SUMS = "d(1,0,1) d(1,1,2) d(1,2,3) d(2,1,3) "
LETTERED = (
    "steps(N,n,X,Y,X,V) :- d(Y,N,V) steps(N,s,X,V,X,Y) :- d(Y,N,V) "
    "steps(N,e,X,Y,U,Y) :- d(X,N,U) steps(N,w,U,Y,X,Y) :- d(X,N,U)"
)


@pytest.mark.parametrize(
    ("rules", "north"),
    [
        (COMPASS + "step(X,Y,north,X,V) :- s(Y,V)", (1, True)),
        (COMPASS + "step(north,X,Y,X,V) :- s(V,Y)", (1, False)),
        (COMPASS + "step(place(X,Y),down,place(V,Y)) :- s(X,V)", (0, False)),
        ("step(2,3,south,2,2) step(2,2,south,2,1)", (1, True)),
        (COMPASS + "step(X,Y,east,V,Y) :- s(X,V)", None),
        (COMPASS + "step(X,Y,north,X,V) :- s(Y,V) step(X,Y,up,X,V) :- s(V,Y)", None),
        ("next(moved(north)) :- does(red,go)", None),
        (SUMS + LETTERED, (1, True)),
        (SUMS + LETTERED.replace("d(Y,N,V)", "d(V,N,Y)"), (1, False)),
        (SUMS + LETTERED.partition("steps(N,w")[0], None),
    ],
)
def test_the_compass_says_which_coordinate_goes_north(rules: str, north: tuple[int, bool] | None) -> None:
    assert north_of(sheet("start", rules=rules)) == north


def test_walls_named_by_their_side_are_lines_along_it() -> None:
    rules = COMPASS + "step(X,Y,north,X,V) :- s(Y,V)"
    facts = ["blockednorth(1,1)", "blockednorth(1,2)", "blockednorth(2,1)", "at(red,2,2)"]
    shown = board(*CELLS, *facts, rules=rules)
    assert walls(shown) == [((-0.5, 0.5), (0.5, 0.5)), ((-0.5, 1.5), (0.5, 1.5)), ((0.5, 1.5), (1.5, 1.5))]
    assert not shown.others


def test_walls_that_name_their_side_may_stand_beside_the_board() -> None:
    facts = ["wall(0,1,east)", "wall(1,1,east)", "wall(0,2,east)", "wall(1,2,north)"]
    shown = board(*CELLS, *facts, rules=COMPASS + "step(X,Y,north,X,V) :- s(Y,V)")
    (panel,) = shown.panels
    assert (panel.rows, panel.columns) == (("3", "2", "1"), ("1", "2", "3", "4"))
    assert walls(shown)[0] == ((-0.5, 0.5), (-0.5, 1.5))
    assert len(walls(shown)) == 4


def test_links_lead_from_cell_to_cell_in_the_colour_of_their_owner() -> None:
    shown = board(*CELLS, "bridge(1,1,1,2,red)", "bridge(1,2,2,2,blue)")
    (panel,) = shown.panels
    lines = [line for line in panel.lines if line.is_above]
    assert [(line.start, line.end, line.ground) for line in lines] == [
        ((0.0, 0.0), (1.0, 0.0), "red"),
        ((1.0, 0.0), (1.0, 1.0), "blue"),
    ]


def test_lines_between_corners_lie_on_the_edges_of_cells() -> None:
    boxes = [f"box({x},{y},b)" for x in range(1, 3) for y in range(1, 3)]
    shown = board(*boxes, *(f"line({x},1,{x + 1},1)" for x in (1, 2)), "line(1,1,1,2)", "line(1,2,1,3)")
    assert walls(shown) == [
        ((-0.5, -0.5), (-0.5, 0.5)),
        ((-0.5, -0.5), (0.5, -0.5)),
        ((-0.5, 0.5), (-0.5, 1.5)),
        ((0.5, -0.5), (1.5, -0.5)),
    ]


def test_pairs_of_cells_that_are_no_lines_are_hidden() -> None:
    assert ("relates", 4) in found_style(sheet(*CELLS, "relates(1,1,2,2)", "relates(2,1,3,2)")).hidden


def test_walls_without_a_board_are_a_board() -> None:
    (panel,) = board("wall(1,1,east)", "wall(1,2,east)", "wall(2,1,north)", "wall(2,2,north)").panels
    assert len(panel.cells) == 4


def test_a_line_begins_where_its_row_does() -> None:
    two = ("1", "2")
    cells = (Layer(("cell", 3), ((0,), (1,)), ((2,),)),)
    layer = LineLayer(("link", 4), ((0,), (1,)), ((2,), (3,)))
    fact = read_term("link(1,1,2,1)")
    board_style = BoardStyle(cells, "hex", rows=two, columns=two)
    ends = line_of(layer, fact, board_style, [1.0, -1.0])
    assert ends
    assert [x for x, _ in ends] == [1.0, -1.0]


def test_lines_are_told_in_text() -> None:
    state = sheet(*CELLS, "bridge(1,1,1,2,red)", "bridge(9,9,9,9,red)").initial_state()
    assert "bridge(1,1,1,2,red)" in draw_text(state)
    assert "bridge(9,9,9,9,red)" in draw_text(state)
