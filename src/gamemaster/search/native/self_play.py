"""Self-play -> judgement: games of a player against itself, in machine code, from which it learns while it plays.

Each move is the best that the judgement sees one ply ahead; a tenth are random, and so are the first few of
a game, so that games differ. What a state should be worth is the value found for its best move, mixed with what
happened later, step by step (TD(lambda), Sutton 1988, with values of searches as in TD-leaf, Baxter, Tridgell & Weaver
2000); after a random move that was not the best nothing later counts. States are kept, and the network learns from
some of those drawn by lot after each game, by steps that become smaller for weights that have changed much (AdaGrad).

How much it foretells is measured on each game before it learns from it.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from gamemaster.errors import Unsuitable
from gamemaster.machine.game import State
from gamemaster.search.budget import Budget, Halt
from gamemaster.search.native.engine import Engine, Stopwatch
from gamemaster.search.native.judgement import Judgement, Lesson, new_judgement, width_of
from gamemaster.search.native.judging import Judging, new_desk
from gamemaster.search.native.kernels.records import Floats, Ints, Words
from gamemaster.search.native.kernels.self_play import (
    GAMES,
    GUESS_SQUARES,
    GUESSES,
    JUDGED,
    KEPT,
    PRODUCTS,
    RESULT_SQUARES,
    RESULTS,
    SCHOOL_COUNTS,
    STATES,
    SWINGS,
    School,
    Schooling,
    play_and_learn,
)
from gamemaster.search.native.warming import tiny_game

__all__ = ["FEWEST_GAMES", "PLAN", "Seen", "learn_by_play", "play_to_see", "run_judging"]

PLAN = ((1.0, Schooling(depth=1, opening=8, stray=100, trust=0.5, rate=0.1, lessons=3)),)
"""Shares of the time, and how it plays and learns meanwhile. More games taught more than deeper ones: of 40 games of
breakthrough after 8 s each, one ply all the time won 35 against half of the time with two; trust in what comes later
hardly mattered, smaller steps were worse."""

DEEPER = ((1.0, PLAN[0][1]._replace(depth=2)),)
"""For shapes on a board in short games with few moves, where threats are what counts: of 40 games of connect four
against a tree, after 12 s each, two plies won 28.5 and one ply 18."""

FEW_MOVES = 300
"""So many moves are to choose from in a whole game at most, for that."""

SAMPLE, OPENING_PART = 6, 6
MEMORY = 1 << 17
LONGEST = 600
TABLE_BITS = 14
FEWEST_GAMES = 100
"""Who has played fewer games knows nothing."""

ROUND_SECONDS, MOST_AT_ONCE = 0.1, 1_000
LESSONS, LESSON_GAMES = 20, 50
"""Points of the curve, about, and how many games each is of at least: fewer foretell nothing but chance."""

SEEING_SECONDS = 10.0
"""So long at most games are played only to see what occurs in them."""

SWING = 2.0
"""A move changes a lot if it changes the score by so many times what it does in the mean."""

Tell = Callable[[Lesson], None]


def learn_by_play(
    engine: Engine,
    state: State,
    seconds: float | None,
    seed: int = 0,
    *,
    games: int | None = None,
    known: Judgement | None = None,
    plan: tuple[tuple[float, Schooling], ...] | None = None,
    on_lesson: Tell | None = None,
    until: Halt | None = None,
) -> Judgement:
    """Judgement from games that begin in a state, for so long, or so many: those are the same each time.

    `known` is where it begins; what it holds is not changed. Who sets `until` gets what was learnt so far. Unsuitable
    where the game cannot be played like this, or no game comes to an end.
    """
    if seconds is None and games is None:
        raise Unsuitable("learning by self-play has no end: give it seconds, or a number of games")
    opening = _opening(engine, seed)
    player = _Pupil(engine, (known or new_judgement(engine, seed)).copied(), state, seed, until or Halt())
    plan = plan or _plan_for(player.judgement, engine, seed)
    left = plan[1:] or plan if known else plan  # of what is known the first steps have been made
    whole = sum(share for share, _ in left)
    for share, how in left:
        part, how = share / whole, how._replace(opening=min(how.opening, opening))
        most = None if games is None else math.ceil(games * part)
        player.study(how, None if seconds is None else seconds * part, most, on_lesson)
    player.check_ends()
    return player.judgement


@dataclass(frozen=True)
class Seen:
    """What was seen in games from which nothing was learnt."""

    rows: Words
    """Their states [states, words], the last ones where there are very many."""
    games: int
    explained: float
    """What share of the differences between results was foretold."""


def play_to_see(engine: Engine, judgement: Judgement, state: State, games: int, seed: int = 0) -> Seen:
    """So many games as it learns from them, but without learning: what occurs, and how much of it is foretold."""
    pupil = _Pupil(engine, judgement.copied(), state, seed, Halt())
    how = PLAN[0][1]._replace(lessons=0, opening=_opening(engine, seed))
    with Stopwatch(SEEING_SECONDS) as watch:
        pupil.play(how, games, watch.stop)
    counts = pupil.school.counts
    kept = min(int(counts[KEPT]), MEMORY)
    return Seen(pupil.school.kept[:kept].copy(), int(counts[GAMES]), _explained(counts))


def _plan_for(judgement: Judgement, engine: Engine, seed: int) -> tuple[tuple[float, Schooling], ...]:
    """How to learn a game."""
    if not len(judgement.net.first):
        return PLAN
    generator = random.Random(seed)
    moves = 0
    for _ in range(SAMPLE):
        state = engine.game.initial_state()
        while not state.is_over and moves <= SAMPLE * FEW_MOVES and state.step < LONGEST:
            moves += sum(len(state.legal_moves(role)) for role in state.choosers)
            state = state.next(state.random_moves(generator))
    return DEEPER if moves <= SAMPLE * FEW_MOVES else PLAN


def _opening(engine: Engine, seed: int) -> int:
    """How many steps of a game may be random at its beginning: a part of a random game, or nothing would be left."""
    generator = random.Random(seed)
    steps = [engine.game.random_game(generator).step for _ in range(SAMPLE)]
    return max(1, sum(steps) // (SAMPLE * OPENING_PART))


class _Pupil:
    """Who plays against itself, and learns."""

    def __init__(self, engine: Engine, judgement: Judgement, state: State, seed: int, until: Halt) -> None:
        self.engine, self.until = engine, until
        self.judgement = self.before = judgement
        self.desk = new_desk(engine, TABLE_BITS, width_of(judgement.net))
        words, generator = engine.row_words, random.Random(seed)
        self.school = School(
            engine.row_of(state).reshape(1, -1).copy(),
            np.zeros((LONGEST, words), np.uint64),
            np.zeros(LONGEST),
            np.zeros(LONGEST, np.int64),
            np.zeros((MEMORY, words), np.uint64),
            np.zeros(MEMORY, np.float32),
            np.zeros((2, width_of(judgement.net)), np.float32),
            np.array([generator.getrandbits(64) | 1 for _ in range(2)], np.uint64),
            np.zeros(SCHOOL_COUNTS),
        )

    def study(self, how: Schooling, seconds: float | None, games: int | None, on_lesson: Tell | None) -> None:
        """Play and learn for so long, or so many games."""
        began = last = time.perf_counter()
        played, next_lesson = 0, 0.0
        since = self.school.counts.copy()
        size = 1 if games is None else max(1, games // LESSONS)
        with Stopwatch(seconds) as watch:
            self.until.when_set(watch.end)
            while not watch.stop[0] and (games is None or played < games):
                size = size if games is None else min(size, games - played)
                played += self.play(how, size, watch.stop)
                now = time.perf_counter()
                share = played / games if games is not None else (now - began) / (seconds or 1.0)
                if games is None:  # so that somebody looks at the clock now and then
                    size = max(1, min(MOST_AT_ONCE, int(size * ROUND_SECONDS / max(1e-4, now - last))))
                last = now
                is_enough = self.school.counts[GAMES] - since[GAMES] >= LESSON_GAMES
                if (share >= next_lesson and is_enough) or share >= 1.0 or watch.stop[0]:
                    since = self._note(since, on_lesson)
                    next_lesson = share + 1 / LESSONS

    def check_ends(self) -> None:
        """Unsuitable if games were played and none came to an end after its first step: they teach nothing."""
        counts = self.school.counts
        if counts[GAMES] and not counts[JUDGED]:
            raise Unsuitable(
                f"nothing is learnt from {self.engine.game.name}: of {int(counts[GAMES]):,} games against itself none "
                f"came to an end within {LONGEST} steps, or all were over before the first"
            )

    def play(self, how: Schooling, games: int, stop: Ints) -> int:
        """So many games, or fewer if there is no time."""
        before = self.school.counts.copy()
        arrays = self.desk, self.judgement.net, self.judgement.slopes, self.school
        done = int(play_and_learn(self.engine.code(), *arrays, how, games, stop))
        if done < 0:
            raise Unsuitable(
                f"self-play got stuck in {self.engine.game.name}: nobody can move, or several can choose"
            )
        played, states = self.before.games + int(self.school.counts[GAMES]), int(self.school.counts[STATES])
        since = self.school.counts - before
        swing = int(SWING * since[SWINGS] / max(1.0, since[STATES]))
        net = self.judgement.net._replace(swing=max(1, swing) if since[STATES] else self.judgement.net.swing)
        self.judgement = replace(self.judgement, net=net, games=played, states=self.before.states + states)
        return done

    def _note(self, since: Floats, on_lesson: Tell | None) -> Floats:
        """A point of the curve: what was foretold of the games since the last; the counts as they are."""
        now = self.school.counts.copy()
        change = now - since
        if change[JUDGED]:
            lesson = Lesson(self.judgement.games, _explained(change))
            self.judgement = replace(self.judgement, curve=(*self.judgement.curve, lesson))
            if on_lesson is not None:
                on_lesson(lesson)
        return now


def _explained(counts: Floats) -> float:
    """The square of the correlation of what was foretold with results; 0 where there is none."""
    judged, results, guesses = (float(counts[place]) for place in (JUDGED, RESULTS, GUESSES))
    if not judged:
        return 0.0
    together = counts[PRODUCTS] - results * guesses / judged
    spreads = (counts[RESULT_SQUARES] - results**2 / judged) * (counts[GUESS_SQUARES] - guesses**2 / judged)
    return float(together**2 / spreads) if together > 0 and spreads > 1e-9 else 0.0


def run_judging() -> None:
    """Run every kernel of judgement once."""
    engine, state = tiny_game()
    judgement = learn_by_play(engine, state, None, games=4)
    judgement.value(engine, state, "a")
    Judging(engine, judgement, table_bits=4).search(state, "a", Budget(nodes=100))
