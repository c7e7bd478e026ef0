"""Evaluation functions: what a state that is not terminal looks to be worth to a role, 0 to 100.

An evaluation is any function of a state and a role. Those here need to know nothing about the game:

mobility      how many of its possible moves the role has
focus         the opposite: how few
restriction   how few of their possible moves the others have, on average
pessimism     0, whatever the state
intermediate  the goal that the rules give now, 50 where they give none
proximity     how much of the conditions of the best goal holds (proximity.py)

`Weighted` is a linear combination, f(s) = bias + w1 f1(s) + ... + wn fn(s), kept within 0 and 100; `learn_weights`
finds one from random games, as the slides suggest for the start clock.

Source: Genesereth, General Game Playing, incomplete search; Schiffel & Thielscher 2007 (proximity).
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias
from weakref import WeakKeyDictionary

from gamemaster.errors import UnknownAlgorithm, Unsuitable
from gamemaster.machine.game import MAX_LENGTH, Game, State
from gamemaster.search.position import HIGHEST, LOWEST
from gamemaster.search.proximity import program_of, proximity_of
from gamemaster.subroutines import findactions

__all__ = [
    "EVALUATIONS",
    "FEATURES",
    "Evaluation",
    "Weight",
    "Weighted",
    "find_evaluation",
    "focus",
    "intermediate",
    "learn_weights",
    "mobility",
    "pessimism",
    "proximity",
    "restriction",
]

Evaluation: TypeAlias = Callable[[State, str], float]

MIDDLE = (LOWEST + HIGHEST) / 2
SAMPLES_PER_GAME = 3
"""States taken from each random game: neighbours are much alike, so more of them teach little."""

_possible: WeakKeyDictionary[Game, dict[str, int]] = WeakKeyDictionary()


def mobility(state: State, role: str) -> float:
    """100 |legal moves| / |possible moves|."""
    possible = _possible_moves(state.game, role)
    return min(HIGHEST, HIGHEST * len(state.legal_moves(role)) / possible) if possible else LOWEST


def focus(state: State, role: str) -> float:
    """100 - mobility."""
    return HIGHEST - mobility(state, role)


def restriction(state: State, role: str) -> float:
    """100 - the mean mobility of the others; 100 where there are none."""
    others = [other for other in state.game.roles if other != role]
    return HIGHEST - sum(mobility(state, other) for other in others) / max(1, len(others))


def pessimism(state: State, role: str) -> float:
    """0: only a terminal state is worth anything."""
    del state, role
    return LOWEST


def intermediate(state: State, role: str) -> float:
    """The goal now; 50 where the rules give none, which says nothing either way."""
    goal = state.goal(role)
    return MIDDLE if goal is None else float(goal)


def proximity(state: State, role: str) -> float:
    """The share of the best goal's conditions that hold."""
    return proximity_of(state.game, role)(state)


EVALUATIONS: dict[str, Evaluation] = {
    function.__name__: function
    for function in (mobility, focus, restriction, pessimism, intermediate, proximity)
}
FEATURES: tuple[Evaluation, ...] = (mobility, restriction, intermediate, proximity)
"""What is combined: focus is mobility with the other sign, and pessimism says nothing."""


def find_evaluation(evaluation: Evaluation | str) -> Evaluation:
    """The evaluation of a name, or the one given; UnknownAlgorithm where there is none of that name."""
    if not isinstance(evaluation, str):
        return evaluation
    if evaluation not in EVALUATIONS:
        raise UnknownAlgorithm(f"no evaluation {evaluation!r}; there are: {', '.join(EVALUATIONS)}")
    return EVALUATIONS[evaluation]


def _possible_moves(game: Game, role: str) -> int:
    """How many moves the sheet declares, or its ground rules have for the role where it declares none."""
    counts = _possible.setdefault(game, {})
    if role not in counts:
        declared = len(findactions(game))
        counts[role] = declared or _ground_moves(game, role)
    return counts[role]


def _ground_moves(game: Game, role: str) -> int:
    return sum(1 for whose, _ in program_of(game).named.get("does", {}) if str(whose) == role)


