"""Monte Carlo tree search: a tree of rows whose leaves are played out in lanes; see ../mcts.py."""

from __future__ import annotations

from typing import Any

import numpy as np

from gamemaster.codegen.vector import LANES, WORDS
from gamemaster.search.native.kernels.compiling import aside, kernel, part
from gamemaster.search.native.kernels.intrinsics import (
    I1,
    ONE,
    ZERO,
    at,
    bits_of,
    lowest_one,
)
from gamemaster.search.native.kernels.nodes import HALF, LEAST, NONE, WHOLE, expand_node, is_proven, kind_of
from gamemaster.search.native.kernels.playouts import draw, free_lanes, load_lane, random_slots, read_goals
from gamemaster.search.native.kernels.records import (
    DEEPEST,
    ENDS,
    FULL,
    ITERATIONS,
    NEEDED,
    NEXT_ROOM,
    PLAYOUTS,
    STEPS,
    USED,
    Floats,
    GameArrays,
    Guide,
    Ints,
    Nodes,
    PlayoutArrays,
)
from gamemaster.search.native.kernels.rows import run_code
from gamemaster.search.native.kernels.subtree import make_room

__all__ = [
    "CURIOUS",
    "DROPPED",
    "FEWEST",
    "INVERSE_ROOTS",
    "LEAST_PLACE",
    "LOG_ROOTS",
    "PLACES",
    "THRICE",
    "VISITS_A_LANE",
    "tree_search",
]


FEWEST, VISITS_A_LANE = 8, 8

CURIOUS = 4
"""One visit in so many goes to a child that is not proven."""

THRICE = np.float32(3.0)

DROPPED, LEAST_PLACE = 16, 111 << 7

PLACES = ((np.arange(48 << 7) + LEAST_PLACE) << DROPPED).astype(np.int32).view(np.float32)

INVERSE_ROOTS, LOG_ROOTS = (
    1 / np.sqrt(PLACES),
    np.sqrt(np.log(PLACES.astype(float) ** -2 + 2)).astype(np.float32),
)
"""For numbers from 2**-16 on, by their first bits in single precision, which makes 128 for each power of two: 1 over
the root (exact for whole numbers up to 256), and where that is x, the root of the logarithm of the number and 2. To
look them up is quicker than to work them out."""


@part
def _place(number: np.float32) -> int:
    """Where a number stands in tables."""
    return (bits_of(number) >> DROPPED) - LEAST_PLACE


@part
def _note_tries(nodes: Nodes, node: int, share: np.float32) -> None:
    """Another playout is under way, or one is not: what `_select` needs of that."""
    tries = np.float32(nodes.links[at(node)].visits + nodes.links[at(node)].flying) * share
    nodes.scores[at(node)].root = INVERSE_ROOTS[at(_place(max(HALF, tries)))]


@part
def _select(
    game: GameArrays,
    play: PlayoutArrays,
    nodes: Nodes,
    guide: Guide,
    node: int,
    root_before: np.float32,
    share: np.float32,
) -> int:
    """The child to try next: UCT, with the parent's mean for children not yet tried, and proven values as they are.

    Where chance decides, any. `root_before`: the node's ROOT before this visit, which is there sooner than the one
    after it.
    """
    first = nodes.links[at(node)].first
    mover, count = kind_of(nodes, node)
    if mover == game.chance:
        return first + draw(play.generator, count)
    breadth = np.float32(guide.exploration) * LOG_ROOTS[at(_place(root_before))]
    mean = nodes.links[at(node)].own_mean
    best = _best_child(nodes, guide, first, first + count, mean, breadth, share, False)
    # A proven child teaches nothing new. Its parent is worth that much, but now and then the best of the others is
    # tried all the same: it may be better, or the parent may be proven.
    if guide.proofs and is_proven(nodes, best):
        tries = np.float32(nodes.links[at(node)].visits + nodes.links[at(node)].flying) * share
        if np.int64(tries) % CURIOUS == 0:
            other = _best_child(nodes, guide, first, first + count, mean, breadth, share, True)
            return best if is_proven(nodes, other) else other
    return best


