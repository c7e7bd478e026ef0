"""Circuit -> Turns: a proof that roles take turns, found in the gates.

A role's *turns* are facts, one of which every move of its own needs, but for the one it makes while it waits. (Most
games have one such fact a role; where a turn has two halves, there are two.) If exactly one turn holds at first, and
wherever exactly one holds it does so after every move too, then no two of these roles ever choose in the same state:
one circuit can choose for all of them, and a search may take its states as turn-taking.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations

from gamemaster.language.terms import Term
from gamemaster.network.build import Circuit
from gamemaster.network.graph import AND, FALSE, TRUE, Network, Wire, copy_wires

__all__ = ["Turns", "find_turns"]

MOST_TURNS = 4


@dataclass(frozen=True)
class Turns:
    """For each role that takes turns with others its turns (inputs of the circuit), and its move while it waits."""

    facts: dict[Term, tuple[Wire, ...]] = field(default_factory=dict)
    idle: dict[Term, int | None] = field(
        default_factory=dict
    )  # role -> number of the move, None where it has none

    def __bool__(self) -> bool:
        return bool(self.facts)


def find_turns(circuit: Circuit) -> Turns:
    """The turns of a circuit's roles; none where they cannot be proved."""
    roles = [role for role in circuit.roles if sum(wire != FALSE for wire in circuit.legal[role]) > 1]
    facts = {role: _cover(circuit, role) for role in roles}
    if len(roles) < 2 or not all(facts.values()):
        return Turns()
    return _prove(circuit, facts)


def _cover(circuit: Circuit, role: Term) -> tuple[Wire, ...]:
    """Few facts, one of which each move of a role needs, but for one move; none where that takes many."""
    inputs = set(circuit.facts.values())
    needs = [_conjuncts(circuit.network, wire) & inputs for wire in circuit.legal[role] if wire != FALSE]
    found: list[Wire] = []
    while len(needs) > 1 and len(found) < MOST_TURNS:
        counted = Counter(fact for needed in needs for fact in needed).most_common(1)
        if not counted:
            return ()
        found.append(counted[0][0])
        needs = [needed for needed in needs if counted[0][0] not in needed]
    return tuple(found) if len(needs) <= 1 else ()


def _conjuncts(network: Network, wire: Wire) -> set[Wire]:
    """Wires whose AND a wire is."""
    found: set[Wire] = set()
    stack = [wire]
    while stack:
        part = stack.pop()
        if part in found:
            continue
        found.add(part)
        if part & 1 == 0 and network.kind[part >> 1] == AND:
            stack += (network.first[part >> 1], network.second[part >> 1])
    return found


def _prove(circuit: Circuit, facts: Mapping[Term, tuple[Wire, ...]]) -> Turns:
    """The turns if these facts are, else none."""
    everything = [fact for own in facts.values() for fact in own]
    held = [term for term, wire in circuit.facts.items() if wire in everything and term in circuit.init]
    if len(set(everything)) < len(everything) or len(held) != 1:
        return Turns()
    idle: dict[Term, int | None] = {}
    for role, own in facts.items():
        for turn in own:
            given = {fact >> 1: TRUE if fact == turn else FALSE for fact in everything}
            waiting = _waiting(circuit, [other for other in facts if other != role], given)
            if waiting is None or any(
                idle.setdefault(other, move) != move for other, move in waiting.items()
            ):
                return Turns()
            if not _passes_on(circuit, everything, given, waiting):
                return Turns()
    return Turns(dict(facts), idle)


def _waiting(circuit: Circuit, roles: list[Term], given: Mapping[int, Wire]) -> dict[Term, int | None] | None:
    """The only move that each role has while another moves; None where one may choose."""
    result: dict[Term, int | None] = {}
    for role in roles:
        wires = _assuming(circuit, circuit.legal[role], given)[1]
        possible = [i for i, wire in enumerate(wires) if wire != FALSE]
        if len(possible) > 1 or any(wires[i] != TRUE for i in possible):
            return None
        if (circuit.moved[role] == TRUE) != bool(possible):
            return None
        result[role] = possible[0] if possible else None
    return result


def _passes_on(
    circuit: Circuit, turns: list[Wire], given: Mapping[int, Wire], waiting: Mapping[Term, int | None]
) -> bool:
    """Whether exactly one turn holds after every move of the mover."""
    known = dict(given)
    for role, idle in waiting.items():
        for number, wire in enumerate(circuit.moves[role].values()):
            known[wire >> 1] = TRUE if number == idle else FALSE
        if circuit.moved[role] != TRUE:
            known[circuit.moved[role] >> 1] = FALSE
    following = dict(zip(circuit.facts.values(), circuit.next, strict=True))
    network, after = _assuming(circuit, [following[turn] for turn in turns], known)
    is_one = all(network.both(x, y) == FALSE for x, y in combinations(after, 2))
    return is_one and network.any_of(after) == TRUE


def _assuming(circuit: Circuit, wires: list[Wire], given: Mapping[int, Wire]) -> tuple[Network, list[Wire]]:
    """Wires with some inputs made constant, as far as folding shows it, and the network they are in."""
    network = Network()
    leaves: dict[int, Wire] = {}

    def leaf(node: int) -> Wire:
        if node not in leaves:
            leaves[node] = network.input()
        return leaves[node]

    return network, copy_wires(circuit.network, network, wires, given, leaf)
