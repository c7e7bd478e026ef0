"""Entries <-> the values of rows; what cannot be stored exactly is an error before anything is written."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TypeAlias

from sqlalchemy import RowMapping

from gamemaster.errors import StoreError
from gamemaster.store.entries import MatchEntry, Seat

__all__ = ["Values", "entry_from", "folded", "match_values", "seat_values"]

Values: TypeAlias = dict[str, object]
LARGEST = 2**63 - 1


def match_values(entry: MatchEntry) -> Values:
    """The row of a match."""
    return {
        "id": entry.id,
        "game": entry.game,
        "title": entry.title,
        "status": entry.status,
        "how": entry.how,
        "start_clock": _clock(entry.start_clock, entry),
        "play_clock": _clock(entry.play_clock, entry),
        "seed": _seed(entry),
        "steps": _count(entry.steps, entry),
        "is_hidden": entry.is_hidden,
        "created": _time(entry.created, entry),
        "ended": None if entry.ended is None else _time(entry.ended, entry),
        "owner": entry.owner,
        "options": _options(entry),
        "record": entry.record,
        "is_listed": entry.is_listed,
    }


def seat_values(entry: MatchEntry) -> list[Values]:
    """The rows of those who play it."""
    return [
        {
            "match_id": entry.id,
            "position": position,
            "role": seat.role,
            "player": seat.player,
            "folded": folded(seat.player),
            "kind": seat.kind,
            "key": seat.key,
            "goal": None if seat.goal is None else _count(seat.goal, entry),
            "errors": _count(seat.errors, entry),
        }
        for position, seat in enumerate(entry.seats)
    ]


def entry_from(row: RowMapping, seats: Sequence[RowMapping]) -> MatchEntry:
    """The match that rows tell of."""
    return MatchEntry(
        id=row["id"],
        game=row["game"],
        title=row["title"],
        status=row["status"],
        how=row["how"],
        seats=tuple(_seat(seat) for seat in seats),
        start_clock=math.inf if row["start_clock"] is None else row["start_clock"],
        play_clock=math.inf if row["play_clock"] is None else row["play_clock"],
        seed=int(row["seed"]),
        steps=row["steps"],
        is_hidden=row["is_hidden"],
        created=row["created"],
        ended=row["ended"],
        owner=row["owner"],
        options=json.loads(row["options"]),
        record=row["record"],
        is_listed=row["is_listed"],
    )


def folded(player: str) -> str:
    """The name of a player with all its letters alike."""
    return player.casefold()


def _seat(row: RowMapping) -> Seat:
    return Seat(row["role"], row["player"], row["kind"], row["key"], row["goal"], row["errors"])


def _clock(seconds: float, entry: MatchEntry) -> float | None:
    if math.isnan(seconds) or seconds == -math.inf:
        raise StoreError(f"match {entry.id!r} has a clock of {seconds} seconds")
    return None if seconds == math.inf else float(seconds)


def _count(number: int, entry: MatchEntry) -> int:
    if not -LARGEST <= number <= LARGEST:
        raise StoreError(f"match {entry.id!r} has a number that is too large to be stored")
    return number


def _seed(entry: MatchEntry) -> str:
    try:
        return str(entry.seed)
    except ValueError:  # thousands of digits
        raise StoreError(f"match {entry.id!r} has a seed that is too large to be stored") from None


def _time(time: datetime, entry: MatchEntry) -> datetime:
    if time.tzinfo is None:
        raise StoreError(f"match {entry.id!r} has a time without a zone: {time}")
    try:
        return time.astimezone(UTC)
    except OverflowError:
        raise StoreError(f"match {entry.id!r} has a time that is in no year of UTC: {time}") from None


def _options(entry: MatchEntry) -> str:
    try:
        return json.dumps(dict(entry.options), ensure_ascii=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as error:
        raise StoreError(f"match {entry.id!r} has options that are no plain data: {error}") from None
