"""A state -> the tree of all moves from it, to a depth: what a search without any memory looks at.

A chance node stands where chance decides: the step itself where only chance moves, else between a role's move and what
comes of it. Leaves are worth what the rules say at an end, and what an evaluation says at the horizon, on the scale of
all searches (scale.py). A tree that is too large is refused: LimitExceeded says what to do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from gamemaster.errors import LimitExceeded, ParameterError
from gamemaster.language.terms import Term
from gamemaster.machine.game import RANDOM, State
from gamemaster.search.evaluation import Evaluation, find_evaluation, intermediate
from gamemaster.search.goals import goals_in
from gamemaster.search.position import LOWEST, GamePosition, root_of
from gamemaster.search.scale import Scale
from gamemaster.search.tracing.tree import MOST_LEVELS, MOST_NODES, Kind, SearchTree, TreeNode

__all__ = ["grow_tree"]

SMALLER = "look less deep, or begin later in the game"
ALL_ALIKE = (
    "No leaf is an end of the game, and by this evaluation all are worth the same: look deeper, begin later in the "
    "game, or take another evaluation, such as mobility."
)


def grow_tree(
    state: State,
    role: str,
    depth: int,
    *,
    evaluation: Evaluation | str = intermediate,
    with_chance: bool = False,
    most: int = MOST_NODES,
) -> SearchTree:
    """The tree below a state as a role sees it: all others are enemies.

    Unsuitable where several choose at once, or chance does and that is not provided for.
    """
    if not 0 < depth <= MOST_LEVELS:
        raise ParameterError(f"no depth {depth} of a tree: from 1 to {MOST_LEVELS}")
    root = root_of(state, role, "tree", with_chance=with_chance)
    scale = Scale(*goals_in(state.game, role))
    growth = _TreeGrowth(role, scale, find_evaluation(evaluation), most)
    growth.add(root, None, "", depth)
    others = [each for each in state.game.roles if each not in (role, RANDOM)]
    players = {"max": role, "min": " and ".join(others)} if others else {"max": role}
    title = f"{state.game.name}, {depth} step{'s' * (depth != 1)} ahead"
    notes = (ALL_ALIKE,) if growth.is_alike else ()
    return SearchTree(tuple(growth.nodes), title=title, notes=notes, scale=scale, players=players)


@dataclass
class _TreeGrowth:
    """Adds nodes in reading order."""

    role: str
    scale: Scale
    evaluation: Evaluation
    most: int
    nodes: list[TreeNode] = field(default_factory=list)

    @property
    def is_alike(self) -> bool:
        """Whether leaves are worth the same, as far as is seen, and none is an end: then no move looks better."""
        leaves = [node for node in self.nodes if node.kind == "leaf"]
        return (
            len(leaves) > 1
            and not any(leaf.is_end for leaf in leaves)
            and len({leaf.value for leaf in leaves}) == 1
        )

    def add(
        self,
        position: GamePosition,
        parent: int | None,
        move: str,
        depth: int,
        probability: Fraction | None = None,
    ) -> int:
        """Add a position and all that is below it, and return its number."""
        number = self._node(
            TreeNode("leaf", parent=parent, move=move, probability=probability, state=position.state)
        )
        if position.is_terminal or depth <= 0 or not position.moves:
            value, is_end = self._worth(position)
            self.nodes[number] = replace(self.nodes[number], value=value, is_end=is_end)
            return number
        moves, kind = position.moves, self._kind(position)
        self._check_room(len(moves))  # before what may be a million is looked at, each a while
        if kind == "chance":
            children = self._outcomes(position, moves[0], number, depth)
        else:
            children = [self._after(position, each, number, depth) for each in moves]
        self.nodes[number] = replace(self.nodes[number], kind=kind, children=tuple(children))
        return number

    def _node(self, node: TreeNode) -> int:
        self._check_room(1)
        self.nodes.append(node)
        return len(self.nodes) - 1

    def _check_room(self, count: int) -> None:
        if len(self.nodes) + count > self.most:
            raise LimitExceeded("nodes", f"{self.most:,}", doing=f"growing the tree: {SMALLER}", hint=SMALLER)

    def _kind(self, position: GamePosition) -> Kind:
        """Who chooses; a forced step is whose turn it is."""
        if position.mover is not None:
            return "max" if position.mover == self.role else "min"
        if len(_chances(position.state)) > 1:
            return "chance"
        return "max" if position.state.control in (self.role, None) else "min"

    def _after(self, position: GamePosition, move: Term, parent: int, depth: int) -> int:
        """What a move leads to, chance in between where it has a say in it."""
        if len(_chances(position.state)) < 2:
            return self.add(position.after(move), parent, str(move), depth - 1)
        number = self._node(TreeNode("chance", parent=parent, move=str(move)))
        children = tuple(self._outcomes(position, move, number, depth))
        self.nodes[number] = replace(self.nodes[number], children=children)
        return number

    def _outcomes(self, position: GamePosition, move: Term, parent: int, depth: int) -> list[int]:
        chances, afters = _chances(position.state), position.outcomes(move)
        likely = Fraction(1, len(afters))
        pairs = zip(chances, afters, strict=True)
        return [self.add(after, parent, str(made), depth - 1, likely) for made, after in pairs]

    def _worth(self, position: GamePosition) -> tuple[float, bool]:
        """What a leaf is worth, and whether that is more than an estimate."""
        if position.is_terminal:
            return self.scale.end(position.reward(self.role)), True
        if not position.moves:
            return self.scale.end(LOWEST), True
        return self.scale.estimate(self.evaluation(position.state, self.role)), False


def _chances(state: State) -> Sequence[Term]:
    return state.legal_moves(RANDOM) if state.game.kind.has_chance else ()
