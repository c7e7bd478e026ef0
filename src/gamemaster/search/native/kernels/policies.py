"""Nested rollout policy adaptation in lanes: random games by policies that adapt to the best of them; see ../nrpa.py.

A *band* is some lanes next to each other that play by one policy. In each round all lanes play a game from the start;
then each band takes the best game of its lanes, and the levels above it count, compare and adapt.

B is a number of bands, L of levels (0 is the lowest), C of codes (a power of two), D of steps, S of words of what is
seen in a row.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gamemaster.codegen.vector import LANES, WORDS
from gamemaster.search.native.kernels.compiling import aside, kernel, part
from gamemaster.search.native.kernels.intrinsics import (
    GROUPS,
    I0,
    ONE,
    ZERO,
    at,
    column,
    count_ones,
    gather,
    lowest_one,
)
from gamemaster.search.native.kernels.records import Floats, GameArrays, Ints, Singles, Words
from gamemaster.search.native.kernels.rows import copy_row, fill, load_facts, next_one, run_code

__all__ = [
    "BEST_GOAL",
    "BEST_LENGTH",
    "BEST_SCORE",
    "GAMES_PLAYED",
    "POLICY_COUNTS",
    "STEPS_MADE",
    "Bands",
    "adapt_policies",
]

POLICY_COUNTS = 4
GAMES_PLAYED, STEPS_MADE, BEST_LENGTH, SPARE = range(POLICY_COUNTS)

BEST_SCORE, BEST_GOAL = range(2)

NO_SCORE, IDLE = -1e9, -2e9


class Bands(NamedTuple):
    """Policies, games, and what the levels of each band have found."""

    odds: Singles  # float32[B, L, C]: how likely a move is, compared with others: the exponent of its weight
    weights: Singles  # float32[B, L, C]
    kinds: Ints  # int64[B]: what a policy tells moves apart by, beside the move: see `_code_of`
    seen: Words  # uint64[lanes, S]: what is seen in the state of a lane
    trails: Words  # uint64[lanes D, S]: what was seen before each step of a lane's game
    made: Ints  # int64[lanes, D]: the move of each step
    lengths: Ints  # int64[lanes]
    scores: Floats  # float64[lanes]; while a game is under way, NO_SCORE
    goals: Floats  # float64[lanes]
    best_trails: Words  # uint64[B L D, S]: of the best game of each level
    best_made: Ints  # int64[B, L, D]
    best_lengths: Ints  # int64[B, L]
    best_scores: Floats  # float64[B, L]
    done: Ints  # int64[B, L]: how many games of the level below there were
    line: Ints  # int64[D]: the moves of the best game of all
    wanted: Words  # uint64[state words]: facts that are true in every solution
    unwanted: Words  # uint64[state words]: facts that are false in every one
    generator: Words  # uint64[2]
    block: Any  # uint16[64]


@part
def _uniform(generator: Words) -> float:
    """A number from 0 to 1, 1 left out (xorshift128+)."""
    s1, s0 = generator[0], generator[1]
    s1 ^= s1 << np.uint64(23)
    s1 = s1 ^ s0 ^ (s1 >> np.uint64(18)) ^ (s0 >> np.uint64(5))
    generator[0], generator[1] = s0, s1
    return np.float64((s0 + s1) >> np.uint64(11)) * (1.0 / (1 << 53))


@part
def _code_of(kind: int, move: int, before: int, step: int, codes: int) -> int:
    """The code of a move: by itself, with the move before it, or with the step."""
    word = np.uint64(move)
    if kind == 1:
        word += np.uint64(before + 2) * np.uint64(0x9E3779B97F4A7C15)
    elif kind == 2:
        word += np.uint64(step + 1) * np.uint64(0xD1B54A32D192ED03)
    if kind:
        word ^= word >> np.uint64(31)
        word *= np.uint64(0x94D049BB133111EB)
        word ^= word >> np.uint64(29)
    return np.int64(word & np.uint64(codes - 1))


@aside
def _choose(bands: Bands, band: int, lane: int, step: int, first: int, end: int) -> int:
    """A legal move of a lane, drawn by the policy of its band; -1 where there is none."""
    odds, codes, kind = bands.odds, bands.odds.shape[2], bands.kinds[at(band)]
    before = bands.made[at(lane), at(step - 1)] if step else -1
    total = np.float64(0.0)
    position = next_one(bands.seen, lane, first, end)
    while position < end:
        total += odds[at(band), at(0), at(_code_of(kind, position, before, step, codes))]
        position = next_one(bands.seen, lane, position + 1, end)
    mark, last = total * _uniform(bands.generator), -1
    position = next_one(bands.seen, lane, first, end)
    while position < end:
        last = position
        mark -= odds[at(band), at(0), at(_code_of(kind, position, before, step, codes))]
        if mark < 0.0:
            break
        position = next_one(bands.seen, lane, position + 1, end)
    return last


@part
def _see(game: GameArrays, bands: Bands) -> None:
    """What is seen in the states of all lanes, from the outputs of the game's code."""
    for word in range(game.places.row_words - game.places.state_words):
        slot = game.places.outputs + ((game.places.state_words + word) << 6)
        for start in range(0, LANES, 16):
            gather(game.buffer, slot, start, bands.block)
            for lane in range(16):
                bands.seen[at(start + lane), at(word)] = column(bands.block, np.uint16(15 - lane))


