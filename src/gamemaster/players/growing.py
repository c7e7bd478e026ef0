"""Players that keep their tree from move to move: what they searched below the state that play reaches is not lost."""

from __future__ import annotations

from abc import abstractmethod

from gamemaster.language.terms import Term
from gamemaster.machine.game import State
from gamemaster.players.searching import Searcher
from gamemaster.search.gametree import GameTree
from gamemaster.search.greedy import greedy_tree
from gamemaster.search.pts import persistent_tree

__all__ = ["Greedy", "Pts"]


class Grower(Searcher):
    """Whatever a tree finds that is kept from move to move. Refuses what its search refuses."""

    tree: GameTree | None = None

    @abstractmethod
    def plant(self, state: State, seed: int) -> GameTree:
        """A tree with nothing but its root."""

    def prepare(self) -> None:
        """Try the search, and forget the tree of another match."""
        super().prepare()
        self.tree = None

    def choose(self, state: State) -> Term | None:
        """What the tree finds from this state on."""
        if self.tree is None:
            self.tree = self.plant(state, self.generator.getrandbits(32))
        else:
            self.tree.advance(state)
        self.last_result = self.tree.search(self.budget)
        return self.last_result.move or state.legal_moves(self.role)[0]


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
