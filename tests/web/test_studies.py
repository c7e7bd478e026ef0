"""What workers find out about games: the figures are right, and no surer than they are."""

from __future__ import annotations

from collections import Counter
from math import sqrt
from typing import Any

import pytest

from gamemaster.errors import ParameterError, UnknownGame
from gamemaster.games import game_names
from gamemaster.language.rules import Notation
from gamemaster.load import load, parse
from gamemaster.machine.game import Game
from gamemaster.metagame.random_games import MOST_BARS, RandomGames, histogram, random_games
from gamemaster.web import studies


def mean(values: list[Any]) -> float:
    return float(sum(values)) / len(values)


# Random games


@pytest.mark.parametrize("name", ["tictactoe", "dicerace", "roshambo", "threehouses", "higherlower"])
def test_games_at_once_are_like_those_of_playouts(name: str) -> None:
    game = load(name)
    assert game.compiled is not None
    found, played = random_games(game, 20_000, 60.0), game.playouts(1_000_000)
    assert len(found.lengths) == 20_000
    assert mean(found.lengths) == pytest.approx(played.mean_length, abs=4 * 8 / sqrt(20_000))
    for number, goal in enumerate(played.mean_goals):
        assert mean([goals[number] for goals in found.goals]) == pytest.approx(
            goal, abs=4 * 50 / sqrt(20_000)
        )


@pytest.mark.parametrize("machine", ["compiled", "reference"])
def test_ways_on_are_counted_as_perft_does(machine: Any) -> None:
    found = random_games(load("tictactoe", machine=machine), 30, 60.0)
    assert [ways / games for ways, games in zip(found.ways_by_step, found.games_by_step, strict=True)] == [
        9.0 - step for step in range(len(found.games_by_step))
    ]
    assert sum(found.ways) == sum(found.ways_by_step)
    assert sum(found.lengths) == sum(found.games_by_step)
    assert set(found.goals) <= {(100, 0), (0, 100), (50, 50)}


@pytest.mark.parametrize("machine", ["compiled", "reference"])
def test_joint_moves_are_what_is_counted_where_all_move_at_once(machine: Any) -> None:
    found = random_games(load("roshambo", machine=machine), 10, 60.0)
    assert set(found.ways) == {27}
    assert set(found.lengths) == {3}


def endless(machine: Any) -> Game:
    text = "role(a) base(p) base(q) init(p) input(a,go) legal(a,go) next(q) :- true(p) next(p) :- true(q) goal(a,7)"
    return parse(text, machine=machine)


@pytest.mark.parametrize("machine", ["compiled", "reference"])
def test_a_game_without_end_is_cut(machine: Any) -> None:
    found = random_games(endless(machine), 2, 0.0)
    assert found.cut == len(found.lengths) >= 1
    assert set(found.lengths) == {1_000}
    assert set(found.goals) == {(7,)}


def test_one_game_at_least_is_played() -> None:
    assert len(random_games(load("tictactoe", machine="reference"), 100, 0.0).lengths) == 1


# Statistics


def test_figures_of_tictactoe_are_right() -> None:
    found: Any = studies.statistics("tictactoe", 65_536, 20.0)
    assert found["playouts"] == 65_536
    assert found["looked_at"] == 65_536
    first, second, draw = found["outcomes"]
    for each, truth in ((first, 58.5), (second, 28.8), (draw, 12.7)):  # known of random play
        assert each["share"] == pytest.approx(truth, abs=1)
        assert each["low"] < each["share"] < each["high"]
        assert each["games"] == 65_536
    assert found["length"]["mean"] == pytest.approx(7.63, abs=0.05)
    assert found["goals"][0]["mean"] + found["goals"][1]["mean"] == pytest.approx(100)
    assert sum(bar["value"] for bar in found["lengths"]) == pytest.approx(100)
    assert [bar["value"] for bar in found["ways"]] == [9, 8, 7, 6, 5, 4, 3, 2, 1]


def test_intervals_hold_what_is_true_about_as_often_as_they_say() -> None:
    game = load("tictactoe")
    truth = game.playouts(1_000_000).mean_length
    hits = 0
    for seed in range(100):
        lengths = random_games(game, 100, 60.0, seed).lengths
        hits += abs(mean(lengths) - truth) <= (studies._margin(lengths, len(lengths)) or 0)
    assert 88 <= hits <= 100


def test_more_games_say_more() -> None:
    few: Any = studies.statistics("tictactoe", 16, 5.0)
    many: Any = studies.statistics("tictactoe", 4_096, 5.0)
    assert few["length"]["games"] == 16
    assert few["length"]["margin"] > 5 * many["length"]["margin"]
    assert few["goals"][0]["margin"] > 5 * many["goals"][0]["margin"]


