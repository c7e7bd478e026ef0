"""Labels of positions from the ends backwards: see solving/labels.py for what they mean.

Three ways, in the order in which they are tried: a sweep from the last layer to the first where every move leads to the
next layer; from the ends to all that lead to what is labelled, where play never comes back; and what a role can force,
goal by goal, where it does.

N is a number of positions, E of moves made in them, C of codes, R of roles.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gamemaster.search.native.kernels.compiling import kernel, part
from gamemaster.search.native.kernels.graph import OPEN, Bytes, Numbers
from gamemaster.search.native.kernels.intrinsics import I0, ONE, at
from gamemaster.search.native.kernels.records import Ints

__all__ = [
    "FARTHEST",
    "Backwards",
    "Graph",
    "Marks",
    "Preferences",
    "attract",
    "count_parents",
    "fill_parents",
    "leads_on",
    "sweep",
    "unwind",
]

FARTHEST = np.uint16(65535)
"""A distance of so much or more."""


class Graph(NamedTuple):
    """What exploring has found."""

    movers: npt.NDArray[np.int8]  # int8[N]
    ends: Bytes  # uint8[N]
    counts: npt.NDArray[np.uint16]  # uint16[N]
    edges: Numbers  # uint32[E]


class Marks(NamedTuple):
    """A label for each position: a code of goals, OPEN before it is known, and the steps to the end."""

    codes: Bytes  # uint8[N]
    distances: npt.NDArray[np.uint16]  # uint16[N]


class Preferences(NamedTuple):
    """Which of two labels a mover prefers."""

    ranks: Ints  # int64[R, C]: the larger, the better
    hurries: Ints  # int64[C]: the role that wants the end soon; all others want it late


class Backwards(NamedTuple):
    """The moves backwards."""

    starts: Ints  # int64[N + 1]: the first of the moves of each position
    parent_starts: Ints  # int64[N + 1]: the first of those that lead to it
    parents: Numbers  # uint32[E]
    queue: Numbers  # uint32[N]
    left: npt.NDArray[np.uint16]  # uint16[N]: the moves of each position that lead to none with a label yet


@part
def _further(distance: np.uint16) -> np.uint16:
    return np.uint16(distance + 1) if distance < FARTHEST else FARTHEST


@part
def _label(graph: Graph, marks: Marks, preferences: Preferences, number: int, first: int, last: int) -> None:
    """Give a position the label of the child that its mover prefers."""
    mover = max(I0, np.int64(graph.movers[at(number)]))
    child = at(graph.edges[at(first)])
    code, distance = marks.codes[child], marks.distances[child]
    rank, is_hurried = preferences.ranks[at(mover), at(code)], preferences.hurries[at(code)] == mover
    for edge in range(first + 1, last):
        child = at(graph.edges[at(edge)])
        other, steps = marks.codes[child], marks.distances[child]
        if other == code:
            if (steps < distance) == is_hurried and steps != distance:
                distance = steps
        elif preferences.ranks[at(mover), at(other)] > rank:
            code, distance = other, steps
            rank, is_hurried = preferences.ranks[at(mover), at(code)], preferences.hurries[at(code)] == mover
    marks.codes[at(number)] = code
    marks.distances[at(number)] = _further(distance)


@kernel
def leads_on(graph: Graph, first: int, last: int, edge: int) -> int:
    """The last edge of a layer, from its first on, if all lead to positions after the layer; else -1."""
    count = np.int64(0)
    for number in range(first, last):
        count += np.int64(graph.counts[at(number)])
    for place in range(edge, edge + count):
        if np.int64(graph.edges[at(place)]) < last:
            return np.int64(-1)
    return edge + count


@kernel
def sweep(graph: Graph, marks: Marks, preferences: Preferences, first: int, last: int, edge: int) -> int:
    """Label a layer whose moves lead to positions after it and end before an edge; the first of its edges."""
    for number in range(last - 1, first - 1, -1):
        count = np.int64(graph.counts[at(number)])
        if count == 0:
            marks.codes[at(number)] = graph.ends[at(number)]
            marks.distances[at(number)] = 0
        else:
            _label(graph, marks, preferences, number, edge - count, edge)
            edge -= count
    return edge


@kernel
def count_parents(graph: Graph, back: Backwards) -> None:
    """Where the moves of each position begin, and where those that lead to it end, as if there were one less."""
    count = len(graph.counts)
    back.starts[0] = 0
    for number in range(count):
        back.starts[at(number + 1)] = back.starts[at(number)] + np.int64(graph.counts[at(number)])
        back.parent_starts[at(number)] = 0
    back.parent_starts[at(count)] = 0
    for edge in range(back.starts[at(count)]):
        back.parent_starts[at(graph.edges[at(edge)])] += 1
    total = I0
    for number in range(count):
        total += back.parent_starts[at(number)]
        back.parent_starts[at(number)] = total
    back.parent_starts[at(count)] = total


@kernel
def fill_parents(graph: Graph, back: Backwards) -> None:
    """Write the moves backwards, the last of each position first; then each begins where it should."""
    for number in range(len(graph.counts)):
        for edge in range(back.starts[at(number)], back.starts[at(number + 1)]):
            child = at(graph.edges[at(edge)])
            back.parent_starts[child] -= 1
            back.parents[at(back.parent_starts[child])] = number


@kernel
def unwind(graph: Graph, marks: Marks, preferences: Preferences, back: Backwards) -> int:
    """Label all positions whose children are labelled, from the ends on; how many there are."""
    last = I0
    for number in range(len(graph.counts)):
        back.left[at(number)] = graph.counts[at(number)]
        marks.codes[at(number)] = graph.ends[at(number)]
        marks.distances[at(number)] = 0
        if graph.counts[at(number)] == 0:
            back.queue[at(last)] = number
            last += 1
    place = I0
    while place < last:
        child = at(back.queue[at(place)])
        place += 1
        for edge in range(back.parent_starts[child], back.parent_starts[child + ONE]):
            parent = at(back.parents[at(edge)])
            back.left[parent] -= 1
            if back.left[parent] == 0:
                _label(
                    graph,
                    marks,
                    preferences,
                    np.int64(parent),
                    back.starts[parent],
                    back.starts[parent + ONE],
                )
                back.queue[at(last)] = np.uint32(parent)
                last += 1
    return last


@part
def _farthest(graph: Graph, marks: Marks, back: Backwards, number: np.uint64) -> np.uint16:
    """The most steps from where the moves of a position lead: some may be to better ends, but later ones."""
    farthest = np.uint16(0)
    for edge in range(back.starts[number], back.starts[number + ONE]):
        farthest = max(farthest, marks.distances[at(graph.edges[at(edge)])])
    return farthest


@kernel
def attract(graph: Graph, marks: Marks, back: Backwards, role: int, worth: Ints, level: int) -> int:
    """Mark with a level all positions from which a role can force an end of its worth, or one marked before.

    `worth[code]` is the level of an end for the role. Levels come from the highest down; `back.left` counts, from level
    to level, moves to positions without a mark. How many are marked.
    """
    last = I0
    for number in range(len(graph.counts)):
        if graph.counts[at(number)] == 0 and worth[at(graph.ends[at(number)])] == level:
            marks.codes[at(number)] = level
            marks.distances[at(number)] = 0
            back.queue[at(last)] = number
            last += 1
    place = I0
    while place < last:
        child = at(back.queue[at(place)])
        place += 1
        for edge in range(back.parent_starts[child], back.parent_starts[child + ONE]):
            parent = at(back.parents[at(edge)])
            back.left[parent] -= 1
            is_forced = graph.movers[parent] == role or back.left[parent] == 0
            if is_forced and marks.codes[parent] == OPEN:
                marks.codes[parent] = level
                farthest = marks.distances[child]
                if graph.movers[parent] != role:
                    farthest = _farthest(graph, marks, back, parent)
                marks.distances[parent] = _further(farthest)
                back.queue[at(last)] = np.uint32(parent)
                last += 1
    return last
