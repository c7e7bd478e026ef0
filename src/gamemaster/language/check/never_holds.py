"""Conditions that never hold for one of their arguments, and facts that base declares in vain.

Names are looked at, and of numbers those that count: a sheet that is written for many sizes asks for cells that the
smaller have not, but a counter that is asked for what it never reaches is a mistake.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from collections.abc import Set as AbstractSet
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
TWO_OPERANDS = frozenset({"plus", "minus", "times", "quotient", "remainder"})
NEAR = 0.7
WHY = {
    "fact": "no initial fact and no move puts it there",
    "move": "no legal move has it there",
    "view": "no rule puts it there",
}
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
    for kind, term, span, counts in _asked(sheet):
        for slot, name in _names(kind, term, counts=counts):
            first.setdefault((slot, name), span)
    found = (_strange(sheet, known, slot, name, span) for (slot, name), span in first.items())
    return [*islice((f for f in found if f and f.place not in blamed), MOST_SHOWN)]


def _asked(sheet: Sheet) -> Iterator[tuple[str, Value, Span, bool]]:
    """The facts, moves and views that bodies ask for, and whether numbers in them have to be some that occur."""
    for use in sheet.uses:
        term, counts = use.atom.term, not use.negative
        if not sheet.is_epilog and use.relation == ("true", 1):
            yield "fact", term[1], use.atom.span, counts
        elif not sheet.is_epilog and use.relation == ("does", 2):
            yield "move", term[2], use.atom.span, False
        elif use.relation in sheet.rules_of:
            yield "view", term, use.atom.span, False
        elif sheet.is_epilog and use.relation[0] not in sheet.views:
            yield "fact", term, use.atom.span, counts
    for handler in sheet.rules.handlers:
        yield "move", handler.operation, handler.span, False


def _names(kind: str, term: Value, *, counts: bool) -> Iterator[tuple[Slot, str]]:
    """The names among the arguments of an atom, each with its slot; the number of a counter is one, too."""
    args = term[1:] if isinstance(term, tuple) else ()
    for number, arg in enumerate(args):
        if isinstance(arg, Symbol) and (number_of(arg) is None or (counts and len(args) == 1)):
            yield (kind, term[0], len(term) - 1, number), str.__str__(arg)


def _strange(sheet: Sheet, known: Occurring, slot: Slot, name: str, span: Span) -> Finding | None:
    """The finding for a name in a slot; for a view only where another is meant: such tables are often cut short."""
    names = known.at(slot)
    if names is None or not names or name in names or name in _declared(known, slot):
        return None
    if number_of(name) is not None:
        return _beyond(sheet, slot, name, names, span)
    near = get_close_matches(name, sorted(n for n in names if number_of(n) is None)[:1000], n=1, cutoff=NEAR)
    variable = "" if near else _as_variable(sheet, name)
    if slot[0] == "view" and not near:
        return None
    meant = f"; did you mean {near[0]}?" if near else ""
    hint = f"write {near[0]}" if near else f"what can stand there: {_listed(names)}"
    if variable:
        meant = f"; did you mean the variable {variable}?"
        begin = "?" if sheet.rules.notation == "kif" else "a capital letter"
        hint = f"variables begin with {begin}: write {variable}; else {hint}"
    message = f"{slot[1]} never has {name} as its {_ordinal(slot[3])} argument: {WHY[slot[0]]}{meant}"
    return sheet.warning("never-holds", message, sheet.place_of_word(name, span), hint)


def _as_variable(sheet: Sheet, name: str) -> str:
    """The variable that a name may be meant for: a single letter, or one that is written as the sheet's variables."""
    if name.isalpha() and (len(name) == 1 or name.lower() in sheet.variables):
        return sheet.variable(name)
    return ""


def _beyond(sheet: Sheet, slot: Slot, name: str, names: AbstractSet[str], span: Span) -> Finding | None:
    """The finding for a number that a counter is asked for and never has."""
    if any(number_of(each) is None for each in names):
        return None
    message = f"{slot[1]} is never {name}: no initial fact and no move makes it so"
    missing = next(_missing_rows(sheet, name), "")
    more = f"{missing} is missing" if missing else "let it go on"
    hint = f"what it can be: {_listed(names)}; ask for one of these, or {more}"
    return sheet.warning("never-holds", message, sheet.place_of_word(name, span), hint)


def _missing_rows(sheet: Sheet, name: str) -> Iterator[str]:
    """The row that a table of successors lacks to lead to a number: it ends with the one before."""
    before = str(int(number_of(name) or 0) - 1)
    for (table, arity), rules in sheet.rules_of.items():
        if arity == 2 and len(rules) > 1 and not any(rule.body for rule in rules):
            firsts, seconds = ({str(rule.head[place]) for rule in rules} for place in (1, 2))
            if before in seconds - firsts and name not in seconds:
                yield sheet.atom(table, before, name)


def _listed(names: AbstractSet[str]) -> str:
    """Names for people, numbers in their order; of many the first ones and the last."""
    ordered = sorted(names, key=lambda name: (number_of(name) or 0, name))
    return ", ".join(ordered if len(ordered) <= 5 else [*ordered[:3], "...", ordered[-1]])


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


def find_lone_operands(sheet: Sheet) -> list[Finding]:
    """Calculations with one number only: minus(P,Q) says that Q is -P."""
    found = []
    for atom, _ in sheet.builtin_uses:
        name, arity = relation_of(atom.term)
        if name in TWO_OPERANDS and arity == 2:
            first, last = (sheet.show(arg) for arg in atom.term[1:])
            is_what = f"-{first}" if name == "minus" else first
            message = f"{name} has 2 arguments here, so {last} is {is_what}: nothing is calculated with another number"
            hint = f"give it 3 arguments, the result last: {sheet.atom(name, first, '...', last)}"
            found.append(sheet.warning("arity", message, sheet.place_of_word(name, atom.span), hint))
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
    find_lone_operands,
    find_never_made,
)
