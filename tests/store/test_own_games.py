"""Games of people's own in the store, on both databases."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gamemaster.errors import Overtaken, ParameterError, TooMuch, UnknownGame
from gamemaster.store import own_games
from gamemaster.store.entries import MatchFilter
from gamemaster.store.matches import Store
from gamemaster.store.opening import open_store
from gamemaster.store.visibility import is_seen_by, visibility_of
from tests.store.made import made
from tests.store.older import taken_back

FIRST, SECOND = "@" + "1" * 20, "@" + "2" * 20


def test_a_game_is_added_changed_and_removed(store: Store) -> None:
    ada = store.accounts.add("Ada", "hash")
    games = store.own_games
    id = games.add(ada.id, "Mine", FIRST, "private")
    found = games.get(ada.id, id)
    assert (found.title, found.name, found.visibility, found.owner) == ("Mine", FIRST, "private", "Ada")
    games.change(ada.id, id, title="Ours", name=SECOND, visibility="public")
    changed = games.get(ada.id, id)
    assert (changed.title, changed.name, changed.visibility) == ("Ours", SECOND, "public")
    assert changed.created == found.created
    assert games.public() == games.of(ada.id) == games.named(FIRST) == games.named(SECOND) == [changed]
    assert games.names() == games.names_of(ada.id) == {FIRST, SECOND}
    games.remove(ada.id, id)
    assert (games.of(ada.id), games.names(), games.named(FIRST)) == ([], set(), [])


def test_a_change_of_an_old_version_does_not_get_over_a_newer_one(store: Store) -> None:
    ada = store.accounts.add("Ada", "hash")
    games = store.own_games
    id = games.add(ada.id, "Mine", FIRST, "private")
    games.change(ada.id, id, was=FIRST, name=SECOND)
    with pytest.raises(Overtaken, match="changed elsewhere since you began"):
        games.change(ada.id, id, was=FIRST, name="@" + "3" * 20)
    assert games.get(ada.id, id).name == SECOND
    with pytest.raises(UnknownGame, match="you have no game"):
        games.change(ada.id, "other", was=FIRST, name=SECOND)


def test_games_belong_to_one_account(store: Store) -> None:
    ada, eve = store.accounts.add("Ada", "hash"), store.accounts.add("Eve", "hash")
    games = store.own_games
    id = games.add(ada.id, "Mine", FIRST, "private")
    with pytest.raises(UnknownGame, match="you have no game"):
        games.get(eve.id, id)
    with pytest.raises(UnknownGame, match="you have no game"):
        games.change(eve.id, id, title="Mine")
    with pytest.raises(UnknownGame, match="you have no game"):
        games.remove(eve.id, id)
    store.accounts.remove(ada.id)
    assert games.names() == set()


def test_old_versions_are_dropped_unless_they_are_wanted(store: Store) -> None:
    ada = store.accounts.add("Ada", "hash")
    games = store.own_games
    id = games.add(ada.id, "Mine", FIRST, "private")
    games.change(ada.id, id, name=SECOND)
    games.change(ada.id, id, name=SECOND)
    games.drop_versions({FIRST})
    assert games.names() == {FIRST, SECOND}
    games.drop_versions(set())
    assert games.names() == {SECOND}


def test_an_account_has_only_so_many(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_games, "MOST_GAMES", 1)
    ada = store.accounts.add("Ada", "hash")
    store.own_games.add(ada.id, "Mine", FIRST, "private")
    with pytest.raises(TooMuch, match="you have 1 games"):
        store.own_games.add(ada.id, "More", SECOND, "private")


def test_a_visibility_has_to_be_one() -> None:
    assert visibility_of("link") == "link"
    with pytest.raises(ParameterError, match="seen as private, link or public, not 'all'"):
        visibility_of("all")


def test_what_is_private_is_seen_by_whose_it_is() -> None:
    assert is_seen_by("ada", "private", "ada")
    assert not is_seen_by("bob", "private", "ada")
    assert not is_seen_by("", "private", "")
    assert is_seen_by("", "link", "ada")


def test_what_is_not_listed_is_found_by_who_asks_for_it(store: Store) -> None:
    store.add(made("listed"))
    store.add(replace(made("not"), game=FIRST, is_listed=False, status="over"))
    assert [each.id for each in store.page(MatchFilter()).entries] == ["listed"]
    assert [each.id for each in store.page(MatchFilter(game=FIRST, has_unlisted=True)).entries] == ["not"]
    assert store.games() == [made().game]
    assert sum(store.counts().values()) == 1
    assert [each.id for each in store.over()] == []
    assert [each.id for each in store.of_games("@")] == ["not"]
    found = store.find("not")
    assert found is not None
    assert not found.is_listed
    assert store.played_games("@") == {FIRST}
    store.unlist([made().game])
    assert store.page(MatchFilter()).total == 0


def test_a_database_of_the_first_half_keeps_its_matches(address: str) -> None:
    store = open_store(address)
    store.add(made())
    store.close()
    taken_back(address, "0004")
    again = open_store(address)
    assert again.find("m1") == made()
    assert again.page(MatchFilter()).total == 1
    again.close()
