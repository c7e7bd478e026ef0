"""Pictures from the command line: boards as SVG and PNG, matches as animations."""

from __future__ import annotations

import errno
import os
import random
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import gamemaster as gm
from gamemaster.cli import app
from gamemaster.draw import animation
from gamemaster.draw.animation import animate, draw_match
from gamemaster.draw.model import Board
from gamemaster.draw.picture.beside import Caption
from gamemaster.draw.png import png_of
from gamemaster.draw.svg import draw_svg
from gamemaster.machine.game import State
from gamemaster.terminal import pictures
from tests.draw.boards_by_hand import chess, heaps
from tests.draw.test_svg import tree

PNG = b"\x89PNG\r\n\x1a\n"


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, list(map(str, arguments)))


def played(name: str, steps: int) -> list[State]:
    states, generator = [gm.load(name, machine="reference").initial_state()], random.Random(1)
    while len(states) <= steps and not states[-1].is_over:
        states.append(states[-1].next(states[-1].random_moves(generator)))
    return states


@pytest.fixture
def record(tmp_path: Path) -> Path:
    path = tmp_path / "match.jsonl"
    gm.match("tictactoe", ["legal", "legal"], record=path)
    return path


def test_a_board_is_shown_as_svg() -> None:
    result = run("show", "tictactoe", "--svg")
    assert result.exit_code == 0, result.output
    assert "x to move" in result.stdout
    tree(result.stdout)


def test_a_board_is_shown_after_moves(tmp_path: Path) -> None:
    path = tmp_path / "board.svg"
    result = run(
        "show", "tictactoe", "--svg", "--moves", "mark(2, 2), mark(1,1)", "--size", "300", "--out", path
    )
    assert result.exit_code == 0, result.output
    assert result.stdout == f"{path}: {path.stat().st_size:,} bytes\n"
    root = tree(path.read_text())
    assert "o on 1,1; x on 2,2. Changed by the last move: 1,1." in (root[1].text or "")
    assert max(root.attrib["width"], root.attrib["height"]) == "300"


def test_several_roles_may_have_moved_last() -> None:
    result = run("show", "roshambo", "--svg", "--moves", "rock,paper")
    assert result.exit_code == 0, result.output
    assert ">step 1</text>" in result.stdout


def test_a_board_is_shown_after_random_steps() -> None:
    one, two = (run("show", "tictactoe", "--svg", "--random", "100").stdout for _ in range(2))
    assert one == two
    assert "Game over" in one


def test_a_board_is_shown_as_png(tmp_path: Path) -> None:
    path = tmp_path / "board.png"
    result = run("show", "tictactoe", "--png", "--theme", "dark", "--out", path)
    assert result.exit_code == 0, result.output
    assert path.read_bytes().startswith(PNG)
    assert run("show", "tictactoe", "--png").stdout_bytes.startswith(PNG)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--svg", "--theme", "blue"), "'blue' is no theme"),
        (("--svg", "--size", "9"), "no picture of 9 pixels"),
        (("--svg", "--moves", "mark(9,9)"), "illegal move 'mark(9,9)'"),
        (("--svg", "--out", "/no/such/folder/x.svg"), "No such file"),
        (("--theme", "dark"), "say --svg or --png"),
    ],
)
def test_what_cannot_be_shown_is_said(arguments: tuple[str, ...], words: str) -> None:
    result = run("show", "tictactoe", *arguments)
    assert result.exit_code != 0
    assert words in result.output
    assert "Traceback" not in result.output


def test_png_is_not_written_to_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "is_terminal", lambda: True)
    result = run("show", "tictactoe", "--png")
    assert result.exit_code == 1
    assert "name a file with --out" in result.output


def test_without_its_renderer_png_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    with pytest.raises(gm.NotInstalled, match=r"pip install 'gamemaster\[png\]'"):
        png_of(draw_svg(chess(), theme="light"))
    assert "gamemaster[png]" in run("show", "tictactoe", "--png", "--out", "x.png").output


