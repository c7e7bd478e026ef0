"""Tables of labels in one file, compressed, and read a block at a time from where the file is mapped.

    magic, checksum and length of the head; the head (JSON); the first key of each block and where it stands; blocks

The head names the rules, the facts and what codes mean. Positions are sorted by their keys (`packing.py`); a block has
the keys and labels of some thousands of them, byte by byte as they stand below each other, deflated, with a checksum.
What is damaged, cut off, foreign or of other rules is refused: StrategyError.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import os
import secrets
import zlib
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import asdict, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from gamemaster.errors import LimitExceeded, StrategyError
from gamemaster.machine.compiled import CompiledGame
from gamemaster.machine.game import Game, State
from gamemaster.solving.columns import NO_SPACE
from gamemaster.solving.door import solvable
from gamemaster.solving.packing import Packing, find_packing
from gamemaster.solving.table import Entry, Figures, LabelTable, MemoryBook

__all__ = ["FileBook", "check_savable", "load_table", "save_table", "write_aside"]

MAGIC = b"gamemaster labels 1\n"
BLOCK = 4_096
HELD_BLOCKS = 64
MOST_HEAD = 64 << 20
PLACE = np.dtype([("offset", "<u8"), ("size", "<u4"), ("check", "<u4")])
Bytes = npt.NDArray[np.uint8]


# Writing


def save_table(table: LabelTable, path: Path) -> None:
    """Write a table that was just made; one that came from a file is copied."""
    if isinstance(table.book, FileBook):
        write_aside(path, iter([table.book.path.read_bytes()]))
        return
    assert isinstance(table.book, MemoryBook)
    write_aside(path, _pieces(table, table.book))


def write_aside(path: Path, pieces: Iterator[bytes]) -> None:
    """Write a file aside, and move it into place when it is on the disk."""
    aside = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with aside.open("xb") as file:
            for piece in pieces:
                file.write(piece)
            file.flush()
            os.fsync(file.fileno())
        os.replace(aside, path)
    except OSError as error:
        aside.unlink(missing_ok=True)
        if error.errno in NO_SPACE:
            raise LimitExceeded(
                "disk", f"what is free for {str(path)!r}", doing="writing the table"
            ) from None
        raise StrategyError(f"the table cannot be written to {str(path)!r}: {error.strerror}") from None


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
    places = np.zeros(len(blocks), PLACE)
    sizes = [len(block) for block in blocks]
    places["size"], places["check"] = sizes, [zlib.crc32(block) for block in blocks]
    places["offset"] = np.cumsum([0, *sizes[:-1]])
    index = firsts + places.tobytes()
    head = _head(table, packing, rows.shape[1], sum(sizes) + len(index), index)
    yield MAGIC + hashlib.sha256(head).digest() + len(head).to_bytes(8, "little")
    yield head
    yield index
    yield from blocks


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


def _head(table: LabelTable, packing: Packing, width: int, size: int, index: bytes) -> bytes:
    figures = replace(table.figures, bytes=round(size / max(1, len(table)), 3))
    told = {
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
        "size": size,
        "index": hashlib.sha256(index).hexdigest(),
        "figures": asdict(figures),
        "seconds": table.seconds,
    }
    return json.dumps(told).encode()


# Reading


def load_table(path: Path | str, game: Game) -> LabelTable:
    """The table of a file, which must be of this game's rules."""
    compiled = solvable(game)
    book = FileBook(Path(path), compiled)
    return LabelTable(compiled, book, float(book.head["seconds"]))


class FileBook:
    """Entries in a file."""

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
            raise StrategyError(f"{str(self.path)!r} is empty, no table of labels") from None
        except OSError as error:
            raise StrategyError(f"no table can be read from {str(self.path)!r}: {error.strerror}") from None

    def _damaged(self) -> StrategyError:
        return StrategyError(
            f"the table {str(self.path)!r} is damaged or cut off; solve {self.game.name} again"
        )

    def _read_head(self) -> dict[str, Any]:
        if self._map[: len(MAGIC)] != MAGIC:
            raise StrategyError(f"{str(self.path)!r} is no table of labels, or one of another version")
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
                f"the table {str(self.path)!r} is of other rules, called {str(self.head.get('game'))[:60]!r}, "
                f"not those of {self.game.name}"
            )
        if self.head.get("facts") != list(map(str, self.game.layout.facts)):
            raise StrategyError(
                f"the table {str(self.path)!r} was made by another version, which had other facts; "
                f"solve {self.game.name} again"
            )

    def _take_head(self) -> None:
        head = self.head
        self.vectors = tuple(map(tuple, head["vectors"]))
        self.endless = frozenset(head["endless"])
        self.figures = Figures(**head["figures"])
        sums = tuple((fact, tuple(parts)) for fact, parts in head["sums"])
        self.packing = Packing(len(head["facts"]), tuple(head["basis"]), sums)
        self.width, count = int(head["width"]), -(-self.figures.positions // BLOCK)
        keys = self.packing.key_bytes * count
        index = self._map[self._start : self._start + keys + count * PLACE.itemsize]
        is_whole = len(self._map) == self._start + int(head["size"])
        if not is_whole or hashlib.sha256(index).hexdigest() != head["index"]:
            raise self._damaged()
        self.places = np.frombuffer(index, PLACE, count, keys)
        self.firsts = [index[i : i + self.packing.key_bytes] for i in range(0, keys, self.packing.key_bytes)]
        self._blocks_start = self._start + len(index)

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
            raise self._damaged()
        return Entry(*told[0], tuple(told[1:]))

    def _read_block(self, number: int) -> Bytes:
        """The rows of a block, if its checksum is right."""
        place = self.places[number]
        start = self._blocks_start + int(place["offset"])
        raw = self._map[start : start + int(place["size"])]
        count = min(BLOCK, self.figures.positions - number * BLOCK)
        if zlib.crc32(raw) != place["check"]:
            raise self._damaged()
        try:
            opened = zlib.decompressobj().decompress(raw, count * self.width)
            return np.ascontiguousarray(np.frombuffer(opened, np.uint8).reshape(self.width, count).T)
        except (zlib.error, ValueError):
            raise self._damaged() from None
