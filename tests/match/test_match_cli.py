"""`gamemaster match` and `gamemaster player`, as people and programs use them."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import io
import json
import os
import posix
import pty
import random
import re
import signal
import subprocess
import sys
import termios
import threading
import time
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from gamemaster.cli import app
from gamemaster.errors import PlayerError
from gamemaster.load import load
from gamemaster.match.events import Ended, Fault, Message, Moved, Reached
from gamemaster.match.processes.staying import staying
from gamemaster.match.records.record import read_record
from gamemaster.match.records.verifying import verify
from gamemaster.match.settings import Settings
from gamemaster.terminal.match_screen import LiveScreen
from gamemaster.terminal.matches import MatchOptions
from gamemaster.terminal.serving import _show
from tests.interrupts import hear_interrupts

STUCK = "(role x) (init (p 1)) (<= (legal x go) (true (p 1))) (<= (next (p 2)) (does x go)) (<= terminal (true (p 3)))"


def run(*arguments: str, code: int = 0) -> str:
    result = CliRunner().invoke(app, ["match", *arguments])
    assert result.exit_code == code, result.output
    return result.output


def run_json(*arguments: str) -> Any:
    result = CliRunner().invoke(app, ["match", *arguments, "--json"])
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)  # what players say goes to the other line


def test_a_match_is_told_line_by_line() -> None:
    lines = run("tictactoe", "--players", "legal,legal", "--seed", "1").splitlines()
    assert lines[0] == "tictactoe: x legal, o legal (start clock 10 s, play clock 5 s, seed 1)"
    assert lines[1].startswith("  1. x mark(1,1) (0.")
    assert lines[-1] == "completed: x legal 100, o legal 0"
    assert len(lines) == 9


def test_a_quiet_match_is_one_line() -> None:
    assert run("tictactoe", "--players", "legal", "--quiet") == "completed: x legal 100, o legal 0\n"


def test_errors_are_told() -> None:
    output = run("tictactoe", "--players", "legal,dumbo", "--seed", "1")
    assert "     o: illegal: 2\n" in output
    assert "(at random)" in output
    assert " errors)" in output.splitlines()[-1]


EVIL = "no\\n999. x mark(1,1)\\x1b[2J\\u202e"
"""A reply that would like to be a screen."""


def test_what_a_player_says_cannot_pass_for_what_the_manager_says(tmp_path: Path) -> None:
    player, path = tmp_path / "evil.py", tmp_path / "match.jsonl"
    player.write_text(f"def play(move): return '{EVIL}'\n")
    output = run("tictactoe", "--players", f"{player},legal", "--record", str(path))
    replayed = CliRunner().invoke(app, ["replay", str(path)]).output
    messages = CliRunner().invoke(app, ["replay", str(path), "--messages"]).output
    for text in (output, replayed, messages):
        assert "no\ufffd999. x mark(1,1)\ufffd[2J\ufffd" in text
        assert not any(line.startswith("999.") for line in text.splitlines())
        assert "\x1b" not in text


def test_players_change_roles() -> None:
    result = run_json("tictactoe", "--players", "legal,random", "--games", "3", "--swap", "--seed", "5")
    assert [match["players"]["x"] for match in result["matches"]] == ["legal", "random", "legal"]
    seeds = [match["seed"] for match in result["matches"]]
    assert seeds == [5, *(random.Random(f"5/match/{number}").getrandbits(53) for number in (1, 2))]
    assert [(each["player"], each["matches"]) for each in result["players"]] == [("legal", 3), ("random", 3)]
    again = run_json("tictactoe", "--players", "random,legal", "--seed", str(seeds[1]))
    assert again["matches"][0]["goals"] == result["matches"][1]["goals"]


def test_several_matches_are_summed_up() -> None:
    output = run("tictactoe", "--players", "legal,legal", "--games", "2", "--swap")
    assert output.splitlines()[:2] == [
        "   1. completed: x legal 100, o legal 0",
        "   2. completed: x legal 100, o legal 0",
    ]
    assert output.splitlines()[-2:] == [
        "legal (1)        2       50.0       0",
        "legal (2)        2       50.0       0",
    ]


def test_json_says_everything() -> None:
    result = run_json("tictactoe", "--players", "legal,dumbo", "--seed", "1")["matches"][0]
    assert result["game"] == "tictactoe"
    assert result["how"] == "completed"
    assert result["players"] == {"x": "legal", "o": "dumbo"}
    assert result["errors"]["o"] == sum(fault["kind"] == "illegal" for fault in result["faults"])
    assert result["record"] is None


def test_rules_that_are_wrong_are_a_failure(tmp_path: Path) -> None:
    path = tmp_path / "stuck.kif"
    path.write_text(STUCK)
    output = run(str(path), "--players", "legal", code=1)
    assert "the rules: stuck: no role has a legal move in step 2\n" in output
    assert "stuck: x legal no goal" in output.splitlines()
    assert f"{path}:1:23: error: no role has a legal move in step 2, but the state is not terminal" in output
    assert output.splitlines()[-1] == "  help: give x a move there (noop, pass), or make the state terminal"


def test_two_goals_at_the_end_are_told(tmp_path: Path) -> None:
    path = tmp_path / "double.kif"
    path.write_text(
        "(role x) (init (n 1)) (legal x go) (<= (next (n 2)) (true (n 1)))"
        "(<= terminal (true (n 2))) (goal x 70) (goal x 30)"
    )
    output = run(str(path), "--players", "legal", "--record", str(tmp_path / "record.jsonl"))
    assert "the rules: goals: x has the goals 30 and 70; 30 counts" in output
    assert output.splitlines()[-1] == "completed: x legal 30"
    assert run_json(str(path), "--players", "legal")["matches"][0]["faults"][0]["kind"] == "goals"


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (["tictactoe", "--players", "legal,legal,legal"], "3 players for the 2 roles of tictactoe: x, o"),
        (["tictactoe", "--players", "nobody"], "no player or player file 'nobody'"),
        (["nogame", "--players", "legal"], "no game or rule file 'nogame'"),
        (["--players", "legal"], "which game? name one, or a record to --resume"),
        (["tictactoe", "--players", "http://:::"], "no address of a player"),
    ],
)
def test_what_cannot_be_run_is_told(arguments: list[str], what: str) -> None:
    assert what in run(*arguments, code=1)


def test_players_must_be_named() -> None:
    assert "name the players" in run("tictactoe", code=2)


# Records


def test_a_record_is_kept_and_true(tmp_path: Path) -> None:
    path = tmp_path / "match.jsonl"
    run("tictactoe", "--players", "random,dumbo", "--seed", "3", "--record", str(path))
    report = verify(read_record(path))
    assert (report.is_true, report.how) == (True, "completed")
    assert "exists already" in run("tictactoe", "--players", "legal", "--record", str(path), code=1)
    assert "2 records need a folder" in run(
        "tictactoe", "--players", "legal", "--games", "2", "--record", str(path), code=1
    )


def test_a_command_that_was_mistyped_can_be_given_again(tmp_path: Path) -> None:
    path = tmp_path / "match.jsonl"
    assert "no player or player file" in run("tictactoe", "--players", "legl", "--record", str(path), code=1)
    run("tictactoe", "--players", "legal", "--record", str(path))
    assert verify(read_record(path)).is_true


@pytest.mark.parametrize(
    ("clock", "what"), [("0", "error: a clock of 0 s"), ("NaN", "started has a wrong play_clock: 'nan'")]
)
def test_a_record_with_a_clock_that_cannot_be_does_not_go_on(tmp_path: Path, clock: str, what: str) -> None:
    path = tmp_path / "match.jsonl"
    run("tictactoe", "--players", "legal", "--record", str(path))
    started = path.read_text().split("\n")[0]
    path.write_text(re.sub(r'"play_clock":[\d.]+', f'"play_clock":{clock}', started) + "\n")
    output = run("--resume", str(path), code=1)
    assert what in output
    assert output.count("\n") == 1


def test_records_of_several_matches_are_in_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "records"
    result = run_json("tictactoe", "--players", "random", "--games", "3", "--record", str(folder))
    paths = [Path(match["record"]) for match in result["matches"]]
    assert sorted(folder.iterdir()) == sorted(paths)
    assert all(verify(read_record(path)).is_true for path in paths)


def test_a_match_goes_on_from_every_line_of_its_record(tmp_path: Path) -> None:
    path = tmp_path / "match.jsonl"
    run("tictactoe", "--players", "random,dumbo", "--seed", "3", "--record", str(path))
    lines = path.read_bytes().split(b"\n")[:-1]
    for number in range(1, len(lines), 3):
        cut = tmp_path / f"{number}.jsonl"
        cut.write_bytes(b"\n".join(lines[:number]) + b"\n" + lines[number][:20])
        run("--resume", str(cut), "--quiet")
        record = read_record(cut)
        report = verify(record)
        assert report.is_true, report.show()
        assert report.how == "completed"
    assert "is over: completed" in run("--resume", str(path), code=1)


def test_other_players_may_go_on(tmp_path: Path) -> None:
    path = tmp_path / "match.jsonl"
    run("tictactoe", "--players", "random", "--seed", "3", "--record", str(path))
    lines = path.read_bytes().split(b"\n")
    path.write_bytes(b"\n".join(lines[:20]) + b"\n")
    assert "x legal, o random" in run("--resume", str(path), "--players", "legal,random")
    assert verify(read_record(path)).is_true


def test_a_scrambled_match_is_shown_in_the_words_of_the_game(tmp_path: Path) -> None:
    path = tmp_path / "match.jsonl"
    output = run("tictactoe", "--players", "legal", "--seed", "3", "--scramble", "--record", str(path))
    assert output.splitlines()[1].startswith("  1. x mark(1,1)")
    record = read_record(path)
    assert "mark" not in record.started.rules
    assert "tictactoe" not in record.started.match
    sent = [event.text for event in record.events if isinstance(event, Message)]
    assert not any("mark" in text or "tictactoe" in text for text in sent)
    assert verify(record).is_true
    cut = tmp_path / "cut.jsonl"
    cut.write_bytes(b"\n".join(path.read_bytes().split(b"\n")[:20]) + b"\n")
    output = run("--resume", str(cut))
    assert output.startswith("tictactoe: x legal")
    assert "x mark(" in output


def test_players_of_a_scrambled_match_are_not_told_its_name(tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    player = tmp_path / "curious.py"
    player.write_text(
        "def start(role, rules, startclock, playclock):\n"
        f"    with open({str(seen)!r}, 'a') as file: file.write(rules.name + ' ' + repr(rules))\n"
        "    return 'ready'\n"
        "def play(move): return False\n"
    )
    path = tmp_path / "match.jsonl"
    output = run("tictactoe", "--players", f"{player},legal", "--scramble", "--record", str(path))
    assert output.startswith("tictactoe: x ")
    assert read_record(path).started.game == "tictactoe"
    path.write_bytes(b"\n".join(path.read_bytes().split(b"\n")[:12]) + b"\n")
    run("--resume", str(path))
    assert "scrambled" in seen.read_text()
    assert "tictactoe" not in seen.read_text()


OPTIONS = ["--separate", pytest.param("--isolate", marks=pytest.mark.walls)]


@pytest.mark.parametrize("option", OPTIONS)
def test_isolated_players_play(option: str) -> None:
    result = run_json("tictactoe", "--players", "legal", option)["matches"][0]
    assert (result["how"], result["errors"]) == ("completed", {"x": 0, "o": 0})


@pytest.mark.parametrize("option", OPTIONS)
@pytest.mark.parametrize(
    ("play", "limit", "said"),
    [
        ("bytearray(2**29)", ["--memory", "400"], "MemoryError"),
        (
            "[None for _ in iter(int, 1)]",
            ["--cpu", "2", "--memory", "8192"],
            "the process ended with signal SIG",
        ),
    ],
)
def test_isolated_players_have_limits(
    tmp_path: Path, play: str, limit: list[str], said: str, option: str
) -> None:
    player = tmp_path / "hungry.py"
    player.write_text(f"def play(move): return {play}\n")
    arguments = ["tictactoe", "--players", f"{player},legal", option, "--play-clock", "30"]
    result = run_json(*arguments, *limit)["matches"][0]
    assert {fault["kind"] for fault in result["faults"]} == {"crashed"}
    assert said in result["faults"][0]["detail"]


def test_every_option_and_the_default_limit_are_described() -> None:
    page = (Path(__file__).parents[2] / "docs" / "run-a-match.md").read_text(encoding="utf-8")
    command: Any = typer.main.get_command(app)
    options = [name for each in command.commands["match"].params for name in each.opts if name[:2] == "--"]
    assert len(options) > 12
    assert [name for name in options if name not in page] == []
    assert f"({MatchOptions().limits.memory // 2**20:,} MB without)" in page


def test_only_isolated_players_have_limits() -> None:
    assert "only a process can be limited" in run("tictactoe", "--players", "legal", "--cpu", "1", code=2)


def test_a_player_is_behind_walls_or_not() -> None:
    both = "--isolate", "--separate"
    assert "either behind walls or without" in run("tictactoe", "--players", "legal", *both, code=2)


# In a terminal


def test_the_live_screen_shows_board_scores_errors_and_clocks(monkeypatch: pytest.MonkeyPatch) -> None:
    from rich.console import Console

    game = load("tictactoe", machine="reference")
    screen = LiveScreen(game, {"x": "anna", "o": "[b]ob\x1b[2J"}, Settings(play_clock=5), board=None)
    console = Console(record=True, width=80, file=io.StringIO())
    monkeypatch.setattr("gamemaster.terminal.match_screen.console_of", lambda: console)
    with screen:
        state = game.initial_state().next("mark(2,2)")
        screen.show(Moved(1.0, 0, {"x": "mark(2,2)"}, {"x": 1.25}))
        facts = tuple(map(str, state.ordered_facts))
        screen.show(Reached(1.0, 1, facts, {"x": 50, "o": 50}, False))
        screen.show(Message(1.0, "o", True, "play(mark(2,2))"))
        screen.show(Fault(1.0, 1, "o", "illegal", "mark(9,9)", True))
        screen.show(Fault(1.0, 1, "o", "illegal", "a\nb\x1b[2J", False))
        console.print(screen.picture())
        text = console.export_text()
        screen.show(Ended(2.0, "ended", {"x": 50, "o": 50}, {"x": 0, "o": 1}))
        console.print(screen.picture())
        end = console.export_text()
    assert "2 ·[x]·" in text, "what the last step changed is pointed out"
    assert re.search(r"anna +50     0       mark\(2,2\)  1.25 s", text)
    assert "0.0 s ..." in text
    assert "o: illegal: mark(9,9)" in text
    assert "o: illegal: a\ufffdb\ufffd[2J (no error)" in text
    assert "ended: x anna 50, o [b]ob\ufffd[2J 50 (1 error)" in end
    assert "\x1b[2J" not in end


def test_nothing_that_went_wrong_is_cut_at_the_edge(monkeypatch: pytest.MonkeyPatch) -> None:
    from rich.console import Console

    settings = Settings(play_clock=5, seed=112233445566778899)
    screen = LiveScreen(load("tictactoe"), {"x": "anna", "o": "bob"}, settings, board=None)
    console = Console(record=True, width=40, soft_wrap=True, file=io.StringIO())
    monkeypatch.setattr("gamemaster.terminal.match_screen.console_of", lambda: console)
    with screen:
        screen.show(Fault(1.0, 1, "o", "crashed", "a long story of what happened, and then it ends", True))
    text = console.export_text().replace("\n", "").replace(" ", "")
    assert "seed112233445566778899)" in text
    assert "whathappened,andthenitends" in text


def test_a_quiet_match_says_the_first_error_of_each_player(tmp_path: Path) -> None:
    player = tmp_path / "broken.py"
    player.write_text(BROKEN)
    output = run("tictactoe", "--players", f"{player},legal", "--quiet")
    assert re.fullmatch(r"completed: .*errors?\).*\n     x: crashed: .*:6: ValueError: no idea\n", output)


def test_the_clock_that_runs_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    from rich.console import Console

    settings = Settings(start_clock=30, play_clock=5)
    screen = LiveScreen(load("tictactoe"), {"x": "anna", "o": "bob"}, settings, board=None)
    monkeypatch.setattr("gamemaster.terminal.match_screen.console_of", lambda: Console(file=io.StringIO()))
    with screen:
        shown = []
        for text in ("ping()", "start(x,tictactoe,30,5)", "play(nil)"):
            screen.show(Message(1.0, "x", True, text))
            shown.append(re.sub(r"^\d+\.\d", "0.0", screen.clock("x")))
    assert shown == ["0.0 s ...", "0.0 of 30 s, gets ready ...", "0.0 of 5 s ..."]


# Who is not ready


BROKEN = """
from gamemaster import Player

