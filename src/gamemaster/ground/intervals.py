"""Core rules -> how far the numbers in facts can have come after so many steps: abstract interpretation over intervals.

A place is an argument of a fact: the second of `score(left,7)`. What can stand there at the start is between two
numbers; each rule that makes a fact says between which its argument is, if those in its body are between theirs. A
view, a move and a table are looked into; what is not understood may be any number.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from gamemaster.ground.atoms import flatten
from gamemaster.language.builtins import number_of
from gamemaster.language.rules import Atom, Formula, Not, Relation, Rule, relation_of
from gamemaster.language.terms import Value, Variable

__all__ = ["ANY", "NONE", "Interval", "Intervals", "Place", "facts_made"]

Interval: TypeAlias = tuple[float, float]
Place: TypeAlias = tuple[str, int, int]
"""A functor, how many arguments it has, and which of them."""

Path: TypeAlias = tuple[Any, ...]
"""The way into an atom: (argument, functor, arguments of that) for each term on it, then an argument."""

ANY: Interval = (-math.inf, math.inf)
NONE: Interval = (math.inf, -math.inf)
"""No number at all: what is none is compared with nothing, and nothing is computed from it."""

MOST_LOOKS = 300_000
"""How often variables are looked at; beyond that they may be any number. Fifty times what public sheets take."""

MOST_NESTED = 40
"""How many views are looked into, one in the other."""

NEXT, TRUE, DOES, LEGAL = ("next", 1), ("true", 1), ("does", 2), ("legal", 2)


def facts_made(by_relation: Mapping[Relation, Sequence[Rule]]) -> list[Rule] | None:
    """The rules whose heads name the facts of the next state, besides those that stay; None where not all do.

    `next(F) :- added(F)` names none: those of `added` do.
    """
    found: list[Rule] = []
    todo, seen = [NEXT], set[Relation]()
    while todo:
        relation = todo.pop()
        seen.add(relation)
        for rule in by_relation.get(relation, ()):
            if not isinstance(rule.head[1], Variable):
                found.append(rule)
                continue
            givers = [
                part.term
                for part in flatten(rule.body)
                if isinstance(part, Atom)
                and isinstance(part.term, tuple)
                and part.term[1:] == (rule.head[1],)
            ]
            if not givers:
                return None
            if all(relation_of(giver) != TRUE for giver in givers):
                todo += [relation_of(givers[0])] if relation_of(givers[0]) not in seen else []
    return found


@dataclass
class Intervals:
    """Between which numbers what stands in rules is, while facts are what they are `now`.

    `guards` are conditions besides those of its body that hold where a rule applies, as alternatives.
    """

    by_relation: Mapping[Relation, Sequence[Rule]]
    is_builtin: Callable[[Value], bool]
    guards: Callable[[Rule], Sequence[tuple[tuple[Formula, ...], ...]]]
    now: dict[Place, Interval] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.known: dict[tuple[Relation, Path], Interval] = {}
        self.asked: list[object] = []
        self.looks = 0
        self.kept: list[dict[tuple[Variable, Path], Interval]] = []  # of each conjunction that is looked at
        self.circles = 0  # how often a variable was taken for any number because it was being asked
        self.cuts = 0  # how often something was taken for any number because it was being asked

    def steps(self, count: int) -> list[dict[Place, Interval]] | None:
        """The intervals of all places at the start and after each of so many steps; None where facts are not known."""
        makers = facts_made(self.by_relation)
        first = self.by_relation.get(("init", 1), ())
        if makers is None or any(isinstance(rule.head[1], Variable) for rule in first):
            return None
        places = dict.fromkeys(place for rule in (*first, *makers) for place in _places(rule.head[1]))
        self.now = {(f, n, i): self.at(("init", 1), ((0, f, n), i)) for f, n, i in places}
        history = [self.now]
        for _ in range(count):
            self.known.clear()
            after = dict(self.now)
            for rule in makers:
                for place in _places(rule.head[1]):
                    made = self.through(rule, ((0, *place[:2]), place[2]))
                    after[place] = joined(after[place], made)
            if after == self.now:
                break
            self.now = after
            history.append(after)
        return history

    def at(self, relation: Relation, path: Path) -> Interval:
        """Between which numbers an argument of a relation is."""
        if relation == TRUE:
            is_argument = len(path) == 2 and isinstance(path[0], tuple) and path[0][0] == 0
            return self.now.get((*path[0][1:], path[1]), NONE) if is_argument else ANY
        if relation == DOES:
            relation = LEGAL
        key = (relation, path)
        if key in self.known:
            return self.known[key]
        if key in self.asked or len(self.asked) > MOST_NESTED:
            self.cuts += 1
            return ANY
        self.asked.append(key)
        result, cuts = NONE, self.cuts
        for rule in self.by_relation.get(relation, ()):
            result = joined(result, self.through(rule, path))
        self.asked.pop()
        if self.cuts == cuts or not self.asked:
            self.known[key] = result
        return result

    def through(self, rule: Rule, path: Path) -> Interval:
        """Between which numbers an argument of a rule's head is."""
        term: Any = rule.head
        for number, step in enumerate(path):
            if not isinstance(term, tuple):
                return NONE
            index = step if isinstance(step, int) else step[0]
            term = term[1 + index]
            if isinstance(term, Variable):
                rest = path[number:]
                inner = () if isinstance(step, int) else ((*step[1:],), *rest[1:])
                return self.variable(term, inner, rule)
            if isinstance(step, int):
                return _point(term)
            if not isinstance(term, tuple) or (term[0], len(term) - 1) != step[1:]:
                return NONE
        return ANY

    def variable(self, variable: Variable, inner: Path, rule: Rule) -> Interval:
        """Between which numbers a variable of a rule is, or an argument of the term that it stands for."""
        result = self.first_among(variable, inner, rule.body)
        for ways in self.guards(rule):
            of_ways = NONE
            for way in ways:
                of_ways = joined(of_ways, self.first_among(variable, inner, way))
            result = met(result, of_ways)
        return result

    def first_among(self, variable: Variable, inner: Path, parts: Sequence[Formula]) -> Interval:
        """The same as `among`, where nothing is known of the other variables yet."""
        flat = list(flatten(parts))
        self.kept.append({})
        result = self.among(variable, inner, flat)
        self.kept.pop()
        return result

    def among(self, variable: Variable, inner: Path, parts: Sequence[Formula]) -> Interval:
        """Between which numbers a variable is where all parts of a conjunction hold."""
        key = ("v", variable, inner, id(parts))
        known = self.kept[-1]  # of these parts: views that are looked into have theirs
        if (variable, inner) in known:
            return known[variable, inner]
        self.looks += 1
        if key in self.asked or self.looks > MOST_LOOKS:
            self.circles += 1
            return ANY
        self.asked.append(key)
        result, circles = ANY, self.circles
        for part in parts:
            if isinstance(part, Atom) and isinstance(part.term, tuple):
                if not self.is_builtin(part.term):
                    for path in _occurrences(variable, part.term):
                        whole = path if not inner else (*path[:-1], (path[-1], *inner[0]), *inner[1:])
                        result = met(result, self.at(relation_of(part.term), whole))
                elif not inner:
                    result = met(result, self.by_builtin(variable, part.term, parts))
            elif isinstance(part, Not) and isinstance(part.body, Atom) and not inner:
                result = met(result, self.by_failed_test(variable, part.body.term, parts))
        self.asked.pop()
        if self.circles == circles:
            known[variable, inner] = result
        return result

    def by_builtin(self, variable: Variable, term: Any, parts: Sequence[Formula]) -> Interval:
        """What a builtin says of a variable."""
        name, args = term[0], term[1:]
        if name in ("less", "leq"):
            if variable == args[0]:
                return (-math.inf, self.value(args[1], parts)[1])
            return (self.value(args[0], parts)[0], math.inf) if variable == args[1] else ANY
        if name == "same" and variable in args:
            return self.value(args[1] if variable == args[0] else args[0], parts)
        if variable == args[-1] and name == "evaluate":
            return self.value(args[0], parts)
        return self.value((name, *args[:-1]), parts) if variable == args[-1] and name in COMPUTED else ANY

    def by_failed_test(self, variable: Variable, term: Any, parts: Sequence[Formula]) -> Interval:
        """What a comparison that does not hold says of a variable: nothing, unless the other side is a number."""
        if not isinstance(term, tuple) or term[0] not in ("less", "leq") or not self.is_builtin(term):
            return ANY
        others = [arg for arg in term[1:] if arg != variable]
        if not all(self.is_number(other, parts) for other in others):
            return ANY
        return self.by_builtin(variable, (term[0], term[2], term[1]), parts)

    def is_number(self, term: Any, parts: Sequence[Formula]) -> bool:
        """Whether an expression is surely a number where all parts of a conjunction hold."""
        if not isinstance(term, Variable):
            return term[0] in COMPUTED if isinstance(term, tuple) else _point(term) != NONE
        return any(self.makes_number(term, part) for part in parts)

    def makes_number(self, variable: Variable, part: Formula) -> bool:
        """Whether a variable is surely a number where a literal holds: computed, compared, or of a table of numbers."""
        if not isinstance(part, Atom) or not isinstance(part.term, tuple):
            return False
        name, *args = part.term
        if self.is_builtin(part.term):
            if name == "evaluate":
                return variable == args[1] and isinstance(args[0], tuple) and args[0][0] in COMPUTED
            return variable in args and (name in COMPUTED or name in ("less", "leq"))
        table = self.by_relation.get(relation_of(part.term), ())
        return any(
            arg == variable and bool(table) and all(_point(row.head[1 + i]) != NONE for row in table)
            for i, arg in enumerate(args)
        )

    def value(self, term: Any, parts: Sequence[Formula]) -> Interval:
        """Between which numbers the value of an expression is."""
        if isinstance(term, Variable):
            return self.among(term, (), parts)
        if not isinstance(term, tuple):
            return _point(term)
        if term[0] not in COMPUTED:
            return ANY
        args = [self.value(arg, parts) for arg in term[1:]]
        if any(low > high for low, high in args):
            return NONE
        result = COMPUTED[term[0]](*args)
        return ANY if any(map(math.isnan, result)) else result


