"""Players that keep their tree from move to move: what they searched below the state that play reaches is not lost."""

from __future__ import annotations

from abc import abstractmethod

from gamemaster.errors import Unsuitable
from gamemaster.language.terms import Term
from gamemaster.machine.game import State
from gamemaster.players.classroom import refuse_unless_turns
from gamemaster.players.searching import Searcher
from gamemaster.search.budget import Budget
from gamemaster.search.catalogue import find_algorithm
from gamemaster.search.result import SearchResult
from gamemaster.search.trees.gametree import GameTree
from gamemaster.search.trees.greedy import greedy_tree
from gamemaster.search.trees.pts import persistent_tree

__all__ = ["Greedy", "Pts"]


class Grower(Searcher):
    """Whatever a tree finds that is kept from move to move. Refuses what its search refuses."""

    tree: GameTree | None = None

    @abstractmethod
    def plant(self, state: State, seed: int) -> GameTree:
        """A tree with nothing but its root."""

    def prepare(self) -> None:
        """Refuse a game in which several roles choose at once, try the search, forget the tree of another match."""
        refuse_unless_turns(self.game, self.name, self.generator, with_chance=True)
        super().prepare()
        self.tree = None

    def choose(self, state: State) -> Term | None:
        """What the tree finds from this state on, or mcs where it comes upon roles that choose at once."""
        meter = self.budget.start()
        try:
            self.last_result = self._grown(state)
        except Unsuitable:  # no random game before the match came there
            self.tree = None
            left = Budget(seconds=max(0.0, meter.left()))
            self.last_result = find_algorithm("mcs")(state, self.role, left, self.generator.getrandbits(32))
        return self.last_result.move or state.legal_moves(self.role)[0]

    def _grown(self, state: State) -> SearchResult:
        """What the tree says of a state, once it has grown from there."""
        if self.tree is None:
            self.tree = self.plant(state, self.generator.getrandbits(32))
        else:
            self.tree.advance(state)
        return self.tree.search(self.budget)


class Greedy(Grower):
    """Best-first search: a tree that grows where its own goal is greatest, and where it has looked least.

    Values are goals of states on the way, the greatest for its own moves, the least for those of others. Refuses
    games of simultaneous moves.
    """

    algorithm = "greedy"

    def plant(self, state: State, seed: int) -> GameTree:
        """A tree that has not grown."""
        return greedy_tree(state, self.role, seed)


class Pts(Grower):
    """Persistent tree search: a tree that grows where it has looked least.

    As greedy, but the goals on the way do not decide where it grows. Refuses games of simultaneous moves.
    """

    algorithm = "pts"

    def plant(self, state: State, seed: int) -> GameTree:
        """A tree that has not grown."""
        return persistent_tree(state, self.role, seed)
