"""The two machines side by side: the same facts, moves, goals and percepts, state by state."""

from __future__ import annotations

import random

from gamemaster.machine.game import Game, State

__all__ = ["assert_agree", "assert_same"]


def assert_same(ours: State, theirs: State) -> None:
    assert ours.facts == theirs.facts
    assert ours.is_terminal == theirs.is_terminal
    for role in theirs.game.roles:
        assert set(ours.goals(role)) == set(theirs.goals(role))
        if not theirs.is_terminal:
            assert set(ours.legal_moves(role)) == set(theirs.legal_moves(role))
    assert ours.control == theirs.control


def assert_agree(
    compiled: Game,
    reference: Game,
    games: int,
    *,
    seed: object = 0,
    most_steps: int = 100,
    most_states: int = 10_000,
) -> int:
    """Play at random on both machines and compare every state; how many there were."""
    generator = random.Random(str(seed))
    states = 0
    for _ in range(games):
        if states > most_states:
            break
        ours, theirs = compiled.initial_state(), reference.initial_state()
        for _ in range(most_steps):
            assert_same(ours, theirs)
            states += 1
            if theirs.is_over:
                break
            moves = theirs.random_moves(generator)
            assert ours.percepts(moves) == theirs.percepts(moves)
            ours, theirs = ours.next(moves), theirs.next(moves)
    return states
