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

The slides' small helpers are here too: nil, numberize, randomindex, shuffle, seq and definerules. For speed take states
and searches instead: these subroutines read facts anew at every call, on the machine that keeps the sheet's order.
"""

from __future__ import annotations

import random
import weakref
from collections.abc import Iterable, Sequence
from typing import Any, Literal, TypeAlias, TypeVar

from gamemaster.ground.reasoner import Reasoner, Situation
from gamemaster.language.notation import show
from gamemaster.language.rules import Rules
from gamemaster.language.terms import Symbol, Term, term_of
from gamemaster.load import build, parse
from gamemaster.machine.game import Game, State
from gamemaster.machine.reference import declared_actions

__all__ = [
    "definerules",
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
    "nil",
    "numberize",
    "randomindex",
    "seq",
    "shuffle",
    "simulate",
]

Library: TypeAlias = Game | Rules | str
Facts: TypeAlias = Sequence[Term | str]
Item = TypeVar("Item")

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
    return list(declared_actions(_reasoner(_game(rules))))


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
    return _game(rules).move_of(_term(action)) in findlegals(state, rules)


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
    return list(_state(state, rules).next(_term(action)).ordered_facts)


# The slides' helpers


class _Nil(Symbol):
    """What `play` is told where nothing was done yet, however that is told: nil, None or an empty list."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return (
            other is None
            or (isinstance(other, list | tuple) and not other)
            or str.__eq__(self, other) is True
        )

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = str.__hash__


nil = _Nil("nil")
"""Compare with it by == and !=: `if move != nil: state = simulate(move, state, library)`."""


def numberize(value: object) -> int | float:
    """A symbol or a text as a number; ValueError where it is none. Messages have clocks as texts."""
    text = str(value).strip()
    try:
        return int(text)
    except ValueError:
        return float(text)


def randomindex(count: int) -> int:
    """Any of 0, 1, ..., count - 1; ValueError where there is none."""
    if count < 1:
        raise ValueError(f"randomindex({count}): there is nothing to choose from")
    return random.randrange(count)


def shuffle(items: Iterable[Item]) -> list[Item]:
    """The items in a random order, in a list of its own."""
    mixed = list(items)
    random.shuffle(mixed)
    return mixed


def seq(*items: Item) -> list[Item]:
    """The items as a list; a name and arguments, such as seq("mark", "1", "1"), are a move as well."""
    return list(items)


def definerules(data: Library | Sequence[Term | str], rules: Library | Sequence[Term | str]) -> Game:
    """The game of some rules and more of them, each a Game, Rules, a rule text, or a list of sentences."""
    if isinstance(rules, Game | Rules) and isinstance(data, list | tuple) and not data:
        return _game(rules)
    return parse(f"{_sheet_text(data)}\n{_sheet_text(rules)}", machine="reference")


def _sheet_text(rules: Library | Sequence[Term | str]) -> str:
    if isinstance(rules, str):
        return rules
    if isinstance(rules, Game | Rules):
        return show(rules.sheet if isinstance(rules, Game) else rules)
    return "\n".join(map(str, rules))


def _term(action: Any) -> Any:
    """A move, also one written as a list: its name and arguments."""
    return tuple(map(_term, action)) if isinstance(action, list) else action


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
    if isinstance(rules, Game) and rules.machine.name == "reference":
        return rules
    if isinstance(rules, str):
        return parse(rules, machine="reference")
    key = id(rules)
    if key not in _games:
        sheet = rules.sheet if isinstance(rules, Game) else rules
        _games[key] = build(sheet, "rules", "reference")
        weakref.finalize(rules, _games.pop, key, None)
    return _games[key]
