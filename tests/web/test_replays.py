"""What workers find in records of matches: steps, boards, verdicts, transcripts; and in files that are none."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from gamemaster.errors import RecordError
from gamemaster.load import build, load
from gamemaster.match.manager import run_match
from gamemaster.match.records.record import RecordWriter
from gamemaster.match.settings import Settings
from gamemaster.match.wire.scramble import SCRAMBLED, Scrambling
from gamemaster.web.jobs import standalone
from gamemaster.web.path import path_read
from gamemaster.web.replays import (
    RecordFile,
    overview,
    record_file,
    said_lines,
    standalone_query,
    step_view,
    verdict,
)

SEED = 7


def played(folder: Path, game: str, *players: str, name: str = "m", is_scrambled: bool = False) -> RecordFile:
    """The record of a match of library players."""
    rules, names = load(game), {}
    if is_scrambled:
        scrambling = Scrambling.of_match(rules.sheet, SEED)
        rules, names = build(scrambling.scramble(rules.sheet), SCRAMBLED, "reference"), dict(scrambling.names)
    roles = [role for role in rules.roles if role != "random"]
    settings = Settings(5, 0.5, seed=SEED, match=name, game=game, names=names)
    with RecordWriter(folder / f"{name}.jsonl") as writer:
        run_match(rules, dict(zip(roles, players, strict=True)), settings, listeners=[writer.write])
    return record_file(folder, f"{name}.jsonl")


def changed(file: RecordFile, old: str, new: str) -> RecordFile:
    """The record with one text replaced by another."""
    path = Path(file.path)
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    return record_file(path.parent, path.name)


def test_a_match_as_a_whole(tmp_path: Path) -> None:
    match = overview(played(tmp_path, "tictactoe", "legal", "random"))
    assert match.roles == ("x", "o")
    assert dict(match.players) == {"x": "legal", "o": "random"}
    assert [row.step for row in match.rows] == list(range(match.last + 1))
    assert [made.role for made in match.rows[1].made] == ["x"]
    assert match.how == "completed"
    assert match.ending in ("x wins", "o wins", "a draw")
    assert match.is_in_library
    assert match.graph == ""


def test_what_players_expected_is_drawn(tmp_path: Path) -> None:
    file = played(tmp_path, "tictactoe", "mcts", "random")
    match = overview(file)
    values = [made.value for row in match.rows for made in row.made if made.role == "x"]
    assert None not in values
    assert "data-plot" in match.graph
    view = step_view(file, 1)
    assert view.made[0].value == values[0]
    assert view.made[0].nodes is not None  # none at all, where the machine is too busy to search


def test_the_board_of_a_step_has_its_last_move_marked(tmp_path: Path) -> None:
    file = played(tmp_path, "tictactoe", "legal", "random")
    start, first = step_view(file, 0), step_view(file, 1)
    assert start.svg.startswith("<svg")
    assert start.to_move == ("x",)
    assert start.made == ()
    assert "last move" in first.svg
    assert "last move" not in start.svg
    assert first.made[0].label == first.made[0].move.replace("(", " ").rstrip(")")


def test_there_is_no_other_step(tmp_path: Path) -> None:
    file = played(tmp_path, "tictactoe", "legal", "legal")
    for step in (-1, 100):
        with pytest.raises(RecordError, match="no step"):
            step_view(file, step)


def test_errors_stand_at_their_move(tmp_path: Path) -> None:
    match = overview(played(tmp_path, "tictactoe", "dumbo", "legal"))
    assert match.rows[1].made[0].is_substituted
    assert [fault.kind for fault in match.rows[1].faults if fault.is_error] == ["illegal"]
    assert match.errors["x"] == sum(fault.is_error for row in match.rows for fault in row.faults)


def test_all_of_a_hidden_game_is_shown_when_it_is_over(tmp_path: Path) -> None:
    file = played(tmp_path, "higherlower", "random", "random")
    views = [step_view(file, step) for step in range(overview(file).last + 1)]
    assert all(view.svg for view in views)
    assert any(view.percepts for view in views)


@pytest.mark.parametrize("game", ["tictactoe", "roshambo", "dicerace", "higherlower", "connectfour:small"])
def test_standalone_goes_on_from_any_step(tmp_path: Path, game: str) -> None:
    players = ["random"] * len([role for role in load(game).roles if role != "random"])
    file = played(tmp_path, game, *players)
    for step in range(overview(file).last + 1):
        query = standalone_query(file, step).removeprefix("?moves=").replace("%3D", "=").replace("%7C", "|")
        found = standalone(game, path_read(query))
        assert found["step"] == step
    assert found["is_terminal"]


def test_scrambled_records_have_the_old_words(tmp_path: Path) -> None:
    file = played(tmp_path, "tictactoe", "legal", "legal", is_scrambled=True)
    match = overview(file)
    assert match.is_scrambled
    assert match.roles == ("x", "o")
    assert match.rows[1].made[0].move.startswith("mark(")
    assert step_view(file, 1).svg
    assert match.ending
    assert verdict(file)["is_true"]
    assert standalone_query(file, 2).startswith("?moves=mark(")


def test_a_true_record_is_verified(tmp_path: Path) -> None:
    found = verdict(played(tmp_path, "tictactoe", "legal", "random"))
    assert found["is_true"] is True
    assert found["problems"] == []
    json.dumps(found)


def test_a_record_that_was_tampered_with_is_not(tmp_path: Path) -> None:
    file = played(tmp_path, "tictactoe", "legal", "random")
    found = verdict(changed(file, '"goals":{"x":50,"o":50}', '"goals":{"x":100,"o":0}'))
    assert found["is_true"] is False
    assert found["problems"]


def test_what_was_said(tmp_path: Path) -> None:
    file = played(tmp_path, "tictactoe", "legal", "random")
    lines, count = said_lines(file)
    assert len(lines) == count
    assert any("play(m," in line for line in lines)
    assert said_lines(file, 3) == (lines[:3], count)


def test_rules_that_are_none_leave_the_moves_to_look_at(tmp_path: Path) -> None:
    file = played(tmp_path, "tictactoe", "legal", "legal")
    lines = Path(file.path).read_text().split("\n")
    started = json.loads(lines[0])
    lines[0] = json.dumps({**started, "rules": "((((", "digest": "0"})
    Path(file.path).write_text("\n".join(lines))
    broken = record_file(tmp_path, "m.jsonl")
    view = step_view(broken, 1)
    assert view.svg == ""
    assert view.trouble
    assert overview(broken).rows[1].made
    assert verdict(broken)["is_true"] is False


def test_half_characters_of_players_can_be_sent(tmp_path: Path) -> None:
    file = changed(
        played(tmp_path, "tictactoe", "dumbo", "legal"),
        '"kind":"illegal","detail":"',
        '"kind":"illegal","detail":"\\ud800<b>',
    )
    details = [fault.detail for row in overview(file).rows for fault in row.faults]
    assert any("?<b>" in detail for detail in details)
    "".join(details).encode()


def test_files_that_are_no_records_are_told(tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_text("nothing\n")
    (tmp_path / "empty.jsonl").write_text("")
    (tmp_path / "folder.jsonl").mkdir()
    for name, words in (("bad.jsonl", "not a line of JSON"), ("empty.jsonl", "no match in it")):
        with pytest.raises(RecordError, match=words) as error:
            overview(record_file(tmp_path, name))
        assert str(tmp_path) not in str(error.value)
    for name in ("none.jsonl", "folder.jsonl", "", "../bad.jsonl", "..", "a/b", "x\0y", "/etc/passwd"):
        with pytest.raises(RecordError):
            record_file(tmp_path, name)


def test_a_file_that_goes_away_is_told(tmp_path: Path) -> None:
    file = played(tmp_path, "tictactoe", "legal", "legal", name="gone")
    os.unlink(file.path)
    with pytest.raises(RecordError, match="cannot be read"):
        overview(file)


def test_a_record_that_changes_is_read_again(tmp_path: Path) -> None:
    file = played(tmp_path, "tictactoe", "legal", "legal")
    assert overview(file).players["x"] == "legal"
    assert overview(changed(file, '"x":"legal"', '"x":"other"')).players["x"] == "other"
