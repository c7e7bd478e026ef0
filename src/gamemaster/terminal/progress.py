"""A bar that fills while somebody thinks, in a terminal; and what they thought, in a line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from gamemaster.language.terms import Term
from gamemaster.search.result import SearchResult
from gamemaster.terminal.screen import console_of, is_terminal

__all__ = ["in_words", "rate", "shown_line", "thinking"]

REFRESHES = 8
"""A second."""

LONGEST_LINE = 8
"""Of a line so many moves are shown."""


@contextmanager
def thinking(who: str, seconds: float | None, *, is_shown: bool = True) -> Iterator[None]:
    """Show a bar until the block ends: of the time that has passed, or just moving where there is no limit.

    Whoever thinks does so in this thread, so that Ctrl-C reaches them; rich draws in one of its own.
    """
    if not is_shown or not is_terminal():
        yield
        return
    from rich.progress import Progress, ProgressColumn, Task, TextColumn, TimeElapsedColumn
    from rich.progress_bar import ProgressBar

    class Passed(ProgressColumn):
        def render(self, task: Task) -> ProgressBar:
            passed = task.elapsed or 0.0
            return ProgressBar(total=seconds, completed=min(passed, seconds or passed), width=40)

    columns = TextColumn("{task.description}"), Passed(), TimeElapsedColumn()
    with Progress(*columns, console=console_of(), transient=True, refresh_per_second=REFRESHES) as progress:
        progress.add_task(f"{who} thinks")
        yield


def in_words(result: SearchResult) -> str:
    """A result in a line: what the move is worth, how much was searched, how fast, and what should follow."""
    proven = "proven value" if result.is_proven else "value"
    counts = [f"depth {result.depth}"] if result.depth else []
    counts += [rate(result)] if result.nodes or result.playouts else []
    line = shown_line(result.line)
    return ", ".join([f"{proven} {result.value:.1f}", *counts]) + (f": {line}" if line else "")


def shown_line(line: Sequence[Term]) -> str:
    """The first moves of a line."""
    more = ["…"] if len(line) > LONGEST_LINE else []
    return " ".join([*map(str, line[:LONGEST_LINE]), *more])


def rate(result: SearchResult) -> str:
    """How fast a search was: nodes a second, or playouts where it counts no nodes."""
    count, unit = (result.nodes, "nodes") if result.nodes else (result.playouts, "playouts")
    return f"{count / max(result.seconds, 1e-9):,.0f} {unit}/s"
