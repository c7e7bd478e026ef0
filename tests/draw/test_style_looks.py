"""Styles: grounds, thick lines and star points of boards, the order of heaps, what is written on pieces."""

from __future__ import annotations

import pytest

import gamemaster as gm
from gamemaster.draw.boards.stars import star_points
from gamemaster.draw.styles.style import BoardStyle, Layer
from gamemaster.draw.svg import draw_svg
from gamemaster.draw.text import draw_text
from tests.draw.test_style import board


def test_areas_are_the_cells_of_a_relation_of_the_rules() -> None:
    there = board(
        '[[board]]\nrelation = "cell"\ncheckered = false\nareas = {beside = "middle"}\nground = {"1,2" = "dark"}'
    )
    grounds = {cell.name: cell.ground for cell in there.panels[0].cells}
    assert grounds == {**dict.fromkeys(grounds, "light"), "1,1": "middle", "1,2": "dark"}


def test_blocks_have_thick_lines_around_them() -> None:
    lines = board('[[board]]\nrelation = "cell"\nblocks = 2').panels[0].lines
    assert len(lines) == 6
    assert all(line.is_above for line in lines)
    assert {line.start for line in lines} >= {(-0.5, 1.5), (-0.5, 2.5), (1.5, -0.5)}


@pytest.mark.parametrize(
    ("size", "stars"),
    [
        (3, []),
        (5, ["3,3"]),
        (6, []),
        (8, ["3,3", "3,6", "6,3", "6,6"]),
        (9, ["3,3", "3,7", "5,5", "7,3", "7,7"]),
        (13, ["10,10", "10,4", "10,7", "4,10", "4,4", "4,7", "7,10", "7,4", "7,7"]),
    ],
)
def test_star_points_are_where_boards_of_go_have_them(size: int, stars: list[str]) -> None:
    axis = tuple(map(str, range(1, size + 1)))
    found = star_points(BoardStyle((Layer(("cell", 3)),), rows=axis, columns=axis))
    assert sorted(",".join(key) for key, ground in found.items() if ground == "dark") == stars
    assert len(found) == size * size


def test_star_points_need_rows_and_columns() -> None:
    assert star_points(BoardStyle((Layer(("at", 2)),), row=None, column=None)) == {}


def test_heaps_stand_in_the_order_of_rows() -> None:
    there = board(
        '[[board]]\nrelation = "heap"\nplace = 1\ncount = 2\nkind = "heaps"\nrows = ["right", "none"]'
    )
    assert there.panels[0].rows == ("right", "left")


def test_what_is_written_in_pictures_may_be_a_sign_of_its_own() -> None:
    there = board('[[board]]\nrelation = "cell"\n[pieces]\nred = {glyph = "tile", symbol = "r", sign = "7"}')
    things = {thing for cell in there.panels[0].cells for thing in cell.things if thing.content == "red"}
    assert {(thing.symbol, thing.sign) for thing in things} == {("r", "7")}
    assert ">7<" in draw_svg(there)
    assert ">r<" not in draw_svg(there)


def test_a_gap_is_blank_in_text() -> None:
    game = gm.load("cryptarithmic", machine="reference")
    assert "   s e n d" in draw_text(game.initial_state()).splitlines()[1]


def test_numbers_of_somebody_are_explained_once() -> None:
    lines = draw_text(gm.load("battleofnumbers", machine="reference").initial_state()).splitlines()
    assert lines[0] == "5 2g 4g 5g 3g 1g"
    assert "r red  g green" in lines
