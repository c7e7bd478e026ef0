"""The tree searches on games whose theory is known: who wins, and by which move."""

from __future__ import annotations

from functools import reduce
from itertools import groupby, product
from operator import xor

import pytest

import gamemaster as gm
from gamemaster.load import MachineName
from gamemaster.search.budget import Budget
from gamemaster.search.catalogue import find_algorithm
from gamemaster.search.trees import alphabeta, bounded, deepening, minimax
from tests.search import sheets

FREE = Budget()
ADVERSARIAL = (
    "minimax",
    "bounded",
    "alphabeta",
    "deepening",
    "paranoid",
    "maxn",
    "extended",
    "coalition",
    "expectimax",
)


@pytest.fixture(scope="module")
def tictactoe() -> gm.Game:
    return gm.load("tictactoe")


def parsed(text: str, machine: MachineName = "auto") -> gm.Game:
    return gm.parse(text, machine=machine)


@pytest.mark.parametrize("name", ADVERSARIAL)
def test_tictactoe_is_a_draw(tictactoe: gm.Game, name: str) -> None:
    result = find_algorithm(name)(tictactoe.initial_state(), "x", FREE)
    assert (result.algorithm, result.value, result.is_proven) == (name, 50, True)
    assert result.move == result.line[0]
    end = reduce(lambda state, move: state.next(move), result.line, tictactoe.initial_state())
    assert end.is_terminal
    assert end.goal("x") == 50


def test_the_searches_need_ever_fewer_nodes(tictactoe: gm.Game) -> None:
    state = tictactoe.initial_state()
    full = minimax.search(state, "x", FREE).nodes
    cut = alphabeta.search(state, "x", FREE).nodes
    enough = bounded.search(state, "x", FREE, enough=50).nodes
    print(f"tictactoe: minimax {full:,}, alpha-beta {cut:,}, bounded at 50 {enough:,} nodes")
    assert cut < full / 2
    assert enough < full


def test_bounded_minimax_with_51_finds_wins(tictactoe: gm.Game) -> None:
    win = reduce(lambda state, move: state.next(move), ["mark(1,1)", "mark(1,2)"], tictactoe.initial_state())
    assert bounded.search(win, "x", FREE, enough=51).value == 100
    assert bounded.search(tictactoe.initial_state(), "x", FREE, enough=51).value == 50


WYTHOFF = ["FTTTTT", "TTFTTT", "TFTTTT", "TTTTTF", "TTTTTT", "TTTFTT"]
"""Seed 004: whether the player to move wins, by the sizes of the two stacks."""


@pytest.mark.parametrize("machine", ["compiled", "reference"])
def test_wythoff_is_the_table_of_the_slides(machine: MachineName) -> None:
    game = gm.load("wythoff", machine=machine)
    for left, right in product(range(6), repeat=2):
        state = game.state([f"stack(left,{left})", f"stack(right,{right})", "control(bob)"])
        result = alphabeta.search(state, "bob", FREE)
        assert result.is_proven
        assert result.value == (100 if WYTHOFF[left][right] == "T" else 0)


def test_the_only_winning_move_in_wythoff_is_found() -> None:
    result = deepening.search(gm.load("wythoff").initial_state(), "alice", FREE)
    assert (str(result.move), result.value) == ("take(both,2)", 100)


def test_nim_is_lost_where_the_heaps_sum_to_nothing() -> None:
    game = parsed(sheets.nim(3, 3, 3))
    for sizes in product(range(4), repeat=3):
        facts = [f"size(h{i},{size})" for i, size in enumerate(sizes)]
        result = alphabeta.search(game.state([*facts, "control(first)"]), "first", FREE)
        assert result.value == (100 if reduce(xor, sizes) else 0), sizes


