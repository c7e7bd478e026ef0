"""Game -> random games looked at step by step: how long they are, how many ways there are on, what each role gets.

`game.playouts` is faster and sees ends only. On the compiled machine many games go on at once, as rows of bits. Games
are taken in whole batches: to leave out those that have not ended in time would favour short ones.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import prod
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from gamemaster.language.terms import Term
from gamemaster.machine.artifact import points
from gamemaster.machine.game import MAX_LENGTH, Game
from gamemaster.machine.layout import FIRST_LEGAL
from gamemaster.machine.statistics import Interval, mean_error

if TYPE_CHECKING:
    from gamemaster.machine.compiled import CompiledGame

__all__ = ["MOST_BARS", "Bar", "RandomGames", "branching", "histogram", "random_games", "ways_by_step"]

FIRST_BATCH, LARGEST_BATCH = 256, 4_096
WORTH_GROWING = 0.1
"""The part of the time that a batch takes at most for the next one to be larger."""

Numbers = npt.NDArray[np.int64]
Rows = npt.NDArray[np.uint8]
Flags = npt.NDArray[np.bool_]

MOST_BARS = 32
RARE = 20
"""What is told by step ends where fewer than one game in so many still goes on."""


@dataclass
class RandomGames:
    """Random games from the start. All lists are by game, but those by step."""

    lengths: list[int] = field(default_factory=list)
    goals: list[tuple[int, ...]] = field(default_factory=list)
    """Of each role, in the order of roles."""
    ways: list[int] = field(default_factory=list)
    """Joint moves that were legal in all states of the game together."""
    ways_by_step: list[int] = field(default_factory=list)
    """The same in all games together, by step."""
    games_by_step: list[int] = field(default_factory=list)
    """How many games went on from there."""
    is_cut: list[bool] = field(default_factory=list)
    """Whether it came to no end."""
    facts: set[Term] = field(default_factory=set)
    """Those that held in some state."""
    legal: dict[str, set[Term]] = field(default_factory=dict)
    """The moves of each role that were legal in some state from which a game went on."""
    made: dict[str, set[Term]] = field(default_factory=dict)
    """The moves of each role that were made."""

    @property
    def cut(self) -> int:
        """How many games came to no end."""
        return sum(self.is_cut)

    def add(self, step: int, ways: int, games: int) -> None:
        """So many games went on from a step, with so many ways on together."""
        if step == len(self.ways_by_step):
            self.ways_by_step.append(0)
            self.games_by_step.append(0)
        self.ways_by_step[step] += ways
        self.games_by_step[step] += games


def random_games(game: Game, most: int, seconds: float, seed: int = 0) -> RandomGames:
    """So many random games, or as many as fit in the time; one batch at least."""
    found, began = RandomGames(), time.perf_counter()
    found.legal.update((role, set()) for role in game.roles)
    found.made.update((role, set()) for role in game.roles)
    play: Callable[[RandomGames, int], None]
    if game.compiled:
        play, size, largest = _ManyAtOnce(game.compiled, seed).play, FIRST_BATCH, LARGEST_BATCH
    else:
        play, size, largest = _OneByOne(game, seed).play, 1, 1
    took = last = 0.0
    while len(found.lengths) < most and took + last <= seconds:
        play(found, min(size, most - len(found.lengths)))
        now = time.perf_counter() - began
        last, took = now - took, now
        if last < WORTH_GROWING * seconds:
            size = min(2 * size, largest)
    return found


class _OneByOne:
    """On any machine, one state at a time."""

    def __init__(self, game: Game, seed: int) -> None:
        self.game = game
        self.generator = random.Random(seed)

    def play(self, found: RandomGames, count: int) -> None:
        """Some games more."""
        for _ in range(count):
            state, all_ways = self.game.initial_state(), 0
            while not state.is_over and state.step < MAX_LENGTH:
                ways = prod(len(state.legal_moves(role)) for role in state.movers)
                found.add(state.step, ways, 1)
                all_ways += ways
                moves = state.random_moves(self.generator)
                found.facts |= state.facts
                for role, move in moves.items():
                    found.legal[role].update(state.legal_moves(role))
                    found.made[role].add(move)
                state = state.next(moves)
            found.facts |= state.facts
            found.lengths.append(state.step)
            found.goals.append(tuple(state.goal(role) or 0 for role in self.game.roles))
            found.ways.append(all_ways)
            found.is_cut.append(not state.is_terminal)


class _ManyAtOnce:
    """On the compiled machine: a row of bits for each game, and all games make their step together."""

    def __init__(self, game: CompiledGame, seed: int) -> None:
        self.lanes, self.layout = game.lanes, game.layout
        self.start = np.frombuffer(game.initial_state().bits, np.uint8)
        self.generator = np.random.default_rng(seed)
        self.all_legal = slice(FIRST_LEGAL, FIRST_LEGAL + self.layout.all_moves)

    def play(self, found: RandomGames, count: int) -> None:
        """Some games more."""
        rows, games = np.tile(self.start, (count, 1)), np.arange(count)
        lengths, all_ways = np.full(count, MAX_LENGTH), np.zeros(count, np.int64)
        goals, is_cut = np.zeros((count, len(self.layout.roles)), np.int64), np.zeros(count, np.bool_)
        facts = np.zeros(self.layout.state_bytes, np.uint8)
        legal, made = (np.zeros(self.layout.all_moves, np.bool_) for _ in range(2))
        for step in range(MAX_LENGTH + 1):
            facts |= np.bitwise_or.reduce(rows, axis=0)
            seen = np.unpackbits(self.lanes.observe(rows), axis=1, bitorder="little")
            joint, ways = self._moves(seen)
            is_over = (seen[:, 0] == 1) | (ways == 0) | (step == MAX_LENGTH)
            ended = games[is_over]
            lengths[ended], goals[ended] = step, self._goals(seen[is_over])
            is_cut[ended] = seen[is_over, 0] == 0
            goes_on = ~is_over
            games, ways = games[goes_on], ways[goes_on]
            if not len(games):
                break
            all_ways[games] += ways
            found.add(step, int(ways.sum()), len(games))
            joint = joint[goes_on]
            legal |= seen[goes_on][:, self.all_legal].any(axis=0)
            made |= joint[:, : self.layout.all_moves].any(axis=0)
            rows = self._after(rows[goes_on], joint)
        self._take_note(found, facts, legal, made)
        found.lengths += lengths.tolist()
        found.goals += map(tuple, goals.tolist())
        found.ways += all_ways.tolist()
        found.is_cut += is_cut.tolist()

    def _take_note(self, found: RandomGames, facts: Rows, legal: Flags, made: Flags) -> None:
        """What held, was legal and was made, as terms."""
        held = np.unpackbits(facts, bitorder="little")
        found.facts.update(fact for fact, bit in zip(self.layout.facts, held, strict=False) if bit)
        for role, bits in zip(self.layout.roles, self.layout.move_bits, strict=True):
            for flags, own in ((legal, found.legal[role]), (made, found.made[role])):
                own.update(move for move, flag in zip(bits.terms, flags[bits.slice], strict=True) if flag)

    def _moves(self, seen: Rows) -> tuple[Rows, Numbers]:
        """A random joint move of each game, as bits; and of how many, which is 0 where nobody can move."""
        count = len(seen)
        joint = np.zeros((count, 8 * self.layout.joint_bytes), np.uint8)
        ways, can_move = np.ones(count, np.int64), np.zeros(count, np.bool_)
        for role, bits in enumerate(self.layout.legal_bits):
            games, moves = np.nonzero(seen[:, bits.slice])  # game by game, so each one's moves stand together
            own = np.bincount(games, minlength=count)
            movers = own > 0
            picked = own.cumsum() - own + (self.generator.random(count) * own).astype(np.int64)
            made = moves[picked[movers]]
            joint[movers, self.layout.move_bits[role].start + made] = 1
            if not self.layout.everybody_moves:
                joint[:, self.layout.all_moves + role] = movers
            ways *= np.maximum(own, 1)
            can_move |= movers
        return joint, np.where(can_move, ways, 0)

    def _after(self, rows: Rows, joint: Rows) -> Rows:
        """The next states, without the percepts that share their last byte."""
        asked = np.hstack([rows, np.packbits(joint, axis=1, bitorder="little")])
        after = self.lanes.advance(np.ascontiguousarray(asked))[:, : self.layout.state_bytes].copy()
        if odd := self.layout.odd_bits:
            after[:, -1] &= (1 << odd) - 1
        return after

    def _goals(self, seen: Rows) -> Numbers:
        """What each role gets: of several goals the first that holds."""
        goals = np.zeros((len(seen), len(self.layout.roles)), np.int64)
        for role, bits in enumerate(self.layout.goal_bits):
            for number in reversed(range(len(bits.terms))):
                goals[seen[:, bits.start + number] == 1, role] = points(bits.terms[number])
        return goals


# Figures of them


class Bar(NamedTuple):
    """A bar of a chart: from where to where it stands, and how high it is."""

    first: int
    last: int
    value: float


def branching(found: RandomGames) -> Interval | None:
    """Ways on from a state, over all states; None of fewer than two games.

    Games differ, states of one game less so: the interval goes by games.
    """
    count, states = len(found.lengths), max(1, sum(found.lengths))
    mean = sum(found.ways) / states
    if count < 2:
        return None
    beyond = [own - mean * length for own, length in zip(found.ways, found.lengths, strict=True)]
    half = mean_error(beyond, count) * count / states
    return Interval(mean, mean - half, mean + half)


def histogram(counts: Mapping[int, int], most: int = MOST_BARS) -> list[Bar]:
    """Counted numbers in bars of equal width, so many at most: how many of them, in percent."""
    least, largest, total = min(counts), max(counts), sum(counts.values())
    width = -(-(largest - least + 1) // most)
    bars: list[Bar] = []
    for start in range(least, largest + 1, width):
        games = sum(counts.get(number, 0) for number in range(start, start + width))
        bars.append(Bar(start, min(largest, start + width - 1), 100 * games / total))
    return bars


def ways_by_step(found: RandomGames, most: int = MOST_BARS) -> list[Bar]:
    """Ways on by step, as bars, as far as enough games go."""
    enough = max(2, len(found.lengths) / RARE)
    steps = [step for step, games in enumerate(found.games_by_step) if games >= enough]
    width = max(1, -(-len(steps) // most))
    bars: list[Bar] = []
    for start in range(0, len(steps), width):
        span = slice(start, min(len(steps), start + width))
        mean = sum(found.ways_by_step[span]) / max(1, sum(found.games_by_step[span]))
        bars.append(Bar(start + 1, span.stop, mean))
    return bars
