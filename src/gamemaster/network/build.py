"""Program -> Circuit: every ground atom becomes a wire.

Atoms are built in the order in which they depend on each other; atoms that depend on each other in a circle become a
loop. An atom that holds exactly where one of some moves is made (rules often speak of moves through such atoms) is
kept as that set of moves too, so that factor.py sees through it.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from gamemaster.errors import NotStratified
from gamemaster.ground.program import Program, Threshold
from gamemaster.language.dependency import strongly_connected_components
from gamemaster.language.terms import Term
from gamemaster.network.choose import Number
from gamemaster.network.factor import Body, Frames, MoveSet, shared_by_all, sum_of_products
from gamemaster.network.graph import FALSE, TRUE, Loop, Network, Wire
from gamemaster.network.sums import add_up, at_least

__all__ = ["Circuit", "build"]

OUTPUTS = ("terminal", "legal", "goal", "next", "sees")
"""The relations that are asked about."""

LARGE, SHORT = 1_000_000, 3
"""From so many ground rules on, sets of more wires than the second are trees: the public chess has 757,000 gates
with chains and 543,000 with trees. Smaller games are up to 5 % slower with trees (speedChess, amazons_8x8)."""

MoveSets: TypeAlias = dict[Term, int]
"""For each role a set of its moves, as bits: one of them is made."""


@dataclass
class Circuit:
    """A game as a network: what goes in, what comes out.

    Inputs are `facts` and `moves` (for each role), and `moved`: whether a role moves at all, TRUE where it always does.
    Outputs are wires: `legal` has one for each move in the order of `moves`, `next` one for each fact.
    """

    network: Network
    roles: tuple[Term, ...]
    facts: dict[Term, Wire] = field(default_factory=dict)  # fact -> input
    moves: dict[Term, dict[Term, Wire]] = field(default_factory=dict)  # role -> move -> input
    moved: dict[Term, Wire] = field(default_factory=dict)  # role -> input or TRUE
    init: frozenset[Term] = frozenset()
    legal: dict[Term, list[Wire]] = field(default_factory=dict)
    goal: dict[Term, dict[Term, Wire]] = field(default_factory=dict)  # role -> value, lowest first -> wire
    sees: dict[Term, dict[Term, Wire]] = field(default_factory=dict)  # role -> percept -> wire
    next: list[Wire] = field(default_factory=list)
    terminal: Wire = FALSE
    stops: bool = False  # what follows a terminal state is not to be asked
    single: tuple[tuple[str, int], ...] = ()  # see Program
    steps: dict[str, Any] | None = None  # see Program
    lasting: tuple[Term, ...] = ()  # facts that hold in every state

    def seen_in_state(self) -> list[Wire]:
        """The outputs that depend on the state alone: terminal, legal, goal."""
        legal = [wire for role in self.roles for wire in self.legal[role]]
        goal = [wire for role in self.roles for wire in self.goal[role].values()]
        return [self.terminal, *legal, *goal]

    def made_by_moves(self) -> list[Wire]:
        """The outputs that depend on the moves too: next, sees."""
        return [*self.next, *(wire for role in self.roles for wire in self.sees[role].values())]

    def __str__(self) -> str:
        moves = ", ".join(f"{len(moves)} of {role}" for role, moves in self.moves.items())
        return f"{len(self.facts)} facts, moves: {moves}; {self.network}"


def build(
    program: Program, *, everybody_moves: bool, check: Callable[[int], None] = lambda _: None
) -> Circuit:
    """The circuit of a ground program. `everybody_moves`: every role has a move in every state, as in GDL.

    `check` is told now and then how many nodes there are, and may raise something where that is too much.
    """
    return _CircuitBuilder(program, everybody_moves).circuit(check)


class _CircuitBuilder:
    """Wires for atoms, in order."""

    def __init__(self, program: Program, everybody_moves: bool) -> None:
        self.program = program
        self.network = Network()
        if len(program.heads) >= LARGE:
            self.network.longest_chain = SHORT
        self.wire_of: dict[int, Wire] = dict.fromkeys(program.facts, TRUE)
        self.number_of: dict[
            int, tuple[Term, int]
        ] = {}  # of moves, whose sets would take memory in the square
        self.moves_of: dict[int, MoveSets] = {}  # of other atoms
        self.rules = RulesByHead(program)
        self.thresholds: dict[int, list[Threshold]] = defaultdict(list)
        for threshold in program.thresholds:
            self.thresholds[threshold.head].append(threshold)
        self.denying: set[int] = set()  # atoms that need their own negation
        self.sums: dict[tuple[tuple[Wire, ...], tuple[int, ...]], Number] = {}
        self.result = Circuit(self.network, tuple(role for (role,) in program.named.get("role", {})))
        self.frames: dict[Term, Frames] = {}
        self._inputs(everybody_moves)

    def named(self, relation: str) -> Mapping[tuple[Term, ...], int]:
        return self.program.named.get(relation, {})

    def _inputs(self, everybody_moves: bool) -> None:
        circuit = self.result
        facts = self.named("true").items()
        circuit.lasting = tuple(fact for (fact,), atom in facts if atom in self.program.facts)
        for (fact,), atom in facts:
            circuit.facts[fact] = self.wire_of[atom] = self.network.input()
        circuit.moves = {role: {} for role in circuit.roles}
        for (role, move), atom in self.named("does").items():
            if role in circuit.moves:
                self.number_of[atom] = (role, len(circuit.moves[role]))
                circuit.moves[role][move] = self.wire_of[atom] = self.network.input()
        for role, moves in circuit.moves.items():
            circuit.moved[role] = TRUE if everybody_moves else self.network.input()
            self.frames[role] = Frames(self.network, list(moves.values()), circuit.moved[role])

    def circuit(self, check: Callable[[int], None]) -> Circuit:
        """The whole circuit."""
        for component in self._components():
            check(len(self.network.kind))
            self._define(component)
        self._outputs()
        return self.result

    def _components(self) -> list[list[int]]:
        """Atoms in the order of dependence, those of a circle together; only those that something asked for needs."""

        wire_of = self.wire_of

        def uses(atom: int) -> Iterable[int]:
            literals = self.rules.literals(atom)
            found = {used: None for used in map(abs, literals) if used not in wire_of}
            if atom in found and -atom in literals:
                self.denying.add(atom)
            for threshold in self.thresholds.get(atom, ()):
                found |= {abs(each): None for each in threshold.literals if abs(each) not in wire_of}
            return found

        asked = [atom for relation in OUTPUTS for atom in self.named(relation).values()]
        return strongly_connected_components(asked, uses)

    def _define(self, component: list[int]) -> None:
        """Give the atoms of a component their wires."""
        if len(component) == 1:
            (atom,) = component
            if atom not in self.wire_of:
                if atom in self.thresholds or atom in self.denying:
                    self._check_negation(component)
                self._define_one(atom)
            return
        self._check_negation(component)
        for atom in component:
            self.wire_of[atom] = self.network.loop_node()
        nodes = tuple(self.wire_of[atom] >> 1 for atom in component)
        values = tuple(self._wire(*self._products(atom)) for atom in component)
        self.network.loops.append(Loop(nodes, values))

    def _define_one(self, atom: int) -> None:
        """Give an atom its wire, and its moves if it speaks of nothing else."""
        self.wire_of[atom] = FALSE  # where it asks for itself, that adds nothing
        plain, by_role = self._products(atom)
        counted = [self._reached(each) for each in self.thresholds.get(atom, ())]
        self.wire_of[atom] = self.network.any_of([self._wire(plain, by_role), *counted])
        if counted:
            return
        if not plain and by_role and all(set(moves_of) == {()} for moves_of in by_role.values()):
            self.moves_of[atom] = {role: moves_of[()][0] for role, moves_of in by_role.items()}

    def _reached(self, threshold: Threshold) -> Wire:
        """Whether what is counted comes to a bound; a sum is made once for all bounds."""
        wires = tuple(self.wire_of.get(abs(literal), FALSE) ^ (literal < 0) for literal in threshold.literals)
        key = (wires, threshold.weights)
        if key not in self.sums:
            self.sums[key] = add_up(self.network, *key)
        return at_least(self.network, self.sums[key], threshold.bound)

    def _check_negation(self, component: list[int]) -> None:
        """NotStratified where an atom of a circle needs the negation of another."""
        negated = {-atom for atom in component}
        for atom in component:
            for threshold in self.thresholds.get(atom, ()):
                for literal in {*component, *negated}.intersection(threshold.literals):
                    names = self.program.show_atom(atom), self.program.show_atom(abs(literal))
                    raise NotStratified(f"recursion through counting on the ground: {names[0]} -> {names[1]}")
            for body in self.rules.bodies(atom):
                for literal in negated.intersection(body):
                    names = self.program.show_atom(atom), self.program.show_atom(-literal)
                    raise NotStratified(
                        f"recursion through negation on the ground: {names[0]} -> ~{names[1]}"
                    )

    def _wire(self, plain: set[Body], by_role: Mapping[Term, Mapping[Body, MoveSet]]) -> Wire:
        """The OR of plain bodies and of what follows from each role's moves."""
        parts = [sum_of_products(self.network, plain)]
        parts += [self._react(role, moves_of) for role, moves_of in by_role.items()]
        return self.network.any_of_set(parts)

    def _react(self, role: Term, moves_of: Mapping[Body, MoveSet]) -> Wire:
        """What follows from a role's moves, with what all bodies share taken out."""
        common = shared_by_all(moves_of)
        rest = moves_of
        if common:
            rest = {tuple([wire for wire in body if wire not in common]): moves_of[body] for body in moves_of}
        return self.network.both(self.network.all_of(sorted(common)), self.frames[role].react(rest))

    def _products(self, atom: int) -> tuple[set[Body], dict[Term, dict[Body, MoveSet]]]:
        """The bodies of an atom as wires: those without a move, and for each role body -> set of moves."""
        literals, ends = self.rules.literals(atom), self.rules.ends(atom)
        if self.moves_of.keys().isdisjoint(literals) and self.number_of.keys().isdisjoint(literals):
            return _plain_bodies(self._wires(literals), ends), {}
        return self._products_with_moves(literals, ends)

    def _wires(self, literals: Iterable[int]) -> list[Wire]:
        """The wires of literals: FALSE for an atom that nothing makes true."""
        wire_of = self.wire_of.get
        return [
            wire_of(literal, FALSE) if literal > 0 else wire_of(-literal, FALSE) ^ 1 for literal in literals
        ]

    def _products_with_moves(
        self, literals: Sequence[int], ends: Iterable[int]
    ) -> tuple[set[Body], dict[Term, dict[Body, MoveSet]]]:
        """The same where some bodies ask for moves."""
        plain: set[Body] = set()
        by_role: dict[Term, dict[Body, MoveSet]] = {}
        anyone: dict[Body, tuple[MoveSets, set[Wire]]] = {}
        wires, number_of, moves_of = self._wires(literals), self.number_of, self.moves_of
        places = [i for i, each in enumerate(literals) if each in number_of or each in moves_of]
        places.append(len(literals))
        begin = place = 0
        for end in ends:
            start, begin, first = begin, end, place
            while places[place] < end:
                place += 1
            body_wires = wires[start:end]
            if FALSE in body_wires:
                continue
            if place == first + 1 and (move := number_of.get(literals[places[first]])):  # most of them
                wire = body_wires.pop(places[first] - start)
                self._note(by_role, move[0], _body(body_wires) if body_wires else (), 1 << move[1], wire)
                continue
            asking = places[first:place]
            body = _body([wires[i] for i in range(start, end) if i not in asking])
            sets = [self._moves(literals[i]) for i in asking]
            if not sets:
                plain.add(body)
            elif _is_one_role(sets):
                role, moves = _meet(sets)
                asked = [wires[i] for i in asking]
                wire = asked[0] if len(asked) == 1 else self.network.all_of(sorted(asked))
                self._note(by_role, role, body, moves, wire)
            elif len(sets) == 1:
                known, known_wires = anyone.setdefault(body, ({}, set()))
                for role, moves in sets[0].items():
                    known[role] = known.get(role, 0) | moves
                known_wires.add(wires[asking[0]])
            else:
                plain.add(tuple(sorted({*body, *(wires[i] for i in asking)})))
        for body, (moves_of_role, known_wires) in anyone.items():
            self._share_out(body, moves_of_role, known_wires, plain, by_role)
        return plain, by_role

    def _moves(self, literal: int) -> MoveSets:
        """The moves of which a literal says that one is made."""
        if literal in self.number_of:
            role, number = self.number_of[literal]
            return {role: 1 << number}
        return self.moves_of[literal]

    def _note(
        self, by_role: dict[Term, dict[Body, MoveSet]], role: Term, body: Body, moves: int, wire: Wire
    ) -> None:
        """Add moves of a role to those that go with a body; the wire holds where one of them is made."""
        of_role = by_role.get(role)
        if of_role is None:
            of_role = by_role[role] = {}
        known = of_role.get(body)
        if known is None:
            of_role[body] = (moves, {wire})
        else:
            known[1].add(wire)
            of_role[body] = (known[0] | moves, known[1])

    def _share_out(
        self,
        body: Body,
        moves_of_role: MoveSets,
        wires: set[Wire],
        plain: set[Body],
        by_role: dict[Term, dict[Body, MoveSet]],
    ) -> None:
        """Moves of several roles that go with a body: as the rules have them, or role by role if that is less."""
        cost = sum(self.frames[role].cost(moves) for role, moves in moves_of_role.items())
        if len(wires) <= cost:
            plain.add(tuple(sorted({*body, self.network.any_of_set(wires)})))
            return
        for role, moves in moves_of_role.items():
            frames = self.frames[role]
            self._note(by_role, role, body, moves, frames.one_of(moves, frames.moves))

    def _outputs(self) -> None:
        circuit = self.result
        circuit.init = frozenset(fact for (fact,) in self.named("init"))
        nexts = self.named("next")
        circuit.next = [self._output(nexts, (fact,)) for fact in circuit.facts]
        legals = self.named("legal")
        for role in circuit.roles:
            circuit.legal[role] = [self._output(legals, (role, move)) for move in circuit.moves[role]]
        circuit.goal = {
            role: dict(sorted(goals.items(), key=_points)) for role, goals in self._by_role("goal").items()
        }
        circuit.sees = self._by_role("sees")
        circuit.terminal = self._output(self.named("terminal"), ())
        circuit.stops, circuit.single = self.program.stops, self.program.single
        circuit.steps = self.program.steps

    def _output(self, atoms: Mapping[tuple[Term, ...], int], args: tuple[Term, ...]) -> Wire:
        return self.wire_of.get(atoms[args], FALSE) if args in atoms else FALSE

    def _by_role(self, relation: str) -> dict[Term, dict[Term, Wire]]:
        found: dict[Term, dict[Term, Wire]] = {role: {} for role in self.result.roles}
        for (role, value), atom in self.named(relation).items():
            if role in found:
                found[role][value] = self.wire_of.get(atom, FALSE)
        return found


