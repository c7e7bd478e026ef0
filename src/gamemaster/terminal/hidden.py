"""What a person may see of a game that hides its state: their percepts, and what follows from all they have seen.

The states in which the game can be are worked out as players do it. What holds in all of them is what the person knows,
and that is drawn; where there are too many to look at all, the person is told so.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field

from gamemaster.draw.text import draw_text
from gamemaster.errors import GamemasterError
from gamemaster.language.terms import Term
from gamemaster.machine.game import Game, State
from gamemaster.players.beliefs import Beliefs
from gamemaster.terminal.screen import width

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

    seen: list[str] = field(default_factory=list)
    """What is new since it was last shown."""

    def __post_init__(self) -> None:
        self.beliefs = Beliefs(self.game, self.role, self.generator)

    def tell(self, state: State, moves: Mapping[str, Term]) -> None:
        """Take in what the role sees of a joint move."""
        percepts = state.percepts(moves)[self.role]
        shown = ", ".join(sorted(map(str, percepts))) or "nothing"
        self.seen.append(f"Step {state.step + 1}: {self.role} sees {shown}")
        try:
            if self.beliefs is not None:
                self.beliefs.see(moves.get(self.role), percepts, SECONDS)
        except GamemasterError:
            self.beliefs = None

    def show(self) -> str:
        """What is new, and the board as far as it is known, for nobody but this role."""
        new, self.seen = self.seen, []
        return "\n".join([*new, "", *self._known()])

    def _known(self) -> list[str]:
        if self.beliefs is None:
            return ["(what holds now cannot be worked out from that)"]
        states = self.beliefs.states
        facts = set.intersection(*(set(state.facts) for state in states))
        count = "more than can be looked at" if len(states) >= self.beliefs.most else str(len(states))
        known = self.game.state([fact for fact in states[0].ordered_facts if fact in facts], states[0].step)
        said = f"What {self.role} knows (states that can be: {count}):"
        return [said, "", draw_text(known, width())]