@aside
def _score(game: GameArrays, bands: Bands, lane: int, step: int, wants: int) -> None:
    """Note what the game of a lane came to: its goal, then how much of what is wanted holds."""
    goal = 0.0
    if bands.seen[at(lane), at(0)] & ONE != ZERO:
        first = game.places.first_goal - (game.places.state_words << 6)
        end = first + game.goal_start[at(1)]
        found = next_one(bands.seen, lane, first, end)
        if found < end:
            goal = game.goal_value[found - first]
    met = 0
    if wants:
        group, bit = at(lane >> 6), np.uint64(lane & 63)
        for word in range(bands.wanted.shape[0]):
            bits = bands.wanted[at(word)]
            while bits != ZERO:
                met += np.int64((game.buffer[at((word << 6) + lowest_one(bits)), group] >> bit) & ONE)
                bits &= bits - ONE
            bits = bands.unwanted[at(word)]
            while bits != ZERO:
                met += 1 - np.int64((game.buffer[at((word << 6) + lowest_one(bits)), group] >> bit) & ONE)
                bits &= bits - ONE
    bands.goals[at(lane)] = goal
    bands.scores[at(lane)] = goal + (10.0 * met) / max(1, wants)
    bands.lengths[at(lane)] = step


@part
def _play_round(
    game: GameArrays,
    bands: Bands,
    rows: Words,
    wants: int,
    lanes: int,
    most_steps: int,
    counts: Ints,
    stop: Ints,
) -> bool:
    """Play a game in each of so many lanes from the state of row 0; whether it was not stopped."""
    first, first_slot = np.int64(1), game.places.first_move
    end = first + game.move_start[at(1)]
    width = game.places.state_words
    each = LANES // bands.odds.shape[0]
    load_facts(game.buffer, game, rows, I0, GROUPS)
    for slot in range(game.places.moved):
        fill(game.buffer, game.places.first_moved + slot, ~ZERO, GROUPS)
    for lane in range(LANES):
        bands.scores[at(lane)] = NO_SCORE if lane < lanes else IDLE
        bands.goals[at(lane)] = NO_SCORE
        for word in range(bands.seen.shape[1]):
            bands.seen[at(lane), at(word)] = rows[at(0), at(width + word)]
    playing, step, most = lanes, I0, bands.made.shape[1]
    while playing:
        for lane in range(LANES):
            if bands.scores[at(lane)] != NO_SCORE:
                continue
            move = np.int64(-1)
            if bands.seen[at(lane), at(0)] & ONE == ZERO and step < most:
                move = _choose(bands, lane // each, lane, step, first, end)
            if move < 0:
                _score(game, bands, lane, step, wants)
                playing -= 1
                continue
            for word in range(bands.seen.shape[1]):
                bands.trails[at(lane * most + step), at(word)] = bands.seen[at(lane), at(word)]
            bands.made[at(lane), at(step)] = move
            game.buffer[at(first_slot + move - first), at(lane >> 6)] |= ONE << np.uint64(lane & 63)
        if not playing:
            break
        run_code(game.words)
        _see(game, bands)
        for slot in range(game.places.facts):
            for group in range(WORDS):
                game.buffer[at(slot), at(group)] = game.buffer[at(game.places.outputs + slot), at(group)]
        for lane in range(LANES):
            if bands.scores[at(lane)] == NO_SCORE:
                slot = first_slot + bands.made[at(lane), at(step)] - first
                game.buffer[at(slot), at(lane >> 6)] = ZERO
        counts[at(STEPS_MADE)] += playing
        step += 1
        if stop[0] or counts[at(STEPS_MADE)] >= most_steps:
            break
    for slot in range(game.places.moved):
        fill(game.buffer, game.places.first_moved + slot, ZERO, GROUPS)
    counts[at(GAMES_PLAYED)] += lanes - playing
    return playing == 0


@part
def _trail_of(bands: Bands, band: int, level: int) -> int:
    """The row of the first step of the best game of a level."""
    return (band * bands.odds.shape[1] + level) * bands.made.shape[1]


@aside
def _keep_best(bands: Bands, band: int, lane: int) -> None:
    """Keep the game of a lane as the best of its band's lowest level."""
    length = bands.lengths[at(lane)]
    bands.best_lengths[at(band), at(0)] = length
    bands.best_scores[at(band), at(0)] = bands.scores[at(lane)]
    for step in range(length):
        bands.best_made[at(band), at(0), at(step)] = bands.made[at(lane), at(step)]
        source, target = lane * bands.made.shape[1] + step, _trail_of(bands, band, 0) + step
        for word in range(bands.seen.shape[1]):
            bands.best_trails[at(target), at(word)] = bands.trails[at(source), at(word)]


@aside
def _lift(bands: Bands, band: int, level: int) -> None:
    """Take over the best game of a level below, where it is as good as the best of this one."""
    if bands.best_scores[at(band), at(level - 1)] < bands.best_scores[at(band), at(level)]:
        return
    length = bands.best_lengths[at(band), at(level - 1)]
    bands.best_lengths[at(band), at(level)] = length
    bands.best_scores[at(band), at(level)] = bands.best_scores[at(band), at(level - 1)]
    for step in range(length):
        bands.best_made[at(band), at(level), at(step)] = bands.best_made[at(band), at(level - 1), at(step)]
        copy_row(
            bands.best_trails, _trail_of(bands, band, level) + step, _trail_of(bands, band, level - 1) + step
        )


@aside
def _adapt(bands: Bands, band: int, level: int, alpha: float, first: int, end: int) -> None:
    """Make the moves of the best game of a level likelier in its policy, and the others that were legal less."""
    odds, weights, codes = bands.odds, bands.weights, bands.odds.shape[2]
    kind, length = bands.kinds[at(band)], bands.best_lengths[at(band), at(level)]
    trail, rows = _trail_of(bands, band, level), bands.best_trails
    for is_noting in range(2):  # odds change when all weights have
        before = np.int64(-1)
        for step in range(length):
            move = bands.best_made[at(band), at(level), at(step)]
            total = np.float64(0.0)
            position = next_one(rows, trail + step, first, end)
            while position < end:
                code = at(_code_of(kind, position, before, step, codes))
                if is_noting:
                    odds[at(band), at(level), code] = np.exp(weights[at(band), at(level), code])
                total += odds[at(band), at(level), code]
                position = next_one(rows, trail + step, position + 1, end)
            if not is_noting:
                position = next_one(rows, trail + step, first, end)
                while position < end:
                    code = at(_code_of(kind, position, before, step, codes))
                    share = odds[at(band), at(level), code] / total
                    weight = weights[at(band), at(level), code] - alpha * share
                    if position == move:
                        weight += alpha
                    weights[at(band), at(level), code] = min(50.0, max(-50.0, weight))
                    position = next_one(rows, trail + step, position + 1, end)
            before = move


@aside
def _copy_policy(bands: Bands, band: int, source: int, target: int) -> None:
    for code in range(bands.odds.shape[2]):
        bands.odds[at(band), at(target), at(code)] = bands.odds[at(band), at(source), at(code)]
        bands.weights[at(band), at(target), at(code)] = bands.weights[at(band), at(source), at(code)]


@aside
def _forget(bands: Bands, band: int, level: int) -> None:
    for code in range(bands.odds.shape[2]):
        bands.odds[at(band), at(level), at(code)] = 1.0
        bands.weights[at(band), at(level), at(code)] = 0.0


@part
def _end_level(bands: Bands, band: int, each: int, alpha: float, first: int, end: int) -> None:
    """After a round: the levels that have had as many games as they take hand their best up, and begin anew."""
    levels = bands.odds.shape[1]
    level = I0
    _adapt(bands, band, level, alpha, first, end)
    bands.done[at(band), at(level)] += 1
    while bands.done[at(band), at(level)] >= each:
        bands.done[at(band), at(level)] = 0
        if level + 1 == levels:  # the highest begins anew
            _forget(bands, band, level)
        else:
            _lift(bands, band, level + 1)
            _adapt(bands, band, level + 1, alpha, first, end)
            bands.done[at(band), at(level + 1)] += 1
        bands.best_scores[at(band), at(level)] = NO_SCORE
        level += 1
        if level == levels:
            break
    for below in range(level - 1, -1, -1):
        if below + 1 < levels:
            _copy_policy(bands, band, below + 1, below)


@part
def _clear_moves(game: GameArrays) -> None:
    """Clear all moves: whoever comes next takes them for empty."""
    for slot in range(game.places.first_move, game.places.outputs):
        fill(game.buffer, slot, ZERO, GROUPS)


@kernel
def adapt_policies(
    game: GameArrays,
    bands: Bands,
    rows: Words,
    each: int,
    alpha: float,
    enough: float,
    rounds: int,
    most_games: int,
    most_steps: int,
    counts: Ints,
    best: Floats,
    stop: Ints,
) -> bool:
    """Play so many rounds from the state of row 0, or games or steps; whether an end is worth enough. `each`: games a
    level takes.

    `best` are the score and goal of the best game of all, whose moves are in `line`.
    """
    first = np.int64(1)
    end = first + game.move_start[at(1)]
    count = bands.odds.shape[0]
    wants = I0
    for word in range(bands.wanted.shape[0]):
        wants += count_ones(bands.wanted[at(word)]) + count_ones(bands.unwanted[at(word)])
    for _ in range(rounds):
        active = min(LANES, most_games - counts[at(GAMES_PLAYED)])
        if (
            stop[0]
            or active <= 0
            or not _play_round(game, bands, rows, wants, active, most_steps, counts, stop)
        ):
            _clear_moves(game)
            return False
        for lane in range(LANES):
            if bands.goals[at(lane)] > best[BEST_GOAL] or (
                bands.goals[at(lane)] == best[BEST_GOAL] and bands.scores[at(lane)] > best[BEST_SCORE]
            ):
                best[BEST_GOAL], best[BEST_SCORE] = bands.goals[at(lane)], bands.scores[at(lane)]
                counts[at(BEST_LENGTH)] = bands.lengths[at(lane)]
                for step in range(bands.lengths[at(lane)]):
                    bands.line[at(step)] = bands.made[at(lane), at(step)] - first
        if best[BEST_GOAL] >= enough:
            return True
        lanes = LANES // count
        for band in range(count):
            chosen = band * lanes
            for lane in range(band * lanes, (band + 1) * lanes):
                if bands.scores[at(lane)] > bands.scores[at(chosen)]:
                    chosen = lane
            if bands.scores[at(chosen)] >= bands.best_scores[at(band), at(0)]:
                _keep_best(bands, band, chosen)
            _end_level(bands, band, each, alpha, first, end)
    return False
