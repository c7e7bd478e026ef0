"""Othello on boards of three sizes beside a plain program: counts, random games, and the 4x4 board solved."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from random import Random
from typing import TypeAlias

import pytest

import gamemaster as gm
from gamemaster.games.variants import choose
from gamemaster.search.budget import Budget
from gamemaster.search.native.prover import Prover
from gamemaster.search.suitable import native_game

NAMES = {8: "othello", 6: "othello:small", 4: "othello:tiny"}
DIRECTIONS = [(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if (x, y) != (0, 0)]

Square: TypeAlias = tuple[int, int]
Board: TypeAlias = tuple[int, ...]
"""Row by row: 1 is a disc of who is to move, -1 one of the other, 0 none."""


# A plain program that knows the rules


def start(size: int) -> Board:
    """Black is to move, and has the falling diagonal of the four cells in the middle."""
    half = size // 2
    discs = {(half - 1, half - 1): -1, (half, half - 1): 1, (half - 1, half): 1, (half, half): -1}
    return tuple(discs.get((x, y), 0) for y in range(size) for x in range(size))


def line(size: int, x: int, y: int, dx: int, dy: int) -> Iterator[int]:
    while 0 <= (x := x + dx) < size and 0 <= (y := y + dy) < size:
        yield y * size + x


def turned(board: Board, size: int, x: int, y: int) -> list[int]:
    """The discs that a move turns over."""
    found: list[int] = []
    for direction in DIRECTIONS:
        enclosed: list[int] = []
        for place in line(size, x, y, *direction):
            if board[place] >= 0:
                found += enclosed if board[place] else []
                break
            enclosed.append(place)
    return found


def moves(board: Board, size: int) -> dict[Square, Board]:
    """Where a disc can go, and the board after it, as the other sees it."""
    found = {}
    for place in range(size * size):
        x, y = place % size, place // size
        if not board[place] and (flips := turned(board, size, x, y)):
            mine = {place, *flips}
            found[x, y] = tuple(-1 if i in mine else -disc for i, disc in enumerate(board))
    return found


def following(board: Board, size: int) -> list[Board]:
    """The boards after all moves: after a pass where there is none, none where the game is over."""
    passed = tuple(-disc for disc in board)
    return [*moves(board, size).values()] or ([passed] if moves(passed, size) else [])


def perft(size: int, depth: int) -> list[int]:
    boards, counts = [start(size)], []
    for _ in range(depth):
        boards = [after for board in boards for after in following(board, size)]
        counts.append(len(boards))
    return counts


@cache
def margin(board: Board, size: int) -> int:
    """By how many discs who is to move wins with perfect play."""
    after = following(board, size)
    return max(-margin(each, size) for each in after) if after else sum(board)


def reached(size: int) -> set[tuple[Board, bool]]:
    """All positions that can come of the start: the board, and whether black is to move."""
    found = {(start(size), True)}
    todo = [*found]
    for board, is_black in todo:
        new = {(after, not is_black) for after in following(board, size)} - found
        found |= new
        todo += new
    return found


# The rules


@pytest.mark.parametrize("size", NAMES)
def test_counts_are_those_of_a_plain_program(size: int) -> None:
    name = NAMES[size]
    choice = choose(name)
    assert choice is not None
    known = list(choice.perft)
    assert known == perft(size, len(known)) == gm.load(name).perft(len(known))


@pytest.mark.parametrize("size", NAMES)
def test_random_games_are_those_of_a_plain_program(size: int) -> None:
    game, generator = gm.load(NAMES[size]), Random(size)
    for _ in range(4):
        state, board, own = game.initial_state(), start(size), "black"
        while following(board, size):
            assert (state.chooser or own, state.is_over) == (own, False)
            can = moves(board, size)
            texts = {f"place({'abcdefgh'[x]},{y + 1})" for x, y in can} or {"pass"}
            assert set(map(str, state.legal_moves(own))) == texts
            to = generator.choice([*can]) if can else None
            state = state.next("pass" if to is None else f"place({'abcdefgh'[to[0]]},{to[1] + 1})")
            board = can[to] if to else tuple(-disc for disc in board)
            own = "white" if own == "black" else "black"
        ahead = sum(board)
        assert (state.is_over, state.goal(own)) == (True, 50 + 50 * ((ahead > 0) - (ahead < 0)))


# Perfect play


def test_white_wins_on_4x4_by_11_to_3() -> None:
    assert margin(start(4), 4) == 3 - 11


def test_4x4_is_solved_from_its_rules() -> None:
    table = gm.solve("othello:tiny")
    assert table.label().goals == (0, 100)
    assert len(table) == len(reached(4))


def test_4x4_is_proved_by_alpha_beta() -> None:
    game = native_game(gm.load("othello:tiny"))
    assert game is not None
    proven = Prover(game, "white", memory=8).prove(game.initial_state(), Budget(seconds=600))
    assert (proven.lower, proven.upper) == (100, 100)
