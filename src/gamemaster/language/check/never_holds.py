"""Conditions that never hold for one of their arguments, and facts that base declares in vain.

Only names are looked at, not numbers: a sheet that is written for many sizes asks for cells that the smaller have not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from difflib import get_close_matches
from itertools import islice

from gamemaster.errors import Place
from gamemaster.language.builtins import ARITHMETIC, number_of
from gamemaster.language.check.mentions import Mention, declared_facts, made_facts
from gamemaster.language.check.occurring import Occurring, Slot, occurring
from gamemaster.language.check.sheet import Sheet
from gamemaster.language.check.slips import find_constants_for_variables, find_unknown_roles
from gamemaster.language.findings import Finding
from gamemaster.language.rules import Atom, name_of, relation_of
from gamemaster.language.source import Span
from gamemaster.language.terms import Symbol, Value, Variable

__all__ = ["NEVER_CHECKS"]

MOST_SHOWN = 50
NEAR = 0.7
ORDINALS = ("first", "second", "third")


# Names that never stand there


def find_strange_names(sheet: Sheet) -> list[Finding]:
    """Names that conditions ask for where no rule, move or initial fact ever puts them, each where it first stands."""
    known = occurring(sheet)
    blamed = {
        finding.place
        for check in (find_constants_for_variables, find_unknown_roles)
        for finding in check(sheet)
    }
    first: dict[tuple[Slot, str], Span] = {}
    for kind, term, span in _asked(sheet):
        for slot, name in _names(kind, term):
            first.setdefault((slot, name), span)
    found = (_strange(sheet, known, slot, name, span) for (slot, name), span in first.items())
    return [*islice((f for f in found if f and f.place not in blamed), MOST_SHOWN)]


def _asked(sheet: Sheet) -> Iterator[tuple[str, Value, Span]]:
    """The facts and views that bodies ask for."""
    for use in sheet.uses:
        term = use.atom.term
        if not sheet.is_epilog and use.relation == ("true", 1):
            yield "fact", term[1], use.atom.span
        elif use.relation in sheet.rules_of:
            yield "view", term, use.atom.span
        elif sheet.is_epilog and use.relation[0] not in sheet.views:
            yield "fact", term, use.atom.span


def _names(kind: str, term: Value) -> Iterator[tuple[Slot, str]]:
    """The names among the arguments of an atom, each with its slot."""
    for number, arg in enumerate(term[1:] if isinstance(term, tuple) else ()):
        if isinstance(arg, Symbol) and number_of(arg) is None:
            yield (kind, term[0], len(term) - 1, number), str.__str__(arg)


def _strange(sheet: Sheet, known: Occurring, slot: Slot, name: str, span: Span) -> Finding | None:
    """The finding for a name in a slot; for a view only where another is meant: such tables are often cut short."""
    names = known.at(slot)
    if names is None or not names or name in names or name in _declared(known, slot):
        return None
    near = get_close_matches(name, sorted(n for n in names if number_of(n) is None)[:1000], n=1, cutoff=NEAR)
    if slot[0] == "view" and not near:
        return None
    why = "no initial fact and no move puts it there" if slot[0] == "fact" else "no rule puts it there"
    meant = f"; did you mean {near[0]}?" if near else ""
    message = f"{slot[1]} never has {name} as its {_ordinal(slot[3])} argument: {why}{meant}"
    usual = ", ".join(sorted(names)[:4]) + ", ..." * (len(names) > 4)
    hint = f"write {near[0]}" if near else f"what can stand there: {usual}"
    return sheet.warning("never-holds", message, sheet.place_of_word(name, span), hint)


def _declared(known: Occurring, slot: Slot) -> set[str]:
    """The names that base declares in a slot of a fact."""
    _, name, arity, number = slot
    return {*(known.names.get(("base", name, arity, number), ()))} if slot[0] == "fact" else set()


def _ordinal(number: int) -> str:
    return ORDINALS[number] if number < len(ORDINALS) else f"{number + 1}th"


# No numbers


def find_no_numbers(sheet: Sheet) -> list[Finding]:
    """Names and compounds that builtins are to count with."""
    found = []
    for atom, _ in sheet.builtin_uses:
        odd = next(_no_numbers(atom), None)
        if odd is not None:
            shown = sheet.show(odd)
            message = f"{name_of(atom.term)} counts with numbers, and {shown} is none: this never holds"
            place = _place_in(sheet, odd, atom.span)
            found.append(sheet.warning("never-holds", message, place, _number_hint(sheet, odd)))
    return found


def _no_numbers(atom: Atom) -> Iterator[Value]:
    name, arity = relation_of(atom.term)
    for arg in atom.term[1:] if arity and (name in ARITHMETIC or name in ("less", "leq")) else ():
        if not isinstance(arg, Variable) and number_of(arg) is None:
            yield arg


def _place_in(sheet: Sheet, term: Value, span: Span) -> Place:
    return sheet.place_of_word(name_of(term), span)


def _number_hint(sheet: Sheet, odd: Value) -> str:
    if isinstance(odd, tuple):
        variable = "?x" if sheet.rules.notation == "kif" else "X"
        return (
            f"let a condition before it give the number: {sheet.atom('evaluate', sheet.show(odd), variable)}"
        )
    name = str.__str__(odd)
    return "write a number, or a variable that has one" + f": {name.upper()}" * (
        len(name) == 1 and sheet.rules.notation != "kif"
    )


# Declared in vain


def find_never_made(sheet: Sheet) -> list[Finding]:
    """Facts that base declares and nothing ever makes: whole relations, or with a name that never stands there."""
    made = [*made_facts(sheet)]
    if any(fact.is_open for fact in made) or not made:
        return []
    known, relations = occurring(sheet), {fact.relation for fact in made}
    first: dict[str, Mention] = {}
    for fact in declared_facts(sheet):
        if not fact.is_open:
            for what in _vain(known, fact, is_made=fact.relation in relations):
                first.setdefault(what, fact)
    return [_never_made(sheet, what, fact) for what, fact in islice(first.items(), MOST_SHOWN)]


def _vain(known: Occurring, fact: Mention, *, is_made: bool) -> Iterator[str]:
    """What is said of a declared fact that is never made, if it is one."""
    name, arity = fact.relation
    if not is_made:
        yield f"base declares {name}, and no initial fact and no move makes it true"
        return
    for number in range(arity):
        declared, names = known.at(("base", name, arity, number)), known.at(("fact", name, arity, number))
        odd = sorted(n for n in (declared or ()) if number_of(n) is None and n not in (names or ()))
        if names and odd:
            listed = ", ".join(odd[:4]) + ", ..." * (len(odd) > 4)
            yield f"base declares {name} with {listed} as its {_ordinal(number)} argument, and nothing makes it so"


def _never_made(sheet: Sheet, what: str, fact: Mention) -> Finding:
    place = sheet.place_of_word(fact.relation[0], fact.span)
    return Finding("never-made", "note", what, place, "make it true somewhere, or do not declare it")


NEVER_CHECKS: tuple[Callable[[Sheet], list[Finding]], ...] = (
    find_strange_names,
    find_no_numbers,
    find_never_made,
)
