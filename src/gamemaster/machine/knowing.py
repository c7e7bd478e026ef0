"""What roles know in random play, and moves that do not follow from it: for games that hide their state.

A role knows its own moves and its percepts. Where those are the same, its legal moves should be: they are told to it,
and would tell it more than the rules let it see.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from gamemaster.language.terms import Term
from gamemaster.machine.game import RANDOM, Game, State
from gamemaster.machine.watching import Step

__all__ = ["Knowing"]


class Knowing:
    """What each role knows is a number, the same wherever it did and saw the same; nothing where all is open."""

    def __init__(self, game: Game) -> None:
        self.roles = [role for role in game.roles if role != RANDOM] if game.has_percepts else []
        self.known: dict[str, int] = {}
        self._numbers: dict[tuple[int, Term | None, frozenset[Term]], int] = {}
        self._legal: dict[tuple[str, int], tuple[frozenset[Term], tuple[Step, ...]]] = {}
        """The legal moves of a role that knows this, and how play first came there."""

    def begin(self) -> None:
        """A game begins, of which nothing was seen."""
        self.known = dict.fromkeys(self.roles, -1)

    def see(self, state: State, moves: Mapping[str, Term]) -> None:
        """A joint move is made in a state."""
        seen = state.percepts(moves) if self.roles else {}
        for role in self.roles:
            key = (self.known[role], moves.get(role), frozenset(seen[role]))
            self.known[role] = self._numbers.setdefault(key, len(self._numbers))

    def unknowable(self, state: State, path: Sequence[Step]) -> Iterator[tuple[str, Term, tuple[Step, ...]]]:
        """Roles with a move that they have only here, or only where they knew the same, and how play came there."""
        for role in self.roles:
            legal = frozenset(state.legal_moves(role))
            other, there = self._legal.setdefault((role, self.known[role]), (legal, tuple(path)))
            if legal != other:
                yield role, min(legal ^ other, key=str), there
