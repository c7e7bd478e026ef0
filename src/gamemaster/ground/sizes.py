"""Core rules -> how many instances each would have on the ground, by estimate: nothing is grounded for it.

Value sets of every argument come from a fixed point over the rules; the size of a join from the usual formula of
databases. `Part` is a piece of a body with its estimate, `Sizes` knows the sheet; `largest_rule` says whom to blame
where a program is too large.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any, TypeAlias

from gamemaster.ground.atoms import atoms_of
from gamemaster.language.builtins import AGGREGATES, FUNCTIONS, TESTS, builtin_arity_fits, builtins_of
from gamemaster.language.rules import (
    And,
    Atom,
    Formula,
    Not,
    Or,
    Relation,
    Rule,
    Rules,
    formula_variables,
    name_of,
    relation_of,
)
from gamemaster.language.terms import Variable, variables_of

__all__ = [
    "Name",
    "Part",
    "Sizes",
    "Variables",
    "bound_by",
    "cost",
    "count",
    "is_too_long",
    "largest_rule",
    "names_in",
    "unbound_in",
]

STATIC_COST = 0.3
"""What an instance costs that depends on no state: clingo finds it, but it becomes no ground rule."""

MAX_CHAIN = 60
"""How many relations deep estimates go, one standing on the other; below that, a relation is taken as full."""

MAX_NESTING = 4
"""How deep in compounds values are followed."""

MAX_PLACES = 20_000
"""How many places for values in relations and compounds are looked at; functors in functors have many."""

MOST = 1e15
"""The largest estimate, so that products stay finite."""

UNKNOWN = 30.0
"""How many values a variable is taken to have of which nothing is known."""

IMMOVABLE = AGGREGATES | {"evaluate"}
"""Builtins over formulas: their rules are left alone."""

SAME_INSTANCES: dict[Relation, Relation] = {
    ("init", 1): ("true", 1),
    ("next", 1): ("true", 1),
    ("legal", 2): ("does", 2),
}

Name: TypeAlias = str
"""A variable's name: hashed and compared far more quickly than a Variable, and most of the time goes there."""

Variables: TypeAlias = frozenset[Name]


MAX_SENTENCES = 20_000
"""Sheets longer than this are not estimated: value sets take memory in the square of their size."""


def is_too_long(rules: Rules) -> bool:
    """Whether a sheet is too long for estimates: ten times the longest public one is not."""
    return len(rules.sentences) > MAX_SENTENCES


def largest_rule(rules: Rules) -> Rule | None:
    """The rule with the most instances, by the estimate; None where no rule has a body."""
    if is_too_long(rules):
        with_body = [rule for rule in rules.rules if rule.body]
        return max(with_body, key=lambda rule: len(set(variables_of(rule.head))), default=None)
    sizes = Sizes(rules)
    best, most = None, 0.0
    for rule in rules.rules:
        if rule.body:
            parts = sizes.parts(rule)
            size = MOST if parts is None else cost(parts)
            if size > most:
                best, most = rule, size
    return best


