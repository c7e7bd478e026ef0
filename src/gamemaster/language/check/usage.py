"""What the sheet defines and what it uses: names that lead nowhere, bad values, the same thing twice."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches

from gamemaster.language.builtins import IMPURE, NAMES
from gamemaster.language.check.mentions import (
    Mention,
    asked_facts,
    asked_moves,
    declared_facts,
    declared_moves,
    made_facts,
    made_moves,
)
from gamemaster.language.check.never_true import names_never_true
from gamemaster.language.check.sheet import Sheet
from gamemaster.language.check.slips import is_foreign, is_variable_literal, near_word, plain_roles
from gamemaster.language.findings import Finding
from gamemaster.language.operators import CALCULATIONS, COMPARISONS
from gamemaster.language.rules import Atom, Relation, Rule, Sentence, name_of, relation_of
from gamemaster.language.source import Span
from gamemaster.language.terms import Symbol, Value

__all__ = ["USAGE_CHECKS"]

MOST_SUGGESTIONS = 50
MOST_NAMES = 1000
"""Names that get a suggestion, and names it is looked for in: comparing spellings is slow."""


# Used but never defined


def find_undefined(sheet: Sheet) -> list[Finding]:
    """Relations, facts and moves that are asked for but never made true, each where it first stands."""
    gaps = (*_undefined_relations(sheet), *_undefined_facts(sheet), *_undefined_moves(sheet))
    found = [gap for gap in gaps if not is_variable_literal(gap.mention.term)]  # slips.py tells of those
    facts = {fact.relation for fact in made_facts(sheet) if not fact.is_open}
    moves = {move.relation for move in made_moves(sheet) if not move.is_open}
    return [
        _foreign_condition(sheet, gap)
        or _bare_condition(sheet, gap, facts, moves)
        or _foreign_builtin(sheet, gap)
        or _undefined(sheet, gap, suggest=number < MOST_SUGGESTIONS)
        for number, gap in enumerate(found)
    ]


@dataclass(frozen=True, slots=True)
class _Gap:
    """A name that is asked for in vain: why, and the names that might have been meant instead."""

    mention: Mention
    why: str
    names: Collection[str]
    is_relation: bool = False  # asked for by itself, not as a fact or a move


def _undefined_relations(sheet: Sheet) -> Iterator[_Gap]:
    """In Epilog a relation without rules is state, unless it is an operation: then it is never true."""
    known = {name for name, _ in sheet.rules_of} | ({*sheet.words} if not sheet.is_epilog else set())
    asked = (use for use in sheet.uses if not sheet.is_epilog or use.relation[0] in sheet.views)
    why = (
        "is an operation: as a condition it is never true" if sheet.is_epilog else "is used but never defined"
    )
    for mention in _unknown((Mention(use.atom.term, use.atom.span) for use in asked), known):
        if not is_foreign(sheet, mention.relation[0]):
            yield _Gap(mention, why, known, is_relation=True)


def _undefined_facts(sheet: Sheet) -> Iterator[_Gap]:
    made = [*made_facts(sheet), *declared_facts(sheet)] if sheet.is_epilog else [*made_facts(sheet)]
    if any(fact.is_open and not _only_keeps(fact) for fact in made):
        return  # a variable may stand for any fact
    known = {name_of(fact.term) for fact in made if not fact.is_open}
    names = known | sheet.views if sheet.is_epilog else known
    elsewhere = IMPURE | {"control", "role"} if sheet.is_epilog else set()  # these have findings of their own
    for mention in _unknown(asked_facts(sheet), known | elsewhere):
        if is_foreign(sheet, mention.relation[0]) and sheet.is_epilog:
            continue
        yield _Gap(mention, "is never true: no initial fact and no move makes it so", names)
    never = names_never_true(sheet) & known
    for mention in _unknown(asked_facts(sheet), known - never | elsewhere - never):
        if mention.relation[0] in never:
            yield _Gap(mention, "is never true: no initial fact, and what makes it so asks for it first", ())


def _undefined_moves(sheet: Sheet) -> Iterator[_Gap]:
    made = [*made_moves(sheet)]
    if sheet.is_epilog or any(move.is_open for move in made):
        return  # handlers also serve other handlers; a variable may stand for any move
    known = {name_of(move.term) for move in made}
    for mention in _unknown(asked_moves(sheet), known):
        yield _Gap(mention, "is never played: no rule makes it legal", known)


def _unknown(asked: Iterable[Mention], known: set[str]) -> list[Mention]:
    """The first mention of each name that is not known."""
    first: dict[str, Mention] = {}
    for mention in asked:
        if not mention.is_open and name_of(mention.term) not in known:
            first.setdefault(name_of(mention.term), mention)
    return list(first.values())


def _only_keeps(fact: Mention) -> bool:
    """Whether a rule like `next(F) :- true(F) & ...` merely keeps facts that are already there."""
    return fact.rule is not None and any(
        isinstance(part, Atom) and relation_of(part.term) == ("true", 1) and part.term[1] == fact.term
        for part in fact.rule.body
    )


def _undefined(sheet: Sheet, gap: _Gap, *, suggest: bool) -> Finding:
    name = name_of(gap.mention.term)
    place = sheet.place_of_word(name, gap.mention.span)
    names = sorted({*gap.names} - {name})[:MOST_NAMES] if suggest else []
    near = get_close_matches(name, names, n=1, cutoff=0.7) or get_close_matches(
        name, sorted(NAMES), n=1, cutoff=0.8
    )
    message = f"{name} {gap.why}" + (f"; did you mean {near[0]}?" if near else "")
    hint = f"write {near[0]}, or define {name}" if near else f"define {name}, or remove what asks for it"
    if not gap.names:
        roles = plain_roles(sheet) if gap.mention.relation == ("control", 1) else []
        fact = sheet.atom("control", roles[0]) if roles else sheet.show(gap.mention.term)
        hint = f"say what holds at the start: {sheet.atom('init', fact)}"
    if (name, len(gap.mention.term) - 1) in sheet.operations:
        hint = "let its handler add a fact to the state, and ask for that"
    return sheet.warning("undefined", message, place, hint)


def _foreign_condition(sheet: Sheet, gap: _Gap) -> Finding | None:
    """The finding for `true` and `does` in Epilog, which has neither."""
    name, arity = gap.mention.relation
    if not sheet.is_epilog or (name, arity) not in (("true", 1), ("does", 2)):
        return None
    hint = "say what a move changes: move :: condition ==> effects"
    if name == "true":
        hint = f"ask for the fact itself: {sheet.show(gap.mention.term[1])}"
    place = sheet.place_of_word(name, gap.mention.span)
    return sheet.warning("undefined", f"{name} is a word of GDL, not of Epilog", place, hint)


def _bare_condition(sheet: Sheet, gap: _Gap, facts: set[Relation], moves: set[Relation]) -> Finding | None:
    """The finding for a fact or a move that a body of GDL asks for by itself, without true or does."""
    relation, shown = gap.mention.relation, sheet.show(gap.mention.term)
    if not gap.is_relation or sheet.is_epilog or not (relation in facts or relation in moves):
        return None
    if relation in facts:
        kind, word, right = "a fact of the state", "true", sheet.atom("true", shown)
    else:
        role = "?r" if sheet.rules.notation == "kif" else "R"
        kind, word, right = "a move", "does", sheet.atom("does", role, shown)
    message = f"{relation[0]} is {kind}, and only {word} asks for one; did you mean {right}?"
    place = sheet.place_of_word(relation[0], gap.mention.span)
    return sheet.warning("undefined", message, place, f"write {right}")


def _foreign_builtin(sheet: Sheet, gap: _Gap) -> Finding | None:
    """The finding for a mark that compares or calculates in other languages: (< ?x 3), (+ ?x 1 ?y)."""
    name, arity = gap.mention.relation
    args = [sheet.show(arg) for arg in gap.mention.term[1:]] if arity else []
    if name in COMPARISONS and arity == 2:
        builtin, order = COMPARISONS[name]
        right = sheet.atom(builtin, *args[::order])
    elif name in CALCULATIONS and arity == 3:
        right = sheet.atom(CALCULATIONS[name], *args)
    else:
        return None
    place = sheet.place_of_word(name, gap.mention.span)
    return sheet.warning("undefined", f"{name} is used but never defined", place, f"write {right}")


def find_impure(sheet: Sheet) -> list[Finding]:
    """Builtins of the original that depend on chance or the clock, unless the name is the sheet's own."""
    facts = [fact for fact in (*made_facts(sheet), *declared_facts(sheet)) if not fact.is_open]
    own = {*sheet.views, *(name_of(fact.term) for fact in facts)}
    hint = "let a role of its own choose, as nature would, or keep what you need in the state"
    return [
        sheet.error("impure", f"{name} depends on chance or the clock, which rules must not", place, hint)
        for name, span in _called(sheet)
        if name in IMPURE and name not in own
        for place in [sheet.place_of_word(name, span)]
    ]


