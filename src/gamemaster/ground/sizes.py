"""Core rules -> how many instances each would have on the ground, by estimate: nothing is grounded for it.

Value sets of every argument come from a fixed point over the rules (values.py); the size of a join from the usual
formula of databases. `Part` is a piece of a body with its estimate, `Sizes` knows the sheet; `counting_rules` and
`largest_rule` say whom to blame where a program is too large.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

from gamemaster.ground.atoms import atoms_of, flatten
from gamemaster.ground.values import MOST, Name, Values, Variables, instances_of, names_in
from gamemaster.language.builtins import AGGREGATES, FUNCTIONS, TESTS, builtin_test, builtins_of
from gamemaster.language.rules import (
    Atom,
    Formula,
    Not,
    Or,
    Relation,
    Rule,
    Rules,
    formula_variables,
    name_of,
)
from gamemaster.language.terms import Value, Variable, variables_of

__all__ = [
    "RulePart",
    "Sizes",
    "bound_by",
    "cost",
    "count",
    "counting_rules",
    "is_too_long",
    "largest_rule",
    "unbound_in",
]

STATIC_COST = 0.3
"""What an instance costs that depends on no state: clingo finds it, but it becomes no ground rule."""

MAX_CHAIN = 60
"""How many relations deep estimates go, one standing on the other; below that, a relation is taken as full."""

UNKNOWN = 30.0
"""How many values a variable is taken to have of which nothing is known."""

IMMOVABLE = AGGREGATES | {"evaluate"}
"""Builtins over formulas: their rules are left alone."""

MAX_SENTENCES = 20_000
"""Sheets longer than this are not estimated: value sets take memory in the square of their size."""


def is_too_long(rules: Rules) -> bool:
    """Whether a sheet is too long for estimates: ten times the longest public one is not."""
    return len(rules.sentences) > MAX_SENTENCES


def counting_rules(rules: Rules) -> list[Rule]:
    """The rules about the state whose heads have what is computed, which nothing in them bounds: they may go on."""
    builtins = builtins_of(rules)
    return [rule for rule in rules.rules if _counts_on(rule, builtins)]


def _counts_on(rule: Rule, builtins: frozenset[str]) -> bool:
    """Whether a head variable is the result of a function, and neither a table nor a test is about that one."""
    atoms = [part.term for part in rule.body if isinstance(part, Atom) and isinstance(part.term, tuple)]
    if not any(term[0] in ("true", "does") for term in atoms):
        return False
    functions = [
        term for term in atoms if term[0] in builtins and (term[0] in FUNCTIONS or term[0] == "evaluate")
    ]
    given = {v for term in atoms if term[0] not in builtins for v in variables_of(term)}
    tested = {v for term in atoms if term[0] in builtins and term[0] in TESTS for v in variables_of(term)}
    head = set(variables_of(rule.head))
    return any(
        not tested.intersection(variables_of(term)) and head.intersection(variables_of(term[-1])) - given
        for term in functions
    )


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
class RulePart:
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


def count(parts: Iterable[RulePart]) -> float:
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


def count_cautiously(parts: Iterable[RulePart]) -> float:
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


def cost(parts: Sequence[RulePart]) -> float:
    """What grounding a rule with these parts costs."""
    return count(parts) * (STATIC_COST if all(part.is_static for part in parts) else 1.0)


def bound_by(parts: Iterable[RulePart]) -> set[Name]:
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


def unbound_in(parts: Sequence[RulePart]) -> set[Name]:
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


# Estimates


class Sizes:
    """How many instances literals of a sheet have, and how many values their variables."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.builtins = builtins_of(rules)
        self.is_builtin = builtin_test(rules)
        self.values = Values(rules, self.is_builtin)
        self.forms: dict[Relation, dict[Value, _Form]] = {}
        self.known: dict[
            int, tuple[Rule, list[RulePart] | None]
        ] = {}  # the rule too: its id is no other's then
        self.depth = 0
        for rule in rules.rules:
            forms = self.forms.setdefault(instances_of(rule.head), {})
            skeleton = _skeleton(rule.head)
            form = forms.get(skeleton)
            if form is None:
                form = forms[skeleton] = _Form(rule.head)
            if rule.body:
                form.rules.append(rule)
            else:
                form.facts += 1

    # Parts

    def parts(self, rule: Rule) -> list[RulePart] | None:
        """The parts of a rule's body; None where it has what cannot be moved."""
        key = id(rule)
        if key not in self.known:
            self.known[key] = rule, self.body(rule.body, names_in(rule.head))
        return self.known[key][1]

    def body(self, formulas: Iterable[Formula], outside: Variables) -> list[RulePart] | None:
        """The parts of a conjunction; `outside`: the variables that are used elsewhere."""
        flat = list(flatten(formulas))
        uses = [frozenset(map(str.__str__, formula_variables(formula))) for formula in flat]
        parts = []
        for i, formula in enumerate(flat):
            others = outside.union(*(used for j, used in enumerate(uses) if j != i))
            part = self.part(formula, uses[i], uses[i] & others)
            if part is None:
                return None
            parts.append(part)
        return parts

    def part(self, formula: Formula, variables: Variables, shared: Variables) -> RulePart | None:
        """A formula as a part; None for one that must stay where it is."""
        match formula:
            case Atom(term) if self.is_builtin(term):
                return self.builtin(formula, variables)
            case Atom(term):
                size, domains = self.literal(term)
                is_static = self.values.is_static(instances_of(term))
                gives = ((frozenset[Name](), variables),)
                return RulePart(formula, variables, gives, size, domains, is_static, is_giver=True)
            case Not(Atom(term)) if not self.is_builtin(term) and variables == shared:
                return RulePart(formula, shared, is_static=self.values.is_static(instances_of(term)))
            case Or(parts):
                return self.choice(formula, [self.body([part], shared) for part in parts], shared)
            case _:
                movable = all(self.is_movable(term) for term in atoms_of([formula]))
                return RulePart(formula, shared, is_static=False, is_complex=True) if movable else None

    def is_movable(self, term: Value) -> bool:
        """Whether an atom may move into a relation of its own."""
        name = name_of(term)
        return not (name in IMMOVABLE and name in self.builtins)

    def builtin(self, formula: Atom, variables: Variables) -> RulePart | None:
        """A builtin literal: what it needs and gives."""
        term: Value = formula.term
        name, args = term[0], term[1:]
        if name == "distinct" or name in TESTS:
            return RulePart(formula, variables)
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
        return RulePart(formula, variables, gives, size, domains)

    def choice(
        self, formula: Or, branches: list[list[RulePart] | None], shared: Variables
    ) -> RulePart | None:
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
        return RulePart(formula, shared, gives, size, domains, is_static, is_complex=True)

    # Sizes

    def literal(self, term: Value) -> tuple[float, dict[Name, float]]:
        """How many instances a positive literal has, and how many values each of its variables."""
        skeleton = _skeleton(term)
        forms = self.forms.get(instances_of(term), {})
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

    example: Value
    facts: int = 0
    rules: list[Rule] = field(default_factory=list)
    size: float | None = None


def _skeleton(term: Any) -> Any:
    """The functors of a term: None for what is none, so p(f(X),a) gives (p,(f,None),None)."""
    if isinstance(term, tuple):
        return (term[0], *map(_skeleton, term[1:]))
    return None


def _may_match(first: Value, second: Value) -> bool:
    """Whether atoms of one relation with these skeletons may be equal: a variable may stand for a compound."""
    if first is None or second is None:
        return True
    if len(first) != len(second):
        return False
    return all(
        a is None or b is None or (a[0] == b[0] and _may_match(a, b))
        for a, b in zip(first[1:], second[1:], strict=True)
    )
