"""Network -> smaller network: logic synthesis by `aigverse` (mockturtle), which looks at more than one gate at a time.

The network becomes a graph of AND gates; passes rewrite small cuts of it, replace gates by others that are there
already, and factor what is below a gate anew, round after round as long as that pays off. Then it becomes gates of ours
again, three ANDs that make an XOR one gate. Loops are cut: their nodes go in, what defines them comes out, so
each round of a recursion does exactly what it did.

Nobody should believe the result: machine/improving.py has it checked before it is used.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import TYPE_CHECKING

from gamemaster.network.graph import AND, FALSE, INPUT, LOOP, XOR, Loop, Network, Wire, cone

if TYPE_CHECKING:
    from aigverse.networks import Aig, AigSignal

__all__ = ["MOST_GATES", "SYNTHESIS", "Synthesis", "is_available", "synthesise"]

SYNTHESIS = 4
"""Counts up when the same network becomes another: part of the key in the cache."""

MOST_GATES = 400_000
MOST_ROUNDS = 6
WORTH_A_ROUND = 0.004
"""The share of gates that a round must save for there to be another."""


@dataclass
class Synthesis:
    """The network made, and how many gates there were before and after each pass, a gate being an instruction."""

    network: Network
    inputs: tuple[Wire, ...]
    outputs: tuple[Wire, ...]
    figures: list[tuple[str, int]] = field(default_factory=list)


def is_available() -> bool:
    """Whether aigverse is installed."""
    return find_spec("aigverse") is not None


def synthesise(network: Network, inputs: Sequence[Wire], outputs: Sequence[Wire]) -> Synthesis | None:
    """A network for the same outputs that is no larger; None where there is none, or it is too large to be tried.

    Gates stand in the order in which outputs need them, which alone makes code of large networks faster.
    """
    cut = _Cut(network, tuple(inputs), tuple(outputs))
    before = _gates(network, outputs)
    if before > MOST_GATES:
        return None
    figures = [("as built", before)]
    graph = cut.graph()
    for _ in range(MOST_ROUNDS):
        size = graph.num_gates
        for name, simplify in _passes():
            graph = simplify(graph)
            figures.append((name, graph.num_gates))
        if size - graph.num_gates < WORTH_A_ROUND * size:
            break
    for name, found in (("XOR found again", graph), ("only in another order", cut.graph())):
        made = cut.network_of(found)
        if made is not None:
            figures.append((name, _gates(made.network, made.outputs)))
            if figures[-1][1] <= before:
                made.figures = figures
                return made
    return None


def _gates(network: Network, outputs: Sequence[Wire]) -> int:
    return sum(network.kind[node] in (AND, XOR) for node in cone(network, outputs))


def _passes() -> list[tuple[str, Callable[[Aig], Aig]]]:
    """The passes of a round. Steps that save nothing are taken too: they let the next pass see something new."""
    from aigverse.algorithms import aig_cut_rewriting, aig_resubstitution, sop_refactoring

    def refactor(graph: Aig) -> Aig:
        return sop_refactoring(graph, max_pis=8, use_reconvergence_cut=True, allow_zero_gain=True) or graph

    return [
        ("cut rewriting", lambda graph: aig_cut_rewriting(graph, allow_zero_gain=True)),
        ("resubstitution", lambda graph: aig_resubstitution(graph) or graph),
        ("refactoring", refactor),
    ]


class _Cut:
    """A network with its loops cut open."""

    def __init__(self, network: Network, inputs: tuple[Wire, ...], outputs: tuple[Wire, ...]) -> None:
        self.network, self.inputs, self.outputs = network, inputs, outputs
        self.needed = sorted(cone(network, outputs))
        needed = set(self.needed)
        self.loops = [
            [(node, value) for node, value in zip(loop.nodes, loop.values, strict=True) if node in needed]
            for loop in network.loops
        ]
        self.nodes = [node for loop in self.loops for node, _ in loop]
        self.results = [*outputs, *(value for loop in self.loops for _, value in loop)]

    def graph(self) -> Aig:
        """The graph of AND gates from inputs and loop nodes to outputs and what defines the loops."""
        from aigverse.networks import Aig

        graph, network = Aig(), self.network
        signals: dict[int, AigSignal] = {0: graph.get_constant(False)}
        for node in (*(wire >> 1 for wire in self.inputs), *self.nodes):
            signals[node] = graph.create_pi()

        def signal(wire: Wire) -> AigSignal:
            return ~signals[wire >> 1] if wire & 1 else signals[wire >> 1]

        for node in self.needed:
            if node not in signals:
                assert network.kind[node] in (AND, XOR)
                create = graph.create_and if network.kind[node] == AND else graph.create_xor
                signals[node] = create(signal(network.first[node]), signal(network.second[node]))
        for wire in self.results:
            graph.create_po(signal(wire))
        return graph

    def network_of(self, graph: Aig) -> Synthesis | None:
        """The network of such a graph; None where a loop has come to read one that is run after it."""
        reads, results = _plain(graph)
        network = Network()
        wires: dict[int, Wire] = {0: FALSE}
        leaves = graph.pis()
        inputs = tuple(network.input() for _ in self.inputs)
        nodes = [network.loop_node() for _ in self.nodes]
        wires |= dict(zip(leaves, (*inputs, *nodes), strict=True))
        for gate in _in_order(reads, results, wires):
            x, y, is_xor = _gate(reads, gate)
            made = wires[x >> 1] ^ (x & 1), wires[y >> 1] ^ (y & 1)
            wires[gate] = network.differ(*made) if is_xor else network.both(*made)
        made_of = [wires[wire >> 1] ^ (wire & 1) for wire in results]
        outputs, values = tuple(made_of[: len(self.outputs)]), made_of[len(self.outputs) :]
        start = 0
        for loop in self.loops:
            if loop:
                span = slice(start, start + len(loop))
                network.loops.append(Loop(tuple(w >> 1 for w in nodes[span]), tuple(values[span])))
                start += len(loop)
        return Synthesis(network, inputs, outputs) if _loops_in_order(network) else None


def _plain(graph: Aig) -> tuple[dict[int, tuple[int, int]], list[int]]:
    """What each gate of a graph reads, and the results, as `2 * node + inverted`."""

    def number(signal: AigSignal) -> int:
        return 2 * signal.index + signal.complement

    reads: dict[int, tuple[int, int]] = {}
    for node in graph.gates():
        x, y = graph.fanins(node)
        reads[node] = number(x), number(y)
    return reads, [number(signal) for signal in graph.pos()]


def _gate(reads: dict[int, tuple[int, int]], node: int) -> tuple[int, int, bool]:
    """What a gate reads, and whether it is an XOR: ~(x & y) & ~(~x & ~y)."""
    x, y = reads[node]
    if x & y & 1 and x >> 1 in reads and y >> 1 in reads:
        p, q = reads[x >> 1]
        if {p ^ 1, q ^ 1} == {*reads[y >> 1]}:
            return p, q, True
    return x, y, False


def _in_order(reads: dict[int, tuple[int, int]], results: Sequence[int], known: dict[int, Wire]) -> list[int]:
    """The gates that results need, each after those it reads; gates inside an XOR only if others need them."""
    found: dict[int, None] = {}
    for result in results:
        stack = [result >> 1]
        while stack:
            node = stack[-1]
            if node in known or node in found:
                stack.pop()
                continue
            x, y, _ = _gate(reads, node)
            missing = [each for each in (x >> 1, y >> 1) if each not in known and each not in found]
            if missing:
                stack += missing
            else:
                found[node] = None
    return list(found)


def _loops_in_order(network: Network) -> bool:
    """Whether each loop reads only itself and loops before it: then they can be run one after the other."""
    done: set[int] = set()
    for loop in network.loops:
        done |= set(loop.nodes)
        stack = [value >> 1 for value in loop.values]
        seen = set(stack)
        while stack:
            node = stack.pop()
            if network.kind[node] == LOOP and node not in done:
                return False
            if network.kind[node] in (LOOP, INPUT) or node == 0:
                continue
            for below in (network.first[node] >> 1, network.second[node] >> 1):
                if below not in seen:
                    seen.add(below)
                    stack.append(below)
    return True
