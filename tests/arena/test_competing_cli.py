"""`gamemaster tournament` and `compare`, as people type them."""

from __future__ import annotations

import doctest
import io
import json
import re
import signal
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner, Result

from gamemaster.arena.competition import TestPlan
from gamemaster.arena.holding import Venue, hold
from gamemaster.arena.ratings.table import standings
from gamemaster.arena.reading import read_competition
from gamemaster.arena.running import Progress
from gamemaster.cli import app
from gamemaster.draw.competing.plots import draw_ratings, draw_test
from gamemaster.draw.competing.report import report
from gamemaster.language.source import Source
from gamemaster.terminal.competing import LiveTable
from tests.arena.made import competition, outcome, played_out, strengths
from tests.interrupts import hear_interrupts

PAGE = Path(__file__).parents[2] / "docs" / "compete.md"
SHORT = ["--start-clock", "30", "--play-clock", "30", "--workers", "0"]


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_tournament_tells_each_match_and_the_table() -> None:
    result = run("tournament", "--players", "onestep,legal,random", "--games", "tictactoe,nim", *SHORT)
    assert result.exit_code == 0, result.output
    assert "1 of 12  tictactoe: " in result.output
    assert re.search(r"player +matches +won +drawn +lost +goal +adjusted +errors +Elo +±", result.output)
    assert "is better than" in result.output
    assert "records and results: tournament" in result.output
    assert len(list(Path("tournament/records").iterdir())) == 12
    again = run("tournament", "--resume", "tournament", "--workers", "0")
    assert again.exit_code == 0
    assert "12 of 12 matches have been played before" in again.output


def test_a_tournament_of_a_file_as_json_with_a_report() -> None:
    Path("c.toml").write_text(
        'name = "spring"\ngames = ["tictactoe"]\nstart_clock = 30\nplay_clock = 30\n'
        '[players]\n"<b>bold</b>" = "onestep"\nany = "random"\n'
    )
    result = run("tournament", "c.toml", "--json", "--workers", "0", "--report", "deep.html", "--folder", "f")
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert [each["name"] for each in told["players"]] == [row["name"] for row in told["players"]]
    assert told["competition"]["name"] == "spring"
    assert len(told["matches"]) == 2
    assert told["folder"] == "f"
    page = Path("deep.html").read_text()
    assert 'href="f/records/000000.jsonl"' in page
    assert "<b>bold" not in page
    assert "&lt;b&gt;bold" in page
    assert "<script" not in page
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "")


def test_compare_answers_as_soon_as_it_is_clear() -> None:
    result = run("compare", "onestep", "dumbo", "--games", "tictactoe", "--elo", "150", *SHORT, "--quiet")
    assert result.exit_code == 0, result.output
    assert re.search(r"After \d+ pairs of matches onestep is better than dumbo", result.output)
    other = run("compare", "dumbo", "onestep", "--games", "tictactoe", "--elo", "150", *SHORT, "--quiet")
    assert "onestep is better than dumbo" in other.output
    assert not any(Path().iterdir())


def test_mistakes_are_told_all_at_once_and_nothing_is_left() -> None:
    result = run("tournament", "--players", "nobody,random", "--games", "chesss", *SHORT)
    assert result.exit_code == 1
    assert "2 mistakes, and nothing was played" in result.output
    assert not any(Path().iterdir())


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["tournament"], "name one: a FILE, --resume FOLDER, or --players and --games"),
        (["tournament", "--resume", "none"], "has no competition to go on with"),
        (["tournament", "nosuch.toml"], "nosuch.toml"),
        (
            ["tournament", "--players", "random,legal", "--games", "nim", "--pairing", "x"],
            "there are round robin",
        ),
        (["compare", "random", "random", "--games", "nim"], "player 'random' is named twice"),
        (["compare", "random", "legal", "--games", "peg"], "a test takes games for two"),
        (["compare", "random", "legal", "--isolation", "x"], "there are files, all, separate, none"),
        (
            ["tournament", "--players", "random,legal", "--games", "nim", "--ray", "127.0.0.2:1"],
            "no cluster at",
        ),
    ],
)
def test_what_cannot_be_is_said(arguments: list[str], words: str) -> None:
    result = run(*arguments)
    assert result.exit_code != 0
    assert words in " ".join(result.output.split())


def test_an_interrupt_says_how_to_go_on() -> None:
    command = [
        sys.executable,
        "-m",
        "gamemaster",
        "tournament",
        "--players",
        "random,legal",
        "--games",
        "nim",
    ]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [*command, "--matches", "5000", "--workers", "1"],
        stdout=pipe,
        stderr=pipe,
        text=True,
        preexec_fn=hear_interrupts,
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, told = process.communicate()
    assert process.returncode == 130
    assert told.strip() == "left; go on with: gamemaster tournament --resume tournament"


# Pictures


def progress_of(count: int = 20) -> Progress:
    elo = {"a": 100.0, "b": 0.0}
    made = competition("a b", test=TestPlan(most=count))
    outcomes = played_out(made, strengths(elo, 1))
    return Progress(made, tuple(outcomes), len(outcomes), 0, None, True)


def test_pictures_are_well_formed_and_say_who() -> None:
    progress = progress_of()
    plot = draw_ratings(standings(progress.outcomes, ("a", "b")))
    assert "a: +" in plot
    for picture in (plot, draw_test(TestPlan(), progress.outcomes), draw_test(TestPlan(), ())):
        assert ElementTree.fromstring(picture).tag.endswith("svg")


def test_a_report_of_nothing_and_of_puzzles_is_a_page() -> None:
    empty = Progress(competition("a b"), (), 2, 0, None, False)
    assert "0 of 2 matches so far" in report(empty)
    puzzle = competition("a b", "peg")
    outcomes = played_out(puzzle, lambda each: outcome(each, (70,)), {"peg": 1})
    assert "Who is better?" not in report(Progress(puzzle, tuple(outcomes), 2, 0, None, True))


def test_the_live_table_shows_the_table_and_how_much_is_left() -> None:
    from rich.console import Console

    made = competition("a b", matches=10)
    outcomes = played_out(made, strengths({"a": 0.0, "b": 0.0}, 1))
    screen = LiveTable()
    screen.before, screen.began = 0, screen.began - 10
    screen.progress = Progress(made, tuple(outcomes[:10]), 20, 2, None, False)
    console = Console(width=100, record=True, file=io.StringIO())
    console.print(screen.picture())
    told = console.export_text()
    assert "player" in told
    assert "10 of 20, about 10 s left" in told or "10 of 20, about 11 s left" in told


# The page


def test_the_page_is_true() -> None:
    text = PAGE.read_text()
    toml = re.search(r"```toml\n(.*?)```", text, re.DOTALL)
    assert toml is not None
    made, _ = read_competition(Source("spring.toml", toml[1]))
    assert made.opening == 2
    session = re.search(r"```python\n(.*?)```", text, re.DOTALL)
    assert session is not None
    found = doctest.DocTestParser().get_doctest(session[1], {}, "compete", None, 0)
    assert doctest.DocTestRunner().run(found).failed == 0
    for line in re.findall(r"^gamemaster (\w+)", text, re.MULTILINE):
        assert run(line, "--help").exit_code == 0


def test_hold_goes_on_with_a_folder(tmp_path: Path) -> None:
    first = hold(competition("a b", "nim"), tmp_path / "c", Venue(0))
    assert hold(None, tmp_path / "c", Venue(0)).outcomes == first.outcomes
