"""Games of two in pairs, as benches play them: a journal, a sequential test, and what comes out with intervals.

A pair is two games with sides swapped: in even numbers the player has the first seat, in odd ones the second. The test
(arena/sequential.py) hears pairs in order, so that it says the same however often a match was interrupted.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from gamemaster.arena.competition import FEWEST_PAIRS, TestPlan
from gamemaster.arena.outcomes import Duel
from gamemaster.arena.ratings.elo import rate
from gamemaster.arena.sequential import Decision, PairScores

__all__ = [
    "Journal",
    "Match",
    "Played",
    "duels_of",
    "elo_of",
    "figures",
    "interval",
    "pair_means",
    "plan_for",
]

Z = 1.959964
"""95 % of a normal distribution lie within so many deviations."""

NAMES = ("player", "opponent")
"""What the two are called where they are rated: their real names may be the same."""


@dataclass
class Played:
    """A game's points for the player, and what was spent on it: CPU seconds and moves, the player's first."""

    number: int
    points: float
    seconds: tuple[float, float] = (0.0, 0.0)
    moves: tuple[int, int] = (0, 0)
    simulations: float = 0.0
    fault: str = ""
    """Why one of them lost it before its end."""


class Journal:
    """Games that were played, a line of JSON each, with the setting in which they were; without a path, none."""

    def __init__(self, path: Path | None, setting: Mapping[str, Any]) -> None:
        self.path, self.setting = path, dict(setting)

    def games(self) -> dict[int, Played]:
        """The games that were played in this setting, by their numbers; lines that break off do not count."""
        if self.path is None or not self.path.exists():
            return {}
        found: dict[int, Played] = {}
        for line in self.path.read_text().splitlines():
            try:
                row = json.loads(line)
            except json.JSONDecodeError:
                print(f"{self.path}: a line breaks off, its game does not count", file=sys.stderr)
                continue
            if row["setting"] == self.setting:
                found[row["game"]["number"]] = Played(**row["game"])
        return found

    def add(self, game: Played) -> None:
        """Write a game down, on a line of its own whatever came before."""
        if self.path is None:
            return
        line = json.dumps({"setting": self.setting, "game": asdict(game)}) + "\n"
        with self.path.open("ab+") as file:
            if file.tell():
                file.seek(-1, 2)
                line = line if file.read() == b"\n" else "\n" + line
            file.write(line.encode())


@dataclass(frozen=True)
class Match:
    """How many games there are at most and at least, and the test that ends them; None plays them all."""

    most: int
    plan: TestPlan | None
    least: int = 0

    def games(
        self,
        play: Callable[[int], Played],
        journal: Journal,
        tell: Callable[[Sequence[Played]], None] = lambda games: None,
    ) -> tuple[list[Played], Decision]:
        """Games until so many were played, or the test is decided; those in the journal are not played again."""
        games, scores, known = list[Played](), PairScores(), journal.games()
        test = self.plan or plan_for(self.most)
        for number in range(self.most):
            game = known.get(number) or play(number)
            if number not in known:
                journal.add(game)
            games.append(game)
            tell(games)
            if number % 2:
                scores.add((games[-2].points + games[-1].points) / 2)
                is_enough = self.plan is not None and number + 1 >= self.least
                if is_enough and scores.decision(test).is_decided:
                    break
        return games, scores.decision(test)


def plan_for(games: int, elo: float = 50.0) -> TestPlan:
    """A test that asks both ways: better by so much, or not at all? Given up after so many games."""
    return TestPlan(elo1=elo, most=max(FEWEST_PAIRS, games // 2), is_two_sided=True)


def pair_means(games: Sequence[Played]) -> list[float]:
    """What the player got of each pair that is complete, 0 to 1."""
    return [(one.points + two.points) / 2 for one, two in zip(games[::2], games[1::2], strict=False)]


def interval(pairs: Sequence[float]) -> tuple[float, float]:
    """95 % of the mean of pairs: as if one more pair had been lost and one won, so that it is never without width."""
    padded = [*pairs, 0.0, 1.0]
    mean = sum(pairs) / len(pairs)
    spread = sum((pair - sum(padded) / len(padded)) ** 2 for pair in padded) / (len(padded) - 1)
    around = Z * math.sqrt(spread / len(pairs))
    return max(0.0, mean - around), min(1.0, mean + around)


def figures(games: Sequence[Played]) -> dict[str, Any]:
    """The player's share of the points with its interval, and CPU seconds for a move on both sides."""
    pairs = pair_means(games)
    low, high = interval(pairs)
    spent = [
        sum(game.seconds[side] for game in games) / max(1, sum(game.moves[side] for game in games))
        for side in (0, 1)
    ]
    return {
        "games": len(games),
        "points": sum(game.points for game in games),
        "share": sum(pairs) / len(pairs),
        "low": low,
        "high": high,
        "player_seconds": spent[0],
        "opponent_seconds": spent[1],
    }


def duels_of(games: Sequence[Played], name: str) -> list[Duel]:
    """The games as ratings want them: who had the first seat is named first."""
    duels = []
    for game in games:
        own = game.number % 2
        score = 1 - game.points if own else game.points
        duels.append(Duel(NAMES[own], NAMES[1 - own], score, name, game.number // 2))
    return duels


def elo_of(duels: Sequence[Duel]) -> tuple[float, float]:
    """By how many Elo points the player is better, and how far the interval of 95 % reaches to both sides."""
    return rate(duels, NAMES).difference(*NAMES)
