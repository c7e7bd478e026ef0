"""Search with joint moves: a graph of states in which every role keeps its own statistics; see playouts/decoupled.py.

Rounds go down in lanes, as those of information-set search (sets.py): `observe` says what is legal, each role with a
choice makes a move by the node of the state, `advance` makes the step. No state is kept: to run a game's code once more
is much quicker than to wait for a row from memory. A lane that meets a new state goes over to the kernel `charge`.
"""

from __future__ import annotations

import numpy as np

from gamemaster.codegen.vector import WORDS
from gamemaster.search.native.kernels.compiling import aside, kernel, part
from gamemaster.search.native.kernels.intrinsics import ALL, I0, ONE, ZERO, at, lowest_one
from gamemaster.search.native.kernels.joint_nodes import add_joint, joint_place, state_key
from gamemaster.search.native.kernels.joint_records import (
    DEEPEST_STEP,
    WITHOUT_ROOM,
    JointArrays,
    JointStyle,
)
from gamemaster.search.native.kernels.playouts import draw, random_slots, read_goals
from gamemaster.search.native.kernels.records import Floats, Ints, PlayoutArrays, Words
from gamemaster.search.native.kernels.rows import count_set, next_one, run_code
from gamemaster.search.native.kernels.set_records import LONGEST_PATH, LaneArrays, SetGame
from gamemaster.search.native.kernels.sets import (
    IDLE,
    IN_TREE,
    LEAVING,
    UNIT,
    leave_trees,
    see_goals,
    turned,
)

__all__ = ["search_joint"]


# Choosing


@part
def _edges_end(tree: JointArrays, node: int, first: int) -> int:
    """Where the edges of a role end that begin there."""
    end, last = first + 1, np.int64(tree.nodes[at(node + 1)].first)
    while end < last and tree.edges[at(end)].role == tree.edges[at(first)].role:
        end += 1
    return end


@part
def _pick_alone(tree: JointArrays, style: JointStyle, node: int, first: int, end: int) -> int:
    """The edge with the greatest upper bound (UCB); rounds under way count as tries, but not as results."""
    best, best_score = first, -1e30
    log = np.log(max(2.0, float(tree.nodes[at(node)].visits)))
    for edge in range(first, end):
        tries = tree.edges[at(edge)].tries + tree.edges[at(edge)].flying
        score = 1e20 - tree.edges[at(edge)].flying
        if tries > 0:
            mean = tree.edges[at(edge)].mean if tree.edges[at(edge)].tries else 0.5
            score = mean + style.exploration * np.sqrt(log / tries)
        if score > best_score:
            best, best_score = edge, score
    return best


@part
def _pick_among(tree: JointArrays, first: int, end: int, generator: Words) -> int:
    """An edge as often as it is regretted (regret matching); any where none is."""
    total = 0.0
    for edge in range(first, end):
        total += tree.edges[at(edge)].regret
    if total <= 0.0:
        return first + draw(generator, end - first)
    mark = total * (draw(generator, UNIT) / UNIT)
    for edge in range(first, end):
        mark -= tree.edges[at(edge)].regret
        if mark < 0.0:
            return edge
    return end - 1


@part
def _choose(game: SetGame, tree: JointArrays, lanes: LaneArrays, style: JointStyle, lane: int) -> int:
    """Every role's move in a lane; how many roles have one. A lane that meets a new state leaves the tree."""
    moved, group, bit = 0, lane >> 6, ONE << np.uint64(lane & 63)
    node, edge = _node_of(game, tree, lanes, lane), I0
    if node >= 0:
        edge = np.int64(tree.nodes[at(node)].first)
    for role in range(game.roles):
        start, end = 1 + game.move_start[at(role)], 1 + game.move_start[at(role + 1)]
        found = next_one(lanes.seen, lane, start, end)
        if found == end:
            continue
        move = found - 1
        if next_one(lanes.seen, lane, found + 1, end) < end:
            if role == game.chance or node < 0:
                for _ in range(draw(lanes.generator, count_set(lanes.seen, lane, start, end))):
                    found = next_one(lanes.seen, lane, found + 1, end)
                move = found - 1
            else:
                last = _edges_end(tree, node, edge)
                move = _choose_edge(tree, lanes, style, lane, node, edge, last)
                edge = last
        game.advance_buffer[at(game.first_move + move), at(group)] |= bit
        if game.moved:
            game.advance_buffer[at(game.first_move + game.moves + role), at(group)] |= bit
        moved += 1
    if node >= 0:
        tree.nodes[at(node)].visits += 1
        choosers = np.int64(tree.nodes[at(node)].choosers)
        if choosers > 1:
            _regret_joint(tree, lanes, style, lane, lanes.length[at(lane)] - choosers, node, choosers)
    return moved


