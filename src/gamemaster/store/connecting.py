"""An address -> an engine whose connections behave alike, and the errors of databases -> StoreError.

Any thread may use an engine. On SQLite a transaction that writes says so when it begins: one that finds out later that
it wants to write would fail, instead of waiting, where somebody else has written meanwhile. A transaction that reads
sees one moment of the database in all of its questions, on PostgreSQL too.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError
from sqlalchemy.pool import ConnectionPoolEntry

from gamemaster.errors import NotInstalled, StoreError

__all__ = ["connect", "errors_told", "is_sqlite", "parse_address", "readers", "shown", "writers"]

BUSY_SECONDS = 30.0
"""How long somebody waits for others who write."""

MOST_IDLE, MOST_MORE = 5, 35
"""Connections that are kept, and how many more there may be for a while: enough for every thread of a server."""

LONGEST = 300
"""How much of what a database says of an error is told."""


def parse_address(address: str) -> URL:
    """What an address says; StoreError where it is none, or that of a database that cannot be used."""
    try:
        url = make_url(address)
    except (ArgumentError, ValueError):
        raise StoreError(
            "that is no address of a database; it looks like sqlite:///file or postgresql://user@host/name"
        ) from None
    kind = url.drivername.partition("+")[0]
    if kind in ("postgresql", "postgres"):
        return url.set(drivername="postgresql+psycopg")
    if kind != "sqlite":
        raise StoreError(f"no database of the kind {kind!r} can be used; sqlite and postgresql can")
    if url.host or not url.database or url.database == ":memory:" or url.query:
        raise StoreError(
            f"{shown(url)!r} names no file; sqlite:///folder/file does, or sqlite:////folder/file"
        )
    return url.set(drivername="sqlite")


def connect(url: URL) -> Engine:
    """Connections to a database; none is made yet. NotInstalled where what it takes is missing."""
    if url.drivername == "sqlite":
        engine = create_engine(url, pool_size=MOST_IDLE, max_overflow=MOST_MORE)
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
        return engine
    try:
        return create_engine(
            url,
            pool_size=MOST_IDLE,
            max_overflow=MOST_MORE,
            pool_pre_ping=True,  # a server that was started again has none of the old connections
            connect_args={"options": "-c timezone=UTC", "connect_timeout": 10},
        )
    except ImportError:
        raise NotInstalled(
            "a PostgreSQL database needs its driver: pip install 'gamemaster[postgresql]'; SQLite needs none"
        ) from None


def readers(engine: Engine) -> Engine:
    """The same connections, for those who only read."""
    if is_sqlite(engine):
        return engine
    return engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)


def writers(engine: Engine) -> Engine:
    """The same connections, for those who write."""
    return engine.execution_options(is_writing=True)


def is_sqlite(engine: Engine) -> bool:
    """Whether it is a file."""
    return engine.dialect.name == "sqlite"


def shown(url: URL) -> str:
    """An address as people may see it: without its password."""
    return url.render_as_string(hide_password=True)


@contextmanager
def errors_told(url: URL) -> Iterator[None]:
    """Whatever goes wrong between here and the database is a StoreError that says what and where."""
    try:
        yield
    except SQLAlchemyError as error:
        said = str(error.orig) if isinstance(error, DBAPIError) else str(error)
        first = next(iter(said.strip().splitlines()), type(error).__name__)
        raise StoreError(f"the database {shown(url)!r} cannot be used: {first[:LONGEST]}") from error


def _prepare_sqlite(connection: sqlite3.Connection, _: ConnectionPoolEntry) -> None:
    connection.isolation_level = None  # transactions begin where we say so, those that change the schema too
    connection.execute(f"PRAGMA busy_timeout = {round(1000 * BUSY_SECONDS)}")
    _turn_to_wal(connection)
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA foreign_keys = ON")


def _turn_to_wal(connection: sqlite3.Connection) -> None:
    """Let readers and a writer not wait for each other. It fails while others use a new file, whatever the timeout."""
    end = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > end:
                raise
            time.sleep(0.01)


def _begin_sqlite(connection: Connection) -> None:
    is_writing = connection.get_execution_options().get("is_writing", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if is_writing else "BEGIN")
