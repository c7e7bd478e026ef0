"""Information-set search: trees of what roles know, whose rounds go down in lanes; see ../../hidden/lane_trees.py.

All rounds of a batch make their steps together: `observe` says what is legal, each role with a choice takes a move of
its own node, `advance` makes the step and says what is seen. A lane that has met a new node goes over to the kernel
`charge`, where its game is played out at random.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gamemaster.codegen.vector import WORDS
from gamemaster.search.native.kernels.compiling import aside, kernel, part
from gamemaster.search.native.kernels.intrinsics import I0, ONE, ZERO, at, column, gather, lowest_one
from gamemaster.search.native.kernels.playouts import draw, random_slots, read_goals
from gamemaster.search.native.kernels.records import Floats, Ints, PlayoutArrays, Words
from gamemaster.search.native.kernels.rows import count_set, next_one, run_code
from gamemaster.search.native.kernels.set_nodes import add_node, place_of
from gamemaster.search.native.kernels.set_records import (
    BATCHES,
    DEEPEST_ROUND,
    ENDED,
    LONGEST_PATH,
    PLAYED,
    LaneArrays,
    SetGame,
    SetStyle,
    SetTrees,
)

__all__ = [
    "IDLE",
    "IN_TREE",
    "LEAVING",
    "PLAYING",
    "UNIT",
    "leave_trees",
    "mixed",
    "note_seen",
    "search_sets",
    "see_goals",
    "turned",
]

UNIT = 1 << 30
"""A number below this, drawn at random, is a share of it."""

MIX = (
    np.uint64(0xBF58476D1CE4E5B9),
    np.uint64(0x94D049BB133111EB),
    np.uint64(30),
    np.uint64(27),
    np.uint64(31),
)


@part
def mixed(word: np.uint64) -> Any:
    """A word that looks random, of which each stands for one before (splitmix64)."""
    word = (word ^ (word >> MIX[2])) * MIX[0]
    word = (word ^ (word >> MIX[3])) * MIX[1]
    return word ^ (word >> MIX[4])


# Choosing


@part
def _pick(trees: SetTrees, style: SetStyle, node: int, generator: Words) -> int:
    """The edge that is tried next; among those never tried, any."""
    first, end = trees.first[at(node)], trees.first[at(node + 1)]
    untried = 0
    for edge in range(first, end):
        untried += trees.tries[at(edge)] + trees.flying[at(edge)] == 0
    if untried:
        place = draw(generator, untried)
        for edge in range(first, end):
            if trees.tries[at(edge)] + trees.flying[at(edge)] == 0:
                if place == 0:
                    return edge
                place -= 1
    visits = trees.visits[at(node)]
    if style.is_mixing and trees.sums[1] == 0.0:
        look = max(style.least_eta, style.first_eta / (1.0 + style.slowing * np.sqrt(visits)))
        if draw(generator, UNIT) >= look * UNIT:
            return _drawn(trees, first, end, generator)
    return _best(trees, style, visits, first, end)


@part
def _drawn(trees: SetTrees, first: int, end: int, generator: Words) -> int:
    """An edge as often as it was tried."""
    total = 0
    for edge in range(first, end):
        total += trees.tries[at(edge)] + trees.flying[at(edge)]
    mark = draw(generator, total)
    for edge in range(first, end):
        mark -= trees.tries[at(edge)] + trees.flying[at(edge)]
        if mark < 0:
            return edge
    return end - 1


@part
def _best(trees: SetTrees, style: SetStyle, visits: int, first: int, end: int) -> int:
    """The edge with the greatest upper bound: means of rounds that have ended, breadth by all."""
    best, best_score = first, -1e30
    log = np.log(max(2.0, float(visits)))
    for edge in range(first, end):
        tried = float(trees.tries[at(edge)])
        mean = trees.totals[at(edge)] / tried if tried else 0.5
        score = mean + style.exploration * np.sqrt(log / (tried + trees.flying[at(edge)]))
        if score > best_score:
            best, best_score = edge, score
    return best


# Rounds


@part
def _load_roots(
    game: SetGame, lanes: LaneArrays, roots: Words, known: Words, reached: Floats, most: int
) -> None:
    """Draw a state for each of so many lanes, as likely as it is, and put it there."""
    for slot in range(game.facts):
        for group in range(WORDS):
            game.observe_buffer[at(slot), at(group)] = ZERO
    total = reached[reached.shape[0] - 1]
    for lane in range(most):
        mark = total * (draw(lanes.generator, UNIT) / UNIT)
        low, high = 0, reached.shape[0] - 1
        while low < high:
            middle = (low + high) >> 1
            if reached[at(middle)] > mark:
                high = middle
            else:
                low = middle + 1
        group, bit = lane >> 6, ONE << np.uint64(lane & 63)
        for word in range(roots.shape[1]):
            bits = roots[at(low), at(word)]
            while bits != ZERO:
                game.observe_buffer[at((word << 6) + lowest_one(bits)), at(group)] |= bit
                bits &= bits - ONE
        for role in range(game.roles):
            lanes.known[at(lane), at(role)] = known[at(low), at(role)]
        lanes.length[at(lane)] = 0
        lanes.state[at(lane)] = IN_TREE


IDLE, IN_TREE, LEAVING, PLAYING = range(4)
"""What a lane is at."""


@part
def turned(game: SetGame, buffer: Words, first: int, count: int, rows: Words, most: int) -> None:
    """Slots of a buffer, as rows of lanes; they are copied before, to be followed by empty ones."""
    words = (count + 63) >> 6
    for slot in range(count):
        for group in range(WORDS):
            game.scratch[at(slot), at(group)] = buffer[at(first + slot), at(group)]
    for word in range(words):
        for start in range(0, most, 16):
            gather(game.scratch, word << 6, start, game.block)
            for lane in range(16):
                rows[at(start + lane), at(word)] = column(game.block, np.uint16(15 - lane))


@part
def _end_round(trees: SetTrees, lanes: LaneArrays, style: SetStyle, lane: int, reward: Floats) -> None:
    """Give every move on the way of a lane what came of it."""
    for step in range(lanes.length[at(lane)]):
        edge, node = lanes.edges[at(lane), at(step)], lanes.nodes[at(lane), at(step)]
        role = lanes.movers[at(lane), at(step)]
        trees.flying[at(edge)] -= 1
        trees.tries[at(edge)] += 1
        trees.visits[at(node)] += 1
        trees.totals[at(edge)] += (reward[at(role)] - style.floor[at(role)]) * style.scale[at(role)]
    trees.counts[DEEPEST_ROUND] = max(trees.counts[DEEPEST_ROUND], lanes.length[at(lane)])
    total = 0.0
    for role in range(len(reward)):
        total += reward[at(role)] * style.counts[at(role)]
    if trees.sums[0] < 0.0:
        trees.sums[0] = total
    elif abs(trees.sums[0] - total) > 1e-6:
        trees.sums[1] = 1.0
    lanes.state[at(lane)] = IDLE


@part
def _take_back(trees: SetTrees, lanes: LaneArrays, lane: int) -> None:
    """Forget a round of which nothing came."""
    for step in range(lanes.length[at(lane)]):
        trees.flying[at(lanes.edges[at(lane), at(step)])] -= 1
    lanes.state[at(lane)] = IDLE


@part
def _choose(game: SetGame, trees: SetTrees, lanes: LaneArrays, style: SetStyle, lane: int) -> int:
    """Every role's move in a lane; how many roles have one. A lane that meets a new node leaves the trees."""
    moved, group, bit = 0, lane >> 6, ONE << np.uint64(lane & 63)
    for role in range(game.roles):
        lanes.made[at(lane), at(role)] = -1
        start, end = 1 + game.move_start[at(role)], 1 + game.move_start[at(role + 1)]
        found = next_one(lanes.seen, lane, start, end)
        if found == end:
            continue
        move = found - 1
        if next_one(lanes.seen, lane, found + 1, end) < end:
            if role == game.chance:
                skipped = draw(lanes.generator, count_set(lanes.seen, lane, start, end))
                for _ in range(skipped):
                    found = next_one(lanes.seen, lane, found + 1, end)
                move = found - 1
            else:
                move = _choose_in_node(game, trees, lanes, style, lane, role, start, end)
        lanes.made[at(lane), at(role)] = move
        game.advance_buffer[at(game.first_move + move), at(group)] |= bit
        if game.moved:
            game.advance_buffer[at(game.first_move + game.moves + role), at(group)] |= bit
        moved += 1
    return moved


