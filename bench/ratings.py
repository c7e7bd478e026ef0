"""Ratings and sequential tests keep their promises: simulated competitions of players whose strength is known.

    python bench/ratings.py [--competitions 200] [--tests 500]

Prints how often intervals of 95 % held the true rating and the true difference, for fields of different kinds; and how
often a sequential test was wrong, at both hypotheses, with how many pairs it took beside a test of fixed size.
"""

from __future__ import annotations

import argparse
import random
from statistics import NormalDist, mean

from gamemaster.arena.competition import TestPlan
from gamemaster.arena.outcomes import Duel
from gamemaster.arena.ratings.elo import rate
from gamemaster.arena.sequential import decide, score_of_elo

Field = tuple[tuple[float, ...] | int, int, float, float, float]
FIELDS: tuple[Field, ...] = (
    # players or their ratings, matches of two in each order, draws of equals, what the first seat is worth, spread
    (8, 3, 0.0, 0.0, 150.0),
    (8, 10, 0.3, 30.0, 150.0),
    (4, 20, 0.8, 0.0, 100.0),
    (3, 20, 0.3, 100.0, 100.0),
    (2, 50, 0.5, 0.0, 50.0),
    (12, 1, 0.1, 0.0, 200.0),
    (4, 5, 0.3, 0.0, 500.0),
    ((-200, 200), 10, 0.0, 0.0, 0.0),
    ((-400, -400, 150, 500), 5, 0.0, 0.0, 0.0),
    ((0, 0, 0, 0), 10, 0.9, 0.0, 0.0),
)


def score(generator: random.Random, share: float, draws: float) -> float:
    """One match: the share of points is as given, and so many of those between equals are draws."""
    drawn, half = generator.random(), draws * min(share, 1 - share)
    return 1.0 if drawn < share - half else 0.5 if drawn < share + half else 0.0


def simulated(generator: random.Random, field: Field) -> tuple[list[Duel], dict[str, float]]:
    """All matches of a round robin, and what everybody is worth."""
    players, matches, draws, seat, spread = field
    given = players if isinstance(players, tuple) else [generator.gauss(0, spread) for _ in range(players)]
    elo = {str(number): float(value) for number, value in enumerate(given)}
    middle = mean(elo.values())
    elo = {name: value - middle for name, value in elo.items()}
    duels, pair = [], 0
    for _ in range(matches):
        for one in elo:
            for other in elo:
                if one < other:
                    for first, second in ((one, other), (other, one)):
                        share = score_of_elo(elo[first] - elo[second] + seat)
                        duels.append(Duel(first, second, score(generator, share, draws), "game", pair))
                    pair += 1
    return duels, elo


def coverage(field: Field, competitions: int) -> tuple[float, float, float]:
    """How often the rating and the difference to another were in their intervals, and how wide those are."""
    generator = random.Random(str(field))
    ratings, differences, widths = [], [], []
    for _ in range(competitions):
        duels, elo = simulated(generator, field)
        found = rate(duels, tuple(elo))
        for name, true in elo.items():
            ratings.append(abs(found.value(name) - true) <= found.error(name))
            widths.append(found.error(name))
            for other in elo:
                if name < other:
                    value, error = found.difference(name, other)
                    differences.append(abs(value - true + elo[other]) <= error)
    return mean(ratings), mean(differences), mean(widths)


def error_rate(test: TestPlan, elo: float, right: str, tests: int) -> tuple[float, float]:
    """How often a test did not give the right answer, and after how many pairs it gave one, on the average."""
    generator, share = random.Random(f"{elo}"), score_of_elo(elo)
    found = []
    for _ in range(tests):
        pairs = ((score(generator, share, 0.5) + score(generator, share, 0.5)) / 2 for _ in range(test.most))
        found.append(decide(test, pairs))
    return mean(each.answer != right for each in found), mean(each.pairs for each in found)


def fixed_size(test: TestPlan) -> float:
    """The pairs that a test of fixed size with the same error rates takes."""
    share = score_of_elo(test.elo1)
    variance = (share * (1 - share) - 0.25 * 0.5 * 2 * min(share, 1 - share)) / 2
    width = score_of_elo(test.elo1) - score_of_elo(test.elo0)
    sure = NormalDist().inv_cdf(1 - test.alpha) + NormalDist().inv_cdf(1 - test.beta)
    return variance * (sure / width) ** 2


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--competitions", type=int, default=200)
    parser.add_argument("--tests", type=int, default=500)
    options = parser.parse_args()
    print(f"intervals of 95 %, {options.competitions} simulated competitions each")
    print("players  matches  draws  seat  spread    rating  difference   ±Elo")
    for field in FIELDS:
        own, other, width = coverage(field, options.competitions)
        players, matches, draws, seat, spread = field
        count = len(players) if isinstance(players, tuple) else players
        spread = max(players) - min(players) if isinstance(players, tuple) else spread
        print(f"{count:7}{matches:9}{draws:7.1f}{seat:6.0f}{spread:8.0f}{own:10.1%}{other:12.1%}{width:7.0f}")
    print(f"\nsequential tests, {options.tests} each; promised: 5 % wrong")
    print("asked               true  answer           wrong  pairs  of fixed size")
    for elo in (25.0, 50.0, 100.0):
        for is_two_sided in (False, True):
            test = TestPlan(0.0, elo, most=100_000, is_two_sided=is_two_sided)
            none = "no difference" if is_two_sided else "not better"
            for true, right in ((0.0, none), (elo, "better")):
                wrong, pairs = error_rate(test, true, right, options.tests)
                asked = f"0 or {'±' if is_two_sided else ''}{elo:g}"
                share = pairs / fixed_size(test)
                print(f"{asked:16}{true:+8.0f}  {right:14}{wrong:8.1%}{pairs:7.0f}{share:14.2f}")


if __name__ == "__main__":
    main()
