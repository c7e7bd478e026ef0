"""A database as an older program would have it: the newest schema, taken back step by step."""

from __future__ import annotations

from alembic import command
from alembic.config import Config

from gamemaster.store.connecting import connect, parse_address, writers
from gamemaster.store.opening import MIGRATIONS, VERSION_TABLE, open_store

__all__ = ["taken_back"]


def taken_back(address: str, revision: str) -> None:
    """Give a database the schema of a revision."""
    open_store(address).close()
    engine = connect(parse_address(address))
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    with writers(engine).begin() as connection:
        config.attributes.update(connection=connection, version_table=VERSION_TABLE)
        command.downgrade(config, revision)
    engine.dispose()
