"""Players of people's own, on both databases."""

from __future__ import annotations

import pytest

from gamemaster.errors import NameTaken, TooMuch, UnknownPlayer
from gamemaster.store.accounts import Account
from gamemaster.store.matches import Store
from gamemaster.store.opening import open_store
from gamemaster.store.players import MOST_EACH, is_player_name, mistake_in_player_name
from tests.store.older import taken_back

AT = "http://127.0.0.1:9147"


@pytest.fixture
def ada(store: Store) -> Account:
    return store.accounts.add("Ada", "hash")


def test_a_player_is_found_by_its_name_in_any_spelling(store: Store, ada: Account) -> None:
    made = store.own_players.add(ada.id, "Deep-Six", address=AT, about="searches")
    assert store.own_players.get("DEEP-six") == made
    assert (made.kind, made.address, made.file, made.visibility) == ("address", AT, "", "private")
    assert (made.owner, made.about) == ("Ada", "searches")
    assert store.own_players.of(ada.id) == [made]
    assert store.own_players.named("nobody") is None
    with pytest.raises(UnknownPlayer, match="there is no player 'nobody'"):
        store.own_players.get("nobody")


def test_a_players_name_is_had_once(store: Store, ada: Account) -> None:
    bob = store.accounts.add("Bob", "hash")
    store.own_players.add(ada.id, "Deep", address=AT)
    with pytest.raises(NameTaken, match="there is a player 'DEEP' already; take another name"):
        store.own_players.add(bob.id, "DEEP", address=AT)
    assert store.own_players.of(bob.id) == []


def test_a_player_is_changed_and_keeps_its_name(store: Store, ada: Account) -> None:
    made = store.own_players.add(ada.id, "Deep", file="0a", visibility="public")
    assert made.kind == "file"
    assert store.own_players.files() == {"0a"}
    store.own_players.change(made.id, address="", file="0b", visibility="link", about="better")
    changed = store.own_players.get("deep")
    assert (changed.id, changed.file, changed.visibility, changed.about) == (made.id, "0b", "link", "better")
    assert store.own_players.files() == {"0b"}
    store.own_players.remove(made.id)
    assert store.own_players.named("deep") is None


def test_only_public_ones_are_listed_for_all(store: Store, ada: Account) -> None:
    for name, visibility in (("Cee", "public"), ("Bee", "link"), ("Ay", "private"), ("aye", "public")):
        store.own_players.add(ada.id, name, address=AT, visibility=visibility)  # type: ignore[arg-type]
    assert [each.name for each in store.own_players.public()] == ["aye", "Cee"]
    assert [each.name for each in store.own_players.of(ada.id)] == ["Ay", "aye", "Bee", "Cee"]


def test_a_private_player_is_for_its_owner_alone(store: Store, ada: Account) -> None:
    bob = store.accounts.add("Bob", "hash")
    private = store.own_players.add(ada.id, "Ay", address=AT)
    linked = store.own_players.add(ada.id, "Bee", address=AT, visibility="link")
    assert private.is_for(ada.id)
    assert not private.is_for(bob.id)
    assert not private.is_for("")
    assert linked.is_for("")


def test_an_account_has_so_many_players_at_most(store: Store, ada: Account) -> None:
    for number in range(MOST_EACH):
        store.own_players.add(ada.id, f"deep{number}", address=AT)
    with pytest.raises(TooMuch, match=f"you have {MOST_EACH} players; remove one first"):
        store.own_players.add(ada.id, "onemore", address=AT)


def test_an_account_goes_with_its_players(store: Store, ada: Account) -> None:
    store.own_players.add(ada.id, "Deep", file="0a")
    store.accounts.remove(ada.id)
    assert store.own_players.named("Deep") is None
    assert store.own_players.files() == set()


def test_a_database_with_accounts_gets_players_and_keeps_them(address: str) -> None:
    store = open_store(address)
    ada = store.accounts.add("Ada", "hash")
    store.close()
    taken_back(address, "0002")
    store = open_store(address)
    assert store.accounts.get("Ada") == ada
    assert store.own_players.add(ada.id, "Deep", address=AT).owner == "Ada"
    store.close()


@pytest.mark.parametrize("name", ["ab", "Deep-Six_7", "a" * 30, "mctsx"])
def test_names_of_players_are_taken(name: str) -> None:
    assert is_player_name(name)
    assert mistake_in_player_name(name) == ""


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("", "2 to 30 of the letters"),
        ("a", "2 to 30"),
        ("a" * 31, "2 to 30"),
        ("-ab", "begins with a letter"),
        ("7up", "begins with a letter"),
        ("a b", "letters a to z"),
        ("a.b", "letters a to z"),
        ("<b>x", "letters a to z"),
        ("../x", "letters a to z"),
        ("ab\n", "letters a to z"),
        ("dеep", "letters a to z"),  # the second letter is Cyrillic
        ("http://x", "letters a to z"),
        ("mcts(depth=1)", "letters a to z"),
        ("MCTS", "mcts is a player of the library"),
        ("random", "is a player of the library"),
        ("Person", "no player is called Person"),
        ("websocket", "no player is called"),
        ("upload", "no player is called"),
    ],
)
def test_names_that_mean_something_else_are_refused(name: str, words: str) -> None:
    assert words in mistake_in_player_name(name)
