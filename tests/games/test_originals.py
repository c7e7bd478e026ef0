"""What is special about games of the original: their ends and rewards, where recorded play does not show them."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

import gamemaster as gm


def after(game: str, moves: Iterable[str]) -> gm.State:
    state = gm.load(game, machine="reference").initial_state()
    for move in moves:
        state = state.next(move)
    return state


def goals(state: gm.State) -> list[int | None]:
    return [state.goal(role) for role in state.game.roles]


@pytest.mark.parametrize(
    ("digits", "worth"),
    [
        ("95671082", 100),
        ("95671083", 0),  # the sum is wrong
        ("00000000", 0),  # the sum is right, but all digits are the same
        ("28170365", 0),  # the sum is right and all digits are different, but two numbers begin with 0
    ],
)
def test_send_more_money_has_one_solution(digits: str, worth: int) -> None:
    moves = [f"set({letter},{digit})" for letter, digit in zip("sendmory", digits, strict=True)]
    assert goals(after("cryptarithmic", moves[:-1])) == [0]
    state = after("cryptarithmic", moves)
    assert (state.is_terminal, goals(state)) == (True, [worth])


def test_a_knight_taken_in_the_crusade_counts_for_its_taker() -> None:
    state = after("crusade", ["move(b,1,c,3)", "move(g,8,f,6)", "move(c,3,d,5)", "move(f,6,d,5)"])
    assert goals(state) == [0, 10]
    assert "capturecount(black,1)" in map(str, state.facts)
    assert after("crusade:laststep=5", ["move(b,1,c,3)", "move(g,8,f,6)"]).is_terminal is False
    assert after("crusade:laststep=3", ["move(b,1,c,3)", "move(g,8,f,6)"]).is_terminal


def test_who_has_no_knights_left_has_lost_the_crusade() -> None:
    game = gm.load("crusade", machine="reference")
    counts = ["capturecount(white,15)", "capturecount(black,3)", "step(20)"]
    state = game.state(["cell(a,1,white)", "cell(b,3,black)", "control(white)", *counts]).next(
        "move(a,1,b,3)"
    )
    assert (state.is_terminal, goals(state)) == (True, [100, 22])


def test_four_in_a_line_win_on_one_board_and_lose_on_the_other() -> None:
    other = [f"drop(normal,{column})" for column in (5, 6, 7)]
    for board, worth in (("normal", [100, 0]), ("suicide", [0, 100])):
        own = [f"drop({board},1)"] * 4
        state = after("doubleconnectfour", [move for pair in zip(own, other, strict=False) for move in pair])
        assert (state.is_terminal, goals(state)) == (False, [0, 0])
        state = state.next(own[-1])
        assert (state.is_terminal, goals(state)) == (True, worth)


def test_two_full_boards_are_a_draw() -> None:
    game = gm.load("doubleconnectfour:small", machine="reference")
    colours = ("red", "red", "black", "black")
    full = {
        f"cell_{board}({x},{y},{colours[(x + 2 * (y % 2)) % 4]})"
        for board in ("normal", "suicide")
        for x in range(1, 6)
        for y in range(1, 5)
    }
    last = next(fact for fact in sorted(full) if fact.startswith("cell_suicide(5,4,"))
    state = game.state([*full - {last}, f"control({last.split(',')[2][:-1]})"])
    assert not state.is_terminal
    state = state.next("drop(suicide,5)")
    assert (state.is_terminal, goals(state)) == (True, [50, 50])


def test_a_bent_chain_wins_hex_for_either_colour() -> None:
    red = ["place(a,2)", "place(b,1)", "place(c,1)"]
    blue = ["place(b,3)", "place(c,2)", "place(b,2)"]
    pairs = [move for pair in zip(red, blue, strict=True) for move in pair]
    state = after("hex:size=3", pairs[:-2])
    assert (state.is_terminal, goals(state)) == (False, [0, 0])
    state = after("hex:size=3", pairs[:-1])
    assert (state.is_terminal, goals(state)) == (True, [100, 0])
    state = after(
        "hex:size=3", ["place(a,1)", "place(c,1)", "place(a,2)", "place(b,2)", "place(b,1)", "place(b,3)"]
    )
    assert (state.is_terminal, goals(state)) == (True, [0, 100])


def test_a_draw_is_impossible_in_hex() -> None:
    game = gm.load("hex:size=3", machine="compiled")
    assert sum(game.playouts(count=2000).mean_goals) == pytest.approx(100)


def test_the_pond_is_open_at_half_and_lost_without_a_leaf() -> None:
    assert goals(after("leafymcfullface", [])) == [50, 50]
    moves = ["move(2,1)", "move(2,3)", "move(2,2)", "move(1,3)", "move(1,2)"]
    state = after("leafymcfullface:size=3", moves)
    assert (state.is_terminal, goals(state)) == (True, [100, 0])


def test_a_light_beside_the_cross_spoils_it() -> None:
    cross = ["set(4,5)", "set(5,4)", "set(5,5)", "set(5,6)", "set(6,5)"]
    assert not after("lightboard", cross[:-1]).is_terminal
    for moves, worth in ((cross, 100), (["set(1,1)", *cross], 100), (["set(4,6)", *cross], 0)):
        state = after("lightboard", moves)
        assert (state.is_terminal, goals(state)) == (True, [worth])


def test_every_full_board_of_majorities_has_a_winner() -> None:
    stats = gm.load("majorities", machine="compiled").playouts(count=2000)
    assert sum(stats.mean_goals) == pytest.approx(100)
    assert stats.mean_length <= 55
