"""Gamemaster: write the rules of a game in logic; play, referee, analyse and solve it.

    >>> import gamemaster as gm
    >>> game = gm.load("tictactoe")
    >>> game.roles
    ('x', 'o')
    >>> state = game.initial_state().next("mark(2,2)")
    >>> state.control, len(state.legal_moves("o"))
    ('o', 8)

The words (docs/vocabulary.md has them all): a *role* makes *moves*; the moves of all roles at once are a *joint
move*; a *state* is the set of *facts* that hold; rules say which moves are *legal*, what holds *next*, when a
state is *terminal* and each role's *goal*, 0 to 100.

Four questions have a call each: `search` (what to do in a state), `match` (how players fare), `check` (what is wrong
with rules), `solve` (what every position is worth). `help(gamemaster.search)` says more, and so it does of the others.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from gamemaster.calls import check, keep_calls, match, search, solve
from gamemaster.errors import (
    GameIllDefined,
    GamemasterError,
    IllegalMove,
    LimitExceeded,
    MessageError,
    NoSingleMove,
    NotInstalled,
    NotIsolated,
    NotStratified,
    ParameterError,
    Place,
    PlayerError,
    ReadError,
    RecordError,
    RulesError,
    StateError,
    UnknownAlgorithm,
    UnknownGame,
    UnknownPlayer,
    UnknownRole,
    UnsafeRule,
    Unsuitable,
)
from gamemaster.ground.budget import Limits
from gamemaster.language.terms import Compound, Symbol, Term, Variable
from gamemaster.load import load, parse
from gamemaster.machine.game import Game, PlayoutStats, State
from gamemaster.machine.showing import Shown
from gamemaster.players.player import Player
from gamemaster.search.budget import Budget
from gamemaster.search.result import SearchResult

if TYPE_CHECKING:
    from gamemaster.match.result import MatchResult

__all__ = [
    "Budget",
    "Compound",
    "Game",
    "GameIllDefined",
    "GamemasterError",
    "IllegalMove",
    "LimitExceeded",
    "Limits",
    "MatchResult",
    "MessageError",
    "NoSingleMove",
    "NotInstalled",
    "NotIsolated",
    "NotStratified",
    "ParameterError",
    "Place",
    "Player",
    "PlayerError",
    "PlayoutStats",
    "ReadError",
    "RecordError",
    "RulesError",
    "SearchResult",
    "State",
    "StateError",
    "Symbol",
    "Term",
    "UnknownAlgorithm",
    "UnknownGame",
    "UnknownPlayer",
    "UnknownRole",
    "UnsafeRule",
    "Unsuitable",
    "Variable",
    "check",
    "load",
    "match",
    "parse",
    "search",
    "solve",
]


def _draw(state: State) -> str:
    """A state as SVG, for notebooks; what draws is loaded when it is asked for."""
    from gamemaster.draw.svg import draw_svg

    return draw_svg(state)


def _show(what: Shown) -> str | None:
    """Anything else as HTML, for notebooks; likewise."""
    from gamemaster.bridges.notebook import html_of

    return html_of(what)


State._draw = _draw
Shown._show = _show
keep_calls(sys.modules[__name__])