@part
def _node_of(game: SetGame, tree: JointArrays, lanes: LaneArrays, lane: int) -> int:
    """The node of the state in a lane, a new one if need be; -1 where nobody chooses, or there is no room."""
    choosers = 0
    for role in range(game.roles):
        start, end = 1 + game.move_start[at(role)], 1 + game.move_start[at(role + 1)]
        if role != game.chance and next_one(lanes.seen, lane, start, end) < end:
            found = next_one(lanes.seen, lane, start, end)
            choosers += next_one(lanes.seen, lane, found + 1, end) < end
    if choosers == 0:
        return -1
    if lanes.length[at(lane)] + choosers > LONGEST_PATH:
        lanes.state[at(lane)] = LEAVING
        return -1
    key = state_key(lanes.states, lane, game.facts)
    place = joint_place(tree, key)
    node = np.int64(tree.table[at(place)])
    if node < 0:
        lanes.state[at(lane)] = LEAVING
        node = add_joint(game, tree, place, key, lanes.seen, lane)
    return node


@part
def _choose_edge(
    tree: JointArrays, lanes: LaneArrays, style: JointStyle, lane: int, node: int, first: int, end: int
) -> int:
    """The move of a role whose edges these are; it is noted on the way of the lane."""
    strays = 0
    if tree.nodes[at(node)].choosers == 1:
        edge = _pick_alone(tree, style, node, first, end)
    elif draw(lanes.generator, UNIT) < style.stray * UNIT:
        edge, strays = first + draw(lanes.generator, end - first), 1
    else:
        edge = _pick_among(tree, first, end, lanes.generator)
    tree.edges[at(edge)].flying += 1
    length = lanes.length[at(lane)]
    lanes.edges[at(lane), at(length)] = edge
    lanes.nodes[at(lane), at(length)] = node
    lanes.strays[at(lane), at(length)] = strays
    lanes.length[at(lane)] = length + 1
    return np.int64(tree.edges[at(edge)].move)


@part
def _cell_of(tree: JointArrays, lanes: LaneArrays, lane: int, step: int, node: int, choosers: int) -> int:
    """The cell of a joint move on the way of a lane, among those of its node."""
    place, stride, first = 0, 1, np.int64(tree.nodes[at(node)].first)
    for each in range(step, step + choosers):
        end = _edges_end(tree, node, first)
        place += (lanes.edges[at(lane), at(each)] - first) * stride
        stride *= end - first
        first = end
    return place


@part
def _regret_joint(
    tree: JointArrays, lanes: LaneArrays, style: JointStyle, lane: int, step: int, node: int, choosers: int
) -> None:
    """What each role regrets beside what the others do, unless one of them strays.

    Whoever strays makes moves that it would not make: nobody shall play against those. What a joint move is worth is
    taken from the rounds before, not from this one; so the next lane chooses by what this one has learnt of the others,
    and a batch of lanes is no slower to mix than one after the other.
    """
    cells = np.int64(tree.nodes[at(node)].cells)
    place, strays = _cell_of(tree, lanes, lane, step, node, choosers), 0
    for each in range(step, step + choosers):
        strays += lanes.strays[at(lane), at(each)]
    rate = np.float32(2.0 / (tree.nodes[at(node)].visits + 1.0))
    stride, first = 1, np.int64(tree.nodes[at(node)].first)
    for each in range(step, step + choosers):
        end = _edges_end(tree, node, first)
        chosen = np.int64(lanes.edges[at(lane), at(each)])
        cell = cells + place - (chosen - first) * stride if cells >= 0 else np.int64(-1)
        if strays == lanes.strays[at(lane), at(each)]:
            _regret(tree, style, first, end, cell, stride, rate)
        stride *= end - first
        first = end


