"""An address -> a store whose database has the newest schema, whoever opens it at the same time."""

from __future__ import annotations

import os
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import URL, Connection, func, select

from gamemaster.errors import StoreError
from gamemaster.store.access import Access
from gamemaster.store.connecting import connect, errors_told, is_sqlite, parse_address, shown, writers
from gamemaster.store.matches import Store

__all__ = ["VERSION_TABLE", "data_folder", "database_url", "open_data", "open_store"]

FILE = "gamemaster.db"
MIGRATIONS = Path(__file__).parent / "migrations"
VERSION_TABLE = "gamemaster_version"
"""Where a database says which schema it has."""

TURN = 0x67616D65
"""The lock that whoever changes the schema of a PostgreSQL database holds; any number does."""


def database_url(folder: Path) -> str:
    """The address of the database in a folder."""
    url = URL.create("sqlite", database=str(folder.absolute() / FILE))
    return url.render_as_string(hide_password=False)


def data_folder() -> Path:
    """Where a site keeps what it has, unless somebody says otherwise."""
    if named := os.environ.get("GAMEMASTER_DATA"):
        return Path(named)
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "gamemaster"


def open_data(where: str) -> Store:
    """The store of a folder, or of an address, that is there; StoreError where a folder has none."""
    if "://" in where:
        return open_store(where)
    folder = Path(where).absolute() if where else data_folder()
    if not (folder / FILE).exists():
        raise StoreError(f"no site has kept anything in {str(folder)!r}; name its folder with --data")
    return open_store(database_url(folder))


def open_store(url: str) -> Store:
    """The store at an address; StoreError where there can be none, or one that only a newer program knows."""
    address = parse_address(url)
    engine = connect(address)
    try:
        with errors_told(address), writers(engine).begin() as connection:
            if not is_sqlite(engine):
                connection.execute(select(func.pg_advisory_xact_lock(TURN)))
            _upgrade(connection, address)
    except BaseException:
        engine.dispose()
        raise
    return Store(Access(engine))


def _upgrade(connection: Connection, address: URL) -> None:
    """Give a database the newest schema, in the transaction that the connection is in."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    script = ScriptDirectory.from_config(config)
    context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE})
    found, newest = context.get_current_heads(), script.get_heads()
    if found == tuple(newest):
        return
    known = {revision.revision for revision in script.walk_revisions()}
    if unknown := sorted(set(found) - known):
        raise StoreError(
            f"the database {shown(address)!r} was made by a newer program: its schema is {unknown[0]!r}, "
            f"and this one knows schemas up to {newest[0]!r}"
        )
    config.attributes.update(connection=connection, version_table=VERSION_TABLE)
    command.upgrade(config, "head")
