"""A bar that fills while somebody thinks, in a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager

from gamemaster.machine.game import Game
from gamemaster.search.suitable import code_for, kinds_for
from gamemaster.terminal.parted import Parted
from gamemaster.terminal.screen import console_of, is_terminal

__all__ = ["advancing", "counting", "get_ready", "label", "thinking", "waiting"]

REFRESHES = 8
"""A second."""

SHORTEST_BAR, LONGEST_BAR, CLOCK_WIDTH = 8, 40, 9
"""How wide a bar is, as far as what stands before it leaves room, and the time behind it with the gaps."""

MOMENT, LONGEST_WAIT = 0.3, 10.0
"""What takes no longer needs no bar; a game's own code is faster once it is compiled, but does without meanwhile."""


OVER = "over time"
"""What a bar says of somebody whose time has passed."""


def thinking(
    who: str, seconds: float | None, *, is_shown: bool = True, over: str = OVER
) -> AbstractContextManager[None]:
    """Show a bar while somebody thinks, in a terminal; `over` is what it says once their time has passed.

    Rich draws in a thread of its own, so this one hears Ctrl-C.
    """
    return waiting(f"{who} thinks", seconds, is_shown=is_shown and is_terminal(), over=over)


def get_ready(game: Game, kinds: Sequence[str]) -> None:
    """Have the machine code that searches of a game take, before any clock runs; a bar says what for."""
    kinds = kinds_for(game, kinds)
    if not kinds:
        return
    from gamemaster.search.native import warming
    from gamemaster.search.native.engine import engine_of

    searched = code_for(game, kinds)
    if warming.prepare_search(searched, MOMENT, kinds) if searched else warming.warm_up(MOMENT, kinds):
        return
    with waiting("compiling searches, once for this machine: a minute or two"):
        warming.warm_up(None, kinds)
    if searched is None:
        return
    with waiting(f"compiling {game.name}, once for this machine"):
        warming.get_ready(searched, *kinds)
        engine_of(searched).wait(LONGEST_WAIT)


@contextmanager
def waiting(
    text: str, seconds: float | None = None, *, is_shown: bool = True, over: str = OVER
) -> Iterator[None]:
    """Show a bar until the block ends: of the time that has passed, or just moving where there is no limit.

    It is seen where anybody sees it, whatever becomes of the output.
    """
    is_error = not is_terminal()
    if not is_shown or not is_terminal(is_error=is_error):
        yield
        return
    from rich.progress import Progress, ProgressColumn, Task, TimeElapsedColumn
    from rich.progress_bar import ProgressBar
    from rich.text import Text

    console = console_of(is_error=is_error)

    class Label(ProgressColumn):
        def render(self, task: Task) -> Text:
            return Text(label(text, task.elapsed or 0.0, seconds, over), no_wrap=True, overflow="ellipsis")

    class Passed(ProgressColumn):
        def render(self, task: Task) -> ProgressBar:
            passed = task.elapsed or 0.0
            room = console.width - len(label(text, passed, seconds, over)) - CLOCK_WIDTH
            size = max(SHORTEST_BAR, min(LONGEST_BAR, room))
            return ProgressBar(total=seconds, completed=min(passed, seconds or passed), width=size)

    columns = Label(), Passed(), TimeElapsedColumn()
    # Rich shows what is printed meanwhile above the bar, unless it is kept from the screen.
    is_shown = not isinstance(sys.stdout, Parted)
    with Progress(
        *columns,
        console=console,
        transient=True,
        refresh_per_second=REFRESHES,
        redirect_stdout=is_shown,
        redirect_stderr=is_shown,
    ) as progress:
        progress.add_task(text)
        yield


@contextmanager
def counting(text: str, total: int) -> Iterator[Callable[[int], None]]:
    """Show a bar of how many of so many things are done, until the block ends; call it with their number."""
    is_error = not is_terminal()
    if not is_terminal(is_error=is_error):
        yield lambda done: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn()
    console = console_of(is_error=is_error)
    with Progress(*columns, TimeRemainingColumn(), console=console, transient=True) as progress:
        task = progress.add_task(text, total=total)
        yield lambda done: progress.update(task, completed=done)


@contextmanager
def advancing(text: str) -> Iterator[Callable[[str, int, int | None], None]]:
    """Show a bar of work whose size is not known at first, until the block ends.

    Call it with what is done now, how much of it, and how much there will be, if anybody knows by then.
    """
    is_error = not is_terminal()
    if not is_terminal(is_error=is_error):
        yield lambda doing, done, total: None
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    columns = TextColumn("{task.description}", markup=False), BarColumn(), TextColumn("{task.completed:,.0f}")
    clocks = TimeElapsedColumn(), TimeRemainingColumn()
    with Progress(*columns, *clocks, console=console_of(is_error=is_error), transient=True) as progress:
        task = progress.add_task(text, total=None)

        def advance(doing: str, done: int, total: int | None) -> None:
            progress.update(task, description=doing, completed=done, total=total)

        yield advance


def label(text: str, passed: float, seconds: float | None, over: str = OVER) -> str:
    """What stands before a bar: what is waited for, and that it takes longer than it may."""
    return f"{text}: {over}" if seconds is not None and passed > seconds else text
