"""The basic subroutines of the slides, under their names: what a player written for the original is made of.

Rules are a Game, Rules or a rule text; a state is a list of facts in order; a move is a term. Answers come in the
order of the sheet, so `findlegalx` is the move that the original's legal player makes.

    >>> from gamemaster.subroutines import *
    >>> library = gamemaster.load("tictactoe")
    >>> state = findinits(library)
    >>> findcontrol(state, library), findlegalx(state, library)
    ('x', mark(1,1))
    >>> findlegalx(simulate(findlegalx(state, library), state, library), library)
    mark(1,2)
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

from gamemaster.ground.reasoner import Reasoner, Situation
from gamemaster.language.rules import Rules
from gamemaster.language.terms import Term, term_of
from gamemaster.load import build, parse
from gamemaster.machine.game import Game, State
from gamemaster.machine.reference import ReferenceGame

__all__ = [
    "findactions",
    "findbases",
    "findcontrol",
    "findinits",
    "findlegalp",
    "findlegals",
    "findlegalx",
    "findreward",
    "findroles",
    "findterminalp",
    "simulate",
]

Library: TypeAlias = Game | Rules | str
Facts: TypeAlias = Sequence[Term | str]

_games: dict[int, Game] = {}
_reasoners: weakref.WeakKeyDictionary[Game, Reasoner] = weakref.WeakKeyDictionary()


def findroles(rules: Library) -> list[str]:
    """The roles."""
    return list(_game(rules).roles)


def findbases(rules: Library) -> list[Any]:
    """The facts that the sheet declares possible."""
    return _answers(rules, "base", None)


def findactions(rules: Library) -> list[Any]:
    """The actions that the sheet declares possible."""
    reasoner = _reasoner(_game(rules))
    name, args = ("action", (None,)) if ("action", 1) in reasoner.relations else ("input", (None, None))
    rows = reasoner.answers(name, args, Situation(()))
    return [term_of(action) for action in dict.fromkeys(row[-1] for row in rows)]


def findinits(rules: Library) -> list[Any]:
    """The facts of the initial state."""
    return list(_game(rules).initial_state().ordered_facts)


def findcontrol(state: Facts, rules: Library) -> str | Literal[False]:
    """The role in control, or False; a finished game has one too if its rules say so."""
    game = _game(rules)
    for fact in state:
        term = game.move_of(fact)
        if isinstance(term, tuple) and len(term) == 2 and term[0] == "control":
            return str(term[1])
    found = _reasoner(game).answers("control", (None,), Situation(map(game.move_of, state)))
    return str(term_of(found[0][0])) if found else _state(state, game).control or False


def findlegalp(action: Term | str, state: Facts, rules: Library) -> bool:
    """Whether an action is legal for the role in control."""
    return _game(rules).move_of(action) in findlegals(state, rules)


def findlegalx(state: Facts, rules: Library) -> Any | Literal[False]:
    """The first legal action, or False."""
    legal = findlegals(state, rules)
    return legal[0] if legal else False


def findlegals(state: Facts, rules: Library) -> list[Any]:
    """The legal actions of the role in control, in order."""
    role = findcontrol(state, rules)
    return list(_state(state, rules).legal_moves(role)) if role else []


def findreward(role: str, state: Facts, rules: Library) -> int:
    """The first reward that the rules give the role, or 0."""
    return _state(state, rules).goal(role) or 0


def findterminalp(state: Facts, rules: Library) -> bool:
    """Whether the game is over."""
    return _state(state, rules).is_terminal


def simulate(action: Term | str, state: Facts, rules: Library) -> list[Any]:
    """The facts after the action; the state given is left as it is."""
    return list(_state(state, rules).next(action).ordered_facts)


def _answers(rules: Library, name: str, *args: None) -> list[Any]:
    rows = _reasoner(_game(rules)).answers(name, args, Situation(()))
    return [term_of(row[0]) for row in rows]


def _state(state: Facts, rules: Library) -> State:
    return _game(rules).state(state)


def _reasoner(game: Game) -> Reasoner:
    if game not in _reasoners:
        _reasoners[game] = Reasoner(game.rules)
    return _reasoners[game]


def _game(rules: Library) -> Game:
    """The game of rules on the reference machine, which answers in order; built once for each rules object."""
    if isinstance(rules, ReferenceGame):
        return rules
    if isinstance(rules, str):
        return parse(rules, machine="reference")
    key = id(rules)
    if key not in _games:
        sheet = rules.sheet if isinstance(rules, Game) else rules
        _games[key] = build(sheet, "rules", "reference")
        weakref.finalize(rules, _games.pop, key, None)
    return _games[key]