@dataclass(frozen=True, slots=True)
class Weight:
    """How much a feature counts, and its correlation with the reward in the games that taught it."""

    feature: Evaluation
    weight: float
    correlation: float = 0.0

    @property
    def name(self) -> str:
        """The feature's name."""
        return getattr(self.feature, "__name__", str(self.feature))


@dataclass(frozen=True, slots=True)
class Weighted:
    """A weighted linear combination of evaluations, itself one. `samples` are the states that taught it."""

    parts: tuple[Weight, ...]
    bias: float = 0.0
    samples: int = 0

    def __call__(self, state: State, role: str) -> float:
        """The combination, kept within 0 and 100."""
        total = self.bias + sum(part.weight * part.feature(state, role) for part in self.parts)
        return max(LOWEST, min(HIGHEST, total))

    def __str__(self) -> str:
        rows = [f"{part.name:<14}{part.weight:>8.3f}{part.correlation:>13.2f}" for part in self.parts]
        return "\n".join(
            [
                f"{'feature':<14}{'weight':>8}{'correlation':>13}",
                *rows,
                f"{'(constant)':<14}{self.bias:>8.3f}",
            ]
        )


def learn_weights(
    game: Game, role: str, seconds: float, seed: int = 0, features: Sequence[Evaluation] = FEATURES
) -> Weighted:
    """The combination that fits the rewards at the end of random games best, by least squares.

    Features that the game does not support are left out. Where there was no time for a single game it is 50 always.
    """
    game.check_role(role)
    deadline = time.perf_counter() + seconds
    usable = _usable(game, role, features)
    rows, rewards = _samples(game, role, usable, random.Random(seed), deadline)
    if not rows:
        return Weighted((), MIDDLE)
    return _fitted(usable, rows, rewards)


def _usable(game: Game, role: str, features: Sequence[Evaluation]) -> list[Evaluation]:
    usable = []
    for feature in features:
        try:
            feature(game.initial_state(), role)
        except Unsuitable:
            continue
        usable.append(feature)
    return usable


def _samples(
    game: Game, role: str, features: Sequence[Evaluation], generator: random.Random, deadline: float
) -> tuple[list[list[float]], list[float]]:
    """What the features say of states in random games, and what the role got at the end of each."""
    rows: list[list[float]] = []
    rewards: list[float] = []
    while time.perf_counter() < deadline:
        path = _random_path(game, generator, deadline)
        if not path[-1].is_terminal:
            break  # too late, or the game does not end
        chosen = generator.sample(path[:-1], min(SAMPLES_PER_GAME, len(path) - 1))
        rows += [[feature(state, role) for feature in features] for state in chosen]
        rewards += [float(path[-1].goal(role) or LOWEST)] * len(chosen)
    return rows, rewards


def _random_path(game: Game, generator: random.Random, deadline: float) -> list[State]:
    """The states of a random game, as far as it got."""
    path = [game.initial_state()]
    while not path[-1].is_terminal and len(path) <= MAX_LENGTH and time.perf_counter() < deadline:
        path.append(path[-1].next(path[-1].random_moves(generator)))
    return path


def _fitted(features: Sequence[Evaluation], rows: list[list[float]], rewards: list[float]) -> Weighted:
    """The least-squares fit of rewards by features and a constant."""
    import numpy as np  # not needed to play, and slow to import

    values, target = np.array(rows).reshape(len(rows), len(features)), np.array(rewards)
    weights = np.linalg.lstsq(np.column_stack([values, np.ones(len(rows))]), target, rcond=None)[0]
    centred, spread = values - values.mean(axis=0), values.std(axis=0) * target.std()
    covariances = (centred * (target - target.mean())[:, None]).mean(axis=0)
    correlations = np.divide(covariances, spread, out=np.zeros(len(features)), where=spread > 1e-9)
    parts = zip(features, weights[:-1], correlations, strict=True)
    return Weighted(tuple(Weight(f, float(w), float(c)) for f, w, c in parts), float(weights[-1]), len(rows))
