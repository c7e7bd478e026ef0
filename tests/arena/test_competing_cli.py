"""`gamemaster tournament` and `compare`, as people type them."""

from __future__ import annotations

import doctest
import io
import json
import re
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from rich.console import Console
from typer.testing import CliRunner, Result

from gamemaster.arena.competition import Competition, TestPlan
from gamemaster.arena.holding import Venue, hold
from gamemaster.arena.outcomes import MatchOutcome
from gamemaster.arena.pairings import plan
from gamemaster.arena.ratings.table import Standings, standings
from gamemaster.arena.reading import read_competition
from gamemaster.arena.running import Progress
from gamemaster.arena.sequential import decide, pair_scores
from gamemaster.cli import app
from gamemaster.draw.competing.plots import draw_ratings, draw_test
from gamemaster.draw.competing.report import report
from gamemaster.language.source import Source
from gamemaster.terminal.competing import Lines, LiveTable, columns_for
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
    assert re.search(r"player +Elo +± +matches +won +drawn +lost +errors +goal +adjusted", result.output)
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
    assert {each["name"] for each in told["players"]} == {"<b>bold</b>", "any"}
    assert set(told["players"][0]["skill"]) == {"mean", "spread"}
    assert told["competition"]["name"] == "spring"
    assert len(told["matches"]) == 2
    assert told["folder"] == "f"
    page = Path("deep.html").read_text()
    assert 'href="./f/records/000000.jsonl"' in page
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


def test_why_a_player_fails_is_told() -> None:
    Path("broken.py").write_text("def play(move):\n    raise ValueError('no idea \\ud800')\n")
    result = run("tournament", "--players", "./broken.py,legal", "--games", "tictactoe", *SHORT)
    assert result.exit_code == 0, result.output
    assert re.search(
        r"\./broken\.py: \d+ errors; the first: crashed: .*broken\.py:2: ValueError: no idea", result.output
    )


def test_who_cannot_be_walled_in_must_at_least_load() -> None:
    Path("broken.py").write_text("raise ValueError('at once')\n")
    arguments = ["--players", "./broken.py,legal", "--games", "tictactoe", "--isolation", "none"]
    result = run("tournament", *arguments, *SHORT)
    assert result.exit_code == 1
    assert "1 mistake, and nothing was played" in result.output
    assert "broken.py:1: ValueError: at once" in result.output


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


def progress_of(made: Competition, outcomes: Sequence[MatchOutcome], roles: int = 2, **more: Any) -> Progress:
    counts = dict.fromkeys(made.games, roles)
    played = {each.number: each for each in outcomes}
    values = {"new": (), "before": 0, "verdict": None, "is_over": True, **more}
    return Progress(made, plan(made, counts, played), played, counts, **values)


def table_of(progress: Progress) -> Standings:
    return standings(progress.outcomes, [each.name for each in progress.competition.entrants])


@pytest.mark.parametrize("is_two_sided", [False, True])
def test_pictures_are_well_formed_and_say_who(is_two_sided: bool) -> None:
    made = competition("a b", test=TestPlan(most=30, is_two_sided=is_two_sided))
    outcomes = played_out(made, strengths({"a": 100.0, "b": 0.0}, 1))
    plot = draw_ratings(table_of(progress_of(made, outcomes)))
    assert "a: +" in plot
    for picture in (plot, draw_test(made, outcomes), draw_test(made, ())):
        assert ElementTree.fromstring(picture).tag.endswith("svg")
    decision = decide(TestPlan(most=30), pair_scores(outcomes, "a"))
    page = report(progress_of(made, outcomes, verdict=decision), table_of(progress_of(made, outcomes)))
    assert f"After {decision.pairs} pairs of matches" in page
    assert "Who is better?" not in page


def test_a_report_of_nothing_and_of_puzzles_is_a_page() -> None:
    empty = progress_of(competition("a b", "g h"), (), is_over=False)
    assert "0 of 4 matches so far" in report(empty, table_of(empty))
    puzzle = competition("a b", "peg")
    outcomes = played_out(puzzle, lambda each: outcome(each, (70,)), {"peg": 1})
    progress = progress_of(puzzle, outcomes, 1)
    assert "Who is better?" not in report(progress, table_of(progress))


def test_a_report_tells_games_apart_and_links_to_nothing_dangerous() -> None:
    made = competition("a b", "g h")
    wrong = {"errors": (1, 0), "reasons": ("crashed: <img src=x onerror=alert(1)>", "")}
    progress = progress_of(made, played_out(made, lambda each: outcome(each, (100, 0), **wrong)))
    page = report(progress, table_of(progress), "./javascript:alert(1)/a#b")
    assert "Game by game" in page
    assert 'href="./javascript%3Aalert%281%29/a%23b/000000.jsonl"' in page
    assert "<img" not in page
    assert "2 errors; the first: crashed" in page or "errors; the first: crashed" in page


def test_the_live_table_shows_the_table_and_how_much_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr("gamemaster.terminal.competing.time.monotonic", lambda: now)
    made = competition("a b\x1b[2J", matches=10)
    outcomes = played_out(made, strengths({"a": 0.0, "b\x1b[2J": 0.0}, 1))
    screen = LiveTable()
    with screen.shown():
        screen.hear(progress_of(made, outcomes[:5], new=tuple(outcomes[:5]), is_over=False))
        assert screen.live is not None
        now = 10.0
        screen.hear(progress_of(made, outcomes[:10], new=tuple(outcomes[5:10]), is_over=False))
        console = Console(width=100, record=True, file=io.StringIO())
        console.print(screen.picture())
    assert screen.live is None
    told = console.export_text()
    assert "player" in told
    assert "10 of 20, about 10 s left" in told
    assert "\x1b[2J" not in told


def test_a_narrow_screen_keeps_what_matters(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [["mcts(exploration=0.3)", "+117", "32", "18", "12", "1", "5", "0", "69.4", "59.5"]]
    for size, count in ((40, 3), (60, 6), (120, 10)):
        monkeypatch.setattr("gamemaster.terminal.competing.width", lambda size=size: size)
        assert columns_for(rows) >= count


def test_matches_that_end_together_are_all_told(capsys: pytest.CaptureFixture[str]) -> None:
    made = competition("a b", matches=2)
    outcomes = played_out(made, strengths({"a": 0.0, "b": 0.0}, 1))
    lines = Lines()
    lines.hear(progress_of(made, outcomes[:2], new=tuple(outcomes[:2]), is_over=False))
    assert capsys.readouterr().out.count(" of 4  g: ") == 2
    lines = Lines()
    lines.hear(progress_of(made, outcomes[:1], before=1, is_over=False))
    assert capsys.readouterr().out == "1 of 4 matches have been played before\n"


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
