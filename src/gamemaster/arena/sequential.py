"""Is one player better than another? A sequential test that stops as soon as the answer is clear.

Wald's sequential probability ratio test (1945), generalised as chess engines are tested (M. Van den Bergh): matches
come in pairs, the same opening with seats swapped, and a pair scores 0 to 2 points. Their mean and spread are
estimated, so that neither draws nor how much the first move is worth has to be known. A pair is heard when all of it
has been played, and pairs are heard in the order of the plan.

Where a test asks both ways, there are two of them, for each of the players: is it better by so much, or not at all?
If neither is, the answer is that there is no such difference.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from gamemaster.arena.competition import FEWEST_PAIRS, TestPlan
from gamemaster.arena.outcomes import MatchOutcome, share_of

__all__ = ["Decision", "PairScores", "counted", "decide", "pair_scores", "score_of_elo", "way_of"]

ELO_SCALE = 400.0
PRIOR = 0.5
"""So many pairs lost, and as many won, are added before the spread is estimated: it is never 0."""

Answer = Literal["better", "worse", "not better", "no difference", "open", "given up"]


@dataclass(frozen=True, slots=True)
class Decision:
    """What a test says: logarithms of likelihood ratios, and the bounds between which it goes on."""

    answer: Answer
    ratio: float
    """How much likelier it is that the first is better than that it is not."""

    other: float | None
    """The same for the second, where both ways are asked."""

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


def pair_scores(outcomes: Iterable[MatchOutcome], first: str) -> list[float]:
    """The share of points, 0 to 1, that the first got in each pair that is complete, in the order of outcomes."""
    shares: dict[int, list[float]] = {}
    for each in outcomes:
        shares.setdefault(each.pair, []).append(share_of(each, first))
    return [sum(own) / 2 for own in shares.values() if len(own) == 2]


@dataclass(slots=True)
class PairScores:
    """Scores of pairs, added up as they are heard."""

    count: int = 0
    total: float = 0.0
    squares: float = 0.0

    def add(self, score: float) -> None:
        """Hear one more."""
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

    def decision(self, test: TestPlan) -> Decision:
        """What a test says of them."""
        alpha = test.alpha / 2 if test.is_two_sided else test.alpha
        lower, upper = math.log(test.beta / (1 - alpha)), math.log((1 - test.beta) / alpha)
        ratio = self.ratio(test.elo0, test.elo1)
        other = self.ratio(-test.elo0, -test.elo1) if test.is_two_sided else None
        answer: Answer = "given up" if self.count >= test.most else "open"
        if self.count >= FEWEST_PAIRS:
            answer = _answer(ratio, other, lower, upper) or answer
        return Decision(answer, ratio, other, lower, upper, self.count)


def _answer(ratio: float, other: float | None, lower: float, upper: float) -> Answer | None:
    if ratio >= upper:
        return "better"
    if other is None:
        return "not better" if ratio <= lower else None
    if other >= upper:
        return "worse"
    return "no difference" if max(ratio, other) <= lower else None


def decide(test: TestPlan, scores: Iterable[float]) -> Decision:
    """What the test says of scores of pairs, one after the other: what comes after its decision it does not hear."""
    *_, last = way_of(test, scores)
    return last


def way_of(test: TestPlan, scores: Iterable[float]) -> Iterator[Decision]:
    """What the test says before any pair and after each, until it is decided."""
    heard = PairScores()
    yield heard.decision(test)
    for score in scores:
        heard.add(score)
        decision = heard.decision(test)
        yield decision
        if decision.is_decided:
            return


def counted(decision: Decision, outcomes: Sequence[MatchOutcome]) -> Sequence[MatchOutcome]:
    """The matches that the test has heard; all, as long as it is open."""
    if not decision.is_decided:
        return outcomes
    pairs = set(list(dict.fromkeys(each.pair for each in outcomes))[: decision.pairs])
    return [each for each in outcomes if each.pair in pairs]
