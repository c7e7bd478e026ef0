"""A bar that fills while somebody thinks, in a terminal; and what they thought, in a line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager

from gamemaster.language.terms import Term
from gamemaster.machine.compiled import CompiledGame
from gamemaster.machine.game import Game
from gamemaster.search.result import SearchResult
from gamemaster.terminal.screen import console_of, is_terminal

__all__ = ["get_ready", "in_words", "rate", "shown_line", "thinking", "waiting"]

REFRESHES = 8
"""A second."""

LONGEST_LINE = 8
"""Of a line so many moves are shown."""


MOMENT, LONGEST_WAIT = 0.3, 10.0
"""What takes no longer needs no bar; a game's own code is faster once it is compiled, but does without meanwhile."""


def thinking(who: str, seconds: float | None, *, is_shown: bool = True) -> AbstractContextManager[None]:
    """Show a bar while somebody thinks, in a terminal.

    They do so in this thread, so that Ctrl-C reaches them; rich draws in one of its own.
    """
    return waiting(f"{who} thinks", seconds, is_shown=is_shown and is_terminal())


def get_ready(game: Game, kinds: Sequence[str]) -> None:
    """Have the machine code that searches of a game take, before any clock runs; a bar says what for."""
    if not kinds or not isinstance(game, CompiledGame):
        return
    from gamemaster.search import native

    if not native.is_native(game) or native.is_at_hand(game, MOMENT, kinds):
        return
    with waiting("compiling searches, once for this machine"):
        native.warm_up(None, kinds)
    with waiting(f"compiling {game.name}, once for this machine"):
        native.get_ready(game, *kinds)
        native.engine_of(game).wait(LONGEST_WAIT)


@contextmanager
def waiting(text: str, seconds: float | None = None, *, is_shown: bool = True) -> Iterator[None]:
    """Show a bar until the block ends: of the time that has passed, or just moving where there is no limit.

    It is seen where anybody sees it, whatever becomes of the output.
    """
    is_error = not is_terminal()
    if not is_shown or not is_terminal(is_error=is_error):
        yield
        return
    from rich.progress import Progress, ProgressColumn, Task, TextColumn, TimeElapsedColumn
    from rich.progress_bar import ProgressBar

    class Passed(ProgressColumn):
        def render(self, task: Task) -> ProgressBar:
            passed = task.elapsed or 0.0
            return ProgressBar(total=seconds, completed=min(passed, seconds or passed), width=40)

    columns = TextColumn("{task.description}"), Passed(), TimeElapsedColumn()
    console = console_of(is_error=is_error)
    with Progress(*columns, console=console, transient=True, refresh_per_second=REFRESHES) as progress:
        progress.add_task(text)
        yield


def in_words(result: SearchResult) -> str:
    """A result in a line: what the move is worth, how much was searched, how fast, what should follow, caveats."""
    proven = "proven value" if result.is_proven else "value"
    counts = [f"depth {result.depth}"] if result.depth else []
    counts += [rate(result)] if result.nodes or result.playouts else []
    line = shown_line(result.line)
    return "; ".join(
        [
            ", ".join([f"{proven} {result.value:.1f}", *counts]) + (f": {line}" if line else ""),
            *result.caveats,
        ]
    )


def shown_line(line: Sequence[Term]) -> str:
    """The first moves of a line."""
    more = ["…"] if len(line) > LONGEST_LINE else []
    return " ".join([*map(str, line[:LONGEST_LINE]), *more])


def rate(result: SearchResult) -> str:
    """How fast a search was: nodes a second, or playouts where it counts no nodes."""
    count, unit = (result.nodes, "nodes") if result.nodes else (result.playouts, "playouts")
    return f"{count / max(result.seconds, 1e-9):,.0f} {unit}/s"