def test_one_game_has_no_margin_and_shows_nothing_that_is_always_so() -> None:
    found: Any = studies.statistics("tictactoe", 1, 5.0)
    assert found["length"]["margin"] is None
    assert found["branching"]["margin"] is None
    assert found["goals"][0]["margin"] is None


@pytest.mark.parametrize(
    ("name", "is_always"), [("hamilton", True), ("sudoku", False), ("lightboard", False)]
)
def test_always_is_said_of_what_is_the_same_at_every_step(name: str, is_always: bool) -> None:
    found: Any = studies.statistics(name, 64, 5.0)
    assert found["branching"]["is_always"] == is_always


def test_what_was_never_seen_is_not_said_to_be_impossible() -> None:
    share: Any = studies._share("never", 0, 256)
    assert (share["share"], share["low"]) == (0, 0)
    assert 1 < share["high"] < 2
    always: Any = studies._share("always", 5, 5)
    assert always["low"] < 60 < always["high"] == 100


def test_a_rare_goal_among_many_has_a_margin_though_none_was_looked_at() -> None:
    game = load("hamilton")
    played = game.playouts(1_000)
    found = RandomGames(lengths=[19] * 10, goals=[(20,)] * 10, ways=[57] * 10)
    (row,) = studies._goals(game, found, played)
    assert row["margin"] != 0


def test_alone_there_are_points_instead_of_winners() -> None:
    found: Any = studies.statistics("hamilton", 256, 5.0)
    assert [each["words"] for each in found["outcomes"]] == ["full score"]
    assert sum(bar["value"] for bar in found["points"]) == pytest.approx(100)
    assert found["length"]["margin"] == 0


def test_chance_gets_no_points() -> None:
    found: Any = studies.statistics("dicerace", 256, 5.0)
    assert [each["role"] for each in found["goals"]] == ["red", "blue"]
    assert [each["words"] for each in found["outcomes"]] == ["red wins", "blue wins", "draw"]


@pytest.mark.parametrize("playouts", [0, -1, studies.MOST_PLAYOUTS + 1])
def test_silly_numbers_are_refused(playouts: int) -> None:
    with pytest.raises(ParameterError, match="playouts must be from 1"):
        studies.statistics("tictactoe", playouts, 1.0)


def test_a_histogram_of_long_games_has_few_bars_and_loses_nothing() -> None:
    bars = histogram(Counter({10: 1, 500: 2, 1_000: 1}))
    assert len(bars) <= MOST_BARS
    assert (bars[0].first, bars[-1].last) == (10, 1_000)
    assert sum(bar.value for bar in bars) == 100


# Analysis, rules, pictures


def test_an_analysis_says_of_each_row_how_sure_it_is() -> None:
    found: Any = studies.analysis("tictactoe", 2.0)
    rows = {row["what"]: row for row in found["rows"]}
    assert rows["moves"] == {"what": "moves", "answer": "turn-taking", "sure": "proved", "which": ""}
    assert rows["chance"]["sure"] == "by the rules"
    assert rows["never false again"]["sure"] == "proved"
    assert rows["step counters"]["sure"] == "none found"
    assert {row["sure"] for row in found["rows"]} <= {
        "proved",
        "observed",
        "not known",
        "by the rules",
        "none found",
    }


@pytest.mark.parametrize(("name", "notation"), [("tictactoe", "kif"), ("tictactoe", "hrf"), ("nim", "hrf")])
def test_translated_rules_are_of_the_same_game(name: str, notation: Notation) -> None:
    game = parse(studies.translated(name, notation), notation, machine="reference")
    assert game.perft(3) == load(name, machine="reference").perft(3)


def test_only_epilog_is_shown_as_epilog() -> None:
    with pytest.raises(ParameterError, match="cannot be turned into Epilog"):
        studies.translated("nim", "epilog")


@pytest.mark.parametrize("name", game_names())
def test_every_game_has_a_picture_that_is_the_same_every_time(name: str) -> None:
    drawn = studies.portrait(name)
    assert drawn.startswith("<svg ")
    assert drawn == studies.portrait(name)


@pytest.mark.parametrize("job", [studies.portrait, lambda name: studies.translated(name, "kif")])
@pytest.mark.parametrize("name", ["nosuch", "../tictactoe", "/etc/passwd", ""])
def test_only_the_library_is_looked_at(job: Any, name: str) -> None:
    with pytest.raises(UnknownGame):
        job(name)
