"""Recursion that has no end: rules that make ever larger terms or numbers, with nothing to stop them.

A rule is blamed only if nothing in it could stop it. Read from the recursive subgoal to the head, it grows
if one of the subgoal's variables stands deeper in the head, or the head has a number computed from it; read
from the head to the subgoal, if the subgoal has a number computed from the head. Any other condition on
these variables (a table, a comparison, a negation) may be what ends it, so there is then no finding; nor is
there one where the rule takes apart a term that its users always bring, as in the usual rules about lists.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from gamemaster.language.builtins import number_of
from gamemaster.language.check.binding import inputs_of, outputs_of
from gamemaster.language.check.modes import Modes, find_modes
from gamemaster.language.check.sheet import Sheet
from gamemaster.language.dependency import Dependencies
from gamemaster.language.findings import Finding
from gamemaster.language.rules import And, Atom, Formula, Or, Rule, formula_variables, name_of, relation_of
from gamemaster.language.terms import Value, Variable, variables_of

__all__ = ["find_endless_recursion"]

LONGEST_CHAIN = 20
"""Builtins that feed each other are followed this far."""


def find_endless_recursion(sheet: Sheet) -> list[Finding]:
    """An error for each recursive rule that makes ever larger terms or numbers with nothing to stop it."""
    rules = (*sheet.rules.rules, *_nested_operations(sheet))
    dependencies = Dependencies(rules, sheet.builtins)
    suspects: list[tuple[_Growth, Variable]] = []
    for rule in rules:
        if rule.body and dependencies.component_of[relation_of(rule.head)] in dependencies.recursive:
            growth = _Growth(sheet, rule, dependencies)
            suspects += [(growth, variable) for variable in islice(growth.variables(), 1)]
    modes = find_modes(sheet) if suspects else Modes()
    return [
        _endless(growth, variable)
        for growth, variable in suspects
        if not growth.takes_known_term_apart(modes)
    ]


def _nested_operations(sheet: Sheet) -> Iterator[Rule]:
    """For each operation that a handler makes happen, the rule that says so."""
    for handler in sheet.rules.handlers:
        for effect in handler.effects:
            if isinstance(effect, Atom) and relation_of(effect.term) in sheet.operations:
                body = (Atom(handler.operation, handler.span), *handler.condition)
                yield Rule(effect.term, body, handler.span, effect.span)


def _endless(growth: _Growth, variable: Variable) -> Finding:
    sheet, rule, shown = growth.sheet, growth.rule, growth.sheet.show(variable)
    message = (
        f"{name_of(rule.head)} never ends: each {shown} leads to a larger one, and no condition stops it"
    )
    place = sheet.place_of_variable(variable, rule.head_span, rule.span)
    hint = f"add a condition that holds for only so many {shown}"
    if growth.equations:
        hint += f", such as {sheet.atom('less', shown, '100')}"
    return sheet.error("endless-recursion", message, place, hint)


@dataclass(frozen=True, slots=True)
class _Equation:
    """A builtin that computes `output` from `inputs`; `grows` if the result may be larger than they are."""

    inputs: frozenset[Variable]
    output: Variable
    grows: bool


class _Growth:
    """One recursive rule, its body sorted into recursive subgoals, equations and what may stop it."""

    def __init__(self, sheet: Sheet, rule: Rule, dependencies: Dependencies) -> None:
        self.sheet = sheet
        self.rule = rule
        self.dependencies = dependencies
        self.component = dependencies.component_of[relation_of(rule.head)]
        self.subgoals: list[Value] = []
        self.equations: list[_Equation] = []
        self.stopped: set[Variable] = set()
        for part in rule.body:
            self.sort(part)

    def sort(self, part: Formula) -> None:
        """Puts a part of the body where it belongs."""
        match part:
            case And(parts) | Or(parts):
                for inner in parts:
                    self.sort(inner)
            case Atom(term) if self.dependencies.component_of.get(relation_of(term)) == self.component:
                self.subgoals.append(term)
            case Atom(term) if name_of(term) in self.sheet.builtins and (equations := list(_equations(term))):
                self.equations += equations
            case _:
                self.stopped.update(formula_variables(part))

    def variables(self) -> Iterator[Variable]:
        """The variables that grow from one round to the next."""
        below = {variable for subgoal in self.subgoals for variable in variables_of(subgoal)}
        above = set(variables_of(self.rule.head))
        upwards, downwards = self.derived(below), self.derived(above)
        yield from self.deeper(upwards)
        yield from (variable for variable, grows in upwards.items() if grows and variable in above)
        yield from (variable for variable, grows in downwards.items() if grows and variable in below)

    def derived(self, start: set[Variable]) -> dict[Variable, bool]:
        """The variables computed from those at the start, no condition in between, and whether they grow."""
        found = dict.fromkeys(start - self.stopped, False)
        for _ in range(LONGEST_CHAIN):
            size = len(found)
            for equation in self.equations:
                source = next((variable for variable in equation.inputs if variable in found), None)
                if (
                    source is not None
                    and equation.output not in found
                    and equation.output not in self.stopped
                ):
                    found[equation.output] = found[source] or equation.grows
            if len(found) == size:
                break
        return found

    def deeper(self, derived: dict[Variable, bool]) -> Iterator[Variable]:
        """The variables that stand deeper in the head than in the subgoals."""
        below = dict(_depths(self.subgoals))
        for variable, depth in _depths([self.rule.head]):
            if variable in derived and depth > below.get(variable, 1):
                yield variable

    def takes_known_term_apart(self, modes: Modes) -> bool:
        """Whether the subgoal asks about a part of an argument that every use of the relation brings."""
        if not isinstance(self.rule.head, tuple):
            return False
        below = {variable for subgoal in self.subgoals for variable in variables_of(subgoal)}
        known = modes.always_known(relation_of(self.rule.head))
        args = [arg for i, arg in enumerate(self.rule.head[1:]) if i in known]
        return any(isinstance(arg, tuple) and below & set(variables_of(arg)) for arg in args)


def _equations(term: Value) -> Iterator[_Equation]:
    """What a builtin literal computes, if it gives a variable a value."""
    if name_of(term) == "same" and len(term) == 3:
        for one, other in ((term[1], term[2]), (term[2], term[1])):
            if isinstance(one, Variable):
                yield _Equation(frozenset(variables_of(other)), one, isinstance(other, tuple))
        return
    inputs = frozenset(variable for arg in inputs_of(term) for variable in variables_of(arg))
    for output in outputs_of(term):
        if isinstance(output, Variable):
            yield _Equation(inputs, output, _grows(term))


def _grows(term: Value) -> bool:
    """Whether a builtin surely gives a new number each time: it adds a constant, not 0, to a variable.

    Sums of variables, products and the like may come to a standstill, and get the benefit of the doubt.
    """
    expression = term[1] if name_of(term) == "evaluate" else term[:-1]
    if not isinstance(expression, tuple) or expression[0] not in ("plus", "minus"):
        return False
    first, *others = expression[1:] if expression[0] == "minus" else sorted(expression[1:], key=_is_constant)
    numbers = [number_of(other) for other in others if _is_constant(other)]
    return isinstance(first, Variable) and len(numbers) == len(others) and any(numbers)


def _is_constant(term: Value) -> bool:
    return not isinstance(term, Variable | tuple)


def _depths(terms: Iterable[Value]) -> Iterator[tuple[Variable, int]]:
    """Each variable of some atoms with the greatest depth at which it stands: 1 for an argument itself."""
    deepest: dict[Variable, int] = {}
    todo = [(term, 0) for term in terms]
    while todo:
        term, depth = todo.pop()
        if isinstance(term, Variable):
            deepest[term] = max(depth, deepest.get(term, 0))
        elif isinstance(term, tuple):
            todo += [(part, depth + 1) for part in term[1:]]
    yield from deepest.items()
