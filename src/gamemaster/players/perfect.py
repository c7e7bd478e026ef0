"""The player that cannot be beaten, in games that are small enough: it plays by labels of all positions."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from gamemaster.errors import LimitExceeded, ParameterError, StrategyError, Unsuitable
from gamemaster.language.terms import Term
from gamemaster.machine.game import State
from gamemaster.players.player import Player, thinking_time
from gamemaster.search.result import SearchResult

if TYPE_CHECKING:
    from gamemaster.solving.table import LabelTable

__all__ = ["Perfect"]

CODE_SHARE = 0.2
"""How much of its time it waits for machine code of the game."""


class Perfect(Player):
    """Perfect play: it labels all positions of the game before the first move.

    Never gets less than its role is sure of, wins as soon as it can, and loses as late. `file` is a table that
    `gamemaster solve --save` wrote; without one the game is solved within the start clock, in so many megabytes of
    `memory`. Refuses games that are too large for that, and chance, hidden information and simultaneous moves.
    """

    in_machine_code = ("labels",)

    def __init__(self, seed: int | None = None, file: str = "", memory: int = 1024) -> None:
        super().__init__(seed)
        self.file, self.memory = file, memory
        self._table: LabelTable | None = None
        if file:
            _check_file(file)

    def prepare(self) -> None:
        """Read the table, or make it."""
        began = time.monotonic()
        if self.file:
            self._table = self._loaded()
        else:
            self._table = self._solved(self.game.initial_state(), began + thinking_time(self.startclock))

    def _loaded(self) -> LabelTable:
        """The table of the file; Unsuitable where it is of other rules, or damaged since."""
        from gamemaster.solving.files import load_table

        try:
            return load_table(self.file, self.game)
        except StrategyError as error:
            raise Unsuitable(f"{self.name} cannot play {self.game.name}: {error}") from None

    def _solved(self, state: State, deadline: float) -> LabelTable:
        """The labels of all that can come of a state; Unsuitable where they take too long, or too much."""
        from gamemaster.solving.door import solvable
        from gamemaster.solving.positions import SolveLimits, Stage
        from gamemaster.solving.solver import prepare_solver, solve_table

        game = solvable(self.game)
        left = deadline - time.monotonic()
        if not prepare_solver(game, left):
            raise Unsuitable(f"{self.name} cannot play {game.name}: what it takes is still being compiled")

        def tell(stage: Stage) -> None:
            if time.monotonic() > deadline:
                raise Unsuitable(
                    f"{self.name} cannot play {game.name}: more than {stage.done:,} positions are not solved in "
                    f"{left:.3g} s"
                )

        limits = SolveLimits(self.memory << 20, stays_in_memory=True)
        try:
            return solve_table(game, [state], limits=limits, tell=tell, code_seconds=left * CODE_SHARE)
        except LimitExceeded as error:
            raise Unsuitable(f"{self.name} cannot play {game.name}: {error}") from None

    @property
    def findings(self) -> str:
        """The game in a line."""
        return str(self._table) if self._table else ""

    def choose(self, state: State) -> Term | None:
        """What the labels say; a state from which the game did not begin is solved by itself."""
        began = time.monotonic()
        if self._table is None or not self._table.knows(state):
            self._table = self._solved(state, began + (self.budget.seconds or thinking_time(self.playclock)))
        counsel = self._table.strategy(self.role).advise(state)
        role = self.game.roles.index(self.role)
        values = {move: float(label.sure[role] or 0) for move, label in self._table.moves(state).items()}
        self.last_result = SearchResult(
            "perfect",
            self.role,
            counsel.move,
            float(counsel.value),
            values,
            depth=counsel.distance or 0,
            nodes=len(self._table),
            seconds=time.monotonic() - began,
            is_proven=True,
            notes=counsel.why,
            state=state,
        )
        return counsel.move

    def stop(self, moves: Any = None) -> Literal[False]:
        """Let go of the table."""
        self._table = None
        return super().stop(moves)

    def abort(self) -> Literal[False]:
        """Let go of the table."""
        self._table = None
        return super().abort()


def _check_file(file: str) -> None:
    """ParameterError where a file is no table of labels: better before a match than in it."""
    from gamemaster.solving.files import check_loadable

    try:
        check_loadable(Path(file))
    except StrategyError as error:
        raise ParameterError(f"file of perfect: {error}") from None