@part
def _best_child(
    nodes: Nodes,
    guide: Guide,
    first: int,
    end: int,
    mean: np.float32,
    breadth: np.float32,
    share: np.float32,
    is_open: bool,
) -> int:
    """The child with the best score, of those that are not proven if `is_open`."""
    is_guided = guide.amaf > 0.0 or guide.trust > 0.0
    best, best_score = first, LEAST
    for child in range(first, end):
        score, root = nodes.scores[at(child)].mean, nodes.scores[at(child)].root
        if is_open and root == NONE:
            continue
        if score < NONE:
            score = mean
        if is_guided and root > NONE:
            score = _advise(nodes, guide, child, share, score)
        score += breadth * root
        if score > best_score:
            best, best_score = child, score
    return best


@part
def _advise(nodes: Nodes, guide: Guide, child: int, share: np.float32, score: np.float32) -> Any:
    """A mean mixed with that of the child's move anywhere, and with what an evaluation says."""
    advice, amaf = nodes.advice, np.float32(guide.amaf)
    tries = np.float32(nodes.links[at(child)].visits + nodes.links[at(child)].flying) * share
    if amaf > NONE and advice[child].amaf_visits > NONE:
        part = np.sqrt(amaf / (THRICE * tries + amaf))
        score += part * (advice[child].amaf_total / advice[child].amaf_visits - score)
    if guide.trust > 0.0:
        score += np.float32(guide.trust) * (advice[child].prior - HALF) / (tries + WHOLE)
    return score


@aside
def _note_moves(nodes: Nodes, play: PlayoutArrays, lane: int, reward: Floats) -> None:
    """All moves as first (Gelly & Silver 2011): what a playout says of moves made in it, for every node on its way."""
    group, bit = lane >> 6, np.uint64(lane & 63)
    node = play.lane_node[lane]
    while node >= 0:
        first = nodes.links[at(node)].first
        mover, count = kind_of(nodes, node)
        if first >= 0:
            for child in range(first, first + count):
                if (play.made[nodes.moves[child], group] >> bit) & ONE != ZERO:
                    nodes.advice[child].amaf_visits += 1.0
                    nodes.advice[child].amaf_total += reward[at(mover)]
        if nodes.links[at(node)].parent >= 0:
            play.made[nodes.moves[node], group] |= ONE << bit
        node = nodes.links[at(node)].parent


@part
def _back_up(nodes: Nodes, node: int, reward: Floats, playouts: int) -> None:
    """Note on the way up what some playouts gave; they have landed."""
    while node >= 0:
        visits = nodes.links[at(node)].visits + playouts
        nodes.links[at(node)].visits = visits
        nodes.links[at(node)].flying -= playouts
        part = np.float32(playouts) / np.float32(visits)
        parent = np.int64(nodes.links[at(node)].parent)
        mover, _ = kind_of(nodes, node)
        if mover >= 0:
            got = np.float32(reward[at(mover)])
            nodes.links[at(node)].own_mean += (got - nodes.links[at(node)].own_mean) * part
        if parent >= 0 and not is_proven(nodes, node):
            chooser, _ = kind_of(nodes, parent)
            got = np.float32(reward[at(chooser)])
            nodes.scores[at(node)].mean += (got - nodes.scores[at(node)].mean) * part
        node = parent


@part
def _descend(
    game: GameArrays,
    play: PlayoutArrays,
    nodes: Nodes,
    guide: Guide,
    root: int,
    patience: int,
    each: int,
    share: np.float32,
    counts: Ints,
) -> int:
    """One way down, child by child: the node whose worth is to be found out. On it, so many playouts are under way."""
    node, depth = root, 0
    while True:
        nodes.links[at(node)].flying += each
        root_before = nodes.scores[at(node)].root
        if root_before == NONE:
            break
        _note_tries(nodes, node, share)
        if nodes.links[at(node)].first < 0:
            tries = nodes.links[at(node)].visits + nodes.links[at(node)].flying
            if (tries <= max(patience * each, counts[NEEDED]) and node != root) or counts[FULL]:
                break
            if not expand_node(game, nodes, guide, node, counts):
                break
        node = _select(game, play, nodes, guide, node, root_before, share)
        depth += 1
    counts[ITERATIONS] += 1
    counts[DEEPEST] = max(counts[DEEPEST], depth)
    return node


