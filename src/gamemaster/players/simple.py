"""Players that do not look ahead: legal, random, and the two that test a referee."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, Literal

from gamemaster.language.terms import Symbol, Term
from gamemaster.players.player import Player

__all__ = ["Dumbo", "Indy", "Lara", "Legal", "Random", "Slowpoke"]


class Legal(Player):
    """The first legal move.

    First in the order of the rules, which the reference machine keeps. Plays every game; where the state is hidden,
    the first of the moves it is told.
    """

    needs_state = False
    machine = "reference"

    def choose_from(self, legal: Sequence[Term]) -> Term:
        """The first."""
        return legal[0]


class Random(Player):
    """Any legal move, each equally likely.

    Plays every game; where the state is hidden, any of the moves it is told.
    """

    needs_state = False

    def choose_from(self, legal: Sequence[Term]) -> Term:
        """Any."""
        return self.generator.choice(legal)


class Indy(Random):
    """Any legal move: random under another name."""


class Lara(Random):
    """Any legal move: random under yet another name."""


class Slowpoke(Legal):
    """The first legal move, always too late: for testing clocks.

    Sleeps five seconds when pinged, and two seconds longer than its clock before it is ready and before every move.
    """

    ping_seconds = 5.0
    late_seconds = 2.0

    def ping(self) -> str:
        """Ready, after a while."""
        time.sleep(self.ping_seconds)
        return super().ping()

    def start(self, role: str, rules: Any, startclock: float, playclock: float) -> str:
        """Ready, too late."""
        time.sleep(float(startclock) + self.late_seconds)
        return super().start(role, rules, startclock, playclock)

    def play(self, moves: Any = None) -> Term | str | Literal[False]:
        """A move, too late."""
        time.sleep(self.playclock + self.late_seconds)
        return super().play(moves)


class Dumbo(Player):
    """Always the move 2: for testing what happens to illegal moves.

    Answers so in every game and every state, also where it has no move.
    """

    needs_state = False

    def play(self, moves: Any = None) -> Term:
        """2."""
        return Symbol("2")

    def stop(self, moves: Any = None) -> Literal[False]:
        """Nothing: it did not follow the match."""
        return False
