"""Rules -> which relation needs which: edges, strongly connected components.

An edge is negative where the needed relation must be complete before it can be used: under a negation, and
inside the formula of an aggregate (countofall, setofall, exists). Components come in the order in which a
bottom-up reasoner would compute them. The component search is Tarjan's, without recursion: rules are
untrusted, and a chain of a hundred thousand relations must not end in a stack overflow.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Generic, TypeVar

from gamemaster.language.builtins import AGGREGATES, builtins_of, formula_of
from gamemaster.language.rules import And, Atom, Formula, Not, Or, Relation, Rule, Rules, name_of, relation_of
from gamemaster.language.source import Span
from gamemaster.language.terms import Compound, Value, Variable

__all__ = [
    "Dependencies",
    "Edge",
    "LiteralUse",
    "aggregates_in",
    "literals_of",
    "query_of",
    "show_way",
    "strongly_connected_components",
    "way_to",
]

LONGEST_WAY = 7
"""Relations of a way that are shown before its end."""

Node = TypeVar("Node", bound=Hashable)


@dataclass(frozen=True, slots=True)
class LiteralUse:
    """An atom of a body, and whether its relation must be complete before the rule can use it."""

    atom: Atom
    negative: bool


@dataclass(frozen=True, slots=True)
class Edge:
    """`source` needs `target`: the rule and the atom in its body that say so."""

    source: Relation
    target: Relation
    negative: bool
    rule: Rule
    atom: Atom


def aggregates_in(term: Value) -> Iterator[Compound]:
    """The aggregates of a builtin literal: itself, or those inside the expression of evaluate."""
    if not isinstance(term, tuple):
        return
    if term[0] in AGGREGATES and len(term) > 2:
        yield Compound(term)
    else:
        for part in term[1:]:
            yield from aggregates_in(part)


def query_of(aggregate: Compound, span: Span) -> Formula:
    """The formula of an aggregate, every part of it placed where the aggregate stands."""
    return _placed(formula_of(aggregate[2]), span)


def _placed(formula: Formula, span: Span) -> Formula:
    match formula:
        case Atom(term):
            return Atom(term, span)
        case Not(body):
            return Not(_placed(body, span), span)
        case And(parts) | Or(parts):
            return replace(formula, parts=tuple(_placed(part, span) for part in parts), span=span)


def literals_of(
    formula: Formula, builtins: frozenset[str], *, negative: bool = False
) -> Iterator[LiteralUse]:
    """The atoms of a formula, left to right; of a builtin, only those of formulas inside it, as negative."""
    match formula:
        case Atom(Variable()):
            return  # as the formula of an aggregate: any formula at all, so there is nothing to depend on
        case Atom(term, span):
            if name_of(term) not in builtins:
                yield LiteralUse(formula, negative)
                return
            for aggregate in aggregates_in(term):
                yield from literals_of(query_of(aggregate, span), builtins, negative=True)
        case Not(body):
            yield from literals_of(body, builtins, negative=True)
        case And(parts) | Or(parts):
            for part in parts:
                yield from literals_of(part, builtins, negative=negative)


@dataclass(frozen=True)
class Dependencies:
    """The dependency graph of some rules: nodes are the relations in heads and bodies, without builtins."""

    rules: tuple[Rule, ...]
    builtins: frozenset[str] = frozenset()

    @classmethod
    def of(cls, rules: Rules) -> Dependencies:
        """The graph of a sheet's rules. Handlers are not in it: what they do shows only in the next state."""
        return cls(rules.rules, builtins_of(rules))

    @cached_property
    def edges(self) -> tuple[Edge, ...]:
        """Every need, in the order of the text, once for each atom that causes it."""
        return tuple(edge for rule in self.rules for edge in self.edges_of(rule))

    def edges_of(self, rule: Rule) -> Iterator[Edge]:
        """What the head of one rule needs."""
        source = relation_of(rule.head)
        for part in rule.body:
            for use in literals_of(part, self.builtins):
                yield Edge(source, relation_of(use.atom.term), use.negative, rule, use.atom)

    @cached_property
    def needs(self) -> dict[Relation, list[Edge]]:
        """The edges that leave each relation."""
        leaving: dict[Relation, list[Edge]] = {relation_of(rule.head): [] for rule in self.rules}
        for edge in self.edges:
            leaving[edge.source].append(edge)
        return leaving

    def _targets(self, relation: Relation) -> list[Relation]:
        return list(dict.fromkeys(edge.target for edge in self.needs.get(relation, ())))

    @cached_property
    def components(self) -> tuple[tuple[Relation, ...], ...]:
        """Relations that need each other, together; what a component needs stands before it."""
        return tuple(map(tuple, strongly_connected_components(self.needs, self._targets)))

    @cached_property
    def component_of(self) -> dict[Relation, int]:
        """For each relation, the index of its component."""
        return {relation: i for i, component in enumerate(self.components) for relation in component}

    @cached_property
    def recursive(self) -> frozenset[int]:
        """The components that contain a cycle."""
        return frozenset(self.component_of[edge.source] for edge in self.edges if self.is_inner(edge))

    def is_inner(self, edge: Edge) -> bool:
        """Whether the edge is part of a cycle."""
        return self.component_of[edge.source] == self.component_of[edge.target]

    def reachable(self, start: Relation, *, avoid: Collection[Relation] = ()) -> dict[Relation, Edge | None]:
        """Every relation that `start` needs, at any distance, with the last edge of a shortest way to it.

        `start` itself comes first, with no edge; `way_to` follows the edges back. No way meets `avoid`.
        """
        came_by: dict[Relation, Edge | None] = {start: None}
        queue = [start]
        for relation in queue:
            for edge in self.needs.get(relation, ()):
                if edge.target not in came_by and edge.target not in avoid:
                    came_by[edge.target] = edge
                    queue.append(edge.target)
        return came_by