def test_a_match_is_an_animation(record: Path, tmp_path: Path) -> None:
    path = tmp_path / "match.svg"
    result = run("replay", record, "--svg", "--out", path)
    assert result.exit_code == 0, result.output
    svg = path.read_text()
    root = tree(svg)
    assert (root[0].text or "").startswith("tictactoe, 8 steps")
    assert (root[1].text or "").startswith("In the end: Game over: x wins.")
    names = set(re.findall(r'class="(gm-[0-9a-f]+-k\d+)"', svg))
    assert names == set(re.findall(r"@keyframes (\S+?)\{", svg))
    assert len(names) > 7
    assert "prefers-reduced-motion" in svg
    assert ">x: mark(1,1)</text>" in svg
    assert len(svg) < 40_000


def test_a_step_of_a_match_is_a_picture(record: Path) -> None:
    result = run("replay", record, "--svg", "--step", "1", "--theme", "light")
    assert "Changed by the last move: 1,1" in result.stdout
    assert "keyframes" not in result.stdout


def test_steps_and_states_that_a_record_has_not_are_refused(record: Path) -> None:
    assert "no step 99: the record has 7" in run("replay", record, "--svg", "--step", "99").output
    assert "say --svg, too" in run("replay", record, "--size", "99").output
    started = record.with_name("started.jsonl")
    started.write_text(record.read_text().splitlines()[0] + "\n")
    assert "no states to draw" in run("replay", started, "--svg").output
    assert "no state of step 0" in run("replay", started, "--svg", "--step", "0").output


def test_the_programs_in_the_page_on_pictures_run() -> None:
    page = (Path(__file__).parent.parent.parent / "docs" / "play-in-the-terminal.md").read_text()
    found: dict[str, str] = {}
    for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        exec(block, found)
    assert found["svg"].count('role="button"') == 9


def test_what_does_not_change_is_written_once() -> None:
    states = played("breakthrough", 20)
    whole, one = draw_match(states), draw_svg(states[0])
    assert len(whole) < 4 * len(one)
    assert draw_match(states[:1]).count("keyframes") == 0


def test_an_animation_shows_each_step_at_its_time() -> None:
    frames = [(board, Caption("", f"turn {n}")) for n, board in enumerate((chess(), heaps(), chess()))]
    svg = animate(frames, theme="light", seconds=2)
    root = tree(svg)
    hidden = [element for element in root if element.attrib.get("visibility") == "hidden"]
    assert hidden
    assert "0%{visibility:visible}22.22%{visibility:hidden}44.44%{visibility:visible}" in svg


def test_long_matches_leave_steps_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(animation, "MOST_FRAMES", 4)
    svg = draw_match(played("tictactoe", 9))
    assert "4 steps" in svg
    assert "step 0" not in svg
    assert "Game over" in svg


def test_matches_that_change_too_much_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(animation, "LARGEST", 1000)
    with pytest.raises(gm.LimitExceeded, match="size limit of 1,000 characters exceeded drawing a match"):
        draw_match(played("tictactoe", 3))


def test_a_match_that_is_too_large_is_refused_before_all_of_it_is_drawn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(animation, "LARGEST", 1000)
    asked: list[int] = []

    def frames() -> Iterator[tuple[Board, Caption]]:
        for number in range(100):
            asked.append(number)
            yield chess(), Caption("", f"turn {number}")

    with pytest.raises(gm.LimitExceeded):
        animate(frames())
    assert asked == [0]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk_is_told_with_the_name_of_the_file() -> None:
    result = run("show", "tictactoe", "--svg", "--out", "/dev/full")
    assert result.exit_code == 1
    assert result.stderr == "error: No space left on device: '/dev/full'\n"


def test_an_error_without_a_file_names_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(pictures, "write_picture", fail)
    assert run("show", "tictactoe", "--svg").stderr == "error: No space left on device\n"


def test_a_picture_is_there_whole_or_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, link = tmp_path / "board.svg", tmp_path / "link.svg"
    pictures.write_whole(path, b"first")
    path.chmod(0o640)
    link.symlink_to(path)
    pictures.write_whole(link, b"second")
    assert (path.read_bytes(), path.stat().st_mode & 0o777, link.is_symlink()) == (b"second", 0o640, True)

    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match=f"No space left on device: '{path}'"):
        pictures.write_whole(path, b"third")
    assert path.read_bytes() == b"second"
    assert {each.name for each in tmp_path.iterdir()} == {"board.svg", "link.svg"}
