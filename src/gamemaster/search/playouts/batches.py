"""What the searches that sample share: batches of depth charges, a default budget, a root without a choice."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Sequence
from itertools import product

from gamemaster.codegen.vector import LANES
from gamemaster.language.terms import Term
from gamemaster.machine.game import Game, State
from gamemaster.search.budget import Budget, Meter
from gamemaster.search.result import SearchResult

__all__ = [
    "DEFAULT",
    "Charges",
    "clamp",
    "forced",
    "goals_of",
    "limited",
    "replies_to",
    "successor_after",
    "worth",
]

DEFAULT = Budget(seconds=1.0)
"""What a sampling search may spend where the budget says nothing: time, which nobody has to wait for long."""

WAITING = 0.1
"""How much of its time a search waits for lanes; until they are there it charges step by step."""

PER_STATE = 8
"""The most charges from one state in a batch: lanes that would stand idle make its mean more certain. Where charges are
counted they are not free, and there is one.
"""

PACE, PACE_SHARES = (0.01, 0.03), (0.05, 0.15)
"""A batch of charges that takes less seconds than the first may grow, one that takes more than the second shrinks.
Where there is more time they are shares of it: all lanes take hardly longer than one, in some games longer than 0.03 s,
and a busy machine shall change little of what comes out."""


def limited(budget: Budget) -> Budget:
    """The budget, or the default where it has no limit at all."""
    return DEFAULT if budget == Budget() else budget


class Charges:
    """Depth charges in batches that keep to a budget.

    A charge counts as a playout and as a node. Where there is a time limit, batches begin with one charge and grow
    while they are quick, to LANES at most, which the compiled machine plays about as quickly as one; without one their
    size depends on nothing but the budget, so that results repeat.
    """

    def __init__(self, game: Game, meter: Meter, generator: random.Random) -> None:
        self.game = game
        self.meter = meter
        self.generator = generator
        self.most = LANES if meter.deadline is None else 1
        is_counted = meter.budget.playouts is not None or meter.budget.nodes is not None
        self.per_state = 1 if is_counted else PER_STATE
        self.quick, self.slow = _pace(meter)

    def size(self) -> int:
        """How many charges the next batch may have; 0 when the budget is spent."""
        if self.meter.is_spent():
            return 0
        budget = self.meter.budget
        left = [self.most]
        left += [] if budget.playouts is None else [budget.playouts - self.meter.playouts]
        left += [] if budget.nodes is None else [budget.nodes - self.meter.nodes]
        return max(0, min(left))

    def run(self, states: Sequence[State]) -> list[tuple[int, ...]]:
        """What each role gets at the end of a random game from each of the states."""
        began = time.perf_counter()
        charges = self.game.charges if self._make_ready() else self.game.charges_by_steps
        goals = charges(states, self.generator.getrandbits(32), self.meter.deadline)
        self.meter.playouts += len(states)
        self.meter.nodes += len(states)
        self._adapt(time.perf_counter() - began, len(states))
        return goals

    def count_end(self) -> None:
        """Count a round that came to an end of the game without a charge: a playout of no step, or it might go on."""
        self.meter.playouts += 1
        self.meter.nodes += 1

    def _make_ready(self) -> bool:
        """Have the game's own way to charge made; whether it is in time. Games that are played step by step have it."""
        seconds = self.meter.budget.seconds
        if seconds is None:
            return True
        return self.game.make_ready("play", min(seconds * WAITING, seconds - self.meter.seconds))

    def means(self, states: Sequence[State], size: int) -> list[list[float]]:
        """What each role gets from each state on average, over as many charges as `size` has room for."""
        times = max(1, min(self.per_state, size // len(states))) if self._make_ready() else 1
        goals = self.run([state for state in states for _ in range(times)])
        rows = [goals[start : start + times] for start in range(0, len(goals), times)]
        return [[sum(column) / times for column in zip(*row, strict=True)] for row in rows]

    def _adapt(self, seconds: float, count: int) -> None:
        """Choose the size of the next batch."""
        if self.meter.deadline is None:
            return
        if seconds < self.quick and 2 * count >= self.most:
            self.most = min(LANES, 4 * self.most)
        elif seconds > self.slow:
            self.most = max(1, self.most // 2)


def _pace(meter: Meter) -> tuple[float, float]:
    """What counts as a quick and as a slow batch."""
    seconds = meter.budget.seconds or 0.0
    quick, slow = (max(pace, share * seconds) for pace, share in zip(PACE, PACE_SHARES, strict=True))
    return quick, slow


def worth(state: State, role: str) -> float:
    """What a role has in a state: its goal, 0 where the rules give none, and at a dead end, where nobody can move."""
    is_dead_end = not state.is_terminal and not state.movers
    return 0.0 if is_dead_end else float(state.goal(role) or 0)


def goals_of(state: State) -> tuple[float, ...]:
    """What each role has in a state."""
    return tuple(worth(state, role) for role in state.game.roles)


def successor_after(state: State, role: str, move: Term) -> State:
    """The state after a role's move, where all other roles have at most one."""
    moves = {other: legal[0] for other in state.game.roles if (legal := state.legal_moves(other))}
    return state.next({**moves, role: move})


def replies_to(state: State, role: str, *, most: int, generator: random.Random) -> list[dict[str, Term]]:
    """What the others may do while a role moves: all of it, or where that is more, `most` replies drawn at random."""
    others = [other for other in state.movers if other != role]
    legal = [state.legal_moves(other) for other in others]
    # Counted, never listed: a few roles with a few moves each have millions of replies.
    is_few = math.prod(map(len, legal)) <= most
    replies = product(*legal) if is_few else _drawn(legal, most, generator)
    return [dict(zip(others, reply, strict=True)) for reply in replies]


def _drawn(legal: Sequence[Sequence[Term]], count: int, generator: random.Random) -> list[tuple[Term, ...]]:
    """So many different replies, of which there are more: each role draws its move by itself."""
    found: dict[tuple[Term, ...], None] = {}
    while len(found) < count:
        found[tuple(generator.choice(moves) for moves in legal)] = None
    return list(found)


def forced(algorithm: str, state: State, role: str) -> SearchResult | None:
    """The result where there is nothing to choose: the only move, or none; None where there is a choice.

    Nothing is searched, so the value is only what the role has in the state as it is, exact where the game is over.
    """
    state.game.check_role(role)
    legal = () if state.is_terminal else state.legal_moves(role)
    if len(legal) > 1:
        return None
    value = worth(state, role)
    return SearchResult(
        algorithm,
        role,
        legal[0] if legal else None,
        value,
        values=dict.fromkeys(legal, value),
        visits=dict.fromkeys(legal, 0),
        line=legal,
        is_proven=state.is_over,
    )


def clamp(value: float, low: float, high: float) -> float:
    """The value, or the bound that it is beyond."""
    return max(low, min(high, value))
