"""Moves and maps of moves in words: `fill(K)` is answered by `fill(12-K)`."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from gamemaster.language.terms import Compound, Term

__all__ = [
    "LETTERS",
    "Numbers",
    "Shape",
    "filled",
    "listed",
    "map_in_words",
    "move_words",
    "numbers_of",
    "shape_of",
    "signed",
]

LETTERS = "KLMNPQ"
MOST_PAIRS = 6
"""A map that no formula fits is told by so many of its pairs at most."""

ROUND = re.compile(r" \(counted round \d+\)")

Numbers = tuple[int, ...]
Shape = tuple[object, ...]


def move_words(move: Term) -> str:
    """A move as its term."""
    return str(move)


def listed(parts: Sequence[str], word: str = "and") -> str:
    """`a`, `a and b`, `a, b and c`."""
    return f"{', '.join(parts[:-1])} {word} {parts[-1]}" if len(parts) > 1 else "".join(parts)


def signed(number: int) -> str:
    """`+3`, `-2`, or nothing for 0."""
    return f"{number:+d}" if number else ""


def map_in_words(moves: Mapping[Term, Term]) -> str:
    """A map of moves: formulas where its numbers follow one, else its pairs, each told once."""
    moved = {one: other for one, other in moves.items() if one != other}
    if not moved:
        return "every move is answered by itself"
    formulas = _formulas(moves)
    if formulas is not None:
        return listed([f"{one} by {other}" for one, other in formulas if one != other])
    pairs = list(dict.fromkeys(frozenset((str(one), str(other))) for one, other in moved.items()))
    shown = [" and ".join(sorted(pair)) for pair in pairs[:MOST_PAIRS]]
    return "; ".join(shown) + (
        f"; and {len(pairs) - MOST_PAIRS} more pairs" if len(pairs) > MOST_PAIRS else ""
    )


def _formulas(moves: Mapping[Term, Term]) -> list[tuple[str, str]] | None:
    """For each shape of moves what its numbers become; None where some numbers follow no formula."""
    groups: dict[tuple[Shape, Shape], list[tuple[Numbers, Numbers]]] = defaultdict(list)
    for one, other in moves.items():
        groups[shape_of(one), shape_of(other)].append((numbers_of(one), numbers_of(other)))
    if len({one for one, _ in groups}) < len(groups):
        return None
    found = []
    for (shape, other_shape), pairs in groups.items():
        letters = LETTERS[: len(pairs[0][0])]
        targets = [_formula([(one, other[i]) for one, other in pairs], i) for i in range(len(pairs[0][1]))]
        if len(letters) < len(pairs[0][0]) or any(target is None for target in targets):
            return None
        found.append((filled(shape, letters), filled(other_shape, [target or "" for target in targets])))
    return list(dict.fromkeys(found))


def _formula(pairs: Sequence[tuple[Numbers, int]], place: int) -> str | None:
    """What a number becomes, as a formula of one of those it comes from: the one in the same place before others."""
    size = len(pairs[0][0])
    for source in sorted(range(size), key=lambda i: i != place):
        known = {(one[source], end) for one, end in pairs}
        letter = LETTERS[source] if source < len(LETTERS) else "?"
        if len({end - one for one, end in known}) == 1:
            return letter + signed(next(end - one for one, end in known))
        if len({end + one for one, end in known}) == 1:
            return f"{next(end + one for one, end in known)}-{letter}"
        if around := _around(known, letter):
            return around
    return None


def _around(known: Iterable[tuple[int, int]], letter: str) -> str | None:
    """The formula of a step round a circle of so many numbers."""
    known = set(known)
    count = len({one for one, _ in known})
    for sign in (1, -1):
        steps = {(end - sign * one) % count for one, end in known}
        if len(steps) == 1 and len(known) == count:
            step = steps.pop()
            return (
                f"{letter}+{step} (counted round {count})"
                if sign == 1
                else f"{step}-{letter} (counted round {count})"
            )
    return None


def numbers_of(term: Term) -> Numbers:
    """The numbers that a term has as arguments."""
    parts = term[1:] if isinstance(term, Compound) else ()
    return tuple(int(part) for part in parts if _is_number(part))


def shape_of(term: Term) -> Shape:
    """The term without its numbers."""
    if not isinstance(term, Compound):
        return (term,)
    return (term[0], *(None if _is_number(part) else part for part in term[1:]))


def filled(shape: Shape, parts: Sequence[str]) -> str:
    """A shape with texts in the places of its numbers."""
    if len(shape) == 1:
        return str(shape[0])
    rest = iter(parts)
    shown = f"{shape[0]}({','.join(next(rest) if part is None else str(part) for part in shape[1:])})"
    turns = dict.fromkeys(ROUND.findall(shown))
    return ROUND.sub("", shown) + "".join(turns)


def _is_number(part: object) -> bool:
    return isinstance(part, str) and part.isdecimal() and len(part) < 7
