"""Position: what a tree search asks of a place in a game, so that it can search anything that has moves.

In a *turn-taking* game at most one role chooses at a time; the others have one move at most. Where nobody has a
choice the step is *forced*: one move, and no mover. `GamePosition` is a State seen so; tests search trees that are
written down, by the same code. Where several roles choose at once, or chance does, a position says `Unsuitable` and
who asked.
"""

from __future__ import annotations

import random
from collections.abc import Hashable, Sequence
from typing import Protocol, Self

from gamemaster.errors import Unsuitable
from gamemaster.language.terms import Term
from gamemaster.machine.game import RANDOM, State

__all__ = [
    "DEEPEST",
    "HIGHEST",
    "LOWEST",
    "MOST_ENTRIES",
    "GamePosition",
    "Position",
    "root_of",
    "shuffled",
    "state_of",
]

LOWEST, HIGHEST = 0.0, 100.0
"""What a role can get in a game."""

DEEPEST = 200
"""No search looks further ahead than so many steps: Python's own stack must hold them, three frames each."""

MOST_ENTRIES = 1_000_000
"""A table of positions takes no more than so many, some 400 MB."""


class Position(Protocol):
    """What a tree search asks."""

    @property
    def key(self) -> Hashable:
        """Equal for positions that are the same: the key in tables."""

    @property
    def facts(self) -> frozenset[Term]:
        """What holds here; nothing where a position is not made of facts."""

    @property
    def is_terminal(self) -> bool:
        """Whether the game is over."""

    @property
    def mover(self) -> str | None:
        """The role that chooses; None where the step is forced."""

    @property
    def moves(self) -> Sequence[Term]:
        """The moves to choose from; one where the step is forced, none at a dead end."""

    def legal(self, role: str) -> Sequence[Term]:
        """The moves of any role, be it the mover or not."""

    def after(self, move: Term) -> Self:
        """The position after one of `moves`."""

    def outcomes(self, move: Term) -> Sequence[Self]:
        """The positions after one of `moves` and each move that chance may make with it, all equally likely."""

    def reward(self, role: str) -> float:
        """What the role has here."""


class GamePosition:
    """A state as a position; `algorithm` is who asks, for the messages."""

    __slots__ = ("_mover", "_moves", "algorithm", "state")

    def __init__(self, state: State, algorithm: str) -> None:
        self.state = state
        self.algorithm = algorithm
        self._moves: tuple[Term, ...] | None = None
        self._mover: str | None = None

    @property
    def key(self) -> Hashable:
        """The state, or its bits where it has them: they hash faster."""
        return self.state.key

    @property
    def facts(self) -> frozenset[Term]:
        """The facts of the state."""
        return self.state.facts

    @property
    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.state.is_terminal

    @property
    def mover(self) -> str | None:
        """The only role with a choice, chance apart."""
        if self._moves is None:
            self._moves = self._look()
        return self._mover

    @property
    def moves(self) -> tuple[Term, ...]:
        """The mover's moves; in a forced step the move of whoever is in control."""
        if self._moves is None:
            self._moves = self._look()
        return self._moves

    def _look(self) -> tuple[Term, ...]:
        """Find the mover and return its moves."""
        state = self.state
        choosers = state.choosers
        if RANDOM in choosers:
            choosers = tuple(role for role in choosers if role != RANDOM)
        if len(choosers) > 1:
            raise Unsuitable(
                f"{self.algorithm} needs one role at a time to choose, "
                f"but in step {state.step + 1} {' and '.join(choosers)} choose at once"
            )
        if choosers:
            self._mover = choosers[0]
            return state.legal_moves(self._mover)
        # Nobody chooses: show the move of whoever is in control, chance's only where there is no other
        roles = sorted(state.game.roles, key=lambda role: (role == RANDOM, role != state.control))
        forced = (state.legal_moves(role)[:1] for role in roles)
        return next((moves for moves in forced if moves), ())

    def legal(self, role: str) -> tuple[Term, ...]:
        """The moves of any role; none when the game is over."""
        return () if self.state.is_terminal else self.state.legal_moves(role)

    def after(self, move: Term) -> GamePosition:
        """The position after the mover's move; Unsuitable where chance has a say."""
        if len(self._chances()) > 1:
            raise Unsuitable(
                f"{self.algorithm} cannot search where chance chooses, as in step {self.state.step + 1}; expectimax can"
            )
        if self.mover is not None:
            return GamePosition(self.state.next(move), self.algorithm)
        return GamePosition(self.state.next(self._joint(move)), self.algorithm)

    def outcomes(self, move: Term) -> list[GamePosition]:
        """The positions after the mover's move and each of chance's."""
        chances = self._chances()
        if len(chances) < 2:
            return [self.after(move)]
        joint = self._joint(move)
        return [GamePosition(self.state.next({**joint, RANDOM: made}), self.algorithm) for made in chances]

    def _chances(self) -> tuple[Term, ...]:
        return self.state.legal_moves(RANDOM) if self.state.game.kind.has_chance else ()

    def _joint(self, move: Term) -> dict[str, Term]:
        """The move with what all others must do."""
        state = self.state
        joint = {role: legal[0] for role in state.game.roles if (legal := state.legal_moves(role))}
        return joint if self.mover is None else {**joint, self.mover: move}

    def reward(self, role: str) -> float:
        """The role's goal here, the lowest where the rules give none."""
        goal = self.state.goal(role)
        return LOWEST if goal is None else float(goal)


def state_of(position: Position) -> State:
    """The state of a position of a game, for evaluations."""
    assert isinstance(position, GamePosition)
    return position.state


def root_of(state: State, role: str, algorithm: str, *, with_chance: bool = False) -> GamePosition:
    """The position that a search starts from; Unsuitable for a game of chance where that is not provided for."""
    state.game.check_role(role)
    if role == RANDOM:
        raise Unsuitable(f"{algorithm} cannot choose for {RANDOM!r}: it is chance, which does not choose")
    if state.game.kind.has_chance and not with_chance:
        raise Unsuitable(f"{algorithm} cannot search {state.game.name}: it has chance; expectimax can")
    return GamePosition(state, algorithm)


def shuffled(moves: Sequence[Term], seed: int) -> list[Term]:
    """The moves in the order of the rules for seed 0, else in one that the seed gives: it decides between equals."""
    order = list(moves)
    if seed:
        random.Random(seed).shuffle(order)
    return order
