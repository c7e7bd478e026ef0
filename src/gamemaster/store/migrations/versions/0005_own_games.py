"""Games of people's own, and matches that not everybody is told of."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Make room for them; all matches so far are listed."""
    op.add_column("matches", sa.Column("is_listed", sa.Boolean, nullable=False, server_default=sa.true()))
    op.create_index("matches_by_listed", "matches", ["is_listed", "created", "id"])
    op.create_table(
        "own_games",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("account_id", sa.Text, sa.ForeignKey("accounts.id", ondelete="CASCADE"), nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("visibility", sa.Text, nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("changed", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_index("own_games_by_account", "own_games", ["account_id"])
    op.create_index("own_games_by_visibility", "own_games", ["visibility", "changed"])
    op.create_table(
        "versions",
        sa.Column("game_id", sa.Text, sa.ForeignKey("own_games.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("name", sa.Text, primary_key=True),
    )
    op.create_index("versions_by_name", "versions", ["name"])


def downgrade() -> None:
    """Take it away again."""
    op.drop_table("versions")
    op.drop_table("own_games")
    op.drop_index("matches_by_listed", "matches")
    op.drop_column("matches", "is_listed")
