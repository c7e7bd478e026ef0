"""GameTree: a tree of states that grows best-first and is kept from move to move.

Each step goes down from the root by a rule of its own (`Choice`) to a node that has no children yet, makes all of
them, and takes their values up: a leaf is worth the role's goal in its state, terminal or not, and 0 at a dead end; a
node the maximum of its children where the role moves, the minimum where another one does, the mean where chance does.
A node is complete when nothing below it can change its value: it is terminal, all its children are complete, or one of
them is complete with the most there is (own move) or the least (another's): 100 and 0 as a rule.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from gamemaster.errors import Unsuitable
from gamemaster.language.terms import Term
from gamemaster.machine.game import RANDOM, State
from gamemaster.search.budget import Budget, Meter, OutOfBudget
from gamemaster.search.goals import goals_in
from gamemaster.search.playouts.batches import forced, limited, successor_after, worth
from gamemaster.search.result import NOT_SEARCHED, SearchResult

__all__ = ["Choice", "GameTree", "GrownNode"]


@dataclass(eq=False, slots=True)
class GrownNode:
    """A state in the tree. `mover` is None until it is expanded."""

    state: State
    utility: float
    is_complete: bool
    visits: int = 0
    mover: str | None = None
    children: dict[Term, GrownNode] = field(default_factory=dict)

    def open_children(self) -> list[GrownNode]:
        """The children that are not complete."""
        return [child for child in self.children.values() if not child.is_complete]


Choice = Callable[[GrownNode, bool], GrownNode]
"""Which incomplete child of a node to go down to; the flag says whether it is the searching role's own choice."""


class GameTree:
    """The tree of one role in one game; `advance` keeps what is below the state that play has reached."""

    def __init__(self, algorithm: str, state: State, role: str, choice: Choice, seed: int = 0) -> None:
        state.game.check_role(role)
        self.algorithm = algorithm
        self.role = role
        self.choice = choice
        self.goals = goals_in(state.game, role)
        self.generator = random.Random(seed)
        self.root = self._leaf(state)

    def advance(self, state: State) -> bool:
        """Make a state the root: whether it was in the tree already, else a new tree begins there."""
        found = self._find(state)
        self.root = found or self._leaf(state)
        return found is not None

    def _find(self, state: State) -> GrownNode | None:
        layer = [self.root]
        for _ in range(state.step - self.root.state.step):
            layer = [child for node in layer for child in node.children.values()]
        return next((node for node in layer if node.state == state), None)

    def search(self, budget: Budget) -> SearchResult:
        """Grow the tree until the budget is spent or the root complete, and choose."""
        if only := forced(self.algorithm, self.root.state, self.role):
            return only
        meter = limited(budget).start()
        try:
            while not self.root.is_complete:
                self._step(meter)
        except OutOfBudget:
            pass
        return self._result(meter)

    def _step(self, meter: Meter) -> None:
        """Go down to a node without children, make them, and take the values up."""
        node, path = self.root, [self.root]
        while node.children:
            node = self.choice(node, node.mover == self.role)
            path.append(node)
        self._expand(node, meter)
        for node in reversed(path):
            node.visits += 1
            self._back_up(node)

    def _leaf(self, state: State) -> GrownNode:
        return GrownNode(state, worth(state, self.role), state.is_over)

    def _expand(self, node: GrownNode, meter: Meter) -> None:
        state = node.state
        mover = state.chooser
        if mover is None:
            raise Unsuitable(
                f"{self.algorithm} cannot play {state.game.name}: several roles choose at once "
                f"in step {state.step + 1}; take decoupled or mcs"
            )
        moves = list(state.legal_moves(mover))
        self.generator.shuffle(moves)
        children: dict[Term, GrownNode] = {}
        for move in moves:
            meter.node()
            children[move] = self._leaf(successor_after(state, mover, move))
        node.mover, node.children = mover, children

    def _back_up(self, node: GrownNode) -> None:
        children = node.children.values()
        utilities = [child.utility for child in children]
        node.is_complete = all(child.is_complete for child in children)
        if node.mover == RANDOM:
            node.utility = sum(utilities) / len(utilities)
            return
        goals = self.goals
        pick, best = (max, goals.ceiling) if node.mover == self.role else (min, goals.floor)
        node.utility = pick(utilities)
        node.is_complete |= any(child.is_complete and child.utility == best for child in children)

    def _result(self, meter: Meter) -> SearchResult:
        root = self.root
        legal = root.state.legal_moves(self.role)
        children = root.children
        line = self._line(root)
        lines = {move: (move, *self._line(child)) for move, child in children.items() if move in legal}
        best = line[0] if line else legal[0]
        return SearchResult(
            self.algorithm,
            self.role,
            best,
            children[best].utility if children else root.utility,
            values={move: children[move].utility if children else root.utility for move in legal},
            visits={move: children[move].visits if children else 0 for move in legal},
            line=line or (best,),
            depth=len(line),
            nodes=meter.nodes,
            seconds=meter.seconds,
            is_proven=root.is_complete,
            lines=lines,
            notes="" if children else NOT_SEARCHED,
        )

    def _line(self, node: GrownNode) -> tuple[Term, ...]:
        """The best move of each role in turn from a node on, as far as the tree goes along it."""
        line: list[Term] = []
        while node.children and node.mover != RANDOM:
            sign = 1 if node.mover == self.role else -1
            move = max(node.children, key=lambda move: self._rank(node.children[move], sign))
            line.append(move)
            node = node.children[move]
        return tuple(line)

    def _rank(self, child: GrownNode, sign: int) -> tuple[float, int, int]:
        """How good a child is for its parent's mover; of equal values, a certain one first, a certain loss last."""
        is_loss = child.utility == (self.goals.floor if sign > 0 else self.goals.ceiling)
        certainty = 0 if not child.is_complete else -1 if is_loss else 1
        return (sign * child.utility, certainty, child.visits)
