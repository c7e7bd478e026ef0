"""Who sits where: those who meet at a table, and the matches that they play there.

A fixture is one match to be played, as a plain value. Those of a table that differ only in who has which role share
seed and opening, so that nobody has more luck than others with them.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from gamemaster.arena.competition import Competition

__all__ = ["Fixture", "Meeting", "fixtures_of", "seatings"]

SEED_BITS = 53
"""As many as any reader of JSON keeps."""


@dataclass(frozen=True, slots=True)
class Fixture:
    """One match of a competition: `seats` are the entrants in role order, `pair` those that belong together."""

    number: int
    round: int
    game: str
    seats: tuple[str, ...]
    seed: int
    pair: int

    @property
    def file_name(self) -> str:
        """The name of its record."""
        return f"{self.number:06}.jsonl"

    def to_dict(self) -> dict[str, Any]:
        """The fixture as plain data, ready for JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Meeting:
    """Those who meet over a game in a round, for the `turn`th time."""

    round: int
    game: str
    entrants: tuple[str, ...]
    turn: int = 0


def seatings(entrants: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Every entrant in every seat once: each order comes of the one before by moving all by one."""
    for turn in range(len(entrants)):
        yield (*entrants[turn:], *entrants[:turn])


def fixtures_of(tables: Iterable[Meeting], competition: Competition) -> Iterator[Fixture]:
    """The matches of tables, numbered in their order."""
    number = 0
    for pair, table in enumerate(tables):
        seed = table_seed(competition.seed, table)
        for seats in seatings(table.entrants):
            yield Fixture(number, table.round, table.game, seats, seed, pair)
            number += 1


def table_seed(seed: int, table: Meeting) -> int:
    """The seed of a table's matches: it does not change with who else takes part."""
    who = "/".join(sorted(table.entrants))
    return random.Random(f"{seed}/{table.round}/{table.game}/{table.turn}/{who}").getrandbits(SEED_BITS)
