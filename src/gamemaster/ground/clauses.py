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
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from gamemaster.errors import LimitExceeded, RulesError, UnsafeRule
from gamemaster.ground.budget import bounded
from gamemaster.ground.rows import KEY, OUT, Shape, getter
from gamemaster.language.builtins import (
    FUNCTIONS,
    IMPURE,
    TESTS,
    builtin_arity_fits,
    formula_of,
    items_of,
    list_of,
)
from gamemaster.language.rules import (
    And,
    Atom,
    Definition,
    Formula,
    Not,
    Or,
    Relation,
    Rule,
    name_of,
    relation_of,
)
from gamemaster.language.rules import formula_variables as variables_in
from gamemaster.language.source import Span
from gamemaster.language.terms import Compound, Value, Variable, variables_of

if TYPE_CHECKING:
    from gamemaster.ground.reasoner import Reasoner

__all__ = [
    "Clause",
    "Frame",
    "Mode",
    "Step",
    "args_of",
    "atoms_of",
    "compile_clause",
    "definition_relation",
    "rule_of_definition",
]

Frame: TypeAlias = list[Any]
Step: TypeAlias = Callable[[Frame], bool]
Find: TypeAlias = Callable[[Frame], Any]
Mode: TypeAlias = tuple[bool, ...]
Scope: TypeAlias = dict[Variable, int]
"""Where in the frame each variable that has a value stands."""

QUESTION, ANSWERS, INPUTS = 0, 1, 2

MAX_STEPS = 20_000
"""How many steps a rule may become: what follows an `or` is compiled for each set of variables it leaves."""

DEFINED_VALUE = Variable("Value of the definition")

IMPURE_HINT = "let chance be a role: role(random) moves at random"


class Clause:
    """A rule compiled for a mode: `run(question, inputs, answers)` adds its answers, in order."""

    __slots__ = ("procedures", "start", "template")

    def __init__(self, template: Frame, start: Step, procedures: set[Any]) -> None:
        self.template = template
        self.start = start
        self.procedures = procedures  # what it asks

    def run(self, question: Any, inputs: tuple[Any, ...], answers: dict[Any, None]) -> bool:
        """Whether the search may stop: an answer was found and there can be only one."""
        frame = self.template[:]
        frame[QUESTION] = question
        frame[ANSWERS] = answers
        frame[INPUTS : INPUTS + len(inputs)] = inputs
        return self.start(frame)


def compile_clause(reasoner: Reasoner, rule: Rule, mode: Mode) -> Clause:
    """The rule as steps, for a question where the arguments that `mode` marks are known."""
    return _Compiler(reasoner, rule).clause(mode)


def args_of(term: Any) -> tuple[Any, ...]:
    """The arguments of an atom's term: of a symbol, none."""
    return term[1:] if isinstance(term, tuple) else ()


def build(functor: str, part_of: Find) -> Find:
    """A function that builds a compound from a frame, bounded in depth and size."""
    return lambda frame: bounded((functor, *part_of(frame)))


