"""`gamemaster account`: the accounts of a site, for whoever runs it."""

from __future__ import annotations

import getpass
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from gamemaster.errors import ParameterError
from gamemaster.store.accounts import Accounts
from gamemaster.store.opening import open_data
from gamemaster.store.passwords import hashed, mistake_in
from gamemaster.terminal.report import print_line
from gamemaster.terminal.tables import print_table

__all__ = ["AccountChange", "change_account", "list_accounts"]


@dataclass(frozen=True, slots=True)
class AccountChange:
    """What is to be done with an account."""

    is_new: bool = False
    has_password: bool = False
    is_operator: bool | None = None
    is_removed: bool = False


@contextmanager
def _accounts(data: str) -> Iterator[Accounts]:
    store = open_data(data)
    try:
        yield store.accounts
    finally:
        store.close()


def list_accounts(data: str, *, as_json: bool) -> None:
    """Everybody, in the order of their names."""
    with _accounts(data) as accounts:
        everybody = accounts.all()
    if as_json:
        rows = [
            {"name": each.name, "is_operator": each.is_operator, "created": each.created.isoformat()}
            for each in everybody
        ]
        print(json.dumps(rows))
        return
    table = [
        [each.name, "operator" if each.is_operator else "", f"{each.created:%Y-%m-%d}"] for each in everybody
    ]
    print_table(["name", "role", "since"], table)


def change_account(data: str, name: str, change: AccountChange) -> None:
    """Make, change or remove an account, and say what was done."""
    with _accounts(data) as accounts:
        if change.is_new:
            accounts.add(name, hashed(_new_password(name)), is_operator=bool(change.is_operator))
            print_line(f"{name} has an account" + (", and is an operator" if change.is_operator else ""))
            return
        account = accounts.get(name)
        if change.is_removed:
            accounts.remove(account.id)
            print_line(f"{account.name} is gone")
            return
        if change.has_password:
            accounts.set_password(account.id, hashed(_new_password(account.name)))
            print_line(f"{account.name} has another password, and is signed out everywhere")
        if change.is_operator is not None:
            accounts.set_operator(account.id, is_operator=change.is_operator)
            print_line(f"{account.name} is {'an' if change.is_operator else 'no'} operator")


def _new_password(name: str) -> str:
    """A password that is typed twice, or a line of a pipe; ParameterError where it is none."""
    if sys.stdin.isatty():
        password = getpass.getpass(f"A password for {name}: ")
        if getpass.getpass("Once more: ") != password:
            raise ParameterError("these are not the same; nothing was changed")
    else:
        password = sys.stdin.readline().rstrip("\n")
    if mistake := mistake_in(password, name):
        raise ParameterError(f"{mistake}; nothing was changed")
    return password
