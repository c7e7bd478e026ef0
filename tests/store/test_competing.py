"""Sets of games, competitions and the cycle, on both databases."""

from __future__ import annotations

import pytest

from gamemaster.errors import TooMuch, UnknownCompetition, UnknownGameSet
from gamemaster.store import competing
from gamemaster.store.competing import CycleEntry, CycleSettings
from gamemaster.store.matches import Store
from gamemaster.store.opening import open_store
from tests.store.made import made
from tests.store.older import taken_back

PLAN = {"competition": {"games": ["nim"]}, "games": {"nim": {"roles": ["a", "b"], "is_hidden": False}}}


def begun(store: Store, account: str, *, is_public: bool = True) -> str:
    return store.competitions.add(account, "spring", PLAN, is_public=is_public)


def test_a_set_is_seen_by_whose_it_is_and_the_sites_own_by_everybody(store: Store) -> None:
    ada, bob = (store.accounts.add(name, "hash").id for name in ("ada", "bob"))
    own = store.game_sets.add(ada, "mine", ["nim", "tictactoe"])
    sites = store.game_sets.add(None, "all ours", ["nim"])
    assert store.game_sets.seen_by(ada) == [sites, own]
    assert store.game_sets.seen_by(bob) == [sites]
    assert store.game_sets.seen_by(None) == [sites]
    assert store.game_sets.find(own.id) == own


def test_a_set_is_changed_and_removed(store: Store) -> None:
    found = store.game_sets.add(None, "ours", ["nim"])
    store.game_sets.change(found.id, "others", ["hex"])
    changed = store.game_sets.find(found.id)
    assert changed is not None
    assert (changed.title, changed.games) == ("others", ("hex",))
    store.game_sets.remove(found.id)
    assert store.game_sets.find(found.id) is None
    with pytest.raises(UnknownGameSet, match="no game set"):
        store.game_sets.change(found.id, "others", ["hex"])