@part
def _choose_in_node(
    game: SetGame,
    trees: SetTrees,
    lanes: LaneArrays,
    style: SetStyle,
    lane: int,
    role: int,
    start: int,
    end: int,
) -> int:
    """The move of a role with a choice, by its node; any where the trees are full."""
    word = lanes.known[at(lane), at(role)]
    found = next_one(lanes.seen, lane, start, end)
    while found < end:
        word += game.legal_marks[at(found - 1)]
        found = next_one(lanes.seen, lane, found + 1, end)
    key = mixed(word)
    place = place_of(trees, key)
    node = np.int64(trees.table[at(place)])
    if node < 0:
        lanes.state[at(lane)] = LEAVING
        node = add_node(trees, place, key, lanes.seen, lane, start, end)
    length = lanes.length[at(lane)]
    if node < 0 or length == LONGEST_PATH:
        lanes.state[at(lane)] = LEAVING
        found = next_one(lanes.seen, lane, start, end)
        for _ in range(draw(lanes.generator, count_set(lanes.seen, lane, start, end))):
            found = next_one(lanes.seen, lane, found + 1, end)
        return found - 1
    edge = _pick(trees, style, node, lanes.generator)
    trees.flying[at(edge)] += 1
    lanes.edges[at(lane), at(length)] = edge
    lanes.nodes[at(lane), at(length)] = node
    lanes.movers[at(lane), at(length)] = role
    lanes.length[at(lane)] = length + 1
    return np.int64(trees.moves[at(edge)])


