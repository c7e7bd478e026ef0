"""Evaluation functions: what a state that is not terminal looks to be worth to a role.

An evaluation is any function of a state and a role that gives a number, on any scale, larger where the role is better
off: a search compares estimates with each other, and takes a win for better than any of them, a loss for worse
(scale.py). `Scaled` puts one on the scale of goals, which matters where draws or chance do. Those here need to know
nothing about the game; all but `reachable` are on the scale of goals:

mobility      100 |legal moves| / |actions| of the role at its turn; at another's turn 100 - as much of that one
focus         100 - 100 |legal moves| / |actions| of whoever moves: how narrow the game is there
restriction   100 - 100 |legal moves| / |actions| of the others that move, on average; 50 where none does
reachable     how many states can be reached in n moves, 2 unless told; with a minus at another's turn
pessimism     0, whatever the state
intermediate  the goal that the rules give now, 50 where they give none
proximity     how much of the conditions of the best goal holds (proximity.py)

Whose turn it is changes from one depth to the next. The mobility of whoever moves is good for a role at its own turn,
and bad at another's, where the best it can do is to restrict it; so two roles have 100 together. Where several choose
at once a role's own moves count. Focus is about the search space, whoever moves. Actions are all that the sheet
declares and allows in some state, or that its ground rules do where it declares none: an operation that is only an
effect of others, declared or not, is none.

`Weighted` is a linear combination, f(s) = bias + w1 f1(s) + ... + wn fn(s); `learn_weights` finds one from random
games, as the slides suggest for the start clock.

Source: Genesereth, General Game Playing, incomplete search; Schiffel & Thielscher 2007 (proximity).
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TypeAlias
from weakref import WeakKeyDictionary

from gamemaster.errors import UnknownAlgorithm, Unsuitable
from gamemaster.ground.reasoner import Reasoner
from gamemaster.language.lower import lower
from gamemaster.language.terms import Term, Variable
from gamemaster.machine.game import MAX_LENGTH, RANDOM, Game, State, successors
from gamemaster.machine.reference import declared_actions
from gamemaster.search.position import HIGHEST, LOWEST
from gamemaster.search.proximity import program_of, proximity_of

__all__ = [
    "EVALUATIONS",
    "FEATURES",
    "Evaluation",
    "Reachable",
    "Scaled",
    "Weight",
    "Weighted",
    "find_evaluation",
    "focus",
    "intermediate",
    "learn_weights",
    "mobility",
    "pessimism",
    "proximity",
    "reachable",
    "restriction",
]

Evaluation: TypeAlias = Callable[[State, str], float]

MIDDLE = (LOWEST + HIGHEST) / 2
SAMPLES_PER_GAME = 3
"""States taken from each random game: neighbours are much alike, so more of them teach little."""

_counts: WeakKeyDictionary[Game, int] = WeakKeyDictionary()


def mobility(state: State, role: str) -> float:
    """The share of all actions that the role may take at its turn; what another's leaves at that one's."""
    movers = _on_turn(state)
    if role in movers:
        return _share(state, role)
    return HIGHEST - _mean_share(state, movers) if movers else MIDDLE


def focus(state: State, role: str) -> float:
    """100 - the share of all actions that whoever moves may take."""
    movers = _on_turn(state)
    return HIGHEST - _mean_share(state, [role] if role in movers else movers)


def restriction(state: State, role: str) -> float:
    """100 - the share of all actions that the others may take where they move; 50, which says nothing, elsewhere."""
    others = [other for other in _on_turn(state) if other != role]
    return HIGHEST - _mean_share(state, others) if others else MIDDLE


@dataclass(frozen=True, slots=True)
class Reachable:
    """How many states can be reached in `moves` moves or by games that end before; no more than `most` are counted."""

    moves: int = 2
    most: int = 2_000
    __name__ = "reachable"

    def __call__(self, state: State, role: str) -> float:
        """Their number at the role's turn, minus their number at another's; 0 where only chance moves."""
        movers = _on_turn(state)
        count = float(self._count(state))
        return count if role in movers else -count if movers else 0.0

    def _count(self, state: State) -> int:
        ends: set[State] = set()
        layer = {state}
        for _ in range(self.moves):
            following: set[State] = set()
            for each in layer:
                following.update(islice(successors(each), self.most))
                if len(following) + len(ends) >= self.most:
                    break
            ends |= {each for each in following if each.is_terminal}
            layer = following - ends
        return min(self.most, len(ends | layer))


reachable = Reachable()


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
    for function in (mobility, focus, restriction, reachable, pessimism, intermediate, proximity)
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


def _on_turn(state: State) -> tuple[str, ...]:
    """Who moves: the roles with a choice, or the one in control where nobody has; chance is nobody."""
    on_turn = state.choosers
    if not on_turn:
        control = state.control
        on_turn = (control,) if control else state.movers
    return tuple(role for role in on_turn if role != RANDOM)


def _mean_share(state: State, roles: Sequence[str]) -> float:
    return sum(_share(state, role) for role in roles) / max(1, len(roles))


def _share(state: State, role: str) -> float:
    """100 |legal moves| / |actions|."""
    actions = _actions(state.game)
    return min(HIGHEST, HIGHEST * len(state.legal_moves(role)) / actions) if actions else LOWEST


def _actions(game: Game) -> int:
    """How many actions the sheet declares that it allows in some state; those of its ground rules without any."""
    if game not in _counts:
        heads = [rule.head for rule in game.sheet.rules if isinstance(rule.head, tuple)]
        allowed = {_functor(head[-1]) for head in heads if head[0] == "legal"}
        declared = map(_functor, declared_actions(Reasoner(lower(game.sheet))))
        _counts[game] = sum(None in allowed or each in allowed for each in declared) or _ground_actions(game)
    return _counts[game]


def _functor(move: Term) -> tuple[Term, int] | None:
    """The name of a move and how many arguments it has; None for a variable, which may be any move."""
    if isinstance(move, Variable):
        return None
    return (move[0], len(move)) if isinstance(move, tuple) else (move, 1)


def _ground_actions(game: Game) -> int:
    pairs = program_of(game).named.get("does", {})
    return len({action for whose, action in pairs if str(whose) != RANDOM})


@dataclass(frozen=True, slots=True)
class Scaled:
    """An evaluation on the scale of goals: what it gives from `low` to `high` becomes 0 to 100, and so on beyond."""

    evaluation: Evaluation
    low: float
    high: float

    def __post_init__(self) -> None:
        if not self.low < self.high:
            raise ValueError(f"a scale from {self.low:g} to {self.high:g} has no length")

    def __call__(self, state: State, role: str) -> float:
        """100 (f - low) / (high - low)."""
        return HIGHEST * (self.evaluation(state, role) - self.low) / (self.high - self.low)


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
    """A weighted linear combination of evaluations, itself one. `samples` states of `games` have taught it."""

    parts: tuple[Weight, ...]
    bias: float = 0.0
    samples: int = 0
    games: int = 0

    def __call__(self, state: State, role: str) -> float:
        """The combination."""
        return self.bias + sum(part.weight * part.feature(state, role) for part in self.parts)

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
    usable = _usable(game, features)
    deadline = time.perf_counter() + seconds  # to load what features take is not to play
    rows, rewards, games = _samples(game, role, usable, random.Random(seed), deadline)
    if not rows:
        return Weighted((), MIDDLE, games=games)
    return replace(_fitted(usable, rows, rewards), games=games)


def _usable(game: Game, features: Sequence[Evaluation]) -> list[Evaluation]:
    """The features that say something of the first state to every role: some ask only about others."""
    usable = []
    for feature in features:
        try:
            for role in game.roles:
                feature(game.initial_state(), role)
        except Unsuitable:
            continue
        usable.append(feature)
    return usable


def _samples(
    game: Game, role: str, features: Sequence[Evaluation], generator: random.Random, deadline: float
) -> tuple[list[list[float]], list[float], int]:
    """What the features say of states in random games, what the role got at the end of each, and how many games."""
    rows: list[list[float]] = []
    rewards: list[float] = []
    games = 0
    while time.perf_counter() < deadline:
        path = _random_path(game, generator, deadline)
        if not path[-1].is_terminal:
            break  # too late, or the game does not end
        chosen = generator.sample(path[:-1], min(SAMPLES_PER_GAME, len(path) - 1))
        rows += [[feature(state, role) for feature in features] for state in chosen]
        rewards += [float(path[-1].goal(role) or LOWEST)] * len(chosen)
        games += 1
    return rows, rewards, games


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
