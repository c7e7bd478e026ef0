"""A competition as a value: which games, who plays, under which clocks, who meets whom, and when it is over.

Nothing here runs or looks at a disk. A competition goes to plain data and back, and its digest says whether two are the
same: what was begun is only ever gone on with as what it was.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, get_args

from gamemaster.errors import CompetitionError

__all__ = ["ISOLATION", "PAIRINGS", "Competition", "Entrant", "Isolation", "Pairing", "TestPlan"]

Pairing = Literal["round robin", "gauntlet", "swiss", "knock-out"]
"""Who meets whom: everybody everybody, the first all others, those with like scores, or who has not lost yet."""

Isolation = Literal["files", "all", "separate", "none"]
"""Who has a process behind walls: players of files, all of them; a process without walls each; nobody."""

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

    `alpha` is how often it may say so where that is false, `beta` how often it may deny it where it is true. `most` is
    after how many pairs of matches it is given up.
    """

    __test__ = False  # for pytest, which takes it for a test

    elo0: float = -25.0
    elo1: float = 25.0
    alpha: float = 0.05
    beta: float = 0.05
    most: int = 2000

    def __post_init__(self) -> None:
        if not self.elo0 < self.elo1:
            raise CompetitionError(f"elo0 {self.elo0:g} must be less than elo1 {self.elo1:g}")
        for name in ("alpha", "beta"):
            if not 0 < getattr(self, name) < 0.5:
                raise CompetitionError(
                    f"{name} {getattr(self, name):g} must be more than 0 and less than 0.5"
                )
        if self.most < 1:
            raise CompetitionError(f"most {self.most}: a test takes one pair at least")


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
        """A hash of everything that decides what is played."""
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
            return cls(
                **{
                    **data,
                    "games": tuple(data["games"]),
                    "entrants": tuple(Entrant(**each) for each in data["entrants"]),
                    "test": TestPlan(**data["test"]) if data.get("test") else None,
                }
            )
        except TypeError as error:
            raise CompetitionError(f"not a competition: {error}") from None

    def __str__(self) -> str:
        who = ", ".join(each.name for each in self.entrants)
        return f"{self.name}: {self.pairing} of {who} in {', '.join(self.games)}"
