"""Questions about gates: can these wires hold together? Asked of clingo's SAT solver, with a clock."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence

from gamemaster.errors import LimitExceeded
from gamemaster.network.graph import AND, INPUT, XOR, Network, Wire

__all__ = ["GateSolver", "evaluate"]

MOST_GATES = 400_000


class GateSolver:
    """A network as clauses. LimitExceeded where it is too large, or from `deadline` on, by time.monotonic."""

    def __init__(self, network: Network, deadline: float) -> None:
        import clingo

        if len(network.kind) > MOST_GATES or network.loops:
            raise LimitExceeded("size", f"{MOST_GATES:,} gates without loops", doing="proving by induction")
        self.deadline = deadline
        self.control = clingo.Control(["--warn=none"])
        self.asked = 0
        self.model: dict[int, bool] = {}
        with self.control.backend() as backend:
            self.atoms = [backend.add_atom() for _ in network.kind]
            for node, kind in enumerate(network.kind):
                a, b = self._literal(network.first[node]), self._literal(network.second[node])
                if kind == AND:
                    backend.add_rule([self.atoms[node]], [a, b])
                elif kind == XOR:
                    backend.add_rule([self.atoms[node]], [a, -b])
                    backend.add_rule([self.atoms[node]], [-a, b])
                elif kind == INPUT:
                    backend.add_rule([self.atoms[node]], [], choice=True)

    def _literal(self, wire: Wire) -> int:
        return int(-self.atoms[wire >> 1] if wire & 1 else self.atoms[wire >> 1])

    def can_hold(self, wires: Sequence[Wire], watched: Collection[Wire] = ()) -> bool:
        """Whether all wires can hold together; `holds` then says whether those watched do in such a case."""
        self.asked += 1
        assumed = [self._literal(wire) for wire in wires]
        with self.control.solve(assumptions=assumed, yield_=True, async_=True) as handle:
            handle.resume()
            if not handle.wait(max(0.0, self.deadline - time.monotonic())):
                handle.cancel()
                raise LimitExceeded("time", "the seconds given", doing="proving by induction")
            model = handle.model()
            if model is None:
                return False
            self.model = {wire >> 1: model.is_true(self.atoms[wire >> 1]) for wire in watched}
            return True

    def holds(self, wire: Wire) -> bool:
        """Whether a wire that was watched holds in the case that was found last."""
        return self.model[wire >> 1] != bool(wire & 1)


def evaluate(network: Network, given: Mapping[int, bool]) -> list[bool]:
    """The value of every node, where inputs have those given; others are false."""
    values: list[bool] = []
    for node, kind in enumerate(network.kind):
        if kind in (AND, XOR):
            a, b = network.first[node], network.second[node]
            x, y = values[a >> 1] != bool(a & 1), values[b >> 1] != bool(b & 1)
            values.append(x and y if kind == AND else x != y)
        else:
            values.append(given.get(node, False))
    return values
