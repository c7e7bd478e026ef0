"""Decoupled search: every role picks its move by itself, so roles may choose at the same time.

Where one role chooses, it takes its move i (tried n_i times, worth m_i, as a share of what the role can get) with the
greatest  m_i + c sqrt(ln n / n_i)  (UCT). Chance, the role `random`, picks any of its moves with the same probability.
Where several choose, a compiled game and the others differ:

In machine code (joint_lanes.py), by regret matching. A state keeps the mean of each joint move, a cell of its matrix.
When all have chosen, every role adds to the regret of its move a what it would bring beside what the others do,

    R(a) <- max(0, R(a) + mean(a, b) - sum over its moves x of p(x) mean(x, b)),

and makes a the next time with p(a) = R(a) / sum R; but `stray` of the times any move, against which nobody plays. In
the mean, late rounds counting more, p approaches an equilibrium where two roles oppose each other, and dominated moves
are dropped. With `mixed` the move is drawn by that mean, which no opponent can foresee; `chances` and the notes say how
likely each was. Values are what a move is worth against the mean play of the others. A cell never tried counts as its
move at large, as do all where there are more than 256 joint moves.

In Python, with `lanes=no` and on the reference machine, by fictitious play: UCT, where m_i is what the move brings
against the others' moves, each as often as they made it in all,

    m_i = sum over b of p(b) mean(i, b).

The plain mean would not do: roles that see the same numbers move in step, and take for cause what only coincides (in
the prisoner's dilemma, that trust is answered by trust). Shares of tries approach the same equilibria. Depth charges
are fired from new nodes, in batches, and until they come back the moves on the way count as lost.

Assumes: each role plays for itself. Any number of roles. Refuses nothing, proves nothing. A budget without limits is
1 s.

Sources: Finnsson and Bjornsson 2008 (CadiaPlayer), Lanctot, Lisy and Winands 2013 (regret matching in trees), Tammelin
2014 (regret matching plus), Shafiei, Sturtevant and Schaeffer 2009 (moving in step), Brown 1951 (fictitious play), Tak,
Lanctot and Winands 2014 (variants, mixed choice).
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gamemaster.language.terms import Term
from gamemaster.machine.game import RANDOM, Game, State
from gamemaster.search.budget import Budget, Meter
from gamemaster.search.goals import goals_in
from gamemaster.search.playouts.batches import Charges, forced, goals_of, limited
from gamemaster.search.result import NOT_SEARCHED, SearchResult

if TYPE_CHECKING:
    from gamemaster.search.playouts.joint_lanes import JointLanes

__all__ = ["DecoupledOptions", "JointTree", "Options", "chosen_of", "new_lanes", "search"]

EXPLORATION = 0.5
LEAVES = 32
"""The most leaves in one batch of charges."""

STRAY = 0.1
"""How often a role picks any move where several roles choose."""

LEAST_SHARE = 0.05
"""A move that is less likely than this share of the likeliest is not drawn: it was explored."""

MOST_JOINT = 256
"""With more joint moves than this at a node the plain mean is taken: going through them all would take too long."""


@dataclass(frozen=True)
class DecoupledOptions:
    """What decoupled can be told."""

    exploration: float = EXPLORATION  # c: how much a move counts for having been tried little
    stray: float = STRAY  # how often a role picks any move where several choose
    mixed: bool = True  # whether the move is drawn where several choose, else the likeliest
    lanes: bool = True  # in machine code, where the game is compiled


Options = DecoupledOptions


def search(state: State, role: str, budget: Budget, seed: int = 0, **parameters: Any) -> SearchResult:
    """The move that a fresh tree finds; its parameters are those of `Options`."""
    options = DecoupledOptions(**parameters)
    if lanes := new_lanes(state.game, seed, options):
        return lanes.search(state, role, budget)
    tree = JointTree(state, role, seed, exploration=options.exploration, stray=options.stray)
    return tree.search(budget, mixed=options.mixed)


def new_lanes(
    game: Game, seed: int = 0, options: DecoupledOptions | None = None, seconds: float | None = None
) -> JointLanes | None:
    """An empty graph of a game in machine code, if all that takes is there after so long at most; else None."""
    options = options or DecoupledOptions()
    if game.compiled is None or not options.lanes:
        return None
    from gamemaster.search.playouts.joint_lanes import JointLanes, are_joint_lanes_ready

    return JointLanes(game.compiled, seed, options) if are_joint_lanes_ready(game.compiled, seconds) else None


def chosen_of(
    shares: Mapping[Term, float],
    values: Mapping[Term, float],
    visits: Mapping[Term, int],
    generator: random.Random | None,
) -> tuple[Term, float, dict[Term, float], str]:
    """A move, what it or the mix is worth, how likely each was if it was drawn, and that in words.

    Drawn with a generator, moves made hardly ever left out; else the one that was made most.
    """
    best = max(shares, key=lambda each: (shares[each], visits.get(each, 0), values.get(each, 0.0)))
    kept = {
        move: share
        for move, share in shares.items()
        if share > 0.0 and share >= LEAST_SHARE * shares[best] and visits[move]
    }
    if generator is None or len(kept) < 2:
        return best, values.get(best, 0.0), {}, ""
    total = math.fsum(kept.values())
    chances = {move: share / total for move, share in kept.items()}
    (move,) = generator.choices(list(chances), list(chances.values()))
    value = math.fsum(chance * values[each] for each, chance in chances.items())
    return (
        move,
        value,
        chances,
        "drawn: " + ", ".join(f"{each} {share:.0%}" for each, share in chances.items()),
    )


class _Round:
    """A state and what each role's moves brought it; children by joint move."""

    __slots__ = (
        "children",
        "choosers",
        "counts",
        "goals",
        "movers",
        "moves",
        "state",
        "sums",
        "totals",
        "visits",
    )

    def __init__(self, state: State) -> None:
        self.state = state
        self.visits = 0
        self.sums = [0.0] * len(state.game.roles)  # the goals of all rounds through here
        self.goals = goals_of(state) if state.is_over else None
        roles = range(len(state.game.roles)) if self.goals is None else ()
        legal = [(i, state.legal_moves(state.game.roles[i])) for i in roles]
        self.movers = [i for i, moves in legal if moves]
        self.moves = [moves for _, moves in legal if moves]
        self.choosers = [i for i, moves in enumerate(self.moves) if len(moves) > 1]
        self.counts = [[0] * len(moves) for moves in self.moves]
        self.totals = [[0.0] * len(moves) for moves in self.moves]
        self.children: dict[tuple[int, ...], _Round] = {}