@part
def note_seen(game: SetGame, lanes: LaneArrays, lane: int) -> None:
    """What the roles know after the step of a lane."""
    everything = ZERO
    for role in range(game.roles):
        made = lanes.made[at(lane), at(role)]
        if made >= 0:
            everything += game.move_marks[at(made)]
    for role in range(game.roles):
        before = lanes.known[at(lane), at(role)]
        word = before if game.in_order else ZERO
        made = lanes.made[at(lane), at(role)]
        if game.has_percepts:
            if made >= 0:
                word += game.move_marks[at(made)]
            end = game.percept_start[at(role + 1)]
            found = next_one(lanes.percepts, lane, game.percept_start[at(role)], end)
            while found < end:
                word += game.percept_marks[at(found)]
                found = next_one(lanes.percepts, lane, found + 1, end)
        else:
            word += everything
        if game.in_order:
            lanes.known[at(lane), at(role)] = mixed(word)
        elif made >= 0 and game.is_choice[at(made)]:
            lanes.known[at(lane), at(role)] = (before + (mixed(word) & ~ONE)) | ONE
        else:
            word += (before & ONE) * MIX[0]
            lanes.known[at(lane), at(role)] = before + (mixed(word) & ~ONE)


@aside
def see_goals(game: SetGame, lanes: LaneArrays, lane: int, reward: Floats) -> None:
    """What each role gets where a lane's game is over: its first goal, nothing at a dead end."""
    is_over = lanes.seen[at(lane), at(0)] & ONE != ZERO
    first = 1 + game.moves
    for role in range(game.roles):
        reward[at(role)] = 0.0
        end = first + game.goal_start[at(role + 1)]
        found = next_one(lanes.seen, lane, first + game.goal_start[at(role)], end)
        if is_over and found < end:
            reward[at(role)] = game.goal_value[at(found - first)] / 100.0


