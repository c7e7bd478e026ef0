"""`gamemaster perft`: how many sequences of moves there are of each length, and whether that is right."""

from __future__ import annotations

import json
import time
from types import TracebackType
from typing import TYPE_CHECKING

from gamemaster.games.variants import choose
from gamemaster.machine.arguments import whole_number
from gamemaster.machine.game import MAX_LENGTH
from gamemaster.machine.perft import PerftCount, are_right, perft_counts, perft_data
from gamemaster.terminal.loading import load
from gamemaster.terminal.screen import console_of, is_terminal
from gamemaster.terminal.tables import print_table

if TYPE_CHECKING:
    from rich.progress import Progress

__all__ = ["count_moves"]

DEFAULT_DEPTH = 3
SLOW_SECONDS = 1.0
"""A count that takes longer shows how far it is."""


def count_moves(name: str, depth: int | None, *, as_json: bool) -> bool:
    """Print the counts of a game; whether they are those that the library has for it."""
    game = load(name)
    choice = choose(name)
    expected = choice.perft if choice else ()
    steps = whole_number("depth", depth or len(expected) or DEFAULT_DEPTH, least=1, most=MAX_LENGTH)
    with _ProgressBar() as bar:
        counts = list(perft_counts(game, steps, bar.show))
    if as_json:
        print(json.dumps(perft_data(game, counts, expected)))
    else:
        _print(counts, expected)
    return are_right(counts, expected)


class _ProgressBar:
    """A bar on stderr, for people, once counting has taken a while."""

    def __init__(self) -> None:
        self.began = time.perf_counter()
        self.bar: Progress | None = None

    def __enter__(self) -> _ProgressBar:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        if self.bar:
            self.bar.stop()

    def show(self, depth: int, done: int, total: int) -> None:
        """Show that so many states of that depth are done."""
        if self.bar:
            self.bar.update(self.bar.task_ids[0], description=f"depth {depth}", completed=done, total=total)
        elif time.perf_counter() - self.began > SLOW_SECONDS and is_terminal(is_error=True):
            from rich.progress import Progress

            self.bar = Progress(console=console_of(is_error=True), transient=True)
            self.bar.add_task(f"depth {depth}", completed=done, total=total)
            self.bar.start()


def _print(counts: list[PerftCount], expected: tuple[int, ...]) -> None:
    headings = ["depth", "count", "seconds"]
    rows = [[str(each.depth), f"{each.count:,}", f"{each.seconds:.3f}"] for each in counts]
    if expected:
        headings.append("should be")
        for position, (row, each) in enumerate(zip(rows, counts, strict=True)):
            row.append(_verdict(each.count, expected[position]) if position < len(expected) else "")
    print_table(headings, rows, right=("depth", "count", "seconds"))


def _verdict(count: int, right: int) -> str:
    return f"{right:,}" if count == right else f"{right:,}  WRONG"
