"""Game -> EndgameTable: find the board, number positions, link them, label them."""

from __future__ import annotations

import time
from collections.abc import Collection

import numpy as np

from gamemaster.errors import Unsuitable
from gamemaster.machine.game import Game
from gamemaster.search.native.engine import engine_of
from gamemaster.search.native.kernels.endgame import NO_POSITION, UNKNOWN
from gamemaster.search.native.warming import get_ready
from gamemaster.solving.door import solvable
from gamemaster.solving.endgame.board import find_board
from gamemaster.solving.endgame.files import EndgameMemory
from gamemaster.solving.endgame.labels import ENDLESS, EndgameLabels, label_links
from gamemaster.solving.endgame.linking import Linker, Links
from gamemaster.solving.endgame.numbering import Numbering
from gamemaster.solving.endgame.table import EndgameFigures, EndgameTable, Material
from gamemaster.solving.positions import Tell

__all__ = ["MOST_PIECES", "build_endgame"]

MOST_PIECES = 8
CODE_SECONDS = 60.0
LEAST_ROOM = 2
"""So many steps a clock must leave from its first value on: what a move leads to is looked at as if it stood there."""


def build_endgame(
    game: Game,
    pieces: int = 3,
    *,
    kinds: Collection[str] | None = None,
    memory: int = 2 << 30,
    tell: Tell = lambda stage: None,
) -> EndgameTable:
    """The table of all positions with at most so many pieces; `kinds`: of these, and those that are always there.

    Unsuitable for games without a board, or of which labels say nothing; LimitExceeded where it takes more memory.
    """
    compiled = solvable(game, "endgame")
    if not 1 <= pieces <= MOST_PIECES:
        raise Unsuitable(f"endgame: {pieces} pieces are not 1 to {MOST_PIECES}")
    if len(compiled.roles) > 2:
        raise Unsuitable(
            f"endgame: {game.name} has more than two roles: nothing says then what they can force"
        )
    get_ready(compiled)
    engine_of(compiled).wait(CODE_SECONDS)
    board = find_board(compiled)
    if board.room < LEAST_ROOM:
        clock = min(board.clocks, key=lambda each: each.room[each.first])
        raise Unsuitable(
            f"endgame: {game.name} can be over in {board.room} steps, by a clock that begins at {clock.term}"
        )
    began = time.perf_counter()
    numbering = Numbering(compiled, board, pieces)
    if kinds is not None:
        numbering = Numbering(compiled, board, pieces, _restricted(numbering, kinds))
    links = Linker(numbering, memory, tell).links()
    has_clock = any(clock.ends_games for clock in board.clocks)
    labels = label_links(compiled, links, has_clock, tell)
    figures = _figures(numbering, links, labels, time.perf_counter() - began)
    book = EndgameMemory(numbering, labels, figures)
    return EndgameTable(compiled, numbering, book)


def _restricted(numbering: Numbering, kinds: Collection[str]) -> list[tuple[int, ...]]:
    """The materials that have only some kinds, besides those that are always there."""
    names = {numbering.board.name_of(kind): kind for kind in range(len(numbering.board.kinds))}
    for name in kinds:
        if name not in names:
            raise Unsuitable(
                f"endgame: {name!r} is no kind of piece of {numbering.game.name}; there are: {', '.join(names)}"
            )
    allowed = {*(names[name] for name in kinds), *numbering.board.always}
    return [own for own in numbering.materials if allowed.issuperset(own)]


def _figures(numbering: Numbering, links: Links, labels: EndgameLabels, seconds: float) -> EndgameFigures:
    bases = numbering.bases
    materials = tuple(_material(numbering, labels, i) for i in range(len(bases) - 1))
    room = numbering.board.room
    return EndgameFigures(
        pieces=numbering.pieces,
        positions=links.positions,
        known=int((labels.codes < ENDLESS).sum()),
        moves=len(links.graph.edges),
        longest=max((each.longest for each in materials), default=0),
        room=room if room < 1 << 30 else None,
        materials=materials,
        bytes=3 * numbering.size / max(1, links.positions),
        seconds=seconds,
    )


def _material(numbering: Numbering, labels: EndgameLabels, number: int) -> Material:
    """One material in numbers."""
    first, last = numbering.bases[number], numbering.bases[number + 1]
    codes, distances = labels.codes[first:last], labels.distances[first:last]
    counts = np.bincount(codes, minlength=256)
    values = {
        ",".join(map(str, goals)): int(counts[code])
        for code, goals in enumerate(labels.vectors)
        if counts[code]
    }
    values |= {
        name: int(counts[code]) for name, code in (("endless", ENDLESS), ("unknown", UNKNOWN)) if counts[code]
    }
    positions = int(last - first - counts[NO_POSITION])
    longest = int(distances[codes < ENDLESS].max(initial=0))
    return Material(numbering.name_of(number), positions, values, longest)
