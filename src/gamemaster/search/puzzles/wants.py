"""Circuit -> what holds in every state in which a game ends with enough: facts that are true, and facts that are false.

Read off the gates: that an AND is true needs what both of its wires need, that it is false needs what either of them
needs alike. What gates do not show (recursion, exclusive or) is not wanted. How many of these are met says how near a
state is to a solution, without anybody looking at moves.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from gamemaster.language.terms import Term
from gamemaster.machine.mistakes import reward_of
from gamemaster.network.build import Circuit
from gamemaster.network.graph import AND, CONSTANT, INPUT, Network, Wire, cone

__all__ = ["NOTHING_WANTED", "Wants", "wants_of"]

MOST_BITS = 400_000_000
"""Gates times facts: beyond that nobody waits for it."""


class Wants(NamedTuple):
    """Facts that hold in every solution, and facts that hold in none, as bits of numbers: bit i is the i-th fact."""

    true: int
    false: int

    def __len__(self) -> int:
        return self.true.bit_count() + self.false.bit_count()


NOTHING_WANTED = Wants(0, 0)

Needs = tuple[int, int]
"""What a node needs to be true, and to be false: even bits are facts, the odd ones their negations."""


def wants_of(circuit: Circuit, role: Term, enough: float) -> Wants:
    """What every end has that is worth so much to a role."""
    values = ((reward_of(value), wire) for value, wire in circuit.goal[role].items())
    goals = [wire for value, wire in values if value is not None and value >= enough]
    wires = [circuit.terminal, *goals]
    nodes = sorted(cone(circuit.network, wires))
    if not goals or len(nodes) * len(circuit.facts) > MOST_BITS:
        return NOTHING_WANTED
    numbers = {wire >> 1: i for i, wire in enumerate(circuit.facts.values())}
    needs = _needs(circuit.network, nodes, numbers)
    common = -1
    for wire in goals:
        common &= _of(needs, wire)
    bits = common | _of(needs, circuit.terminal)
    if bits < 0:  # which cannot be: nothing is learnt from it
        return NOTHING_WANTED
    return Wants(_every_other(bits, len(numbers)), _every_other(bits >> 1, len(numbers)))


def _needs(network: Network, nodes: Iterable[int], numbers: dict[int, int]) -> dict[int, Needs]:
    """The needs of nodes that come after all that they read."""
    needs: dict[int, Needs] = {}
    for node in nodes:
        kind = network.kind[node]
        if kind == CONSTANT:
            needs[node] = (-1, 0)  # it is never true
        elif kind == INPUT and node in numbers:
            needs[node] = (1 << 2 * numbers[node], 2 << 2 * numbers[node])
        elif kind == AND and network.first[node] >> 1 in needs and network.second[node] >> 1 in needs:
            x, y = network.first[node], network.second[node]
            needs[node] = (_of(needs, x) | _of(needs, y), _of(needs, x ^ 1) & _of(needs, y ^ 1))
        else:
            needs[node] = (0, 0)
    return needs


def _of(needs: dict[int, Needs], wire: Wire) -> int:
    """What it needs for a wire to be true."""
    return needs[wire >> 1][wire & 1] if wire >> 1 in needs else 0


def _every_other(bits: int, count: int) -> int:
    """The even bits of a number, close together."""
    return sum(1 << i for i in range(count) if bits >> 2 * i & 1)
