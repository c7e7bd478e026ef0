"""Monte Carlo tree search in machine code: UCT with proofs, its playouts run in lanes, its tree kept between moves.

Where role r chooses, the child with the largest  W/N + C * sqrt(ln(N of the parent) / N)  is tried next: W is what r
got in the N playouts through the child (Kocsis & Szepesvari 2006). A child not yet tried counts as average. All
children of a state are made at once, when it has been visited a few times. A state whose best child surely gives its
role the most it can get, or all of whose children are proven, is proven itself, and not searched again (Winands,
Bjornsson & Saito 2008, for any goals): a visit takes its value without a playout. Playouts of up to 256 leaves run at
the same time; those under way count as visits, but not yet as results (Liu, Chen, Yu, Zhai, Zhou & Liu 2020). With
`amaf` a child's mean is mixed with that of all playouts in which its move was made at any time: sqrt(amaf / (3 N +
amaf)) of it (Gelly & Silver 2011), which helps where moves keep their worth.

Every role is taken to maximise its own goal (max^n), and where it does not care to do what is worst for whoever asks:
that is what a proof says. With two roles that are against each other it is the value of minimax. So a state in which
the mover gets the most it can is proven for the others only if they get nothing, or all of its children are proven;
and one in which the mover does not care is proven only if what is worst for one of the others is so for all of them.

Where chance moves, the role `random`, one of its moves is drawn at each visit, all equally likely; so what is noted of
the state is a mean over what chance does. It is proven when all of its children are, and worth their mean: a proven
value of a game of chance is what a role can expect, not what it gets. Where a role chooses in the same step, without
knowing what chance does, that is two nodes: its move first, then chance.

The tree has so much memory as `memory` says. When that is full it forgets the children of nodes that are seldom
visited, and goes on: however long it grows, it gets deeper where it matters. What was found out of a node stays.

Needs a compiled game in which one role chooses at a time, chance apart, that hides nothing, with goals from 0 to 100.
`uct` is for any machine, in Python; it takes two roles to be against each other whatever their goals, and with more it
proves only what holds whatever others do. `decoupled` is for simultaneous moves.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np

from gamemaster.codegen.vector import LANES
from gamemaster.errors import ParameterError, Unsuitable
from gamemaster.language.terms import Term
from gamemaster.machine.game import State
from gamemaster.search.budget import Budget, Halt
from gamemaster.search.native.engine import NO_LIMIT, Engine, Stopwatch, engine_of, play_of
from gamemaster.search.native.kernels.nodes import begin_tree, kind_of
from gamemaster.search.native.kernels.records import (
    ADVICE,
    DEEPEST,
    ITERATIONS,
    LINKS,
    PLAYOUTS,
    SCORES,
    TREE_COUNTS,
    USED,
    Floats,
    Guide,
    Nodes,
    Records,
    Words,
)
from gamemaster.search.native.kernels.rows import SEVERAL
from gamemaster.search.native.kernels.subtree import find_state, forget_some, make_root
from gamemaster.search.native.kernels.tree import tree_search
from gamemaster.search.native.options import DEFAULTS, MctsOptions
from gamemaster.search.native.warming import get_ready
from gamemaster.search.result import NOT_SEARCHED, SearchResult
from gamemaster.search.suitable import native_game, refusal_of_mcts, several_choose

__all__ = ["NativeTree", "Options", "new_tree", "search", "search_in"]

Options = MctsOptions
"""What `search` can be told; see search/parameters.py."""

MOST_NODES, FEWEST_NODES = (1 << 31) - 1, 2_048
"""A tree has no more nodes than links can count, and room for some whatever memory it is given."""

DEFAULT_PLAYOUTS = 20_000
FARTHEST, MOST_LOOKED = 8, 1 << 18
"""A new root is looked for so many plies below the old one, and among so many nodes at most."""

LINE_VISITS, LINES = 8, 5
"""A line goes on as long as its states were visited so often; it is told for so many moves."""


class NativeTree:
    """A tree that grows from move to move of a match."""

    def __init__(
        self,
        engine: Engine,
        seed: int = 0,
        options: MctsOptions = DEFAULTS,
        *,
        lanes: int = LANES,
        most_bytes: int | None = None,
    ) -> None:
        for name, number in (("each", options.each), ("lanes", lanes)):
            if not 1 <= number <= LANES:
                raise ParameterError(f"{name} of mcts: {number} is not a whole number from 1 to {LANES}")
        if options.memory < 1:
            raise ParameterError(
                f"memory of mcts: {options.memory} is not a whole number of megabytes from 1 on"
            )
        self.engine = engine
        self.options = options
        self.lanes = lanes
        self.most_bytes = options.memory << 20 if most_bytes is None else most_bytes
        self.nodes = self._empty_nodes(is_advised=options.amaf > 0)
        roles = len(engine.game.roles)
        exploration, amaf = float(options.exploration), float(options.amaf)
        self.guide = Guide(exploration, amaf, np.zeros((0, 0)), np.zeros(roles), 0.0, options.proofs)
        self.counts = np.zeros(TREE_COUNTS, np.int64)
        self.root = -1
        self.play = play_of(engine, seed)

    def _empty_nodes(self, *, is_advised: bool) -> Nodes:
        """Memory for a tree."""
        words, roles = self.engine.row_words, len(self.engine.game.roles)
        size = 8 * words + 4 + LINKS.itemsize + SCORES.itemsize + 4 * roles
        size += ADVICE.itemsize if is_advised else 0
        self.capacity = max(FEWEST_NODES, min(MOST_NODES, self.most_bytes // size))
        return Nodes(
            np.empty((self.capacity, words), np.uint64),
            np.empty(self.capacity, np.int32),
            _lines_of_cache(self.capacity),
            np.empty(self.capacity, SCORES),
            np.empty(self.capacity if is_advised else 1, ADVICE),
            np.empty((self.capacity, roles), np.float32),
        )

    def prefer(self, weights: Floats, biases: Floats, trust: float) -> None:
        """Prefer children that a linear evaluation finds good: weights [roles, bits of a row], for each role."""
        self.guide = self.guide._replace(weights=weights, biases=biases, trust=trust)
        self.nodes = self._empty_nodes(is_advised=True)
        self.root = -1

    # Where the tree stands

    def advance(self, state: State) -> None:
        """Make a state the root; what is known of it is kept if it is near the old root."""
        row = self.engine.row_of(state)
        words = self.engine.state_words
        found = find_state(self.nodes, self.root, row, words, FARTHEST, MOST_LOOKED) if self.root >= 0 else -1
        if found < 0 or self._is_forgotten(found):
            self._begin(row)
        elif found != self.root:
            make_root(self.nodes, found, self.counts)
            self._prove_root()
        if self._mover(self.root) == SEVERAL:
            self.root = -1
            raise Unsuitable(several_choose(state))

    def _is_forgotten(self, node: int) -> bool:
        """Whether it is known what a node is worth, and no longer by which move."""
        return self.is_proven(node) and self._mover(node) >= 0 and not self.children(node)

    def _prove_root(self) -> None:
        """See whether a root that was none before is proven: from now on nobody but its mover counts."""
        mover, children = self._mover(self.root), self.children(self.root)
        if mover == self.engine.chance:
            return
        sure = [self.nodes.values[child, mover] for child in children if self.is_proven(child)]
        most = max(sure, default=-1.0)
        if self.guide.proofs and most >= self.engine.best_goal[mover] - 1e-6:
            self.nodes.values[self.root, mover] = most
            self.nodes.scores["root"][self.root] = 0.0

    def forget(self) -> None:
        """Begin anew with the next state, wherever that is."""
        self.root = -1

    def make_room(self) -> None:
        """Forget what is not below the root, or, if all is, what was visited least, as a full tree does by itself."""
        forget_some(self.engine.code(), self.nodes, self.counts, self.capacity, np.zeros(1, np.int64))

    def _begin(self, row: Words) -> None:
        """Start a new tree."""
        self.nodes.rows[0] = row
        begin_tree(self.engine.code(), self.nodes)
        self.counts[:] = 0
        self.counts[USED] = 1
        self.root = 0

    # Growing

    def grow(self, seconds: float | None, iterations: int = NO_LIMIT, until: Halt | None = None) -> None:
        """Search for so long, or so many iterations, or until told to stop."""
        engine = self.engine
        if self._mover(self.root) < 0:
            return
        self.counts[ITERATIONS] = self.counts[PLAYOUTS] = self.counts[DEEPEST] = 0
        player = engine.kernel("charge")  # compiled meanwhile, perhaps
        play = self.play._replace(words=player.words, buffer=player.buffer)
        options = self.options
        settings = self.root, options.patience, options.each, self.lanes, self.counts, iterations
        with Stopwatch(seconds) as watch:
            if until is not None:
                until.when_set(watch.end)
            tree_search(engine.code(), play, self.nodes, self.guide, *settings, watch.stop)

    # What it found

    def children(self, node: int) -> range:
        """The children of a node."""
        first, (_, count) = int(self.nodes.links["first"][node]), kind_of(self.nodes, node)
        return range(first, first + int(count)) if first >= 0 else range(0)

    @property
    def mover(self) -> str | None:
        """Who chooses at the root; None where nobody can move."""
        number = self._mover(self.root)
        return None if number < 0 else self.engine.game.roles[number]

    def _mover(self, node: int) -> int:
        return int(kind_of(self.nodes, node)[0])

    def is_proven(self, node: int) -> bool:
        """Whether what everybody gets from a node on is certain."""
        return float(self.nodes.scores["root"][node]) == 0.0

    def visits(self, node: int) -> int:
        """How many playouts went through a node."""
        return int(self.nodes.links["visits"][node])

    def worth(self, node: int) -> float:
        """What the role that may choose a node can expect of it, 0 to 100."""
        if self.is_proven(node):
            return round(float(self.nodes.scores["mean"][node]) * 100, 3)  # goals are whole numbers
        return max(0.0, float(self.nodes.scores["mean"][node])) * 100

    def best_child(self, node: int) -> int | None:
        """The child that the role in control should choose: a proven one if none can be better, else the most tried."""
        proven = [child for child in self.children(node) if self.is_proven(child)]
        open_ones = [child for child in self.children(node) if not self.is_proven(child)]
        sure = max(proven, key=self._rank, default=None)
        likely = max(open_ones, key=self.visits, default=None)
        if sure is None or likely is None:
            return likely if sure is None else sure
        is_sure = self.is_proven(node) or self.worth(sure) >= self.worth(likely)
        return sure if is_sure else likely

    def _rank(self, child: int) -> tuple[float, float]:
        """How good a proven child is for who chooses it; of equally good ones the worst for the root's mover first."""
        return self.worth(child), -float(self.nodes.values[child, self._mover(self.root)])

    def is_known(self, node: int) -> bool:
        """Whether anything is known of a node."""
        return self.is_proven(node) or self.visits(node) > 0

    def line(self, first: int | None = None) -> tuple[Term, ...]:
        """The moves that both sides should make from the root on, or from a child of it, as far as enough is known.

        It ends where chance decides how to go on.
        """
        moves: list[Term] = []
        node = self.best_child(self.root) if first is None else first
        while node is not None:
            moves.append(self.engine.terms[int(self.nodes.moves[node])])
            goes_on = self.visits(node) >= LINE_VISITS and self._mover(node) != self.engine.chance
            node = self.best_child(node) if goes_on else None
        return tuple(moves)

    def result(self, role: str, seconds: float) -> SearchResult:
        """What the tree says of its root, to the role that moves there."""
        best = self.best_child(self.root)
        terms = self.engine.terms
        moves = {child: terms[int(self.nodes.moves[child])] for child in self.children(self.root)}
        likely = sorted(filter(self.is_known, moves), key=self.visits, reverse=True)[:LINES]
        return SearchResult(
            "mcts",
            role,
            None if best is None else moves[best],
            0.0 if best is None else self.worth(best),
            {move: self.worth(child) for child, move in moves.items() if self.is_known(child)},
            {move: self.visits(child) for child, move in moves.items()},
            line=self.line(),
            lines={moves[child]: self.line(child) for child in likely},
            depth=int(self.counts[DEEPEST]),
            nodes=int(self.counts[ITERATIONS]),
            playouts=int(self.counts[PLAYOUTS]),
            seconds=seconds,
            is_proven=self.is_proven(self.root),
            notes="" if self.is_known(self.root) or self._mover(self.root) < 0 else NOT_SEARCHED,
        )


