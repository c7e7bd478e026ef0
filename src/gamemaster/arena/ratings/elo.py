"""Ratings by maximum likelihood over all results at once, with intervals.

Who is better by r points gets 1 / (1 + 10^(-r/400)) of the point that two play for (Elo; Bradley & Terry 1952), a draw
is half of it. What a seat is worth in a game is estimated along, so that it does not matter who had the better one. The
mean of all ratings is 0. One draw of everybody against the mean is added: somebody who has won everything has a rating
that is not endless, and those who never met are compared by next to nothing.

Intervals are those of the likelihood, scaled by how far results of pairs of matches really were from what was
expected: draws make them narrower, and matches of a pair that depend on each other wider. `bench/ratings.py` counts how
often they hold.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from gamemaster.arena.outcomes import Duel

__all__ = ["Ratings", "rate"]

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]

POINTS = 400 / math.log(10)
"""Elo points to a unit of the logistic function."""

SEAT_SPREAD, ANY_SPREAD = 200.0, 5000.0
"""How far from 0 the worth of seats, and ratings at all, are taken to be before anything was played."""

DRAWS = 1.0
"""So many draws against the mean are added for everybody."""

SURE = 0.95
USUAL_PAIRS, USUAL_VARIANCE = 4, 0.5
"""So many pairs that vary as wins and losses do are added before it is estimated how far results vary: few may be alike
by chance. Of a pair of wins or losses, each as likely, the variance is that."""

LEAST_FREEDOM = 5


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

    fit = _Fit.of(duels, names)
    start = np.zeros(len(fit.precision))
    found = minimize(fit.loss, start, jac=True, hess=fit.curvature, method="trust-exact").x
    inverse = np.linalg.inv(fit.curvature(found))
    covariance = fit.around @ inverse @ fit.around.T * fit.dispersion(found)
    freedom = max(LEAST_FREEDOM, len(set(fit.pairs.tolist())) - len(names) + 1)
    return Ratings(tuple(names), POINTS * (fit.around @ found), POINTS**2 * covariance, freedom)


@dataclass(frozen=True)
class _Fit:
    """Duels as numbers: for and against whom, in which seats. What is sought are ratings, then the worth of seats."""

    sides: Places  # [duels, 4]: first, second, seat of the first, of the second
    scores: Floats  # [duels]
    weights: Floats  # [duels]
    pairs: Places  # [duels]
    precision: Floats  # [sought]: how much is known before
    around: Floats  # [names, sought]: takes what is sought to ratings around their mean

    SIGNS = np.array([1.0, -1.0, 1.0, -1.0])

    @classmethod
    def of(cls, duels: Sequence[Duel], names: Sequence[str]) -> _Fit:
        """The numbers of duels."""
        seats = sorted({(each.game, seat) for each in duels for seat in each.seats})
        columns = {name: place for place, name in enumerate(names)}
        places = {seat: len(names) + place for place, seat in enumerate(seats)}
        sides = [
            (
                columns[each.first],
                columns[each.second],
                places[each.game, each.seats[0]],
                places[each.game, each.seats[1]],
            )
            for each in duels
        ]
        spreads = [ANY_SPREAD] * len(names) + [SEAT_SPREAD] * len(seats)
        centre = np.eye(len(names)) - 1 / len(names)
        return cls(
            np.array(sides, np.int64),
            np.array([each.score for each in duels]),
            np.array([each.weight for each in duels]),
            np.unique([each.pair for each in duels], return_inverse=True)[1].astype(np.int64),
            (POINTS / np.array(spreads)) ** 2,
            np.hstack([centre, np.zeros((len(names), len(seats)))]),
        )

    def shares(self, x: Floats) -> Floats:
        """What the first of each duel is expected to get."""
        return _share(x[self.sides] @ self.SIGNS)

    def loss(self, x: Floats) -> tuple[float, Floats]:
        """How unlikely everything is, and which way that grows."""
        margins, middle = x[self.sides] @ self.SIGNS, self.around @ x
        misfit = self.weights @ (np.logaddexp(0, margins) - self.scores * margins)
        misfit += DRAWS * (np.logaddexp(0, middle) - 0.5 * middle).sum() + 0.5 * self.precision @ x**2
        pulls = (self.weights * (_share(margins) - self.scores))[:, None] * self.SIGNS
        slope: Floats = np.bincount(self.sides.ravel(), pulls.ravel(), len(x)).astype(np.float64)
        slope += DRAWS * self.around.T @ (_share(middle) - 0.5) + self.precision * x
        return float(misfit), slope

    def curvature(self, x: Floats) -> Floats:
        """How quickly that grows: what is known of everything together."""
        shares, middle = self.shares(x), _share(self.around @ x)
        known = np.diag(self.precision)
        known += DRAWS * (self.around.T * (middle * (1 - middle))) @ self.around
        weights = self.weights * shares * (1 - shares)
        for one in range(4):
            for other in range(4):
                sign = self.SIGNS[one] * self.SIGNS[other]
                np.add.at(known, (self.sides[:, one], self.sides[:, other]), sign * weights)
        return known

    def dispersion(self, x: Floats) -> float:
        """How much results of pairs vary, as a part of how much wins and losses would."""
        shares = self.shares(x)
        missed = np.bincount(self.pairs, self.weights * (self.scores - shares))
        expected = (self.weights * shares * (1 - shares)).sum()
        usual = USUAL_PAIRS * USUAL_VARIANCE
        freedom = max(1, len(missed) - len(self.around) + 1)
        return float((missed @ missed + usual) / (expected + usual)) * len(missed) / freedom


def _share(margin: Floats) -> Floats:
    shares: Floats = 1 / (1 + np.exp(-margin))
    return shares
