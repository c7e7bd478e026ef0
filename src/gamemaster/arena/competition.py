"""A competition as a value: which games, who plays, under which clocks, who meets whom, and when it is over.

Nothing here runs or looks at a disk. A competition goes to plain data and back, and its digest says whether two are the
same: what was begun is only ever gone on with as what it was (see `journal` for the texts of rules and players).
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, get_args

from gamemaster.errors import CompetitionError

__all__ = [
    "FEWEST_PAIRS",
    "ISOLATION",
    "PAIRINGS",
    "Competition",
    "Entrant",
    "Isolation",
    "Pairing",
    "TestPlan",
]

Pairing = Literal["round robin", "gauntlet", "swiss", "knock-out"]
"""Who meets whom: everybody everybody, the first all others, those with like scores, or who has not lost yet."""

Isolation = Literal["files", "all", "separate", "none"]
"""Who has a process behind walls: players of files, all of them; a process without walls each; nobody."""

FEWEST_PAIRS, MOST_PAIRS = 10, 100_000
"""Of a test: from fewer pairs the spread of results is not known well enough to say anything."""

MOST_ELO = 2000
PAIRINGS: tuple[Pairing, ...] = get_args(Pairing)
ISOLATION: tuple[Isolation, ...] = get_args(Isolation)


@dataclass(frozen=True, slots=True)
class Entrant:
    """Who takes part: a name in tables, and the player it stands for, as `gamemaster match` takes one."""

    name: str
    player: str


@dataclass(frozen=True, slots=True)
class TestPlan:
    """A sequential test between two: is the first better by `elo1` rather than by `elo0`?

    `alpha` is how often it may say so where that is false, `beta` how often it may deny it where it is true. Where it
    `is_two_sided`, the same is asked of the second. `most` is after how many pairs of matches it is given up.
    """

    __test__ = False  # for pytest, which takes it for a test

    elo0: float = 0.0
    elo1: float = 50.0
    alpha: float = 0.05
    beta: float = 0.05
    most: int = 1000
    is_two_sided: bool = False

    def __post_init__(self) -> None:
        if not all(math.isfinite(elo) and abs(elo) <= MOST_ELO for elo in (self.elo0, self.elo1)):
            raise CompetitionError(
                f"elo0 {self.elo0:g} and elo1 {self.elo1:g} must be within {MOST_ELO} of 0"
            )
        if not self.elo0 < self.elo1:
            raise CompetitionError(f"elo0 {self.elo0:g} must be less than elo1 {self.elo1:g}")
        for name in ("alpha", "beta"):
            if not 0 < getattr(self, name) < 0.5:
                raise CompetitionError(
                    f"{name} {getattr(self, name):g} must be more than 0 and less than 0.5"
                )
        if not FEWEST_PAIRS <= self.most <= MOST_PAIRS:
            bounds = f"a test takes {FEWEST_PAIRS} to {MOST_PAIRS:,} pairs"
            raise CompetitionError(f"most {self.most}: {bounds}")


@dataclass(frozen=True, slots=True)
class Competition:
    """Games, players and how they meet. Clocks are in seconds.

    Those who meet play each game `matches` times in each order of their seats; with random openings, every order has
    the same one. `rounds` are those of a Swiss system.
    """

    games: tuple[str, ...]
    entrants: tuple[Entrant, ...]
    name: str = "competition"
    pairing: Pairing = "round robin"
    matches: int = 1
    rounds: int = 5
    start_clock: float = 10.0
    play_clock: float = 1.0
    has_cpu_clocks: bool = False
    opening: int = 0
    seed: int = 0
    isolation: Isolation = "files"
    test: TestPlan | None = None

    @property
    def digest(self) -> str:
        """A hash of all that is said of it."""
        text = json.dumps(self.to_dict(), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    @property
    def players(self) -> Mapping[str, str]:
        """The player that each name stands for."""
        return {each.name: each.player for each in self.entrants}

    def to_dict(self) -> dict[str, Any]:
        """The competition as plain data, ready for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Competition:
        """The competition that `to_dict` told; CompetitionError for anything else."""
        names = {each.name for each in fields(cls)}
        if not isinstance(data, Mapping) or not {"games", "entrants"} <= set(data) <= names:
            raise CompetitionError("not a competition")
        try:
            made = cls(
                **{
                    **data,
                    "games": tuple(data["games"]),
                    "entrants": tuple(Entrant(**each) for each in data["entrants"]),
                    "test": TestPlan(**data["test"]) if data.get("test") else None,
                }
            )
        except TypeError as error:
            raise CompetitionError(f"not a competition: {error}") from None
        if not made._is_sound():
            raise CompetitionError("not a competition: a value is of another kind than it must be")
        return made

    def _is_sound(self) -> bool:
        """Whether all values are of their kinds; whether they make sense is another question."""
        names = [text for each in self.entrants for text in (each.name, each.player)]
        clocks = (self.start_clock, self.play_clock)
        return (
            all(isinstance(each, str) for each in (self.name, *self.games, *names))
            and all(type(each) is int for each in (self.matches, self.rounds, self.opening, self.seed))
            and all(type(each) in (int, float) for each in clocks)
            and type(self.has_cpu_clocks) is bool
            and self.pairing in PAIRINGS
            and self.isolation in ISOLATION
        )

    def __str__(self) -> str:
        who = ", ".join(each.name for each in self.entrants)
        return f"{self.name}: {self.pairing} of {who} in {', '.join(self.games)}"
