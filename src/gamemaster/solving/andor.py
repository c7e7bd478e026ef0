"""State -> And/Or tree: every position labelled T or F, by the two rules of the textbook.

T says that a role (A) has a perfect winning strategy from there on, F that it has none. An end has its label from the
goals. Where A is about to move, a position is T if at least one child is (the OR rule); where another is, if all
children are (the AND rule). Children are looked at from left to right, and no further than the label needs: after a T
of an OR, or an F of an AND, the rest stays unvisited.

"Winning" is to get a goal of at least so much. Play that comes back to a position on its own way wins nothing there: F.
This is the algorithm to read and to draw; `proofs.py` answers the same question for large games.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from gamemaster.errors import LimitExceeded, Unsuitable
from gamemaster.language.terms import Term
from gamemaster.machine.game import RANDOM, State
from gamemaster.solving.strategy import goal_at_end

__all__ = ["MOST_NODES", "AndOrNode", "and_or_tree"]

MOST_NODES = 100_000
DEEPEST = 400


@dataclass(frozen=True, slots=True)
class AndOrNode:
    """A position in the tree: who is about to move there, after which `move`, and its label; None where unvisited.

    `is_or`: the role that the question is about chooses. Unvisited nodes and ends have no children.
    """

    state: State
    mover: str | None
    is_or: bool
    move: Term | None = None
    label: bool | None = None
    children: tuple[AndOrNode, ...] = field(default=(), repr=False)

    @property
    def is_visited(self) -> bool:
        """Whether the algorithm looked at it."""
        return self.label is not None

    @property
    def letter(self) -> str:
        """T, F, or nothing."""
        return "" if self.label is None else "FT"[self.label]

    @property
    def rule(self) -> str:
        """The rule by which it has its label: OR, AND, or nothing at an end."""
        return ("OR" if self.is_or else "AND") if self.children else ""

    def walk(self) -> Iterator[AndOrNode]:
        """The node and all below it, parents before their children, from left to right."""
        todo = [self]
        while todo:
            node = todo.pop()
            yield node
            todo += reversed(node.children)


def and_or_tree(
    state: State, role: str, goal: int = 100, most_nodes: int = MOST_NODES, *, visits_all: bool = False
) -> AndOrNode:
    """The tree below a state, labelled whether the role can get so much; `visits_all`: no child is left out.

    LimitExceeded where it takes more nodes than `most_nodes`; Unsuitable where several choose at once, or chance does.
    """
    state.game.check_role(role)
    return _Labelling(role, goal, most_nodes, visits_all).label(state, None)


class _Labelling:
    """One run of the algorithm; `path` holds the positions on the way, `nodes` counts those visited."""

    def __init__(self, role: str, goal: int, most_nodes: int, visits_all: bool) -> None:
        self.role = role
        self.goal = goal
        self.most_nodes = most_nodes
        self.visits_all = visits_all
        self.nodes = 0
        self.path: set[State] = set()

    def label(self, state: State, move: Term | None) -> AndOrNode:
        """A node with its label, and all that was visited for it."""
        self._count()
        if state.is_over:
            return AndOrNode(state, None, False, move, goal_at_end(state, self.role) >= self.goal)
        mover = _mover(state)
        is_or = mover == self.role
        if state in self.path:
            return AndOrNode(state, mover, is_or, move, False)
        self.path.add(state)
        children = self._children(state, mover, is_or)
        self.path.discard(state)
        labels = [child.label for child in children if child.label is not None]
        result = any(labels) if is_or else all(labels)
        return AndOrNode(state, mover, is_or, move, result, tuple(children))

    def _children(self, state: State, mover: str, is_or: bool) -> list[AndOrNode]:
        """The children: visited as far as the label needs, from left to right."""
        forced = {other: state.legal_moves(other)[0] for other in state.movers}
        children: list[AndOrNode] = []
        is_decided = False
        for move in state.legal_moves(mover):
            after = state.next({**forced, mover: move})
            if is_decided and not self.visits_all:
                children.append(_unvisited(after, move, self.role))
            else:
                children.append(self.label(after, move))
                is_decided |= children[-1].label is is_or
        return children

    def _count(self) -> None:
        self.nodes += 1
        if self.nodes > self.most_nodes:
            raise LimitExceeded("nodes", f"{self.most_nodes:,} nodes", doing="labelling the And/Or tree")
        if len(self.path) > DEEPEST:
            raise LimitExceeded("steps", f"{DEEPEST} steps", doing="labelling the And/Or tree")


def _unvisited(state: State, move: Term, role: str) -> AndOrNode:
    mover = None if state.is_over else state.chooser
    return AndOrNode(state, mover, mover == role, move)


def _mover(state: State) -> str:
    mover = state.chooser
    if mover is None:
        raise Unsuitable(f"an And/Or tree needs one that chooses: several do in step {state.step + 1}")
    if mover == RANDOM:
        raise Unsuitable(f"an And/Or tree has no place for chance, which chooses in step {state.step + 1}")
    return mover
