"""Variables without a value: in heads, facts, builtins and effects, and what a negation makes of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from difflib import get_close_matches

from gamemaster.language.check.binding import Reading, needed_variables, read_body
from gamemaster.language.check.modes import Asked, Modes, find_modes
from gamemaster.language.check.sheet import Sheet
from gamemaster.language.findings import Finding
from gamemaster.language.operators import sum_in_term
from gamemaster.language.rules import Atom, Definition, Handler, Not, Rule, name_of
from gamemaster.language.source import Span
from gamemaster.language.syntax import formula_term, sentence_variables
from gamemaster.language.terms import Variable, variables_of

__all__ = ["find_unsafe"]

NEAR, SHORTEST = 0.7, 3
"""How alike two variables are of which one may be meant for the other, and how long they have to be for that."""


def find_unsafe(sheet: Sheet) -> list[Finding]:
    """Every variable without a value where one is needed, or with one that the author may not have meant."""
    modes = find_modes(sheet)
    found: list[Finding] = []
    for sentence in sheet.rules.sentences:
        if isinstance(sentence, Rule):
            found += _check_rule(sheet, sentence, modes)
        elif isinstance(sentence, Handler):
            found += _check_handler(sheet, sentence, modes.of_handler[id(sentence)])
        else:
            found += _check_definition(sheet, sentence)
    return found


@dataclass
class _Sentence:
    """A rule or handler under check; `blamed` are the variables already reported as being without a value.

    A rule that play never asks does no harm: what would be an error in it is a warning.
    """

    sheet: Sheet
    span: Span
    variables: frozenset[Variable]
    is_unused: bool = False
    blamed: set[Variable] = field(default_factory=set)

    def name(self, variable: Variable) -> str:
        return self.sheet.show(variable)

    def binding_hint(self, variable: Variable) -> str:
        meant = sum_in_term(str(variable))
        if meant and self.sheet.rules.notation != "kif":
            return f"{variable} is the name of a variable: {meant}"
        others = [str.__str__(other) for other in self.variables - {variable} if len(other) >= SHORTEST]
        near = (
            get_close_matches(variable, sorted(others), n=1, cutoff=NEAR) if len(variable) >= SHORTEST else []
        )
        meant = f"write {self.name(Variable(near[0]))} if that is meant, or " if near else ""
        return f"{meant}add a condition, not negated, that gives {self.name(variable)} its values"

    def fact_hint(self, variable: Variable, rule: Rule) -> str:
        """What to do about a variable in a fact: it is a name in capitals, or the rest of the sentence before it."""
        sheet, name = self.sheet, self.name(variable)
        text = sheet.rules.source.text
        line = text.rfind("\n", 0, rule.span.start) + 1
        before = text[line : rule.span.start]
        if sheet.rules.notation == "kif":
            return f"write a constant in place of {name}, or a rule whose body gives {name} its values"
        if before.rstrip().endswith(")") and (":-" in before or "::" in before):
            return f"is an & missing before {sheet.show(rule.head)}? it is read as a sentence of its own"
        small = f"{name[0].lower()}{name[1:]}"
        why = f"{name} is a variable, as it begins with a capital letter"
        return f"{why}: write {small}, or a rule that gives {name} its values"


def _check_rule(sheet: Sheet, rule: Rule, modes: Modes) -> Iterator[Finding]:
    """The findings in one rule or fact."""
    variables = dict.fromkeys(variables_of(rule.head))
    if not rule.body and not variables:
        return
    unasked = read_body(rule.body, (), sheet.builtins, in_order=sheet.is_epilog)
    asked = modes.of_rule.get(id(rule), [])
    everything = frozenset(sentence_variables(rule))
    sentence = _Sentence(sheet, rule.span, everything, is_unused=not asked)
    for variable in variables:
        if variable in unasked.bound:
            continue
        if not asked:
            yield _unsafe_but_unused(sentence, rule, variable)
        elif failing := next((way for way in asked if variable not in way.reading.bound), None):
            yield _unsafe_head(sentence, rule, variable, failing)
        else:
            yield _bound_by_caller(sentence, rule, variable)
            continue
        sentence.blamed.add(variable)
    yield from _check_readings(sentence, [way.reading for way in asked] or [unasked])


def _check_handler(sheet: Sheet, handler: Handler, reading: Reading) -> Iterator[Finding]:
    """The findings in one handler."""
    sentence = _Sentence(sheet, handler.span, frozenset(sentence_variables(handler)))
    for effect in handler.effects:
        term = formula_term(effect)
        for variable in dict.fromkeys(variables_of(term)):
            if variable not in reading.bound:
                yield _unsafe_effect(sentence, effect, variable)
                sentence.blamed.add(variable)
    yield from _check_readings(sentence, [reading])


def _check_definition(sheet: Sheet, definition: Definition) -> Iterator[Finding]:
    """The findings in one definition: its expression may use only the variables of its head."""
    known = set(variables_of(definition.head))
    for variable in dict.fromkeys(needed_variables(definition.expression)):
        if variable not in known:
            shown = sheet.show(variable)
            place = sheet.place_of_variable(variable, definition.span, definition.span)
            message = f"{shown} has no value in the definition of {name_of(definition.head)}"
            yield sheet.error(
                "unsafe", message, place, f"make {shown} an argument of {name_of(definition.head)}"
            )


def _check_readings(sentence: _Sentence, readings: Iterable[Reading]) -> Iterator[Finding]:
    """The findings about builtins and negations, each once however often the sentence is read."""
    seen: set[tuple[Variable, int]] = set()
    to_move: set[int] = set()  # negations that stand too far left; moving one helps all its variables
    for reading in readings:
        for variable, atom in reading.missing:
            if variable not in sentence.blamed and (variable, id(atom)) not in seen:
                seen.add((variable, id(atom)))
                yield _unsafe_builtin(sentence, atom, variable, later=variable in reading.bound)
        for variable, part in reading.local:
            if variable in sentence.blamed or variable.is_anonymous or (variable, id(part)) in seen:
                continue
            seen.add((variable, id(part)))
            if variable in reading.bound and id(part) not in to_move:
                to_move.add(id(part))
                yield _negation_order(sentence, part, variable)
            elif variable not in reading.bound and isinstance(part, Not):
                yield _none_exists(sentence, part, variable)


# Messages


def _unsafe_head(sentence: _Sentence, rule: Rule, variable: Variable, way: Asked) -> Finding:
    sheet, name = sentence.sheet, sentence.name(variable)
    place = sheet.place_of_variable(variable, rule.head_span, rule.span)
    what = f"{name} has no value in the {'head' if rule.body else 'fact'} {sheet.show(rule.head)}"
    if way.call:
        what += f", and line {sheet.place(way.call.atom.span).line} asks for it"
    hint = sentence.binding_hint(variable) if rule.body else sentence.fact_hint(variable, rule)
    return sheet.error("unsafe", what, place, hint)


def _unsafe_but_unused(sentence: _Sentence, rule: Rule, variable: Variable) -> Finding:
    sheet, name = sentence.sheet, sentence.name(variable)
    place = sheet.place_of_variable(variable, rule.head_span, rule.span)
    what = f"{name} has no value in {sheet.show(rule.head)}, which does no harm only because nothing uses it"
    hint = sentence.binding_hint(variable) if rule.body else sentence.fact_hint(variable, rule)
    return sheet.warning("unsafe", what, place, f"{hint}, or remove the rule" if rule.body else hint)


def _bound_by_caller(sentence: _Sentence, rule: Rule, variable: Variable) -> Finding:
    sheet, name = sentence.sheet, sentence.name(variable)
    place = sheet.place_of_variable(variable, rule.head_span, rule.span)
    what = f"nothing here gives {name} a value: it has only the one that uses of {name_of(rule.head)} bring"
    hint = sentence.binding_hint(variable) + ", so that the rule can be understood on its own"
    return Finding("bound-by-caller", "note", what, place, hint)


def _unsafe_effect(sentence: _Sentence, effect: Atom | Not, variable: Variable) -> Finding:
    sheet, name = sentence.sheet, sentence.name(variable)
    place = sheet.place_of_variable(variable, effect.span, sentence.span)
    hint = sentence.binding_hint(variable)
    if not sum_in_term(str(variable)):
        hint += ", or make it an argument of the operation"
    what = f"{name} has no value in the effect {sheet.show(formula_term(effect))}"
    return sheet.error("unsafe", what, place, hint)


def _unsafe_builtin(sentence: _Sentence, atom: Atom, variable: Variable, *, later: bool) -> Finding:
    sheet = sentence.sheet
    place = sheet.place_of_variable(variable, atom.span, sentence.span)
    what = f"{sentence.name(variable)} has no value in {sheet.show(atom.term)}"
    hint = sentence.binding_hint(variable)
    if later and sheet.is_epilog:
        what += " yet"
        hint = f"move this condition to the right of the one that gives {sentence.name(variable)} its values"
    report = sheet.warning if sentence.is_unused else sheet.error
    return report("unsafe", what, place, hint)


def _negation_order(sentence: _Sentence, part: Not | Atom, variable: Variable) -> Finding:
    sheet, name = sentence.sheet, sentence.name(variable)
    place = sheet.place_of_variable(variable, part.span, sentence.span)
    what = f"{name} has no value yet in {sheet.show(formula_term(part))}, which is read for every {name}"
    if isinstance(part, Not):
        what = f"{name} has no value yet in {sheet.show(formula_term(part))}, read as: there is none at all"
    return sheet.warning(
        "negation-order", what, place, f"move it to the right of the condition that gives {name}"
    )


def _none_exists(sentence: _Sentence, part: Not, variable: Variable) -> Finding:
    sheet, name = sentence.sheet, sentence.name(variable)
    place = sheet.place_of_variable(variable, part.span, sentence.span)
    shown = sheet.show(formula_term(part))
    what = f"{name} occurs only inside {shown}, read as: there is no such {name}"
    meant = "define a relation that says there is one, and negate that"
    if sheet.rules.notation != "kif" and list(variables_of(formula_term(part))).count(variable) == 1:
        meant = f"write _ for {name}"
    hint = f"if this is meant, {meant}; if not, {sentence.binding_hint(variable)}"
    return sheet.warning("none-exists", what, place, hint)
