"""Facts -> columns of text, and which columns can be coordinates.

cell(a,1,white)            a  1  white
at(cell(a,1),rook)         a  1  rook       a compound that all facts have in that argument is opened
cell(a1,red)               a  1  red        a letter with a number is two columns
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from gamemaster.language.rules import Relation
from gamemaster.language.terms import Compound, Term

__all__ = ["Path", "Row", "Shape", "axis_of", "fact_relation", "plain_text", "shape_of"]

MAX_AXIS = 26
"""More values than this are no rows or columns but a counter."""
FEW_GAPS = 0.7
"""The part of the letters from first to last that must be there: a to h, but not only o and x."""

NUMBER = re.compile(r"(?:0|-?[1-9][0-9]{0,8})\Z")
LETTER = re.compile(r"[a-z]\Z")
NUMBERED = re.compile(r"([a-z_]+)([0-9]{1,9})\Z")
SQUARE = re.compile(r"([a-z])([0-9]{1,9})\Z")

Row: TypeAlias = tuple[str, ...]
"""A fact taken apart: the text of each of its columns."""

Path: TypeAlias = tuple[int, int | None]
"""Where a column is in a fact: which argument, and which argument of the compound there."""


@dataclass(frozen=True)
class Shape:
    """How the facts of a relation are taken apart."""

    relation: Relation
    inner: tuple[Relation | None, ...]
    """For each argument, the compound that every fact has there."""
    squares: frozenset[int] = frozenset()
    """Columns that are two: a letter and a number."""

    @property
    def paths(self) -> list[Path]:
        """The place of each column in a fact, before squares are split."""
        return [
            (argument, part)
            for argument, inner in enumerate(self.inner)
            for part in (range(inner[1]) if inner else (None,))
        ]

    @property
    def arguments(self) -> list[tuple[int | str, ...]]:
        """The place of each column in a fact: argument, argument of the compound there, half of a square."""
        return [
            (argument, *(() if part is None else (part,)), *half)
            for column, (argument, part) in enumerate(self.paths)
            for half in ((("letter",), ("number",)) if column in self.squares else ((),))
        ]

    def row_of(self, fact: Term) -> Row | None:
        """The columns of a fact; None if it is not of this shape."""
        if not isinstance(fact, Compound) or fact_relation(fact) != self.relation:
            return None
        leaves: list[Term] = []
        for argument, inner in zip(fact[1:], self.inner, strict=True):
            if inner and fact_relation(argument) != inner:
                return None
            leaves += argument[1:] if inner else [argument]
        texts = list(map(plain_text, leaves))
        if not all(SQUARE.match(texts[column]) for column in self.squares):
            return None
        return tuple(part for column, text in enumerate(texts) for part in self._parts(column, text))

    def _parts(self, column: int, text: str) -> Sequence[str]:
        return (text[0], text[1:]) if column in self.squares else (text,)

    def rows(self, facts: Iterable[Term]) -> Iterator[Row]:
        """The columns of those facts that are of this shape."""
        return (row for fact in facts if (row := self.row_of(fact)) is not None)


def plain_text(term: Term) -> str:
    """What people read of a term: of a name no quotes, so that it is the same wherever it is looked for."""
    return str(term) if isinstance(term, tuple) else str.__str__(term)


def fact_relation(fact: Term) -> Relation | None:
    """The relation of a fact with arguments, or the functor of a compound; None for a symbol."""
    return (fact[0], len(fact) - 1) if isinstance(fact, Compound) else None


def shape_of(relation: Relation, facts: Collection[Term]) -> Shape:
    """The shape that fits all of the facts of a relation; no facts fit the flattest."""
    known = [fact for fact in facts if isinstance(fact, Compound)]
    kinds = ({fact_relation(fact[index]) for fact in known} for index in range(1, relation[1] + 1))
    shape = Shape(relation, tuple(kind.pop() if len(kind) == 1 else None for kind in kinds))
    columns = zip(*shape.rows(facts), strict=True)
    squares = (column for column, values in enumerate(columns) if _are_squares(set(values)))
    return replace(shape, squares=frozenset(squares))


def _are_squares(values: set[str]) -> bool:
    """Whether all values are a letter with a number, and both vary."""
    found = [match.groups() for value in values if (match := SQUARE.match(value))]
    return len(found) == len(values) and all(len(set(part)) > 1 for part in zip(*found, strict=True))


def axis_of(values: Collection[str]) -> tuple[str, ...]:
    """The values in order, gaps filled, where they can be coordinates; else nothing."""
    if not 2 <= len(values) <= MAX_AXIS:
        return ()
    if all(map(NUMBER.match, values)):
        numbers = sorted(map(int, values))
        span = range(numbers[0], numbers[-1] + 1)
        return tuple(map(str, span)) if len(span) <= MAX_AXIS else ()
    if all(map(LETTER.match, values)):
        span = range(ord(min(values)), ord(max(values)) + 1)
        return tuple(map(chr, span)) if len(values) > FEW_GAPS * len(span) else ()
    matches = [match.groups() for value in values if (match := NUMBERED.match(value))]
    if len(matches) == len(values) and len({name for name, _ in matches}) == 1:
        return tuple(name + number for name, number in sorted(matches, key=lambda parts: int(parts[1])))
    return ()
