"""docs/write-a-game.md, as a newcomer follows it: every sheet is saved, checked and played as the page says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gamemaster.check import check
from gamemaster.cli import app
from gamemaster.draw.board import board_of
from gamemaster.language.builtins import NAMES
from gamemaster.load import load, source_of

PAGE = (Path(__file__).parent.parent / "docs" / "write-a-game.md").read_text()
WALK, _, REFERENCE = PAGE.partition("## Epilog on one page")
BEFORE, _, AFTER = REFERENCE.partition("## Chance")
CHANCE, _, HIDDEN = AFTER.partition("## Hidden information")
SHEETS = {
    f"nim.{notation}": text for notation, text in re.findall(r"```(epilog|kif)\n(.*?)```", BEFORE, re.DOTALL)
}
PIECES = re.findall(r"```epilog\n(.*?)```", WALK, re.DOTALL)
STYLE, ENTRY = re.findall(r"```toml\n(.*?)```", WALK, re.DOTALL)


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


def codes(game: str) -> set[str]:
    report = check(source_of(game), seconds=0.2)
    return {finding.code for finding in report.findings if finding.severity != "note"}


def write(folder: Path, pieces: int) -> None:
    """The folder of the walk, with so many pieces of its sheet."""
    if not (folder / "hexapawn").exists():
        run("gamemaster new hexapawn")
    (folder / "hexapawn" / "rules.epilog").write_text("\n".join(PIECES[:pieces]))


def test_the_checker_says_what_the_walk_says_at_every_stage(folder: Path) -> None:
    write(folder, 1)
    assert {"no-legal", "no-goal", "no-terminal"} <= codes("hexapawn")
    write(folder, 3)
    assert codes("hexapawn") == {"no-move", "no-goal", "no-terminal"}
    write(folder, 4)
    said = run("gamemaster check hexapawn --seconds 0.2")
    assert re.findall(r"\n(hexapawn: 0 errors, 4 warnings;)", WALK)[0] in said
    assert said.count("hexapawn/game.toml:") == said.count("warning[folder]") == 4
    assert len(PIECES) == 4


def glyphs(game: str) -> set[str]:
    board = board_of(load(game, machine="reference").initial_state())
    return {thing.glyph for cell in board.cell_of.values() for thing in cell.things}


def test_the_game_of_the_walk_is_drawn_and_has_variants(folder: Path) -> None:
    write(folder, 4)
    (draw,) = re.findall(r"^gamemaster show .*$", WALK, re.MULTILINE)
    assert glyphs("hexapawn") == {"disc"}
    Path("hexapawn/style.toml").write_text(STYLE)
    Path("hexapawn/game.toml").write_text(ENTRY)
    assert glyphs("hexapawn") == {"pawn"}
    assert run("gamemaster check hexapawn --seconds 0.2").startswith("hexapawn: 0 errors, 0 warnings;")
    run(draw.replace('"', ""))
    assert Path("board.svg").read_text().startswith("<svg")
    assert "WRONG" not in run("gamemaster perft hexapawn")
    for name in ("size=4", "large", "late"):
        assert codes(f"hexapawn:{name}") == set()
        assert f"hexapawn:{name.partition('=')[0]}" in run("gamemaster games hexapawn")


def test_the_game_of_the_walk_is_played_by_people_and_programs(folder: Path) -> None:
    write(folder, 4)
    assert load("hexapawn").machine.name == "compiled"
    seen = run(
        "gamemaster play hexapawn", stdin="move(1,1,1,2)\nmove(2,3,1,2)\nmove(2,1,1,2)\nmove(3,3,3,2)\n"
    )
    assert "Be the last who can put down a stone." in seen
    assert "Game over after 4 steps: black wins." in seen
    assert "proven value 0.0" in run("gamemaster think hexapawn --with alphabeta")
    game, replay = re.findall(r"^gamemaster (?:match|replay) .*$", WALK, re.MULTILINE)
    assert "completed" in run(f"{game} --play-clock 1")
    assert "<svg" in run(replay.partition(" > ")[0])


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


def test_odds_are_as_the_page_says(folder: Path) -> None:
    (sheet,) = re.findall(r"```epilog\n(.*?)```", CHANCE, re.DOTALL)
    (folder / "ferry.epilog").write_text(sheet)
    assert codes("ferry.epilog") == set()
    assert load("ferry.epilog").machine.name == "compiled"
    (command,) = re.findall(r"`(gamemaster think .*)`", CHANCE)
    assert re.findall(r"^(\w+) +(\d+\.\d)", run(command), re.MULTILINE) == [
        ("ferry", "63.0"),
        ("bridge", "50.0"),
    ]


def test_who_may_look_does_as_the_page_says(folder: Path) -> None:
    (sheet,) = re.findall(r"```hrf\n(.*?)```", HIDDEN, re.DOTALL)
    (folder / "look.hrf").write_text(sheet)
    assert codes("look.hrf") == set()
    solved, thought = (run(f"gamemaster {command} look.hrf --seconds 0.5") for command in ("solve", "think"))
    assert "value: player 90.00" in solved
    assert "player cannot tell 2 states apart." in thought
    assert re.search(r"^look +(89\.\d|90\.0)", thought, re.MULTILINE)
    assert "Step 2: player sees" in run("gamemaster play look.hrf", "look\n1\n")
    hidden = re.findall(r"`(\w+)`", HIDDEN[HIDDEN.index("`unknowable-move`)") :].partition("##")[0])
    assert all(load(name).has_percepts for name in hidden[-3:])


def test_the_builtins_of_the_page_are_builtins() -> None:
    named = PAGE[PAGE.index("- Builtins need") : PAGE.index("If your sheet defines")]
    names = re.findall(r"`([a-z]+)[(`]", named)
    assert len(names) > 10
    assert not [name for name in names if name not in NAMES]
