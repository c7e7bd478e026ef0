"""Static relations -> the ground of cells: `wall(3,4)` is dark, `colour(a,1,red)` is red, `goal(5,5)` is set off."""

from __future__ import annotations

from gamemaster.draw.boards.shape import Row
from gamemaster.draw.finding.neighbours import leaves
from gamemaster.draw.finding.pieces import COLOUR_WORDS, WORD_GLYPHS, words_of
from gamemaster.draw.finding.statics import StaticRows
from gamemaster.draw.styles.style import BoardStyle

__all__ = ["grounds_of"]

MOST = 0.5
"""A relation of more cells than this says nothing of any."""
SET_OFF = frozenset({"goal", "exit", "target", "finish", "home", "base", "castle", "throne", "promotion"})


def grounds_of(board: BoardStyle, statics: StaticRows) -> dict[Row, str]:
    """The grounds of those cells that have one of their own; none for boards that are told apart by an index."""
    if board.row is None or board.column is None or board.indexes != ((),):
        return {}
    axes = (board.rows, board.columns) if board.row == 0 else (board.columns, board.rows)
    grounds: dict[Row, str] = {}
    for (name, _), rows in statics.items():
        for row in rows:
            texts = tuple(leaves(row))
            if len(texts) in (2, 3) and texts[0] in axes[0] and texts[1] in axes[1]:
                ground = _ground(name, texts[2:], len(rows) <= MOST * len(axes[0]) * len(axes[1]))
                if ground:
                    grounds[texts[:2]] = ground
    if set(grounds.values()) == {"white", "black"}:  # the squares of a board, not what lies there
        return {key: "light" if ground == "white" else "dark" for key, ground in grounds.items()}
    return grounds


def _ground(name: str, rest: Row, is_some: bool) -> str | None:
    """What a relation says of a cell: a colour, a wall, something that matters."""
    if rest:
        return COLOUR_WORDS.get(rest[0])
    words = set(words_of(name))
    if not is_some or not words:
        return None
    if any(WORD_GLYPHS.get(word) == "wall" for word in words):
        return "dark"
    return "middle" if words & SET_OFF else None
