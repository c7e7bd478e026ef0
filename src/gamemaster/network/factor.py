"""Sums of products -> few gates.

A ground atom holds if one of its bodies does, a body if all of its wires do. Two things keep that small.

*Shared wires.* What all bodies share is taken out of them, then the wire that most of them share, then that of the
rest, and so on.

*Frames.* Most rules for the next state say that a fact stays under every move but a few. What bodies need of the
moves is kept as a set of moves, and a role makes exactly one move, so an OR over more than half of its moves is the
negation of the OR over the others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from heapq import heapify, heappop, heappush
from itertools import chain
from typing import TypeAlias

from gamemaster.network.graph import FALSE, TRUE, Network, Wire

__all__ = ["Body", "Frames", "MoveSet", "shared_by_all", "sum_of_products"]

Body: TypeAlias = tuple[Wire, ...]
MoveSet: TypeAlias = tuple[int, set[Wire]]
"""Moves of a role as bits, and wires whose OR holds where one of them is made."""


def sum_of_products(network: Network, bodies: Collection[Body]) -> Wire:
    """The wire that holds where all wires of some body do."""
    if not bodies:
        return FALSE
    if () in bodies:
        return TRUE
    if len(bodies) == 1:
        return network.all_of(next(iter(bodies)))
    if max(map(len, bodies)) == 1:
        return network.any_of_set([wire for (wire,) in bodies])
    if common := shared_by_all(bodies):
        return network.both(
            network.all_of(sorted(common)), sum_of_products(network, _without(common, bodies))
        )
    parts = []
    for wire, group in _groups(list(bodies)):
        if wire is None:
            parts += [body[0] if len(body) == 1 else network.all_of(body) for body in group]
        else:
            parts.append(network.both(wire, sum_of_products(network, _without_one(wire, group))))
    return network.any_of_set(parts)


def shared_by_all(bodies: Iterable[Body]) -> set[Wire]:
    """The wires that are in all bodies."""
    rest = iter(bodies)
    common = set(next(rest))
    for body in rest:
        common.intersection_update(body)
        if not common:
            break
    return common


def _without(wires: set[Wire], bodies: Iterable[Body]) -> set[Body]:
    """The bodies without some wires."""
    return {tuple([wire for wire in body if wire not in wires]) for body in bodies}


def _without_one(wire: Wire, bodies: Iterable[Body]) -> set[Body]:
    """The bodies without a wire that they all have."""
    return {body[: (place := body.index(wire))] + body[place + 1 :] for body in bodies}


def _groups(bodies: list[Body]) -> Iterator[tuple[Wire | None, list[Body]]]:
    """The bodies by the wire that most of them share, then of the rest, ...; None for those that share nothing."""
    times = Counter(chain.from_iterable(bodies))
    bodies_with: dict[Wire, list[int]] = {wire: [] for wire, many in times.items() if many > 1}
    if not bodies_with:
        yield None, bodies
        return
    for i, body in enumerate(bodies):
        for wire in body:
            if wire in bodies_with:
                bodies_with[wire].append(i)
    heap = [(-times[wire], wire) for wire in bodies_with]
    heapify(heap)
    is_taken = bytearray(len(bodies))
    left = len(bodies)
    while heap and left:
        size, wire = heappop(heap)
        now = times[wire]
        if now < 2:
            continue
        if -size != now:  # some of them have been taken since
            heappush(heap, (-now, wire))
            continue
        group = [i for i in bodies_with[wire] if not is_taken[i]]
        left -= now
        for i in group:
            is_taken[i] = 1
            for other in bodies[i]:
                times[other] -= 1
        yield wire, [bodies[i] for i in group]
    yield None, [body for i, body in enumerate(bodies) if not is_taken[i]]


class Frames:
    """Builds what follows from the moves of one role.

    `moves` are the wires of its moves, of which at most one holds; `moved` says whether one does. A set of moves is
    a number whose bit i is set if move i is in it.
    """

    def __init__(self, network: Network, moves: Sequence[Wire], moved: Wire) -> None:
        self.network = network
        self.moves = moves
        self.moved = moved
        self.everything = (1 << len(moves)) - 1

    def cost(self, moves: int) -> int:
        """How many moves must be looked at to know whether one of a set is made."""
        return min(moves.bit_count(), len(self.moves) - moves.bit_count())

    def one_of(self, moves: int, wires: Collection[Wire]) -> Wire:
        """The wire that holds where a move of a set is made; the OR of `wires` is the set as the rules have it."""
        if moves == self.everything:
            return self.moved
        if len(wires) <= self.cost(moves):
            return self.network.any_of_set(wires)
        if 2 * moves.bit_count() <= len(self.moves):
            return self.network.any_of_set(self._wires(moves))
        others = self.network.any_of_set(self._wires(moves ^ self.everything))
        return self.network.both(self.moved, others ^ 1)

    def _wires(self, moves: int) -> Iterator[Wire]:
        while moves:
            lowest = moves & -moves
            yield self.moves[lowest.bit_length() - 1]
            moves ^= lowest

    def react(self, moves_of: Mapping[Body, MoveSet]) -> Wire:
        """The wire that holds where, for some body, its wires hold and one of its moves is made."""
        bodies_of: dict[int, list[Body]] = {}
        wires_of: dict[int, set[Wire]] = {}
        for body, (moves, wires) in moves_of.items():
            bodies_of.setdefault(moves, []).append(body)
            if moves not in wires_of or len(wires) < len(wires_of[moves]):
                wires_of[moves] = wires
        terms = [
            self.network.both(self.one_of(moves, wires_of[moves]), sum_of_products(self.network, bodies))
            for moves, bodies in bodies_of.items()
        ]
        return self.network.any_of_set(terms)
