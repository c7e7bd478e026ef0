"""Egghead's mind for games of one role: its line and what it tells of it belong together, whatever happens."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass, field

import pytest

import gamemaster as gm
from gamemaster.errors import Unsuitable
from gamemaster.machine.game import Game
from gamemaster.metagame.parts import solve_by_parts
from gamemaster.players import puzzling
from gamemaster.players.puzzling import Puzzle
from gamemaster.search.budget import Budget
from gamemaster.search.catalogue import Search
from gamemaster.search.native import bestfirst, breadth
from gamemaster.search.puzzles import planner
from gamemaster.search.result import SearchResult

PATHS = """
    role(a) init(at(s))
    edge(s,l,p) edge(s,r,q) edge(p,l,bad) edge(p,r,good) edge(q,l,good) edge(q,r,bad)
    legal(a,M) :- true(at(X)) & edge(X,M,Y)
    next(at(Y)) :- true(at(X)) & edge(X,M,Y) & does(a,M)
    terminal :- true(at(good))
    terminal :- true(at(bad))
    goal(a,100) :- true(at(good))
    goal(a,50) :- true(at(bad))
"""

STUCK = """
    role(a) init(n(0)) s(0,1) s(1,2) s(2,3)
    legal(a,up) :- true(n(X)) & s(X,Y)
    legal(a,jump) :- true(n(X)) & s(X,Y)
    next(n(Y)) :- true(n(X)) & s(X,Y)
    terminal :- true(n(7))
    next(n(7)) :- true(n(9))
    goal(a,100) :- true(n(7))
    goal(a,50) :- true(n(0))
"""


@dataclass
class Owner:
    """What a mind needs of a player."""

    game: Game
    role: str = "a"
    generator: random.Random = field(default_factory=random.Random)
    threads: int = 1
    memory: int = 10
    has_experience: bool = False


def test_moves_of_a_line_that_was_given_up_are_not_told_as_the_better_one() -> None:
    game = gm.parse(PATHS, dialect="hrf", machine="reference")
    start, owner = game.initial_state(), Owner(game)
    mind = Puzzle(owner)
    left, right = start.legal_moves("a")
    mind._take("nrpa", SearchResult("nrpa", "a", left, 50.0, line=(left, left)), start)
    assert mind.best == 50
    mind._take(
        "breadth", SearchResult("breadth", "a", right, 100.0, line=(right, left), is_proven=True), start
    )
    assert mind.is_settled
    after = start.next(left)  # somebody made the other move for it
    found = mind.think(after, Budget(seconds=2))
    assert found.move == right
    assert after.next(found.move).goal("a") == 100


@pytest.mark.parametrize("search", [breadth.search, bestfirst.search])
def test_where_nothing_ends_nothing_is_to_be_had(search: Search) -> None:
    game = gm.parse(STUCK, dialect="hrf", machine="compiled")
    found = search(game.initial_state(), "a", Budget(nodes=1_000))
    assert (found.value, found.is_proven) == (0.0, True)
    assert found.move in game.initial_state().legal_moves("a")


def test_a_line_that_breaks_off_is_told_as_worth_nothing() -> None:
    game = gm.parse(STUCK, dialect="hrf", machine="reference")
    owner = Owner(game)
    mind = Puzzle(owner)
    found = mind.think(game.initial_state(), Budget(seconds=0.5))
    assert found.value == 0


@pytest.mark.parametrize(
    "error", [RuntimeError("the planning process failed"), OSError("no process"), MemoryError()]
)
def test_a_planner_that_fails_costs_no_line(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> SearchResult:
        raise error

    monkeypatch.setattr(puzzling, "plan", fail)
    monkeypatch.setattr(puzzling, "IN_PYTHON", {})  # nobody but the planner
    owner = Owner(gm.parse(PATHS, dialect="hrf", machine="reference"))
    mind, start = Puzzle(owner), owner.game.initial_state()
    with pytest.raises(Unsuitable, match="no line"):
        mind.think(start, Budget(seconds=0.2))
    left = start.legal_moves("a")[0]
    mind._take("nrpa", SearchResult("nrpa", "a", left, 50.0, line=(left, left)), start)
    assert mind.think(start, Budget(seconds=0.2)).move == left


def test_who_is_not_wanted_any_more_starts_no_planning_process(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("asked")

    monkeypatch.setattr(planner, "_ask", refuse)
    game = gm.parse(PATHS, dialect="hrf", machine="reference")
    found = planner.plan(game.initial_state(), "a", Budget(seconds=1), is_wanted=lambda: False)
    assert not found.is_proven


def rings(size: int) -> str:
    """Two rings of lights, each switched with its neighbour, that shall be alike."""
    lines = ["role(a) flip(0,1) flip(1,0)"]
    for ring in "xy":
        lines += [f"b({ring},{i}) tog({ring},{i},{i}) tog({ring},{i},{(i + 1) % size})" for i in range(size)]
    return (
        "\n".join(lines)
        + """
        init(v(x,0))
        legal(a,t(P,I)) :- b(P,I)
        hit(P,J) :- does(a,t(P,I)) & tog(P,I,J)
        next(v(P,J)) :- hit(P,J) & ~true(v(P,J))
        next(v(P,J)) :- ~hit(P,J) & true(v(P,J))
        differ :- true(v(x,I)) & ~true(v(y,I))
        differ :- true(v(y,I)) & ~true(v(x,I))
        terminal :- ~differ
        goal(a,100) :- ~differ
        goal(a,0) :- differ
    """
    )


def test_parts_with_much_to_combine_end_with_the_clock() -> None:
    game = gm.parse(rings(12), dialect="hrf", machine="compiled")
    with pytest.raises(Unsuitable, match="no time left"):
        solve_by_parts(game, time.monotonic() + 0.2)
