"""Whoever writes a player sees what it prints, where it fails, and what it thought of its moves."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import textwrap
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import gamemaster as gm
from gamemaster.cli import app
from gamemaster.errors import PlayerError, RecordError
from gamemaster.load import load, parse
from gamemaster.machine.game import Game
from gamemaster.match.events import Fault, Moved, event_from_json
from gamemaster.match.manager import conduct, run_match
from gamemaster.match.processes.order import ProcessLimits
from gamemaster.match.records.record import RecordWriter, check_event, read_record
from gamemaster.match.records.verifying import verify
from gamemaster.match.settings import Settings
from gamemaster.match.thought import checked_thought, thought_of
from gamemaster.match.transports.child_process import ChildProcess, player_process
from gamemaster.match.transports.in_process import InProcess
from gamemaster.match.transports.lines import reply_from_line
from gamemaster.match.transports.overhearing import LONGEST_LINE, MOST_PRINTED, Overheard
from gamemaster.players.loading import find_player
from gamemaster.players.simple import Random
from gamemaster.players.tracing import trace_of
from gamemaster.search.result import IN_PYTHON
from gamemaster.terminal.match_screen import LiveScreen
from tests.match import misbehaving as bad

CLOCKS = Settings(start_clock=60.0, play_clock=60.0, seed=7)
APART = [ProcessLimits(has_walls=False), pytest.param(ProcessLimits(), marks=pytest.mark.walls)]

FAILS = """
print("loaded", flush=True)
def divide(n):
    return n // 0
def play(moves):
    print("asked", "\\x1b[2J\\u202e")
    return divide(3)
"""
THINKS = """
from gamemaster import Player
from gamemaster.search.result import SearchResult
class Mine(Player):
    def choose(self, state):
        move = state.legal_moves(self.role)[0]
        self.last_result = SearchResult("mine", self.role, move, 62.5, depth=3, nodes=1234)
        return move
"""

LEFT_OVER = """
from gamemaster.search.result import SearchResult
last_result = None
def play(moves):
    global last_result
    last_result = last_result or SearchResult("mine", "x", None, 62.5)
    return "go"