Path = list[tuple[_Round, tuple[int, ...]]]
"""Nodes, and in each the index of the move that every mover made."""


class JointTree:
    """The tree of one role in one game; `advance` keeps what is below the state that play has reached."""

    def __init__(
        self,
        state: State,
        role: str,
        seed: int = 0,
        *,
        exploration: float = EXPLORATION,
        stray: float = STRAY,
    ) -> None:
        state.game.check_role(role)
        self.game, self.role = state.game, role
        self.exploration, self.stray = exploration, stray
        self.goals = [goals_in(state.game, each) for each in state.game.roles]
        self.generator = random.Random(seed)
        self.root = _Round(state)

    def advance(self, state: State) -> bool:
        """Make a state the root: whether it was in the tree already, else a new tree begins there."""
        layer = [self.root]
        for _ in range(state.step - self.root.state.step):
            layer = [child for node in layer for child in node.children.values()]
        found = next((node for node in layer if node.state == state), None)
        self.root = found or _Round(state)
        return found is not None

    def search(self, budget: Budget, *, mixed: bool = False) -> SearchResult:
        """Grow the tree until the budget is spent, and choose."""
        if only := forced("decoupled", self.root.state, self.role):
            return only
        meter = limited(budget).start()
        charges = Charges(self.game, meter, self.generator)
        while size := charges.size():
            self._batch(charges, size)
        return self._result(meter, mixed)

    # Rounds

    def _batch(self, charges: Charges, size: int) -> None:
        """Rounds down to several leaves, depth charges from them all, and the goals back up."""
        most = min(size, LEAVES, 1 + self.root.visits)  # few while there is little to go by
        pending: list[tuple[Path, _Round]] = []
        for _ in range(most):
            path, leaf = self._descend()
            if leaf.goals is not None:
                charges.count_end()
                _add(path, leaf, leaf.goals)
            else:
                pending.append((path, leaf))
            if charges.meter.left() <= 0:  # a large game: there is no time left for charges
                for untold in pending:
                    _take_back(*untold)
                return
        if pending:
            found = charges.means([leaf.state for _, leaf in pending], size)
            for (path, leaf), goals in zip(pending, found, strict=True):
                _add(path, leaf, goals)

    def _descend(self) -> tuple[Path, _Round]:
        """The way to a leaf; moves on it are counted, without reward as yet."""
        node, path = self.root, Path()
        node.visits += 1
        while node.goals is None and (node.children or node.visits > 1):
            chosen = tuple(self._pick(node, i) for i in range(len(node.movers)))
            for counts, index in zip(node.counts, chosen, strict=True):
                counts[index] += 1
            path.append((node, chosen))
            node = self._child(node, chosen)
            node.visits += 1
        return path, node

    def _pick(self, node: _Round, i: int) -> int:
        """The index of the move that the i-th mover tries; among those never tried, any."""
        counts = node.counts[i]
        if len(counts) == 1:
            return 0
        is_stray = len(node.choosers) > 1 and self.generator.random() < self.stray
        if is_stray or self.game.roles[node.movers[i]] == RANDOM:
            return self.generator.randrange(len(counts))
        untried = [index for index, count in enumerate(counts) if not count]
        if untried:
            return self.generator.choice(untried)
        log, goals = math.log(node.visits), self.goals[node.movers[i]]
        scores = [
            goals.share(mean) + self.exploration * math.sqrt(log / count)
            for mean, count in zip(_means(node, i), counts, strict=True)
        ]
        return max(range(len(scores)), key=scores.__getitem__)

    def _child(self, node: _Round, chosen: tuple[int, ...]) -> _Round:
        child = node.children.get(chosen)
        if child is None:
            roles = [self.game.roles[i] for i in node.movers]
            made = {role: moves[index] for role, moves, index in zip(roles, node.moves, chosen, strict=True)}
            child = node.children[chosen] = _Round(node.state.next(made))
        return child

    # What was found

    def _result(self, meter: Meter, mixed: bool) -> SearchResult:
        root = self.root
        own = root.movers.index(self.game.roles.index(self.role))
        moves, counts, means = root.moves[own], root.counts[own], _means(root, own)
        is_drawn = mixed and len(root.choosers) > 1 and any(counts)
        visits, values = dict(zip(moves, counts, strict=True)), dict(zip(moves, means, strict=True))
        move, value, chances, notes = chosen_of(
            self._drawn_shares(visits), values, visits, self.generator if is_drawn else None
        )
        lines = {move: self._line(root, own, i) for i, move in enumerate(moves) if counts[i]}
        line = lines.get(move, (move,))
        return SearchResult(
            "decoupled",
            self.role,
            move,
            value,
            values=values,
            visits=visits,
            line=line,
            depth=len(line),
            nodes=meter.nodes,
            playouts=meter.playouts,
            seconds=meter.seconds,
            lines=lines,
            chances=chances,
            notes=notes if any(counts) else NOT_SEARCHED,
        )

    def _drawn_shares(self, visits: Mapping[Term, int]) -> dict[Term, float]:
        """How likely each move is: as often as it was tried, but for what was only explored."""
        explored = self.stray * sum(visits.values()) / len(visits)
        return {move: max(0.0, count - explored) for move, count in visits.items()}

    def _line(self, node: _Round, own: int, chosen: int) -> tuple[Term, ...]:
        """The moves along the joint moves that were tried most: of the one who chooses, else of the searching role."""
        line = [node.moves[own][chosen]]
        children = {joint: child for joint, child in node.children.items() if joint[own] == chosen}
        role = self.game.roles.index(self.role)
        while children:
            node = max(children.values(), key=lambda child: child.visits)
            children = node.children
            if children:
                joint = max(children, key=lambda joint: children[joint].visits)
                shown = node.movers.index(role) if role in node.movers else 0
                shown = node.choosers[0] if len(node.choosers) == 1 else shown
                line.append(node.moves[shown][joint[shown]])
        return tuple(line)


