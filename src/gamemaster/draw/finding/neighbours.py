"""Static relations -> which cells of a board are neighbours: `adjacent(X,Y,V,W)`, `step(cell(a,1),north,cell(a,2))`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gamemaster.draw.boards.shape import Row, plain_text
from gamemaster.draw.finding.statics import StaticRows
from gamemaster.draw.styles.style import BoardStyle
from gamemaster.language.terms import Compound, Term

__all__ = ["leaves", "neighbour_relations"]

FEWEST_PAIRS = 4


def leaves(terms: Iterable[Term]) -> Iterator[str]:
    """The constants of terms, whatever they stand in."""
    for term in terms:
        if isinstance(term, Compound):
            yield from leaves(term[1:])
        else:
            yield plain_text(term)


def neighbour_relations(
    board: BoardStyle, statics: StaticRows
) -> Iterator[tuple[str, list[tuple[Row, Row]]]]:
    """The relations between pairs of cells, each by its name, with the pairs: coordinates in the order of the rules."""
    if board.row is None or board.column is None:
        return
    axes = (board.rows, board.columns) if board.row == 0 else (board.columns, board.rows)
    for (name, _), rows in statics.items():
        pairs = [pair for row in rows if (pair := _pair(list(leaves(row)), axes))]
        if len(pairs) == len(rows) >= FEWEST_PAIRS:
            yield name, pairs


def _pair(texts: list[str], axes: tuple[Row, Row]) -> tuple[Row, Row] | None:
    """Two cells, with one word more before, between or behind them at most."""
    if not 4 <= len(texts) <= 5:
        return None
    for extra in range(len(texts)) if len(texts) == 5 else (None,):
        four = [text for place, text in enumerate(texts) if place != extra]
        is_word = extra is None or (texts[extra] not in axes[0] and texts[extra] not in axes[1])
        if is_word and all(text in axes[place % 2] for place, text in enumerate(four)):
            return (four[0], four[1]), (four[2], four[3])
    return None
