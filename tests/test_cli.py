"""The command line: what it prints, what it refuses, and that it never shows a traceback."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from gamemaster.check import Report
from gamemaster.cli import app
from gamemaster.codegen.cache import Cache
from gamemaster.errors import Place
from gamemaster.games import game_names
from gamemaster.language.findings import Finding
from gamemaster.language.infix import read_term
from gamemaster.load import load
from gamemaster.machine.compiled import CompiledGame
from gamemaster.machine.improving import Improvement, _key
from gamemaster.machine.moves import moves_meant
from tests.interrupts import assert_interrupt_ends, hear_interrupts

ROOT = Path(__file__).parent.parent

NIM = """
(role first) (role second)
(init (pile 3)) (init (control first))
(succ 0 1) (succ 1 2) (succ 2 3)
(<= (legal ?p take) (true (control ?p)))
(<= (legal ?p (keep pile)) (true (control ?p)))
(<= (legal ?p noop) (role ?p) (not (true (control ?p))))
(<= (next (pile ?n)) (true (pile ?m)) (succ ?n ?m) (does ?p take))
(<= (next (pile ?m)) (true (pile ?m)) (does ?p (keep pile)))
(<= (next (control second)) (true (control first)))
(<= (next (control first)) (true (control second)))
(<= terminal (true (pile 0)))
(<= (goal ?p 0) (true (control ?p)))
(<= (goal ?p 100) (role ?p) (not (true (control ?p))))
"""
ROSHAMBO = """
role(left) role(right)
legal(R,rock) :- role(R)
legal(R,paper) :- role(R)
next(chose(R,M)) :- does(R,M)
terminal :- true(chose(left,M))
goal(R,50) :- role(R)
"""
COIN = """
role(random) role(player)
init(start)
legal(random,heads) :- true(start)
legal(random,tails) :- true(start)
legal(player,noop)
next(side(M)) :- does(random,M)
terminal :- true(side(M))
goal(player,100) :- true(side(heads))
goal(player,0) :- true(side(tails))
goal(random,0)
sees(player,M) :- does(random,M)
"""
GROWING = """
(role x)
(init (n zero))
(legal x a)
(<= (next (n (s ?n))) (true (n ?n)))
(<= terminal (true (n done)))
(goal x 100)
"""
ONE_MOVE = """\
(role x)
(init (n 1))
(legal x a)
(<= (next (n 2)) (does x a))
(<= terminal (true (n 2)))
(goal x 100)
"""
ONE_MOVE_NAMED_UNDO = """
role(x) init(n(1)) legal(x,undo) legal(x,quitting)
next(n(2)) :- does(x,undo) terminal :- true(n(2)) goal(x,100)
"""

Write = Callable[[str, str | bytes], str]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """A function that writes a file and gives its path."""

    def write_file(name: str, content: str | bytes) -> str:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return str(path)

    return write_file


def run(*arguments: str, stdin: str = "") -> Result:
    return CliRunner().invoke(app, list(arguments), input=stdin, prog_name="gamemaster")


def run_process(*arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "gamemaster", *arguments]
    return subprocess.run(command, input=stdin, capture_output=True, check=False, timeout=60)


def assert_refused(result: Result, *, first_line: str) -> None:
    """The command ended with 1 and a first line on stderr that matches; no traceback."""
    assert result.exit_code == 1, result.output
    assert isinstance(result.exception, SystemExit | type(None))
    assert re.match(first_line, result.stderr.split("\n")[0]), result.stderr
    assert "Traceback" not in result.output


# Help


def test_help_lists_the_commands() -> None:
    result = run("--help")
    assert result.exit_code == 0
    for command in ("games", "show", "check", "play", "perft"):
        assert re.search(rf"^  {command} ", result.stdout, re.MULTILINE)


def test_no_command_is_help() -> None:
    assert run().stdout == run("--help").stdout


@pytest.mark.parametrize("command", ["games", "show", "check", "play", "perft"])
def test_every_command_has_an_example_in_its_help(command: str) -> None:
    assert f"gamemaster {command}" in run(command, "--help").stdout.split("\n", 1)[1]


def test_version() -> None:
    result = run("--version")
    assert result.exit_code == 0
    assert result.stdout.startswith("gamemaster ")


def test_a_misspelt_command_is_wrong_usage() -> None:
    result = run("shwo")
    assert result.exit_code == 2
    assert "show" in result.stderr


def test_help_loads_no_command() -> None:
    command = [sys.executable, "-X", "importtime", "-m", "gamemaster", "--help"]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    modules = {line.rpartition("|")[2].strip() for line in run.stderr.splitlines()}
    assert "typer" in modules
    assert not {"rich.console", "gamemaster.terminal", "gamemaster.draw", "gamemaster.check"} & modules


# games and show


def test_games_is_a_table_of_the_library() -> None:
    lines = run("games").stdout.splitlines()
    assert lines[0].split() == ["name", "title", "roles", "kind", "notation", "tags"]
    names = [line.split()[0] for line in lines[1:]]
    assert [name for name in names if ":" not in name] == list(game_names())


def test_games_as_json() -> None:
    games = json.loads(run("games", "--json").stdout)
    assert [game["name"] for game in games] == list(game_names())
    assert {"title", "roles", "kind", "notation", "tags"} <= games[0].keys()


def test_show_prints_the_rules_as_written(write: Write) -> None:
    path = write("nim.kif", "; a comment\r\n" + NIM.replace("\n", "\r\n"))
    result = run("show", path)
    assert result.stdout == "; a comment\n" + NIM.rstrip("\n") + "\n"


@pytest.mark.parametrize("notation", ["kif", "hrf", "core"])
@pytest.mark.parametrize("game", ["tictactoe", "peg"])
def test_what_show_prints_is_the_same_game(game: str, notation: str, write: Write) -> None:
    text = run("show", game, "--as", notation).stdout
    copy = load(write(f"copy.{'kif' if notation == 'kif' else 'hrf'}", text))
    assert copy.perft(2) == load(game).perft(2)


def test_an_epilog_game_can_be_printed_in_epilog(write: Write) -> None:
    text = run("show", "tictactoe", "--as", "epilog").stdout
    assert load(write("copy.epilog", text)).sheet == load("tictactoe").sheet


def test_a_notation_that_does_not_exist_is_told_with_those_that_do() -> None:
    result = run("show", "peg", "--as", "foo")
    assert result.exit_code == 2
    assert "'foo' is no notation; there are: kif, hrf, epilog, core" in result.stderr
    assert "Value error" not in result.stderr


def test_a_kif_game_cannot_be_printed_in_epilog() -> None:
    assert_refused(run("show", "peg", "--as", "epilog"), first_line="error: peg is written in KIF, .* Epilog")


def test_show_network_also_prints_what_searches_have_left_in_the_cache(write: Write) -> None:
    game = write("one.hrf", "role(x) init(p) legal(x,go) next(q) :- true(p) terminal :- true(q) goal(x,100)")
    compiled = load(game, machine="compiled")
    assert isinstance(compiled, CompiledGame)
    for job in ("expand", "end", "charge"):
        compiled.artifact.code(job)
    result = run("show", game, "--network")
    assert result.exit_code == 0
    shown = re.findall(r"phase (\w+) +\d", result.stdout)
    assert shown == ["observe", "advance", "play", "expand", "end", "charge"]
    assert {*load(game, machine="compiled").artifact.codes} == {*shown}  # type: ignore[attr-defined]


def test_show_network_tells_the_gates_after_each_pass_of_synthesis(write: Write) -> None:
    game = write("two.hrf", "role(x) init(p) legal(x,go) next(q) :- true(p) terminal :- true(q) goal(x,100)")
    compiled = load(game, machine="compiled")
    assert isinstance(compiled, CompiledGame)
    artifact, figures = compiled.artifact, (("as built", 9), ("cut rewriting", 8))
    Cache().write(
        _key(artifact.key, "observe"), Improvement(artifact.codes["observe"], figures, "proof").to_bytes()
    )
    Cache().write(_key(artifact.key, "advance"), Improvement(None, figures).to_bytes())
    shown = run("show", game, "--network").stdout
    assert re.search(r"phase observe .*\n +as built +9 +gates *\n +cut rewriting +8 +gates", shown)
    assert "instructions, checked by proof" in shown
    assert "no better instructions" in shown


def test_show_prints_a_board() -> None:
    assert run("show", "tictactoe", "--board").stdout.startswith("\n  1 2 3\n1 · · ·\n")
    seen = run("show", "tictactoe", "--board", "--moves", "mark(2,2),mark(1,3)").stdout
    assert "1 · ·[o]\n2 · x ·\n" in seen
    assert run("show", "tictactoe", "--board", "--random", "9").stdout.count("·") < 9
    assert run("show", "tictactoe", "--moves", "mark(2,2)").exit_code == 2
    assert run("show", "tictactoe", "--board", "--size", "300").exit_code == 2


def test_show_description() -> None:
    assert "Tic-Tac-Toe" in run("show", "tictactoe", "--description").stdout


def test_a_file_has_no_description(write: Write) -> None:
    assert_refused(
        run("show", write("nim.kif", NIM), "--description"), first_line="error: .* not in the library"
    )


# check


def test_check_of_a_good_game() -> None:
    result = run("check", "tictactoe", "--seconds", "0.1")
    assert result.exit_code == 0
    assert re.match(r"tictactoe: 0 errors, 0 warnings; [\d,]+ random games?: \d", result.stdout)


def test_check_shows_where_it_is_wrong(write: Write) -> None:
    path = write("bad.kif", ONE_MOVE + "(<= (legal x (b ?y)) (true (n 1)))\n")
    result = run("check", path, "--seconds", "0")
    assert result.exit_code == 1
    assert f"{path}:7:17: error[unsafe]: " in result.stdout
    assert f"\n  (<= (legal x (b ?y)) (true (n 1)))\n{' ' * 18}^\n  help: " in result.stdout
    assert re.search(r"bad.kif: 1 error, \d+ warnings?; not played\n$", result.stdout)


def test_check_as_json(write: Write) -> None:
    path = write("bad.kif", ONE_MOVE + "(<= (legal x (b ?y)) (true (n 1)))\n")
    result = run("check", path, "--seconds", "0", "--json")
    assert result.exit_code == 1
    report = json.loads(result.stdout)
    assert report["errors"] == 1
    assert report["played"] is None
    assert ("unsafe", 7) in [(each["code"], each["place"]["line"]) for each in report["findings"]]


def test_check_as_json_of_what_is_no_text(tmp_path: Path) -> None:
    result = run("check", str(tmp_path), "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["findings"][0]["message"].startswith("is a directory")


def test_warnings_alone_are_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    finding = Finding("unused", "warning", "nothing uses p", Place("game.kif", 1, 1, "(p)"), "remove it")
    report = Report((finding,), None)
    monkeypatch.setattr("gamemaster.terminal.checking.check", lambda *_, **__: report)
    result = run("check", "tictactoe")
    assert result.exit_code == 0
    assert result.stdout.startswith(
        "game.kif:1:1: warning[unused]: nothing uses p\n  (p)\n  ^\n  help: remove it\n"
    )


# play


def test_a_game_can_be_played_through_a_pipe() -> None:
    result = run("play", "tictactoe", stdin="mark(1,1)\n(mark 2 1)\nmark 1 2\nmark(2,2)\nmark(1,3)\n")
    assert result.exit_code == 0
    assert "1[x x x]\n2 o o ·\n3 · · ·\n" in result.stdout
    assert result.stdout.endswith("Game over after 5 steps: x wins.\n  x  100\n  o    0\n")


def test_the_end_of_input_ends_the_session() -> None:
    result = run("play", "tictactoe")
    assert result.exit_code == 0
    assert result.stdout.endswith("Stopped.\n")


@pytest.mark.parametrize("word", ["quit", "q", "EXIT"])
def test_quit(word: str) -> None:
    result = run("play", "tictactoe", stdin=f"mark(1,1)\n{word}\nmark(1,2)\n")
    assert result.exit_code == 0
    assert "mark(1,2)" not in result.stdout


def test_a_number_and_a_beginning_are_moves(write: Write) -> None:
    result = run("play", write("nim.kif", NIM), stdin="1\nke\nT\n")
    assert "first: take, second: noop (only move)\n" in result.stdout
    assert "first: noop (only move), second: keep(pile)\n" in result.stdout
    assert result.stdout.count("first: take") == 2


def test_an_illegal_move_is_explained_and_asked_again() -> None:
    result = run("play", "tictactoe", stdin="mark(1,1)\nmark(1,1)\nmark(\n(((\nmark(1,2)\n")
    assert "mark(1,1) is not legal for o here; near: mark(3,1)" in result.stdout
    assert "'mark(' can be 8 moves: mark(1,2), mark(1,3)" in result.stdout
    assert "'(((' cannot be read as a move; legal: mark(1,2)" in result.stdout
    assert "o: mark(1,2)" in result.stdout


def test_a_number_that_no_move_has_is_told_how_many_there_are(write: Write) -> None:
    seen = run("play", "tictactoe", stdin="99\n").stdout
    assert "there is no move 99 for x: there are 9 moves, numbered from 1 to 9\n" in seen
    seen = run("play", write("one.kif", ONE_MOVE), stdin="2\n").stdout
    assert "there is no move 2 for x: there is one move, number 1\n" in seen


def test_a_move_of_somebody_else_is_told_so(write: Write) -> None:
    result = run("play", write("nim.kif", NIM), stdin="noop\n")
    assert "noop is a move for second, not for first" in result.stdout


def test_the_list_is_numbered() -> None:
    result = run("play", "tictactoe", stdin="?\n")
    assert "1 mark(1,1)  3 mark(1,3)  5 mark(2,2)  7 mark(3,1)  9 mark(3,3)\n2 mark(1,2)  4" in result.stdout


def test_undo_takes_back_one_choice() -> None:
    result = run("play", "tictactoe", stdin="mark(1,1)\nmark(2,2)\nu\nmark(3,3)\nundo\nundo\nundo\n")
    boards = re.findall(r"Move (\d): (\w)", result.stdout)
    assert boards == [
        ("1", "x"),
        ("2", "o"),
        ("3", "x"),
        ("2", "o"),
        ("3", "x"),
        ("2", "o"),
        ("1", "x"),
        ("1", "x"),
    ]
    assert "There is nothing to take back." in result.stdout


def test_help_and_board_can_be_asked_for() -> None:
    result = run("play", "tictactoe", stdin="help\nboard\n\n")
    assert "take back the last choice" in result.stdout
    assert result.stdout.count("  1 2 3\n") == 2


def test_a_move_named_like_a_command_is_a_move(write: Write) -> None:
    path = write("g.hrf", ONE_MOVE_NAMED_UNDO)
    assert "x: undo" in run("play", path, stdin="undo\n").stdout


def test_a_command_is_not_taken_for_the_beginning_of_a_move(write: Write) -> None:
    assert run("play", write("g.hrf", ONE_MOVE_NAMED_UNDO), stdin="q\n").stdout.endswith("q\nStopped.\n")


def test_the_only_move_of_the_role_in_control_needs_only_enter(write: Write) -> None:
    result = run("play", write("one.kif", ONE_MOVE), stdin="\n")
    assert "x to move (only a: Enter)" in result.stdout
    assert "Game over after 1 step: solved.\n  x  100\n" in result.stdout


def test_simultaneous_choices_are_hidden_until_all_have_chosen(write: Write) -> None:
    result = run("play", write("roshambo.hrf", ROSHAMBO), stdin="rock\npaper\n")
    assert "left> ...\n" in result.stdout
    assert "right> paper\nleft: rock, right: paper\n" in result.stdout


def test_who_chooses_at_once_is_told_so(write: Write) -> None:
    seen = run("play", write("roshambo.hrf", ROSHAMBO), stdin="rock\npaper\n").stdout
    assert "left and right choose at once: one after the other, in secret.\nMove 1: left to choose (2" in seen
    assert "Move 1: right to choose (2 moves, ? lists them)\n" in seen
    assert "at once" not in run("play", "tictactoe", stdin="1\n").stdout


def test_undo_among_simultaneous_choices_begins_the_step_again(write: Write) -> None:
    result = run("play", write("roshambo.hrf", ROSHAMBO), stdin="rock\nundo\npaper\npaper\n")
    assert "left: paper, right: paper\n" in result.stdout


def test_chance_moves_by_itself_and_the_seed_decides_how(write: Write) -> None:
    path = write("coin.hrf", COIN)
    results = {run("play", path, "--seed", str(seed)).stdout for seed in range(10)}
    assert len(results) == 2
    assert all("side heads" in text or "side tails" in text for text in results)
    assert run("play", path, "--seed", "3").stdout == run("play", path, "--seed", "3").stdout
    assert all("hides its state" in text and "random" not in text.split("\n", 1)[1] for text in results)


def test_roles_that_nobody_plays_move_at_random() -> None:
    result = run("play", "tictactoe", "--as-role", "o", "--seed", "1", stdin="1\n")
    assert re.search(r"^x: mark\(\d,\d\) \(at random\)$", result.stdout, re.MULTILINE)
    assert "o to move" in result.stdout
    assert "x to move" not in result.stdout


def test_an_unknown_role_is_refused() -> None:
    assert_refused(run("play", "tictactoe", "--as-role", "z"), first_line="error: no role 'z' in tictactoe")


def test_given_moves_come_first() -> None:
    result = run("play", "tictactoe", "--moves", "mark(2,2); 1 ;", stdin="2\n")
    assert "\nx: mark(2,2)\no: mark(1,1)\n\n  1 2 3\n1[o]· ·\n2 · x ·\n" in result.stdout


def test_a_given_move_that_is_illegal_is_an_error() -> None:
    result = run("play", "tictactoe", "--moves", "mark(2,2);mark(2,2)")
    assert_refused(result, first_line=r"error: illegal move 'mark\(2,2\)' for role 'o' in step 2; legal: ")


def test_a_game_without_choices_for_anybody_ends(write: Write) -> None:
    path = write(
        "endless.hrf", "role(x) role(y) init(p) legal(R,wait) :- role(R) next(p) :- true(p) goal(x,0)"
    )
    assert_refused(run("play", path), first_line="error: length limit of 1,000 steps exceeded")


def test_a_state_without_moves_is_an_error(write: Write) -> None:
    path = write("stuck.hrf", "role(x) init(p) legal(x,a) :- true(q) next(p) :- true(p) goal(x,0)")
    result = run("play", path)
    assert_refused(
        result, first_line=r".*stuck\.hrf:1:17: error: no role has a legal move in step 1, but .*: p$"
    )
    assert "help: give x a move there (noop, pass), or make the state terminal" in result.stderr


def test_moves_are_found_whatever_way_they_are_written() -> None:
    legal = [read_term(text) for text in ("put(1,1)", "put(1,12)", "2", "pass")]
    assert moves_meant("put( 1, 1 )", legal) == [legal[0]]
    assert moves_meant("put 1 12", legal) == [legal[1]]
    assert moves_meant("2", legal) == [legal[2]], "a move comes before a number"
    assert moves_meant("4", legal) == [legal[3]]
    assert moves_meant("PA", legal) == [legal[3]]
    assert moves_meant("put(1,1", legal) == legal[:2]
    assert moves_meant("9" * 5000, legal) == []
    assert moves_meant("", legal) == []


def test_the_session_in_the_documentation_is_true() -> None:
    text = (ROOT / "docs" / "play-in-the-terminal.md").read_text()
    session = re.search(r"```console\n\$ gamemaster ([^\n]+)\n(.*?)```", text, re.DOTALL)
    assert session
    typed = re.findall(r"^[xo]> (.*)$", session[2], re.MULTILINE)
    assert run(*shlex.split(session[1]), stdin="\n".join(typed) + "\n").stdout == session[2]


def test_every_option_is_documented() -> None:
    text = (ROOT / "docs" / "play-in-the-terminal.md").read_text()
    for command in ("games", "show", "play", "perft"):
        assert f"gamemaster {command}" in text
    for option in re.findall(r"--[a-z-]+", run("play", "--help").stdout):
        assert option == "--help" or option in text


# perft


def test_perft_of_a_library_game_is_compared() -> None:
    result = run("perft", "tictactoe", "--depth", "3")
    assert result.exit_code == 0
    assert [line.split()[1::2] for line in result.stdout.splitlines()[1:]] == [
        ["9", "9"],
        ["72", "72"],
        ["504", "504"],
    ]


def test_perft_of_a_file(write: Write) -> None:
    result = run("perft", write("nim.kif", NIM), "--depth", "4")
    assert [line.split()[1] for line in result.stdout.splitlines()] == ["count", "2", "4", "8", "14"]


def test_perft_to_no_end_is_refused() -> None:
    result = run("perft", "tictactoe", "--depth", str(10**12))
    assert_refused(
        result, first_line="error: depth must be a whole number from 1 to 1,000, not 1000000000000"
    )


def test_perft_agrees_with_the_game() -> None:
    counts = json.loads(run("perft", "kono", "--depth", "3", "--json").stdout)
    assert counts["perft"] == load("kono").perft(3)
    assert counts["ok"] is True
    assert len(counts["seconds"]) == 3


def test_a_wrong_count_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    class Wrong:
        perft = (9, 71)

    monkeypatch.setattr("gamemaster.terminal.perft.choose", lambda _: Wrong)
    result = run("perft", "tictactoe")
    assert result.exit_code == 1
    assert "71  WRONG" in result.stdout
    assert json.loads(run("perft", "tictactoe", "--json").stdout)["ok"] is False


def test_a_depth_below_one_is_wrong_usage() -> None:
    assert run("perft", "tictactoe", "--depth", "0").exit_code == 2


# Bad input: one line, a place where there is a text, no traceback

COMMANDS = [("show",), ("play",), ("perft",), ("check", "--seconds", "0")]


def assert_all_refuse(path: str, first_line: str) -> None:
    """Every command that takes a game says so in its first line and ends with 1."""
    for command, *options in COMMANDS:
        result = run(command, path, *options)
        shown = result.stdout if command == "check" else result.stderr
        assert result.exit_code == 1, (command, result.output)
        assert isinstance(result.exception, SystemExit), result.exception
        assert re.match(re.escape(path) + first_line, shown.split("\n")[0]), shown[:300]
        assert max(map(len, shown.split("\n"))) < 400


def test_a_missing_file_is_refused() -> None:
    for command, *options in COMMANDS:
        assert_refused(
            run(command, "tictactoo", *options), first_line="error: no game or rule file 'tictactoo'; did you"
        )


def test_a_directory_is_refused(tmp_path: Path) -> None:
    assert_all_refuse(str(tmp_path), r":1:1: error\[syntax\]: is a directory")


def test_a_game_in_this_folder_may_be_meant(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("new", "shove").exit_code == 0
    write("mynim.kif", NIM)
    assert_refused(run("play", "shov"), first_line="error: no game or rule file 'shov'; did you mean shove.*")
    assert_refused(run("play", "mynim"), first_line=r".*did you mean mynim\.kif.*")
    there = str(tmp_path / "shov")
    assert_refused(run("check", there), first_line=f".*did you mean {tmp_path / 'shove'}.*")


def test_an_empty_file_is_refused(write: Write) -> None:
    assert_all_refuse(write("empty.kif", ""), r":1:1: error\[syntax\]: no sentences")


def test_a_binary_file_is_refused(write: Write) -> None:
    path = write("binary.kif", bytes(range(256)) * 20)
    assert_all_refuse(path, r":1:1: error\[syntax\]: control character 0x00")
    assert "\x1b" not in run("show", path).output


@pytest.mark.parametrize("opening", ["(", "p("])
def test_nesting_a_hundred_thousand_deep_is_refused(write: Write, opening: str) -> None:
    path = write("deep.txt", opening * 100_000 + "a" + ")" * 100_000)
    assert_all_refuse(path, r":1:\d+: error\[syntax\]: '\(' nests deeper than")


def test_a_bracket_left_open_on_the_last_line_is_refused(write: Write) -> None:
    assert_all_refuse(
        write("open.kif", ONE_MOVE + "(<= (p ?x) (q ?x)"), r":7:1: error\[syntax\]: bracket .* never closed"
    )


def test_fifty_megabytes_of_brackets_are_refused(write: Write) -> None:
    assert_all_refuse(
        write("large.kif", b"(" * 50_000_000), r":1:4000001: error\[syntax\]: text is larger than"
    )


def test_a_name_that_is_not_ascii_is_refused_with_its_place(write: Write) -> None:
    assert_all_refuse(write("name.kif", "(role weiß)\n"), r":1:10: error\[syntax\]: character 'ß'")


def test_a_quoted_name_that_is_not_ascii_is_fine(write: Write) -> None:
    result = run(
        "play", write("name.kif", ONE_MOVE.replace("(role x)", "(role |weiß|)").replace(" x ", " |weiß| "))
    )
    assert result.exit_code == 0
    assert "weiß" in result.stdout


@pytest.mark.parametrize("line_end", ["\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_line_ends_and_byte_order_marks_make_no_difference(write: Write, line_end: str, mark: str) -> None:
    path = write("one.kif", mark + ONE_MOVE.replace("\n", line_end))
    assert run("perft", path, "--depth", "1").exit_code == 0
    assert run("show", path).stdout == ONE_MOVE


def test_a_term_that_grows_without_bound_ends_in_one_line(write: Write) -> None:
    path = write("growing.kif", GROWING)
    perft = run("perft", path, "--depth", "300")
    assert_refused(perft, first_line="note: .* runs on the reference machine, which is slow: not compiled: ")
    assert perft.stderr.split("\n")[1:] == [
        "error: depth limit of 200 nested terms exceeded building s(...)",
        "",
    ]
    assert_refused(run("play", path, stdin="a\n" * 300), first_line="error: depth limit of 200")


def test_an_error_in_the_rules_shows_the_line_and_a_caret(write: Write) -> None:
    path = write("open.kif", ONE_MOVE + "(<= (p ?x) (q ?x)")
    lines = run("show", path).stderr.splitlines()
    assert lines[1:3] == ["  (<= (p ?x) (q ?x)", "  ^"]


def test_a_file_name_that_no_system_takes_is_refused() -> None:
    assert_refused(run("show", "x" * 5000), first_line="error: no game or rule file 'xxx")


# Terminals


def run_in_terminal(*arguments: str, typed: str = "") -> str:
    """What a person sees of a command in a terminal of 80 columns, escape sequences and all."""
    pty = pytest.importorskip("pty")
    command = [sys.executable, "-m", "gamemaster", *arguments]
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "80"}
    environment.pop("NO_COLOR", None)
    mine, its = pty.openpty()
    with subprocess.Popen(
        command, stdin=its, stdout=its, stderr=its, env=environment, close_fds=True
    ) as process:
        os.close(its)
        os.write(mine, typed.encode())
        seen = b""
        while chunk := _read(mine):
            seen += chunk
        process.wait(timeout=20)
    os.close(mine)
    return seen.decode()


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 65536)
    except OSError:  # how Linux says that the other side is closed
        return b""


def plain(seen: str) -> str:
    """Without escape sequences and carriage returns."""
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\r", "", seen)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("games",), "Breakthrough"),
        (("show", "tictactoe"), "role(x)\nrole(o)"),
        (("show", "peg", "--as", "hrf"), "role(jumper)"),
        (("show", "tictactoe", "--description"), "Tic-Tac-Toe"),
        (("perft", "tictactoe", "--depth", "2"), "72"),
        (("check", "tictactoe", "--seconds", "0.1"), "0 errors, 0 warnings;"),
        (
            (
                "balance",
                "roshambo",
                "--playouts",
                "300",
                "--players",
                "random",
                "--workers",
                "0",
                "--matches",
                "2",
            ),
            "strong play: 2 matches of random at 0.2 s a move",
        ),
        (("show", "nowhere"), "error: no game or rule file 'nowhere'"),
    ],
)
def test_a_terminal_shows_the_same_text(arguments: tuple[str, ...], expected: str) -> None:
    assert expected in plain(run_in_terminal(*arguments))


def test_a_table_is_cut_to_the_width_of_the_terminal() -> None:
    assert max(map(len, plain(run_in_terminal("games")).split("\n"))) == 80


def test_the_board_is_coloured_in_a_terminal() -> None:
    seen = run_in_terminal("play", "connectfour", "--moves", "drop(1);drop(1)", typed="q\n")
    assert "\x1b[1;38;2;" in seen or "\x1b[1;38;5;" in seen
    assert "2[b]· · · · · · ·\n1 r · · · · · · ·\n" in plain(seen)


def test_an_error_in_the_rules_is_coloured_in_a_terminal(write: Write) -> None:
    path = write("open.kif", "(role x")
    seen = run_in_terminal("check", path)
    assert "\x1b[" in seen
    assert "open.kif:1:1: error[syntax]" in plain(seen).replace("\n", "")


def test_a_secret_choice_is_wiped_from_the_terminal(write: Write) -> None:
    seen = run_in_terminal("play", write("roshambo.hrf", ROSHAMBO), typed="rock\npaper\n")
    assert "\x1b[1A\x1b[2Kleft> ..." in seen
    assert "left: rock, right: paper" in plain(seen)


# Real processes


def test_the_module_runs_as_a_program() -> None:
    result = run_process("play", "tictactoe", stdin=b"mark(1,1)\n\xff\xfe\nq\n")
    assert result.returncode == 0
    assert b"Traceback" not in result.stderr
    assert result.stdout.decode().endswith("q\nStopped.\n")


def test_an_error_in_a_process_is_one_line() -> None:
    result = run_process("show", "nowhere.kif")
    assert result.returncode == 1
    assert result.stderr.decode().count("\n") == 1
    assert result.stderr.startswith(b"error: no game or rule file 'nowhere.kif'")


def test_output_in_ascii_is_replaced_not_refused() -> None:
    command = [sys.executable, "-m", "gamemaster", "play", "tictactoe"]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    result = subprocess.run(command, input=b"", capture_output=True, env=environment, check=False)
    assert result.returncode == 0
    assert b"\\xb7" in result.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="signals and pipes of Unix")
def test_an_interrupt_ends_with_130() -> None:
    assert_interrupt_ends("play", "tictactoe")


@pytest.mark.skipif(sys.platform == "win32", reason="signals and pipes of Unix")
@pytest.mark.parametrize("where", ["gamemaster.match.referee.Referee.sent", "asyncio.BaseEventLoop.__init__"])
def test_an_interrupt_in_the_midst_of_a_match_is_neither_lost_nor_torn(where: str) -> None:
    owner, name = where.rsplit(".", 1)
    interrupted = f"""
import asyncio, signal, sys
import gamemaster.match.referee
from gamemaster.cli.start import main
inner = {owner}.{name}
def outer(*given):
    if len(given) == 1 or given[2].kind == "play":
        signal.raise_signal(signal.SIGINT)
    return inner(*given)
{owner}.{name} = outer
sys.argv = ["gamemaster", "play", "tictactoe"]
main()
"""
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", interrupted]
    with subprocess.Popen(
        command, stdin=pipe, stdout=pipe, stderr=pipe, preexec_fn=hear_interrupts
    ) as process:
        assert process.stdout
        assert process.stderr
        assert process.wait(timeout=600) == 130, "and without a line from the keyboard"
        assert process.stderr.read() == b""


@pytest.mark.skipif(sys.platform == "win32", reason="signals and pipes of Unix")
def test_a_reader_that_goes_away_is_no_error() -> None:
    command = [sys.executable, "-m", "gamemaster", "show", "hex7x7"]
    reading, writing = os.pipe()
    os.close(reading)
    result = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, check=False)
    os.close(writing)
    assert result.returncode == 141
    assert result.stderr == b""
