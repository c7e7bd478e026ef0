"""Boards with what a step changed."""

from __future__ import annotations

import gamemaster as gm
from gamemaster.draw.model import Board
from gamemaster.draw.steps import board_after


def marked(board: Board, mark: str) -> set[str]:
    return {cell.name for panel in board.panels for cell in panel.cells if mark in cell.marks}


def test_where_something_went_and_where_it_came_is_marked() -> None:
    before = gm.load("breakthrough", machine="reference").initial_state()
    move = before.legal_moves("white")[0]
    board = board_after(before, before.next(move))
    assert len(marked(board, "last")) == 2
    assert marked(board, "win") == set()


def test_a_win_is_marked_with_what_it_is_made_of() -> None:
    states = [gm.load("tictactoe", machine="reference").initial_state()]
    for move in ("mark(1,1)", "mark(2,1)", "mark(1,2)", "mark(2,2)", "mark(1,3)"):
        states.append(states[-1].next(move))
    board = board_after(states[-2], states[-1])
    assert len(marked(board, "win")) == 3
    assert len(marked(board, "last")) == 1


def test_without_a_state_before_nothing_is_marked() -> None:
    state = gm.load("tictactoe", machine="reference").initial_state()
    board = board_after(None, state)
    assert not marked(board, "last") | marked(board, "win")


def test_where_nearly_all_is_new_nothing_is_marked() -> None:
    game = gm.load("tictactoe", machine="reference")
    full = [f"cell({row},{column},x)" for row in (1, 2, 3) for column in (1, 2, 3)]
    board = board_after(game.initial_state(), game.state([*full, "control(o)"]))
    assert marked(board, "last") == set()
