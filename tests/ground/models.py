"""Small logic programs, and two slow ways to say what follows from them that nobody can get wrong.

`perfect_model` replaces the variables of every rule by every constant and adds heads, level by level, until
nothing is new. `prolog_answers` is resolution as in any textbook: rules in order, literals from left to right.
Neither has seen the reasoner; a program goes there as text. A name in upper case is a variable.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Literal as OneOf
from typing import TypeAlias

from hypothesis import strategies as st

__all__ = [
    "Choice",
    "Clause",
    "Literal",
    "Program",
    "Question",
    "TooLong",
    "expected_answers",
    "knots",
    "perfect_model",
    "programs",
    "prolog_answers",
    "questions",
]

Args: TypeAlias = tuple[str, ...]
Fact: TypeAlias = tuple[str, Args]
Values: TypeAlias = Mapping[str, str]
Question: TypeAlias = tuple[str | None, ...]
"""The arguments of an atom, None where a value is wanted."""
Kind = OneOf["rules", "state", "moves"]


@dataclass(frozen=True)
class Literal:
    """`name(args)`, or `~name(args)`; the name `distinct` is the builtin."""

    name: str
    args: Args = ()
    is_positive: bool = True

    def __str__(self) -> str:
        return ("" if self.is_positive else "~") + _atom(self.name, self.args)


@dataclass(frozen=True)
class Choice:
    """`(a & b | c)`: all literals of one branch hold."""

    branches: tuple[tuple[Literal, ...], ...]


Part: TypeAlias = Literal | Choice


@dataclass(frozen=True)
class Clause:
    """`head :- body`; a fact without a body."""

    head: Literal
    body: tuple[Part, ...] = ()


@dataclass(frozen=True)
class Program:
    """Clauses in order, and what each relation is: its arity, its level, and where its facts are.

    A relation uses only relations of its level or below, and negates only those below. Those of kind "state"
    and "moves" have no clauses: their facts are those of the state, and the moves that are made in it.
    """

    constants: tuple[str, ...]
    arities: Mapping[str, int]
    levels: Mapping[str, int]
    kinds: Mapping[str, Kind]
    clauses: tuple[Clause, ...]
    given: tuple[Fact, ...] = ()

    @property
    def text(self) -> str:
        """The clauses in HRF."""
        return "".join(f"{self._shown(clause)}\n" for clause in self.clauses)

    def facts_of_kind(self, kind: Kind) -> list[Fact]:
        """The given facts of the state, or the moves."""
        return [fact for fact in self.given if self.kinds[fact[0]] == kind]

    def _shown(self, clause: Clause) -> str:
        if not clause.body:
            return str(clause.head)
        return f"{clause.head} :- " + " & ".join(self._shown_part(part) for part in clause.body)

    def _shown_part(self, part: Part) -> str:
        if isinstance(part, Choice):
            branches = (" & ".join(map(self._shown_part, branch)) for branch in part.branches)
            return f"({' | '.join(branches)})"
        kind = self.kinds.get(part.name, "rules")
        if kind == "rules":
            return str(part)
        atom = f"true({_atom(part.name, part.args)})" if kind == "state" else _atom("does", part.args)
        return atom if part.is_positive else f"~{atom}"


def _atom(name: str, args: Args) -> str:
    return f"{name}({','.join(args)})" if args else name


def is_variable(term: str) -> bool:
    """Whether a term of these programs is a variable."""
    return term[0].isupper()


# What follows


def perfect_model(program: Program) -> set[Fact]:
    """Every fact that holds."""
    model = set(program.given)
    for level in sorted(set(program.levels.values())):
        clauses = [clause for clause in program.clauses if program.levels[clause.head.name] == level]
        while new := {fact for clause in clauses for fact in _heads(clause, program, model)} - model:
            model |= new
    return model


def _heads(clause: Clause, program: Program, model: set[Fact]) -> Iterator[Fact]:
    """The heads of the instances of a clause whose bodies hold."""
    variables = sorted({*filter(is_variable, clause.head.args), *_positive_variables(clause.body)})
    for values in _assignments(variables, program):
        if all(_holds(part, values, program, model) for part in clause.body):
            yield clause.head.name, _plugged(clause.head.args, values)


def _holds(part: Part, values: Values, program: Program, model: set[Fact]) -> bool:
    if isinstance(part, Choice):
        return any(all(_holds(p, values, program, model) for p in branch) for branch in part.branches)
    args = _plugged(part.args, values)
    if part.name == "distinct":
        return args[0] != args[1]
    if part.is_positive:
        return (part.name, args) in model
    local = [arg for arg in args if is_variable(arg)]  # there is none, whatever these are
    return all((part.name, _plugged(args, more)) not in model for more in _assignments(local, program))


def _positive_variables(body: Sequence[Part]) -> Iterator[str]:
    for part in body:
        if isinstance(part, Choice):
            for branch in part.branches:
                yield from _positive_variables(branch)
        elif part.is_positive:
            yield from filter(is_variable, part.args)


def _assignments(variables: Sequence[str], program: Program) -> Iterator[Values]:
    for values in product(program.constants, repeat=len(variables)):
        yield dict(zip(variables, values, strict=True))


def _plugged(args: Args, values: Values) -> Args:
    return tuple(values.get(arg, arg) for arg in args)


# What Prolog finds, in its order

MOST_STEPS = 5_000


class TooLong(Exception):
    """Prolog does everything again and again: some small programs would take it hours."""


def prolog_answers(program: Program, name: str, asked: Question) -> list[Args]:
    """The values where a question has None, each once, as resolution finds them; not for recursion."""
    wanted = [i for i, arg in enumerate(asked) if arg is None]
    rows = _Resolution(program).rows(name, asked)
    return list(dict.fromkeys(tuple(row[i] for i in wanted) for row in rows))


class _Resolution:
    """The search for one question."""

    def __init__(self, program: Program) -> None:
        given = (Clause(Literal(*fact)) for fact in program.given)
        self.clauses = (*given, *program.clauses)
        self.steps = 0

    def rows(self, name: str, asked: Question) -> Iterator[Args]:
        """Every way in which an atom can be shown to hold, first clause first."""
        self.steps += 1
        if self.steps > MOST_STEPS:
            raise TooLong
        for clause in self.clauses:
            known = [(arg, value) for arg, value in zip(clause.head.args, asked, strict=False) if value]
            if clause.head.name == name and (values := _matched(known, {})) is not None:
                for found in self.solutions(clause.body, values):
                    yield _plugged(clause.head.args, found)

    def solutions(self, parts: Sequence[Part], values: Values) -> Iterator[Values]:
        """Every way to make all parts hold, first part first."""
        if not parts:
            yield values
            return
        part, *others = parts
        if isinstance(part, Choice):
            for branch in part.branches:
                yield from self.solutions([*branch, *others], values)
            return
        for more in self.instances(part, values):
            yield from self.solutions(others, more)

    def instances(self, literal: Literal, values: Values) -> Iterator[Values]:
        """Every way to make one literal hold."""
        args = _plugged(literal.args, values)
        if literal.name == "distinct":
            if args[0] != args[1]:
                yield values
            return
        asked = tuple(None if is_variable(arg) else arg for arg in args)
        rows = self.rows(literal.name, asked)
        found = (_matched(zip(args, row, strict=True), values) for row in rows)
        if literal.is_positive:
            yield from (more for more in found if more is not None)
        elif all(more is None for more in found):
            yield values


def _matched(pairs: Iterable[tuple[str, str]], values: Values) -> Values | None:
    """The values with those that make each first of a pair its second; None where nothing does."""
    result = dict(values)
    for term, value in pairs:
        if is_variable(term) and result.setdefault(term, value) != value:
            return None
        if not is_variable(term) and term != value:
            return None
    return result


# Questions


def questions(program: Program) -> list[tuple[str, Question]]:
    """Every relation that has clauses, asked in every way: each argument wanted, or known to be a constant."""
    return [
        (name, asked)
        for name, arity in program.arities.items()
        if program.kinds[name] == "rules"
        for asked in product((None, *program.constants), repeat=arity)
    ]


def expected_answers(model: set[Fact], name: str, asked: Question) -> set[Args]:
    """What the model says to a question."""
    return {
        tuple(arg for arg, known in zip(args, asked, strict=True) if known is None)
        for relation, args in model
        if relation == name and all(known in (None, arg) for arg, known in zip(args, asked, strict=True))
    }


# Any program

VARIABLES = ("X", "Y", "Z")


@st.composite
def programs(draw: st.DrawFn, *, is_recursive: bool = True, is_ordered: bool = False) -> Program:
    """A safe, stratified program; if ordered, no literal stands before those that give it values."""
    return _Drawing(draw, is_recursive, is_ordered).program()


class _Drawing:
    """Draws one program."""

    def __init__(self, draw: st.DrawFn, is_recursive: bool, is_ordered: bool) -> None:
        self.draw = draw
        self.is_recursive = is_recursive
        self.is_ordered = is_ordered
        self.constants = ("a", "b", "c", "d")[: draw(st.integers(2, 4))]
        self.arities: dict[str, int] = {}
        self.levels: dict[str, int] = {}
        self.kinds: dict[str, Kind] = {}

    def program(self) -> Program:
        *lower, last = [f"r{i}" for i in range(self.draw(st.integers(3, 6)))]
        for name in lower:
            self.relation(name, ("rules", "rules", "rules", "state", "moves"))
        self.relation(last, ("rules",))
        names = [name for name, kind in self.kinds.items() if kind == "rules"]
        clauses = [self.clause(name) for name in names for _ in range(self.draw(st.integers(1, 4)))]
        facts = [fact for name, kind in self.kinds.items() if kind != "rules" for fact in self.facts(name)]
        order = self.draw(st.permutations(clauses))
        return Program(
            self.constants, self.arities, self.levels, self.kinds, tuple(order), tuple(dict.fromkeys(facts))
        )

    def relation(self, name: str, kinds: Sequence[Kind]) -> None:
        """Decides what a relation is. Levels never fall; where recursion is not wanted, they rise."""
        kind = self.draw(st.sampled_from(kinds))
        if kind == "moves" and "moves" in self.kinds.values():
            kind = "state"
        top = max(self.levels.values(), default=0)
        self.kinds[name] = kind
        self.arities[name] = 2 if kind == "moves" else self.draw(st.integers(0, 2))
        self.levels[name] = top + (self.draw(st.integers(0, 1)) if self.is_recursive else 1)

    def facts(self, name: str) -> list[Fact]:
        rows = st.tuples(*[st.sampled_from(self.constants)] * self.arities[name])
        return [(name, row) for row in self.draw(st.lists(rows, max_size=4))]

    def clause(self, name: str) -> Clause:
        if self.draw(st.booleans()):
            args = tuple(self.draw(st.sampled_from(self.constants)) for _ in range(self.arities[name]))
            return Clause(Literal(name, args))
        usable = [n for n in self.levels if self.levels[n] < self.levels[name] + self.is_recursive]
        negatable = [n for n in self.levels if self.levels[n] < self.levels[name]]
        count = self.draw(st.integers(0, 3)) if usable else 0
        body: list[Part] = [self.positive(usable) for _ in range(count)]
        bound = set(_positive_variables(body))
        if usable and self.draw(st.integers(0, 3)) == 0:
            choice, new = self.choice(usable, negatable, bound)
            body.append(choice)
            bound |= new
        body += self.tests(negatable, bound)
        head = Literal(name, tuple(self.argument(bound) for _ in range(self.arities[name])))
        return Clause(head, tuple(body if self.is_ordered else self.draw(st.permutations(body))))

    def positive(self, names: Sequence[str]) -> Literal:
        name = self.draw(st.sampled_from(names))
        args = [self.draw(st.sampled_from(VARIABLES * 2 + self.constants)) for _ in range(self.arities[name])]
        return Literal(name, tuple(args))

    def choice(
        self, usable: Sequence[str], negatable: Sequence[str], bound: set[str]
    ) -> tuple[Choice, set[str]]:
        """A choice of two branches, and the variables to which both give values."""
        branches, given = [], []
        for _ in range(2):
            literals = [self.positive(usable) for _ in range(self.draw(st.integers(1, 2)))]
            given.append(set(_positive_variables(literals)))
            branches.append((*literals, *self.tests(negatable, bound | given[-1])))
        return Choice(tuple(branches)), set.intersection(*given)

    def tests(self, negatable: Sequence[str], bound: set[str]) -> list[Literal]:
        """At most one negation, whose variables have values or are its own, and one `distinct`."""
        tests = []
        if self.draw(st.booleans()) and negatable:
            name = self.draw(st.sampled_from(negatable))
            args = tuple(self.argument({*bound, "Local"}) for _ in range(self.arities[name]))
            tests.append(Literal(name, args, is_positive=False))
        if bound and self.draw(st.integers(0, 3)) == 0:
            tests.append(Literal("distinct", (self.argument(bound), self.argument(bound))))
        return tests

    def argument(self, variables: set[str]) -> str:
        return self.draw(st.sampled_from([*sorted(variables) * 2, *self.constants]))


@st.composite
def knots(draw: st.DrawFn) -> Program:
    """Relations that all stand on each other, with few facts: the worst for whoever finds fixed points."""
    constants = ("a", "b")
    arities = {f"k{i}": draw(st.integers(0, 1)) for i in range(draw(st.integers(3, 7)))}

    def literal(name: str, terms: Sequence[str]) -> Literal:
        return Literal(name, (draw(st.sampled_from(terms)),) if arities[name] else ())

    clauses: list[Clause] = []
    for name in [name for name in arities for _ in range(draw(st.integers(1, 3)))]:
        used = draw(st.lists(st.sampled_from(list(arities)), min_size=1, max_size=2, unique=True))
        body = tuple(literal(other, ("X", "X", "Y", *constants)) for other in used)
        clauses.append(Clause(literal(name, [*sorted(_positive_variables(body)) * 2, *constants]), body))
    for _ in range(draw(st.integers(1, 3))):
        fact = Clause(literal(draw(st.sampled_from(list(arities))), constants))
        clauses.insert(draw(st.integers(0, len(clauses))), fact)
    kinds: dict[str, Kind] = dict.fromkeys(arities, "rules")
    return Program(constants, arities, dict.fromkeys(arities, 0), kinds, tuple(clauses))
