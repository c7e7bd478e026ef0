"""Core rules -> the values that can stand in each place of a relation, by a fixed point: what estimates stand on.

Values flow from the places of a rule's body to those of its head, until nothing new comes anywhere. See sizes.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from math import prod
from typing import TypeAlias

from gamemaster.ground.atoms import all_rules, atoms_of, flatten, relations_in
from gamemaster.language.rules import Atom, Relation, Rule, Rules, relation_of
from gamemaster.language.terms import Value, Variable, variables_of

__all__ = [
    "MAX_NESTING",
    "MAX_PLACES",
    "MOST",
    "Flow",
    "Name",
    "Values",
    "Variables",
    "dynamic_relations",
    "instances_of",
    "names_in",
]

MAX_NESTING = 4
"""How deep in compounds values are followed."""

MAX_PLACES = 20_000
"""How many places for values in relations and compounds are looked at; functors in functors have many."""

MOST = 1e15
"""The largest estimate, so that products stay finite."""

SAME_INSTANCES: dict[Relation, Relation] = {
    ("init", 1): ("true", 1),
    ("next", 1): ("true", 1),
    ("legal", 2): ("does", 2),
}

Name: TypeAlias = str
"""A variable's name: hashed and compared far more quickly than a Variable, and most of the time goes there."""

Variables: TypeAlias = frozenset[Name]


def names_in(term: Value) -> Variables:
    """The names of a term's variables."""
    return frozenset(map(str.__str__, variables_of(term)))


def instances_of(term: Value) -> Relation:
    """The relation whose instances an atom's are: facts hold by init or next, moves are made if legal."""
    relation = relation_of(term)
    return SAME_INSTANCES.get(relation, relation)


