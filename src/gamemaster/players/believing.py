"""Players of hidden games that go by where the game can be: a search over beliefs, under its name.

Where what was seen fits nothing, they search where the role has its moves in random games, and say so.
"""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Sequence
from random import Random
from typing import TYPE_CHECKING, Any, Literal, Protocol
from weakref import proxy

from gamemaster.language.terms import Term
from gamemaster.machine.game import Game, State
from gamemaster.players.player import Player
from gamemaster.search.budget import Budget
from gamemaster.search.hidden import ismcts, pimc
from gamemaster.search.hidden.beliefs import Beliefs, Steps, guessed
from gamemaster.search.parameters import Parameter, check_known, check_values, parameters_of
from gamemaster.search.result import GUESSED, NOT_SEARCHED, SearchResult

if TYPE_CHECKING:
    from gamemaster.search.hidden.lane_trees import LaneTrees

__all__ = ["HiddenMind", "InformationSets", "Ismcts", "Pimc"]

WAITING_SHARE, GROWING_SHARE, LAST_SHARE = 0.7, 0.3, 0.9
"""How much of the start clock may go to waiting for machine code, and how much of the rest to trees that grow: at
first, and of what is left once it is seen what they have found."""

GUESSING_SHARE = 0.3
"""How much of a move's time goes to random games where nothing is known of the state."""


class BelievingPlayer(Protocol):
    """What a search over beliefs needs of the player whose it is."""

    game: Game
    role: str
    generator: Random
    beliefs: Beliefs | None
    budget: Budget


def believed_or_guessed(player: BelievingPlayer, legal: Sequence[Term]) -> tuple[Beliefs | None, str]:
    """Where the game can be, or may be, and what is to be noted of it."""
    if player.beliefs is not None:
        return player.beliefs, ""
    seconds = (player.budget.seconds or 0.0) * GUESSING_SHARE
    return guessed(player.game, player.role, legal, player.generator, seconds), GUESSED


def unsearched(player: BelievingPlayer, legal: Sequence[Term]) -> SearchResult:
    """Any move, where there is nothing to think with, or no time."""
    return SearchResult("none", player.role, player.generator.choice(legal), 0.0, notes=NOT_SEARCHED)


class HiddenMind(Protocol):
    """One way of thinking about a game that hides its state."""

    def think(self, legal: Sequence[Term]) -> SearchResult | None:
        """The move to make, of these; None where this mind cannot say."""


class InformationSets:
    """Trees of what roles know, kept from move to move: the information-set search of a player.

    In lanes as soon as all that this takes is there. What the trees say of others is how they are believed to play.
    """

    def __init__(self, player: BelievingPlayer, options: ismcts.IsmctsOptions | None = None) -> None:
        self.player = proxy(player)  # a circle would keep trees in memory long after their player has gone
        self.options = options or ismcts.IsmctsOptions()
        self.seed = player.generator.getrandbits(32)
        self.trees = self._new_trees(0.0)
        self.steps: Steps | None = None

    def inform(self, beliefs: Beliefs) -> None:
        """Others play as the trees say; and where those are in lanes, beliefs are too."""
        beliefs.model = self.trees
        if self.steps is None and not isinstance(self.trees, ismcts.Trees):
            self.steps = self.trees.new_steps()
        beliefs.steps = self.steps

    def prepare(self, budget: Budget) -> None:
        """Let the trees grow from the start of the game, before the first move."""
        began, seconds = time.perf_counter(), budget.seconds or 0.0
        self.trees = self._new_trees(seconds * WAITING_SHARE)
        self.grow(budget.since(began), GROWING_SHARE)

    def grow(self, budget: Budget, share: float = LAST_SHARE) -> None:
        """Let the trees grow on, for a share of what is left of the start clock."""
        seconds = (budget.seconds or 0.0) * share
        if not isinstance(self.trees, ismcts.Trees) and seconds > 0:
            start = Beliefs(self.player.game, self.player.role, self.player.generator)
            self.trees.grow(start, Budget(seconds=seconds))

    def think(self, legal: Sequence[Term]) -> SearchResult:
        """The move to make, of these, in what is left of the player's budget."""
        began = time.perf_counter()
        if isinstance(self.trees, ismcts.Trees):
            self.trees = self._new_trees(0.0)
        beliefs, note = believed_or_guessed(self.player, legal)
        if beliefs is None:
            return unsearched(self.player, legal).noted(note)
        found = self.trees.search(beliefs, self.player.budget.since(began), legal)
        return found.noted(note, told(beliefs))

    def _new_trees(self, seconds: float) -> ismcts.Trees | LaneTrees:
        """Trees in lanes, if they can be had in so long; those of before where they would be no better."""
        made = ismcts.new_trees(self.player.game, self.seed, self.options, seconds)
        kept = getattr(self, "trees", None)
        return kept if kept is not None and isinstance(made, ismcts.Trees) else made


