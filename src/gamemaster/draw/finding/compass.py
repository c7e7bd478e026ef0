"""Game -> which coordinate goes north, where its rules have a compass: `step(X,Y,north,X,V) :- after(Y,V)`.

A letter is a direction where a relation has all four of them: `steps(N,n,X,Y,X,V) :- sum(Y,N,V)` beside s, e and w.

Mazes are drawn the right way up only if that is known: a wall on the north side of a cell is above it. Rules and facts
that relate two places by a word for a direction say so: one coordinate stays, and the other grows or shrinks.
"""

from __future__ import annotations

import weakref
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from gamemaster.draw.finding.statics import StaticRows, static_rows
from gamemaster.draw.styles.style import Side
from gamemaster.language.rules import Atom, Relation, Rule, relation_of
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
LETTERS = (("n", "s", "e", "w"), ("u", "d", "l", "r"))
"""Letters for up, down and across."""

Compass: TypeAlias = Mapping[str, int]
"""The words for up, 1, and for down, -1."""

_known: weakref.WeakKeyDictionary[Game, tuple[int, bool] | None] = weakref.WeakKeyDictionary()


def north_of(game: Game) -> tuple[int, bool] | None:
    """Which of two coordinates goes north, and whether it grows; None where the rules do not say. Found once a game."""
    if game not in _known:
        _known[game] = _north(game)
    return _known[game]


def _north(game: Game) -> tuple[int, bool] | None:
    words = UPRIGHT if any(word in game.rules.source.text.lower() for word in UPRIGHT) else {}
    lettered = _lettered(game)
    if not words and not lettered:
        return None
    rows = static_rows(game)
    votes = Counter(
        vote
        for rule in game.rules.rules
        for vote in _votes(rule, {**words, **lettered.get(relation_of(rule.head), {})}, rows)
    )
    ranked = votes.most_common(2)
    if not ranked or (len(ranked) == 2 and ranked[0][1] == ranked[1][1]):
        return None
    return ranked[0][0]


def _lettered(game: Game) -> dict[Relation, Compass]:
    """The letters for up and down of each relation that has all four in the heads of its rules."""
    found: dict[Relation, set[str]] = {}
    for rule in game.rules.rules:
        if relation_of(rule.head)[0] in ("init", "base"):
            continue
        letters = {text for leaf in _leaves(rule.head) if len(text := _text(leaf)) == 1}
        found.setdefault(relation_of(rule.head), set()).update(letters)
    return {
        relation: {up: 1, down: -1}
        for relation, letters in found.items()
        for up, down, *across in LETTERS
        if {up, down, *across} <= letters
    }


def _text(leaf: str) -> str:
    """A constant in small letters; nothing for a variable."""
    return "" if isinstance(leaf, Variable) else str.__str__(leaf).lower()


def _votes(rule: Rule, compass: Compass, rows: StaticRows) -> Iterator[tuple[int, bool]]:
    leaves = list(_leaves(rule.head))
    words = [leaf for leaf in leaves if _text(leaf) in compass]
    places = [leaf for leaf in leaves if leaf not in words][-4:]
    if len(words) != 1 or len(places) != 4:
        return
    (x, y, u, v), north = places, compass[_text(words[0])]
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
        if isinstance(term, Compound) and term[1:].count(one) == term[1:].count(other) == 1:
            places = term[1:].index(one), term[1:].index(other)
            if way := _way(rows.get((term[0], len(term) - 1), ()), places):
                return way
    return 0


def _way(rows: Sequence[tuple[Term, ...]], places: tuple[int, int]) -> int:
    """1 where a relation has the larger of two values always in the second of two places, -1 where in the first."""
    first, second = places
    ways = {_compare(str(row[first]), str(row[second])) for row in rows} - ({0} if rows else set())
    return ways.pop() if len(ways) == 1 else 0


def _compare(one: str, other: str) -> int:
    if one.isdecimal() and other.isdecimal() and len(one) < 10 > len(other):
        return (int(other) > int(one)) - (int(other) < int(one))
    return 0
