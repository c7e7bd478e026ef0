"""The folder of a competition: what it is, what has been played, the records; it survives whatever dies.

    competition.json     the competition, and hashes of the texts of its rules and players; written once
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
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from gamemaster.arena.competition import Competition
from gamemaster.arena.fixtures import Fixture, record_name
from gamemaster.arena.outcomes import MatchOutcome, outcome_of
from gamemaster.errors import CompetitionError, GamemasterError
from gamemaster.match.records.record import read_record

__all__ = ["OUTCOMES", "RECORDS", "Begun", "Journal", "begin", "outcomes_in", "resume"]

COMPETITION, OUTCOMES, RECORDS = "competition.json", "outcomes.jsonl", "records"


@dataclass(frozen=True)
class Begun:
    """A competition as it was begun, and hashes of the texts that decide what is played: rules, and players' files."""

    competition: Competition
    texts: Mapping[str, str]

    def check(self, other: Begun, folder: Path) -> None:
        """Nothing, where another is the same; CompetitionError that says what is not."""
        if self.competition.digest != other.competition.digest:
            raise CompetitionError(
                f"{str(folder)!r} has another competition already; name another folder, or go on with that one: "
                f"gamemaster tournament --resume {folder}"
            )
        self.check_texts(other.texts)

    def check_texts(self, texts: Mapping[str, str]) -> None:
        """The same for texts alone."""
        if changed := [name for name, digest in texts.items() if self.texts.get(name) != digest]:
            raise CompetitionError(
                f"{', '.join(changed)} changed since the competition began, and would play as another; "
                "begin a new one in another folder"
            )

    def to_json(self) -> str:
        """As it is written."""
        data = {**self.competition.to_dict(), "texts": dict(self.texts)}
        return json.dumps(data, indent=1) + "\n"


class Journal:
    """What has been played of a competition, in its folder. Only one may write in a folder at a time."""

    def __init__(self, folder: Path, begun: Begun, lines: IO[bytes]) -> None:
        self.folder = folder
        self.begun = begun
        self.played: dict[int, MatchOutcome] = {}
        self._lines = lines
        self._read()

    @property
    def competition(self) -> Competition:
        """What is played."""
        return self.begun.competition

    @property
    def records(self) -> Path:
        """Where records are."""
        return self.folder / RECORDS

    def _read(self) -> None:
        """Take in what has been played; what was left of a last line is cut off."""
        written = self._lines.read()
        self._lines.truncate(self._lines.seek(written.rfind(b"\n") + 1))
        self.played = _outcomes_in(written, self.folder)

    def keep(self, outcome: MatchOutcome, record: bytes = b"") -> bool:
        """Note how a match went, with its record; whether that is news: what has been played counts once."""
        if outcome.number in self.played:
            return False
        if record:
            _write_whole(self.records / record_name(outcome.number), record)
        line = json.dumps(outcome.to_dict(), separators=(",", ":"))  # in ASCII: nobody knows what players say
        try:
            self._lines.write(line.encode() + b"\n")
            self._lines.flush()
            os.fsync(self._lines.fileno())
        except OSError as error:  # a full disk does not say of which file
            raise OSError(error.errno, error.strerror, str(self.folder / OUTCOMES)) from None
        self.played[outcome.number] = outcome
        return True

    def check(self, fixtures: Iterable[Fixture]) -> None:
        """Nothing, where all that was played is of these matches; CompetitionError where a line is of another."""
        known = {each.number: each for each in fixtures}
        for number, outcome in self.played.items():
            if number not in known or not outcome.is_of(known[number]):
                where = self.folder / OUTCOMES
                raise CompetitionError(f"{where}: match {number} is none of this competition; begin anew")

    def adopt(self, fixture: Fixture) -> bool:
        """Take a match for played whose record is there without a line; whether there is one."""
        path = self.records / fixture.file_name
        if fixture.number in self.played or not path.exists():
            return False
        try:
            return self.keep(outcome_of(fixture, read_record(path)))
        except (GamemasterError, OSError):  # of something else: it is written anew
            return False


def _outcomes_in(written: bytes, folder: Path) -> dict[int, MatchOutcome]:
    """The outcomes of whole lines; what was played counts once."""
    found: dict[int, MatchOutcome] = {}
    for number, line in enumerate(written.split(b"\n")[:-1], 1):
        try:
            outcome = MatchOutcome.from_dict(json.loads(line))
        except (ValueError, RecursionError, GamemasterError) as error:
            where = f"{folder / OUTCOMES}:{number}"
            raise CompetitionError(
                f"{where}: {error}; a copy of the folder may help, or begin anew"
            ) from None
        found.setdefault(outcome.number, outcome)
    return found


def outcomes_in(folder: Path) -> dict[int, MatchOutcome]:
    """What has been played by now, for those who only look, while another plays or nobody does."""
    try:
        return _outcomes_in((folder / OUTCOMES).read_bytes(), folder)
    except FileNotFoundError:
        return {}


@contextmanager
def begin(folder: Path, begun: Begun) -> Iterator[Journal]:
    """The journal of a new competition, or of the same one that was left; CompetitionError where there is another."""
    try:
        (folder / RECORDS).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CompetitionError(f"{str(folder)!r} cannot be used: {error.strerror}") from None
    with _locked(folder) as lines:
        path = folder / COMPETITION
        if path.exists():
            _read_begun(path).check(begun, folder)
        else:
            _write_whole(path, begun.to_json().encode())
        yield Journal(folder, begun, lines)


@contextmanager
def resume(folder: Path) -> Iterator[Journal]:
    """The journal of a competition that goes on; CompetitionError where there is none."""
    begun = _read_begun(folder / COMPETITION)
    with _locked(folder) as lines:
        yield Journal(folder, begun, lines)


@contextmanager
def _locked(folder: Path) -> Iterator[IO[bytes]]:
    """The lines of a folder, for one who writes; what another left half written is removed."""
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
        yield lines


def _write_whole(path: Path, written: bytes) -> None:
    """Write a file so that it is there whole or not at all."""
    aside = path.with_name(f".{path.name}")
    with aside.open("wb") as file:
        file.write(written)
        file.flush()
        os.fsync(file.fileno())
    os.replace(aside, path)


def _read_begun(path: Path) -> Begun:
    try:
        data = json.loads(path.read_text())
        texts = data.pop("texts", {}) if isinstance(data, dict) else {}
        return Begun(Competition.from_dict(data), texts if isinstance(texts, dict) else {})
    except FileNotFoundError:
        raise CompetitionError(f"{str(path.parent)!r} has no competition to go on with") from None
    except (OSError, ValueError, RecursionError, CompetitionError) as error:
        raise CompetitionError(f"{path}: {error}") from None
