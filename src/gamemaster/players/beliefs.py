"""What a role has seen -> the states in which the game can be: for games that hide their state (GDL-II).

At first that is the initial state. After a step it is every state to which a joint move leads from one of those before,
if the role's own move is in it and the role would have seen just what it saw. Where these are more than can be kept,
some are taken at random (a particle filter; Gordon, Salmond & Smith 1993).
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterable, Iterator
from itertools import product

from gamemaster.errors import PlayerError
from gamemaster.language.terms import Term
from gamemaster.machine.game import Game, State

__all__ = ["Beliefs"]

MOST_STATES = 1_000


class Beliefs:
    """The states in which a game can be, as far as a role knows: `states`, at most `most` of them."""

    def __init__(self, game: Game, role: str, generator: random.Random, most: int = MOST_STATES) -> None:
        self.role = role
        self.generator = generator
        self.most = most
        self.states: list[State] = [game.initial_state()]

    def legal_moves(self) -> tuple[Term, ...]:
        """The role's moves: those that it has in all states. The rules should see to it that these are all it has."""
        open_states = [state for state in self.states if not state.is_terminal]
        if not open_states:
            return ()
        first, *others = open_states
        held = set(first.legal_moves(self.role)).intersection(
            *(state.legal_moves(self.role) for state in others)
        )
        return tuple(move for move in first.legal_moves(self.role) if move in held)

    def see(self, own: Term | None, percepts: Iterable[Term], seconds: float) -> None:
        """Go a step on: the role made a move, and saw something. PlayerError where that fits nothing.

        Where it does not fit the move, the referee may have made another: then any may have been made.
        """
        seen = frozenset(percepts)
        now = time.monotonic()
        found = self._following(own, seen, now + seconds / 2) or self._following(None, seen, now + seconds)
        if not found:
            shown = ", ".join(sorted(map(str, seen))) or "nothing"
            raise PlayerError(f"{self.role} sees {shown[:200]}, which fits no state found in {seconds:.3g} s")
        self.states = found

    def _following(self, own: Term | None, seen: frozenset[Term], deadline: float) -> list[State]:
        self.generator.shuffle(self.states)
        found: dict[State, None] = {}
        for state, moves in self._joint_moves(own):
            if state.percepts(moves)[self.role] == seen:
                found[state.next(moves)] = None
            if len(found) >= self.most or time.monotonic() > deadline:
                break
        return list(found)

    def _joint_moves(self, own: Term | None) -> Iterator[tuple[State, dict[str, Term]]]:
        """What may have been done, one joint move of each state in turn."""
        walks = [self._moves_in(state, own) for state in self.states if not state.is_terminal]
        while walks:
            going = []
            for walk in walks:
                if (step := next(walk, None)) is not None:
                    yield step
                    going.append(walk)
            walks = going

    def _moves_in(self, state: State, own: Term | None) -> Iterator[tuple[State, dict[str, Term]]]:
        choices = {role: list(state.legal_moves(role)) for role in state.movers}
        if own is not None and self.role in choices:
            choices[self.role] = [move for move in choices[self.role] if move == own]
        for moves in choices.values():
            self.generator.shuffle(moves)
        for joint in product(*choices.values()):
            yield state, dict(zip(choices, joint, strict=True))
