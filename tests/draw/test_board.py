"""Boards: the panels of a state, their cells and what lies on them."""

from __future__ import annotations

import re
from dataclasses import replace

import gamemaster as gm
from gamemaster.draw.board import board_of
from gamemaster.draw.boards.cells import _id as cell_id
from gamemaster.draw.picture.markup import seen
from gamemaster.draw.styles.style_file import read_style
from gamemaster.draw.svg import draw_svg
from gamemaster.language.source import Source


def test_cells_have_places_things_and_facts() -> None:
    state = gm.load("tictactoe", machine="reference").initial_state().next("mark(1,3)")
    board = board_of(state, {"last": [fact for fact in state.facts if str(fact) == "cell(1,3,x)"]})
    (panel,) = board.panels
    assert len(panel.cells) == 9
    corner = next(cell for cell in panel.cells if cell.key == ("1", "3"))
    assert corner.centre == (2.0, 0.0)
    assert [thing.content for thing in corner.things] == ["x"]
    assert list(map(str, corner.facts)) == ["cell(1,3,x)"]
    assert corner.marks == {"last"}
    assert board.cell_of[corner.id] is corner
    assert [(counter.name, *map(str, counter.facts)) for counter in board.counters] == [
        ("turn o", "control(o)")
    ]


def test_boards_stay_where_they_are_while_others_come() -> None:
    cells = " ".join(f"init(cell({level},{x},{y},b))" for level in (2, 10) for x in (1, 2) for y in (1, 2))
    game = gm.parse(f"role(r) legal(r,noop) {cells}", "hrf", machine="reference")
    text = '[[board]]\nrelation = "cell"\nindex = 1\nrow = 2\ncolumn = 3'
    written = read_style(Source("style.toml", text), game)
    style = replace(written, boards=(replace(written.boards[0], indexes=(("10",), ("2",))),))
    facts = [*map(str, game.initial_state().facts), "cell(3,1,1,b)", "cell(12,1,1,b)"]
    assert [panel.index for panel in board_of(game.initial_state(), style=style).panels] == [("10",), ("2",)]
    grown = board_of(game.state(facts), style=style).panels
    assert [panel.index for panel in grown] == [("10",), ("2",), ("3",), ("12",)]


def test_ids_are_short_and_tell_cells_apart() -> None:
    first, second = "a" * 1000 + "1", "a" * 1000 + "2"
    game = gm.parse(
        f"role(r) legal(r,noop) init(at({first},x)) init(at({second},y)) init(at(c,z))",
        "hrf",
        machine="reference",
    )
    text = '[[board]]\nrelation = "at"\nkind = "graph"\nplace = 1'
    board = board_of(game.initial_state(), style=read_style(Source("style.toml", text), game))
    ids = [cell.id for cell in board.panels[0].cells]
    assert len(set(ids)) == 3
    assert max(map(len, ids)) <= 200
    assert {*re.findall(r'data-cell="([^"]*)"', draw_svg(board))} == {*ids}


def test_ids_have_no_characters_that_are_lost_in_a_drawing() -> None:
    keys = [("a b",), ("a  b",), ("a\u200bb",), ("a\ue000b",), ("a%20b",), ("a", "b"), ("a-b",)]
    ids = [cell_id(0, key) for key in keys]
    assert len(set(ids)) == len(keys)
    assert all(seen(each) == each and len(each.split()) == 1 for each in ids)
    assert cell_id(3, ("1", "2")) == "3-1-2"