class RulesByHead:
    """The rules of a program by their heads, cut from its arrays when they are looked at: there may be millions."""

    def __init__(self, program: Program) -> None:
        heads, starts = (np.frombuffer(each, np.int32) for each in (program.heads, program.starts))
        order = np.argsort(heads, kind="stable")
        sizes = np.diff(starts)[order]
        ends = np.cumsum(sizes, dtype=np.int32)
        from_where = np.arange(ends[-1] if len(ends) else 0) + np.repeat(
            starts[:-1][order] - (ends - sizes), sizes
        )
        self._literals = array("i", np.frombuffer(program.literals, np.int32)[from_where].tobytes())
        self._ends = array("i", ends.tobytes())
        found, first = np.unique(heads[order], return_index=True)
        last = np.append(first[1:], len(heads))[: len(first)]  # of no rules at all there is no last one
        self._span = dict(zip(found.tolist(), zip(first.tolist(), last.tolist(), strict=True), strict=True))

    def literals(self, atom: int) -> list[int]:
        """The literals of all bodies of an atom."""
        first, last = self._span.get(atom, (0, 0))
        return self._literals[self._begin(first) : self._begin(last)].tolist()

    def ends(self, atom: int) -> list[int]:
        """Where each of the bodies ends among those literals."""
        first, last = self._span.get(atom, (0, 0))
        begin = self._begin(first)
        return [end - begin for end in self._ends[first:last]]

    def bodies(self, atom: int) -> Iterator[list[int]]:
        """The bodies of an atom."""
        literals, ends = self.literals(atom), self.ends(atom)
        for begin, end in zip([0, *ends], ends, strict=False):
            yield literals[begin:end]

    def _begin(self, rule: int) -> int:
        return self._ends[rule - 1] if rule else 0