def _add(path: Path, leaf: _Round, goals: Sequence[float]) -> None:
    """Give every node and move on the way what came of it in the end."""
    for node, chosen in path:
        for role, totals, index in zip(node.movers, node.totals, chosen, strict=True):
            totals[index] += goals[role]
    for node in (leaf, *(node for node, _ in path)):
        node.sums = [total + goal for total, goal in zip(node.sums, goals, strict=True)]


def _take_back(path: Path, leaf: _Round) -> None:
    """Forget a round of which nothing came."""
    child = leaf
    child.visits -= 1
    for node, chosen in reversed(path):
        if not child.visits:
            del node.children[chosen]
        for counts, index in zip(node.counts, chosen, strict=True):
            counts[index] -= 1
        node.visits -= 1
        child = node


def _means(node: _Round, i: int) -> list[float]:
    """What each move of the i-th mover is worth to it: m_i above; 0 for moves never tried."""
    if len(node.choosers) < 2 or len(node.children) > MOST_JOINT:
        pairs = zip(node.totals[i], node.counts[i], strict=True)
        return [total / count if count else 0.0 for total, count in pairs]
    role = node.movers[i]
    cells = [
        (joint[i], joint[:i] + joint[i + 1 :], child.visits, child.sums[role] / child.visits)
        for joint, child in node.children.items()
    ]
    often: dict[tuple[int, ...], int] = {}
    for _, others, visits, _ in cells:
        often[others] = often.get(others, 0) + visits
    worth, weight = [0.0] * len(node.moves[i]), [0] * len(node.moves[i])
    for index, others, _, mean in cells:
        worth[index] += often[others] * mean
        weight[index] += often[others]
    return [total / count if count else 0.0 for total, count in zip(worth, weight, strict=True)]
