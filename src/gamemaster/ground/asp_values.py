"""Builtins over formulas and expressions -> literals for clingo: `countofall`, `exists`, `evaluate`.

Counting becomes clingo's own, over a relation that says what is counted; clingo writes a rule for each number that may
come out, and what becomes gates is a sum and comparisons with it (network/sums.py). A list of all instances is no value
that the ground can have, but its length, sum, maximum and minimum are.

    countofall(X,p(X),N)               K = #count{X : h(X)}, N = @text(K)
    evaluate(plus(A,B),N)              N = @function("plus",A,B)
    evaluate(if(c,v,otherwise),N)      a relation of its own, with a rule for each case
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gamemaster.errors import LimitExceeded
from gamemaster.ground.atoms import args_of
from gamemaster.language.builtins import FUNCTIONS, IMPURE, formula_of
from gamemaster.language.rules import (
    And,
    Atom,
    Definition,
    Formula,
    Not,
    Or,
    Rule,
    formula_variables,
    relation_of,
    substitute_in,
)
from gamemaster.language.terms import Compound, Symbol, Value, Variable, variables_of

if TYPE_CHECKING:
    from gamemaster.ground.asp import Bodies

__all__ = ["Beside", "FormulaValues", "quoted", "with_lists_counted"]

OF_LISTS = frozenset({"length", "sum", "maximum", "minimum"})
"""What is known of the list of all instances without the list."""

MOST_NESTED = 30
"""Definitions in definitions, and expressions in expressions."""


@dataclass
class Beside:
    """Where a literal stands: the variables used elsewhere in its rule, what is beside it, and the rule."""

    used: set[Variable]
    context: Sequence[Formula]
    rule: Rule


class FormulaValues:
    """The literals of builtins over formulas."""

    def __init__(self, bodies: Bodies) -> None:
        self.bodies = bodies
        self.number = 0
        self.nested = 0
        self.definitions: dict[tuple[str, int], list[Definition]] = {}
        for definition in bodies.translation.rules.definitions:
            self.definitions.setdefault(relation_of(definition.head), []).append(definition)

    def literals(self, term: Value, beside: Beside) -> list[str] | None:
        """What holds where the builtin does; None where it never holds."""
        name, args = term[0], term[1:]
        if name == "exists":
            relation = self.gathered(args[0], args[1], beside)
            return relation and [relation[1]]
        if name == "evaluate":
            value = self.value(args[0], beside)
        elif name == "countofall":
            value = self.counted("length", args[0], args[1], beside)
        else:
            raise _unknown(name)
        return value and [*value[1], f"{self.bodies.translation.term(args[-1])} = {value[0]}"]

    def value(self, term: Value, beside: Beside) -> tuple[str, list[str]] | None:
        """An expression as clingo reads it, and the literals that it needs; None where it has no value."""
        name, arity = relation_of(term)
        is_defined = (name, arity) in self.definitions
        if isinstance(term, Variable) or not (isinstance(term, tuple) or is_defined):
            return self.bodies.translation.term(term), []
        self.nested += 1
        if self.nested > MOST_NESTED:
            raise LimitExceeded(
                "grounding", f"{MOST_NESTED} expressions in each other", doing=f"grounding {name}(...)"
            )
        try:
            return self.applied(name, args_of(term), beside, is_defined=is_defined)
        finally:
            self.nested -= 1

    def applied(
        self, name: str, args: Sequence[Value], beside: Beside, *, is_defined: bool
    ) -> tuple[str, list[str]] | None:
        """The value of a function of expressions."""
        if is_defined:
            return self.defined(name, args, beside)
        if name == "countofall" and len(args) == 2:
            return self.counted("length", args[0], args[1], beside)
        if name in OF_LISTS and len(args) == 1 and _is_list_of_all(args[0]):
            return self.counted(name, args[0][1], args[0][2], beside)
        if name == "if" and len(args) >= 2:
            return self.chosen(args, beside)
        if name in IMPURE or name in ("setofall", "map"):
            raise _unknown(name)
        values = [self.value(arg, beside) for arg in args]
        texts, literals = [], []
        for value in values:
            if value is None:
                return None
            texts.append(value[0])
            literals += value[1]
        if name in FUNCTIONS:
            return f"@function({','.join([quoted(name), *texts])})", literals
        return f"{self.bodies.translation.functor(name, len(args))}({','.join(texts)})", literals

    def defined(self, name: str, args: Sequence[Value], beside: Beside) -> tuple[str, list[str]] | None:
        """The value of the sheet's own function: what it stands for, with these arguments."""
        (definition, *others) = self.definitions[name, len(args)]
        if others:
            raise LimitExceeded("grounding", "one definition of a function", doing=f"grounding {name}(...)")
        fresh = self.renaming({*variables_of(definition.head), *variables_of(definition.expression)})
        inputs = [
            Atom(Compound(("evaluate", arg, _renamed(own, fresh))))
            for arg, own in zip(args, args_of(definition.head), strict=True)
        ]
        return self.result_of(
            lambda result: And((*inputs, _evaluation(_renamed(definition.expression, fresh), result))), beside
        )

    def chosen(self, args: Sequence[Value], beside: Beside) -> tuple[str, list[str]] | None:
        """The value after the first condition that holds."""
        conditions = [formula_of(arg) for arg in args[:-1:2]]
        values = [*args[1::2], *([args[-1]] if len(args) % 2 else [])]

        def cases(result: Variable) -> Formula:
            found: list[Formula] = []
            for number, value in enumerate(values):
                failed = [Not(self.apart(condition, beside)) for condition in conditions[:number]]
                found.append(And((*failed, *conditions[number : number + 1], _evaluation(value, result))))
            return Or(tuple(found))

        return self.result_of(cases, beside)

    def apart(self, formula: Formula, beside: Beside) -> Formula:
        """The same formula with local variables that nobody else has."""
        return substitute_in(formula, self.renaming(set(formula_variables(formula)) - beside.used))

    def result_of(
        self, formula: Callable[[Variable], Formula], beside: Beside
    ) -> tuple[str, list[str]] | None:
        """The value that a formula gives a variable, by a relation of its own."""
        result = self.fresh("result")
        name = self.bodies.helper(
            [formula(result)],
            ({*formula_variables(formula(result))} & beside.used) | {result},
            beside.context,
            beside.rule,
        )
        return None if name is None else (self.bodies.translation.term(result), [name])

    # All instances of a formula

    def counted(
        self, how: str, template: Value, query: Value, beside: Beside
    ) -> tuple[str, list[str]] | None:
        """How many instances there are, or the sum, maximum or minimum of them."""
        if how in ("maximum", "minimum"):
            return self.extreme(how, template, query, beside)
        gathered = self.gathered(template, query, beside)
        if gathered is None:
            return ('"0"', []) if how == "length" else None
        instance, relation = gathered
        result = self.bodies.translation.term(self.fresh("number"))
        if how == "length":
            return f"@text({result})", [f"{result} = #count{{{instance} : {relation}}}"]
        nobody = f"0 = #count{{{instance} : {relation}}}"
        weight = f"@number({instance})"
        return f"@text({result})", [f"{result} = #sum{{{weight},{instance} : {relation}}}", f"not {nobody}"]

    def extreme(
        self, how: str, template: Value, query: Value, beside: Beside
    ) -> tuple[str, list[str]] | None:
        """The number that none of the others is beyond."""
        own = set(variables_of(template)) | (set(variables_of(query)) - beside.used)
        fresh, others, odd = (self.renaming(own) for _ in range(3))

        def best(result: Variable) -> Formula:
            less = [result, _renamed(template, others)]
            beyond = Atom(Compound(("less", *(less if how == "maximum" else less[::-1]))))
            found = Atom(Compound(("same", result, _renamed(template, fresh))))
            others_beyond = Not(And((formula_of(_renamed(query, others)), beyond)))
            number = Atom(Compound(("hastype", _renamed(template, odd), Symbol("number"))))
            no_number = Not(And((formula_of(_renamed(query, odd)), Not(number))))
            return And((formula_of(_renamed(query, fresh)), found, others_beyond, no_number))

        value = self.result_of(best, beside)
        return value and (f'@function("max",{value[0]})', value[1])

    def gathered(self, template: Value, query: Value, beside: Beside) -> tuple[str, str] | None:
        """An instance of a template, and the relation that says which ones there are; None where there are none."""
        fresh = self.renaming(set(variables_of(template)))
        formula = formula_of(_renamed(query, fresh), beside.rule.span)
        shared = set(formula_variables(formula)) & beside.used
        name = self.bodies.helper([formula], shared | set(fresh.values()), beside.context, beside.rule)
        return None if name is None else (self.bodies.translation.term(_renamed(template, fresh)), name)

    def renaming(self, variables: set[Variable]) -> dict[Variable, Variable]:
        """A new variable for each."""
        return {variable: self.fresh(str.__str__(variable)) for variable in sorted(variables)}

    def fresh(self, name: str) -> Variable:
        """A variable that no rule has."""
        self.number += 1
        return Variable(f"{name} {self.number}")


