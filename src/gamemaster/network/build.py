"""Program -> Circuit: every ground atom becomes a wire.

Atoms are built in the order in which they depend on each other; atoms that depend on each other in a circle become a
loop. An atom that holds exactly where one of some moves is made (rules often speak of moves through such atoms) is
kept as that set of moves too, so that factor.py sees through it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from gamemaster.errors import NotStratified
from gamemaster.ground.program import Program
from gamemaster.language.dependency import strongly_connected_components
from gamemaster.language.terms import Term
from gamemaster.network.factor import Body, Frames, MoveSet, sum_of_products
from gamemaster.network.graph import FALSE, TRUE, Loop, Network, Wire

__all__ = ["Circuit", "build"]

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


def build(program: Program, *, everybody_moves: bool, check: Callable[[], None] = lambda: None) -> Circuit:
    """The circuit of a ground program. `everybody_moves`: every role has a move in every state, as in GDL.

    `check` is called now and then, and may raise something where this takes too long.
    """
    return _CircuitBuilder(program, everybody_moves).circuit(check)


class _CircuitBuilder:
    """Wires for atoms, in order."""

    def __init__(self, program: Program, everybody_moves: bool) -> None:
        self.program = program
        self.network = Network()
        self.wire_of: dict[int, Wire] = dict.fromkeys(program.facts, TRUE)
        self.moves_of: dict[int, MoveSets] = {}
        self.bodies_of: dict[int, list[list[int]]] = defaultdict(list)
        for head, body in program.rules():
            if head not in program.facts:
                self.bodies_of[head].append(body)
        self.result = Circuit(self.network, tuple(role for (role,) in program.named.get("role", {})))
        self.frames: dict[Term, Frames] = {}
        self._inputs(everybody_moves)

    def named(self, relation: str) -> Mapping[tuple[Term, ...], int]:
        return self.program.named.get(relation, {})

    def _inputs(self, everybody_moves: bool) -> None:
        circuit = self.result
        for (fact,), atom in self.named("true").items():
            circuit.facts[fact] = self.wire_of[atom] = self.network.input()
        circuit.moves = {role: {} for role in circuit.roles}
        for (role, move), atom in self.named("does").items():
            if role in circuit.moves:
                self.moves_of[atom] = {role: 1 << len(circuit.moves[role])}
                circuit.moves[role][move] = self.wire_of[atom] = self.network.input()
        for role, moves in circuit.moves.items():
            circuit.moved[role] = TRUE if everybody_moves else self.network.input()
            self.frames[role] = Frames(self.network, list(moves.values()), circuit.moved[role])

    def circuit(self, check: Callable[[], None]) -> Circuit:
        """The whole circuit."""
        for component in self._components():
            check()
            self._define(component)
        self._outputs()
        return self.result

    def _components(self) -> list[list[int]]:
        """Atoms in the order of dependence, those of a circle together."""

        def uses(atom: int) -> Iterator[int]:
            for body in self.bodies_of.get(atom, ()):
                for literal in body:
                    if abs(literal) not in self.wire_of:
                        yield abs(literal)

        return strongly_connected_components(list(self.bodies_of), uses)

    def _define(self, component: list[int]) -> None:
        """Give the atoms of a component their wires."""
        if len(component) == 1:
            (atom,) = component
            if atom not in self.wire_of:
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
        self.wire_of[atom] = self._wire(plain, by_role)
        if not plain and by_role and all(set(moves_of) == {()} for moves_of in by_role.values()):
            self.moves_of[atom] = {role: moves_of[()][0] for role, moves_of in by_role.items()}

    def _check_negation(self, component: list[int]) -> None:
        """NotStratified where an atom of a circle needs the negation of another."""
        negated = {-atom for atom in component}
        for atom in component:
            for body in self.bodies_of.get(atom, ()):
                for literal in negated.intersection(body):
                    names = self.program.show_atom(atom), self.program.show_atom(-literal)
                    raise NotStratified(
                        f"recursion through negation on the ground: {names[0]} -> ~{names[1]}"
                    )

    def _wire(self, plain: set[Body], by_role: Mapping[Term, Mapping[Body, MoveSet]]) -> Wire:
        """The OR of plain bodies and of what follows from each role's moves."""
        parts = [sum_of_products(self.network, plain)]
        parts += [self._react(role, moves_of) for role, moves_of in by_role.items()]
        return self.network.any_of(sorted(parts))

    def _react(self, role: Term, moves_of: Mapping[Body, MoveSet]) -> Wire:
        """What follows from a role's moves, with what all bodies share taken out."""
        common = set.intersection(*map(set, moves_of))
        rest = {tuple(wire for wire in body if wire not in common): moves for body, moves in moves_of.items()}
        return self.network.both(self.network.all_of(sorted(common)), self.frames[role].react(rest))

    def _products(self, atom: int) -> tuple[set[Body], dict[Term, dict[Body, MoveSet]]]:
        """The bodies of an atom as wires: those without a move, and for each role body -> set of moves."""
        plain: set[Body] = set()
        by_role: dict[Term, dict[Body, MoveSet]] = {}
        anyone: dict[Body, tuple[MoveSets, set[Wire]]] = {}
        for literals in self.bodies_of.get(atom, ()):
            split = self._split(literals)
            if split is None:
                continue
            wires, sets = split
            body = tuple(sorted(wires))
            if not sets:
                plain.add(body)
                continue
            asked = [self.wire_of[literal] for literal in literals if literal in self.moves_of]
            if _is_one_role(sets):
                role, moves = _meet(sets)
                self._note(by_role, role, body, (moves, {self.network.all_of(sorted(asked))}))
            elif len(sets) == 1:
                known, known_wires = anyone.get(body, ({}, set()))
                merged = {role: known.get(role, 0) | sets[0].get(role, 0) for role in {**known, **sets[0]}}
                anyone[body] = (merged, known_wires | set(asked))
            else:
                plain.add(tuple(sorted({*wires, *asked})))
        for body, (moves_of_role, wires) in anyone.items():
            self._share_out(body, moves_of_role, wires, plain, by_role)
        return plain, by_role

    def _note(self, by_role: dict[Term, dict[Body, MoveSet]], role: Term, body: Body, found: MoveSet) -> None:
        """Add moves of a role to those that go with a body."""
        known, wires = by_role.setdefault(role, {}).get(body, (0, set()))
        by_role[role][body] = (known | found[0], wires | found[1])

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
            plain.add(tuple(sorted({*body, self.network.any_of(sorted(wires))})))
            return
        for role, moves in moves_of_role.items():
            self._note(
                by_role, role, body, (moves, {self.frames[role].one_of(moves, self.frames[role].moves)})
            )

    def _split(self, literals: list[int]) -> tuple[set[Wire], list[MoveSets]] | None:
        """The wires of a body and the sets of moves it asks for; None where it never holds."""
        wires: set[Wire] = set()
        sets: list[MoveSets] = []
        wire_of, moves_of = self.wire_of.get, self.moves_of
        for literal in literals:
            wire = wire_of(literal, FALSE) if literal > 0 else wire_of(-literal, FALSE) ^ 1
            if wire == FALSE:
                return None
            if literal in moves_of:
                sets.append(moves_of[literal])
            elif wire != TRUE:
                wires.add(wire)
        return wires, sets

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

    def _output(self, atoms: Mapping[tuple[Term, ...], int], args: tuple[Term, ...]) -> Wire:
        return self.wire_of.get(atoms[args], FALSE) if args in atoms else FALSE

    def _by_role(self, relation: str) -> dict[Term, dict[Term, Wire]]:
        found: dict[Term, dict[Term, Wire]] = {role: {} for role in self.result.roles}
        for (role, value), atom in self.named(relation).items():
            if role in found:
                found[role][value] = self.wire_of.get(atom, FALSE)
        return found


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
