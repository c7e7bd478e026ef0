"""Endgame tables in one file, a byte or two a number, compressed, and read a block at a time from where it is mapped.

A file of blocks (`blocks.py`), each of so many numbers, deflated. The head names the rules, the facts, the pieces and
what bytes mean: a place in the list of all pairs of goals and distance.

A game's table is kept in the cache under the digest of its rules, where searches and players find it.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterator
from dataclasses import asdict, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from gamemaster.codegen.cache import cache_folder
from gamemaster.errors import GamemasterError, StrategyError
from gamemaster.machine.compiled import CompiledGame
from gamemaster.machine.game import Game
from gamemaster.search.suitable import native_game
from gamemaster.solving.blocks import BlockKind, MappedBlocks, block_pieces, whole, write_aside
from gamemaster.solving.endgame.board import PieceBoard
from gamemaster.solving.endgame.labels import ENDLESS, EndgameLabels
from gamemaster.solving.endgame.numbering import Numbering
from gamemaster.solving.endgame.table import EndgameFigures, EndgameTable, Mark, Material

__all__ = ["EndgameFile", "EndgameMemory", "find_table", "kept_path", "load_endgame"]

KIND = BlockKind(b"gamemaster endgame 1\n", "endgame table", "make that of {} again")
BLOCK = 1 << 14
HELD_BLOCKS = 256
MOST_PIECES = 64
"""Nobody makes a table of more; a file that says so would take for ever to read."""


class EndgameMemory:
    """Marks as they were made."""

    def __init__(self, numbering: Numbering, labels: EndgameLabels, figures: EndgameFigures) -> None:
        self.numbering, self.labels, self.figures = numbering, labels, figures
        self.vectors, self.resting = labels.vectors, labels.resting

    def mark(self, number: int) -> Mark | None:
        """What is held of a number; None where nothing is known."""
        code = int(self.labels.codes[number])
        return None if code >= ENDLESS else Mark(code, int(self.labels.distances[number]))

    def save(self, path: Path) -> None:
        """Write it to a file."""
        write_aside(path, self._pieces())

    def packed(self) -> tuple[list[tuple[int, int]], npt.NDArray[Any]]:
        """All pairs of code and distance, and for each number which one it has."""
        pairs = self.labels.codes.astype(np.uint32) << 16 | self.labels.distances
        found, numbers = np.unique(pairs, return_inverse=True)
        kind = "<u1" if len(found) <= 256 else "<u2" if len(found) <= 65_536 else "<u4"
        return [(int(pair) >> 16, int(pair) & 65_535) for pair in found], numbers.reshape(-1).astype(kind)

    def _pieces(self) -> Iterator[bytes]:
        """The file, piece by piece."""
        symbols, numbers = self.packed()
        blocks = [zlib.compress(numbers[i : i + BLOCK].tobytes(), 9) for i in range(0, len(numbers), BLOCK)]
        told = self._head(symbols, numbers.dtype.str)
        return block_pieces(KIND, lambda size: told, b"", blocks)

    def _head(self, symbols: list[tuple[int, int]], kind: str) -> dict[str, Any]:
        numbering, game = self.numbering, self.numbering.game
        return {
            "kind": "endgame",
            "game": game.name,
            "rules": game.digest,
            "facts": _facts_key(game),
            "pieces": numbering.pieces,
            "board": numbering.board.to_json(),
            "materials": numbering.materials,
            "symbols": symbols,
            "dtype": kind,
            "vectors": self.vectors,
            "resting": self.resting,
            "figures": asdict(self.figures),
        }


def _facts_key(game: CompiledGame) -> str:
    """All facts of a game in their order, in short: numbers depend on it."""
    return hashlib.sha256("\n".join(map(str, game.layout.facts)).encode()).hexdigest()


class EndgameFile:
    """Marks in a file."""

    def __init__(self, path: Path, game: CompiledGame) -> None:
        self.game = game
        self.file = MappedBlocks(path, game, KIND)
        self.file.check_rules(_facts_key(game))
        try:
            self._take_head(self.file.head)
        except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError):
            raise self.file.damaged() from None
        self._block = lru_cache(HELD_BLOCKS)(self._read_block)

    def _take_head(self, head: dict[str, Any]) -> None:
        self.vectors = tuple(map(tuple, head["vectors"]))
        self.resting = None if head["resting"] is None else tuple(head["resting"])
        materials = tuple(Material(**each) for each in head["figures"]["materials"])
        figures = EndgameFigures(**{**head["figures"], "materials": materials})
        self.figures = replace(figures, bytes=round(len(self.file.bytes) / max(1, figures.positions), 3))
        board = PieceBoard.from_json(head["board"], len(self.game.layout.facts))
        self.numbering = Numbering(self.game, board, whole(head["pieces"], 1, MOST_PIECES), head["materials"])
        self.symbols = [Mark(int(code), int(distance)) for code, distance in head["symbols"]]
        self.dtype = np.dtype({"<u1": "<u1", "|u1": "<u1", "<u2": "<u2", "<u4": "<u4"}[head["dtype"]])
        self.file.take_index(-(-self.numbering.size // BLOCK))

    def mark(self, number: int) -> Mark | None:
        """What is held of a number; None where nothing is known."""
        symbol = int(self._block(number // BLOCK)[number % BLOCK])
        if symbol >= len(self.symbols):
            raise self.file.damaged()
        mark = self.symbols[symbol]
        return mark if mark.code < len(self.vectors) else None

    def _read_block(self, number: int) -> npt.NDArray[Any]:
        """The symbols of a block."""
        count = min(BLOCK, self.numbering.size - number * BLOCK)
        return np.frombuffer(self.file.block(number, count * self.dtype.itemsize), self.dtype)

    def save(self, path: Path) -> None:
        """Write it to a file."""
        write_aside(path, iter([self.file.bytes[:]]))


# Where tables are


def kept_path(game: Game) -> Path:
    """Where the table of a game is kept."""
    return cache_folder() / "endgames" / f"{game.digest}.endgame"


def load_endgame(path: Path | str, game: Game) -> EndgameTable:
    """The table of a file, which must be of this game's rules."""
    compiled = native_game(game)
    if compiled is None:
        raise StrategyError(f"{game.name} is not compiled, and so no endgame table is of it")
    book = EndgameFile(Path(path), compiled)
    return EndgameTable(compiled, book.numbering, book)


def find_table(game: Game) -> EndgameTable | None:
    """The table that is kept of a game; None where there is none, or none that can be read."""
    path = kept_path(game)
    try:
        return load_endgame(path, game) if path.is_file() else None
    except GamemasterError:  # whoever plays goes on without; whoever asks for the file is told
        return None
