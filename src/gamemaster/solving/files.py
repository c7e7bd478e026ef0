"""Tables of labels in one file, compressed, and read a block at a time from where the file is mapped.

A file of blocks (`blocks.py`); what leads its index is the first key of each. The head names the rules, the facts and
what codes mean. Positions are sorted by their keys (`packing.py`); a block has the keys and labels of some thousands of
them, byte by byte as they stand below each other, deflated.
"""

from __future__ import annotations

import zlib
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import asdict, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from gamemaster.errors import StrategyError
from gamemaster.machine.compiled import CompiledGame
from gamemaster.machine.game import Game, State
from gamemaster.solving.blocks import BlockKind, MappedBlocks, block_pieces, check_kind, whole, write_aside
from gamemaster.solving.door import solvable
from gamemaster.solving.labels import Shape
from gamemaster.solving.packing import Packing, find_packing
from gamemaster.solving.table import Entry, Figures, LabelTable, MemoryBook

__all__ = ["FileBook", "check_loadable", "check_savable", "load_table", "save_table"]

KIND = BlockKind(b"gamemaster labels 1\n", "table of labels", "solve {} again")
BLOCK = 4_096
HELD_BLOCKS = 64
MOST_COUNTED = 1 << 48
SHAPES: dict[str, Shape] = {"layered": "layered", "acyclic": "acyclic", "cyclic": "cyclic"}
Bytes = npt.NDArray[np.uint8]


# Writing


def save_table(table: LabelTable, path: Path) -> None:
    """Write a table that was just made; one that came from a file is copied."""
    if isinstance(table.book, FileBook):
        write_aside(path, iter([table.book.path.read_bytes()]))
        return
    assert isinstance(table.book, MemoryBook)
    write_aside(path, _pieces(table, table.book))


def check_savable(path: Path) -> None:
    """StrategyError where a table cannot be written: better before the work than after it."""
    if not path.parent.is_dir():
        raise StrategyError(
            f"the table cannot be written to {str(path)!r}: there is no folder {str(path.parent)!r}"
        )
    if path.is_dir():
        raise StrategyError(f"the table cannot be written to {str(path)!r}: it is a folder")


def _pieces(table: LabelTable, book: MemoryBook) -> Iterator[bytes]:
    """The file, piece by piece."""
    positions = book.positions
    states = positions.columns["states"].array[: len(positions)]
    packing = find_packing(states, len(table.game.layout.facts))
    rows = np.concatenate([packing.keys_of(states), *_label_bytes(book)], axis=1)
    rows = rows[_order(rows[:, : packing.key_bytes])]
    blocks = [_deflated(rows[start : start + BLOCK]) for start in range(0, len(rows), BLOCK)]
    firsts = np.ascontiguousarray(rows[::BLOCK, : packing.key_bytes]).tobytes()
    return block_pieces(KIND, lambda size: _head(table, packing, rows.shape[1], size), firsts, blocks)


def _label_bytes(book: MemoryBook) -> Iterator[Bytes]:
    """The labels of all positions, as bytes side by side."""
    labels = book.labels
    for codes, distances in ((labels.codes, labels.distances), *labels.sure):
        yield codes[:, None]
        yield np.ascontiguousarray(distances.astype("<u2")).view(np.uint8).reshape(-1, 2)


