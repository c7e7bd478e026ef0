"""Network: a graph of AND and XOR gates with inverted wires, equal gates shared.

Nodes are numbered from 0, each after the nodes it reads, but for LOOP nodes. A *wire* is a node and whether it is
inverted: `2 * node + inverted`, so FALSE is 0, TRUE is 1 and `wire ^ 1` is its negation. Building a gate folds
constants and returns the old gate where there is an equal one; one level of the gates below is looked at too.

Recursion in the rules (p holds if q does, q if p does) is a cycle: each atom of it is a LOOP node, which stands for
the atom's own value, and `Loop` says which wires define them. Its meaning is the least fixed point: all false at
first, then evaluated until nothing changes.
"""

from __future__ import annotations

import sys
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import compress

__all__ = [
    "AND",
    "CONSTANT",
    "FALSE",
    "INPUT",
    "LOOP",
    "TRUE",
    "XOR",
    "Loop",
    "Network",
    "cone",
    "copy_wires",
    "marked_cone",
]

CONSTANT, INPUT, AND, XOR, LOOP = range(5)
FALSE, TRUE = 0, 1

Wire = int


@dataclass(frozen=True, slots=True)
class Loop:
    """A recursive component: `nodes[i]`, a LOOP node, has the value that wire `values[i]` has in the end."""

    nodes: tuple[int, ...]
    values: tuple[Wire, ...]


@dataclass
class Network:
    """The gates: node n is of `kind[n]` and, if it is a gate, reads the wires `first[n]` and `second[n]`."""

    kind: list[int] = field(default_factory=lambda: [CONSTANT])
    first: list[Wire] = field(default_factory=lambda: [FALSE])
    second: list[Wire] = field(default_factory=lambda: [FALSE])
    loops: list[Loop] = field(default_factory=list)
    longest_chain: int = sys.maxsize  # of a set; longer ones are trees
    _known: dict[int, Wire] = field(default_factory=dict, repr=False)

    @property
    def gates(self) -> int:
        """How many gates there are."""
        return sum(kind in (AND, XOR) for kind in self.kind)

    def input(self) -> Wire:
        """A new input."""
        return self._node(INPUT, FALSE, FALSE)

    def forget(self) -> None:
        """Drop what finds equal gates, which takes most of the memory: nobody builds on this network any more."""
        self._known = {}

    def loop_node(self) -> Wire:
        """A new node for an atom of a recursive component, to be defined by a Loop."""
        return self._node(LOOP, FALSE, FALSE)

    def _node(self, kind: int, first: Wire, second: Wire) -> Wire:
        self.kind.append(kind)
        self.first.append(first)
        self.second.append(second)
        return 2 * (len(self.kind) - 1)

    def both(self, x: Wire, y: Wire) -> Wire:
        """x and y."""
        if x > y:
            x, y = y, x
        if x <= TRUE:
            return y if x == TRUE else FALSE
        if x ^ y <= 1:
            return x if x == y else FALSE
        key = x << 32 | y
        found = self._known.get(key)
        if found is None:
            kind = self.kind
            if kind[x >> 1] == AND or kind[y >> 1] == AND:
                found = self._absorbed(x, y)
            if found is None:
                found = 2 * len(kind)
                kind.append(AND)
                self.first.append(x)
                self.second.append(y)
            self._known[key] = found
        return found

    def _absorbed(self, x: Wire, y: Wire) -> Wire | None:
        """x and y where a gate right below makes it simpler: x & (x & z), x & ~(x & z), ~(x & z) & ~(x & ~z)."""
        for wire, other in ((x, y), (y, x)):
            node = wire >> 1
            if self.kind[node] != AND:
                continue
            first, second = self.first[node], self.second[node]
            if (first ^ other) > 1 and (second ^ other) > 1:  # it does not read the other
                continue
            if wire & 1 == 0:
                return wire if other in (first, second) else FALSE
            if other ^ 1 in (first, second):
                return other
            return self.both(other, (first if second == other else second) ^ 1)
        return self._either_way(x, y) if x & y & 1 else None

    def _either_way(self, x: Wire, y: Wire) -> Wire | None:
        """~p where x is ~(p & z) and y is ~(p & ~z)."""
        if self.kind[x >> 1] != AND or self.kind[y >> 1] != AND:
            return None
        parts, others = ({self.first[wire >> 1], self.second[wire >> 1]} for wire in (x, y))
        common = parts & others
        if len(common) != 1 or sum(parts - common) ^ 1 != sum(others - common):
            return None
        return common.pop() ^ 1

    def either(self, x: Wire, y: Wire) -> Wire:
        """x or y."""
        return self.both(x ^ 1, y ^ 1) ^ 1

    def differ(self, x: Wire, y: Wire) -> Wire:
        """x or y, but not both."""
        inverted = (x ^ y) & 1
        x, y = sorted((x & ~1, y & ~1))
        if x == FALSE:
            return y ^ inverted
        if x == y:
            return FALSE ^ inverted
        key = 1 << 64 | x << 32 | y
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._node(XOR, x, y)
        return found ^ inverted

    def choose(self, condition: Wire, x: Wire, y: Wire) -> Wire:
        """x where the condition holds, else y."""
        return self.either(self.both(condition, x), self.both(condition ^ 1, y))

    def all_of(self, wires: Iterable[Wire]) -> Wire:
        """Whether all wires hold, as a chain in their order: sorted wires share their beginnings."""
        known = self._known
        result = TRUE
        for wire in wires:
            # what `both` finds at once, without a call
            found = known.get(result << 32 | wire if result < wire else wire << 32 | result)
            result = self.both(result, wire) if found is None else found
        return result

    def any_of(self, wires: Iterable[Wire]) -> Wire:
        """Whether some wire holds, as a chain in their order."""
        return self.all_of(wire ^ 1 for wire in wires) ^ 1

    def any_of_set(self, wires: Iterable[Wire]) -> Wire:
        """Whether some wire holds: as a chain by their numbers, or as a tree, whose parts other sets share.

        A tree saves gates where sets are much alike. A chain takes fewer registers, which is quicker else.
        """
        denied = sorted({wire ^ 1 for wire in wires})
        return self._all_in(denied, 0, len(denied)) ^ 1

    def _all_in(self, wires: Sequence[Wire], start: int, end: int) -> Wire:
        """Whether all of some sorted wires hold; too many are parted by the highest bit in which their numbers differ.

        So what is made of those between two numbers is the same whatever others there are: sets that differ in one wire
        share all but the way to it.
        """
        if end - start <= self.longest_chain:
            return self.all_of(wires[start:end])
        low, high = wires[start], wires[end - 1]
        bit = (low ^ high).bit_length() - 1
        middle = bisect_left(wires, high >> bit << bit, start, end)
        return self.both(self._all_in(wires, start, middle), self._all_in(wires, middle, end))

    def __str__(self) -> str:
        inputs = self.kind.count(INPUT)
        return f"{self.gates} gates, {inputs} inputs, {len(self.loops)} loops"


