"""Core rules -> the values that can stand in each place and be asked for there: for those who must not guess.

`Values` follows the rules from facts to heads and guesses what is computed. Here such places are *open*: anything may
stand there. And values are followed only as far as somebody asks: what a use can ask for in a place is what the
literals before it can give the variable there, and what is asked of the rule's own head (magic sets: Bancilhon, Maier,
Sagiv and Ullman 1986; of each place by itself). Both grow together until nothing is new.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from operator import or_

from gamemaster.ground.atoms import args_of, flatten
from gamemaster.ground.demand import NAMED, in_expressions
from gamemaster.ground.values import MAX_NESTING, MAX_PLACES, Flow, Name, Values
from gamemaster.language.builtins import AGGREGATES, builtin_test, formula_of
from gamemaster.language.rules import (
    Atom,
    AtomTerm,
    Formula,
    Not,
    Or,
    Relation,
    Rule,
    Rules,
    formula_variables,
    relation_of,
)
from gamemaster.language.terms import Value, Variable, variables_of

__all__ = ["ANYTHING", "OUTSIDE", "KnownValues"]

ANYTHING = -1
"""The set of all values, as bits."""

OUTSIDE = frozenset({*NAMED, ("terminal", 0), ("true", 1), ("does", 2)})
"""Relations of which others than the rules ask."""


class KnownValues(Values):
    """The values that can stand in each place, none forgotten, as far as they are asked for."""

    def __init__(self, rules: Rules) -> None:
        self.open: set[int] = set()
        spoken_of = in_expressions(rules)
        with_body = {relation_of(rule.head) for rule in rules.rules if rule.body}
        self.inner = with_body - OUTSIDE - spoken_of
        self.asked: dict[int, int] = {}
        self.called: set[Relation] = set()  # those of them of which something is asked
        super().__init__(rules, builtin_test(rules))

    @property
    def is_complete(self) -> bool:
        """Whether all values are there: with very many places, they are not followed everywhere."""
        return len(self.sets) < MAX_PLACES

    def begin(self) -> None:
        """Find values and ask for more, in turns."""
        self.find_open()
        is_new = True
        while is_new:
            self.follow(self.flows)
            is_new = False
            for flow in self.flows:
                if self.is_called(flow.rule):
                    for _ in self.ask(flow.rule):
                        is_new = True

    def find_open(self) -> None:
        """Find the places in which values may stand that are computed, and what is in those."""
        places = {place for place, depth in enumerate(self.depths) if depth > MAX_NESTING}
        is_new = True
        while is_new:
            before = len(places)
            for flow in self.flows:
                for place, variable in flow.targets:
                    if all(source in places for source in flow.sources.get(variable, ())):
                        places.add(place)
            for key, inner in self.places.items():
                if isinstance(key[0], int) and key[0] in places:
                    places.update(inner)
            is_new = len(places) > before
        self.open = places

    def arguments(self, key: Value, arity: int, depth: int) -> range:
        """The places of the arguments of a relation, or of a functor in a place; open in one that is."""
        is_new = key not in self.places
        places = super().arguments(key, arity, depth)
        if is_new and (depth > MAX_NESTING or (isinstance(key[0], int) and key[0] in self.open)):
            self.open.update(places)
        return places

    # Values

    def apply(self, flow: Flow) -> bool:
        """Whether a rule gives its head new values that are asked for."""
        values = self.within(flow) if self.is_called(flow.rule) else None
        if values is None or not all(bit & self.asked_in(place, flow) for place, bit in flow.constants):
            return False
        is_new = False
        for place, bit in flow.constants:
            if not self.sets[place] & bit:
                self.sets[place] |= bit
                is_new = True
        for place, variable in flow.targets:
            if place not in self.open:
                source = next(source for source in flow.sources[variable] if source not in self.open)
                is_new |= self.merge(source, place, values[variable] & self.asked_in(place, flow))
        return is_new

    def is_called(self, rule: Rule) -> bool:
        """Whether somebody asks of what a rule is about."""
        relation = relation_of(rule.head)
        return relation in self.called or relation not in self.inner

    def asked_in(self, place: int, flow: Flow) -> int:
        """What is asked for in a place of a rule's head: in those inside of others, anything."""
        is_argument = self.depths[place] == 0 and relation_of(flow.rule.head) in self.inner
        return self.asked.get(place, 0) if is_argument else ANYTHING

    def within(self, flow: Flow) -> dict[Name, int] | None:
        """The values that a rule's variables can have; None where it never applies."""
        sets = self.sets
        if not all(sets[place] & bit for place, bit in flow.tests if place not in self.open):
            return None
        values: dict[Name, int] = {}
        for variable, places in flow.sources.items():
            common = ANYTHING
            for place in places:
                if place not in self.open:
                    common &= sets[place]
            if not common:
                return None
            values[variable] = common
        return values

    # Asking

    def ask(self, rule: Rule) -> Iterator[Relation]:
        """Note what a rule asks of others: the relations of which more is asked than before."""
        for term, beside in self.uses(rule.body, ()):
            relation = relation_of(term)
            if relation not in self.inner:
                continue
            known = self.beside(rule, beside)
            if 0 in known.values():
                continue  # it never comes to that
            is_new = relation not in self.called
            self.called.add(relation)
            for place, part in zip(self.arguments(relation, relation[1], 0), args_of(term), strict=True):
                if isinstance(part, Variable):
                    wanted = known.get(str.__str__(part), ANYTHING)
                else:
                    wanted = ANYTHING if isinstance(part, tuple) else self.bit(part)
                before = self.asked.get(place, 0)
                if wanted | before != before:
                    self.asked[place] = wanted | before
                    is_new = True
            if is_new:
                yield relation

    def uses(
        self, parts: Sequence[Formula], before: Sequence[Formula]
    ) -> Iterator[tuple[AtomTerm, list[Formula]]]:
        """Every atom in a conjunction, however deep, with the literals that may say what it is asked for.

        Those are the literals before it, and of those behind it the ones that wait for nobody to ask them: if two
        waited for each other, neither would ever be asked.
        """
        flat = list(flatten(parts))
        for position, part in enumerate(flat):
            behind = [other for other in flat[position + 1 :] if self.is_free(other)]
            known = [*before, *flat[:position], *behind]
            match part:
                case Atom(term):
                    yield term, known
                    if isinstance(term, tuple) and term[0] in AGGREGATES and len(term) > 2:
                        own = set(variables_of(term[1]))  # which others of that name say nothing about
                        outer = [other for other in known if not own & set(formula_variables(other))]
                        yield from self.uses([formula_of(term[2])], outer)
                case Not(body):
                    yield from self.uses([body], known)
                case Or(inner):
                    for each in inner:
                        yield from self.uses([each], known)

    def is_free(self, part: Formula) -> bool:
        """Whether a literal is of a relation of which everything is there, asked for or not."""
        return isinstance(part, Atom) and relation_of(part.term) not in self.inner

    def beside(self, rule: Rule, parts: Sequence[Formula]) -> dict[Name, int]:
        """The values that variables can have by some literals of a rule, and by what is asked of its head."""
        known = self.given(parts)
        relation = relation_of(rule.head)
        if relation in self.inner:
            places = self.arguments(relation, relation[1], 0)
            for place, leaf in zip(places, args_of(rule.head), strict=True):
                if isinstance(leaf, Variable):
                    name = str.__str__(leaf)
                    known[name] = known.get(name, ANYTHING) & self.asked.get(place, 0)
        return known

    def given(self, parts: Sequence[Formula]) -> dict[Name, int]:
        """The values that variables can have by some literals."""
        known: dict[Name, int] = {}
        for part in parts:
            for name, values in self.given_by(part).items():
                known[name] = known.get(name, ANYTHING) & values
        return known

    def given_by(self, part: Formula) -> dict[Name, int]:
        """The values that variables can have by one literal; of a disjunction, those of all its branches."""
        match part:
            case Atom(term) if not self.is_builtin(term):
                known: dict[Name, int] = {}
                for place, leaf in self.nodes(term):
                    if isinstance(leaf, Variable) and place not in self.open:
                        name = str.__str__(leaf)
                        known[name] = known.get(name, ANYTHING) & self.sets[place]
                return known
            case Or(parts) if parts:
                branches = [self.given(list(flatten([each]))) for each in parts]
                common = set(branches[0]).intersection(*branches[1:])
                return {name: reduce(or_, (branch[name] for branch in branches)) for name in sorted(common)}
        return {}
