"""Pentago beside a plain program that turns quarters with numpy: random games, and positions near the end proven."""

from __future__ import annotations

from functools import cache
from random import Random
from typing import Literal

import numpy as np
import pytest

import gamemaster as gm
from gamemaster.machine.game import State
from gamemaster.search.budget import Budget
from gamemaster.search.native.prover import Prover
from gamemaster.search.suitable import native_game

SIZE, HALF, FIVE = 6, 3, 5
QUARTERS = {"lowerleft": (0, 0), "lowerright": (HALF, 0), "upperleft": (0, HALF), "upperright": (HALF, HALF)}
MARBLES = {"white": 1, "black": 2}


# A plain program that knows the rules: board[column, row], counted from below


def turned(board: np.ndarray, quarter: str, direction: str) -> np.ndarray:
    column, row = QUARTERS[quarter]
    after = board.copy()
    part = after[column : column + HALF, row : row + HALF]
    # with columns first and rows upwards, a turn from the first axis to the second goes against the clock
    part[...] = np.rot90(part.copy(), 1 if direction == "counterclockwise" else -1)
    return after


def has_line(board: np.ndarray, marble: int) -> bool:
    mine = board == marble
    views = [*mine, *mine.T]
    views += [np.diagonal(side, offset) for side in (mine, mine[::-1]) for offset in (-1, 0, 1)]
    return any(view[start : start + FIVE].all() for view in views for start in range(len(view) - FIVE + 1))


def board_of(state: State) -> np.ndarray:
    board = np.zeros((SIZE, SIZE), np.int8)
    for fact in state.facts:
        name, *places = str(fact).rstrip(")").replace("(", ",").split(",")
        if name == "cell":
            board[int(places[0]) - 1, int(places[1]) - 1] = MARBLES[places[2]]
    return board


def goals_of(board: np.ndarray) -> tuple[int, int]:
    white, black = (has_line(board, marble) for marble in MARBLES.values())
    return (50, 50) if white == black else (100, 0) if white else (0, 100)


def random_line(game: gm.Game, seed: int) -> list[State]:
    states, generator = [game.initial_state()], Random(seed)
    while not states[-1].is_terminal:
        states.append(states[-1].next(states[-1].random_moves(generator)))
    return states


@pytest.mark.parametrize("machine", ["compiled", "reference"])
@pytest.mark.parametrize("seed", range(5))
def test_random_games_are_those_of_a_plain_program(
    machine: Literal["compiled", "reference"], seed: int
) -> None:
    game, generator = gm.load("pentago", machine=machine), Random(seed)
    state, board = game.initial_state(), np.zeros((SIZE, SIZE), np.int8)
    is_turning = False
    while not state.is_terminal:
        assert not any(has_line(board, marble) for marble in MARBLES.values())
        assert is_turning or (board == 0).any()
        mover = state.control
        assert mover is not None
        legal = state.legal_moves(mover)
        assert len(legal) == (8 if is_turning else (board == 0).sum())
        move = generator.choice(legal)
        _, first, second = str(move).rstrip(")").replace("(", ",").split(",")
        if is_turning:
            board = turned(board, first, second)
        else:
            board[int(first) - 1, int(second) - 1] = MARBLES[mover]
        is_turning, state = not is_turning, state.next(move)
        assert (board_of(state) == board).all()
    assert (state.goal("white"), state.goal("black")) == goals_of(board)
    assert goals_of(board) != (50, 50) or (board != 0).all() or has_line(board, 1)


@pytest.mark.parametrize("seed", range(6))
def test_proofs_near_the_end_are_what_plain_minimax_says(seed: int) -> None:
    @cache
    def value(state: State) -> int:
        if state.is_terminal:
            return state.goal("white") or 0
        mover = state.control
        assert mover is not None
        values = [value(state.next(move)) for move in state.legal_moves(mover)]
        return max(values) if mover == "white" else min(values)

    game = native_game(gm.load("pentago"))
    assert game is not None
    late = [state for state in random_line(game, seed) if (board_of(state) == 0).sum() <= 2]
    prover = Prover(game, "white", memory=8)
    for state in late[:-1]:
        proven = prover.prove(state, Budget())
        assert (proven.lower, proven.upper) == (value(state), value(state))
