"""State and BoardStyle -> what is on which cell, and which cells there are.

A board may grow: a fact outside its cells adds a row, a column or a board, where the values of its coordinates go on
those that are known. What fits nowhere is told among the other facts.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

from gamemaster.draw.boards.shape import MAX_AXIS, Row, axis_of
from gamemaster.draw.boards.strokes import line_of
from gamemaster.draw.finding.facts import natural
from gamemaster.draw.styles.style import BoardStyle, Layer, LineLayer, text_at
from gamemaster.language.rules import relation_of
from gamemaster.language.terms import Term

__all__ = ["MOST_BOARDS", "MOST_TOKENS", "FilledBoard", "filled"]

MOST_BOARDS = 36
"""So many boards stand side by side at most."""
MOST_LINES = 2000
MOST_THINGS = 99
"""So many things alike are on a cell at most; a fact that says more is told among the others."""
MOST_TOKENS = 40
"""So many tokens of a heap are drawn at most; the number beside it is always right."""


@dataclass(frozen=True)
class FilledBoard:
    """A board that is large enough for a state, with what the facts put on its cells."""

    board: BoardStyle
    keys: tuple[Row, ...]
    """Index and coordinates of each cell, from top left to bottom right."""
    contents: dict[Row, list[str]] = field(default_factory=dict)
    facts: dict[Row, list[Term]] = field(default_factory=dict)
    counts: dict[Row, int] = field(default_factory=dict)
    """How many there are in each heap, or on each cell."""

    lines: tuple[tuple[LineLayer, Term], ...] = ()
    """The facts that are lines."""

    @property
    def drawn(self) -> frozenset[Term]:
        """The facts that are on the board."""
        on_cells = (fact for facts in self.facts.values() for fact in facts)
        return frozenset((*on_cells, *(fact for _, fact in self.lines)))


def filled(board: BoardStyle, facts: Sequence[Term]) -> FilledBoard:
    """The board with the facts that have a cell there."""
    told = list(_told(board, facts))
    fit = _grown(board, dict.fromkeys(key for key, _, _ in told)) if board.grows else board
    if board.kind == "heaps":
        fit = replace(fit, most=max([fit.most, *_sizes(told)]))
    lines = tuple(
        (each, fact)
        for each in board.line_layers
        for fact in facts
        if relation_of(fact) == each.relation and line_of(each, fact, fit, ())
    )
    result = FilledBoard(fit, tuple(_keys(fit)), lines=lines[:MOST_LINES])
    known = frozenset(result.keys)
    for key, layer, fact in told:
        if key in known:
            _put(result, key, layer, fact)
    return result


def _told(board: BoardStyle, facts: Sequence[Term]) -> Iterator[tuple[Row, Layer, Term]]:
    """The facts that name a cell, layer by layer."""
    ground = {key[0] for layer in board.layers if layer.key for fact in facts if (key := layer.key_of(fact))}
    for layer in board.layers:
        below, partners = _below(layer, facts), _partners(layer, board, facts)
        for fact in facts:
            key = layer.key_of(fact)
            if key is not None and layer.under is not None:
                key = _height(key, below, ground)
            if key is not None and layer.partner is not None:
                yield from ((each, layer, told) for each, told in _whole(layer, key, fact, partners))
            elif key is not None and _can_be_counted(board, layer, fact):
                yield key, layer, fact


def _partners(layer: Layer, board: BoardStyle, facts: Iterable[Term]) -> dict[Row, list[tuple[str, Term]]]:
    """The facts that have the last coordinate of others, where that is on the board, by their content."""
    found: dict[Row, list[tuple[str, Term]]] = {}
    if layer.partner is None:
        return found
    relation, argument = layer.partner
    known = {*board.rows, *board.columns}
    for fact in facts:
        last = text_at(fact, argument) if relation_of(fact) == relation else None
        if last in known:
            found.setdefault(_contents(layer, fact), []).append((last, fact))
    return found


def _contents(layer: Layer, fact: Term) -> Row:
    return tuple(text_at(fact, each) or "" for each in layer.content)


def _whole(
    layer: Layer, key: Row, fact: Term, partners: Mapping[Row, Sequence[tuple[str, Term]]]
) -> Iterator[tuple[Row, Term]]:
    """The coordinates of a fact with the last one from its partner; both are told at that place, one as its content."""
    for last, other in partners.get(_contents(layer, fact), ()):
        yield (*key, last), fact
        yield (*key, last), other


def _below(layer: Layer, facts: Iterable[Term]) -> dict[Row, str]:
    """What each thing lies on, where a layer piles things up."""
    if layer.under is None:
        return {}
    return {key: text_at(fact, layer.under) or "" for fact in facts if (key := layer.key_of(fact))}


def _height(thing: Row, below: Mapping[Row, str], ground: Collection[str]) -> Row:
    """What the tower of a thing stands on, and how high up the thing is: from 1."""
    level, base = 0, thing[0]
    while (base,) in below and level <= len(below):
        base, level = below[base,], level + 1
    return base, str(level + (base in ground))


def _put(result: FilledBoard, key: Row, layer: Layer, fact: Term) -> None:
    result.facts.setdefault(key, []).append(fact)
    if layer.partner is not None and relation_of(fact) == layer.partner[0]:
        return
    count = _count(layer, fact)
    if count is not None:
        result.counts[key] = result.counts.get(key, 0) + count
    if layer.covers:
        result.contents[key] = []
    times = 1 if count is None or result.board.kind == "heaps" else count
    result.contents.setdefault(key, []).extend([layer.content_of(fact)] * times)


def _can_be_counted(board: BoardStyle, layer: Layer, fact: Term) -> bool:
    """Whether a fact of a layer has a count that can be drawn, where it should have one."""
    count = _count(layer, fact)
    is_drawn = count is not None and (board.kind == "heaps" or count <= MOST_THINGS)
    return layer.count is None or is_drawn


def _count(layer: Layer, fact: Term) -> int | None:
    """How many a fact says there are; None where that is no number that people count to."""
    text = text_at(fact, layer.count) if layer.count is not None else None
    return int(text) if text is not None and text.isdecimal() and len(text) <= 9 else None


def _sizes(told: Iterable[tuple[Row, Layer, Term]]) -> list[int]:
    return [min(MOST_TOKENS, _count(layer, fact) or 0) for _, layer, fact in told]


def _keys(board: BoardStyle) -> Iterator[Row]:
    """The cells of all boards of a style, in reading order."""
    for index in board.indexes:
        for coordinates in _coordinates(board):
            if board.cells is None or (*index, *coordinates) in board.cells:
                yield (*index, *coordinates)


def _coordinates(board: BoardStyle) -> Iterator[Row]:
    """What all rows and columns make together, in the order of the rules; or the places."""
    if board.row is None and board.column is None:
        yield from board.places
        return
    rows = board.rows[:: -1 if board.counts_up else 1] if board.row is not None else ("",)
    for row, column in product(rows, board.columns if board.column is not None else ("",)):
        if board.row is None or board.column is None:
            yield (row or column,)
        else:
            yield (row, column) if board.row < board.column else (column, row)


# Growing


def _grown(board: BoardStyle, keys: Iterable[Row]) -> BoardStyle:
    """The board with cells for these keys too, as far as they go on what is there."""
    size = len(board.indexes[0]) if board.indexes else 0
    known = frozenset(_keys(board))
    new = [key for key in keys if key not in known]
    if not new or (board.row is None and board.column is None):
        return board
    rows = _longer(board.rows, new, None if board.row is None else size + board.row)
    columns = _longer(board.columns, new, None if board.column is None else size + board.column)
    more = sorted({key[:size] for key in new} - {*board.indexes}, key=lambda index: [*map(natural, index)])
    indexes = (*board.indexes, *more)
    return replace(
        board,
        rows=rows,
        columns=columns,
        indexes=indexes if len(indexes) <= MOST_BOARDS else board.indexes,
        cells=None if board.cells is None else board.cells | frozenset(new),
    )


def _longer(axis: Row, keys: Sequence[Row], position: int | None) -> Row:
    """The axis with what the keys have there; as it was where that cannot be coordinates."""
    if position is None:
        return axis
    values = {key[position] for key in keys} - set(axis)
    if not values:
        return axis
    counted = axis_of({*axis, *values})
    if counted and axis_of(axis) == axis:
        return counted
    fits = bool(counted or axis_of(values)) and len(axis) + len(values) <= MAX_AXIS
    return (*axis, *sorted(values, key=natural)) if fits else axis
