"""Slips of the pen: what has a meaning as it stands, while something very like it is what the author meant.

A name is suspected only where two things agree: it leads nowhere (nothing asks for it, nothing makes it), and another
name that does is spelt almost alike. So sheets that play well have nothing to hear.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from difflib import get_close_matches
from itertools import islice

from gamemaster.errors import Place
from gamemaster.language.check.mentions import (
    Mention,
    asked_facts,
    asked_moves,
    declared_facts,
    deleted_facts,
    made_facts,
    made_moves,
)
from gamemaster.language.check.sheet import Sheet
from gamemaster.language.findings import Finding
from gamemaster.language.kif import WORDS
from gamemaster.language.operators import SUM, sum_in_term
from gamemaster.language.rules import (
    Handler,
    Relation,
    Rule,
    Sentence,
    effect_term,
    formula_variables,
    name_of,
    relation_of,
)
from gamemaster.language.source import Span
from gamemaster.language.syntax import sentence_terms, sentence_variables
from gamemaster.language.terms import Symbol, Term, Value, Variable, variables_of

__all__ = [
    "FOREIGN",
    "SLIP_CHECKS",
    "differ_by_a_letter",
    "find_unknown_roles",
    "is_foreign",
    "is_variable_literal",
    "near_word",
    "plain_roles",
]

ROLE_ARGUMENTS: dict[Relation, int] = {
    ("role", 1): 1,
    ("goal", 2): 1,
    ("legal", 2): 1,
    ("does", 2): 1,
    ("sees", 2): 1,
    ("input", 2): 1,
}
"""Which argument of a word is a role; in Epilog also that of control."""

NEAR = 0.7
"""How alike two names are, from 0 to 1, of which one may be meant for the other."""

LIKE = 0.5
"""The same where they have as many arguments, too, and one of them leads nowhere: og and go."""

MOST_NAMES, MOST_SHOWN = 1000, 50
"""Names that others are compared with, and findings of one kind: comparing spellings is slow."""

LONGEST_SHOWN = 60
"""Letters of the sheet that are shown again as they are meant."""

SYNONYMS = {"reward": "goal", "payoff": "goal", "utility": "goal", "player": "role", "end": "terminal"}
"""What people call the words of the language before they know them."""

FOREIGN = {
    "kif": {
        **dict.fromkeys(("~", "!", "\\+"), "not"),
        **dict.fromkeys((":-", "=>", "<-", "->", "<==", "==>", "-->", "<--", "if"), "<="),
        **dict.fromkeys(("%", "//", "#"), ""),
    },
    "hrf": {"not": "~", "and": "&", "or": "|", "if": ":-", "//": ""},
}
"""Marks of other notations that are names in this one, and what they are written as here."""


def near_word(sheet: Sheet, relation: Relation) -> str | None:
    """The word of the language that a relation nobody uses is meant to be, if there is one with as many arguments."""
    words = [word for word, arity in sheet.words.items() if arity == relation[1]]
    near = [SYNONYMS.get(relation[0], ""), *get_close_matches(relation[0], words, n=1, cutoff=NEAR)]
    word = next((word for word in near if word in words), None)
    return None if word in ("init", "next") and not _gives_facts(sheet, relation) else word


def _gives_facts(sheet: Sheet, relation: Relation) -> bool:
    """Whether a relation is about what bodies ask for as facts."""
    given = {name_of(rule.head[1]) for rule in sheet.rules_of[relation]}
    return any(fact.relation[0] in given for fact in _named(asked_facts(sheet)))


# Marks of another notation


def is_foreign(sheet: Sheet, name: str) -> bool:
    """Whether a name is a mark of another notation."""
    return name in FOREIGN["kif" if sheet.rules.notation == "kif" else "hrf"]


def find_foreign_marks(sheet: Sheet) -> list[Finding]:
    """Marks of other notations, which are read as names: each where it first stands."""
    first: dict[str, Span] = {}
    for name, span in _marks(sheet):
        if is_foreign(sheet, name):
            first.setdefault(name, span)
    return [_foreign(sheet, name, span) for name, span in first.items()]


def _marks(sheet: Sheet) -> Iterator[tuple[str, Span]]:
    """Names that lead nowhere: conditions that nothing defines, facts nobody uses, and names in odd places of those."""
    used = {use.relation[0] for use in sheet.uses}
    defined = {name for name, _ in sheet.rules_of}
    yield from ((use.relation[0], use.atom.span) for use in sheet.uses if use.relation[0] not in defined)
    for rule in sheet.rules.rules:
        if not rule.body and name_of(rule.head) not in used:
            yield name_of(rule.head), rule.span
            for part in rule.head[1:] if isinstance(rule.head, tuple) else ():
                if isinstance(part, Symbol) and part in (":-", "=>", "<-", "->"):
                    yield str.__str__(part), rule.span


def _foreign(sheet: Sheet, name: str, span: Span) -> Finding:
    is_kif = sheet.rules.notation == "kif"
    right = FOREIGN["kif" if is_kif else "hrf"][name]
    example = {
        "not": "(not (p ?x))",
        "<=": "(<= head condition condition)",
        "~": "~p(X)",
        "&": "p(X) & q(X)",
        "|": "p(X) | q(X)",
        ":-": "head :- condition & condition",
        "": "; a comment" if is_kif else "% a comment",
    }[right]
    meant = f"; did you mean {right}?" if right else " here: it is read as a name"
    message = f"{name} is no mark of {'KIF' if is_kif else 'infix notation'}{meant}"
    place = sheet.place_of_word(name, span)
    written = _rewritten(sheet, name, right, span) if is_kif else _negated(place) if right == "~" else ""
    return sheet.warning("notation", message, place, f"write {written or example}")


def _rewritten(sheet: Sheet, name: str, right: str, span: Span) -> str:
    """A short bracket of KIF with the right mark in it."""
    text = sheet.rules.source.text[span.start : span.end]
    begin = re.match(rf"\(\s*{re.escape(name)}(?=[\s()])", text)
    return f"({right}{text[begin.end() :]}" if begin and right and len(text) <= LONGEST_SHOWN else ""


def _negated(place: Place) -> str:
    """What follows a word for `not` in its line, with the mark of infix notation."""
    follows = re.match(r"\w+\s+([a-z]\w*(?:\((?:[^()]|\([^()]*\))*\))?)", place.text[place.column - 1 :])
    return f"~{follows[1]}" if follows else ""


def is_variable_literal(term: Value) -> bool:
    """Whether an atom is what readers make of a variable that stands where a literal belongs."""
    return isinstance(term, Symbol) and str.__str__(term).startswith("?")


def find_variable_literals(sheet: Sheet) -> list[Finding]:
    """Variables where a literal belongs, which the original reads as well: such a literal never holds."""
    return [
        sheet.warning(
            "variable-literal",
            f"variable {sheet.show(Variable(use.relation[0][1:]))} stands where a literal belongs: it never holds",
            sheet.rules.place(use.atom.span),
            f"write a relation, as in {sheet.atom('p', sheet.show(Variable(use.relation[0][1:])))}",
        )
        for use in sheet.uses
        if is_variable_literal(use.atom.term)
    ]


# Roles


def find_unknown_roles(sheet: Sheet) -> list[Finding]:
    """Names where a role must stand that are none, each where it first stands."""
    roles = plain_roles(sheet)
    if not roles or len(roles) > MOST_NAMES:
        return []
    known, first = {*roles}, dict[str, tuple[str, Span]]()
    for word, who, span in _supposed_roles(sheet):
        if isinstance(who, Symbol) and who not in known and len(first) < MOST_SHOWN:
            first.setdefault(str.__str__(who), (word, span))
    found = [(name, *where, get_close_matches(name, roles, n=1, cutoff=0.6)) for name, where in first.items()]
    # in GDL control is a fact like another, though people mean a role
    return [
        _unknown_role(sheet, roles, *each)
        for each in found
        if sheet.is_epilog or each[1] != "control" or each[-1]
    ]


def plain_roles(sheet: Sheet) -> list[str]:
    """The roles, where plain facts name all of them."""
    rules = sheet.rules_of.get(("role", 1), ())
    if any(rule.body or not isinstance(rule.head[1], Symbol) for rule in rules):
        return []
    return [str.__str__(rule.head[1]) for rule in rules]


def _supposed_roles(sheet: Sheet) -> Iterator[tuple[str, Value, Span]]:
    """What stands where a role must, of which word, and where."""
    atoms = [(rule.head, rule.head_span) for rule in sheet.rules.rules]
    atoms += [(use.atom.term, use.atom.span) for use in sheet.uses]
    for term, span in atoms:
        argument = ROLE_ARGUMENTS.get(relation_of(term))
        if argument and (not sheet.is_epilog or relation_of(term) == ("goal", 2)):
            yield term[0], term[argument], span
    for fact in _named((*made_facts(sheet), *asked_facts(sheet))):
        if fact.relation == ("control", 1):
            yield "control", fact.term[1], fact.span


def _unknown_role(
    sheet: Sheet, roles: list[str], name: str, word: str, span: Span, near: list[str]
) -> Finding:
    message = f"{name} is no role, and {word} is about one" + (f"; did you mean {near[0]}?" if near else "")
    shown = sheet.atom("role", name)
    hint = f"write {near[0] if near else ' or '.join(roles[:4])}, or add {shown}"
    return sheet.warning("unknown-role", message, sheet.place_of_word(name, span), hint)


# Constants for variables


def find_constants_for_variables(sheet: Sheet) -> list[Finding]:
    """Constants that stand in one sentence only, beside a variable of the same name: `other(r,S)` beside R."""
    spread: Counter[str] = Counter()
    suspects: list[tuple[str, Sentence]] = []
    for sentence in sheet.rules.sentences:
        constants = {str.__str__(c) for term in sentence_terms(sentence) for c in _constants(term)}
        spread.update(constants)
        variables = {str.__str__(variable).lower() for variable in sentence_variables(sentence)}
        suspects += [(name, sentence) for name in sorted(constants) if name.lower() in variables]
    return [_constant(sheet, name, sentence) for name, sentence in suspects if spread[name] == 1]


def _constants(term: Term) -> Iterator[Symbol]:
    """The symbols inside a term that are not its functors."""
    for part in term[1:] if isinstance(term, tuple) else ():
        if isinstance(part, Symbol):
            yield part
        else:
            yield from _constants(part)


def _constant(sheet: Sheet, name: str, sentence: Sentence) -> Finding:
    variable = f"?{name}" if sheet.rules.notation == "kif" else f"{name[0].upper()}{name[1:]}"
    message = f"{name} is a constant that stands nowhere else; did you mean the variable {variable}?"
    place = sheet.place_of_word(name, sentence.span)
    return sheet.warning("constant", message, place, f"write {variable}, or give the constant another name")


def find_sums_for_variables(sheet: Sheet) -> list[Finding]:
    """Variables that are called X+1 in conditions beside one that is called X: nothing is added up."""
    if sheet.rules.notation == "kif":
        return []
    found = []
    for sentence, body in sheet.bodies:
        variables = {str.__str__(variable) for variable in sentence_variables(sentence)}
        for variable in dict.fromkeys(v for part in body for v in formula_variables(part)):
            sum_of = SUM.fullmatch(variable)
            if sum_of and variables & {sum_of[1], sum_of[3]} and not _is_made(sentence, variable):
                message = f"{variable} is the name of a variable: nothing is calculated"
                place = sheet.place_of_variable(variable, sentence.span, sentence.span)
                found.append(sheet.warning("notation", message, place, sum_in_term(variable)))
    return found


def _is_made(sentence: Rule | Handler, variable: Variable) -> bool:
    """Whether a variable stands in a head or an effect: without a value there, it has a finding of its own."""
    made = [sentence.head] if isinstance(sentence, Rule) else map(effect_term, sentence.effects)
    return any(variable in variables_of(term) for term in made)


# Names of facts and moves


def find_idle_handlers(sheet: Sheet) -> list[Finding]:
    """Handlers of what is never done: no rule makes it legal, and no other handler has it as an effect."""
    moves = [*made_moves(sheet)]
    if not moves or not sheet.is_epilog or any(move.is_open for move in moves):
        return []
    done = {move.relation for move in moves}
    done |= {relation_of(effect_term(effect)) for h in sheet.rules.handlers for effect in h.effects}
    first: dict[Relation, Handler] = {}
    for handler in sheet.rules.handlers:
        if relation_of(handler.operation) not in done:
            first.setdefault(relation_of(handler.operation), handler)
    return [
        _idle(sheet, handler, sorted(done)[:MOST_NAMES]) for handler in islice(first.values(), MOST_SHOWN)
    ]


def _idle(sheet: Sheet, handler: Handler, done: list[Relation]) -> Finding:
    name, arity = relation_of(handler.operation)
    alike = [other for other, count in done if count == arity]
    near = get_close_matches(name, [other for other, _ in done], n=1, cutoff=NEAR)
    near = near or get_close_matches(name, alike, n=1, cutoff=LIKE)
    message = f"{name} is never done: it is no legal move, and no effect"
    message += f"; did you mean {near[0]}?" if near else ""
    hint = (
        f"write {near[0]}" if near else f"make it legal: {sheet.atom('legal', sheet.show(handler.operation))}"
    )
    return sheet.warning("unused", message, sheet.place_of_word(name, handler.span), hint)


def find_misspelt_facts(sheet: Sheet) -> list[Finding]:
    """Facts that are made and never asked for, while one is asked for that is spelt almost alike."""
    if _asks_for_any(sheet):
        return []
    asked = {fact.relation for fact in _named((*asked_facts(sheet), *declared_facts(sheet)))}
    moves = {move.relation for move in _named((*asked_moves(sheet), *made_moves(sheet)))}
    known = asked | moves
    first: dict[Relation, Mention] = {}
    for fact in _named(made_facts(sheet)):
        if fact.relation not in known and fact.relation[0] not in sheet.words:
            first.setdefault(fact.relation, fact)
    near = {
        relation: _one_letter_away(relation[0], sorted({n for n, count in asked if count == relation[1]}))
        for relation in islice(first, MOST_SHOWN)
    }
    return [_misspelt(sheet, first[relation], other) for relation, other in near.items() if other]


def _misspelt(sheet: Sheet, fact: Mention, near: str) -> Finding:
    name = fact.relation[0]
    message = f"{name} becomes a fact that nothing asks for; did you mean {near}?"
    hint = f"write {near}, or ask for {name}"
    return sheet.warning("unused", message, sheet.place_of_word(name, fact.span), hint)


def _named(mentions: Iterable[Mention]) -> Iterator[Mention]:
    return (mention for mention in mentions if not mention.is_open)


def _asks_for_any(sheet: Sheet) -> bool:
    """Whether a body asks for facts whatever they are, other than to keep them."""
    return any(
        fact.is_open and not (isinstance(use.sentence, Rule) and name_of(use.sentence.head) == "next")
        for use in sheet.uses
        if use.relation == ("true", 1)
        for fact in [Mention(use.atom.term[1], use.atom.span)]
    )


def _one_letter_away(name: str, others: Iterable[str]) -> str | None:
    """The first name that has a letter more, less, other or two the other way round; digits tell names apart."""
    others = islice(others, MOST_NAMES)
    return next((o for o in others if min(len(name), len(o)) >= 3 and differ_by_a_letter(name, o)), None)


def differ_by_a_letter(first: str, second: str) -> bool:
    """Whether one of two names has a letter more or another one, or two the other way round, but not at the start."""
    start = _common(first, second)
    a, b = first[start:], second[start:]
    end = _common(a[::-1], b[::-1])
    a, b = a[: len(a) - end], b[: len(b) - end]
    if not (a + b).isalpha() or start == 0:
        return False
    return (len(a) <= 1 and len(b) <= 1) or (len(a) == 2 and a == b[::-1])


def _common(first: str, second: str) -> int:
    """How many letters two names begin with alike."""
    pairs = zip(first, second, strict=False)
    return next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(first), len(second)))


def find_vain_deletions(sheet: Sheet) -> list[Finding]:
    """Facts that handlers delete though nothing ever makes them true, each where it first stands."""
    made = [*made_facts(sheet), *declared_facts(sheet)]
    if any(fact.is_open for fact in made):
        return []
    known = {fact.relation[0] for fact in made}
    first: dict[str, Mention] = {}
    for fact in _named(deleted_facts(sheet)):
        if fact.relation[0] not in known:
            first.setdefault(fact.relation[0], fact)
    return [_vain(sheet, name, fact, known) for name, fact in islice(first.items(), MOST_SHOWN)]


def _vain(sheet: Sheet, name: str, fact: Mention, known: set[str]) -> Finding:
    near = get_close_matches(name, sorted(known)[:MOST_NAMES], n=1, cutoff=NEAR)
    message = f"{name} is deleted, but nothing ever makes it true" + (
        f"; did you mean {near[0]}?" if near else ""
    )
    hint = f"write {near[0]}" if near else f"add it somewhere, or drop ~{name}"
    return sheet.warning("undefined", message, sheet.place_of_word(name, fact.span), hint)


# Capital letters


def find_case_twins(sheet: Sheet) -> list[Finding]:
    """Names that differ in capital letters only, and are two names for that: the rarer, where it first stands."""
    places: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for name, offset in _spellings(sheet):
        places[name.lower()][name].append(offset)
    found = []
    for spellings in places.values():
        usual, *others = sorted(spellings, key=lambda name: -len(spellings[name]))
        for name in others:
            message = f"{name} and {usual} differ in capital letters only, and are two names"
            place = sheet.place_at(spellings[name][0])
            found.append(sheet.warning("case", message, place, f"write {usual} everywhere, or use two words"))
    return found


def _spellings(sheet: Sheet) -> Iterator[tuple[str, int]]:
    """The plain names of the text with their offsets; not the words of KIF, which mean the same in any case."""
    for sentence in sheet.rules.sentences:
        for kind, text, offset in sheet.tokens(sentence.span):
            is_word = sheet.rules.notation == "kif" and text.lower() in WORDS
            if kind == "symbol" and not is_word and re.search("[A-Za-z]", text):
                yield text, offset


SLIP_CHECKS: tuple[Callable[[Sheet], list[Finding]], ...] = (
    find_foreign_marks,
    find_variable_literals,
    find_unknown_roles,
    find_constants_for_variables,
    find_sums_for_variables,
    find_idle_handlers,
    find_misspelt_facts,
    find_vain_deletions,
    find_case_twins,
)
