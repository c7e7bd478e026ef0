"""Games in pairs (bench/pairing.py): figures, the test that ends a match, the journal it goes on with."""

from __future__ import annotations

from pathlib import Path

import pytest
from pairing import Journal, Match, Played, duels_of, elo_of, figures, interval, pair_means, plan_for

SETTING = {"game": "nim", "seed": 1}


def won(number: int) -> Played:
    return Played(number, 1.0, (0.4, 0.6), (2, 3))


def by_first_seat(number: int) -> Played:
    return Played(number, 1.0 - number % 2)


def test_a_match_without_a_test_plays_all_games() -> None:
    games, decision = Match(8, None).games(won, Journal(None, SETTING))
    assert [game.number for game in games] == list(range(8))
    assert decision.pairs == 4


@pytest.mark.parametrize(("least", "count"), [(0, 20), (26, 26)])
def test_a_test_ends_a_match_once_it_is_clear_and_long_enough(least: int, count: int) -> None:
    games, decision = Match(200, plan_for(200, 100), least).games(won, Journal(None, SETTING))
    assert (len(games), decision.answer) == (count, "better")


def test_where_the_first_seat_wins_nobody_is_better() -> None:
    games, decision = Match(200, plan_for(200)).games(by_first_seat, Journal(None, SETTING))
    assert decision.answer == "no difference"
    assert set(pair_means(games)) == {0.5}


def test_a_match_that_was_interrupted_goes_on_where_it_was(tmp_path: Path) -> None:
    path, asked = tmp_path / "games.jsonl", list[int]()

    def play(number: int) -> Played:
        asked.append(number)
        if len(asked) == 4:
            raise KeyboardInterrupt
        return won(number)

    with pytest.raises(KeyboardInterrupt):
        Match(6, None).games(play, Journal(path, SETTING))
    games, _ = Match(6, None).games(play, Journal(path, SETTING))
    assert asked == [0, 1, 2, 3, 3, 4, 5]
    assert Match(6, None).games(play, Journal(path, SETTING))[0] == [
        Played(**{**vars(game), "seconds": [*game.seconds], "moves": [*game.moves]}) for game in games
    ]
    assert len(asked) == 7


def test_games_of_another_setting_do_not_count(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    Journal(path, {**SETTING, "seed": 2}).add(won(0))
    assert Journal(path, SETTING).games() == {}
    assert list(Journal(path, {**SETTING, "seed": 2}).games()) == [0]


def test_a_line_that_breaks_off_does_not_count_and_spoils_no_other(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "games.jsonl"
    journal = Journal(path, SETTING)
    journal.add(won(0))
    with path.open("a") as file:
        file.write('{"setting": {"ga')
    journal.add(won(1))
    assert list(journal.games()) == [0, 1]
    assert "breaks off" in capsys.readouterr().err


def test_figures_are_those_of_pairs() -> None:
    found = figures([won(0), won(1), Played(2, 0.0, (0.1, 0.1), (1, 1)), won(3)])
    assert (found["games"], found["points"], found["share"]) == (4, 3.0, 0.75)
    assert found["low"] < 0.75 < found["high"]
    assert found["player_seconds"] == pytest.approx(1.3 / 7)
    assert found["opponent_seconds"] == pytest.approx(1.9 / 10)


def test_an_interval_has_a_width_even_where_all_pairs_are_alike() -> None:
    low, high = interval([0.5] * 10)
    assert 0 < low < 0.5 < high < 1


def test_elo_is_the_players_whoever_begins() -> None:
    games = [Played(number, float(number % 8 > 1)) for number in range(40)]
    elo, error = elo_of(duels_of(games, "nim"))
    assert 100 < elo < 260
    assert error > 0
    others = [Played(game.number, 1 - game.points) for game in games]
    assert elo_of(duels_of(others, "nim"))[0] == pytest.approx(-elo)
