"""Players of people's own: at an address, or a file that was uploaded; whose they are, and who may choose them.

A name is had once, in any spelling: it is what stands in matches, records and tables.
"""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from typing import Literal, TypeAlias

from sqlalchemy import ColumnElement, RowMapping, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from gamemaster.errors import NameTaken, StoreError, TooMuch, UnknownPlayer
from gamemaster.players.catalogue import player_names
from gamemaster.store.access import Access
from gamemaster.store.rows import folded
from gamemaster.store.tables import accounts, own_players
from gamemaster.store.visibility import Visibility, is_seen_by

__all__ = [
    "DROPPED",
    "OwnPlayer",
    "OwnPlayerKind",
    "OwnPlayers",
    "is_player_name",
    "mistake_in_player_name",
]

OwnPlayerKind: TypeAlias = Literal["address", "file"]

SHORTEST_NAME, LONGEST_NAME = 2, 30
NAME = re.compile(rf"[A-Za-z][A-Za-z0-9_-]{{{SHORTEST_NAME - 1},{LONGEST_NAME - 1}}}\Z")
RESERVED = frozenset(("person", "websocket", "any", "nobody", "you", "new", "register", "upload", "launched"))
"""What stands for somebody else in a form, or for a page in an address."""

DROPPED = "open-"
"""How names of players begin whose files were only dropped on a page: nobody can register such a name."""

MOST_EACH = 20
"""Players of one account."""


@dataclass(frozen=True, slots=True)
class OwnPlayer:
    """A player that somebody registered."""

    id: str
    account_id: str
    owner: str
    """The name of the account."""

    name: str
    kind: OwnPlayerKind
    address: str
    """Where it is asked; nothing for a file. For its owner alone to see."""

    file: str
    """The key of its file; nothing for one at an address."""

    visibility: Visibility
    about: str
    """What it does, in its owner's words."""

    created: datetime

    def is_for(self, account_id: str) -> bool:
        """Whether somebody who knows its name may see and choose it."""
        return is_seen_by(account_id, self.visibility, self.account_id)


def is_player_name(text: str) -> bool:
    """Whether a text can be the name of a player of somebody's own."""
    return NAME.match(text) is not None


def mistake_in_player_name(name: str) -> str:
    """What is wrong with a name for a player, in words; nothing where it is good."""
    if not is_player_name(name):
        return (
            f"a player's name has {SHORTEST_NAME} to {LONGEST_NAME} of the letters a to z, digits, - and _, "
            "and begins with a letter"
        )
    if folded(name) in player_names():
        return f"{folded(name)} is a player of the library; take another name"
    is_reserved = folded(name) in RESERVED or folded(name).startswith(DROPPED)
    return f"no player is called {name}; take another name" if is_reserved else ""


class OwnPlayers:
    """The players of people's own in a database. Any thread may call it."""

    def __init__(self, access: Access) -> None:
        self._access = access

    def add(
        self,
        account_id: str,
        name: str,
        *,
        address: str = "",
        file: str = "",
        visibility: Visibility = "private",
        about: str = "",
        id: str = "",
    ) -> OwnPlayer:
        """A new player, at an address or of a file; NameTaken where another has that name in any spelling."""
        values = {
            "id": id or secrets.token_hex(10),
            "account_id": account_id,
            "name": name,
            "folded": folded(name),
            "kind": "file" if file else "address",
            "address": address,
            "file": file,
            "visibility": visibility,
            "about": about,
            "created": datetime.now(UTC),
        }
        counted = select(func.count()).where(own_players.c.account_id == account_id)
        try:
            with self._access.writing() as connection:
                if (connection.scalar(counted) or 0) >= MOST_EACH:
                    raise TooMuch(f"you have {MOST_EACH} players; remove one first")
                connection.execute(insert(own_players).values(**values))
        except StoreError as error:
            if isinstance(error.__cause__, IntegrityError):
                raise NameTaken(f"there is a player {name!r} already; take another name") from None
            raise
        return self.get(name)

    def change(self, id: str, *, address: str, file: str, visibility: Visibility, about: str) -> None:
        """Other values for a player; its name stays, as matches tell of it."""
        change = update(own_players).where(own_players.c.id == id)
        with self._access.writing() as connection:
            connection.execute(change.values(address=address, file=file, visibility=visibility, about=about))

    def remove(self, id: str) -> None:
        """Take a player away, if it is there; matches that it played stay under its name."""
        with self._access.writing() as connection:
            connection.execute(delete(own_players).where(own_players.c.id == id))

    def named(self, name: str) -> OwnPlayer | None:
        """The player of a name, in any spelling."""
        return next(iter(self._all(own_players.c.folded == folded(name))), None)

    def get(self, name: str) -> OwnPlayer:
        """The same; UnknownPlayer where there is none."""
        found = self.named(name)
        if found is None:
            raise UnknownPlayer(f"there is no player {name[:80]!r}")
        return found

    def of(self, account_id: str) -> list[OwnPlayer]:
        """Those of an account, in the order of their names."""
        return self._all(own_players.c.account_id == account_id)

    def public(self) -> list[OwnPlayer]:
        """Those that everybody may choose, in the order of their names."""
        return self._all(own_players.c.visibility == "public")

    def files(self) -> set[str]:
        """The keys of all files that players are made of."""
        with self._access.reading() as connection:
            return set(connection.scalars(select(own_players.c.file).where(own_players.c.file != "")))

    def _all(self, condition: ColumnElement[bool]) -> list[OwnPlayer]:
        wanted = select(own_players, accounts.c.name.label("owner")).join(accounts).where(condition)
        with self._access.reading() as connection:
            rows = connection.execute(wanted.order_by(own_players.c.folded)).mappings()
            return [_own_player(row) for row in rows]


def _own_player(row: RowMapping) -> OwnPlayer:
    return OwnPlayer(**{each.name: row[each.name] for each in fields(OwnPlayer)})