def joined(one: Interval, other: Interval) -> Interval:
    """All that is in one of them."""
    return min(one[0], other[0]), max(one[1], other[1])


def met(one: Interval, other: Interval) -> Interval:
    """All that is in both of them."""
    low, high = max(one[0], other[0]), min(one[1], other[1])
    return (low, high) if low <= high else NONE


def _places(fact: Any) -> Iterator[Place]:
    if isinstance(fact, tuple):
        yield from ((fact[0], len(fact) - 1, index) for index in range(len(fact) - 1))


def _point(term: Any) -> Interval:
    number = number_of(term) if isinstance(term, str) and not isinstance(term, Variable) else None
    return NONE if number is None else (number, number)


def _occurrences(variable: Variable, term: Any, before: Path = ()) -> Iterator[Path]:
    for index, part in enumerate(term[1:]):
        if part == variable:
            yield (*before, index)
        elif isinstance(part, tuple):
            yield from _occurrences(variable, part, (*before, (index, part[0], len(part) - 1)))


# What is computed, of intervals


def _corners(compute: Callable[..., float], *args: Interval) -> Interval:
    """For what is largest and smallest at ends; an end that is no number of itself counts as none."""
    ends = [compute(a, b) for a in args[0] for b in args[1]]
    return (-math.inf, math.inf) if any(map(math.isnan, ends)) else (min(ends), max(ends))