@part
def _regret(
    tree: JointArrays, style: JointStyle, first: int, end: int, cell: int, stride: int, rate: np.float32
) -> None:
    """What a role regrets of each move, and how likely it makes it in the mean.

    `cell`: that of its first move, beside what the others did; so many cells on is that of its next. Less than nothing
    is not kept (regret matching plus), and late choices count more.
    """
    total, expected = np.float32(0.0), np.float32(0.0)
    for edge in range(first, end):
        regret = tree.edges[at(edge)].regret
        total += regret
        expected += regret * _worth(tree, style, edge, cell, (edge - first) * stride)
    even = np.float32(1.0) / np.float32(end - first)
    if total <= 0.0:
        for edge in range(first, end):
            expected += even * _worth(tree, style, edge, cell, (edge - first) * stride)
    else:
        expected /= total
    for edge in range(first, end):
        regret = tree.edges[at(edge)].regret
        share = regret / total if total > 0.0 else even
        tree.edges[at(edge)].share += (share - tree.edges[at(edge)].share) * rate
        more = _worth(tree, style, edge, cell, (edge - first) * stride) - expected
        tree.edges[at(edge)].regret = max(np.float32(0.0), regret + more)


@part
def _worth(tree: JointArrays, style: JointStyle, edge: int, cell: int, beyond: int) -> np.float32:
    """What a move is worth beside what the others did: the mean of its cell, and a little of its own mean."""
    mean = tree.edges[at(edge)].mean if tree.edges[at(edge)].tries else np.float32(0.5)
    if cell < 0:
        return mean
    role, rounds = tree.edges[at(edge)].role, tree.cells[at(cell + beyond), at(tree.cells.shape[1] - 1)]
    trust = np.float32(style.trust)
    return (tree.cells[at(cell + beyond), at(role)] * rounds + trust * mean) / (rounds + trust)


# What came of a round


@aside
def _end_round(tree: JointArrays, lanes: LaneArrays, style: JointStyle, lane: int, reward: Floats) -> None:
    """Give every joint move on the way of a lane what came of it."""
    for role in range(len(reward)):
        reward[at(role)] = (reward[at(role)] - style.floor[at(role)]) * style.scale[at(role)]
    end, depth = lanes.length[at(lane)], 0
    while end > 0:
        node = np.int64(lanes.nodes[at(lane), at(end - 1)])
        choosers = np.int64(tree.nodes[at(node)].choosers)
        for each in range(end - choosers, end):
            _note_edge(tree, lanes.edges[at(lane), at(each)], reward)
        end -= choosers
        if tree.nodes[at(node)].cells >= 0:
            place = _cell_of(tree, lanes, lane, end, node, choosers)
            _note_cell(tree, tree.nodes[at(node)].cells + place, reward)
        depth += 1
    tree.counts[DEEPEST_STEP] = max(tree.counts[DEEPEST_STEP], depth)
    lanes.state[at(lane)] = IDLE


@part
def _note_edge(tree: JointArrays, edge: int, reward: Floats) -> None:
    """A move has brought its role so much."""
    got = np.float32(reward[at(tree.edges[at(edge)].role)])
    tree.edges[at(edge)].flying -= 1
    tree.edges[at(edge)].tries += 1
    tree.edges[at(edge)].mean += (got - tree.edges[at(edge)].mean) / np.float32(tree.edges[at(edge)].tries)


@part
def _note_cell(tree: JointArrays, cell: int, reward: Floats) -> None:
    """A joint move has brought everybody so much; late rounds count more, as play gets better after it."""
    roles = len(reward)
    rounds = tree.cells[at(cell), at(roles)] + np.float32(1.0)
    tree.cells[at(cell), at(roles)] = rounds
    rate = np.float32(2.0) / (rounds + np.float32(1.0))
    for role in range(roles):
        got = np.float32(reward[at(role)])
        tree.cells[at(cell), at(role)] += (got - tree.cells[at(cell), at(role)]) * rate


@part
def _take_back(tree: JointArrays, lanes: LaneArrays, lane: int) -> None:
    """Forget a round of which nothing came."""
    step = 0
    while step < lanes.length[at(lane)]:
        node = np.int64(lanes.nodes[at(lane), at(step)])
        tree.nodes[at(node)].visits -= 1
        for each in range(step, step + tree.nodes[at(node)].choosers):
            tree.edges[at(lanes.edges[at(lane), at(each)])].flying -= 1
        step += tree.nodes[at(node)].choosers
    lanes.state[at(lane)] = IDLE


