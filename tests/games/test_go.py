"""Go: what is taken, what is forbidden and who owns what, beside a board that knows only these rules."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache

import pytest

import gamemaster as gm

OTHER = {"black": "white", "white": "black"}

Point = tuple[int, int]
Stones = dict[Point, str]


# The oracle: groups found by walking over the board


def _beside(point: Point, size: int) -> Iterator[Point]:
    x, y = point
    for u, v in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
        if 1 <= u <= size and 1 <= v <= size:
            yield u, v


def _area(stones: Stones, start: Point, size: int) -> tuple[set[Point], set[Point]]:
    """The points that hang together with one, of the same colour or all empty; and those around them."""
    inside, around, waiting = {start}, set[Point](), [start]
    while waiting:
        for each in _beside(waiting.pop(), size):
            if stones.get(each) != stones.get(start):
                around.add(each)
            elif each not in inside:
                inside.add(each)
                waiting.append(each)
    return inside, around


def _has_liberty(stones: Stones, point: Point, size: int) -> bool:
    return any(each not in stones for each in _area(stones, point, size)[1])


def _after(stones: Stones, point: Point, role: str, size: int) -> Stones | None:
    """The board after a stone was put down, or None where that is suicide."""
    after = {**stones, point: role}
    for each in _beside(point, size):
        if after.get(each) == OTHER[role] and not _has_liberty(after, each, size):
            for dead in _area(after, each, size)[0]:
                del after[dead]
    return after if _has_liberty(after, point, size) else None


def _margin(stones: Stones, size: int) -> int:
    """By how many points black is ahead."""
    total = 0
    for point in ((x, y) for x in range(1, size + 1) for y in range(1, size + 1)):
        inside = stones.get(point)
        seen = {inside} if inside else {stones[each] for each in _area(stones, point, size)[1]}
        total += (seen == {"black"}) - (seen == {"white"})
    return total


# The game


@cache
def _game(name: str = "go") -> gm.Game:
    return gm.load(name)


def _stones(state: gm.State) -> Stones:
    found = [fact.args for fact in state.facts if isinstance(fact, gm.Compound) and fact.functor == "cell"]
    return {(int(x), int(y)): str(role) for x, y, role in found}


def _played(moves: str, name: str = "go") -> gm.State:
    """The state after moves such as "22 . 13": a place in column 2, row 2, a pass, another place."""
    state = _game(name).initial_state()
    for move in moves.split():
        state = state.next("pass" if move == "." else f"place({move[0]},{move[1]})")
    return state


def _places(state: gm.State) -> set[Point]:
    """Where whoever is to move may put a stone."""
    assert state.control is not None
    moves = [move.args for move in state.legal_moves(state.control) if isinstance(move, gm.Compound)]
    return {(int(x), int(y)) for x, y in moves}


def _goals(state: gm.State) -> tuple[int | None, ...]:
    return tuple(state.goal(role) for role in state.game.roles)


KO = "12 42 21 31 23 33 32 22"
"""The last stone takes the one beside it, and could be taken back."""


def test_a_stone_without_liberties_is_taken() -> None:
    assert _stones(_played("12 11 21")) == {(1, 2): "black", (2, 1): "black"}


def test_a_group_is_taken_as_a_whole() -> None:
    state = _played("13 11 22 12 55 . 21")
    assert set(_stones(state)) == {(1, 3), (2, 2), (5, 5), (2, 1)}


def test_suicide_is_forbidden() -> None:
    assert (1, 1) not in _places(_played("12 . 21"))


def test_what_takes_something_is_no_suicide() -> None:
    state = _played("12 13 21 22 55")
    assert (1, 1) in _places(state)
    assert (1, 2) not in _stones(state.next("place(1,1)"))


def test_a_stone_must_not_be_taken_back_at_once() -> None:
    state = _played(KO)
    assert "ko(3,2)" in map(str, state.facts)
    assert (3, 2) not in _places(state)
    assert (3, 2) in _places(_played(KO + " 55 51"))
    assert (2, 2) not in _stones(_played(KO + " 55 51 32"))


def test_two_passes_end_the_game() -> None:
    assert not _played("33 .").is_terminal
    assert not _played("33 . 11 .").is_terminal
    state = _played("33 . .")
    assert state.is_terminal
    assert _goals(state) == (100, 0)


def test_the_step_limit_ends_the_game() -> None:
    assert not _played("11 22", "go:steps=3").is_terminal
    assert _played("11 22 33", "go:steps=3").is_terminal


def test_empty_points_belong_to_whoever_alone_surrounds_them() -> None:
    wall = "21 41 22 42 23 43 24 44 25 45"
    assert _goals(_played(wall + " . .")) == (50, 50)
    assert _goals(_played(wall + " 11 . .")) == (50, 50)
    assert _goals(_played(wall + " 31 . .")) == (100, 0)


@pytest.mark.parametrize(("komi", "goals"), [(0, (100, 0)), (8, (100, 0)), (9, (50, 50)), (10, (0, 100))])
def test_komi_counts_for_white(komi: int, goals: tuple[int, int]) -> None:
    assert _goals(_played("22 . .", f"go:size=3,komi={komi}")) == goals


@pytest.mark.parametrize(("name", "size"), [("go:size=4", 4), ("go", 5)])
def test_random_games_go_as_on_a_board_that_walks_over_its_groups(name: str, size: int) -> None:
    generator, kos, takes = random.Random(size), 0, 0
    points = [(x, y) for x in range(1, size + 1) for y in range(1, size + 1)]
    for _ in range(6):
        state, before = _game(name).initial_state(), dict[Point, str]()
        while not state.is_terminal:
            role, stones = str(state.control), _stones(state)
            afters = {each: _after(stones, each, role, size) for each in points if each not in stones}
            allowed = {each for each, after in afters.items() if after is not None and after != before}
            kos += sum(after is not None for after in afters.values()) - len(allowed)
            assert _places(state) == allowed
            margin = _margin(stones, size)
            assert state.goal("black") == (50 if not margin else 100 * (margin > 0))
            point = generator.choice(sorted(allowed)) if allowed else None
            state = state.next(f"place({point[0]},{point[1]})" if point else "pass")
            expected = afters[point] if point else stones
            assert _stones(state) == expected
            takes += expected is not None and len(expected) <= len(stones)
            before = stones
    assert kos > 0
    assert takes > 0
