"""The file of a match's record: read, and made sure of. Nothing here is called on the loop of the server."""

from __future__ import annotations

import os
from pathlib import Path

from gamemaster.match.records.record import Record, read_record

__all__ = ["make_sure", "recorded"]


def recorded(path: Path) -> Record | None:
    """What has been written of a match; one that was killed before it could write its beginning begins anew."""
    if not path.exists():
        return None
    if b"\n" not in path.read_bytes():
        path.unlink()
        return None
    return read_record(path)


def make_sure(path: Path) -> None:
    """Have a file on the disk, whatever becomes of the machine."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
