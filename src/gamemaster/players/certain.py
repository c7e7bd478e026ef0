"""Play by a proof, which is found in the start clock: for hidden games that a role wins whatever the others do.

`Certain` follows what its player did and saw, and makes the moves of the proof. Where another role is the one that
wins, it says nothing: whoever plays against a proof can but hope.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Protocol

from gamemaster.language.terms import Term
from gamemaster.machine.game import RANDOM, Game
from gamemaster.players.believing import InformationSets
from gamemaster.players.player import Heard, percepts_told
from gamemaster.search.budget import Budget
from gamemaster.search.goals import goals_in
from gamemaster.search.hidden import ismcts
from gamemaster.search.result import SearchResult

if TYPE_CHECKING:
    from gamemaster.search.hidden.lanes import LaneParticles
    from gamemaster.search.hidden.sure import SureWin

__all__ = ["Certain", "certain_for"]

SHARE = 0.6
"""How much of the time goes to a proof, where trees make it look likely."""

HOPE = 0.9
"""A role that expects this share of its most is likely to get that for sure; what others then expect is the rest."""


class CertainPlayer(Protocol):
    """What a proof needs of the player that goes by it."""

    game: Game
    role: str
    heard: list[Heard] | None


def certain_for(player: CertainPlayer, sets: InformationSets, budget: Budget) -> Certain | None:
    """What plays by a proof that a role gets its most for sure; None where none is found in time.

    Looked for where trees that have grown expect one. The player is one that need not be kept, a weak proxy.
    """
    trees, game = sets.trees, player.game
    if isinstance(trees, ismcts.Trees) or game.compiled is None:
        return None
    from gamemaster.search.hidden.sure import SureWin

    deadline = time.monotonic() + (budget.seconds or 0.0) * SHARE
    for role in (role for role in game.roles if role != RANDOM):
        expected = trees.expected(role)
        if expected is not None and expected >= HOPE:
            sure = SureWin(game.compiled, role, partial(trees.chances, role))
            if sure.prove(sure.sets.initial(), deadline - time.monotonic()):
                return Certain(player, sure, role)
    return None


class Certain:
    """A role by a proof, through a match; `winner` is the role that gets its most for sure."""

    def __init__(self, player: CertainPlayer, sure: SureWin, winner: str) -> None:
        self.player, self.sure, self.winner = player, sure, winner
        self.states: LaneParticles | None = sure.sets.initial()
        self.followed = 0

    def think(self, legal: Sequence[Term]) -> SearchResult | None:
        """The move of the proof; None where another role wins, or the match has left what was proven."""
        if self.winner != self.player.role or self.player.heard is None:
            return None
        steps = self.player.heard[self.followed :]
        for step, then in zip(steps, [*(step.legal for step in steps[1:]), legal], strict=False):
            self.states = self._after(step, then)
            self.followed += 1
        move = None if self.states is None else self.sure.move(self.states)
        if move is None or move not in legal:
            return None
        value = goals_in(self.player.game, self.player.role).ceiling
        return SearchResult(
            "proof",
            self.player.role,
            move,
            value,
            {move: value},
            line=(move,),
            nodes=self.sure.looked,
            is_proven=True,
            chances={move: 1.0},
            notes=self.summary,
        )

    def _after(self, step: Heard, legal: Sequence[Term]) -> LaneParticles | None:
        """Where the game can be after a step, where the role has these moves; None where that was not proven."""
        if self.states is None or self.sure.move(self.states) != step.own:
            return None
        seen = percepts_told(self.player.role, self.player.game.initial_state(), step.told)
        return self.sure.sets.seen(self.states, step.own, seen, legal)

    @property
    def exploitability(self) -> float:
        """Nothing is to be gained on who wins for sure, nor on who would lose to a proof anyway."""
        return 0.0

    @property
    def summary(self) -> str:
        """What was proven, in a line."""
        return (
            f"{self.winner} wins for sure, whatever the others do: proven in {len(self.sure.proven):,} steps"
        )
