"""Labels: what each position is worth with perfect play, from the ends backwards.

A label is the goals that the roles are sure to get, and the distance to the end. In a position that is no end it is the
label of the child that the mover prefers (max^n):

1. the highest goal for itself;
2. of equal ones, the goals worst for the others, in the order of the roles;
3. of equal ones, the nearest end if the mover is the role with the highest goal in it (the first of those who share
   that), else the farthest: who wins hurries, who loses delays.

That is what comes of it when everybody plays for itself. What a role is *sure* to get, whatever the others do, is the
same in games of two roles with opposed goals (more for one is less for the other), and of one role. In others it can be
less, and is found for each role beside the labels: goal by goal, from the highest down, the positions from which it can
force an end with at least that goal, and in how many steps.

Where play can come back to a position, only the latter is a definition. There two roles with opposed goals are asked
what they can force; where both can force the same, that is the label; where they cannot, neither can force an end
beyond what it is sure of: the position is *endless*, its goals are those of which each is sure, 0 where that is none.
One role alone is asked the same. Other games with cycles are refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from gamemaster.errors import LimitExceeded, Unsuitable
from gamemaster.search.native.kernels.graph import OPEN, Bytes
from gamemaster.search.native.kernels.retrograde import (
    FARTHEST,
    Backwards,
    Graph,
    Marks,
    Preferences,
    attract,
    count_parents,
    fill_parents,
    leads_on,
    sweep,
    unwind,
)
from gamemaster.solving.columns import Column
from gamemaster.solving.positions import Positions, Stage, Tell

__all__ = [
    "NOTHING",
    "Goals",
    "Labels",
    "Shape",
    "Sure",
    "are_opposed",
    "label_positions",
    "preferences_of",
    "run_all_ways",
]

NOTHING = 255
"""The goal of a role that can force no end."""

Shape = Literal["layered", "acyclic", "cyclic"]
"""Every move leads to the next layer; play never comes back; it can."""

Distances = npt.NDArray[np.uint16]
Goals = tuple[int, ...]


class Sure(NamedTuple):
    """What a role can force in each position: a goal, NOTHING where it can force no end, and in how many steps."""

    goals: Bytes  # uint8[N]
    distances: Distances  # uint16[N]


@dataclass(frozen=True)
class Labels:
    """A code for each position, what codes mean, and the steps to the end: FARTHEST where play is endless.

    `sure` has what each role can force; it is empty where the labels say that already.
    """

    shape: Shape
    codes: Bytes  # uint8[N]
    distances: Distances  # uint16[N]
    vectors: tuple[Goals, ...]
    endless: frozenset[int] = frozenset()
    sure: tuple[Sure, ...] = ()


def preferences_of(vectors: list[Goals]) -> Preferences:
    """The order in which each role prefers goals, and who hurries."""
    roles = len(vectors[0]) if vectors else 1
    ranks = np.zeros((roles, max(1, len(vectors))), np.int64)
    for role in range(roles):
        wanted = sorted(range(len(vectors)), key=lambda code: _wish(vectors[code], role))
        ranks[role, wanted] = np.arange(len(vectors))
    hurries = [goals.index(max(goals)) for goals in vectors] or [0]
    return Preferences(ranks, np.array(hurries, np.int64))


def _wish(goals: Goals, role: int) -> tuple[int, ...]:
    """The larger, the better for a role: its own goal, then little for the others."""
    return (goals[role], *(-goal for other, goal in enumerate(goals) if other != role))


def label_positions(positions: Positions, tell: Tell) -> Labels:
    """The labels of all positions."""
    graph, vectors = _graph(positions), positions.vectors()
    if not vectors:
        raise Unsuitable(
            f"solve: no play of {positions.game.name} ever comes to an end, so no position is worth anything"
        )
    marks, back = _marks(len(positions)), None
    shape: Shape = "layered"
    starts = _layer_edges(positions, graph)
    if starts is not None:
        _sweep(positions, graph, marks, vectors, starts, tell)
    else:
        tell(Stage("labelling positions", 0, len(positions)))
        back, shape = _backwards(positions, graph), "acyclic"
        if unwind(graph, marks, preferences_of(vectors), back) < len(positions):
            return _forced(positions, graph, back, vectors, tell)
    sure: tuple[Sure, ...] = ()
    if not are_opposed(vectors):
        sure = _all_sure(positions, graph, back or _backwards(positions, graph), vectors, tell)
    return Labels(shape, marks.codes, marks.distances, tuple(vectors), sure=sure)


def run_all_ways(positions: Positions) -> None:
    """PositionLabel positions in every way there is, for what that compiles."""
    graph, vectors = _graph(positions), positions.vectors()
    back = _backwards(positions, graph)
    unwind(graph, _marks(len(positions)), preferences_of(vectors), back)
    _sure(graph, back, 0, vectors)
    label_positions(positions, lambda stage: None)


def _graph(positions: Positions) -> Graph:
    arrays, count = positions.arrays(), len(positions)
    return Graph(
        arrays.movers[:count], arrays.ends[:count], arrays.counts[:count], arrays.edges[: positions.moves]
    )


def _marks(count: int) -> Marks:
    try:
        return Marks(np.full(count, OPEN, np.uint8), np.zeros(count, np.uint16))
    except MemoryError:
        raise LimitExceeded(
            "memory", f"what this machine has (3 bytes for each of {count:,} positions)", is_lasting=False
        ) from None


# Without a way back


def _layer_edges(positions: Positions, graph: Graph) -> list[int] | None:
    """Where the moves of each layer end, if all lead to the next layer; else None."""
    edge, ends = 0, []
    for first, last in _layers(positions):
        edge = int(leads_on(graph, first, last, edge))
        if edge < 0:
            return None
        ends.append(edge)
    return ends


def _layers(positions: Positions) -> list[tuple[int, int]]:
    return list(zip(positions.layers, [*positions.layers[1:], len(positions)], strict=True))


def _sweep(
    positions: Positions, graph: Graph, marks: Marks, vectors: list[Goals], ends: list[int], tell: Tell
) -> None:
    preferences = preferences_of(vectors)
    for (first, last), edge in reversed(list(zip(_layers(positions), ends, strict=True))):
        sweep(graph, marks, preferences, first, last, edge)
        tell(Stage("labelling positions", len(positions) - first, len(positions)))


def _backwards(positions: Positions, graph: Graph) -> Backwards:
    """The moves backwards, in files where the positions are."""
    count = len(positions)
    sizes: dict[str, tuple[npt.DTypeLike, int]] = {
        "starts": (np.int64, count + 1),
        "parent_starts": (np.int64, count + 1),
    }
    sizes |= {
        "parents": (np.uint32, positions.moves),
        "queue": (np.uint32, count),
        "left": (np.uint16, count),
    }
    made = {}
    for name, (kind, size) in sizes.items():
        column = Column(kind, path=positions.folder / name if positions.folder else None)
        column.reserve(max(1, size))
        made[name] = column.array[:size]
    back = Backwards(**made)
    count_parents(graph, back)
    fill_parents(graph, back)
    return back


# What roles can force


def _forced(positions: Positions, graph: Graph, back: Backwards, vectors: list[Goals], tell: Tell) -> Labels:
    """What is forced where play can come back."""
    if not are_opposed(vectors):
        raise Unsuitable(
            f"solve: play of {positions.game.name} can come back to a position, and the goals of its roles are not "
            "opposed: nothing says then what they prefer; `gamemaster think GAME --with maxn` looks ahead"
        )
    return _agreed(_all_sure(positions, graph, back, vectors, tell), vectors)


def are_opposed(vectors: Sequence[Goals]) -> bool:
    """Whether there is one role, or two and more for one always is less for the other."""
    ordered = sorted(vectors)
    if len(ordered[0]) > 2:
        return False
    return all(a[0] < b[0] and a[-1] > b[-1] for a, b in pairwise(ordered)) or len(ordered[0]) == 1


def _all_sure(
    positions: Positions, graph: Graph, back: Backwards, vectors: list[Goals], tell: Tell
) -> tuple[Sure, ...]:
    roles, found = len(positions.game.roles), []
    for role in range(roles):
        tell(Stage("labelling positions", role * len(positions) // roles, len(positions)))
        found.append(_sure(graph, back, role, vectors))
    return tuple(found)


def _sure(graph: Graph, back: Backwards, role: int, vectors: list[Goals]) -> Sure:
    """What a role can force in each position."""
    values = sorted({goals[role] for goals in vectors}, reverse=True)
    worth = np.array([values.index(goals[role]) for goals in vectors] + [-1] * (256 - len(vectors)), np.int64)
    marks = _marks(len(graph.counts))
    back.left[:] = graph.counts
    for level in range(len(values)):
        attract(graph, marks, back, role, worth, level)
    goal_of = np.full(256, NOTHING, np.uint8)
    goal_of[: len(values)] = values
    return Sure(goal_of[marks.codes], marks.distances)


def _agreed(sure: tuple[Sure, ...], vectors: list[Goals]) -> Labels:
    """One code for what all roles can force, and the distance for who hurries."""
    together = sure[0].goals.astype(np.int32)
    for each in sure[1:]:
        together = together * 256 + each.goals
    codes, distances = np.full(len(together), OPEN, np.uint8), np.full(len(together), FARTHEST, np.uint16)
    known, endless = list(vectors), set()
    for number in np.unique(together).tolist():
        parts, held = _digits(number, len(sure)), together == number
        if parts in vectors:
            code = vectors.index(parts)
            distances[held] = sure[parts.index(max(parts))].distances[held]
        else:
            code = len(known)
            known.append(tuple(0 if goal == NOTHING else goal for goal in parts))
            endless.add(code)
        codes[held] = code
    return Labels("cyclic", codes, distances, tuple(known), frozenset(endless), sure)


def _digits(number: int, count: int) -> Goals:
    return tuple((number >> 8 * (count - 1 - i)) % 256 for i in range(count))
