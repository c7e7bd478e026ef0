"""The project at a commit, written apart: its files in a folder of their own, which git knows nothing of."""

from __future__ import annotations

import io
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["ROOT", "UnknownCommit", "apart", "full_hash", "unpack"]

ROOT = Path(__file__).resolve().parent.parent
"""The working tree."""


class UnknownCommit(Exception):
    """There is no such commit, or no repository."""


def full_hash(revision: str) -> str:
    """The hash of the commit that a revision (`main`, `HEAD~3`, a hash) means; UnknownCommit where there is none."""
    command = ["git", "-C", str(ROOT), "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}"]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    if found.returncode or revision.startswith("-"):
        raise UnknownCommit(f"no commit {revision!r} here; `git log --oneline` lists them")
    return found.stdout.strip()


def unpack(revision: str, folder: Path, *paths: str) -> Path:
    """Write files of a commit, those under some paths, into a folder, which it gives back."""
    command = ["git", "-C", str(ROOT), "archive", full_hash(revision), *paths]
    packed = subprocess.run(command, capture_output=True, check=True)
    with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
        archive.extractall(folder, filter="data")
    return folder


@contextmanager
def apart(revision: str, kept: Path | None = None) -> Iterator[Path]:
    """A folder with `src` of a commit: for a while, or one in a folder where commits are kept.

    What is compiled of a kept one need not be compiled again: git gives its files the time of the commit.
    """
    if kept is None:
        with tempfile.TemporaryDirectory(prefix="gamemaster-commit-") as folder:
            yield unpack(revision, Path(folder), "src")
        return
    place = kept.resolve() / full_hash(revision)[:12]
    if not place.exists():
        kept.mkdir(parents=True, exist_ok=True)
        unpack(revision, Path(tempfile.mkdtemp(dir=kept)), "src").rename(place)
    yield place