def first_fills_three(n: int, filled: frozenset[int] = frozenset()) -> bool | None:
    """Whether the player to move wins by its best play; None for a row that fills up without three."""
    results = []
    for i in set(range(n)) - filled:
        after = filled | {i}
        if any({k, k + 1, k + 2} <= after for k in (i - 2, i - 1, i)):
            return True
        results.append(first_fills_three(n, after))
    if not results:
        return None
    return True if False in results else None if None in results else False


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6, 7, 9])
def test_three_consecutive_cells_are_won_by_symmetry_where_n_is_odd(n: int) -> None:
    result = alphabeta.search(parsed(sheets.three_cells(n)).initial_state(), "first", FREE)
    expected = {True: 100, False: 0, None: 50}[first_fills_three(n)] if n < 8 else 100
    assert (result.value, result.is_proven) == (expected, True)
    if n % 2 and n > 1:
        assert result.value == 100


def wins_coins(coins: str) -> bool:
    """The label of the slides: T where some move leads to F. It comes down to how many single coins are on top."""
    runs = [len(list(run)) for _, run in groupby(coins)]
    singles = next((i for i, run in enumerate(runs[:-1]) if run > 1), len(runs) - 1)
    return singles % 2 == 0


@pytest.mark.parametrize(
    "coins", ["".join(c) for n in (1, 2, 3, 5) for c in product("12", repeat=n)] + ["12112212"]
)
def test_coin_stack(coins: str) -> None:
    state = parsed(sheets.coin_stack(coins), machine="reference").initial_state()
    assert minimax.search(state, "first", FREE).value == (100 if wins_coins(coins) else 0)


def connect_value(columns: int, rows: int, length: int) -> int:
    """What the first player of a connecting game gets, by a program of its own."""
    known: dict[frozenset[tuple[int, int, int]], int] = {}

    def wins(board: dict[tuple[int, int], int], x: int, y: int) -> bool:
        for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
            reach = [0, 0]
            for side, sign in enumerate((1, -1)):
                while (
                    board.get((x + sign * dx * (reach[side] + 1), y + sign * dy * (reach[side] + 1)))
                    == board[x, y]
                ):
                    reach[side] += 1
            if sum(reach) + 1 >= length:
                return True
        return False

    def value(board: dict[tuple[int, int], int], mover: int) -> int:
        key = frozenset((*place, who) for place, who in board.items())
        if key not in known:
            best = -1 if len(board) < columns * rows else 0
            for x in range(columns):
                y = sum((x, z) in board for z in range(rows))
                if y < rows and best < 1:
                    after = {**board, (x, y): mover}
                    best = max(best, 1 if wins(after, x, y) else -value(after, 1 - mover))
            known[key] = best
        return known[key]

    return 50 + 50 * value({}, 0)


@pytest.mark.parametrize(("columns", "rows", "length"), [(3, 3, 3), (4, 3, 3), (4, 3, 4), (3, 4, 3)])
def test_small_boards_of_connecting_games_have_the_value_that_another_program_finds(
    columns: int, rows: int, length: int
) -> None:
    state = parsed(sheets.connect(columns, rows, length)).initial_state()
    expected = connect_value(columns, rows, length)
    for name in ("solver", "deepening"):
        result = find_algorithm(name)(state, "first", Budget(seconds=600))
        assert (result.value, result.is_proven) == (expected, True)


@pytest.mark.parametrize(("columns", "rows"), [(4, 4), (5, 4)])
def test_connect_four_on_a_small_board_is_a_draw(columns: int, rows: int) -> None:
    """As in the table of John Tromp, who solved all boards up to 8 by 8."""
    state = parsed(sheets.connect(columns, rows), machine="compiled").initial_state()
    result = find_algorithm("solver")(state, "first", Budget(seconds=600))
    assert (result.value, result.is_proven) == (50, True)


@pytest.mark.slow
def test_donttouch_is_won_by_symmetry() -> None:
    # The second player marks the cell opposite through the middle. That never touches where the first did not, and
    # opposite cells have the same colour of a chessboard, so the board cannot fill up without the first touching.
    result = alphabeta.search(gm.load("donttouch").initial_state(), "x", FREE)
    assert (result.value, result.is_proven) == (0, True)
