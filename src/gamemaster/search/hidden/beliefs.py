"""What a role has seen -> the states in which the game can be, and how likely each is: for games that hide their state.

At first that is the initial state, for sure. After a step it is every state to which a joint move leads from one of
those before, if the role's own move is in it and the role would have seen just what it saw: see particles.py.

That is exact while there are few states, and a sample afterwards. A sample may run dry: something was seen that fits
none of the states that were kept. In machine code it is changed until some of it fits (lane_steps.py). Where there is
none, or that does not help, the whole history is played again from the start, depth first: some states of a step at a
time, those that do not fit are dropped, and where none is left it goes on with others of the step before.
Whoever finds nothing in time may put off what was seen, and go on from the states before when there is more time.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import fsum
from typing import Protocol

from gamemaster.errors import PlayerError
from gamemaster.language.terms import Term
from gamemaster.machine.game import MAX_LENGTH, Game, State
from gamemaster.search.hidden.particles import Known, Model, Particles, PlainParticles, Sighting

__all__ = ["Beliefs", "Steps", "guessed"]

MOST_STATES = 1_000
MOST_GUESSED, MOST_GAMES = 100, 400
"""States that are guessed at, and random games that are played to find them."""

TRIES = 20
"""So many joint moves are tried for each state that may be kept, before they are drawn at random."""

OWN_SHARE = 0.8
"""How much of the time goes to states in which the role made its own move, before any move may have been made."""

STEP_SHARE, QUICK_SHARE = 0.4, 0.8
"""How much of that goes to the states before the step, in Python and in machine code; the rest to the whole history."""

REPLAY_BATCH, REPLAY_TRIES = 64, 64
"""States that are taken a step on at once where the history is played again, and joint moves tried of each."""

FEW, SLOW_GROWTH = 0.5, 1.05
"""A sample with less than this share of what it may have is renewed, until it grows no more."""

GROWING_SHARE, FEWEST, MOST_IDLE = 0.4, 0.05, 2
"""How much of the time for a step may go to that; all of it where the sample has less than this share, and then it has
to stay as it is so often before it is left."""


class Steps(Protocol):
    """Steps of particles in machine code: see lane_steps.py."""

    def takes(self, particles: Particles) -> bool:
        """Whether they are of its kind."""

    def following(
        self,
        particles: Particles,
        sighting: Sighting,
        most: int,
        deadline: float,
        generator: random.Random,
        model: Model | None,
    ) -> tuple[Particles, bool]:
        """Those that fit after a step, and whether they are all that there are."""

    def mended(
        self,
        particles: Particles,
        history: Sequence[Sighting],
        deadline: float,
        generator: random.Random,
        model: Model | None,
    ) -> tuple[Particles, Particles]:
        """Some that fit after the last step of a history, which none of a sample fits; and the sample, changed."""

    def renewed(
        self, particles: Particles, history: Sequence[Sighting], generator: random.Random, seconds: float
    ) -> Particles:
        """Particles and changes of them that fit the same history."""


class Beliefs:
    """Where a game can be, as far as a role knows: `states`, and their `weights`, which are probabilities.

    The weights are in the same order as the states, and add up to 1. `particles` are the same by what each role knows:
    at most `most` of them. `is_exact`: nothing was drawn at random so far; `again`: how often the sample ran dry, and
    was made anew from the start, `renewed`: how often from changes of it. `model` says how others play; by lot where
    there is none. `steps` does the same in machine code, where somebody has it ready.
    """

    def __init__(self, game: Game, role: str, generator: random.Random, most: int = MOST_STATES) -> None:
        self.game, self.role = game, role
        self.generator = generator
        self.most = most
        self.model: Model | None = None
        self.steps: Steps | None = None
        self.is_exact = True
        self.again = self.renewed = 0
        self.history: list[Sighting] = []
        self._put_off: list[Sighting] = []
        self._initial = _initial(game, role)
        self._hold(self._initial)

    @classmethod
    def given(
        cls, game: Game, role: str, generator: random.Random, weights: Mapping[State, float]
    ) -> Beliefs:
        """States that somebody has said, all of which the role cannot tell apart; others know where they are."""
        found = cls(game, role, generator)
        own = game.roles.index(role)
        particles: dict[tuple[State, Known], float] = {}
        for number, (state, weight) in enumerate(weights.items()):
            known = tuple(0 if each == own else number + 1 for each in range(len(game.roles)))
            particles[state, known] = weight
        found._hold(PlainParticles(game, role, particles))
        found.is_exact = False
        return found

    @property
    def states(self) -> list[State]:
        """The states in which the game can be."""
        return list(self._merged())

    @property
    def weights(self) -> list[float]:
        """How likely each is."""
        return list(self._merged().values())

    def likeliest(self, count: int) -> list[tuple[State, float]]:
        """The likeliest states, and how likely they are."""
        return sorted(self._merged().items(), key=lambda pair: -pair[1])[:count]

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
        deadline, sightings = time.monotonic() + seconds, [*self._put_off, Sighting(own, frozenset(percepts))]
        for place, sighting in enumerate(sightings):
            found = self._sought(sighting, deadline)
            if found is None:
                shown = ", ".join(sorted(map(str, sighting.seen))) or "nothing"
                raise PlayerError(
                    f"{self.role} sees {shown[:200]}, which fits no state found in {seconds:.3g} s"
                )
            self._put_off = sightings[place + 1 : -1]
            self._hold(found)

    def put_off(self, own: Term | None, percepts: Iterable[Term]) -> None:
        """Leave what fits no state that was found: the states stay those before, and `see` looks for it first."""
        self._put_off.append(Sighting(own, frozenset(percepts)))

    # How they are found

    def _sought(self, sighting: Sighting, deadline: float) -> Particles | None:
        """Those that fit after a step; None where none is."""
        now = time.monotonic()
        if sighting.own is None:
            return self._looked(sighting, now, deadline)
        share = now + OWN_SHARE * (deadline - now)
        found = self._looked(sighting, now, share)
        return found or self._looked(replace(sighting, own=None), share, deadline, may_renew=False)

    def _looked(
        self, sighting: Sighting, now: float, deadline: float, *, may_renew: bool = True
    ) -> Particles | None:
        """Those that fit after a step, found from those before or from the start; None where none is."""
        if self.steps is not None and self.steps.takes(self.particles):
            found = self._quickly(self.steps, sighting, now + (deadline - now) * QUICK_SHARE, may_renew)
        else:
            found = self._stepped(sighting, now + (deadline - now) * STEP_SHARE)
        history = [*self.history, sighting]
        if not len(found) and not self.is_exact and len(self._initial):
            found = self._replayed(history, deadline)
            self.again += bool(len(found))
        if not len(found):
            return None
        self.history = history
        kept = found.thinned(self.most, self.generator)
        self.is_exact = self.is_exact and len(kept) == len(found)
        return kept

    def _stepped(self, sighting: Sighting, deadline: float) -> Particles:
        """Those that fit; other joint moves are drawn until some do."""
        tries = -(-self.most * TRIES // max(1, len(self.particles)))
        while True:
            found, is_complete = self.particles.following(
                sighting, tries, deadline, self.generator, self.model
            )
            if len(found) or is_complete or time.monotonic() > deadline:
                self.is_exact = self.is_exact and is_complete
                return found

    def _quickly(self, steps: Steps, sighting: Sighting, deadline: float, may_renew: bool) -> Particles:
        """Those that fit, in machine code; a sample that has become small is renewed, before the step if none fits."""
        began, history = time.monotonic(), [*self.history, sighting]
        found, is_complete = steps.following(
            self.particles, sighting, self.most, deadline, self.generator, self.model
        )
        if self.is_exact and is_complete:
            return found
        self.is_exact = False
        if not len(found) and may_renew:
            found, changed = steps.mended(self.particles, history, deadline, self.generator, self.model)
            self.renewed += bool(len(found))
            if not len(found):
                self._hold(changed)  # whoever looks again goes on from there
        return self._grown(steps, found, history, began, deadline) if len(found) else found

    def _grown(
        self, steps: Steps, found: Particles, history: Sequence[Sighting], began: float, deadline: float
    ) -> Particles:
        """A sample that is no longer small, or as large as it gets in the time."""
        soon, idle, size = began + GROWING_SHARE * (deadline - began), 0, 0
        while len(found) < self.most * FEW:
            is_scant = len(found) < self.most * FEWEST
            if idle >= (MOST_IDLE if is_scant else 1):
                break
            if size and time.monotonic() > (deadline if is_scant else soon):
                break
            size = len(found)
            found = steps.renewed(found, history, self.generator, deadline - time.monotonic())
            idle = idle + 1 if len(found) < size * SLOW_GROWTH else 0
        return found

    def _replayed(self, history: Sequence[Sighting], deadline: float) -> Particles:
        """Those that fit all that was seen, found depth first from the start; weights are rough."""
        layers: list[list[Particles]] = [[self._initial], *([] for _ in history)]
        ends = layers[-1]
        while time.monotonic() < deadline and sum(map(len, ends)) < self.most:
            step = max((step for step in range(len(history)) if layers[step]), default=None)
            if step is None:
                break
            some, others = layers[step].pop().halves(REPLAY_BATCH, self.generator)
            if len(others):
                layers[step].append(others)
            tries = REPLAY_TRIES
            after, is_complete = some.following(history[step], tries, deadline, self.generator, self.model)
            if not is_complete:  # there is more to find there, when all else is tried
                layers[step].insert(0, some)
            if len(after):
                layers[step + 1].append(after)
        return ends[0].joined(ends[1:]) if ends else self._initial.halves(0, self.generator)[0]

    def _hold(self, particles: Particles) -> None:
        self.particles = particles
        self._states: dict[State, float] | None = None

    def _merged(self) -> dict[State, float]:
        """The states, each with the weights of all particles that have it."""
        if self._states is None:
            total, found = fsum(self.particles.weights), dict[State, float]()
            for state, weight in zip(self.particles.states(), self.particles.weights, strict=True):
                found[state] = found.get(state, 0.0) + weight / total
            self._states = found
        return self._states

    def __str__(self) -> str:
        kept = len(self._merged())
        count = "1 state" if kept == 1 else f"{kept:,} states"
        how = "all that fit" if self.is_exact else "drawn from those that fit"
        again = f", found again from the start {self.again} times" if self.again else ""
        renewed = f", renewed {self.renewed} times" if self.renewed else ""
        return f"{count}, {how}{again}{renewed}"


def _initial(game: Game, role: str) -> Particles:
    """The start, in lanes where the game has them."""
    if game.compiled is None or not game.has_percepts:
        return PlainParticles.initial(game, role)
    from gamemaster.search.hidden.lanes import LaneParticles

    return LaneParticles.initial(game.compiled, role)


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
    return Beliefs.given(game, role, generator, met) if met else None
