"""Network -> Plan: what to compute in which order, each gate as one instruction.

A gate with inverted wires still takes one instruction, because a value may be kept inverted: ~x & ~y is kept as
x | y, "inverted". XOR does not care. A recursive component is a loop: clear its nodes, run its instructions, repeat
while a node changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from gamemaster.network.graph import AND, LOOP, XOR, Loop, Network, Wire, cone

__all__ = ["AND_NOT", "BOTH", "DIFFER", "EITHER", "Instruction", "LoopStep", "Plan", "make_plan"]

BOTH, AND_NOT, EITHER, DIFFER = range(4)
"""Operations: x & y, ~x & y, x | y, x ^ y."""


@dataclass(frozen=True, slots=True)
class Instruction:
    """`node = operation(first, second)`, all of them nodes of the network."""

    operation: int
    node: int
    first: int
    second: int


@dataclass(frozen=True, slots=True)
class LoopStep:
    """Run `body` until none of `nodes` changes; node i takes the value of `sources[i]`, inverted where told."""

    nodes: tuple[int, ...]
    sources: tuple[int, ...]
    inverted: tuple[bool, ...]
    body: tuple[Instruction, ...]


@dataclass
class Plan:
    """The steps that compute outputs from inputs. `output i` is the value of a node, inverted where told."""

    inputs: tuple[int, ...]
    outputs: tuple[tuple[int, bool], ...]
    steps: list[Instruction | LoopStep] = field(default_factory=list)

    @property
    def gates(self) -> int:
        """How many instructions there are."""
        return sum(len(step.body) if isinstance(step, LoopStep) else 1 for step in self.steps)

    def __str__(self) -> str:
        loops = sum(isinstance(step, LoopStep) for step in self.steps)
        return f"{len(self.inputs)} inputs, {self.gates} gates, {loops} loops, {len(self.outputs)} outputs"


def make_plan(network: Network, inputs: Sequence[Wire], outputs: Sequence[Wire]) -> Plan:
    """The plan for some outputs of a network, given all inputs that they need."""
    return _Scheduler(network, inputs, outputs).plan()


class _Scheduler:
    """Puts gates in order and decides which values are kept inverted."""

    def __init__(self, network: Network, inputs: Sequence[Wire], outputs: Sequence[Wire]) -> None:
        self.network = network
        self.inputs = tuple(wire >> 1 for wire in inputs)
        self.outputs = outputs
        self.needed = cone(network, outputs)
        self.is_inverted: dict[int, bool] = dict.fromkeys((0, *self.inputs), False)
        self.done: set[int] = {0, *self.inputs}

    def plan(self) -> Plan:
        steps: list[Instruction | LoopStep] = []
        for loop in self.network.loops:
            kept = [i for i, node in enumerate(loop.nodes) if node in self.needed]
            if kept:
                needed = Loop(tuple(loop.nodes[i] for i in kept), tuple(loop.values[i] for i in kept))
                steps += self._before(needed)
                steps.append(self._loop(needed))
        steps += self._instructions(sorted(self.needed))
        outputs = tuple((wire >> 1, self._inverted(wire)) for wire in self.outputs)
        return Plan(self.inputs, outputs, steps)

    def _before(self, loop: Loop) -> list[Instruction]:
        """What a loop needs and does not change."""
        inside = self._inside(loop)
        return self._instructions(
            node for node in sorted(cone(self.network, loop.values)) if node not in inside
        )

    def _loop(self, loop: Loop) -> LoopStep:
        """The loop's own instructions, once what it needs is there."""
        self.is_inverted.update(dict.fromkeys(loop.nodes, False))
        self.done.update(loop.nodes)
        body = tuple(self._instructions(sorted(cone(self.network, loop.values))))
        sources = tuple(value >> 1 for value in loop.values)
        return LoopStep(loop.nodes, sources, tuple(map(self._inverted, loop.values)), body)

    def _inside(self, loop: Loop) -> set[int]:
        """The nodes of a loop and the gates that depend on them."""
        inside = set(loop.nodes)
        for node in sorted(cone(self.network, loop.values)):
            read = self.network.first[node] >> 1, self.network.second[node] >> 1
            if self.network.kind[node] in (AND, XOR) and not inside.isdisjoint(read):
                inside.add(node)
        return inside

    def _inverted(self, wire: Wire) -> bool:
        return bool(wire & 1) ^ self.is_inverted[wire >> 1]

    def _instructions(self, nodes: Iterable[int]) -> list[Instruction]:
        """Instructions for those of the nodes, in order, that are gates and not done yet."""
        found = []
        for node in nodes:
            if node not in self.done and self.network.kind[node] != LOOP:
                self.done.add(node)
                found.append(self._instruction(node))
        return found

    def _instruction(self, node: int) -> Instruction:
        x, y = self.network.first[node], self.network.second[node]
        x_inverted, y_inverted = self._inverted(x), self._inverted(y)
        first, second = x >> 1, y >> 1
        if self.network.kind[node] == XOR:
            self.is_inverted[node] = x_inverted ^ y_inverted
            return Instruction(DIFFER, node, first, second)
        self.is_inverted[node] = x_inverted and y_inverted
        if x_inverted and y_inverted:
            return Instruction(EITHER, node, first, second)
        if x_inverted:
            return Instruction(AND_NOT, node, first, second)
        if y_inverted:
            return Instruction(AND_NOT, node, second, first)
        return Instruction(BOTH, node, first, second)
