"""`gamemaster replay`: what it prints, what it refuses, and how it ends."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from gamemaster.cli import app
from gamemaster.load import build, load
from gamemaster.match import events
from gamemaster.match.records.record import Record, RecordWriter, read_record
from gamemaster.match.records.verifying import verify
from gamemaster.match.wire.scramble import SCRAMBLED, Scrambling
from gamemaster.terminal import replaying, walking
from tests.match.recorded import SEED, recorded

TICTACTOE = load("tictactoe", machine="reference")
MATCH = recorded(TICTACTOE)
STEPS = len(MATCH.moves)


def written(record: Record, path: Path) -> Path:
    with RecordWriter(path, is_durable=False) as writer:
        for event in record.events:
            writer.write(event)
    return path


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return written(MATCH, tmp_path / "match.jsonl")


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["replay", *map(str, arguments)], prog_name="gamemaster")


def test_a_match_is_shown_from_beginning_to_end(file: Path) -> None:
    result = run(file)
    assert result.exit_code == 0
    lines = result.stdout.split("\n")
    assert lines[0] == "tictactoe (x: player_x, o: player_o)"
    assert lines[1].startswith(
        "match m01, 2026-11-16T02:00:00+00:00, start clock 10 s, play clock 5 s, seed 7"
    )
    assert f"Step 1: x: {MATCH.moves[0].moves['x']} (0.25 s)" in lines
    assert "  o: late (error): nothing within 5 s" in lines
    assert f"Step 2: o: {MATCH.moves[1].moves['o']} (5 s, at random)" in lines
    assert f"Completed after {STEPS} steps: the game came to its end." in lines
    assert MATCH.ended is not None
    assert f"  o  {MATCH.ended.goals['o']:3}  1 error" in lines


def test_what_a_step_changed_is_pointed_out(file: Path) -> None:
    boards = [run(file, "--step", step).stdout for step in (0, 1, 2)]
    assert [board.count("[") for board in boards] == [0, 1, 1]
    assert "[x]" in boards[1]
    assert "[o]" in boards[2]


def test_one_step_can_be_shown(file: Path) -> None:
    result = run(file, "--step", 1)
    assert "Step 1: x" in result.stdout
    assert "Step 2" not in result.stdout
    assert "Completed" not in result.stdout
    assert "Step" not in run(file, "--step", 0).stdout


def test_a_step_that_is_not_there_is_refused(file: Path) -> None:
    result = run(file, "--step", 99)
    assert result.exit_code == 1
    assert result.stderr == f"error: no step 99: the record has {STEPS}\n"


def test_a_match_as_json(file: Path) -> None:
    found = json.loads(run(file, "--json").stdout)
    assert [step["step"] for step in found["steps"]] == list(range(STEPS + 1))
    assert found["steps"][1]["moves"] == MATCH.moves[0].moves
    assert found["steps"][2]["faults"][0]["kind"] == "late"
    assert found["steps"][2]["substituted"] == ["o"]
    assert found["steps"][STEPS]["is_terminal"]
    assert found["ended"]["how"] == "completed"
    assert found["players"] == {"x": "player_x", "o": "player_o"}
    assert not found["is_truncated"]
    assert len(json.loads(run(file, "--json", "--step", 2).stdout)["steps"]) == 1


def test_a_true_record_verifies(file: Path) -> None:
    result = run(file, "--verify")
    assert (result.exit_code, result.stdout) == (0, f"the record is true: {STEPS} steps, completed\n")
    assert json.loads(run(file, "--verify", "--json").stdout) == {
        "is_true": True,
        "steps": STEPS,
        "how": "completed",
        "is_truncated": False,
        "problems": [],
    }


def test_a_record_that_is_not_true_exits_with_1(tmp_path: Path) -> None:
    assert MATCH.ended is not None
    tampered = replace(MATCH.ended, goals={"x": 1, "o": 99})
    file = written(Record((*MATCH.events[:-1], tampered)), tmp_path / "match.jsonl")
    result = run(file, "--verify")
    assert result.exit_code == 1
    assert result.stdout.startswith(f"the record is not true: {STEPS} steps, completed\n  line ")
    found = json.loads(run(file, "--verify", "--json").stdout)
    assert found["problems"][0]["line"] == len(MATCH.events)


def test_a_record_that_was_cut_off_is_shown_as_far_as_it_goes(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-30])
    result = run(file)
    assert 'The last line of the record is incomplete, and left out: \'{"event":"ended"' in result.stdout
    assert f"The record ends after {STEPS} steps; the match did not." in result.stdout
    assert run(file, "--verify").exit_code == 0
    assert json.loads(run(file, "--json").stdout)["is_truncated"]


def test_a_match_without_its_last_state_is_shown(tmp_path: Path) -> None:
    moved = MATCH.events.index(MATCH.moves[2])
    file = written(Record(MATCH.events[: moved + 1]), tmp_path / "match.jsonl")
    assert "Step 3: x" in run(file).stdout
    assert json.loads(run(file, "--json").stdout)["steps"][3]["facts"] is None


def test_what_was_said(file: Path) -> None:
    lines = run(file, "--messages").stdout.splitlines()
    assert lines[:7] == [
        "message(1,manager,player_x,start(m01,x,ruleset(...),10,5))",
        "message(1,manager,player_o,start(m01,o,ruleset(...),10,5))",
        "message(1,player_x,manager,ready)",
        "message(1,player_o,manager,ready)",
        "message(2,manager,player_x,play(m01,[]))",
        "message(2,manager,player_o,play(m01,[]))",
        f"message(2,player_x,manager,{MATCH.moves[0].moves['x']})",
    ]
    assert lines[-3].startswith("message(9,manager,player_o,stop(m01,mark(")
    assert lines[-1] == "message(9,player_o,manager,done)"


def test_what_was_said_with_the_rules(file: Path) -> None:
    first = run(file, "--messages", "--full").stdout.splitlines()[0]
    assert first.startswith("message(1,manager,player_x,start(m01,x,ruleset(role(x),role(o),")
    assert ",legal(mark(M,N)) :- cell(M,N,b)," in first
    assert first.endswith(",10,5))")


def test_faults_of_the_rules_and_roles_without_a_goal_are_shown(tmp_path: Path) -> None:
    stuck = [
        events.Fault(1, 0, "", "stuck", "no role has a legal move at step 0", False),
        MATCH.moves[0],
        events.Ended(1, "stuck", {"x": None, "o": 50}, {"x": 2, "o": 0}),
    ]
    file = written(Record((MATCH.started, MATCH.states[0], *stuck)), tmp_path / "match.jsonl")
    result = run(file)
    assert "  rules: stuck (ignored): no role has a legal move at step 0" in result.stdout
    assert "  x  no goal  2 errors" in result.stdout
    assert "Stuck after 1 step: the rules are wrong" in result.stdout


@pytest.mark.parametrize("content", [b"", b"{}\n", b"\xff\xff\n", b"no record\n"])
def test_a_file_that_is_no_record_is_refused(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "match.jsonl"
    file.write_bytes(content)
    result = run(file)
    assert result.exit_code == 1
    assert result.stderr.startswith(f"error: {file}:1: ")
    assert run(tmp_path / "nothing").exit_code == 1


def test_an_end_without_goals_is_shown(tmp_path: Path) -> None:
    assert MATCH.ended is not None
    record = Record((*MATCH.events[:-1], replace(MATCH.ended, goals={})))
    result = run(written(record, tmp_path / "match.jsonl"))
    assert result.exit_code == 0
    assert f"Completed after {STEPS} steps" in result.stdout


def test_a_clock_that_is_no_number_is_refused(tmp_path: Path) -> None:
    started = replace(MATCH.started, play_clock=float("nan"))
    file = written(Record((started, *MATCH.events[1:])), tmp_path / "match.jsonl")
    result = run(file, "--export", "ggp", tmp_path / "match.json")
    assert result.exit_code == 1
    assert result.stderr == f"error: {file}:1: started has a wrong play_clock: 'nan'\n"


# ggp-base's JSON


def test_a_match_is_exported_and_read_again(file: Path, tmp_path: Path) -> None:
    exported = tmp_path / "match.json"
    result = run(file, "--export", "ggp", exported)
    assert (result.exit_code, result.stdout) == (0, f"{exported}: m01, {STEPS} steps\n")
    assert json.loads(exported.read_text())["matchId"] == "m01"
    assert f"Completed after {STEPS} steps" in run(exported, "--game", "tictactoe").stdout
    assert run(exported, "--game", "tictactoe", "--verify").exit_code == 0


def test_a_match_without_rules_needs_a_game(file: Path, tmp_path: Path) -> None:
    exported = tmp_path / "match.json"
    run(file, "--export", "ggp", exported)
    result = run(exported)
    assert result.exit_code == 1
    assert "does not have the rules in it: name the game with --game" in result.stderr


def test_a_form_that_nobody_reads_is_refused(file: Path, tmp_path: Path) -> None:
    result = run(file, "--export", "pgn", tmp_path / "match.pgn")
    assert result.exit_code == 1
    assert result.stderr == "error: no form 'pgn' to export to; there is ggp\n"


# Scrambled rules


def test_a_match_of_scrambled_rules_is_shown_in_the_old_words(tmp_path: Path) -> None:
    scrambling = Scrambling.of_match(TICTACTOE.sheet, SEED)
    game = build(scrambling.scramble(TICTACTOE.sheet), SCRAMBLED, "reference")
    file = written(recorded(game, names=scrambling.names, game="tictactoe"), tmp_path / "match.jsonl")
    assert verify(read_record(file), "reference").is_true
    shown = run(file).stdout
    assert shown.startswith("tictactoe (x: player_")
    assert "Step 1: x: mark(" in shown
    assert scrambling.words["mark"] not in shown


# At a keyboard


def walk(record: Record, answers: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Show a record to somebody who answers like this, and then goes away."""

    def answer(prompt: str) -> str:
        assert prompt == walking.PROMPT
        if not answers:
            raise EOFError
        return answers.pop(0)

    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr(replaying, "is_terminal", lambda: True)
    monkeypatch.setattr("builtins.input", answer)
    replaying.replay_match(record, step=None, as_json=False)


def test_steps_follow_the_keys(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    walk(MATCH, ["", "", "b", "4", "b", "0", "b", "q"], monkeypatch)
    shown = [line.split(":")[0] for line in capsys.readouterr().out.split("\n") if line.startswith("Step")]
    assert shown == ["Step 1", "Step 2", "Step 1", "Step 4", "Step 3"]


def test_the_end_of_input_and_the_last_step_end_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    walk(MATCH, [], monkeypatch)
    assert "Step" not in capsys.readouterr().out
    walk(MATCH, ["99"], monkeypatch)
    assert f"Step {STEPS}" in capsys.readouterr().out
