"""`gamemaster tournament` and `compare`: a competition with a table that fills, and how it ended."""

from __future__ import annotations

import json
import math
import os
import shlex
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from gamemaster.arena.competition import Competition
from gamemaster.arena.holding import Venue, hold
from gamemaster.arena.journal import RECORDS
from gamemaster.arena.outcomes import MatchOutcome
from gamemaster.arena.pairings import is_known_at_once
from gamemaster.arena.ratings.table import Row, Standings, standings
from gamemaster.arena.reading import read_competition
from gamemaster.arena.running import Progress
from gamemaster.arena.telling import progress_data
from gamemaster.draw.competing.report import report, verdict_words
from gamemaster.errors import CompetitionError
from gamemaster.language.source import Source
from gamemaster.terminal.leaving import terminable
from gamemaster.terminal.progress import waiting
from gamemaster.terminal.report import print_line, printable_line, report_text
from gamemaster.terminal.screen import console_of, is_terminal, width
from gamemaster.terminal.tables import print_table

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.live import Live

__all__ = ["CompetitionOptions", "run_competition"]

HEADINGS = ("player", "Elo", "±", "matches", "won", "drawn", "lost", "errors", "goal", "adjusted")
"""The most important first: what does not fit is left out from the end."""

REFRESHES = 4
"""A second."""

SHARE_OF_TIME = 0.05
"""So much of the time at most goes to working the table out while matches run on the same cores."""

LONGEST_BAR, LONGEST_NAME, LONGEST_REASON = 40, 40, 160
SURE = 0.995


@dataclass(frozen=True)
class CompetitionOptions:
    """What the command line says of a competition: one in a file, one in words, or one to go on with."""

    file: Path | None = None
    competition: Competition | None = None
    resume: Path | None = None
    folder: Path | None = None
    is_kept: bool = True
    """Whether it has a folder where none is named: its name."""

    report: Path | None = None
    venue: Venue = field(default_factory=Venue)
    as_json: bool = False
    is_quiet: bool = False


def run_competition(options: CompetitionOptions) -> Progress:
    """Play a competition to its end; whoever interrupts it is told how to go on."""
    _check_report(options.report)
    competition, found = options.competition, None
    if options.file is not None:
        competition, found = read_competition(Source.from_path(options.file))
    folder = options.resume or options.folder
    if folder is None and competition is not None and options.is_kept:
        folder = Path(competition.name)
    screen = Silence() if options.as_json or options.is_quiet else LiveTable() if is_terminal() else Lines()
    with terminable(), _left(folder, screen), screen.shown():
        progress = hold(
            competition if options.resume is None else None,
            folder,
            options.venue,
            tell=screen.hear,
            getting_ready=screen.getting_ready,
            found=found,
        )
    _tell_end(progress, folder, options)
    return progress


def _tell_end(progress: Progress, folder: Path | None, options: CompetitionOptions) -> None:
    table = standings_of(progress)
    if options.as_json:
        where = None if folder is None else str(folder)
        print(json.dumps({**progress_data(progress, table), "folder": where}))
    else:
        print_result(progress, table)
        if folder is not None:
            print_line(f"records and results: {folder}")
    if options.report is not None:
        records = "" if folder is None else f"./{os.path.relpath(folder / RECORDS, options.report.parent)}"
        options.report.write_text(report(progress, table, records))


def _check_report(path: Path | None) -> None:
    """CompetitionError where no report can be written: it would be told when all has been played."""
    if path is not None and (path.is_dir() or not os.access(path if path.exists() else path.parent, os.W_OK)):
        raise CompetitionError(
            f"no report can be written to {str(path)!r}; name a file in a folder that is there"
        )


@contextmanager
def _left(folder: Path | None, screen: Silence) -> Iterator[None]:
    """Say how to go on with a competition that does not come to its end."""
    try:
        yield
    except (KeyboardInterrupt, OSError, CompetitionError):
        if folder is not None and (folder / "outcomes.jsonl").exists():
            words = f"left; go on with: gamemaster tournament --resume {shlex.quote(str(folder))}"
            report_text(words if screen.progress else "")
        elif screen.progress is not None and screen.progress.outcomes:
            print_result(screen.progress, standings_of(screen.progress))
            report_text("left, and nothing is kept; with --folder it can be gone on with")
        raise


def standings_of(progress: Progress) -> Standings:
    """The table of a competition."""
    return standings(progress.outcomes, [each.name for each in progress.competition.entrants])


# Screens


class Silence:
    """Shows nothing."""

    progress: Progress | None = None
    """What was heard last."""

    @contextmanager
    def shown(self) -> Iterator[None]:
        """As long as the competition runs."""
        yield

    def getting_ready(self, name: str) -> AbstractContextManager[None]:
        """While machine code for a game is made."""
        return waiting(f"compiling what {name} takes, once for this machine")

    def hear(self, progress: Progress) -> None:
        """Take note of how far it is."""
        self.progress = progress
        self.show(progress)

    def show(self, progress: Progress) -> None:
        """Show how far it is."""


class Lines(Silence):
    """A line for each match that has ended, for a pipe."""

    count: int | None = None

    def show(self, progress: Progress) -> None:
        """Tell of matches that have ended since."""
        if self.count is None:
            self.count = progress.before
            if self.count:
                print_line(f"{self.count} of {progress.planned} matches have been played before")
        for each in progress.new:
            self.count += 1
            print_line(f"{self.count:5} of {progress.planned}  {match_line(each)}")


