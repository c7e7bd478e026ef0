"""Bytes on disk by key, for what takes long to make: networks and machine code.

A file is trusted only if its checksum is right, and written aside and moved into place, so that several processes,
a crash or a foreign file can do no harm: what cannot be read is made again. Nothing in it is executed by reading.
The folder is `$GAMEMASTER_CACHE`, else the user's cache folder; the oldest files go when it grows too large.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Any

__all__ = ["Cache", "cache_folder", "key_of", "pack", "unpack"]

MAGIC = b"gamemaster cache 1\n"
MAX_BYTES = 1_000_000_000


def cache_folder() -> Path:
    """Where files are kept."""
    if named := os.environ.get("GAMEMASTER_CACHE"):
        return Path(named)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "gamemaster"


def key_of(*parts: object) -> str:
    """A name for what is made from these parts."""
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:40]


class Cache:
    """Bytes by key; every failure to read or write is a miss, never an error."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or cache_folder()

    def read(self, key: str) -> bytes | None:
        """The bytes kept under a key, or None."""
        try:
            raw = (self.folder / key).read_bytes()
        except OSError:
            return None
        start = len(MAGIC) + 32
        if raw[: len(MAGIC)] != MAGIC or hashlib.sha256(raw[start:]).digest() != raw[len(MAGIC) : start]:
            return None
        return raw[start:]

    def write(self, key: str, content: bytes) -> bool:
        """Keep bytes under a key; whether they are kept."""
        is_kept = False
        with contextlib.suppress(OSError):
            self.folder.mkdir(parents=True, exist_ok=True)
            name = self.folder / f".new-{secrets.token_hex(8)}"
            try:
                with name.open("xb") as file:  # open to whom the user lets read: isolated players are others
                    file.write(MAGIC + hashlib.sha256(content).digest() + content)
                os.replace(name, self.folder / key)
                is_kept = True
            except OSError:
                name.unlink()
            self._prune()
        return is_kept

    def _prune(self) -> None:
        """Drop the oldest files while all together are too large."""
        files = [(path.stat(), path) for path in self.folder.iterdir() if path.is_file()]
        size = sum(status.st_size for status, _ in files)
        for status, path in sorted(files, key=lambda entry: entry[0].st_mtime):
            if size <= MAX_BYTES:
                return
            path.unlink(missing_ok=True)
            size -= status.st_size


def pack(description: object, blobs: Sequence[bytes]) -> bytes:
    """A description (plain data) and some blocks of bytes as one block."""
    head = json.dumps({"description": description, "sizes": [len(blob) for blob in blobs]}).encode()
    return len(head).to_bytes(8, "little") + head + b"".join(blobs)


def unpack(content: bytes) -> tuple[Any, list[bytes]]:
    """What `pack` put together."""
    size = int.from_bytes(content[:8], "little")
    head = json.loads(content[8 : 8 + size])
    blobs, position = [], 8 + size
    for length in head["sizes"]:
        blobs.append(content[position : position + length])
        position += length
    return head["description"], blobs
