"""Clicks where roles see percepts instead of states: nothing is used that a role may not know."""

from __future__ import annotations

import pytest

import gamemaster as gm
from gamemaster.draw.board import board_of
from gamemaster.draw.clicks import clicks_of
from gamemaster.machine.game import State

HIDDEN = """
    role(seer) role(other)
    init(cell(1,1,empty)) init(cell(1,2,empty)) init(cell(2,1,empty)) init(cell(2,2,empty))
    legal(seer,drop(1)) legal(seer,drop(2)) legal(seer,mark(X,Y)) :- true(cell(X,Y,Z))
    legal(other,noop)
    sees(seer,nothing) :- does(seer,drop(1))
    next(cell(X,1,full)) :- does(seer,drop(X))
    next(cell(X,Y,full)) :- does(seer,mark(X,Y))
    next(cell(X,Y,Z)) :- true(cell(X,Y,Z))
    goal(seer,0) goal(other,0) terminal :- true(cell(1,1,full))
"""


def test_what_changes_is_not_told_where_it_is_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    state = gm.parse(HIDDEN, machine="reference").initial_state()
    assert state.game.has_percepts
    board = board_of(state)

    def peek(*_: object) -> State:
        raise AssertionError("the successor of a hidden state was looked at")

    monkeypatch.setattr(type(state), "next", peek)
    clicks = clicks_of(state, "seer", board)
    assert [choice.label for choice in clicks.buttons] == ["drop 1", "drop 2"]
    assert str(clicks.choose("0-1-2")) == "mark(1,2)"
