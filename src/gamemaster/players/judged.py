"""Egghead's judgement: what it learns by playing against itself, and whether alpha-beta with that beats its trees.

In the start clock it learns, from where it was left if something is kept of the game; then alpha-beta with judgement
and a tree play quick games against each other. What wins is used; where nothing could be learnt, the trees are.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

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
from gamemaster.search.native.trials import Choose, Trial, hold_trial
from gamemaster.search.native.warming import warm_up

__all__ = ["KIND", "Verdict", "judge"]

KIND = ("judging",)

WAITING_SHARE, LEARNING_SHARE, TRIAL_SHARE = 0.3, 0.55, 0.25
"""How much of the time goes to waiting for kernels, if they are not there yet, to learning and to the trial at most."""

LEAST_SECONDS = 0.5
"""With less there is nothing to be learnt."""

FEWEST_TRIALS = 4
"""After fewer games between the two nothing is known."""


@dataclass
class Verdict:
    """What was learnt, and how it did against a tree."""

    judging: Judging
    trial: Trial = field(default_factory=Trial)
    kept: int = 0
    """How many of the games were played at another time."""

    @property
    def judgement(self) -> Judgement:
        """What was learnt."""
        return self.judging.judgement

    @property
    def is_better(self) -> bool:
        """Whether to search with it."""
        return self.trial.games >= FEWEST_TRIALS and self.trial.share > 0.5

    def __str__(self) -> str:
        learnt = f"learnt from {self.judgement.games:,} games against itself"
        if self.kept:
            learnt += f", {self.kept:,} of them before"
        if not self.trial.games:
            return f"{learnt}; no time to try it"
        used = "" if self.is_better else ", so it is not used"
        return (
            f"{learnt}; alpha-beta with judgement got {self.trial.points:g} of {self.trial.games} points "
            f"in trial games against a tree{used}"
        )


def judge(
    engine: Engine, state: State, tree: NativeTree, seconds: float, seed: int, *, has_memory: bool
) -> Verdict | None:
    """Learn, and try what was learnt; None where that cannot be done, or not in the time."""
    began = time.perf_counter()
    if seconds < LEAST_SECONDS or not warm_up(seconds * WAITING_SHARE, KIND):
        return None
    left = seconds - (time.perf_counter() - began)
    try:
        kept = kept_judgement(engine) if has_memory else None
        judgement = learn_by_play(engine, state, left * LEARNING_SHARE, seed, known=kept)
        if judgement.games < FEWEST_GAMES:
            return None
        judging = Judging(engine, judgement)
        verdict = Verdict(judging, kept=0 if kept is None else kept.games)
        verdict.trial = hold_trial(
            engine.game, _by_judgement(judging), _by_tree(tree), left * TRIAL_SHARE, seed
        )
    except GamemasterError:
        return None
    judging.forget()
    tree.forget()
    return verdict


def _by_judgement(judging: Judging) -> Choose:
    def choose(state: State, role: str, seconds: float) -> Term | None:
        return judging.search(state, role, Budget(seconds=seconds)).move

    return choose


def _by_tree(tree: NativeTree) -> Choose:
    def choose(state: State, role: str, seconds: float) -> Term | None:
        tree.advance(state)
        tree.grow(seconds)
        return tree.result(role, 0.0).move

    return choose
