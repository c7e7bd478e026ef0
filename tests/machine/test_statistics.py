"""Figures of finished games: who won, how long it took, and how sure that is; from any state, on both machines."""

from __future__ import annotations

import json
import random
from itertools import product
from typing import Any

import numpy as np
import pytest

import gamemaster as gm
from gamemaster.load import MachineName
from gamemaster.machine import lanes
from gamemaster.machine.statistics import Interval, mean_interval, note_games, share_interval

MACHINES: tuple[MachineName, ...] = ("reference", "compiled")
ENDLESS = "role(a)\nrole(b)\ninit(p)\nlegal(a,x)\nlegal(b,y)\nnext(p)\nterminal :- true(q)\ngoal(a,60)\ngoal(b,40)\n"
DICE = """
role(a)
role(b)
role(random)
init(start)
legal(random,roll(1)) :- true(start)
legal(random,roll(2)) :- true(start)
legal(a,wait) :- true(start)
legal(b,wait) :- true(start)
next(got(N)) :- does(random,roll(N))
terminal :- true(got(1))
terminal :- true(got(2))
goal(a,100) :- true(got(1))
goal(a,50) :- true(got(2))
goal(b,0) :- true(got(1))
goal(b,50) :- true(got(2))
goal(random,100)
"""


@pytest.fixture(params=MACHINES)
def machine(request: pytest.FixtureRequest) -> MachineName:
    name: MachineName = request.param
    return name


def test_who_alone_has_the_highest_goal_wins() -> None:
    roles = ("a", "random", "b", "c")
    goals = [(50, 100, 0, 0), (0, 0, 100, 100), (30, 9, 30, 30), (0, 0, 0, 9), (70, 0, 0, 0)]
    noted = note_games(roles, "a", goals, [3, 4, 4, 5, 6], [False] * 4 + [True])
    assert (noted.games, noted.wins, noted.draws, noted.shared, noted.cut) == (5, (1, 0, 0, 1), 1, 1, 1)
    assert noted.lengths == {3: 1, 4: 2, 5: 1, 6: 1}
    assert noted.leads == {50.0: 1, -100.0: 1, 0.0: 1, -4.5: 1, 70.0: 1}


def test_notes_of_thousands_of_roles_are_read_some_games_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    goals = np.random.default_rng(0).integers(0, 3, (50, 4))
    arguments: Any = (("a", "b", "c", "d"), "b", goals, range(50), [False] * 50)
    whole = note_games(*arguments)
    monkeypatch.setattr("gamemaster.machine.statistics.GOALS_AT_ONCE", 12)
    assert note_games(*arguments) == whole
    assert hash(whole) == hash(note_games(*arguments))


def test_one_role_neither_wins_nor_draws(machine: MachineName) -> None:
    stats = gm.load("buttonsandlights", machine=machine).playouts(30)
    assert (stats.win_intervals(), stats.draw_interval(), stats.first) == ({}, None, None)
    assert stats.first_move_advantage() is None
    assert set(stats.goal_intervals()) == {"robot"}


def test_statistics_are_those_of_the_same_law_on_both_machines() -> None:
    few = gm.load("tictactoe", machine="reference").playouts(300, seed=2)
    many = gm.load("tictactoe", machine="compiled").playouts(60_000, seed=2)
    assert (few.roles, few.first) == (many.roles, many.first) == (("x", "o"), "x")
    assert few.noted is not None
    assert many.noted is not None
    assert (few.noted.games, many.noted.games) == (300, lanes.BLOCK)
    for own, truth in ((few.noted, many.noted), (many.noted, many.noted)):
        assert sum(own.wins) + own.draws + own.shared + own.cut == own.games == sum(own.lengths.values())
        assert set(own.lengths) <= set(truth.lengths) == {5, 6, 7, 8, 9}
    pairs = [
        (few.draw_interval(), many.draw_interval()),
        (few.length_interval(), many.length_interval()),
        (few.first_move_advantage(), many.first_move_advantage()),
        *((few.goal_intervals()[role], many.goal_intervals()[role]) for role in few.roles),
        *((few.win_intervals()[role], many.win_intervals()[role]) for role in few.roles),
    ]
    for wide, narrow in pairs:
        assert wide is not None
        assert narrow is not None
        assert narrow.high - narrow.low < wide.high - wide.low
        assert abs(wide.value - narrow.value) < wide.high - wide.low
    exact = Interval(58.49, 0, 0)  # of all games, 58.49 % are won by x
    assert abs(many.win_intervals()["x"].value - exact.value) < 1.5


