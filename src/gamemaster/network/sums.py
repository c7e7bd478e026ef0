"""Gates that add numbers up and compare the sum with a bound: what counting in the rules becomes.

Wires of equal weight are counted by full adders, column by column of binary digits, as on paper: three wires of a
column become one there and one in the next. A sum is made once, however many bounds it is compared with.
"""

from __future__ import annotations

from collections.abc import Sequence

from gamemaster.network.choose import Number
from gamemaster.network.graph import FALSE, TRUE, Network, Wire

__all__ = ["add_up", "at_least"]


def add_up(network: Network, wires: Sequence[Wire], weights: Sequence[int]) -> Number:
    """The sum of the weights of those wires that hold."""
    columns: list[list[Wire]] = [[] for _ in range(sum(weights).bit_length())]
    for wire, weight in zip(wires, weights, strict=True):
        for digit in range(weight.bit_length()):
            if weight >> digit & 1 and wire != FALSE:
                columns[digit].append(wire)
    total: Number = []
    for place, column in enumerate(columns):
        while len(column) > 1:
            three = column[:3] if len(column) > 2 else [*column, FALSE]
            del column[: min(3, len(column))]
            half = network.differ(three[0], three[1])
            column.append(network.differ(half, three[2]))
            carry = network.either(network.both(three[0], three[1]), network.both(half, three[2]))
            if carry != FALSE:
                columns[place + 1].append(carry)
        total.append(column[0] if column else FALSE)
    return total


def at_least(network: Network, number: Number, bound: int) -> Wire:
    """Whether a number is at least so large: by its digits from the lowest on."""
    if bound <= 0:
        return TRUE
    if bound.bit_length() > len(number):
        return FALSE
    result = TRUE
    for place, digit in enumerate(number):
        result = network.both(digit, result) if bound >> place & 1 else network.either(digit, result)
    return result
