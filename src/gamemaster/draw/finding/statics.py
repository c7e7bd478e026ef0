"""Game -> what its rules say of places whatever the state: neighbours, walls, lines.

A relation is static where it follows from the rules alone. Only small ones are of use to a drawing, so the search has
a budget: relations given as facts first, and what cannot be answered within it is left out.
"""

from __future__ import annotations

import time
import weakref
from collections.abc import Iterator, Mapping
from typing import TypeAlias

from gamemaster.errors import GamemasterError
from gamemaster.ground.budget import Limits
from gamemaster.ground.reasoner import STATIC, Reasoner, Situation
from gamemaster.language.rules import Relation
from gamemaster.language.terms import Term, term_of
from gamemaster.machine.game import Game

__all__ = ["StaticRows", "static_rows"]

StaticRows: TypeAlias = Mapping[Relation, tuple[tuple[Term, ...], ...]]

RESERVED = frozenset(
    {"role", "init", "true", "does", "next", "legal", "goal", "terminal", "base", "input", "sees"}
)
MAX_ROWS = 4_000
"""A relation with more is no map of a board."""
MAX_ARGUMENTS = 5
ALL_SECONDS = 2.0
ONE = Limits(seconds=1.0, rows=20_000)

_known: weakref.WeakKeyDictionary[Game, StaticRows] = weakref.WeakKeyDictionary()


def static_rows(game: Game) -> StaticRows:
    """The arguments for which each static relation holds, by relation; found once for each game."""
    if game not in _known:
        _known[game] = dict(_answers(game))
    return _known[game]


def _answers(game: Game) -> Iterator[tuple[Relation, tuple[tuple[Term, ...], ...]]]:
    reasoner = Reasoner(game.rules, ONE)
    ends = time.thread_time() + ALL_SECONDS
    for relation in sorted(_static_relations(reasoner), key=lambda each: each not in reasoner.facts):
        if time.thread_time() > ends:
            return
        rows = _rows(reasoner, relation)
        if 0 < len(rows) <= MAX_ROWS:
            yield relation, rows


def _static_relations(reasoner: Reasoner) -> Iterator[Relation]:
    for relation in reasoner.relations:
        name, arity = relation
        is_view = name not in RESERVED and relation not in reasoner.definitions
        if is_view and 1 <= arity <= MAX_ARGUMENTS and reasoner.phase_of(relation) == STATIC:
            yield relation


def _rows(reasoner: Reasoner, relation: Relation) -> tuple[tuple[Term, ...], ...]:
    name, arity = relation
    try:
        found = reasoner.answers(name, (None,) * arity, Situation(()))
    except GamemasterError:
        return ()
    return tuple(tuple(term_of(value) for value in row) for row in found[: MAX_ROWS + 1])