class _Compiler:
    """The steps of one rule. `template` grows as constants and variables get their places."""

    def __init__(self, reasoner: Reasoner, rule: Rule) -> None:
        self.reasoner = reasoner
        self.rule = rule
        self.template: Frame = [None, None]
        self.procedures: set[Any] = set()
        self.steps = itertools.count()

    # Places in the frame

    def slots(self, count: int) -> int:
        """The first of `count` new places in a row."""
        self.template.extend([None] * count)
        return len(self.template) - count

    def constant(self, value: Any) -> int:
        self.template.append(value)
        return len(self.template) - 1

    def error(self, what: str, span: Span) -> UnsafeRule:
        hint = "give every variable a value in a positive literal of the body"
        return UnsafeRule(what, self.reasoner.rules.place(span), hint=hint)

    def impure(self, name: str, span: Span) -> RulesError:
        what = f"{name} would make the game depend on chance or the clock"
        return RulesError(what, self.reasoner.rules.place(span), hint=IMPURE_HINT)

    # Head

    def clause(self, mode: Mode) -> Clause:
        args = args_of(self.rule.head)
        first = self.slots(sum(mode))
        known = [arg for arg, is_known in zip(args, mode, strict=True) if is_known]
        wanted = [arg for arg, is_known in zip(args, mode, strict=True) if not is_known]

        def body(scope: Scope) -> Step:
            return self.body(list(self.rule.body), scope, lambda inner: self.record(wanted, inner))

        start = self.match_all(list(zip(known, range(first, first + len(known)), strict=True)), {}, body)
        return Clause(self.template, start, self.procedures)

    def record(self, wanted: Sequence[Any], scope: Scope) -> Step:
        """The last step: keep the answer, and stop where there can be no other."""
        prepare, places = self.values(wanted, scope, self.rule.head_span)
        answer_of = _tuple_getter(places)
        is_only = not wanted or relation_of(self.rule.head) in self.reasoner.definitions

        def step(frame: Frame) -> bool:
            frame[ANSWERS][answer_of(frame)] = None
            return is_only

        return prepare(step)

    def match_all(self, pairs: list[tuple[Any, int]], scope: Scope, rest: Callable[[Scope], Step]) -> Step:
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
        term: tuple[Any, ...],
        place: int,
        others: list[tuple[Any, int]],
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
        self, terms: Sequence[Any], scope: Scope, span: Span
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

    def value(self, term: Any, scope: Scope, span: Span, builds: list[tuple[int, Find]]) -> int:
        """The place of a term's value; compounds with variables are added to `builds`."""
        if isinstance(term, Variable):
            if term not in scope:
                raise self.error(f"variable {term} has no value here", self.reasoner.find(term, span))
            return scope[term]
        if not isinstance(term, tuple) or not any(True for _ in variables_of(term)):
            return self.constant(term)
        parts = [self.value(part, scope, span, builds) for part in term[1:]]
        place = self.slots(1)
        builds.append((place, build(term[0], _tuple_getter(parts))))
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

    def is_builtin(self, term: Any) -> bool:
        name, arity = relation_of(term)
        return name in self.reasoner.builtins and builtin_arity_fits(name, arity)

    def builtin_needs(self, term: Any, scope: Scope) -> set[Variable]:
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

    def builtin_binds(self, term: Any) -> set[Variable]:
        if term[0] in ("distinct", "exists") or term[0] in TESTS:
            return set()
        if term[0] == "same":
            return set(variables_of(term))
        return set(variables_of(term[1] if term[0] == "member" else term[-1]))

    def formula(self, part: Formula, scope: Scope, rest: Callable[[Scope], Step]) -> Step:
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
        inner = _Negated(self).formula(body, scope, lambda _: lambda frame: True)
        return lambda frame: not inner(frame) and after(frame)

    def atom(self, term: Any, scope: Scope, rest: Callable[[Scope], Step], span: Span) -> Step:
        relation, reasoner = relation_of(term), self.reasoner
        if relation[0] in IMPURE and relation not in reasoner.relations:
            raise self.impure(relation[0], span)
        if term in ("true", "false") and relation not in reasoner.relations:
            return rest(scope) if term == "true" else lambda frame: False
        if self.is_builtin(term):
            return _Builtins(self).step(term, scope, rest, span)
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

    def fact(self, term: Any, scope: Scope, rest: Callable[[Scope], Step]) -> Step:
        """A literal true(...): look into the facts of the state with that functor, or into all of them."""
        if isinstance(term, Variable):
            return self.lookup(lambda frame: frame[QUESTION].facts, (term,), scope, rest)
        relation = (term[0], len(term)) if isinstance(term, tuple) else term
        return self.lookup(lambda frame: frame[QUESTION].facts_of(relation), args_of(term), scope, rest)

    def lookup(self, rows_of: Find, args: Sequence[Any], scope: Scope, rest: Callable[[Scope], Step]) -> Step:
        """A literal whose instances are rows."""
        shape, keys, new = self.shape(args, scope)
        key_of = getter(keys)
        return self.each(lambda frame: rows_of(frame).index(shape).get(key_of(frame), ()), new, scope, rest)

    def shape(self, args: Sequence[Any], scope: Scope) -> tuple[Shape, list[int], list[Variable]]:
        """How arguments look into rows: the shape, where the known values stand, the variables found."""
        keys: list[int] = []
        new: list[Variable] = []

        def look(term: Any) -> Any:
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

    def each(self, find: Find, new: list[Variable], scope: Scope, rest: Callable[[Scope], Step]) -> Step:
        """Go on with every instance found, its values at new places."""
        first, last = self.slots(len(new)), len(self.template)
        after = rest({**scope, **{variable: first + i for i, variable in enumerate(new)}})
        if not new:
            return lambda frame: bool(find(frame)) and after(frame)
        target: Any = first if len(new) == 1 else slice(first, last)

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

    def call(self, term: Any, scope: Scope, rest: Callable[[Scope], Step], span: Span) -> Step:
        """A literal of a relation with rules: ask it, with what is known, and look into its answers."""
        args = args_of(term)
        mode = tuple(all(v in scope for v in variables_of(arg)) for arg in args)
        if self.reasoner.is_asked_whole(relation_of(term)):
            mode = (False,) * len(args)
        known = [arg for arg, is_known in zip(args, mode, strict=True) if is_known]
        wanted = [arg for arg, is_known in zip(args, mode, strict=True) if not is_known]
        prepare, places = self.values(known, scope, span)
        inputs_of = _tuple_getter(places)
        procedure = self.reasoner.procedure(relation_of(term), mode)
        self.procedures.add(procedure)
        ask = self.asking(procedure, span)
        shape, keys, new = self.shape(wanted, scope)
        if all(part is OUT for part in shape) and len(shape) != 1:
            return prepare(self.each(lambda frame: ask(frame, inputs_of(frame)).rows, new, scope, rest))
        key_of = getter(keys)

        def find(frame: Frame) -> Any:
            return ask(frame, inputs_of(frame)).index(shape).get(key_of(frame), ())

        return prepare(self.each(find, new, scope, rest))

    def asking(self, procedure: Any, span: Span) -> Callable[[Frame, tuple[Any, ...]], Any]:
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


