"""Circuit -> smaller circuit, pass by pass. Building folds constants and shares gates already; these look again.

A pass is a function of PASSES, run in that order; tests check the spec (spec.py) before and after each.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

from gamemaster.network.build import Circuit
from gamemaster.network.graph import AND, TRUE, XOR, Network, Wire, copy_wires, marked_cone

__all__ = ["PASSES", "depth_of", "drop_dead", "run_passes"]

Pass: TypeAlias = Callable[[Circuit], Circuit]


def drop_dead(circuit: Circuit) -> Circuit:
    """The circuit without gates that no output needs."""
    marks = marked_cone(circuit.network, [*_inputs(circuit), *_outputs(circuit)])
    if sum(marks) - marks[0] == len(marks) - 1:
        return circuit
    network = Network()
    kept: dict[int, Wire] = {}
    for wire in _inputs(circuit):
        kept[wire >> 1] = network.input()

    def new(wire: Wire) -> Wire:
        return kept[wire >> 1] ^ (wire & 1) if wire != TRUE else TRUE

    outputs = iter(copy_wires(circuit.network, network, _outputs(circuit), kept, lambda node: kept[node]))
    return replace(
        circuit,
        network=network,
        facts={fact: new(wire) for fact, wire in circuit.facts.items()},
        moves={role: {m: new(wire) for m, wire in moves.items()} for role, moves in circuit.moves.items()},
        moved={role: new(wire) for role, wire in circuit.moved.items()},
        terminal=next(outputs),
        legal={role: [next(outputs) for _ in circuit.legal[role]] for role in circuit.roles},
        goal={role: {value: next(outputs) for value in circuit.goal[role]} for role in circuit.roles},
        next=[next(outputs) for _ in circuit.next],
        sees={role: {percept: next(outputs) for percept in circuit.sees[role]} for role in circuit.roles},
    )


def _inputs(circuit: Circuit) -> list[Wire]:
    moves = [wire for role in circuit.roles for wire in circuit.moves[role].values()]
    return [*circuit.facts.values(), *moves, *(wire for wire in circuit.moved.values() if wire != TRUE)]


def _outputs(circuit: Circuit) -> list[Wire]:
    return [*circuit.seen_in_state(), *circuit.made_by_moves()]


PASSES: tuple[Pass, ...] = (drop_dead,)


def run_passes(circuit: Circuit) -> Circuit:
    """The circuit after all passes."""
    for simplify in PASSES:
        circuit = simplify(circuit)
    return circuit


def depth_of(network: Network) -> int:
    """The longest way from an input through gates; a loop counts as one way through it."""
    depth: list[int] = []
    for kind, first, second in zip(network.kind, network.first, network.second, strict=True):
        if kind in (AND, XOR):
            x, y = depth[first >> 1], depth[second >> 1]
            depth.append(1 + (x if x > y else y))
        else:
            depth.append(0)
    return max(depth)
