"""Game -> boards with rows and columns: squares, hexagons, points on lines.

Relations that say what a place has (`cell(1,1,x)`) have a board each. Those that say where things are (`leaf(1,2)`,
`position(red,3,4)`) lie on one that is as large; what repeats the things of that board, or numbers them, is no thing
but a note, and not drawn. Whether cells are squares, hexagons or points is said by which of them the rules call
neighbours, or by how long the rows are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from gamemaster.draw.boards.shape import Row, axis_of
from gamemaster.draw.boards.symbols import blanks_of
from gamemaster.draw.finding.facts import RelationFacts
from gamemaster.draw.finding.ground import grounds_of
from gamemaster.draw.finding.hexagons import hexagonal
from gamemaster.draw.finding.layout import GridLayout, layouts_of
from gamemaster.draw.finding.lines import is_link, links_of, wall_of
from gamemaster.draw.finding.pieces import words_of
from gamemaster.draw.finding.statics import static_rows
from gamemaster.draw.styles.style import BoardStyle, Layer
from gamemaster.language.rules import Relation
from gamemaster.machine.game import Game

__all__ = ["MOST_BOARDS", "FoundGrids", "grid_boards"]

MOST_BOARDS = 24
"""More tell nobody anything; what would be on them is told as facts."""
FEW = 3
"""So few things at places are told as facts, where there is another board."""
SHARED = 0.6
"""The part of the values of two coordinates that must be in both, to be the same."""
NOTE_WORDS = frozenset(
    {"moved", "last", "previous", "prev", "was", "legal", "can", "connected", "group", "inhibit"}
)
"""Relations with one of these words in their name are about a board, not on it."""
CELL_WORDS = frozenset({"cell", "square", "place", "field", "tile", "location"})


@dataclass(frozen=True)
class FoundGrids:
    """Boards, and the relations that are about them but not on them."""

    boards: tuple[BoardStyle, ...]
    notes: frozenset[Relation]


def grid_boards(game: Game, facts: Sequence[RelationFacts], taken: Collection[Relation] = ()) -> FoundGrids:
    """The boards that have rows and columns, of relations that are not taken."""
    layouts = [
        layout for layout in layouts_of(game) if not is_link(layout) and layout.shape.relation not in taken
    ]
    walls = {layout.shape.relation: wall for layout in layouts if (wall := wall_of(layout))}
    groups, notes = _groups(layout for layout in layouts if layout.shape.relation not in walls)
    if not groups:
        walls, (groups, notes) = {}, _groups(layouts)
    boards = [_board(group, game.roles) for group in groups]
    if boards and boards[0].indexes == ((),):
        boards[0] = _walled(boards[0], [layout for layout in layouts if layout.shape.relation in walls])
        lines, others = links_of(boards[0], facts, game.roles)
        boards[0] = replace(boards[0], line_layers=(*walls.values(), *lines))
        notes += others
    drawn = (_finished(game, board) for board in boards[:MOST_BOARDS])
    return FoundGrids((*drawn, *boards[MOST_BOARDS:]), frozenset(notes))


def _walled(board: BoardStyle, walls: Iterable[GridLayout]) -> BoardStyle:
    """The board as large as the walls in it; a row or column 0 has nothing but the walls of the next."""
    axes = [board.rows, board.columns]
    for wall in walls:
        for which, own in enumerate((board.row, board.column)):
            assert own is not None
            axes[which] = axis_of({*axes[which], *wall.axes[own]} - ({"0"} - set(axes[which]))) or axes[which]
    if axes == [board.rows, board.columns]:
        return board
    return replace(board, rows=axes[0], columns=axes[1], cells=None)


# Which relations share a board


def _groups(layouts: Iterable[GridLayout]) -> tuple[list[list[GridLayout]], list[Relation]]:
    """Those that share a board, the one that it is named and oriented by first; and the notes."""
    groups: list[list[GridLayout]] = []
    notes: list[Relation] = []
    for layout in layouts:
        homes = [group for group in groups if _fits(group[0], layout)]
        if homes and _is_note(homes[0], layout):
            notes.append(layout.shape.relation)
        elif homes:
            homes[0].append(layout)
        else:
            groups.append([layout])
    return groups, notes


def _fits(first: GridLayout, layout: GridLayout) -> bool:
    """Whether the things of a layout lie on the cells of another."""
    if layout.is_of_places or first.index or layout.index:
        return False
    return all(_is_same(a, b) for a, b in zip(first.axes, layout.axes, strict=True))


def _is_same(axis: Row, other: Row) -> bool:
    """Whether two coordinates are the same: one has all values of the other, or almost."""
    shared = set(axis) & set(other)
    is_most = len(shared) >= SHARED * max(len(axis), len(other))
    is_inside = set(other) <= set(axis) or set(axis) < set(other)
    return is_inside or (is_most and bool(axis_of({*axis, *other})))


def _is_note(group: Sequence[GridLayout], layout: GridLayout) -> bool:
    """Whether a relation repeats what is on the board, or numbers its cells."""
    if NOTE_WORDS & set(words_of(layout.shape.relation[0])):
        return True
    is_inside = all(set(b) <= set(a) for a, b in zip(group[0].axes, layout.axes, strict=True))
    if not layout.content or not group[0].is_of_places or not is_inside:
        return False
    known = {content for each in group for content in each.contents}
    is_numbers = all(content.isdecimal() for content in layout.contents)
    return set(layout.contents) <= known or (is_numbers and not all(c.isdecimal() for c in known))


# Boards


def _board(group: Sequence[GridLayout], roles: Sequence[str]) -> BoardStyle:
    first = group[0]
    row, column = first.orientation.row, 1 - first.orientation.row
    contents = tuple(dict.fromkeys(content for layout in group for content in layout.contents))
    axes = [_joined_axis(tuple(layout.axes[which] for layout in group)) for which in (0, 1)]
    is_whole = all(axis == own for axis, own in zip(axes, first.axes, strict=True))
    if is_whole:
        axes = [_trimmed(axis, {cell[which - 2] for cell in first.cells}) for which, axis in enumerate(axes)]
    return BoardStyle(
        layers=tuple(map(_layer, group)),
        title=", ".join(layout.shape.relation[0] for layout in group),
        row=row,
        column=column,
        rows=axes[row],
        columns=axes[column],
        counts_up=first.orientation.counts_up,
        indexes=tuple(sorted({cell[:-2] for cell in first.cells})),
        cells=first.cells if is_whole else None,
        contents=contents,
        blanks=frozenset(blanks_of(contents, first.common, roles)) | _mere_cells(group),
        least=1 if first.is_of_places else FEW + 1,
    )


def _mere_cells(group: Iterable[GridLayout]) -> frozenset[str]:
    """Relations that say nothing but that there is a cell."""
    return frozenset(
        layout.shape.relation[0]
        for layout in group
        if not layout.content and layout.shape.relation[0] in CELL_WORDS
    )


def _joined_axis(axes: Sequence[Row]) -> Row:
    """The values of the same coordinate in several relations."""
    values = {value for axis in axes for value in axis}
    return axes[0] if values == set(axes[0]) else axis_of(values) or axes[0]


def _trimmed(axis: Row, used: Collection[str]) -> Row:
    """The values of a coordinate from the first to the last that has a cell."""
    places = [place for place, value in enumerate(axis) if value in used]
    return axis[places[0] : places[-1] + 1] if places else axis


def _layer(layout: GridLayout) -> Layer:
    arguments = layout.shape.arguments
    return Layer(
        relation=layout.shape.relation,
        at=tuple(arguments[column] for column in layout.coordinates),
        content=tuple(arguments[column] for column in layout.content),
        index=tuple(arguments[column] for column in layout.index),
    )


def _finished(game: Game, board: BoardStyle) -> BoardStyle:
    """The board with hexagons where the rules have them, and the ground that they give cells."""
    statics = static_rows(game)
    board = hexagonal(board, statics)
    grounds: Mapping[Row, str] = grounds_of(board, statics)
    return replace(board, ground=grounds) if grounds else board
