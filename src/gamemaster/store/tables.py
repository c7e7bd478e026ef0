"""The tables as they are now; migrations/ has how they came to be so, and a test compares the two."""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Column, Double, ForeignKey, Index, Integer, MetaData, Table

from gamemaster.store.columns import AnyText, Moment

__all__ = [
    "accounts",
    "competitions",
    "game_sets",
    "matches",
    "metadata",
    "own_games",
    "own_players",
    "run_cycle",
    "seats",
    "sessions",
    "versions",
]

metadata = MetaData()

matches = Table(
    "matches",
    metadata,
    Column("id", AnyText, primary_key=True),
    Column("game", AnyText, nullable=False),
    Column("title", AnyText, nullable=False),
    Column("status", AnyText, nullable=False),
    Column("how", AnyText, nullable=False),
    Column("start_clock", Double),  # null: it never runs out
    Column("play_clock", Double),
    Column("seed", AnyText, nullable=False),  # a number, of any size
    Column("steps", BigInteger, nullable=False),
    Column("is_hidden", Boolean, nullable=False),
    Column("created", Moment, nullable=False),
    Column("ended", Moment),
    Column("owner", AnyText, nullable=False),
    Column("options", AnyText, nullable=False),  # JSON
    Column("record", AnyText, nullable=False),
    Column("is_listed", Boolean, nullable=False),  # whether it is in lists that everybody sees
    Column("read", BigInteger),  # how long the record was when this row was made from it; null: it was not
    Index("matches_by_created", "created", "id"),
    Index("matches_by_listed", "is_listed", "created", "id"),
    Index("matches_by_game", "game", "created", "id"),
    Index("matches_by_status", "status", "created", "id"),
)

seats = Table(
    "seats",
    metadata,
    Column("match_id", AnyText, ForeignKey("matches.id", ondelete="CASCADE"), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("role", AnyText, nullable=False),
    Column("player", AnyText, nullable=False),
    Column("folded", AnyText, nullable=False),  # the player, with all its letters alike: to look for
    Column("kind", AnyText, nullable=False),
    Column("key", AnyText, nullable=False),
    Column("goal", BigInteger),
    Column("errors", BigInteger, nullable=False),
    Index("seats_by_player", "folded", "match_id"),
)

accounts = Table(
    "accounts",
    metadata,
    Column("id", AnyText, primary_key=True),
    Column("name", AnyText, nullable=False),
    Column("folded", AnyText, nullable=False, unique=True),  # the name, with all its letters alike
    Column("password", AnyText, nullable=False),  # a hash, with how it was made
    Column("is_operator", Boolean, nullable=False),
    Column("created", Moment, nullable=False),
)

sessions = Table(
    "sessions",
    metadata,
    Column("key", AnyText, primary_key=True),  # a hash of what the browser keeps
    Column("account_id", AnyText, ForeignKey("accounts.id", ondelete="CASCADE"), nullable=False),
    Column("until", Moment, nullable=False),
    Index("sessions_by_account", "account_id"),
)

own_players = Table(
    "own_players",
    metadata,
    Column("id", AnyText, primary_key=True),
    Column("account_id", AnyText, ForeignKey("accounts.id", ondelete="CASCADE"), nullable=False),
    Column("name", AnyText, nullable=False),
    Column("folded", AnyText, nullable=False, unique=True),
    Column("kind", AnyText, nullable=False),
    Column("address", AnyText, nullable=False),
    Column("file", AnyText, nullable=False),  # the key of a file beside the database
    Column("visibility", AnyText, nullable=False),
    Column("about", AnyText, nullable=False),
    Column("created", Moment, nullable=False),
    Index("own_players_by_account", "account_id"),
)

game_sets = Table(
    "game_sets",
    metadata,
    Column("id", AnyText, primary_key=True),
    Column("account_id", AnyText, ForeignKey("accounts.id", ondelete="CASCADE")),  # null: the site's own
    Column("title", AnyText, nullable=False),
    Column("games", AnyText, nullable=False),  # JSON
    Column("changed", Moment, nullable=False),
    Index("game_sets_by_account", "account_id"),
)

competitions = Table(
    "competitions",
    metadata,
    Column("id", AnyText, primary_key=True),
    Column("account_id", AnyText, ForeignKey("accounts.id", ondelete="CASCADE"), nullable=False),
    Column("title", AnyText, nullable=False),
    Column("plan", AnyText, nullable=False),  # JSON
    Column("is_public", Boolean, nullable=False),
    Column("status", AnyText, nullable=False),
    Column("trouble", AnyText, nullable=False),
    Column("created", Moment, nullable=False),
    Column("queued", Moment, nullable=False),
    Column("ended", Moment),
    Index("competitions_by_account", "account_id"),
    Index("competitions_by_created", "created", "id"),
    Index("competitions_by_status", "status"),
)

run_cycle = Table(
    "run_cycle",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("is_on", Boolean, nullable=False),
    Column("settings", AnyText, nullable=False),  # JSON
    Column("match", AnyText, nullable=False),  # the one that is under way; nothing between two
    Column("recent", AnyText, nullable=False),  # JSON
)

own_games = Table(
    "own_games",
    metadata,
    Column("id", AnyText, primary_key=True),
    Column("account_id", AnyText, ForeignKey("accounts.id", ondelete="CASCADE"), nullable=False),
    Column("title", AnyText, nullable=False),
    Column("name", AnyText, nullable=False),  # of its newest version: @ and the name of the folder
    Column("visibility", AnyText, nullable=False),
    Column("created", Moment, nullable=False),
    Column("changed", Moment, nullable=False),
    Index("own_games_by_account", "account_id"),
    Index("own_games_by_visibility", "visibility", "changed"),
)

versions = Table(
    "versions",
    metadata,
    Column("game_id", AnyText, ForeignKey("own_games.id", ondelete="CASCADE"), primary_key=True),
    Column("name", AnyText, primary_key=True),
    Index("versions_by_name", "name"),
)