def _tuple_getter(places: Sequence[int]) -> Callable[[Frame], tuple[Any, ...]]:
    """A function that picks places as a tuple, also for one."""
    if len(places) == 1:
        only = places[0]
        return lambda frame: (frame[only],)
    return getter(places)


class _Negated(_Compiler):
    """Literals inside a negation or an aggregate: what they ask must be answered completely."""

    def __init__(self, outer: _Compiler) -> None:
        self.reasoner = outer.reasoner
        self.rule = outer.rule
        self.template = outer.template
        self.procedures = outer.procedures
        self.steps = outer.steps

    def asking(self, procedure: Any, span: Span) -> Callable[[Frame, tuple[Any, ...]], Any]:
        place = self.reasoner.rules.place(span)
        return lambda frame, inputs: frame[QUESTION].ask_completely(procedure, inputs, place)


class _Builtins:
    """The steps of builtin literals."""

    def __init__(self, compiler: _Compiler) -> None:
        self.compiler = compiler

    def step(self, term: Any, scope: Scope, rest: Callable[[Scope], Step], span: Span) -> Step:
        name, args = term[0], term[1:]
        if name == "distinct":
            return self.distinct(args, scope, rest, span)
        if name == "same":
            return self.same(args, scope, rest, span)
        if name in TESTS:
            return self.test(TESTS[name][1], args, scope, rest, span)
        if name == "member":
            return self.member(args, scope, rest, span)
        if name == "evaluate":
            compute = _Expressions(self.compiler, scope, span).compute(args[0])
            return self.result(compute, args[1], scope, rest)
        if name == "exists":
            inner = self.gather(args[0], args[1], scope, span)
            after = rest(scope)
            return lambda frame: bool(inner(frame)) and after(frame)
        if name in ("countofall", "setofall"):
            compute = self.aggregate(name, args[0], args[1], scope, span)
            return self.result(compute, args[2], scope, rest)
        return self.function(FUNCTIONS[name], args, scope, rest, span)

    def distinct(self, args: Any, scope: Scope, rest: Callable[[Scope], Step], span: Span) -> Step:
        prepare, (first, second) = self.compiler.values(args, scope, span)
        after = rest(scope)
        return prepare(lambda frame: frame[first] != frame[second] and after(frame))

    def same(self, args: Any, scope: Scope, rest: Callable[[Scope], Step], span: Span) -> Step:
        """Both sides are one value: what one side knows, the other learns."""
        pattern, known = args
        if all(v in scope for v in variables_of(pattern)):
            pattern, known = known, pattern
        prepare, (place,) = self.compiler.values([known], scope, span)
        return prepare(self.compiler.match_all([(pattern, place)], scope, rest))

    def test(self, holds: Any, args: Any, scope: Scope, rest: Callable[[Scope], Step], span: Span) -> Step:
        prepare, places = self.compiler.values(args, scope, span)
        values_of = _tuple_getter(places)
        after = rest(scope)
        return prepare(lambda frame: holds(values_of(frame)) and after(frame))

    def member(self, args: Any, scope: Scope, rest: Callable[[Scope], Step], span: Span) -> Step:
        prepare, (place,) = self.compiler.values(args[1:], scope, span)
        item = self.compiler.slots(1)
        after = self.compiler.match_all([(args[0], item)], scope, rest)

        def step(frame: Frame) -> bool:
            items = items_of(frame[place]) or ()
            question = frame[QUESTION]
            question.budget.left -= len(items) + 1
            if question.budget.left < 0:
                question.check()
            for value in items:
                frame[item] = value
                if after(frame):
                    return True
            return False

        return prepare(step)

    def function(
        self, compute: Any, args: Any, scope: Scope, rest: Callable[[Scope], Step], span: Span
    ) -> Step:
        prepare, places = self.compiler.values(args[:-1], scope, span)
        values_of = _tuple_getter(places)
        return prepare(self.result(lambda frame: compute(values_of(frame)), args[-1], scope, rest))

    def result(self, compute: Find, term: Any, scope: Scope, rest: Callable[[Scope], Step]) -> Step:
        """Match a computed value against the last argument; no value, no answer."""
        place = self.compiler.slots(1)
        after = self.compiler.match_all([(term, place)], scope, rest)

        def step(frame: Frame) -> bool:
            value = compute(frame)
            frame[place] = bounded(value) if isinstance(value, tuple) else value
            return value is not None and after(frame)

        return step

    def gather(self, template: Any, query: Any, scope: Scope, span: Span) -> Find:
        """A function that collects the instances of a template, in order, each once."""
        negated = _Negated(self.compiler)
        collected = negated.slots(1)
        local = {v: place for v, place in scope.items() if v not in set(variables_of(template))}

        def last(inner: Scope) -> Step:
            prepare, (place,) = negated.values([template], inner, span)

            def keep(frame: Frame) -> bool:
                instances = frame[collected]
                frame[QUESTION].budget.rows += frame[place] not in instances
                instances[frame[place]] = None
                return False

            return prepare(keep)

        inner = negated.formula(formula_of(query, span), local, last)

        def find(frame: Frame) -> dict[Value, None]:
            instances: dict[Value, None] = {}
            frame[collected] = instances
            inner(frame)
            frame[QUESTION].budget.rows -= len(instances)  # they are not kept
            return instances

        return find

    def aggregate(self, name: str, template: Any, query: Any, scope: Scope, span: Span) -> Find:
        """countofall or setofall as a function of the frame."""
        find = self.gather(template, query, scope, span)
        if name == "countofall":
            return lambda frame: str(len(find(frame)))
        return lambda frame: list_of(list(find(frame)))


