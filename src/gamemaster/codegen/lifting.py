"""Code -> Network: what instructions compute, as gates again, for whoever wants to make better ones of them."""

from __future__ import annotations

from dataclasses import dataclass

from gamemaster.codegen.code import AND_NOT, BOTH, CLEAR, DIFFER, EITHER, NOT, REPEAT, SETTLE, Code
from gamemaster.network.graph import FALSE, Loop, Network, Wire

__all__ = ["Lifted", "lift"]


@dataclass(frozen=True)
class Lifted:
    """A network, and which of its wires go in and come out, in the order of the code."""

    network: Network
    inputs: tuple[Wire, ...]
    outputs: tuple[Wire, ...]


def lift(code: Code) -> Lifted:
    """The network of code."""
    network = Network()
    slots: list[Wire] = [FALSE] * code.slots
    slots[: code.inputs] = [network.input() for _ in range(code.inputs)]
    inputs = tuple(slots[: code.inputs])
    rows = code.instructions.tolist()
    ends = {target: position for position, (operation, target, *_) in enumerate(rows) if operation == REPEAT}
    values: dict[int, Wire] = {}
    nodes: list[int] = []
    for position, (operation, target, first, second) in enumerate(rows):
        if position in ends:  # a loop begins: its atoms are what they are in the end
            nodes = [row[1] for row in rows[position : ends[position]] if row[0] == SETTLE]
            for slot in nodes:
                slots[slot] = network.loop_node()
        if operation == SETTLE:
            values[target] = slots[first]
        elif operation == REPEAT:
            ours = tuple(slots[slot] >> 1 for slot in nodes)
            network.loops.append(Loop(ours, tuple(values[slot] for slot in nodes)))
            values = {}
        else:
            slots[target] = _wire(network, operation, slots[first], slots[second])
    return Lifted(network, inputs, tuple(slots[code.inputs : code.inputs + code.outputs]))


def _wire(network: Network, operation: int, x: Wire, y: Wire) -> Wire:
    """The wire of an operation; COPY takes over the first value."""
    if operation == BOTH:
        return network.both(x, y)
    if operation == AND_NOT:
        return network.both(x ^ 1, y)
    if operation == EITHER:
        return network.either(x, y)
    if operation == DIFFER:
        return network.differ(x, y)
    if operation == NOT:
        return x ^ 1
    return FALSE if operation == CLEAR else x
