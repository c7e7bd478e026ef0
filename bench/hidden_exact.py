"""What an equilibrium gets of a player, exactly: the player is asked in every information state, nothing is drawn.

In a round the player is asked once, in each role, in every information state that its own choices lead to, each time
with a seed of its own: that is one way in which it can play the whole game. The sheet of the game, the equilibrium and
all of chance then say what comes of it, without a game being played. As the player chooses in one information state
whatever it chose by lot in others, the mean of rounds is what games would come to, were there no end of them; and
rounds differ far less than games do, whose cards and draws are luck.

A clock on the wall follows the CPU time that the player had in the round before, as in games.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from statistics import NormalDist, fmean, stdev
from typing import Any, Literal

from gamemaster.language.terms import Term
from gamemaster.players.exploiting import Asking, profile_of_player
from gamemaster.players.loading import find_player
from gamemaster.players.player import MARGIN, Player
from gamemaster.solving.equilibrium.equilibrium import Equilibrium

__all__ = ["Round", "exact_round", "exact_rounds", "spread_of", "told"]

SLOWEST = 0.25
"""It gets at most four times its CPU seconds on the wall, however busy the machine is."""

LONGEST = 3600.0
"""Seconds that a round may take for each role."""


@dataclass(frozen=True)
class Round:
    """A way in which a player can play a whole game: what an equilibrium gets against it, as a share of the points."""

    first: float
    """Where the equilibrium has the first role."""

    second: float
    asked: int
    cpu: float
    """CPU seconds of all that the player was asked, and those on the wall."""

    wall: float

    @property
    def share(self) -> float:
        """What the equilibrium gets, roles swapped as in pairs of games."""
        return (self.first + self.second) / 2


class Clocked:
    """Makes the players that are asked, each with a seed of its own, and sums up what their moves took."""

    def __init__(self, name: str, seed: int) -> None:
        self.make, self.seeds = find_player(name), count(seed)
        self.asked = 0
        self.cpu = self.wall = 0.0

    def __call__(self, seed: int | None = None, **_: Any) -> Player:
        player: Player = self.make(next(self.seeds))  # type: ignore[assignment]
        if hasattr(player, "threads"):
            player.threads = 1
        plain = player.play

        def timed(moves: Any) -> Term | str | Literal[False]:
            wall, cpu = time.perf_counter(), time.process_time()
            move = plain(moves)
            self.asked += 1
            self.cpu += time.process_time() - cpu
            self.wall += time.perf_counter() - wall
            return move

        player.play = timed  # type: ignore[method-assign, assignment]
        return player


def exact_round(found: Equilibrium, name: str, seconds: float, seed: int, rate: float) -> Round:
    """A round against a player; `rate` is how much CPU time a second on the wall has."""
    tree, players = found.tree, Clocked(name, seed)
    asking = Asking(1, seconds / max(rate, SLOWEST) + MARGIN, LONGEST)
    got = []
    for own in tree.choosers:
        (other,) = (place for place in tree.choosers if place != own)
        profile = profile_of_player(found.profile, tree.roles[other], players, asking)
        got.append(float(profile.values[own]) / 100)
    first, second = got
    return Round(first, second, players.asked, players.cpu, players.wall)


def exact_rounds(
    found: Equilibrium, name: str, seconds: float, seed: int, most: int, rate: float = 1.0
) -> Iterator[Round]:
    """So many rounds, the clock of each by the CPU time of the one before."""
    for number in range(most):
        done = exact_round(found, name, seconds, seed + number * 1_000_003, rate)
        rate = done.cpu / done.wall if done.wall else 1.0
        yield done


def spread_of(shares: Sequence[float]) -> float:
    """How far the interval of 95 % of the mean of so few reaches to both sides (Student's t); no end of it for one."""
    if len(shares) < 2:
        return math.inf
    return student(len(shares) - 1) * stdev(shares) / math.sqrt(len(shares))


def student(freedom: int) -> float:
    """The quantile of 97.5 % of Student's t: exact up to 3, else by the series of Fisher and Cornish."""
    if freedom < 4:
        return (12.706205, 4.302653, 3.182446)[freedom - 1]
    z, n = NormalDist().inv_cdf(0.975), float(freedom)
    one = (z**3 + z) / 4
    two = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    three = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return z + one / n + two / n**2 + three / n**3


def told(rounds: Sequence[Round]) -> str:
    """A line: the mean share of the equilibrium with its interval, in both roles, and what the player's moves took."""
    shares = [each.share for each in rounds]
    mean, around = fmean(shares), spread_of(shares)
    asked = sum(each.asked for each in rounds)
    return (
        f"{len(rounds):6} rounds  share {mean:.2%} ({mean - around:.2%} - {mean + around:.2%})"
        f"  first {fmean(each.first for each in rounds):.2%}  second {fmean(each.second for each in rounds):.2%}"
        f"  asked {asked:,}  ms {sum(each.cpu for each in rounds) / max(1, asked) * 1e3:.0f}"
    )
