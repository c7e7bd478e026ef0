"""Plan -> Code: instructions on the slots of a buffer, the form that is run, compiled and kept on disk.

The buffer has the inputs first, then the outputs, then slots for everything else, which are used again as soon as
nobody needs their value. An instruction is four numbers: operation, target slot, first slot, second slot.

    BOTH EITHER DIFFER AND_NOT   target = first & second, first | second, first ^ second, ~first & second
    NOT COPY CLEAR               target = ~first, first, 0
    SETTLE                       target = first, and note whether that changed it
    REPEAT                       go back to instruction `target` if a SETTLE since has changed anything
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from gamemaster.codegen.plan import AND_NOT, BOTH, DIFFER, EITHER, Instruction, LoopStep, Plan

__all__ = [
    "AND_NOT",
    "BOTH",
    "CLEAR",
    "COPY",
    "DIFFER",
    "EITHER",
    "NOT",
    "REPEAT",
    "SETTLE",
    "Code",
    "encode",
]

NOT, COPY, CLEAR, SETTLE, REPEAT = range(4, 9)


@dataclass(frozen=True)
class Code:
    """Instructions [n, 4] for a buffer of so many slots."""

    inputs: int
    outputs: int
    slots: int
    instructions: npt.NDArray[np.int32]

    @cached_property
    def _loops(self) -> list[tuple[int, int]]:
        """The length of each loop, and how many atoms it has: it is run once more than that at most."""
        operations, starts = self.instructions[:, 0], self.instructions[:, 1]
        settled = np.concatenate(([0], np.cumsum(operations == SETTLE)))
        ends = np.nonzero(operations == REPEAT)[0]
        return [(int(end - starts[end]), int(settled[end] - settled[starts[end]])) for end in ends]

    @property
    def longest_recursion(self) -> int:
        """The most atoms that a loop has: as deep as its recursion can be."""
        return max((atoms for _, atoms in self._loops), default=0)

    @property
    def most_work(self) -> int:
        """How many instructions are carried out at most."""
        return len(self.instructions) + sum(length * atoms for length, atoms in self._loops)

    def check(self) -> None:
        """Nothing where every instruction stays within the buffer; else ValueError.

        Native code does not look where it reads and writes, so code from outside is checked once, before it runs.
        """
        table = self.instructions
        operations, targets = table[:, 0], table[:, 1]
        slots = np.where(operations[:, None] == REPEAT, 0, table[:, 1:])
        jumps = targets[operations == REPEAT]
        is_fine = (
            0 <= self.inputs <= self.inputs + self.outputs <= self.slots
            and bool(((operations >= 0) & (operations <= REPEAT)).all())
            and bool(((slots >= 0) & (slots < max(1, self.slots))).all())
            and bool(((jumps >= 0) & (jumps < len(table))).all())
        )
        if not is_fine:
            raise ValueError("an instruction reaches outside the buffer")

    def __str__(self) -> str:
        return f"{len(self.instructions)} instructions, {self.slots} slots"


def encode(plan: Plan) -> Code:
    """The code of a plan."""
    return _Encoder(plan).code()


class _Encoder:
    """Gives nodes their slots, one instruction after the other."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.rows = array("i")  # four numbers an instruction
        self.slot = {node: i for i, node in enumerate(plan.inputs)}
        self.slots = len(plan.inputs) + len(plan.outputs)
        self.free: list[int] = []
        self.last_use = _last_uses(plan.steps)
        self.leaving: dict[int, list[int]] = {}
        self.outputs: dict[int, list[tuple[int, bool]]] = {}
        for i, (node, inverted) in enumerate(plan.outputs):
            self.outputs.setdefault(node, []).append((len(plan.inputs) + i, inverted))

    def code(self) -> Code:
        for node in (0, *self.plan.inputs):
            self._write_outputs(node)
        leaving, free, slot, outputs = self.leaving, self.free, self.slot, self.outputs
        last_use, add = self.last_use, self.rows.extend
        for position, step in enumerate(self.plan.steps):
            if isinstance(step, LoopStep):
                self._loop(step, position)
            elif step[1] in outputs:
                self._gate(step, position)
            else:  # nearly all of them: what `_gate` does, without a call
                operation, node, first, second = step
                last = last_use.get(node, position)
                target = free.pop() if free else self._new_slot()
                add((operation, target, slot[first], slot[second]))
                slot[node] = target
                if last in leaving:
                    leaving[last].append(node)
                else:
                    leaving[last] = [node]
            if position in leaving:
                free += [slot.pop(node) for node in leaving.pop(position)]
        table = np.array(self.rows, np.int32).reshape(-1, 4)
        return Code(len(self.plan.inputs), len(self.plan.outputs), self.slots, table)

    def _gate(self, step: Instruction, position: int) -> None:
        first, second = self.slot[step.first], self.slot[step.second]
        self.rows.extend((step.operation, self._place(step.node, position), first, second))
        self._write_outputs(step.node)

    def _loop(self, step: LoopStep, position: int) -> None:
        for node in step.nodes:
            self.rows.extend((CLEAR, self._place(node, position), 0, 0))
        begin = len(self.rows) // 4
        for instruction in step.body:
            self._gate(instruction, position)
        spare = [self._new_slot() for _ in step.nodes]
        values = list(map(self._new_value, spare, step.sources, step.inverted))
        for node, value in zip(step.nodes, values, strict=True):
            self.rows.extend((SETTLE, self.slot[node], value, 0))
        self.rows.extend((REPEAT, begin, 0, 0))
        self.free += spare
        for node in step.nodes:
            self._write_outputs(node)

    def _new_value(self, spare: int, source: int, inverted: bool) -> int:
        """The slot with a loop node's new value: the source's own, or a spare one where it must be made."""
        if source != 0 and not inverted:
            return self.slot[source]
        if source == 0:
            self.rows.extend((CLEAR, spare, 0, 0))
        if inverted:
            self.rows.extend((NOT, spare, spare if source == 0 else self.slot[source], 0))
        return spare

    def _write_outputs(self, node: int) -> None:
        """Copy a value to the output slots that want it, as soon as it is there."""
        for slot, inverted in self.outputs.get(node, ()):
            if node == 0:
                self.rows.extend((CLEAR, slot, 0, 0))
                if inverted:
                    self.rows.extend((NOT, slot, slot, 0))
            elif self.slot[node] != slot:
                self.rows.extend((NOT if inverted else COPY, slot, self.slot[node], 0))

    def _place(self, node: int, position: int) -> int:
        """The slot for a node: its output's, if it is an output as it stands, else a free one."""
        for slot, inverted in self.outputs.get(node, ()):
            if not inverted and position >= 0:
                self.slot[node] = slot
                return slot
        self.slot[node] = self._new_slot()
        self.leaving.setdefault(max(position, self.last_use.get(node, position)), []).append(node)
        return self.slot[node]

    def _new_slot(self) -> int:
        if self.free:
            return self.free.pop()
        self.slots += 1
        return self.slots - 1


def _last_uses(steps: Sequence[Instruction | LoopStep]) -> dict[int, int]:
    """The last step that reads each node."""
    last: dict[int, int] = {}
    for position, step in enumerate(steps):
        if not isinstance(step, LoopStep):
            last[step[2]] = last[step[3]] = position
            continue
        for instruction in step.body:
            last[instruction.first] = last[instruction.second] = position
        last.update(dict.fromkeys(step.sources, position))
    return last
