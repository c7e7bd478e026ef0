"""What is found from the rules, told apart: boards, coordinates, contents that would look alike, facts that are new."""

from __future__ import annotations

import pytest

import gamemaster as gm
from gamemaster.draw.board import board_of
from gamemaster.draw.finding.found import found_style
from gamemaster.draw.model import Board
from gamemaster.draw.styles.style import BoardStyle
from gamemaster.machine.game import Game

ROLES = "role(red) role(blue) legal(red,go) legal(blue,go)"
CELLS = [f"init(cell({x},{y},b))" for x in range(1, 5) for y in range(1, 5)]
TREES = ("oak", "elm", "fir")
DIGITS = " ".join(f"digit({number})" for number in range(1, 5))


def sheet(*sentences: str) -> Game:
    return gm.parse("\n".join((ROLES, *sentences)), dialect="hrf", machine="reference")


def only_board(*sentences: str) -> BoardStyle:
    (board,) = found_style(sheet(*sentences)).boards
    return board


def badges(board: Board) -> dict[str, str]:
    return {thing.content: thing.badge for thing in board.legend}


# Rows and columns


def test_rows_without_a_cell_at_the_ends_have_no_name() -> None:
    more = "s(1,2) s(2,3) s(3,4) s(4,5) s(5,6) next(cell(X,V,red)) :- true(cell(X,Y,red)) & s(Y,V)"
    shown = board_of(sheet(*CELLS, more).initial_state())
    assert only_board(*CELLS, more).rows == ("1", "2", "3", "4")
    assert len(shown.panels[0].labels) == 8


SET = "next(mark(I,J,M)) :- true(mark(I,J,M)) next(mark(I,J,M)) :- does(red,put(I,J,M)) legal(red,put(I,J,M)) :- "
LINES = " row(X) :- digit(X) column(X) :- digit(X) next(mark(I,J,M)) :- true(mark(I,J,M)) & "


@pytest.mark.parametrize(
    ("rules", "at"),
    [
        ("", ((0,), (1,))),
        (LINES + "row(J) & column(M)", ((1,), (2,))),
        (LINES + "row(I) & column(J)", ((0,), (1,))),
    ],
)
def test_of_three_columns_alike_the_first_two_are_coordinates(rules: str, at: tuple[tuple[int], ...]) -> None:
    assert only_board(DIGITS, SET + "digit(I) & digit(J) & digit(M)", rules).layers[0].at == at


def test_things_with_numbers_lie_where_the_start_says() -> None:
    start = "init(at(1,2,3)) init(at(1,2,4)) init(at(2,3,3)) init(at(3,4,4)) init(at(4,4,1))"
    assert only_board(DIGITS, start, "next(at(I,J,K)) :- true(at(I,J,K))").layers[0].at == ((1,), (2,))


# Several boards


DROP = (
    "legal(R,drop(X,Y,B)) :- role(R) & digit(X) & digit(Y) & {}(B) "
    "next(cell(X,Y,B,R)) :- does(R,drop(X,Y,B)) next(cell(X,Y,B,R)) :- true(cell(X,Y,B,R)) & {}(B)"
)


def test_a_number_behind_coordinates_that_is_called_a_board_tells_boards_apart() -> None:
    found = only_board(DIGITS, "board(1) board(2)", DROP.format("board", "board"))
    assert found.indexes == (("1",), ("2",))
    assert found.layers[0].index == ((2,),)
    assert only_board(DIGITS, "size(1) size(2)", DROP.format("size", "size")).indexes == ((),)


def test_a_number_behind_coordinates_tells_boards_apart_where_cells_would_have_several_contents() -> None:
    cells = [f"init(cell({x},{y},{z},b))" for x in range(1, 4) for y in range(1, 5) for z in (1, 2)]
    assert only_board(*cells).layers[0].index == ((2,),)
    assert only_board(*cells[::2]).layers[0].index == ()


# Contents that would look alike


def test_one_of_two_contents_that_would_look_alike_has_a_badge() -> None:
    start = "init(cell(1,1,2,e)) init(cell(1,2,2,b)) init(cell(2,1,3,e)) init(cell(2,2,1,e))"
    assert badges(board_of(sheet(start).initial_state())) == {"2 e": "", "2 b": "b", "3 e": "", "1 e": ""}


def test_what_is_not_so_is_plain() -> None:
    start = ["init(cell(1,1,red,rook,promoted))", "init(cell(1,2,red,rook,unpromoted))"]
    start += ["init(cell(2,1,blue,rook,unpromoted))", "init(cell(2,2,blue,pawn,unpromoted))"]
    assert {
        content: badge for content, badge in badges(board_of(sheet(*start).initial_state())).items() if badge
    } == {"red rook promoted": "p"}


def test_where_none_is_plain_all_have_a_badge() -> None:
    arrows = ["init(cell_gt_right(1,2))", "init(cell_lt_right(2,2))", "init(cell_lt_right(2,3))"]
    found = badges(board_of(sheet(*CELLS, *arrows).initial_state()))
    assert found["cell_gt_right"] == "gt"
    assert found["cell_lt_right"] == "lt"


def test_words_in_another_order_are_told_apart_by_a_number() -> None:
    start = "init(cell(1,1,rook,red,red)) init(cell(1,2,red,rook,red)) init(cell(2,1,red,red,rook))"
    found = badges(board_of(sheet(start, "init(cell(2,2,blue,blue,rook))").initial_state()))
    assert sorted(found.values()) == ["", "", "2", "3"]


def test_things_of_two_boards_may_look_alike() -> None:
    links = "link(a,b) link(b,c) link(c,d) link(d,a) way(w,x) way(x,y) way(y,z) way(z,w)"
    kept = "next(pos1(X)) :- true(pos1(X)) next(pos2(X)) :- true(pos2(X))"
    moves = "next(pos1(Y)) :- true(pos1(X)) & link(X,Y) next(pos2(Y)) :- true(pos2(X)) & way(X,Y)"
    shown = board_of(sheet("init(pos1(a)) init(pos2(w))", links, kept, moves).initial_state())
    assert len(shown.panels) == 2
    assert not any(badges(shown).values())


# What is new


def test_of_what_nobody_would_read_the_news_is_told() -> None:
    walls = [f"wall({a},{b},{c},none)" for a in TREES for b in TREES for c in TREES]
    game = sheet(*CELLS, *(f"init({wall})" for wall in walls))
    cells = [fact.removeprefix("init(")[:-1] for fact in CELLS]
    assert board_of(game.initial_state()).others == ()
    changed = game.state([*cells, *walls[1:], "wall(oak,oak,oak,red)"])
    assert [*map(str, board_of(changed).others)] == ["wall(oak,oak,oak,red)"]
    many = game.state([*cells, *(wall.replace("none", "red") for wall in walls)])
    assert board_of(many).others == ()
