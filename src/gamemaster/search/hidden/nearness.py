"""How many facts of a state would have to be others for a move to be legal, and for a role to see what it saw.

Read off the gates of the rules, for many states at once: what it costs a wire to be true, and to be false. A fact costs
nothing where it is as it should be, else 1, or more where it is the same in all states and so is likely to be known. An
AND costs what both of its wires cost to be true, and the less of the two to be false. What an atom of a recursion costs
is not known, and counts as nothing: as everything here it is a guess by which a search may go, and no proof.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from gamemaster.network.graph import AND, CONSTANT, INPUT, XOR, cone
from gamemaster.search.hidden.lanes import Flags, Floats, Ints, Rows

if TYPE_CHECKING:
    from gamemaster.machine.compiled import CompiledGame

__all__ = ["Nearness"]

SETTLED = 8.0
"""What a fact costs that is the same in all states."""

NEVER = 1e6
"""What costs so much cannot be."""

MOST_GATES = 3_000
"""More are not looked at: the time is better spent otherwise."""


class Nearness:
    """How near states of a compiled game are to a move of one role after which another sees something."""

    def __init__(self, game: CompiledGame, observer: int) -> None:
        self.circuit, self.observer = game.artifact.circuit, observer
        self.starts = [first for first, _, _ in game.layout.move_bits]
        self.owners = dict[int, int](), dict[int, tuple[int, int]](), dict[int, int]()
        facts, moves, moved = self.owners
        facts.update((wire >> 1, number) for number, wire in enumerate(self.circuit.facts.values()))
        for role, term in enumerate(self.circuit.roles):
            wires = self.circuit.moves[term].values()
            moves.update((wire >> 1, (role, number)) for number, wire in enumerate(wires))
            moved[self.circuit.moved[term] >> 1] = role
        self._cones = dict[tuple[int, ...], list[int]]()

    def costs(self, rows: Rows, codes: Ints, mover: int, wanted: Rows, settled: Flags) -> Floats:
        """What it costs states, as rows of a byte for each fact, if roles make moves of these codes [N, R].

        `wanted` is what the observer sees, a bit a byte; `settled` says which facts are the same in all states.
        """
        legal = self.circuit.legal[self.circuit.roles[mover]][int(codes[0, mover]) - self.starts[mover]]
        sees = self.circuit.sees[self.circuit.roles[self.observer]].values()
        seen = [wire ^ int(not is_wanted) for wire, is_wanted in zip(sees, wanted, strict=True)]
        for wires in ([legal, *seen], [legal]):
            nodes = self._cone(wires)
            if len(nodes) <= MOST_GATES:
                return self._summed(wires, nodes, rows, codes, settled)
        return np.zeros(len(rows))

    def _cone(self, wires: Sequence[int]) -> list[int]:
        """What wires depend on, in order."""
        key = tuple(wire >> 1 for wire in wires)
        if key not in self._cones:
            self._cones[key] = sorted(cone(self.circuit.network, wires))
        return self._cones[key]

    def _summed(
        self, wires: Iterable[int], nodes: Iterable[int], rows: Rows, codes: Ints, settled: Flags
    ) -> Floats:
        """What it costs that all of some wires are true."""
        network, costs = self.circuit.network, dict[int, Floats]()
        unit = np.where(settled, SETTLED, 1.0)
        for node in nodes:
            kind = network.kind[node]
            if kind in (AND, XOR):
                x, y = network.first[node], network.second[node]
                for inverted in (0, 1):
                    costs[2 * node + inverted] = _gate(costs, kind, inverted, x, y)
            else:
                costs[2 * node], costs[2 * node + 1] = self._leaf(node, kind, rows, codes, unit)
        total = np.zeros(len(rows))
        for wire in wires:
            total += costs[wire]
        return np.minimum(total, NEVER)

    def _leaf(self, node: int, kind: int, rows: Rows, codes: Ints, unit: Floats) -> tuple[Floats, Floats]:
        """What it costs an input, or what is not a gate, to be true and to be false."""
        facts, moves, moved = self.owners
        none = np.zeros(len(rows))
        if kind == CONSTANT:
            return none + NEVER, none
        if kind != INPUT:
            return none, none
        if node in facts:
            number = facts[node]
            return (1.0 - rows[:, number]) * unit[number], rows[:, number] * unit[number]
        if node in moves:
            role, number = moves[node]
            is_made = codes[:, role] == self.starts[role] + number
        else:
            is_made = codes[:, moved[node]] >= 0
        return NEVER * ~is_made, NEVER * is_made


def _gate(costs: dict[int, Floats], kind: int, inverted: int, x: int, y: int) -> Floats:
    """What it costs a gate to be true, or false where it is inverted."""
    if kind == AND:
        if inverted:
            return np.minimum(costs[x ^ 1], costs[y ^ 1])
        return np.minimum(costs[x] + costs[y], NEVER)
    return np.minimum(costs[x] + costs[y ^ 1 ^ inverted], costs[x ^ 1] + costs[y ^ inverted])
