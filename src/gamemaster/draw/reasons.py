"""State -> the facts to point out in it: what the last step changed, and what a win is made of.

Nothing here knows any game. Whoever won has a goal that holds without most of the facts: those that can be left out one
after the other are, and what remains is the line of three, the chain of stones or the pawn on the last row. Where that
has nothing of the last step in it, the win has another reason, such as a count, and nothing is pointed out.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence

from gamemaster.draw.board import board_of
from gamemaster.errors import GamemasterError
from gamemaster.language.terms import Term
from gamemaster.machine.game import RANDOM, State

__all__ = ["new_facts", "pointed_out", "winners", "winning_facts"]

MOST = 0.5
"""Of the cells so many at most are pointed out: more say nothing."""

SECONDS = 1.0
"""How long to look for what a win is made of."""


def pointed_out(before: State | None, state: State) -> frozenset[Term]:
    """What a win is made of where the game is over, else, or if that is not known, what the last step changed."""
    won = winning_facts(before, state) if state.is_terminal else frozenset()
    return won or new_facts(before, state)


def new_facts(before: State | None, state: State) -> frozenset[Term]:
    """The facts on the board that the last step made true; none where it changed much of it."""
    return _on_board(state, state.facts - before.facts) if before is not None else frozenset()


def winners(state: State) -> tuple[str, ...]:
    """The roles with the greatest goal, chance not among them; all of them where they have the same."""
    goals = {role: state.goal(role) or 0 for role in state.game.roles if role != RANDOM}
    return tuple(role for role, goal in goals.items() if goal == max(goals.values()))


def winning_facts(before: State | None, state: State, seconds: float = SECONDS) -> frozenset[Term]:
    """A least set of facts on the board that gives the winner its goal; none where there is none, or not in time."""
    if sum(role != RANDOM for role in state.game.roles) < 2:
        return frozenset()
    first, *others = winners(state)
    new = new_facts(before, state)
    if others or not new:
        return frozenset()
    # What is new first: it goes where the win does not need it, and then nothing is pointed out.
    order = sorted(state.ordered_facts, key=lambda fact: fact not in new)
    try:
        least = _least(state, first, order, time.thread_time() + seconds)
    except GamemasterError:  # rules may say what they like of states that never occur
        return frozenset()
    return _on_board(state, least) if least & new else frozenset()


def _least(state: State, role: str, order: Sequence[Term], deadline: float) -> frozenset[Term]:
    """The facts that are left when each that the goal does not need is dropped; none where time runs out."""
    goals, kept = state.goals(role), dict.fromkeys(order)
    for fact in order:
        if time.thread_time() > deadline:
            return frozenset()
        fewer = [each for each in kept if each != fact]
        if state.game.state(fewer, state.step).goals(role) == goals:
            del kept[fact]
    return frozenset(kept)


def _on_board(state: State, facts: Collection[Term]) -> frozenset[Term]:
    """Those of the facts that have a cell, if these are not too many."""
    cells = [cell for panel in board_of(state).panels for cell in panel.cells]
    marked = [cell for cell in cells if not set(facts).isdisjoint(cell.facts)]
    on_board = frozenset(fact for cell in marked for fact in cell.facts)
    return on_board.intersection(facts) if len(marked) <= MOST * len(cells) else frozenset()
