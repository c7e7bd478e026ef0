"""Monte Carlo search: a few levels of all moves, then random games; the best mean wins.

The first `levels` steps are expanded in full. From each leaf depth charges are fired in turn, in batches through
`game.charges`; a leaf is worth the mean of what they bring the role, a terminal one its goal, a dead end 0. Going up,

    value(own choice) = max, value(another role's choice) = min, value(chance or joint moves) = mean over them.

In a joint step each own move is worth the mean over what the other roles may do, each equally likely; where that is
more than 64 joint moves, over 64 of them drawn at random, the same for all moves, or as many as half of the budget
allows. With `levels=1`, the default, this is the mcs player of the General Game Playing course (Genesereth and
Thielscher 2014, chapter 8).

Assumes: nothing; any number of roles, chance and simultaneous moves. Refuses nothing. A budget without limits is 1 s.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import cycle, islice, zip_longest

from gamemaster.language.terms import Term
from gamemaster.machine.game import RANDOM, State
from gamemaster.search.budget import Budget, Meter, OutOfBudget
from gamemaster.search.goals import goals_in
from gamemaster.search.playouts.batches import Charges, forced, limited, replies_to, worth
from gamemaster.search.position import shuffled
from gamemaster.search.result import NOT_SEARCHED, SearchResult

__all__ = ["search"]

MOST_REPLIES = 64
"""More joint moves of the other roles than this are sampled instead of listed."""


@dataclass(eq=False, slots=True)
class _Level:
    """A state, and what is known of it: groups of children by move, or the sum of its charges."""

    state: State
    total: float = 0.0
    count: int = 0
    mover: str | None = None
    groups: dict[Term, list[_Level]] = field(default_factory=dict)  # one child each, several in a joint step
    is_whole: bool = True  # no move is missing
    is_end: bool = False

    def __post_init__(self) -> None:
        self.is_end = self.state.is_over


def search(state: State, role: str, budget: Budget, seed: int = 0, *, levels: int = 1) -> SearchResult:
    """The move with the best mean; the seed decides between equals.

    `levels`: how many steps are expanded in full, as far as the budget allows.
    """
    if only := forced("mcs", state, role):
        return only
    meter, generator = limited(budget).start(), random.Random(seed)
    root = _Level(state)
    depth = _expand(root, role, levels, meter, generator)
    _fire(root, role, Charges(state.game, meter, generator))
    return _result(root, role, depth, meter, shuffled(state.legal_moves(role), seed))


def _expand(root: _Level, role: str, levels: int, meter: Meter, generator: random.Random) -> int:
    """How many levels were expanded; one that the budget cuts short is taken back, unless it is the first."""
    leaves = [root]
    for depth in range(max(1, levels)):
        grown: list[_Level] = []
        try:
            for leaf in leaves:
                if not leaf.is_end:
                    grown += _grow(leaf, role, meter, generator)
        except OutOfBudget:
            for leaf in leaves:
                leaf.groups = {} if depth else {move: group for move, group in leaf.groups.items() if group}
            root.is_whole = depth > 0
            return max(1, depth)
        leaves = grown
    return max(1, levels)


def _grow(node: _Level, role: str, meter: Meter, generator: random.Random) -> list[_Level]:
    """The children of a leaf, for every move of its mover; in a joint step for the searching role's moves."""
    state = node.state
    node.mover = state.chooser
    chooser = node.mover or (role if state.legal_moves(role) else state.movers[0])
    node.groups = {move: [] for move in state.legal_moves(chooser)}
    for reply in replies_to(state, chooser, most=MOST_REPLIES, generator=generator):
        for move, group in node.groups.items():
            meter.node()
            group.append(_Level(state.next({**reply, chooser: move})))
        needs_charges = not all(group[-1].is_end for group in node.groups.values())
        if needs_charges and _is_half_spent(meter):
            break
    return [child for group in node.groups.values() for child in group]


def _is_half_spent(meter: Meter) -> bool:
    """Whether no more answers should be looked at: without charges from there they say little."""
    budget = meter.budget
    is_late = budget.seconds is not None and meter.left() < budget.seconds / 2
    return is_late or (budget.nodes is not None and meter.nodes > budget.nodes / 2)


