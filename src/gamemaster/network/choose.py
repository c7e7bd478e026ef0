"""Gates that pick one of the legal moves, each equally likely, in every lane for itself.

The numbers of legal moves are added up in a tree, down to the total n at its root. Random bits u make
r = floor(u * n / 2^k), and r finds its move on the way up the tree: at each node it goes left if r is less than the
number of legal moves on the left, else right, less that number. Only the node that r has reached matters, so one
comparison a level serves all nodes of that level.

k is SPARE_BITS more than n needs: no move's probability is off by more than one part in 2^SPARE_BITS.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from gamemaster.network.graph import FALSE, TRUE, Network, Wire

__all__ = ["SPARE_BITS", "Number", "add", "choose_one"]

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
    levels = _count(network, legal)
    (total,) = levels[-1]
    random = [network.input() for _ in range(len(total) + SPARE_BITS)]
    rank = _scale(network, total, random)
    reached: list[Wire] = [TRUE]
    for counts in reversed(levels[:-1]):
        reached, rank = _step_up(network, counts, reached, rank)
    chosen = [network.both(here, wire) for here, wire in zip(reached, legal, strict=True)]
    return chosen, random, network.any_of(total)


def _count(network: Network, legal: Sequence[Wire]) -> list[list[Number]]:
    """How many are legal: each by itself, in pairs, in fours, ..., in all."""
    levels: list[list[Number]] = [[[wire] if wire != FALSE else [] for wire in legal]]
    while len(levels[-1]) > 1:
        below = levels[-1]
        pairs = [add(network, below[i], below[i + 1]) for i in range(0, len(below) - 1, 2)]
        levels.append(pairs + below[len(pairs) * 2 :])
    return levels


def _scale(network: Network, total: Sequence[Wire], random: Sequence[Wire]) -> Number:
    """floor(random * total / 2^k), digit by digit of the random number, the lowest first."""
    rank: Number = []
    for bit in random:
        rank = add(network, rank, [network.both(bit, digit) for digit in total])[1:]
    return rank


def _step_up(
    network: Network, counts: Sequence[Number], reached: Sequence[Wire], rank: Number
) -> tuple[list[Wire], Number]:
    """Which nodes of the next level are reached, and the rank within them."""
    left = _count_at(network, counts, reached)
    difference, is_less = _subtract(network, rank, left)
    width = max(map(len, counts))
    rank = [network.choose(is_less, a, b) for a, b in zip(rank[:width], difference[:width], strict=True)]
    nodes: list[Wire] = []
    for position, here in enumerate(reached):
        if 2 * position + 1 < len(counts):
            nodes += [network.both(here, is_less), network.both(here, is_less ^ 1)]
        else:  # the odd one out stands alone on both levels
            nodes.append(here)
    return nodes, rank


def _count_at(network: Network, counts: Sequence[Number], reached: Sequence[Wire]) -> Number:
    """The number of legal moves on the left of the node that is reached; all of them where it stands alone."""
    left = [counts[2 * position] for position in range(len(reached))]
    width = max(map(len, left))
    return [
        network.any_of(
            network.both(here, count[digit])
            for here, count in zip(reached, left, strict=True)
            if digit < len(count)
        )
        for digit in range(width)
    ]


def _subtract(network: Network, x: Sequence[Wire], y: Sequence[Wire]) -> tuple[Number, Wire]:
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
