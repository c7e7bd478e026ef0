"""Who sits where: those who meet, and the matches that they play.

A fixture is one match to be played, as a plain value. Those of a meeting that differ only in who has which role share
seed and opening, so that nobody has more luck than others with them.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from gamemaster.arena.competition import Competition
from gamemaster.match.drawing import SEED_BITS

__all__ = ["Fixture", "Meeting", "fixtures_of", "record_name", "seatings"]


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
        return record_name(self.number)


def record_name(number: int) -> str:
    """The name of the record of a match."""
    return f"{number:06}.jsonl"


@dataclass(frozen=True, slots=True)
class Meeting:
    """Those who meet over a game in a round; `turn` tells apart how often they did before."""

    round: int
    game: str
    entrants: tuple[str, ...]
    turn: int = 0


def seatings(entrants: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Every entrant in every seat once: each order comes of the one before by moving all by one."""
    for first in range(len(entrants)):
        yield (*entrants[first:], *entrants[:first])


def fixtures_of(meetings: Iterable[Meeting], competition: Competition) -> Iterator[Fixture]:
    """The matches of meetings, numbered in their order."""
    number = 0
    for pair, meeting in enumerate(meetings):
        seed = meeting_seed(competition.seed, meeting)
        for seats in seatings(meeting.entrants):
            yield Fixture(number, meeting.round, meeting.game, seats, seed, pair)
            number += 1


def meeting_seed(seed: int, meeting: Meeting) -> int:
    """The seed of a meeting's matches: it does not change with who else takes part."""
    who = "/".join(sorted(meeting.entrants))
    text = f"{seed}/{meeting.round}/{meeting.game}/{meeting.turn}/{who}"
    return random.Random(text).getrandbits(SEED_BITS)
