"""Particles in machine code: every joint move of every state is tried, and a sample that gets small is renewed.

A step: all joint moves of a state run side by side, one a lane, and only those that fit become particles. Where many
fit in each of many states, some are drawn, and each counts for several.

A sample gets smaller with all that is seen, and where chance has dealt cards or ships were hidden, nothing new comes
into it. Then its histories are changed: a move of another role, or of chance, becomes another, or two of them change
places (who got which card); the whole is played again, 256 at a time. Those that are legal and show the role just what
it saw are new particles, one for a state, as likely as the one that they come from times how much likelier their moves
are by lot (after Gilks and Berzuini 2001, resample-move; but nothing is refused, and what was found stays). If the step
to come fits none of the particles, it may fit some of their changes: that is how a sample that ran dry is found again,
by changes of those first that are nearest to what was seen (lane_leads.py).

What the role has seen settles most moves, so that few changes fit. Tried most are those of moves that could have been
others when they were made (`loose`), and of these the ones, and the kind of change, that have led to other states that
fit not long ago: a card that is played since is settled, one that is still held is not.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gamemaster.language.terms import Term
from gamemaster.machine.game import RANDOM
from gamemaster.search.hidden.lane_code import LaneCode
from gamemaster.search.hidden.lane_leads import Leads, chances_of
from gamemaster.search.hidden.lanes import (
    Codes,
    Flags,
    Floats,
    Ints,
    LaneModel,
    LaneParticles,
    Words,
    move_factors,
)
from gamemaster.search.hidden.nearness import Nearness
from gamemaster.search.hidden.particles import Model, Particles, Sighting
from gamemaster.search.native.engine import Stopwatch
from gamemaster.search.native.kernels.following import fitting_steps, play_again
from gamemaster.search.native.kernels.set_records import Fits, Sought

if TYPE_CHECKING:
    from gamemaster.machine.compiled import CompiledGame

__all__ = ["LaneSteps"]

MOST_JOINT = 1 << 14
"""Joint moves of a state that are tried; of more, so many are drawn."""

TOLD = 4
"""So many times the particles that may be kept are told after a step, at most."""

PROPOSED = 512
"""Histories that are changed at once."""

LEAST_ROUNDS, LEAST_SECONDS, LOOKED_AGAIN = 4, 0.01, 4
"""Rounds of changes in which it is looked for what fits a step that none fits, unless it is far too late, and what
histories have then to be played again; and after how many what may lead there is looked for once more."""

LATEST = 0.1
"""Those rounds end so long after the deadline in any case, but for the first."""

FEW_MENDED, MOST_POOLED = 100, 2_000
"""How many of those that fit are enough; and how large the sample may grow until one does."""

CHANGED = (1.0, 0.5, 0.25)
"""How often a history is changed once, twice and three times: what one change spoils, another may mend."""

PLACES = (0.4, 0.5, 0.1)
"""How often a change is at a place where histories differ, where several moves fitted at first, and anywhere."""

MOMENT = 0.005
"""Seconds that kernels may take without being watched."""

MOST_SEEN = 1_000
"""So much that was seen is kept as bits."""

RECALLED, LEAST_PROMISE = 0.8, 0.1
"""How much of what changes have come to counts in the next renewal; the least that a place has of the mean."""

MIXED, LEAST_KIND = 0.2, 0.15
"""How often changes of one history may be of both kinds: two moves change places, or one becomes another. Else all are
of the kind that comes to more; the other has this share at least."""

LEAST_SHARE = 1e-100
"""Weights get less with each step; where all are less than this they are told anew, as they would come to nothing."""

FIRST_RATES = np.array([0.003, 0.007])
"""What single moves and two places come to, before it has been seen."""


class ChangedPlaces(NamedTuple):
    """Steps at which a role's move may change, how likely each is, and how often one of them does beside others."""

    role: int
    steps: Ints
    chances: Floats
    share: float


