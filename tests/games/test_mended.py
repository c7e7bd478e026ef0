"""Games of the original that its own sheets do not decide: what was mended, what was lost, what was meant."""

from __future__ import annotations

from itertools import pairwise

import pytest

import gamemaster as gm
from tests.metagame.same_game import assert_same_game

FETCH = [(1, 10), (2, 8), (3, 6), (4, 4), (5, 2), (3, 1)]
"""How knight1 gets to the flag of the others."""
RETURN = [(3, 1), (4, 3), (3, 5), (4, 7), (5, 9), (3, 10)]


@pytest.mark.parametrize(
    ("bad", "good"),
    [
        ("badtictactoe", "tictactoe"),
        ("badconnectfour", "connectfour"),
        ("badhex", "hex7x7"),
        ("badskirmish", "skirmish"),
    ],
)
def test_a_badly_written_game_is_the_same_game(bad: str, good: str) -> None:
    assert_same_game(gm.load(bad), gm.load(good), games=10, longest=60)


def test_every_button_counts_on_every_panel() -> None:
    for button in "abc":
        state = gm.load("bestbuttonsandlights").initial_state()
        for _ in range(6):
            assert not state.is_terminal
            state = state.next(f"{button}(5)")
        assert (state.is_terminal, state.goal("robot")) == (True, 0)


def test_one_bright_panel_is_enough() -> None:
    state = gm.load("bestbuttonsandlights").initial_state()
    for move in ("b(1)", "a(7)", "b(7)", "c(7)", "a(7)", "b(7)", "a(7)"):
        assert state.goal("robot") == 0
        state = state.next(move)
    assert (state.is_terminal, state.goal("robot")) == (True, 100)


def test_a_king_is_worth_eleven_and_the_fight_goes_on() -> None:
    state = skirmish("location(cell(a,1),piece(white,rook,1))", "location(cell(a,8),piece(black,king,1))")
    state = state.next("move(piece(white,rook,1),cell(a,8))")
    assert goals(state) == [61, 39]
    assert "location(cell(a,8),piece(white,rook,1))" in map(str, state.facts)
    assert len(state.facts) == 5


def test_who_cannot_move_ends_the_skirmish() -> None:
    blocked = ("location(cell(a,4),piece(white,pawn,1))", "location(cell(a,5),piece(black,pawn,1))")
    assert skirmish(*blocked).is_terminal
    assert not skirmish(*blocked, "location(cell(b,5),piece(black,pawn,2))").is_terminal


def skirmish(*pieces: str) -> gm.State:
    """A skirmish in which white is to move, with these pieces only."""
    return gm.load("skirmish").state([*pieces, "white(50)", "black(50)", "step(5)", "control(white)"])


def ride(state: gm.State, path: list[tuple[int, int]]) -> gm.State:
    """The state after robot1 has followed a path, and all others have passed."""
    for (x, y), (u, v) in pairwise(path):
        state = passing(state).next(f"move({x},{y},{u},{v})")
    return state


def passing(state: gm.State) -> gm.State:
    """The state when robot1 is to move again."""
    while state.control != "robot1":
        state = state.next("noop")
    return state


def facts_of(state: gm.State, *names: str) -> set[str]:
    return {str(fact) for fact in state.facts if str(fact).endswith(tuple(f",{name})" for name in names))}


def test_a_flag_is_carried_home() -> None:
    state = ride(gm.load("capturetheflag").initial_state(), FETCH)
    assert facts_of(state, "knight1", "flag4") == {"cell(3,1,knight1)", "cell(3,1,flag4)"}
    assert goals(state) == [75, 75, 25, 25]
    state = ride(state, RETURN[:-1])
    assert facts_of(state, "knight1", "flag4") == {"cell(5,9,knight1)", "cell(5,9,flag4)"}
    assert (state.is_terminal, goals(state)) == (False, [75, 75, 25, 25])
    state = ride(state, RETURN[-2:])
    assert (state.is_terminal, goals(state)) == (True, [100, 100, 0, 0])


def test_whoever_is_hit_goes_back_and_so_does_the_flag() -> None:
    state = ride(ride(gm.load("capturetheflag").initial_state(), FETCH), RETURN[:2])
    assert facts_of(state, "knight1", "flag4") == {"cell(4,3,knight1)", "cell(4,3,flag4)"}
    state = state.next("noop").next("noop").next("move(5,1,4,3)")
    assert facts_of(state, "knight1", "knight4") == {"cell(1,10,knight1)", "cell(4,3,knight4)"}
    assert facts_of(state, "flag4") == {"cell(3,1,flag4)"}
    assert goals(state) == [50, 50, 50, 50]


def test_nobody_enters_a_corner_or_lands_on_a_partner() -> None:
    state = ride(gm.load("capturetheflag").initial_state(), [(1, 10), (3, 9)])
    ahead = {f"move(3,9,{u},{v})" for u, v in ((1, 8), (2, 7), (4, 7), (5, 8))}
    assert {*map(str, passing(state).legal_moves("robot1"))} == ahead | {"noop"}
    assert {*map(str, state.next("noop").legal_moves("robot2"))} == {"move(5,10,4,8)", "noop"}


def test_a_round_is_a_step_and_thirty_are_the_game() -> None:
    state = gm.load("capturetheflag").initial_state()
    movers = []
    while not state.is_terminal:
        movers.append(state.control)
        state = state.next("noop")
    assert movers == ["robot1", "robot3", "robot2", "robot4"] * 30
    assert goals(state) == [50, 50, 50, 50]


def goals(state: gm.State) -> list[int | None]:
    return [state.goal(role) for role in state.game.roles]
