"""What a role can get: the lowest and the highest goal that the rules have for it, 0 to 100 as a rule, but not always.

A compiled game knows all its goals. Else they are read from the heads of the rules; where one leaves the goal open, as
`goal(R,V) :- ...` does, nobody knows what it can be: then no goal is so high or so low that it proves anything.
"""

from __future__ import annotations

from math import inf, isinf
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from gamemaster.language.terms import Variable
from gamemaster.machine.compiled import CompiledGame
from gamemaster.machine.game import Game, reward_of

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


USUAL = Goals()
OPEN = Goals(-inf, inf)
_known: WeakKeyDictionary[Game, dict[str, Goals]] = WeakKeyDictionary()


def goals_in(game: Game, role: str) -> Goals:
    """The goals of a role, looked up once for each game."""
    known = _known.setdefault(game, {})
    if role not in known:
        told = _compiled(game, role) if isinstance(game, CompiledGame) else _written(game, role)
        known[role] = _range_of(told)
    return known[role]


def _range_of(goals: list[Any]) -> Goals:
    if any(isinstance(goal, Variable) for goal in goals):
        return OPEN
    numbers = [float(number) for number in map(reward_of, goals) if number is not None]
    return Goals(min(numbers), max(numbers)) if numbers else USUAL


def _compiled(game: CompiledGame, role: str) -> list[Any]:
    return list(game.layout.goals[game.roles.index(role)])


def _written(game: Game, role: str) -> list[Any]:
    """The goals in the heads of rules, variables among them."""
    heads = [rule.head for rule in game.rules.rules if isinstance(rule.head, tuple)]
    return [head[2] for head in heads if head[0] == "goal" and len(head) == 3 and _is_for(head[1], role)]


def _is_for(whose: Any, role: str) -> bool:
    return isinstance(whose, Variable) or str(whose) == role
