"""Corners of the original's games that a game from the start seldom comes to, from positions given as facts."""

from __future__ import annotations

import pytest

import gamemaster as gm


def at(name: str, *facts: str) -> gm.State:
    return gm.load(name, machine="reference").state(facts)


def moves(state: gm.State) -> set[str]:
    assert state.control is not None
    return set(map(str, state.legal_moves(state.control)))


def goals(state: gm.State) -> list[int | None]:
    return [state.goal(role) for role in state.game.roles]


@pytest.mark.parametrize(
    ("ours", "theirs", "takes"), [(3, 3, True), (3, 2, True), (2, 3, False), (1, 5, True), (5, 1, False)]
)
@pytest.mark.parametrize("rank", [2, 4])
def test_the_higher_number_takes_ahead_and_back_but_for_one_and_five(
    ours: int, theirs: int, rank: int, *, takes: bool
) -> None:
    counts = ("capture(red,0)", "capture(green,0)", "step(1)", "control(red)")
    state = at("battleofnumbers", f"cell(3,3,{ours},red)", f"cell(2,{rank},{theirs},green)", *counts)
    move = f"move(3,3,2,{rank})"
    assert (move in moves(state)) == takes
    if takes:
        state = state.next(move)
        assert (state.is_terminal, goals(state)) == (True, [60, 40])


def test_men_jump_across_the_seam_of_the_barrel_and_only_ahead() -> None:
    counts = ("capturecount(black,0)", "capturecount(red,0)", "step(1)")
    men = ("location(3,7,black)", "location(4,8,red)", "location(2,6,red)")
    state = at("cbnk", *men, *counts, "control(black)")
    assert moves(state) == {"jump(3,7,5,1)", "move(3,7,2,8)", "noop"}
    state = state.next("jump(3,7,5,1)")
    assert goals(state) == [8, 0]
    assert not state.is_terminal
    state = at("cbnk", "location(5,1,red)", "location(4,8,black)", *counts, "control(red)")
    assert moves(state) == {"jump(5,1,3,7)", "move(5,1,6,8)", "noop"}
    state = state.next("jump(5,1,3,7)")
    assert (state.is_terminal, goals(state)) == (True, [0, 8])


def test_men_of_alquerque_jump_along_lines_only() -> None:
    rest = ("score(red,0)", "score(black,0)", "step(1)", "control(red)")
    men = {(3, 2): "red", (2, 2): "black", (2, 3): "black", (3, 3): "black"}
    cells = [f"cell({x},{y},{men.get((x, y), 'blank')})" for x in range(1, 6) for y in range(1, 6)]
    state = at("alquerque", *cells, *rest)
    assert moves(state) == {"move(3,2,4,2)", "move(3,2,3,1)", "jump(3,2,2,2,1,2)", "jump(3,2,3,3,3,4)"}
    assert goals(state.next("jump(3,2,3,3,3,4)")) == [10, 0]


def star(men: dict[str, str], control: str) -> gm.State:
    state = gm.load("chinesecheckers3", machine="reference").initial_state()
    places = {str(fact)[5:7] for fact in state.facts if str(fact).startswith("cell")}
    cells = [f"cell({place},{men.get(place, 'blank')})" for place in sorted(places)]
    return at("chinesecheckers3", *cells, f"control({control})", "step(7)")


def test_two_hops_over_anybody_are_one_move_and_nobody_enters_a_point_of_others() -> None:
    state = star({"c3": "red", "d3": "blue", "f4": "green"}, "red")
    assert moves(state) == {"move(c3,d2)", "move(c3,e3)", "move(c3,g5)", "noop"}
    assert "move(d2,d1)" not in moves(star({"d2": "blue"}, "blue"))
    assert moves(star({"d5": "red"}, "red")) == {"move(d5,e4)", "move(d5,e5)", "noop"}
    assert moves(star({"f2": "red"}, "red")) == {"move(f2,g3)", "noop"}


def test_the_round_in_which_somebody_is_home_is_played_to_its_end() -> None:
    state = star({"h2": "red", "i1": "red", "g3": "red", "d5": "blue", "c6": "blue", "c7": "blue"}, "red")
    assert goals(state) == [50, 0, 50]
    state = state.next("move(g3,h1)")
    assert (state.is_terminal, goals(state)) == (False, [100, 0, 50])
    state = state.next("noop")
    state = state.next("move(d5,d6)")
    assert (state.is_terminal, goals(state)) == (True, [100, 0, 100])
