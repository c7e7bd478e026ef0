"""Sheets with one typical mistake each, and whether the checker says it as a teacher would.

`python -m tests.corpus` prints how many are found: at a right line, with the right advice, as an error or a warning.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from gamemaster.check import Report, check
from gamemaster.language.findings import Finding
from gamemaster.language.rules import Notation
from gamemaster.language.source import Source

FOLDER = Path(__file__).parent / "check_corpus"
RIGHT = sorted((FOLDER / "right").iterdir())
"""The sheets without the mistakes."""


@dataclass(frozen=True)
class Mistake:
    """A sheet with one mistake: what it is, the lines where a finding is right, and what it has to say."""

    path: Path
    mistake: str
    lines: list[int]
    says: list[str]

    def is_told_by(self, finding: Finding) -> bool:
        """Whether a finding is at a right line, is more than a note, and says what is to be said."""
        said = f"{finding.message} {finding.hint}".lower()
        is_there = finding.place.line in self.lines or not self.lines
        is_said = all(any(word in said for word in _words(each)) for each in self.says)
        return finding.severity != "note" and is_there and is_said

    def is_found(self, report: Report) -> bool:
        """Whether one finding of a report tells it."""
        return any(map(self.is_told_by, report))


def _words(says: str) -> list[str]:
    return [says] if says == "|" else says.lower().split("|")


def mistakes() -> list[Mistake]:
    """All of the corpus."""
    table = tomllib.loads((FOLDER / "corpus.toml").read_text())
    return [Mistake(FOLDER / name, **entry) for name, entry in table.items()]


def report_on(path: Path, seconds: float = 5.0) -> Report:
    """What the checker says of a sheet; with 0 seconds, what it says without playing."""
    return check(Source.from_path(path), cast(Notation, path.suffix[1:]), seconds=seconds)


def main() -> None:
    """Print how many mistakes are found, and those that are not."""
    corpus = mistakes()
    missed = [mistake for mistake in corpus if not mistake.is_found(report_on(mistake.path))]
    read = sum(mistake.is_found(report_on(mistake.path, 0)) for mistake in corpus)
    for mistake in missed:
        print(f"not found: {mistake.path.name}: {mistake.mistake}")
    print(f"{len(corpus) - len(missed)} of {len(corpus)} mistakes found, {read} of them without playing")


if __name__ == "__main__":
    main()