"""
THREE_STEPS = """
role(x) init(p(1)) succ(1,2) succ(2,3) succ(3,4)
legal(x,go) :- role(x)
next(p(N)) :- true(p(M)) & succ(M,N)
terminal :- true(p(4))
goal(x,100) :- role(x)
"""


@pytest.fixture(scope="module")
def game() -> Game:
    return load("tictactoe")


@pytest.fixture
def player(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(FAILS)
    return path


@pytest.fixture
def log(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level(logging.INFO, "gamemaster.players")
    return caplog


def run(*arguments: str) -> Any:
    return CliRunner().invoke(
        app, ["match", "tictactoe", "--start-clock", "60", "--play-clock", "60", *arguments]
    )


# Prints


@pytest.mark.parametrize("limits", APART)
def test_what_a_player_in_a_process_prints_is_shown_after_its_name(
    game: Game, player: Path, log: pytest.LogCaptureFixture, limits: ProcessLimits
) -> None:
    players = {"x": player_process(str(player), 1, limits), "o": bad.in_process(Random(seed=1))}
    asyncio.run(conduct(game, players, CLOCKS))
    assert f"{player}: loaded" in log.messages
    assert f"{player}: asked \ufffd[2J\ufffd" in log.messages


@pytest.mark.parametrize("limits", APART)
def test_the_last_words_of_a_process_are_shown(
    game: Game, tmp_path: Path, log: pytest.LogCaptureFixture, limits: ProcessLimits
) -> None:
    path = tmp_path / "mine.py"
    path.write_text("import os\ndef play(moves):\n    os.write(2, b'the end')\n    os._exit(3)\n")
    players = {"x": player_process(str(path), 1, limits), "o": bad.in_process(Random(seed=1))}
    asyncio.run(conduct(game, players, CLOCKS))
    assert log.messages == [f"{path}: the end"]


def test_there_is_an_end_to_what_is_shown(log: pytest.LogCaptureFixture) -> None:
    heard = Overheard("mine")
    heard.hear(b"x" * (LONGEST_LINE + 1) + b"\n")
    while not heard.is_enough:
        heard.hear(b"again\n" * 1000)
    heard.hear(b"never\n")
    heard.end()
    assert log.messages[0] == f"mine: {'x' * LONGEST_LINE}..."
    assert log.messages[-1] == f"mine: prints more than {MOST_PRINTED:,} bytes; the rest is not shown"
    assert sum(map(len, log.messages)) < 3 * MOST_PRINTED
    assert "never" not in log.text


def test_a_line_that_comes_in_pieces_is_one(log: pytest.LogCaptureFixture) -> None:
    heard = Overheard("mine")
    for chunk in (b"a\nb", b"c", b"\nd"):
        heard.hear(chunk)
    assert log.messages == ["mine: a", "mine: bc"]
    heard.end()
    assert log.messages[-1] == "mine: d"


@pytest.mark.slow
def test_a_player_that_prints_without_end_makes_nobody_else_late(game: Game, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("import os\ndef play(moves):\n    while True: os.write(2, b'x' * 65536)\n")
    heard = bad.Faults()
    players = {
        "x": bad.in_process(Random(seed=1)),
        "o": player_process(str(path), 1, ProcessLimits(has_walls=False)),
    }
    settings = Settings(start_clock=60.0, play_clock=2.0, seed=7)
    asyncio.run(conduct(game, players, settings, listeners=[heard]))
    assert {fault.role for fault in heard.all} == {"o"}


# Tracebacks


def test_a_traceback_begins_where_the_code_of_the_player_does(player: Path) -> None:
    with pytest.raises(PlayerError) as caught:
        find_player(player)().play(None)
    lines = trace_of(caught.value).splitlines()
    assert lines[0] == "Traceback (most recent call last):"
    assert lines[1] == f'  File "{player}", line 7, in play'
    assert f'  File "{player}", line 4, in divide' in lines
    assert lines[-1] == "ZeroDivisionError: integer division or modulo by zero"


def test_a_text_that_is_no_python_is_shown_without_our_way_to_it(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("def play(\n")
    with pytest.raises(PlayerError) as caught:
        find_player(path)
    lines = trace_of(caught.value).splitlines()
    assert lines[0] == f'  File "{path}", line 1'
    assert "SyntaxError" not in lines[-1], "the error itself says that"


def test_what_is_no_python_is_said_once(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("def play(move)\n    return 1\n")
    said = run("--players", f"{path},legal").stderr.splitlines()
    assert said[-1] == f"error: {path}:1: SyntaxError: expected ':'"
    assert said[:-1] == [
        f'player:   File "{path}", line 1',
        "player:     def play(move)",
        "player:                   ^",
    ]


def test_what_we_say_ourselves_of_a_player_has_no_traceback(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("from gamemaster import Player\nclass P(Player):\n    def choose(self, state): ...\n")
    for option in ([], ["--separate"]):
        result = run("--players", f"{path},legal", *option)
        assert result.stderr == ""
        assert f"crashed: {path}: choose in line 3 of P gives None instead of a move" in result.stdout


def test_a_traceback_of_the_library_is_whole() -> None:
    with pytest.raises(ValueError, match="could not convert") as caught:
        find_player("random")().start("x", load("tictactoe"), "soon", 1)  # type: ignore[arg-type]
    assert "in _start" in trace_of(caught.value)
    assert "could not convert" in trace_of(caught.value)


def test_a_traceback_that_is_long_or_cannot_be_shown_is_told() -> None:
    class Odd(Exception):
        @property
        def __notes__(self) -> Any:  # type: ignore[override]
            raise ValueError

    assert trace_of(ValueError("x" * 100_000)).startswith("... (100,")
    assert trace_of(Odd()) == "Odd: its traceback cannot be shown\n"


def traced(text: str) -> int:
    return text.count("in divide")


def test_the_whole_traceback_is_shown_once(game: Game, player: Path, log: pytest.LogCaptureFixture) -> None:
    players = {"x": InProcess(find_player(player)(), "mine"), "o": bad.in_process(Random(seed=1))}
    referee = asyncio.run(conduct(game, players, CLOCKS))
    assert referee.errors["x"] > 1
    assert traced(log.text) == 1
    assert "mine: ZeroDivisionError: integer division or modulo by zero" in log.text


@pytest.mark.parametrize("option", [[], ["--separate"], pytest.param(["--isolate"], marks=pytest.mark.walls)])
def test_a_match_shows_the_whole_traceback_once(player: Path, option: list[str]) -> None:
    result = run("--players", f"{player},legal", *option)
    assert result.exit_code == 0
    assert traced(result.stderr) == 1
    assert result.stdout.count("ZeroDivisionError") > 1
    assert traced(run("--players", f"{player},legal", "--quiet", *option).stderr) == 0


def test_a_file_that_fails_when_it_is_loaded_is_shown_with_its_traceback(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("def divide(n):\n    return n // 0\ndivide(1)\ndef play(moves): ...\n")
    result = run("--players", f"{path},legal")
    assert result.exit_code == 1
    assert traced(result.stderr) == 1
    assert f"error: {path}:2: ZeroDivisionError" in result.stderr


def test_play_shows_the_whole_traceback_once(player: Path) -> None:
    arguments = ["play", "tictactoe", "--against", str(player), "--as", "x"]
    result = CliRunner().invoke(app, arguments, input="mark(1,1)\nmark(1,2)\nmark(1,3)\nmark(2,2)\n")
    assert traced(result.stderr) == 1
    assert result.stdout.count("ZeroDivisionError") > 1


# Stopping


@pytest.mark.parametrize("option", [[], ["--separate"]])
def test_a_match_that_stops_at_an_error_can_go_on(player: Path, tmp_path: Path, option: list[str]) -> None:
    record = tmp_path / "record.jsonl"
    result = run("--players", f"legal,{player}", "--stop-at-error", "--record", str(record), *option)
    assert result.exit_code == 1
    assert traced(result.stderr) == 1
    last = result.stderr.splitlines()[-1]
    assert last.startswith(f"error: stopped in step 2 by an error of o ({player}): crashed: {player}:4: Zero")
    assert last.endswith(f"; go on with: gamemaster match --resume {record}")
    kept = read_record(record)
    assert (len(kept.moves), kept.errors, kept.ended) == (1, {"x": 0, "o": 1}, None)
    player.write_text("def play(moves): return False\n")
    assert CliRunner().invoke(app, ["match", "--resume", str(record), "--quiet"]).exit_code == 0
    assert verify(read_record(record)).is_true


def test_matches_before_the_one_that_stops_at_an_error_are_not_lost(tmp_path: Path) -> None:
    player, once = tmp_path / "mine.py", tmp_path / "once"
    code = f"""
        from pathlib import Path
        from gamemaster.players.simple import Legal
        class Mine(Legal):
            def stop(self, moves=None):
                Path({str(once)!r}).touch()
                return False
            def choose(self, state):
                return "nothing" if Path({str(once)!r}).exists() else super().choose(state)
    """
    player.write_text(textwrap.dedent(code))
    options = ["--players", f"{player},legal", "--games", "4", "--stop-at-error"]
    shown = run(*options)
    assert shown.exit_code == 1
    assert re.search(r"^player +matches +mean goal +errors\n.*mine\.py +1 ", shown.stdout, re.MULTILINE)
    assert shown.stderr.splitlines()[-1].startswith("error: match 2 of 4 stopped in step 1 by an error of x")
    once.unlink()
    told = run(*options, "--json")
    assert told.exit_code == 1
    data = json.loads(told.stdout)
    assert [match["how"] for match in data["matches"]] == ["completed", None]
    assert data["matches"][1]["faults"][0]["kind"] == "illegal"
    assert [each["matches"] for each in data["players"]] == [1, 1]


def test_a_match_that_stops_at_errors_ends_where_there_is_none() -> None:
    assert run("--players", "legal", "--stop-at-error").exit_code == 0


def test_a_match_stops_at_once_though_others_still_think(game: Game) -> None:
    """Also where the error is that of a player which is too late."""
    players: Any = {"x": bad.in_process(bad.Slower()), "o": bad.in_process(Random(seed=1))}
    settings = Settings(start_clock=60.0, play_clock=0.1, seed=7, stops_at_error=True)
    referee = run_match(game, players, settings)
    assert (referee.how, sum(referee.errors.values()), referee.state.step) == ("interrupted", 1, 0)


# Thoughts


@pytest.mark.parametrize("is_isolated", [False, True])
def test_a_record_keeps_what_players_thought(game: Game, tmp_path: Path, is_isolated: bool) -> None:
    player, path = tmp_path / "mine.py", tmp_path / "record.jsonl"
    player.write_text(THINKS)
    with RecordWriter(path) as writer:
        options: Any = {"is_isolated": is_isolated, "limits": ProcessLimits(has_walls=False)}
        run_match(game, {"x": player, "o": "legal"}, CLOCKS, listeners=[writer.write], **options)
    record = read_record(path)
    assert verify(record).is_true
    assert record.moves[0].thoughts == {"x": {"value": 62.5, "depth": 3, "nodes": 1234}}
    assert record.moves[1].thoughts == {}
    shown = CliRunner().invoke(app, ["replay", str(path)]).stdout
    assert "value 62.5, depth 3, 1,234 nodes)" in shown
    as_json = CliRunner().invoke(app, ["replay", str(path), "--json"]).stdout
    assert '"thoughts": {"x": {"value": 62.5, "depth": 3, "nodes": 1234}}' in as_json


@pytest.mark.parametrize("is_isolated", [False, True])
def test_why_a_search_is_less_than_it_should_be_is_recorded_and_shown(
    tmp_path: Path, is_isolated: bool
) -> None:
    player, path = tmp_path / "mine.py", tmp_path / "record.jsonl"
    player.write_text(THINKS.replace("nodes=1234", f"nodes=1234, notes='''told\n{IN_PYTHON}'''"))
    options = ["--separate"] if is_isolated else []
    shown = run("--players", f"{player},legal", "--record", str(path), *options)
    assert shown.exit_code == 0, shown.output
    assert shown.stdout.count(f"\n     x: {IN_PYTHON}\n") == shown.stdout.count(IN_PYTHON) == 1
    record = read_record(path)
    assert record.moves[0].thoughts["x"]["caveat"] == IN_PYTHON
    assert verify(record).is_true
    thought = [moved for moved in record.moves if "x" in moved.thoughts]
    assert len(thought) > 1
    replayed = CliRunner().invoke(app, ["replay", str(path)]).stdout
    assert replayed.count(f"\n  x: {IN_PYTHON}\n") == len(thought)


def test_a_live_screen_says_once_why_a_search_is_less_than_it_should_be(game: Game) -> None:
    with LiveScreen(game, {"x": "mine", "o": "mine"}, CLOCKS) as screen:
        for step in range(3):
            screen.show(Moved(1.0, step, {"x": "go"}, {"x": 1.0}, thoughts={"x": {"caveat": f"slow {step}"}}))
    assert screen.faults == ["x: slow 0"]


def test_a_thought_is_of_the_move_that_was_just_made(tmp_path: Path) -> None:
    """One that keeps its own books may leave in `last_result` what it found long before."""
    player = tmp_path / "mine.py"
    player.write_text(LEFT_OVER)
    heard = bad.Faults()
    run_match(parse(THREE_STEPS, machine="reference"), {"x": player}, CLOCKS, listeners=[heard])
    moved = [event for event in heard.events if isinstance(event, Moved)]
    assert [len(event.thoughts) for event in moved] == [1, 0, 0]
    assert not heard.all


@pytest.mark.parametrize("thought", [{"value": "1"}, {"caveat": 1}, {"caveat": "a\nb"}, {"nodes": -1}, {}])
def test_a_record_with_a_thought_that_no_match_writes_is_refused(thought: dict[str, Any]) -> None:
    data = {"event": "moved", "time": 1.0, "step": 0, "moves": {}, "seconds": {}, "thoughts": {"x": thought}}
    with pytest.raises(RecordError, match=r"^moved has a wrong thought: ['\"]\{"):
        check_event(event_from_json(data))


def test_a_move_that_was_made_for_a_player_has_no_thought(game: Game) -> None:
    child = bad.CHILD.read_text().replace('"value": value}', '"value": "no", "thought": {"value": 1}}')
    heard = bad.Faults()
    players = {"x": bad.in_process(Random(seed=1)), "o": ChildProcess(["python3", "-c", child], "child")}
    asyncio.run(conduct(game, players, CLOCKS, listeners=[heard]))
    assert all(not event.thoughts for event in heard.events if isinstance(event, Moved))
    assert [event for event in heard.events if isinstance(event, Fault)]


def test_a_record_without_thoughts_is_read() -> None:
    data = {"event": "moved", "time": 1.0, "step": 0, "moves": {"x": "go"}, "seconds": {}}
    event = event_from_json(data)
    check_event(event)
    assert isinstance(event, Moved)
    assert event.thoughts == {}


@given(
    st.dictionaries(
        st.sampled_from(["value", "depth", "nodes", "caveat", "else"]),
        st.one_of(
            st.floats(),
            st.integers(),
            st.text(),
            st.just("long" * 60),
            st.sampled_from(["", "1", True, False, None, [], [1], {"value": 1}]),
        ),
    )
)
def test_whatever_a_player_says_it_thought_can_be_recorded(data: dict[str, Any]) -> None:
    thought = checked_thought(data)
    check_event(Moved(1.0, 0, {}, {}, thoughts={} if thought is None else {"x": thought}))
    assert set(thought or {}) <= {"value", "depth", "nodes", "caveat"}
    caveat = (thought or {}).get("caveat", "-")
    assert isinstance(caveat, str)
    assert caveat.isprintable()
    assert 0 < len(caveat) <= 200


def test_a_thought_that_is_none_does_not_spoil_a_move() -> None:
    for thought in ("[]", '"x"', "7", '{"value": "1"}', '{"value": NaN, "nodes": -1}', '{"depth": 1e999}'):
        reply = reply_from_line(f'{{"number": 1, "value": "go", "thought": {thought}}}')
        assert reply == reply_from_line('{"number": 1, "value": "go"}')


def test_a_player_that_cannot_say_why_says_nothing() -> None:
    class Odd:
        @property
        def last_result(self) -> Any:
            raise ValueError

    odd: Any = gm.SearchResult("mine", "x", None, 1.0, notes=7)  # type: ignore[arg-type]
    assert thought_of(SimpleNamespace(last_result=odd)) == {"value": 1.0, "depth": 0, "nodes": 0}
    assert thought_of(Odd()) is None
    assert thought_of(object()) is None
