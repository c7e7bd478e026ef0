"""The folder of a competition survives whatever dies."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from gamemaster.arena.fixtures import Fixture
from gamemaster.arena.journal import Begun, Journal, begin, outcomes_in, resume
from gamemaster.errors import CompetitionError
from gamemaster.match.result import play_match
from gamemaster.match.settings import Settings
from tests.arena.made import competition, outcome

FIXTURE = Fixture(3, 0, "g", ("a", "b"), 7, 1)
BEGUN = Begun(competition(), {})


def test_what_was_played_is_there_again(tmp_path: Path) -> None:
    made = competition()
    with begin(tmp_path / "new", Begun(made, {})) as journal:
        assert journal.keep(outcome(FIXTURE, (100, 0)), b"record\n")
        assert not journal.keep(outcome(FIXTURE, (0, 100)))
    with resume(tmp_path / "new") as journal:
        assert journal.competition == made
        assert journal.played == {3: outcome(FIXTURE, (100, 0))}
        assert (journal.records / FIXTURE.file_name).read_bytes() == b"record\n"
    with begin(tmp_path / "new", Begun(made, {})) as journal:
        assert len(journal.played) == 1


@pytest.mark.parametrize("cut", [1, 5, 40])
def test_what_was_left_of_a_last_line_is_dropped(tmp_path: Path, cut: int) -> None:
    other = Fixture(4, 0, "g", ("b", "a"), 7, 1)
    with begin(tmp_path, BEGUN) as journal:
        journal.keep(outcome(FIXTURE, (100, 0)))
        journal.keep(outcome(other, (100, 0)))
    lines = tmp_path / "outcomes.jsonl"
    lines.write_bytes(lines.read_bytes()[:-cut])
    with resume(tmp_path) as journal:
        assert set(journal.played) == {3}
        journal.keep(outcome(other, (50, 50)))
    with resume(tmp_path) as journal:
        assert journal.played[4].goals == (50, 50)


def test_another_competition_does_not_begin_in_the_same_folder(tmp_path: Path) -> None:
    with begin(tmp_path, BEGUN):
        pass
    with (
        pytest.raises(CompetitionError, match="has another competition already"),
        begin(tmp_path, Begun(competition(seed=1), {})),
    ):
        pass


def test_two_do_not_write_in_one_folder(tmp_path: Path) -> None:
    with (
        begin(tmp_path, BEGUN),
        pytest.raises(CompetitionError, match="is being played by another process"),
        resume(tmp_path),
    ):
        pass


def test_a_folder_without_a_competition_is_not_gone_on_with(tmp_path: Path) -> None:
    with pytest.raises(CompetitionError, match="has no competition to go on with"), resume(tmp_path / "none"):
        pass
    (tmp_path / "competition.json").write_text("[1]")
    with pytest.raises(CompetitionError, match=r"competition\.json: not a competition"), resume(tmp_path):
        pass


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CompetitionError, match="cannot be used: "), begin(tmp_path / "file", BEGUN):
        pass


def test_a_line_that_is_no_outcome_is_told_with_its_number(tmp_path: Path) -> None:
    with begin(tmp_path, BEGUN) as journal:
        journal.keep(outcome(FIXTURE, (100, 0)))
    with (tmp_path / "outcomes.jsonl").open("ab") as lines:
        lines.write(b'{"number": 1}\n')
    with pytest.raises(CompetitionError, match=r"outcomes\.jsonl:2: not an outcome"), resume(tmp_path):
        pass


def recorded(journal: Journal, number: int, seed: int, *, name: str = "c.0") -> Fixture:
    """A match of which there is only the record."""
    fixture = Fixture(number, 0, "tictactoe", ("a", "b"), seed, 0)
    settings = Settings(60, 60, seed=7, match=name)
    play_match("tictactoe", ["random", "legal"], settings, path=journal.records / fixture.file_name)
    return fixture


def test_a_record_without_a_line_is_that_of_a_match_that_was_played(tmp_path: Path) -> None:
    with begin(tmp_path, BEGUN) as journal:
        fixture = recorded(journal, 0, 7)
        assert journal.adopt(fixture)
        assert journal.played[0].how == "completed"
        assert not journal.adopt(fixture)
        assert not journal.adopt(Fixture(1, 0, "tictactoe", ("b", "a"), 8, 0))  # there is none
        assert not journal.adopt(recorded(journal, 2, 8, name="c.2"))  # of another seed
        assert not journal.adopt(recorded(journal, 3, 7, name="c.4"))  # of another match of the same pair
        (journal.records / "000005.jsonl").mkdir()
        assert not journal.adopt(Fixture(5, 0, "tictactoe", ("a", "b"), 7, 0))


def test_what_players_say_can_always_be_kept(tmp_path: Path) -> None:
    with begin(tmp_path, BEGUN) as journal:
        journal.keep(outcome(FIXTURE, (100, 0), reasons=("crashed: bad \ud800 x\n", "")))
    with resume(tmp_path) as journal:
        assert journal.played[3].reasons[0] == "crashed: bad \ud800 x\n"


def test_texts_that_have_changed_are_told(tmp_path: Path) -> None:
    with begin(tmp_path, Begun(competition(), {"mine.py": "1", "g": "2"})):
        pass
    with (
        pytest.raises(CompetitionError, match=r"mine\.py changed since the competition began"),
        begin(tmp_path, Begun(competition(), {"mine.py": "3", "g": "2"})),
    ):
        pass
    with resume(tmp_path) as journal, pytest.raises(CompetitionError, match="g changed since"):
        journal.begun.check_texts({"g": "4"})


def test_a_line_of_another_competition_is_told(tmp_path: Path) -> None:
    with begin(tmp_path, BEGUN) as journal:
        journal.keep(outcome(FIXTURE, (100, 0)))
        journal.check([FIXTURE])
        for other in (
            [],
            [dataclasses.replace(FIXTURE, seats=("b", "a"))],
            [dataclasses.replace(FIXTURE, game="h")],
        ):
            with pytest.raises(CompetitionError, match="match 3 is none of this competition"):
                journal.check(other)


def test_records_that_were_being_written_are_removed(tmp_path: Path) -> None:
    with begin(tmp_path, BEGUN) as journal:
        left = journal.records / ".000001.jsonl"
        left.write_text("half")
    with resume(tmp_path):
        assert not left.exists()


def test_whoever_only_looks_sees_what_has_been_played_by_now(tmp_path: Path) -> None:
    assert outcomes_in(tmp_path / "nothing") == {}
    with begin(tmp_path, BEGUN) as journal:
        journal.keep(outcome(FIXTURE, (100, 0)))
        assert outcomes_in(tmp_path) == {3: outcome(FIXTURE, (100, 0))}
        with (tmp_path / "outcomes.jsonl").open("ab") as lines:
            lines.write(b'{"number": 4, "pai')
        assert set(outcomes_in(tmp_path)) == {3}
    (tmp_path / "outcomes.jsonl").write_bytes(b"{}\n")
    with pytest.raises(CompetitionError, match=r"outcomes\.jsonl:1: not an outcome"):
        outcomes_in(tmp_path)
