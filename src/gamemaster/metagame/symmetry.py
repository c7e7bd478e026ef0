"""Rules -> the symmetries of a game: ways to rename its facts and moves that change nothing.

The ground rules are a graph: atoms and rules are its nodes, and what stands where its edges. A symmetry is a way to map
facts and moves to each other under which the graph looks the same. Nodes are told apart by colours refined from their
neighbours (Weisfeiler and Leman 1968); where that is not enough, one node is singled out and matched with each that
it could be (McKay 1981). Once every fact and move has a colour of its own, nodes with the same colour are defined in
the same way from the same facts and moves, so the match is a symmetry.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

from gamemaster.errors import GamemasterError
from gamemaster.ground.clingo_grounder import GroundLimits, ground
from gamemaster.ground.program import Program
from gamemaster.language.lower import lower
from gamemaster.language.rules import Rules
from gamemaster.language.terms import Term

__all__ = ["Symmetries", "find_symmetries"]

MOST_NODES = 60_000
Colours = list[int]


@dataclass(frozen=True)
class Symmetries:
    """How many symmetries there are, some that make all the others, and whether roles can change places.

    `swap` is one that makes the first role the second, where there are two and they can. `count` is at least
    that many where `is_complete` is False: time ran out, or the rules are too large.
    """

    count: int = 1
    generators: tuple[dict[str | Term, str | Term], ...] = ()
    roles_swap: bool = False
    is_complete: bool = True
    swap: dict[str | Term, str | Term] | None = None


def find_symmetries(rules: Rules, seconds: float = 2.0, turns: Sequence[Term] = ()) -> Symmetries:
    """The symmetries of a sheet. `turns`: facts that say whose turn it is, which may start otherwise if roles swap."""
    deadline = time.monotonic() + seconds
    try:
        program = ground(
            lower(rules, in_order=False), GroundLimits(max(0.5, seconds), 1_000, 300_000, patience=1)
        )
    except GamemasterError:
        return Symmetries(is_complete=False)
    if program.thresholds:  # which the graph does not have
        return Symmetries(is_complete=False)
    graph = _Graph(program, deadline)
    if len(graph.edges) > MOST_NODES:
        return Symmetries(is_complete=False)
    group = _Group()
    try:
        graph.find_group(graph.colours(), group)
        swaps = graph.role_swaps(frozenset(turns))
    except _Late:
        return Symmetries(group.count, tuple(group.generators), is_complete=False)
    swap = swaps[0] if len(swaps) == 1 else None
    return Symmetries(group.count, tuple(group.generators), bool(swaps), swap=swap)


class _Late(Exception):
    """Time is over."""


@dataclass
class _Group:
    """What is known of the group so far."""

    count: int = 1
    generators: list[dict[str | Term, str | Term]] = field(default_factory=list)


class _Graph:
    """The ground rules as a graph with coloured edges."""

    def __init__(self, program: Program, deadline: float) -> None:
        self.program = program
        self.deadline = deadline
        self.edges: list[list[tuple[int, int]]] = []
        self.label: list[Hashable] = []
        self.known: dict[
            Hashable, int
        ] = {}  # signature -> colour, shared by all colourings so that they compare
        self.inputs: dict[int, tuple[str | Term, ...]] = {}  # node -> ("true", fact) or ("does", role, move)
        self.roles: dict[Term, int] = {}
        self._build()

    def _node(self, label: Hashable) -> int:
        self.edges.append([])
        self.label.append(label)
        return len(self.label) - 1

    def _edge(self, one: int, other: int, kind: int) -> None:
        self.edges[one].append((2 * kind, other))
        self.edges[other].append((2 * kind + 1, one))

    def _build(self) -> None:
        named, atom_node = self.program.named, dict[int, int]()
        self.init = {args[0] for args in named.get("init", {})}
        for relation in ("true", "next", "does", "legal", "goal", "terminal", "sees"):
            for args, atom in named.get(relation, {}).items():
                value = args[1] if relation == "goal" else None
                if atom not in atom_node:
                    atom_node[atom] = self._node((relation, value, atom in self.program.facts))
                node = atom_node[atom]
                if relation in ("true", "does"):
                    self.inputs[node] = (relation, *args)
        for (role,) in named.get("role", {}):
            self.roles[role] = self._node(("role",))
        for kind, relation in enumerate(("does", "legal", "goal", "sees")):
            for args, atom in named.get(relation, {}).items():
                if args[0] in self.roles:
                    self._edge(self.roles[args[0]], atom_node[atom], kind)
        for kind, (one, other) in ((4, ("true", "next")), (5, ("does", "legal"))):
            for args, atom in named.get(one, {}).items():
                if args in named.get(other, {}):
                    self._edge(atom_node[atom], atom_node[named[other][args]], kind)
        self._rules(atom_node)

    def _rules(self, atom_node: dict[int, int]) -> None:
        for head, body in {(head, frozenset(body)) for head, body in self.program.rules()}:
            if head in self.program.facts:
                continue
            node = self._node(("rule",))
            for literal in (head, *body):
                atom = abs(literal)
                if atom not in atom_node:
                    atom_node[atom] = self._node(("view", atom in self.program.facts))
            self._edge(node, atom_node[head], 6)
            for literal in body:
                self._edge(node, atom_node[abs(literal)], 7 if literal > 0 else 8)

    # Colours

    def _colour(self, signature: Hashable) -> int:
        return self.known.setdefault(signature, len(self.known))

    def colours(self, *, is_role_known: bool = True, anywhere: frozenset[Term] = frozenset()) -> Colours:
        """The first colours: what a node is, whether a fact holds at the start, and which role a role is."""
        labels = list(self.label)
        for node, (relation, *args) in self.inputs.items():
            if relation == "true" and args[0] not in anywhere:
                labels[node] = (labels[node], args[0] in self.init)
        if is_role_known:
            for role, node in self.roles.items():
                labels[node] = ("role", role)
        return self.refined([self._colour(label) for label in labels])

    def refined(self, colours: Colours) -> Colours:
        """Colours that tell nodes apart by their neighbours' colours too, until that tells nothing new."""
        count = len(set(colours))
        while True:
            if time.monotonic() > self.deadline:
                raise _Late
            colours = [
                self._colour((colour, *sorted([kind << 40 | colours[other] for kind, other in edges])))
                for colour, edges in zip(colours, self.edges, strict=True)
            ]
            before, count = count, len(set(colours))
            if count == before:
                return colours

    def singled_out(self, colours: Colours, node: int) -> Colours:
        """The colours with one node told from the others."""
        changed = list(colours)
        changed[node] = self._colour(("single", colours[node]))
        return self.refined(changed)

    def open_cell(self, colours: Colours) -> list[int]:
        """Facts or moves that still have the same colour, as few as possible; none where all are told apart."""
        cells: dict[int, list[int]] = defaultdict(list)
        for node in self.inputs:
            cells[colours[node]].append(node)
        return min((cell for cell in cells.values() if len(cell) > 1), key=len, default=[])

    # Search

    def find_group(self, colours: Colours, group: _Group) -> None:
        """Count the symmetries: single out node after node, and see where each could go instead."""
        while cell := self.open_cell(colours):
            first = cell[0]
            here = self.singled_out(colours, first)
            orbit, made = {first}, list[dict[int, int]]()
            for other in cell[1:]:
                if other not in orbit:
                    found = self.mapping(here, self.singled_out(colours, other))
                    if found is not None:
                        made.append(found)
                        group.generators.append(self._shown(found))
                        orbit = _orbit(first, made)
            group.count *= len(orbit)
            colours = here

    def mapping(self, one: Colours, other: Colours) -> dict[int, int] | None:
        """A way to map inputs of one colouring to those of another; None where there is none."""
        if Counter(one) != Counter(other):
            return None
        cell = self.open_cell(one)
        if not cell:
            node_of = {other[node]: node for node in self.inputs}
            return {node: node_of[one[node]] for node in self.inputs}
        here = self.singled_out(one, cell[0])
        for candidate in self.inputs:
            if other[candidate] == one[cell[0]]:
                found = self.mapping(here, self.singled_out(other, candidate))
                if found is not None:
                    return found
        return None

    def role_swaps(self, anywhere: frozenset[Term]) -> list[dict[str | Term, str | Term]]:
        """For each other role how it takes the place of the first, if it begins where that did; none if one cannot."""
        if len(self.roles) < 2:
            return []
        colours = self.colours(is_role_known=False, anywhere=anywhere)
        first, *others = self.roles.values()
        here = self.singled_out(colours, first)
        found = [self.mapping(here, self.singled_out(colours, other)) for other in others]
        return [self._shown(mapping) for mapping in found if mapping is not None] if None not in found else []

    def _shown(self, mapping: dict[int, int]) -> dict[str | Term, str | Term]:
        """The facts and moves that a mapping moves, by name."""
        named = {self.inputs[one][-1]: self.inputs[other][-1] for one, other in mapping.items()}
        return {one: other for one, other in named.items() if one != other}


def _orbit(start: int, mappings: Sequence[dict[int, int]]) -> set[int]:
    found, queue = {start}, [start]
    for node in queue:
        for mapping in mappings:
            if mapping[node] not in found:
                found.add(mapping[node])
                queue.append(mapping[node])
    return found