def _order(keys: Bytes) -> npt.NDArray[np.int64]:
    """The order of keys as numbers, the first byte first."""
    wide = -(-keys.shape[1] // 8) * 8
    padded = np.zeros((len(keys), max(8, wide)), np.uint8)
    padded[:, : keys.shape[1]] = keys
    words = padded.view(">u8").astype(np.uint64)
    return np.argsort(words[:, 0]) if words.shape[1] == 1 else np.lexsort(words.T[::-1])


def _deflated(rows: Bytes) -> bytes:
    return zlib.compress(np.ascontiguousarray(rows.T).tobytes(), 6)


def _head(table: LabelTable, packing: Packing, width: int, size: int) -> dict[str, Any]:
    figures = replace(table.figures, bytes=round(size / max(1, len(table)), 3))
    return {
        "kind": "labels",
        "game": table.game.name,
        "rules": table.game.digest,
        "roles": table.game.roles,
        "facts": list(map(str, table.game.layout.facts)),
        "basis": packing.basis,
        "sums": packing.sums,
        "vectors": table.book.vectors,
        "endless": sorted(table.book.endless),
        "width": width,
        "figures": asdict(figures),
        "seconds": table.seconds,
    }


# Reading


def check_loadable(path: Path) -> None:
    """StrategyError where a file is no table of labels, of whatever game: it cannot be read, or is something else."""
    check_kind(path, KIND)


def load_table(path: Path | str, game: Game) -> LabelTable:
    """The table of a file, which must be of this game's rules."""
    compiled = solvable(game)
    book = FileBook(Path(path), compiled)
    return LabelTable(compiled, book, book.seconds)


class FileBook:
    """Entries in a file."""

    def __init__(self, path: Path, game: CompiledGame) -> None:
        self.path, self.game = path, game
        self.file = MappedBlocks(path, game, KIND)
        self.file.check_rules(list(map(str, game.layout.facts)))
        try:
            self._take_head(self.file.head)
        except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError):
            raise self.file.damaged() from None
        self._block = lru_cache(HELD_BLOCKS)(self._read_block)

    def _take_head(self, head: dict[str, Any]) -> None:
        roles, facts = len(self.game.roles), len(self.game.layout.facts)
        self.vectors = tuple(tuple(whole(goal, 0, 100) for goal in goals) for goals in head["vectors"])
        self.endless = frozenset(whole(code, 0, len(self.vectors) - 1) for code in head["endless"])
        self.figures, self.seconds = _figures(head["figures"]), float(head["seconds"])
        sums = tuple(
            (whole(fact, -1, facts - 1), tuple(whole(part, -1, facts - 1) for part in parts))
            for fact, parts in head["sums"]
        )
        self.packing = Packing(facts, tuple(whole(fact, 0, facts - 1) for fact in head["basis"]), sums)
        self.width, count = int(head["width"]), -(-self.figures.positions // BLOCK)
        size = self.packing.key_bytes
        if any(len(goals) != roles for goals in self.vectors) or self.width - size not in (3, 3 + 3 * roles):
            raise self.file.damaged()
        keys = self.file.take_index(count, size * count)
        self.firsts = [keys[i : i + size] for i in range(0, len(keys), size)]

    def find(self, state: State) -> Entry | None:
        """The entry of a state, None where it has none."""
        words = -(-len(self.game.layout.facts) // 64)
        row = np.frombuffer(self.game.own(state).bits.ljust(words * 8, b"\0"), np.uint64).reshape(1, words)
        if not self.packing.are_true(row)[0]:
            return None
        return self._entry(self.packing.keys_of(row)[0].tobytes())

    def _entry(self, key: bytes) -> Entry | None:
        block = bisect_right(self.firsts, key) - 1 if self.firsts and key else 0
        if block < 0:
            return None
        rows = self._block(block)
        size = self.packing.key_bytes
        found = np.flatnonzero((rows[:, :size] == np.frombuffer(key, np.uint8)).all(axis=1))
        if not len(found):
            return None
        labels = rows[found[0], size:].tolist()
        told = [(labels[i], labels[i + 1] | labels[i + 2] << 8) for i in range(0, len(labels), 3)]
        if told[0][0] >= len(self.vectors):
            raise self.file.damaged()
        return Entry(*told[0], tuple(told[1:]))

    def _read_block(self, number: int) -> Bytes:
        """The rows of a block."""
        count = min(BLOCK, self.figures.positions - number * BLOCK)
        opened = self.file.block(number, count * self.width)
        return np.ascontiguousarray(np.frombuffer(opened, np.uint8).reshape(self.width, count).T)


def _figures(told: dict[str, Any]) -> Figures:
    """The figures of a head; ValueError and the like for what are none."""
    figures = Figures(**told)
    for count in (figures.positions, figures.moves, figures.layers, figures.won, figures.lost):
        whole(count, 0, MOST_COUNTED)
    for count in (figures.drawn, figures.endless, figures.longest, *figures.values.values()):
        whole(count, 0, MOST_COUNTED)
    return replace(figures, shape=SHAPES[str(figures.shape)], bytes=float(figures.bytes))
