"""Sheet -> mentions: the facts and moves that a sheet makes, asks for and declares, in every notation alike.

A fact is what a state contains: in GDL the argument of init, next and true, in Epilog an atom of a relation
that the sheet does not define. A move is the argument of legal, does, input and action, or what a handler
handles.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gamemaster.language.check.sheet import Sheet
from gamemaster.language.rules import Atom, Not, Relation, Rule, relation_of
from gamemaster.language.source import Span
from gamemaster.language.terms import Value, Variable

__all__ = [
    "Mention",
    "asked_facts",
    "asked_moves",
    "declared_facts",
    "declared_moves",
    "deleted_facts",
    "made_facts",
    "made_moves",
]


@dataclass(frozen=True, slots=True)
class Mention:
    """A fact or move that stands somewhere: its term, and the span of the atom or head it stands in."""

    term: Value
    span: Span
    rule: Rule | None = None

    @property
    def is_open(self) -> bool:
        """Whether it is a variable, so that it may be any fact or move."""
        return isinstance(self.term, Variable)

    @property
    def relation(self) -> Relation:
        """Its name and number of arguments."""
        return relation_of(self.term)


def made_facts(sheet: Sheet) -> Iterator[Mention]:
    """The facts of the initial state and those that moves add; a move without a handler adds itself."""
    yield from _heads(sheet, ("init", 1), 1)
    if not sheet.is_epilog:
        yield from _heads(sheet, ("next", 1), 1)
        return
    for handler in sheet.rules.handlers:
        for effect in handler.effects:
            if isinstance(effect, Atom) and relation_of(effect.term) not in sheet.operations:
                yield Mention(effect.term, effect.span)
    yield from (move for move in made_moves(sheet) if move.is_open or move.relation not in sheet.operations)


def deleted_facts(sheet: Sheet) -> Iterator[Mention]:
    """The facts that handlers delete."""
    for handler in sheet.rules.handlers:
        for effect in handler.effects:
            if isinstance(effect, Not) and isinstance(effect.body, Atom):
                yield Mention(effect.body.term, effect.body.span)


def asked_facts(sheet: Sheet) -> Iterator[Mention]:
    """The facts that bodies ask for."""
    for use in sheet.uses:
        if sheet.is_epilog and use.relation[0] not in sheet.views:
            yield Mention(use.atom.term, use.atom.span)
        elif not sheet.is_epilog and use.relation == ("true", 1):
            yield Mention(use.atom.term[1], use.atom.span)


def declared_facts(sheet: Sheet) -> Iterator[Mention]:
    """The facts that base declares."""
    return _heads(sheet, ("base", 1), 1)


def made_moves(sheet: Sheet) -> Iterator[Mention]:
    """The moves that may be legal."""
    return _heads(sheet, ("legal", 1), 1) if sheet.is_epilog else _heads(sheet, ("legal", 2), 2)


def asked_moves(sheet: Sheet) -> Iterator[Mention]:
    """The moves that bodies ask for, or handlers handle."""
    for handler in sheet.rules.handlers:
        yield Mention(handler.operation, handler.span)
    for use in sheet.uses:
        if not sheet.is_epilog and use.relation == ("does", 2):
            yield Mention(use.atom.term[2], use.atom.span)


def declared_moves(sheet: Sheet) -> Iterator[Mention]:
    """The moves that action or input declares."""
    return _heads(sheet, ("action", 1), 1) if sheet.is_epilog else _heads(sheet, ("input", 2), 2)


def _heads(sheet: Sheet, relation: Relation, argument: int) -> Iterator[Mention]:
    """That argument of every head of a relation."""
    for rule in sheet.rules_of.get(relation, ()):
        yield Mention(rule.head[argument], rule.head_span, rule)
