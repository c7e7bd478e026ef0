"""Decoupled search in machine code: the tree of decoupled.py as a graph of states, whose rounds go down in lanes.

Up to 256 rounds make their steps together, on the kernels `observe` and `advance` of the game; a round that has met a
new state is played out at random in the kernel `charge`. A state is found by its facts, in whichever way play came
there: what is known of it stays from move to move, and there is no tree to cut. When there is no room for more, states
that were visited least are left out.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from gamemaster.codegen.vector import LANES
from gamemaster.language.terms import Term
from gamemaster.machine.game import RANDOM, State
from gamemaster.search.budget import Budget, Halt, Meter
from gamemaster.search.goals import goals_in
from gamemaster.search.hidden.lane_code import LaneCode
from gamemaster.search.hidden.lanes import Floats, Words
from gamemaster.search.native.engine import NO_LIMIT, Engine, Stopwatch, play_of
from gamemaster.search.native.kernels.joint import search_joint
from gamemaster.search.native.kernels.joint_nodes import find_joint, keep_joint
from gamemaster.search.native.kernels.joint_records import (
    CELLS_FILLED,
    DEEPEST_STEP,
    EDGES_FILLED,
    JOINT_COUNTS,
    JOINT_EDGE,
    JOINT_NODE,
    NODES_FILLED,
    WITHOUT_ROOM,
    JointArrays,
    JointStyle,
)
from gamemaster.search.native.kernels.records import Records
from gamemaster.search.native.warming import tiny_game, warm_up
from gamemaster.search.playouts.batches import forced, limited
from gamemaster.search.playouts.decoupled import DecoupledOptions, chosen_of
from gamemaster.search.result import NOT_SEARCHED, SearchResult

if TYPE_CHECKING:
    from gamemaster.machine.compiled import CompiledGame

__all__ = ["JointGraphs", "JointLanes", "are_joint_lanes_ready", "run_joint"]

TREE_BYTES, GRAPHS_BYTES = 400 << 20, 600 << 20
"""What one graph may take, and those of all cores of a player together."""

MOST_NODES = 1 << 21
EDGES_A_NODE, CELLS_A_NODE = 8, 16
"""Room for so many edges and cells on average. Where nodes have more, there are fewer nodes."""

FIRST_LANES, ROUNDS_A_LANE = 8, 8
"""Rounds of the first batch, and after how many there may be one more at a time."""

LINE_VISITS, LONGEST_LINE = 8, 20
"""A line goes on as long as its states were visited so often, at most so far."""


@dataclass(frozen=True)
class RoleView:
    """What a node says to a role: its moves, how often each was tried and made, and what each is worth to it."""

    moves: tuple[Term, ...]
    tries: tuple[int, ...]
    shares: tuple[float, ...]
    values: tuple[float, ...]


class JointLanes:
    """The graph of one compiled game; what is found stays from move to move. For one thread."""

    def __init__(
        self,
        game: CompiledGame,
        seed: int = 0,
        options: DecoupledOptions | None = None,
        *,
        engine: Engine | None = None,
        most_bytes: int = TREE_BYTES,
    ) -> None:
        self.game = game
        self.options = options or DecoupledOptions()
        self.generator = random.Random(seed)
        self.code = LaneCode(game, self.generator.getrandbits(32), engine)
        self.engine = self.code.engine
        self.play = play_of(self.engine, self.generator.getrandbits(63))
        self.goals = [goals_in(game, role) for role in game.roles]
        self.tree = _empty_tree(len(game.roles), most_bytes)

    # Growing

    def search(self, state: State, role: str, budget: Budget) -> SearchResult:
        """Grow until the budget is spent, and choose."""
        self.game.check_role(role)
        if only := forced("decoupled", state, role):
            return only
        meter = limited(budget).start()
        self.tree.counts[DEEPEST_STEP] = 0
        self.grow(state, meter)
        return self.result(state, role, meter)

    def grow(self, state: State, meter: Meter, until: Halt | None = None) -> None:
        """Play rounds from a state for as long as a meter says, or until told to stop."""
        root, tree = self._row(state), self.tree
        limits = [limit for limit in (meter.budget.playouts, meter.budget.nodes) if limit is not None]
        with Stopwatch(None if meter.deadline is None else meter.left()) as watch:
            if until is not None:
                until.when_set(watch.end)
            while not watch.stop[0]:
                self._make_room()
                left = min((limit - meter.playouts for limit in limits), default=NO_LIMIT)
                player = self.engine.kernel("charge")  # compiled meanwhile, perhaps
                play = self.play._replace(words=player.words, buffer=player.buffer)
                made = search_joint(
                    self.code.arrays(), play, tree, self.code.lanes, self._style(root), root, left, watch.stop
                )
                meter.playouts += made
                meter.nodes += made
                if not tree.counts[WITHOUT_ROOM]:
                    return

    def _make_room(self) -> None:
        """Leave out states that were hardly visited, once there is no room, until half of it is free."""
        tree, least = self.tree, 2
        while tree.counts[WITHOUT_ROOM] or (least > 2 and self._is_full()):
            keep_joint(tree, least)
            least *= 2

    def _is_full(self) -> bool:
        tree = self.tree
        used = (
            (NODES_FILLED, len(tree.keys)),
            (EDGES_FILLED, len(tree.edges)),
            (CELLS_FILLED, len(tree.cells)),
        )
        return any(tree.counts[place] > size / 2 for place, size in used)

    # What was found

    def result(
        self, state: State, role: str, meter: Meter, views: Mapping[str, RoleView] | None = None
    ) -> SearchResult:
        """The move that a role should make in a state, by lot where roles choose at once.

        `views`: what is known of the state, where others know of it too.
        """
        legal = state.legal_moves(role)
        views = self.views(state) if views is None else views
        view, is_drawn = views.get(role), self.options.mixed and len(views) > 1
        if view is None:  # not even a round was made
            view = RoleView(legal, (0,) * len(legal), (1 / len(legal),) * len(legal), (0.0,) * len(legal))
        chances = dict(zip(view.moves, view.shares, strict=True))
        visits = dict(zip(view.moves, view.tries, strict=True))
        values = {
            move: value if visits[move] else 0.0 for move, value in zip(view.moves, view.values, strict=True)
        }
        move, value, chances, notes = chosen_of(chances, values, visits, self.generator if is_drawn else None)
        lines = {each: self._line(state, role, each) for each in values if visits[each]}
        return SearchResult(
            "decoupled",
            role,
            move,
            value,
            values,
            visits,
            line=lines.get(move, (move,)),
            lines=lines,
            depth=int(self.tree.counts[DEEPEST_STEP]),
            nodes=meter.nodes,
            playouts=meter.playouts,
            seconds=meter.seconds,
            chances=chances,
            notes=notes if any(view.tries) else NOT_SEARCHED,
        )

    def views(self, state: State) -> dict[str, RoleView]:
        """What is known of a state, for each role that chooses there; nothing where nothing is."""
        node = self._node(state)
        if node < 0:
            return {}
        first, end = (int(self.tree.nodes["first"][place]) for place in (node, node + 1))
        edges = self.tree.edges[first:end]
        roles = [int(role) for role in dict.fromkeys(edges["role"].tolist())]
        own = {role: edges[edges["role"] == role] for role in roles}
        shares = {role: _shares(own[role], len(roles) > 1) for role in roles}
        found: dict[str, RoleView] = {}
        for place, role in enumerate(roles):
            worth = self._worth(node, roles, own, shares, place)
            goals = self.goals[role]
            found[self.game.roles[role]] = RoleView(
                tuple(self.engine.terms[move] for move in own[role]["move"]),
                tuple(own[role]["tries"].tolist()),
                tuple(shares[role].tolist()),
                tuple(float(goals.at_share(share)) for share in worth),
            )
        return found

    def _worth(
        self,
        node: int,
        roles: Sequence[int],
        own: dict[int, Records],
        shares: dict[int, Floats],
        place: int,
    ) -> list[float]:
        """What each move is worth to its role, 0 to 1, if the others draw theirs; cells never tried do not count."""
        edges, cells = own[roles[place]], int(self.tree.nodes["cells"][node])
        plain: list[float] = edges["mean"].tolist()
        if cells < 0:
            return plain
        sizes = [len(own[role]) for role in roles]
        block = self.tree.cells[cells : cells + int(np.prod(sizes))]
        worth, weight = np.zeros(sizes[place]), np.zeros(sizes[place])
        for number, joint in enumerate(product(*(range(size) for size in reversed(sizes)))):
            moves = joint[::-1]  # the first role's move changes with every cell
            if block[number, -1] > 0:
                chance = float(
                    np.prod(
                        [
                            shares[role][move]
                            for role, move in zip(roles, moves, strict=True)
                            if role != roles[place]
                        ]
                    )
                )
                worth[moves[place]] += chance * float(block[number, roles[place]])
                weight[moves[place]] += chance
        return [w / s if s > 0 else mean for w, s, mean in zip(worth, weight, plain, strict=True)]

    def _line(self, state: State, role: str, first: Term) -> tuple[Term, ...]:
        """The likeliest moves from a state on, beginning with one of a role; it ends where chance chooses."""
        line: list[Term] = []
        own: Term | None = first
        while own is not None and len(line) < LONGEST_LINE:
            line.append(own)
            joint = self._likeliest(state)
            if joint is None:
                break
            mover = role if len(line) == 1 or role in state.choosers else (state.choosers or (role,))[0]
            state = state.next({**joint, mover: own})
            own = self._next_own(state, role)
        return tuple(line)

    def _next_own(self, state: State, role: str) -> Term | None:
        """The likeliest move of a role in a state, or of whoever chooses there alone; None where little is known."""
        node = -1 if state.is_over else self._node(state)
        if node < 0 or int(self.tree.nodes["visits"][node]) < LINE_VISITS:
            return None
        views = self.views(state)
        view = views.get(role) or next(iter(views.values()))
        return max(zip(view.shares, view.tries, view.moves, strict=True), key=lambda each: each[:2])[2]

    def _likeliest(self, state: State) -> dict[str, Term] | None:
        """The likeliest move of every role; None where chance chooses, or the game is over."""
        if state.is_over or RANDOM in state.choosers:
            return None
        views = self.views(state)
        joint = {role: state.legal_moves(role)[0] for role in state.movers}
        for role, view in views.items():
            joint[role] = max(
                zip(view.shares, view.tries, view.moves, strict=True), key=lambda each: each[:2]
            )[2]
        return joint

    # What kernels are told

    def _row(self, state: State) -> Words:
        return self.code.words_of(self.code.numbers.row_of(state)[None, :])

    def _node(self, state: State) -> int:
        return int(find_joint(self.tree, self._row(state), len(self.game.layout.facts)))

    def _style(self, root: Words) -> JointStyle:
        """How to choose, and how many rounds at a time at first: by how often the root was visited."""
        node = find_joint(self.tree, root, len(self.game.layout.facts))
        lanes = FIRST_LANES + (0 if node < 0 else int(self.tree.nodes["visits"][node]) // ROUNDS_A_LANE)
        return JointStyle(
            float(self.options.exploration),
            float(self.options.stray),
            TRUST,
            LANES,
            min(LANES, lanes),
            ROUNDS_A_LANE,
            np.array([each.at_share(0.0) / 100 for each in self.goals]),
            np.array([100 / ((each.at_share(1.0) - each.at_share(0.0)) or 1.0) for each in self.goals]),
        )


class JointGraphs:
    """A graph for each of some cores, which grow side by side from the same states."""

    def __init__(self, game: CompiledGame, seed: int, threads: int) -> None:
        generator, share = random.Random(seed), GRAPHS_BYTES // threads
        seeds = [generator.getrandbits(32) for _ in range(threads)]
        self.graphs = [JointLanes(game, each, engine=Engine(game), most_bytes=share) for each in seeds]

    def grow(self, state: State, budget: Budget, until: Halt | None = None) -> list[Meter]:
        """Grow all of them within a budget, or until told to stop; what each has spent."""
        own = limited(budget).split(len(self.graphs))
        meters = [own.start() for _ in self.graphs]
        with ThreadPoolExecutor(len(self.graphs)) as pool:
            for growing in [
                pool.submit(graph.grow, state, meter, until)
                for graph, meter in zip(self.graphs, meters, strict=True)
            ]:
                growing.result()
        return meters

    def search(self, state: State, role: str, budget: Budget) -> SearchResult:
        """Grow all of them, and choose by what they say together."""
        if only := forced("decoupled", state, role):
            return only
        meters = self.grow(state, budget)
        total = meters[0]
        for meter in meters[1:]:
            total.playouts += meter.playouts
            total.nodes += meter.nodes
        first = self.graphs[0]
        return first.result(state, role, total, merged_views([graph.views(state) for graph in self.graphs]))


def merged_views(found: Sequence[dict[str, RoleView]]) -> dict[str, RoleView]:
    """What several graphs say of a state: tries added up, the rest weighed by them."""
    views: dict[str, RoleView] = {}
    for role in dict.fromkeys(role for each in found for role in each):
        own = [each[role] for each in found if role in each]
        weights = [max(1, sum(view.tries)) for view in own]
        views[role] = RoleView(
            own[0].moves,
            tuple(map(sum, zip(*(view.tries for view in own), strict=True))),
            tuple(_weighed(weights, [view.shares for view in own])),
            tuple(_weighed(weights, [view.values for view in own])),
        )
    return views


def _weighed(weights: Sequence[int], rows: Sequence[Sequence[float]]) -> list[float]:
    """The mean of rows, column by column."""
    total = sum(weights)
    return [
        sum(w * x for w, x in zip(weights, column, strict=True)) / total for column in zip(*rows, strict=True)
    ]


TRUST = 1.0
"""So many rounds of a move at large count beside those of it with what the others did."""


def _shares(edges: Records, is_joint: bool) -> Floats:
    """How likely a role makes each of its moves: as regrets said in the mean, or where it is alone as it tried them."""
    told: Floats = np.asarray(edges["share" if is_joint else "tries"], np.float64)
    total = told.sum()
    return told / total if total > 0 else np.full(len(told), 1 / len(told))


def _empty_tree(roles: int, most_bytes: int) -> JointArrays:
    size = 8 + 8 + JOINT_NODE.itemsize + EDGES_A_NODE * JOINT_EDGE.itemsize + CELLS_A_NODE * 4 * (roles + 1)
    nodes = max(1 << 10, min(MOST_NODES, most_bytes // size))
    places = 1 << (2 * nodes - 1).bit_length()
    return JointArrays(
        np.full(places, -1, np.int32),
        np.empty(nodes, np.uint64),
        np.zeros(nodes + 1, JOINT_NODE),
        np.empty(nodes * EDGES_A_NODE, JOINT_EDGE),
        np.empty((nodes * CELLS_A_NODE, roles + 1), np.float32),
        np.zeros(JOINT_COUNTS, np.int64),
    )


def are_joint_lanes_ready(game: CompiledGame, seconds: float | None) -> bool:
    """Have all made that rounds in lanes take; whether it is, after so long at most, or however long that is."""
    began = time.monotonic()
    if not warm_up(seconds, ("decoupled",)):
        return False
    left = threading.TIMEOUT_MAX if seconds is None else max(0.0, seconds - (time.monotonic() - began))
    return game.make_ready("charge", left)


def run_joint() -> None:
    """Run every kernel of decoupled search once."""
    engine, state = tiny_game()
    lanes = JointLanes(engine.game, most_bytes=1 << 16)
    lanes.search(state, "a", Budget(playouts=100))
    keep_joint(lanes.tree, 2)
