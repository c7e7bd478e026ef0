"""docs/draw-a-board.md, as a newcomer follows it: its game plays, and its styles draw what the page says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

import gamemaster as gm
from gamemaster.cli import app
from gamemaster.draw.board import board_of
from gamemaster.draw.styles.board_table import KEYS
from gamemaster.draw.styles.style import COLOURS, GLYPHS, LOOKS
from gamemaster.draw.styles.style_file import read_style
from gamemaster.language.source import Source

PAGE = (Path(__file__).parent.parent / "docs" / "draw-a-board.md").read_text()
(SHEET,) = re.findall(r"```epilog\n(.*?)```", PAGE, re.DOTALL)
STYLES = dict(re.findall(r"```toml\n# for (\S+)\n(.*?)```", PAGE, re.DOTALL))


@pytest.fixture
def nine(tmp_path: Path) -> gm.Game:
    """The game of the page with its style beside it."""
    (tmp_path / "nine.epilog").write_text(SHEET)
    (tmp_path / "nine.style.toml").write_text(STYLES["nine.epilog"])
    return gm.load(tmp_path / "nine.epilog", machine="reference")


def test_the_game_of_the_page_is_without_findings(tmp_path: Path) -> None:
    (tmp_path / "nine.epilog").write_text(SHEET)
    result = CliRunner().invoke(app, ["check", str(tmp_path / "nine.epilog"), "--seconds", "0.2"])
    assert "nine.epilog: 0 errors, 0 warnings" in result.output


def test_the_board_of_the_page_has_nine_points_and_sixteen_lines(nine: gm.Game) -> None:
    (panel,) = board_of(nine.initial_state().next("place(c)")).panels
    assert len(panel.cells) == 9
    assert len(panel.lines) == 16
    (man,) = (thing for cell in panel.cells for thing in cell.things)
    assert (man.glyph, man.name, man.colour) == ("man", "white man", "white")


def test_the_picture_of_the_page_is_drawn(nine: gm.Game, monkeypatch: pytest.MonkeyPatch) -> None:
    assert nine.sheet.source.path is not None
    monkeypatch.chdir(nine.sheet.source.path.parent)
    (command,) = re.findall(r"`gamemaster (show\s[^`]*--svg[^`]*)`", PAGE)
    assert CliRunner().invoke(app, command.split()).exit_code == 0
    assert Path("nine.svg").read_text().startswith("<svg")


@pytest.mark.parametrize("name", [name for name in STYLES if "." not in name])
def test_a_style_of_the_page_draws_its_game(name: str) -> None:
    game = gm.load(name, machine="reference")
    board = board_of(game.initial_state(), style=read_style(Source(name, STYLES[name]), game))
    assert len(board.cell_of) > 5
    assert any(cell.things for cell in board.cell_of.values()) or name == "hex7x7"


def test_every_style_of_the_page_says_what_it_is_for() -> None:
    assert len(STYLES) == PAGE.count("```toml") == 6


def test_the_page_names_all_keys_glyphs_colours_and_looks() -> None:
    words = set(re.findall(r"`\[*([a-z_.]+[0-9]?)\]*`", PAGE))
    words |= {word.removeprefix("board.") for word in words} | {f"die_{number}" for number in range(2, 6)}
    assert {*KEYS, *GLYPHS, *COLOURS, *LOOKS} - words == set()
