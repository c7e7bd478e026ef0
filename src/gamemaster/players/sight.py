"""What a role has seen of a game that hides its state, and what follows from it: for a person who plays that role.

The states in which the game can be are worked out as players do it. What holds in all of them is what the role knows.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from gamemaster.errors import GamemasterError
from gamemaster.language.terms import Term
from gamemaster.machine.game import Game, State
from gamemaster.search.hidden.beliefs import Beliefs

__all__ = ["Sight"]

SECONDS = 1.0
"""How long to work out, after a step, where the game can be."""


@dataclass
class Sight:
    """What a role has seen and knows."""

    game: Game
    role: str
    generator: random.Random
    beliefs: Beliefs | None = field(init=False)
    """None where they could not be followed."""

    seen: list[tuple[int, Collection[Term]]] = field(default_factory=list)
    """Steps and what was seen of each, as far as that is new: whoever shows it takes it away."""

    def __post_init__(self) -> None:
        self.beliefs = Beliefs(self.game, self.role, self.generator)

    def tell(self, state: State, moves: Mapping[str, Term]) -> None:
        """Take in what the role sees of a joint move."""
        percepts = state.percepts(moves)[self.role]
        self.seen.append((state.step, percepts))
        self.see(moves.get(self.role), percepts)

    def see(self, own: Term | None, percepts: Collection[Term]) -> None:
        """Work out where the game can be after a step: the role's own move in it, and what it saw."""
        try:
            if self.beliefs is not None:
                self.beliefs.see(own, percepts, SECONDS)
        except GamemasterError:
            self.beliefs = None

    def known(self) -> tuple[State, int | None] | None:
        """A state of what holds in all states that can be, and their number, if not too many; None if none is known."""
        if self.beliefs is None:
            return None
        states = self.beliefs.states
        facts = set.intersection(*(set(state.facts) for state in states))
        known = self.game.state([fact for fact in states[0].ordered_facts if fact in facts], states[0].step)
        return known, len(states) if self.beliefs.is_exact else None