class _Expressions:
    """Expressions of evaluate: builtin functions, the sheet's definitions, if, map and aggregates."""

    def __init__(self, compiler: _Compiler, scope: Scope, span: Span) -> None:
        self.compiler = compiler
        self.scope = scope
        self.span = span

    def compute(self, term: Any) -> Find:
        """A function of the frame that gives the expression's value, or None."""
        name, arity = relation_of(term)
        if isinstance(term, Variable) or not (isinstance(term, tuple) or self.is_defined(name, 0)):
            _, (place,) = self.compiler.values([term], self.scope, self.span)
            return lambda frame: frame[place]
        if name in IMPURE and not self.is_defined(name, arity):
            raise self.compiler.impure(name, self.span)
        if name in ("countofall", "setofall") and arity == 2:
            return _Builtins(self.compiler).aggregate(name, term[1], term[2], self.scope, self.span)
        if name == "if" and arity >= 2:
            return self.choice(term[1:])
        return self.apply(name, [self.compute(part) for part in args_of(term)])

    def is_defined(self, name: str, arity: int) -> bool:
        return definition_relation(name, arity) in self.compiler.reasoner.definitions

    def apply(self, name: str, parts: list[Find]) -> Find:
        """A function, of values: a definition of the sheet, a builtin, or the compound itself."""

        def value(frame: Frame) -> Value | None:
            args = tuple(part(frame) for part in parts)
            return None if None in args else self.call(frame, name, args)

        return value

    def call(self, frame: Frame, name: str, args: tuple[Value, ...]) -> Value | None:
        if self.is_defined(name, len(args)):
            relation = definition_relation(name, len(args))
            procedure = self.compiler.reasoner.procedure(relation, (*[True] * len(args), False))
            rows = self.compiler.asking(procedure, self.span)(frame, args).rows
            return rows[0][0] if rows else None
        if name == "map" and len(args) == 2 and isinstance(args[0], str):
            values = [self.call(frame, args[0], (item,)) for item in items_of(args[1]) or []]
            return list_of([value for value in values if value is not None])
        return FUNCTIONS[name](args) if name in FUNCTIONS else bounded((name, *args))

    def choice(self, parts: Sequence[Any]) -> Find:
        """if(c1,v1,c2,v2,...,else): the value after the first condition that holds."""
        conditions, values = parts[:-1:2], parts[1::2]
        cases = [(self.condition(c), self.compute(v)) for c, v in zip(conditions, values, strict=True)]
        otherwise = self.compute(parts[-1]) if len(parts) % 2 else lambda frame: None

        def value(frame: Frame) -> Value | None:
            for holds, result in cases:
                if holds(frame):
                    return result(frame)  # type: ignore[no-any-return]
            return otherwise(frame)

        return value

    def condition(self, term: Any) -> Step:
        """A formula inside if(...) as a test."""
        formula = formula_of(term, self.span)
        return _Negated(self.compiler).formula(formula, self.scope, lambda _: lambda frame: True)


