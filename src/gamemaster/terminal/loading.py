"""A game for a command: the same as `gamemaster.load`, and whoever waits for it sees what for.

Most games are there in a moment. Where rules take long to compile a bar says so, and where they do not compile at
all a line says why the game is slow.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager

from gamemaster.load import MachineName
from gamemaster.load import load as load_game
from gamemaster.machine.game import Game
from gamemaster.terminal.progress import MOMENT, waiting
from gamemaster.terminal.report import report_text

__all__ = ["load", "shown_after"]


def load(name: str, machine: MachineName = "auto") -> Game:
    """The game of that name or file, with a bar after a moment and a note where it runs on the slow machine."""
    with shown_after(MOMENT, waiting(f"compiling the rules of {name}, once for this machine")):
        game = load_game(name, machine)
    if machine == "auto" and game.machine.name == "reference":
        report_text(f"note: {name} runs on the reference machine, which is slow: {game.machine.reason}")
    return game


@contextmanager
def shown_after(seconds: float, shown: AbstractContextManager[None]) -> Iterator[None]:
    """Have something shown from that many seconds on, if the block has not ended by then."""
    stack = ExitStack()
    timer = threading.Timer(seconds, stack.enter_context, [shown])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        stack.close()
