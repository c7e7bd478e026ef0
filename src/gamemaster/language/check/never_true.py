"""Facts that are never true, because whatever makes them so asks for them first: `pile` without `init(pile(7))`.

A fixed point over names: what init gives can hold, and what a rule or a handler makes can hold once all that it asks
for can. Negations and arguments are not looked at, and what nothing defines is taken to hold, as it has a finding of
its own: what is left never holds, whatever is played.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from gamemaster.language.check.sheet import Sheet
from gamemaster.language.rules import And, Atom, Formula, Not, Or, name_of, relation_of
from gamemaster.language.terms import Value, Variable

__all__ = ["names_never_true"]

Node: TypeAlias = tuple[str, str]
"""("fact" or "view", its name)."""

Clause: TypeAlias = tuple[Node, frozenset[Node]]
"""What is made, and all that is asked for to make it."""

MAKERS = {False: ("init", "next"), True: ("init", "legal")}
"""Words whose argument becomes a fact, in GDL and in Epilog, where a move without a handler adds itself."""


def names_never_true(sheet: Sheet) -> frozenset[str]:
    """The names of facts that some rule or handler makes, and that can never hold."""
    clauses = [*_clauses(sheet)]
    made = {node for node, _ in clauses}
    holding = _fixed_point([(node, needs & made) for node, needs in clauses])
    return frozenset(name for kind, name in made - holding if kind == "fact")


def _clauses(sheet: Sheet) -> Iterator[Clause]:
    """Everything that makes a fact or a view, in every notation."""
    for rule in sheet.rules.rules:
        needs = frozenset(_needs(sheet, rule.body))
        yield ("view", name_of(rule.head)), needs
        name, arity = relation_of(rule.head)
        if arity == 1 and name in MAKERS[sheet.is_epilog] and not isinstance(rule.head[1], Variable):
            yield ("fact", name_of(rule.head[1])), needs if name != "init" else frozenset()
    for handler in sheet.rules.handlers:
        needs = frozenset(_needs(sheet, handler.condition))
        for effect in handler.effects:
            if isinstance(effect, Atom):
                yield ("fact", name_of(effect.term)), needs


def _needs(sheet: Sheet, body: Iterable[Formula]) -> Iterator[Node]:
    """What must hold for a body to hold."""
    for part in body:
        match part:
            case Atom(term):
                yield from _node(sheet, term)
            case And(parts):
                yield from _needs(sheet, parts)
            case Or(parts):
                yield from frozenset.intersection(*(frozenset(_needs(sheet, [each])) for each in parts))
            case Not():
                pass


def _node(sheet: Sheet, term: Value) -> Iterator[Node]:
    """What an atom asks for; moves and builtins count for nothing."""
    name = name_of(term)
    if sheet.is_epilog:
        yield ("view" if name in sheet.views else "fact"), name
    elif relation_of(term) != ("true", 1):
        yield "view", name
    elif not isinstance(term[1], Variable):
        yield "fact", name_of(term[1])


def _fixed_point(clauses: list[Clause]) -> set[Node]:
    """What can hold: each clause is looked at when the last of its needs does."""
    holding: set[Node] = set()
    waiting: dict[Node, list[int]] = defaultdict(list)
    missing = [len(needs) for _, needs in clauses]
    for number, (_, needs) in enumerate(clauses):
        for need in needs:
            waiting[need].append(number)
    ready = [node for node, needs in clauses if not needs]
    while ready:
        node = ready.pop()
        if node in holding:
            continue
        holding.add(node)
        for number in waiting[node]:
            missing[number] -= 1
            ready += [clauses[number][0]] * (missing[number] == 0)
    return holding
