"""Entries for tests."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import strategies as st

from gamemaster.store.entries import STATUSES, MatchEntry, Seat

NOON = datetime(2026, 11, 17, 12, 0, 0, 123456, tzinfo=UTC)


def made(id: str = "m1", minutes: int = 0, **more: Any) -> MatchEntry:
    """A match, created so many minutes after noon."""
    values: dict[str, Any] = {
        "id": id,
        "game": "tictactoe",
        "title": "Tic-tac-toe",
        "status": "arranged",
        "how": "",
        "seats": (Seat("x", "mcs", "library"), Seat("o", "Ada", "person", "6b86b2")),
        "start_clock": 10.0,
        "play_clock": math.inf,
        "seed": 7,
        "steps": 0,
        "is_hidden": False,
        "created": NOON + timedelta(minutes=minutes),
        "ended": None,
        "owner": "d4735e",
        "options": {"hints": True, "nested": {"list": [1, 2.5, None, "ü"]}},
        "record": f"{id}.jsonl",
    }
    return MatchEntry(**(values | more))


TEXTS = st.text(st.characters(), max_size=30) | st.text("\\0d8cé\0\ud800\udc00", max_size=12)
WHOLE = st.integers(-(2**63) + 1, 2**63 - 1)
CLOCKS = st.floats(allow_nan=False).filter(lambda seconds: seconds != -math.inf)
TIMES = st.datetimes(timezones=st.just(UTC))
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
SEATS = st.builds(
    Seat,
    TEXTS,
    TEXTS,
    st.sampled_from(["library", "address", "socket", "person"]),
    TEXTS,
    st.none() | WHOLE,
    WHOLE,
)
ENTRIES = st.builds(
    MatchEntry,
    id=TEXTS,
    game=TEXTS,
    title=TEXTS,
    status=st.sampled_from(STATUSES),
    how=TEXTS,
    seats=st.lists(SEATS, max_size=4).map(tuple),
    start_clock=CLOCKS,
    play_clock=CLOCKS,
    seed=st.integers(),
    steps=WHOLE,
    is_hidden=st.booleans(),
    created=TIMES,
    ended=st.none() | TIMES,
    owner=TEXTS,
    options=st.dictionaries(TEXTS, PLAIN, max_size=3),
    record=TEXTS,
)