def way_to(relation: Relation, came_by: dict[Relation, Edge | None]) -> list[Edge]:
    """The edges on the way that a search took to a relation, first edge first."""
    way: list[Edge] = []
    while (edge := came_by[relation]) is not None:
        way.append(edge)
        relation = edge.source
    return way[::-1]


def show_way(names: Sequence[str]) -> str:
    """`p -> ~q -> p`; the middle of a long way is left out."""
    shown = [*names[:LONGEST_WAY], "...", names[-1]] if len(names) > LONGEST_WAY + 1 else names
    return " -> ".join(shown)


def strongly_connected_components(
    nodes: Iterable[Node], targets: Callable[[Node], Iterable[Node]]
) -> list[list[Node]]:
    """The components of a graph, each after all that it leads to (Tarjan 1972, with its own stack).

    Nodes that only `targets` names belong to the graph too.
    """
    search = _Tarjan(targets)
    for node in nodes:
        if node not in search.index_of:
            search.explore(node)
    return search.components


class _Tarjan(Generic[Node]):
    """The state of one component search: numbers in order of discovery, the lowest number within reach."""

    def __init__(self, targets: Callable[[Node], Iterable[Node]]) -> None:
        self.targets = targets
        self.index_of: dict[Node, int] = {}
        self.lowest: dict[Node, int] = {}
        self.open: list[Node] = []
        self.is_open: set[Node] = set()
        self.components: list[list[Node]] = []

    def discover(self, node: Node) -> tuple[Node, Iterator[Node]]:
        """A frame for a node seen for the first time."""
        self.index_of[node] = self.lowest[node] = len(self.index_of)
        self.open.append(node)
        self.is_open.add(node)
        return node, iter(self.targets(node))

    def explore(self, root: Node) -> None:
        """Finds the components of everything reachable from a node seen for the first time."""
        frames = [self.discover(root)]
        while frames:
            node, rest = frames[-1]
            target = next(rest, None)
            if target is None:
                frames.pop()
                self.close(node)
                if frames:
                    self.reach(frames[-1][0], self.lowest[node])
            elif target not in self.index_of:
                frames.append(self.discover(target))
            elif target in self.is_open:
                self.reach(node, self.index_of[target])

    def reach(self, node: Node, index: int) -> None:
        """Notes that a node leads to the node of that number."""
        self.lowest[node] = min(self.lowest[node], index)

    def close(self, node: Node) -> None:
        """Ends a node; one that reaches nothing older is the root of a component, which is then complete."""
        if self.lowest[node] != self.index_of[node]:
            return
        component: list[Node] = []
        while not component or component[-1] != node:
            component.append(self.open.pop())
        self.is_open.difference_update(component)
        self.components.append(component[::-1])
