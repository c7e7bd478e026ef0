"""What a store knows of a match, and how matches are asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias

__all__ = ["STATUSES", "MatchEntry", "MatchFilter", "MatchPage", "MatchStatus", "Seat", "SeatKind"]

MatchStatus: TypeAlias = Literal["arranged", "running", "interrupted", "over"]
STATUSES: tuple[MatchStatus, ...] = ("arranged", "running", "interrupted", "over")
"""A match is arranged before its record begins, and interrupted where it ended without an end."""

SeatKind: TypeAlias = Literal["library", "address", "socket", "person", "own", "launched"]
"""Players of the library, at an address that somebody typed, who come, registered by somebody, launched on a page."""


@dataclass(frozen=True)
class Seat:
    """Who plays a role, and what they have got."""

    role: str
    player: str
    kind: SeatKind
    key: str = ""
    """A hash of the secret of whoever sits there; nothing where nobody does yet."""

    goal: int | None = None
    errors: int = 0


@dataclass(frozen=True)
class MatchEntry:
    """A match. Clocks are in seconds and may be math.inf; `seats` are in the order of roles."""

    id: str
    game: str
    title: str
    status: MatchStatus
    how: str
    """How it ended, as its record says; nothing before."""

    seats: tuple[Seat, ...]
    start_clock: float
    play_clock: float
    seed: int
    steps: int
    is_hidden: bool
    """Whether roles may not know everything."""

    created: datetime
    ended: datetime | None
    owner: str
    """A hash of the secret of whoever arranged it."""

    options: Mapping[str, object]
    """Whatever else whoever runs it has to know; plain data, as JSON has it."""

    record: str
    """The name of the file of its record."""

    is_listed: bool = True
    """Whether it is in lists that everybody sees; of others one knows by their address."""


@dataclass(frozen=True)
class MatchFilter:
    """Which matches are wanted: each that is not empty has to be so; a player in any spelling of its letters."""

    game: str = ""
    player: str = ""
    status: str = ""
    how: str = ""
    has_unlisted: bool = False
    """Whether those are wanted too that not everybody is told of."""


@dataclass(frozen=True)
class MatchPage:
    """Some matches of all that fit: the page of this number, from 1, with at most `size` on it."""

    entries: tuple[MatchEntry, ...]
    total: int
    number: int
    size: int

    @property
    def pages(self) -> int:
        """How many pages there are; one, if an empty one, where there are no matches."""
        return max(1, -(-self.total // self.size))
