"""Whether two games are the same: random play on both, state by state."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from gamemaster.machine.game import Game, State

__all__ = ["assert_same_game"]

Rename = Callable[[Any], Any]


def assert_same_game(
    one: Game,
    other: Game,
    *,
    games: int = 2,
    longest: int = 25,
    rename: Rename = lambda term: term,
    facts: str = "==",
) -> None:
    """Legal moves, goals and ends agree along random games; facts are equal, or the one's are among the other's.

    `rename` gives the other game's name of a fact or move; `facts` is "==", "<=" or ">=", one's against the other's.
    """
    assert one.roles == other.roles
    generator = random.Random(1)
    for _ in range(games):
        state, twin = one.initial_state(), other.initial_state()
        assert_same_state(state, twin, rename, facts)
        while not state.is_terminal and state.step < longest:
            moves = state.random_moves(generator)
            state = state.next(moves)
            twin = twin.next({role: rename(move) for role, move in moves.items()})
            assert_same_state(state, twin, rename, facts)


def assert_same_state(state: State, twin: State, rename: Rename, facts: str) -> None:
    """All that can be asked of two states."""
    own, others = {rename(fact) for fact in state.facts}, set(twin.facts)
    assert {"==": own == others, "<=": own <= others, ">=": own >= others}[facts], own ^ others
    assert state.is_terminal == twin.is_terminal
    for role in state.game.roles:
        assert {rename(move) for move in state.legal_moves(role)} == set(twin.legal_moves(role))
        assert sorted(state.goals(role)) == sorted(twin.goals(role))
