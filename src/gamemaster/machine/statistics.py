"""Finished games -> figures: what each role got, who won, how long they were, each with the interval of 95 %.

A role *wins* a game in which it alone has the highest goal, and a game is a *draw* where all have the same; where some
share the highest goal it is neither. Chance is no player, a game that was cut has no winner, and where one role plays
alone there are neither wins nor draws.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from math import sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

from gamemaster.machine.kind import RANDOM
from gamemaster.machine.showing import Shown

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = [
    "Interval",
    "NotedGames",
    "PlayoutStats",
    "Z",
    "mean_error",
    "mean_interval",
    "note_games",
    "players_of",
    "share_interval",
    "stats_of",
]

Z = 1.96
"""Standard errors to either side of a mean for an interval of 95 %."""

BEST_GOAL = 100
GOALS_AT_ONCE = 1 << 20
"""So many goals are compared in one go: games may have thousands of roles."""


MOST_VALUES = 10_000
"""So many different numbers are counted without sorting."""


class Interval(NamedTuple):
    """A figure, and between which two the true one is in 95 of 100 cases."""

    value: float
    low: float
    high: float

    @property
    def digits(self) -> int:
        """How many digits behind the point say something, one at least."""
        return next((digits for digits in (1, 2, 3) if self.high - self.low >= 2 / 10**digits), 1)

    def __str__(self) -> str:
        return f"{self.value:.{self.digits}f} ({self.low:.{self.digits}f} to {self.high:.{self.digits}f})"


@dataclass(frozen=True, slots=True)
class NotedGames:
    """Games noted one by one. `wins` are in role order; `shared` is how often some, not all, had the highest goal."""

    games: int
    wins: tuple[int, ...]
    draws: int
    shared: int
    cut: int
    lengths: Mapping[int, int] = field(hash=False)
    """How many games had which length."""

    leads: Mapping[float, int] = field(hash=False)
    """How often the role that began was so far ahead of the mean of the others; none where nobody began alone."""

    def __add__(self, other: NotedGames) -> NotedGames:
        return NotedGames(
            self.games + other.games,
            tuple(own + more for own, more in zip(self.wins, other.wins, strict=True)),
            self.draws + other.draws,
            self.shared + other.shared,
            self.cut + other.cut,
            dict(Counter(self.lengths) + Counter(other.lengths)),
            dict(Counter(self.leads) + Counter(other.leads)),
        )


@dataclass(frozen=True, slots=True)
class PlayoutStats(Shown):
    """What random play from a state gave. `cut` counts playouts stopped at the length limit.

    Means and `goal_counts` are of all playouts. `noted` are those that were noted one by one: all of them on the
    reference machine, the first some thousands on the compiled one.
    """

    playouts: int
    moves: int
    seconds: float
    mean_length: float
    mean_goals: tuple[float, ...]
    cut: int = 0
    roles: tuple[str, ...] = ()
    first: str | None = None
    """The role that begins, where one does."""

    goal_counts: tuple[Mapping[int, int], ...] = field(default=(), hash=False)
    """For each role, how many playouts brought it which goal."""

    noted: NotedGames | None = None

    def goal_intervals(self) -> dict[str, Interval]:
        """The mean goal of each player."""
        numbers = players_of(self.roles) if self.playouts else ()
        return {
            self.roles[number]: mean_interval(self.goal_counts[number], 0, BEST_GOAL) for number in numbers
        }

    def win_intervals(self) -> dict[str, Interval]:
        """How often each player wins, in percent; nothing where there is one."""
        players = players_of(self.roles)
        if not self.noted or not self.noted.games or len(players) < 2:
            return {}
        return {
            self.roles[number]: share_interval(self.noted.wins[number], self.noted.games)
            for number in players
        }

    def draw_interval(self) -> Interval | None:
        """How often all players get the same, in percent; None where there is one."""
        if not self.noted or not self.noted.games or len(players_of(self.roles)) < 2:
            return None
        return share_interval(self.noted.draws, self.noted.games)

    def length_interval(self) -> Interval | None:
        """The mean length; None where too few playouts were noted to say how they differ."""
        if not self.noted or self.noted.games < 2:
            return None
        spread = sqrt(_variance(self.noted.lengths)) * _quantile(self.noted.games - 1) / sqrt(self.playouts)
        return Interval(self.mean_length, max(0.0, self.mean_length - spread), self.mean_length + spread)

    def first_move_advantage(self) -> Interval | None:
        """How much more the role that begins gets than the mean of the others; None where nobody begins alone."""
        if not self.noted or not self.noted.leads:
            return None
        return mean_interval(self.noted.leads, -BEST_GOAL, BEST_GOAL)

    def to_dict(self) -> dict[str, Any]:
        """The statistics as plain data, ready for JSON; `mean_goals` are in role order."""
        plain = {**asdict(self), "mean_goals": list(self.mean_goals)}
        draws, length, lead = self.draw_interval(), self.length_interval(), self.first_move_advantage()
        return plain | {
            "goal_intervals": {role: each._asdict() for role, each in self.goal_intervals().items()},
            "win_intervals": {role: each._asdict() for role, each in self.win_intervals().items()},
            "draw_interval": draws and draws._asdict(),
            "length_interval": length and length._asdict(),
            "first_move_advantage": lead and lead._asdict(),
        }

    def __str__(self) -> str:
        goals = ", ".join(f"{goal:.1f}" for goal in self.mean_goals)
        cut = f", {self.cut:,} of them cut," if self.cut else ""
        return f"{self.playouts:,} playouts{cut} in {self.seconds:.2f} s: {self.mean_length:.1f} moves, goals {goals}"


def players_of(roles: Sequence[str]) -> tuple[int, ...]:
    """The numbers of the roles that somebody plays: all but chance."""
    return tuple(number for number, role in enumerate(roles) if role != RANDOM)


# Intervals


def mean_interval(counts: Mapping[int, int] | Mapping[float, int], least: float, most: float) -> Interval:
    """The mean of values that can be from `least` to `most`, each so often.

    As if one game more had brought either: few games that all ended alike do not say that all do (Agresti and Coull do
    so for shares). Of many games that takes nothing.
    """
    least, most = min(least, *counts), max(most, *counts)
    games, total = sum(counts.values()), sum(value * count for value, count in counts.items())
    more = Counter[float](dict(counts.items()))
    more.update((least, most))
    centre = (total + least + most) / (games + 2)
    half = _quantile(games + 1) * sqrt(_variance(more) / (games + 2))
    return Interval(total / games, max(least, centre - half), min(most, centre + half))


def share_interval(hits: int, games: int) -> Interval:
    """A share in percent with Wilson's interval, which is right for none and for all too."""
    share, spread = hits / games, Z * Z / games
    centre = (share + spread / 2) / (1 + spread)
    half = sqrt(share * (1 - share) * spread + spread * spread / 4) / (1 + spread)
    return Interval(100 * share, 100 * max(0.0, centre - half), 100 * min(1.0, centre + half))