# Parts of a body


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A literal or formula of a body, with what must be known to move it.

    `size` says how many instances it has and `domains` how many values each variable has in them; 1 and none for
    what only tests.
    """

    formula: Formula
    variables: Variables  # those that it shares with the rest of the rule, and all of a positive literal's
    gives: tuple[tuple[Variables, Variables], ...] = ()  # once the first have values, the second get theirs
    size: float = 1.0
    domains: Mapping[Name, float] = field(default_factory=dict)
    is_static: bool = True
    is_giver: bool = False  # a positive literal of a relation: gives values to all its variables
    is_complex: bool = False  # an Or, or a Not of more than an atom, for which `translate` makes relations


def count(parts: Iterable[Part]) -> float:
    """How many instances a rule with these parts has, by the usual estimate of a join.

    Of two literals with a common variable, each instance of one meets those of the other that have the same
    value; and there are no more instances than there are values of all variables together.
    """
    total = 1.0
    values: dict[Name, float] = {}
    for part in parts:
        total *= part.size
        for variable, size in part.domains.items():
            known = values.get(variable)
            if known is None:
                values[variable] = size
            elif known > size:
                total /= known
                values[variable] = size
            else:
                total /= size
    return max(1.0, min(total, prod(values.values())))


def count_cautiously(parts: Iterable[Part]) -> float:
    """How many instances a rule has if its literals depend on each other, as those of real games do.

    A literal that narrows the others down (a legal move is on the board and goes to an empty cell) does so less
    after others have: of each further one, only the square root of what the one before counted for counts.
    """
    total = 1.0
    values: dict[Name, float] = {}
    narrowing: list[float] = []
    for part in parts:
        factor = part.size
        for variable, size in part.domains.items():
            if variable in values:
                factor /= max(size, values[variable])
            values[variable] = min(size, values.get(variable, size))
        if factor >= 1.0:
            total *= factor
        else:
            narrowing.append(factor)
    for position, factor in enumerate(sorted(narrowing)):
        total *= factor ** (0.5**position)
    return max(1.0, min(total, prod(values.values())))


def cost(parts: Sequence[Part]) -> float:
    """What grounding a rule with these parts costs."""
    return count(parts) * (STATIC_COST if all(part.is_static for part in parts) else 1.0)


def bound_by(parts: Iterable[Part]) -> set[Name]:
    """The variables that get values in a body of these parts."""
    bound: set[Name] = set()
    waiting: list[tuple[Variables, Variables]] = []
    for part in parts:
        if part.is_giver:
            bound |= part.variables
        else:
            waiting += part.gives
    while ready := [link for link in waiting if link[0] <= bound]:
        waiting = [link for link in waiting if link not in ready]
        for _, given in ready:
            bound |= given
    return bound


def unbound_in(parts: Sequence[Part]) -> set[Name]:
    """The variables of parts to which nothing there gives values (for a complex part: no literal does)."""
    bound = bound_by(parts)
    lacking = {v for part in parts for v in part.variables if v not in bound}
    complex_parts = [part for part in parts if part.is_complex]
    if complex_parts:
        given = {v for part in parts if part.is_giver for v in part.variables}
        for part in complex_parts:
            own = {v for needs, gives in part.gives if not needs for v in gives}
            lacking |= part.variables - given - own
    return lacking


# Splitting


# Estimates


class Sizes:
    """How many instances literals of a sheet have, and how many values their variables."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.builtins = builtins_of(rules)
        self.values = _Values(rules, self.is_builtin)
        self.forms: dict[Relation, dict[Any, _Form]] = {}
        self.known: dict[int, list[Part] | None] = {}
        self.depth = 0
        for rule in rules.rules:
            forms = self.forms.setdefault(_relation(rule.head), {})
            skeleton = _skeleton(rule.head)
            form = forms.get(skeleton)
            if form is None:
                form = forms[skeleton] = _Form(rule.head)
            if rule.body:
                form.rules.append(rule)
            else:
                form.facts += 1

    def is_builtin(self, term: Any) -> bool:
        """Whether an atom is one of a builtin."""
        name, arity = relation_of(term)
        return name in self.builtins and builtin_arity_fits(name, arity)

    # Parts

    def parts(self, rule: Rule) -> list[Part] | None:
        """The parts of a rule's body; None where it has what cannot be moved."""
        key = id(rule)
        if key not in self.known:
            self.known[key] = self.body(rule.body, names_in(rule.head))
        return self.known[key]

    def body(self, formulas: Iterable[Formula], outside: Variables) -> list[Part] | None:
        """The parts of a conjunction; `outside`: the variables that are used elsewhere."""
        flat = list(_flatten(formulas))
        uses = [frozenset(map(str.__str__, formula_variables(formula))) for formula in flat]
        parts = []
        for i, formula in enumerate(flat):
            others = outside.union(*(used for j, used in enumerate(uses) if j != i))
            part = self.part(formula, uses[i], uses[i] & others)
            if part is None:
                return None
            parts.append(part)
        return parts

    def part(self, formula: Formula, variables: Variables, shared: Variables) -> Part | None:
        """A formula as a part; None for one that must stay where it is."""
        match formula:
            case Atom(term) if self.is_builtin(term):
                return self.builtin(formula, variables)
            case Atom(term):
                size, domains = self.literal(term)
                is_static = self.values.is_static(_relation(term))
                gives = ((frozenset[Name](), variables),)
                return Part(formula, variables, gives, size, domains, is_static, is_giver=True)
            case Not(Atom(term)) if not self.is_builtin(term) and variables == shared:
                return Part(formula, shared, is_static=self.values.is_static(_relation(term)))
            case Or(parts):
                return self.choice(formula, [self.body([part], shared) for part in parts], shared)
            case _:
                movable = all(self.is_movable(term) for term in atoms_of([formula]))
                return Part(formula, shared, is_static=False, is_complex=True) if movable else None

    def is_movable(self, term: Any) -> bool:
        """Whether an atom may move into a relation of its own."""
        name = name_of(term)
        return not (name in IMMOVABLE and name in self.builtins)

    def builtin(self, formula: Atom, variables: Variables) -> Part | None:
        """A builtin literal: what it needs and gives."""
        term: Any = formula.term
        name, args = term[0], term[1:]
        if name == "distinct" or name in TESTS:
            return Part(formula, variables)
        if name not in FUNCTIONS and name not in ("same", "member"):
            return None
        sides = [(args[:-1], args[-1]), (args[1:], args[0])] if name == "same" else [(args[:-1], args[-1])]
        if name == "member":
            sides = [(args[1:], args[0])]
        gives = tuple(
            (names_in((name, *inputs)), names_in(output))
            for inputs, output in sides
            if isinstance(output, Variable)
        )
        domains = dict.fromkeys(sorted(variables), UNKNOWN)
        size = min(MOST, prod(UNKNOWN for _ in names_in((name, *sides[0][0]))))
        return Part(formula, variables, gives, size, domains)

    def choice(self, formula: Or, branches: list[list[Part] | None], shared: Variables) -> Part | None:
        """A disjunction: gives the variables to which each branch gives values."""
        bodies = [branch for branch in branches if branch is not None]
        if len(bodies) < len(branches):
            return None
        given = shared.intersection(*(bound_by(body) for body in bodies))
        domains = {
            v: sum(min((p.domains[v] for p in body if v in p.domains), default=UNKNOWN) for body in bodies)
            for v in sorted(given)
        }
        size = min(sum(map(count, bodies)), prod(domains.values()))
        is_static = all(part.is_static for body in bodies for part in body)
        gives = ((frozenset[Name](), given),)
        return Part(formula, shared, gives, size, domains, is_static, is_complex=True)

    # Sizes

    def literal(self, term: Any) -> tuple[float, dict[Name, float]]:
        """How many instances a positive literal has, and how many values each of its variables."""
        skeleton = _skeleton(term)
        forms = self.forms.get(_relation(term), {})
        size = sum(self.form(form) for other, form in forms.items() if _may_match(skeleton, other))
        domains: dict[Name, float] = {}
        for slot, leaf in self.values.leaves(term):
            values = self.values.size(slot)
            name = str.__str__(leaf)
            if not isinstance(leaf, Variable):
                size /= values
            elif name in domains:
                size /= max(values, domains[name])
                domains[name] = min(values, domains[name])
            else:
                domains[name] = values
        size = max(1.0, min(size, MOST, prod(domains.values())))
        return size, {v: min(values, size) for v, values in domains.items()}

    def form(self, form: _Form) -> float:
        """How many atoms of a form there are: no more than its rules have instances."""
        if form.size is None:
            form.size = most = prod(self.values.size(slot) for slot, _ in self.values.leaves(form.example))
            if form.rules and self.depth < MAX_CHAIN:  # where it stands on itself, `most` is taken
                self.depth += 1
                form.size = min(most, form.facts + sum(map(self.rule, form.rules)))
                self.depth -= 1
            elif not form.rules:
                form.size = form.facts
        return form.size

    def rule(self, rule: Rule) -> float:
        """How many atoms a rule gives."""
        parts = self.parts(rule)
        if parts is None:
            return prod(UNKNOWN for _ in names_in(rule.head))
        most = 1.0
        for variable in sorted(names_in(rule.head)):
            most *= min((p.domains[variable] for p in parts if variable in p.domains), default=UNKNOWN)
        return min(most, count_cautiously(parts))