def _plus(*args: Interval) -> Interval:
    return sum(low for low, _ in args), sum(high for _, high in args)


def _minus(first: Interval, *others: Interval) -> Interval:
    if not others:
        return -first[1], -first[0]
    low, high = _plus(*others)
    return first[0] - high, first[1] - low


def _times(first: Interval, *others: Interval) -> Interval:
    for other in others:
        first = _corners(_product, first, other)
    return first


def _product(a: float, b: float) -> float:
    return 0.0 if a == 0 or b == 0 else a * b


def _quotient(first: Interval, *others: Interval) -> Interval:
    low, high = _times(*others) if others else (1.0, 1.0)
    if low <= 0 <= high:
        return ANY
    return _corners(lambda a, b: math.nan if math.isinf(a) and math.isinf(b) else a / b, first, (low, high))


def _rounded(rounded: Callable[[float], float]) -> Callable[..., Interval]:
    def compute(arg: Interval) -> Interval:
        low, high = (end if math.isinf(end) else rounded(end) for end in arg)
        return low, high

    return compute


def _absolute(arg: Interval) -> Interval:
    ends = (abs(arg[0]), abs(arg[1]))
    return (0.0 if arg[0] <= 0 <= arg[1] else min(ends)), max(ends)


def _remainder(first: Interval, second: Interval) -> Interval:
    most = max(map(abs, second))
    return (-most if first[0] < 0 else 0.0), (most if first[1] > 0 else 0.0)


COMPUTED: dict[str, Callable[..., Interval]] = {
    "plus": _plus,
    "minus": _minus,
    "times": _times,
    "quotient": _quotient,
    "remainder": _remainder,
    "floor": _rounded(math.floor),
    "ceil": _rounded(math.ceil),
    "trunc": _rounded(math.trunc),
    "round": _rounded(lambda x: math.floor(x + 0.5)),
    "abs": _absolute,
    "min": lambda *args: (min(low for low, _ in args), min(high for _, high in args)),
    "max": lambda *args: (max(low for low, _ in args), max(high for _, high in args)),
    "countofall": lambda *_: (0.0, math.inf),
}