# Rounds


@part
def _load_root(game: SetGame, lanes: LaneArrays, root: Words, most: int) -> None:
    """The state of a row [1, W] into all lanes, of which so many begin a round."""
    for slot in range(game.facts):
        held = ZERO - ((root[at(0), at(slot >> 6)] >> np.uint64(slot & 63)) & ONE)
        for group in range(WORDS):
            game.observe_buffer[at(slot), at(group)] = held & ALL
    for lane in range(most):
        lanes.length[at(lane)] = 0
        lanes.state[at(lane)] = IN_TREE


@aside
def _tree_step(
    game: SetGame, play: PlayoutArrays, tree: JointArrays, lanes: LaneArrays, style: JointStyle, most: int
) -> int:
    """One step of all lanes that are in the tree; how many still are."""
    run_code(game.observe_words)
    turned(game, game.observe_buffer, game.observe_first, game.observe_count, lanes.seen, most)
    turned(game, game.observe_buffer, I0, game.facts, lanes.states, most)
    for slot in range(game.first_move, game.advance_first):
        for group in range(WORDS):
            game.advance_buffer[at(slot), at(group)] = ZERO
    going = 0
    for lane in range(most):
        if lanes.state[at(lane)] != IN_TREE:
            continue
        is_over = lanes.seen[at(lane), at(0)] & ONE != ZERO
        if is_over or _choose(game, tree, lanes, style, lane) == 0:
            see_goals(game, lanes, lane, play.reward)
            _end_round(tree, lanes, style, lane, play.reward)
        else:
            going += 1
    if going == 0:
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
    for lane in range(most):
        going -= lanes.state[at(lane)] == LEAVING
    leave_trees(game, play, lanes, most)
    return going


@aside
def _play_step(play: PlayoutArrays, tree: JointArrays, lanes: LaneArrays, style: JointStyle) -> bool:
    """One step of all lanes that play at random; whether one still does."""
    active, state_out = play.slots.active, play.slots.next_state
    random_slots(play.buffer, play.slots.first_random, play.slots.randoms, play.generator)
    run_code(play.words)
    left = ZERO
    for group in range(WORDS):
        done = play.buffer[at(play.slots.done), at(group)] & play.buffer[at(active), at(group)]
        play.buffer[at(active), at(group)] &= ~done
        left |= play.buffer[at(active), at(group)]
        while done != ZERO:
            lane = (group << 6) + lowest_one(done)
            done &= done - ONE
            read_goals(play, lane)
            _end_round(tree, lanes, style, lane, play.reward)
    for slot in range(play.slots.states):
        for group in range(WORDS):
            play.buffer[at(slot), at(group)] = play.buffer[at(state_out + slot), at(group)]
    return left != ZERO


@kernel
def search_joint(
    game: SetGame,
    play: PlayoutArrays,
    tree: JointArrays,
    lanes: LaneArrays,
    style: JointStyle,
    root: Words,
    most_rounds: int,
    stop: Ints,
) -> int:
    """Rounds from the state of a row [1, W] until stopped, or until there is no room; how many were made.

    At most `style.lanes` at a time, and while there were few rounds only some: each is chosen without knowing of the
    others of its batch.
    """
    rounds = I0
    for group in range(WORDS):
        play.buffer[at(play.slots.active), at(group)] = ZERO
    while rounds < most_rounds and not stop[0] and not tree.counts[WITHOUT_ROOM]:
        ready = style.first_lanes + rounds // style.rounds_a_lane
        most: int = min(style.lanes, min(most_rounds - rounds, ready))
        _load_root(game, lanes, root, most)
        while _tree_step(game, play, tree, lanes, style, most) > 0 and not stop[0]:
            pass
        goes_on = not stop[0]
        while goes_on and _play_step(play, tree, lanes, style):
            goes_on = not stop[0]
        for lane in range(most):
            if lanes.state[at(lane)] != IDLE:
                _take_back(tree, lanes, lane)
            else:
                rounds += 1
        for group in range(WORDS):
            play.buffer[at(play.slots.active), at(group)] = ZERO
    return rounds
