"""Effects -> how facts change whatever is played: constants, step counters, latches, and how long a game can last.

A *counter* is a set of facts that go through the same values whatever is played. A *latch* never changes back: once
it holds it does for ever, or once it fails. All of this is read off folded gates, so what is found is proved; gates
that do not fold far enough leave some things unfound.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gamemaster.language.terms import Term
from gamemaster.metagame.effects import Case, Effects
from gamemaster.network.graph import FALSE, TRUE, Network, Wire, copy_wires

__all__ = ["Changes", "find_changes"]

MOST_STEPS = 1_000


@dataclass(frozen=True)
class Changes:
    """What is proved about single facts. `longest` bounds the number of steps; None where no bound was found."""

    constants: frozenset[Term]
    counters: frozenset[Term]
    rising: frozenset[Term]  # never false again
    falling: frozenset[Term]  # never true again
    longest: int | None
    why: str = ""


def find_changes(effects: Effects) -> Changes:
    """All that the effects of moves show about single facts; Unsuitable where their deadline comes first."""
    facts = list(effects.circuit.facts)
    afters = [after for after, _ in effects.cases.values()]
    own, network = effects.own, effects.network
    constants, rising, falling = set(), set(), set()
    for i, fact in enumerate(facts):
        effects.look_at_clock()
        wires = {after[i] for after in afters}
        if wires == {own[fact]} or fact in effects.circuit.lasting:
            constants.add(fact)
        elif all(network.both(own[fact], wire ^ 1) == FALSE for wire in wires):
            rising.add(fact)
        elif all(network.both(wire, own[fact] ^ 1) == FALSE for wire in wires):
            falling.add(fact)
    steady = _steady(effects)
    longest, why = _counted(effects, steady), "a step counter"
    spent = _spent(effects, falling)
    if spent is not None and (longest is None or spent < longest):
        longest, why = spent, "every move uses up a fact"
    turns = {turn for own_turns in effects.turns.facts.values() for turn in own_turns}
    control = {fact for fact, wire in effects.circuit.facts.items() if wire in turns}
    counters = frozenset(steady - constants - control)
    return Changes(
        frozenset(constants), counters, frozenset(rising), frozenset(falling), longest, why if longest else ""
    )


def _steady(effects: Effects) -> set[Term]:
    """The facts whose next values depend on no move, and on no other facts than these."""
    facts = list(effects.circuit.facts)
    groups: dict[Any, list[list[Wire]]] = {}
    for case, (after, _) in effects.cases.items():
        groups.setdefault((case.role, case.turn) if case.turn is not None else None, []).append(after)
    reads: dict[Term, set[Term]] = {}
    for i, fact in enumerate(facts):
        wires = [{after[i] for after in group} for group in groups.values()]
        if all(len(same) == 1 for same in wires) and not any(effects.asks_moves(*same) for same in wires):
            reads[fact] = {read for same in wires for read in effects.reads(*same)}
    while outside := [fact for fact, read in reads.items() if not read <= reads.keys()]:
        for fact in outside:
            del reads[fact]
    turns = {turn for own in effects.turns.facts.values() for turn in own}
    is_clockwork = all(fact in reads for fact, wire in effects.circuit.facts.items() if wire in turns)
    return set(reads) if is_clockwork else set()


def _counted(effects: Effects, steady: set[Term]) -> int | None:
    """The step at which the counters alone end the game."""
    circuit = effects.circuit
    if not steady:
        return None
    values = {fact: fact in circuit.init for fact in steady}
    seen = set()
    for step in range(MOST_STEPS):
        effects.look_at_clock()
        key = frozenset(fact for fact, holds in values.items() if holds)
        if key in seen:
            return None
        seen.add(key)
        given = {circuit.facts[fact] >> 1: TRUE if holds else FALSE for fact, holds in values.items()}
        if _fold(circuit.network, [circuit.terminal], given) == [TRUE]:
            return step
        case = _running(effects, values)
        if case is None:
            return None
        after = dict(zip(circuit.facts, effects.cases[case][0], strict=True))
        given = {effects.own[fact] >> 1: TRUE if holds else FALSE for fact, holds in values.items()}
        folded = _fold(effects.network, [after[fact] for fact in values], given)
        values = dict(zip(values, (wire == TRUE for wire in folded), strict=True))
    return None


def _running(effects: Effects, values: dict[Term, bool]) -> Case | None:
    """A case of the role whose turn it is; what counters do is the same in all of them."""
    fact_of = {wire: fact for fact, wire in effects.circuit.facts.items()}
    for case in effects.cases:
        if case.turn is None or values[fact_of[case.turn]]:
            return case
    return None


def _fold(network: Network, wires: list[Wire], given: dict[int, Wire]) -> list[Wire]:
    """Wires with some inputs made constant."""
    target = Network()
    return copy_wires(network, target, wires, given, lambda node: target.input())


def _spent(effects: Effects, falling: set[Term]) -> int | None:
    """How many facts there are of which every move needs one and ends it for good; None where some move does not."""
    position = {fact: i for i, fact in enumerate(effects.circuit.facts)}
    used: set[Term] = set()
    for after, legal in effects.cases.values():
        effects.look_at_clock()
        found = [
            fact
            for fact in falling
            if after[position[fact]] == FALSE and effects.network.both(legal, effects.own[fact] ^ 1) == FALSE
        ]
        if not found:
            return None
        used.update(found)
    return len(used & effects.circuit.init) if effects.cases else None
