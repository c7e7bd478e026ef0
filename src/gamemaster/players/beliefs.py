"""What a role has seen -> the states in which the game can be, and how likely each is: for games that hide their state.

At first that is the initial state, for sure. After a step it is every state to which a joint move leads from one of
those before, if the role's own move is in it and the role would have seen just what it saw:

    weight(t) = the sum over s and joint moves m from s to t that fit, of weight(s) / |joint moves of s|

normalised to 1. So chance takes each of its moves with the same probability, as it does, and of the other roles no more
is assumed than that. A state reached in several ways has the weights of all of them.

Where there are more joint moves than can be tried, as many of each state are drawn at random, and those found count for
those left out. Where there are more states than can be kept, likely ones stay and of the others some are drawn, which
count for the rest (a particle filter; Gordon, Salmond & Smith 1993). On average neither makes a state more likely, nor
less.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterable, Iterator, Sequence
from math import fsum, prod

from gamemaster.errors import PlayerError
from gamemaster.language.terms import Term
from gamemaster.machine.game import MAX_LENGTH, Game, State

__all__ = ["Beliefs", "guessed", "thinned"]

MOST_STATES = 1_000
MOST_GUESSED, MOST_GAMES = 100, 400
"""States that are guessed at, and random games that are played to find them."""

TRIES = 20
"""So many joint moves are tried for each state that may be kept, before they are drawn at random."""


class Beliefs:
    """The states in which a game can be, as far as a role knows: `states`, at most `most` of them, and their `weights`.

    The weights are the probabilities of the states, in the same order: they add up to 1.
    """

    def __init__(self, game: Game, role: str, generator: random.Random, most: int = MOST_STATES) -> None:
        self.role = role
        self.generator = generator
        self.most = most
        self.states: list[State] = [game.initial_state()]
        self.weights: list[float] = [1.0]

    def legal_moves(self) -> tuple[Term, ...]:
        """The role's moves: those that it has in all states. The rules should see to it that these are all it has."""
        open_states = [state for state in self.states if not state.is_terminal]
        if not open_states:
            return ()
        first, *others = open_states
        held = set(first.legal_moves(self.role)).intersection(
            *(state.legal_moves(self.role) for state in others)
        )
        return tuple(move for move in first.legal_moves(self.role) if move in held)

    def see(self, own: Term | None, percepts: Iterable[Term], seconds: float) -> None:
        """Go a step on: the role made a move, and saw something. PlayerError where that fits nothing.

        Where it does not fit the move, the referee may have made another: then any may have been made.
        """
        seen = frozenset(percepts)
        now = time.monotonic()
        found = self._following(own, seen, now + seconds / 2) or self._following(None, seen, now + seconds)
        if not found:
            shown = ", ".join(sorted(map(str, seen))) or "nothing"
            raise PlayerError(f"{self.role} sees {shown[:200]}, which fits no state found in {seconds:.3g} s")
        kept = thinned(found, self.most, self.generator)
        total = fsum(kept.values())
        self.states = list(kept)
        self.weights = [weight / total for weight in kept.values()]

    def _following(self, own: Term | None, seen: frozenset[Term], deadline: float) -> dict[State, float]:
        """The states that fit, with weights that need not add up to 1; other joint moves are drawn until some do."""
        while True:
            walks = self._walks(own)
            found = self._tried(walks, seen, deadline)
            if found or time.monotonic() > deadline or all(walk.is_complete for walk in walks):
                return found

    def _tried(self, walks: Sequence[_Walk], seen: frozenset[Term], deadline: float) -> dict[State, float]:
        """The states that fit; what was found of a state's joint moves counts for those that were not tried."""
        tried, fits = [0] * len(walks), list[tuple[int, State]]()
        for number, state, moves in _in_turn(walks):
            tried[number] += 1
            if state.percepts(moves)[self.role] == seen:
                fits.append((number, state.next(moves)))
            if time.monotonic() > deadline:
                break
        found: dict[State, float] = {}
        for number, state in fits:
            found[state] = found.get(state, 0.0) + walks[number].weight / tried[number]
        return found

    def _walks(self, own: Term | None) -> list[_Walk]:
        """What may have been done in each state; the states in random order, in case there is no time for all."""
        pairs = [
            (state, weight)
            for state, weight in zip(self.states, self.weights, strict=True)
            if not state.is_terminal
        ]
        self.generator.shuffle(pairs)
        most = -(-self.most * TRIES // max(1, len(pairs)))
        walks = [_Walk(state, weight, self._choices(state, own)) for state, weight in pairs]
        for walk in walks:
            walk.draw(most, self.generator)
        return walks

    def _choices(self, state: State, own: Term | None) -> dict[str, Sequence[Term]]:
        choices: dict[str, Sequence[Term]] = {role: state.legal_moves(role) for role in state.movers}
        if own is not None and self.role in choices:
            choices[self.role] = [move for move in choices[self.role] if move == own]
        return choices


class _Walk:
    """The joint moves to be tried in a state of some weight, in random order: `order` are their numbers."""

    def __init__(self, state: State, weight: float, choices: dict[str, Sequence[Term]]) -> None:
        self.state = state
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


def _in_turn(walks: Sequence[_Walk]) -> Iterator[tuple[int, State, dict[str, Term]]]:
    """A joint move of each state in turn, with the number of its walk."""
    for turn in range(max((len(walk.order) for walk in walks), default=0)):
        for number, walk in enumerate(walks):
            if turn < len(walk.order):
                yield number, walk.state, walk.joint(walk.order[turn])


def guessed(
    game: Game, role: str, legal: Sequence[Term], generator: random.Random, seconds: float
) -> Beliefs | None:
    """Where the game may be, of which no more is known than the role's moves: states of random games with just these.

    As likely as they are met; None where none is.
    """
    deadline, met = time.monotonic() + seconds, dict[State, float]()
    for _ in range(MOST_GAMES):
        state = game.initial_state()
        while not state.is_terminal and state.movers and state.step < MAX_LENGTH:
            if len(met) >= MOST_GUESSED or time.monotonic() > deadline:
                break
            if set(state.legal_moves(role)) == set(legal):
                met[state] = met.get(state, 0.0) + 1.0
            state = state.next(state.random_moves(generator))
    found = Beliefs(game, role, generator)
    found.states, found.weights = list(met), [weight / fsum(met.values()) for weight in met.values()]
    return found if met else None


def thinned(weights: dict[State, float], most: int, generator: random.Random) -> dict[State, float]:
    """So many states at most, whose weights stand for all: on average each state has the weight that it had.

    States of a certain weight stay as they are; of the others some are drawn, in proportion to their weights, and get
    that weight (Fearnhead & Clifford 2003).
    """
    if len(weights) <= most:
        return weights
    states = sorted(weights, key=lambda state: -weights[state])
    sure, rest = 0, fsum(weights.values())
    while most - sure > 1 and weights[states[sure]] * (most - sure) > rest:
        rest -= weights[states[sure]]
        sure += 1
    share = rest / (most - sure)
    kept = {state: weights[state] for state in states[:sure]}
    others = states[sure:]
    generator.shuffle(others)
    reached, mark = 0.0, share * generator.random()
    for state in others:
        reached += weights[state]
        if reached > mark:
            kept[state] = share
            mark += share
    return kept
