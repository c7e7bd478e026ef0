"""Endgame tables in one file, a byte or two a number, compressed, and read a block at a time from where it is mapped.

    magic, checksum and length of the head; the head (JSON); where each block stands; blocks

The head names the rules, the facts, the pieces and what bytes mean: a place in the list of all pairs of goals and
distance. Blocks are of so many numbers, deflated, each with a checksum. What is damaged, cut off, foreign or of other
rules is refused: StrategyError.

A game's table is kept in the cache under the digest of its rules, where searches and players find it.
"""

from __future__ import annotations

import hashlib
import json
import mmap
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
from gamemaster.solving.endgame.board import PieceBoard
from gamemaster.solving.endgame.labels import ENDLESS, EndgameLabels
from gamemaster.solving.endgame.numbering import Numbering
from gamemaster.solving.endgame.table import EndgameFigures, EndgameTable, Mark, Material
from gamemaster.solving.files import write_aside

__all__ = ["EndgameFile", "EndgameMemory", "find_table", "kept_path", "load_endgame"]

MAGIC = b"gamemaster endgame 1\n"
BLOCK = 1 << 14
HELD_BLOCKS = 256
MOST_HEAD = 64 << 20
PLACE = np.dtype([("offset", "<u8"), ("size", "<u4"), ("check", "<u4")])


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
        places = np.zeros(len(blocks), PLACE)
        sizes = [len(block) for block in blocks]
        places["size"], places["check"] = sizes, [zlib.crc32(block) for block in blocks]
        places["offset"] = np.cumsum([0, *sizes[:-1]])
        index = places.tobytes()
        head = self._head(symbols, numbers.dtype.str, sum(sizes) + len(index), index)
        yield MAGIC + hashlib.sha256(head).digest() + len(head).to_bytes(8, "little")
        yield head
        yield index
        yield from blocks

    def _head(self, symbols: list[tuple[int, int]], kind: str, size: int, index: bytes) -> bytes:
        numbering, game = self.numbering, self.numbering.game
        told = {
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
            "size": size,
            "index": hashlib.sha256(index).hexdigest(),
            "figures": asdict(self.figures),
        }
        return json.dumps(told).encode()


def _facts_key(game: CompiledGame) -> str:
    """All facts of a game in their order, in short: numbers depend on it."""
    return hashlib.sha256("\n".join(map(str, game.layout.facts)).encode()).hexdigest()


class EndgameFile:
    """Marks in a file."""

    def __init__(self, path: Path, game: CompiledGame) -> None:
        self.path, self.game = path, game
        self._map = self._mapped()
        self.head = self._read_head()
        self._check_rules()
        try:
            self._take_head()
        except (KeyError, TypeError, ValueError, IndexError):
            raise self._damaged() from None
        self._block = lru_cache(HELD_BLOCKS)(self._read_block)

    def _mapped(self) -> mmap.mmap:
        try:
            with self.path.open("rb") as file:
                return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except ValueError:  # of no bytes at all
            raise StrategyError(f"{str(self.path)!r} is empty, no endgame table") from None
        except OSError as error:
            raise StrategyError(
                f"no endgame table can be read from {str(self.path)!r}: {error.strerror}"
            ) from None

    def _damaged(self) -> StrategyError:
        return StrategyError(
            f"the endgame table {str(self.path)!r} is damaged or cut off; make that of {self.game.name} again"
        )

    def _read_head(self) -> dict[str, Any]:
        if self._map[: len(MAGIC)] != MAGIC:
            raise StrategyError(f"{str(self.path)!r} is no endgame table, or one of another version")
        start = len(MAGIC) + 40
        check, size = (
            self._map[len(MAGIC) : start - 8],
            int.from_bytes(self._map[start - 8 : start], "little"),
        )
        text = self._map[start : start + min(size, MOST_HEAD)]
        if len(text) != size or hashlib.sha256(text).digest() != check:
            raise self._damaged()
        self._start = start + size
        return dict(json.loads(text))

    def _check_rules(self) -> None:
        if self.head.get("rules") != self.game.digest:
            raise StrategyError(
                f"the endgame table {str(self.path)!r} is of other rules, called "
                f"{str(self.head.get('game'))[:60]!r}, not those of {self.game.name}"
            )
        if self.head.get("facts") != _facts_key(self.game):
            raise StrategyError(
                f"the endgame table {str(self.path)!r} was made by another version, which had other facts; "
                f"make that of {self.game.name} again"
            )

    def _take_head(self) -> None:
        head = self.head
        self.vectors = tuple(map(tuple, head["vectors"]))
        self.resting = None if head["resting"] is None else tuple(head["resting"])
        materials = tuple(Material(**each) for each in head["figures"]["materials"])
        figures = EndgameFigures(**{**head["figures"], "materials": materials})
        self.figures = replace(figures, bytes=round(len(self._map) / max(1, figures.positions), 3))
        board = PieceBoard.from_json(head["board"], len(self.game.layout.facts))
        self.numbering = Numbering(self.game, board, int(head["pieces"]), head["materials"])
        self.symbols = [Mark(int(code), int(distance)) for code, distance in head["symbols"]]
        self.dtype = np.dtype({"<u1": "<u1", "|u1": "<u1", "<u2": "<u2", "<u4": "<u4"}[head["dtype"]])
        count = -(-self.numbering.size // BLOCK)
        index = self._map[self._start : self._start + count * PLACE.itemsize]
        is_whole = len(self._map) == self._start + int(head["size"])
        if not is_whole or hashlib.sha256(index).hexdigest() != head["index"]:
            raise self._damaged()
        self.places = np.frombuffer(index, PLACE, count)
        self._blocks_start = self._start + len(index)

    def mark(self, number: int) -> Mark | None:
        """What is held of a number; None where nothing is known."""
        symbol = int(self._block(number // BLOCK)[number % BLOCK])
        if symbol >= len(self.symbols):
            raise self._damaged()
        mark = self.symbols[symbol]
        return mark if mark.code < len(self.vectors) else None

    def _read_block(self, number: int) -> npt.NDArray[Any]:
        """The symbols of a block, if its checksum is right."""
        place = self.places[number]
        start = self._blocks_start + int(place["offset"])
        raw = self._map[start : start + int(place["size"])]
        count = min(BLOCK, self.numbering.size - number * BLOCK)
        if zlib.crc32(raw) != place["check"]:
            raise self._damaged()
        try:
            opened = zlib.decompressobj().decompress(raw, count * self.dtype.itemsize)
            return np.frombuffer(opened, self.dtype).reshape(count)
        except (zlib.error, ValueError):
            raise self._damaged() from None

    def save(self, path: Path) -> None:
        """Write it to a file."""
        write_aside(path, iter([self._map[:]]))


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