@dataclass
class _Form:
    """The atoms of a relation that have the same functors in the same places."""

    example: Any
    facts: int = 0
    rules: list[Rule] = field(default_factory=list)
    size: float | None = None


def names_in(term: Any) -> Variables:
    """The names of a term's variables."""
    return frozenset(map(str.__str__, variables_of(term)))


def _flatten(parts: Iterable[Formula]) -> Iterator[Formula]:
    for part in parts:
        if isinstance(part, And):
            yield from _flatten(part.parts)
        else:
            yield part


def _relation(term: Any) -> Relation:
    """The relation whose instances an atom's are: facts hold by init or next, moves are made if legal."""
    relation = relation_of(term)
    return SAME_INSTANCES.get(relation, relation)


def _skeleton(term: Any) -> Any:
    """The functors of a term: None for what is none, so p(f(X),a) gives (p,(f,None),None)."""
    if isinstance(term, tuple):
        return (term[0], *map(_skeleton, term[1:]))
    return None


def _may_match(first: Any, second: Any) -> bool:
    """Whether atoms of one relation with these skeletons may be equal: a variable may stand for a compound."""
    if first is None or second is None:
        return True
    if len(first) != len(second):
        return False
    return all(
        a is None or b is None or (a[0] == b[0] and _may_match(a, b))
        for a, b in zip(first[1:], second[1:], strict=True)
    )


