"""One rule -> nested steps that find its answers, from left to right.

A rule is compiled for one *mode*: which arguments of its head are known when it is asked. Every literal of
the body becomes a step, a function of a *frame* that finds the literal's instances and calls the next step
for each; the last one records an answer. A frame is a list: the question at 0, the answers so far at 1, then
what is known of the head, constants and variables, each at a fixed place. A step returns True to stop the
search.

In the core language the order of literals means nothing, so a negation, `distinct` or a builtin waits until
its variables have values; positive literals are tried as they stand. A variable that nothing gives a value
before its negation is read as "there is none".
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from gamemaster.errors import LimitExceeded, RulesError, UnsafeRule
from gamemaster.ground.atoms import args_of
from gamemaster.ground.budget import bounded
from gamemaster.ground.builtin_steps import Builtins
from gamemaster.ground.frames import ANSWERS, INPUTS, QUESTION, Find, Frame, Mode, Scope, Step, tuple_getter
from gamemaster.ground.rows import KEY, OUT, Row, Rows, Shape, ShapePart, getter
from gamemaster.language.builtins import (
    FUNCTIONS,
    IMPURE,
    TESTS,
    builtin_arity_fits,
)
from gamemaster.language.rules import (
    And,
    Atom,
    Formula,
    Not,
    Or,
    Rule,
    relation_of,
)
from gamemaster.language.rules import formula_variables as variables_in
from gamemaster.language.source import Span
from gamemaster.language.terms import Value, Variable, variables_of

if TYPE_CHECKING:
    from gamemaster.ground.reasoner import Procedure, Question, Reasoner

__all__ = ["Clause", "Compiler", "compile_clause"]

MAX_STEPS = 20_000
"""How many steps a rule may become: what follows an `or` is compiled for each set of variables it leaves."""

IMPURE_HINT = "let chance be a role: role(random) moves at random"


class Clause:
    """A rule compiled for a mode: `run(question, inputs, answers)` adds its answers, in order."""

    __slots__ = ("procedures", "start", "template")

    def __init__(self, template: Frame, start: Step, procedures: set[Procedure]) -> None:
        self.template = template
        self.start = start
        self.procedures = procedures  # what it asks

    def run(self, question: Question, inputs: Row, answers: dict[Row, None]) -> bool:
        """Whether the search may stop: an answer was found and there can be only one."""
        frame = self.template[:]
        frame[QUESTION] = question
        frame[ANSWERS] = answers
        frame[INPUTS : INPUTS + len(inputs)] = inputs
        return self.start(frame)


def compile_clause(reasoner: Reasoner, rule: Rule, mode: Mode) -> Clause:
    """The rule as steps, for a question where the arguments that `mode` marks are known."""
    return Compiler(reasoner, rule).clause(mode)


def build(functor: str, part_of: Find) -> Find:
    """A function that builds a compound from a frame, bounded in depth and size."""
    return lambda frame: bounded((functor, *part_of(frame)))


class Compiler:
    """The steps of one rule. `template` grows as constants and variables get their places."""

    def __init__(self, reasoner: Reasoner, rule: Rule) -> None:
        self.reasoner = reasoner
        self.rule = rule
        self.template: Frame = [None, None]
        self.procedures: set[Procedure] = set()
        self.steps = itertools.count()

    def negated(self) -> Compiler:
        """For literals inside a negation or an aggregate: what they ask must be answered completely."""
        return _Negated(self)

    # Places in the frame

    def slots(self, count: int) -> int:
        """The first of `count` new places in a row."""
        self.template.extend([None] * count)
        return len(self.template) - count

    def constant(self, value: Value) -> int:
        """The place of a value that never changes."""
        self.template.append(value)
        return len(self.template) - 1

    def error(self, what: str, span: Span) -> UnsafeRule:
        """What to say where a variable never gets a value."""
        hint = "give every variable a value in a positive literal of the body"
        return UnsafeRule(what, self.reasoner.rules.place(span), hint=hint)

    def impure(self, name: str, span: Span) -> RulesError:
        """What to say where a rule asks for chance or the clock."""
        what = f"{name} would make the game depend on chance or the clock"
        return RulesError(what, self.reasoner.rules.place(span), hint=IMPURE_HINT)

    # Head

    def clause(self, mode: Mode) -> Clause:
        """The rule for a mode."""
        args = args_of(self.rule.head)
        first = self.slots(sum(mode))
        known = [arg for arg, is_known in zip(args, mode, strict=True) if is_known]
        wanted = [arg for arg, is_known in zip(args, mode, strict=True) if not is_known]

        def body(scope: Scope) -> Step:
            return self.body(list(self.rule.body), scope, lambda inner: self.record(wanted, inner))

        start = self.match_all(list(zip(known, range(first, first + len(known)), strict=True)), {}, body)
        return Clause(self.template, start, self.procedures)

    def record(self, wanted: Sequence[Value], scope: Scope) -> Step:
        """The last step: keep the answer, and stop where there can be no other."""
        prepare, places = self.values(wanted, scope, self.rule.head_span)
        answer_of = tuple_getter(places)
        is_only = not wanted or relation_of(self.rule.head) in self.reasoner.definitions

        def step(frame: Frame) -> bool:
            frame[ANSWERS][answer_of(frame)] = None
            return is_only

        return prepare(step)

    def match_all(self, pairs: list[tuple[Value, int]], scope: Scope, rest: Callable[[Scope], Step]) -> Step:
        """Match terms against the values at places, one after the other, then the rest."""
        if not pairs:
            return rest(scope)
        (term, place), *others = pairs
        if isinstance(term, Variable) and term not in scope:
            return self.match_all(others, {**scope, term: place}, rest)
        if isinstance(term, tuple):
            return self.match_compound(term, place, others, scope, rest)
        other = scope[term] if isinstance(term, Variable) else self.constant(term)
        after = self.match_all(others, scope, rest)
        return lambda frame: frame[place] == frame[other] and after(frame)

    def match_compound(
        self,
        term: tuple[Value, ...],
        place: int,
        others: list[tuple[Value, int]],
        scope: Scope,
        rest: Callable[[Scope], Step],
    ) -> Step:
        """Open a compound value and match its parts."""
        size, functor = len(term), term[0]
        first = self.slots(size - 1)
        inside = list(zip(term[1:], range(first, first + size - 1), strict=True))
        after = self.match_all(inside + others, scope, rest)

        def step(frame: Frame) -> bool:
            value = frame[place]
            if not isinstance(value, tuple) or len(value) != size or value[0] != functor:
                return False
            frame[first : first + size - 1] = value[1:]
            return after(frame)

        return step

    # Values

    def values(
        self, terms: Sequence[Value], scope: Scope, span: Span
    ) -> tuple[Callable[[Step], Step], list[int]]:
        """Where the values of terms stand, and how to put a step before another that builds the compounds."""
        builds: list[tuple[int, Find]] = []
        places = [self.value(term, scope, span, builds) for term in terms]
        if not builds:
            return (lambda step: step), places

        def prepare(after: Step) -> Step:
            def step(frame: Frame) -> bool:
                for place, built in builds:
                    frame[place] = built(frame)
                return after(frame)

            return step

        return prepare, places

    def value(self, term: Value, scope: Scope, span: Span, builds: list[tuple[int, Find]]) -> int:
        """The place of a term's value; compounds with variables are added to `builds`."""
        if isinstance(term, Variable):
            if term not in scope:
                raise self.error(f"variable {term} has no value here", self.reasoner.find(term, span))
            return scope[term]
        if not isinstance(term, tuple) or not any(True for _ in variables_of(term)):
            return self.constant(term)
        parts = [self.value(part, scope, span, builds) for part in term[1:]]
        place = self.slots(1)
        builds.append((place, build(term[0], tuple_getter(parts))))
        return place

    # Body

    def body(self, parts: list[Formula], scope: Scope, last: Callable[[Scope], Step]) -> Step:
        """The steps of a conjunction, then whatever `last` makes of the variables known by then."""
        if not parts:
            return last(scope)
        position = self.first_ready(parts, scope)
        part, others = parts[position], parts[:position] + parts[position + 1 :]
        return self.formula(part, scope, lambda inner: self.body(others, inner, last))

    def first_ready(self, parts: list[Formula], scope: Scope) -> int:
        """The first part that can be asked now: no other could still give it a value it needs."""
        givers: Counter[Variable] | None = None
        for position, part in enumerate(parts):
            needs = self.needs(part, scope) - scope.keys()
            if needs and givers is None:
                givers = Counter(v for other in parts for v in self.binds(other))
            own = self.binds(part) if needs else ()
            if not givers or all(givers[v] == (v in own) for v in needs):
                return position
        return 0

    def needs(self, part: Formula, scope: Scope) -> set[Variable]:
        """The variables whose values a part does not find by itself."""
        match part:
            case Not():
                return set(variables_in(part))
            case And(parts):
                return {v for inner in parts for v in self.needs(inner, scope)} - self.binds(part)
            case Or(parts):
                return {v for inner in parts for v in self.needs(inner, scope)}
            case Atom(term) if self.is_builtin(term):
                return self.builtin_needs(term, scope)
        return set()

    def is_builtin(self, term: Value) -> bool:
        """Whether an atom's relation is a builtin in this sheet."""
        name, arity = relation_of(term)
        return name in self.reasoner.builtins and builtin_arity_fits(name, arity)

    def builtin_needs(self, term: Value, scope: Scope) -> set[Variable]:
        """The variables that must have values before a builtin is asked."""
        name, args = term[0], term[1:]
        if name == "same":  # one side is enough
            is_known = any(scope.keys() >= set(variables_of(arg)) for arg in args)
            return set() if is_known else set(variables_of(term))
        if name in ("countofall", "setofall", "exists"):
            local = set(variables_of(args[0]))
            return set(variables_of(args[1])) - local
        if name == "member":
            return set(variables_of(args[1]))
        if name == "evaluate" or name in FUNCTIONS:
            return {v for arg in args[:-1] for v in variables_of(arg)}
        return set(variables_of(term))

    def binds(self, part: Formula) -> set[Variable]:
        """The variables that have values after a part."""
        match part:
            case Not():
                return set()
            case And(parts):
                return {v for inner in parts for v in self.binds(inner)}
            case Or(parts):
                return set.intersection(*map(self.binds, parts)) if parts else set()
            case Atom(term) if self.is_builtin(term):
                return self.builtin_binds(term)
        return set(variables_in(part))

    def builtin_binds(self, term: Value) -> set[Variable]:
        """The variables that a builtin gives values."""
        if term[0] in ("distinct", "exists") or term[0] in TESTS:
            return set()
        if term[0] == "same":
            return set(variables_of(term))
        return set(variables_of(term[1] if term[0] == "member" else term[-1]))

    def formula(self, part: Formula, scope: Scope, rest: Callable[[Scope], Step]) -> Step:
        """The step of a formula; `rest` makes what follows for the variables known then."""
        if next(self.steps) > MAX_STEPS:
            raise LimitExceeded("rule size", f"{MAX_STEPS:,} steps", doing=f"compiling {self.rule.head}")
        match part:
            case And(parts):
                return self.body(list(parts), scope, rest)
            case Or(parts):
                return self.either(parts, scope, rest)
            case Not(body):
                return self.negation(body, scope, rest(scope))
            case Atom(term, span):
                return self.atom(term, scope, rest, span)

    def either(self, parts: Sequence[Formula], scope: Scope, rest: Callable[[Scope], Step]) -> Step:
        """Each part in turn; parts that give the same variables values share what follows."""
        shared: dict[frozenset[Variable], tuple[Scope, Step]] = {}

        def after(inner: Scope) -> Step:
            new = frozenset(inner.keys() - scope.keys())
            if new not in shared:
                shared[new] = (inner, rest(inner))
            known, step = shared[new]
            return _moved([(inner[v], known[v]) for v in new if inner[v] != known[v]], step)

        steps = [self.formula(part, scope, after) for part in parts]
        return lambda frame: any_step(steps, frame)

    def negation(self, body: Formula, scope: Scope, after: Step) -> Step:
        """Go on where the body has no instance."""
        inner = self.negated().formula(body, scope, lambda _: lambda frame: True)
        return lambda frame: not inner(frame) and after(frame)

    def atom(self, term: Value, scope: Scope, rest: Callable[[Scope], Step], span: Span) -> Step:
        """The step of an atom: a builtin, facts, or a relation that has rules."""
        relation, reasoner = relation_of(term), self.reasoner
        if relation[0] in IMPURE and relation not in reasoner.relations:
            raise self.impure(relation[0], span)
        if term in ("true", "false") and relation not in reasoner.relations:
            return rest(scope) if term == "true" else lambda frame: False
        if self.is_builtin(term):
            return Builtins(self).step(term, scope, rest, span)
        if relation == ("true", 1):
            return self.fact(term[1], scope, rest)
        if relation == ("does", 2):
            return self.lookup(lambda frame: frame[QUESTION].moves, term[1:], scope, rest)
        if relation in reasoner.facts:
            rows = reasoner.facts[relation]
            return self.lookup(lambda frame: rows, args_of(term), scope, rest)
        if relation in reasoner.relations:
            return self.call(term, scope, rest, span)
        return lambda frame: False

    def fact(self, term: Value, scope: Scope, rest: Callable[[Scope], Step]) -> Step:
        """A literal true(...): look into the facts of the state with that functor, or into all of them."""
        if isinstance(term, Variable):
            return self.lookup(lambda frame: frame[QUESTION].facts, (term,), scope, rest)
        relation = (term[0], len(term)) if isinstance(term, tuple) else term
        return self.lookup(lambda frame: frame[QUESTION].facts_of(relation), args_of(term), scope, rest)

    def lookup(
        self, rows_of: Find, args: Sequence[Value], scope: Scope, rest: Callable[[Scope], Step]
    ) -> Step:
        """A literal whose instances are rows."""
        shape, keys, new = self.shape(args, scope)
        key_of = getter(keys)
        return self.with_each(
            lambda frame: rows_of(frame).index(shape).get(key_of(frame), ()), new, scope, rest
        )

    def shape(self, args: Sequence[Value], scope: Scope) -> tuple[Shape, list[int], list[Variable]]:
        """How arguments look into rows: the shape, where the known values stand, the variables found."""
        keys: list[int] = []
        new: list[Variable] = []

        def look(term: Value) -> ShapePart:
            if isinstance(term, Variable) and term not in scope:
                if term in new:
                    return new.index(term)
                new.append(term)
                return OUT
            if isinstance(term, tuple) and any(True for _ in variables_of(term)):
                return (term[0], *map(look, term[1:]))
            keys.append(scope[term] if isinstance(term, Variable) else self.constant(term))
            return KEY

        return tuple(map(look, args)), keys, new

    def with_each(self, find: Find, new: list[Variable], scope: Scope, rest: Callable[[Scope], Step]) -> Step:
        """Go on with every instance found, its values at new places."""
        first, last = self.slots(len(new)), len(self.template)
        after = rest({**scope, **{variable: first + i for i, variable in enumerate(new)}})
        if not new:
            return lambda frame: bool(find(frame)) and after(frame)
        target: int | slice = first if len(new) == 1 else slice(first, last)

        def step(frame: Frame) -> bool:
            found = find(frame)
            question = frame[QUESTION]
            question.budget.left -= len(found) + 1
            if question.budget.left < 0:
                question.check()
            for values in found:
                frame[target] = values
                if after(frame):
                    return True
            return False

        return step

    def call(self, term: Value, scope: Scope, rest: Callable[[Scope], Step], span: Span) -> Step:
        """A literal of a relation with rules: ask it, with what is known, and look into its answers."""
        args = args_of(term)
        mode = tuple(all(v in scope for v in variables_of(arg)) for arg in args)
        if self.reasoner.is_asked_whole(relation_of(term)):
            mode = (False,) * len(args)
        known = [arg for arg, is_known in zip(args, mode, strict=True) if is_known]
        wanted = [arg for arg, is_known in zip(args, mode, strict=True) if not is_known]
        prepare, places = self.values(known, scope, span)
        inputs_of = tuple_getter(places)
        procedure = self.reasoner.procedure(relation_of(term), mode)
        self.procedures.add(procedure)
        ask = self.asking(procedure, span)
        shape, keys, new = self.shape(wanted, scope)
        if all(part is OUT for part in shape) and len(shape) != 1:
            return prepare(self.with_each(lambda frame: ask(frame, inputs_of(frame)).rows, new, scope, rest))
        key_of = getter(keys)

        def find(frame: Frame) -> Sequence[Value]:
            return ask(frame, inputs_of(frame)).index(shape).get(key_of(frame), ())

        return prepare(self.with_each(find, new, scope, rest))

    def asking(self, procedure: Procedure, span: Span) -> Callable[[Frame, Row], Rows]:
        """How a call gets the answers of a relation."""
        return lambda frame, inputs: frame[QUESTION].ask(procedure, inputs)


def any_step(steps: Sequence[Step], frame: Frame) -> bool:
    """Run steps until one says stop."""
    for step in steps:  # noqa: SIM110  # any() would put a C call between Python frames
        if step(frame):
            return True
    return False


def _moved(moves: Sequence[tuple[int, int]], after: Step) -> Step:
    """The step after values have been moved from place to place."""
    if not moves:
        return after

    def step(frame: Frame) -> bool:
        for source, target in moves:
            frame[target] = frame[source]
        return after(frame)

    return step


class _Negated(Compiler):
    """Literals inside a negation or an aggregate: what they ask must be answered completely."""

    def __init__(self, outer: Compiler) -> None:
        self.reasoner = outer.reasoner
        self.rule = outer.rule
        self.template = outer.template
        self.procedures = outer.procedures
        self.steps = outer.steps

    def asking(self, procedure: Procedure, span: Span) -> Callable[[Frame, Row], Rows]:
        place = self.reasoner.rules.place(span)
        return lambda frame, inputs: frame[QUESTION].ask_completely(procedure, inputs, place)
