"""Core rules -> equivalent core rules that ground to fewer instances.

A rule has about as many instances as its variables have values together. Where some of the variables concern
only some of the literals, those literals move into a relation of their own that keeps only what the rest of the
rule needs to know:

    next(cell(X,Y,P)) :- true(cell(X,Y,P)) & does(R,move(A,B,C,D)) & distinct(X,A)
    split_1(A) :- does(R,move(A,B,C,D))
    next(cell(X,Y,P)) :- true(cell(X,Y,P)) & split_1(A) & distinct(X,A)

This is bucket elimination of the variables that the head does not have (as lpopt does it, Bichler, Morak and Woltran
2016), step by step: of all such moves, make the one that saves most, by an estimate of how many instances each
rule has, while one saves enough. Relations that are the same up to the names of variables are shared.

A moved literal keeps its meaning: all variables that it shares with the rule get values beside it, if need be from a
copy of a literal that stays, or a projection of it. The new relations depend on nothing on which their rule did not
depend.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import TypeAlias

from gamemaster.ground.atoms import atoms_of
from gamemaster.ground.automata import with_automata
from gamemaster.ground.demand import with_demand
from gamemaster.ground.indifferent import without_indifferent
from gamemaster.ground.narrow import without_unneeded
from gamemaster.ground.sizes import UNKNOWN, RulePart, Sizes, bound_by, cost, count, is_too_long, unbound_in
from gamemaster.ground.unfold import unfolded
from gamemaster.ground.values import Name, Variables, names_in
from gamemaster.language.rules import (
    And,
    Atom,
    AtomTerm,
    Formula,
    Not,
    Or,
    Rule,
    Rules,
    Sentence,
    name_of,
)
from gamemaster.language.terms import Compound, Symbol, Value, Variable

__all__ = ["split"]

NAMELESS = Atom(Symbol(""))

WORTHWHILE = 300
"""Rules with fewer instances than this, by the estimate, are left alone."""

SAVING = 0.6
"""A move must bring the estimated instances down to this part of what they were: estimates are crude."""

NARROWING = 0.6
"""A projection of what stays is added to what moves if it brings its instances down to this part."""

MANY = 3_000
"""From so many instances on, what only gives values is projected first: that costs gates, which few are not worth."""

MAX_PARTS = 30
"""Longer bodies are left alone: every move looks at all parts."""


def split(rules: Rules) -> Rules:
    """The same rules with those of many instances split; all relations of the sheet keep their meaning.

    Heads that lack values get them first, see demand.py.
    """
    if is_too_long(rules):
        return with_demand(rules)
    rules, sizes = _written_out(rules, Sizes(rules))
    demanded = with_demand(rules, sizes)
    splitter = _Splitter(demanded, sizes if demanded is rules else Sizes(demanded))
    rules = demanded
    sentences: list[Sentence] = []
    for sentence in rules.sentences:
        if isinstance(sentence, Rule):
            sentences += splitter.rule(sentence)
        else:
            sentences.append(sentence)
    return replace(rules, sentences=tuple(sentences))


def _written_out(rules: Rules, sizes: Sizes) -> tuple[Rules, Sizes]:
    """The rules where views that are very large are said with less, written out, or read one variable after another."""
    for step in (without_indifferent, unfolded, with_automata):
        changed = step(rules, sizes)
        if changed is not rules:
            rules = without_unneeded(changed)
            sizes = Sizes(rules)
    return rules, sizes


Numbered: TypeAlias = "int | str | tuple[Numbered, ...]"
"""A formula as plain data, with numbers for its variables."""

Standard: TypeAlias = tuple[tuple[Numbered, ...], tuple[int, ...]]
"""A body and its arguments, the same for all that differ in names of variables only."""


@dataclass(frozen=True, slots=True)
class Move:
    """Parts of a rule that make a relation of their own over `args`, and what is left of the rule."""

    body: tuple[RulePart, ...]
    args: tuple[Name, ...]
    key: Standard  # body and arguments under standard names
    atom: RulePart  # what stands for them in the rule
    rest: tuple[RulePart, ...]
    cost: float  # of both rules together


class _Splitter:
    """Splits rules one after the other; the relations made for one serve the others."""

    def __init__(self, rules: Rules, sizes: Sizes) -> None:
        self.sizes = sizes
        self.taken = {name_of(term) for rule in rules.rules for term in (rule.head, *atoms_of(rule.body))}
        self.made: dict[Standard, str] = {}  # body and arguments under standard names -> name of the relation
        self.waiting: dict[str, tuple[Rule, float]] = {}  # relations that a move may use: rule and cost
        self.open: set[Standard] = set()  # what is in `made` and is being split itself
        self.number = 0

    def rule(self, rule: Rule) -> list[Rule]:
        """The rule, split if that helps, after the rules of new relations."""
        if len(rule.body) < 2:
            return [rule]
        parts = self.sizes.parts(rule)
        if parts is None or len(parts) > MAX_PARTS or cost(parts) < WORTHWHILE:
            return [rule]
        head = names_in(rule.head)
        if unbound_in(parts) or not head <= bound_by(parts):
            return [rule]  # not safe as it is: leave it to those who say so
        return self.pieces(rule, parts, head)

    def pieces(self, rule: Rule, parts: Sequence[RulePart], head: Variables) -> list[Rule]:
        """The rule with that safe body, after the rules of the relations into which it is split."""
        rules: list[Rule] = []
        now = cost(parts)
        while now >= WORTHWHILE:
            moves = [self.move(group, parts, head, now * SAVING) for group in _groups(parts, head)]
            move = min(filter(None, moves), key=lambda move: move.cost, default=None)
            if move is None:
                break
            rules += self.relation(rule, move)
            named = replace(move.atom, formula=Atom(_atom(self.made[move.key], move.args), rule.span))
            parts = [*move.rest, named]
            now = cost(parts)
        rules.append(replace(rule, body=tuple(part.formula for part in parts)))
        used = dict.fromkeys(name for name in map(_name, parts) if name in self.waiting)
        return [*(self.waiting.pop(name)[0] for name in used), *rules]

    def relation(self, rule: Rule, move: Move) -> list[Rule]:
        """The rules of the relation that a move makes; none if it is there already."""
        if move.key in self.made:
            return []
        name = self.made[move.key] = self.fresh_name()
        head = Rule(_atom(name, move.args), (), rule.span, rule.head_span)
        self.open.add(move.key)
        rules = self.pieces(head, move.body, frozenset(move.args))
        self.open.remove(move.key)
        return rules

    def is_there(self, key: Value) -> bool:
        """Whether rules use the relation already."""
        return key in self.made and self.made[key] not in self.waiting

    def fresh_name(self) -> str:
        """A name that no relation has."""
        while True:
            self.number += 1
            if (name := f"split_{self.number}") not in self.taken:
                return name

    # Choosing what to move

    def move(
        self, group: Sequence[RulePart], parts: Sequence[RulePart], head: Variables, limit: float
    ) -> Move | None:
        """The move of a group, with copies of the literals that it needs; None if unsafe or above the limit."""
        members = set(map(id, group))
        rest = [part for part in parts if id(part) not in members]
        body = self.made_safe(group, rest)
        if body is None:
            return None
        body += self.filters(body, rest)
        outside = head.union(*(part.variables for part in rest))
        inside = frozenset[Name]().union(*(part.variables for part in group))
        atom = _part_for(body, inside & outside)
        after = [*rest, atom]
        price = cost(after) + sum(
            self.waiting[name][1] for name in set(map(_name, body)) if name in self.waiting
        )
        if price > limit or unbound_in(after):
            return None
        key, args = _standard(body, atom.variables)
        if key in self.open:
            return None
        price += 0 if self.is_there(key) else cost(body)
        return Move(tuple(body), args, key, atom, tuple(rest), price) if price <= limit else None

    def made_safe(self, group: Sequence[RulePart], rest: Sequence[RulePart]) -> list[RulePart] | None:
        """The group with what gives all its variables values: copies of literals from the rest; None if none do.

        Where that would have many instances by variables of the literal that the group does not know, a projection.
        """
        body = list(group)
        while lacking := unbound_in(body):
            inside = frozenset[Name]().union(*(part.variables for part in body))
            givers = [part for part in rest if part.is_giver and lacking & part.variables]
            if not givers:
                return None
            giver = min(givers, key=lambda giver: count([*body, giver]))
            size = count([*body, giver])
            known = _part_for([giver], giver.variables & inside)
            if size >= MANY and count([*body, known]) < size * NARROWING:
                giver = self.projection(giver, known.variables)
            body.append(giver)
        return body

    # Projections of what stays, so that what moves has no instances for which the rest has none

    def filters(self, body: Sequence[RulePart], rest: Sequence[RulePart]) -> list[RulePart]:
        """Projections of literals of the rest that have fewer values for some variables of a body.

        Only of what never changes: a filter on the state saves instances but costs gates that say nothing new
        (checkers: 42,000 gates for the next state with them, 19,000 without).
        """
        values: dict[Name, float] = {}
        for part in body:
            for variable, size in part.domains.items():
                values[variable] = min(size, values.get(variable, size))
        filters: list[RulePart] = []
        for part in rest:
            common = part.variables & values.keys()
            if (
                part.is_giver
                and part.is_static
                and any(part.domains[v] < values[v] * NARROWING for v in common)
            ):
                projection = self.projection(part, common)
                if count([*body, *filters, projection]) < count([*body, *filters]) * NARROWING:
                    filters.append(projection)
        return filters

    def projection(self, part: RulePart, variables: Variables) -> RulePart:
        """A literal over some variables of a literal, with its rule waiting to be used."""
        if variables == part.variables:
            return part
        key, args = _standard([part], variables)
        if key not in self.made:
            name = self.made[key] = self.fresh_name()
            self.waiting[name] = Rule(_atom(name, args), (part.formula,), part.formula.span), cost([part])
        return replace(_part_for([part], args), formula=Atom(_atom(self.made[key], args)))


def _groups(parts: Sequence[RulePart], head: Variables) -> Iterator[list[RulePart]]:
    """What may move: what has some variable that the head lacks or hangs together by such; with filters too."""
    tried: set[frozenset[int]] = set()
    for group in _linked(parts, head):
        for together in (group, _with_filters(group, parts)):
            key = frozenset(map(id, together))
            if len(together) < len(parts) and key not in tried:
                tried.add(key)
                yield together


def _linked(parts: Sequence[RulePart], head: Variables) -> Iterator[list[RulePart]]:
    """For each variable that the head lacks all parts that have it, and what hangs together by such variables."""
    inner = dict.fromkeys(v for part in parts for v in sorted(part.variables - head))
    for variable in inner:
        yield [part for part in parts if variable in part.variables]
    left = [part for part in parts if not part.variables <= head]
    while left:
        group, seen = [left.pop(0)], set[Name]()
        while new := group[-1].variables.union(*(p.variables for p in group)) - head - seen:
            seen |= new
            group += [part for part in left if part.variables & new]
            left = [part for part in left if not part.variables & new]
        yield group


def _with_filters(group: Sequence[RulePart], parts: Sequence[RulePart]) -> list[RulePart]:
    """The group and those other parts, all of whose variables it has, that make it smaller."""
    inside = frozenset[Name]().union(*(part.variables for part in group))
    result = list(group)
    members = set(map(id, group))
    others = [part for part in parts if id(part) not in members and part.variables]
    for part in others:
        if part.variables <= inside and (not part.domains or count([*result, part]) < count(result)):
            result.append(part)
    return result


def _part_for(body: Sequence[RulePart], args: Iterable[Name]) -> RulePart:
    """The literal, yet without a name, that stands for a body."""
    values = {
        v: min((part.domains[v] for part in body if v in part.domains), default=UNKNOWN) for v in sorted(args)
    }
    size = max(1.0, min(count(body), prod(values.values())))
    domains = {v: min(value, size) for v, value in values.items()}
    is_static = all(part.is_static for part in body)
    variables = frozenset(values)
    return RulePart(NAMELESS, variables, ((frozenset(), variables),), size, domains, is_static, is_giver=True)


def _atom(name: str, args: Sequence[Name]) -> AtomTerm:
    return Compound((name, *map(Variable, args))) if args else Symbol(name)


def _name(part: RulePart) -> str:
    """The relation of a literal; nothing for a formula that is none."""
    return name_of(part.formula.term) if isinstance(part.formula, Atom) else ""


def _standard(body: Sequence[RulePart], args: Variables) -> tuple[Standard, tuple[Name, ...]]:
    """What is the same for all bodies that differ in names of variables only; and the arguments in its order."""
    ordered = sorted(body, key=lambda part: repr(_numbered(part.formula, {})))
    numbers: dict[Name, int] = {}
    formulas = tuple(_numbered(part.formula, numbers) for part in ordered)
    arguments = sorted(args, key=numbers.__getitem__)
    return (formulas, tuple(numbers[v] for v in arguments)), tuple(arguments)


def _numbered(formula: Formula, numbers: dict[Name, int]) -> Numbered:
    """The formula as plain data with its variables numbered in order."""
    match formula:
        case Atom(term):
            return _numbered_term(term, numbers)
        case Not(inner):
            return ("~", _numbered(inner, numbers))
        case And(parts):
            return ("&", *(_numbered(part, numbers) for part in parts))
        case Or(parts):
            return ("|", *(_numbered(part, numbers) for part in parts))


def _numbered_term(term: Value, numbers: dict[Name, int]) -> Numbered:
    if isinstance(term, Variable):
        return numbers.setdefault(str.__str__(term), len(numbers))
    if isinstance(term, tuple):
        return (term[0], *(_numbered_term(part, numbers) for part in term[1:]))
    return str.__str__(term)
