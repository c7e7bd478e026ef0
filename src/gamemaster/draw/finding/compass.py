"""Game -> which coordinate goes north, where its rules have a compass: `step(X,Y,north,X,V) :- after(Y,V)`.

Mazes are drawn the right way up only if that is known: a wall on the north side of a cell is above it. Rules and facts
that relate two places by a word for a direction say so: one coordinate stays, and the other grows or shrinks.
"""

from __future__ import annotations

import weakref
from collections import Counter
from collections.abc import Iterator, Mapping

from gamemaster.draw.finding.statics import StaticRows, static_rows
from gamemaster.draw.styles.style import Side
from gamemaster.language.rules import Atom, Rule
from gamemaster.language.terms import Compound, Term, Variable
from gamemaster.machine.game import Game

__all__ = ["SIDE_WORDS", "north_of"]

SIDE_WORDS: Mapping[str, Side] = {
    "north": "top",
    "up": "top",
    "top": "top",
    "south": "bottom",
    "down": "bottom",
    "bottom": "bottom",
    "east": "right",
    "right": "right",
    "west": "left",
    "left": "left",
}
"""The sides of a cell, by the directions that they face."""

UPRIGHT = {"north": 1, "up": 1, "south": -1, "down": -1}


_known: weakref.WeakKeyDictionary[Game, tuple[int, bool] | None] = weakref.WeakKeyDictionary()


def north_of(game: Game) -> tuple[int, bool] | None:
    """Which of two coordinates goes north, and whether it grows; None where the rules do not say. Found once a game."""
    if game not in _known:
        _known[game] = _north(game)
    return _known[game]


def _north(game: Game) -> tuple[int, bool] | None:
    if not any(word in game.rules.source.text.lower() for word in UPRIGHT):
        return None
    rows = static_rows(game)
    votes = Counter(vote for rule in game.rules.rules for vote in _votes(rule, rows))
    ranked = votes.most_common(2)
    if not ranked or (len(ranked) == 2 and ranked[0][1] == ranked[1][1]):
        return None
    return ranked[0][0]


def _votes(rule: Rule, rows: StaticRows) -> Iterator[tuple[int, bool]]:
    leaves = list(_leaves(rule.head))
    words = [leaf for leaf in leaves if not isinstance(leaf, Variable) and str.__str__(leaf) in UPRIGHT]
    places = [leaf for leaf in leaves if leaf not in words][-4:]
    if len(words) != 1 or len(places) != 4:
        return
    (x, y, u, v), north = places, UPRIGHT[str.__str__(words[0])]
    for coordinate, same, one, other in ((1, x == u, y, v), (0, y == v, x, u)):
        step = _step(rule, one, other, rows) if same and one != other else 0
        if step:
            yield coordinate, step * north > 0


def _leaves(term: Term) -> Iterator[str]:
    if isinstance(term, Compound):
        for part in term[1:]:
            yield from _leaves(part)
    elif isinstance(term, str):
        yield term


def _step(rule: Rule, one: str, other: str, rows: StaticRows) -> int:
    """1 where the second of two values is larger, -1 where it is smaller, 0 where nobody knows."""
    if not isinstance(one, Variable) and not isinstance(other, Variable):
        return _compare(str.__str__(one), str.__str__(other))
    for part in rule.body:
        term = part.term if isinstance(part, Atom) else None
        if isinstance(term, Compound) and term[1:] in ((one, other), (other, one)):
            known = rows.get((term[0], 2), ())
            ups = [_compare(str(a), str(b)) for a, b in known[:2]]
            if ups and ups[0] and len(set(ups)) == 1:
                return ups[0] if term[1] == one else -ups[0]
    return 0


def _compare(one: str, other: str) -> int:
    if one.isdecimal() and other.isdecimal() and len(one) < 10 > len(other):
        return (int(other) > int(one)) - (int(other) < int(one))
    return 0
