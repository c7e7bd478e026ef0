"""Core rules -> the same rules, where a wide condition that never changes is read one variable after another.

    row(I) :- true(mark(I,1,A)) & ... & true(mark(I,9,H)) & all_different(A,...,H)

The table of such a condition has an entry for every choice of values. But most choices of the first few variables leave
the same condition on the others: what is left of it is a node, and a value leads from one to another. So it becomes an
automaton (a decision diagram: Lee 1959, Bryant 1986), a small table and a step for each variable:

    step_0(I,N) :- true(mark(I,1,A)) & read_0(0,A,N)
    step_1(I,N) :- step_0(I,M) & true(mark(I,2,B)) & read_1(M,B,N)   ...   row(I) :- step_8(I,0)

Conditions are looked into as far as views that are not recursive
define them, down to tables of facts and tests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count
from typing import NamedTuple, TypeAlias

from gamemaster.ground.atoms import args_of, flatten
from gamemaster.ground.known import ANYTHING, KnownValues
from gamemaster.ground.sizes import Sizes
from gamemaster.language.rules import (
    And,
    Atom,
    AtomTerm,
    Formula,
    Not,
    Or,
    Relation,
    Rule,
    Rules,
    Sentence,
    formula_variables,
    relation_of,
    substitute,
)
from gamemaster.language.terms import Compound, Symbol, Term, Value, Variable, term_of, variables_of

__all__ = ["with_automata"]

WIDE = 1_000_000
"""A table with more entries than this, by the estimate, is not written out."""

MOST_CONDITIONS = 100_000
MOST_EDGES = 20_000
DEEPEST = 12
"""How many conditions there may be, and how large an automaton may be; and how deep views are looked into."""

SAME, DISTINCT = ("same", 2), ("distinct", 2)

READ = "read "
"""What the names of the tables begin with: no name in a sheet has a blank."""


class _TooLarge(Exception):
    """A condition or its automaton is too large, or says what cannot be read."""


def with_automata(rules: Rules, sizes: Sizes) -> Rules:
    """The rules with wide conditions read one variable after another; the same where there are none."""
    reader = _ConditionReader(rules, sizes)
    sentences: list[Sentence] = []
    for sentence in rules.sentences:
        sentences += reader.rules(sentence) if isinstance(sentence, Rule) else [sentence]
    return replace(rules, sentences=(*sentences, *reader.tables)) if reader.tables else rules


FALSE, TRUE = 0, 1
NO_ATOM = Symbol("")

Test: TypeAlias = int
"""A condition: its number in a store, in which equal ones have one number."""

Edge: TypeAlias = tuple[int, Term, int]
"""From a node by a value to a node of the next variable."""


class _Condition(NamedTuple):
    """What a condition is: "&" or "|" of parts, "~" of one, or an atom of a table or of `same`."""

    kind: str
    parts: tuple[Test, ...]
    atom: AtomTerm


class _Conditions:
    """Conditions on what never changes, each once; what is known of one is worked in at once."""

    def __init__(self, facts: Mapping[Relation, set[AtomTerm]]) -> None:
        self.facts = facts
        self.forms = [_Condition("|", (), NO_ATOM), _Condition("&", (), NO_ATOM)]
        self.numbers = {form: number for number, form in enumerate(self.forms)}
        self.left: dict[tuple[Test, Variable, Term], Test] = {}

    def number(self, kind: str, parts: tuple[Test, ...] = (), atom: AtomTerm = NO_ATOM) -> Test:
        """The number of a condition."""
        form = _Condition(kind, parts, atom)
        found = self.numbers.setdefault(form, len(self.forms))
        if found == len(self.forms):
            if found > MOST_CONDITIONS:
                raise _TooLarge
            self.forms.append(form)
        return found

    def joined(self, kind: str, parts: Iterable[Test]) -> Test:
        """The AND or the OR of conditions."""
        decides, adds_nothing = (FALSE, TRUE) if kind == "&" else (TRUE, FALSE)
        kept = {part for part in parts if part != adds_nothing}
        if decides in kept:
            return decides
        return kept.pop() if len(kept) == 1 else self.number(kind, tuple(sorted(kept)))

    def negated(self, part: Test) -> Test:
        """The opposite of a condition."""
        return TRUE - part if part in (FALSE, TRUE) else self.number("~", (part,))

    def atom(self, term: AtomTerm) -> Test:
        """An atom of a table of facts or of `same`: decided, where it has no variables."""
        if any(isinstance(arg, tuple) for arg in args_of(term)):
            raise _TooLarge  # terms in terms are not looked into
        if any(isinstance(arg, Variable) for arg in args_of(term)):
            return self.number("atom", (), term)
        if relation_of(term) == SAME:
            return int(args_of(term)[0] == args_of(term)[1])
        return int(term in self.facts[relation_of(term)])

    def after(self, test: Test, variable: Variable, value: Term) -> Test:
        """What is left of a condition where a variable has a value."""
        if test in (FALSE, TRUE):
            return test
        key = (test, variable, value)
        if key not in self.left:
            kind, parts, atom = self.forms[test]
            if kind == "atom":
                self.left[key] = self.atom(substitute(atom, {variable: value}))
            elif kind == "~":
                self.left[key] = self.negated(self.after(parts[0], variable, value))
            else:
                self.left[key] = self.joined(kind, [self.after(part, variable, value) for part in parts])
        return self.left[key]


class _ConditionReader:
    """Makes automata of the conditions of one sheet."""

    def __init__(self, rules: Rules, sizes: Sizes) -> None:
        self.sizes = sizes
        self.rules_of: dict[Relation, list[Rule]] = {}
        for rule in rules.rules:
            self.rules_of.setdefault(relation_of(rule.head), []).append(rule)
        self.facts = {
            relation: {rule.head for rule in own}
            for relation, own in self.rules_of.items()
            if not any(rule.body or any(True for _ in variables_of(rule.head)) for rule in own)
        }
        self.sheet = rules
        self.conditions = _Conditions(self.facts)
        self.tables: list[Rule] = []
        self.made: dict[tuple[object, ...], str] = {}  # conditions and values -> the name of the tables
        self.numbers = count(1)

    def rules(self, rule: Rule) -> list[Rule]:
        """The rule; after those that read its wide conditions, where it has any."""
        parts = list(flatten(rule.body))
        wide = [part for part in parts if isinstance(part, Atom) and self.is_wide(part.term)]
        if not wide:
            return [rule]
        order = list(dict.fromkeys(v for part in wide for v in formula_variables(part)))
        others = [part for part in parts if part not in wide]
        domains = [self.domain(variable, others) for variable in order]
        if not order or not all(domains):  # without variables there is nothing to read: the table is asked
            return [rule]
        names = {variable: Variable(f"{i}") for i, variable in enumerate(order)}
        try:
            conditions = tuple(self.condition(part, names, DEEPEST) for part in wide)
            name = self.automaton(conditions, list(names.values()), domains)
        except _TooLarge:
            return [rule]
        steps = _Steps(name, f"{name} for {next(self.numbers)}", rule, others)
        return [*steps.read(order, self.sizes.is_builtin)]

    def is_wide(self, term: AtomTerm) -> bool:
        """Whether an atom is of a table that never changes and would be very large."""
        relation = relation_of(term)
        if self.sizes.is_builtin(term) or relation not in self.rules_of or relation in self.facts:
            return False
        is_static = self.sizes.values.is_static(relation)
        return is_static and max(map(self.sizes.rule, self.rules_of[relation])) > WIDE

    def domain(self, variable: Variable, others: Sequence[Formula]) -> list[Term]:
        """The values that a variable can have by the other literals; none where that is not known."""
        found = self.known.given(others).get(str.__str__(variable), ANYTHING)
        if found == ANYTHING or found & self.known.any_functor or not self.known.is_complete:
            return []
        return [term_of(value) for value, bit in self.known.bits.items() if bit & found]

    @cached_property
    def known(self) -> KnownValues:
        """The values that can stand in each place."""
        return KnownValues(self.sheet)

    # What a condition says

    def condition(self, formula: Formula, values: Mapping[Variable, Term], depth: int) -> Test:
        """A formula with views looked into."""
        match formula:
            case Atom(term):
                return self.atom(substitute(term, values), depth)
            case Not(body):
                return self.conditions.negated(self.condition(body, values, depth))
            case And(parts):
                return self.conditions.joined("&", [self.condition(part, values, depth) for part in parts])
            case Or(parts):
                return self.conditions.joined("|", [self.condition(part, values, depth) for part in parts])

    def atom(self, term: AtomTerm, depth: int) -> Test:
        """An atom: a test, a table of facts, or what the rules of a view say."""
        relation = relation_of(term)
        if self.sizes.is_builtin(term):
            if relation not in (DISTINCT, SAME):
                raise _TooLarge
            equal = self.conditions.atom(Compound(("same", *args_of(term))))
            return equal if relation == SAME else self.conditions.negated(equal)
        if relation in self.facts:
            return self.conditions.atom(term)
        if depth == 0 or not self.sizes.values.is_static(relation):
            raise _TooLarge
        ways = [self.way(rule, term, depth - 1) for rule in self.rules_of.get(relation, ())]
        return self.conditions.joined("|", ways)

    def way(self, rule: Rule, term: AtomTerm, depth: int) -> Test:
        """What a rule of a view asks for an atom to hold."""
        values: dict[Variable, Term] = {}
        tests: list[Test] = []
        for own, given in zip(map(term_of, args_of(rule.head)), map(term_of, args_of(term)), strict=True):
            if isinstance(own, Variable) and own not in values:
                values[own] = given
            else:
                tests.append(self.conditions.atom(Compound(("same", substitute(own, values), given))))
        if not {v for part in rule.body for v in formula_variables(part)} <= values.keys():
            raise _TooLarge  # it has variables of its own
        tests += [self.condition(part, values, depth) for part in rule.body]
        return self.conditions.joined("&", tests)

    # Automata

    def automaton(
        self, conditions: tuple[Test, ...], order: Sequence[Variable], domains: Sequence[list[Term]]
    ) -> str:
        """The name of the tables of an automaton, which are written unless they are there."""
        key = (conditions, *map(tuple, domains))
        if key not in self.made:
            edges = self.edges(conditions, order, domains)
            self.made[key] = f"{READ}{len(self.made) + 1}"
            self.write(self.made[key], edges)
        return self.made[key]

    def edges(
        self, start: tuple[Test, ...], order: Sequence[Variable], domains: Sequence[list[Term]]
    ) -> list[list[Edge]]:
        """For each variable the edges by its values; a node is what is left of each condition."""
        edges: list[list[Edge]] = []
        layer = {start: 0}
        after = self.conditions.after
        for variable, domain in zip(order, domains, strict=True):
            nodes: dict[tuple[Test, ...], int] = {}
            found: list[Edge] = []
            for tests, number in layer.items():
                for value in domain:
                    left = tuple(after(test, variable, value) for test in tests)
                    if FALSE not in left:
                        found.append((number, value, nodes.setdefault(left, len(nodes))))
            if sum(map(len, edges)) + len(found) > MOST_EDGES:
                raise _TooLarge
            layer = nodes
            edges.append(found)
        return edges

    def write(self, name: str, edges: list[list[Edge]]) -> None:
        """Write tables, without what leads nowhere."""
        alive = {0}
        for i in reversed(range(len(edges))):
            kept = [edge for edge in edges[i] if edge[2] in alive]
            alive = {edge[0] for edge in kept}
            self.tables += [
                Rule(Compound((f"{name} {i}", Symbol(str(source)), value, Symbol(str(target)))))
                for source, value, target in kept
            ]


@dataclass
class _Steps:
    """Rules that read the variables of a rule one after another, each with the literals that give it values.

    What has been read is kept as a node, and as the values of those variables that are still asked about.
    """

    tables: str
    name: str
    rule: Rule
    left: list[Formula]  # literals that are not yet in a step

    def read(self, order: Sequence[Variable], is_builtin: Callable[[Value], bool]) -> Iterator[Rule]:
        """The steps, and the rule."""
        givers = [part for part in self.left if isinstance(part, Atom) and not is_builtin(part.term)]
        apart = {id(part) for part in givers if not set(order).intersection(variables_of(part.term))}
        before: list[Formula] = [
            part for part in givers if id(part) in apart and self.is_beside(part, givers)
        ]
        self.left = [part for part in self.left if part not in before]
        node: Term = Symbol("0")
        for i, variable in enumerate(order):
            own = [part for part in givers if part in self.left and variable in variables_of(part.term)]
            self.left = [part for part in self.left if part not in own]
            is_last = i == len(order) - 1
            following: Term = Symbol("0") if is_last else Variable(f"node {i + 1}")
            body = [*before, *own, Atom(Compound((f"{self.tables} {i}", node, variable, following)))]
            kept = self.still_asked(body, node, order[i + 1 :])
            head = Compound((f"{self.name} {i}", *kept, following))
            yield Rule(head, tuple(body), self.rule.span, self.rule.head_span)
            before, node = [Atom(head)], following
        yield replace(self.rule, body=(*before, *self.left))

    def is_beside(self, part: Atom, givers: Sequence[Atom]) -> bool:
        """Whether a literal without a variable that is read shares variables with one that has some."""
        own = set(variables_of(part.term))
        return any(own.intersection(variables_of(other.term)) for other in givers if other is not part)

    def still_asked(
        self, body: Sequence[Formula], node: Term, to_read: Sequence[Variable]
    ) -> tuple[Variable, ...]:
        """The variables of a step that are asked about after it."""
        asked = {*variables_of(self.rule.head), *to_read}
        asked |= {variable for part in self.left for variable in formula_variables(part)}
        found = dict.fromkeys(variable for part in body[:-1] for variable in formula_variables(part))
        reading = dict.fromkeys(formula_variables(body[-1]))
        return tuple(v for v in {**found, **reading} if v in asked and v != node)
