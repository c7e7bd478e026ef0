"""Games made ready for searches in machine code, however long that takes: nothing that tests measure."""

from __future__ import annotations

from gamemaster.machine.compiled import CompiledGame
from gamemaster.machine.game import Game
from gamemaster.search.native.engine import is_ready, warm_up

__all__ = ["make_ready"]

LONG = 600.0


def make_ready(game: Game) -> None:
    """Wait for everything that has to be compiled before a game can be searched."""
    assert warm_up(LONG)
    if isinstance(game, CompiledGame):
        is_ready(game, LONG)
        game.is_ready("play", LONG)
