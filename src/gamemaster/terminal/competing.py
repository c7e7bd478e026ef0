"""`gamemaster tournament` and `compare`: a competition with a table that fills, and how it ended."""

from __future__ import annotations

import json
import math
import os
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from gamemaster.arena.checking import Found
from gamemaster.arena.competition import Competition
from gamemaster.arena.holding import Venue, hold
from gamemaster.arena.outcomes import MatchOutcome
from gamemaster.arena.ratings.table import Row, Standings, standings
from gamemaster.arena.reading import read_competition
from gamemaster.arena.running import Progress
from gamemaster.draw.competing.report import report, verdict_words
from gamemaster.language.source import Source
from gamemaster.terminal.leaving import terminable
from gamemaster.terminal.progress import waiting
from gamemaster.terminal.report import print_line, printable_line, report_text
from gamemaster.terminal.screen import console_of, is_terminal, width
from gamemaster.terminal.tables import print_table

if TYPE_CHECKING:
    from rich.console import RenderableType

__all__ = ["CompetitionOptions", "compare_players", "run_competition"]

HEADINGS = ["player", "matches", "won", "drawn", "lost", "goal", "adjusted", "errors", "Elo", "±"]
REFRESHES = 4
"""A second."""

LONGEST_BAR = 40


@dataclass(frozen=True)
class CompetitionOptions:
    """What the command line says of a competition: one in a file, one in words, or one to go on with."""

    file: Path | None = None
    competition: Competition | None = None
    resume: Path | None = None
    folder: Path | None = None
    report: Path | None = None
    place: Venue = field(default_factory=Venue)
    as_json: bool = False
    is_quiet: bool = False


def run_competition(options: CompetitionOptions) -> Progress:
    """Play a competition to its end; whoever interrupts it is told how to go on."""
    competition, found = options.competition, None
    if options.file is not None:
        competition, found = read_competition(Source.from_path(options.file))
    folder = options.resume or options.folder
    if folder is None and competition is not None:
        folder = Path(competition.name)
    with terminable(), _left(folder):
        progress = _held(competition if options.resume is None else None, folder, options, found)
    if options.as_json:
        print(json.dumps(progress_data(progress, folder)))
    else:
        print_result(progress, folder)
    return progress


def compare_players(options: CompetitionOptions) -> Progress:
    """Find out who of two is better; nothing is kept unless a folder is named."""
    with terminable(), _left(options.folder):
        progress = _held(options.competition, options.folder, options, None)
    if options.as_json:
        print(json.dumps(progress_data(progress, options.folder)))
    else:
        print_result(progress, options.folder)
    return progress


def _held(
    competition: Competition | None, folder: Path | None, options: CompetitionOptions, found: Found | None
) -> Progress:
    is_shown = not options.as_json and not options.is_quiet
    screen = _screen() if is_shown else Silence()

    def tell(progress: Progress) -> None:
        screen.show(progress)
        if options.report is not None and progress.is_over:
            _write_report(options.report, progress, folder)

    with screen.shown():
        return hold(
            competition, folder, options.place, tell=tell, getting_ready=screen.getting_ready, found=found
        )


def _write_report(path: Path, progress: Progress, folder: Path | None) -> None:
    records = "records" if folder is None else os.path.relpath(folder / "records", path.parent)
    path.write_text(report(progress, records))


@contextmanager
def _left(folder: Path | None) -> Iterator[None]:
    """Say how to go on with a competition that somebody has left."""
    try:
        yield
    except (KeyboardInterrupt, OSError):
        if folder is not None and folder.exists():
            report_text(f"left; go on with: gamemaster tournament --resume {folder}")
        raise


# Screens


class Silence:
    """Shows nothing."""

    @contextmanager
    def shown(self) -> Iterator[None]:
        """As long as the competition runs."""
        yield

    def getting_ready(self, name: str) -> AbstractContextManager[None]:
        """While machine code for a game is made."""
        return waiting(f"compiling what {name} takes, once for this machine")

    def show(self, progress: Progress) -> None:
        """How far it is."""


class Lines(Silence):
    """A line for each match that has ended, for a pipe."""

    def __init__(self) -> None:
        self.told: set[int] = set()

    def show(self, progress: Progress) -> None:
        """Tell of matches that have ended since."""
        if not self.told and progress.outcomes and len(progress.outcomes) > 1:
            print_line(f"{len(progress.outcomes)} of {progress.planned} matches have been played before")
            self.told = {each.number for each in progress.outcomes}
        for each in progress.outcomes:
            if each.number not in self.told:
                self.told.add(each.number)
                print_line(f"{len(self.told):5} of {progress.planned}  {match_line(each)}")


