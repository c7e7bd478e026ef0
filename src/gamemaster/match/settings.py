"""How a match is run, and from where it goes on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from gamemaster.errors import GamemasterError
from gamemaster.machine.game import State

__all__ = ["PING_SECONDS", "Past", "Settings"]

PING_SECONDS = 5.0
"""The ping clock of scheduled matches: no record tells it, so a witness takes it for granted."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How a match is run. Clocks are in seconds, math.inf for one that never runs out.

    Without a ping clock nobody is pinged.
    """

    start_clock: float = 10.0
    play_clock: float = 10.0
    ping_clock: float = 0.0
    seed: int = 0
    match: str = ""
    names: Mapping[str, str] = field(default_factory=dict)
    """Where the rules are scrambled: the words they had."""

    game: str = ""
    """The name of the game, where the one that is played has another, so that players do not know it."""

    clocks: Mapping[str, float] = field(default_factory=dict)
    """Roles whose players are told another play clock: guests at a table with people, who have more time."""

    stops_at_error: bool = False
    """Whether to leave the match at the first error of a player, as somebody who interrupts it does."""

    opening: int = 0
    """So many steps at most are drawn by lot before anybody is asked; none of them ends the game."""

    most_steps: int = 0
    """After so many steps the match is ended, as somebody would do who has seen enough; 0: never."""

    counts_cpu: bool = False
    """Whether clocks run only while players compute, as far as that can be told of them."""

    grace: float = 0.0
    """So many seconds longer than they are told is waited until players are ready: people at the table can wait."""

    def __post_init__(self) -> None:
        for clock in (self.start_clock, self.play_clock, *self.clocks.values()):
            if not clock > 0:
                raise GamemasterError(f"a clock of {clock:g} s; it must be more than 0")
        if not self.grace >= 0:
            raise GamemasterError(f"a grace of {self.grace:g} s; it can be 0 or more")
        if self.opening < 0:
            raise GamemasterError(f"an opening of {self.opening} steps; there are 0 or more")

    def play_clock_of(self, role: str) -> float:
        """The play clock that the player of a role is told."""
        return self.clocks.get(role, self.play_clock)


@dataclass(frozen=True, slots=True)
class Past:
    """What was played before a match goes on: joint moves, errors by role, and the time on its clock."""

    moves: Sequence[Mapping[str, str]] = ()
    errors: Mapping[str, int] = field(default_factory=dict)
    time: float = 0.0
    has_state: bool = False
    """Whether the last state is recorded already."""

    states: Sequence[State] = ()
    """The states that the moves led to, where they are at hand: nobody has to work them out again."""
