"""Boards: the panels of a state, their cells and what lies on them."""

from __future__ import annotations

import gamemaster as gm
from gamemaster.draw.board import board_of


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