def _called(sheet: Sheet) -> Iterator[tuple[str, Span]]:
    """The names of all relations in bodies, and of the functions in expressions."""
    yield from ((use.relation[0], use.atom.span) for use in sheet.uses)
    for atom, _ in sheet.builtin_uses:
        if name_of(atom.term) == "evaluate":
            yield from ((name, atom.span) for name in _functors(atom.term))


def _functors(term: Value) -> Iterator[str]:
    if isinstance(term, tuple):
        yield term[0]
        for part in term[1:]:
            yield from _functors(part)


# Defined but never used


def find_unused(sheet: Sheet) -> list[Finding]:
    """Relations that no other relation asks for, each at its first rule; play asks for reserved ones."""
    used = {use.relation for use in sheet.uses if _defined_by(use.sentence) != use.relation}
    found = [
        relation
        for relation in sheet.rules_of
        if relation not in used
        and relation[0] not in sheet.words
        and relation not in sheet.operations
        and not is_foreign(sheet, relation[0])
    ]
    return [_unused(sheet, each, suggest=number < MOST_SUGGESTIONS) for number, each in enumerate(found)]


def _defined_by(sentence: Sentence) -> Relation | None:
    """The relation that a rule defines; a handler defines none in this state."""
    return relation_of(sentence.head) if isinstance(sentence, Rule) else None


