"""Accounts and sessions, on both databases."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from gamemaster.errors import NameTaken, UnknownAccount
from gamemaster.store.matches import Store
from gamemaster.store.opening import open_store
from tests.store.made import made
from tests.store.older import taken_back

SOON = timedelta(hours=1)


def test_an_account_is_found_by_its_name_in_any_spelling(store: Store) -> None:
    made = store.accounts.add("Ada", "hash", is_operator=True)
    assert store.accounts.named("aDA") == made
    assert store.accounts.get("ada").is_operator
    assert store.accounts.password_of(made.id) == "hash"
    assert store.accounts.password_of("nobody") == ""
    assert store.accounts.all() == [made]


def test_a_name_is_had_once(store: Store) -> None:
    store.accounts.add("Ada", "hash")
    other = store.accounts.add("Bob", "hash")
    with pytest.raises(NameTaken, match="somebody is called 'ADA' already; take another name"):
        store.accounts.add("ADA", "other")
    with pytest.raises(NameTaken, match="'ada'"):
        store.accounts.rename(other.id, "ada")
    store.accounts.rename(other.id, "BOB")
    assert store.accounts.get("bob").name == "BOB"


def test_who_is_not_there_is_told(store: Store) -> None:
    assert store.accounts.named("nobody") is None
    with pytest.raises(UnknownAccount, match="nobody is called 'nobody'"):
        store.accounts.get("nobody")


def test_a_session_lasts_as_long_as_it_is_said_to(store: Store) -> None:
    ada = store.accounts.add("Ada", "hash")
    now = datetime.now(UTC)
    store.accounts.begin_session(ada.id, "old", now - SOON)
    assert store.accounts.in_session("old") is None
    store.accounts.begin_session(ada.id, "new", now + SOON)
    assert store.accounts.in_session("new") == ada
    assert store.accounts.in_session("other") is None
    store.accounts.end_session("new")
    assert store.accounts.in_session("new") is None


def test_another_password_ends_all_other_sessions(store: Store) -> None:
    ada, until = store.accounts.add("Ada", "hash"), datetime.now(UTC) + SOON
    for key in ("here", "there"):
        store.accounts.begin_session(ada.id, key, until)
    store.accounts.set_password(ada.id, "other", kept="here")
    assert store.accounts.in_session("here") is not None
    assert store.accounts.in_session("there") is None
    store.accounts.set_password(ada.id, "third")
    assert store.accounts.in_session("here") is None


def test_an_account_goes_with_its_sessions_and_its_name_is_free(store: Store) -> None:
    ada = store.accounts.add("Ada", "hash")
    store.accounts.begin_session(ada.id, "key", datetime.now(UTC) + SOON)
    store.accounts.remove(ada.id)
    assert store.accounts.in_session("key") is None
    assert store.accounts.add("ada", "hash").id != ada.id


def test_somebody_becomes_an_operator_and_is_none_again(store: Store) -> None:
    ada = store.accounts.add("Ada", "hash")
    store.accounts.set_operator(ada.id, is_operator=True)
    assert store.accounts.get("ada").is_operator
    store.accounts.set_operator(ada.id, is_operator=False)
    assert not store.accounts.get("ada").is_operator


def test_a_database_of_the_first_half_gets_accounts_and_keeps_its_matches(address: str) -> None:
    store = open_store(address)
    store.add(made("m1"))
    store.close()
    taken_back(address, "0001")
    store = open_store(address)
    assert store.find("m1") is not None
    assert store.accounts.add("Ada", "hash").name == "Ada"
    store.close()
