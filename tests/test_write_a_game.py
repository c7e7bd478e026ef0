"""docs/write-a-game.md, as a newcomer follows it: every sheet is saved, checked and played as the page says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gamemaster.cli import app
from gamemaster.language.builtins import NAMES
from gamemaster.load import load

PAGE = (Path(__file__).parent.parent / "docs" / "write-a-game.md").read_text()
SHEETS = {
    f"nim.{notation}": text for notation, text in re.findall(r"```(epilog|kif)\n(.*?)```", PAGE, re.DOTALL)
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fresh folder with the sheets of the page, in which commands run."""
    for name, text in SHEETS.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(command: str, stdin: str = "") -> str:
    result = CliRunner().invoke(app, command.split()[1:], input=stdin, prog_name="gamemaster")
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("sheet", SHEETS)
def test_a_sheet_of_the_page_is_without_findings_and_compiles(sheet: str) -> None:
    assert re.match(
        rf"{sheet}: 0 errors, 0 warnings; [\d,]+ random games", run(f"gamemaster check {sheet} --seconds 0.2")
    )
    assert load(sheet).machine.name == "compiled"


@pytest.mark.usefixtures("folder")
def test_the_two_sheets_are_the_same_game() -> None:
    assert len(SHEETS) == 2
    epilog, kif = (load(sheet, machine="reference") for sheet in SHEETS)
    assert epilog.perft(7) == kif.perft(7)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("sheet", SHEETS)
def test_a_sheet_of_the_page_can_be_played(sheet: str) -> None:
    seen = run(f"gamemaster play {sheet}", stdin="take(2)\ntake(2)\ntake(2)\ntake(1)\n")
    assert "Game over after 4 steps: second wins." in seen


def test_the_sheet_in_the_third_notation_is_as_the_page_says(folder: Path) -> None:
    (sentence,) = re.findall(r"HRF is the same with infix: `(.*)`", PAGE)
    assert sentence in run("gamemaster show nim.kif --as hrf").split("\n")
    (folder / "again.kif").write_text(run("gamemaster show nim.epilog --as kif"))
    assert load("again.kif", machine="reference").perft(7) == load("nim.kif", machine="reference").perft(7)


def test_the_builtins_of_the_page_are_builtins() -> None:
    named = PAGE[PAGE.index("- Builtins need") : PAGE.index("If your sheet defines")]
    names = re.findall(r"`([a-z]+)[(`]", named)
    assert len(names) > 10
    assert not [name for name in names if name not in NAMES]
