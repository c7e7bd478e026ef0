"""Tron: rides, walls, collisions and crashes, beside a grid that knows only these rules."""

from __future__ import annotations

import random

import pytest

import gamemaster as gm

Point = tuple[int, int]


def _ride(state: gm.State, red: Point | None, blue: Point | None) -> gm.State:
    """Both riders move; None is a crash."""
    moves = {"red": red, "blue": blue}
    return state.next({role: f"ride({at[0]},{at[1]})" if at else "crash" for role, at in moves.items()})


def _goals(state: gm.State) -> tuple[int | None, ...]:
    return tuple(state.goal(role) for role in state.game.roles)


def _facts(state: gm.State) -> set[str]:
    return set(map(str, state.facts))


def test_who_rides_leaves_a_wall() -> None:
    state = _ride(gm.load("tron").initial_state(), (2, 4), (7, 5))
    assert _facts(state) == {"cell(1,4,redwall)", "cell(2,4,red)", "cell(7,4,bluewall)", "cell(7,5,blue)"}
    assert "ride(1,4)" not in map(str, state.legal_moves("red"))


def test_two_riders_in_one_cell_both_crash() -> None:
    state = gm.load("tron").initial_state()
    for step in (2, 3, 4):
        assert not state.is_terminal
        state = _ride(state, (step, 4), (8 - step, 4))
    assert state.is_terminal
    assert "cell(4,4,crash)" in _facts(state)
    assert _goals(state) == (50, 50)


def test_riders_on_a_path_of_even_length_stop_before_each_other() -> None:
    state = _ride(gm.load("tron:columns=4,rows=1").initial_state(), (2, 1), (3, 1))
    assert not state.is_terminal
    state = _ride(state, None, None)
    assert state.is_terminal
    assert _goals(state) == (50, 50)


def test_who_has_no_free_cell_crashes_and_loses() -> None:
    state = gm.load("tron:columns=5,rows=3").initial_state()
    for red, blue in (
        ((1, 1), (5, 3)),
        ((2, 1), (4, 3)),
        ((2, 2), (4, 2)),
        ((2, 3), (4, 1)),
        ((1, 3), (3, 1)),
    ):
        state = _ride(state, red, blue)
    assert list(map(str, state.legal_moves("red"))) == ["crash"]
    state = _ride(state, None, (3, 2))
    assert (state.is_terminal, *_goals(state)) == (True, 0, 100)


@pytest.mark.parametrize("name", ["tron", "tron:small", "tron:columns=6,rows=4"])
def test_random_games_go_as_on_a_grid(name: str) -> None:
    generator = random.Random(1)
    game = gm.load(name)
    for _ in range(10):
        state = game.initial_state()
        at, walls = _riders(state), set[Point]()
        size = at["blue"][0], {"tron": 7, "tron:small": 5}.get(name, 4)
        while not state.is_terminal:
            taken = walls | set(at.values())
            free = {role: _free(place, taken, size) for role, place in at.items()}
            for role, places in free.items():
                moves = {f"ride({x},{y})" for x, y in places} or {"crash"}
                assert set(map(str, state.legal_moves(role))) == moves
            chosen = {
                role: generator.choice(sorted(places)) if places else None for role, places in free.items()
            }
            state = _ride(state, chosen["red"], chosen["blue"])
            met = chosen["red"] is not None and chosen["red"] == chosen["blue"]
            crashed = {role for role, place in chosen.items() if place is None or met}
            assert state.is_terminal == bool(crashed)
            walls, at = taken, {role: place or at[role] for role, place in chosen.items()}
        assert _goals(state) == (
            (50, 50) if len(crashed) == 2 else (0, 100) if "red" in crashed else (100, 0)
        )


def _riders(state: gm.State) -> dict[str, Point]:
    facts = [fact.args for fact in state.facts if isinstance(fact, gm.Compound)]
    return {str(role): (int(x), int(y)) for x, y, role in facts}


def _free(place: Point, taken: set[Point], size: Point) -> set[Point]:
    (x, y), (columns, rows) = place, size
    beside = {(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)}
    return {(u, v) for u, v in beside - taken if 1 <= u <= columns and 1 <= v <= rows}
