"""The puzzles of the library that have numbers in them: solved by other means, and played."""

from __future__ import annotations

import random
from collections import deque
from itertools import chain, combinations

import pytest

import gamemaster as gm

SUDOKU = (
    "963174258",
    "178325649",
    "254689731",
    "821437596",
    "496852317",
    "735961824",
    "589713462",
    "317246985",
    "642598173",
)
NUMBERS = (11, 38, 30, 31, 10, 39, 23, 19, 28, 32)
ORDER = "12345678b"


def _played(state: gm.State, moves: list[str]) -> gm.State:
    for move in moves:
        assert not state.is_terminal
        state = state.next(move)
    return state


# Sudoku


def _cells(state: gm.State) -> dict[tuple[int, int], str]:
    facts = [each.args for each in state.facts if isinstance(each, gm.Compound) and each.functor == "cell"]
    return {(int(row), int(column)): str(digit) for row, column, digit in facts}


def _solve(name: str) -> list[str]:
    given = _cells(gm.load(name).initial_state())
    places = [(row, column) for row in range(1, 10) for column in range(1, 10) if (row, column) not in given]
    return [f"write({row},{column},{SUDOKU[row - 1][column - 1]})" for row, column in places]


@pytest.mark.parametrize("name", ["sudoku", "sudoku:late"])
def test_sudoku_is_solved_in_any_order(name: str) -> None:
    moves = _solve(name)
    random.Random(2).shuffle(moves)
    state = _played(gm.load(name).initial_state(), moves)
    assert (state.is_terminal, state.goal("robot")) == (True, 100)


def test_what_the_rows_of_the_sheet_say_is_printed() -> None:
    printed = _cells(gm.load("sudoku").initial_state())
    assert len(printed) == 30
    assert all(SUDOKU[row - 1][column - 1] == digit for (row, column), digit in printed.items())


def test_a_digit_must_not_be_in_row_column_or_box() -> None:
    game, generator = gm.load("sudoku"), random.Random(4)
    for _ in range(5):
        state = game.initial_state()
        while not state.is_terminal:
            legal = set(map(str, state.legal_moves("robot")))
            cells = _cells(state)
            assert legal == {
                f"write({row},{column},{digit})"
                for row in range(1, 10)
                for column in range(1, 10)
                for digit in range(1, 10)
                if (row, column) not in cells and str(digit) not in _seen(cells, row, column)
            }
            assert state.goal("robot") == max(0, 100 - 2 * (81 - len(cells)))
            state = state.next(generator.choice(sorted(legal)))
        cells = _cells(state)
        empty = [
            (row, column) for row in range(1, 10) for column in range(1, 10) if (row, column) not in cells
        ]
        assert any(len(set(_seen(cells, *each))) == 9 for each in empty)


def _seen(cells: dict[tuple[int, int], str], row: int, column: int) -> list[str]:
    """The digits in the row, column and box of a cell."""
    box = (row - 1) // 3, (column - 1) // 3
    return [
        digit
        for (r, c), digit in cells.items()
        if r == row or c == column or ((r - 1) // 3, (c - 1) // 3) == box
    ]


# Eight puzzle


def _slides(start: str) -> list[str]:
    """A shortest solution, by breadth-first search over all orders of the tiles."""
    before, waiting = {start: ("", "")}, deque([start])
    while (tiles := waiting.popleft()) != ORDER:
        hole = tiles.index("b")
        for place in range(9):
            if abs(place // 3 - hole // 3) + abs(place % 3 - hole % 3) == 1:
                after = tiles.replace("b", "*").replace(tiles[place], "b").replace("*", tiles[place])
                if after not in before:
                    before[after] = tiles, f"slide({place // 3 + 1},{place % 3 + 1})"
                    waiting.append(after)
    moves = []
    while tiles != start:
        tiles, move = before[tiles]
        moves.append(move)
    return moves[::-1]


@pytest.mark.parametrize(
    ("name", "start", "length"),
    [
        ("eightpuzzle", "b13425786", 4),
        ("eightpuzzle:twelve", "1528b6437", 12),
        pytest.param("eightpuzzle:hard", "8672543b1", 31, marks=pytest.mark.slow),
    ],
)
def test_the_eight_puzzle_is_solved(name: str, start: str, length: int) -> None:
    state, moves = gm.load(name).initial_state(), _slides(start)
    tiles = _cells(state)
    assert "".join(tiles[row, column] for row in (1, 2, 3) for column in (1, 2, 3)) == start
    assert len(moves) == length
    state = _played(state, moves)
    assert (state.is_terminal, state.goal("robot")) == (True, 100)


def test_tiles_in_their_places_count_and_the_step_limit_ends() -> None:
    state = gm.load("eightpuzzle:steps=3").initial_state()
    assert state.goal("robot") == 40
    state = _played(state, ["slide(1,2)", "slide(2,2)", "slide(2,3)"])
    assert (state.is_terminal, state.goal("robot")) == (True, 70)


# Subset sum


def test_the_subset_sum_has_one_solution() -> None:
    subsets = chain.from_iterable(combinations(NUMBERS, count) for count in range(len(NUMBERS) + 1))
    assert [subset for subset in subsets if sum(subset) == 75] == [(11, 31, 10, 23)]
    state = _played(gm.load("subsetsum").initial_state(), [f"take({n})" for n in (23, 10, 31, 11)])
    assert (state.is_terminal, state.goal("robot")) == (True, 100)


@pytest.mark.parametrize(
    ("taken", "goal"), [((38, 32), 0), ((39, 32), 20), ((30, 23, 19), 40), ((11, 31, 32), 80)]
)
def test_a_sum_close_to_the_target_counts(taken: tuple[int, ...], goal: int) -> None:
    state = _played(gm.load("subsetsum").initial_state(), [f"take({n})" for n in taken])
    assert (state.is_terminal, state.goal("robot")) == (True, goal)


def test_no_number_leads_beyond_the_target() -> None:
    state = gm.load("subsetsum").initial_state().next("take(38)").next("take(23)")
    assert sorted(map(str, state.legal_moves("robot"))) == ["take(10)", "take(11)"]
