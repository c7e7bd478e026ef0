"""Backgammon beside a plain list of what its rules allow, and bearing off beside counting."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache

import pytest

import gamemaster as gm
from gamemaster.machine.game import RANDOM, successors

OTHER = {"white": "black", "black": "white"}
POSITIONS = 120
BAR, OFF = 25, 0

Checkers = tuple[int, ...]
"""How far each checker of a side has to go, in order: 25 is the bar."""

Side = tuple[Checkers, Checkers]
"""Of who moves, and of the other."""

Play = tuple[tuple[int, int], ...]
"""A turn: from where, with which die."""


# The rules in plain Python: points are counted by how far who moves has to go


def _after(side: Side, start: int, die: int) -> Side | None:
    """One checker moved, or nothing where that is not allowed."""
    mine, theirs = side
    blocked = {25 - point for point in theirs if point != BAR and theirs.count(point) > 1}
    end = max(OFF, start - die)
    if start not in mine or (BAR in mine and start != BAR) or end in blocked:
        return None
    if end == OFF and (max(mine) > 6 or (start < die and max(mine) > start)):
        return None
    rest = list(mine)
    rest.remove(start)
    hit = tuple(BAR if end != OFF and point == 25 - end else point for point in theirs)
    return tuple(sorted([*rest, end] if end else rest)), tuple(sorted(hit))


def _plays(side: Side, dice: tuple[int, ...]) -> Iterator[tuple[Play, Side]]:
    """All that can be played with the dice in this order, however much of them."""
    yield (), side
    for start in sorted(set(side[0])) if dice else ():
        if after := _after(side, start, dice[0]):
            for play, end in _plays(after, dice[1:]):
                yield ((start, dice[0]), *play), end


def _turns(side: Side, throw: tuple[int, int]) -> dict[Play, Side]:
    """The turns that the rules allow: as many dice as can be, and of two of which one can be played, the higher."""
    orders = [throw * 2] if throw[0] == throw[1] else [throw, throw[::-1]]
    every = {play: end for dice in orders for play, end in _plays(side, dice)}
    won = [play for play, end in every.items() if not end[0]]
    most = max(len(play) for play in every)
    best = {play: end for play, end in every.items() if len(play) == most or play in won}
    if most == 1 and not won and any(die == max(throw) for ((_, die),) in best):
        return {play: end for play, end in best.items() if play[0][1] == max(throw)}
    return best


# The same from the rules of the library


def _facts(role: str, side: Side) -> list[str]:
    off = [f"off({owner},{15 - len(each)})" for owner, each in zip((role, OTHER[role]), side, strict=True)]
    return [f"control({OTHER[role]})", *off, *_points(role, side)]


def _points(role: str, side: Side) -> Iterator[str]:
    for owner, checkers in zip((role, OTHER[role]), side, strict=True):
        for each in set(checkers):
            yield f"point({_point(owner, each)},{owner},{checkers.count(each)})"


def _point(role: str, way: int) -> str:
    return "bar" if way == BAR else str(way if role == "white" else 25 - way)


def _ends(state: gm.State, role: str) -> dict[Play, frozenset[str]]:
    """The turns of a role by the rules, and the points after each."""
    facts = set(map(str, state.facts))
    moves = [str(move) for move in state.legal_moves(role)]
    if state.is_terminal or moves == ["noop"]:
        return {(): frozenset(fact for fact in facts if fact.startswith("point"))}
    found = {}
    for move in moves:
        point, die = move.removeprefix("move(").removesuffix(")").split(",")
        start = BAR if point == "bar" else int(point) if role == "white" else 25 - int(point)
        after = state.next({role: move, OTHER[role]: "noop", RANDOM: "noop"})
        found.update({((start, int(die)), *play): end for play, end in _ends(after, role).items()})
    return found


def _sides(generator: random.Random) -> Side:
    """A position: few checkers or many, anywhere or at home or on the bar, the other's in pairs; no point has both."""
    share, farthest = generator.choice([0.2, 0.5, 0.8]), generator.choice([6, 12, 24])
    on = [point for point in range(1, 25) if generator.random() < share]
    free = [25 - point for point in range(1, 25) if point not in on] or [BAR]
    near = [point for point in on if point <= farthest] or [BAR]
    bar = [BAR] * generator.choice([0, 0, 0, 1, 2])
    mine = [generator.choice(near) for _ in range(generator.choice([1, 2, 3, 8, 13]))]
    theirs = [generator.choice(free) for _ in range(generator.choice([1, 4, 7]))]
    return tuple(sorted(mine + bar)), tuple(sorted(theirs * 2 + [generator.choice(free)]))


