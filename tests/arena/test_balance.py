"""How fair a game is among strong players: everybody has every role as often, and figures say how sure they are."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from gamemaster.arena.balance import Balance, play_strongly, strong_order, strong_play
from gamemaster.arena.outcomes import MatchOutcome
from gamemaster.arena.pairings import plan
from gamemaster.arena.running import Progress
from gamemaster.errors import CompetitionError, ParameterError, UnknownPlayer, UnknownRole
from gamemaster.load import load
from gamemaster.metagame.random_play import play_at_random

GAME = load("tictactoe", machine="reference")


def outcome(
    number: int, seats: tuple[str, ...], goals: tuple[int | None, ...], **more: object
) -> MatchOutcome:
    plain = {"how": "completed", "errors": (0,) * len(seats), "steps": 9} | more
    return MatchOutcome(
        number=number,
        pair=0,
        round=0,
        game="tictactoe",
        seats=seats,
        goals=goals,
        seconds=1.0,
        reasons=("",) * len(seats),
        **plain,  # type: ignore[arg-type]
    )


def test_everybody_has_every_role_as_often() -> None:
    order = strong_order(load("threehouses"), ["random", "legal", "random"], 7, 0.1)
    assert order.matches == 9
    roles = dict.fromkeys(order.competition.games, 3)
    seats = Counter(
        (name, seat)
        for fixture in plan(order.competition, roles, {})
        for seat, name in enumerate(fixture.seats)
    )
    assert set(seats.values()) == {3}
    assert {name for name, _ in seats} == {"random (1)", "legal", "random (2)"}


@pytest.mark.parametrize(("name", "usual"), [("tictactoe", "mcts"), ("higherlower", "egghead")])
def test_without_names_it_is_who_takes_the_game(name: str, usual: str) -> None:
    order = strong_order(load(name), [], 2, 0.1)
    assert set(order.competition.players.values()) == {usual}
    assert order.matches == 2


def test_chance_has_no_player() -> None:
    order = strong_order(load("dicerace"), ["random"], 2, 0.1)
    assert len(order.competition.entrants) == 2


def test_matches_are_played_and_counted_by_role() -> None:
    order = strong_order(GAME, ["random", "legal"], 4, 0.5, seed=3, is_separate=False)
    heard: list[Progress] = []
    found = play_strongly(order, 0, tell=heard.append)
    assert found.stats.playouts == len(heard[-1].played) == 4
    assert (found.stats.roles, found.stats.first) == (("x", "o"), "x")
    assert set(found.by_player) == {"random", "legal"}
    assert sum(found.stats.mean_goals) == 100
    assert sum(each.value for each in found.by_player.values()) == 100
    assert (found.errors, found.unplayed) == (0, 0)
    told = json.loads(json.dumps(found.to_dict()))
    assert (told["matches"], told["seconds_a_move"], told["players"]) == (4, 0.5, ["random", "legal"])


def test_players_have_a_process_each_and_clocks_of_computing() -> None:
    order = strong_order(GAME, ["random"], 2, 0.5)
    assert (order.competition.has_cpu_clocks, order.competition.isolation) == (True, "separate")
    assert play_strongly(order, 1).stats.playouts == 2


def test_goals_are_those_of_roles_and_of_players() -> None:
    order = strong_order(GAME, ["random", "legal"], 4, 0.1)
    found = strong_play(
        order,
        [
            outcome(0, ("random", "legal"), (100, 0)),
            outcome(1, ("legal", "random"), (0, 100), steps=6),
            outcome(2, ("random", "legal"), (50, None), errors=(0, 2)),
            outcome(3, ("legal", "random"), (50, 50), how="ended"),
            outcome(4, ("legal", "random"), (None, None), how="unplayed"),
        ],
    )
    assert found.stats.mean_goals == (50, 37.5)
    assert (found.by_player["random"].value, found.by_player["legal"].value) == (75, 12.5)
    assert found.stats.noted is not None
    assert (found.stats.noted.wins, found.stats.noted.draws, found.stats.cut) == ((2, 1), 0, 1)
    assert found.stats.noted.lengths == {6: 1, 9: 3}
    assert (found.errors, found.unplayed) == (2, 1)


def test_few_matches_say_little_and_many_more() -> None:
    order = strong_order(GAME, ["random"], 2, 0.1)
    seats = tuple(order.competition.players)
    few, many = (
        strong_play(order, [outcome(number, seats, (50, 50)) for number in range(count)])
        for count in (4, 400)
    )
    wide, narrow = few.stats.goal_intervals()["x"], many.stats.goal_intervals()["x"]
    assert (wide.value, narrow.value) == (50, 50)
    assert wide.high - wide.low > 40 > 2 > narrow.high - narrow.low


def test_where_no_match_could_be_played_there_are_no_figures() -> None:
    order = strong_order(GAME, ["random"], 2, 0.1)
    found = strong_play(order, [outcome(0, ("a", "b"), (None, None), how="unplayed")])
    assert (found.stats.playouts, found.unplayed, found.by_player) == (0, 1, {})
    assert found.stats.goal_intervals() == {}


def test_it_all_goes_to_json() -> None:
    order = strong_order(GAME, ["random"], 2, 0.1)
    random = play_at_random(GAME, 60.0, most=4)
    strong = strong_play(order, [outcome(0, tuple(order.competition.players), (50, 50))])
    told = json.loads(json.dumps(Balance.of(GAME, random, strong).to_dict()))
    assert (told["game"], told["machine"], told["kind"]) == ("tictactoe", "reference", "2 players")
    assert (told["random"]["playouts"], told["strong"]["matches"]) == (4, 1)
    assert Balance.of(GAME, random).to_dict()["strong"] is None


def test_players_that_do_not_fit_are_refused() -> None:
    with pytest.raises(UnknownRole, match="3 players for the 2 roles"):
        strong_order(GAME, ["random"] * 3, 2, 0.1)
    with pytest.raises(UnknownPlayer, match="nobody"):
        strong_order(GAME, ["nobody"], 2, 0.1)
    with pytest.raises(CompetitionError, match="1 mistake"):
        strong_order(GAME, ["random"], 2, -1.0)
    with pytest.raises(ParameterError, match="matches must be a whole number from 1"):
        strong_order(GAME, ["random"], 0, 0.1)
