"""Game -> Style, where nobody wrote one: boards, pieces and counters, from the rules alone.

grid_boards        relations with coordinates               found_grids, found_hex, found_ground
place_boards       relations of places that have names      found_places, plane
counter_styles     what is told beside the boards           found_counters
looks_of           glyphs and colours of what lies there    pieces
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from gamemaster.draw.facts import RelationFacts, relation_facts
from gamemaster.draw.found_counters import counter_styles, hidden_relations
from gamemaster.draw.found_grids import grid_boards
from gamemaster.draw.found_pieces import looks_of
from gamemaster.draw.found_places import light_board, place_boards
from gamemaster.draw.style import BoardStyle, PieceStyle, Style
from gamemaster.language.rules import Relation
from gamemaster.machine.game import Game

__all__ = ["found_style"]

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
    grids = grid_boards(game)
    left = [each for each in facts if each.relation not in {*_relations(grids.boards), *grids.notes}]
    boards = _boards(grids.boards, place_boards(game, left, _no_places(grids.boards)), left)
    contents = list(dict.fromkeys(content for board in boards for content in board.contents))
    blanks = {blank for board in boards for blank in board.blanks}
    pieces = looks_of(contents, game.roles, blanks)
    taken = {*_relations(boards), *grids.notes}
    return Style(
        boards=tuple(_checkered(board, pieces) for board in boards),
        pieces=pieces,
        counters=tuple(counter_styles(facts, taken, contents, game.roles)),
        hidden=hidden_relations(facts, _relations(boards)) | {name for name, _ in grids.notes},
    )


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
    return {layer.relation for board in boards for layer in board.layers}


def _checkered(board: BoardStyle, pieces: Mapping[str, PieceStyle]) -> BoardStyle:
    glyphs = {pieces[content].glyph for content in board.contents if content in pieces}
    is_checkered = board.kind == "square" and not board.ground and bool(glyphs & CHECKERED)
    return replace(board, is_checkered=is_checkered) if is_checkered else board
