"""What is said of players: cards of the library, and ratings match after match."""

from __future__ import annotations

import xml.etree.ElementTree as xml
from dataclasses import replace

from gamemaster.players.catalogue import player_names
from gamemaster.store.entries import Seat
from gamemaster.web.leaders import results_of
from gamemaster.web.roster.cards import MOST_POINTS, history_of, library_cards
from tests.web.test_leaderboard import entry

SCRIPT = "<script>alert(1)</script>"


def test_every_player_of_the_library_has_a_card() -> None:
    cards = {card.name: card for card in library_cards()}
    assert tuple(cards) == player_names()
    assert ("exploration", "0.7") in cards["mcts"].parameters
    assert not cards["mcts"].plays_hidden
    assert cards["egghead"].plays_hidden
    assert all(card.line and "`" not in card.line + card.about for card in cards.values())


def test_a_rating_is_told_match_after_match() -> None:
    entries = [entry(number, "mcts", "random", (100, 0)) for number in range(40)]
    found = history_of(results_of(entries), "mcts")
    assert len(found.points) == MOST_POINTS
    assert found.points[-1].matches == 40
    assert found.points[0].elo < found.points[-1].elo
    assert history_of(results_of(entries), "random").points[-1].elo < 0
    drawn = xml.fromstring(found.picture)
    title = drawn.find("{http://www.w3.org/2000/svg}title")
    assert title is not None
    assert str(title.text).startswith("Rating of mcts, +")
    assert str(title.text).endswith("after 40 matches")


def test_who_met_nobody_has_no_history_and_one_match_is_a_point() -> None:
    results = results_of([entry(1, "mcts", "random", (50, 50)), entry(2, "legal", "legal", (100, 0))])
    assert history_of(results, "nobody").picture == ""
    assert history_of(results, "legal").points == ()
    assert len(history_of(results, "mcts").points) == 1
    assert history_of([], "mcts").points == ()


def test_names_in_a_picture_are_no_markup() -> None:
    found = history_of(results_of([entry(1, SCRIPT, "random", (100, 0))]), SCRIPT)
    assert SCRIPT not in found.picture
    assert "&lt;script&gt;" in found.picture


def test_a_launched_player_is_rated_as_that_player() -> None:
    played = entry(1, "mcts", "random", (100, 0))
    seats = (Seat("x", "mcts.0f3a", "launched", goal=100), Seat("o", "Deep", "own", goal=0))
    results = results_of([replace(played, seats=seats)])
    assert [each.seats for each in results] == [("mcts", "Deep")]