class Broken(Player):
    def prepare(self):
        raise ValueError("no idea")

    def choose(self):
        return None
"""


@pytest.mark.parametrize("options", [[], ["--separate"]])
def test_who_refuses_a_game_is_told_once(tmp_path: Path, options: list[str]) -> None:
    path = tmp_path / "match.jsonl"
    result = CliRunner().invoke(
        app, ["match", "tictactoe", "--players", "maximizer,legal", "--record", str(path), *options]
    )
    told = [line for line in result.output.splitlines() if "maximizer" in line]
    assert len(told) == 3, result.output
    assert re.fullmatch(
        r"     x: maximizer refuses tictactoe: .* \(egghead, mcts, mcs, random, legal can play it\)", told[1]
    )
    assert told[0].startswith("tictactoe: x maximizer, o legal")
    assert told[2].startswith("completed: x maximizer")
    assert "Traceback" not in result.output
    assert {fault.kind for fault in read_record(path).faults} == {"refused"}
    assert verify(read_record(path)).is_true


@pytest.mark.parametrize("options", [[], ["--separate"]])
def test_a_player_that_fails_to_start_is_told_once(
    tmp_path: Path, options: list[str], capfd: pytest.CaptureFixture[str]
) -> None:
    player = tmp_path / "broken.py"
    player.write_text(BROKEN)
    output = run("tictactoe", "--players", f"{player},legal", *options)
    assert output.count("Traceback") == 1
    assert output.count("     x: crashed: ") == 1
    assert f"     x: crashed: {player}:6: ValueError: no idea\n" in output


def test_what_else_goes_wrong_with_a_player_that_did_not_start_is_told(tmp_path: Path) -> None:
    player = tmp_path / "broken.py"
    player.write_text("def start(*_):\n    return 1 / 0\ndef play(move):\n    return [][0]\n")
    output = run("tictactoe", "--players", f"{player},legal")
    assert f"     x: crashed: {player}:2: ZeroDivisionError: division by zero\n" in output
    assert output.count(f"     x: crashed: {player}:4: IndexError: list index out of range\n") == 1


# Serving


def test_a_port_that_is_taken_is_told() -> None:
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        result = CliRunner().invoke(app, ["player", "legal", "--port", port])
    assert result.exit_code == 1
    assert f"cannot listen at 127.0.0.1:{port}" in result.output


def test_a_host_that_is_none_is_told() -> None:
    result = CliRunner().invoke(app, ["player", "legal", "--host", "a..b"])
    assert result.exit_code == 1
    assert "cannot listen at a..b:9147: " in result.output


def test_a_player_shows_what_it_is_asked(capsys: pytest.CaptureFixture[str]) -> None:
    _show("(play\n m1  nil)", "\x1b[2J" + "x" * 1000)
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("(play m1 nil) -> \ufffd[2Jxxx")
    assert len(line) == len("(play m1 nil) -> ") + 100


# Busy


def test_a_player_that_is_busy_is_not_played_for(tmp_path: Path) -> None:
    player, path = tmp_path / "busy.py", tmp_path / "match.jsonl"
    player.write_text("def ping(): return 'busy'\ndef play(move): return False\n")
    output = run("tictactoe", "--players", f"{player},legal", "--record", str(path), "--quiet", code=1)
    assert f"the match is not begun: {player} plays another match (role x); try again later" in output
    record = read_record(path)
    assert (record.moves, verify(record).is_true, verify(record).how) == ((), True, "not begun")


# Without clocks


def test_a_match_may_have_no_clocks(tmp_path: Path) -> None:
    path = tmp_path / "match.jsonl"
    clocks = ["--start-clock", "none", "--play-clock", "Infinity"]
    output = run("tictactoe", "--players", "legal", *clocks, "--record", str(path))
    assert output.startswith("tictactoe: x legal, o legal (no start clock, no play clock, seed ")
    assert verify(read_record(path)).is_true
    path.write_bytes(b"\n".join(path.read_bytes().split(b"\n")[:20]) + b"\n")
    run("--resume", str(path))
    assert verify(read_record(path)).how == "completed"
    assert "no start clock, no play clock" in CliRunner().invoke(app, ["replay", str(path)]).output


@pytest.mark.parametrize("clock", ["0", "-1", "nan", "soon", "1e9"])
def test_a_clock_that_is_none_is_told(clock: str) -> None:
    assert "is no clock: seconds from 0.01" in run(
        "tictactoe", "--players", "legal", "--play-clock", clock, code=2
    )


# A full disk


def test_a_full_disk_is_told_with_the_file_and_how_to_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", fail)
    path = tmp_path / "match.jsonl"
    output = run("tictactoe", "--players", "legal", "--record", str(path), code=1)
    assert f"error: No space left on device: '{path}'" in output
    assert f"go on with: gamemaster match --resume {path}" in output


# Ended by a player, or by the system


@pytest.mark.parametrize(
    "end", ["os._exit(0)", "os.execv('/bin/true', ['true'])", "__import__('posix')._exit(0)"]
)
def test_a_player_cannot_end_the_manager(tmp_path: Path, end: str) -> None:
    player = tmp_path / "leaves.py"
    player.write_text(f"import os\ndef play(move): {end}\n")
    command = [sys.executable, "-m", "gamemaster", "match", "tictactoe", "--players", f"{player},legal"]
    result = subprocess.run([*command, "--play-clock", "60"], capture_output=True, text=True, check=True)
    assert "which would end the manager" in result.stdout
    assert "completed: x " in result.stdout


def test_who_is_forked_from_the_manager_can_end() -> None:
    with staying():
        child = os.fork()
        if not child:
            os._exit(3)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 3
        with pytest.raises(PlayerError, match=r"os\._exit was called, which would end the manager"):
            os._exit(4)
    assert os._exit is posix._exit


# Steered


def test_keys_pause_go_on_and_end(tmp_path: Path) -> None:
    player, path, go = tmp_path / "waits.py", tmp_path / "match.jsonl", tmp_path / "go"
    player.write_text(WAITS.format(repr(str(go))))
    command = [sys.executable, "-m", "gamemaster", "match", "tictactoe", "--players", f"{player},legal"]
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [*command, "--play-clock", "none", "--record", str(path)],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    ) as process:
        os.close(theirs)
        reader = threading.Thread(target=_read_all, args=(ours,))
        reader.start()
        _wait_for(path, '"event":"moved","time":', process)
        for key, text in ((b"p", '"event":"paused"'), (b"r", '"event":"unpaused"'), (b"e", '"text":"stop(')):
            os.write(ours, key)
            _wait_for(path, text, process)
        go.touch()
        assert process.wait(timeout=60) == 0
        reader.join()
    os.close(ours)
    record = read_record(path)
    assert verify(record).is_true
    assert record.ended is not None
    assert record.ended.how == "ended"


WAITS = """
import os, time
from gamemaster import Player
class Waits(Player):
    def choose(self, state):
        while state.step > 0 and not os.path.exists({}):
            time.sleep(0.005)
        return state.legal_moves(self.role)[0]
