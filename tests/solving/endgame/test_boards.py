"""What a piece is, and a clock, found in the rules."""

from __future__ import annotations

import pytest

import gamemaster as gm
from gamemaster.errors import Unsuitable
from gamemaster.machine.compiled import CompiledGame
from gamemaster.machine.game import Game
from gamemaster.solving.endgame.board import PieceBoard, find_board
from tests.solving.endgame.games import CHASE


def compiled(game: Game) -> CompiledGame:
    assert isinstance(game, CompiledGame)
    return game


def board_of(game: Game) -> PieceBoard:
    return find_board(compiled(game))


def test_the_pieces_of_breakthrough_are_found_without_a_fact_for_empty_places() -> None:
    board = board_of(gm.load("breakthrough:columns=3,rows=4"))
    assert str(board) == "cell(_,_,P)"
    assert [board.name_of(kind) for kind in range(2)] == ["black", "white"]
    assert (len(board.places), len(board.facts), len(board.blanks)) == (12, 24, 0)
    assert len(board.turns) == 2
    assert not board.clocks
    assert not board.always


def test_what_no_role_owns_is_an_empty_place() -> None:
    game = compiled(gm.load("tictactoe"))
    board = board_of(game)
    assert {str(game.layout.facts[fact])[-2] for fact in board.blanks} == {"b"}
    assert [board.name_of(kind) for kind in range(2)] == ["o", "x"]


def test_a_clock_has_room_for_the_steps_until_it_ends_the_game() -> None:
    game = compiled(gm.parse(CHASE))
    board = board_of(game)
    (clock,) = board.clocks
    assert clock.term == "quiet(0)"
    assert sorted(clock.room.values()) == list(range(10))
    assert board.room == 9


def test_a_count_that_moves_depend_on_is_no_clock() -> None:
    told = CHASE.replace(
        "legal(R,rest) :- true(control(R))", "legal(R,rest) :- true(control(R)) & true(quiet(3))"
    )
    assert board_of(gm.parse(told)).clocks == ()


def test_a_count_that_goals_depend_on_is_no_clock() -> None:
    told = CHASE.replace(
        "goal(hunter,100) :- ~alive(prey)", "goal(hunter,100) :- ~alive(prey) & ~true(quiet(2))"
    )
    assert board_of(gm.parse(told)).clocks == ()


def test_a_game_of_heaps_has_no_board() -> None:
    with pytest.raises(Unsuitable, match="nothing in nim is like a board with pieces"):
        board_of(gm.load("nim"))


def test_a_board_is_the_same_as_plain_data_and_back() -> None:
    game = compiled(gm.parse(CHASE))
    board = board_of(game)
    assert PieceBoard.from_json(board.to_json(), len(game.layout.facts)) == board


def test_a_board_of_facts_that_a_game_does_not_have_is_refused() -> None:
    game = compiled(gm.parse(CHASE))
    told = board_of(game).to_json()
    with pytest.raises(ValueError, match="is not one of 0 to 3"):
        PieceBoard.from_json(told, 4)
