"""States with weights, and what each role knows in them: `Particles`, and how they go a step on (plain, in Python).

What a role knows is all that it did and saw since the start, in a number, so two particles with the same state differ
if some role has come there another way: what that role does next may differ. The number is a hash of 64 bits.

    weight(t) = the sum over s and joint moves m from s to t that fit, of weight(s) p(m)

where p is uniform over the joint moves with the role's own move in them: so chance takes each of its moves with the
same probability, as it does, and of others no more is assumed than that, unless a `Model` says how they play.

Where a state has more joint moves than can be tried, so many are drawn, and those found count for those left out. Where
there are more particles than can be kept, likely ones stay and of the others some are drawn, which count for the rest
(a particle filter; Gordon, Salmond & Smith 1993). On average neither makes a state more likely, nor less.
"""

from __future__ import annotations

import random
import time
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import fsum, prod
from typing import Protocol, TypeVar

from gamemaster.language.terms import Term
from gamemaster.machine.game import RANDOM, Game, State

__all__ = ["Known", "Model", "Particles", "PlainParticles", "Sighting", "known_after", "thinned"]

Known = tuple[int, ...]
"""What each role knows, in role order."""


class Model(Protocol):
    """How others play."""

    def chances(self, role: str, known: int, legal: Sequence[Term]) -> Sequence[float]:
        """How likely each move of a role is that knows something."""


Thing = TypeVar("Thing", bound=Hashable)


@dataclass(frozen=True)
class Sighting:
    """What a role did in a step, None where that is not known, and what it saw."""

    own: Term | None
    seen: frozenset[Term]


class Particles(ABC):
    """Weighted states of one game as far as one role knows; a value. Weights need not add up to 1."""

    game: Game
    role: str

    @property
    @abstractmethod
    def weights(self) -> Sequence[float]:
        """How likely each is."""

    @abstractmethod
    def states(self) -> list[State]:
        """The state of each, all at the same step."""

    @abstractmethod
    def known(self) -> list[Known]:
        """What the roles know in each."""

    @abstractmethod
    def following(
        self, sighting: Sighting, tries: int, deadline: float, generator: random.Random, model: Model | None
    ) -> tuple[Particles, bool]:
        """Those that fit after a step, and whether every joint move was tried: at most `tries` of each state are.

        Ends at the deadline, on the clock of time.monotonic; then what was found counts for what was not tried.
        """

    @abstractmethod
    def thinned(self, most: int, generator: random.Random) -> Particles:
        """So many at most, which stand for all: see `thinned` below."""

    @abstractmethod
    def halves(self, size: int, generator: random.Random) -> tuple[Particles, Particles]:
        """So many of them, drawn at random, and the others."""

    @abstractmethod
    def joined(self, others: Sequence[Particles]) -> Particles:
        """These and others of the same kind."""

    def __len__(self) -> int:
        return len(self.weights)


class PlainParticles(Particles):
    """Particles of any machine, one after the other in Python: the twin of those in lanes."""

    def __init__(self, game: Game, role: str, weights: Mapping[tuple[State, Known], float]) -> None:
        self.game, self.role = game, role
        self._weights = dict(weights)

    @classmethod
    def initial(cls, game: Game, role: str) -> PlainParticles:
        """The initial state, for sure; nobody has seen anything."""
        return cls(game, role, {(game.initial_state(), (0,) * len(game.roles)): 1.0})

    @property
    def weights(self) -> Sequence[float]:
        """See Particles."""
        return list(self._weights.values())

    def states(self) -> list[State]:
        """See Particles."""
        return [state for state, _ in self._weights]

    def known(self) -> list[Known]:
        """See Particles."""
        return [known for _, known in self._weights]

    def following(
        self, sighting: Sighting, tries: int, deadline: float, generator: random.Random, model: Model | None
    ) -> tuple[PlainParticles, bool]:
        """See Particles; a joint move of each state in turn."""
        walks = self._walks(sighting.own, tries, generator)
        tried, fits = [0] * len(walks), list[tuple[int, dict[str, Term], dict[str, frozenset[Term]]]]()
        is_late = False
        for number, moves in _in_turn(walks):
            tried[number] += 1
            percepts = walks[number].state.percepts(moves)
            if percepts[self.role] == sighting.seen:
                fits.append((number, moves, percepts))
            if time.monotonic() > deadline:
                is_late = True
                break
        found: dict[tuple[State, Known], float] = {}
        for number, moves, percepts in fits:
            walk = walks[number]
            after = walk.state.next(moves), known_after(self.game, walk.known, moves, percepts)
            weight = walk.weight / tried[number] * walk.factor(self.role, moves, model)
            found[after] = found.get(after, 0.0) + weight
        is_complete = not is_late and all(walk.is_complete for walk in walks)
        return PlainParticles(self.game, self.role, found), is_complete

    def thinned(self, most: int, generator: random.Random) -> PlainParticles:
        """See Particles."""
        return PlainParticles(self.game, self.role, thinned(self._weights, most, generator))

    def halves(self, size: int, generator: random.Random) -> tuple[PlainParticles, PlainParticles]:
        """See Particles."""
        pairs = list(self._weights.items())
        generator.shuffle(pairs)
        first, second = dict(pairs[:size]), dict(pairs[size:])
        return PlainParticles(self.game, self.role, first), PlainParticles(self.game, self.role, second)

    def joined(self, others: Sequence[Particles]) -> PlainParticles:
        """See Particles."""
        weights = dict(self._weights)
        for other in others:
            assert isinstance(other, PlainParticles)
            for particle, weight in other._weights.items():
                weights[particle] = weights.get(particle, 0.0) + weight
        return PlainParticles(self.game, self.role, weights)

    def _walks(self, own: Term | None, tries: int, generator: random.Random) -> list[_Walk]:
        """What may have been done in each state; the states in random order, in case there is no time for all."""
        pairs = [pair for pair in self._weights.items() if not pair[0][0].is_terminal]
        generator.shuffle(pairs)
        walks = [_Walk(state, known, weight, self._choices(state, own)) for (state, known), weight in pairs]
        for walk in walks:
            walk.draw(tries, generator)
        return walks

    def _choices(self, state: State, own: Term | None) -> dict[str, Sequence[Term]]:
        choices: dict[str, Sequence[Term]] = {role: state.legal_moves(role) for role in state.movers}
        if own is not None and self.role in choices:
            choices[self.role] = [move for move in choices[self.role] if move == own]
        return choices


