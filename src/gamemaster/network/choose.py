"""Gates that pick one of the legal moves, each equally likely, in every lane for itself.

The moves stand in a binary tree, one at each node. How many are legal at and below a node is added up from the leaves,
up to the total n at the root. Random bits u make r = floor(u * n / 2^k), and r finds its move on the way down: at each
node it takes the node's own move if that is legal and r is 0, else goes left if r, less one for a legal move passed,
is less than the number of legal moves there, else right, less that number. Only the node that r has reached matters,
so one comparison a level serves all nodes of that level.

A node's own move is the carry of the sum below it, so that three numbers cost no more than two (a third less in all
than moves at the leaves alone). k is SPARE_BITS more than n needs: no move's probability is off by more than one part
in 2^SPARE_BITS.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from gamemaster.network.graph import FALSE, Network, Wire

__all__ = ["SPARE_BITS", "Number", "add", "choose_one", "subtract"]

SPARE_BITS = 16

Number: TypeAlias = list[Wire]
"""A number in each lane, as its binary digits, the lowest first."""


def add(network: Network, x: Sequence[Wire], y: Sequence[Wire], carry: Wire = FALSE) -> Number:
    """x + y, with leading digits that are surely 0 left out."""
    digits: Number = []
    for position in range(max(len(x), len(y))):
        a = x[position] if position < len(x) else FALSE
        b = y[position] if position < len(y) else FALSE
        half = network.differ(a, b)
        digits.append(network.differ(half, carry))
        carry = network.either(network.both(a, b), network.both(half, carry))
    digits.append(carry)
    while digits and digits[-1] == FALSE:
        digits.pop()
    return digits


def choose_one(network: Network, legal: Sequence[Wire]) -> tuple[list[Wire], list[Wire], Wire]:
    """For each move whether it is chosen; the inputs that must be random; whether any move is legal."""
    if len(legal) <= 1:
        return list(legal), [], network.any_of(legal)
    counts = _count(network, legal)
    total = counts[0]
    random = [network.input() for _ in range(len(total) + SPARE_BITS)]
    moved = network.any_of(total)
    descent = _Descent(network, legal, counts, [moved], _scale(network, total, random))
    while descent.reached:
        descent.go_down()
    return descent.chosen, random, moved


def _count(network: Network, legal: Sequence[Wire]) -> list[Number]:
    """For each node of the tree how many moves are legal at and below it; the children of i are 2i+1 and 2i+2."""
    counts: list[Number] = [[] for _ in range(2 * len(legal) + 1)]
    for node in reversed(range(len(legal))):
        below = counts[2 * node + 1], counts[2 * node + 2]
        counts[node] = add(network, *below, legal[node])
    return counts


def _scale(network: Network, total: Sequence[Wire], random: Sequence[Wire]) -> Number:
    """floor(random * total / 2^k), digit by digit of the random number, the lowest first."""
    rank: Number = []
    for bit in random:
        rank = add(network, rank, [network.both(bit, digit) for digit in total])[1:]
    return rank


@dataclass
class _Descent:
    """The way down to the move of a rank, level by level."""

    network: Network
    legal: Sequence[Wire]
    counts: Sequence[Number]
    reached: list[Wire]  # the nodes of this level
    rank: Number  # of the move, among those at and below the node that is reached
    chosen: list[Wire] = field(default_factory=list)

    def go_down(self) -> None:
        """Choose on this level, or reach a node of the next."""
        network, first = self.network, len(self.chosen)
        inner = [node for node in range(first, first + len(self.reached)) if 2 * node + 1 < len(self.legal)]
        own = [network.both(self.reached[node - first], self.legal[node]) for node in inner]
        own_here = network.any_of(own)
        is_first = network.any_of(self.rank) ^ 1
        self.chosen += [network.both(wire, is_first) for wire in own]
        self.chosen += self.reached[len(inner) :]  # a leaf that is reached has the only move left
        stops = network.both(own_here, is_first)
        rest, _ = subtract(network, self.rank, [own_here])
        left = self._sum_of([self.counts[2 * node + 1] for node in inner])
        difference, is_less = subtract(network, rest, left)
        self.rank = self._narrow(
            [network.choose(is_less, *pair) for pair in zip(rest, difference, strict=True)], inner
        )
        ways = network.both(is_less, stops ^ 1), network.both(is_less ^ 1, stops ^ 1)
        following = [network.both(self.reached[node - first], way) for node in inner for way in ways]
        self.reached = following[: max(0, len(self.legal) - len(self.chosen))]

    def _sum_of(self, numbers: Sequence[Number]) -> Number:
        """The number of the node that is reached, of one for each inner node."""
        network = self.network
        return [
            network.any_of(
                network.both(here, number[digit])
                for here, number in zip(self.reached, numbers, strict=False)
                if digit < len(number)
            )
            for digit in range(max(map(len, numbers), default=0))
        ]

    def _narrow(self, rank: Number, inner: Sequence[int]) -> Number:
        """The rank without digits that no number of moves below has."""
        below = (self.counts[child] for node in inner for child in (2 * node + 1, 2 * node + 2))
        return rank[: max(map(len, below), default=0)]


def subtract(network: Network, x: Sequence[Wire], y: Sequence[Wire]) -> tuple[Number, Wire]:
    """x - y, and whether x is less than y."""
    digits: Number = []
    borrow = FALSE
    for position in range(max(len(x), len(y))):
        a = x[position] if position < len(x) else FALSE
        b = y[position] if position < len(y) else FALSE
        half = network.differ(a, b)
        digits.append(network.differ(half, borrow))
        borrow = network.either(network.both(a ^ 1, b), network.both(half ^ 1, borrow))
    return digits[: len(x)], borrow
