"""Play by an equilibrium, which is found in the start clock: for games whose histories fit, and that are uncertain.

A `Mixture` follows in the tree what its player did and saw, and draws each move as likely as the profile says. Where it
cannot follow (the player came late, or saw what cannot be) it says nothing, and others think.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TYPE_CHECKING, Protocol

from gamemaster.errors import StrategyError, Unsuitable
from gamemaster.language.terms import Term
from gamemaster.machine.game import Game, State
from gamemaster.players.minds import Mind
from gamemaster.players.player import Heard, moves_told, percepts_told
from gamemaster.search.budget import Budget
from gamemaster.search.result import SearchResult
from gamemaster.search.suitable import is_uncertain

if TYPE_CHECKING:
    from gamemaster.solving.equilibrium.equilibrium import Equilibrium

__all__ = ["SHARE", "Mixing", "Mixture", "mixture_for"]

SHARE = 0.4
"""How much of the start clock goes to it where there are other ways of thinking that want some."""

GOOD = 1.0
"""A profile that is more exploitable, in goals, is not played by: it is far from an equilibrium."""

MOST_HISTORIES, MOST_BYTES = 1_500_000, 512 << 20


class MixingPlayer(Protocol):
    """What a mixture needs of the player whose it is."""

    game: Game
    role: str
    generator: Random
    heard: list[Heard] | None


def mixture_for(player: MixingPlayer, budget: Budget) -> Mixture | None:
    """What plays by an equilibrium, if one is found in time; None where not, or where moves can be sure.

    The player is one that need not be kept, a weak proxy.
    """
    if not is_uncertain(player.game):
        return None
    from gamemaster.solving.equilibrium.solver import equilibrium_for
    from gamemaster.solving.equilibrium.tree import TreeLimits

    found = equilibrium_for(player.game, budget, TreeLimits(MOST_HISTORIES, MOST_BYTES))
    return None if found is None or found.exploitability > GOOD else Mixture(player, found)


class Mixture:
    """A role by an equilibrium, through a match."""

    def __init__(self, player: MixingPlayer, found: Equilibrium) -> None:
        self.player = player
        self.found = found
        self.counsellor = found.counsellor(player.role)
        self.state = player.game.initial_state()
        self.followed = 0

    def think(self, legal: Sequence[Term], state: State | None = None) -> SearchResult | None:
        """A move of these, drawn; None where the profile cannot say, or the match is in another state."""
        try:
            self._follow()
            if state is not None and state != self.state:
                return None
            return self._drawn(self.counsellor.hear(legal))
        except StrategyError:
            return None

    def _follow(self) -> None:
        """Go on to where the match is."""
        if self.player.heard is None:
            raise StrategyError(f"{self.player.role} came late: what was done before is not known")
        for step in self.player.heard[self.followed :]:
            self.counsellor.hear(step.legal)
            self.counsellor.see(self._own(step), percepts_told(self.player.role, self.state, step.told))
            if not self.player.game.has_percepts:
                self.state = self.state.next(moves_told(self.state, step.told))
            self.followed += 1

    def _own(self, step: Heard) -> Term | None:
        """The move that was made: where all are told, the referee's if it made another."""
        if self.player.game.has_percepts:
            return step.own
        joint = self.state.joint(moves_told(self.state, step.told))
        return joint[self.player.game.roles.index(self.player.role)]

    def _drawn(self, number: int) -> SearchResult:
        profile, role = self.found.profile, self.player.role
        chances, worths = profile.advise(number), profile.worth_of(number)
        move = self.player.generator.choices(list(chances), list(chances.values()))[0]
        if worths:
            value = sum(chance * worths[each] for each, chance in chances.items())
        else:
            value = self.found.values[role]
        shown = ", ".join(f"{each} {chance:.0%}" for each, chance in chances.items() if chance >= 0.005)
        return SearchResult(
            "equilibrium",
            role,
            move,
            value,
            worths,
            is_proven=len(self.found.tree.choosers) == 1,
            chances=chances,
            notes=f"{self.summary}; here: {shown}",
        )

    @property
    def exploitability(self) -> float:
        """What somebody who knows the profile can gain on it."""
        return self.found.exploitability

    @property
    def summary(self) -> str:
        """What it plays by, in a line."""
        if len(self.found.tree.choosers) == 1:
            return "plays the best that there is against chance"
        return f"plays by an equilibrium, exploitable by {self.found.exploitability:.2g}"


class Mixing(Mind):
    """The same where the state is known: chance, or moves that are simultaneous."""

    mixture: Mixture | None = None

    def prepare(self, budget: Budget) -> None:
        """Look for an equilibrium in a part of the start clock."""
        seconds = budget.seconds or 0.0
        self.mixture = mixture_for(self.player, Budget(seconds=seconds * SHARE))

    def think(self, state: State, budget: Budget) -> SearchResult:
        """A move, drawn; Unsuitable where there is no equilibrium, or the match is elsewhere."""
        found = self.mixture.think(state.legal_moves(self.player.role), state) if self.mixture else None
        if found is None:
            raise Unsuitable(f"egghead has no equilibrium of {self.player.game.name} for this state")
        return found

    @property
    def summary(self) -> str:
        """What it plays by."""
        return self.mixture.summary if self.mixture else ""
