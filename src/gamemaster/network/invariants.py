"""Circuit -> Invariants: groups of facts of which exactly one, or at most one, holds in every state of play.

"A cell has one content", "one role is in control": nobody says so in the rules, but it follows from them. Candidates
are facts with the same functor that differ in one or two arguments only, or in all. What fits the initial state is
proven by induction, by a SAT solver (clingo) on the gates: in any state in which all claims hold and the game is not
over, after any legal moves, each claim holds again. A claim that some step breaks is given up, and so is one that is
too hard; then those are looked at again whose proofs rest on it, until nothing changes.

States of play are those that legal moves lead to before the game is over, and where it ends. A recursion may have any
fixed point here, not only the least, so what is proven holds for that one too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Literal

from gamemaster.language.terms import Compound, Term
from gamemaster.network.build import Circuit
from gamemaster.network.graph import AND, TRUE, XOR, Wire, cone

if TYPE_CHECKING:
    from clingo import Control, Model

__all__ = ["INVARIANTS", "Claim", "Invariant", "candidates", "invariants_of", "prove_claims"]

INVARIANTS = 1
"""Counts up when others are found for the same circuit: part of the key in the cache."""

MOST_GATES = 400_000
MOST_MEMBERS = 1_000_000
"""Gates of a circuit, and facts in all its candidates together, up to which something is looked for."""

EFFORTS = (100, 1_000, 10_000)
"""Conflicts of the solver in a question: little at first, as others may turn out to be broken meanwhile."""

MOST_QUESTIONS, MOST_WORK = 5_000, 100_000_000
"""How often it is asked, and how often times the gates."""

Kind = Literal["one", "at most one"]


@dataclass(frozen=True)
class Invariant:
    """Facts, by their numbers, of which one holds in every state of play, or none or one."""

    facts: tuple[int, ...]
    kind: Kind
    terms: tuple[Term, ...] = field(compare=False)

    def __str__(self) -> str:
        if len(self.facts) == 1 and self.kind == "one":
            return f"always {self.terms[0]}"
        return f"{'exactly' if self.kind == 'one' else 'at most'} one of {', '.join(map(str, self.terms))}"


@dataclass(frozen=True)
class Claim:
    """That at least one of some facts holds, or at most one."""

    facts: tuple[int, ...]
    is_least: bool


def candidates(circuit: Circuit) -> list[Claim]:
    """What may hold in every state, as it does in the first; none where there is too much of it."""
    facts = list(circuit.facts)
    found: dict[tuple[int, ...], None] = {}
    members = 0
    for group in _groups(facts):
        if (members := members + len(group)) > MOST_MEMBERS:
            return []
        found[tuple(group)] = None
    held = [fact in circuit.init for fact in facts]
    claims = []
    for own in found:
        count = sum(held[i] for i in own)
        claims += [Claim(own, is_least=False)] if count <= 1 < len(own) else []
        claims += [Claim(own, is_least=True)] if count == 1 else []
    return claims


def _groups(facts: Sequence[Term]) -> Iterator[list[int]]:
    """The numbers of facts that differ in few of their arguments only, or in all."""
    by_relation: dict[tuple[str, int], list[int]] = {}
    for number, fact in enumerate(facts):
        relation = (str(fact[0]), len(fact)) if isinstance(fact, Compound) else (str(fact), 0)
        by_relation.setdefault(relation, []).append(number)
    for (_, size), own in by_relation.items():
        places = range(1, size)
        sets = {(), *combinations(places, 1), *combinations(places, 2), tuple(places)}
        for varying in sorted(sets):
            apart: dict[tuple[object, ...], list[int]] = {}
            for number in own:
                fact = facts[number]
                parts = fact if isinstance(fact, Compound) else ()
                kept = tuple(parts[i] for i in places if i not in varying)
                apart.setdefault(kept, []).append(number)
            yield from apart.values()


def invariants_of(circuit: Circuit, proven: Collection[Claim]) -> tuple[Invariant, ...]:
    """What claims say together, the largest groups first; what follows from others is left out."""
    facts = list(circuit.facts)
    least = {claim.facts for claim in proven if claim.is_least}
    most = {claim.facts for claim in proven if not claim.is_least}
    single = {own for own in least if len(own) == 1}
    kept: list[Invariant] = []
    of_fact: dict[int, list[set[int]]] = {}
    for own in sorted(most | single, key=lambda own: (-len(own), own)):
        is_one = own in least
        if not is_one and any(members.issuperset(own) for members in of_fact.get(own[0], ())):
            continue
        kept.append(Invariant(own, "one" if is_one else "at most one", tuple(facts[i] for i in own)))
        members = set(own)
        for i in own:
            of_fact.setdefault(i, []).append(members)
    return tuple(kept)


def prove_claims(circuit: Circuit, claims: Sequence[Claim]) -> list[Claim]:
    """Those of some claims about the first state that hold in every state of play, as far as that is proven."""
    if not claims or circuit.network.gates > MOST_GATES:
        return []
    prover = _StepProver(circuit, claims)
    return [claims[i] for i in prover.prove()]


class _StepProver:
    """One step of a game for the solver: a state, legal moves, and the state after them.

    For each claim there is an atom that makes it hold in the state, one that says whether the step breaks it, and one
    that makes it do so.
    """

    def __init__(self, circuit: Circuit, claims: Sequence[Claim]) -> None:
        import clingo

        self.circuit, self.claims = circuit, claims
        self.control: Control = clingo.Control(["--warn=none", "--sat-prepro=2"])
        self.atoms: dict[int, int] = {}
        facts = list(circuit.facts.values())
        with self.control.backend() as self.backend:
            self._add_gates()
            self._add_play()
            denied = [self._denied(claim, facts) for claim in claims]
            self.broken = [self._denied(claim, circuit.next) for claim in claims]
            self.assumed = [self._switch(-atom) for atom in denied]
            self.asked = [self._switch(atom) for atom in self.broken]
        self.larger = _larger(claims)
        self.rests_on: dict[int, set[int]] = {}  # what is proven, and the claims its proof has used
        self.questions = max(1, min(MOST_QUESTIONS, MOST_WORK // (1 + len(self.atoms))))

    def prove(self) -> list[int]:
        """The numbers of the claims that every step keeps."""
        left = dict.fromkeys(range(len(self.claims)))
        waiting = dict.fromkeys(left, 0)  # claim -> how hard it is known to be
        while waiting:
            number = next(iter(waiting))
            effort = waiting.pop(number)
            broken = self._broken(number, left, effort)
            if broken is None and effort + 1 < len(EFFORTS):
                waiting[number] = effort + 1
                continue
            for each in [number] if broken is None else broken:
                del left[each]
                waiting.pop(each, None)
                self.rests_on.pop(each, None)
                waiting.update(
                    (i, effort) for i, used in self.rests_on.items() if each in used and i not in waiting
                )
        return list(left)

    def _broken(self, number: int, left: Collection[int], effort: int) -> list[int] | None:
        """The claims that a step breaks, asked about one: none where it is proven, None where that is not found out."""
        larger = next((i for i in self.larger[number] if i in left), None)
        if larger is not None:
            self.rests_on[number] = {larger}
            return []
        self.questions -= 1
        if self.questions < 0:
            return [number]
        return self._solved(number, left, EFFORTS[effort])

    def _solved(self, number: int, left: Collection[int], conflicts: int) -> list[int] | None:
        of_literal = {self.assumed[i]: i for i in left}
        broken: list[int] = []

        def note(model: Model) -> None:
            broken.extend(i for i in left if model.is_true(self.broken[i]))

        self.control.configuration.solve.solve_limit = f"{conflicts},umax"  # type: ignore[union-attr]
        with self.control.solve([*of_literal, self.asked[number]], on_model=note, yield_=True) as answers:
            if not answers.get().unsatisfiable:
                return broken or None
            self.rests_on[number] = {of_literal[each] for each in answers.core() if each in of_literal}
            return []

    # What the solver is told

    def _add_gates(self) -> None:
        """Every gate that a step needs; inputs and the nodes of loops are free."""
        circuit, network = self.circuit, self.circuit.network
        legal = [wire for role in circuit.roles for wire in circuit.legal[role]]
        inputs = [wire for role in circuit.roles for wire in circuit.moves[role].values()]
        inputs += [*circuit.facts.values(), *circuit.moved.values()]
        add = self.backend.add_rule
        for node in sorted({0, *cone(network, [circuit.terminal, *legal, *circuit.next, *inputs])}):
            self.atoms[node] = self.backend.add_atom()
        for node, atom in self.atoms.items():
            x, y = network.first[node], network.second[node]
            if network.kind[node] == AND:
                add([atom], [self._literal(x), self._literal(y)])
            elif network.kind[node] == XOR:
                add([atom], [self._literal(x), -self._literal(y)])
                add([atom], [-self._literal(x), self._literal(y)])
            elif node != 0:
                add([atom], [], choice=True)
        for loop in network.loops:
            for node, value in zip(loop.nodes, loop.values, strict=True):
                if node in self.atoms:
                    self._make_equal(self.atoms[node], self._literal(value))

    def _add_play(self) -> None:
        """The game goes on, and every role that can makes one legal move."""
        circuit, add = self.circuit, self.backend.add_rule
        add([], [self._literal(circuit.terminal)])
        for fact in circuit.lasting:
            add([], [-self._literal(circuit.facts[fact])])
        moving = []
        for role in circuit.roles:
            made = [self._literal(wire) for wire in circuit.moves[role].values()]
            legal = [self._literal(wire) for wire in circuit.legal[role]]
            moves = self._any(made)
            self.backend.add_weight_rule([], 2, [(move, 1) for move in made])
            for move, allowed in zip(made, legal, strict=True):
                add([], [move, -allowed])
                add([], [allowed, -moves])
            if circuit.moved[role] != TRUE:
                self._make_equal(self._literal(circuit.moved[role]), moves)
            moving.append(moves)
        add([], [-moves for moves in moving])

    def _denied(self, claim: Claim, wires: Sequence[Wire]) -> int:
        """An atom that holds where a claim does not, of facts that have these wires."""
        literals = [self._literal(wires[i]) for i in claim.facts]
        atom: int = self.backend.add_atom()
        if claim.is_least:
            self.backend.add_rule([atom], [-literal for literal in literals])
        else:
            self.backend.add_weight_rule([atom], 2, [(literal, 1) for literal in literals])
        return atom

    def _switch(self, literal: int) -> int:
        """An atom that may hold only where a literal does."""
        atom: int = self.backend.add_atom()
        self.backend.add_rule([atom], [], choice=True)
        self.backend.add_rule([], [atom, -literal])
        return atom

    def _any(self, literals: Sequence[int]) -> int:
        atom: int = self.backend.add_atom()
        for literal in literals:
            self.backend.add_rule([atom], [literal])
        return atom

    def _make_equal(self, x: int, y: int) -> None:
        self.backend.add_rule([], [x, -y])
        self.backend.add_rule([], [-x, y])

    def _literal(self, wire: Wire) -> int:
        atom = self.atoms[wire >> 1]
        return -atom if wire & 1 else atom


def _larger(claims: Sequence[Claim]) -> list[list[int]]:
    """For each claim those that it follows from, of more facts."""
    of_fact: dict[int, list[int]] = {}
    sets = [set(claim.facts) for claim in claims]
    for number, claim in enumerate(claims):
        for fact in claim.facts if not claim.is_least else ():
            of_fact.setdefault(fact, []).append(number)
    return [
        [] if claim.is_least else [i for i in of_fact[claim.facts[0]] if sets[i] > own]
        for claim, own in zip(claims, sets, strict=True)
    ]
