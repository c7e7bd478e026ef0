"""Types of columns: what Python has and a database does not, or not every database alike."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from sqlalchemy import DateTime, Dialect, Text
from sqlalchemy.types import TypeDecorator

__all__ = ["AnyText", "Moment"]

UNSTORED = re.compile(r"[\\\0\ud800-\udfff]")
STORED = re.compile(r"\\([0-9a-f]{4})")


class AnyText(TypeDecorator[str]):
    """Any text that Python has. Letters that databases refuse (zero, half a pair) are stored by number: `\\0000`."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """As it is stored."""
        return None if value is None else UNSTORED.sub(lambda found: f"\\{ord(found[0]):04x}", value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> str | None:
        """As it was."""
        return None if value is None else STORED.sub(lambda found: chr(int(found[1], 16)), value)


class Moment(TypeDecorator[datetime]):
    """A time with its zone, stored in UTC: SQLite knows no zones, and PostgreSQL has one for each connection."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """As it is stored."""
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """In UTC."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