"""


def _wait_for(path: Path, text: str, process: subprocess.Popen[bytes]) -> None:
    while not path.exists() or text not in path.read_text():
        assert process.poll() is None
        time.sleep(0.005)


def _read_all(descriptor: int) -> None:
    with contextlib.suppress(OSError):
        while os.read(descriptor, 65536):
            pass


# Killed


THOUGHTFUL = """
from gamemaster import Player
import time
class Thoughtful(Player):
    def choose(self, state):
        time.sleep(0.03)
        return self.generator.choice(state.legal_moves(self.role))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_match_that_is_interrupted_says_how_to_go_on(
    tmp_path: Path, number: signal.Signals, code: int
) -> None:
    player = tmp_path / "thoughtful.py"
    player.write_text(THOUGHTFUL.replace("0.03", "0.3"))
    path = tmp_path / "match.jsonl"
    command = [sys.executable, "-m", "gamemaster", "match", "tictactoe", "--players", f"{player},legal"]
    process = subprocess.Popen(
        [*command, "--record", str(path)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=hear_interrupts,
    )
    while not path.exists() or '"moved"' not in path.read_text():
        time.sleep(0.005)
    process.send_signal(number)
    _, said = process.communicate(timeout=60)
    assert process.returncode == code
    assert re.fullmatch(r"left after \d steps?; go on with: gamemaster match --resume \S+\n", said), said
    record = read_record(path)
    assert verify(record).is_true
    assert record.ended is None
    told = [event.role for event in record.events if isinstance(event, Message) and event.text == "abort()"]
    assert told == ["x", "o"]
    run("--resume", str(path), "--quiet")
    assert verify(read_record(path)).how == "completed"


def test_a_match_that_is_left_before_it_begins_leaves_no_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    path = tmp_path / "match.jsonl"
    with monkeypatch.context() as patched:
        patched.setattr("gamemaster.terminal.matches.get_ready", interrupt)
        assert run("tictactoe", "--players", "legal", "--record", str(path), code=130) == ""
    assert not path.exists()
    run("tictactoe", "--players", "legal", "--record", str(path))


SLEEPY = """
import pathlib, time

def start(*_):
    pathlib.Path(__file__).with_suffix(".started").touch()
    time.sleep(30)

def play(move):
    return "mark(1,1)"
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")
def test_a_match_that_is_left_while_players_get_ready_goes_on(tmp_path: Path) -> None:
    player, path = tmp_path / "sleepy.py", tmp_path / "match.jsonl"
    player.write_text(SLEEPY)
    command = [sys.executable, "-m", "gamemaster", "match", "tictactoe", "--players", f"{player},legal"]
    pipe = subprocess.PIPE
    process = subprocess.Popen(
        [*command, "--record", str(path)], stdout=pipe, stderr=pipe, text=True, preexec_fn=hear_interrupts
    )
    while not player.with_suffix(".started").exists():
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)
    shown, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "     x: does not answer when asked to stop: nothing within 1 s\n" in shown
    assert said.startswith("left after 0 steps; go on with: gamemaster match --resume")
    assert (
        run("--resume", str(path), "--players", "legal").splitlines()[-1].startswith("completed: x legal 100")
    )


@pytest.mark.slow
def test_a_match_that_is_killed_at_any_moment_goes_on_to_a_legal_end(tmp_path: Path) -> None:
    player = tmp_path / "thoughtful.py"
    player.write_text(THOUGHTFUL)
    generator = random.Random(4)
    command = [sys.executable, "-m", "gamemaster", "match", "tictactoe", "--players", f"{player},dumbo"]
    steps = []
    for number in range(20):
        path = tmp_path / f"{number}.jsonl"
        process = subprocess.Popen(
            [*command, "--seed", str(number), "--record", str(path)], stdout=subprocess.DEVNULL
        )
        while not path.exists() or not path.stat().st_size:
            time.sleep(0.002)
        time.sleep(generator.uniform(0.0, 0.3))
        process.kill()
        process.wait()
        record = read_record(path)
        report = verify(record)
        assert report.is_true, report.show()
        steps.append(report.steps)
        if not record.ended:
            run("--resume", str(path), "--quiet")
        report = verify(read_record(path))
        assert (report.is_true, report.how) == (True, "completed"), report.show()
        assert report.steps >= steps[-1]
    assert len(set(steps)) > 3  # the moments were different ones
