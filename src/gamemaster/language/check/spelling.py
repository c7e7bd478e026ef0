"""How things are written: what reads well but says something else than its author thinks, or nothing.

All of it has a meaning, and public rulesheets with it play: these are warnings, or notes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from gamemaster.language.check.mentions import (
    Mention,
    asked_facts,
    asked_moves,
    made_facts,
    made_moves,
)
from gamemaster.language.check.sheet import Sheet, atoms_of
from gamemaster.language.check.slips import is_foreign
from gamemaster.language.findings import Finding
from gamemaster.language.rules import Handler, Relation, Rule, effect_term, name_of, relation_of
from gamemaster.language.terms import Symbol, Value

__all__ = ["SPELLING_CHECKS"]

ARROW = re.compile(r"\(\s*<=(?=[\s()])")
OFTEN_NAMES = frozenset({"control", "base", "action", "input"})
"""Words that facts and moves are called by all the same, with good reason."""

COMPARISONS = frozenset({"distinct", "same"})


def find_empty_bodies(sheet: Sheet) -> list[Finding]:
    """Rules of KIF without a condition: a fact in the clothes of a rule, or a rule whose conditions are missing."""
    if sheet.rules.notation != "kif":
        return []
    text = sheet.rules.source.text
    return [
        sheet.warning(
            "empty-body",
            f"the rule for {sheet.show(rule.head)} has no condition, so it always holds",
            sheet.place(rule.span),
            f"add its conditions, or write the fact {sheet.show(rule.head)}",
        )
        for rule in sheet.rules.rules
        if not rule.body and ARROW.match(text, rule.span.start, rule.span.end)
    ]


def find_empty_brackets(sheet: Sheet) -> list[Finding]:
    """Brackets around nothing, where the same name stands without, or where a relation needs none.

    `(noop)` and `noop` are two terms, and never equal; for the relation `terminal` both are read as one.
    """
    plain = {str.__str__(part) for mention in _atoms(sheet) for part in _parts(mention.term, Symbol)}
    first: dict[str, Finding] = {}
    for mention in _atoms(sheet):
        for depth, part in enumerate(_parts(mention.term, tuple)):
            if len(part) == 1 and part[0] not in first and (not depth or part[0] in plain):
                first[part[0]] = _empty_brackets(sheet, part[0], mention, is_relation=not depth)
    return list(first.values())


def _empty_brackets(sheet: Sheet, name: str, mention: Mention, *, is_relation: bool) -> Finding:
    written = f"({name})" if sheet.rules.notation == "kif" else f"{name}()"
    why = "it is read as" if is_relation else "it is not the same as"
    message = f"{written} has brackets around nothing: {why} {name}"
    return sheet.warning("brackets", message, sheet.place_of_word(name, mention.span), f"write {name}")


def find_nested_words(sheet: Sheet) -> list[Finding]:
    """Words of the language inside a term, where they are names like any other; each where it first stands."""
    words = {word for word in sheet.words.items() if word[1] and word[0] not in OFTEN_NAMES} | {("true", 1)}
    first: dict[Relation, Mention] = {}
    for mention in _atoms(sheet):
        for part in _inner(mention.term) if not is_foreign(sheet, mention.relation[0]) else ():
            if relation_of(part) in words:
                first.setdefault(relation_of(part), mention)
    return [
        sheet.warning(
            "nested-word",
            f"{name} stands inside {sheet.show(mention.term)}, where it is only a name and asks for nothing",
            sheet.place_of_word(name, mention.span),
            _unnested(sheet, name, mention)
            or f"make it a condition of its own, or give what is meant another name than {name}",
        )
        for (name, _), mention in first.items()
    ]


def _unnested(sheet: Sheet, name: str, mention: Mention) -> str:
    """What is meant by (init (true p)) and (next (true p))."""
    outer = mention.relation
    if name != "true" or outer not in (("init", 1), ("next", 1), ("base", 1), ("true", 1)):
        return ""
    inner = mention.term[1]
    if relation_of(inner) != ("true", 1):
        return ""
    return f"leave out true, as {outer[0]} is about facts: {sheet.atom(outer[0], sheet.show(inner[1]))}"


def find_functor_arities(sheet: Sheet) -> list[Finding]:
    """Names inside facts and moves with several numbers of arguments, which never match each other."""
    first: dict[str, dict[int, Mention]] = {}
    for mention in _atoms(sheet):
        for part in _deep(sheet, mention.term):
            name, arity = relation_of(part)
            first.setdefault(name, {}).setdefault(arity, mention)
    return [
        _mixed_arity(sheet, name, odd, next(iter(arities.items())))
        for name, arities in first.items()
        for odd in [*arities.items()][1:]
    ]


def find_shared_names(sheet: Sheet) -> list[Finding]:
    """Facts and moves of GDL with the name of a relation that has another number of arguments.

    A note: there they are apart, and many sheets mean it so (`(cell ?x ?y)` is a place, `(true (cell ?x ?y ?z))` what
    it has).
    """
    if sheet.is_epilog:  # there they share their names, see find_mixed_arity
        return []
    relations: dict[str, dict[int, Mention]] = {}
    for mention in _atoms(sheet):
        if mention.relation[1] and mention.relation[0] not in sheet.words:
            relations.setdefault(mention.relation[0], {}).setdefault(mention.relation[1], mention)
    first: dict[str, tuple[int, Mention]] = {}
    for ask in (made_facts, asked_facts, made_moves, asked_moves):
        for mention in ask(sheet):
            name, arity = ("", 0) if mention.is_open else mention.relation
            if arity and name in relations and arity not in relations[name]:
                first.setdefault(name, (arity, mention))
    mixed = (
        _mixed_arity(sheet, name, odd, next(iter(relations[name].items()))) for name, odd in first.items()
    )
    return [replace(finding, severity="note") for finding in mixed]


def _mixed_arity(sheet: Sheet, name: str, odd: tuple[int, Mention], usual: tuple[int, Mention]) -> Finding:
    """The finding for a name with one number of arguments where it is mentioned, and another elsewhere."""
    line = sheet.place(usual[1].span).line
    message = f"{name} has {_arguments(odd[0])} here but {usual[0]} at line {line}"
    hint = "if they are two things, give one another name; if not, give both the same arguments"
    return sheet.warning("mixed-arity", message, sheet.place_of_word(name, odd[1].span), hint)


def _arguments(count: int) -> str:
    return f"{count} argument" + "s" * (count != 1)


# What a sheet is made of


def _atoms(sheet: Sheet) -> Iterator[Mention]:
    """Every head, condition, operation and effect; not builtins that calculate or count, whose terms are more."""
    for sentence in sheet.rules.sentences:
        if isinstance(sentence, Rule):
            yield Mention(sentence.head, sentence.head_span)
            body = sentence.body
        elif isinstance(sentence, Handler):
            yield Mention(sentence.operation, sentence.span)
            yield from (Mention(effect_term(effect), effect.span) for effect in sentence.effects)
            body = sentence.condition
        else:
            continue
        for atom in (atom for part in body for atom in atoms_of(part)):
            if name_of(atom.term) not in sheet.builtins or name_of(atom.term) in COMPARISONS:
                yield Mention(atom.term, atom.span)


def _parts(term: Value, kind: type) -> Iterator[Value]:
    """The parts of a term of a kind, itself the first."""
    if isinstance(term, kind):
        yield term
    if isinstance(term, tuple):
        for part in term[1:]:
            yield from _parts(part, kind)


def _inner(term: Value) -> Iterator[Value]:
    """The compounds inside a term."""
    parts = _parts(term, tuple)
    if isinstance(term, tuple):
        next(parts)
    return parts


def _deep(sheet: Sheet, term: Value) -> Iterator[Value]:
    """The compounds that are neither an atom nor, inside a word of the language, a fact or a move."""
    args = term[1:] if isinstance(term, tuple) else ()
    is_word = isinstance(term, tuple) and term[0] in sheet.words
    for arg in args:
        yield from _inner(arg) if is_word else _parts(arg, tuple)


SPELLING_CHECKS: tuple[Callable[[Sheet], list[Finding]], ...] = (
    find_empty_bodies,
    find_empty_brackets,
    find_nested_words,
    find_functor_arities,
    find_shared_names,
)