class LaneSteps:
    """Steps of particles of one compiled game. For one thread."""

    def __init__(self, game: CompiledGame, seed: int = 0) -> None:
        self.code = LaneCode(game, seed)
        self.game = game
        most = max(map(len, game.layout.moves), default=1)
        self.legal = np.zeros((len(game.roles), max(1, most)), np.int32)
        self.numbers = np.zeros(MOST_JOINT, np.int64)
        self.paces = dict[str, tuple[int, float]]()
        self.seen = dict[tuple[int, frozenset[Term]], Words | None]()
        self.nearness = dict[str, Nearness]()
        self.kinds = np.zeros((2, 2))
        self.tried = self.gained = np.zeros((0, len(game.roles)))

    def takes(self, particles: Particles) -> bool:
        """Whether particles are of this kind and game."""
        return isinstance(particles, LaneParticles) and particles.compiled is self.game

    def following(
        self,
        particles: Particles,
        sighting: Sighting,
        most: int,
        deadline: float,
        generator: random.Random,
        model: Model | None,
    ) -> tuple[LaneParticles, bool]:
        """Those that fit after a step, some four times `most` at most, and whether they are all that there are."""
        assert isinstance(particles, LaneParticles)
        sought = self._sought(particles, sighting)
        if sought is None or not len(particles):
            return particles.part(np.zeros(0, np.int64)), True
        mixed = particles.part(np.random.default_rng(generator.getrandbits(64)).permutation(len(particles)))
        per = max(1, -(-most * TOLD // len(mixed)))
        fits = self._fits(min(len(mixed) * per, len(mixed) * MOST_JOINT))
        with self._timed(("step", particles.step), len(mixed), deadline - time.monotonic()) as stop:
            count, is_complete = fitting_steps(
                self.code.arrays(),
                self.code.lanes,
                sought,
                self.code.words_of(mixed.rows),
                mixed.known_words,
                self.legal,
                self.numbers,
                per,
                fits,
                stop,
            )
        return self._after(mixed, fits, count, model), bool(is_complete)

    def renewed(
        self, particles: Particles, history: Sequence[Sighting], generator: random.Random, seconds: float
    ) -> LaneParticles:
        """Particles and changes of them that fit the same history, as many more as are found in the time."""
        assert isinstance(particles, LaneParticles)
        wanted = self._wanted(particles, history)
        if wanted is None or particles.made is None or not len(particles) or not len(history):
            return particles
        kept, draws = particles.of_each_state(), np.random.default_rng(generator.getrandbits(64))
        others = self._changes(kept, wanted, _mostly(kept.shares), draws, seconds)
        return kept.joined([others]) if len(others) else kept

    def mended(
        self,
        particles: Particles,
        history: Sequence[Sighting],
        deadline: float,
        generator: random.Random,
        model: Model | None,
    ) -> tuple[LaneParticles, LaneParticles]:
        """Some that fit after the last step of a history, which none of a sample fits; and the sample, changed.

        Looks until the deadline, and LEAST_ROUNDS times even if that takes somewhat longer; once in any case.
        """
        assert isinstance(particles, LaneParticles)
        pool, draws = particles.of_each_state(), np.random.default_rng(generator.getrandbits(64))
        wanted, is_complete = self._wanted(particles, history), True
        if wanted is None or pool.made is None or not len(pool):
            return pool.part(np.zeros(0, np.int64)), particles
        leads = Leads(self.game, pool, history[-1], self._nearness(pool.role))
        for tried in count():
            late = time.monotonic() - deadline
            if late > LATEST * (tried < LEAST_ROUNDS) and tried:
                break
            if tried % LOOKED_AGAIN == 0:
                leads.look(pool, draws, deadline)
            left = max(LEAST_SECONDS, deadline - time.monotonic())
            if len(found := self._brought(leads, pool, wanted, draws, left)):
                return found, pool
            chances = chances_of(leads.distances(pool, draws, deadline))
            left = max(LEAST_SECONDS, deadline - time.monotonic())
            others = self._changes(pool, wanted[:-1], chances, draws, left)
            pool, untried = pool.joined([others]), others if is_complete else pool.joined([others])
            found, is_complete = self.following(untried, history[-1], FEW_MENDED, deadline, generator, model)
            if len(found):
                return found, pool
            if len(pool) > MOST_POOLED:
                order = np.argsort(
                    leads.distances(pool, draws, deadline) + draws.random(len(pool)), kind="stable"
                )
                pool = pool.part(order[: MOST_POOLED // 2])
        return pool.part(np.zeros(0, np.int64)), pool

    def _brought(
        self, leads: Leads, pool: LaneParticles, wanted: Words, draws: np.random.Generator, seconds: float
    ) -> LaneParticles:
        """Those one step on that fit where the last move has changed places with one before."""
        sources = draws.choice(len(pool), PROPOSED, p=_mostly(pool.shares))
        made, sources = leads.brought(pool, sources, draws)
        some = draws.permutation(len(made))[:PROPOSED]
        return self._played_again(pool, sources[some], made[some], wanted, seconds)[0]

    def _nearness(self, role: str) -> Nearness:
        """What a role looks for, in the gates of the rules."""
        if role not in self.nearness:
            self.nearness[role] = Nearness(self.game, self.game.roles.index(role))
        return self.nearness[role]

    def _changes(
        self,
        particles: LaneParticles,
        wanted: Words,
        chances: Floats,
        draws: np.random.Generator,
        seconds: float,
    ) -> LaneParticles:
        """Changes of particles, one for a state, that fit what was seen and are none of them."""
        sources = draws.choice(len(particles), PROPOSED, p=chances)
        assert particles.made is not None
        made, groups = particles.made[sources], self._places(particles)
        if not groups:
            return particles.part(np.zeros(0, np.int64))
        is_mixed = draws.random(PROPOSED) < MIXED
        is_swap = draws.random(PROPOSED) < self._share_of_swaps()
        for share in CHANGED:
            some = np.flatnonzero(draws.random(PROPOSED) < share)
            swaps = np.where(is_mixed[some], draws.random(len(some)) < 0.5, is_swap[some])
            made[some] = self._changed(made[some], swaps, groups, draws)
        changes, lines = self._played_again(particles, sources, made, wanted, seconds)
        good = lines[(changes.rows != particles.rows[sources[lines]]).any(axis=1)]
        self._learn(made != particles.made[sources], good)
        self._learn_kinds(is_swap, is_mixed, good)
        return changes.without_states(particles)

    def _played_again(
        self, particles: LaneParticles, sources: Ints, made: Codes, wanted: Words, seconds: float
    ) -> tuple[LaneParticles, Ints]:
        """What changed histories of particles lead to, where they fit what was seen; and which histories these are."""
        fits, role = self._fits(len(made)), self.game.roles.index(particles.role)
        start = self.code.words_of(LaneParticles.initial(self.game, particles.role).rows)
        with self._timed(("again", 0), len(made) * made.shape[1], seconds) as stop:
            count = play_again(self.code.arrays(), self.code.lanes, role, start, made, wanted, fits, stop)
        lines, logs = fits.source[:count].copy(), fits.logs[:count].copy()
        return LaneParticles(
            self.game,
            particles.role,
            self.code.bytes_of(fits.rows[:count]),
            fits.known[:count].copy(),
            particles.shares[sources[lines]] * np.exp(logs - particles.logs[sources[lines]]),
            step=made.shape[1],
            made=made[lines],
            logs=logs,
            loose=_loose_of(particles, made),
        ), lines

    def _learn(self, changes: Flags, good: Ints) -> None:
        """Note of which moves changes lead to other states that fit; what was noted before counts less and less."""
        self.tried = RECALLED * _as_long(self.tried, changes.shape[1]) + changes.sum(axis=0)
        self.gained = RECALLED * _as_long(self.gained, changes.shape[1]) + changes[good].sum(axis=0)

    def _learn_kinds(self, is_swap: Flags, is_mixed: Flags, good: Ints) -> None:
        """Note how often changes of one kind alone, of single moves and of two, lead to other states that fit."""
        tallies = [np.bincount(is_swap[each], minlength=2) for each in (~is_mixed, good[~is_mixed[good]])]
        self.kinds = RECALLED * self.kinds + tallies

    def _share_of_swaps(self) -> float:
        """How often two moves should change places, instead of one becoming another."""
        tried, gained = self.kinds
        rates = (gained + FIRST_RATES) / (tried + 1)
        return float(np.clip(rates[1] / rates.sum(), LEAST_KIND, 1 - LEAST_KIND))

    def _promise(self, steps: int) -> Floats:
        """How often a change of each move [steps, R] has led to another state that fits; never nothing."""
        tried, gained = _as_long(self.tried, steps), _as_long(self.gained, steps)
        mean = (1 + gained.sum()) / (1 + tried.sum())
        return np.asarray((gained + mean) / (tried + 1) + LEAST_PROMISE * mean)

    def _changed(
        self, made: Codes, is_swap: Flags, groups: Sequence[ChangedPlaces], draws: np.random.Generator
    ) -> Codes:
        """Histories in each of which a move at one of those places is another, or two have changed places."""
        changed, lines = made.copy(), np.arange(len(made))
        shares = np.array([group.share for group in groups])
        drawn = draws.choice(len(groups), len(made), p=shares / shares.sum())
        for number, (role, steps, chances, _) in enumerate(groups):
            mine = lines[drawn == number]
            one, two = draws.choice(steps, (2, len(mine)), p=chances)
            first, second = changed[mine, one, role], changed[mine, two, role]
            swaps = is_swap[mine] & (first >= 0) & (second >= 0) & (len(steps) > 1)
            changed[mine[swaps], one[swaps], role] = second[swaps]
            changed[mine[swaps], two[swaps], role] = first[swaps]
            others = ~swaps & (first >= 0)
            begin, end = self.code.engine.move_start[role : role + 2]
            changed[mine[others], one[others], role] = draws.integers(
                begin, max(begin + 1, end), others.sum()
            )
        return changed

    def _places(self, particles: LaneParticles) -> list[ChangedPlaces]:
        """The moves of other roles that may change.

        Mostly those that could have been others when they were made, or differ between histories: what the role has
        seen settles most moves.
        """
        assert particles.made is not None
        is_moving: Flags = np.array((particles.made >= 0).any(axis=0))
        is_moving[:, self.game.roles.index(particles.role)] = False
        differs = is_moving & (particles.made != particles.made[:1]).any(axis=0)
        loose = differs if particles.loose is None else is_moving & particles.loose
        promise, found = self._promise(len(is_moving)), list[ChangedPlaces]()
        for share, chosen in zip(PLACES, (differs, loose, is_moving), strict=True):
            total = max(1e-300, promise[chosen].sum())
            for role in np.flatnonzero(chosen.any(axis=0)).tolist():
                steps = np.flatnonzero(chosen[:, role])
                chances = promise[steps, role]
                found.append(
                    ChangedPlaces(role, steps, chances / chances.sum(), share * chances.sum() / total)
                )
        return found

    def _after(self, particles: LaneParticles, fits: Fits, count: int, model: Model | None) -> LaneParticles:
        """The particles that were found."""
        source, made = fits.source[:count], fits.made[:count]
        shares, most = particles.shares, particles.shares.max(initial=0.0)
        if 0.0 < most < LEAST_SHARE:
            shares = shares / most
        weights = shares[source] * fits.scale[:count] * self._factors(particles, source, made, model)
        return LaneParticles(
            self.game,
            particles.role,
            self.code.bytes_of(fits.rows[:count]),
            fits.known[:count].copy(),
            weights,
            step=particles.step + 1,
            made=particles.made_after(source, made),
            logs=particles.logs[source] + fits.logs[:count],
            loose=particles.loose_after(made),
        ).merged()

    def _factors(self, particles: LaneParticles, source: Ints, made: Codes, model: Model | None) -> Floats:
        """How much likelier moves are than by lot, as a model says."""
        factors = np.ones(len(source))
        if not isinstance(model, LaneModel):
            return factors
        for role, name in enumerate(self.game.roles):
            if name in (RANDOM, particles.role) or not (made[:, role] >= 0).any():
                continue
            table = move_factors(particles, role, model)
            own = made[:, role] - self.code.engine.move_start[role]
            factors *= np.where(made[:, role] >= 0, table[source, np.maximum(own, 0)], 1.0)
        return factors

    @contextmanager
    def _timed(self, job: tuple[str, int], size: int, seconds: float) -> Iterator[Ints]:
        """A flag that is set when the time is over; nobody watches what can only take a moment, as it has before.

        To start a thread that watches takes longer than that, on a machine that has others to run.
        """
        known, pace = self.paces.get(job[0], (-1, 0.0))
        began = time.thread_time()
        if known == job[1] and pace * size < MOMENT:
            yield np.zeros(1, np.int64)
        else:
            with Stopwatch(seconds) as watch:
                yield watch.stop
        self.paces[job[0]] = job[1], (time.thread_time() - began) / max(1, size)

    def _sought(self, particles: LaneParticles, sighting: Sighting) -> Sought | None:
        """What is looked for; None for what can never be."""
        role = self.game.roles.index(particles.role)
        wanted = self._wanted(particles, [sighting])
        own = -1
        if sighting.own is not None:
            number = self.code.numbers.numbers[role].get(sighting.own)
            if number is None:
                return None
            own = int(self.code.engine.move_start[role]) + number
        return None if wanted is None else Sought(role, own, wanted[0])

    def _wanted(self, particles: LaneParticles, history: Sequence[Sighting]) -> Words | None:
        """What was seen, step by step, as bits of all percepts [steps, W]; None for what can never be seen."""
        found = [self._bits(self.game.roles.index(particles.role), sighting.seen) for sighting in history]
        rows = [row for row in found if row is not None]
        none = np.zeros((0, self.code.percept_words), np.uint64)
        return None if len(rows) < len(found) else np.array(rows, np.uint64) if rows else none

    def _bits(self, role: int, seen: frozenset[Term]) -> Words | None:
        """What a role saw in a step as bits of all percepts; None for what can never be seen."""
        if (role, seen) not in self.seen:
            if len(self.seen) >= MOST_SEEN:
                self.seen.clear()
            bits, first = np.zeros(64 * self.code.percept_words, np.uint8), int(self.code.percept_start[role])
            own = self.code.numbers.wanted(role, seen)
            if own is not None:
                bits[first : first + len(own)] = own
            packed = np.packbits(bits, bitorder="little").view(np.uint64)
            self.seen[role, seen] = None if own is None else packed
        return self.seen[role, seen]

    def _fits(self, count: int) -> Fits:
        """Room for so many."""
        roles = len(self.game.roles)
        return Fits(
            np.empty((count, self.code.state_words), np.uint64),
            np.empty((count, roles), np.uint64),
            np.empty((count, roles), np.int32),
            np.empty(count, np.int64),
            np.empty(count, np.float64),
            np.empty(count, np.float64),
        )


def _mostly(weights: Floats) -> Floats:
    """How often each is drawn: half of the time by weight."""
    return np.asarray((weights / weights.sum() + 1 / len(weights)) / 2)


def _loose_of(particles: LaneParticles, made: Codes) -> Flags | None:
    """Which moves may have been others in histories that are as long as those of particles, or a step longer."""
    if particles.loose is None or made.shape[1] == particles.step:
        return particles.loose
    return (
        particles.loose_after(made[:, -1])
        if len(made)
        else np.append(particles.loose, particles.loose[:1], 0)
    )


def _as_long(table: Floats, steps: int) -> Floats:
    """The first so many rows; nothing in those that are not there yet."""
    return np.concatenate([table[:steps], np.zeros((max(0, steps - len(table)), table.shape[1]))])
