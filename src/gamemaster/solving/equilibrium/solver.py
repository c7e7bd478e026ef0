"""Game -> Equilibrium: regrets are minimised until nobody gains enough by playing otherwise.

    cfr     regrets add up, plans weigh the same                       (Zinkevich et al. 2007)
    cfr+    regrets never fall below 0, plans weigh by their number    (Tammelin 2014)
    dcfr    old regrets and plans fade                                 (Brown & Sandholm 2019, with its 1.5, 0 and 2)

The average of all plans comes to an equilibrium where two roles are opposed. Where more choose, or goals are not
opposed, nothing promises that; how much anybody gains by playing otherwise is exact all the same.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from gamemaster.errors import GameIllDefined, LimitExceeded, ParameterError, Unsuitable
from gamemaster.machine.game import Game
from gamemaster.search.budget import Budget
from gamemaster.search.native.kernels.regrets import Discounts, Work, iterate
from gamemaster.search.native.warming import tiny_game, warm_up
from gamemaster.solving.equilibrium.equilibrium import Equilibrium, Point
from gamemaster.solving.equilibrium.profiles import Profile, best_response, profile_of_plans, uniform
from gamemaster.solving.equilibrium.tree import HistoryTree, TreeLimits, grow_tree

__all__ = [
    "ALGORITHMS",
    "CFR_PLUS",
    "Aim",
    "SolveProgress",
    "equilibrium_for",
    "find_equilibrium",
    "iterations_only",
    "next_look",
    "run_regrets",
    "solve_equilibrium",
]

CFR_PLUS = "cfr+"
ALGORITHMS = {
    "cfr": Discounts(math.inf, math.inf, 0.0),
    CFR_PLUS: Discounts(math.inf, -math.inf, 1.0),
    "dcfr": Discounts(1.5, 0.0, 2.0),
}

GROWTH = 1.15
"""Between two looks at how exploitable the average is, so many times the iterations: a look costs as much as one."""

SLICE = 0.2
"""Seconds between two looks at the clock, about."""


@dataclass(frozen=True)
class Aim:
    """When it is enough: the first that is reached of an exploitability, iterations and seconds.

    A tree may take as many seconds to grow.
    """

    until: float = 0.01
    iterations: int | None = None
    seconds: float | None = 60.0

    def __post_init__(self) -> None:
        if not self.until >= 0:
            raise ParameterError(f"until must be an exploitability of 0 or more, not {self.until}")


class SolveProgress(NamedTuple):
    """How far it is: histories while the tree grows, then iterations and exploitability."""

    histories: int
    iterations: int = 0
    exploitability: float | None = None


Tell = Callable[[SolveProgress], None]


def solve_equilibrium(
    game: Game,
    algorithm: str = CFR_PLUS,
    aim: Aim | None = None,
    *,
    limits: TreeLimits | None = None,
    tell: Tell = lambda progress: None,
) -> Equilibrium:
    """An equilibrium of a game from its initial state, as near as the aim says. LimitExceeded where it is too large."""
    discounts_of(algorithm)
    aim = aim or Aim()
    limits = replace(limits or TreeLimits(), seconds=aim.seconds)
    tree = grow_tree(game, limits=limits, tell=lambda histories, step: tell(SolveProgress(histories)))
    return find_equilibrium(tree, algorithm, aim, tell=tell)


def find_equilibrium(
    tree: HistoryTree,
    algorithm: str = CFR_PLUS,
    aim: Aim | None = None,
    *,
    tell: Tell = lambda progress: None,
) -> Equilibrium:
    """An equilibrium of a tree, as near as the aim says; where one role chooses, its best response to chance."""
    began = time.perf_counter()
    if len(tree.choosers) == 1:
        best = best_response(uniform(tree), tree.roles[tree.choosers[0]]).profile
        seconds = time.perf_counter() - began
        return Equilibrium(best, "best response", (Point(1, seconds, best.exploitability),))
    return _Minimiser(tree, algorithm, aim or Aim(), began).run(tell)


def discounts_of(algorithm: str) -> Discounts:
    """How an algorithm discounts; ParameterError for one that there is not."""
    if algorithm not in ALGORITHMS:
        raise ParameterError(f"no algorithm {algorithm!r} for equilibria: {', '.join(ALGORITHMS)}")
    return ALGORITHMS[algorithm]


def next_look(done: int) -> int:
    """After how many iterations to look again at how exploitable the average is."""
    return max(done + 1, int(done * GROWTH))


def iterations_only(tree: HistoryTree, algorithm: str, iterations: int) -> Profile:
    """The average after so many iterations, without any look at how exploitable it is: to be timed."""
    work = new_work(uniform(tree))
    iterate(tree.form, work, discounts_of(algorithm), 1, iterations + 1)
    return profile_of_plans(tree, work.totals)


def new_work(first: Profile) -> Work:
    """What iterations begin with."""
    zeros = [np.zeros(len(first.choices)) for _ in range(3)]
    return Work(zeros[0], first.choices.copy(), first.plans.copy(), zeros[1], zeros[2])


class _Minimiser:
    """Iterations, and looks at what came of them."""

    def __init__(self, tree: HistoryTree, algorithm: str, aim: Aim, began: float) -> None:
        self.tree, self.algorithm, self.aim, self.began = tree, algorithm, aim, began
        self.discounts = discounts_of(algorithm)
        self.best = uniform(tree)
        self.work = new_work(self.best)
        self.done, self.pace = 0, 1

    def run(self, tell: Tell) -> Equilibrium:
        curve = [Point(0, 0.0, self.best.exploitability)]
        while not self._is_enough():
            self._advance()
            profile = profile_of_plans(self.tree, self.work.totals)
            reached = profile.exploitability
            curve.append(Point(self.done, time.perf_counter() - self.began, reached))
            if reached <= self.best.exploitability:
                self.best = profile
            tell(SolveProgress(self.tree.histories, self.done, self.best.exploitability))
        return Equilibrium(self.best, self.algorithm, tuple(curve))

    def _is_enough(self) -> bool:
        aim = self.aim
        passed = time.perf_counter() - self.began
        return (
            self.best.exploitability <= aim.until
            or (aim.iterations is not None and self.done >= aim.iterations)
            or (aim.seconds is not None and passed >= aim.seconds)
        )

    def _advance(self) -> None:
        """Iterate until the next look, or until the time is over."""
        last = next_look(self.done)
        last = min(last, self.aim.iterations or last)
        while self.done < last:
            until, began = min(last, self.done + self.pace), time.perf_counter()
            iterate(self.tree.form, self.work, self.discounts, self.done + 1, until + 1)
            self.done = until
            now = time.perf_counter()
            if now - began < SLICE / 2:
                self.pace *= 2
            if self.aim.seconds is not None and now - self.began >= self.aim.seconds:
                return


def equilibrium_for(game: Game, budget: Budget, limits: TreeLimits | None = None) -> Equilibrium | None:
    """An equilibrium of a game for a player with a clock; None where the game is too large for the time.

    Nobody waits for kernels that are not compiled yet. How good it is stands in its `exploitability`.
    """
    seconds = budget.seconds or 0.0
    deadline = time.perf_counter() + seconds
    if not warm_up(seconds / 2, ("equilibrium",)):
        return None
    growing = (deadline - time.perf_counter()) / 2
    try:
        tree = grow_tree(game, limits=replace(limits or TreeLimits(), seconds=growing))
    except (LimitExceeded, Unsuitable, GameIllDefined):
        return None
    return find_equilibrium(tree, aim=Aim(seconds=max(0.0, deadline - time.perf_counter())))


def run_regrets() -> None:
    """Run every kernel of equilibria once, on a tiny game: that compiles them."""
    engine, _ = tiny_game()
    tree = grow_tree(engine.game)
    found = find_equilibrium(tree, aim=Aim(0.0, iterations=2))
    assert len(found.profile.worths)