def mean_error(values: Sequence[float], games: int) -> float:
    """Half the interval of a mean over so many games, from what two or more of them differ by."""
    return _quantile(len(values) - 1) * sqrt(_variance(Counter(values)) / games)


def stats_of(
    roles: tuple[str, ...],
    first: str | None,
    goals: Sequence[Sequence[int]],
    lengths: Sequence[int],
    is_cut: Sequence[bool],
    seconds: float,
) -> PlayoutStats:
    """The statistics of games that are at hand, all of them noted."""
    played, moves = max(1, len(lengths)), sum(lengths)
    counts = tuple(Counter(own) for own in zip(*goals, strict=True)) or tuple(Counter[int]() for _ in roles)
    return PlayoutStats(
        playouts=len(lengths),
        moves=moves,
        seconds=seconds,
        mean_length=moves / played,
        mean_goals=tuple(sum(goal * games for goal, games in own.items()) / played for own in counts),
        cut=sum(is_cut),
        roles=roles,
        first=first,
        goal_counts=tuple(dict(own) for own in counts),
        noted=note_games(roles, first, goals, lengths, is_cut),
    )


def _variance(counts: Mapping[int, int] | Mapping[float, int]) -> float:
    """How far values are from their mean, squared, as far as that many tell."""
    games = sum(counts.values())
    mean = sum(value * count for value, count in counts.items()) / games
    return sum(count * (value - mean) ** 2 for value, count in counts.items()) / (games - 1)


def _quantile(freedom: int) -> float:
    """Student's t for an interval of 95 %: what few games tell of their spread is little."""
    first = (Z**3 + Z) / 4
    second = (5 * Z**5 + 16 * Z**3 + 3 * Z) / 96
    third = (3 * Z**7 + 19 * Z**5 + 17 * Z**3 - 15 * Z) / 384
    return Z + first / freedom + second / freedom**2 + third / freedom**3


# Notes


def note_games(roles: Sequence[str], first: str | None, goals: Any, lengths: Any, is_cut: Any) -> NotedGames:
    """The notes of games: goals [games, roles], lengths [games], which were cut [games], as arrays or sequences."""
    import numpy as np

    lengths, is_cut = np.asarray(lengths, np.int64), np.asarray(is_cut, np.bool_)
    goals = np.asarray(goals, np.int64).reshape(len(lengths), len(roles))
    players = players_of(roles)
    wins, draws, leads = np.zeros(len(roles), np.int64), 0, Counter[float]()
    at_once = max(1, GOALS_AT_ONCE // max(1, len(roles)))
    for start in range(0, len(goals) if len(players) > 1 else 0, at_once):
        own = goals[start : start + at_once][:, players]
        is_over = ~is_cut[start : start + at_once]
        is_best = own == own.max(axis=1, keepdims=True)
        best = is_best.sum(axis=1)
        wins[list(players)] += (is_best & (is_over & (best == 1))[:, None]).sum(axis=0)
        draws += int((is_over & (best == len(players))).sum())
        if first is not None:
            ahead = own[:, players.index(roles.index(first))]
            others = len(players) - 1
            counts = _counted(ahead * len(players) - own.sum(axis=1))  # as often as there are others
            leads.update({value / others: games for value, games in counts.items()})
    return NotedGames(
        games=len(lengths),
        wins=tuple(wins.tolist()),
        draws=draws,
        shared=len(lengths) - int(wins.sum()) - draws - int(is_cut.sum()) if len(players) > 1 else 0,
        cut=int(is_cut.sum()),
        lengths=_counted(lengths),
        leads=dict(leads),
    )


def _counted(values: npt.NDArray[np.int64]) -> dict[int, int]:
    """How often each value is there; without sorting them, where they are close together."""
    import numpy as np

    if not len(values):
        return {}
    least, most = int(values.min()), int(values.max())
    if most - least > MOST_VALUES:
        found, games = np.unique(values, return_counts=True)
    else:
        counts = np.bincount(values - least)
        (places,) = counts.nonzero()
        found, games = places + least, counts[places]
    return dict(zip(found.tolist(), games.tolist(), strict=True))
