"""A file of TOML says a competition; whatever is wrong with it is told at once, each at its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from gamemaster.arena.competition import Entrant, TestPlan
from gamemaster.arena.reading import read_competition
from gamemaster.errors import CompetitionError, ReadError
from gamemaster.language.source import Source

GOOD = """
name = "spring"
games = ["tictactoe", "connectfour:columns=5"]
pairing = "swiss"
matches = 2
rounds = 3
start_clock = 5
play_clock = 0.5
has_cpu_clocks = true
opening = 1
seed = 7
isolation = "separate"

[players]
careful = "minimaxdepth(depth=1)"
any = "random"
"""


def read(text: str) -> list[str]:
    """What is wrong with a text."""
    with pytest.raises(CompetitionError) as caught:
        read_competition(Source("c.toml", text))
    return list(caught.value.mistakes)


def test_a_file_says_all_of_a_competition() -> None:
    made, found = read_competition(Source("c.toml", GOOD))
    assert made.entrants == (Entrant("careful", "minimaxdepth(depth=1)"), Entrant("any", "random"))
    assert (made.name, made.pairing, made.matches, made.rounds, made.seed) == ("spring", "swiss", 2, 3, 7)
    assert (made.start_clock, made.play_clock, made.has_cpu_clocks, made.opening) == (5.0, 0.5, True, 1)
    assert made.isolation == "separate"
    assert set(found.games) == {"tictactoe", "connectfour:columns=5"}


def test_players_may_be_a_list_and_files_travel_as_texts(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("def play(move):\n    return 'x'\n")
    text = (
        f'games = ["tictactoe"]\nplayers = ["random", "{path}"]\n[test]\nelo0 = 0\nelo1 = 10.5\nmost = 12\n'
    )
    made, found = read_competition(Source("c.toml", text))
    assert [each.name for each in made.entrants] == ["random", str(path)]
    assert found.files == {str(path): path.read_text()}
    assert made.test == TestPlan(0.0, 10.5, most=12)


def test_all_mistakes_are_told_at_once_each_at_its_line() -> None:
    text = """games = ["tictactoe", "nosuch", "tictactoe"]
pairing = "roundrobin"
matches = "x"
play_clock = 0
start_clock = inf
has_cpu_clocks = 1
opening = -1
foo = 3
[players]
a = "minimax"
b = "nobody"
c = "mcts(exploration=hello)"
[test]
alpha = 2
"""
    told = read(text)
    lines = sorted(int(each.split(":")[1]) for each in told)
    assert lines == [1, 1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13], told
    whole = "\n".join(told)
    for words in (
        "no game or rule file 'nosuch'",
        "game 'tictactoe' is named twice",
        "there are round robin, gauntlet, swiss, knock-out",
        "which is no whole number",
        "a play_clock of 0 s cannot be held",
        "a start_clock of inf s cannot be held",
        "write has_cpu_clocks = true, or false",
        "opening -1; there can be 0 to 1,000",
        "unknown key 'foo'",
        "no player or player file 'nobody'",
        "'hello' is not a number",
        "alpha 2 must be more than 0",
    ):
        assert words in whole


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('games = ["tictactoe"]', "no players"),
        ('players = ["random", "legal"]', "no games"),
        ('games = ["tictactoe"]\nplayers = ["random"]', "tictactoe is for 2, and there is 1 player"),
        ('games = ["tictactoe"]\nplayers = ["random", "random"]', "player 'random' is named twice"),
        (
            'games = ["peg"]\npairing = "knock-out"\nplayers = ["random", "legal"]',
            "takes games for two, and peg is for 1",
        ),
        ('games = ["peg"]\nplayers = ["random", "legal"]\n[test]\n', "a test takes games for two"),
        ('games = ["tictactoe"]\nplayers = ["random", "legal", "indy"]\n[test]\n', "a test is between two"),
        (
            'games = ["tictactoe"]\n[players]\n"\\u0007" = "random"\nb = "legal"',
            "is no name that can be shown",
        ),
        ('games = ["tictactoe"]\nplayers = 3', "players is 3"),
        ('games = ["tictactoe"]\n[players]\na = 3\nb = "legal"', "a has 3, which is no text"),
        (
            'games = ["tictactoe"]\nplay_clock = "x"\nplayers = ["random", "legal"]',
            "play_clock has 'x', which is no number",
        ),
        ("games = [", "not TOML"),
        ('name = "a/b"\ngames = ["tictactoe"]\nplayers = ["random", "legal"]', "name 'a/b'"),
        ('name = ""\ngames = ["tictactoe"]\nplayers = ["random", "legal"]', "that can be that of a folder"),
        ('name = ".."\ngames = ["tictactoe"]\nplayers = ["random", "legal"]', "name '..'"),
        ('name = "\\u001b[2J"\ngames = ["tictactoe"]\nplayers = ["random", "legal"]', "name "),
        ('matches = 100000\ngames = ["nim"]\nplayers = ["random", "legal", "indy"]', "600,000 matches"),
        ('games = ["nim"]\nplayers = ["random", "legal"]\n[test]\nmost = 1000000000', "10 to 100,000 pairs"),
    ],
)
def test_what_cannot_be_held_is_told(text: str, words: str) -> None:
    with pytest.raises((CompetitionError, ReadError)) as caught:
        read_competition(Source("c.toml", text))
    assert words in str(caught.value)


def test_more_players_than_anybody_has_are_refused() -> None:
    players = "\n".join(f'p{number} = "random"' for number in range(501))
    assert any("501 players" in each for each in read(f'games = ["tictactoe"]\n[players]\n{players}\n'))
