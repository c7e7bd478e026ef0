"""Ratings of openskill: a mean and how sure it is, updated match by match in the order of the plan.

Its model (Plackett-Luce; Weng & Lin 2011) takes any number of roles, ranks and draws.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gamemaster.arena.outcomes import MatchOutcome

__all__ = ["Skill", "skills"]


@dataclass(frozen=True, slots=True)
class Skill:
    """What somebody is worth, and how far that may err."""

    mean: float
    spread: float


def skills(outcomes: Sequence[MatchOutcome], names: Sequence[str]) -> dict[str, Skill]:
    """The skill of everybody after all matches of different players."""
    from openskill.models import PlackettLuce

    model = PlackettLuce()
    ratings = {name: model.rating(name=name) for name in names}
    for each in outcomes:
        if each.counts and len(set(each.seats)) == len(each.seats) > 1:
            teams = [[ratings[name]] for name in each.seats]
            scores = [float(each.goal(seat)) for seat in range(len(each.seats))]
            for name, (rating,) in zip(each.seats, model.rate(teams, scores=scores), strict=True):
                ratings[name] = rating
    return {name: Skill(rating.mu, rating.sigma) for name, rating in ratings.items()}
