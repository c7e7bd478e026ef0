"""Nodes and edges -> places in the plane, the same ones every time: as people draw graphs.

Several drawings are made and the clearest is taken: a circle; distances in the plane like those along edges (stress,
made smaller by majorization from a fixed start); and drawings after Tutte, where one cycle is the outer face and every
other node stands in the middle of its neighbours, which shows planar graphs without crossings. Clear is: few crossings
first, then nodes well apart.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from gamemaster.draw.model import Point

__all__ = ["MAX_NODES", "places_of"]

MAX_NODES = 150
"""Of more nodes nobody would see anything."""
MAX_CROSSED = 400
"""Edges of which crossings are counted."""
ROUNDS = 120
FACES = 10
"""Cycles that are tried as the outer face."""
CLEAR = 0.4
"""Nodes this part of the usual length of an edge apart, or nearer, are hard to see."""
SPREAD = 0.6
"""How much of the way to the rim nodes in the middle of a Tutte drawing are pushed."""

Edge: TypeAlias = tuple[int, int]
Places: TypeAlias = npt.NDArray[np.float64]
"""(nodes, 2)"""


def places_of(nodes: Sequence[str], edges: Iterable[tuple[str, str]]) -> dict[str, Point]:
    """A place for each node, parts that hang together side by side, neighbours about one apart."""
    number = {node: index for index, node in enumerate(nodes)}
    pairs = {(min(number[a], number[b]), max(number[a], number[b])) for a, b in edges if a != b}
    places: dict[str, Point] = {}
    left = 0.0
    for part in _parts(len(nodes), sorted(pairs)):
        inside = [(part.index(a), part.index(b)) for a, b in sorted(pairs) if a in part]
        drawn = _scaled(_turned(_drawn(len(part), inside), inside), inside)
        for index, (x, y) in zip(part, drawn.tolist(), strict=True):
            places[nodes[index]] = (round(left + x, 3), round(y, 3))
        left += float(drawn[:, 0].max()) + 1.2
    return places


def _parts(count: int, edges: Sequence[Edge]) -> list[list[int]]:
    """The nodes of each connected part, in order."""
    near = _neighbours(count, edges)
    seen: set[int] = set()
    parts = []
    for start in range(count):
        if start not in seen:
            part = sorted(_distances(near, start))
            seen.update(part)
            parts.append(part)
    return parts


def _neighbours(count: int, edges: Iterable[Edge]) -> list[list[int]]:
    near: list[list[int]] = [[] for _ in range(count)]
    for a, b in edges:
        near[a].append(b)
        near[b].append(a)
    return near


def _distances(near: Sequence[Sequence[int]], start: int, without: Edge | None = None) -> dict[int, int]:
    """How many edges away each node is that can be reached, never along the edge that is left out."""
    found = {start: 0}
    queue = deque([start])
    while queue:
        node = queue.popleft()
        for other in near[node]:
            if other not in found and without not in ((node, other), (other, node)):
                found[other] = found[node] + 1
                queue.append(other)
    return found


# Drawings


def _drawn(count: int, edges: Sequence[Edge]) -> Places:
    """The clearest of some drawings of a connected graph."""
    near = _neighbours(count, edges)
    if count <= 2 or max(map(len, near)) <= 2:
        return _line_or_circle(near)
    drawings = [_stress(near)]
    drawings += [_tutte(near, face) for face in _faces(near, edges)]
    return min(drawings, key=lambda places: _unclear(places, edges))


def _line_or_circle(near: Sequence[Sequence[int]]) -> Places:
    """Nodes with two neighbours at most, in the order in which they hang together."""
    ends = [node for node, others in enumerate(near) if len(others) < 2]
    order = [ends[0] if ends else 0]
    while len(order) < len(near):
        order.append(next(other for other in near[order[-1]] if other not in order))
    places = np.zeros((len(near), 2))
    places[order] = _circle(len(order)) if not ends else [(index, 0.0) for index in range(len(order))]
    return places


def _circle(count: int) -> Places:
    """Places round a circle, clockwise from the top."""
    turns = np.arange(count) * (2 * np.pi / count)
    return np.stack([np.sin(turns), -np.cos(turns)], axis=1)


def _stress(near: Sequence[Sequence[int]]) -> Places:
    """Places with distances like those along edges: majorization, from the main axes of these distances."""
    wanted = np.array(
        [[found[node] for node in range(len(near))] for found in _all_distances(near)], dtype=float
    )
    places = _main_axes(wanted)
    weights = 1 / np.maximum(wanted, 1) ** 2
    np.fill_diagonal(weights, 0)
    inverse = np.linalg.pinv(np.diag(weights.sum(axis=1)) - weights)
    for _ in range(ROUNDS):
        apart = np.linalg.norm(places[:, None] - places[None], axis=2)
        ratio = -weights * wanted / np.maximum(apart, 1e-6)
        np.fill_diagonal(ratio, 0)
        np.fill_diagonal(ratio, -ratio.sum(axis=1))
        places = inverse @ (ratio @ places)
    return places


def _all_distances(near: Sequence[Sequence[int]]) -> Iterator[dict[int, int]]:
    return (_distances(near, node) for node in range(len(near)))


def _main_axes(wanted: npt.NDArray[np.float64]) -> Places:
    """Where the points of these distances would be, seen along the two axes on which they differ most."""
    count = len(wanted)
    centring = np.eye(count) - 1 / count
    values, axes = np.linalg.eigh(-0.5 * centring @ wanted**2 @ centring)
    axes *= np.sign(
        axes[np.abs(axes).argmax(axis=0), np.arange(count)]
    )  # the sign of an axis is anybody's choice
    places: Places = axes[:, -2:][:, ::-1] * np.sqrt(np.maximum(values[-2:][::-1], 1e-9))
    return places + _circle(count) * 1e-3  # nodes that no distance tells apart must not stay in one place


def _faces(near: Sequence[Sequence[int]], edges: Iterable[Edge]) -> list[tuple[int, ...]]:
    """Cycles that may be faces: the shortest through each edge, the longest of them first."""
    found: dict[frozenset[int], tuple[int, ...]] = {}
    for edge in edges:
        cycle = _shortest_cycle(near, edge)
        if len(cycle) > 2:
            found.setdefault(frozenset(cycle), cycle)
    return sorted(found.values(), key=lambda cycle: (-len(cycle), cycle))[:FACES]


def _shortest_cycle(near: Sequence[Sequence[int]], edge: Edge) -> tuple[int, ...]:
    first, last = edge
    far = _distances(near, last, without=edge)
    if first not in far:
        return ()
    cycle = [first]
    while cycle[-1] != last:
        node = cycle[-1]
        steps = (other for other in near[node] if {node, other} != {first, last})
        cycle.append(next(other for other in steps if far.get(other) == far[node] - 1))
    return tuple(cycle)


def _tutte(near: Sequence[Sequence[int]], face: Sequence[int]) -> Places:
    """The face round a circle, every other node in the middle of its neighbours, then away from the middle."""
    count = len(near)
    matrix, right = np.eye(count), np.zeros((count, 2))
    right[list(face)] = _circle(len(face))
    for node in set(range(count)) - set(face):
        matrix[node, near[node]] -= 1 / len(near[node])
    places: Places = np.linalg.solve(matrix, right).astype(np.float64)
    radius: Places = np.linalg.norm(places, axis=1, keepdims=True)
    spread: Places = places * np.where(radius > 1e-9, np.maximum(radius, 1e-9) ** (SPREAD - 1), 1)
    return spread


def _turned(places: Places, edges: Sequence[Edge]) -> Places:
    """The drawing turned so that most edges lie level or upright, the first node at the top and left."""
    if not edges:
        return places
    ways = np.array([places[b] - places[a] for a, b in edges])
    angles = np.arctan2(ways[:, 1], ways[:, 0])
    off = np.abs((angles[None] - angles[:, None] + np.pi / 4) % (np.pi / 2) - np.pi / 4)
    straight = (off < 0.02).sum(axis=1)
    if straight.max() < len(edges) / 2:  # nothing to set straight
        return places
    best = angles[int(straight.argmax())]
    turns = [_turn(places, quarter * np.pi / 2 - best) for quarter in range(4)]
    turns += [turn * (-1, 1) for turn in turns]
    return min(turns, key=lambda turn: tuple(np.round(turn[0] - turn.min(axis=0), 3)[::-1]))


def _turn(places: Places, angle: float) -> Places:
    turned: Places = places @ np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    return turned


# Which is the clearest


def _unclear(places: Places, edges: Sequence[Edge]) -> float:
    """Crossings, and as bad as one for each fourth edge: nodes so near that they hide each other."""
    ends = np.array(edges)
    lengths = np.linalg.norm(places[ends[:, 0]] - places[ends[:, 1]], axis=1)
    near = _nearest(places) / max(float(np.median(lengths)), 1e-6)
    return round(_crossings(places, edges) + len(edges) * max(0.0, CLEAR - near) - min(near, 1.0) / 10, 6)


def _crossings(places: Places, edges: Sequence[Edge]) -> int:
    """How many pairs of edges without a common node cross."""
    ends = np.array(edges[:MAX_CROSSED])
    a, b = places[ends[:, 0]], places[ends[:, 1]]
    side_a, side_b = _sides(a, b, a), _sides(a, b, b)
    crosses = (side_a * side_b < 0) & (side_a * side_b < 0).T
    shares = (ends[:, None, :, None] == ends[None, :, None, :]).any(axis=(2, 3))
    return int((crosses & ~shares).sum()) // 2


def _sides(starts: Places, stops: Places, points: Places) -> npt.NDArray[np.float64]:
    """On which side of each line each point lies: (lines, points)."""
    way, to = stops - starts, points[None] - starts[:, None]
    return way[:, None, 0] * to[:, :, 1] - way[:, None, 1] * to[:, :, 0]


def _scaled(places: Places, edges: Sequence[Edge]) -> Places:
    """The same drawing with edges about one long, nodes never nearer than a little less, and from 0 on."""
    if len(places) == 1:
        return np.zeros((1, 2))
    ends = np.array(edges)
    lengths: npt.NDArray[np.float64] = np.linalg.norm(places[ends[:, 0]] - places[ends[:, 1]], axis=1)
    scaled: Places = places / max(float(np.median(lengths)), 1e-6)
    scaled = scaled * max(1.0, min(3.0, 0.7 / max(_nearest(scaled), 1e-3)))
    zeroed: Places = scaled - scaled.min(axis=0)
    return zeroed


def _nearest(places: Places) -> float:
    apart = np.linalg.norm(places[:, None] - places[None], axis=2)
    np.fill_diagonal(apart, np.inf)
    return float(apart.min())
