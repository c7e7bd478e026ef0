"""Profiles for people to read: what a role knows where it chooses, and how likely it makes each move.

    jack; pass; bet      was dealt a jack, passed, and saw a bet

A step is what the role did and saw in it, between commas, its own move first; steps are apart by semicolons. What goes
without saying is left out: moves that were the only ones, and what a role sees whatever the others do.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from gamemaster.language.terms import Compound, Symbol, Term
from gamemaster.solving.equilibrium.information import Sighting
from gamemaster.solving.equilibrium.profiles import Profile
from gamemaster.solving.equilibrium.tree import HistoryTree

__all__ = ["NOTHING", "MixedAdvice", "advices", "told"]

NOTHING = "nothing yet"


class MixedAdvice(NamedTuple):
    """What a profile says of an information state."""

    role: str
    step: int
    """How many steps were made before."""

    knows: str
    moves: dict[Term, float]
    reach: float
    """How likely the role's own moves lead there, if the others and chance do their part: 0 where it never comes."""

    def to_json(self) -> dict[str, Any]:
        """The same as plain data."""
        moves = {str(move): chance for move, chance in self.moves.items()}
        return {**self._asdict(), "moves": moves}


def advices(profile: Profile, role: str | None = None) -> Iterator[MixedAdvice]:
    """What a profile says, role by role and step by step; of one role only if it is named."""
    tree = profile.tree
    for state in range(tree.states):
        owner = tree.roles[tree.choosers[tree.chooser_of(state)]]
        if role in (None, owner):
            reach = float(profile.plans[tree.form.parents[state]])
            news = tree.news(state)
            yield MixedAdvice(owner, len(news), told(tree, owner, news), profile.advise(state), reach)


def told(tree: HistoryTree, role: str, news: list[Sighting]) -> str:
    """What a role knows, in a line."""
    steps = [", ".join([*([str(own)] if own else []), *_seen(tree, role, seen)]) for own, seen in news]
    return "; ".join(filter(None, steps)) or NOTHING


def _seen(tree: HistoryTree, role: str, percepts: frozenset[Term]) -> list[str]:
    return sorted(_percept(tree, role, percept) for percept in percepts)


def _percept(tree: HistoryTree, role: str, percept: Term) -> str:
    """A percept; a move of somebody else without its frame: who made it is said where it can be several."""
    if isinstance(percept, Compound) and len(percept) == 3 and percept[0] == "does":
        who, move = percept[1], percept[2]
        others = [other for other in tree.roles if other != role]
        if isinstance(who, Symbol) and who in tree.game.roles:
            return str(move) if others in ([who], []) else f"{who} {move}"
    return str(percept)
