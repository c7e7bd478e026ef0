"""Monte Carlo tree search: UCT, with RAVE or GRAVE, that proves wins and losses and keeps its tree.

Each round goes down the tree from the root. At a node with n visits it takes the child i (visits n_i, mean m_i of the
mover's rewards, as a share of what it can get) with the greatest

    (1 - b) m_i + b a_i + c sqrt(ln n / n_i),      b = k_i / (k_i + n_i + 4 e^2 k_i n_i),

a_i being the mean of the k_i rounds through a node above in which the mover made that move at any later time (AMAF):
that node is the same one for `amaf="rave"`, and the nearest with 50 visits for "grave"; without AMAF b is 0. Chance
picks at random. From the leaves of a round depth charges are fired, all in one batch; until they come back, a visit
counts as lost, which sends the next round elsewhere. AMAF has to know the moves of a playout, which batches do not
tell: with it, playouts are made one by one, and are fewer by far.

Solver: each node has bounds on what the searching role gets. Its own nodes take the maximum of their children's
bounds, chance their mean, the other role the minimum. Children that cannot matter any more are not visited.

Assumes: with two roles, that what one wins the other loses; with more, that each plays for itself, and bounds hold
whatever they do. Refuses: steps in which several roles choose at once. A budget without limits is 1 s.

Sources: Kocsis and Szepesvari 2006 (UCT), Gelly and Silver 2011 (RAVE), Cazenave 2015 (GRAVE), Winands, Bjornsson and
Saito 2008 and Cazenave and Saffidine 2010 (solver, bounds), Chaslot, Winands and van den Herik 2008 (virtual loss).
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from gamemaster.errors import Unsuitable
from gamemaster.language.terms import Symbol, Term
from gamemaster.machine.game import MAX_LENGTH, RANDOM, State
from gamemaster.search.budget import Budget, Meter
from gamemaster.search.goals import USUAL, Goals, goals_in
from gamemaster.search.playouts.batches import (
    Charges,
    clamp,
    forced,
    goals_of,
    limited,
    successor_after,
    worth,
)
from gamemaster.search.result import NOT_SEARCHED, SearchResult

__all__ = ["Amaf", "UctNode", "UctOptions", "UctTree", "search"]

Amaf = Literal["none", "rave", "grave"]

NO_MOVE = Symbol("")
"""The move that leads to a root."""

NOBODY = -1
"""The index of a role that the game does not have, or of a mover that is not known yet."""

NOTHING = (0.0, 0.0)


@dataclass(frozen=True, slots=True)
class UctOptions:
    """How the tree is searched."""

    exploration: float = 0.5  # c in the formula
    amaf: Amaf = "none"
    bias: float = 0.1  # e in the formula: what AMAF is wrong by
    reference_visits: int = 50  # GRAVE takes its statistics from a node visited so often
    solver: bool = True
    leaves: int = 32  # the most leaves in one batch

    def __post_init__(self) -> None:
        if self.amaf not in ("none", "rave", "grave"):
            raise ValueError(f"amaf {self.amaf!r} is not one of 'none', 'rave', 'grave'")


DEFAULTS = UctOptions()


def search(
    state: State,
    role: str,
    budget: Budget,
    seed: int = 0,
    *,
    exploration: float = DEFAULTS.exploration,
    amaf: Amaf = DEFAULTS.amaf,
    solver: bool = DEFAULTS.solver,
) -> SearchResult:
    """The most visited move of a fresh tree, or a proven one."""
    options = UctOptions(exploration=exploration, amaf=amaf, solver=solver)
    return UctTree(state, role, seed, options).search(budget)


class UctNode:
    """A state, how often it was visited, and with what rewards; its children come when it is expanded."""

    __slots__ = ("amaf", "children", "high", "low", "move", "mover", "state", "totals", "visits")

    state: State  # from the first visit on

    def __init__(self, move: Term, roles: int, goals: Goals = USUAL) -> None:
        self.move = move
        self.visits = 0
        self.totals = [0.0] * roles
        self.low, self.high = goals.floor, goals.ceiling
        self.mover = NOBODY  # the index of the role that chooses, from when it is expanded
        self.children: list[UctNode] = []
        self.amaf: dict[tuple[int, Term], list[float]] = {}  # (role, move) -> sum of its rewards, count

    @property
    def is_proven(self) -> bool:
        """Whether its value is known."""
        return self.low == self.high


Moves = list[tuple[int, Term]]
"""The moves of a round by role."""


class UctTree:
    """The tree of one role in one game; `advance` keeps what is below the state that play has reached."""

    def __init__(self, state: State, role: str, seed: int = 0, options: UctOptions | None = None) -> None:
        game = state.game
        game.check_role(role)
        self.game, self.role = game, role
        self.options = options or DEFAULTS
        self.generator = random.Random(seed)
        self.own = game.roles.index(role)
        self.goals = [goals_in(game, each) for each in game.roles]
        self.sum = self.goals[self.own].sum
        self.chance = game.roles.index(RANDOM) if RANDOM in game.roles else NOBODY
        players = [index for index in range(len(game.roles)) if index != self.chance]
        self.rival = next(index for index in players if index != self.own) if len(players) == 2 else NOBODY
        self.root = self._node(state)

    def advance(self, state: State) -> bool:
        """Make a state the root: whether it was in the tree already, else a new tree begins there."""
        layer = [self.root]
        for _ in range(state.step - self.root.state.step):
            layer = [child for node in layer for child in node.children if child.visits]
        found = next((node for node in layer if node.state == state), None)
        self.root = found or self._node(state)
        return found is not None

    def search(self, budget: Budget) -> SearchResult:
        """Grow the tree until the budget is spent or the root proven, and choose."""
        if only := forced("uct", self.root.state, self.role):
            return only
        self._mover_in(self.root.state)  # refused here, whether or not there is time to come to it
        meter = limited(budget).start()
        self.grow(meter)
        return self.result(meter)

    def grow(self, meter: Meter) -> None:
        """Rounds until the budget is spent or the root proven."""
        charges = Charges(self.game, meter, self.generator)
        while not self.root.is_proven and (size := charges.size()):
            if self.options.amaf == "none":
                self._batch(charges, size)
            else:
                self._round_with_moves(meter)

    # Rounds

    def _batch(self, charges: Charges, size: int) -> None:
        """Rounds down to several leaves, depth charges from them all, and their rewards back up."""
        most = min(self.options.leaves, size, 1 + self.root.visits)  # few while there is little to go by
        paths: list[list[UctNode]] = []
        for _ in range(most):
            path = self._descend()
            if path[-1].is_proven:
                charges.count_end()
                self._add(path, self._proven_rewards(path[-1]))
            else:
                paths.append(path)
            if self.root.is_proven:
                break
            if charges.meter.left() <= 0:  # a large game: there is no time left for charges
                for node in itertools.chain(*paths):
                    node.visits -= 1
                return
        if paths:
            found = charges.means([path[-1].state for path in paths], size)
            for path, goals in zip(paths, found, strict=True):
                self._add(path, self._rewards(goals))

    def _round_with_moves(self, meter: Meter) -> None:
        """A round whose playout tells its moves, which go into the AMAF statistics of the nodes on its way."""
        path = self._descend()
        leaf = path[-1]
        meter.nodes += 1
        meter.playouts += 1
        moves: Moves = []
        rewards = self._proven_rewards(leaf) if leaf.is_proven else self._playout(leaf, moves)
        for index in reversed(range(len(path))):
            for role, move in set(moves):
                entry = path[index].amaf.setdefault((role, move), [0.0, 0.0])
                entry[0] += rewards[role]
                entry[1] += 1
            if index:
                moves.append((path[index - 1].mover, path[index].move))
        self._add(path, rewards)

    def _playout(self, leaf: UctNode, moves: Moves) -> list[float]:
        """The rewards of a random game, and its moves."""
        state = leaf.state
        last = state.step + MAX_LENGTH
        while not state.is_terminal and state.step < last and state.movers:
            made = state.random_moves(self.generator)
            moves += [(i, made[role]) for i, role in enumerate(self.game.roles) if role in made]
            state = state.next(made)
        return self._rewards(goals_of(state))

    def _descend(self) -> list[UctNode]:
        """The way to a leaf; each node on it gets a visit, which counts as lost until the rewards are added."""
        node, path = self.root, [self.root]
        node.visits += 1
        while not node.is_proven and (node.children or node.visits > 1):
            if not node.children:
                self._expand(node)
            parent, node = node, self._pick(node, path)
            if not node.visits:
                mover = self.game.roles[parent.mover]
                self._enter(node, successor_after(parent.state, mover, node.move))
            node.visits += 1
            path.append(node)
        if node.is_proven:
            self._prove(path)
        return path

    def _expand(self, node: UctNode) -> None:
        mover = self._mover_in(node.state)
        node.mover = self.game.roles.index(mover)
        moves = list(node.state.legal_moves(mover))
        self.generator.shuffle(moves)
        node.children = [UctNode(move, len(self.game.roles), self.goals[self.own]) for move in moves]

    def _mover_in(self, state: State) -> str:
        """The role that chooses in a state; Unsuitable where several do."""
        mover = state.chooser
        if mover is None:
            raise Unsuitable(
                f"uct cannot play {self.game.name}: several roles choose at once in step {state.step + 1}; "
                "take decoupled or mcs"
            )
        return mover

    def _node(self, state: State) -> UctNode:
        node = UctNode(NO_MOVE, len(self.game.roles), self.goals[self.own])
        self._enter(node, state)
        return node

    def _enter(self, node: UctNode, state: State) -> None:
        """Give a node its state; it is proven where the game is over, or nobody can move."""
        node.state = state
        if state.is_over:
            node.low = node.high = worth(state, self.role)

    def _pick(self, node: UctNode, path: list[UctNode]) -> UctNode:
        """The child to go down to, among those that can still matter."""
        if node.mover == self.chance:
            return self.generator.choice(node.children)
        children = [child for child in node.children if self._matters(node, child)] or node.children
        options = self.options
        amaf = node.amaf
        if options.amaf == "grave":
            known = (above for above in reversed(path) if above.visits >= options.reference_visits)
            amaf = next(known, self.root).amaf
        log = math.log(node.visits)
        best, best_score = children[0], -1.0
        for child in children:
            score = self._score(node.mover, child, amaf, log)
            if score == math.inf:
                return child
            if score > best_score:
                best, best_score = child, score
        return best

    def _score(
        self, mover: int, child: UctNode, amaf: dict[tuple[int, Term], list[float]], log: float
    ) -> float:
        """The formula above: unvisited children come first, but for what AMAF knows of them."""
        total, count = amaf.get((mover, child.move), NOTHING)
        if not child.visits:
            return 1 + self._share(total / count, mover) if count else math.inf
        visits = child.visits
        value = self._share(self._value(child, mover), mover)
        if count:
            weight = count / (count + visits + 4 * self.options.bias**2 * count * visits)
            value += weight * (self._share(total / count, mover) - value)
        return value + self.options.exploration * math.sqrt(log / visits)

    def _value(self, node: UctNode, role: int) -> float:
        """A node's mean for a role, within its bounds."""
        mean = node.totals[role] / node.visits if node.visits else self.sum / 2
        if role == self.own:
            return clamp(mean, node.low, node.high)
        return clamp(mean, self.sum - node.high, self.sum - node.low) if role == self.rival else mean

    def _share(self, value: float, role: int) -> float:
        """A value as a share of what there is; for the only rival, of what the searching role can get."""
        return self.goals[self.own if role == self.rival else role].share(value)

    # Rewards and proofs

    def _rewards(self, goals: Sequence[float]) -> list[float]:
        """What each role is after: its goal; for the only rival, what the searching role does not get."""
        rewards = [float(goal) for goal in goals]
        if self.rival != NOBODY:
            rewards[self.rival] = self.sum - rewards[self.own]
        return rewards

    def _proven_rewards(self, leaf: UctNode) -> list[float]:
        """What a proven leaf brings: its goals where the game is over, else its mean and what is proven."""
        if leaf.state.is_over:
            return self._rewards(goals_of(leaf.state))
        rewards = [total / max(1, leaf.visits - 1) for total in leaf.totals]
        rewards[self.own] = leaf.low
        if self.rival != NOBODY:
            rewards[self.rival] = self.sum - leaf.low
        return rewards

    def _add(self, path: list[UctNode], rewards: list[float]) -> None:
        for node in path:
            node.totals = [total + reward for total, reward in zip(node.totals, rewards, strict=True)]

    def _matters(self, node: UctNode, child: UctNode) -> bool:
        """Whether more visits of a child can change what its parent is worth."""
        if not self.options.solver:
            return True
        if child.is_proven:
            return False
        if node.mover == self.own:
            return child.high > node.low
        return self.rival == NOBODY or child.low < node.high

    def _prove(self, path: list[UctNode]) -> None:
        """Take the bounds of a proven leaf up, as far as they change anything."""
        if not self.options.solver:
            return
        for node in reversed(path[:-1]):
            low, high = self._bounds(node)
            if (low, high) == (node.low, node.high):
                return
            node.low, node.high = low, high

    def _bounds(self, node: UctNode) -> tuple[float, float]:
        lows = [child.low for child in node.children]
        highs = [child.high for child in node.children]
        if node.mover == self.chance:
            return sum(lows) / len(lows), sum(highs) / len(highs)
        if node.mover == self.own:
            return max(lows), max(highs)
        return min(lows), min(highs) if self.rival != NOBODY else max(highs)

    # What was found

    def result(self, meter: Meter) -> SearchResult:
        """The move to make and why."""
        root = self.root
        nodes = {child.move: child for child in root.children}
        legal = root.state.legal_moves(self.role)
        line = self._line(root)
        best = line[0] if line else legal[0]
        values = {move: self._value(nodes[move], self.own) if nodes else self.sum / 2 for move in legal}
        return SearchResult(
            "uct",
            self.role,
            best,
            values[best],
            values=values,
            visits={move: nodes[move].visits if nodes else 0 for move in legal},
            line=line or (best,),
            depth=len(line),
            nodes=meter.nodes,
            playouts=meter.playouts,
            seconds=meter.seconds,
            is_proven=root.is_proven,
            lines={move: (move, *self._line(node)) for move, node in nodes.items() if move in legal},
            notes="" if any(node.visits for node in nodes.values()) else NOT_SEARCHED,
        )

    def _line(self, node: UctNode) -> tuple[Term, ...]:
        """The moves to expect from a node on, as far as they were tried."""
        line: list[Term] = []
        while node.children and node.mover != self.chance:
            node = self._best(node)
            if not node.visits:
                break
            line.append(node.move)
        return tuple(line)

    def _best(self, node: UctNode) -> UctNode:
        """The most visited child that is not proven, or a proven one that is worth as much."""
        mover = node.mover
        unproven = max((c for c in node.children if not c.is_proven), key=lambda c: c.visits, default=None)
        proven = [child for child in node.children if child.is_proven]
        surest = max(proven, key=lambda child: self._value(child, mover), default=None)
        if unproven is None or surest is None:
            return surest or unproven or node
        is_sure = not unproven.visits or self._value(surest, mover) >= self._value(unproven, mover)
        return surest if is_sure else unproven