def test_what_is_noted_one_by_one_adds_up_to_the_totals() -> None:
    game = gm.load("tictactoe", machine="compiled")
    for count in (1, 255, 257, 5_000):
        stats = game.playouts(count, seed=4)
        noted = stats.noted
        assert noted is not None
        assert noted.games == count
        assert sum(length * games for length, games in noted.lengths.items()) == stats.moves
        assert noted.wins[0] == stats.goal_counts[0].get(100, 0)
        assert noted.draws == stats.goal_counts[0].get(50, 0)
        assert sum(stats.goal_counts[1].values()) == count
        lead = sum(value * games for value, games in noted.leads.items()) / count
        assert lead == pytest.approx(stats.mean_goals[0] - stats.mean_goals[1])


def test_a_long_note_makes_blocks_smaller(monkeypatch: pytest.MonkeyPatch) -> None:
    game = gm.load("tictactoe", machine="compiled")
    monkeypatch.setattr(lanes, "MOST_NOTES", 1)
    stats = game.playouts(1_000)
    assert stats.noted is not None
    assert (stats.playouts, stats.noted.games) == (1_000, 256)


def test_notes_do_not_depend_on_threads() -> None:
    game = gm.load("tictactoe", machine="compiled")
    one, two = (game.playouts(50_000, seed=3, threads=threads) for threads in (1, 2))
    assert (one.noted, one.goal_counts) == (two.noted, two.goal_counts)


def test_chance_is_no_player(machine: MachineName) -> None:
    stats = gm.parse(DICE, machine=machine).playouts(200, seed=1)
    assert stats.roles == ("a", "b", "random")
    assert set(stats.goal_intervals()) == set(stats.win_intervals()) == {"a", "b"}
    assert stats.noted is not None
    assert stats.noted.wins[1:] == (0, 0)
    assert stats.noted.wins[0] + stats.noted.draws == 200
    assert 60 < stats.noted.draws < 140
    assert stats.first is None


def test_games_that_are_cut_have_no_winner(machine: MachineName) -> None:
    stats = gm.parse(ENDLESS, machine=machine).playouts(3)
    assert stats.noted is not None
    assert (stats.cut, stats.noted.cut, stats.noted.wins) == (3, 3, (0, 0))
    assert stats.noted.lengths == {1_000: 3}
    assert stats.goal_intervals()["a"].value == 60


def test_no_games_have_no_figures(machine: MachineName) -> None:
    stats = gm.load("tictactoe", machine=machine).playouts(0)
    assert (stats.goal_intervals(), stats.win_intervals(), stats.draw_interval()) == ({}, {}, None)
    assert (stats.length_interval(), stats.first_move_advantage()) == (None, None)
    assert json.loads(json.dumps(stats.to_dict()))["draw_interval"] is None


def test_statistics_go_to_json_with_their_intervals() -> None:
    told = json.loads(json.dumps(gm.load("tictactoe").playouts(20_000).to_dict()))
    assert told["goal_intervals"]["x"]["low"] < told["mean_goals"][0] < told["goal_intervals"]["x"]["high"]
    assert told["noted"]["games"] == 16_384
    assert told["first_move_advantage"]["value"] > 0


# Intervals


def test_intervals_are_true_in_95_of_100_cases_or_more() -> None:
    generator = random.Random(1)
    for games, values in product((8, 40), ((0, 100), (0, 50, 100), (0, 0, 0, 100), (40, 60))):
        truth, hits = sum(values) / len(values), 0
        for _ in range(400):
            drawn = [generator.choice(values) for _ in range(games)]
            found = mean_interval({value: drawn.count(value) for value in set(drawn)}, 0, 100)
            hits += found.low <= truth <= found.high
        assert hits >= 370


