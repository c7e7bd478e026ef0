"""Depth charges that a deadline cuts short: the goals of where they are count."""

from __future__ import annotations

import time

import pytest

import gamemaster as gm
from gamemaster.load import MachineName

COUNTER = """
role(a) role(b) init(at(0)) succ(0,1) succ(1,2) succ(2,3) succ(3,4) succ(4,5)
legal(R,wait) :- role(R)
next(at(N)) :- true(at(M)) & succ(M,N)
next(at(5)) :- true(at(5)) & ~true(over)
next(over) :- true(over)
terminal :- true(over)
goal(a,10) :- true(at(0))
goal(a,20) :- true(at(1))
goal(a,30) :- true(at(5))
goal(b,70) :- role(b)
"""
"""A game that never ends, in which the goal of `a` tells how far it has come."""


@pytest.mark.parametrize("machine", ["compiled", "reference"])
def test_a_deadline_in_the_past_leaves_what_there_is(machine: MachineName) -> None:
    game = gm.parse(COUNTER, dialect="hrf", machine=machine)
    first = game.charges([game.initial_state()] * 3, 1, deadline=time.perf_counter() - 1)
    assert set(first) <= {(10, 70), (20, 70)}  # at once, or after the step that was under way


@pytest.mark.parametrize("machine", ["compiled", "reference"])
def test_without_a_deadline_games_go_on(machine: MachineName) -> None:
    game = gm.parse(COUNTER, dialect="hrf", machine=machine)
    assert game.charges([game.initial_state()] * 2, 1) == [(30, 70)] * 2


def test_games_that_have_ended_keep_what_they_came_to() -> None:
    game = gm.load("tictactoe", machine="compiled")
    state = game.initial_state()
    for move in ("mark(1,1)", "mark(2,1)", "mark(1,2)", "mark(2,2)", "mark(1,3)"):
        state = state.next(move)
    assert state.is_terminal
    found = game.charges([state, game.initial_state()], 1, deadline=0.0)
    assert found == [(100, 0), (50, 50)]
