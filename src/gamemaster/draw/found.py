"""Game -> Style, where nobody wrote one: its relations that look like square grids are boards.

Relations that say what a place has (`cell(1,1,x)`) have a board each. Those that say where things are (`leaf(1,2)`,
`position(red,3,4)`) share one where one is as large as the other.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Sequence

from gamemaster.draw.layout import GridLayout, layouts_of
from gamemaster.draw.style import BoardStyle, Layer, Style
from gamemaster.draw.symbols import is_blank
from gamemaster.machine.game import Game

__all__ = ["found_style"]

FEW = 3
"""So few things at places are told as facts, where there is another board."""

_known: weakref.WeakKeyDictionary[Game, Style] = weakref.WeakKeyDictionary()


def found_style(game: Game) -> Style:
    """The style that the rules of a game suggest; found once for each game."""
    if game not in _known:
        groups = _groups(layouts_of(game))
        _known[game] = Style(tuple(map(_board, groups)))
    return _known[game]


def _groups(layouts: Iterable[GridLayout]) -> list[list[GridLayout]]:
    """Those that share a board, the one that it is named and oriented by first."""
    groups: list[list[GridLayout]] = []
    for layout in layouts:
        home = next((group for group in groups if _fits(group[0], layout)), None)
        if home is None:
            groups.append([layout])
        else:
            home.append(layout)
    return groups


def _fits(first: GridLayout, layout: GridLayout) -> bool:
    """Whether the things of a layout lie on the cells of another, where these are not filled already."""
    return (
        not layout.is_of_places
        and not first.index
        and all(set(b) <= set(a) for a, b in zip(first.axes, layout.axes, strict=True))
        and not (first.is_of_places and _has_blanks(first))
    )


def _has_blanks(layout: GridLayout) -> bool:
    return any(is_blank(content, layout.common) for content in layout.contents)


def _board(group: Sequence[GridLayout]) -> BoardStyle:
    first = group[0]
    row, column = first.orientation.row, 1 - first.orientation.row
    contents = tuple(dict.fromkeys(content for layout in group for content in layout.contents))
    return BoardStyle(
        layers=tuple(map(_layer, group)),
        title=", ".join(layout.shape.relation[0] for layout in group),
        row=row,
        column=column,
        rows=first.axes[row],
        columns=first.axes[column],
        counts_up=first.orientation.counts_up,
        indexes=tuple(sorted({cell[:-2] for cell in first.cells})),
        cells=first.cells,
        contents=contents,
        blanks=frozenset(content for content in contents if is_blank(content, first.common)),
        least=1 if first.is_of_places else FEW + 1,
    )


def _layer(layout: GridLayout) -> Layer:
    arguments = layout.shape.arguments
    return Layer(
        relation=layout.shape.relation,
        at=tuple(arguments[column] for column in layout.coordinates),
        content=tuple(arguments[column] for column in layout.content),
        index=tuple(arguments[column] for column in layout.index),
    )
