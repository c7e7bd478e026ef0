"""A seat of a match -> the line to the machine that plays there."""

from __future__ import annotations

from gamemaster.match.manager import player_seed
from gamemaster.match.transports.child_process import ProcessLimits, player_process
from gamemaster.match.transports.http_client import HttpPlayer
from gamemaster.match.transports.patient import Patient
from gamemaster.match.transports.transport import Transport
from gamemaster.store.entries import MatchEntry, Seat

__all__ = ["machine_line", "seconds_of"]

LIMITS = ProcessLimits(has_walls=False)
"""Players of the library are ours: a process with limits of its own is enough for them."""


def machine_line(entry: MatchEntry, seat: Seat) -> Transport:
    """A player at an address, or one of the library in a process of its own."""
    if seat.kind == "address":
        return HttpPlayer(seat.player)
    line = player_process(seat.player, player_seed(entry.seed, seat.role), LIMITS)
    return Patient(line) if seconds_of(entry, "think") else line


def seconds_of(entry: MatchEntry, option: str) -> float:
    """What an option of a match says, in seconds; 0 where it says nothing."""
    value = entry.options.get(option)
    return float(value) if isinstance(value, int | float) else 0.0
