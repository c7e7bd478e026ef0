"""Body -> Reading: which variables have a value when, if a body is read from left to right.

A relation gives all its variables values; a builtin needs some and gives the others; a negation needs all and
gives none. In Epilog the order is that of the text. In GDL order means nothing: what needs values waits until
what stands elsewhere in the body has given them, and what never gets them is read last.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from gamemaster.language.builtins import AGGREGATES, TESTS
from gamemaster.language.dependency import aggregates_in, query_of
from gamemaster.language.rules import (
    And,
    Atom,
    Formula,
    Not,
    Or,
    Relation,
    formula_variables,
    name_of,
    relation_of,
)
from gamemaster.language.terms import Compound, Term, Value, Variable, variables_of

__all__ = ["Call", "Mode", "Reading", "inputs_of", "needed_variables", "outputs_of", "read_body"]

Mode: TypeAlias = tuple[bool, ...]
"""For each argument of a relation, whether it has a value when the relation is asked."""

ALL_INPUTS = frozenset({"distinct", *TESTS})


@dataclass(frozen=True, slots=True)
class Call:
    """A relation asked in a body, with which arguments known."""

    atom: Atom
    mode: Mode

    @property
    def relation(self) -> Relation:
        """The relation asked."""
        return relation_of(self.atom.term)


@dataclass(slots=True)
class Reading:
    """What became of the variables of one body."""

    bound: set[Variable]
    """Those with a value at the end."""
    calls: list[Call] = field(default_factory=list)
    missing: list[tuple[Variable, Atom]] = field(default_factory=list)
    """Those without a value where a builtin needs one."""
    local: list[tuple[Variable, Not | Atom]] = field(default_factory=list)
    """Those without a value at a negation (or an aggregate, as an Atom)."""


def read_body(
    body: Iterable[Formula], known: Iterable[Variable], builtins: frozenset[str], *, in_order: bool
) -> Reading:
    """The reading of a body when some variables are known from the start."""
    reading = Reading(set(known))
    _Reader(reading, builtins, in_order).conjunction(body, reading.bound)
    return reading


# Builtins


def inputs_of(term: Value) -> tuple[Value, ...]:
    """The arguments of a builtin that must have values; of `same`, none: one side is enough."""
    name = name_of(term)
    if not isinstance(term, tuple) or name == "same":
        return ()
    if name in ALL_INPUTS or name == "exists":
        return tuple(term[1:])
    return tuple(term[2:]) if name == "member" else tuple(term[1:-1])


def outputs_of(term: Value) -> tuple[Value, ...]:
    """The arguments of a builtin that it gives values to."""
    name = name_of(term)
    if not isinstance(term, tuple) or name in ALL_INPUTS or name == "exists":
        return ()
    if name == "same":
        return tuple(term[1:])
    return tuple(term[1:2]) if name == "member" else tuple(term[-1:])


def needed_variables(term: Value | Term) -> Iterator[Variable]:
    """The variables of an input; those of an aggregate inside an expression are its own affair."""
    if isinstance(term, Variable):
        yield term
    elif isinstance(term, tuple) and not is_aggregate(term):
        for part in term[1:]:
            yield from needed_variables(part)


def is_aggregate(term: Value) -> bool:
    """Whether a builtin literal, or a part of an expression, is an aggregate with a formula."""
    return isinstance(term, tuple) and term[0] in AGGREGATES and len(term) > 2


class _Reader:
    """Reads the parts of a body into a Reading; `bound` is always the set to add to."""

    def __init__(self, reading: Reading, builtins: frozenset[str], in_order: bool) -> None:
        self.reading = reading
        self.builtins = builtins
        self.in_order = in_order

    def conjunction(self, parts: Iterable[Formula], bound: set[Variable]) -> None:
        """Reads the parts in their order, each as soon as it can be."""
        agenda = _Agenda(bound, self.in_order)
        for part in parts:
            wants = self.wants(part)
            if not wants or any(want <= bound for want in wants):
                self.run(part, agenda)
            else:
                agenda.wait(part, wants)
        # What is left never gets all it wants; a disjunction may still give something to the others.
        for part in agenda.rest():
            self.run(part, agenda)

    def run(self, part: Formula, agenda: _Agenda) -> None:
        """Reads a part, then all that was waiting for what it binds."""
        agenda.ready.append(part)
        while agenda.ready:
            part = agenda.ready.popleft()
            self.step(part, agenda.bound)
            agenda.release(part)

    def wants(self, part: Formula) -> list[set[Variable]]:
        """Sets of variables, one of which must be bound before the part is read; none if nothing must."""
        if isinstance(part, Atom) and name_of(part.term) == "same" and "same" in self.builtins:
            return [set(variables_of(side)) for side in part.term[1:]]
        if self.in_order:
            return []
        match part:
            case Not():
                return [set(formula_variables(part))]
            case Atom(term):
                return (
                    [set(variables_of(("inputs", *inputs_of(term))))]
                    if name_of(term) in self.builtins
                    else []
                )
            case And(parts) | Or(parts):
                inner = [want for part in parts for want in self.wants(part)]
                return [set().union(*inner)] if inner else []

    def step(self, part: Formula, bound: set[Variable]) -> None:
        """Reads one part."""
        match part:
            case Atom(term):
                if name_of(term) in self.builtins:
                    self.builtin(part, bound)
                else:
                    self.call(part, bound)
                    bound.update(variables_of(term))
            case Not(body):
                self.negation(part, body, bound)
            case And(parts):
                self.conjunction(parts, bound)
            case Or(parts):
                self.disjunction(parts, bound)

    def call(self, atom: Atom, bound: set[Variable]) -> None:
        """Notes a relation that is asked."""
        args = atom.term[1:] if isinstance(atom.term, tuple) else ()
        mode = tuple(all(variable in bound for variable in variables_of(arg)) for arg in args)
        self.reading.calls.append(Call(atom, mode))

    def negation(self, part: Not | Atom, body: Formula, bound: set[Variable]) -> set[Variable]:
        """Reads a negation or the formula of an aggregate; what has a value inside it comes back."""
        for variable in dict.fromkeys(formula_variables(body)):
            if variable not in bound:
                self.reading.local.append((variable, part))
        inside = set(bound)
        self.step(body, inside)
        return inside

    def disjunction(self, parts: tuple[Formula, ...], bound: set[Variable]) -> None:
        """Reads every branch; a variable has a value afterwards if every branch gives it one."""
        branches = []
        for part in parts:
            branch = set(bound)
            self.step(part, branch)
            branches.append(branch)
        bound.update(set.intersection(*branches) if branches else ())

    def builtin(self, atom: Atom, bound: set[Variable]) -> None:
        """Reads a builtin: what it needs, then what it gives."""
        term = atom.term
        if name_of(term) == "same" and not any(want <= bound for want in self.wants(atom)):
            self.miss(variables_of(term), atom, bound)
        elif not is_aggregate(term):
            self.miss(needed_variables(("inputs", *inputs_of(term))), atom, bound)
        for aggregate in aggregates_in(term):
            self.aggregate(atom, aggregate, bound)
        for output in outputs_of(term):
            bound.update(variables_of(output))

    def aggregate(self, atom: Atom, aggregate: Compound, bound: set[Variable]) -> None:
        """Reads the formula of an aggregate, and asks that it gives the counted term its values."""
        if isinstance(aggregate[2], Variable):
            return
        query = query_of(aggregate, atom.span)
        inside = self.negation(atom, query, bound)
        self.miss(variables_of(aggregate[1]), atom, inside)

    def miss(self, variables: Iterable[Variable], atom: Atom, bound: set[Variable]) -> None:
        """Notes those of the variables that a builtin needs and that have no value."""
        for variable in dict.fromkeys(variables):
            if variable not in bound:
                self.reading.missing.append((variable, atom))


class _Agenda:
    """Parts that wait for variables; of several sets, the first to be bound completely releases a part.

    Every variable is looked at once when it is bound, so a long body costs no more than its length.
    """

    def __init__(self, bound: set[Variable], in_order: bool) -> None:
        self.bound = bound
        self.in_order = in_order
        self.parts: dict[int, Formula] = {}
        self.missing: dict[tuple[int, int], int] = {}
        self.waiting: dict[Variable, list[tuple[int, int]]] = defaultdict(list)
        self.ready: deque[Formula] = deque()

    def wait(self, part: Formula, wants: list[set[Variable]]) -> None:
        """Adds a part that cannot be read yet."""
        number = len(self.missing)
        self.parts[number] = part
        for alternative, want in enumerate(wants):
            unbound = [variable for variable in want if variable not in self.bound]
            self.missing[number, alternative] = len(unbound)
            for variable in unbound:
                self.waiting[variable].append((number, alternative))

    def release(self, part: Formula) -> None:
        """Makes ready what waited only for variables that this part, just read, has bound."""
        for variable in formula_variables(part) if self.waiting else ():
            if variable in self.waiting and variable in self.bound:
                for key in self.waiting.pop(variable):
                    self.missing[key] -= 1
                    if self.missing[key] == 0 and key[0] in self.parts:
                        self.ready.append(self.parts.pop(key[0]))

    def rest(self) -> Iterator[Formula]:
        """The parts still waiting, each leaving as it comes: first those that may yet bind something."""
        for rank in range(4):
            waiting = [n for n, part in self.parts.items() if _rank(part) == rank]
            if (
                not self.in_order
            ):  # what one of them gives may be what another wants: any order, but always the same
                waiting.sort(key=lambda number: (not _gives(self.parts[number]), str(self.parts[number])))
            for number in waiting:
                if number in self.parts:
                    yield self.parts.pop(number)


def _gives(part: Formula) -> bool:
    """Whether a part can give a variable its value."""
    return isinstance(part, Atom) and any(
        True for output in outputs_of(part.term) for _ in variables_of(output)
    )


def _rank(part: Formula) -> int:
    """How late a part is read that never gets all the variables it wants."""
    if isinstance(part, And | Or):
        return 0
    if isinstance(part, Not):
        return 3
    return 1 if any(True for _ in aggregates_in(part.term)) else 2
