"""Accounts: people with names, and the sessions in which they are signed in. Passwords come and go as hashes.

A session is known by a hash of what the browser keeps: whoever reads the database can sign in as nobody.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import ColumnElement, Connection, RowMapping, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from gamemaster.errors import NameTaken, StoreError, UnknownAccount
from gamemaster.store.access import Access
from gamemaster.store.rows import folded
from gamemaster.store.tables import accounts, sessions

__all__ = ["Account", "Accounts"]


@dataclass(frozen=True, slots=True)
class Account:
    """Somebody with a name; an operator may do what concerns all."""

    id: str
    name: str
    is_operator: bool
    created: datetime


class Accounts:
    """The accounts of a database. Any thread may call it."""

    def __init__(self, access: Access) -> None:
        self._access = access

    def add(self, name: str, password: str, *, is_operator: bool = False) -> Account:
        """A new account with the hash of its password; NameTaken where somebody has that name in any spelling."""
        account = Account(secrets.token_hex(12), name, is_operator, datetime.now(UTC))
        values = {
            "id": account.id,
            "name": name,
            "folded": folded(name),
            "password": password,
            "is_operator": is_operator,
            "created": account.created,
        }
        self._change_names(name, lambda connection: connection.execute(insert(accounts).values(**values)))
        return account

    def rename(self, id: str, name: str) -> None:
        """Give an account another name; NameTaken as for `add`."""
        change = update(accounts).where(accounts.c.id == id).values(name=name, folded=folded(name))
        self._change_names(name, lambda connection: connection.execute(change))

    def _change_names(self, name: str, change: Callable[[Connection], object]) -> None:
        try:
            with self._access.writing() as connection:
                change(connection)
        except StoreError as error:
            if isinstance(error.__cause__, IntegrityError):
                raise NameTaken(f"somebody is called {name!r} already; take another name") from None
            raise

    def named(self, name: str) -> Account | None:
        """Who has a name, in any spelling."""
        return self._one(accounts.c.folded == folded(name))

    def get(self, name: str) -> Account:
        """The same; UnknownAccount where nobody has it."""
        found = self.named(name)
        if found is None:
            raise UnknownAccount(f"nobody is called {name[:80]!r}")
        return found

    def password_of(self, id: str) -> str:
        """The hash of somebody's password; nothing where there is no such account."""
        with self._access.reading() as connection:
            return connection.scalar(select(accounts.c.password).where(accounts.c.id == id)) or ""

    def set_password(self, id: str, password: str, *, kept: str = "") -> None:
        """Another password, and an end to all sessions but the one of that key."""
        with self._access.writing() as connection:
            connection.execute(update(accounts).where(accounts.c.id == id).values(password=password))
            connection.execute(delete(sessions).where(sessions.c.account_id == id, sessions.c.key != kept))

    def set_operator(self, id: str, *, is_operator: bool) -> None:
        """Whether somebody may do what concerns all."""
        with self._access.writing() as connection:
            connection.execute(update(accounts).where(accounts.c.id == id).values(is_operator=is_operator))

    def remove(self, id: str) -> None:
        """Take an account away with all that belongs to it."""
        with self._access.writing() as connection:
            connection.execute(delete(accounts).where(accounts.c.id == id))

    def all(self) -> list[Account]:
        """Everybody, in the order of their names."""
        with self._access.reading() as connection:
            rows = connection.execute(select(accounts).order_by(accounts.c.folded)).mappings()
            return [_account(row) for row in rows]

    # Sessions

    def begin_session(self, id: str, key: str, until: datetime) -> None:
        """Somebody is signed in until then; sessions whose time is over are forgotten."""
        with self._access.writing() as connection:
            connection.execute(delete(sessions).where(sessions.c.until < datetime.now(UTC)))
            connection.execute(insert(sessions).values(key=key, account_id=id, until=until))

    def in_session(self, key: str) -> Account | None:
        """Who is signed in in a session; nobody where there is none, or its time is over."""
        wanted = select(accounts).join(sessions, sessions.c.account_id == accounts.c.id)
        wanted = wanted.where(sessions.c.key == key, sessions.c.until >= datetime.now(UTC))
        with self._access.reading() as connection:
            row = connection.execute(wanted).mappings().first()
        return None if row is None else _account(row)

    def end_session(self, key: str) -> None:
        """Somebody signs out."""
        with self._access.writing() as connection:
            connection.execute(delete(sessions).where(sessions.c.key == key))

    def _one(self, condition: ColumnElement[bool]) -> Account | None:
        with self._access.reading() as connection:
            row = connection.execute(select(accounts).where(condition)).mappings().first()
        return None if row is None else _account(row)


def _account(row: RowMapping) -> Account:
    return Account(row["id"], row["name"], row["is_operator"], row["created"])
