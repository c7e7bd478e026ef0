"""The folder of a competition: what it is, what has been played, the records; it survives whatever dies.

    competition.json     the competition; written once
    outcomes.jsonl       a line for each match that has been played, in the order in which they ended
    records/000012.jsonl the record of a match

A match counts when its line is there. Its record is written before, under another name until it is complete: a record
without a line is that of a match whose line was not written any more, and is taken for it. So nothing is played twice
because somebody died between two writes, and nothing counts twice.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from gamemaster.arena.competition import Competition
from gamemaster.arena.fixtures import Fixture
from gamemaster.arena.outcomes import MatchOutcome, outcome_of
from gamemaster.errors import CompetitionError, GamemasterError
from gamemaster.match.records.record import read_record

__all__ = ["Journal", "begin", "resume"]

COMPETITION, OUTCOMES, RECORDS = "competition.json", "outcomes.jsonl", "records"


class Journal:
    """What has been played of a competition, in its folder. Only one may write in a folder at a time."""

    def __init__(self, folder: Path, competition: Competition, lines: IO[bytes]) -> None:
        self.folder = folder
        self.competition = competition
        self.played: dict[int, MatchOutcome] = {}
        self._lines = lines
        self._read()

    @property
    def records(self) -> Path:
        """Where records are."""
        return self.folder / RECORDS

    def _read(self) -> None:
        """Take in what has been played; what was left of a last line is cut off."""
        written = self._lines.read()
        self._lines.truncate(self._lines.seek(written.rfind(b"\n") + 1))
        for number, line in enumerate(written.split(b"\n")[:-1], 1):
            try:
                outcome = MatchOutcome.from_dict(json.loads(line))
            except (ValueError, GamemasterError) as error:
                where = f"{self.folder / OUTCOMES}:{number}"
                raise CompetitionError(
                    f"{where}: {error}; a copy of the folder may help, or begin anew"
                ) from None
            self.played.setdefault(outcome.number, outcome)

    def keep(self, outcome: MatchOutcome, record: bytes = b"") -> bool:
        """Note how a match went, with its record; whether that is news: what has been played counts once."""
        if outcome.number in self.played:
            return False
        if record:
            self._keep_record(f"{outcome.number:06}.jsonl", record)
        line = json.dumps(outcome.to_dict(), ensure_ascii=False, separators=(",", ":"))
        self._lines.write(line.encode() + b"\n")
        self._lines.flush()
        os.fsync(self._lines.fileno())
        self.played[outcome.number] = outcome
        return True

    def _keep_record(self, name: str, record: bytes) -> None:
        aside = self.records / f".{name}"
        with aside.open("wb") as file:
            file.write(record)
            file.flush()
            os.fsync(file.fileno())
        os.replace(aside, self.records / name)

    def adopt(self, fixture: Fixture) -> bool:
        """Take a match for played whose record is there without a line; whether there is one."""
        path = self.records / fixture.file_name
        if fixture.number in self.played or not path.exists():
            return False
        try:
            return self.keep(outcome_of(fixture, read_record(path)))
        except GamemasterError:  # of something else: it is written anew
            return False


@contextmanager
def begin(folder: Path, competition: Competition) -> Iterator[Journal]:
    """The journal of a new competition; CompetitionError where the folder has another already."""
    try:
        (folder / RECORDS).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CompetitionError(f"{str(folder)!r} cannot be used: {error.strerror}") from None
    path = folder / COMPETITION
    if path.exists() and _read_competition(path).digest != competition.digest:
        raise CompetitionError(
            f"{str(folder)!r} has another competition already; name another folder, or go on with that one: "
            f"gamemaster tournament --resume {folder}"
        )
    aside = path.with_name(f".{COMPETITION}")
    aside.write_text(json.dumps(competition.to_dict(), indent=1, ensure_ascii=False) + "\n")
    os.replace(aside, path)
    with _opened(folder, competition) as journal:
        yield journal


@contextmanager
def resume(folder: Path) -> Iterator[Journal]:
    """The journal of a competition that goes on; CompetitionError where there is none."""
    with _opened(folder, _read_competition(folder / COMPETITION)) as journal:
        yield journal


@contextmanager
def _opened(folder: Path, competition: Competition) -> Iterator[Journal]:
    (folder / RECORDS).mkdir(exist_ok=True)
    with (folder / OUTCOMES).open("a+b") as lines:
        try:
            fcntl.flock(lines, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise CompetitionError(f"{str(folder)!r} is being played by another process") from None
        lines.seek(0)
        for left in (folder / RECORDS).glob(".*.jsonl"):
            with suppress(OSError):
                left.unlink()
        yield Journal(folder, competition, lines)


def _read_competition(path: Path) -> Competition:
    try:
        return Competition.from_dict(json.loads(path.read_text()))
    except FileNotFoundError:
        raise CompetitionError(f"{str(path.parent)!r} has no competition to go on with") from None
    except (OSError, ValueError, CompetitionError) as error:
        raise CompetitionError(f"{path}: {error}") from None
