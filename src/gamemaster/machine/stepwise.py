"""One state at a time, by its methods alone: random games, depth charges and perft on any machine."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import chain, islice, product
from math import prod
from typing import TYPE_CHECKING

from gamemaster.machine.arguments import PlayoutOrder
from gamemaster.machine.kind import RANDOM
from gamemaster.machine.statistics import PlayoutStats, note_games, players_of
from gamemaster.machine.weights import Weights, weighed_moves

if TYPE_CHECKING:
    from gamemaster.machine.game import Game, State

__all__ = [
    "MAX_LENGTH",
    "beginner_of",
    "charge",
    "count_after",
    "layer_after",
    "perft",
    "playouts",
    "random_end",
    "successors",
]

MAX_LENGTH = 1_000
"""Playouts longer than this are cut off: the game may never end."""

PATIENCE = 10.0
"""Seconds for which playouts go on after their time, to finish one: a step of thousands of roles takes a while."""


MOST_DRAWS, MOST_DRAWN = 4, 100
"""So many steps of chance, and states after them, are looked through for the player that begins."""

AT_ONCE = 1_024
"""So many games are noted in one go."""


def playouts(game: Game, order: PlayoutOrder) -> PlayoutStats:
    """Statistics of random games, as many as asked for, or as fit in the time; threads would only take turns.

    At least one game is played, however little time there is; but one that takes very long is cut.
    """
    generator = random.Random(order.seed)
    began = time.perf_counter()
    start = game.initial_state() if order.start is None else order.start
    late = None if order.seconds is None else began + order.seconds + PATIENCE
    tally = _Tally(game.roles, beginner_of(start) if order.count != 0 else None)
    while order.count is None or tally.games < order.count:
        if order.seconds is not None and tally.games and time.perf_counter() - began > order.seconds:
            break
        tally.add(random_end(start, generator, MAX_LENGTH, late, order.weights), start.step)
    return tally.stats(time.perf_counter() - began)


def beginner_of(start: State) -> str | None:
    """The player that is first to choose alone, whatever chance does before; None where there is none, or no other."""
    if len(players_of(start.game.roles)) < 2:
        return None
    states = [start]
    for _ in range(MOST_DRAWS):
        first = {state.control for state in states}
        if first != {RANDOM}:
            return first.pop() if len(first) == 1 else None
        after = chain.from_iterable(map(successors, states))
        states = list(islice(after, MOST_DRAWN + 1))
        if len(states) > MOST_DRAWN:
            return None
    return None


class _Tally:
    """Ends of games, added up."""

    def __init__(self, roles: tuple[str, ...], first: str | None) -> None:
        self.roles, self.first = roles, first
        self.games = self.moves = 0
        self.counts = tuple(Counter[int]() for _ in roles)
        self.ends: list[tuple[tuple[int, ...], int, bool]] = []  # goals, length, whether it was cut
        self.noted = note_games(roles, first, [], [], [])

    def add(self, end: State, before: int) -> None:
        """One game more, from so many steps on."""
        goals, length = tuple(end.goal(role) or 0 for role in self.roles), end.step - before
        for counts, goal in zip(self.counts, goals, strict=True):
            counts[goal] += 1
        self.games, self.moves = self.games + 1, self.moves + length
        self.ends.append((goals, length, not end.is_terminal))
        if len(self.ends) == AT_ONCE:
            self._note()

    def _note(self) -> None:
        if self.ends:
            self.noted += note_games(self.roles, self.first, *zip(*self.ends, strict=True))
            self.ends.clear()

    def stats(self, seconds: float) -> PlayoutStats:
        """The statistics of all of them."""
        self._note()
        played = max(1, self.games)
        totals = [sum(goal * count for goal, count in counts.items()) for counts in self.counts]
        return PlayoutStats(
            playouts=self.games,
            moves=self.moves,
            seconds=seconds,
            mean_length=self.moves / played,
            mean_goals=tuple(total / played for total in totals),
            cut=self.noted.cut,
            roles=self.roles,
            first=self.first,
            goal_counts=tuple(dict(counts) for counts in self.counts),
            noted=self.noted,
        )


def random_end(
    state: State,
    generator: random.Random,
    most: int,
    deadline: float | None,
    weights: Weights | None = None,
) -> State:
    """The state where a random game ends, or is after so many steps, or at the deadline."""
    last = state.step + most
    while not state.is_terminal and state.step < last:
        if deadline is not None and time.perf_counter() > deadline:
            break
        moves = weighed_moves(state, generator, weights) if weights else state.random_moves(generator)
        state = state.next(moves)
    return state


def charge(state: State, generator: random.Random, deadline: float) -> tuple[int, ...]:
    """What each role gets at the end of a random game, or has at the deadline; nothing where nobody can move."""
    last = state.step + MAX_LENGTH
    while not state.is_terminal and state.step < last and state.movers:
        if time.perf_counter() > deadline:
            break
        state = state.next(state.random_moves(generator))
    is_dead_end = not state.is_terminal and not state.movers
    return tuple(0 if is_dead_end else state.goal(role) or 0 for role in state.game.roles)


def perft(start: State, depth: int) -> list[int]:
    """The number of joint-move sequences of length 1, 2, ..., depth from a state."""
    counts: list[int] = []
    layer: Mapping[State, int] = {start: 1}
    for length in range(depth):
        layer = layer_after(layer) if length else layer
        counts.append(count_after(layer))
    return counts


Watching = Callable[[int, int], None]
"""watch(done, all): so many states of a layer are done."""


def count_after(layer: Mapping[State, int], watch: Watching | None = None) -> int:
    """The ways one step further than a layer, for which nobody need go there: each state's moves are enough."""
    total = 0
    for state, ways in _watched(layer, watch):
        movers = () if state.is_terminal else state.movers
        total += ways * prod(len(state.legal_moves(role)) for role in movers) if movers else 0
    return total


def layer_after(layer: Mapping[State, int], watch: Watching | None = None) -> dict[State, int]:
    """The states one step after those of a layer, and the ways to each; `watch` sees how far that is."""
    following: dict[State, int] = {}
    for state, ways in _watched(layer, watch):
        for successor in successors(state):
            following[successor] = following.get(successor, 0) + ways
    return following


def _watched(layer: Mapping[State, int], watch: Watching | None) -> Iterator[tuple[State, int]]:
    for done, each in enumerate(layer.items()):
        if watch is not None:
            watch(done, len(layer))
        yield each


def successors(state: State) -> Iterator[State]:
    """The states after each joint move, none where the game is over."""
    movers = () if state.is_terminal else state.movers
    if not movers:
        return
    for moves in product(*(state.legal_moves(role) for role in movers)):
        yield state.next(dict(zip(movers, moves, strict=True)))
