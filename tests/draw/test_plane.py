"""Graphs in the plane: clear, and the same every time."""

from __future__ import annotations

from itertools import combinations
from math import dist

import numpy as np

from gamemaster.draw.finding.plane import _crossings, places_of

Pairs = list[tuple[str, str]]


def ring(name: str, count: int, step: int = 1) -> Pairs:
    return [(f"{name}{n}", f"{name}{(n + step) % count}") for n in range(count)]


def dodecahedron() -> Pairs:
    spokes = [(f"a{n}", f"b{n}") for n in range(5)] + [(f"c{n}", f"d{n}") for n in range(5)]
    zigzag = [(f"b{n}", f"c{n}") for n in range(5)] + [(f"c{n}", f"b{(n + 1) % 5}") for n in range(5)]
    return [*ring("a", 5), *spokes, *zigzag, *ring("d", 5)]


def crossings(edges: Pairs) -> int:
    nodes = sorted({node for edge in edges for node in edge})
    places = places_of(nodes, edges)
    numbers = [(nodes.index(a), nodes.index(b)) for a, b in edges]
    return _crossings(np.array([places[node] for node in nodes]), numbers)


def test_planar_graphs_have_no_crossings() -> None:
    assert crossings(dodecahedron()) == 0
    assert crossings([(a, b) for a, b in combinations("abcd", 2)]) == 0


def test_a_graph_that_is_not_planar_has_few() -> None:
    petersen = [*ring("a", 5), *ring("b", 5, 2), *((f"a{n}", f"b{n}") for n in range(5))]
    assert crossings(petersen) <= 5


def test_ways_are_straight_and_rings_round() -> None:
    assert places_of("abc", [("b", "a"), ("a", "c")]) == {"c": (0.0, 0.0), "a": (1.0, 0.0), "b": (2.0, 0.0)}
    places = list(places_of([f"p{n}" for n in range(8)], ring("p", 8)).values())
    assert len({round(dist(a, b), 2) for a, b in zip(places, [*places[1:], places[0]], strict=True)}) == 1


def test_grids_stand_straight() -> None:
    edges = [((x, y), (x + 1, y)) for x in range(3) for y in range(4)]
    edges += [((x, y), (x, y + 1)) for x in range(4) for y in range(3)]
    names = [(f"{a}{b}", f"{c}{d}") for (a, b), (c, d) in edges]
    places = places_of(sorted({node for edge in names for node in edge}), names)
    level = [
        abs(places[a][0] - places[b][0]) < 0.1 or abs(places[a][1] - places[b][1]) < 0.1 for a, b in names
    ]
    assert all(level)


def test_parts_stand_side_by_side_and_nodes_alone_have_a_place() -> None:
    places = places_of("abcd", [("a", "b"), ("b", "a"), ("c", "c")])
    assert len(set(places.values())) == 4


def test_places_are_the_same_every_time() -> None:
    edges = dodecahedron()
    nodes = sorted({node for edge in edges for node in edge})
    assert places_of(nodes, edges) == places_of(nodes, list(edges))
