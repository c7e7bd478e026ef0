"""Games made ready for searches in machine code, however long that takes: nothing that tests measure."""

from __future__ import annotations

from gamemaster.machine.compiled import CompiledGame
from gamemaster.machine.game import Game
from gamemaster.search.native import engine, warming

__all__ = ["make_ready"]

LONG = 600.0


def make_ready(game: Game) -> None:
    """Wait for everything that has to be compiled before a game can be searched."""
    assert warming.warm_up(LONG)
    if isinstance(game, CompiledGame):
        engine.make_ready(game, LONG)
        game.make_ready("play", LONG)