def test_few_games_that_end_alike_do_not_say_that_all_do() -> None:
    few, many = mean_interval({100: 10}, 0, 100), mean_interval({100: 1_000_000}, 0, 100)
    assert (few.value, few.high) == (100, 100)
    assert 60 < few.low < 90
    assert many.low > 99.99
    assert mean_interval({50: 1}, 0, 100).low == 0
    assert share_interval(0, 256).high == pytest.approx(1.48, abs=0.01)
    assert str(Interval(50.0, 41.26, 58.74)) == "50.0 (41.3 to 58.7)"


def test_goals_beyond_the_usual_are_within_their_interval() -> None:
    found = mean_interval({-5: 10, 400: 10}, 0, 100)
    assert -5 <= found.low < found.value < found.high <= 400


# Playouts from a state


def test_playouts_begin_where_they_are_told(machine: MachineName) -> None:
    game = gm.load("tictactoe", machine=machine)
    state = game.initial_state()
    for move in ("mark(1,1)", "mark(2,1)", "mark(1,2)", "mark(2,2)", "mark(3,3)", "mark(1,3)", "mark(3,1)"):
        state = state.next(move)
    stats = game.playouts(600, seed=1, start=state)  # o moves: one of two moves wins at once, else x may
    assert stats.first == "o"
    assert stats.noted is not None
    assert set(stats.noted.lengths) == {1, 2}
    assert stats.noted.lengths[1] == stats.noted.wins[1]
    assert stats.noted.lengths[1] == pytest.approx(300, abs=75)
    assert stats.moves == stats.noted.lengths[1] + 2 * stats.noted.lengths[2]


def test_playouts_from_the_initial_state_are_those_without_a_start(machine: MachineName) -> None:
    game = gm.load("tictactoe", machine=machine)
    count = 20_000 if machine == "compiled" else 20
    one, other = game.playouts(count, seed=5), game.playouts(count, seed=5, start=game.initial_state())
    assert (one.moves, one.goal_counts, one.noted) == (other.moves, other.goal_counts, other.noted)


def test_a_start_goes_with_time_and_threads() -> None:
    game = gm.load("connectfour", machine="compiled")
    start = game.initial_state().next("drop(3)")
    one, two = (game.playouts(40_000, seed=6, threads=threads, start=start) for threads in (1, 2))
    assert (one.moves, one.goal_counts, one.noted, one.first) == (
        *(two.moves, two.goal_counts, two.noted, "black"),
    )
    assert game.playouts(seconds=0.01, start=start).playouts >= 1
    whole = game.playouts(40_000, seed=6)
    assert one.mean_length < whole.mean_length


def test_a_terminal_start_gives_games_without_a_step(machine: MachineName) -> None:
    game = gm.load("tictactoe", machine=machine)
    end = game.random_game(random.Random(1))
    stats = game.playouts(300 if machine == "compiled" else 3, start=end)
    assert (stats.moves, stats.mean_length, stats.cut) == (0, 0, 0)
    assert stats.mean_goals == tuple(end.goal(role) for role in game.roles)


@pytest.mark.parametrize("start", ["cell(1,1,b)", 3, ["p"]])
def test_what_is_no_state_cannot_be_a_start(machine: MachineName, start: Any) -> None:
    with pytest.raises(gm.StateError, match="not a state of tictactoe"):
        gm.load("tictactoe", machine=machine).playouts(1, start=start)


def test_a_state_of_another_game_or_machine_cannot_be_a_start(machine: MachineName) -> None:
    game = gm.load("tictactoe", machine=machine)
    with pytest.raises(gm.StateError, match="is of nim"):
        game.playouts(1, start=gm.load("nim", machine=machine).initial_state())
    other: MachineName = "compiled" if machine == "reference" else "reference"
    with pytest.raises(gm.StateError, match="takes it over"):
        game.playouts(1, start=gm.load("tictactoe", machine=other).initial_state())


def test_goals_far_apart_are_counted_too() -> None:
    noted = note_games(("a", "b"), "b", [(10**12, 0), (0, 5), (0, 5)], [1, 1, 1], [False] * 3)
    assert noted.leads == {-(10.0**12): 1, 5.0: 2}
