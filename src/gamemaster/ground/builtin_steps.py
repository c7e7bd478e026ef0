"""Builtin literals -> steps: `distinct`, arithmetic, lists, `evaluate` and the aggregates. See clauses.py."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from gamemaster.ground.atoms import args_of, definition_relation
from gamemaster.ground.budget import bounded
from gamemaster.ground.frames import QUESTION, Find, Frame, Scope, Step, tuple_getter
from gamemaster.language.builtins import FUNCTIONS, IMPURE, TESTS, formula_of, items_of, list_of
from gamemaster.language.rules import relation_of
from gamemaster.language.source import Span
from gamemaster.language.terms import Value, Variable, variables_of

if TYPE_CHECKING:
    from gamemaster.ground.clauses import Compiler

__all__ = ["Builtins"]


class Builtins:
    """The steps of builtin literals."""

    def __init__(self, compiler: Compiler) -> None:
        self.compiler = compiler

    def step(self, term: Any, scope: Scope, rest: Callable[[Scope], Step], span: Span) -> Step:
        """The step of a literal whose relation is a builtin."""
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
            compute = Expressions(self.compiler, scope, span).compute(args[0])
            return self.result(compute, args[1], scope, rest)
        if name == "exists":
            inner = self.gather(args[0], args[1], scope, span)
            after = rest(scope)
            return lambda frame: bool(inner(frame)) and after(frame)
        if name in ("countofall", "setofall"):
            compute = self.aggregate(name, args[0], args[1], scope, span)
            return self.result(compute, args[2], scope, rest)
        return self.function(FUNCTIONS[name], args, scope, rest, span)

    def distinct(self, args: Value, scope: Scope, rest: Callable[[Scope], Step], span: Span) -> Step:
        """Both sides are different values."""
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
        """A relation of values, as a comparison."""
        prepare, places = self.compiler.values(args, scope, span)
        values_of = tuple_getter(places)
        after = rest(scope)
        return prepare(lambda frame: holds(values_of(frame)) and after(frame))

    def member(self, args: Value, scope: Scope, rest: Callable[[Scope], Step], span: Span) -> Step:
        """Every item of a list in turn."""
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
        """A function of all arguments but the last, which is its value."""
        prepare, places = self.compiler.values(args[:-1], scope, span)
        values_of = tuple_getter(places)
        return prepare(self.result(lambda frame: compute(values_of(frame)), args[-1], scope, rest))

    def result(self, compute: Find, term: Value, scope: Scope, rest: Callable[[Scope], Step]) -> Step:
        """Match a computed value against the last argument; no value, no answer."""
        place = self.compiler.slots(1)
        after = self.compiler.match_all([(term, place)], scope, rest)

        def step(frame: Frame) -> bool:
            value = compute(frame)
            frame[place] = bounded(value) if isinstance(value, tuple) else value
            return value is not None and after(frame)

        return step

    def gather(self, template: Value, query: Value, scope: Scope, span: Span) -> Find:
        """A function that collects the instances of a template, in order, each once."""
        negated = self.compiler.negated()
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

    def aggregate(self, name: str, template: Value, query: Value, scope: Scope, span: Span) -> Find:
        """countofall or setofall as a function of the frame."""
        find = self.gather(template, query, scope, span)
        if name == "countofall":
            return lambda frame: str(len(find(frame)))
        return lambda frame: list_of(list(find(frame)))


class Expressions:
    """Expressions of evaluate: builtin functions, the sheet's definitions, if, map and aggregates."""

    def __init__(self, compiler: Compiler, scope: Scope, span: Span) -> None:
        self.compiler = compiler
        self.scope = scope
        self.span = span

    def compute(self, term: Value) -> Find:
        """A function of the frame that gives the expression's value, or None."""
        name, arity = relation_of(term)
        if isinstance(term, Variable) or not (isinstance(term, tuple) or self.is_defined(name, 0)):
            _, (place,) = self.compiler.values([term], self.scope, self.span)
            return lambda frame: frame[place]
        if name in IMPURE and not self.is_defined(name, arity):
            raise self.compiler.impure(name, self.span)
        if name in ("countofall", "setofall") and arity == 2:
            return Builtins(self.compiler).aggregate(name, term[1], term[2], self.scope, self.span)
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

    def choice(self, parts: Sequence[Value]) -> Find:
        """if(c1,v1,c2,v2,...,else): the value after the first condition that holds."""
        conditions, values = parts[:-1:2], parts[1::2]
        cases = [(self.condition(c), self.compute(v)) for c, v in zip(conditions, values, strict=True)]
        otherwise = self.compute(parts[-1]) if len(parts) % 2 else lambda frame: None

        def value(frame: Frame) -> Value | None:
            for holds, result in cases:
                if holds(frame):
                    found: Value | None = result(frame)
                    return found
            return otherwise(frame)

        return value

    def condition(self, term: Value) -> Step:
        """A formula inside if(...) as a test."""
        formula = formula_of(term, self.span)
        return self.compiler.negated().formula(formula, self.scope, lambda _: lambda frame: True)
