"""Which way up a grid is drawn: which coordinate is the row, and whether rows are counted from the top.

Where the rules have a compass, north is up. Else this guesses, by the first of these that has something to say:

1. Words: a coordinate that the rules call row(X) or y(X), or a variable named Row, is the row; likewise
   column, x. So is one with values r1, r2, ... if the other has c1, c2, ....
2. Armies: two sides face each other across the board, so lines that are all of one kind at the start are
   rows, and the first role stands at the bottom.
3. Letters: `cell(a,1,...)` is a chess board: letters are columns.
4. Numbers: as in a matrix, the first is the row.

Rows are counted from the bottom where the first coordinate is the column, as in a coordinate system, and from
the top where it is the row, as in a matrix; armies may turn that round.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TypeAlias

from gamemaster.draw.boards.shape import Path, Shape
from gamemaster.draw.boards.symbols import most_common, owner_of
from gamemaster.draw.finding.compass import north_of
from gamemaster.language.rules import Atom, Rule
from gamemaster.language.terms import Compound, Term, Variable
from gamemaster.machine.game import Game

__all__ = ["BOARD_WORDS", "LINE_WORDS", "Orientation", "column_words", "find_orientation"]

ROW_WORDS = frozenset({"row", "rank", "y"})
COLUMN_WORDS = frozenset({"column", "col", "file", "x"})
ROW_VARIABLES = frozenset({"row", "r", "rank"})
COLUMN_VARIABLES = frozenset({"column", "col", "c", "file"})
LINE_WORDS = ROW_WORDS | COLUMN_WORDS
"""What rules call a coordinate."""
BOARD_WORDS = frozenset({"board", "grid", "level", "layer", "floor", "plane", "panel", "game"})
"""What rules call the number of one of several boards."""

Start: TypeAlias = Sequence[tuple[tuple[str, str], str]]
"""The coordinates and content of each cell that has one at the start."""


@dataclass(frozen=True, slots=True)
class Orientation:
    """Which coordinate is the row, 0 or 1, and whether rows are counted from the bottom."""

    row: int
    counts_up: bool


def find_orientation(
    game: Game,
    shape: Shape,
    coordinates: tuple[int, int],
    axes: tuple[tuple[str, ...], tuple[str, ...]],
    start: Start,
) -> Orientation:
    """The orientation that the rules suggest."""
    if (north := north_of(game)) and all(axis[0].isdecimal() for axis in axes):
        return Orientation(*north)
    common = most_common(content for _, content in start)
    row = _row_by_words(game, shape, coordinates)
    if row is None:
        row = _row_by_numbering(axes)
    armies = _row_by_armies(start)
    if row is None:
        row = armies
    if row is None:
        row = 1 if axes[0][0].isalpha() and not axes[1][0].isalpha() else 0
    counts_up = _counts_up_by_armies(game.roles, row, axes[row], start, common) if armies == row else None
    return Orientation(row, row == 1 if counts_up is None else counts_up)


# Words


def _row_by_words(game: Game, shape: Shape, coordinates: tuple[int, int]) -> int | None:
    """The coordinate that the rules call a row, or the one that is not called a column."""
    votes = [0, 0]
    for rule, column, variable in _variables(game, shape):
        if column in coordinates:
            coordinate, vote = coordinates.index(column), _vote(rule, variable)
            votes[coordinate] += vote
            votes[1 - coordinate] -= vote
    return None if votes[0] == votes[1] else int(votes[1] > votes[0])


def column_words(game: Game, shape: Shape) -> list[set[str]]:
    """What the rules call each column of facts: by the names of variables there, and of views that hold of them."""
    words: list[set[str]] = [set() for _ in shape.arguments]
    for rule, column, variable in _variables(game, shape):
        words[column] |= {*_views_of(rule, variable), _name(variable)}
    return words


def _variables(game: Game, shape: Shape) -> Iterator[tuple[Rule, int, Variable]]:
    """The variables that stand in facts of that shape: in which rule, and in which column."""
    for rule in game.rules.rules:
        if not rule.body or shape.squares:  # only rules with a body have variables
            continue
        for fact in _facts(rule, shape):
            for column, path in enumerate(shape.paths):
                variable = _at(fact, path)
                if isinstance(variable, Variable):
                    yield rule, column, variable


def _row_by_numbering(axes: tuple[tuple[str, ...], tuple[str, ...]]) -> int | None:
    """The coordinate with numbered rows, where the other has numbered columns."""
    names = [axis[0].rstrip("0123456789") for axis in axes]
    if names[0] in COLUMN_VARIABLES and names[1] in ROW_VARIABLES:
        return 1
    return 0 if names[0] in ROW_VARIABLES and names[1] in COLUMN_VARIABLES else None


def _facts(rule: Rule, shape: Shape) -> Iterator[Compound]:
    """The facts of that shape in a rule's head and the atoms of its body."""
    todo: list[Term] = [rule.head, *(part.term for part in rule.body if isinstance(part, Atom))]
    while todo:
        term = todo.pop()
        if isinstance(term, Compound):
            if (term[0], len(term) - 1) == shape.relation:
                yield term
            todo += term[1:]


def _at(fact: Compound, path: Path) -> Term | None:
    argument, part = path
    outer: Term = fact[argument + 1]
    if part is None:
        return outer
    inner: Term | None = outer[part + 1] if isinstance(outer, Compound) and part + 1 < len(outer) else None
    return inner


def _vote(rule: Rule, variable: Variable) -> int:
    """1 where the rule calls the variable a row, -1 where it calls it a column."""
    words, name = _views_of(rule, variable), _name(variable)
    is_row = name in ROW_VARIABLES or bool(words & ROW_WORDS)
    is_column = name in COLUMN_VARIABLES or bool(words & COLUMN_WORDS)
    return is_row - is_column


def _views_of(rule: Rule, variable: Variable) -> set[str]:
    """The views that a rule says hold of a variable alone: `row(X)`."""
    return {
        part.term[0]
        for part in rule.body
        if isinstance(part, Atom) and isinstance(part.term, tuple) and part.term[1:] == (variable,)
    }


def _name(variable: Variable) -> str:
    return str.__str__(variable).rstrip("0123456789").lower()


# Armies


def _row_by_armies(start: Start) -> int | None:
    """The coordinate that has lines of one kind at the start, two kinds at least, where the other has not."""
    kinds = [_pure_kinds(coordinate, start) for coordinate in (0, 1)]
    found = [coordinate for coordinate in (0, 1) if len(kinds[coordinate]) >= 2]
    return found[0] if len(found) == 1 else None


def _pure_kinds(coordinate: int, start: Start) -> set[str]:
    """The contents that fill a whole line of the coordinate: all of its facts, two at least."""
    lines: dict[str, list[str]] = {}
    for cell, content in start:
        lines.setdefault(cell[coordinate], []).append(content)
    return {line[0] for line in lines.values() if len(line) > 1 and len(set(line)) == 1}


def _counts_up_by_armies(
    roles: Sequence[str], row: int, axis: Sequence[str], start: Start, common: str | None
) -> bool | None:
    """Whether counting from the bottom puts the first role there; None where things have no owners."""
    heights: dict[bool, list[int]] = {True: [], False: []}
    for cell, content in start:
        owner = owner_of(content, roles)
        if owner is not None and content != common:
            heights[owner == roles[0]].append(axis.index(cell[row]))
    if not heights[True] or not heights[False]:
        return None
    return fmean(heights[True]) < fmean(heights[False])
