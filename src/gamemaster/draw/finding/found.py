"""Game -> Style, where nobody wrote one: boards, pieces and counters, from the rules alone.

grid_boards        relations with coordinates               grids, hexagons, ground
towers             things piled up                          towers
ragged_board       rows with names of their own             ragged
apart_board        coordinates in two relations             apart
place_boards       relations of places that have names      places, plane
counter_styles     what is told beside the boards           counters
looks_of           glyphs and colours of what lies there    pieces
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from gamemaster.draw.finding.apart import apart_board
from gamemaster.draw.finding.counters import counter_styles, hidden_relations
from gamemaster.draw.finding.facts import RelationFacts, relation_facts
from gamemaster.draw.finding.grids import MOST_BOARDS, grid_boards
from gamemaster.draw.finding.pieces import looks_of
from gamemaster.draw.finding.places import indexed_boards, light_board, place_boards
from gamemaster.draw.finding.possible import possible_facts
from gamemaster.draw.finding.ragged import ragged_board
from gamemaster.draw.finding.towers import towers
from gamemaster.draw.styles.style import BoardStyle, PieceStyle, Style
from gamemaster.language.rules import Relation
from gamemaster.machine.game import Game

__all__ = ["found_style"]

WALLS, OPEN = {"w": PieceStyle("wall", "plain", "wall")}, frozenset({"o", "e"})
"""What `w` looks like where it is a wall; the letters that are no wall there."""
WALLED = 0.4
"""So many of all cells are no pieces of one kind."""
CHECKERED = frozenset(["pawn", "knight", "bishop", "rook", "queen", "chess_king", "man", "king"])
"""Pieces that people know from boards with light and dark squares."""

_known: weakref.WeakKeyDictionary[Game, Style] = weakref.WeakKeyDictionary()


def found_style(game: Game) -> Style:
    """The style that the rules of a game suggest; found once for each game."""
    if game not in _known:
        _known[game] = _find(game)
    return _known[game]


def _find(game: Game) -> Style:
    facts = relation_facts(game)
    several = tuple(indexed_boards(game, facts))
    grids, piles = grid_boards(game, facts, _relations(several)), towers(facts)
    known: tuple[BoardStyle, ...] = (*several, *grids.boards, *piles.boards)
    if not known and (board := ragged_board(facts, game.roles) or apart_board(game, facts)):
        known = (board,)
    notes = grids.notes | piles.notes
    left = [each for each in facts if each.relation not in {*_relations(known), *notes}]
    boards = _boards(known, place_boards(game, left, _no_places(known)), left)[:MOST_BOARDS]
    contents = list(dict.fromkeys(content for board in boards for content in board.contents))
    blanks = {blank for board in boards for blank in board.blanks}
    pieces = looks_of(contents, game.roles, blanks)
    if any(_is_walled(game, board) for board in grids.boards):
        pieces |= WALLS
        boards = [replace(board, blanks=board.blanks | (OPEN & set(board.contents))) for board in boards]
    for board in boards:
        pieces |= _filling(board, pieces, game.roles)
    taken = {*_relations(boards), *notes}
    large = hidden_relations(facts, _relations(boards)) if boards else frozenset()
    return Style(
        boards=tuple(_checkered(board, pieces) for board in boards),
        other_pieces=pieces,
        counters=tuple(counter_styles(facts, taken, contents, game.roles)),
        hidden=large | notes if boards else frozenset(),
        news=large - notes,
    )


def _filling(
    board: BoardStyle, pieces: Mapping[str, PieceStyle], roles: Sequence[str]
) -> dict[str, PieceStyle]:
    """The look of a letter that is all there is beside what roles have: it fills its cell."""
    left = [content for content in board.contents if content not in board.blanks and content not in roles]
    if len(left) != 1 or len(left[0]) != 1 or pieces.get(left[0], PieceStyle()).glyph != "text":
        return {}
    return {left[0]: PieceStyle("square", "plain")}


def _is_walled(game: Game, board: BoardStyle) -> bool:
    """Whether `w` is a wall: so many cells have it at the start that it is no piece."""
    if "w" not in board.contents:
        return False
    layer = board.layers[0]
    start = [
        layer.content_of(fact)
        for fact in possible_facts(game).initial_of(layer.relation)
        if layer.key_of(fact)
    ]
    return start.count("w") > WALLED * len(board.rows) * len(board.columns)


def _boards(
    grids: Sequence[BoardStyle], places: Iterable[BoardStyle], facts: Iterable[RelationFacts]
) -> list[BoardStyle]:
    """Grids first, then what has named places; lights where there is nothing else."""
    boards = [*grids, *places]
    if boards:
        return boards
    lights = light_board(facts)
    return [lights] if lights else []


def _no_places(boards: Iterable[BoardStyle]) -> list[frozenset[str]]:
    """What cannot be places beside these boards: their coordinates, and what lies on them."""
    return [frozenset(values) for board in boards for values in (board.rows, board.columns, board.contents)]


def _relations(boards: Iterable[BoardStyle]) -> set[Relation]:
    return {
        relation
        for board in boards
        for relation in (
            *(layer.relation for layer in board.layers),
            *(layer.relation for layer in board.line_layers),
            *(layer.partner[0] for layer in board.layers if layer.partner is not None),
        )
    }


def _checkered(board: BoardStyle, pieces: Mapping[str, PieceStyle]) -> BoardStyle:
    glyphs = {pieces[content].glyph for content in board.contents if content in pieces}
    is_checkered = board.kind == "square" and not board.ground and bool(glyphs & CHECKERED)
    return replace(board, is_checkered=is_checkered) if is_checkered else board
