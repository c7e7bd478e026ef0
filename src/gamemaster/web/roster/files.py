"""Uploaded files of players: where they are kept, and what they may do when they run.

Nothing of them is ever imported in the server: each runs in a process behind walls (`match/processes/walls.py`), and
where the system allows no walls it does not run at all. A file is known by a key; another text has another key, so what
was begun with one is never gone on with another.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import shutil
import time
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from gamemaster.errors import ParameterError, UnknownPlayer
from gamemaster.match.transports.child_process import ChildProcess, ProcessLimits, player_process

__all__ = ["LARGEST_FILE", "PlayerFiles"]

LARGEST_FILE = 200_000
"""Bytes of a player's file."""

KEY = re.compile(r"[0-9a-f]{20}\Z")
LIMITS = ProcessLimits(memory=3 * 2**30, cpu=3600, processes=48 + 4 * (os.cpu_count() or 1))
"""Bytes and seconds of each process, and how many there may be: enough for a search in machine code."""

NEW_SECONDS = 600.0
"""A file that nobody names is left alone for so long: its row may just be written."""


@dataclass(frozen=True)
class PlayerFiles:
    """The files in the data folder of a site."""

    data: Path

    @property
    def folder(self) -> Path:
        """Where they are, each in a folder of its own: a player sees what lies beside its file."""
        return self.data / "players"

    def path(self, key: str, name: str) -> Path:
        """The file of a player; UnknownPlayer where it is gone."""
        path = self.folder / key / f"{name}.py"
        if KEY.match(key) is None or not path.is_file():
            raise UnknownPlayer(f"the file of {name} is gone; upload it again")
        return path

    def keep(self, name: str, text: bytes, *, salt: str = "") -> str:
        """The key of a file that is kept from now on; ParameterError where it can be none of a player.

        With a salt it is another file than any that is kept already, whatever is in it.
        """
        if len(text) > LARGEST_FILE:
            raise ParameterError(f"a file of {len(text):,} bytes; a player has at most {LARGEST_FILE:,}")
        if not text.strip() or b"\0" in text:
            raise ParameterError("that is no Python file; docs/write-a-player.md begins with one")
        try:
            text.decode()
        except UnicodeDecodeError:
            raise ParameterError("the file is no text in UTF-8; save it so") from None
        key = hashlib.sha256(f"{salt}{name}\0".encode() + text).hexdigest()[:20]
        place = self.folder / key
        # A player that root starts is somebody else: it finds its own file, whose key it knows, and lists nothing.
        self.folder.mkdir(exist_ok=True)
        self.folder.chmod(0o711)
        place.mkdir(exist_ok=True)
        place.chmod(0o711)
        made = place / f".{secrets.token_hex(4)}"
        made.write_bytes(text)
        made.chmod(0o644)
        made.replace(place / f"{name}.py")  # whole, or not at all
        os.utime(place)
        return key

    def sweep(self, kept: Collection[str], *, seconds: float = NEW_SECONDS) -> None:
        """Delete the files that no player has any more; none where no player has any: the database may be another's."""
        if not kept or not self.folder.is_dir():
            return
        for place in self.folder.iterdir():
            if place.name not in kept and place.stat().st_mtime <= time.time() - seconds:
                shutil.rmtree(place, ignore_errors=True)

    def line(self, key: str, name: str, seed: int | None) -> ChildProcess:
        """The line to the player of a file, in a process behind walls from which nothing of the site is seen."""
        return player_process(str(self.path(key, name)), seed, LIMITS, hidden=self._hidden(key))

    def drop(self, key: str) -> None:
        """Delete the file of a player that is gone."""
        if KEY.match(key):
            shutil.rmtree(self.folder / key, ignore_errors=True)

    def _hidden(self, key: str) -> list[str]:
        """All that the site keeps but this file: the data folder may lie in one that players see."""
        beside = [path for path in self.data.iterdir() if path != self.folder]
        others = [path for path in self.folder.iterdir() if path.name != key]
        return [str(path) for path in (*beside, *others)]
