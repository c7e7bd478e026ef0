"""Games of a player against itself, from which it learns while it plays: see ../self_play.py."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gamemaster.search.native.kernels.compiling import kernel, part
from gamemaster.search.native.kernels.deliberation import (
    BEST_ROW,
    LOOKED,
    MOST_LOOKS,
    SALT,
    WRONG,
    JudgingDesk,
    look,
)
from gamemaster.search.native.kernels.intrinsics import I0, at
from gamemaster.search.native.kernels.judgement import (
    SURE,
    Net,
    Slopes,
    add_up,
    correct,
    guess_of,
    share_of_score,
)
from gamemaster.search.native.kernels.playouts import draw
from gamemaster.search.native.kernels.records import Floats, GameArrays, Ints, Singles, Words
from gamemaster.search.native.kernels.rows import copy_row, goal_of, is_terminal, make_children, mover_of

__all__ = ["SCHOOL_COUNTS", "School", "Schooling", "play_and_learn"]

SCHOOL_COUNTS = 10
GAMES, STATES, KEPT, SWINGS, JUDGED, RESULTS, RESULT_SQUARES, GUESSES, GUESS_SQUARES, PRODUCTS = range(
    SCHOOL_COUNTS
)
"""Places in the counts (float64): games and states played; states in the memory, ever; how far a search found states
from what they looked to be worth, added up; of states before they were learnt from how many those are, and sums: of
results and their squares, of what was foretold and its squares, of both multiplied."""


class School(NamedTuple):
    """What self-play works in: T steps of a game, M states kept."""

    start: Words  # uint64[1, W]: where games begin
    rows: Words  # uint64[T, W]: the states of the game under way
    values: Floats  # float64[T]: what the best move there was found to be worth to the side, 0 to 1
    is_stray: Ints  # int64[T]: whether another was made
    kept: Words  # uint64[M, W]: states of games before
    targets: Singles  # float32[M]: what they should be worth
    units: Singles  # float32[2, UNITS]
    generator: Words  # uint64[2]
    counts: Floats  # float64[SCHOOL_COUNTS]


class Schooling(NamedTuple):
    """How to play and learn."""

    depth: int  # plies looked ahead
    opening: int  # up to so many plies at random in the beginning
    stray: int  # of 1000 later moves so many are random
    trust: float  # how much of a target comes from what happened later, ply by ply (lambda)
    rate: float  # the size of a step
    lessons: int  # steps for each state played


@part
def _choose(
    game: GameArrays,
    desk: JudgingDesk,
    net: Net,
    school: School,
    how: Schooling,
    step: int,
    opening: int,
    stop: Ints,
) -> Any:
    """The row of the child of row 0 that is next, and whether all is well; notes what the best is worth."""
    mover = mover_of(game, desk.rows, I0)
    if mover < 0:
        return np.int64(0)
    add_up(net, desk.rows, I0, desk.units, I0)
    counts = desk.counts
    counts[LOOKED] = counts[WRONG] = 0
    value = np.int64(0)
    for depth in range(1, how.depth + 1):
        value = look(game, desk, net, mover, np.int64(depth), stop)
    if counts[WRONG]:
        return np.int64(0)
    row = counts[BEST_ROW]
    if abs(value) < SURE:
        looks = guess_of(net, desk.units, I0)
        school.counts[SWINGS] += abs(value - looks if mover == net.side else value + looks)
    school.values[at(step)] = share_of_score(value if mover == net.side else -value)
    is_stray = step < opening or draw(school.generator, 1000) < how.stray
    school.is_stray[at(step)] = 0
    if is_stray:
        count = make_children(game, desk.rows, I0, mover, desk.rows, 1, desk.moves)
        drawn = 1 + draw(school.generator, count)
        if drawn != row:
            school.is_stray[at(step)] = 1
            row = drawn
    return row


@part
def _keep(school: School, row: int, target: float) -> None:
    """A state into the memory, where the oldest stands."""
    place = np.int64(school.counts[KEPT]) % school.kept.shape[0]
    for word in range(school.kept.shape[1]):
        school.kept[at(place), at(word)] = school.rows[at(row), at(word)]
    school.targets[at(place)] = target
    school.counts[KEPT] += 1.0


@part
def _tell(net: Net, school: School, length: int, result: float, desk: JudgingDesk, trust: float) -> None:
    """From the end of a game backwards: what its states should be worth; before that, how well it was foretold."""
    counts = school.counts
    target = result
    for step in range(length - 1, -1, -1):
        add_up(net, school.rows, step, desk.units, I0)
        guess = share_of_score(guess_of(net, desk.units, I0))
        counts[JUDGED] += 1.0
        counts[RESULTS] += result
        counts[RESULT_SQUARES] += result * result
        counts[GUESSES] += guess
        counts[GUESS_SQUARES] += guess * guess
        counts[PRODUCTS] += guess * result
        value = school.values[at(step)]
        target = value if school.is_stray[at(step)] else (1.0 - trust) * value + trust * target
        _keep(school, step, target)


@kernel
def play_and_learn(
    game: GameArrays,
    desk: JudgingDesk,
    net: Net,
    slopes: Slopes,
    school: School,
    how: Schooling,
    games: int,
    stop: Ints,
) -> int:
    """So many games; how many were finished. A game that takes too long is given up."""
    done = 0
    longest = school.rows.shape[0]
    desk.counts[MOST_LOOKS] = np.int64(1) << 40
    while done < games and not stop[0]:
        copy_row(desk.rows, I0, I0)
        for word in range(desk.rows.shape[1]):
            desk.rows[0, word] = school.start[0, word]
        opening = draw(school.generator, how.opening + 1)
        desk.counts[SALT] += 4  # what the table has was found with other weights
        step = 0
        while step < longest and not is_terminal(game, desk.rows, I0):
            for word in range(desk.rows.shape[1]):
                school.rows[at(step), at(word)] = desk.rows[0, at(word)]
            row = _choose(game, desk, net, school, how, step, opening, stop)
            if row == 0:
                return -1 if not stop[0] else done
            copy_row(desk.rows, I0, row)
            step += 1
        if is_terminal(game, desk.rows, I0):
            goal = goal_of(game, desk.rows, I0, net.side)
            result = min(1.0, max(0.0, (goal - net.lowest) / (net.highest - net.lowest)))
            _tell(net, school, step, result, desk, how.trust)
            held = min(np.int64(school.counts[KEPT]), school.kept.shape[0])
            for _ in range(step * how.lessons):
                place = draw(school.generator, held)
                correct(net, slopes, school.kept, place, school.targets[at(place)], how.rate, school.units)
            school.counts[STATES] += step
        school.counts[GAMES] += 1.0
        done += 1
    return done
