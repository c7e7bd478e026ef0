"""Which settings of Monte Carlo tree search suit a game: they play short games against each other in the start clock.

Where no role ever makes the same move twice (stones are placed, and stay), moves keep their worth, and settings come
first that count a move wherever it is made. Games come in pairs with the same random opening, sides swapped; every
move gets the same time, and chance throws the same. Settings that lose are left out one by one (as in successive
halving, Karnin, Koren & Somekh 2013); the last two go on until time is up.
"""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import sqrt

import numpy as np

from gamemaster.language.terms import Term
from gamemaster.machine.game import RANDOM, Game, State
from gamemaster.search.native.engine import Engine
from gamemaster.search.native.learning import Learnt
from gamemaster.search.native.mcts import NativeTree
from gamemaster.search.native.options import MctsOptions
from gamemaster.search.native.warming import get_ready

__all__ = ["SETTINGS", "TreeSettings", "Tuning", "is_placement", "settings_for", "tune"]

OPENING = 2
SECONDS = 0.02
"""For a move: long enough to tell settings apart, short enough for some dozen games in a start clock."""

TRUST = 2.0
"""How much a tree goes by what was learnt: a child is as good as it seems to be plus so much of it, at first."""

TREE_BYTES = 64 << 20
MOST_STEPS = 400
FEWEST_GAMES, CLEARLY = 8, 2.5
"""Another setting is taken after so many games, if its share of the points is larger by so many deviations."""

FAIR_ROUNDS = 2
"""After so many rounds, two games of each with each, the worst is left out."""


@dataclass(frozen=True)
class TreeSettings(MctsOptions):
    """How a tree is grown, and how far it goes by what was learnt."""

    trust: float = 0.0

    def tree(
        self, engine: Engine, seed: int, most_bytes: int = TREE_BYTES, learnt: Learnt | None = None
    ) -> NativeTree:
        """A tree with these settings; it prefers what was learnt to be good as far as it is trusted."""
        tree = NativeTree(engine, seed, self, most_bytes=most_bytes)
        if self.trust and learnt is not None:
            tree.prefer(learnt.row_weights(engine), learnt.biases.astype(np.float64), self.trust)
        return tree

    def __str__(self) -> str:
        amaf = f", moves count anywhere for {self.amaf:g} visits" if self.amaf else ""
        trust = f", trust in what was learnt {self.trust:g}" if self.trust else ""
        return f"exploration {self.exploration:g}, patience {self.patience}{amaf}{trust}"


SETTINGS = (
    TreeSettings(),
    TreeSettings(exploration=0.05, amaf=3000.0, patience=8),
    TreeSettings(exploration=0.2, amaf=1000.0),
)


def settings_for(game: Game, seed: int = 0) -> tuple[TreeSettings, ...]:
    """The settings to try, the one that probably suits the game first."""
    plain, *counting = SETTINGS
    return (*counting, plain) if is_placement(game, seed) else SETTINGS


def is_placement(game: Game, seed: int = 0, games: int = 10) -> bool:
    """Whether in random games no role makes the same move twice, where it has a choice."""
    generator = random.Random(seed)
    for _ in range(games):
        state = game.initial_state()
        made: set[tuple[str, Term]] = set()
        while not state.is_terminal and state.movers and state.step < MOST_STEPS:
            moves = state.random_moves(generator)
            chosen = {(role, move) for role, move in moves.items() if len(state.legal_moves(role)) > 1}
            if chosen & made:
                return False
            made |= chosen
            state = state.next(moves)
    return True


@dataclass
class Tuning:
    """What the games said: points and games of each setting, and the best."""

    points: dict[TreeSettings, float] = field(default_factory=dict)
    games: dict[TreeSettings, int] = field(default_factory=dict)

    @property
    def best(self) -> TreeSettings:
        """The setting with the best share of points, if that is clearly good; else the first, which suits most games.

        Short games favour settings that learn quickly, which need not be the better ones with more time.
        """
        first = next(iter(self.points))
        best = max(self.points, key=self.share)
        games = self.games[first], self.games[best]
        if min(games) < FEWEST_GAMES:
            return first
        deviation = 0.5 * sqrt(1 / games[0] + 1 / games[1])
        return best if self.share(best) - self.share(first) >= CLEARLY * deviation else first

    def share(self, settings: TreeSettings) -> float:
        """The share of points that a setting got."""
        return self.points[settings] / max(1, self.games[settings])

    def add(self, settings: TreeSettings, points: float) -> None:
        """Count a game."""
        self.points[settings] += points
        self.games[settings] += 1

    def __str__(self) -> str:
        lines = [
            f"{self.points[settings]:5.1f} of {self.games[settings]:2} points  {settings}"
            for settings in self.points
        ]
        return "\n".join(lines)


def tune(
    engine: Engine,
    seconds: float,
    seed: int = 0,
    candidates: Sequence[TreeSettings] = (),
    learnt: Learnt | None = None,
) -> Tuning:
    """Games between settings, each against each, for so many seconds; now and then the worst is left out."""
    get_ready(engine.game, "mcts")
    deadline = time.perf_counter() + seconds
    generator = random.Random(seed)
    candidates = candidates or settings_for(engine.game, seed)
    if learnt is not None:
        candidates = (*candidates, replace(candidates[0], trust=TRUST))
    tuning = Tuning(dict.fromkeys(candidates, 0.0), dict.fromkeys(candidates, 0))
    left = list(candidates)
    for number in itertools.count(1):
        for pair in itertools.combinations(left, 2):
            draws = generator.getrandbits(32)
            for first, second in (pair, pair[::-1]):
                trees = [
                    one.tree(engine, generator.getrandbits(32), learnt=learnt) for one in (first, second)
                ]
                goals = _play(engine, trees, random.Random(draws), deadline)
                if goals is None:
                    return tuning
                tuning.add(first, goals[0])
                tuning.add(second, goals[1])
        if number % FAIR_ROUNDS == 0 and len(left) > 2:
            left.remove(min(left, key=tuning.share))
    return tuning


def _play(
    engine: Engine, trees: list[NativeTree], generator: random.Random, deadline: float
) -> tuple[float, float] | None:
    """What the first two roles get in a game, 0 to 1; None where time was up. Other roles play as the second does."""
    roles = [role for role in engine.game.roles if role != RANDOM]
    state: State = engine.game.initial_state()
    while not state.is_terminal and state.movers and state.step < MOST_STEPS:
        if time.perf_counter() > deadline:
            return None
        state = _step(state, roles, trees, generator)
    first, second = ((state.goal(role) or 0) / 100 for role in roles[:2])
    return first, second


def _step(state: State, roles: list[str], trees: list[NativeTree], generator: random.Random) -> State:
    """One step: at random in the opening, then as the tree says of the role that chooses; chance draws its moves."""
    made = state.random_moves(generator)
    choosers = [role for role in state.choosers if role != RANDOM]
    if choosers and state.step >= OPENING:
        tree = trees[min(1, roles.index(choosers[0]))]
        tree.advance(state)
        tree.grow(SECONDS)
        made = {**made, choosers[0]: tree.result(choosers[0], 0.0).move or made[choosers[0]]}
    return state.next(made)
