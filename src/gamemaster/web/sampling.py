"""Game -> random games looked at step by step: how long they are, how many ways there are on, what each role gets.

`game.playouts` is faster and tells means only. On the compiled machine many games go on at once, as rows of bits. Games
are taken in whole batches: to leave out those that have not ended in time would favour short ones.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from math import prod
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from gamemaster.machine.artifact import points
from gamemaster.machine.game import MAX_LENGTH, Game

if TYPE_CHECKING:
    from gamemaster.machine.compiled import CompiledGame

__all__ = ["RandomGames", "random_games"]

FIRST_BATCH, LARGEST_BATCH = 256, 4_096
WORTH_GROWING = 0.1
"""The part of the time that a batch takes at most for the next one to be larger."""

Numbers = npt.NDArray[np.int64]
Rows = npt.NDArray[np.uint8]


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
    cut: int = 0
    """Games that came to no end."""

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
                state = state.next(state.random_moves(self.generator))
            found.lengths.append(state.step)
            found.goals.append(tuple(state.goal(role) or 0 for role in self.game.roles))
            found.ways.append(all_ways)
            found.cut += not state.is_terminal


class _ManyAtOnce:
    """On the compiled machine: a row of bits for each game, and all games make their step together."""

    def __init__(self, game: CompiledGame, seed: int) -> None:
        self.lanes, self.layout = game.lanes, game.layout
        self.start = np.frombuffer(game.initial_state().bits, np.uint8)
        self.generator = np.random.default_rng(seed)

    def play(self, found: RandomGames, count: int) -> None:
        """Some games more."""
        rows, games = np.tile(self.start, (count, 1)), np.arange(count)
        lengths, all_ways = np.full(count, MAX_LENGTH), np.zeros(count, np.int64)
        goals = np.zeros((count, len(self.layout.roles)), np.int64)
        for step in range(MAX_LENGTH + 1):
            seen = np.unpackbits(self.lanes.observe(rows), axis=1, bitorder="little")
            joint, ways = self._moves(seen)
            is_over = (seen[:, 0] == 1) | (ways == 0) | (step == MAX_LENGTH)
            ended = games[is_over]
            lengths[ended], goals[ended] = step, self._goals(seen[is_over])
            found.cut += int((is_over & (seen[:, 0] == 0)).sum())
            goes_on = ~is_over
            games, ways = games[goes_on], ways[goes_on]
            if not len(games):
                break
            all_ways[games] += ways
            found.add(step, int(ways.sum()), len(games))
            rows = self._after(rows[goes_on], joint[goes_on])
        found.lengths += lengths.tolist()
        found.goals += map(tuple, goals.tolist())
        found.ways += all_ways.tolist()

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
