"""Worths of facts -> heat maps: for each kind of piece the board, with what the piece is worth on each cell.

The board is that of the game's style, so all boards that can be drawn have heat maps, but for heaps and for what is
counted or piled up: there a fact is no single thing on a cell. What is on no map is told as a list.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gamemaster.draw.board import board_of
from gamemaster.draw.model import Cell, Panel
from gamemaster.draw.styles.chosen import style_of
from gamemaster.draw.styles.style import BoardStyle, Layer
from gamemaster.machine.game import Game

if TYPE_CHECKING:
    from gamemaster.search.native.worths import Worth, Worths

__all__ = ["BLUE", "ORANGE", "Heat", "HeatMap", "heat_of", "in_points", "tint_of"]

BLUE, ORANGE, NEUTRAL = (0x00, 0x72, 0xB2), (0xD5, 0x5E, 0x00), (0xF4, 0xF2, 0xEC)
"""For the first role and against it: two of Okabe and Ito's, which people see apart whatever their colour vision."""

DEEPEST, BEND = 0.92, 0.7
"""How much of the colour the greatest worth has; small ones have more than their share, or nobody would see them."""

DARK_LETTERS, LIGHT_LETTERS, BRIGHT = "#14181d", "#ffffff", 140
WORTH_A_DIGIT = (9.95, 0.995)
"""Where the greatest worth is less, numbers have a digit after the point, or two."""


@dataclass(frozen=True)
class HeatMap:
    """A kind of piece on a board."""

    title: str
    panel: Panel
    """The board with nothing on it."""
    worths: Mapping[str, Worth]
    """What the piece is worth on cells, by their ids."""


@dataclass(frozen=True)
class Heat:
    """All heat maps of a judgement, on one scale."""

    maps: tuple[HeatMap, ...]
    others: tuple[Worth, ...]
    """The facts that are on none, those worth most first."""
    most: float
    """The greatest worth on a map, for or against."""


def heat_of(game: Game, worths: Worths) -> Heat:
    """The heat maps of a game; none where it has no board."""
    style, board = style_of(game), board_of(game.initial_state())
    names = {thing.content: thing.name for thing in board.legend}
    maps: list[HeatMap] = []
    shown: set[Worth] = set()
    for panel in board.panels:
        found = _by_piece(panel, style.boards[panel.board], worths.facts)
        ordered = sorted(found, key=lambda content: ([*names, content].index(content), content))
        for content in ordered:
            title = names.get(content, content)
            if sum(other.board == panel.board for other in board.panels) > 1 or len(style.boards) > 1:
                title = " ".join(filter(None, (title, panel.title)))
            maps.append(HeatMap(title, _emptied(panel), found[content]))
            shown |= {*found[content].values()}
    others = sorted(
        (each for each in worths.facts if each not in shown),
        key=lambda each: (-abs(each.points), str(each.fact)),
    )
    most = max((abs(each.points) for each in shown), default=0.0)
    return Heat(tuple(maps), tuple(others), most)


def _by_piece(panel: Panel, board: BoardStyle, facts: Iterable[Worth]) -> dict[str, dict[str, Worth]]:
    """What is on the cells of a panel, by content and the id of the cell; of several facts that say the same of a cell
    (pieces that are alike, each with a number) the one that held most often."""
    if panel.kind == "heaps":
        return {}
    ids = {cell.key: cell.id for cell in panel.cells}
    found: dict[str, dict[str, Worth]] = {}
    for each in facts:
        for layer in _single(board.layers):
            key = layer.key_of(each.fact)
            if key is not None and key in ids:
                own = found.setdefault(layer.content_of(each.fact), {})
                if (before := own.get(ids[key])) is None or before.share < each.share:
                    own[ids[key]] = each
    return found


def _single(layers: Sequence[Layer]) -> Iterator[Layer]:
    """The layers of which a fact is one thing on one cell."""
    return (
        layer for layer in layers if layer.partner is None and layer.under is None and layer.count is None
    )


def _emptied(panel: Panel) -> Panel:
    """A board with nothing on it."""
    cells = tuple(_empty(cell) for cell in panel.cells)
    return replace(panel, cells=cells, lines=tuple(line for line in panel.lines if not line.is_above))


def _empty(cell: Cell) -> Cell:
    ground = (
        "none" if cell.ground == "none" else "light"
    )  # or squares that are dark would look as if they had a worth
    return replace(cell, things=(), facts=(), marks=frozenset(), label="", ground=ground)


# Numbers and colours


def in_points(points: float, most: float) -> str:
    """A worth with its sign, with as many digits as say something where so much is the most."""
    digits = sum(most < limit for limit in WORTH_A_DIGIT)
    text = f"{points:+.{digits}f}"
    return text if float(text) else "0"


def tint_of(points: float, most: float) -> tuple[str, str]:
    """The colour of a worth, blue for and orange against, the deeper the more; and that of letters on it."""
    deep = DEEPEST * min(1.0, abs(points) / most) ** BEND if most else 0.0
    hue = BLUE if points > 0 else ORANGE
    parts = [round(low + (high - low) * deep) for low, high in zip(NEUTRAL, hue, strict=True)]
    light = (299 * parts[0] + 587 * parts[1] + 114 * parts[2]) / 1000
    return "#" + "".join(f"{part:02x}" for part in parts), DARK_LETTERS if light > BRIGHT else LIGHT_LETTERS
