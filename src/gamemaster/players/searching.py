"""Players that are a search with its parameters: one small class each."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from gamemaster.errors import Unsuitable
from gamemaster.language.terms import Term
from gamemaster.machine.game import Game, State
from gamemaster.players.endgames import kept_table, played_by
from gamemaster.players.player import Player
from gamemaster.players.pondering import LONGEST
from gamemaster.search.budget import Budget, Halt
from gamemaster.search.native.options import MctsOptions
from gamemaster.search.parameters import (
    Parameter,
    check_known,
    check_values,
    parameters_of,
    parameters_of_callable,
    search_with,
)
from gamemaster.search.playouts.decoupled import DecoupledOptions, new_lanes
from gamemaster.search.result import SearchResult
from gamemaster.search.suitable import JOINT, is_native
from gamemaster.search.trees.deepening import Deepening

if TYPE_CHECKING:
    from gamemaster.search.native.mcts import NativeTree
    from gamemaster.search.playouts.joint_lanes import JointLanes
    from gamemaster.solving.endgame.table import EndgameTable

__all__ = ["Alphabeta", "Maximizer", "Mcs", "Mcts", "Searcher"]

WAITING = 0.1
"""How much of its time a player waits for machine code."""

TRIAL_SECONDS = 0.05
"""How long the trial before the match may search."""

TRIAL_STEPS = 100
"""How far a random game is followed to a state worth a trial."""


class Searcher(Player):
    """Whatever a search finds within the play clock.

    The first legal move if it finds none in time. Refuses what its search refuses: before the match it searches for a
    moment, which also compiles what it needs.
    """

    algorithm: str
    parameters: Mapping[str, Any] = {}

    def __init__(self, seed: int | None = None, **parameters: Any) -> None:
        super().__init__(seed)
        self.parameters = {**self.parameters, **parameters}
        if self.parameters:
            check_known(type(self).__name__.lower(), self.known_parameters(), self.parameters)
            check_values(self.algorithm, self.parameters)

    @classmethod
    def known_parameters(cls) -> dict[str, Parameter]:
        """What it can be told: the parameters of its search, and those of its class."""
        return {**parameters_of(cls.algorithm), **parameters_of_callable(cls)}

    def prepare(self) -> None:
        """Try the search where the role first has a choice in a random game."""
        state = self.game.initial_state()
        while len(state.legal_moves(self.role)) < 2 and not state.is_terminal and state.step < TRIAL_STEPS:
            state = state.next(state.random_moves(self.generator))
        if len(state.legal_moves(self.role)) > 1 and not state.is_terminal:
            self.search(state, Budget(seconds=min(TRIAL_SECONDS, self.startclock / 2)))

    def choose(self, state: State) -> Term | None:
        """What the search finds."""
        self.last_result = self.search(state, self.budget)
        return self.last_result.move or state.legal_moves(self.role)[0]

    def search(self, state: State, budget: Budget) -> SearchResult:
        """What the search finds within a budget."""
        search = search_with(self.algorithm, self.told(self.algorithm))
        return search(state, self.role, budget, seed=self.generator.getrandbits(32))

    def told(self, algorithm: str) -> dict[str, Any]:
        """Of its parameters those that a search has too, which may be another one than its class names."""
        if not self.parameters:
            return {}
        known, has = self.known_parameters(), parameters_of(algorithm)
        return {
            name: value
            for name, value in self.parameters.items()
            if name in has and has[name].kind == known[name].kind
        }


class Mcs(Searcher):
    """Monte Carlo search: the move after which random games end best.

    Plays random games after each of its moves, as many for one as for the other, until the clock runs out. Refuses
    only games that hide their state.
    """

    algorithm = "mcs"


class Mcts(Searcher):
    """Monte Carlo tree search: random games, more of them after moves that did well.

    The search `mcts`, which runs in machine code and keeps its tree from move to move, if it takes the game; else
    `uct`, which takes every machine, with chance if it moves alone; else `decoupled`, where several choose at once.
    `last_result` says which, and whether `uct` is there only until machine code is. Where an endgame table is kept,
    positions with few pieces are played by it. Refuses only games that hide their state.
    """

    algorithm = "mcts"
    in_machine_code = ("mcts", JOINT)
    choice: ClassVar[Sequence[str]] = ("mcts", "uct", "decoupled")
    _tree: NativeTree | None = None
    _lanes: JointLanes | None = None
    _endgame: EndgameTable | None = None

    def prepare(self) -> None:
        """Take the first search that takes the game."""
        self.algorithm, self._tree, self._endgame = self.choice[0], None, kept_table(self.game)
        self._lanes = None
        super().prepare()

    def search(self, state: State, budget: Budget) -> SearchResult:
        """What the endgame table says, else the search; from the first state on that it does not take, the next one."""
        began = time.perf_counter()
        known = None if self._endgame is None else played_by(self._endgame, state, self.role)
        if known is not None:
            return known
        while True:
            left = budget.since(began)
            try:
                return self._by_choice(state, left)
            except Unsuitable:
                if self.algorithm == self.choice[-1]:
                    raise
                self.algorithm = self.choice[self.choice.index(self.algorithm) + 1]

    def _by_choice(self, state: State, budget: Budget) -> SearchResult:
        """What the search finds that was taken, each with what it keeps."""
        if self.algorithm == "mcts":
            return self._grown(state, budget)
        return self._joint(state, budget) if self.algorithm == "decoupled" else super().search(state, budget)

    def _joint(self, state: State, budget: Budget) -> SearchResult:
        """What a graph in machine code says where several choose at once, which stays for the next move; or Python."""
        began, game = time.perf_counter(), state.game
        options = DecoupledOptions(**self.told("decoupled"))
        if self._lanes is None:
            waiting = (budget.seconds or 60.0) * WAITING
            self._lanes = new_lanes(game, self.generator.getrandbits(32), options, waiting)
        if self._lanes is not None:
            return self._lanes.search(state, self.role, budget.since(began))
        found = self._in_python(state, budget.since(began))
        if game.compiled is None:
            return found
        from gamemaster.search.native.warming import caveat_of

        return found.noted(caveat_of(game, (JOINT,)))

    def _grown(self, state: State, budget: Budget) -> SearchResult:
        """What a tree in machine code says, which stays for the next move."""
        from gamemaster.search.native.mcts import new_tree, search_in
        from gamemaster.search.native.warming import caveat_of

        began, game = time.perf_counter(), state.game
        if self._tree is None:
            if not self._prepare_tree(game, budget):
                found = self._in_python(state, budget.since(began))
                return found.noted(caveat_of(game, self.in_machine_code))
            self._tree = new_tree(state, self.generator.getrandbits(32), MctsOptions(**self.told("mcts")))
        return search_in(self._tree, state, self.role, budget.since(began))

    def ponder(self, state: State, stop: Halt) -> None:
        """Let the tree, or the graph, grow on the time of others, if there is one."""
        if self.algorithm == "mcts" and self._tree is not None:
            with suppress(Unsuitable):  # roles choose at once from here on
                self._tree.advance(state)
                self._tree.grow(None, until=stop)
        elif self._lanes is not None:
            self._lanes.grow(state, Budget(seconds=LONGEST).start(), stop)

    def _in_python(self, state: State, budget: Budget) -> SearchResult:
        """What is found until the tree can be had; who is asked then is another question."""
        began, seed = time.perf_counter(), self.generator.getrandbits(32)
        try:
            return search_with("uct", self.told("uct"))(state, self.role, budget, seed=seed)
        except Unsuitable:
            search = search_with("decoupled", {**self.told("decoupled"), "lanes": False})
            return search(state, self.role, budget.since(began), seed=seed)

    def _prepare_tree(self, game: Game, budget: Budget) -> bool:
        """Have a tree in machine code made possible, if it is at all; whether it is now."""
        from gamemaster.search.native.warming import prepare_search

        if not is_native(game, with_chance=True):
            return True  # and is refused by it
        return prepare_search(game, (budget.seconds or 60.0) * WAITING, self.in_machine_code)

    def stop(self, moves: Any = None) -> Literal[False]:
        """Let go of the tree."""
        self.rest()
        self._tree = self._lanes = None
        return super().stop(moves)

    def abort(self) -> Literal[False]:
        """Let go of the tree."""
        self.rest()
        self._tree = self._lanes = None
        return super().abort()


class Maximizer(Searcher):
    """The move that leads to the best end, for games with one role.

    Searches all that can happen, as far as the clock allows. Refuses games with other roles or chance.
    """

    algorithm = "maximizer"


class Alphabeta(Searcher):
    """Alpha-beta, deeper and deeper for as long as the clock allows.

    Minimax without the branches that cannot matter; states at the limit are worth their goal. What it found out of
    states is kept from move to move; where an endgame table is kept, it is asked (`probe`).
    Refuses what the search `deepening` refuses: games of chance and of simultaneous moves.
    """

    algorithm = "deepening"
    _kept: Deepening | None = None
    _endgame: EndgameTable | None = None

    def prepare(self) -> None:
        """Begin with an empty table, and with the endgame table where one is kept."""
        self._kept, self._endgame = None, kept_table(self.game)
        super().prepare()

    def search(self, state: State, budget: Budget) -> SearchResult:
        """What the search finds, with what it knew before."""
        self._kept = self._kept or Deepening(self.algorithm)
        told = self.told(self.algorithm)
        if self._endgame is not None:
            told = {"probe": self._endgame.value, **told}
        search = search_with(self.algorithm, told, self._kept.search)
        return search(state, self.role, budget, seed=self.generator.getrandbits(32))

    def stop(self, moves: Any = None) -> Literal[False]:
        """Let go of the table."""
        self._kept = None
        return super().stop(moves)

    def abort(self) -> Literal[False]:
        """Let go of the table."""
        self._kept = None
        return super().abort()
