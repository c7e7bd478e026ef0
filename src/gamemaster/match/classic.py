"""Rules as classic players know them: in the core language, with a move for everybody in every step.

In Epilog only the role in control moves. The published protocol has every role make a move, so for its players the
others get the move `noop`, which does nothing:

    legal(Role,noop) :- role(Role) & ~true(control(Role))
    happens(Action) :- does(Role,Action) & true(control(Role))
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from gamemaster.language.lower import lower
from gamemaster.language.rules import Atom, Formula, Not, Rule, Rules, Sentence, relation_of
from gamemaster.language.terms import Compound, Variable
from gamemaster.match.protocol import NOOP

__all__ = ["classic_rules"]

LEGAL, INPUT, DOES = ("legal", 2), ("input", 2), ("does", 2)


@lru_cache(maxsize=32)  # many matches of one game are started at once
def classic_rules(sheet: Rules) -> Rules:
    """The rules for a player of the published protocol; those that are classic already come back as they are."""
    if sheet.dialect != "epilog":
        return sheet
    core = lower(sheet, in_order=False)
    control = _control(core)
    if control is None:
        return core
    return Rules(tuple(_with_noop(core, control)), core.dialect)


def _control(core: Rules) -> Atom | None:
    """The literal that says whose turn it is: the first in the rule for legal moves."""
    for rule in core.rules:
        if relation_of(rule.head) == LEGAL and rule.body and isinstance(rule.body[0], Atom):
            return rule.body[0]
    return None


def _with_noop(core: Rules, control: Atom) -> Iterator[Sentence]:
    for sentence in core.sentences:
        if not isinstance(sentence, Rule):
            yield sentence
            continue
        yield Rule(sentence.head, tuple(_of_control(sentence.body, control)))
        role = sentence.head[1] if isinstance(sentence.head, Compound) and len(sentence.head) > 1 else None
        if relation_of(sentence.head) == LEGAL and control in sentence.body:
            yield Rule(Compound(("legal", role, NOOP)), (_is_role(role), Not(control)))
        elif relation_of(sentence.head) == INPUT and isinstance(role, Variable):
            yield Rule(Compound(("input", role, NOOP)), (_is_role(role),))


def _of_control(body: tuple[Formula, ...], control: Atom) -> Iterator[Formula]:
    """The body, in which only the moves of those in control count."""
    for part in body:
        yield part
        if isinstance(part, Atom) and relation_of(part.term) == DOES:
            yield control


def _is_role(role: object) -> Atom:
    return Atom(Compound(("role", role)))
