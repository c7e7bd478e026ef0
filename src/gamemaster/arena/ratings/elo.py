"""Ratings by maximum likelihood over all results at once, with intervals.

Who is better by r points gets 1 / (1 + 10^(-r/400)) of the point that two play for (Elo; Bradley & Terry 1952), a draw
is half of it. What a seat is worth in a game is estimated along, so that it does not matter who had the better one. The
mean of all ratings is 0. A weak prior keeps the rating of somebody finite who has won everything.

Intervals are those of maximum likelihood where only the mean is specified (White 1982): matches of a pair may depend on
each other, and draws make results more certain than wins and losses do, without the model having to say how.
`bench/ratings.py` counts how often they hold.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from gamemaster.arena.outcomes import Duel

__all__ = ["Ratings", "rate"]

Floats = npt.NDArray[np.float64]

POINTS = 400 / math.log(10)
"""Elo points to a unit of the logistic function."""

PRIOR_SPREAD, SEAT_SPREAD = 1200.0, 200.0
"""How far from the mean ratings, and the worth of seats, are taken to be before anything was played."""

SURE = 0.95
ANY = 10**6
"""Degrees of freedom of what the model says: it does not depend on what was seen."""

LEAST_SHARE = 0.1
"""The least part of the variance of wins and losses that intervals are made of."""

FEWEST_PAIRS = 8
"""From fewer pairs, beyond what is estimated, nothing is seen of how far results differ: the model says it."""


@dataclass(frozen=True)
class Ratings:
    """What everybody is worth, in Elo points around 0, and how far estimates may err together."""

    names: tuple[str, ...]
    values: Floats  # [names]
    covariance: Floats  # [names, names]
    freedom: int
    """Degrees of freedom: how many pairs there were beyond what was estimated."""

    @cached_property
    def _quantile(self) -> float:
        from scipy.stats import t

        return float(t.ppf((1 + SURE) / 2, self.freedom))

    def value(self, name: str) -> float:
        """The rating of somebody."""
        return float(self.values[self.names.index(name)])

    def error(self, name: str) -> float:
        """How far the interval reaches to both sides: the true rating is in it in 95 of 100 cases."""
        place = self.names.index(name)
        return self._quantile * math.sqrt(self.covariance[place, place])

    def difference(self, first: str, second: str) -> tuple[float, float]:
        """By how much the first is better, and how far the interval of that reaches to both sides."""
        one, other = self.names.index(first), self.names.index(second)
        return float(self.values[one] - self.values[other]), self._quantile * self._spread(one, other)

    def likelihood(self, first: str, second: str) -> float:
        """How likely it is that the first is better."""
        from scipy.stats import t

        one, other = self.names.index(first), self.names.index(second)
        if one == other:
            return 0.5
        return float(t.cdf((self.values[one] - self.values[other]) / self._spread(one, other), self.freedom))

    def _spread(self, one: int, other: int) -> float:
        found = self.covariance
        return math.sqrt(max(1e-9, found[one, one] + found[other, other] - 2 * found[one, other]))


def rate(duels: Sequence[Duel], names: Sequence[str]) -> Ratings:
    """The ratings of those named, from all their duels."""
    from scipy.optimize import minimize

    design, scores, weights, pairs, precision = _problem(duels, names)

    def loss(x: Floats) -> tuple[float, Floats]:
        margin = design @ x
        misfit = np.logaddexp(0, margin) - scores * margin
        gradient = design.T @ (weights * (_share(margin) - scores)) + precision * x
        return float(weights @ misfit + 0.5 * precision @ x**2), gradient

    def curvature(x: Floats) -> Floats:
        share = _share(design @ x)
        return (design.T * (weights * share * (1 - share))) @ design + np.diag(precision)

    start = np.zeros(design.shape[1])
    found = minimize(loss, start, jac=True, hess=curvature, method="trust-exact").x
    players = len(names)
    centre = np.eye(players) - 1 / players
    around = np.hstack([centre, np.zeros((players, design.shape[1] - players))])
    misses = weights * (scores - _share(design @ found))
    kept = _covariance(design, misses, pairs, curvature(found), around)
    freedom = len(set(pairs.tolist())) - players + 1
    freedom = freedom if freedom >= FEWEST_PAIRS else ANY
    return Ratings(tuple(names), POINTS * (around @ found), POINTS**2 * kept, freedom)


def _share(margin: Floats) -> Floats:
    shares: Floats = 1 / (1 + np.exp(-margin))
    return shares


def _problem(
    duels: Sequence[Duel], names: Sequence[str]
) -> tuple[Floats, Floats, Floats, npt.NDArray[np.int64], Floats]:
    """A row for each duel: who and which seats were for and against the score; what is known before of each column."""
    seats = sorted({(each.game, seat) for each in duels for seat in each.seats})
    columns = {name: place for place, name in enumerate(names)}
    places = {seat: len(names) + place for place, seat in enumerate(seats)}
    design = np.zeros((len(duels), len(names) + len(seats)))
    for row, each in enumerate(duels):
        design[row, columns[each.first]] += 1
        design[row, columns[each.second]] -= 1
        design[row, places[each.game, each.seats[0]]] += 1
        design[row, places[each.game, each.seats[1]]] -= 1
    spreads = [PRIOR_SPREAD / POINTS] * len(names) + [SEAT_SPREAD / POINTS] * len(seats)
    return (
        design,
        np.array([each.score for each in duels], float),
        np.array([each.weight for each in duels], float),
        np.array([each.pair for each in duels], np.int64),
        1 / np.array(spreads) ** 2,
    )


def _covariance(
    design: Floats, misses: Floats, pairs: npt.NDArray[np.int64], curvature: Floats, around: Floats
) -> Floats:
    """How far ratings around their mean may err: by how far results were from what was expected, pair by pair.

    Few results may be alike by chance; then it is a part at least of what the model expects.
    """
    inverse: Any = np.linalg.inv(curvature)
    groups, place = np.unique(pairs, return_inverse=True)
    pulls = np.zeros((len(groups), design.shape[1]))
    np.add.at(pulls, place, design * misses[:, None])
    expected: Floats = around @ inverse @ around.T
    freedom = len(groups) - len(around) + 1
    if freedom < FEWEST_PAIRS:
        return expected
    seen: Floats = around @ inverse @ (pulls.T @ pulls) @ inverse @ around.T * (len(groups) / freedom)
    scale = np.sqrt(np.maximum(1.0, LEAST_SHARE * np.diag(expected) / np.maximum(np.diag(seen), 1e-12)))
    scaled: Floats = seen * np.outer(scale, scale)
    return scaled
