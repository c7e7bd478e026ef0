"""The folder in which positions are kept on disk, so that work goes on where it was, whatever happened to it.

Columns only grow. What is final of them is written in `journal.json`: how many rows of each, and a checksum of those.
The journal is written aside and moved into place after the columns are on the disk; what came after it is found again,
and is the same, as positions are numbered in the order of the moves. One process at a time works in a folder.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import time
from pathlib import Path
from typing import IO, Any, TypeGuard

import numpy as np

from gamemaster.errors import LimitExceeded, StrategyError
from gamemaster.machine.compiled import CompiledGame
from gamemaster.search.native.kernels.graph import VECTORS
from gamemaster.solving.columns import NO_SPACE, checksum
from gamemaster.solving.positions import Positions

__all__ = ["COMMIT_SECONDS", "SolveJournal", "bits_key"]

VERSION = 1
COMMIT_SECONDS = 10.0
"""How much work may be lost."""

SCRATCH = ("starts", "parent_starts", "parents", "queue", "left")
"""Files of the labelling, which begins anew."""


class SolveJournal:
    """What is final of positions in a folder."""

    def __init__(
        self, positions: Positions, folder: Path, start: str, seconds: float = COMMIT_SECONDS
    ) -> None:
        self.positions, self.folder, self.seconds = positions, folder, seconds
        self.names = {"version": VERSION, "rules": positions.game.digest, "bits": bits_key(positions.game)}
        self.names["start"] = start
        self.checked: dict[str, tuple[int, int]] = {}
        self._written = time.monotonic()
        self._lock: IO[bytes] | None = None

    @property
    def path(self) -> Path:
        """Where it is written."""
        return self.folder / "journal.json"

    # Going on

    def open(self) -> bool:
        """Take what is in the folder; whether there was anything. StrategyError where it is damaged, or of others."""
        self._take()
        if not self.path.exists():
            self.positions.move_to(self.folder)
            return False
        told = self._read()
        for name, value in self.names.items():
            if told.get(name) != value:
                raise StrategyError(
                    f"{str(self.folder)!r} holds positions of another game or version ({name} differs); "
                    "name another folder"
                )
        self._restore(told)
        return True

    def overflow(self) -> None:
        """Begin to keep in the folder what is in memory."""
        self._take()
        self.path.unlink(missing_ok=True)
        self.positions.move_to(self.folder)

    def _take(self) -> None:
        """Have the folder for this process alone."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self._lock = (self.folder / "lock").open("wb")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._lock.close()
            self._lock = None
            raise StrategyError(f"another process solves in {str(self.folder)!r}") from None

    def _read(self) -> dict[str, Any]:
        try:
            told = json.loads(self.path.read_bytes())
            if told.pop("sha256") == _digest(told):
                return dict(told)
        except (ValueError, KeyError, AttributeError, TypeError):
            pass
        raise self._damaged("journal.json")

    def _damaged(self, name: str) -> StrategyError:
        return StrategyError(
            f"{name} in {str(self.folder)!r} is damaged, so nothing there is trusted; delete the folder to begin anew"
        )

    def _restore(self, told: dict[str, Any]) -> None:
        positions = self.positions
        if not self._is_possible(told):
            raise self._damaged("journal.json")
        positions.folder, positions.layers = self.folder, told["layers"]
        positions.is_complete = told["is_complete"]
        positions.cursor[:] = told["cursor"]
        positions.desk.vectors[: len(told["vectors"])] = np.array(told["vectors"], np.uint64)
        lengths = positions.lengths()
        for name, column in positions.columns.items():
            if not column.open(self.folder / name, lengths[name]):
                raise self._damaged(name)
            found = checksum(column.array, 0, lengths[name])
            if [lengths[name], found] != told["columns"].get(name):
                raise self._damaged(name)
            self.checked[name] = (lengths[name], found)
        positions.restore()

    def _is_possible(self, told: dict[str, Any]) -> bool:
        """Whether a journal says what one can: whoever writes it can make its checksum."""
        cursor, layers, vectors = (told.get(name) for name in ("cursor", "layers", "vectors"))
        return (
            isinstance(told.get("is_complete"), bool)
            and isinstance(told.get("columns"), dict)
            and _are_whole(cursor, 1 << 48)
            and len(cursor) == len(self.positions.cursor)
            and _are_whole(layers, 1 << 48)
            and layers[:1] == [0]
            and layers == sorted(layers)
            and _are_whole(vectors, 1 << 64)
            and len(vectors) == cursor[VECTORS] <= len(self.positions.desk.vectors)
        )

    # Writing

    def pause(self, is_layer: bool) -> None:
        """Write what is final, after a layer, and now and then."""
        if self.positions.folder and (is_layer or time.monotonic() - self._written > self.seconds):
            self.commit(is_layer)

    def commit(self, is_layer: bool) -> None:
        """Have all that is final on the disk, then the journal that says so."""
        positions, lengths = self.positions, self.positions.lengths()
        for name, column in positions.columns.items():
            before, found = self.checked.get(name, (0, 0))
            if is_layer and name.startswith("rows"):
                before, found = 0, 0
            self.checked[name] = (lengths[name], checksum(column.array, before, lengths[name], found))
            column.sync()
        told: dict[str, Any] = {
            **self.names,
            "is_complete": positions.is_complete,
            "layers": positions.layers,
            "cursor": positions.cursor.tolist(),
            "vectors": positions.desk.vectors[: positions.cursor[VECTORS]].tolist(),
            "columns": {name: list(checked) for name, checked in self.checked.items()},
        }
        self._write(json.dumps({**told, "sha256": _digest(told)}).encode())
        self._written = time.monotonic()

    def _write(self, text: bytes) -> None:
        aside = self.folder / "journal.new"
        try:
            with aside.open("wb") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            os.replace(aside, self.path)
            _sync_folder(self.folder)
        except OSError as error:
            if error.errno not in NO_SPACE:
                raise
            raise LimitExceeded(
                "disk",
                f"what is free for {str(self.folder)!r}",
                doing="writing the journal; what was done before is kept",
                is_lasting=False,
            ) from None

    # The end

    def forget(self) -> None:
        """Take the files away; what is mapped of them stays as long as it is used."""
        for name in (*self.positions.columns, *SCRATCH, "journal.json", "journal.new", "lock"):
            (self.folder / name).unlink(missing_ok=True)
        self.folder.rmdir()

    def close(self) -> None:
        """Let others have the folder."""
        if self._lock is not None:
            for name in SCRATCH:
                (self.folder / name).unlink(missing_ok=True)
            self._lock.close()
            self._lock = None


def bits_key(game: CompiledGame) -> str:
    """What the bits of states mean, in short."""
    layout = game.layout
    meaning = [list(map(str, terms)) for terms in (layout.facts, *layout.moves, *layout.goals)]
    return hashlib.sha256(json.dumps([layout.roles, meaning]).encode()).hexdigest()[:16]


def _are_whole(numbers: object, end: int) -> TypeGuard[list[int]]:
    """Whether these are whole numbers from 0 up to an end."""
    return isinstance(numbers, list) and all(type(each) is int and 0 <= each < end for each in numbers)


def _digest(told: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
