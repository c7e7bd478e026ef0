"""Matches and their seats."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make them."""
    op.create_table(
        "matches",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("game", sa.Text, nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("how", sa.Text, nullable=False),
        sa.Column("start_clock", sa.Double),
        sa.Column("play_clock", sa.Double),
        sa.Column("seed", sa.Text, nullable=False),
        sa.Column("steps", sa.BigInteger, nullable=False),
        sa.Column("is_hidden", sa.Boolean, nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended", sa.DateTime(timezone=True)),
        sa.Column("owner", sa.Text, nullable=False),
        sa.Column("options", sa.Text, nullable=False),
        sa.Column("record", sa.Text, nullable=False),
        sa.Column("read", sa.BigInteger),
    )
    op.create_index("matches_by_created", "matches", ["created", "id"])
    op.create_index("matches_by_game", "matches", ["game", "created", "id"])
    op.create_index("matches_by_status", "matches", ["status", "created", "id"])
    op.create_table(
        "seats",
        sa.Column("match_id", sa.Text, sa.ForeignKey("matches.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("position", sa.Integer, primary_key=True),
        sa.Column("role", sa.Text, nullable=False),
        sa.Column("player", sa.Text, nullable=False),
        sa.Column("folded", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("goal", sa.BigInteger),
        sa.Column("errors", sa.BigInteger, nullable=False),
    )
    op.create_index("seats_by_player", "seats", ["folded", "match_id"])


def downgrade() -> None:
    """Take them away again."""
    op.drop_table("seats")
    op.drop_table("matches")
