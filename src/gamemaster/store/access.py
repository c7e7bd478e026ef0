"""Connections -> transactions: those that read see one moment, those that write take turns where that is quicker."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from threading import Lock

from sqlalchemy import Connection, Engine

from gamemaster.store.connecting import errors_told, is_sqlite, readers, writers

__all__ = ["Access"]


class Access:
    """The way to a database. Any thread may use it."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._readers, self._writers = readers(engine), writers(engine)
        # Those who write to a file take turns anyway; a lock wakes the next at once, and SQLite only polls.
        self._turn: AbstractContextManager[object] = Lock() if is_sqlite(engine) else nullcontext()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that reads."""
        with errors_told(self._engine.url), self._readers.begin() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction that writes: all of it, or nothing."""
        with errors_told(self._engine.url), self._turn, self._writers.begin() as connection:
            yield connection

    def close(self) -> None:
        """Leave the database."""
        self._engine.dispose()
