"""What alembic runs: the migrations, on the connection and in the transaction of whoever opens a store."""

from __future__ import annotations

from alembic import context

from gamemaster.store.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    version_table=context.config.attributes["version_table"],
    target_metadata=metadata,
    transactional_ddl=True,  # SQLite's is so too, where transactions begin as ours do
)
with context.begin_transaction():
    context.run_migrations()
