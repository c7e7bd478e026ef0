"""Endgame tables in play: where a table of the game is kept, positions with few pieces are played by it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from gamemaster.errors import StrategyError, Unsuitable
from gamemaster.machine.game import Game, State
from gamemaster.players.minds import Mind, MindOwner
from gamemaster.search.budget import Budget
from gamemaster.search.result import SearchResult

if TYPE_CHECKING:
    from gamemaster.solving.endgame.table import EndgameTable

__all__ = ["Endgame", "kept_table", "played_by"]


def kept_table(game: Game) -> EndgameTable | None:
    """The endgame table of a game that is kept on this machine, if there is one."""
    from gamemaster.codegen.cache import cache_folder

    if not (
        cache_folder() / "endgames"
    ).is_dir():  # most machines have none, and need not load what reads them
        return None
    from gamemaster.solving.endgame.files import find_table

    return find_table(game)


def played_by(table: EndgameTable, state: State, role: str) -> SearchResult | None:
    """What a table says of a state, as the result of a search; None where it does not know, or can no more be read."""
    began = time.perf_counter()
    try:
        counsel = table.advise(state, role)
    except StrategyError:
        return None
    if counsel is None or counsel.move is None:
        return None
    return SearchResult(
        "endgame table",
        role,
        counsel.move,
        float(counsel.value),
        {counsel.move: float(counsel.value)},
        depth=counsel.distance or 0,
        seconds=time.perf_counter() - began,
        is_proven=True,
        notes=counsel.why,
    )


class Endgame(Mind):
    """Positions with few pieces, by the table that is kept of the game."""

    def __init__(self, player: MindOwner) -> None:
        super().__init__(player)
        self.table = kept_table(player.game)

    def think(self, state: State, budget: Budget) -> SearchResult:
        """The move of the table; Unsuitable where it does not know."""
        del budget
        result = None if self.table is None else played_by(self.table, state, self.player.role)
        if result is None:
            raise Unsuitable(f"no endgame table of {self.player.game.name} knows this state")
        return result

    @property
    def findings(self) -> str:
        """Which table there is."""
        if self.table is None:
            return ""
        told = self.table.figures
        return f"an endgame table: {told.positions:,} positions with up to {told.pieces} pieces"