class Values:
    """The values that can stand in each place of a relation or functor, found by following the rules.

    A place is a number; a set of values is an integer with a bit for each constant and each functor. Computed values
    are guessed, which will do for estimates; `known.py` is for those who must not guess.
    """

    def __init__(self, rules: Rules, is_builtin: Callable[[Value], bool]) -> None:
        self.is_builtin = is_builtin
        self.bits: dict[Value, int] = {}
        self.functors: dict[int, int] = {}  # bit -> number of arguments
        self.any_functor = 0
        self.sets: list[int] = []  # by place
        self.depths: list[int] = []  # by place: how many functors it stands in
        self.places: dict[
            Value, range
        ] = {}  # relation, or (place, bit of functor) -> places of the arguments
        self.sizes: dict[int, float] = {}
        self.flows = [self.flow(rule) for rule in rules.rules]
        self.dynamic = dynamic_relations(rules)
        self.begin()

    def begin(self) -> None:
        """Find the values."""
        self.follow(self.flows)

    def is_static(self, relation: Relation) -> bool:
        """Whether a relation holds in all states or in none."""
        return relation not in self.dynamic

    def size(self, place: int) -> float:
        """How many values can stand there, at least 1."""
        if place not in self.sizes:
            values = self.sets[place]
            size: float = (values & ~self.any_functor).bit_count()
            for bit in _each_bit(values & self.any_functor):
                size += prod(map(self.size, self.places.get((place, bit), ())))
            self.sizes[place] = max(1.0, min(size, MOST))
        return self.sizes[place]

    def leaves(self, term: Value) -> list[tuple[int, Value]]:
        """The variables and constants of an atom, each with its place."""
        return [(place, leaf) for place, leaf in self.nodes(term) if not isinstance(leaf, tuple)]

    def nodes(self, term: Value) -> Iterator[tuple[int, Value]]:
        """The terms in an atom, each with its place."""
        if not isinstance(term, tuple):
            return
        todo = [(self.arguments(instances_of(term), len(term) - 1, 0), term)]
        while todo:
            places, parent = todo.pop()
            for place, part in zip(places, parent[1:], strict=True):
                yield place, part
                if isinstance(part, tuple):
                    key = (place, self.bit(part))
                    todo.append((self.arguments(key, len(part) - 1, self.depths[place] + 1), part))

    def arguments(self, key: Value, arity: int, depth: int) -> range:
        """The places of the arguments of a relation, or of a functor in a place."""
        places = self.places.get(key)
        if places is None:
            places = self.places[key] = range(len(self.sets), len(self.sets) + arity)
            self.sets += [0] * arity
            self.depths += [depth] * arity
        return places

    def bit(self, term: Value) -> int:
        """The bit of a constant or of a compound's functor."""
        key = (term[0], len(term)) if isinstance(term, tuple) else term
        bit = self.bits.get(key)
        if bit is None:
            bit = self.bits[key] = 1 << len(self.bits)
            if isinstance(term, tuple):
                self.functors[bit] = len(term) - 1
                self.any_functor |= bit
        return bit

    # Following the rules

    def flow(self, rule: Rule) -> Flow:
        """From which places values come and to which they go by a rule."""
        flow = Flow(rule, instances_of(rule.head))
        for place, part in self.nodes(rule.head):
            if isinstance(part, Variable):
                flow.targets.append((place, str.__str__(part)))
            else:
                flow.constants.append((place, self.bit(part)))
        for formula in flatten(rule.body):
            if isinstance(formula, Atom) and not self.is_builtin(formula.term):
                flow.uses.add(instances_of(formula.term))
                for place, part in self.nodes(formula.term):
                    if isinstance(part, Variable):
                        flow.sources.setdefault(str.__str__(part), []).append(place)
                    else:
                        flow.tests.append((place, self.bit(part)))
        lacking = {variable for _, variable in flow.targets} - flow.sources.keys()
        if lacking:
            self.add_loose(flow, rule, lacking)
        return flow

    def add_loose(self, flow: Flow, rule: Rule, lacking: set[Name]) -> None:
        """Give variables that no literal of the body binds the values of any literal inside it that has them.

        A builtin's result gets the values of its inputs: too few or too many, but about as many.
        """
        for term in atoms_of(rule.body):
            for variable in lacking & names_in(term):
                loose = flow.loose.setdefault(variable, [])
                if self.is_builtin(term):
                    loose += [place for v in names_in(term) for place in flow.sources.get(v, ())]
                else:
                    flow.uses.add(instances_of(term))
                    loose += [place for place, part in self.nodes(term) if part == Variable(variable)]

    def follow(self, flows: list[Flow]) -> None:
        """Let values flow until there are no new ones anywhere."""
        users: dict[Relation, list[Flow]] = {}
        for flow in flows:
            for relation in flow.uses:
                users.setdefault(relation, []).append(flow)
        waiting = dict.fromkeys(flows)
        while waiting:
            flow = next(iter(waiting))
            del waiting[flow]
            if self.apply(flow):
                waiting.update(dict.fromkeys(users.get(flow.relation, ())))

    def apply(self, flow: Flow) -> bool:
        """Whether a rule gives its head new values."""
        sets = self.sets
        if not all(sets[place] & bit for place, bit in flow.tests):
            return False
        values: dict[Name, int] = {}
        for variable, places in flow.sources.items():
            common = sets[places[0]]
            for place in places[1:]:
                common &= sets[place]
            if not common:
                return False
            values[variable] = common
        is_new = False
        for place, bit in flow.constants:
            if not sets[place] & bit:
                sets[place] |= bit
                is_new = True
        for place, variable in flow.targets:
            if variable in values:
                is_new |= self.merge(flow.sources[variable][0], place, values[variable])
            else:
                for source in flow.loose.get(variable, ()):
                    is_new |= self.merge(source, place, sets[source])
        return is_new

    def merge(self, source: int, target: int, values: int) -> bool:
        """Whether these values of one place are new in another, where they are afterwards."""
        is_new = bool(values & ~self.sets[target])
        self.sets[target] |= values
        if values & self.any_functor and self.depths[target] < MAX_NESTING and len(self.sets) < MAX_PLACES:
            for bit in _each_bit(values & self.any_functor):
                arity, depth = self.functors[bit], self.depths[target] + 1
                inner = self.arguments((source, bit), arity, self.depths[source] + 1)
                for a, b in zip(inner, self.arguments((target, bit), arity, depth), strict=True):
                    is_new |= self.merge(a, b, self.sets[a])
        return is_new


@dataclass(eq=False)
class Flow:
    """How one rule moves values: from places of its body to places of its head."""

    rule: Rule
    relation: Relation
    uses: set[Relation] = field(default_factory=set)
    tests: list[tuple[int, int]] = field(default_factory=list)  # (place, bit) that must be there
    sources: dict[Name, list[int]] = field(default_factory=dict)  # a value must be in all of these
    loose: dict[Name, list[int]] = field(default_factory=dict)  # a value may be in any of these
    constants: list[tuple[int, int]] = field(default_factory=list)
    targets: list[tuple[int, Name]] = field(default_factory=list)


def _each_bit(bits: int) -> Iterator[int]:
    while bits:
        bit = bits & -bits
        yield bit
        bits ^= bit


def dynamic_relations(rules: Rules) -> set[Relation]:
    """The relations that depend on the state or the moves."""
    users: dict[Relation, set[Relation]] = {}
    for rule in all_rules(rules):
        for used in relations_in(rule.body):
            users.setdefault(SAME_INSTANCES.get(used, used), set()).add(instances_of(rule.head))
    dynamic: set[Relation] = set()
    todo = [("true", 1), ("does", 2)]
    while todo:
        relation = todo.pop()
        if relation not in dynamic:
            dynamic.add(relation)
            todo += users.get(relation, ())
    return dynamic
