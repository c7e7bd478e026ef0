"""Rows: the instances of a relation, with an index for every way in which somebody looks them up.

A *shape* says how a literal's arguments look into a row: KEY where the value is known, OUT where it is
wanted, an int n where it must equal the n-th OUT (a repeated variable), or a tuple (functor, shape, ...) that
opens a compound. An index maps the known values to the wanted ones, in the order of the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any, TypeAlias

from gamemaster.language.terms import Value

__all__ = ["KEY", "OUT", "Row", "Rows", "Shape", "ShapePart", "getter"]

KEY = "key"
OUT = "out"
ShapePart: TypeAlias = "str | int | tuple[ShapePart, ...]"
Shape: TypeAlias = tuple[ShapePart, ...]
Row: TypeAlias = tuple[Value, ...]
Index: TypeAlias = dict[Value, list[Value]]
FOUND: list[Value] = [()]


def getter(positions: Sequence[int]) -> Callable[[Sequence[Any]], Any]:
    """A function that picks positions: one gives the bare value, several a tuple, none the empty tuple."""
    return itemgetter(*positions) if positions else (lambda _: ())


class Rows:
    """Rows in order, each once, and their indexes, built when needed. Not changed once an index exists."""

    __slots__ = ("indexes", "rows")

    def __init__(self, rows: list[Row]) -> None:
        self.rows = rows
        self.indexes: dict[Shape, Index] = {}

    def index(self, shape: Shape) -> Index:
        """Known values -> wanted values, for that shape."""
        index = self.indexes.get(shape)
        if index is None:
            index = self.indexes[shape] = build_index(self.rows, shape)
        return index


def build_index(rows: Sequence[Row], shape: Shape) -> Index:
    """The index of rows by a shape; one wanted value stands bare in it, several in a tuple."""
    if all(part is KEY or part is OUT for part in shape):
        return _flat_index(rows, shape)
    index: Index = {}
    for row in rows:
        keys: list[Value] = []
        outs: list[Value] = []
        if _open(shape, row, keys, outs):
            key = keys[0] if len(keys) == 1 else tuple(keys)
            index.setdefault(key, []).append(outs[0] if len(outs) == 1 else tuple(outs))
    return index


def _flat_index(rows: Sequence[Row], shape: Shape) -> Index:
    key_of = getter([i for i, part in enumerate(shape) if part is KEY])
    outs = [i for i, part in enumerate(shape) if part is OUT]
    if not outs:
        return dict.fromkeys(map(key_of, rows), FOUND)
    out_of = getter(outs)
    index: Index = {}
    for row in rows:
        index.setdefault(key_of(row), []).append(out_of(row))
    return index


def _open(shape: Shape, values: Sequence[Value], keys: list[Value], outs: list[Value]) -> bool:
    """Collect the known and wanted values of a row; False where the row has another form."""
    for part, value in zip(shape, values, strict=True):
        if part is KEY:
            keys.append(value)
        elif part is OUT:
            outs.append(value)
        elif isinstance(part, int):
            if outs[part] != value:
                return False
        elif isinstance(part, tuple):
            is_alike = isinstance(value, tuple) and len(value) == len(part) and value[0] == part[0]
            if not is_alike or not _open(part[1:], value[1:], keys, outs):
                return False
    return True
