"""`gamemaster tree`: examples, files and games; as text, steps, JSON and pictures."""

from __future__ import annotations

import builtins
import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from gamemaster.cli import app
from gamemaster.search.tracing.shelf import EXAMPLES
from gamemaster.terminal import trees, walking
from gamemaster.terminal.trees import TreeOptions, show_tree

ROOT = Path(__file__).parent.parent


def tree(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["tree", *arguments])


def test_without_an_argument_it_lists_the_examples() -> None:
    listed = tree().output
    assert [line.split()[0] for line in listed.splitlines()[1:]] == list(EXAMPLES)
    assert [each["name"] for each in json.loads(tree("--json").output)] == list(EXAMPLES)


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_is_shown(name: str) -> None:
    result = tree(name)
    assert result.exit_code == 0
    assert "is worth" in result.output


def test_an_example_says_what_was_left_out_and_why() -> None:
    output = tree("labelled").output
    assert "└╳ L = 4" in output
    assert "unvisited: L, N." in output
    assert "L is left out." in output


def test_steps_follow_each_other_in_a_pipe() -> None:
    lines = tree("aima", "--steps").output.splitlines()
    assert lines[4] == " 4  beta becomes 3 at B, by a11 of B."
    assert lines[12].startswith("12  The rest of C is cut: 2 <= 3")


def test_one_step_is_shown_with_its_tree() -> None:
    output = tree("aima", "--step", "12").output
    assert "├╳ a22: 4" in output
    assert "Step 12 of 22: The rest of C is cut" in output
    wrong = tree("aima", "--step", "23")
    assert wrong.exit_code == 1
    assert "no step 23: there are 22" in wrong.stderr


def test_at_a_keyboard_one_goes_forward_and_back(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = iter(["", "", "b", "7", "q"])

    def answer(prompt: str) -> str:
        assert prompt == walking.PROMPT
        return next(answers)

    monkeypatch.setattr(builtins, "input", answer)
    monkeypatch.setattr(trees, "is_terminal", lambda: True)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    show_tree("aima", TreeOptions(is_stepwise=True), None)
    assert re.findall(r"Step (\d+) of 22", capsys.readouterr().out) == ["0", "1", "2", "1", "7"]


def test_json_has_nodes_and_steps() -> None:
    found = json.loads(tree("aima", "--json").output)
    assert found["value"] == 3
    assert len(found["nodes"]) == 13
    assert found["steps"][11]["words"].startswith("The rest of C is cut")


def test_pictures_are_written_to_files(tmp_path: Path) -> None:
    svg, png = tmp_path / "a.svg", tmp_path / "a.png"
    assert tree("aima", "--svg", "--out", str(svg)).exit_code == 0
    assert svg.read_text().startswith("<svg")
    assert tree("aima", "--png", "--theme", "dark", "--size", "300", "--out", str(png)).exit_code == 0
    assert png.read_bytes()[1:4] == b"PNG"
    assert "data-node" in tree("openlines", "--svg", "--step", "3").output


def test_games_are_searched_from_any_position() -> None:
    result = tree("tictactoe", "--moves", "mark(1,1),mark(1,2),mark(2,2),mark(1,3)", "--depth", "1")
    assert "▲ A = 100" in result.output
    assert "mark(3,3): 100" in result.output
    other = tree("tictactoe", "--depth", "1", "--role", "o", "--evaluation", "mobility")
    assert "▼ A" in other.output
    assert "data-cell" in tree("tictactoe", "--depth", "1", "--svg").output
    assert "data-cell" not in tree("tictactoe", "--depth", "1", "--svg", "--no-boards").output


def test_a_file_is_read_and_what_is_wrong_with_it_is_pointed_at(tmp_path: Path) -> None:
    path = tmp_path / "mine.tree"
    path.write_text("or\n  T\n  F\n")
    assert "And/Or: A is worth T" in tree(str(path)).output
    path.write_text("max A\n  B = x\n")
    result = tree(str(path))
    assert result.exit_code == 1
    assert "mine.tree:2:7: error[syntax]: 'x' is no value" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("aima", "--moves", "a"), "only games take --moves, --role and --evaluation"),
        (("aima", "--algorithm", "magic"), "no algorithm 'magic' for trees"),
        (("coin", "--algorithm", "alphabeta"), "alphabeta cannot search a tree with chance nodes"),
        (("nosuchgame",), "no game or rule file 'nosuchgame'"),
        (("tictactoe", "--depth", "4"), "nodes limit of 2,000 exceeded growing the tree: look less deep"),
        (("tictactoe", "--depth", "4", "--svg"), "nodes limit of 600 exceeded growing the tree"),
        (("roshambo",), "needs one role at a time to choose"),
        (("tictactoe", "--depth", "2", "--evaluation", "magic"), "magic"),
    ],
)
def test_what_cannot_be_shown_is_said_in_a_line(arguments: tuple[str, ...], message: str) -> None:
    result = tree(*arguments)
    assert result.exit_code == 1
    assert message in result.stderr
    assert "Traceback" not in result.stderr


def test_a_file_with_too_many_nodes_is_not_printed(tmp_path: Path) -> None:
    path = tmp_path / "wide.tree"
    path.write_text("max\n" + "  1\n" * 2_000)
    assert "lines limit of 2,000 exceeded printing a tree of 2,001 nodes" in tree(str(path)).stderr


def test_options_of_pictures_need_a_picture() -> None:
    result = tree("aima", "--theme", "dark")
    assert result.exit_code == 2
    assert "only pictures take this" in result.stderr


def test_every_option_of_trees_is_documented() -> None:
    text = (ROOT / "docs" / "play-in-the-terminal.md").read_text()
    told = re.findall(r"--[a-z-]+", tree("--help").output)
    assert len(set(told)) > 12
    assert [option for option in told if option != "--help" and option not in text] == []


@pytest.mark.parametrize(
    ("what", "why"),
    [
        ("aimaa", "no game or rule file 'aimaa'; `gamemaster games` lists the library; the example aima?"),
        ("qwertz", "`gamemaster tree` lists the ready examples"),
        ("qwertz.tree", "there is no file 'qwertz.tree'; `gamemaster tree` lists the ready examples"),
    ],
)
def test_what_is_no_tree_is_told_with_what_there_is(what: str, why: str) -> None:
    result = CliRunner().invoke(app, ["tree", what])
    assert result.exit_code == 1
    assert why in result.stderr
