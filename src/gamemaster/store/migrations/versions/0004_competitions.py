"""Sets of games, competitions, and the cycle that runs matches by itself."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Make them."""
    op.create_table(
        "game_sets",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("account_id", sa.Text, sa.ForeignKey("accounts.id", ondelete="CASCADE")),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("games", sa.Text, nullable=False),
        sa.Column("changed", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_index("game_sets_by_account", "game_sets", ["account_id"])
    op.create_table(
        "competitions",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("account_id", sa.Text, sa.ForeignKey("accounts.id", ondelete="CASCADE"), nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("plan", sa.Text, nullable=False),
        sa.Column("is_public", sa.Boolean, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("trouble", sa.Text, nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("queued", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended", sa.DateTime(timezone=True)),
    )
    op.create_index("competitions_by_account", "competitions", ["account_id"])
    op.create_index("competitions_by_created", "competitions", ["created", "id"])
    op.create_index("competitions_by_status", "competitions", ["status"])
    op.create_table(
        "run_cycle",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("is_on", sa.Boolean, nullable=False),
        sa.Column("settings", sa.Text, nullable=False),
        sa.Column("match", sa.Text, nullable=False),
        sa.Column("recent", sa.Text, nullable=False),
    )


def downgrade() -> None:
    """Take them away again."""
    op.drop_table("run_cycle")
    op.drop_table("competitions")
    op.drop_table("game_sets")