@part
def _begin_playouts(
    play: PlayoutArrays, nodes: Nodes, guide: Guide, node: int, each: int, free_count: int
) -> int:
    """Put a leaf into so many of the free lanes; how many are left."""
    for _ in range(each):
        free_count -= 1
        lane = play.free[free_count]
        load_lane(play, nodes.rows, node, lane)
        if guide.amaf > 0.0:
            for i in range(play.made.shape[0]):
                play.made[i, lane >> 6] &= ~(ONE << np.uint64(lane & 63))
        play.lane_node[lane] = node
    return free_count


@part
def _step(play: PlayoutArrays, nodes: Nodes, guide: Guide, free_count: int, counts: Ints) -> int:
    """One step of all playouts; what those give that end is noted. How many lanes are free then."""
    active, done_slot = play.slots.active, play.slots.done
    state_out, moves_out = play.slots.next_state, play.slots.first_move
    random_slots(play.buffer, play.slots.first_random, play.slots.randoms, play.generator)
    run_code(play.words)
    counts[STEPS] += 1
    if guide.amaf > 0.0:
        for i in range(play.made.shape[0]):
            for j in range(WORDS):
                play.made[i, j] |= play.buffer[moves_out + i, j]
    for group in range(WORDS):
        done = play.buffer[done_slot, group]
        while done != ZERO:
            bit = np.uint64(lowest_one(done))
            done &= done - ONE
            lane = (group << 6) + np.int64(bit)
            read_goals(play, lane)
            _back_up(nodes, play.lane_node[lane], play.reward, I1)
            if guide.amaf > 0.0:
                _note_moves(nodes, play, lane, play.reward)
            counts[PLAYOUTS] += 1
            play.lane_node[lane] = -1
            play.free[free_count] = lane
            free_count += 1
            play.buffer[active, group] &= ~(ONE << bit)
    for i in range(play.slots.states):
        for j in range(WORDS):
            play.buffer[i, j] = play.buffer[state_out + i, j]
    return free_count


@part
def _forget_playouts(play: PlayoutArrays, nodes: Nodes, share: np.float32) -> None:
    """Playouts that did not end are under way no longer."""
    for lane in range(LANES):
        node = play.lane_node[lane]
        while node >= 0:
            nodes.links[at(node)].flying -= 1
            if not is_proven(nodes, node):
                _note_tries(nodes, node, share)
            node = nodes.links[at(node)].parent


@kernel
def tree_search(
    game: GameArrays,
    play: PlayoutArrays,
    nodes: Nodes,
    guide: Guide,
    root: int,
    patience: int,
    each: int,
    lanes: int,
    counts: Ints,
    most_iterations: int,
    stop: Ints,
) -> None:
    """Grow a tree from a root until stopped: see mcts.py.

    Each leaf gets `each` playouts, in as many lanes; a lane that has ended one takes the next leaf. At most `lanes` are
    under way, and while the tree is young only one for every few visits: each is chosen without knowing of the others.
    Where memory is full the least useful part of the tree is forgotten: see subtree.py.
    """
    share = WHOLE / np.float32(each)  # of a visit, for one playout
    free_count = free_lanes(play)
    while True:
        is_last = counts[ITERATIONS] >= most_iterations and free_count == LANES
        if stop[0] or is_proven(nodes, root) or is_last:
            break
        ended = 0  # descents that met the end of the game and needed no playout
        most = max(each, min(lanes, FEWEST + nodes.links[at(root)].visits // (each * VISITS_A_LANE)))
        while (
            LANES - free_count + each <= most
            and ended < LANES
            and counts[ITERATIONS] < most_iterations
            and not stop[0]  # children of a large game take a while to make
        ):
            node = _descend(game, play, nodes, guide, root, patience, each, share, counts)
            if not is_proven(nodes, node):
                free_count = _begin_playouts(play, nodes, guide, node, each, free_count)
                continue
            counts[ENDS] += 1
            ended += 1
            for role in range(game.places.roles):
                play.reward[at(role)] = nodes.values[at(node), at(role)]
            _back_up(nodes, node, play.reward, each)
            if is_proven(nodes, root):
                break
        if counts[FULL] and nodes.links[at(root)].visits >= counts[NEXT_ROOM]:
            _forget_playouts(play, nodes, share)
            free_count = free_lanes(play)
            make_room(game, nodes, counts, counts[USED], stop)
        if not is_proven(nodes, root) and free_count < LANES:
            free_count = _step(play, nodes, guide, free_count, counts)
    _forget_playouts(play, nodes, share)