class LiveTable(Silence):
    """A table that fills, a bar, and the time that is left."""

    def __init__(self) -> None:
        self.began = self.worked_out = time.monotonic()
        self.took = 0.0
        self.table: Standings | None = None
        self.last: MatchOutcome | None = None
        self.live: Live | None = None

    @contextmanager
    def shown(self) -> Iterator[None]:
        """Draw until the end; what stays on the screen is what is printed after it."""
        try:
            yield
        finally:
            if self.live is not None:
                self.live.__exit__(None, None, None)
                self.live = None

    def show(self, progress: Progress) -> None:
        """Remember what the next picture shows."""
        if self.live is None:
            from rich.live import Live

            self.began = time.monotonic()
            self.live = Live(
                get_renderable=self.picture,
                console=console_of(),
                refresh_per_second=REFRESHES,
                transient=True,
            )
            self.live.__enter__()
        self.last = progress.new[-1] if progress.new else self.last
        self._work_out(progress)

    def _work_out(self, progress: Progress) -> None:
        """The table anew, if that was not done just now: it takes longer the more has been played."""
        now, is_first = time.monotonic(), self.table is None
        if is_first or now - self.worked_out > self.took / SHARE_OF_TIME:
            self.table = standings_of(progress)
            self.worked_out = time.monotonic()
            self.took = 0.0 if is_first else self.worked_out - now  # the first time much is imported

    def picture(self) -> RenderableType:
        """The table, and how far it is."""
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        progress, standings = self.progress, self.table
        if progress is None or standings is None:
            return Text("")
        rows = [cells_of(row) for row in standings.rows]
        table = Table(box=None, pad_edge=False)
        for number, heading in enumerate(HEADINGS[: columns_for(rows)]):
            table.add_column(heading, justify="right" if number else "left", no_wrap=True)
        for cells in rows:
            table.add_row(*map(Text, cells[: columns_for(rows)]))
        title = Text(printable_line(str(progress.competition)), "bold", no_wrap=True, overflow="ellipsis")
        words = [verdict_words(progress), match_line(self.last) if self.last else ""]
        below = [Text(printable_line(each), "dim") for each in words if each]
        return Group(title, table, self._bar(progress), *below)

    def _bar(self, progress: Progress) -> RenderableType:
        from rich.columns import Columns
        from rich.progress_bar import ProgressBar
        from rich.text import Text

        done = len(progress.played)
        words = f" {done} of {progress.planned}{self._left_words(progress, done)}"
        size = max(8, min(LONGEST_BAR, width() - len(words) - 2))
        return Columns([ProgressBar(progress.planned, done, width=size), Text(words)])

    def _left_words(self, progress: Progress, done: int) -> str:
        new = done - progress.before
        if not new or done >= progress.planned:
            return ""
        left = (time.monotonic() - self.began) / new * (progress.planned - done)
        about = f"{left / 60:.0f} min" if left >= 90 else f"{math.ceil(left):d} s"
        bound = (
            " at most" if progress.verdict else "" if is_known_at_once(progress.competition) else " at least"
        )
        return f", about {about} left{bound}"


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
    """A row of the table as texts, in the order of the headings."""
    elo = ["", ""] if row.elo is None else [f"{row.elo:+.0f}", f"{row.elo_error or 0:.0f}"]
    counts = [str(each) for each in (row.matches, row.wins, row.draws, row.losses, row.errors)]
    name = printable_line(row.name)
    shown = name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"
    return [shown, *elo, *counts, f"{row.mean_goal:.1f}", f"{row.adjusted:.1f}"]


def columns_for(rows: list[list[str]]) -> int:
    """How many columns fit into the width that there is."""
    sizes = [max(map(len, column)) + 2 for column in zip(HEADINGS, *rows, strict=True)]
    return max(3, sum(sum(sizes[: count + 1]) - 2 <= width() for count in range(len(sizes))))


def print_result(progress: Progress, table: Standings) -> None:
    """The table at the end, how sure it is, and what went wrong."""
    rows = [cells_of(row) for row in table.rows]
    count = columns_for(rows) if is_terminal() else len(HEADINGS)
    print_table(HEADINGS[:count], [row[:count] for row in rows], right=HEADINGS[1:])
    print()
    if words := verdict_words(progress):
        print_line(words)
    elif table.ratings is not None and len(table.names) > 1:
        for line in neighbours(table):
            print_line(line)
    if progress.last_word:
        print_line(progress.last_word)
    for row in table.rows:
        if row.errors:
            what = f"{row.errors} error{'s' if row.errors != 1 else ''}"
            print_line(f"{row.name}: {what}; the first: {row.reason}"[:LONGEST_REASON])
    unplayed = [each for each in progress.outcomes if not each.counts]
    if unplayed:
        print_line(f"{len(unplayed)} matches could not be played; the first: {match_line(unplayed[0])}")


def neighbours(table: Standings) -> list[str]:
    """How sure the order of the table is: everybody against the next."""
    assert table.ratings is not None
    found = []
    for one, other in zip(table.names, table.names[1:], strict=False):
        chance = table.ratings.likelihood(one, other)
        found.append(f"{one} is better than {other}: {'>99%' if chance > SURE else f'{chance:.0%}'}")
    return found
