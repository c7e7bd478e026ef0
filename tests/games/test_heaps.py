"""Games with a known rule for perfect play: nim, coin stack, three cells. Every state, beside that rule."""

from __future__ import annotations

from functools import reduce
from operator import xor

import pytest

import gamemaster as gm
from gamemaster.machine.game import successors

PILE = "111222121222212211111221"


def _labels(game: gm.Game) -> dict[gm.State, bool]:
    """Every state that can be reached, and whether whoever is to move can win."""
    labels: dict[gm.State, bool] = {}

    def is_won(state: gm.State) -> bool:
        if state not in labels:
            role = "alice" if "control(alice)" in map(str, state.facts) else "bob"
            after = [] if state.is_terminal else [is_won(each) for each in successors(state)]
            labels[state] = not all(after) if after else state.goal(role) == 100
        return labels[state]

    is_won(game.initial_state())
    return labels


def _numbers(state: gm.State, functor: str) -> list[tuple[str, str]]:
    facts = [each.args for each in state.facts if isinstance(each, gm.Compound) and each.functor == functor]
    return [(str(first), str(second)) for first, second in facts]


@pytest.mark.parametrize("name", ["nim", "nim:first=1,second=2,third=3,fourth=2"])
def test_nim_is_lost_where_the_binary_sum_of_the_heaps_is_0(name: str) -> None:
    for state, is_won in _labels(gm.load(name)).items():
        assert is_won == (reduce(xor, (int(size) for _, size in _numbers(state, "heap"))) != 0)


def test_misere_nim_differs_only_where_all_heaps_are_small() -> None:
    for state, is_won in _labels(gm.load("nim:misere")).items():
        sizes = [int(size) for _, size in _numbers(state, "heap")]
        assert is_won == ((reduce(xor, sizes) != 0) != (max(sizes) < 2))


def test_the_first_move_of_nim_that_wins() -> None:
    state = gm.load("nim").initial_state()
    labels = _labels(state.game)
    moves = [
        move for move in state.legal_moves("alice") if not labels[state.next({"alice": move, "bob": "noop"})]
    ]
    assert list(map(str, moves)) == ["take(first,2)"]


@pytest.mark.parametrize("height", [12, 24])
def test_a_coin_stack_is_labelled_from_the_bottom_up(height: int) -> None:
    labels = [False]
    for top in range(1, height + 1):
        run = top - len(PILE[:top].rstrip(PILE[top - 1]))
        labels.append(not all(labels[top - taken] for taken in range(1, run + 1)))
    states = _labels(gm.load(f"coinstack:height={height}"))
    for state, is_won in states.items():
        assert is_won == labels[len(_numbers(state, "coin"))]
    assert [each for each in range(13) if not labels[each]] == [0, 4, 7, 9]


@pytest.mark.parametrize("cells", [3, 5, 7, 9])
def test_the_middle_wins_in_an_odd_row_of_cells(cells: int) -> None:
    state = gm.load(f"threecells:cells={cells}").initial_state()
    labels = _labels(state.game)
    assert labels[state]
    middle = {"alice": f"fill({(cells + 1) // 2})", "bob": "noop"}
    assert not labels[state.next(middle)]


def test_three_cells_end_with_three_in_a_row() -> None:
    state = gm.load("threecells").initial_state()
    for alice, bob in (("fill(4)", "noop"), ("noop", "fill(6)")):
        assert not state.is_terminal
        state = state.next({"alice": alice, "bob": bob})
    state = state.next({"alice": "fill(5)", "bob": "noop"})
    assert (state.is_terminal, state.goal("alice"), state.goal("bob")) == (True, 100, 0)
