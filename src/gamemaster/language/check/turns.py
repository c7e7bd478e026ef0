"""Roles, moves and facts that lead nowhere: a role without a goal, a move that does nothing, a fact that vanishes."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from itertools import islice

from gamemaster.language.builtins import number_of
from gamemaster.language.check.mentions import Mention, asked_facts, declared_facts, made_moves
from gamemaster.language.check.occurring import COMPOUND, occurring
from gamemaster.language.check.sheet import Sheet
from gamemaster.language.check.slips import differ_by_a_letter, find_unknown_roles, plain_roles
from gamemaster.language.findings import Finding
from gamemaster.language.rules import Atom, Relation, Rule, name_of, relation_of
from gamemaster.language.source import Span
from gamemaster.language.syntax import sentence_terms
from gamemaster.language.terms import Term, Value, Variable, variables_of

__all__ = ["TURN_CHECKS", "find_unkept_facts"]

CHANCE = "random"
NEAR = 0.6
MOST_SHOWN, MOST_NAMES = 50, 1000


# Roles


def find_roles_without_goal(sheet: Sheet) -> list[Finding]:
    """Roles that no rule of goal can be about, each where it is named."""
    names = occurring(sheet).at(("view", "goal", 2, 0))
    if names is None:
        return []
    found = []
    for rule in sheet.rules_of.get(("role", 1), ()) if plain_roles(sheet) else ():
        role = name_of(rule.head[1])
        if role not in names and role != CHANCE:
            hint = f"say what it gets: {sheet.atom('goal', role, '100')} with its conditions, and what else it can be"
            message = f"{role} never has a goal: no rule gives it one"
            found.append(sheet.warning("goal-missing", message, sheet.place(rule.head_span), hint))
    return found[:MOST_SHOWN]


def find_strangers_in_control(sheet: Sheet) -> list[Finding]:
    """Names that control can be about in Epilog and that are no role, each where it first stands."""
    roles = plain_roles(sheet)
    names = occurring(sheet).at(("fact", "control", 1, 0)) if sheet.is_epilog and roles else None
    strange = sorted((names or set()) - {*roles, COMPOUND})[:MOST_SHOWN]
    said = {finding.message.split()[0] for finding in find_unknown_roles(sheet)} if strange else set()
    found = []
    for name in strange:
        span = _first_span(sheet, name)
        if name not in said and number_of(name) is None and span:
            near = get_close_matches(name, roles, n=1, cutoff=NEAR)
            message = f"control can come to {name}, and {name} is no role: then nobody can move"
            hint = f"add {sheet.atom('role', name)}" + (f", or write {near[0]}" if near else "")
            found.append(sheet.warning("unknown-role", message, sheet.place_of_word(name, span), hint))
    return found


def _first_span(sheet: Sheet, name: str) -> Span | None:
    """The first sentence that has a name in it."""
    return next(
        (s.span for s in sheet.rules.sentences if any(_has(t, name) for t in sentence_terms(s))), None
    )


def _has(term: Value | Term, name: str) -> bool:
    if isinstance(term, tuple):
        return any(_has(part, name) for part in term[1:])
    return not isinstance(term, Variable) and str.__str__(term) == name


def find_roles_of_their_own(sheet: Sheet) -> list[Finding]:
    """Rules like `opponent(R,S) :- role(R) & role(S)`, by which everybody is also their own opponent."""
    found = []
    for rule in sheet.rules.rules:
        parts = [part.term for part in rule.body if isinstance(part, Atom)]
        if len(rule.body) < 2 or len(parts) < len(rule.body):
            continue
        who = [term[1] for term in parts if relation_of(term) == ("role", 1)]
        if len(who) == len(parts) == len(set(who)) and {*who} <= {*variables_of(rule.head)}:
            first, second = (sheet.show(each) for each in who[:2])
            right = sheet.atom("distinct", first, second)
            message = (
                f"{first} and {second} can be the same role here: {sheet.show(rule.head)} holds of one alone"
            )
            hint = f"if two are meant, add the condition {right}"
            found.append(sheet.warning("same-role", message, sheet.place(rule.head_span), hint))
    return found


# Moves


def find_idle_moves(sheet: Sheet) -> list[Finding]:
    """Legal moves of Epilog that no handler has, and that add a fact, themselves, which nothing asks for."""
    if not sheet.is_epilog or not sheet.rules.handlers:
        return []
    asked = {fact.relation for fact in (*asked_facts(sheet), *declared_facts(sheet)) if not fact.is_open}
    moves = [move for move in made_moves(sheet) if not move.is_open]
    if any(fact.is_open for fact in declared_facts(sheet)):
        return []
    first: dict[Relation, Mention] = {}
    for move in moves:
        if move.relation not in asked and move.relation not in sheet.operations:
            first.setdefault(move.relation, move)
    known = {move.relation for move in moves}
    idle = sorted({relation[0] for relation in sheet.operations - known})[:MOST_NAMES]
    return [_idle_move(sheet, move, idle) for move in islice(first.values(), MOST_SHOWN)]


def _idle_move(sheet: Sheet, move: Mention, idle: list[str]) -> Finding:
    name, shown = name_of(move.term), sheet.show(move.term)
    near = get_close_matches(name, idle, n=1, cutoff=NEAR)
    message = f"{name} has no handler: it changes nothing, and adds a fact {shown} that nothing asks for"
    message += f"; did you mean {near[0]}?" if near else ""
    hint = f"write {near[0]}" if near else f"say what it changes: {shown} :: condition ==> effects"
    return sheet.warning("no-handler", message, sheet.place_of_word(name, move.span), hint)


# Facts of the start


def find_lost_facts(sheet: Sheet) -> list[Finding]:
    """Facts of GDL that hold at the start, and that no rule of next keeps or changes."""
    heads = [rule.head[1] for rule in sheet.rules_of.get(("next", 1), ())]
    if sheet.is_epilog or not heads or any(isinstance(head, Variable) for head in heads):
        return []
    kept = {name_of(head) for head in heads}
    asked = {name_of(fact.term) for fact in asked_facts(sheet)}
    first: dict[str, Rule] = {}
    for rule in sheet.rules_of.get(("init", 1), ()):
        name = name_of(rule.head[1])
        if (
            isinstance(rule.head[1], tuple) and name not in kept and name in asked
        ):  # a bare name is a first turn
            first.setdefault(name, rule)
    first = {name: rule for name, rule in first.items() if not any(differ_by_a_letter(name, n) for n in kept)}
    return [_lost(sheet, name, rule) for name, rule in islice(first.items(), MOST_SHOWN)]


def _lost(sheet: Sheet, name: str, rule: Rule) -> Finding:
    message = (
        f"{name} holds at the start only: no rule of next keeps or changes it, so the first move ends it"
    )
    kept = _kept(sheet, sheet.show(rule.head[1]))
    hint = f"if it stays, say so: {kept}; if it changes, say how"
    return sheet.warning("vanishes", message, sheet.place_of_word(name, rule.head_span), hint)


def _kept(sheet: Sheet, fact: str) -> str:
    """The rule that keeps a fact."""
    head, body = sheet.atom("next", fact), sheet.atom("true", fact)
    return f"(<= {head} {body})" if sheet.rules.notation == "kif" else f"{head} :- {body}"


def find_unkept_facts(sheet: Sheet) -> list[Finding]:
    """Facts of GDL that moves make, and that no rule of next keeps: they are gone a step later.

    Many sheets mean it so (the last move, a pawn that went two steps): it is said only where games do not end.
    """
    rules = sheet.rules_of.get(("next", 1), ())
    if sheet.is_epilog or any(isinstance(rule.head[1], Variable) for rule in rules):
        return []
    asked = {fact.relation for fact in asked_facts(sheet) if not fact.is_open}
    makers: dict[Relation, list[Rule]] = {}
    for rule in rules:
        makers.setdefault(relation_of(rule.head[1]), []).append(rule)
    unkept = [r for r, made in makers.items() if r in asked and r[1] and all(map(_is_by_move, made))]
    return [_unkept(sheet, makers[relation][0]) for relation in unkept[:MOST_SHOWN]]


def _is_by_move(rule: Rule) -> bool:
    """Whether a rule of next makes a fact of a move, and of no fact like it."""
    asked = [part.term for part in rule.body if isinstance(part, Atom)]
    facts = {relation_of(term[1]) for term in asked if relation_of(term) == ("true", 1)}
    return ("does", 2) in map(relation_of, asked) and relation_of(rule.head[1]) not in facts


def _unkept(sheet: Sheet, rule: Rule) -> Finding:
    fact = sheet.show(rule.head[1])
    moves = [
        part.term for part in rule.body if isinstance(part, Atom) and relation_of(part.term) == ("does", 2)
    ]
    message = f"{fact}, which {sheet.show(moves[0][2])} makes, is gone a step later: no rule of next keeps it"
    return sheet.warning(
        "vanishes", message, sheet.place(rule.head_span), f"if it stays, say so: {_kept(sheet, fact)}"
    )


TURN_CHECKS: tuple[Callable[[Sheet], list[Finding]], ...] = (
    find_roles_without_goal,
    find_strangers_in_control,
    find_roles_of_their_own,
    find_idle_moves,
    find_lost_facts,
)