def with_lists_counted(parts: Sequence[Formula], is_builtin: Callable[[Value], bool]) -> list[Formula]:
    """A conjunction in which `setofall(X,p,L) & length(L,N)` is one literal about p: the list itself is not needed."""
    lists = {
        part.term[3]: part
        for part in parts
        if isinstance(part, Atom) and _is_about_all(part.term, 3) and isinstance(part.term[3], Variable)
    }
    if not lists:
        return list(parts)
    result: list[Formula] = []
    for part in parts:
        if (
            isinstance(part, Atom)
            and isinstance(part.term, tuple)
            and len(part.term) == 3
            and part.term[0] in OF_LISTS
            and part.term[1] in lists
            and is_builtin(part.term)
        ):
            _, template, query, _ = lists[part.term[1]].term
            whole = Compound((part.term[0], Compound(("setofall", template, query))))
            part = Atom(Compound(("evaluate", whole, part.term[2])), part.span)
        result.append(part)
    for variable, part in lists.items():
        if not any(variable in formula_variables(other) for other in result if other is not part):
            result.remove(part)
    return result


def quoted(text: str) -> str:
    """A constant as clingo reads it."""
    return '"' + text.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"') + '"'


def _is_list_of_all(term: Value) -> bool:
    return _is_about_all(term, 2)


def _is_about_all(term: Value, arity: int) -> bool:
    return isinstance(term, tuple) and term[0] == "setofall" and len(term) == arity + 1


def _evaluation(expression: Value, result: Variable) -> Atom:
    return Atom(Compound(("evaluate", expression, result)))


def _renamed(term: Any, names: dict[Variable, Variable]) -> Any:
    if isinstance(term, Variable):
        return names.get(term, term)
    if isinstance(term, tuple):
        return Compound((term[0], *(_renamed(part, names) for part in term[1:])))
    return Symbol(term)


def _unknown(name: str) -> LimitExceeded:
    return LimitExceeded("grounding", "builtins of known values", doing=f"grounding {name}(...)")
