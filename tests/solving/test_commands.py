"""`gamemaster solve` and gm.solve: what is printed, kept and refused; docs/solve.md says what is so."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

import gamemaster as gm
from gamemaster.cli.start import app
from gamemaster.solving.files import load_table

PAGE = (Path(__file__).parents[2] / "docs" / "solve.md").read_text()


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["solve", *arguments])
    assert result.exit_code == 0, result.output
    return result.output


def refusal(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["solve", *arguments])
    assert result.exit_code == 1
    return result.output


@pytest.mark.parametrize("command", ["tictactoe", "coinstack", "wythoff:left=5,right=5 --table"])
def test_what_the_page_shows_is_printed(command: str) -> None:
    shown = PAGE.partition(f"$ gamemaster solve {command}\n")[2].partition("```")[0]
    printed = run(*command.split())
    for line in shown.splitlines():
        assert line == "..." or " s, " in line or f"{line}\n" in printed


def test_a_role_is_told_what_it_is_sure_of() -> None:
    assert "alice is sure of 100 in nim, in 11 steps against the best replies" in run(
        "nim", "--role", "alice"
    )
    assert "no role 'carol'" in refusal("nim", "--role", "carol")


def test_programs_are_told_the_same() -> None:
    told = json.loads(run("wythoff", "--table", "--role", "bob", "--json"))
    assert told["goals"] == {"alice": 100, "bob": 0}
    assert (told["positions"], told["won"], told["lost"], told["distance"]) == (137, 125, 12, 7)
    assert told["best"] == ["take(both,2)"]
    assert told["table"]["rows"][1] == "TTFTTTTTTT"
    assert told["strategy"]["value"] == 0


def test_a_puzzle_counts_by_goals() -> None:
    assert "16 worth 100" in run("subsetsum")


def test_a_table_is_kept_and_a_folder_gone_on_with(tmp_path: Path) -> None:
    arguments = (
        "nim",
        "--save",
        str(tmp_path / "nim.labels"),
        "--folder",
        str(tmp_path / "work"),
        "--memory",
        "64",
    )
    assert "in '" in run(*arguments)
    assert run(*arguments)
    assert load_table(tmp_path / "nim.labels", gm.load("nim")).label().letter == "T"


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("nim", "--table"), "positions of nim are more than one or two numbers"),
        (
            ("chess", "--positions", "500"),
            "positions limit of 500 exceeded solving chess; --positions allows more",
        ),
        (("roshambo", "--explain"), "one role at a time chooses; in roshambo several do"),
        (
            ("nim", "--explain", "--role", "bob", "--seconds", "1"),
            "no strategy in words was found for bob in",
        ),
        (("nim", "--explain", "--role", "carol"), "no role 'carol'"),
        (("kayles", "--explain", "--sizes", "pin=3..9"), "kayles has no parameter 'pin'"),
        (("kayles", "--explain", "--sizes", "pins=9..3"), "sizes 'pins=9..3' are none"),
        (("nim", "--explain", "--sizes", "first=1..3"), "no strategy of this kind is proved"),
    ],
)
def test_what_cannot_be_done_is_told_in_a_line(arguments: tuple[str, ...], why: str) -> None:
    assert why in refusal(*arguments)


@pytest.mark.parametrize(
    ("place", "why"), [("/nowhere/at/all", "there is no folder '/nowhere/at'"), ("/", "it is a folder")]
)
def test_where_a_table_cannot_be_written_no_work_begins(
    monkeypatch: pytest.MonkeyPatch, place: str, why: str
) -> None:
    monkeypatch.setattr("gamemaster.terminal.solving.solve_table", lambda *_, **__: pytest.fail("it began"))
    assert f"the table cannot be written to '{place}': {why}" in refusal("nim", "--save", place)


def test_explaining_takes_no_options_of_labels() -> None:
    result = CliRunner().invoke(app, ["solve", "nim", "--explain", "--save", "nim.labels"])
    assert result.exit_code == 2
    assert "--explain labels nothing" in result.output


def told_lines(text: str) -> list[str]:
    """Lines without their breaks for width, and without what is measured."""
    joined = re.sub(r"\n +(?=\S)", " ", text)
    return [" ".join(line.split()) for line in joined.splitlines() if not re.fullmatch(r"[\d.]+ s", line)]


def test_a_strategy_for_many_sizes_is_printed() -> None:
    printed = run("kayles", "--explain", "--sizes", "pins=3..9")
    assert "kayles, pins = 3, 5, 7 and 9: one strategy by symmetry, for alice" in printed
    assert "kayles, pins = 4, 6 and 8: one strategy by symmetry, for alice" in printed


@pytest.mark.slow
def test_the_sizes_of_the_page_are_explained_so() -> None:
    command = "threecells --explain --sizes cells=3..25"
    shown = PAGE.partition(f"$ gamemaster solve {command}\n")[2].partition("```")[0]
    assert told_lines(run(*command.split())) == told_lines(shown)


def test_programs_are_told_of_many_sizes() -> None:
    told = json.loads(run("chomp", "--explain", "--sizes", "columns=rows=2..5", "--json"))
    (family,) = told["families"]
    assert family["unknown"] == "columns"
    assert family["strategy"]["first"] == "eat(2,2)"
    assert family["strategy"]["moves"] == ["eat(K,L) by eat(L,K)"]
    assert set(family["proofs"]) == {"2", "3", "4", "5"}
    assert family["proofs"]["5"]["means"] == "induction"
    assert told["others"] == told["labels"] == {}


def test_sizes_are_for_explaining() -> None:
    result = CliRunner().invoke(app, ["solve", "kayles", "--sizes", "pins=3..9"])
    assert result.exit_code == 2
    assert "--sizes goes with --explain" in result.output


def test_that_the_disk_begins_to_fill_is_told_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GAMEMASTER_CACHE", str(tmp_path))
    result = CliRunner().invoke(app, ["solve", "connectfour:columns=4,rows=4", "--memory", "4"])
    assert result.exit_code == 0, result.output
    assert result.stderr.count("more than --memory holds, so they go to files in") == 1


def test_no_disk_is_filled_for_what_is_far_too_large(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GAMEMASTER_CACHE", str(tmp_path))
    monkeypatch.setattr("gamemaster.solving.positions.expected_total", lambda layers: 5_000_000_000)
    told = refusal("connectfour:columns=4,rows=4", "--memory", "4")
    assert "positions limit of 4,294,967,039 exceeded solving connectfour:columns=4,rows=4, as far as" in told
    assert "too large to label: `gamemaster think GAME --with solver` looks at one position" in told
    assert not (tmp_path / "solving").exists()


def test_one_step_is_one_step() -> None:
    assert "in 1 step\n" in run("wythoff:left=5,right=5")


def test_a_call_gives_the_table(tmp_path: Path) -> None:
    table = gm.solve("nim", folder=tmp_path, positions=1_000)
    assert str(table) == "nim: 232 positions, 196 T, 36 F, 0 drawn, 0 endless, at most 11 steps to the end"
    assert str(table.label()) == "T 100,0 in 11"
    assert str(gm.solve(gm.load("tictactoe")).label()) == "= 50,50 in 9"