def test_there_are_not_very_many_sets(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(competing, "MOST_SETS", 2)
    ada = store.accounts.add("ada", "hash").id
    for number in range(2):
        store.game_sets.add(ada, str(number), [])
        store.game_sets.add(None, str(number), [])
    for owner in (ada, None):
        with pytest.raises(TooMuch, match="2 sets already"):
            store.game_sets.add(owner, "more", [])


def test_a_competition_waits_runs_and_is_over(store: Store) -> None:
    ada = store.accounts.add("ada", "hash").id
    id = begun(store, ada)
    entry = store.competitions.get(id)
    assert (entry.status, entry.owner, entry.title, entry.plan) == ("waiting", "ada", "spring", PLAN)
    assert store.competitions.set_status(id, "running", was="waiting")
    assert not store.competitions.set_status(id, "running", was="waiting")
    assert store.competitions.set_status(id, "paused", trouble="nobody answers")
    assert store.competitions.get(id).trouble == "nobody answers"
    assert [each.id for each in store.competitions.unfinished()] == [id]
    assert store.competitions.games() == {"nim"}
    assert store.competitions.set_status(id, "over")
    assert store.competitions.games() == set()
    over = store.competitions.get(id)
    assert over.ended is not None
    assert over.trouble == ""
    assert store.competitions.unfinished() == []
    assert not store.competitions.set_status("nothing", "over")


def test_who_runs_comes_before_those_who_wait_in_their_order(store: Store) -> None:
    ada = store.accounts.add("ada", "hash").id
    first, second, third = (begun(store, ada) for _ in range(3))
    store.competitions.set_status(third, "running")
    store.competitions.set_status(first, "paused")
    store.competitions.set_status(first, "waiting")
    assert [each.id for each in store.competitions.unfinished()] == [third, second, first]


def test_a_list_has_its_bounds_and_nothing_that_is_to_be_played_is_forgotten(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = store.accounts.add("ada", "hash").id
    first, second = begun(store, ada), begun(store, ada)
    monkeypatch.setattr(competing, "MOST_LISTED", 1)
    assert [each.id for each in store.competitions.seen_by(ada)] == [second]
    assert [each.id for each in store.competitions.unfinished()] == [first, second]


def test_a_private_competition_is_seen_by_whose_it_is(store: Store) -> None:
    ada, bob = (store.accounts.add(name, "hash").id for name in ("ada", "bob"))
    hidden, shown = begun(store, ada, is_public=False), begun(store, ada)
    assert {each.id for each in store.competitions.seen_by(ada)} == {hidden, shown}
    assert {each.id for each in store.competitions.seen_by(bob)} == {shown}
    assert {each.id for each in store.competitions.seen_by(None)} == {shown}
    assert {each.id for each in store.competitions.seen_by(bob, has_all=True)} == {hidden, shown}
    assert {each.id for each in store.competitions.of(ada)} == {hidden, shown}
    assert store.competitions.of(bob) == []


def test_there_are_not_very_many_competitions(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    ada, bob = (store.accounts.add(name, "hash").id for name in ("ada", "bob"))
    monkeypatch.setattr(competing, "MOST_UNFINISHED", 2)
    first, _ = begun(store, ada), begun(store, ada)
    with pytest.raises(TooMuch, match="2 competitions of yours are not over"):
        begun(store, ada)
    store.competitions.set_status(first, "ended")
    begun(store, ada)
    monkeypatch.setattr(competing, "MOST_WAITING", 2)
    with pytest.raises(TooMuch, match="2 competitions are waiting"):
        begun(store, bob)
    monkeypatch.setattr(competing, "MOST_UNFINISHED", 9)
    monkeypatch.setattr(competing, "MOST_COMPETITIONS", 3)
    with pytest.raises(TooMuch, match="you have 3 competitions"):
        begun(store, ada)


def test_what_is_removed_is_gone(store: Store) -> None:
    ada = store.accounts.add("ada", "hash").id
    first, second = begun(store, ada), begun(store, ada)
    store.competitions.remove(first)
    assert store.competitions.find(first) is None
    with pytest.raises(UnknownCompetition, match="no competition"):
        store.competitions.get(first)
    store.game_sets.add(ada, "mine", [])
    store.accounts.remove(ada)
    assert store.competitions.find(second) is None
    assert store.game_sets.seen_by(ada) == []


def test_the_cycle_is_what_it_was_told(store: Store) -> None:
    assert store.cycle.get() == CycleEntry()
    settings = CycleSettings("kind-board", ("random", "legal"), 3, 1.5, 20)
    assert store.cycle.change(is_on=True).is_on
    store.cycle.change(settings=settings)
    for number in range(25):
        store.cycle.change(match=f"m{number}")
    found = store.cycle.change(match="")
    assert (found.is_on, found.settings, found.match) == (True, settings, "")
    assert found.recent[:2] == ("m24", "m23")
    assert len(found.recent) == competing.MOST_RECENT


def test_matches_that_are_over_are_found_by_a_set_of_games(store: Store) -> None:
    for number, game in enumerate(("nim", "hex", "kono")):
        store.add(made(f"m{number}", number, game=game, status="over", how="completed"))
    assert [each.game for each in store.over(games=("nim", "kono"))] == ["nim", "kono"]
    assert store.over(games=()) == []
    assert len(store.over()) == 3


def test_a_database_of_the_first_half_gets_competitions_and_keeps_its_matches(address: str) -> None:
    taken_back(address, "0001")
    store = open_store(address)
    store.add(made())
    ada = store.accounts.add("ada", "hash").id
    id = begun(store, ada)
    store.close()
    taken_back(address, "0003")
    store = open_store(address)
    assert store.find("m1") is not None
    assert store.competitions.find(id) is None
    assert store.accounts.get("ada").id == ada
    assert store.cycle.get() == CycleEntry()
    store.close()