def _unused(sheet: Sheet, relation: Relation, *, suggest: bool) -> Finding:
    message, hint = (
        f"{relation[0]} is defined but never used",
        f"remove the rules of {relation[0]}, or use it",
    )
    near = near_word(sheet, relation) if suggest else None
    if near:
        message, hint = f"{message}; did you mean {near}?", f"write {near}, or use {relation[0]}"
    elif sheet.is_epilog and relation == ("next", 1):
        message, hint = (
            "next is a word of GDL, not of Epilog",
            "write a handler: move :: condition ==> effects",
        )
    return sheet.warning("unused", message, sheet.place(sheet.rules_of[relation][0].head_span), hint)


# Names


def find_hidden_builtins(sheet: Sheet) -> list[Finding]:
    """Relations of an Epilog sheet that have the name of a builtin, each where it first stands."""
    heads = [Mention(rule.head, rule.head_span) for rule in sheet.rules.rules]
    return [
        sheet.warning(
            "hides-builtin",
            f"{name} is the name of a builtin; here it means the sheet's own relation",
            sheet.place_of_word(name, mention.span),
            f"rename {name}: the original system would use the builtin",
        )
        for name, mention in _first_of_names((*heads, *asked_moves(sheet), *made_facts(sheet)), NAMES).items()
        if sheet.is_epilog
    ]


def find_hidden_facts(sheet: Sheet) -> list[Finding]:
    """Facts of an Epilog state that nobody can see, because the sheet defines a relation of that name."""
    hidden = _first_of_names(made_facts(sheet), sheet.views) if sheet.is_epilog else {}
    return [_without_init(sheet, name, fact) or _hidden(sheet, name, fact) for name, fact in hidden.items()]