def definition_relation(name: str, arity: int) -> Relation:
    """The relation that a definition `name(...) := value` becomes; its last argument is the value."""
    return f"{name} :=", arity + 1


def rule_of_definition(definition: Definition) -> Rule:
    """`f(X) := e` as the rule `f :=(X,V) :- evaluate(e,V)`, asked for V alone: the first found counts."""
    name, _ = definition_relation(name_of(definition.head), 0)
    evaluation = Atom(Compound(("evaluate", definition.expression, DEFINED_VALUE)), definition.span)
    return Rule(
        Compound((name, *args_of(definition.head), DEFINED_VALUE)),
        (evaluation,),
        definition.span,
        definition.span,
    )


def atoms_of(formulas: Sequence[Formula]) -> Iterator[Any]:
    """The terms of all atoms of formulas, those inside aggregates included."""
    for formula in formulas:
        match formula:
            case Atom(term):
                yield term
                yield from _inner_atoms(term)
            case Not(body):
                yield from atoms_of([body])
            case And(parts) | Or(parts):
                yield from atoms_of(parts)


def _inner_atoms(term: Any) -> Iterator[Any]:
    """Atoms of the formulas that stand inside a term; too many do no harm."""
    if isinstance(term, tuple) and term[0] in ("countofall", "setofall", "exists", "evaluate"):
        stack = list(term[1:])
        while stack:
            inner = stack.pop()
            if isinstance(inner, tuple):
                yield inner
                stack.extend(inner[1:])
            elif not isinstance(inner, Variable):
                yield inner
