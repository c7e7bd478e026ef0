"""Parts of a page -> everybody who watches it: numbered, each message made once, and nobody is waited for.

A feed is what one kind of viewer is told of a match. What is added to lists (moves, messages) is numbered and kept, so
that whoever comes late, or comes again, gets what is missing; what is replaced (the board, the scores) is told as it
is now. A reader that does not read is dropped: its page comes again and asks for what it missed.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

__all__ = ["Feed", "Item", "Reader"]

MOST_UNREAD = 24
"""Messages that wait for a reader, at most."""


@dataclass(frozen=True, slots=True)
class Item:
    """A piece for a list of the page: which list, and its HTML."""

    element: str
    html: str


class Reader:
    """Somebody who watches."""

    def __init__(self) -> None:
        self.queue: asyncio.Queue[str] = asyncio.Queue(MOST_UNREAD)
        self.is_dropped = asyncio.Event()

    def put(self, text: str) -> None:
        """Hand a message over; who has too many unread is dropped."""
        try:
            self.queue.put_nowait(text)
        except asyncio.QueueFull:
            self.is_dropped.set()


@dataclass
class Feed:
    """What one kind of viewer is told."""

    items: list[Item] = field(default_factory=list)
    now: Mapping[str, object] = field(default_factory=dict)
    """All that is replaced: parts by element, clicks, clocks."""

    readers: set[Reader] = field(default_factory=set)
    told: int = 0
    """How many items have been told to all readers."""

    marks: list[str] = field(default_factory=list)
    """For each item what tells it, and all before it, from others: lists may have been written anew."""

    coming: int = 0
    """How many are about to read."""

    @property
    def is_wanted(self) -> bool:
        """Whether somebody reads, or is about to."""
        return bool(self.readers or self.coming)

    def add(self, item: Item) -> None:
        """Add to a list; it is told with the next message."""
        before = self.marks[-1] if self.marks else ""
        self.items.append(item)
        self.marks.append(hashlib.sha256(f"{before}\n{item.element}\n{item.html}".encode()).hexdigest()[:12])

    def rewrite(self, items: Sequence[Item]) -> None:
        """Have other lists, which are told as a whole."""
        self.items, self.marks, self.told, self.now = [], [], 0, {}
        for item in items:
            self.add(item)

    def publish(self, now: Mapping[str, object]) -> None:
        """Tell everybody how things are now, and what was added since the last time."""
        if self.told == len(self.items) and _without_clock(self.now) == _without_clock(now):
            return
        changed = _changed(self.now, now)
        self.now = now
        if self.readers:
            text = self.message(self.told, changed)
            for reader in list(self.readers):
                reader.put(text)
                if reader.is_dropped.is_set():
                    self.readers.discard(reader)
        self.told = len(self.items)

    def join(self, reader: Reader, after: int, mark: str = "") -> None:
        """Take in somebody who knows the first so many items, if these have that mark."""
        is_known = 0 < after <= self.told and self.marks[after - 1] == mark
        reader.put(self.message(after if is_known else 0, self.now, self.told))
        self.readers.add(reader)

    def message(self, after: int, now: Mapping[str, object], until: int | None = None) -> str:
        """What is new after so many items."""
        until = len(self.items) if until is None else until
        said = {
            "number": until,
            "mark": self.marks[until - 1] if until else "",
            "after": after,
            "append": _by_element(self.items[after:until]),
            **now,
        }
        return json.dumps(said, ensure_ascii=False, separators=(",", ":"))

    def html_of(self, element: str) -> str:
        """A whole list, for the first view of a page."""
        return "".join(item.html for item in self.items[: self.told] if item.element == element)


def _without_clock(now: Mapping[str, object]) -> dict[str, object]:
    return {name: value for name, value in now.items() if name != "clock"}


def _by_element(items: Sequence[Item]) -> dict[str, str]:
    found: dict[str, list[str]] = {}
    for item in items:
        found.setdefault(item.element, []).append(item.html)
    return {element: "".join(pieces) for element, pieces in found.items()}


def _changed(before: Mapping[str, object], now: Mapping[str, object]) -> dict[str, object]:
    """What is new: of the parts those that differ."""
    old, new = before.get("parts"), now.get("parts")
    if not isinstance(old, Mapping) or not isinstance(new, Mapping):
        return dict(now)
    parts = {element: html for element, html in new.items() if old.get(element) != html}
    return {**now, "parts": parts}
