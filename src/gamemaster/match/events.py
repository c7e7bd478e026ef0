"""What happens in a match, as values: the referee makes them, the record keeps them, screens show them.

Every event has `time`, the seconds since the match began. The `step` of a Moved or a Fault is that of the state in
which it happened: 0 for the first move, which leads to the state of step 1, and before it. Moves, facts and percepts
are texts in infix notation, so an event goes to JSON and back as it is.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from gamemaster.errors import RecordError

__all__ = [
    "FAILURES",
    "FAULTS",
    "TAGS",
    "Ended",
    "Event",
    "Fault",
    "Message",
    "Moved",
    "Paused",
    "Reached",
    "Ready",
    "Resigned",
    "Resumed",
    "Started",
    "Unpaused",
    "event_from_json",
    "event_to_json",
    "tag_of",
]

FAULTS = {
    "late": "no reply before the clock ran out",
    "illegal": "a move that the rules do not allow",
    "malformed": "a reply that cannot be read",
    "huge": "a reply larger than allowed",
    "crashed": "the player ended or raised an error",
    "unreachable": "no connection to the player",
    "not ready": "no `ready` before the start clock ran out",
    "busy": "the player said that it plays another match: this one is not begun",
    "refused": "the player said that it cannot play this game",
    "out of turn": "a reply of a role that was not asked, ignored",
    "stale": "a reply to an older message, ignored",
    "duplicate": "a second reply to the same message, ignored",
    "stuck": "no legal move, and the game is not over: the rules are wrong",
    "goals": "several goals of one role at the end, of which the lowest counts: the rules are wrong",
}
"""The kinds of faults, and what each means."""

FAILURES = ("malformed", "huge", "crashed", "unreachable", "refused")
"""Those that a line can tell of a player, or a player of itself: nothing else in a record shows them."""


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened."""

    time: float


@dataclass(frozen=True, slots=True)
class Started(Event):
    """The match begins. `players` says by role who plays, `names` maps scrambled words back, if rules are scrambled."""

    match: str
    game: str
    rules: str
    notation: str
    digest: str
    roles: tuple[str, ...]
    players: Mapping[str, str]
    start_clock: float
    play_clock: float
    seed: int
    clock_time: str
    names: Mapping[str, str] = field(default_factory=dict)
    clocks: Mapping[str, float] = field(default_factory=dict)
    """The play clock of roles that have one of their own."""

    opening: int = 0
    """So many steps at most were drawn by lot before anybody was asked."""

    most_steps: int = 0
    """After so many steps it is ended; 0: never."""

    counts_cpu: bool = False
    """Whether times are those that players computed, as far as that could be told."""

    grace: float = 0.0
    """So many seconds longer than the start clock was waited until players were ready."""


@dataclass(frozen=True, slots=True)
class Resumed(Event):
    """The match goes on from its record; `players` says who plays from here on."""

    players: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Ready(Event):
    """A player has answered the start message, so many seconds after it was sent."""

    role: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Message(Event):
    """A message to the player of a role (`is_sent`), or from it, as it went over the line."""

    role: str
    is_sent: bool
    text: str


@dataclass(frozen=True, slots=True)
class Reached(Event):
    """The state reached after so many steps: its facts in order, goals by role (None where the rules give none)."""

    step: int
    facts: tuple[str, ...]
    goals: Mapping[str, int | None]
    is_terminal: bool


@dataclass(frozen=True, slots=True)
class Moved(Event):
    """A joint move. `seconds` is how long each player took; for roles in `substituted` the referee chose."""

    step: int
    moves: Mapping[str, str]
    seconds: Mapping[str, float]
    substituted: tuple[str, ...] = ()
    percepts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    thoughts: Mapping[str, Mapping[str, float | str]] = field(default_factory=dict)
    """What players say of why: `value`, `depth`, `nodes` and `caveat` of a search, by role."""


@dataclass(frozen=True, slots=True)
class Fault(Event):
    """Something a player (or, where `role` is empty, the rules) did wrong: a kind of FAULTS, and what exactly.

    `is_error`: it counts as an error of that role; what is only ignored does not.
    """

    step: int
    role: str
    kind: str
    detail: str
    is_error: bool


@dataclass(frozen=True, slots=True)
class Paused(Event):
    """Somebody stopped the clock."""


@dataclass(frozen=True, slots=True)
class Unpaused(Event):
    """The clock goes on."""


@dataclass(frozen=True, slots=True)
class Resigned(Event):
    """Whoever plays a role gave up."""

    role: str


@dataclass(frozen=True, slots=True)
class Ended(Event):
    """The match is over, and how; goals and numbers of errors by role."""

    how: str
    goals: Mapping[str, int | None]
    errors: Mapping[str, int]


_KINDS: dict[str, type[Event]] = {
    "started": Started,
    "resumed": Resumed,
    "ready": Ready,
    "message": Message,
    "state": Reached,
    "moved": Moved,
    "fault": Fault,
    "paused": Paused,
    "unpaused": Unpaused,
    "resigned": Resigned,
    "ended": Ended,
}
TAGS = {kind: tag for tag, kind in _KINDS.items()}
"""What events are called in records: these words stay, whatever becomes of the classes."""

_CLOCKS = ("start_clock", "play_clock")
"""JSON has no word for a clock that never ends: there it is null."""


def tag_of(event: Event) -> str:
    """What an event is called in a record."""
    return TAGS[type(event)]


def event_to_json(event: Event) -> dict[str, Any]:
    """The event as plain data."""
    data = {"event": tag_of(event), **asdict(event)}
    endless = {name: None for name in _CLOCKS if data.get(name) == math.inf}
    return {**data, **endless}


def event_from_json(data: object) -> Event:
    """The event that `event_to_json` made plain; RecordError for anything else."""
    if not isinstance(data, dict) or not isinstance(data.get("event"), str) or data["event"] not in _KINDS:
        raise RecordError(f"not an event of a match: {str(data)[:80]!r}")
    kind = _KINDS[data["event"]]
    values = {name: value for name, value in data.items() if name != "event"}
    values |= {name: math.inf for name in _CLOCKS if name in values and values[name] is None}
    names = {item.name for item in fields(kind)}
    if not values.keys() <= names:
        raise RecordError(f"{data['event']} has no {sorted(values.keys() - names)[0]!r}")
    try:
        arguments: dict[str, Any] = {name: _without_lists(value) for name, value in values.items()}
        return kind(**arguments)
    except TypeError as error:
        raise RecordError(f"{data['event']} is incomplete: {error}") from None


def _without_lists(value: object) -> object:
    """JSON knows only lists; events have tuples, also inside mappings."""
    if isinstance(value, dict):
        return {name: _without_lists(part) for name, part in value.items()}
    return tuple(value) if isinstance(value, list) else value