@aside
def _tree_step(
    game: SetGame, play: PlayoutArrays, trees: SetTrees, lanes: LaneArrays, style: SetStyle, most: int
) -> int:
    """One step of all lanes that are in the trees; how many still are."""
    run_code(game.observe_words)
    turned(game, game.observe_buffer, game.observe_first, game.observe_count, lanes.seen, most)
    for slot in range(game.first_move, game.advance_first):
        for group in range(WORDS):
            game.advance_buffer[at(slot), at(group)] = ZERO
    left = 0
    for lane in range(most):
        if lanes.state[at(lane)] != IN_TREE:
            continue
        is_over = lanes.seen[at(lane), at(0)] & ONE != ZERO
        if is_over or _choose(game, trees, lanes, style, lane) == 0:
            see_goals(game, lanes, lane, play.reward)
            _end_round(trees, lanes, style, lane, play.reward)
            trees.counts[ENDED] += 1
        else:
            left += 1
    if left == 0:
        return 0
    for slot in range(game.facts):
        for group in range(WORDS):
            game.advance_buffer[at(slot), at(group)] = game.observe_buffer[at(slot), at(group)]
    run_code(game.advance_words)
    for slot in range(game.facts):
        for group in range(WORDS):
            game.observe_buffer[at(slot), at(group)] = game.advance_buffer[
                at(game.advance_first + slot), at(group)
            ]
    turned(
        game,
        game.advance_buffer,
        game.advance_first + game.facts,
        game.percept_start[at(game.roles)],
        lanes.percepts,
        most,
    )
    for lane in range(most):
        if lanes.state[at(lane)] == IN_TREE:
            note_seen(game, lanes, lane)
        elif lanes.state[at(lane)] == LEAVING:
            left -= 1
    leave_trees(game, play, lanes, most)
    return left


@part
def leave_trees(game: SetGame, play: PlayoutArrays, lanes: LaneArrays, most: int) -> None:
    """Put lanes that leave the trees into the kernel `charge`."""
    for group in range((most + 63) >> 6):
        mask = ZERO
        for lane in range(group << 6, min(most, (group + 1) << 6)):
            if lanes.state[at(lane)] == LEAVING:
                mask |= ONE << np.uint64(lane & 63)
                lanes.state[at(lane)] = PLAYING
        if mask == ZERO:
            continue
        for slot in range(play.slots.states):
            held = play.buffer[at(slot), at(group)] & ~mask
            if slot < game.facts:
                held |= game.observe_buffer[at(slot), at(group)] & mask
            play.buffer[at(slot), at(group)] = held
        play.buffer[at(play.slots.active), at(group)] |= mask


@aside
def _play_step(play: PlayoutArrays, trees: SetTrees, lanes: LaneArrays, style: SetStyle) -> bool:
    """One step of all lanes that play at random; whether one still does."""
    active, done_slot = play.slots.active, play.slots.done
    state_out = play.slots.next_state
    random_slots(play.buffer, play.slots.first_random, play.slots.randoms, play.generator)
    run_code(play.words)
    left = ZERO
    for group in range(WORDS):
        done = play.buffer[at(done_slot), at(group)] & play.buffer[at(active), at(group)]
        play.buffer[at(active), at(group)] &= ~done
        left |= play.buffer[at(active), at(group)]
        while done != ZERO:
            lane = (group << 6) + lowest_one(done)
            done &= done - ONE
            read_goals(play, lane)
            _end_round(trees, lanes, style, lane, play.reward)
            trees.counts[PLAYED] += 1
    for slot in range(play.slots.states):
        for group in range(WORDS):
            play.buffer[at(slot), at(group)] = play.buffer[at(state_out + slot), at(group)]
    return left != ZERO


@kernel
def search_sets(
    game: SetGame,
    play: PlayoutArrays,
    trees: SetTrees,
    lanes: LaneArrays,
    style: SetStyle,
    roots: Words,
    known: Words,
    reached: Floats,
    most_rounds: int,
    stop: Ints,
) -> int:
    """Rounds from states [N] drawn by their weights, which `reached` adds up, until stopped; how many were made.

    At most `style.lanes` at a time, and while there were few rounds only some: each is chosen without knowing of the
    others of its batch.
    """
    rounds = I0
    for group in range(WORDS):
        play.buffer[at(play.slots.active), at(group)] = ZERO
    while rounds < most_rounds and not stop[0]:
        ready = style.first_lanes + rounds // style.rounds_a_lane
        most: int = min(style.lanes, min(most_rounds - rounds, ready))
        _load_roots(game, lanes, roots, known, reached, most)
        while _tree_step(game, play, trees, lanes, style, most) > 0 and not stop[0]:
            pass
        goes_on = not stop[0]
        while goes_on and _play_step(play, trees, lanes, style):
            goes_on = not stop[0]
        for lane in range(most):
            if lanes.state[at(lane)] != IDLE:
                _take_back(trees, lanes, lane)
            else:
                rounds += 1
        for group in range(WORDS):
            play.buffer[at(play.slots.active), at(group)] = ZERO
        trees.counts[BATCHES] += 1
    return rounds
