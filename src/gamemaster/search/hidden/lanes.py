"""Particles in lanes: rows of bits with weights, of which all joint moves are made at once on the compiled machine.

The same as the plain ones (particles.py), in arrays. N particles, R roles:

rows     uint8[N, bytes of a state]    the states
weights  float64[N]
known    uint64[N, R]                  what each role knows: a hash of all that it did and saw
made     int32[N, steps, R]            the moves that led there, among all moves, -1 for none; of several ways, one
logs     float64[N]                    the logarithm of how likely that way is, if others play by lot
loose    bool[steps, R]                where several moves fitted when the step was made: what may be changed later

What a role knows changes with the marks, random words, of its own move and of what it sees:

    known' = known + mix(mark of its move + sum of the marks of its percepts)

so that it does not matter in which order things were done: as a rule they come to the same, and there are far fewer
such sets than orders. What a role saw while it had no choice is another thing before its first choice than later: a
card that is dealt to it, and one that is turned up on the table. The last bit of what it knows says which it is. Where
there is so little to know that random games meet it again and again, the order counts:

    known' = mix(known + mark of its move + sum of the marks of its percepts)

and so it does where the rules hide nothing; then the marks of all moves are added up instead.
"""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Protocol, runtime_checkable
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from gamemaster.language.terms import Term
from gamemaster.machine.game import RANDOM, Game, State
from gamemaster.machine.layout import FIRST_LEGAL
from gamemaster.search.hidden.particles import Known, Model, Particles, Sighting
from gamemaster.search.hidden.thinning import thinned_rows

if TYPE_CHECKING:
    from gamemaster.machine.compiled import CompiledGame

__all__ = [
    "Choices",
    "Codes",
    "Flags",
    "Floats",
    "Ints",
    "LaneGame",
    "LaneModel",
    "LaneParticles",
    "Rows",
    "Words",
    "lane_game",
    "mixed_words",
    "move_factors",
]

Rows = npt.NDArray[np.uint8]
Words = npt.NDArray[np.uint64]
Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int32]
Flags = npt.NDArray[np.bool_]

CHUNK = 2_048
"""Joint moves between two looks at the clock."""

MOST_NUMBERED = 1 << 50
"""Joint moves of a state up to which they are numbered; of more, each role's is drawn by itself."""

MARKS_SEED = 20

TRIAL_GAMES, TRIAL_STEPS, SPARSE = 256, 40, 0.4
"""Random games, and steps of them, by which it is seen how much there is to know. Where this share of all choices is
met only once in them, a role knows what it did and saw in any order."""


@runtime_checkable
class LaneModel(Protocol):
    """How others play, for many at a time."""

    def shares(self, role: int, known: Words, starts: Ints, moves: Ints) -> Floats:
        """How likely moves of a role are: those from starts[i] to starts[i + 1] where known[i] is known."""


