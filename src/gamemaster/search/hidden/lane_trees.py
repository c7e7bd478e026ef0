"""Information-set search in machine code: the trees of ismcts.py, whose rounds go down in lanes.

Up to 256 rounds make their steps together, on the kernels `observe` and `advance` of the game; a round that has met a
new node is played out at random in the kernel `charge`. Rounds under way count as tries, but not yet as results. A
node is what a role knows and which moves it has: whoever has a choice is told what it can choose from.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from gamemaster.codegen.vector import LANES
from gamemaster.language.terms import Term
from gamemaster.machine.game import RANDOM
from gamemaster.machine.layout import FIRST_LEGAL
from gamemaster.search.budget import Budget, Meter
from gamemaster.search.goals import goals_in
from gamemaster.search.hidden.beliefs import Beliefs
from gamemaster.search.hidden.ismcts import (
    FIRST_ETA,
    LEAST_ETA,
    SLOWING,
    IsmctsOptions,
    is_unclear,
    result_of,
)
from gamemaster.search.hidden.lane_code import LaneCode
from gamemaster.search.hidden.lane_steps import LaneSteps
from gamemaster.search.hidden.lanes import (
    Floats,
    Ints,
    LaneGame,
    LaneParticles,
    Rows,
    Words,
    lane_game,
    mixed_words,
)
from gamemaster.search.hidden.particles import Particles
from gamemaster.search.native.engine import NO_LIMIT, Stopwatch, play_of
from gamemaster.search.native.kernels.set_nodes import chances_in, find_set, keep_visited
from gamemaster.search.native.kernels.set_records import (
    DEEPEST_ROUND,
    EDGES_USED,
    NO_ROOM,
    NODES_USED,
    SET_COUNTS,
    SetStyle,
    SetTrees,
)
from gamemaster.search.native.kernels.sets import search_sets
from gamemaster.search.native.warming import tiny_game, warm_up
from gamemaster.search.playouts.batches import limited
from gamemaster.search.result import SearchResult

if TYPE_CHECKING:
    from gamemaster.machine.compiled import CompiledGame

__all__ = ["LaneSteps", "LaneTrees", "are_lanes_ready", "run_sets"]

MOST_NODES, MOST_EDGES = 1 << 20, 1 << 23
ROUNDS_BETWEEN = 1 << 16
"""Rounds between two looks at how full trees are that grow before the first move."""

FIRST_LANES, ROUNDS_A_LANE = 8, 8
"""Rounds of the first batch, and after how many there may be one more at a time."""

DOUBT = 1.0
"""So many tries of each move are added to those in the trees, where they say how others play."""


class LaneTrees:
    """The trees of all roles in a compiled game; what is found stays from move to move. For one thread."""

    def __init__(self, game: CompiledGame, seed: int = 0, options: IsmctsOptions | None = None) -> None:
        self.game, self.lanes = game, lane_game(game)
        self.options = options or IsmctsOptions()
        self.generator = random.Random(seed)
        self.code = LaneCode(game, self.generator.getrandbits(32))
        self.engine = self.code.engine
        self.players = [role for role in game.roles if role != RANDOM]
        self.can_mix = self.options.mixed and len(self.players) == 2 and is_unclear(game)
        self.trees = _empty_trees()

    @property
    def is_mixing(self) -> bool:
        """Whether moves are to be drawn: two roles oppose each other, as far as goals have shown."""
        return self.can_mix and self.trees.sums[1] == 0.0

    def search(self, beliefs: Beliefs, budget: Budget, legal: Sequence[Term] | None = None) -> SearchResult:
        """Play rounds until the budget is spent, and choose."""
        meter = limited(budget).start()
        legal = beliefs.legal_moves() if legal is None else legal
        roots = self._roots(beliefs, legal)
        self.trees.counts[DEEPEST_ROUND] = 0
        if len(legal) > 1 and roots is not None:
            self._grow(roots, meter)
        visits, values = self._found(beliefs.role, roots, legal)
        generator = self.generator if self.is_mixing else None
        nodes, depth = (int(self.trees.counts[place]) for place in (NODES_USED, DEEPEST_ROUND))
        least = self.options.least_share
        found = result_of(beliefs.role, visits, values, generator, meter, nodes, least)
        return replace(found, depth=depth)

    def grow(self, beliefs: Beliefs, budget: Budget) -> int:
        """Play rounds before anybody asks for a move, until the trees are half full; how many there were."""
        meter, roots = budget.start(), self._roots(beliefs, beliefs.legal_moves())
        while roots is not None and not meter.is_spent() and not self._is_full():
            self._grow(roots, meter, most=ROUNDS_BETWEEN)
        return meter.playouts

    def expected(self, role: str) -> float | None:
        """What a role expects of the game, as a share of its most; None where nobody has a choice at the start.

        Where it has none there itself, what the only other role leaves it, if the two oppose each other.
        """
        for other in self.players:
            beliefs = Beliefs(self.game, other, self.generator)
            legal = beliefs.legal_moves()
            if len(legal) < 2:
                continue
            visits, values = self._found(other, self._roots(beliefs, legal), legal)
            if not values:
                return None
            share = goals_in(self.game, other).share(values[max(values, key=visits.__getitem__)])
            if other == role:
                return share
            return 1.0 - share if len(self.players) == 2 and self.trees.sums[1] == 0.0 else None
        return None

    def _is_full(self) -> bool:
        counts = self.trees.counts
        return bool(counts[NODES_USED] > MOST_NODES / 2 or counts[EDGES_USED] > MOST_EDGES / 2)

    def _make_room(self) -> None:
        """Leave out nodes that were hardly visited, until half of the trees is free."""
        least = 2
        while self._is_full() or self.trees.counts[NO_ROOM]:
            keep_visited(self.trees, least)
            least *= 2

    def _grow(self, roots: _LaneRoots, meter: Meter, most: int = NO_LIMIT) -> None:
        """Play rounds for as long as a meter says."""
        self._make_room()
        limits = [limit for limit in (meter.budget.playouts, meter.budget.nodes) if limit is not None]
        with Stopwatch(None if meter.deadline is None else meter.left()) as watch:
            made = search_sets(
                self.code.arrays(),
                play_of(self.engine, self.generator.getrandbits(63)),
                self.trees,
                self.code.lanes,
                self._style(roots.key),
                roots.rows,
                roots.known,
                np.cumsum(roots.weights),
                min([most, *(limit - meter.playouts for limit in limits)]),
                watch.stop,
            )
        meter.playouts += made
        meter.nodes += made

    def new_steps(self) -> LaneSteps:
        """Steps of beliefs in the same game."""
        return LaneSteps(self.game, self.generator.getrandbits(32))

    # How others play

    def chances(self, role: str, known: int, legal: Sequence[Term]) -> list[float]:
        """How likely each move of a role is that knows something, as the trees have it: see Model."""
        number = self.game.roles.index(role)
        moves = np.array([self.lanes.numbers[number][move] for move in legal], np.int64)
        order = np.argsort(moves)
        shares = self.shares(number, np.array([known], np.uint64), np.array([0, len(moves)]), moves[order])
        found = np.empty(len(moves))
        found[order] = shares
        return [float(share) for share in found]

    def shares(self, role: int, known: Words, starts: Ints, moves: Ints) -> Floats:
        """The same for many: of what is known in place i, the moves from starts[i] to starts[i + 1]; see LaneModel."""
        found = np.empty(len(moves))
        marks = self.legal_marks[self.engine.move_start[role] + moves]
        sums = np.concatenate([[np.uint64(0)], np.cumsum(marks, dtype=np.uint64)])
        keys = mixed_words(known + sums[starts[1:]] - sums[starts[:-1]])
        chances_in(self.trees, keys, starts, DOUBT, found)
        counts = np.diff(starts)
        by_lot: Floats = np.repeat(1 / np.maximum(1, counts), counts)
        return self.options.trust * found + (1 - self.options.trust) * by_lot

    # What was found

    def _found(
        self, role: str, roots: _LaneRoots | None, legal: Sequence[Term]
    ) -> tuple[dict[Term, int], dict[Term, float]]:
        """How often each move was tried, and what it got, where it was."""
        visits, values = dict.fromkeys(legal, 0), dict[Term, float]()
        node = -1 if roots is None else find_set(self.trees, roots.key)
        if node < 0:
            return visits, values
        goals = goals_in(self.game, role)
        for edge in range(self.trees.first[node], self.trees.first[node + 1]):
            move, tries = self.engine.terms[self.trees.moves[edge]], int(self.trees.tries[edge])
            if tries and move in visits:
                share = float(self.trees.totals[edge]) / tries
                visits[move] = tries
                values[move] = goals.at_share(share)
        return visits, values

    def _roots(self, beliefs: Beliefs, legal: Sequence[Term]) -> _LaneRoots | None:
        """Where rounds begin: the states in which the game goes on, with those moves where there are such."""
        rows, known, weights = _arrays_of(beliefs.particles, self.lanes)
        role = self.game.roles.index(beliefs.role)
        moves = [self.lanes.numbers[role].get(move, -1) for move in legal]
        seen = self.lanes.observed(rows)
        goes_on = (seen[:, 0] == 0) & (weights > 0)
        first, count = FIRST_LEGAL + int(self.engine.move_start[role]), len(self.lanes.numbers[role])
        wanted = np.zeros(count, np.uint8)
        wanted[[move for move in moves if move >= 0]] = 1
        fits = goes_on & (seen[:, first : first + count] == wanted).all(axis=1)
        kept = np.flatnonzero(fits if fits.any() else goes_on)
        if not len(kept):
            return None
        own = known[kept[np.argmax(weights[kept])], role]
        known = known[kept].copy()
        known[:, role] = own
        marks = self.legal_marks[self.engine.move_start[role] + np.flatnonzero(wanted)]
        key = mixed_words(np.array([own]) + marks.sum(dtype=np.uint64))[0]
        return _LaneRoots(self.code.words_of(rows[kept]), known, weights[kept], key)

    # What kernels are told

    @property
    def legal_marks(self) -> Words:
        """The marks of legal moves: others than those of moves that were made."""
        return self.lanes.legal_marks

    def _style(self, key: np.uint64) -> SetStyle:
        """How to choose, and how many rounds at a time at first: by how often the root was visited."""
        node = find_set(self.trees, key)
        lanes = FIRST_LANES + (0 if node < 0 else int(self.trees.visits[node]) // ROUNDS_A_LANE)
        goals = [goals_in(self.game, role) for role in self.game.roles]
        return SetStyle(
            float(self.options.exploration),
            self.can_mix,
            LEAST_ETA,
            FIRST_ETA,
            SLOWING,
            LANES,
            min(LANES, lanes),
            ROUNDS_A_LANE,
            np.array([each.at_share(0.0) / 100 for each in goals]),
            np.array([100 / ((each.at_share(1.0) - each.at_share(0.0)) or 1.0) for each in goals]),
            np.array([float(role != RANDOM) for role in self.game.roles]),
        )


@dataclass(frozen=True)
class _LaneRoots:
    """States as words, what the roles know there, how likely they are, and the key of the node of who asks."""

    rows: Words
    known: Words
    weights: Floats
    key: np.uint64


def _arrays_of(particles: Particles, lanes: LaneGame) -> tuple[Rows, Words, Floats]:
    """Particles of any kind as rows, what is known, and weights."""
    if isinstance(particles, LaneParticles):
        return particles.rows, particles.known_words, particles.shares
    rows = np.array([lanes.row_of(state) for state in particles.states()], np.uint8)
    known = np.array([[word % (1 << 64) for word in own] for own in particles.known()], np.uint64)
    return rows, known, np.array(particles.weights)


def _empty_trees() -> SetTrees:
    return SetTrees(
        np.full(2 * MOST_NODES, -1, np.int32),
        np.empty(MOST_NODES, np.uint64),
        np.empty(MOST_NODES + 1, np.int32),
        np.empty(MOST_NODES, np.int32),
        np.empty(MOST_EDGES, np.int32),
        np.empty(MOST_EDGES, np.int32),
        np.empty(MOST_EDGES, np.int32),
        np.empty(MOST_EDGES, np.float64),
        np.array([-1.0, 0.0]),
        np.zeros(SET_COUNTS, np.int64),
    )


def are_lanes_ready(game: CompiledGame, seconds: float | None) -> bool:
    """Have all made that rounds in lanes take; whether it is, after so long at most, or however long that is."""
    began = time.monotonic()
    if not warm_up(seconds, ("ismcts",)):
        return False
    left = threading.TIMEOUT_MAX if seconds is None else max(0.0, seconds - (time.monotonic() - began))
    return game.make_ready("charge", left)


def run_sets() -> None:
    """Run every kernel of information-set search once."""
    from gamemaster.load import parse

    engine, state = tiny_game()
    trees = LaneTrees(engine.game)
    beliefs = Beliefs.given(engine.game, "a", random.Random(0), {state: 1.0})
    trees.search(beliefs, Budget(playouts=100))
    trees.chances("a", 0, state.legal_moves("a"))
    keep_visited(trees.trees, 2)
    game = parse(TOSSED, dialect="hrf", machine="compiled").compiled
    assert game is not None
    steps, start = LaneSteps(game), Beliefs(game, "a", random.Random(0), most=2)
    start.steps = steps
    start.see(None, (), 1.0)
    steps.renewed(start.particles, start.history, random.Random(0), 1.0)


TOSSED = """
role(a) role(random) init(step(1)) side(1) side(2) side(3)
legal(random,toss(S)) :- true(step(1)) & side(S)
legal(a,wait) :- true(step(1))
next(lies(S)) :- does(random,toss(S))
sees(a,odd) :- does(random,toss(2))
terminal :- true(lies(S))
goal(a,0) goal(random,0)
"""
"""A game in which something is hidden, to run kernels on."""
