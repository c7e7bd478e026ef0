"""Random games in the lanes of the kernel `charge`, and samples of them: see ../learning.py."""

from __future__ import annotations

import numpy as np

from gamemaster.codegen.vector import LANES, WORDS
from gamemaster.search.native.kernels.compiling import aside, kernel, part
from gamemaster.search.native.kernels.intrinsics import GROUPS, I0, ONE, ZERO, at
from gamemaster.search.native.kernels.records import Floats, Ints, PlayoutArrays, Words
from gamemaster.search.native.kernels.rows import fill, run_code

__all__ = ["draw", "free_lanes", "load_lane", "random_slots", "read_goals", "sample_games"]


@aside
def random_slots(buffer: Words, first: int, count: int, generator: Words) -> None:
    """Fill slots with random bits (xorshift128+, Vigna 2017)."""
    older, newer = generator[0], generator[1]
    for i in range(first, first + count):
        for j in range(WORDS):
            s1, s0 = older, newer
            s1 ^= s1 << np.uint64(23)
            s1 = s1 ^ s0 ^ (s1 >> np.uint64(18)) ^ (s0 >> np.uint64(5))
            older, newer = s0, s1
            buffer[i, j] = s0 + s1
    generator[0], generator[1] = older, newer


@part
def draw(generator: Words, count: int) -> int:
    """One of so many numbers from 0 on, all equally likely (the same generator)."""
    s1, s0 = generator[0], generator[1]
    s1 ^= s1 << np.uint64(23)
    s1 = s1 ^ s0 ^ (s1 >> np.uint64(18)) ^ (s0 >> np.uint64(5))
    generator[0], generator[1] = s0, s1
    return np.int64((((s0 + s1) >> np.uint64(32)) * np.uint64(count)) >> np.uint64(32))


@part
def free_lanes(play: PlayoutArrays) -> int:
    """No lane is in use: how many are free."""
    for lane in range(LANES):
        play.lane_node[lane] = -1
        play.free[lane] = LANES - 1 - lane
    fill(play.buffer, play.slots.active, ZERO, GROUPS)
    return LANES


@part
def load_lane(play: PlayoutArrays, rows: Words, row: int, lane: int) -> None:
    """A state into one lane of the kernel `charge`, which runs from now on."""
    group, bit = lane >> 6, np.uint64(lane & 63)
    mask = ~(ONE << bit)
    facts = play.slots.facts
    for i in range(facts):
        held = (rows[at(row), at(i >> 6)] >> np.uint64(i & 63)) & ONE
        play.buffer[at(i), at(group)] = (play.buffer[at(i), at(group)] & mask) | (held << bit)
    for i in range(facts, play.slots.states):
        play.buffer[i, group] &= mask
    play.buffer[play.slots.active, group] |= ONE << bit


@part
def _read_lane(play: PlayoutArrays, lane: int, rows: Words, row: int) -> None:
    """The state in one lane into a row."""
    group, bit = lane >> 6, np.uint64(lane & 63)
    for word in range(rows.shape[1]):
        rows[row, word] = ZERO
    for i in range(play.slots.facts):
        rows[row, i >> 6] |= ((play.buffer[i, group] >> bit) & ONE) << np.uint64(i & 63)


@part
def read_goals(play: PlayoutArrays, lane: int) -> None:
    """What each role gets in a lane whose game is over, as a share of 100, into `reward`."""
    group, bit = lane >> 6, np.uint64(lane & 63)
    first = play.slots.first_goal
    for role in range(len(play.reward)):
        play.reward[at(role)] = 0.0
    for i in range(play.slots.goals):
        if (play.buffer[first + i, group] >> bit) & ONE != ZERO:
            play.reward[play.counter_role[i]] += play.counter_value[i] / 100.0


@kernel
def sample_games(
    play: PlayoutArrays, start: Words, rows: Words, rewards: Floats, taken: Words, longest: int, stop: Ints
) -> int:
    """Random games from the row `start[0]`: of each a state, every step as likely as any other, and its rewards.

    How many there are, as many as `rows` [N, W] takes unless it is stopped. `taken` [lanes, W] are the states taken of
    the games under way. A game longer than `longest` is left out.
    """
    done_slot, states, state_out = play.slots.done, play.slots.states, play.slots.next_state
    draw = np.uint64(play.generator[0] | ONE)
    made = 0
    for lane in range(LANES):
        play.lane_node[lane] = 0  # steps
        load_lane(play, start, I0, lane)
    while made < rows.shape[0] and not stop[0]:
        random_slots(play.buffer, play.slots.first_random, play.slots.randoms, play.generator)
        run_code(play.words)
        # what is in the lanes now is where they were before this step, which ends games and makes the next states
        ended = 0
        for lane in range(LANES):
            is_done = (play.buffer[done_slot, lane >> 6] >> np.uint64(lane & 63)) & ONE != ZERO
            steps = play.lane_node[lane]
            play.lane_node[lane] += 1
            if is_done or steps > longest:
                if is_done and steps > 1 and made < rows.shape[0]:
                    read_goals(play, lane)
                    for word in range(rows.shape[1]):
                        rows[made, word] = taken[lane, word]
                    for role in range(len(play.reward)):
                        rewards[made, role] = play.reward[at(role)]
                    made += 1
                play.free[ended] = lane
                ended += 1
            elif steps > 0:
                draw ^= draw << np.uint64(13)
                draw ^= draw >> np.uint64(7)
                draw ^= draw << np.uint64(17)
                if (draw >> np.uint64(11)) % np.uint64(
                    steps
                ) == ZERO:  # the n-th state takes the place with 1 in n
                    _read_lane(play, lane, taken, lane)
        for i in range(states):
            for j in range(WORDS):
                play.buffer[i, j] = play.buffer[state_out + i, j]
        for i in range(ended):
            play.lane_node[play.free[i]] = 0
            load_lane(play, start, I0, play.free[i])
    return made