def _lines_of_cache(count: int) -> Records:
    """Memory for so many records of nodes, none of which is in two lines of the cache."""
    width = LINKS.itemsize
    memory = np.empty(count * width + width, np.uint8)
    start = -memory.ctypes.data % width
    return memory[start : start + count * width].view(LINKS)


def search(state: State, role: str, budget: Budget, seed: int = 0, **parameters: Any) -> SearchResult:
    """Search with a fresh tree; the parameters are those of MctsOptions."""
    return search_in(new_tree(state, seed, MctsOptions(**parameters)), state, role, budget)


def new_tree(
    state: State, seed: int = 0, options: MctsOptions = DEFAULTS, *, most_bytes: int | None = None
) -> NativeTree:
    """A tree for the game of a state; Unsuitable where it cannot grow. Gets ready first, which can take a while."""
    game = native_game(state.game, with_chance=True)
    if game is None:
        raise Unsuitable(refusal_of_mcts(state))
    get_ready(game, "mcts")
    return NativeTree(engine_of(game), seed, options, most_bytes=most_bytes)


def search_in(tree: NativeTree, state: State, role: str, budget: Budget) -> SearchResult:
    """Search with a tree that may know something of the state already."""
    began = time.perf_counter()
    legal = state.legal_moves(role)
    if len(legal) < 2 and state.control != role:
        return SearchResult("mcts", role, legal[0] if legal else None, 0.0)
    tree.advance(state)
    if tree.mover != role:  # nobody has a choice, and the tree is about what another role gets
        return SearchResult("mcts", role, legal[0] if legal else None, 0.0)
    limits = [limit for limit in (budget.playouts, budget.nodes) if limit is not None]
    if budget.seconds is None and not limits:
        limits = [DEFAULT_PLAYOUTS]
    left = None if budget.seconds is None else budget.seconds - (time.perf_counter() - began)
    tree.grow(left, min(limits, default=NO_LIMIT))
    result = tree.result(role, time.perf_counter() - began)
    is_lost = result.move is None and legal
    return replace(result, move=legal[0], notes=NOT_SEARCHED) if is_lost else result
