"""A player that crashes in its second move, for processes of bench/strength.py."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from gamemaster.language.terms import Term
from gamemaster.players.player import Player


class Crashing(Player):
    moves = 0

    def choose_from(self, legal: Sequence[Term]) -> Term:
        self.moves += 1
        if self.moves > 1:
            raise ZeroDivisionError("in its second move")
        return legal[0]


class Dying(Crashing):
    def choose_from(self, legal: Sequence[Term]) -> Term:
        print("a player may print what it likes")
        print("last words", file=sys.stderr, flush=True)
        if self.moves:
            import os

            os._exit(3)
        self.moves += 1
        return legal[0]
