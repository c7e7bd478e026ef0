"""Positions that are one or two numbers: a row or a table of labels, as books print them.

A number is what the last argument of a fact says of which exactly one holds in every position, such as `stack(left,N)`;
or how many facts of a relation hold, such as `coin(P,V)`. The numbers and who moves must tell all positions apart.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from gamemaster.errors import Unsuitable
from gamemaster.language.builtins import number_of
from gamemaster.language.terms import Term
from gamemaster.search.native.kernels.records import Ints, Words
from gamemaster.solving.positions import Positions
from gamemaster.solving.table import LabelTable, MemoryBook, letter_of

__all__ = ["UNKNOWN", "LetterTable", "letters_of"]

UNKNOWN = "."
"""The letter of numbers that no position has."""

MOST_AXES = 2
MOST_POSITIONS = 100_000
"""Games of more are not looked at: no screen shows so many letters."""

CONTROL = "control"


@dataclass(frozen=True)
class LetterTable:
    """Letters by one or two numbers: `rows[i][j]` is that of i and j; of one number there is one row."""

    names: tuple[str, ...]
    rows: tuple[str, ...]


def letters_of(table: LabelTable) -> LetterTable | None:
    """The letters of a table by its numbers; None where its positions are more than that."""
    book = table.book
    if not isinstance(book, MemoryBook):
        raise Unsuitable(
            "a table that was read from a file has no order to print it in; solve the game for that"
        )
    axes = _axes(book.positions) if len(table) <= MOST_POSITIONS else {}
    if not 1 <= len(axes) <= MOST_AXES or not _tell_apart(book.positions, axes.values()):
        return None
    numbers = [*axes.values()]
    if len(numbers) == 1:
        numbers.insert(0, np.zeros(len(book.positions), np.int64))
    drawn = [[UNKNOWN] * (int(numbers[1].max()) + 1) for _ in range(int(numbers[0].max()) + 1)]
    for number in range(len(book.positions)):
        drawn[int(numbers[0][number])][int(numbers[1][number])] = _letter(book, number)
    return LetterTable(tuple(axes), tuple(map("".join, drawn)))


def _letter(book: MemoryBook, number: int) -> str:
    code, mover = int(book.labels.codes[number]), int(book.positions.arrays().movers[number])
    goals = book.vectors[code]
    return letter_of(goals, mover, code in book.endless, len(goals))


def _axes(positions: Positions) -> dict[str, Ints]:
    """The numbers of all positions, by name."""
    states = positions.columns["states"].array[: len(positions)]
    groups: dict[tuple[Term | str, ...], list[int]] = {}
    for place, fact in enumerate(positions.game.layout.facts):
        groups.setdefault(tuple(fact[:-1]) if isinstance(fact, tuple) else (fact,), []).append(place)
    axes: dict[str, Ints] = {}
    counted: dict[str, list[int]] = {}
    for name, places in groups.items():
        if name[0] == CONTROL:
            continue
        numbers = _single(positions, states, places)
        if numbers is None:
            counted.setdefault(str(name[0]), []).extend(places)
        else:
            arguments = ",".join(map(str, name[1:]))
            axes[f"{name[0]}({arguments})" if arguments else str(name[0])] = numbers
    return {**axes, **{name: _count(states, places) for name, places in counted.items()}}


def _single(positions: Positions, states: Words, places: list[int]) -> Ints | None:
    """The number that one fact of a group says in each position; None where there is not exactly one."""
    facts = positions.game.layout.facts
    values = [
        number_of(str(fact[-1])) if isinstance(fact, tuple) else None
        for fact in map(facts.__getitem__, places)
    ]
    if any(value is None or value < 0 or value != int(value) for value in values):
        return None
    if not (_count(states, places) == 1).all():
        return None
    total = np.zeros(len(states), np.int64)
    for value, place in zip(values, places, strict=True):
        total += int(value or 0) * _bit(states, place)
    return total


def _bit(states: Words, place: int) -> Ints:
    return ((states[:, place >> 6] >> np.uint64(place & 63)) & np.uint64(1)).astype(np.int64)


def _count(states: Words, places: list[int]) -> Ints:
    total = np.zeros(len(states), np.int64)
    for place in places:
        total += _bit(states, place)
    return total


def _tell_apart(positions: Positions, axes: Iterable[Ints]) -> bool:
    """Whether the numbers and who moves are all there is to a position."""
    movers = positions.arrays().movers[: len(positions)].astype(np.int64)
    together = np.stack([movers, *axes], axis=1)
    return len(np.unique(together, axis=0)) == len(positions)
