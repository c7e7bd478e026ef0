"""What a role can get: the lowest and the highest goal that the rules have for it, 0 to 100 as a rule, but not always.

A compiled game knows all its goals. Else they are read from the heads of the rules; where one leaves the goal open, as
`goal(R,V) :- ...` does, nobody knows what it can be: then no goal is so high or so low that it proves anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, isinf
from typing import NamedTuple
from weakref import WeakKeyDictionary

from gamemaster.language.terms import Term, Variable
from gamemaster.machine.game import Game
from gamemaster.machine.mistakes import reward_of

__all__ = ["USUAL", "Goals", "goals_in"]


class Goals(NamedTuple):
    """The lowest and the highest goal of a role; `floor` and `ceiling` where no goal at all, worth 0, counts too.

    Infinite where the rules leave it open.
    """

    lowest: float = 0.0
    highest: float = 100.0

    @property
    def floor(self) -> float:
        """The least that the role can get."""
        return min(0.0, self.lowest)

    @property
    def ceiling(self) -> float:
        """The most that the role can get."""
        return max(0.0, self.highest)

    @property
    def sum(self) -> float:
        """What two roles share who are against each other; the usual 100 where nobody knows."""
        return self.floor + self.ceiling if not isinf(self.ceiling) else USUAL.sum

    def share(self, value: float) -> float:
        """How much of what the role can get a value is: 0 to 1; of the usual 100 where nobody knows."""
        if isinf(self.ceiling):
            return USUAL.share(value)
        return (value - self.floor) / ((self.ceiling - self.floor) or 1.0)

    def at_share(self, share: float) -> float:
        """The value that is such a share: the reverse of `share`."""
        if isinf(self.ceiling):
            return USUAL.at_share(share)
        return self.floor + share * (self.ceiling - self.floor)


USUAL = Goals()
OPEN = Goals(-inf, inf)
_known: WeakKeyDictionary[Game, dict[str, Goals]] = WeakKeyDictionary()


def goals_in(game: Game, role: str) -> Goals:
    """The goals of a role, looked up once for each game."""
    known = _known.setdefault(game, {})
    if role not in known:
        known[role] = _range_of(game.goal_terms(role))
    return known[role]


def _range_of(goals: Sequence[Term]) -> Goals:
    if any(isinstance(goal, Variable) for goal in goals):
        return OPEN
    numbers = [float(number) for number in map(reward_of, goals) if number is not None]
    return Goals(min(numbers), max(numbers)) if numbers else USUAL
