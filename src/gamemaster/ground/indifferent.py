"""Core rules -> the same rules, where what holds for every value of some arguments is said without them.

    clear(U,X,I) :- beside(U,X) & cell(I)                               a line is clear if a cell I were ignored
    clear(U,X,I) :- beside(U,I) & clear(I,X,I)
    clear(U,X,I) :- beside(U,W) & true(blank(W)) & clear(W,X,I)

Most of these instances hold whatever I is, and all that is made of them has as many again. So a wide relation becomes
two: what holds for any I, and what holds for some:

    any clear(U,X) :- beside(U,X)
    any clear(U,X) :- beside(U,W) & true(blank(W)) & any clear(W,X)
    some clear(U,X,I) :- beside(U,I) & any clear(I,X) & cell(I)
    some clear(U,X,I) :- beside(U,I) & some clear(I,X,I)
    some clear(U,X,I) :- beside(U,W) & true(blank(W)) & some clear(W,X,I)

A rule that uses it becomes one for each of the two, and may be indifferent to I itself; a negated use asks for both,
where all values that it can have are known to be among those that I has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from math import prod
from typing import TypeAlias

from gamemaster.ground.atoms import args_of, atoms_of, flatten
from gamemaster.ground.demand import in_expressions
from gamemaster.ground.known import ANYTHING, OUTSIDE, KnownValues
from gamemaster.ground.narrow import without_unneeded
from gamemaster.ground.sizes import Sizes, count
from gamemaster.ground.values import names_in
from gamemaster.language.dependency import strongly_connected_components
from gamemaster.language.rules import (
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
)
from gamemaster.language.source import Span
from gamemaster.language.terms import Compound, Symbol, Value, Variable, variables_of

__all__ = ["without_indifferent"]

WIDE = 20_000
"""A relation with more instances than this, by the estimate, is looked at."""

FEWEST = 8
"""To fewer values than this it does not matter that a rule is indifferent: there are two relations instead of one."""

MOST_WAYS = 8
"""Into no more rules than this is one made."""

Domains: TypeAlias = tuple[frozenset[str], ...]
"""For each of some arguments, the unary relations of which it must be."""


MOST_ROUNDS = 3
"""What a relation is parted into may be wide, and indifferent to other arguments: so often it is looked at again."""


def without_indifferent(rules: Rules, sizes: Sizes) -> Rules:
    """The rules with wide relations parted into what holds for any value and what for some; the same where none is."""
    done: set[Relation] = set()
    for _ in range(MOST_ROUNDS):
        rewriting = _Rewriting(rules, sizes, done)
        changed = rewriting.rules_after() if rewriting.wide else rules
        done |= rewriting.parted.keys()  # where they are still asked for, they are made of their two parts
        if changed is rules:
            break
        rules = without_unneeded(changed)
        sizes = Sizes(rules)
    return rules


@dataclass(frozen=True, slots=True)
class _Parted:
    """A relation that became two: without the arguments `free`, whose values are of `domains`; and with them."""

    relation: Relation
    free: tuple[int, ...]
    domains: Domains
    has_some: bool = True

    def any_atom(self, term: AtomTerm, span: Span) -> Atom:
        """What holds for every value of the arguments that are free."""
        kept = [part for place, part in enumerate(args_of(term)) if place not in self.free]
        name = f"any {self.relation[0]}/{self.relation[1]}"
        return Atom(Compound((name, *kept)) if kept else Symbol(name), span)

    def some_atom(self, term: AtomTerm, span: Span) -> Atom:
        """What holds for some of them."""
        return Atom(Compound((f"some {self.relation[0]}/{self.relation[1]}", *args_of(term))), span)

    def within(self, term: AtomTerm, span: Span) -> list[Formula]:
        """That the arguments have values for which the first was said."""
        args = args_of(term)
        return [
            Atom(Compound((name, args[place])), span)
            for place, names in zip(self.free, self.domains, strict=True)
            for name in sorted(names)
        ]

    def ways(self, term: AtomTerm, span: Span) -> list[list[Formula]]:
        """The bodies of which one holds where the relation does."""
        ways: list[list[Formula]] = [[self.any_atom(term, span), *self.within(term, span)]]
        return [*ways, [self.some_atom(term, span)]] if self.has_some else ways

    def denial(self, term: AtomTerm, span: Span) -> list[Formula]:
        """What holds where the relation does not, if its arguments have such values."""
        atoms = [self.any_atom(term, span)]
        atoms += [self.some_atom(term, span)] if self.has_some else []
        return [Not(atom, span) for atom in atoms]


class _Rewriting:
    """Parts relations, those on which others stand first."""

    def __init__(self, rules: Rules, sizes: Sizes, done: set[Relation]) -> None:
        self.rules = rules
        self.sizes = sizes
        self.rules_of: dict[Relation, list[Rule]] = {}
        for rule in rules.rules:
            self.rules_of.setdefault(relation_of(rule.head), []).append(rule)
        self.extents = dict(self.unary_facts())
        self.parted: dict[Relation, _Parted] = {}
        outer = OUTSIDE | in_expressions(rules) | done
        # in the order of the sheet: what is asked about first has a part in what is estimated afterwards
        inner = [relation for relation in self.rules_of if relation not in outer]
        self.wide = {relation for relation in inner if self.is_wide(relation)}

    @cached_property
    def known(self) -> KnownValues:
        """The values that variables can have, none forgotten."""
        return KnownValues(self.rules)

    def unary_facts(self) -> Iterator[tuple[str, set[Value]]]:
        """The relations of one argument that are nothing but facts, and of what."""
        for (name, arity), own in self.rules_of.items():
            args = [args_of(rule.head)[0] for rule in own if not rule.body] if arity == 1 else []
            if len(args) == len(own) and not any(isinstance(arg, (Variable, tuple)) for arg in args):
                yield name, set(args)

    def is_wide(self, relation: Relation) -> bool:
        """Whether a relation has very many instances that depend on the state: others leave nothing on the ground."""
        if self.sizes.values.is_static(relation):
            return False
        size, _ = self.sizes.literal(
            Compound((relation[0], *(Variable(f"V{place}") for place in range(relation[1]))))
        )
        return size >= WIDE

    def rules_after(self) -> Rules:
        """The rules with what is parted."""

        def uses(relation: Relation) -> list[Relation]:
            bodies = [rule.body for rule in self.rules_of.get(relation, ())]
            return [relation_of(term) for body in bodies for term in atoms_of(body)]

        made: dict[Relation, list[Rule]] = {}
        for component in strongly_connected_components(self.rules_of, uses):
            for relation in component:
                own = [new for rule in self.rules_of.get(relation, ()) for new in self.rewritten(rule)]
                made[relation] = (
                    self.parts(relation, own) if relation in self.wide and len(component) == 1 else own
                )
        if not self.parted:
            return self.rules
        return replace(self.rules, sentences=tuple(self.in_order(made)))

    def in_order(self, made: dict[Relation, list[Rule]]) -> Iterator[Sentence]:
        """All sentences; those of a relation where its first one was."""
        for sentence in self.rules.sentences:
            if isinstance(sentence, Rule):
                yield from made.pop(relation_of(sentence.head), ())
            else:
                yield sentence

    # Uses

    def rewritten(self, rule: Rule) -> list[Rule]:
        """The rules that a rule becomes where it uses what is parted."""
        if not any(relation_of(term) in self.parted for term in atoms_of(rule.body)):
            return [rule]
        ways = self.ways_of(list(flatten(rule.body)), rule)
        return [rule] if len(ways) > MOST_WAYS else [replace(rule, body=tuple(way)) for way in ways]

    def ways_of(self, parts: Sequence[Formula], rule: Rule) -> list[list[Formula]]:
        """The conjunctions of which one holds where a conjunction does; too many are not all made."""
        ways: list[list[Formula]] = [[]]
        for part in parts:
            ways = [[*way, *more] for way, more in product(ways, self.ways(part, rule))]
            if len(ways) > MOST_WAYS:
                break
        return ways

    def ways(self, part: Formula, rule: Rule) -> list[list[Formula]]:
        """The same of one part of a body."""
        match part:
            case Atom(term, span) if relation_of(term) in self.parted:
                return self.parted[relation_of(term)].ways(term, span)
            case Not(Atom(term), span) if relation_of(term) in self.parted:
                parted = self.parted[relation_of(term)]
                return [parted.denial(term, span) if self.is_within(parted, term, rule) else [part]]
            case Or(inner) if self.may_part(part, rule):
                return [way for each in inner for way in self.ways_of(list(flatten([each])), rule)]
        return [[part]]

    def may_part(self, part: Or, rule: Rule) -> bool:
        """Whether a disjunction is of what is parted, and the rest of a rule means the same with each of its branches.

        A variable of a negation or a builtin outside that has its value from some branches only would be another one.
        """
        if not any(relation_of(term) in self.parted for term in atoms_of([part])):
            return False
        others = [other for other in flatten(rule.body) if other is not part]
        givers = [o for o in others if isinstance(o, Atom) and not self.sizes.is_builtin(o.term)]
        given = {variable for giver in givers for variable in formula_variables(giver)}
        asked = {v for other in others if other not in givers for v in formula_variables(other)}
        return not (asked - given).intersection(formula_variables(part))

    def is_within(self, parted: _Parted, term: AtomTerm, rule: Rule) -> bool:
        """Whether all values that a rule can ask for are those for which something was said."""
        if not self.known.is_complete:
            return False
        given = self.known.given(list(flatten(rule.body)))
        for place, names in zip(parted.free, parted.domains, strict=True):
            part = args_of(term)[place]
            if isinstance(part, tuple):
                return False
            extent = self.extent(names)
            if isinstance(part, Variable):
                own = given.get(str.__str__(part), ANYTHING)
                allowed = sum(self.known.bits.get(value, 0) for value in extent)
                if own == ANYTHING or own & ~allowed:
                    return False
            elif part not in extent:
                return False
        return True

    def extent(self, names: frozenset[str]) -> set[Value]:
        """The values that are of all of some unary relations."""
        return set.intersection(*(self.extents[name] for name in names))

    # Parting

    def free_places(self, rule: Rule) -> dict[int, frozenset[str]]:
        """The arguments of its head to which a rule is indifferent, each with the relations of which it must be."""
        args = args_of(rule.head)
        found = {}
        for place, arg in enumerate(args):
            if isinstance(arg, Variable) and list(variables_of(rule.head)).count(arg) == 1:
                names = self.domain(arg, place, rule)
                if names is not None:
                    found[place] = names
        return found

    def domain(self, variable: Variable, place: int, rule: Rule) -> frozenset[str] | None:
        """Of which unary relations a variable must be; None where more is asked of it.

        Where the relation itself is asked, it must be handed on in the same place: of other values, what holds for any
        says nothing.
        """
        own = relation_of(rule.head)
        names, is_handed_on = set(), False
        for part in flatten(rule.body):
            if isinstance(part, Atom) and relation_of(part.term) == own:
                if part.term[1:][place] != variable or list(variables_of(part.term)).count(variable) != 1:
                    return None
                is_handed_on = True
            elif isinstance(part, Atom) and part.term[1:] == (variable,) and part.term[0] in self.extents:
                names.add(part.term[0])
            elif variable in formula_variables(part):
                return None
        return frozenset(names) if names or is_handed_on else None

    def parts(self, relation: Relation, own: Sequence[Rule]) -> list[Rule]:
        """The rules of a relation after it is parted, if it can be."""
        ends = [rule for rule in own if not self.calls(rule)]
        free_of = {id(rule): self.free_places(rule) for rule in own}
        if any(len(self.calls(rule)) > 1 or self.is_mixed(rule) for rule in own):
            return list(own)
        choices: dict[tuple[tuple[int, ...], Domains], float] = {}
        for free in {tuple(sorted(free_of[id(rule)])) for rule in ends} - {()}:
            for rule in ends:
                if free_of[id(rule)].keys() >= set(free):
                    domains = tuple(free_of[id(rule)][place] for place in free)
                    if prod(len(self.extent(names)) for names in domains) < FEWEST:
                        continue
                    choices[free, domains] = choices.get((free, domains), 0.0) + self.saving(rule, free)
        if not choices:
            return list(own)
        (free, domains), _ = max(sorted(choices.items(), key=repr), key=lambda choice: choice[1])
        parted = _Parted(relation, free, domains)
        made = list(self.parted_rules(parted, own, free_of))
        if not any(rule.head[0] == parted.some_atom(own[0].head, own[0].span).term[0] for rule in made):
            parted = replace(parted, has_some=False)
        self.parted[relation] = parted
        whole = Compound((relation[0], *(Variable(f"V{place}") for place in range(relation[1]))))
        span = own[0].span
        return [*made, *(Rule(whole, tuple(way), span, span) for way in parted.ways(whole, span))]

    def saving(self, rule: Rule, free: tuple[int, ...]) -> float:
        """How many instances of a rule would be left out, by the estimate."""
        parts = self.sizes.body(rule.body, names_in(rule.head))
        if parts is None:
            return 0.0
        names = {str.__str__(args_of(rule.head)[place]) for place in free}
        return count(parts) - count([part for part in parts if not part.variables & names])

    def calls(self, rule: Rule) -> list[Atom]:
        """The literals of a rule that are of its own relation."""
        own = relation_of(rule.head)
        return [
            part for part in flatten(rule.body) if isinstance(part, Atom) and relation_of(part.term) == own
        ]

    def is_mixed(self, rule: Rule) -> bool:
        """Whether a rule speaks of its own relation elsewhere than in a literal."""
        own = relation_of(rule.head)
        return len(self.calls(rule)) < sum(relation_of(term) == own for term in atoms_of(rule.body))

    def parted_rules(
        self, parted: _Parted, own: Sequence[Rule], free_of: Mapping[int, dict[int, frozenset[str]]]
    ) -> Iterator[Rule]:
        """The rules of both relations that one becomes."""
        for rule in own:
            found, calls = free_of[id(rule)], self.calls(rule)
            domains = [found.get(place) for place in parted.free]
            is_free = None not in domains
            if calls:
                is_free &= all(
                    names is not None and names <= asked
                    for names, asked in zip(domains, parted.domains, strict=True)
                )
            else:
                is_free &= tuple(domains) == parted.domains
            if is_free:
                yield self.without(parted, rule)
                if calls:
                    yield self.renamed(parted, rule, parted.some_atom(calls[0].term, calls[0].span))
            else:
                yield from self.with_ways(parted, rule, calls)

    def without(self, parted: _Parted, rule: Rule) -> Rule:
        """A rule that is indifferent to the free arguments, without them."""
        free = {args_of(rule.head)[place] for place in parted.free}
        body: list[Formula] = []
        for part in flatten(rule.body):
            if isinstance(part, Atom) and relation_of(part.term) == parted.relation:
                body.append(parted.any_atom(part.term, part.span))
            elif not free & set(formula_variables(part)):
                body.append(part)
        return replace(rule, head=parted.any_atom(rule.head, rule.span).term, body=tuple(body))

    def renamed(self, parted: _Parted, rule: Rule, *calls: Formula) -> Rule:
        """A rule about what holds for some values, with other literals for those of its own relation."""
        rest = [part for part in flatten(rule.body) if part not in self.calls(rule)]
        head = parted.some_atom(rule.head, rule.span).term
        return replace(rule, head=head, body=(*rest, *calls))

    def with_ways(self, parted: _Parted, rule: Rule, calls: Sequence[Atom]) -> Iterator[Rule]:
        """A rule that asks something of the free arguments."""
        if not calls:
            yield self.renamed(parted, rule)
        for call in calls:
            for way in parted.ways(call.term, call.span):
                yield self.renamed(parted, rule, *way)
