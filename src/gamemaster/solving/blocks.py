"""One file with a head and blocks: written aside, mapped, and believed only where its checksums are right.

    magic, checksum and length of the head; the head (JSON); what leads the index; where each block stands; blocks

The head names the rules and the facts of a game, and has a checksum of the index; the index has one of each block. What
is damaged, cut off, foreign or of other rules is refused: StrategyError.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import os
import secrets
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gamemaster.errors import LimitExceeded, StrategyError
from gamemaster.machine.compiled import CompiledGame
from gamemaster.solving.columns import NO_SPACE

__all__ = ["BlockKind", "MappedBlocks", "block_pieces", "check_kind", "whole", "write_aside"]

MOST_HEAD = 64 << 20
CHECKED = 40
"""The bytes between magic and head: its checksum and its length."""

PLACE = np.dtype([("offset", "<u8"), ("size", "<u4"), ("check", "<u4")])


@dataclass(frozen=True)
class BlockKind:
    """What a file is: the bytes it begins with, its name, and how to have it again."""

    magic: bytes
    noun: str
    again: str


# Writing


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


def block_pieces(
    kind: BlockKind, head_of: Callable[[int], dict[str, Any]], leading: bytes, contents: Sequence[bytes]
) -> Iterator[bytes]:
    """The file, piece by piece; `head_of` has what the head says of so many bytes, `contents` are deflated blocks."""
    sizes = [len(block) for block in contents]
    places = np.zeros(len(contents), PLACE)
    places["size"], places["check"] = sizes, [zlib.crc32(block) for block in contents]
    places["offset"] = np.cumsum([0, *sizes[:-1]])
    index = leading + places.tobytes()
    size = sum(sizes) + len(index)
    told = {**head_of(size), "size": size, "index": hashlib.sha256(index).hexdigest()}
    head = json.dumps(told).encode()
    yield kind.magic + hashlib.sha256(head).digest() + len(head).to_bytes(8, "little")
    yield head
    yield index
    yield from contents


# Reading


def _mapped(path: Path, kind: BlockKind) -> mmap.mmap:
    """A file of a kind, by the bytes that it begins with; StrategyError where it is none."""
    try:
        with path.open("rb") as file:
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except ValueError:  # of no bytes at all
        raise StrategyError(f"{str(path)!r} is empty, no {kind.noun}") from None
    except OSError as error:
        raise StrategyError(f"no {kind.noun} can be read from {str(path)!r}: {error.strerror}") from None
    if mapped[: len(kind.magic)] != kind.magic:
        mapped.close()
        raise StrategyError(f"{str(path)!r} is no {kind.noun}, or one of another version")
    return mapped


def check_kind(path: Path, kind: BlockKind) -> None:
    """StrategyError where a file is not of a kind, or cannot be read; whose rules it is of nobody asks."""
    _mapped(path, kind).close()


class MappedBlocks:
    """A file of a kind, mapped; a block is read when somebody asks for it."""

    def __init__(self, path: Path, game: CompiledGame, kind: BlockKind) -> None:
        self.path, self.game, self.kind = path, game, kind
        self.bytes = _mapped(path, kind)
        self.head = self._read_head()

    @property
    def _named(self) -> str:
        return f"the {self.kind.noun} {str(self.path)!r}"

    @property
    def _again(self) -> str:
        return self.kind.again.format(self.game.name)

    def damaged(self) -> StrategyError:
        """What to say where anything in the file is not as it should be."""
        return StrategyError(f"{self._named} is damaged or cut off; {self._again}")

    def _read_head(self) -> dict[str, Any]:
        magic = self.kind.magic
        start = len(magic) + CHECKED
        check, size = self.bytes[len(magic) : start - 8], self.bytes[start - 8 : start]
        self._start = start + int.from_bytes(size, "little")
        text = self.bytes[start : min(self._start, start + MOST_HEAD)]
        if len(text) != self._start - start or hashlib.sha256(text).digest() != check:
            raise self.damaged()
        try:
            return dict(json.loads(text))
        except (ValueError, TypeError, RecursionError):  # whoever writes a file can make its checksum
            raise self.damaged() from None

    def check_rules(self, facts: object) -> None:
        """StrategyError for a file of other rules, or with other facts than these, as its head has them."""
        if self.head.get("rules") != self.game.digest:
            called = str(self.head.get("game"))[:60]
            raise StrategyError(
                f"{self._named} is of other rules, called {called!r}, not those of {self.game.name}"
            )
        if self.head.get("facts") != facts:
            raise StrategyError(
                f"{self._named} was made by another version, which had other facts; {self._again}"
            )

    def take_index(self, count: int, leading: int = 0) -> bytes:
        """Have the index of so many blocks, and what leads it, so many bytes."""
        index = self.bytes[self._start : self._start + leading + count * PLACE.itemsize]
        is_whole = len(self.bytes) == self._start + int(self.head["size"])
        if not is_whole or hashlib.sha256(index).hexdigest() != self.head["index"]:
            raise self.damaged()
        self._places = np.frombuffer(index, PLACE, count, leading)
        self._blocks_start = self._start + len(index)
        return index[:leading]

    def block(self, number: int, size: int) -> bytes:
        """A block of so many bytes, if its checksum is right."""
        place = self._places[number]
        start = self._blocks_start + int(place["offset"])
        raw = self.bytes[start : start + int(place["size"])]
        if zlib.crc32(raw) != place["check"]:
            raise self.damaged()
        try:
            opened = zlib.decompressobj().decompress(raw, size)
        except zlib.error:
            raise self.damaged() from None
        if len(opened) != size:
            raise self.damaged()
        return opened


def whole(number: object, least: int, most: int) -> int:
    """A whole number, if it is one between two others; else ValueError."""
    if not isinstance(number, int) or not least <= number <= most:
        raise ValueError(f"{number} is not from {least} to {most}")
    return number
