"""What kind of game it is, as far as that is known at once: algorithms refuse by it what they cannot search.

`game.kind` says it. No state is searched for it and nothing compiled; what takes a proof or a sample of games (whether
goals always add up to the same, whether roles take turns in a game that is not compiled) is found by
metagame/analysis.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["RANDOM", "Dynamics", "Kind"]

RANDOM = "random"
"""The role that GDL-II gives to chance: it picks each of its legal moves with the same probability."""

Dynamics = Literal["one role", "turn-taking", "simultaneous"]
"""How roles choose: one alone, never two in the same state, or sometimes several at once."""


@dataclass(frozen=True, slots=True)
class Kind:
    """What kind of game it is."""

    roles: int
    """How many roles there are, chance among them."""

    has_chance: bool
    """Whether chance is a role: then moves have outcomes that nobody chooses."""

    has_hidden_information: bool
    """Whether the rules say what each role sees (GDL-II): then nobody knows the state."""

    turns: Dynamics | None
    """How roles choose; None where that takes an analysis."""

    @property
    def players(self) -> int:
        """How many roles choose for themselves: chance does not."""
        return self.roles - self.has_chance

    @property
    def is_single_player(self) -> bool:
        """Whether one role plays, alone or against chance."""
        return self.players == 1

    def __str__(self) -> str:
        players = "one player" if self.is_single_player else f"{self.players} players"
        told = [players, self.turns if self.roles > 1 else None]
        told += ["chance" if self.has_chance else None]
        told += ["hidden information" if self.has_hidden_information else None]
        return ", ".join(word for word in told if word)
