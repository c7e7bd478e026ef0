"""Relations that are lines on a board: walls along its cells, links between cells, edges between their corners.

`blockednorth(2,3)`, `wall(2,3,east)`   a side of a cell
`wall(1,2,1,3)`, `line(1,1,2,1)`        from cell to cell; from corner to corner where there is one more of each
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gamemaster.draw.boards.shape import Row, axis_of
from gamemaster.draw.finding.compass import SIDE_WORDS
from gamemaster.draw.finding.facts import RelationFacts
from gamemaster.draw.finding.layout import GridLayout
from gamemaster.draw.finding.pieces import words_of
from gamemaster.draw.styles.style import BoardStyle, LineLayer
from gamemaster.language.rules import Relation

__all__ = ["is_link", "links_of", "wall_of"]

WALL_WORDS = frozenset({"wall", "walls", "block", "blocked", "barrier", "fence", "border", "closed"})
LINE_WORDS = WALL_WORDS | {
    "line",
    "edge",
    "bridge",
    "link",
    "path",
    "trail",
    "road",
    "rail",
    "segment",
    "bar",
}


def wall_of(layout: GridLayout) -> LineLayer | None:
    """The lines along sides of cells that a relation is: it says so, and on which side."""
    words = words_of(layout.shape.relation[0])
    if not WALL_WORDS & set(words) or layout.index:
        return None
    arguments = layout.shape.arguments
    at = tuple(arguments[column] for column in layout.coordinates)
    if not layout.content:
        side = next((SIDE_WORDS[word] for word in words if word in SIDE_WORDS), None)
        return LineLayer(layout.shape.relation, at, side=side) if side else None
    if len(layout.content) == 1 and set(layout.contents) <= set(SIDE_WORDS):
        return LineLayer(layout.shape.relation, at, turned=arguments[layout.content[0]])
    return None


def is_link(layout: GridLayout) -> bool:
    """Whether a relation that looks like a grid is rather one of lines: two places and perhaps an owner."""
    arity = layout.shape.relation[1]
    return (
        arity in (4, 5)
        and bool(LINE_WORDS & set(words_of(layout.shape.relation[0])))
        and len(layout.content) > 1
    )


def links_of(
    board: BoardStyle, facts: Iterable[RelationFacts], roles: Sequence[str]
) -> tuple[list[LineLayer], list[Relation]]:
    """The relations between two places of a board that are lines; and those that are not, for nobody to see."""
    lines: list[LineLayer] = []
    others: list[Relation] = []
    if board.row is None or board.column is None:
        return lines, others
    axes = (board.rows, board.columns) if board.row == 0 else (board.columns, board.rows)
    for each in facts:
        found = _link(board, each, axes, roles)
        if found is not None and LINE_WORDS & set(words_of(each.relation[0])):
            lines.append(found)
        elif found is not None:
            others.append(each.relation)
    return lines, others


def _link(
    board: BoardStyle, each: RelationFacts, axes: tuple[Row, Row], roles: Sequence[str]
) -> LineLayer | None:
    """The lines of a relation with four coordinates, and perhaps an owner after them."""
    if each.relation[1] not in (4, 5) or not all(each.values):
        return None
    owner = (4,) if each.relation[1] == 5 else None
    if owner and not set(each.values[4]) <= {*roles, "none", "empty"}:
        return None
    ends = [{*each.values[place], *each.values[place + 2]} for place in (0, 1)]
    at, to = ((0,), (1,)), ((2,), (3,))
    if all(found <= set(axis) for found, axis in zip(ends, axes, strict=True)):
        return LineLayer(each.relation, at, to, owner=owner)
    corners = [axis_of(found) for found in ends]
    if any(
        len(found) != len(axis) + 1 or found[0] != axis[0] for found, axis in zip(corners, axes, strict=True)
    ):
        return None
    rows, columns = corners if board.row == 0 else corners[::-1]
    return LineLayer(each.relation, at, to, corners=(rows, columns), owner=owner)
