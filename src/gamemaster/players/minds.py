"""Ways of thinking about a game, of which egghead takes those that suit it; the strongest is in forest.py."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from random import Random
from typing import TYPE_CHECKING, Protocol
from weakref import proxy

from gamemaster.machine.game import Game, State
from gamemaster.players.pondering import LONGEST
from gamemaster.search.budget import Budget, Halt
from gamemaster.search.catalogue import find_algorithm
from gamemaster.search.result import SearchResult
from gamemaster.search.suitable import JOINT, PUZZLES, kinds_for, may_choose_at_once

if TYPE_CHECKING:
    from gamemaster.search.playouts.joint_lanes import JointGraphs

__all__ = ["IN_MACHINE_CODE", "Joint", "Mind", "MindOwner", "PlainUct", "prepare_machine_code"]

IN_MACHINE_CODE = ("mcts", "solver", "learning", PUZZLES)
"""The kinds of kernels that minds take, as far as those take the game."""

WAITING_SHARE = 0.7
"""How much of the start clock may go to waiting for machine code of joint moves."""


def prepare_machine_code(game: Game, seconds: float) -> bool:
    """Have searches in machine code compiled, if they take a game; whether they are, after so long at most."""
    kinds = kinds_for(game, IN_MACHINE_CODE)
    if not kinds:
        return False
    from gamemaster.search.native.warming import prepare_search

    return prepare_search(game, seconds, kinds)


class MindOwner(Protocol):
    """What a mind needs of the player whose it is."""

    game: Game
    role: str
    generator: Random
    threads: int
    """How many cores it thinks on."""
    has_experience: bool
    """Whether it may use what was learnt of the game before."""

    memory: int
    """Megabytes for its trees."""


class Mind(ABC):
    """One way of thinking about a game."""

    def __init__(self, player: MindOwner) -> None:
        self.player = proxy(player)  # a circle would keep trees in memory long after their player has gone

    def prepare(self, budget: Budget) -> None:  # noqa: B027 - a mind need not prepare
        """Use the start clock."""

    @abstractmethod
    def think(self, state: State, budget: Budget) -> SearchResult:
        """The move to make; Unsuitable where this mind cannot say."""

    def ponder(self, state: State, stop: Halt) -> bool:
        """Think ahead until told to stop; whether this mind does such a thing."""
        return False

    @property
    def findings(self) -> str:
        """What it found out before the first move, for people to read."""
        return ""

    @property
    def summary(self) -> str:
        """The same in a few words."""
        return ""


class Joint(Mind):
    """Decoupled search, for simultaneous moves and chance: in machine code as soon as that is there, a graph a core."""

    graphs: JointGraphs | None = None

    def prepare(self, budget: Budget) -> None:
        """Let the graphs grow from the start of the game, before the first move."""
        began, seconds = time.perf_counter(), budget.seconds or 0.0
        if may_choose_at_once(self.player.game) and self._is_ready(seconds * WAITING_SHARE):
            assert self.graphs is not None
            self.graphs.grow(self.player.game.initial_state(), budget.since(began))

    def think(self, state: State, budget: Budget) -> SearchResult:
        """What it finds in the time."""
        if self._is_ready(0.0):
            assert self.graphs is not None
            return self.graphs.search(state, self.player.role, budget)
        seed, game = self.player.generator.getrandbits(32), self.player.game
        found = find_algorithm("decoupled")(state, self.player.role, budget, seed=seed, lanes=False)
        return found if game.compiled is None else found.noted(_caveat_of(game))

    def ponder(self, state: State, stop: Halt) -> bool:
        """Let the graphs grow, where there are any."""
        if self.graphs is not None:
            self.graphs.grow(state, Budget(seconds=LONGEST), stop)
        return self.graphs is not None

    def _is_ready(self, seconds: float) -> bool:
        """Have the graphs made if they can be had in so long; whether they are there."""
        game = self.player.game.compiled
        if self.graphs is None and game is not None:
            from gamemaster.search.playouts.joint_lanes import JointGraphs, are_joint_lanes_ready

            if are_joint_lanes_ready(game, seconds):
                self.graphs = JointGraphs(game, self.player.generator.getrandbits(32), self.player.threads)
        return self.graphs is not None


def _caveat_of(game: Game) -> str:
    """What a result notes that was found without machine code."""
    from gamemaster.search.native.warming import caveat_of

    return caveat_of(game, (JOINT,))


class PlainUct(Mind):
    """UCT in Python, for any machine."""

    def think(self, state: State, budget: Budget) -> SearchResult:
        """What it finds in the time."""
        seed = self.player.generator.getrandbits(32)
        return find_algorithm("uct")(state, self.player.role, budget, seed=seed)
