"""Arrays that grow, in memory or in files: what a solver knows of each position.

A file is allocated before it is mapped: a disk that is full is an error at once, never a signal in the middle of work.
"""

from __future__ import annotations

import errno
import os
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from gamemaster.errors import LimitExceeded

__all__ = ["Column", "checksum"]

FIRST_ROWS, SMALL = 1 << 13, 1 << 20
CHUNK = 1 << 24
NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class Column:
    """An array with a row for each position (or move); `array` is as long as there is room."""

    def __init__(self, kind: npt.DTypeLike, width: int | None = None, path: Path | None = None) -> None:
        self.kind = np.dtype(kind)
        self.shape: tuple[int, ...] = () if width is None else (width,)
        self.path = path
        self.array: npt.NDArray[Any] = np.empty((0, *self.shape), self.kind)
        self._map: np.memmap[Any, Any] | None = None

    @property
    def row_bytes(self) -> int:
        """The bytes of one row."""
        return int(self.kind.itemsize * np.prod(self.shape, dtype=np.int64))

    @property
    def memory(self) -> int:
        """The bytes of memory that it holds: none where it is a file."""
        return 0 if self.path else self.array.nbytes

    def room_for(self, rows: int) -> int:
        """How many rows it would have room for, if so many are needed: it at least doubles, while it is small more."""
        held = len(self.array)
        return held if rows <= held else max(FIRST_ROWS, rows, held * (4 if held < SMALL else 2))

    def reserve(self, rows: int) -> None:
        """Make room for so many rows."""
        room = self.room_for(rows)
        if room > len(self.array):
            self.array = self._in_memory(room) if self.path is None else self._mapped(self.path, room)

    def _in_memory(self, room: int) -> npt.NDArray[Any]:
        try:
            array = np.empty((room, *self.shape), self.kind)
        except MemoryError:
            needed = f"what this machine has ({room * self.row_bytes:,} bytes more are needed)"
            raise LimitExceeded("memory", needed, doing="finding positions", is_lasting=False) from None
        array[: len(self.array)] = self.array
        return array

    def _mapped(self, path: Path, room: int) -> npt.NDArray[Any]:
        """The file, with so much room; what is in it stays."""
        size = max(1, room * self.row_bytes)
        with path.open("r+b" if path.exists() else "w+b") as file:
            try:
                os.posix_fallocate(file.fileno(), 0, size)
            except OSError as error:
                if error.errno not in NO_SPACE:
                    raise
                allowed = f"what is free for {str(path.parent)!r} ({size:,} bytes are needed for {path.name})"
                raise LimitExceeded(
                    "disk", allowed, doing="finding positions; what was done is kept", is_lasting=False
                ) from None
        self._map = np.memmap(path, self.kind, "r+", shape=(room, *self.shape))
        return np.asarray(self._map)

    def move_to(self, path: Path, rows: int) -> None:
        """Keep what is in memory in a file from now on."""
        old, self.path = self.array, path
        self.array = self._mapped(path, max(FIRST_ROWS, len(old)))
        self.array[:rows] = old[:rows]

    def open(self, path: Path, rows: int) -> bool:
        """Take so many rows that are in a file; whether it has them."""
        self.path = path
        try:
            has_all = path.stat().st_size >= rows * self.row_bytes
        except OSError:
            return False
        if has_all:
            self.array = self._mapped(path, max(FIRST_ROWS, rows))
        return has_all

    def sync(self) -> None:
        """Have all that is written on the disk."""
        if self._map is not None:
            self._map.flush()


def checksum(array: npt.NDArray[Any], first: int, last: int, before: int = 0) -> int:
    """A checksum of rows, going on from another of those before them."""
    row_bytes = max(1, array[:1].nbytes)
    step = max(1, CHUNK // row_bytes)
    for start in range(first, last, step):
        before = zlib.crc32(np.ascontiguousarray(array[start : min(last, start + step)]).data, before)
    return before