class _Walk:
    """The joint moves to be tried in a state of some weight, in random order: `order` are their numbers."""

    def __init__(self, state: State, known: Known, weight: float, choices: dict[str, Sequence[Term]]) -> None:
        self.state, self.known = state, known
        self.weight = weight
        self.choices = choices
        self.order: Sequence[int] = ()
        self.is_complete = False

    def draw(self, most: int, generator: random.Random) -> None:
        """All joint moves, or so many of them, each as likely as any other."""
        count = prod(map(len, self.choices.values()))
        self.order = generator.sample(range(count), min(count, most))
        self.is_complete = count <= most

    def joint(self, number: int) -> dict[str, Term]:
        """The joint move of a number."""
        moves = {}
        for role, legal in self.choices.items():
            number, index = divmod(number, len(legal))
            moves[role] = legal[index]
        return moves

    def factor(self, own: str, moves: Mapping[str, Term], model: Model | None) -> float:
        """How much likelier a joint move is than by lot, if others play as a model says."""
        factor = 1.0
        for number, role in enumerate(self.state.game.roles):
            legal = self.choices.get(role, ())
            if model is not None and role not in (own, RANDOM) and len(legal) > 1:
                chances = model.chances(role, self.known[number], legal)
                factor *= chances[list(legal).index(moves[role])] * len(legal)
        return factor


def _in_turn(walks: Sequence[_Walk]) -> Iterator[tuple[int, dict[str, Term]]]:
    """A joint move of each state in turn, with the number of its walk."""
    for turn in range(max((len(walk.order) for walk in walks), default=0)):
        for number, walk in enumerate(walks):
            if turn < len(walk.order):
                yield number, walk.joint(walk.order[turn])


def known_after(
    game: Game, known: Known, moves: Mapping[str, Term], percepts: Mapping[str, frozenset[Term]]
) -> Known:
    """What the roles know after a step."""
    return tuple(
        hash((before, moves.get(role), percepts[role]))
        for role, before in zip(game.roles, known, strict=True)
    )


def thinned(weights: Mapping[Thing, float], most: int, generator: random.Random) -> dict[Thing, float]:
    """So many at most, whose weights stand for all: on average each has the weight that it had.

    Those of a certain weight stay as they are; of the others some are drawn, in proportion to their weights, and get
    that weight (Fearnhead & Clifford 2003).
    """
    if len(weights) <= most:
        return dict(weights)
    things = sorted(weights, key=lambda thing: -weights[thing])
    sure, rest = 0, fsum(weights.values())
    while most - sure > 1 and weights[things[sure]] * (most - sure) > rest:
        rest -= weights[things[sure]]
        sure += 1
    share = rest / (most - sure)
    kept = {thing: weights[thing] for thing in things[:sure]}
    others = things[sure:]
    generator.shuffle(others)
    reached, mark = 0.0, share * generator.random()
    for thing in others:
        reached += weights[thing]
        if reached > mark:
            kept[thing] = share
            mark += share
    return kept