def _plain_bodies(wires: list[Wire], ends: list[int]) -> set[Body]:
    """The bodies with these wires, those that end there, of which none asks for moves."""
    can_fail, has_true = FALSE in wires, TRUE in wires
    if len(ends) == len(wires) and not has_true:  # nearly always: a wire each
        return {(wire,) for wire in wires if wire != FALSE}
    bodies: set[Body] = set()
    begin = 0
    for end in ends:
        body = wires[begin:end]
        begin = end
        if not (can_fail and FALSE in body):
            bodies.add(_body(body))
    return bodies


def _body(wires: list[Wire]) -> Body:
    """A body of some wires."""
    if TRUE in wires:
        wires = [wire for wire in wires if wire != TRUE]
    return tuple(sorted(set(wires))) if len(wires) > 1 else tuple(wires)


def _points(goal: tuple[Term, Wire]) -> int:
    """What a goal is worth, the least first: of two at once that counts which comes first. 0 for what is no number."""
    try:
        return int(str(goal[0]))
    except ValueError:
        return 0


def _is_one_role(sets: list[MoveSets]) -> bool:
    """Whether all sets are of one and the same role, which makes only one move."""
    if len(sets) == 1:
        return len(sets[0]) == 1
    return len({role for moves in sets for role in moves}) == 1


def _meet(sets: list[MoveSets]) -> tuple[Term, int]:
    """The role, and those of its moves that are in all sets."""
    (role,) = sets[0]
    moves = sets[0][role]
    for other in sets[1:]:
        moves &= other[role]
    return role, moves
