"""The checker knows what people get wrong: sheets with one mistake each get a finding at its line, with advice."""

from __future__ import annotations

from pathlib import Path

import pytest

from gamemaster.machine import playtest
from gamemaster.machine.moves import split_moves
from gamemaster.terminal.pictures import print_board
from tests.corpus import FOLDER, RIGHT, Mistake, mistakes, report_on


@pytest.fixture(autouse=True)
def little_play(monkeypatch: pytest.MonkeyPatch) -> None:
    """So little is played that the mistakes are only just seen."""
    for amount in ("ON_REFERENCE", "ON_COMPILED"):
        monkeypatch.setattr(playtest, amount, playtest.Amount(400, 40))
    monkeypatch.setattr(playtest, "COUNTED_GAMES", 0)


@pytest.mark.parametrize("mistake", mistakes(), ids=lambda mistake: mistake.path.name)
def test_a_typical_mistake_is_found_at_its_line_with_the_advice(mistake: Mistake) -> None:
    report = report_on(mistake.path, 0)
    if not mistake.is_found(report):
        report = report_on(mistake.path)
    assert mistake.is_found(report), "\n".join(map(str, report))


@pytest.mark.parametrize("path", RIGHT, ids=lambda path: path.name)
def test_the_sheets_without_the_mistakes_have_no_findings(path: Path) -> None:
    assert [str(finding) for finding in report_on(path) if finding.severity != "note"] == []


def test_every_sheet_of_the_corpus_is_in_its_table_and_reads_otherwise_than_the_others() -> None:
    sheets = {path for path in FOLDER.iterdir() if path.suffix != ".toml" and path.is_file()}
    assert {mistake.path for mistake in mistakes()} == sheets
    assert len({path.read_text() for path in (*sheets, *RIGHT)}) == len(sheets) + len(RIGHT)


def test_what_play_showed_can_be_replayed(capsys: pytest.CaptureFixture[str]) -> None:
    path = FOLDER / "kif_frame_missing.kif"
    (finding,) = (f for f in report_on(path) if f.code == "vanishes")
    assert finding.moves == "mark(3,1), mark(2,2)"
    assert finding.show().splitlines()[-1] == (
        f"  replay: gamemaster show {path} --board --moves 'mark(3,1), mark(2,2)'"
    )
    print_board(str(path), finding.moves, 0)
    assert len(split_moves(finding.moves)) == 2
    assert "x" not in capsys.readouterr().out.splitlines()[-1]