def new_steps(game: Game, seconds: float) -> Steps | None:
    """Steps of beliefs in machine code, if they can be had in so long."""
    if game.compiled is None:
        return None
    from gamemaster.search.hidden.lane_trees import LaneSteps, are_lanes_ready

    return LaneSteps(game.compiled) if are_lanes_ready(game.compiled, seconds) else None


def told(beliefs: Beliefs) -> str:
    """What is believed, in a line: how many states there are, and how likely the likeliest if others are less so."""
    states = beliefs.likeliest(2)
    shown = f"believes: {beliefs}"
    if len(states) > 1 and states[0][1] > 1.01 * states[1][1]:
        shown += f"; the likeliest {states[0][1]:.0%}"
    return shown


class Believer(Player):
    """A search over beliefs as a player."""

    needs_state = False
    believes = True
    in_machine_code = ("ismcts",)
    algorithm: str

    def __init__(self, seed: int | None = None, **parameters: Any) -> None:
        super().__init__(seed)
        self.parameters = parameters
        if parameters:
            check_known(self.algorithm, self.known_parameters(), parameters)
            check_values(self.algorithm, parameters)

    @classmethod
    def known_parameters(cls) -> dict[str, Parameter]:
        """What it can be told: the parameters of its search."""
        return parameters_of(cls.algorithm)

    def choose(self, state: State) -> Term | None:
        """What the search finds in a state that is known."""
        self.last_result = self._searched(state)
        return self.last_result.move

    def choose_from(self, legal: Sequence[Term]) -> Term | None:
        """What the search finds where the game can be."""
        self.last_result = self._believed(legal)
        return self.last_result.move

    @abstractmethod
    def _searched(self, state: State) -> SearchResult: ...

    @abstractmethod
    def _believed(self, legal: Sequence[Term]) -> SearchResult: ...


class Pimc(Believer):
    """Perfect-information sampling: searches each state that can be as if it were known, and takes the best mean.

    Expects to see everything from the next move on, so it overvalues guesses and never pays to look. Plays every game.
    """

    algorithm = "pimc"
    _steps: Steps | None = None

    def prepare(self) -> None:
        """Have beliefs in machine code, if that is there in time."""
        if self.game.has_percepts:
            self._steps = new_steps(self.game, (self.budget.seconds or 0.0) * WAITING_SHARE)

    def inform(self, beliefs: Beliefs) -> None:
        """Others play by lot."""
        beliefs.steps = self._steps

    def _searched(self, state: State) -> SearchResult:
        return pimc.search(state, self.role, self.budget, self.generator.getrandbits(32))

    def _believed(self, legal: Sequence[Term]) -> SearchResult:
        began = time.perf_counter()
        beliefs, note = believed_or_guessed(self, legal)
        if beliefs is None:
            return unsearched(self, legal).noted(note)
        budget, seed = self.budget.since(began), self.generator.getrandbits(32)
        return pimc.search_beliefs(beliefs, budget, seed, legal=legal).noted(note, told(beliefs))


class Ismcts(Believer):
    """Information-set Monte Carlo tree search: a tree for each role, of what that role knows.

    Looks, hides and guesses for what that is worth. Plays every game.
    """

    algorithm = "ismcts"
    _sets: InformationSets | None = None

    def prepare(self) -> None:
        """Make the trees, and let them grow."""
        if self.game.has_percepts:
            self._sets = InformationSets(self, ismcts.IsmctsOptions(**self.parameters))
            began = time.perf_counter()
            self._sets.prepare(self.budget)
            self._sets.grow(self.budget.since(began))

    def inform(self, beliefs: Beliefs) -> None:
        """Others play as the trees say."""
        if self._sets is not None:
            self._sets.inform(beliefs)

    def _searched(self, state: State) -> SearchResult:
        return ismcts.search(state, self.role, self.budget, self.generator.getrandbits(32), **self.parameters)

    def _believed(self, legal: Sequence[Term]) -> SearchResult:
        assert self._sets is not None
        return self._sets.think(legal)

    def stop(self, moves: Any = None) -> Literal[False]:
        """Let go of the trees."""
        self._sets = None
        return super().stop(moves)

    def abort(self) -> Literal[False]:
        """Let go of the trees."""
        self._sets = None
        return super().abort()
