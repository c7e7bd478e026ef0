"""Network -> Plan: what to compute in which order, each gate as one instruction.

A gate with inverted wires still takes one instruction, because a value may be kept inverted: ~x & ~y is kept as
x | y, "inverted". XOR does not care. A recursive component is a loop: clear its nodes, run its instructions, repeat
while a node changes.

A gate comes right after what it is made of, the larger part first (Sethi and Ullman 1970): values are used soon after
they are made, so most of them never leave the registers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import compress
from typing import NamedTuple

from gamemaster.network.graph import AND, XOR, Loop, Network, Wire, cone, marked_cone

__all__ = ["AND_NOT", "BOTH", "DIFFER", "EITHER", "Instruction", "LoopStep", "Plan", "make_plan"]

BOTH, AND_NOT, EITHER, DIFFER = range(4)
"""Operations: x & y, ~x & y, x | y, x ^ y."""

OPERATIONS = ((BOTH, AND_NOT), (AND_NOT, EITHER))
"""What an AND of two values takes, by whether each is kept inverted."""


class Instruction(NamedTuple):
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
        self.needed = marked_cone(network, outputs)
        self.is_inverted = bytearray(len(network.kind))  # by node: 1 where it is
        self.done = bytearray(len(network.kind))  # by node: 1 where it is
        for node in (0, *self.inputs):
            self.done[node] = 1
        self.registers = self._registers()

    def plan(self) -> Plan:
        steps: list[Instruction | LoopStep] = []
        for loop in self.network.loops:
            kept = [i for i, node in enumerate(loop.nodes) if self.needed[node]]
            if kept:
                needed = Loop(tuple(loop.nodes[i] for i in kept), tuple(loop.values[i] for i in kept))
                steps += self._before(needed)
                steps.append(self._loop(needed))
        steps += self._instructions(self._in_order(self.outputs))
        outputs = tuple((wire >> 1, self._inverted(wire)) for wire in self.outputs)
        return Plan(self.inputs, outputs, steps)

    def _registers(self) -> list[int]:
        """How many registers each gate would take, were nothing shared: what takes more is computed first."""
        kinds, firsts, seconds = self.network.kind, self.network.first, self.network.second
        found = [0] * len(kinds)
        for node in compress(range(len(kinds)), self.needed):
            if kinds[node] in (AND, XOR):
                x, y = found[firsts[node] >> 1], found[seconds[node] >> 1]
                found[node] = x if x > y else y if y > x else x + 1
        return found

    def _in_order(self, wires: Iterable[Wire]) -> Iterator[int]:
        """The gates not done that wires depend on, each after those it reads."""
        kinds, firsts, seconds = self.network.kind, self.network.first, self.network.second
        registers, seen = self.registers, bytearray(self.done)
        for wire in wires:
            stack = [wire >> 1]
            while stack:
                node = stack.pop()
                if node < 0:  # all that it reads has come
                    yield ~node
                    continue
                if seen[node] or kinds[node] not in (AND, XOR):
                    continue
                seen[node] = 1
                x, y = firsts[node] >> 1, seconds[node] >> 1
                smaller, larger = (x, y) if registers[x] <= registers[y] else (y, x)
                stack += (~node, smaller, larger)

    def _before(self, loop: Loop) -> list[Instruction]:
        """What a loop needs and does not change."""
        inside = self._inside(loop)
        return self._instructions(node for node in self._in_order(loop.values) if node not in inside)

    def _loop(self, loop: Loop) -> LoopStep:
        """The loop's own instructions, once what it needs is there."""
        for node in loop.nodes:
            self.done[node] = 1
        body = tuple(self._instructions(self._in_order(loop.values)))
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
        return bool(wire & 1 ^ self.is_inverted[wire >> 1])

    def _instructions(self, nodes: Iterable[int]) -> list[Instruction]:
        """Instructions for gates, in order; they are done then."""
        found: list[Instruction] = []
        kinds, firsts, seconds = self.network.kind, self.network.first, self.network.second
        is_inverted, make = self.is_inverted, tuple.__new__  # what Instruction() does, in half the time
        for node in nodes:
            x, y = firsts[node], seconds[node]
            first, second = x >> 1, y >> 1
            x_inverted, y_inverted = is_inverted[first] ^ (x & 1), is_inverted[second] ^ (y & 1)
            if kinds[node] == XOR:
                is_inverted[node] = x_inverted ^ y_inverted
                operation = DIFFER
            else:
                is_inverted[node] = x_inverted & y_inverted
                operation = OPERATIONS[x_inverted][y_inverted]
                if y_inverted and not x_inverted:
                    first, second = second, first
            found.append(make(Instruction, (operation, node, first, second)))
        for _, node, _, _ in found:
            self.done[node] = 1
        return found
