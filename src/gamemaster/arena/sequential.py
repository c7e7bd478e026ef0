"""Is one player better than another? A sequential test that stops as soon as the answer is clear.

Wald's sequential probability ratio test (1945), generalised as chess engines are tested (M. Van den Bergh): matches
come in pairs, the same opening with seats swapped, and a pair scores 0 to 2 points. Their mean and spread are
estimated, so that neither draws nor how much the first move is worth has to be known. A pair is heard when all of it
has been played, and pairs are heard in the order of the plan.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from gamemaster.arena.competition import TestPlan
from gamemaster.arena.outcomes import MatchOutcome, points

__all__ = ["Decision", "counted", "decide", "pair_scores", "score_of_elo", "verdict_of", "way_of"]

ELO_SCALE = 400.0
FEWEST_PAIRS = 10
"""From fewer pairs the spread is not known well enough to say anything."""

PRIOR = 0.5
"""So many pairs lost, and as many won, are added before the spread is estimated: it is never 0."""

Answer = Literal["better", "not better", "open", "given up"]


@dataclass(frozen=True, slots=True)
class Decision:
    """What a test says: the logarithm of the likelihood ratio, and the bounds between which it goes on."""

    answer: Answer
    ratio: float
    lower: float
    upper: float
    pairs: int
    """How many pairs it has heard."""

    @property
    def is_decided(self) -> bool:
        """Whether nothing more is to be played."""
        return self.answer != "open"


def score_of_elo(elo: float) -> float:
    """The share of points that somebody gets who is so much better."""
    return 1 / (1 + 10 ** (-elo / ELO_SCALE))


def pair_scores(outcomes: Sequence[MatchOutcome], first: str) -> list[tuple[int, float]]:
    """The share of points, 0 to 1, that the first got in each pair that is complete, and the pair's number.

    A match that could not be played counts as a draw: otherwise a pair would say more of one seat than of the other.
    """
    shares: dict[int, list[float]] = {}
    for each in outcomes:
        seat = each.seats.index(first)
        share = points(each.goal(seat), each.goal(1 - seat)) if each.counts else 0.5
        shares.setdefault(each.pair, []).append(share)
    return [(pair, sum(own) / 2) for pair, own in shares.items() if len(own) == 2]


@dataclass(slots=True)
class _Scores:
    """Scores of pairs, added up."""

    count: int = 0
    total: float = 0.0
    squares: float = 0.0

    def add(self, score: float) -> None:
        self.count += 1
        self.total += score
        self.squares += score**2

    def ratio(self, elo0: float, elo1: float) -> float:
        """The logarithm of how much likelier they are if the first is better by elo1 than by elo0."""
        count = self.count + 2 * PRIOR
        mean = (self.total + PRIOR) / count
        spread = (self.squares + PRIOR) / count - mean**2
        low, high = score_of_elo(elo0), score_of_elo(elo1)
        return self.count * (high - low) * (2 * mean - low - high) / (2 * spread)


def verdict_of(test: TestPlan, outcomes: Sequence[MatchOutcome]) -> Decision:
    """What the test says of matches in their order: what came after its decision it does not hear."""
    if not outcomes:
        return decide(test, ())
    first = min(outcomes, key=lambda each: each.number).seats[0]
    return decide(test, (score for _, score in pair_scores(outcomes, first)))


def decide(test: TestPlan, scores: Iterable[float]) -> Decision:
    """What the test says of scores of pairs, one after the other."""
    *_, last = way_of(test, scores)
    return last


def way_of(test: TestPlan, scores: Iterable[float]) -> Iterator[Decision]:
    """What the test says before any pair and after each, until it is decided."""
    heard = _Scores()
    yield _decision(test, heard)
    for score in scores:
        heard.add(score)
        decision = _decision(test, heard)
        yield decision
        if decision.is_decided:
            return


def _decision(test: TestPlan, heard: _Scores) -> Decision:
    lower, upper = math.log(test.beta / (1 - test.alpha)), math.log((1 - test.beta) / test.alpha)
    ratio = heard.ratio(test.elo0, test.elo1)
    answer: Answer = "open"
    if heard.count >= FEWEST_PAIRS and ratio >= upper:
        answer = "better"
    elif heard.count >= FEWEST_PAIRS and ratio <= lower:
        answer = "not better"
    elif heard.count >= test.most:
        answer = "given up"
    return Decision(answer, ratio, lower, upper, heard.count)


def counted(verdict: Decision, outcomes: Sequence[MatchOutcome]) -> list[MatchOutcome]:
    """The matches that the test has heard; all, as long as it is open."""
    if not verdict.is_decided:
        return list(outcomes)
    pairs = set(list(dict.fromkeys(each.pair for each in outcomes))[: verdict.pairs])
    return [each for each in outcomes if each.pair in pairs]