def _hidden(sheet: Sheet, name: str, fact: Mention) -> Finding:
    message = f"{name} is defined by the sheet, so this fact of the state is never seen"
    hint = f"give the fact or the relation {name} another name"
    return sheet.warning("hidden-fact", message, sheet.place_of_word(name, fact.span), hint)


def _without_init(sheet: Sheet, name: str, fact: Mention) -> Finding | None:
    """The finding for facts that moves change, and that stand in the sheet without init."""
    rules = sheet.rules_of.get(fact.relation, [])
    if (
        not rules
        or any(rule.body for rule in rules)
        or fact.rule is not None
        or fact.relation in sheet.operations
    ):
        return None
    shown, line = sheet.show(rules[0].head), sheet.place(fact.span).line
    message = (
        f"{shown} holds for ever as it stands here, so what moves make of {name} (line {line}) is never seen"
    )
    hint = f"if it holds at the start, write {sheet.atom('init', shown)}"
    return sheet.warning("hidden-fact", message, sheet.place(rules[0].head_span), hint)


def _first_of_names(mentions: Iterable[Mention], names: Collection[str]) -> dict[str, Mention]:
    """For each of the names that is mentioned, its first mention."""
    first: dict[str, Mention] = {}
    for mention in mentions:
        name = mention.relation[0]
        if mention.is_open or name not in names:
            continue
        if name not in first or mention.span.start < first[name].span.start:
            first[name] = mention
    return first


# Declarations


def find_undeclared(sheet: Sheet) -> list[Finding]:
    """Facts and moves of a kind that the sheet declares nowhere, though it declares others."""
    move_word = "action" if sheet.is_epilog else "input"
    return [
        *_undeclared(sheet, made_facts(sheet), [*declared_facts(sheet)], "base"),
        *_undeclared(sheet, made_moves(sheet), [*declared_moves(sheet)], move_word),
    ]


def _undeclared(
    sheet: Sheet, made: Iterable[Mention], declared: list[Mention], word: str
) -> Iterator[Finding]:
    if not declared or any(mention.is_open for mention in declared):
        return
    known = {name_of(mention.term) for mention in declared}
    for mention in _unknown(made, known):
        name = name_of(mention.term)
        place = sheet.place_of_word(name, mention.span)
        hint = f"add {name} to what {word} declares"
        code = "undeclared" if word == "base" else "undeclared-move"
        yield sheet.warning(code, f"{name} is not among what {word} declares", place, hint)


# Values


def find_goal_values(sheet: Sheet) -> list[Finding]:
    """Goal values written in heads that are not whole numbers from 0 to 100."""
    return [
        sheet.warning(
            "goal-value",
            f"goal value {sheet.show(rule.head[2])} is not a whole number from 0 to 100",
            sheet.place_of_word(name_of(rule.head[2]), rule.head_span),
            "write a whole number from 0 to 100",
        )
        for rule in sheet.rules_of.get(("goal", 2), ())
        if _is_bad_value(rule.head[2])
    ]


def _is_bad_value(value: object) -> bool:
    if isinstance(value, tuple):
        return True
    return isinstance(value, Symbol) and not (value.isascii() and value.isdecimal() and int(value[:4]) <= 100)


# Repetition


def find_duplicates(sheet: Sheet) -> list[Finding]:
    """Sentences that stand in the sheet already, each at its repetition."""
    first: dict[Sentence, Sentence] = {}
    found = []
    for sentence in sheet.rules.sentences:
        if first.setdefault(sentence, sentence) is not sentence:
            line = sheet.place(first[sentence].span).line
            message = f"the same sentence stands at line {line}"
            found.append(
                sheet.warning("duplicate", message, sheet.place(sentence.span), "remove one of the two")
            )
    return found


USAGE_CHECKS: tuple[Callable[[Sheet], list[Finding]], ...] = (
    find_undefined,
    find_impure,
    find_unused,
    find_hidden_builtins,
    find_hidden_facts,
    find_undeclared,
    find_goal_values,
    find_duplicates,
)