@pytest.mark.parametrize("role", ["white", "black"])
def test_a_turn_is_what_the_rules_allow(role: str) -> None:
    game, generator = gm.load("backgammon"), random.Random(role)
    lengths = set()
    for _ in range(POSITIONS):
        side = _sides(generator)
        throw = (generator.randint(1, 6), generator.randint(1, 6))
        start = game.state(_facts(role, side))
        thrown = start.next({RANDOM: f"throw({throw[0]},{throw[1]})", "white": "noop", "black": "noop"})
        points = {play: frozenset(_points(role, end)) for play, end in _turns(side, throw).items()}
        assert _ends(thrown, role) == points, (side, throw)
        lengths |= {len(play) for play in points}
    assert lengths == {0, 1, 2, 3, 4}


# Bearing off


@cache
def _worth(mine: Checkers, theirs: Checkers) -> float:
    """How probable it is that who is about to throw wins, where both play best and nobody is in the way."""
    total = 0.0
    for throw in ((first, second) for first in range(1, 7) for second in range(1, 7)):
        ends = {end for end, _ in _turns((mine, theirs), throw).values()}
        total += max(1.0 if not end else 1 - _worth(theirs, end) for end in ends) / 36
    return total


@pytest.mark.parametrize(
    ("variant", "mine", "theirs", "wins"),
    [("lastroll", (2, 5), (1, 1), 19 / 36), ("small", (5, 6), (5, 6), 0.772002)],
)
def test_bearing_off_is_worth_what_counting_says(
    variant: str, mine: Checkers, theirs: Checkers, wins: float
) -> None:
    worth: dict[gm.State, float] = {}

    def value(state: gm.State) -> float:
        if state.is_terminal:
            return float(state.goal("white") or 0)
        if state not in worth:
            after = [value(each) for each in successors(state)]
            best = {"white": max, "black": min}.get(_mover(state))
            worth[state] = best(after) if best else sum(after) / len(after)
        return worth[state]

    assert _worth(mine, theirs) == pytest.approx(wins, abs=1e-6)
    assert value(gm.load(f"backgammon:{variant}").initial_state()) == pytest.approx(
        100 * _worth(mine, theirs)
    )


ONE_ROLL = {
    (1,): 36, (2,): 36, (3,): 36, (4,): 34, (5,): 31, (6,): 27,
    (1, 1): 36, (1, 2): 36, (1, 3): 34, (1, 4): 29, (1, 5): 23, (1, 6): 15,
    (2, 2): 26, (2, 3): 25, (2, 4): 23, (2, 5): 19, (2, 6): 13,
    (3, 3): 17, (3, 4): 17, (3, 5): 14, (3, 6): 10,
    (4, 4): 11, (4, 5): 10, (4, 6): 8,
    (5, 5): 6, (5, 6): 6,
    (6, 6): 4,
}  # fmt: skip
"""Of 36 throws, those that bear off the last checkers at once, as every book on the game has them."""


def test_the_last_checkers_go_with_as_many_throws_as_is_known() -> None:
    game = gm.load("backgammon")
    for checkers, throws in ONE_ROLL.items():
        points = [f"point({each},white,{checkers.count(each)})" for each in set(checkers)]
        off = [f"off(white,{15 - len(checkers)})", "off(black,13)", "point(24,black,2)"]
        state = game.state([*points, *off, "control(black)"])
        assert sum(map(_can_win, successors(state))) == throws, checkers


def _can_win(state: gm.State) -> bool:
    """Whether white can win in this turn."""
    if state.is_terminal or _mover(state) != "white":
        return state.goal("white") == 100
    return any(map(_can_win, successors(state)))


def _mover(state: gm.State) -> str:
    """Whose move it is that is not the empty one."""
    return next(role for role in state.game.roles if str(state.legal_moves(role)[0]) != "noop")
