"""A seat of a match -> the line to the machine that plays there."""

from __future__ import annotations

from gamemaster.match.manager import player_seed
from gamemaster.match.transports.patient import Patient
from gamemaster.match.transports.transport import Transport
from gamemaster.store.entries import MatchEntry, Seat
from gamemaster.web.roster.specs import LineSpec

__all__ = ["MACHINES", "grace_for", "machine_line", "seconds_of"]

GRACE = 25.0
"""Seconds longer than its start clock that a machine may take to be ready where people play: on a busy machine its
process and its machine code take longer than it can know."""

MACHINES = ("library", "own", "launched")
"""Kinds of players that have a clock of their own where people play too."""


def grace_for(entry: MatchEntry) -> float:
    """How much longer than told people wait for machines of the site to be ready; players from outside get none."""
    kinds = {seat.kind for seat in entry.seats}
    return GRACE if "person" in kinds and kinds <= {"person", *MACHINES} else 0.0


def machine_line(entry: MatchEntry, seat: Seat, spec: LineSpec) -> Transport:
    """The line to a player, for this match."""
    line = spec.line(player_seed(entry.seed, seat.role))
    return Patient(line) if seat.kind in MACHINES and seconds_of(entry, "think") else line


def seconds_of(entry: MatchEntry, option: str) -> float:
    """What an option of a match says, in seconds; 0 where it says nothing."""
    value = entry.options.get(option)
    return float(value) if isinstance(value, int | float) else 0.0
