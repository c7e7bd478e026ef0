"""Which of two ways of searching suits a game: quick games between them, until the answer is clear or time is up.

Games come in pairs with the same random opening, sides swapped, every move with the same short time. The test is that
of Wald (1945) on the scores of pairs: is the first better by so much, or the second?
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable
from dataclasses import dataclass

from gamemaster.language.terms import Term
from gamemaster.machine.game import RANDOM, Game, State

__all__ = ["Choose", "QuickGames", "hold_trial"]

Choose = Callable[[State, str, float], Term | None]
"""The move for a role, found in so many seconds; None where it has none."""

SHORTEST, LONGEST = 0.004, 0.04
"""Seconds for a move: as many as leave time for WANTED games, which are the most."""

WANTED = 40
OPENING = 4
MOST_STEPS = 400
SHARE = 0.6
"""A share of the points that is clearly better."""

SURE = 3.0
"""The logarithm of how much likelier one answer must be: wrong once in twenty."""

FEWEST_PAIRS = 4


@dataclass
class QuickGames:
    """What the games said: points of the first, and games."""

    points: float = 0.0
    games: int = 0
    seconds: float = 0.0
    """For a move."""

    squares: float = 0.0
    """Of the shares of pairs."""

    def add(self, points: float) -> None:
        """Count a pair."""
        self.points += points
        self.games += 2
        self.squares += (points / 2) ** 2

    @property
    def share(self) -> float:
        """The share of the points that the first got; half where there were no games."""
        return self.points / self.games if self.games else 0.5

    @property
    def is_clear(self) -> bool:
        """Whether nothing more need be played."""
        pairs = self.games // 2
        return pairs >= FEWEST_PAIRS and abs(self.ratio) >= SURE

    @property
    def ratio(self) -> float:
        """The logarithm of how much likelier these games are if the first is better by SHARE than if it is worse."""
        pairs = self.games // 2 + 1  # one lost and one won by half, so that the spread is never 0
        mean = (self.points / 2 + 0.5) / pairs
        spread = max(0.01, (self.squares + 0.5) / pairs - mean**2)
        return (self.games // 2) * (2 * SHARE - 1) * (2 * mean - 1) / (2 * spread)


def hold_trial(game: Game, first: Choose, second: Choose, seconds: float, seed: int = 0) -> QuickGames:
    """Games between two searches, for so many seconds at most."""
    deadline = time.perf_counter() + seconds
    generator = random.Random(seed)
    length = _length_of(game, generator)
    trial = QuickGames(seconds=min(LONGEST, max(SHORTEST, seconds / (WANTED * length))))
    while not trial.is_clear and trial.games < WANTED:
        opening = _opened(game, generator)
        points = 0.0
        for players in ((first, second), (second, first)):
            goals = _play(opening, players, trial.seconds, deadline)
            if goals is None:
                return trial
            points += _points(goals if players[0] is first else goals[::-1])
        trial.add(points)
    return trial


def _points(goals: tuple[int, ...]) -> float:
    """A point for who got more, half of one for both where they got the same."""
    return 0.5 + 0.5 * ((goals[0] > goals[1]) - (goals[0] < goals[1]))


def _length_of(game: Game, generator: random.Random) -> float:
    """How many steps a random game takes, about."""
    ends = [game.random_game(generator) for _ in range(3)]
    return max(1.0, math.fsum(end.step for end in ends) / len(ends))


def _opened(game: Game, generator: random.Random) -> State:
    """A state after a few random moves."""
    while True:
        state = game.initial_state()
        for _ in range(generator.randrange(OPENING + 1)):
            after = state.next(state.random_moves(generator))
            state = state if after.is_terminal else after
        return state


def _play(
    state: State, players: tuple[Choose, Choose], seconds: float, deadline: float
) -> tuple[int, ...] | None:
    """What the roles get; None where time was up, or the game took too long."""
    roles = [role for role in state.game.roles if role != RANDOM]
    last = state.step + MOST_STEPS
    while not state.is_over:
        if time.perf_counter() > deadline or state.step > last:
            return None
        made = {role: state.legal_moves(role)[0] for role in state.movers}
        for role in state.choosers:
            made[role] = players[roles.index(role)](state, role, seconds) or made[role]
        state = state.next(made)
    return tuple(state.goal(role) or 0 for role in roles)
