"""Game -> HistoryTree: all histories of a game, as its sequence form.

Histories are walked through layer by layer and forgotten: what stays of them is what each role can know
(`information.py`), and at each end the sequences of moves that lead there, its goals and how likely chance makes it.
Roles that choose at once choose without knowing of each other. Histories that no role can tell apart, in the same
state, go on as one, and so do ends after the same sequences. (Koller, Megiddo & von Stengel 1996 for the form.)
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from gamemaster.errors import LimitExceeded, Unsuitable
from gamemaster.language.terms import Term
from gamemaster.machine.game import MAX_LENGTH, RANDOM, Game, State, dead_end
from gamemaster.search.native.kernels.regrets import SequenceForm
from gamemaster.solving.equilibrium.information import NO_STATE, InformationBook, Page, Sighting
from gamemaster.solving.equilibrium.walking import NO_MOVE, Ints, Looked, Rows, Walker, identify, walker_of

__all__ = ["HistoryTree", "InformationState", "TreeLimits", "grow_tree"]

Floats = npt.NDArray[np.float64]

HISTORY_BYTES = 120
"""What a history takes beside its state and what is known of it: moves, sequences, and what sorts them."""

HASTE = 2.0
"""How much longer a step may take than the one before makes expect, and all that follows: no step is begun for which
the time may not suffice."""


@dataclass(frozen=True)
class TreeLimits:
    """How much a tree may take: histories in all, bytes of memory, and seconds, if they are counted."""

    histories: int = 8_000_000
    memory: int = 2 << 30
    seconds: float | None = None


@dataclass(frozen=True)
class InformationState:
    """Where a role chooses, as far as it knows: how it came there, and its moves."""

    role: str
    story: tuple[Sighting, ...]
    moves: tuple[Term, ...]

    @property
    def step(self) -> int:
        """How many steps were made before."""
        return len(self.story)


@dataclass(frozen=True, eq=False)
class HistoryTree:
    """The sequence form of a game. L is a number of ends, R of roles without chance, I of information states."""

    game: Game
    roles: tuple[str, ...]
    """Without chance."""

    choosers: tuple[int, ...]
    """Those of them that ever have a choice."""

    books: tuple[InformationBook, ...]  # of each role
    form: SequenceForm  # of the choosers
    moves: Ints  # int64[S]: the move with which each sequence ends, by number; NO_MOVE for an empty one
    rewards: Floats  # float64[R, L]: goals at the ends, times how likely chance makes them
    chances: Floats  # float64[L]: how likely chance makes them, if the roles do their part
    histories: int
    steps: int
    is_opposed: bool
    """Whether two roles choose, and their goals always have the same sum."""

    @property
    def states(self) -> int:
        """How many information states there are."""
        return len(self.form.firsts)

    @property
    def ends(self) -> int:
        """How many ends there are, those after the same sequences counted once."""
        return len(self.rewards.T)

    @cached_property
    def _places(self) -> list[list[tuple[int, int]]]:
        return [self.books[role].places() for role in self.choosers]

    def chooser_of(self, state: int) -> int:
        """Which of the choosers has an information state."""
        return int(np.searchsorted(self.form.starts, state, "right")) - 1

    def describe(self, state: int) -> InformationState:
        """An information state, by its number."""
        book, place = self._where(state)
        first, count = int(self.form.firsts[state]), int(self.form.counts[state])
        moves = tuple(book.moves[move] for move in self.moves[first : first + count])
        return InformationState(book.role, tuple(book.story(*place)), moves)

    def news(self, state: int) -> list[Sighting]:
        """What tells an information state from others: its story without what goes without saying."""
        book, place = self._where(state)
        return book.news(*place)

    def legals(self, state: int) -> list[tuple[Term, ...]]:
        """Which moves the role of an information state has had in each step, the last of them there."""
        book, place = self._where(state)
        return book.legals(*place)

    def _where(self, state: int) -> tuple[InformationBook, tuple[int, int]]:
        chooser = self.chooser_of(state)
        place = self._places[chooser][state - int(self.form.starts[chooser])]
        return self.books[self.choosers[chooser]], place

    def __str__(self) -> str:
        return f"{self.game.name}: {self.histories:,} histories, {self.states:,} information states"


@dataclass(eq=False)
class _Sequences:
    """The information states of a role, as they are found, with its sequences numbered from 0, the empty one."""

    counts: list[Ints] = field(default_factory=list)
    parents: list[Ints] = field(default_factory=list)
    moves: list[Ints] = field(default_factory=lambda: [np.full(1, NO_MOVE, np.int64)])
    states: int = 0
    sequences: int = 1


@dataclass(eq=False)
class _Front:
    """The histories of a layer. N is how many there are, R roles without chance."""

    rows: Rows
    known: Ints  # int64[N, R]
    sequences: Ints  # int64[N, R]
    chances: Floats  # float64[N]

    def __len__(self) -> int:
        return len(self.chances)

    def pick(self, which: npt.NDArray[np.bool_] | Ints) -> _Front:
        """Some of the histories."""
        return _Front(self.rows[which], self.known[which], self.sequences[which], self.chances[which])


@dataclass(eq=False)
class _Ends:
    sequences: list[Ints] = field(default_factory=list)
    chances: list[Floats] = field(default_factory=list)
    goals: list[Ints] = field(default_factory=list)


def grow_tree(
    game: Game,
    start: State | None = None,
    *,
    limits: TreeLimits | None = None,
    tell: Callable[[int, int], None] = lambda histories, step: None,
) -> HistoryTree:
    """All histories of a game from a state that everybody knows, by default the initial one.

    LimitExceeded where there are more than allowed: before memory is filled. `tell` hears how many there are by now.
    """
    return _Grower(game, limits or TreeLimits(), tell).grow(start or game.initial_state())


class _Grower:
    def __init__(self, game: Game, limits: TreeLimits, tell: Callable[[int, int], None]) -> None:
        self.game, self.limits, self.tell = game, limits, tell
        self.walker: Walker = walker_of(game)
        self.own = [number for number, role in enumerate(game.roles) if role != RANDOM]
        self.chance = game.roles.index(RANDOM) if RANDOM in game.roles else None
        self.books = [InformationBook(game.roles[number], self.walker.moves[number]) for number in self.own]
        self.plots = [_Sequences() for _ in self.own]
        self.found = _Ends()
        self.histories, self.step = 0, 0
        self.began, self.pace = time.perf_counter(), 0.0

    def grow(self, start: State) -> HistoryTree:
        roles = len(self.own)
        front = _Front(
            self.walker.begin(start),
            np.zeros((1, roles), np.int64),
            np.zeros((1, roles), np.int64),
            np.ones(1),
        )
        while len(front):
            self.histories += len(front)
            self.tell(self.histories, self.step)
            front = self._step(front)
            self.step += 1
            if self.step > MAX_LENGTH:
                raise LimitExceeded("steps", f"{MAX_LENGTH:,}", doing=f"growing the tree of {self.game.name}")
        return self._tree(self.step - 1)

    def _step(self, front: _Front) -> _Front:
        """The histories a step longer; those that are over are noted."""
        looked = self.walker.look(front.rows)
        self._end(front.pick(looked.is_over), looked.goals[looked.is_over][:, self.own])
        front, counts = front.pick(~looked.is_over), looked.counts[~looked.is_over]
        if not len(front):
            return front
        if (stuck := np.flatnonzero(counts.sum(axis=1) == 0)).size:
            raise dead_end(self.walker.state_of(front.rows, int(stuck[0]), self.step))
        began, coming = time.perf_counter(), self._check_room(counts)
        starts = np.cumsum(counts, axis=0) - counts
        firsts = self._hear(front, counts, starts, looked)
        front = self._merged(self._moved(front, counts, starts, firsts, looked))
        self.pace = (time.perf_counter() - began) / max(coming, self.walker.lot)
        return front

    def _end(self, ended: _Front, goals: Ints) -> None:
        if len(ended):
            self.found.sequences.append(ended.sequences)
            self.found.chances.append(ended.chances)
            self.found.goals.append(goals)

    def _elsewhere(self) -> str:
        """Who else may solve it: where nothing is hidden and roles take turns, one position needs no histories."""
        game = self.game
        if game.has_percepts or game.kind.turns == "simultaneous":
            return ""
        return f", and `gamemaster think {game.name} --with expectiminimax` looks at one position"

    def _check_room(self, counts: Ints) -> float:
        """How many histories the next layer has; LimitExceeded where they are too many."""
        coming = float(np.maximum(counts, 1).astype(np.float64).prod(axis=1).sum())
        doing = f"growing the tree of {self.game.name}"
        hint = (
            f"{self.histories:,} histories of up to {self.step} steps were found, and the next step has "
            f"{coming:,.0f} more; a smaller variant may do{self._elsewhere()}"
        )
        if self.histories + coming > self.limits.histories:
            raise LimitExceeded("histories", f"{self.limits.histories:,}", doing=doing, hint=hint)
        each = HISTORY_BYTES + 2 * self.walker.row_bytes + 40 * len(self.game.roles)
        if coming * each > self.limits.memory:
            raise LimitExceeded("memory", f"{self.limits.memory >> 20:,} MB", doing=doing, hint=hint)
        passed = time.perf_counter() - self.began
        if self.limits.seconds is not None and passed + HASTE * coming * self.pace > self.limits.seconds:
            raise LimitExceeded("time", f"{self.limits.seconds:.3g} s", doing=doing, hint=hint)
        return coming

    # What is known

    def _hear(self, front: _Front, counts: Ints, starts: Ints, looked: Looked) -> Ints:
        """Let each role hear which moves it has; the first sequence [histories, roles] of where it chooses."""
        firsts = np.zeros((len(front), len(self.own)), np.int64)
        for place, role in enumerate(self.own):
            layer = self.books[place].layers[-1]
            _, shown, which = np.unique(
                looked.sets[role][~looked.is_over], return_index=True, return_inverse=True
            )
            ends = starts[shown, role] + counts[shown, role]
            legal = tuple(
                tuple(looked.moves[role][start:end].tolist())
                for start, end in zip(starts[shown, role].tolist(), ends.tolist(), strict=True)
            )
            keys = front.known[:, place] * len(legal) + which
            layer.legal = legal
            layer.known, first, known = np.unique(keys, return_index=True, return_inverse=True)
            front.known[:, place] = known
            firsts[:, place] = self._choose(place, layer, first, front.sequences[:, place])[known]
        return firsts

    def _choose(self, place: int, layer: Page, first: Ints, sequences: Ints) -> Ints:
        """Give what is known in a layer its information states; the first sequence of each, -1 where it has none."""
        plot = self.plots[place]
        sets = [layer.legal[number] for number in (layer.known % len(layer.legal)).tolist()]
        counts = np.array([len(moves) for moves in sets], np.int64)
        chooses = counts > 1
        layer.states = np.full(len(sets), NO_STATE, np.int64)
        layer.states[chooses] = plot.states + np.arange(chooses.sum())
        begins = np.full(len(sets), -1, np.int64)
        begins[chooses] = plot.sequences + np.cumsum(counts[chooses]) - counts[chooses]
        plot.counts.append(counts[chooses])
        plot.parents.append(sequences[first][chooses])
        plot.moves.append(np.array([move for moves in sets if len(moves) > 1 for move in moves], np.int64))
        plot.states += int(chooses.sum())
        plot.sequences += int(counts[chooses].sum())
        return begins

    # What is done

    def _moved(self, front: _Front, counts: Ints, starts: Ints, firsts: Ints, looked: Looked) -> _Front:
        """The histories after every joint move."""
        ways = np.maximum(counts, 1)
        joint = ways.prod(axis=1)
        before = np.repeat(np.arange(len(front)), joint)
        number = np.arange(len(before)) - np.repeat(np.cumsum(joint) - joint, joint)
        made = np.full((len(before), len(self.game.roles)), NO_MOVE, np.int64)
        sequences = front.sequences[before]
        for role in range(len(self.game.roles)):
            number, which = np.divmod(number, ways[before, role])
            moves = counts[before, role] > 0
            made[moves, role] = looked.moves[role][(starts[before, role] + which)[moves]]
            if role in self.own:
                place = self.own.index(role)
                first = firsts[before, place]
                sequences[:, place] = np.where(first < 0, sequences[:, place], first + which)
        chances = front.chances[before]
        if self.chance is not None:
            chances = chances / ways[before, self.chance]
        rows, percepts = self.walker.step(front.rows[before], made)
        known = np.empty((len(before), len(self.own)), np.int64)
        for place, role in enumerate(self.own):
            seen = self.books[place].see(front.known[before, place], made[:, role], percepts[role])
            known[:, place] = seen
        return _Front(rows, known, sequences, chances)

    def _merged(self, front: _Front) -> _Front:
        """Histories in the same state that no role can tell apart, as one."""
        numbers, firsts = identify(list(front.known.T), len(front))
        if len(firsts) == len(front):
            return front
        numbers, firsts = identify([numbers, *self.walker.columns(front.rows)], len(front))
        if len(firsts) == len(front):
            return front
        merged = front.pick(firsts)
        merged.chances = _sums(numbers, front.chances, len(firsts))
        return merged

    # What comes out

    def _tree(self, steps: int) -> HistoryTree:
        sequences = np.concatenate(self.found.sequences)
        chances, goals = np.concatenate(self.found.chances), np.concatenate(self.found.goals)
        choosers = [place for place, plot in enumerate(self.plots) if plot.states]
        if not choosers:
            raise Unsuitable(f"solve: nobody ever has a choice in {self.game.name}")
        sums = goals[:, choosers].sum(axis=1)
        numbers, firsts = identify(list(sequences[:, choosers].T), len(sequences))
        rewards = np.stack([_sums(numbers, chances * own, len(firsts)) for own in goals.T])
        form, moves = _form(
            [self.plots[place] for place in choosers], sequences[firsts][:, choosers], rewards[choosers]
        )
        return HistoryTree(
            self.game,
            tuple(book.role for book in self.books),
            tuple(choosers),
            tuple(self.books),
            form,
            moves,
            rewards,
            _sums(numbers, chances, len(firsts)),
            self.histories,
            steps,
            is_opposed=len(choosers) == 2 and bool((sums == sums[0]).all()),
        )


def _form(plots: list[_Sequences], leaves: Ints, payoffs: Floats) -> tuple[SequenceForm, Ints]:
    """The plots of the choosers side by side, and the moves of all sequences."""
    offsets = np.cumsum([0, *(plot.sequences for plot in plots)])
    counts = [np.concatenate(plot.counts) for plot in plots]
    firsts = [at + 1 + np.cumsum(own) - own for at, own in zip(offsets, counts, strict=False)]
    parents = [at + np.concatenate(plot.parents) for at, plot in zip(offsets, plots, strict=False)]
    starts = np.cumsum([0, *(plot.states for plot in plots)])
    form = SequenceForm(
        _small(starts),
        _small(offsets[:-1]),
        _small(np.concatenate(firsts)),
        _small(np.concatenate(counts)),
        _small(np.concatenate(parents)),
        _small((leaves + offsets[:-1]).T),
        np.ascontiguousarray(payoffs),
    )
    return form, np.concatenate([np.concatenate(plot.moves) for plot in plots])


def _small(array: Ints) -> npt.NDArray[np.int32]:
    return np.ascontiguousarray(array, np.int32)


def _sums(numbers: Ints, weights: Floats, count: int) -> Floats:
    """What the weights of each number add up to."""
    return np.asarray(np.bincount(numbers, weights, count), np.float64)
