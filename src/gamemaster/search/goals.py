"""What a role can get: the lowest and the highest goal that the rules have for it, 0 to 100 as a rule, but not always.

A compiled game knows all its goals. Else they are read from the heads of the rules; where one leaves the goal open, as
`goal(R,V) :- ...` does, it is taken to be from 0 to 100.
"""

from __future__ import annotations

from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from gamemaster.language.terms import Variable
from gamemaster.machine.compiled import CompiledGame
from gamemaster.machine.game import Game

__all__ = ["USUAL", "Goals", "goals_in"]


class Goals(NamedTuple):
    """The lowest and the highest goal of a role; `floor` and `ceiling` where no goal at all, worth 0, counts too."""

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

    def share(self, value: float) -> float:
        """How much of what the role can get a value is: 0 to 1."""
        return (value - self.floor) / ((self.ceiling - self.floor) or 1.0)


USUAL = Goals()
_known: WeakKeyDictionary[Game, dict[str, Goals]] = WeakKeyDictionary()


def goals_in(game: Game, role: str) -> Goals:
    """The goals of a role, looked up once for each game."""
    known = _known.setdefault(game, {})
    if role not in known:
        told = _compiled(game, role) if isinstance(game, CompiledGame) else _written(game, role)
        numbers = [number for number in map(_number, told) if number is not None]
        known[role] = Goals(min(numbers), max(numbers)) if numbers else USUAL
    return known[role]


def _compiled(game: CompiledGame, role: str) -> list[Any]:
    return list(game.artifact.goals[game.roles.index(role)])


def _written(game: Game, role: str) -> list[Any]:
    """The goals in the heads of rules."""
    heads = [rule.head for rule in game.rules.rules if isinstance(rule.head, tuple)]
    found = [head[2] for head in heads if head[0] == "goal" and len(head) == 3 and _is_for(head[1], role)]
    is_open = any(isinstance(value, Variable) for value in found)
    return [*found, *(USUAL if is_open else ())]


def _is_for(whose: Any, role: str) -> bool:
    return isinstance(whose, Variable) or str(whose) == role


def _number(value: Any) -> float | None:
    """A goal as a number; None for what is none, which the machine tells where it comes to it."""
    try:
        return float(str(value))
    except ValueError:
        return None