class _Values:
    """The values that can stand in each place of a relation or functor, found by following the rules.

    A place is a number; a set of values is an integer with a bit for each constant and each functor.
    """

    def __init__(self, rules: Rules, is_builtin: Callable[[Any], bool]) -> None:
        self.is_builtin = is_builtin
        self.bits: dict[Any, int] = {}
        self.functors: dict[int, int] = {}  # bit -> number of arguments
        self.any_functor = 0
        self.sets: list[int] = []  # by place
        self.depths: list[int] = []  # by place: how many functors it stands in
        self.places: dict[Any, range] = {}  # relation, or (place, bit of functor) -> places of the arguments
        self.sizes: dict[int, float] = {}
        self.follow([self.flow(rule) for rule in rules.rules])
        self.dynamic = _dynamic(rules)

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

    def leaves(self, term: Any) -> list[tuple[int, Any]]:
        """The variables and constants of an atom, each with its place."""
        return [(place, leaf) for place, leaf in self.nodes(term) if not isinstance(leaf, tuple)]

    def nodes(self, term: Any) -> Iterator[tuple[int, Any]]:
        """The terms in an atom, each with its place."""
        if not isinstance(term, tuple):
            return
        todo = [(self.arguments(_relation(term), len(term) - 1, 0), term)]
        while todo:
            places, parent = todo.pop()
            for place, part in zip(places, parent[1:], strict=True):
                yield place, part
                if isinstance(part, tuple):
                    key = (place, self.bit(part))
                    todo.append((self.arguments(key, len(part) - 1, self.depths[place] + 1), part))

    def arguments(self, key: Any, arity: int, depth: int) -> range:
        """The places of the arguments of a relation, or of a functor in a place."""
        places = self.places.get(key)
        if places is None:
            places = self.places[key] = range(len(self.sets), len(self.sets) + arity)
            self.sets += [0] * arity
            self.depths += [depth] * arity
        return places

    def bit(self, term: Any) -> int:
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

    def flow(self, rule: Rule) -> _Flow:
        """From which places values come and to which they go by a rule."""
        flow = _Flow(_relation(rule.head))
        for place, part in self.nodes(rule.head):
            if isinstance(part, Variable):
                flow.targets.append((place, str.__str__(part)))
            else:
                flow.constants.append((place, self.bit(part)))
        for formula in _flatten(rule.body):
            if isinstance(formula, Atom) and not self.is_builtin(formula.term):
                flow.uses.add(_relation(formula.term))
                for place, part in self.nodes(formula.term):
                    if isinstance(part, Variable):
                        flow.sources.setdefault(str.__str__(part), []).append(place)
                    else:
                        flow.tests.append((place, self.bit(part)))
        lacking = {variable for _, variable in flow.targets} - flow.sources.keys()
        if lacking:
            self.add_loose(flow, rule, lacking)
        return flow

    def add_loose(self, flow: _Flow, rule: Rule, lacking: set[Name]) -> None:
        """Give variables that no literal of the body binds the values of any literal inside it that has them.

        A builtin's result gets the values of its inputs: too few or too many, but about as many.
        """
        for term in atoms_of(rule.body):
            for variable in lacking & names_in(term):
                loose = flow.loose.setdefault(variable, [])
                if self.is_builtin(term):
                    loose += [place for v in names_in(term) for place in flow.sources.get(v, ())]
                else:
                    flow.uses.add(_relation(term))
                    loose += [place for place, part in self.nodes(term) if part == Variable(variable)]

    def follow(self, flows: list[_Flow]) -> None:
        """Let values flow until there are no new ones anywhere."""
        users: dict[Relation, list[_Flow]] = {}
        for flow in flows:
            for relation in flow.uses:
                users.setdefault(relation, []).append(flow)
        waiting = dict.fromkeys(flows)
        while waiting:
            flow = next(iter(waiting))
            del waiting[flow]
            if self.apply(flow):
                waiting.update(dict.fromkeys(users.get(flow.relation, ())))

    def apply(self, flow: _Flow) -> bool:
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
class _Flow:
    """How one rule moves values: from places of its body to places of its head."""

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


def _dynamic(rules: Rules) -> set[Relation]:
    """The relations that depend on the state or the moves."""
    users: dict[Relation, set[Relation]] = {}
    for rule in rules.rules:
        for term in atoms_of(rule.body):
            users.setdefault(_relation(term), set()).add(_relation(rule.head))
    dynamic: set[Relation] = set()
    todo = [("true", 1), ("does", 2)]
    while todo:
        relation = todo.pop()
        if relation not in dynamic:
            dynamic.add(relation)
            todo += users.get(relation, ())
    return dynamic
