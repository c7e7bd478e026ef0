"""Records -> rows: after whatever happened to a server, its store says again what the files of its matches say.

The record of a match is the truth. A file that is no record is left alone; the log tells of it.
"""

from __future__ import annotations

import hashlib
import logging
import math
import os
import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from gamemaster.errors import RecordError, StoreError
from gamemaster.match.events import Resumed
from gamemaster.match.records.record import Record, read_record
from gamemaster.match.scores import final_scores
from gamemaster.store.entries import MatchEntry, Seat, SeatKind
from gamemaster.store.matches import Known, Store

__all__ = ["LONGEST_NAME", "entry_of_record", "reindex"]

ENDING = ".jsonl"
PLAIN_ID = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]{0,99}")
HIDDEN = re.compile(r"\bsees\s*\(|\(\s*sees\b", re.IGNORECASE)
"""In the rules of a game with something to hide, infix or prefix, also where all other words are scrambled."""

LONGEST_NAME = 200
"""How much of a name in somebody's file gets into a row."""

log = logging.getLogger("gamemaster.store")


def entry_of_record(record: Record, base: MatchEntry | None, path: Path) -> MatchEntry:
    """What a record says. `base` is what was known before: who sits where, whose match it is; a file tells neither."""
    base = base or _entry_of_start(record, path)
    ended = record.ended
    goals = final_scores(record.events, [seat.role for seat in base.seats])
    errors = ended.errors if ended else record.errors
    seats = tuple(
        replace(seat, goal=goals.get(seat.role), errors=errors.get(seat.role, 0)) for seat in base.seats
    )
    return replace(
        base,
        status="over" if ended else "interrupted",
        how=ended.how[:LONGEST_NAME] if ended else "",
        seats=seats,
        steps=len(record.moves),
        ended=(base.ended or _time_in(record, ended.time, path)) if ended else None,
        record=path.name,
    )


def reindex(store: Store, folder: Path) -> list[MatchEntry]:
    """Make rows say what the records in a folder do; the matches whose rows were added or changed.

    Files of matches that are over, and of those that nobody has gone on with since, are not read again.
    """
    found = [_indexed(store, file, known) for file, known in _unread(store, folder)]
    changed = [entry for entry in found if entry]
    return changed + _without_record(store, folder)


@dataclass(frozen=True)
class _File:
    path: Path
    size: int


def _unread(store: Store, folder: Path) -> list[tuple[_File, Known | None]]:
    """The files that have to be read, each with what is known of its match."""
    rows = store.known()
    by_record = {row.record: row for row in rows if row.record}
    by_id = {row.id: row for row in rows if not row.record}
    found = []
    for file in _files(folder):
        row = by_record.get(file.path.name) or by_id.get(file.path.stem)
        if row and (row.status == "over" or (row.status == "interrupted" and row.read == file.size)):
            continue
        found.append((file, row))
    return found


def _files(folder: Path) -> list[_File]:
    with os.scandir(folder) as entries:
        return [
            _File(Path(entry.path), entry.stat().st_size)
            for entry in sorted(entries, key=lambda entry: entry.name)
            if entry.name.endswith(ENDING) and entry.is_file()
        ]


def _indexed(store: Store, file: _File, known: Known | None) -> MatchEntry | None:
    """The row of a file, made anew; nothing where it was right, or the file is no record."""
    base = store.find(known.id) if known else None
    try:
        entry = entry_of_record(read_record(file.path), base, file.path)
        if base:
            store.put(entry, read=file.size)
        else:
            store.add(entry, read=file.size)
    except (RecordError, StoreError, OSError) as error:
        log.warning("%s is not indexed: %s", str(file.path), error)
        return _left(store, file, base)
    return entry if entry != base else None


def _left(store: Store, file: _File, base: MatchEntry | None) -> MatchEntry | None:
    """What becomes of a match whose file cannot be read: it does not run."""
    if base is None or base.status != "running":
        return None
    entry = replace(base, status="interrupted" if _has_begun(file.path) else "arranged")
    store.put(entry)
    return entry


def _has_begun(path: Path) -> bool:
    """Whether as much as a line of a record was written."""
    try:
        with path.open("rb") as file:
            return file.readline().endswith(b"\n")
    except OSError:
        return True


def _without_record(store: Store, folder: Path) -> list[MatchEntry]:
    """Matches that were to begin, and of which nothing was written, are still to begin."""
    changed = []
    for entry in store.unfinished():
        if entry.status == "running" and not (folder / (entry.record or f"{entry.id}{ENDING}")).exists():
            changed.append(replace(entry, status="arranged"))
            store.put(changed[-1])
    return changed


# What a record says of a match of which nothing else is known.


def _entry_of_start(record: Record, path: Path) -> MatchEntry:
    started = record.started
    game = started.game[:LONGEST_NAME]
    players = dict(started.players)
    for event in record.events:
        if isinstance(event, Resumed):
            players |= event.players
    return MatchEntry(
        id=_id_of(path),
        game=game,
        title=game,
        status="interrupted",
        how="",
        seats=tuple(_seat(role, players[role]) for role in started.roles if role in players),
        start_clock=started.start_clock,
        play_clock=started.play_clock,
        seed=started.seed,
        steps=0,
        is_hidden=_is_hidden(record),
        created=_time_in(record, 0.0, path),
        ended=None,
        owner="",
        options={},
        record=path.name,
        is_listed=not game.startswith("@"),  # whether it is for everybody is not in the file
    )


def _id_of(path: Path) -> str:
    """The name of a file, where it can stand in an address."""
    if PLAIN_ID.fullmatch(path.stem):
        return path.stem
    return hashlib.sha256(os.fsencode(path.stem)).hexdigest()[:16]


def _seat(role: str, player: str) -> Seat:
    kind: SeatKind = "library"
    if player.startswith("http://"):
        kind = "address"
    elif player.startswith("ws://"):
        kind = "socket"
    return Seat(role[:LONGEST_NAME], player[:LONGEST_NAME], kind)


def _is_hidden(record: Record) -> bool:
    return HIDDEN.search(record.started.rules) is not None or any(moved.percepts for moved in record.moves)


def _time_in(record: Record, seconds: float, path: Path) -> datetime:
    """The time of day when the clock of a match said this; that of its file where the record has none."""
    try:
        began = datetime.fromisoformat(record.started.clock_time)
        began = began if began.tzinfo else began.replace(tzinfo=UTC)
        return began.astimezone(UTC) + timedelta(seconds=seconds if math.isfinite(seconds) else 0.0)
    except (ValueError, OverflowError):
        return datetime.fromtimestamp(path.stat().st_mtime, UTC)
