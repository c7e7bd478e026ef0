"""Circuit -> a network that expands: a state and moves go in, the next state and all that is seen in it come out.

A search asks for both of every child it makes, so one evaluation gives both. Outputs are filled up so that the state
and what is seen each begin with a word of 64 bits.
"""

from __future__ import annotations

from dataclasses import dataclass

from gamemaster.network.build import Circuit
from gamemaster.network.graph import FALSE, TRUE, Network, Wire, copy_wires

__all__ = ["WORD", "Expansion", "expansion_network"]

WORD = 64


@dataclass(frozen=True)
class Expansion:
    """The network of an expansion.

    Inputs in order: facts, moves of each role, `moved` of each role where not all of them always move. Outputs in
    order: the next facts, filled up to whole words; terminal, legal, goals, filled up. `ends` are terminal and goals
    alone, which is all that a search needs of its leaves.
    """

    network: Network
    inputs: tuple[Wire, ...]
    outputs: tuple[Wire, ...]
    ends: tuple[Wire, ...]


def expansion_network(circuit: Circuit) -> Expansion:
    """The network that expands a circuit's states."""
    network = Network()
    moves = [wire for role in circuit.roles for wire in circuit.moves[role].values()]
    moved = [circuit.moved[role] for role in circuit.roles if circuit.moved[role] != TRUE]
    sources = [*circuit.facts.values(), *moves, *moved]
    given = {wire >> 1: network.input() for wire in sources}
    after = copy_wires(circuit.network, network, circuit.next, given, _no_other_input)
    facts = {wire >> 1: new for wire, new in zip(circuit.facts.values(), after, strict=True)}
    seen = copy_wires(circuit.network, network, circuit.seen_in_state(), facts, _no_other_input)
    outputs = (*_filled(after), *_filled(seen))
    ends = (seen[0], *seen[1 + len(moves) :])
    return Expansion(network, tuple(given[wire >> 1] for wire in sources), outputs, ends)


def _filled(wires: list[Wire]) -> list[Wire]:
    return [*wires, *[FALSE] * (-len(wires) % WORD)]


def _no_other_input(node: int) -> Wire:
    raise AssertionError(f"node {node} depends on an input that an expansion does not have")