class LiveTable(Silence):
    """A table that fills, a bar, and the time that is left."""

    def __init__(self) -> None:
        self.began = time.monotonic()
        self.before: int | None = None
        self.progress: Progress | None = None
        self.table: tuple[int, Standings] | None = None

    @contextmanager
    def shown(self) -> Iterator[None]:
        """Draw until the end; what is left on the screen then is what is printed after it."""
        yield
        self._stop()

    def _stop(self) -> None:
        if live := getattr(self, "live", None):
            live.__exit__(None, None, None)
            del self.live

    def show(self, progress: Progress) -> None:
        """Remember what the next picture shows."""
        if self.before is None:
            from rich.live import Live

            self.began, self.before = time.monotonic(), len(progress.outcomes)
            self.live = Live(
                get_renderable=self.picture,
                console=console_of(),
                refresh_per_second=REFRESHES,
                transient=True,
            )
            self.live.__enter__()
        self.progress = progress
        if progress.is_over:
            self._stop()

    def picture(self) -> RenderableType:
        """The table, and how far it is."""
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        progress = self.progress
        if progress is None:
            return Text("")
        table = Table(box=None, pad_edge=False)
        for number, heading in enumerate(HEADINGS):
            table.add_column(heading, justify="right" if number else "left")
        for row in self._standings(progress).rows:
            table.add_row(*(Text(printable_line(cell)) for cell in cells_of(row)))
        last = printable_line(match_line(progress.outcomes[-1])) if progress.outcomes else ""
        return Group(Text(str(progress.competition), "bold"), table, self._bar(progress), Text(last, "dim"))

    def _standings(self, progress: Progress) -> Standings:
        if self.table is None or self.table[0] != len(progress.outcomes):
            names = [each.name for each in progress.competition.entrants]
            self.table = len(progress.outcomes), standings(progress.outcomes, names)
        return self.table[1]

    def _bar(self, progress: Progress) -> RenderableType:
        from rich.columns import Columns
        from rich.progress_bar import ProgressBar
        from rich.text import Text

        done = len(progress.outcomes)
        words = f" {done} of {progress.planned}{self._left_words(progress, done)}"
        size = max(8, min(LONGEST_BAR, width() - len(words) - 2))
        return Columns([ProgressBar(progress.planned, done, width=size), Text(words)])

    def _left_words(self, progress: Progress, done: int) -> str:
        new = done - (self.before or 0)
        if progress.verdict is not None:
            return f"; {verdict_words(progress)}" if done else ""
        if not new or done >= progress.planned:
            return ""
        left = (time.monotonic() - self.began) / new * (progress.planned - done)
        about = f"{left / 60:.0f} min" if left >= 90 else f"{math.ceil(left):d} s"
        more = " at least" if progress.competition.pairing in ("swiss", "knock-out") else ""
        return f", about {about} left{more}"


def _screen() -> Silence:
    return LiveTable() if is_terminal() else Lines()


# How it ended


def match_line(outcome: MatchOutcome) -> str:
    """A match in a line."""
    who = ", ".join(
        f"{name} {'no goal' if goal is None else goal}"
        for name, goal in zip(outcome.seats, outcome.goals, strict=True)
    )
    errors = sum(outcome.errors)
    wrong = f" ({errors} error{'s' if errors != 1 else ''})" if errors else ""
    how = "" if outcome.how == "completed" else f" {outcome.how}: {outcome.detail}"
    return f"{outcome.game}: {who}{wrong}{how}"


def cells_of(row: Row) -> list[str]:
    """A row of the table as texts."""
    elo = ["", ""] if row.elo is None else [f"{row.elo:+.0f}", f"{row.elo_error or 0:.0f}"]
    counts = [str(each) for each in (row.matches, row.wins, row.draws, row.losses)]
    goals = [f"{row.mean_goal:.1f}", f"{row.adjusted:.1f}", str(row.errors)]
    return [row.name, *counts, *goals, *elo]


def print_result(progress: Progress, folder: Path | None) -> None:
    """The table at the end, who is better how likely, and where everything is."""
    names = [each.name for each in progress.competition.entrants]
    table = standings(progress.outcomes, names)
    print_table(
        HEADINGS, [list(map(printable_line, cells_of(row))) for row in table.rows], right=HEADINGS[1:]
    )
    if table.ratings is not None and len(table.names) > 1:
        print()
        print_line(neighbours(table))
    lost = [each for each in progress.outcomes if not each.counts]
    if lost:
        print_line(f"{len(lost)} matches could not be played; the first: {match_line(lost[0])}")
    if words := verdict_words(progress):
        print_line(words)
    if folder is not None:
        print_line(f"records and results: {folder}")


def neighbours(table: Standings) -> str:
    """How sure the order of the table is: everybody against the next."""
    assert table.ratings is not None
    pairs = zip(table.names, table.names[1:], strict=False)
    return "; ".join(
        f"{one} is better than {other}: {table.ratings.likelihood(one, other):.0%}" for one, other in pairs
    )


def progress_data(progress: Progress, folder: Path | None) -> dict[str, object]:
    """A competition as plain data, ready for JSON."""
    names = [each.name for each in progress.competition.entrants]
    verdict = progress.verdict
    return {
        "competition": progress.competition.to_dict(),
        "matches": [each.to_dict() for each in progress.outcomes],
        **standings(progress.outcomes, names).to_dict(),
        "verdict": None
        if verdict is None
        else {"answer": verdict.answer, "ratio": verdict.ratio, "pairs": verdict.pairs},
        "folder": None if folder is None else str(folder),
    }
