"""What a role has seen of a game that hides its state, and what follows from it: for a person who plays that role.

The states in which the game can be are worked out as players do it, in machine code where that is there. What holds in
all of them is what the role knows.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from gamemaster.errors import GamemasterError
from gamemaster.language.terms import Term
from gamemaster.machine.game import Game, State
from gamemaster.players.believing import new_steps
from gamemaster.search.hidden.beliefs import Beliefs

__all__ = ["Sight"]

SECONDS = 1.0
"""How long to work out, after a step, where the game can be."""

WAIT = 3.0
"""How long to wait for machine code, once, where there are too many states to look at all."""

MOST_LOOKS = 5
"""So many steps in turn may be lost before it is given up: each of them has taken all of its time."""


@dataclass
class Sight:
    """What a role has seen and knows."""

    game: Game
    role: str
    generator: random.Random
    beliefs: Beliefs | None = field(init=False)
    """None where nothing was found that fits; that is looked for again with the next steps."""

    seen: list[tuple[int, Collection[Term]]] = field(default_factory=list)
    """Steps and what was seen of each, as far as that is new: whoever shows it takes it away."""

    _followed: Beliefs = field(init=False)
    _wait: float = field(init=False, default=WAIT)
    _lost: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        self.beliefs = self._followed = Beliefs(self.game, self.role, self.generator)

    def tell(self, state: State, moves: Mapping[str, Term]) -> None:
        """Take in what the role sees of a joint move."""
        percepts = state.percepts(moves)[self.role]
        self.seen.append((state.step, percepts))
        self.see(moves.get(self.role), percepts)

    def see(self, own: Term | None, percepts: Collection[Term]) -> None:
        """Work out where the game can be after a step: the role's own move in it, and what it saw."""
        followed = self._followed
        if self._lost >= MOST_LOOKS:
            return
        if followed.steps is None and not followed.is_exact:
            followed.steps = new_steps(self.game, self._wait)
            self._wait = 0.0
        try:
            followed.see(own, percepts, SECONDS)
            self.beliefs, self._lost = followed, 0
        except GamemasterError:
            followed.put_off(own, percepts)
            self.beliefs, self._lost = None, self._lost + 1

    def known(self) -> tuple[State, int | None] | None:
        """A state of what holds in all states that can be, and their number; None if none is known.

        Where they are too many to look at, what holds in all of some that were drawn, and no number.
        """
        if self.beliefs is None:
            return None
        states = self.beliefs.states
        facts = set.intersection(*(set(state.facts) for state in states))
        known = self.game.state([fact for fact in states[0].ordered_facts if fact in facts], states[0].step)
        return known, len(states) if self.beliefs.is_exact else None
