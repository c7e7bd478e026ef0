"""The record of a match: a file of JSON lines, one event a line, that only ever grows.

A line is complete when its end is there: what a match that was killed left of its last line is dropped, and told. So
whatever happens, the record is true up to the last event that was written, and a match can go on from there.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import NoneType, TracebackType, UnionType
from typing import Any, Self, TypeVar, get_args, get_origin, get_type_hints

from gamemaster.errors import RecordError
from gamemaster.machine.showing import Shown
from gamemaster.match.events import (
    Ended,
    Event,
    Fault,
    Moved,
    Reached,
    Started,
    event_from_json,
    event_to_json,
    tag_of,
)
from gamemaster.match.settings import Past
from gamemaster.match.thought import checked_thought

__all__ = [
    "Record",
    "RecordWriter",
    "check_event",
    "cut_record",
    "event_line",
    "read_record",
    "record_from_lines",
    "record_of",
]

SHOWN = 60
"""How much of a bad line an error shows."""

MOST_SECONDS = 1e12
"""No match takes longer than some ten thousand years."""

Kind = TypeVar("Kind", bound=Event)


class RecordWriter:
    """Writes events to a new file as they happen; `write` can listen to a match. A move is on the disk at once."""

    def __init__(self, path: Path, *, is_resumed: bool = False, is_durable: bool = True) -> None:
        """`is_resumed`: go on with a file, whose last line is cut off if it is incomplete."""
        self._path = path
        self._is_durable = is_durable
        self._is_begun = is_resumed
        self._has_failed = False
        try:
            self._file = path.open("r+b" if is_resumed else "xb")
        except FileExistsError:
            raise RecordError(f"{str(path)!r} exists already") from None
        if is_resumed:
            written = self._file.read()
            self._file.truncate(self._file.seek(written.rfind(b"\n") + 1))

    def write(self, event: Event) -> None:
        """Add an event."""
        self._is_begun = True
        line = event_line(event)
        try:
            self._file.write(line)
            self._file.flush()
            if isinstance(event, Moved | Ended):
                self._sync()
        except OSError as error:  # a full disk does not say of which file
            self._has_failed = True
            raise OSError(error.errno, error.strerror, str(self._path)) from None

    def close(self) -> None:
        """Leave the file complete on the disk; where no match began there is nothing to leave."""
        if self._file.closed:
            return
        if self._has_failed:
            with contextlib.suppress(OSError):  # it has been told
                self._file.close()
            return
        self._sync()
        self._file.close()
        if not self._is_begun:
            self._path.unlink()

    def _sync(self) -> None:
        if self._is_durable:
            os.fsync(self._file.fileno())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def event_line(event: Event) -> bytes:
    """An event as it stands in a record, with the end of its line."""
    line = json.dumps(event_to_json(event), ensure_ascii=False, separators=(",", ":"))
    return line.encode("utf-8", "surrogatepass") + b"\n"


@dataclass(frozen=True)
class Record(Shown):
    """The events of a match in order; the first is Started. `dropped` is what was left of an incomplete line."""

    events: tuple[Event, ...]
    dropped: str = ""
    is_imported: bool = False
    """Whether another manager ran the match: its seed, if it had one, is not known."""

    @property
    def started(self) -> Started:
        """How it began."""
        first = self.events[0]
        assert isinstance(first, Started)
        return first

    @property
    def ended(self) -> Ended | None:
        """How it ended, if it did."""
        return next(iter(self._of(Ended)), None)

    @property
    def moves(self) -> tuple[Moved, ...]:
        """The joint moves."""
        return tuple(self._of(Moved))

    @property
    def states(self) -> tuple[Reached, ...]:
        """The states that were reached."""
        return tuple(self._of(Reached))

    def state(self, step: int) -> Reached | None:
        """The state after so many steps, if it is in the record."""
        return next((state for state in self._of(Reached) if state.step == step), None)

    @property
    def faults(self) -> tuple[Fault, ...]:
        """What went wrong."""
        return tuple(self._of(Fault))

    @property
    def errors(self) -> dict[str, int]:
        """The number of errors of each player so far."""
        counts = Counter(fault.role for fault in self.faults if fault.is_error)
        return {role: counts[role] for role in self.started.players}

    def past(self) -> Past:
        """From where a match goes on; RecordError for one that is over."""
        if self.ended:
            raise RecordError(f"match {self.started.match!r} is over: {self.ended.how}")
        moves = [moved.moves for moved in self.moves]
        has_state = any(state.step == len(moves) for state in self.states)
        return Past(moves, self.errors, self.events[-1].time, has_state)

    def _of(self, kind: type[Kind]) -> Iterator[Kind]:
        return (event for event in self.events if isinstance(event, kind))


def read_record(path: Path) -> Record:
    """The record in a file; RecordError, with the number of the line, for a file that is none."""
    return record_from_lines(path.read_bytes(), str(path))


def cut_record(path: Path, step: int) -> None:
    """Have a record end with the state after so many steps, as if nothing had been played since."""
    kept = []
    for line, event in zip(path.read_bytes().split(b"\n"), read_record(path).events, strict=False):
        kept.append(line)
        if isinstance(event, Reached) and event.step == step:
            break
    else:
        raise RecordError(f"{str(path)!r} has no state after {step} steps")
    aside = path.with_name(f".{path.name}.cut")
    aside.write_bytes(b"\n".join(kept) + b"\n")
    os.replace(aside, path)


def record_from_lines(written: bytes, name: str = "record") -> Record:
    """The record that these bytes are."""
    *lines, rest = written.split(b"\n")
    events = [_event(line, f"{name}:{number}") for number, line in enumerate(lines, 1)]
    return record_of(events, name, rest.decode("utf-8", "replace"))


def record_of(events: Iterable[Event], name: str = "record", dropped: str = "") -> Record:
    """The record of events; RecordError where they do not begin as a match does."""
    found = tuple(events)
    if not found:
        raise RecordError(f"{name}:1: no match in it: not even its beginning is complete")
    for number, event in enumerate(found, 1):
        if isinstance(event, Started) != (number == 1):
            what = "a second match begins" if number > 1 else "a match does not begin like this"
            raise RecordError(f"{name}:{number}: {what}")
    return Record(found, dropped)


def _event(line: bytes, where: str) -> Event:
    """The event of a line."""
    try:
        data = json.loads(line.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError):
        shown = line[:SHOWN].decode("utf-8", "replace")
        raise RecordError(f"{where}: not a line of JSON: {shown!r}") from None
    try:
        event = event_from_json(data)
        check_event(event)
    except RecordError as error:
        raise RecordError(f"{where}: {error}") from None
    return event


# What is read must be what would have been written.


def check_event(event: Event) -> None:
    """RecordError for an event with something in it that no match writes."""
    for name, hint in _hints(type(event)).items():
        if not _fits(getattr(event, name), hint):
            raise RecordError(f"{tag_of(event)} has a wrong {name}: {str(getattr(event, name))[:SHOWN]!r}")
    for thought in event.thoughts.values() if isinstance(event, Moved) else ():
        if checked_thought(thought) != thought:
            raise RecordError(f"moved has a wrong thought: {str(thought)[:SHOWN]!r}")


_HINTS: dict[type[Event], dict[str, object]] = {}


def _hints(kind: type[Event]) -> dict[str, object]:
    if kind not in _HINTS:
        _HINTS[kind] = get_type_hints(kind)
    return _HINTS[kind]


def _fits(value: Any, hint: object) -> bool:
    """Whether a value is of a type, of those that events are made of."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is UnionType:
        return any(_fits(value, option) for option in arguments)
    if origin is tuple:
        return isinstance(value, tuple) and all(_fits(item, arguments[0]) for item in value)
    if origin is Mapping:
        return isinstance(value, Mapping) and all(_fits(item, arguments[1]) for item in value.values())
    if hint is float:
        # A number, so that it compares; a clock may have no end.
        return type(value) in (int, float) and (abs(value) < MOST_SECONDS or value == math.inf)
    return type(value) is (NoneType if hint is None else hint)  # True is no number
