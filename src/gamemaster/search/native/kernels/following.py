"""Particles a step on, and whole histories played again: in lanes, joint moves or histories side by side.

See ../../hidden/lane_steps.py. What a role sees is compared slot by slot, for all lanes at once; so every joint move of
a state is tried in a run or two of the game's code, and only those that fit become rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from gamemaster.codegen.vector import LANES, WORDS
from gamemaster.search.native.kernels.compiling import aside, kernel, part
from gamemaster.search.native.kernels.intrinsics import ALL, I0, ONE, ZERO, at, lowest_one
from gamemaster.search.native.kernels.playouts import draw
from gamemaster.search.native.kernels.records import Ints, Words
from gamemaster.search.native.kernels.rows import fill, next_one, range_mask, run_code
from gamemaster.search.native.kernels.set_records import Fits, LaneArrays, SetGame, Sought
from gamemaster.search.native.kernels.sets import note_seen, turned

__all__ = ["fitting_steps", "play_again"]

Halves = npt.NDArray[np.int32]


@part
def _load_lane(game: SetGame, rows: Words, row: int, lane: int) -> None:
    """A state into one lane of `observe`, which was empty."""
    group, bit = lane >> 6, ONE << np.uint64(lane & 63)
    for word in range(rows.shape[1]):
        bits = rows[at(row), at(word)]
        while bits != ZERO:
            game.observe_buffer[at((word << 6) + lowest_one(bits)), at(group)] |= bit
            bits &= bits - ONE


@part
def _clear(buffer: Words, first: int, end: int) -> None:
    for slot in range(first, end):
        for group in range(WORDS):
            buffer[at(slot), at(group)] = ZERO


@aside
def _list_moves(
    game: SetGame, lanes: LaneArrays, sought: Sought, lane: int, legal: Halves, counts: Ints
) -> float:
    """The legal moves of each role in a lane, its own move alone for who seeks; how many joint moves that makes."""
    total, moving = 1.0, 0
    for role in range(game.roles):
        start, end = 1 + game.move_start[at(role)], 1 + game.move_start[at(role + 1)]
        found, count = next_one(lanes.seen, lane, start, end), 0
        moving += found < end
        if role == sought.role and sought.own >= 0 and found < end:
            word = lanes.seen[at(lane), at((1 + sought.own) >> 6)]
            if (word >> np.uint64((1 + sought.own) & 63)) & ONE == ZERO:
                return 0.0
            legal[at(role), at(0)] = sought.own
            count = 1
        else:
            while found < end:
                legal[at(role), at(count)] = found - 1
                count += 1
                found = next_one(lanes.seen, lane, found + 1, end)
        counts[at(role)] = count
        total *= max(1, count)
    return total if moving and lanes.seen[at(lane), at(0)] & ONE == ZERO else 0.0


@aside
def _make_joint(game: SetGame, numbers: Ints, first: int, end: int, legal: Halves, counts: Ints) -> None:
    """The joint moves of some numbers, one a lane, into `advance`, and run it."""
    _clear(game.advance_buffer, game.first_move, game.advance_first)
    for role in range(game.roles):
        if counts[at(role)] == 1:
            fill(game.advance_buffer, game.first_move + legal[at(role), at(0)], ALL, WORDS)
        if counts[at(role)] and game.moved:
            fill(game.advance_buffer, game.first_move + game.moves + role, ALL, WORDS)
    for place in range(first, end):
        number, lane = numbers[at(place)], place - first
        group, bit = lane >> 6, ONE << np.uint64(lane & 63)
        for role in range(game.roles):
            count = counts[at(role)]
            if count > 1:
                move = legal[at(role), at(number % count)]
                game.advance_buffer[at(game.first_move + move), at(group)] |= bit
                number //= count
    run_code(game.advance_words)


@aside
def _seek(game: SetGame, sought: Sought, count: int, masks: Words) -> None:
    """In which of so many lanes the role has seen just what it saw."""
    first = game.advance_first + game.facts
    for group in range(WORDS):
        mask = range_mask(group, 0, count)
        for slot in range(game.percept_start[at(sought.role)], game.percept_start[at(sought.role + 1)]):
            held = game.advance_buffer[at(first + slot), at(group)]
            wanted = (sought.wanted[at(slot >> 6)] >> np.uint64(slot & 63)) & ONE
            mask &= held if wanted != ZERO else ~held
        masks[at(group)] = mask


@aside
def _note_fit(
    game: SetGame, lanes: LaneArrays, fits: Fits, place: int, lane: int, known: Words, source: int
) -> None:
    """What a lane of `advance` has become: its row, and what the roles know."""
    group, bit = lane >> 6, np.uint64(lane & 63)
    for word in range(fits.rows.shape[1]):
        fits.rows[at(place), at(word)] = ZERO
    for slot in range(game.facts):
        held = (game.advance_buffer[at(game.advance_first + slot), at(group)] >> bit) & ONE
        fits.rows[at(place), at(slot >> 6)] |= held << np.uint64(slot & 63)
    first = game.advance_first + game.facts
    for word in range(lanes.percepts.shape[1]):
        lanes.percepts[at(0), at(word)] = ZERO
    for slot in range(game.percept_start[at(game.roles)]):
        held = (game.advance_buffer[at(first + slot), at(group)] >> bit) & ONE
        lanes.percepts[at(0), at(slot >> 6)] |= held << np.uint64(slot & 63)
    for role in range(game.roles):
        lanes.known[at(0), at(role)] = known[at(source), at(role)]
        lanes.made[at(0), at(role)] = fits.made[at(place), at(role)]
    note_seen(game, lanes, I0)
    for role in range(game.roles):
        fits.known[at(place), at(role)] = lanes.known[at(0), at(role)]


@kernel
def fitting_steps(
    game: SetGame,
    lanes: LaneArrays,
    sought: Sought,
    rows: Words,
    known: Words,
    legal: Halves,
    numbers: Ints,
    per: int,
    fits: Fits,
    stop: Ints,
) -> Any:
    """The steps from states that fit what was seen: how many, and whether all joint moves of all states are among them.

    Of a state at most `per` of those that fit are told, drawn at random; each then counts for `scale` of them. Of one
    with more joint moves than `numbers` holds, so many are drawn and tried.
    """
    found, is_complete = 0, True
    counts, masks = lanes.counts, lanes.masks
    for begin in range(0, rows.shape[0], LANES):
        some = min(LANES, rows.shape[0] - begin)
        _clear(game.observe_buffer, I0, game.facts)
        for lane in range(some):
            _load_lane(game, rows, begin + lane, lane)
        run_code(game.observe_words)
        turned(game, game.observe_buffer, game.observe_first, game.observe_count, lanes.seen, some)
        for lane in range(some):
            if stop[0] and found:
                return found, False
            total = _list_moves(game, lanes, sought, lane, legal, counts)
            if total == 0.0:
                continue
            tried = min(np.int64(total) if total < 1e15 else numbers.shape[0], numbers.shape[0])
            is_complete &= tried >= total
            source = begin + lane
            for slot in range(game.facts):
                held = (rows[at(source), at(slot >> 6)] >> np.uint64(slot & 63)) & ONE
                fill(game.advance_buffer, slot, ZERO - held, WORDS)
            fitting = 0
            for base in range(0, tried, LANES):
                end = min(tried, base + LANES)
                for place in range(base, end):
                    # those that fit come to the front, which overtakes nothing that is still to be tried
                    numbers[at(place)] = place if tried >= total else _any_number(lanes.generator, total)
                _make_joint(game, numbers, base, end, legal, counts)
                _seek(game, sought, end - base, masks)
                for group in range(WORDS):
                    mask = masks[at(group)]
                    while mask != ZERO:
                        numbers[at(fitting)] = numbers[at(base + (group << 6) + lowest_one(mask))]
                        fitting += 1
                        mask &= mask - ONE
            told = min(fitting, per)
            is_complete &= told == fitting
            for place in range(told if told < fitting else 0):
                other = place + draw(lanes.generator, fitting - place)
                numbers[at(place)], numbers[at(other)] = numbers[at(other)], numbers[at(place)]
            for base in range(0, told, LANES):
                end = min(told, base + LANES)
                _make_joint(game, numbers, base, end, legal, counts)
                for place in range(base, end):
                    number = numbers[at(place)]
                    for role in range(game.roles):
                        count = counts[at(role)]
                        fits.made[at(found), at(role)] = -1
                        if count:
                            fits.made[at(found), at(role)] = legal[at(role), at(number % count)]
                            number //= count
                    fits.source[at(found)] = source
                    fits.scale[at(found)] = fitting / told / tried
                    fits.logs[at(found)] = -np.log(total)
                    _note_fit(game, lanes, fits, found, place - base, known, source)
                    found += 1
    return found, is_complete


@part
def _any_number(generator: Words, total: float) -> int:
    """One of so many numbers, of which there may be more than fit into a word."""
    high, low = draw(generator, 1 << 30), draw(generator, 1 << 30)
    share = (high + low / (1 << 30)) / (1 << 30)
    return np.int64(min(total, 9e15) * share)


@kernel
def play_again(
    game: SetGame,
    lanes: LaneArrays,
    role: int,
    start: Words,
    made: Halves,
    wanted: Words,
    fits: Fits,
    stop: Ints,
) -> int:
    """Of histories int32[N, steps, roles], those that are legal and in which the role sees what it saw; how many.

    `wanted` [steps, W] is what it saw. Where each ends is told in `fits`; `source` says which it is.
    """
    found, steps = 0, made.shape[1]
    for begin in range(0, made.shape[0], LANES):
        some = min(LANES, made.shape[0] - begin)
        for slot in range(game.facts):
            held = (start[at(0), at(slot >> 6)] >> np.uint64(slot & 63)) & ONE
            fill(game.observe_buffer, slot, ZERO - held, WORDS)
        for lane in range(some):
            lanes.state[at(lane)] = 1
            lanes.logs[at(lane)] = 0.0
            for each in range(game.roles):
                lanes.known[at(lane), at(each)] = ZERO
        left = some
        for step in range(steps):
            left = _again_step(game, lanes, role, made, begin, some, step, wanted)
            if stop[0]:
                return found
            if left == 0:
                break
        for lane in range(some if left else 0):
            if not lanes.state[at(lane)]:
                continue
            group, bit = lane >> 6, np.uint64(lane & 63)
            for word in range(fits.rows.shape[1]):
                fits.rows[at(found), at(word)] = ZERO
            for slot in range(game.facts):
                held = (game.observe_buffer[at(slot), at(group)] >> bit) & ONE
                fits.rows[at(found), at(slot >> 6)] |= held << np.uint64(slot & 63)
            for each in range(game.roles):
                fits.known[at(found), at(each)] = lanes.known[at(lane), at(each)]
            fits.source[at(found)] = begin + lane
            fits.logs[at(found)] = lanes.logs[at(lane)]
            found += 1
    return found


@aside
def _again_step(
    game: SetGame, lanes: LaneArrays, role: int, made: Halves, begin: int, some: int, step: int, wanted: Words
) -> int:
    """One step of histories; how many of them still fit."""
    run_code(game.observe_words)
    turned(game, game.observe_buffer, game.observe_first, game.observe_count, lanes.seen, some)
    _clear(game.advance_buffer, game.first_move, game.advance_first)
    for lane in range(some):
        if not lanes.state[at(lane)]:
            continue
        if lanes.seen[at(lane), at(0)] & ONE != ZERO:
            lanes.state[at(lane)] = 0
            continue
        group, bit = lane >> 6, ONE << np.uint64(lane & 63)
        for each in range(game.roles):
            move = made[at(begin + lane), at(step), at(each)]
            first, end = 1 + game.move_start[at(each)], 1 + game.move_start[at(each + 1)]
            is_legal = next_one(lanes.seen, lane, 1 + move, 2 + move) == 1 + move
            if move < 0:
                is_legal = next_one(lanes.seen, lane, first, end) == end
            if not is_legal:
                lanes.state[at(lane)] = 0
                break
            lanes.made[at(lane), at(each)] = move
            if move >= 0:
                game.advance_buffer[at(game.first_move + move), at(group)] |= bit
                if game.moved:
                    game.advance_buffer[at(game.first_move + game.moves + each), at(group)] |= bit
                if each != role:
                    lanes.logs[at(lane)] -= np.log(float(_count_moves(lanes, lane, first, end)))
    for slot in range(game.facts):
        for group in range(WORDS):
            game.advance_buffer[at(slot), at(group)] = game.observe_buffer[at(slot), at(group)]
    run_code(game.advance_words)
    for slot in range(game.facts):
        for group in range(WORDS):
            game.observe_buffer[at(slot), at(group)] = game.advance_buffer[
                at(game.advance_first + slot), at(group)
            ]
    percepts = game.percept_start[at(game.roles)]
    turned(game, game.advance_buffer, game.advance_first + game.facts, percepts, lanes.percepts, some)
    left = 0
    for lane in range(some):
        if lanes.state[at(lane)] and _is_wanted(game, lanes, role, lane, step, wanted):
            note_seen(game, lanes, lane)
            left += 1
        else:
            lanes.state[at(lane)] = 0
    return left


@part
def _count_moves(lanes: LaneArrays, lane: int, first: int, end: int) -> int:
    count, found = 0, next_one(lanes.seen, lane, first, end)
    while found < end:
        count += 1
        found = next_one(lanes.seen, lane, found + 1, end)
    return count


@part
def _is_wanted(game: SetGame, lanes: LaneArrays, role: int, lane: int, step: int, wanted: Words) -> bool:
    """Whether the role sees in a lane what it saw in a step."""
    first, end = game.percept_start[at(role)], game.percept_start[at(role + 1)]
    for word in range(lanes.percepts.shape[1]):
        differing = lanes.percepts[at(lane), at(word)] ^ wanted[at(step), at(word)]
        if differing & range_mask(word, first, end) != ZERO:
            return False
    return True
