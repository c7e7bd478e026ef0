"""One state at a time, by its methods alone: random games, depth charges and perft on any machine."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

from gamemaster.machine.arguments import PlayoutOrder
from gamemaster.machine.showing import Shown

if TYPE_CHECKING:
    from gamemaster.machine.game import Game, State

__all__ = [
    "MAX_LENGTH",
    "PlayoutStats",
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


@dataclass(frozen=True, slots=True)
class PlayoutStats(Shown):
    """What random play from the initial state gave. `cut` counts playouts stopped at the length limit."""

    playouts: int
    moves: int
    seconds: float
    mean_length: float
    mean_goals: tuple[float, ...]
    cut: int = 0

    def to_dict(self) -> dict[str, Any]:
        """The statistics as plain data, ready for JSON; `mean_goals` are in role order."""
        return {**asdict(self), "mean_goals": list(self.mean_goals)}

    def __str__(self) -> str:
        goals = ", ".join(f"{goal:.1f}" for goal in self.mean_goals)
        cut = f", {self.cut:,} of them cut," if self.cut else ""
        return f"{self.playouts:,} playouts{cut} in {self.seconds:.2f} s: {self.mean_length:.1f} moves, goals {goals}"


def playouts(game: Game, order: PlayoutOrder) -> PlayoutStats:
    """Statistics of random games, as many as asked for, or as fit in the time; threads would only take turns.

    At least one game is played, however little time there is; but one that takes very long is cut.
    """
    generator = random.Random(order.seed)
    began = time.perf_counter()
    lengths: list[int] = []
    totals = [0.0] * len(game.roles)
    cut = 0
    while order.count is None or len(lengths) < order.count:
        if order.seconds is not None and lengths and time.perf_counter() - began > order.seconds:
            break
        late = None if order.seconds is None else began + order.seconds + PATIENCE
        state = random_end(game.initial_state(), generator, MAX_LENGTH, late)
        lengths.append(state.step)
        cut += not state.is_terminal
        totals = [total + (state.goal(role) or 0) for total, role in zip(totals, game.roles, strict=True)]
    played = max(1, len(lengths))
    means = tuple(total / played for total in totals)
    elapsed = time.perf_counter() - began
    return PlayoutStats(len(lengths), sum(lengths), elapsed, sum(lengths) / played, means, cut)


def random_end(state: State, generator: random.Random, most: int, deadline: float | None) -> State:
    """The state where a random game ends, or is after so many steps, or at the deadline."""
    last = state.step + most
    while not state.is_terminal and state.step < last:
        if deadline is not None and time.perf_counter() > deadline:
            break
        state = state.next(state.random_moves(generator))
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