class LaneGame:
    """A compiled game in the numbers that particles need."""

    def __init__(self, game: CompiledGame) -> None:
        self.game, self.layout = game, game.layout
        layout = self.layout
        self.move_start = np.array([first for first, _, _ in layout.move_bits], np.int64)
        generator = np.random.default_rng(MARKS_SEED)
        self.move_marks = generator.integers(0, 1 << 64, layout.all_moves, np.uint64)
        percepts = sum(map(len, layout.percepts)) if game.has_percepts else 0
        self.percept_marks = generator.integers(0, 1 << 64, percepts, np.uint64)
        self.legal_marks = generator.integers(0, 1 << 64, layout.all_moves, np.uint64)
        self.numbers = [{move: i for i, move in enumerate(own)} for own in layout.moves]
        self.last_mask = np.uint8((1 << layout.odd_bits) - 1 if layout.odd_bits else 255)
        self.in_order = True
        self.is_choice: Rows = np.zeros(layout.all_moves, np.uint8)
        if game.has_percepts:
            self.in_order = self._share_met_once() < SPARSE

    def _share_met_once(self) -> float:
        """Of all choices in random games, how many have just one role in one game come to, by all that it did and saw.

        Which moves are ever one of several is seen beside that.
        """
        generator = np.random.default_rng(MARKS_SEED)
        rows = np.repeat(self.row_of(self.game.initial_state())[None, :], TRIAL_GAMES, axis=0)
        known, met = np.zeros((TRIAL_GAMES, len(self.layout.roles)), np.uint64), list[Words]()
        for _ in range(TRIAL_STEPS):
            seen = self.observed(rows)
            codes = np.full(known.shape, -1, np.int64)
            for role, (first, _, _) in enumerate(self.layout.move_bits):
                legal = seen[:, FIRST_LEGAL + first : FIRST_LEGAL + first + len(self.layout.moves[role])]
                if not legal.shape[1]:
                    continue
                choosing = legal.sum(axis=1) > 1
                self.is_choice[first : first + legal.shape[1]] |= legal[choosing].any(axis=0)
                if self.layout.roles[role] != RANDOM:
                    met.append(known[choosing, role])
                drawn = (legal * generator.random(legal.shape)).argmax(axis=1)
                codes[:, role] = np.where(legal.any(axis=1), first + drawn, -1)
            goes_on = (seen[:, 0] == 0) & (codes >= 0).any(axis=1)
            rows, known, codes = rows[goes_on], known[goes_on], codes[goes_on]
            if not len(rows):
                break
            rows, percepts = self.advanced(rows, codes)
            known = self.known_after(known, codes, percepts)
        _, counts = np.unique(np.concatenate(met), return_counts=True) if met else (None, np.zeros(0))
        return float((counts == 1).sum() / max(1, counts.sum()))

    def row_of(self, state: State) -> Rows:
        """The row of a state."""
        return np.frombuffer(self.game.own(state).bits, np.uint8)

    def observed(self, rows: Rows) -> Rows:
        """What is seen in states, a bit a byte [N, bits]."""
        return np.unpackbits(self.game.lanes.observe(rows), axis=1, bitorder="little")

    def advanced(self, rows: Rows, codes: Ints) -> tuple[Rows, Rows]:
        """The next states, and all percepts, a bit a byte, where each role makes the move of a code, -1 for none."""
        layout = self.layout
        joint = np.zeros((len(rows), 8 * layout.joint_bytes), np.uint8)
        everyone = np.arange(len(rows))
        for role in range(len(layout.roles)):
            moves = codes[:, role] >= 0
            joint[everyone[moves], codes[moves, role]] = 1
            if layout.moved:
                joint[moves, layout.all_moves + role] = 1
        packed = np.packbits(joint, axis=1, bitorder="little")
        after = self.game.lanes.advance(np.concatenate([rows, packed], axis=1))
        facts, size = len(layout.facts), layout.state_bytes
        bits = np.unpackbits(after[:, facts // 8 :], axis=1, bitorder="little")[:, facts % 8 :]
        following = after[:, :size].copy()
        following[:, -1:] &= self.last_mask
        return following, bits[:, : len(self.percept_marks)]

    def wanted(self, role: int, seen: frozenset[Term]) -> Rows | None:
        """The bits of what a role sees; None where it can never see that."""
        terms = self.layout.percepts[role]
        if not seen <= set(terms):
            return None
        return np.array([term in seen for term in terms], np.uint8)

    def columns(self, role: int) -> slice:
        """A role's percepts among all."""
        bits = self.layout.percept_bits[role]
        start = bits.start - len(self.layout.facts)
        return slice(start, start + len(bits.terms))

    def known_after(self, known: Words, codes: Ints, percepts: Rows) -> Words:
        """What the roles know after a step; all moves, where the rules do not say what they see."""
        marks = np.where(codes >= 0, self.move_marks[np.maximum(codes, 0)], np.uint64(0))
        if not self.game.has_percepts:
            marks = np.broadcast_to(marks.sum(axis=1, dtype=np.uint64)[:, None], marks.shape)
        for role in range(len(self.layout.roles) if self.game.has_percepts else 0):
            own = self.columns(role)
            marks[:, role] += percepts[:, own].astype(np.uint64) @ self.percept_marks[own]
        if self.in_order:
            return mixed_words(known + marks)
        is_choice = ((codes >= 0) & (self.is_choice[np.maximum(codes, 0)] != 0)).astype(np.uint64)
        marks = marks + (1 - is_choice) * (known & CHOSEN) * MIX[0]
        return np.asarray((known + (mixed_words(marks) & ~CHOSEN)) | is_choice, np.uint64)


_lane_games: WeakKeyDictionary[Game, LaneGame] = WeakKeyDictionary()


def lane_game(game: CompiledGame) -> LaneGame:
    """The numbers of a game, worked out once."""
    if game not in _lane_games:
        _lane_games[game] = LaneGame(game)
    return _lane_games[game]


MIX = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
CHOSEN = np.uint64(1)
"""The bit of what a role knows that says whether it has made a choice."""


def mixed_words(words: Words) -> Words:
    """Words that look random, of which each stands for one before (splitmix64)."""
    mixed = (words ^ (words >> np.uint64(30))) * MIX[0]
    mixed = (mixed ^ (mixed >> np.uint64(27))) * MIX[1]
    return np.asarray(mixed ^ (mixed >> np.uint64(31)), np.uint64)


class LaneParticles(Particles):
    """Particles of a compiled game that says what each role sees."""

    def __init__(
        self,
        game: CompiledGame,
        role: str,
        rows: Rows,
        known: Words,
        weights: Floats,
        *,
        step: int,
        made: Codes | None = None,
        logs: Floats | None = None,
        loose: Flags | None = None,
    ) -> None:
        self.game, self.role, self.step = game, role, step
        self.made, self.loose = made, loose
        self.logs: Floats = np.zeros(len(rows)) if logs is None else logs
        self.compiled = game
        self.rows, self.known_words, self.shares = rows, known, weights

    @classmethod
    def initial(cls, game: CompiledGame, role: str) -> LaneParticles:
        """The initial state, for sure; nobody has seen anything."""
        row = lane_game(game).row_of(game.initial_state())[None, :]
        roles = len(game.roles)
        made, loose = np.zeros((1, 0, roles), np.int32), np.zeros((0, roles), bool)
        known = np.zeros((1, roles), np.uint64)
        return cls(game, role, row, known, np.ones(1), step=0, made=made, loose=loose)

    def __len__(self) -> int:
        return len(self.shares)

    @property
    def weights(self) -> Sequence[float]:
        """See Particles."""
        found: list[float] = self.shares.tolist()
        return found

    def states(self) -> list[State]:
        """See Particles."""
        from gamemaster.machine.compiled import CompiledState

        return [CompiledState(self.compiled, row.tobytes(), self.step) for row in self.rows]

    def known(self) -> list[Known]:
        """See Particles."""
        return [tuple(row) for row in self.known_words.tolist()]

    def following(
        self, sighting: Sighting, tries: int, deadline: float, generator: random.Random, model: Model | None
    ) -> tuple[LaneParticles, bool]:
        """See Particles."""
        lanes, role = lane_game(self.compiled), self.game.roles.index(self.role)
        wanted = lanes.wanted(role, sighting.seen)
        if wanted is None:
            return self._empty(), True
        choices = Choices(self, sighting.own, model)
        owners, digits = choices.drawn(tries, np.random.default_rng(generator.getrandbits(64)))
        tried = np.zeros(len(self.rows), np.int64)
        found: list[tuple[Ints, Floats, Rows, Words, Ints]] = []
        is_late = False
        for start in range(0, len(owners), CHUNK):
            own = owners[start : start + CHUNK]
            codes, factors = choices.codes(own, digits[start : start + CHUNK])
            rows, percepts = lanes.advanced(self.rows[own], codes)
            tried += np.bincount(own, minlength=len(tried))
            fits = (percepts[:, lanes.columns(role)] == wanted).all(axis=1)
            known = lanes.known_after(self.known_words[own[fits]], codes[fits], percepts[fits])
            found.append((own[fits], factors[fits], rows[fits], known, codes[fits]))
            is_late = time.monotonic() > deadline and start + CHUNK < len(owners)
            if is_late:
                break
        if not found:
            return self._empty(), True
        source, factors, rows, known, codes = (np.concatenate(parts) for parts in zip(*found, strict=True))
        weights = self.shares[source] / np.maximum(1, tried[source]) * factors
        made = self.made_after(source, codes)
        logs = self.logs[source] - np.log(np.maximum(1.0, choices.totals[source]))
        after = LaneParticles(
            self.compiled,
            self.role,
            rows,
            known,
            weights,
            step=self.step + 1,
            made=made,
            logs=logs,
            loose=self.loose_after(codes),
        ).merged()
        return after, not is_late and choices.is_complete(tries)

    def thinned(self, most: int, generator: random.Random) -> LaneParticles:
        """See Particles."""
        if len(self.shares) <= most:
            return self
        kept, weights = thinned_rows(self.shares, most, np.random.default_rng(generator.getrandbits(64)))
        return self.part(kept, weights)

    def halves(self, size: int, generator: random.Random) -> tuple[LaneParticles, LaneParticles]:
        """See Particles."""
        order = np.random.default_rng(generator.getrandbits(64)).permutation(len(self.shares))
        first, second = order[:size], order[size:]
        return self.part(first, self.shares[first]), self.part(second, self.shares[second])

    def joined(self, others: Sequence[Particles]) -> LaneParticles:
        """See Particles."""
        all_of_them = [self, *(other for other in others if isinstance(other, LaneParticles))]
        histories = [each.made for each in all_of_them if each.made is not None]
        loose = [each.loose for each in all_of_them if each.loose is not None]
        return LaneParticles(
            self.compiled,
            self.role,
            np.concatenate([each.rows for each in all_of_them]),
            np.concatenate([each.known_words for each in all_of_them]),
            np.concatenate([each.shares for each in all_of_them]),
            step=self.step,
            made=np.concatenate(histories) if len(histories) == len(all_of_them) else None,
            logs=np.concatenate([each.logs for each in all_of_them]),
            loose=np.logical_or.reduce(loose) if len(loose) == len(all_of_them) else None,
        ).merged()

    def of_each_state(self) -> LaneParticles:
        """One for each state, with the weights of all that have it: in which ways it came about is left out."""
        return self._of_each(_as_values(self.rows))

    def without_states(self, others: LaneParticles) -> LaneParticles:
        """One for each state that is not among those of others."""
        keys = _as_values(self.rows)
        is_new = ~np.isin(keys, _as_values(others.rows))
        _, first = np.unique(keys, return_index=True)
        return self.part(np.intersect1d(np.flatnonzero(is_new), first))

    def made_after(self, source: Ints, codes: Ints | Codes) -> Codes | None:
        """The moves that led to particles one step on, from which they came by which moves."""
        if self.made is None:
            return None
        return np.concatenate([self.made[source], codes.astype(np.int32)[:, None, :]], axis=1)

    def loose_after(self, codes: Ints | Codes) -> Flags | None:
        """Which moves may have been others, one step on, where those of that step that fit have these codes."""
        if self.loose is None:
            return None
        return np.concatenate([self.loose, (codes != codes[:1]).any(axis=0)[None, :]])

    def part(self, indices: Ints, weights: Floats | None = None) -> LaneParticles:
        """Some of them, with other weights where those are given."""
        return LaneParticles(
            self.compiled,
            self.role,
            self.rows[indices],
            self.known_words[indices],
            self.shares[indices] if weights is None else weights,
            step=self.step,
            made=None if self.made is None else self.made[indices],
            logs=self.logs[indices],
            loose=self.loose,
        )

    def _empty(self) -> LaneParticles:
        return self.part(np.zeros(0, np.int64))

    def merged(self) -> LaneParticles:
        """Those that are the same as one, with the weights of all; in the order in which they were found."""
        return self._of_each(_as_values(np.concatenate([self.rows, self.known_words.view(np.uint8)], axis=1)))

    def _of_each(self, values: npt.NDArray[np.void]) -> LaneParticles:
        """The first of those with the same value, with the weights of all."""
        if len(self.shares) < 2:
            return self
        _, first, inverse = np.unique(values, return_index=True, return_inverse=True)
        weights = np.bincount(inverse.ravel(), self.shares).astype(np.float64)
        order = np.argsort(first)
        return self.part(first[order], weights[order])


class Choices:
    """What may be done in each state: each role's legal moves, side by side."""

    def __init__(self, particles: LaneParticles, own: Term | None, model: Model | None) -> None:
        lanes, layout = lane_game(particles.compiled), particles.compiled.layout
        seen = lanes.observed(particles.rows)
        is_open = seen[:, 0] == 0
        self.move_start = lanes.move_start
        self.counts = np.ones((len(particles.rows), len(layout.roles)), np.int64)
        self.is_moving = np.zeros(self.counts.shape, bool)
        self.starts, self.moves, self.factors = list[Ints](), list[Ints](), list[Floats]()
        for role, moves in enumerate(layout.moves):
            first = FIRST_LEGAL + int(lanes.move_start[role])
            legal = seen[:, first : first + len(moves)] != 0
            self.is_moving[:, role] = legal.any(axis=1)
            if own is not None and layout.roles[role] == particles.role:
                legal = legal & (np.arange(len(moves)) == lanes.numbers[role].get(own, -1))
            owners, numbers = np.nonzero(legal)
            counts = np.bincount(owners, minlength=len(legal))
            self.counts[:, role] = np.where(self.is_moving[:, role], counts, 1)
            self.starts.append(np.concatenate([[0], np.cumsum(counts)[:-1]]))
            self.moves.append(numbers)
            by_model = None if layout.roles[role] in (RANDOM, particles.role) else model
            self.factors.append(_factors(particles, role, owners, numbers, by_model))
        is_open &= self.is_moving.any(axis=1)
        self.totals = np.where(is_open, self.counts.astype(np.float64).prod(axis=1), 0.0)

    def is_complete(self, tries: int) -> bool:
        """Whether all joint moves are drawn."""
        return bool((self.totals <= tries).all())

    def drawn(self, tries: int, generator: np.random.Generator) -> tuple[Ints, Ints]:
        """Joint moves [M], the state of each and each role's move in it [M, R]: of each state in turn one."""
        per = np.minimum(self.totals, tries).astype(np.int64)
        order = generator.permutation(len(per))
        owners = np.repeat(order, per[order])
        turns = np.arange(len(owners)) - np.repeat(np.cumsum(per[order]) - per[order], per[order])
        by_turn = np.argsort(turns, kind="stable")
        owners, turns = owners[by_turn], turns[by_turn]
        return owners, self._digits(owners, turns, per, generator)

    def _digits(self, owners: Ints, turns: Ints, per: Ints, generator: np.random.Generator) -> Ints:
        totals = self.totals[owners]
        spread = (turns + generator.random(len(turns))) * (totals / per[owners])
        numbers = np.where(totals == per[owners], turns, np.minimum(spread, totals - 1)).astype(np.int64)
        digits = np.zeros((len(owners), self.counts.shape[1]), np.int64)
        by_lot = totals > MOST_NUMBERED
        for role in range(self.counts.shape[1]):
            counts = self.counts[owners, role]
            drawn = np.minimum(generator.random(len(counts)) * counts, counts - 1).astype(np.int64)
            digits[:, role] = np.where(by_lot, drawn, numbers % np.maximum(1, counts))
            numbers //= np.maximum(1, counts)
        return digits

    def codes(self, owners: Ints, digits: Ints) -> tuple[Ints, Floats]:
        """The codes of moves [M, R], -1 where a role has none, and how much likelier a model makes them than by lot."""
        codes, factors = np.full(digits.shape, -1, np.int64), np.ones(len(owners))
        for role in range(digits.shape[1]):
            moving = self.is_moving[owners, role]
            places = self.starts[role][owners[moving]] + digits[moving, role]
            codes[moving, role] = self.move_start[role] + self.moves[role][places]
            factors[moving] *= self.factors[role][places]
        return codes, factors


def _factors(particles: LaneParticles, role: int, owners: Ints, numbers: Ints, model: Model | None) -> Floats:
    """How much likelier each legal move of a role is than by lot."""
    factors = np.ones(len(owners))
    if model is None:
        return factors
    known = particles.known_words[:, role]
    starts = np.searchsorted(owners, np.arange(len(known) + 1))
    counts = np.diff(starts)
    if isinstance(model, LaneModel):
        found: Floats = model.shares(role, known, starts, numbers) * np.repeat(counts, counts)
        return found
    moves = particles.compiled.layout.moves[role]
    for owner, (start, end) in enumerate(pairwise(starts.tolist())):
        if end - start > 1:
            legal = [moves[number] for number in numbers[start:end]]
            chances = model.chances(particles.game.roles[role], int(known[owner]), legal)
            factors[start:end] = np.asarray(chances) * (end - start)
    return factors


def _as_values(rows: Rows) -> npt.NDArray[np.void]:
    """Each row as one value."""
    return np.ascontiguousarray(rows).view(np.dtype((np.void, rows.shape[1]))).ravel()


def move_factors(particles: LaneParticles, role: int, model: Model) -> Floats:
    """How much likelier each legal move of a role is than by lot [N, moves]; 0 for others."""
    lanes = lane_game(particles.compiled)
    first, count = FIRST_LEGAL + int(lanes.move_start[role]), len(particles.compiled.layout.moves[role])
    owners, numbers = np.nonzero(lanes.observed(particles.rows)[:, first : first + count])
    table = np.zeros((len(particles.rows), count))
    table[owners, numbers] = _factors(particles, role, owners, numbers, model)
    return table