def cone(network: Network, wires: Iterable[Wire]) -> set[int]:
    """The nodes that wires depend on, those of loops and their definitions included."""
    values_of = _values_of(network)
    kinds, firsts, seconds = network.kind, network.first, network.second
    seen = {wire >> 1 for wire in wires}
    stack = list(seen)
    while stack:
        node = stack.pop()
        kind = kinds[node]
        if kind == LOOP:
            below: tuple[int, ...] = (values_of[node] >> 1,)
        elif kind in (AND, XOR):
            below = (firsts[node] >> 1, seconds[node] >> 1)
        else:
            continue
        for other in below:
            if other not in seen:
                seen.add(other)
                stack.append(other)
    return seen


def marked_cone(network: Network, wires: Iterable[Wire]) -> bytearray:
    """The same as a mark for each node, 1 for those in it: quicker where that is most of them."""
    marks = bytearray(len(network.kind))
    for wire in wires:
        marks[wire >> 1] = 1
    firsts, seconds = network.first, network.second
    values_of = _values_of(network)
    is_new = True
    while is_new:
        for node in range(
            len(marks) - 1, 0, -1
        ):  # what a gate reads comes before it; inputs and loops read node 0
            if marks[node]:
                marks[firsts[node] >> 1] = marks[seconds[node] >> 1] = 1
        is_new = False
        for node, value in values_of.items():
            if marks[node] and not marks[value >> 1]:
                marks[value >> 1] = 1
                is_new = True
    return marks


def _values_of(network: Network) -> dict[int, Wire]:
    return {
        node: value for loop in network.loops for node, value in zip(loop.nodes, loop.values, strict=True)
    }


def copy_wires(
    source: Network,
    target: Network,
    wires: Sequence[Wire],
    given: Mapping[int, Wire],
    leaf: Callable[[int], Wire],
) -> list[Wire]:
    """The wires rebuilt in another network (or the same), nodes in `given` replaced, other inputs by `leaf`."""
    made: dict[int, Wire] = {0: FALSE, **given}
    marks = marked_cone(source, wires)
    needed = list(compress(range(len(marks)), marks))
    for node in needed:
        if node in made:
            continue
        kind = source.kind[node]
        if kind == INPUT:
            made[node] = leaf(node)
        elif kind == LOOP:
            made[node] = target.loop_node()
        else:
            x, y = source.first[node], source.second[node]
            build = target.both if kind == AND else target.differ
            made[node] = build(made[x >> 1] ^ (x & 1), made[y >> 1] ^ (y & 1))
    for loop in source.loops:
        kept = [i for i, node in enumerate(loop.nodes) if marks[node]]
        if not kept:
            continue
        nodes = tuple(made[loop.nodes[i]] >> 1 for i in kept)
        values = tuple(made[loop.values[i] >> 1] ^ (loop.values[i] & 1) for i in kept)
        target.loops.append(Loop(nodes, values))
    return [made[wire >> 1] ^ (wire & 1) for wire in wires]
