"""Information-set Monte Carlo tree search: a tree for each role, whose nodes are what that role knows.

Each round draws a state from those in which the game can be, and goes down from there: chance makes any of its moves,
every role takes the move that its own node says, and a node is all that the role did and saw so far. So a role does the
same in all states that it cannot tell apart: what it learns, or lets others learn, gets its value. With the first new
node a depth charge is fired, and what each role gets is counted in all nodes on the way.

A role takes its move i (tried n_i times, legal in a_i rounds, worth m_i, as a share of what it can get) with the
greatest

    m_i + c sqrt(ln a_i / n_i).

Where two roles oppose each other and the state is hidden, or both choose at once, the best move may be one that nobody
foresees. There (`mixed`) a node with n visits does that only with probability max(0.1, 0.9 / (1 + 0.002 sqrt n)), and
else draws a move as often as it was tried (smooth UCT), and the move chosen is drawn so, too: shares approach those of
an equilibrium. Two roles oppose each other where their goals added up to the same in all playouts. A move tried less
often than `least_share` of the most tried one is not drawn: it was explored. The greater that share, the less is given
away by moves that are nearly as good, and the more can be gained by who foresees the choice.

Where a match goes on, others are believed to play as their nodes say, each move as often as it was tried, with the
probability `trust`, and else by lot: what they did without being seen is likelier to be good than bad.

Any number of roles; refuses nothing, proves nothing. A compiled game is searched in machine code (lane_trees.py), 256
rounds at a time at most; with `lanes=no`, and on the reference machine, in Python. A budget without limits is 1 s.

Sources: Cowling, Powley and Whitehouse 2012 (MO-ISMCTS), Heinrich and Silver 2015 (smooth UCT).
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from gamemaster.language.terms import Term
from gamemaster.machine.game import MAX_LENGTH, RANDOM, Game, State
from gamemaster.search.budget import Budget, Meter
from gamemaster.search.goals import goals_in
from gamemaster.search.hidden.beliefs import Beliefs
from gamemaster.search.hidden.particles import Known, known_after
from gamemaster.search.playouts.batches import Charges, forced, goals_of, limited
from gamemaster.search.result import NOT_SEARCHED, SearchResult

if TYPE_CHECKING:
    from gamemaster.search.hidden.lane_trees import LaneTrees

__all__ = [
    "IsmctsOptions",
    "Options",
    "Trees",
    "drawn_shares",
    "eta",
    "is_unclear",
    "new_trees",
    "result_of",
    "search",
    "search_beliefs",
]

LEAVES = 32
"""The most rounds in one batch, in Python."""

LEAST_ETA, FIRST_ETA, SLOWING = 0.1, 0.9, 0.002
"""How often a node of a mixed choice looks for the best move: see eta."""


@dataclass(frozen=True)
class IsmctsOptions:
    """What ismcts can be told."""

    exploration: float = 0.7
    mixed: bool = True
    lanes: bool = True
    trust: float = 0.8
    least_share: float = 0.6


Options = IsmctsOptions


def search(state: State, role: str, budget: Budget, seed: int = 0, **parameters: Any) -> SearchResult:
    """The move that fresh trees find in a state that is known now; what is hidden afterwards is.

    Its parameters are those of `Options`.
    """
    options = IsmctsOptions(**parameters)
    if only := forced("ismcts", state, role):
        return only
    beliefs = Beliefs.given(state.game, role, random.Random(seed), {state: 1.0})
    return search_beliefs(beliefs, budget, seed, options=options)


def search_beliefs(
    beliefs: Beliefs,
    budget: Budget,
    seed: int = 0,
    *,
    legal: Sequence[Term] | None = None,
    options: IsmctsOptions | None = None,
) -> SearchResult:
    """The move that fresh trees find where the game can be.

    One of `legal`, by default the moves that the role has in all states in which the game can be.
    """
    return new_trees(beliefs.game, seed, options).search(beliefs, budget, legal)


def new_trees(
    game: Game, seed: int = 0, options: IsmctsOptions | None = None, seconds: float | None = None
) -> Trees | LaneTrees:
    """Empty trees for a game: in lanes, if all that takes is there after so long at most, or however long that is."""
    options = options or IsmctsOptions()
    if game.compiled is not None and options.lanes:
        from gamemaster.search.hidden.lane_trees import LaneTrees, are_lanes_ready

        if are_lanes_ready(game.compiled, seconds):
            return LaneTrees(game.compiled, seed, options)
    return Trees(game, seed, options)


class _Node:
    """What a role knows, and what its moves brought it: a list for each move that was legal in some round."""

    __slots__ = ("available", "counts", "moves", "totals", "visits")

    def __init__(self) -> None:
        self.visits = 0
        self.moves: dict[Term, int] = {}
        self.counts: list[int] = []
        self.available: list[int] = []
        self.totals: list[float] = []

    def indices(self, legal: Sequence[Term]) -> list[int]:
        """The moves as numbers; new ones get the next."""
        for move in legal:
            if move not in self.moves:
                self.moves[move] = len(self.counts)
                self.counts.append(0)
                self.available.append(0)
                self.totals.append(0.0)
        return [self.moves[move] for move in legal]


Path = list[tuple[int, _Node, int]]
"""Who chose in a node, and the number of its move."""


class Trees:
    """The trees of all roles in one game; what is found stays from move to move."""

    def __init__(self, game: Game, seed: int = 0, options: IsmctsOptions | None = None) -> None:
        self.game = game
        self.options = options or IsmctsOptions()
        self.generator = random.Random(seed)
        self.goals = [goals_in(game, role) for role in game.roles]
        self.nodes: dict[tuple[int, int], _Node] = {}
        self.sums: set[float] = set()  # of the goals of all roles that choose, of which two are enough
        self.players = [i for i, role in enumerate(game.roles) if role != RANDOM]
        self.can_mix = self.options.mixed and len(self.players) == 2 and is_unclear(game)

    def search(self, beliefs: Beliefs, budget: Budget, legal: Sequence[Term] | None = None) -> SearchResult:
        """Play rounds until the budget is spent, and choose."""
        meter = limited(budget).start()
        legal = beliefs.legal_moves() if legal is None else legal
        roots = _Roots(beliefs)
        if len(legal) > 1 and roots.states:
            charges = Charges(self.game, meter, self.generator)
            rounds = 0
            while size := charges.size():
                rounds += self._batch(roots, charges, min(size, LEAVES, 1 + rounds))
        node = self.nodes.get((self.game.roles.index(beliefs.role), roots.key), _Node())
        return self._result(beliefs.role, node, legal, meter)

    def chances(self, role: str, known: int, legal: Sequence[Term]) -> list[float]:
        """How likely each move of a role is that knows something, as the trees have it: see Model."""
        node = self.nodes.get((self.game.roles.index(role), known))
        counts = [1 + (node.counts[node.moves[move]] if node and move in node.moves else 0) for move in legal]
        trust = self.options.trust
        return [trust * count / sum(counts) + (1 - trust) / len(legal) for count in counts]

    @property
    def is_mixing(self) -> bool:
        """Whether moves are to be drawn: two roles oppose each other, as far as goals have shown."""
        return self.can_mix and len(self.sums) < 2

    # Rounds

    def _batch(self, roots: _Roots, charges: Charges, most: int) -> int:
        """Rounds down to several leaves, depth charges from them all, and the goals back up: how many."""
        pending: list[tuple[Path, State]] = []
        for number in range(most):
            state, known = roots.draw(self.generator)
            path, leaf = self._descend(state, known)
            if leaf.is_over:
                charges.count_end()
                self._add(path, goals_of(leaf))
            else:
                pending.append((path, leaf))
            if charges.meter.left() <= 0:  # a large game: there is no time left for charges
                for untold, _ in pending:
                    _take_back(untold)
                return number + 1
        if pending:
            found = charges.run([leaf for _, leaf in pending])
            for (path, _), goals in zip(pending, found, strict=True):
                self._add(path, [float(goal) for goal in goals])
        return most

    def _descend(self, state: State, known: Known) -> tuple[Path, State]:
        """The way to a leaf, the state after the first new node; moves on it are counted, without reward as yet."""
        path, is_new, steps = Path(), False, 0
        while not state.is_over and not is_new and steps < MAX_LENGTH:
            moves: dict[str, Term] = {}
            steps += 1
            for number, role in enumerate(self.game.roles):
                legal = state.legal_moves(role)
                if role == RANDOM or len(legal) < 2:
                    moves |= {role: self.generator.choice(legal)} if legal else {}
                    continue
                key = number, known[number]
                is_new = is_new or key not in self.nodes
                node = self.nodes.setdefault(key, _Node())
                index = self._pick(number, node, legal)
                moves[role] = legal[index]
                path.append((number, node, node.moves[legal[index]]))
            percepts = state.percepts(moves)
            state, known = state.next(moves), known_after(self.game, known, moves, percepts)
        return path, state

    def _pick(self, role: int, node: _Node, legal: Sequence[Term]) -> int:
        """The place in `legal` of the move that a role tries; among those never tried, any."""
        indices = node.indices(legal)
        node.visits += 1
        for index in indices:
            node.available[index] += 1
        place = self._chosen(role, node, indices)
        node.counts[indices[place]] += 1
        return place

    def _chosen(self, role: int, node: _Node, indices: Sequence[int]) -> int:
        untried = [place for place, index in enumerate(indices) if not node.counts[index]]
        if untried:
            return self.generator.choice(untried)
        counts = [node.counts[index] for index in indices]
        if self.is_mixing and self.generator.random() >= eta(node.visits):
            reached = list(accumulate(counts))
            return self.generator.choices(range(len(counts)), cum_weights=reached)[0]
        goals, exploration = self.goals[role], self.options.exploration
        scores = [
            goals.share(node.totals[index] / count)
            + exploration * math.sqrt(math.log(node.available[index]) / count)
            for index, count in zip(indices, counts, strict=True)
        ]
        return max(range(len(scores)), key=scores.__getitem__)

    def _add(self, path: Path, goals: Sequence[float]) -> None:
        """Give every move on the way what came of it in the end."""
        for role, node, index in path:
            node.totals[index] += goals[role]
        if len(self.sums) < 2:
            self.sums.add(sum(goals[role] for role in self.players))

    # What was found

    def _result(self, role: str, node: _Node, legal: Sequence[Term], meter: Meter) -> SearchResult:
        tried = {move: node.moves[move] for move in legal if move in node.moves}
        visits = {move: node.counts[tried[move]] if move in tried else 0 for move in legal}
        values = {
            move: node.totals[index] / node.counts[index]
            for move, index in tried.items()
            if node.counts[index]
        }
        generator = self.generator if self.is_mixing else None
        return result_of(role, visits, values, generator, meter, len(self.nodes), self.options.least_share)


class _Roots:
    """The states in which the game goes on, drawn as they are likely; the role knows the same in all of them."""

    def __init__(self, beliefs: Beliefs) -> None:
        particles = beliefs.particles
        rows = zip(particles.states(), particles.known(), particles.weights, strict=True)
        found = [row for row in rows if not row[0].is_over]
        self.own = beliefs.game.roles.index(beliefs.role)
        self.states = [state for state, _, _ in found]
        self.key = max(found, key=lambda row: row[2])[1][self.own] if found else 0
        self.known = [(*known[: self.own], self.key, *known[self.own + 1 :]) for _, known, _ in found]
        self.reached = list(accumulate(weight for _, _, weight in found))

    def draw(self, generator: random.Random) -> tuple[State, Known]:
        """A state, and what the roles know there."""
        (index,) = generator.choices(range(len(self.states)), cum_weights=self.reached)
        return self.states[index], self.known[index]


def is_unclear(game: Game) -> bool:
    """Whether roles choose without knowing all: the state is hidden, or they choose at once."""
    return game.has_percepts or game.kind.turns != "turn-taking"


def eta(visits: int) -> float:
    """How often a node of a mixed choice takes the move that looks best, instead of one as often as it was tried."""
    return max(LEAST_ETA, FIRST_ETA / (1 + SLOWING * math.sqrt(visits)))


def drawn_shares(visits: Mapping[Term, int], least_share: float) -> dict[Term, float]:
    """How likely each move is, where the choice is mixed: as often as it was tried, but for what was only explored."""
    most = max(visits.values(), default=0)
    kept = {move: count for move, count in visits.items() if count and count >= least_share * most}
    return {move: count / sum(kept.values()) for move, count in kept.items()}


def result_of(
    role: str,
    visits: Mapping[Term, int],
    values: Mapping[Term, float],
    generator: random.Random | None,
    meter: Meter,
    nodes: int,
    least_share: float,
) -> SearchResult:
    """The most tried move, or with a generator one drawn as often as it was tried, and what such a choice is worth."""
    move = max(visits, key=lambda each: (visits[each], values.get(each, 0.0)), default=None)
    shares = drawn_shares(visits, least_share)
    if generator is not None and shares:
        (move,) = generator.choices(list(shares), list(shares.values()))
    value = values.get(move, 0.0) if move is not None else 0.0
    notes = "" if values or len(visits) < 2 else NOT_SEARCHED
    if generator is not None and len(shares) > 1:
        value = math.fsum(share * values[each] for each, share in shares.items())
        notes = "drawn: " + ", ".join(f"{each} {share:.0%}" for each, share in shares.items())
    return SearchResult(
        "ismcts",
        role,
        move,
        value,
        values,
        visits,
        line=() if move is None else (move,),
        depth=min(1, len(values)),
        nodes=nodes,
        playouts=meter.playouts,
        seconds=meter.seconds,
        notes=notes,
    )


def _take_back(path: Path) -> None:
    """Forget a round of which nothing came."""
    for _, node, index in path:
        node.visits -= 1
        node.counts[index] -= 1
