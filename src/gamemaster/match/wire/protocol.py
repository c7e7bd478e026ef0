"""The messages between a manager and players, as values; `messages` reads and prints them.

Requests are Ping, Start, Play, Stop and Abort, answers are Reply. The same message looks different in each era of the
protocol, and an Envelope that says from whom to whom is part of the last:

    kif        (play m01 ((mark 1 1) noop))                     the body of an HTTP request, the reply bare
    hrf        play(m01,[mark(1,1),noop])                       the same in infix notation
    ids        play(m01,mark(1,1))                              answered by reply(m01,mark(1,2))
    envelope   message(4,manager,indy,play(mark(1,1)))          answered by message(4,indy,manager,mark(1,2))
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from gamemaster.language.rules import Rules
from gamemaster.language.terms import Symbol, Term

__all__ = [
    "NOOP",
    "Abort",
    "Body",
    "Envelope",
    "Era",
    "Message",
    "Ping",
    "Play",
    "ReplyMessage",
    "Start",
    "Stop",
]


class Era(StrEnum):
    """How messages are written. `kif` and `hrf` are the classic protocol over HTTP, in two notations."""

    KIF = "kif"
    HRF = "hrf"
    IDS = "ids"
    ENVELOPE = "envelope"

    @property
    def is_classic(self) -> bool:
        """Whether joint moves are always told, and replies are bare."""
        return self in (Era.KIF, Era.HRF)


NOOP = Symbol("noop")
"""What stands in a joint move for a role that has no move."""


@dataclass(frozen=True, slots=True)
class Ping:
    """Are you there?"""

    id: str | None = None


@dataclass(frozen=True, slots=True)
class Start:
    """Get ready to play a role of these rules; clocks are in seconds."""

    role: str
    rules: Rules
    start_clock: float
    play_clock: float
    id: str | None = None


@dataclass(frozen=True, slots=True)
class Play:
    """What was done (moves in role order, one move, or the role's percepts; nothing at first), and a question."""

    moves: tuple[Term, ...] = ()
    id: str | None = None


@dataclass(frozen=True, slots=True)
class Stop:
    """What was done in the last step."""

    moves: tuple[Term, ...] = ()
    id: str | None = None


@dataclass(frozen=True, slots=True)
class Abort:
    """The match is off."""

    id: str | None = None


@dataclass(frozen=True, slots=True)
class ReplyMessage:
    """An answer: a word such as `ready`, or a move. `name` is how a classic player calls itself when asked for info."""

    value: Term
    id: str | None = None
    name: str = ""


Body: TypeAlias = Ping | Start | Play | Stop | Abort | ReplyMessage


@dataclass(frozen=True, slots=True)
class Envelope:
    """A message with its number (in the past, the time), from whom and to whom."""

    id: str
    sender: str
    receiver: str
    body: Body


Message: TypeAlias = Body | Envelope
