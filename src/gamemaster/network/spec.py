"""What a network must be: checked before and after every pass in tests."""

from __future__ import annotations

from gamemaster.network.graph import AND, CONSTANT, INPUT, LOOP, TRUE, XOR, Network

__all__ = ["check_network"]


def check_network(network: Network) -> list[str]:
    """Everything that is wrong with a network; nothing for a good one."""
    wrong = []
    if len({len(network.kind), len(network.first), len(network.second)}) != 1:
        wrong.append("columns of different lengths")
    if network.kind[0] != CONSTANT or CONSTANT in network.kind[1:]:
        wrong.append("node 0, and only it, is the constant")
    seen: set[tuple[int, int, int]] = set()
    for node, kind in enumerate(network.kind):
        x, y = network.first[node], network.second[node]
        if kind in (AND, XOR):
            wrong += _gate_faults(node, kind, x, y)
            if (kind, x, y) in seen:
                wrong.append(f"gate {node} stands twice")
            seen.add((kind, x, y))
        elif kind not in (CONSTANT, INPUT, LOOP):
            wrong.append(f"node {node} is of no kind")
    return wrong + _loop_faults(network)


def _gate_faults(node: int, kind: int, x: int, y: int) -> list[str]:
    wrong = []
    if not x < y:
        wrong.append(f"gate {node} reads its wires out of order")
    if x <= TRUE:
        wrong.append(f"gate {node} reads a constant")
    if x >> 1 == y >> 1:
        wrong.append(f"gate {node} reads one node twice")
    if y >> 1 >= node:
        wrong.append(f"gate {node} reads a later node")
    if kind == XOR and (x | y) & 1:
        wrong.append(f"gate {node}, an XOR, reads an inverted wire")
    return wrong


def _loop_faults(network: Network) -> list[str]:
    nodes = [node for loop in network.loops for node in loop.nodes]
    loop_nodes = {node for node, kind in enumerate(network.kind) if kind == LOOP}
    wrong = []
    if len(nodes) != len(set(nodes)):
        wrong.append("a loop node has two definitions")
    if loop_nodes != set(nodes):
        wrong.append("a loop node has no definition, or another node has one")
    return wrong
