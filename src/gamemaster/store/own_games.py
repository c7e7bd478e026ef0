"""Games of people's own: who has which, how they are called, and who may see them. Their rules are in files.

Each time a game is changed it has one more version; matches were played by older ones.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, RowMapping, Select, delete, func, insert, select, update

from gamemaster.errors import Overtaken, TooMuch, UnknownGame
from gamemaster.store.access import Access
from gamemaster.store.tables import accounts, own_games, versions
from gamemaster.store.visibility import Visibility, is_seen_by

__all__ = ["OwnGame", "OwnGames"]

MOST_GAMES = 200
"""Of one account."""

MOST_SHOWN = 500


@dataclass(frozen=True, slots=True)
class OwnGame:
    """A game of somebody's; `name` is that of its newest version on this site."""

    id: str
    account_id: str
    owner: str
    title: str
    name: str
    visibility: Visibility
    created: datetime
    changed: datetime

    def is_for(self, account_id: str) -> bool:
        """Whether somebody who knows its name may see it."""
        return is_seen_by(account_id, self.visibility, self.account_id)


class OwnGames:
    """The games of people's own in a database. Any thread may call it."""

    def __init__(self, access: Access) -> None:
        self._access = access

    def add(self, account_id: str, title: str, name: str, visibility: Visibility) -> str:
        """A new one, by the id that is given; TooMuch where an account has very many."""
        id, now = secrets.token_hex(8), datetime.now(UTC)
        row = {"id": id, "account_id": account_id, "title": title, "name": name, "visibility": visibility}
        with self._access.writing() as connection:
            _check_room(connection, account_id)
            connection.execute(insert(own_games).values(**row, created=now, changed=now))
            connection.execute(insert(versions).values(game_id=id, name=name))
        return id

    def check_room(self, account_id: str) -> None:
        """TooMuch, where an account has as many as it may."""
        with self._access.reading() as connection:
            _check_room(connection, account_id)

    def change(self, account_id: str, id: str, *, was: str | None = None, **values: str) -> None:
        """Another title, name or visibility; UnknownGame where the account has no such game.

        `was` is the version that was changed: Overtaken where there is a newer one.
        """
        change = update(own_games).where(own_games.c.id == id, own_games.c.account_id == account_id)
        if was is not None:
            change = change.where(own_games.c.name == was)
        with self._access.writing() as connection:
            if not connection.execute(change.values(**values, changed=datetime.now(UTC))).rowcount:
                known = select(own_games.c.id).where(
                    own_games.c.id == id, own_games.c.account_id == account_id
                )
                if connection.scalar(known) is not None:
                    raise Overtaken("this game was changed elsewhere since you began")
                raise UnknownGame(f"you have no game {id[:40]!r}")
            if name := values.get("name"):
                known = select(versions.c.name).where(versions.c.game_id == id, versions.c.name == name)
                if connection.scalar(known) is None:
                    connection.execute(insert(versions).values(game_id=id, name=name))

    def remove(self, account_id: str, id: str) -> None:
        """Take one away; UnknownGame where the account has no such game."""
        removal = delete(own_games).where(own_games.c.id == id, own_games.c.account_id == account_id)
        with self._access.writing() as connection:
            if not connection.execute(removal).rowcount:
                raise UnknownGame(f"you have no game {id[:40]!r}")

    def get(self, account_id: str, id: str) -> OwnGame:
        """One of an account's; UnknownGame where it has no such game."""
        found = self._all(_chosen().where(own_games.c.id == id, own_games.c.account_id == account_id))
        if not found:
            raise UnknownGame(f"you have no game {id[:40]!r}")
        return found[0]

    def of(self, account_id: str) -> list[OwnGame]:
        """All of an account's, the newest first."""
        return self._all(_chosen().where(own_games.c.account_id == account_id))

    def public(self) -> list[OwnGame]:
        """Those that everybody may see, the newest first."""
        return self._all(_chosen().where(own_games.c.visibility == "public").limit(MOST_SHOWN))

    def named(self, name: str) -> list[OwnGame]:
        """Those that have a version of that name: two people may have written the same."""
        having = select(versions.c.game_id).where(versions.c.name == name)
        return self._all(_chosen().where(own_games.c.id.in_(having)))

    def names(self) -> set[str]:
        """The names of all versions of all."""
        with self._access.reading() as connection:
            return set(connection.scalars(select(versions.c.name)).all())

    def names_of(self, account_id: str, id: str = "") -> set[str]:
        """The names of all versions of an account's games, or of one of them."""
        wanted = select(versions.c.name).join(own_games).where(own_games.c.account_id == account_id)
        wanted = wanted.where(own_games.c.id == id) if id else wanted
        with self._access.reading() as connection:
            return set(connection.scalars(wanted).all())

    def drop_versions(self, wanted: Collection[str]) -> None:
        """Forget the versions that are neither the newest of a game nor wanted."""
        newest = (
            select(own_games.c.id)
            .where(own_games.c.id == versions.c.game_id)
            .where(own_games.c.name == versions.c.name)
        )
        with self._access.writing() as connection:
            old = connection.execute(
                select(versions.c.game_id, versions.c.name).where(~newest.exists())
            ).all()
            for game_id, name in old:
                if name not in wanted:
                    both = (versions.c.game_id == game_id, versions.c.name == name)
                    connection.execute(delete(versions).where(*both))

    def _all(self, chosen: Select[Any]) -> list[OwnGame]:
        with self._access.reading() as connection:
            rows: Sequence[RowMapping] = connection.execute(chosen).mappings().all()
        return [OwnGame(**row) for row in rows]


def _check_room(connection: Connection, account_id: str) -> None:
    counted = select(func.count()).where(own_games.c.account_id == account_id)
    if (connection.scalar(counted) or 0) >= MOST_GAMES:
        raise TooMuch(f"you have {MOST_GAMES} games; remove one before you keep another")


def _chosen() -> Select[Any]:
    joined = select(own_games, accounts.c.name.label("owner")).join(accounts)
    return joined.order_by(own_games.c.changed.desc(), own_games.c.id)
