"""Rules as classic players know them: in the core language, with a move for everybody in every step.

In Epilog only the role in control moves. The published protocol has every role make a move, so for its players the
others get the move `noop`, which does nothing:

    legal(Role,noop) :- role(Role) & ~true(control(Role))
    happens(Action) :- does(Role,Action) & true(control(Role))

And messages as they know them: with a joint move of all roles, and clocks in whole seconds.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache

from gamemaster.language.lower import lower
from gamemaster.language.rules import Atom, Formula, Not, Rule, Rules, Sentence, relation_of
from gamemaster.language.terms import Compound, Term, Variable
from gamemaster.machine.game import Game
from gamemaster.match.request import Request, Told
from gamemaster.match.wire.messages import print_message
from gamemaster.match.wire.protocol import NOOP, Abort, Body, Era, Ping, Play, Start, Stop

__all__ = [
    "ENDLESS_SECONDS",
    "classic_message",
    "classic_moves",
    "classic_rules",
    "classic_seconds",
    "classic_text",
    "with_noop",
]

LEGAL, INPUT, DOES = ("legal", 2), ("input", 2), ("does", 2)
ENDLESS_SECONDS = 1_000_000
"""A clock that never runs out, for those who know only numbers: as milliseconds it still fits into 32 bits."""


def classic_text(request: Request) -> str:
    """A request as a message of the published protocol."""
    return print_message(classic_message(request), Era.KIF)


def classic_message(request: Request) -> Body:
    """The message that a request is; all but the roles of what was done is in it."""
    roles = request.rules.roles if isinstance(request.rules, Game) else ()
    match request.kind:
        case "ping":
            return Ping()
        case "abort":
            return Abort(request.match)
        case "stop":
            return Stop(classic_moves(request.told, roles), request.match)
        case "play":
            return Play(classic_moves(request.told, roles), request.match)
    clocks = classic_seconds(request.start_clock), classic_seconds(request.play_clock)
    return Start(request.role, classic_rules(request.sheet), *clocks, request.match)


def classic_moves(told: Told | None, roles: Sequence[str]) -> tuple[Term, ...]:
    """The moves in role order, with noop for a role that made none; or the percepts."""
    if told is None:
        return ()
    if told.moves is None:
        return told.percepts or ()
    return tuple(told.moves.get(role, NOOP) for role in roles)


def classic_seconds(clock: float) -> float:
    """Whole seconds, which is all that many players can read; of less than one there is no other way to tell."""
    return math.floor(min(clock, ENDLESS_SECONDS)) if clock >= 1 else clock


@lru_cache(maxsize=32)  # many matches of one game are started at once
def classic_rules(sheet: Rules) -> Rules:
    """The rules for a player of the published protocol; those that are classic already come back as they are."""
    if sheet.notation != "epilog":
        return sheet
    return with_noop(lower(sheet, in_order=False))


def with_noop(core: Rules) -> Rules:
    """The core of an Epilog sheet as rules in which everybody moves, so that they mean the same in any notation."""
    control = _control(core)
    return core if control is None else Rules(tuple(_with_noop(core, control)), core.notation)


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
