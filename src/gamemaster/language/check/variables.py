"""Variables and names that were mixed up: one letter wrong, a capital or a ? forgotten, infix notation in KIF."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice, pairwise

from gamemaster.language.check.sheet import Sheet
from gamemaster.language.check.slips import differ_by_a_letter
from gamemaster.language.findings import Finding
from gamemaster.language.rules import Definition, Rule, Sentence, relation_of
from gamemaster.language.syntax import sentence_terms, sentence_variables
from gamemaster.language.terms import Symbol, Term, Value, Variable

__all__ = ["VARIABLE_CHECKS"]

SHORTEST = 4
"""Letters of a variable that may be misspelt: short ones differ by a letter as a rule."""

MOST_SHOWN = 50
CALL = re.compile(r"[^\s()]+\([^()\n]*\)")


def find_misspelt_variables(sheet: Sheet) -> list[Finding]:
    """Variables that stand in a sentence once, beside one that differs in a letter."""
    found = []
    for sentence in sheet.rules.sentences:
        if isinstance(sentence, Definition) or (isinstance(sentence, Rule) and not sentence.body):
            continue
        counts = Counter(v for v in sentence_variables(sentence) if len(v) >= SHORTEST and not v.is_anonymous)
        for variable in [v for v, count in counts.items() if count == 1] if len(counts) > 1 else ():
            near = next((v for v in counts if v != variable and differ_by_a_letter(v, variable)), None)
            if near and counts[near] > 1:
                found.append(_misspelt(sheet, sentence, variable, near))
    return found[:MOST_SHOWN]


def _misspelt(sheet: Sheet, sentence: Sentence, variable: Variable, near: Variable) -> Finding:
    odd, meant = sheet.show(variable), sheet.show(near)
    message = f"{odd} stands here once, and is another variable than {meant}; did you mean {meant}?"
    place = sheet.place_of_variable(variable, sentence.span, sentence.span)
    return sheet.warning("misspelt", message, place, f"write {meant}, or _ for what nobody needs")


# A name for a variable


def find_names_for_variables(sheet: Sheet) -> list[Finding]:
    """Names where all other sentences have variables, while the variable of that name stands beside them once."""
    suspects: list[tuple[Sentence, str, tuple[str, int, int]]] = []
    for sentence in sheet.rules.sentences:
        counts = Counter(str.__str__(v).lower() for v in sentence_variables(sentence))
        lone = {name for name, count in counts.items() if count == 1}
        if lone:
            arguments = ((n, slot) for term in sentence_terms(sentence) for slot, n in _arguments(term))
            suspects += [(sentence, name, slot) for name, slot in arguments if name.lower() in lone]
    if not suspects:
        return []
    slots: Counter[tuple[str, int, int]] = Counter()
    names: Counter[str] = Counter()
    for sentence in sheet.rules.sentences:
        here = [argument for term in sentence_terms(sentence) for argument in _arguments(term)]
        slots.update(slot for slot, _ in here)
        names.update({name for _, name in here})
    odd = [(s, name) for s, name, slot in suspects if slots[slot] == 1 and names[name] > 1]
    return [_name(sheet, sentence, name) for sentence, name in islice(odd, MOST_SHOWN)]


def _arguments(term: Term | Value) -> Iterator[tuple[tuple[str, int, int], str]]:
    """The names in a term, each with what it is which argument of."""
    if isinstance(term, tuple):
        for number, part in enumerate(term[1:]):
            if isinstance(part, Symbol):
                yield (*relation_of(term), number), str.__str__(part)
            else:
                yield from _arguments(part)


def _name(sheet: Sheet, sentence: Sentence, name: str) -> Finding:
    variable = sheet.variable(name)
    message = f"{name} is a name here, and {variable} a variable that nothing else in the sentence has"
    place = sheet.place_of_word(name, sentence.span)
    return sheet.warning("constant", message, place, f"write {variable} if that is meant")


# Infix notation in KIF


def find_infix_calls(sheet: Sheet) -> list[Finding]:
    """Facts like `shape(rock)` in KIF, which are read as two: shape, and (rock)."""
    if sheet.rules.notation != "kif":
        return []
    text, found = sheet.rules.source.text, []
    for first, second in pairwise(sheet.rules.sentences):
        call = CALL.match(text, first.span.start) if first.span.end == second.span.start else None
        if call and text[first.span.start] != "(" and text[second.span.start] == "(":
            name, _, args = call[0][:-1].partition("(")
            right = sheet.atom(name, *re.split(r"[\s,]+", args.strip()))
            message = f"{call[0]} is infix notation: in KIF it is read as two facts"
            found.append(sheet.warning("notation", message, sheet.place(first.span), f"write {right}"))
    return found[:MOST_SHOWN]


VARIABLE_CHECKS: tuple[Callable[[Sheet], list[Finding]], ...] = (
    find_misspelt_variables,
    find_names_for_variables,
    find_infix_calls,
)