def _fire(root: _Level, role: str, charges: Charges) -> None:
    """Charges from all leaves in turn until the budget is spent, or there is nothing to find out."""
    index = root.state.game.roles.index(role)
    leaves = [leaf for leaf in _leaves(root) if not leaf.is_end]
    if not leaves or _is_exact(root) or _sure_wins(root, role):
        return
    turns = cycle(leaves)
    while size := charges.size():
        batch = list(islice(turns, size))
        for leaf, goals in zip(batch, charges.run([leaf.state for leaf in batch]), strict=True):
            leaf.total += goals[index]
            leaf.count += 1


def _leaves(node: _Level) -> Iterator[_Level]:
    """The leaves in an order that takes one from each move in turn, so that few charges are shared fairly."""
    if not node.groups:
        yield node
        return
    columns = [[leaf for child in group for leaf in _leaves(child)] for group in node.groups.values()]
    for row in zip_longest(*columns):
        yield from (leaf for leaf in row if leaf is not None)


def _value(node: _Level, role: str) -> float:
    """What the role can expect from a node on."""
    if node.is_end or not (node.groups or node.count):
        return worth(node.state, role)
    if not node.groups:
        return node.total / node.count
    worths = [_worth(group, role) for group in node.groups.values()]
    if node.mover == RANDOM or (node.mover is None and not node.state.legal_moves(role)):
        return sum(worths) / len(worths)
    return max(worths) if node.mover in (role, None) else min(worths)


def _worth(group: list[_Level], role: str) -> float:
    """What a move is worth: the mean over what the others may do at the same time."""
    return sum(_value(child, role) for child in group) / len(group)


def _is_exact(node: _Level) -> bool:
    """Whether a node's value is known: all play from it on ends within the expanded steps, without joint moves."""
    if node.is_end:
        return True
    if not node.groups or node.mover is None or not node.is_whole:
        return False
    return all(_is_exact(child) for group in node.groups.values() for child in group)


def _sure_wins(root: _Level, role: str) -> set[Term]:
    """The root's moves that are known to be worth the most there is."""
    if root.mover is None:
        return set()
    most = goals_in(root.state.game, role).ceiling
    sure = {move: group for move, group in root.groups.items() if _is_exact(group[0])}
    return {move for move, group in sure.items() if _worth(group, role) == most}


def _result(root: _Level, role: str, depth: int, meter: Meter, order: list[Term]) -> SearchResult:
    """The result; of equally good moves the first in an order that the seed gives."""
    values = {move: _worth(group, role) for move, group in root.groups.items()}
    visits = {
        move: sum(leaf.count for child in group for leaf in _leaves(child))
        for move, group in root.groups.items()
    }
    legal = root.state.legal_moves(role)
    sure = _sure_wins(root, role)
    best = max(order, key=lambda move: (values.get(move, -math.inf), move in sure))
    return SearchResult(
        "mcs",
        role,
        best,
        values.get(best, 0.0),
        values={move: values.get(move, 0.0) for move in legal},
        visits={move: visits.get(move, 0) for move in legal},
        line=_line(root, role, best),
        depth=depth,
        nodes=meter.nodes,
        playouts=meter.playouts,
        seconds=meter.seconds,
        is_proven=_is_exact(root) or bool(sure),
        lines={move: _line(root, role, move) for move in legal if move in root.groups},
        notes="" if any(leaf.count or leaf.is_end for leaf in _leaves(root)) else NOT_SEARCHED,
    )


def _line(root: _Level, role: str, first: Term) -> tuple[Term, ...]:
    """A move, and the best ones after it as far as one role at a time chooses."""
    line = [first]
    group = root.groups.get(first, [])
    while len(group) == 1 and group[0].groups and group[0].mover not in (None, RANDOM):
        node = group[0]
        pick = max if node.mover == role else min
        move = pick(node.groups, key=lambda move: _worth(node.groups[move], role))
        line.append(move)
        group = node.groups[move]
    return tuple(line)
