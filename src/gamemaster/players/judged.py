"""Egghead's judgement: what it learns by playing against itself, and whether alpha-beta with that beats its trees.

In the start clock it learns, from where it was left if something is kept of the game; then alpha-beta with judgement
and a tree play quick games against each other. What wins is used; where nothing could be learnt, the trees are.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from math import sqrt

from gamemaster.errors import GamemasterError
from gamemaster.language.terms import Term
from gamemaster.machine.game import State
from gamemaster.search.budget import Budget
from gamemaster.search.native.engine import Engine
from gamemaster.search.native.judgement import Judgement
from gamemaster.search.native.judging import Judging
from gamemaster.search.native.knowledge import kept_judgement
from gamemaster.search.native.mcts import NativeTree
from gamemaster.search.native.self_play import FEWEST_GAMES, learn_by_play
from gamemaster.search.native.trials import Choose, hold_trial
from gamemaster.search.native.tuples import tuples_of
from gamemaster.search.native.warming import warm_up
from gamemaster.search.suitable import JUDGING

__all__ = ["KIND", "TriedJudgement", "has_won", "judge", "try_out"]

KIND = (JUDGING,)

WAITING_SHARE, LEARNING_SHARE, TRIAL_SHARE = 0.3, 0.55, 0.35
"""How much of the time goes to waiting for kernels, if they are not there yet, to learning and to the trial at most."""

LEAST_SECONDS = 3.0
"""With less there is nothing to be learnt."""

FIRST_RATE, TOLD = 50_000.0, 0.02
"""So much is searched in a second, until that long was measured."""

FEWEST_TRIALS, ENOUGH_TRIALS = 4, 8
"""After fewer games between the two nothing is known; after so many no more are played in another match."""

DEVIATION = 0.5
"""Of the points of a game between two that are equal."""


@dataclass
class TriedJudgement:
    """What was learnt, and how it did against a tree."""

    judging: Judging
    kept: int = 0
    """How many of the games were played at another time."""

    @property
    def judgement(self) -> Judgement:
        """What was learnt."""
        return self.judging.judgement

    @property
    def is_better(self) -> bool:
        """Whether to search with it."""
        return has_won(self.judgement)

    def __str__(self) -> str:
        points, games = self.judgement.trial
        learnt = f"learnt from {self.judgement.games:,} games against itself"
        if self.kept:
            learnt += f", {self.kept:,} of them before"
        if not games:
            return f"{learnt}; no time to try it"
        used = "" if self.is_better else ", so it is not used"
        return (
            f"{learnt}; alpha-beta with judgement won {points:g} of {games} trial games against a tree{used}"
        )


def has_won(judgement: Judgement) -> bool:
    """Whether it won its trial games by more than a deviation of what chance does."""
    points, games = judgement.trial
    return games >= FEWEST_TRIALS and points - games / 2 > DEVIATION * sqrt(games)


def judge(
    engine: Engine, state: State, tree: NativeTree, seconds: float, seed: int, *, has_experience: bool
) -> TriedJudgement | None:
    """Learn, and try what was learnt; None where that cannot be done, or not in the time."""
    began = time.perf_counter()
    kept = kept_judgement(engine) if has_experience else None
    is_tried = kept is not None and kept.trial[1] >= ENOUGH_TRIALS
    if seconds < LEAST_SECONDS and not is_tried:
        return None
    if not warm_up(seconds * WAITING_SHARE, KIND):
        return None
    try:
        tuples_of(engine.game)  # takes a moment of a large board
        left = seconds - (time.perf_counter() - began)
        judgement = kept
        if kept is None or left >= LEAST_SECONDS:
            judgement = learn_by_play(engine, state, left * LEARNING_SHARE, seed, known=kept)
        if judgement is None or judgement.games < FEWEST_GAMES:
            return None
        judging = Judging(engine, judgement)
        if not is_tried:
            rest = seconds - (time.perf_counter() - began)
            judging.judgement = try_out(judging, tree, min(left * TRIAL_SHARE, rest), seed)
    except GamemasterError:
        return None
    return TriedJudgement(judging, 0 if kept is None else kept.games)


def try_out(judging: Judging, tree: NativeTree, seconds: float, seed: int) -> Judgement:
    """The judgement, with how it did against a tree in so many seconds at most. Both begin anew afterwards."""
    players = _by_judgement(judging), _by_tree(tree)
    trial = hold_trial(judging.engine.game, *players, seconds, seed)
    judging.forget()
    tree.forget()
    return replace(judging.judgement, trial=(trial.points, trial.games))


@dataclass
class _Pace:
    """How much is searched in a second of this thread's own: on a busy machine both have the same nevertheless."""

    nodes: int = 0
    seconds: float = 0.0

    def budget(self, seconds: float) -> int:
        """How much to search in so many seconds."""
        rate = self.nodes / self.seconds if self.seconds > TOLD else FIRST_RATE
        return max(1, int(rate * seconds))

    def note(self, nodes: int, began: float) -> None:
        """So much was searched since then."""
        self.nodes += nodes
        self.seconds += time.thread_time() - began


def _by_judgement(judging: Judging) -> Choose:
    pace = _Pace()

    def choose(state: State, role: str, seconds: float) -> Term | None:
        began = time.thread_time()
        found = judging.search(state, role, Budget(nodes=pace.budget(seconds)))
        pace.note(found.nodes, began)
        return found.move

    return choose


def _by_tree(tree: NativeTree) -> Choose:
    pace = _Pace()

    def choose(state: State, role: str, seconds: float) -> Term | None:
        began = time.thread_time()
        tree.advance(state)
        tree.grow(None, pace.budget(seconds))
        found = tree.result(role, 0.0)
        pace.note(found.nodes, began)
        return found.move

    return choose
