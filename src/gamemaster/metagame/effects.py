"""Circuit -> what each move does: the next state under the assumption that a certain move is made.

A *case* is a role, one of its moves, and, where roles are proved to take turns, whose turn it is. Making the inputs
of a case constant folds the gates, so that often only a fact itself is left of its next value: the move leaves it as
it is. Copies of all cases live in one network, where equal wires mean equal effects.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from gamemaster.errors import Unsuitable
from gamemaster.language.terms import Term
from gamemaster.network.build import Circuit
from gamemaster.network.graph import FALSE, INPUT, TRUE, Network, Wire, cone, copy_wires
from gamemaster.network.turns import Turns, find_turns

__all__ = ["Case", "Effects", "equal_moves", "facts_under", "relevant_facts"]

MOST_GATES = 5_000_000
"""Moves times gates: games with more are not taken apart."""

MOST_WIRES = 150_000
"""Moves times facts: the same."""


@dataclass(frozen=True, slots=True)
class Case:
    """A move of a role, in a turn of its own where roles take turns (`turn` is that input, or None)."""

    role: Term
    move: Term
    turn: Wire | None


class Effects:
    """What the moves of a circuit do, case by case; Unsuitable from `deadline` on, by time.monotonic."""

    def __init__(self, circuit: Circuit, deadline: float | None = None) -> None:
        self.deadline = deadline
        moves, facts, gates = sum(map(len, circuit.moves.values())), len(circuit.facts), circuit.network.gates
        if moves * gates > MOST_GATES or moves * facts > MOST_WIRES:
            raise Unsuitable(
                f"{moves:,} moves, {facts:,} facts and {gates:,} gates are too many to take apart"
            )
        self.circuit = circuit
        self.fact_nodes = {wire >> 1 for wire in circuit.facts.values()}
        self.turns: Turns = find_turns(circuit)
        self.network = Network()
        self.leaf: dict[int, Wire] = {}  # input of the circuit -> its copy here
        self.fact_of: dict[int, Term] = {}  # node of the copy -> fact
        self.move_nodes: set[int] = set()  # nodes of copies of moves
        for fact, wire in circuit.facts.items():
            self.fact_of[self._copy(wire >> 1) >> 1] = fact
        self.own = {fact: self.leaf[wire >> 1] for fact, wire in circuit.facts.items()}

    def look_at_clock(self) -> None:
        """Unsuitable where it is too late to go on."""
        if self.deadline is not None and time.monotonic() > self.deadline:
            raise Unsuitable("there is no time to take the game apart")

    def _copy(self, node: int) -> Wire:
        if node not in self.leaf:
            self.leaf[node] = self.network.input()
            if node not in self.fact_nodes:
                self.move_nodes.add(self.leaf[node] >> 1)
        return self.leaf[node]

    @cached_property
    def cases(self) -> dict[Case, tuple[list[Wire], Wire]]:
        """For each case the next value of every fact, and whether the move is legal; impossible cases left out."""
        found: dict[Case, tuple[list[Wire], Wire]] = {}
        for case, given in self._given():
            self.look_at_clock()
            number = list(self.circuit.moves[case.role]).index(case.move)
            wanted = [*self.circuit.next, self.circuit.legal[case.role][number]]
            *after, legal = copy_wires(self.circuit.network, self.network, wanted, given, self._copy)
            if legal != FALSE:
                found[case] = (after, legal)
        return found

    def _given(self) -> Iterator[tuple[Case, dict[int, Wire]]]:
        everything = [turn for own in self.turns.facts.values() for turn in own]
        for role in self.circuit.roles:
            turns: tuple[Wire | None, ...] = self.turns.facts.get(role, (None,) if not self.turns else ())
            for turn in turns:
                given = {wire >> 1: TRUE if wire == turn else FALSE for wire in everything}
                given |= self._others(role)
                for move in self.circuit.moves[role]:
                    yield Case(role, move, turn), given | self._made(role, move)

    def _made(self, role: Term, move: Term) -> dict[int, Wire]:
        made = {
            wire >> 1: TRUE if other == move else FALSE for other, wire in self.circuit.moves[role].items()
        }
        if self.circuit.moved[role] != TRUE:
            made[self.circuit.moved[role] >> 1] = TRUE
        return made

    def _others(self, role: Term) -> dict[int, Wire]:
        """Where roles take turns, the others make their only move or none."""
        given: dict[int, Wire] = {}
        for other, idle in self.turns.idle.items():
            if other != role:
                for number, wire in enumerate(self.circuit.moves[other].values()):
                    given[wire >> 1] = TRUE if number == idle else FALSE
                if self.circuit.moved[other] != TRUE:
                    given[self.circuit.moved[other] >> 1] = FALSE
        return given

    def reads(self, wire: Wire) -> set[Term]:
        """The facts that a wire of the copies depends on."""
        self.look_at_clock()
        return {self.fact_of[node] for node in cone(self.network, [wire]) if node in self.fact_of}

    def asks_moves(self, wire: Wire) -> bool:
        """Whether a wire of the copies depends on a move."""
        return bool(cone(self.network, [wire]) & self.move_nodes)


def facts_under(circuit: Circuit, wires: list[Wire]) -> set[Term]:
    """The facts that wires of a circuit depend on."""
    fact_of = {wire >> 1: fact for fact, wire in circuit.facts.items()}
    nodes = cone(circuit.network, wires)
    return {fact for node, fact in fact_of.items() if node in nodes and circuit.network.kind[node] == INPUT}


def relevant_facts(circuit: Circuit) -> set[Term]:
    """The facts on which legal moves, goals, percepts or the end can come to depend."""
    position = {fact: i for i, fact in enumerate(circuit.facts)}
    percepts = [wire for seen in circuit.sees.values() for wire in seen.values()]
    found: set[Term] = set()
    new = facts_under(circuit, [*circuit.seen_in_state(), *percepts])
    while new - found:
        found |= new
        new = facts_under(circuit, [circuit.next[position[fact]] for fact in new])
    return found


def equal_moves(circuit: Circuit) -> set[tuple[Term, Term]]:
    """Role and move, for every move that can be left out: another is legal where it is, and does the same."""
    effects = Effects(circuit)
    relevant = relevant_facts(circuit)
    kept_positions = [i for i, fact in enumerate(circuit.facts) if fact in relevant]
    if any(circuit.sees.values()):
        return set()  # a percept may tell moves apart
    doing: dict[tuple[Any, Any], list[Any]] = {}
    for case, (after, legal) in effects.cases.items():
        did = (case.turn, legal, tuple(after[i] for i in kept_positions))
        doing.setdefault((case.role, case.move), []).append(did)
    first: dict[Any, Any] = {}
    spare = set()
    for (role, move), everywhere in doing.items():
        if first.setdefault((role, tuple(everywhere)), move) != move:
            spare.add((role, move))
    return spare
